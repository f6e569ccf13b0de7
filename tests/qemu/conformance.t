#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# docs/conformance.md must be what the boots of this tree printed, with every profile. Runs after scripts/boots,
# whose logs it reads. Prints TAP.
set -eu
here=$(dirname -- "$(realpath -- "$0")")
root=$(realpath -- "$here/../..")

echo 1..2
"$here/conformance" "$root"/build/test/* | diff -u "$root/docs/conformance.md" - | sed 's/^/# /'
if [ "${PIPESTATUS[*]:0:2}" = "0 0" ]; then
    echo "ok 1 - docs/conformance.md is up to date"
else
    echo "not ok 1 - docs/conformance.md is up to date: make conformance writes it anew"
fi

others=()
for folder in "$root"/build/test/*; do
    [[ $folder = *-haswell ]] || others+=("$folder")
done
if said=$("$here/conformance" "${others[@]}" 2>&1 >/dev/null) || [[ $said != *"none of the folders is a boot of 32-bit haswell, 64-bit haswell; run make qemu-test first" ]]; then
    echo "# $said"
    echo "not ok 2 - a profile without boots is named"
else
    echo "ok 2 - a profile without boots is named"
fi
