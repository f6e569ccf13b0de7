#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# docs/machines.md must be what the boots of this tree printed, with every profile. Runs after scripts/boots,
# whose logs it reads. Prints TAP.
set -eu
here=$(dirname -- "$(realpath -- "$0")")
root=$(realpath -- "$here/../..")

echo 1..2
"$here/machines" "$root"/build/test/* | diff -u "$root/docs/machines.md" - | sed 's/^/# /' >&2 # seen under prove, too
if [ "${PIPESTATUS[*]:0:2}" = "0 0" ]; then
    echo "ok 1 - docs/machines.md is up to date"
else
    echo "not ok 1 - docs/machines.md is up to date: make machines writes it anew"
fi

others=()
for folder in "$root"/build/test/*; do
    [[ $folder = *-haswell ]] || others+=("$folder")
done
if said=$("$here/machines" "${others[@]}" 2>&1 >/dev/null) || [[ $said != *"none of the folders is a boot of 32-bit haswell, 64-bit haswell; run make qemu-test first" ]]; then
    echo "# $said"
    echo "not ok 2 - a profile without boots is named"
else
    echo "ok 2 - a profile without boots is named"
fi
