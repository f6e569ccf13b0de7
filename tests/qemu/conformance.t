#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Is docs/conformance.md what the boots of this tree printed? Comes after tests/qemu/boots, whose logs it reads. TAP.
set -eu
here=$(dirname -- "$(realpath -- "$0")")
root=$(realpath -- "$here/../..")

echo 1..1
"$here/conformance" "$root"/build/test/* | diff -u "$root/docs/conformance.md" - | sed 's/^/# /'
if [ "${PIPESTATUS[1]}" = 0 ]; then
    echo "ok 1 - docs/conformance.md is up to date"
else
    echo "not ok 1 - docs/conformance.md is up to date: make conformance writes it anew"
fi
