#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A DS area and buffers that a device's page table maps: see tests/qemu/device_table.asm, which looks at the records by itself.
# Prints TAP.
set -eu
here=$(dirname -- "$(realpath -- "$0")")
build=$here/../../build
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
status=0
violations=$work/violations

echo 1..2
timeout 60 "$build/qemu-system-x86_64" -accel tcg -machine q35 -cpu max -m 16 -nodefaults -no-user-config -no-reboot \
    -display none -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel "$build/device_table.elf" \
    -plugin "${build//,/,,}/dsmodel.so,profile=skylake,violations=$violations" >"$work/log" 2>&1 </dev/null || status=$?
if [ $status = 33 ]; then
    echo 'ok 1 - the records are where the table says, and QEMU goes on where it says nothing'
else
    sed "s/^/# /" "$work/log" | head -n 3
    echo "# status $status: the guest's check N ends with 33 + 2N, a hang with 124, an abort of QEMU with 134"
    echo 'not ok 1 - the records are where the table says, and QEMU goes on where it says nothing'
fi
# Nothing else is wrong.
said=$(sed 's/.* rip=[^ ]* \([a-z-]*\): .*/\1/' "$violations")
if [ "$said" = $'ds-page-not-present\nrecord-lost' ]; then
    echo 'ok 2 - and that is told'
else
    sed 's/^/# /' "$violations"
    echo 'not ok 2 - and that is told'
fi
