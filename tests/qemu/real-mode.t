#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The model's debug store in 16-bit real mode, under QEMU for x86_64 and for i386. Prints TAP.
set -eu
here=$(dirname -- "$(realpath -- "$0")")
build=$here/../../build
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

echo 1..2
number=0
for system in x86_64 i386; do
    number=$((number + 1)) status=0
    timeout 60 "$build/qemu-system-$system" -accel tcg -machine pc -cpu max -m 16 -nodefaults -no-user-config -no-reboot \
        -display none -device isa-debug-exit,iobase=0xf4,iosize=4 \
        -drive "if=ide,format=raw,snapshot=on,file=${build//,/,,}/real_mode.img" \
        -plugin "${build//,/,,}/dsmodel.so,profile=skylake,violations=$work/violations" \
        >"$work/log" 2>&1 </dev/null || status=$?
    [ $status = 33 ] && [ ! -s "$work/violations" ] && echo "ok $number - real mode, qemu-system-$system" && continue
    cat -- "$work"/* | head -n 40 | sed 's/^/# /'
    echo "not ok $number - real mode, qemu-system-$system"
done
