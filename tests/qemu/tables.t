#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# docs/machines.md and docs/conformance.md agree with the output of scripts/tables for this tree's boots of every profile. Reads
# the logs of scripts/boots, and must run after it. tests/tools/documents.t checks the rest in `make test`.
set -eu
root=$(realpath -- "$(dirname -- "$0")/../..")
number=0

result()
{
    echo "$1 $((++number)) - $2"
}

echo 1..3
for table in machines conformance; do
    "$root/scripts/tables" $table "$root"/build/test/* | diff -u "$root/docs/$table.md" - | sed 's/^/# /' >&2 # seen under prove, too
    if [ "${PIPESTATUS[*]:0:2}" = "0 0" ]; then
        result ok "docs/$table.md is up to date"
    else
        result 'not ok' "docs/$table.md is up to date: make documents regenerates it"
    fi
done

others=()
for folder in "$root"/build/test/*; do
    [[ $folder = *-haswell ]] || others+=("$folder")
done
if said=$("$root/scripts/tables" machines "${others[@]}" 2>&1 >/dev/null) ||
    [[ $said != *"none of the folders is a boot of 32-bit haswell, 64-bit haswell; run make qemu-test first" ]]; then
    echo "# $said"
    result 'not ok' 'scripts/tables names profiles without boots'
else
    result ok 'scripts/tables names profiles without boots'
fi
