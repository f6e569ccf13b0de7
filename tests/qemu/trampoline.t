#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The UEFI loader's trampoline, called as firmware calls it: paging, long mode, PCID, interrupts and all else that CR4 can turn
# on in QEMU are on (CET, which it has not, is a bit like the others there), the direction flag is set, and the segments are
# small. The guest looks at what a kernel is entered with. Prints TAP.
set -eu
here=$(dirname -- "$(realpath -- "$0")")
build=$here/../../build
number=0

# enter NAME WIDTH SYSTEM CPU
enter()
{
    local status=0
    number=$((number + 1))
    timeout 60 "$build/qemu-system-$3" -accel tcg -machine q35 -cpu "$4" -m 16 -nodefaults -no-user-config -no-reboot \
        -display none -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel "$build/trampoline-$2.elf" </dev/null || status=$?
    [ $status = 33 ] && echo "ok $number - $1" && return
    echo "# status $status: see tests/qemu/trampoline.asm, where the check $((status / 2)) fails"
    echo "not ok $number - $1"
}

echo 1..6
enter 'x64 firmware with tables of five levels' 64 x86_64 max
enter 'x64 firmware with tables of four levels' 64 x86_64 max,-la57
enter 'ia32 firmware on a processor with long mode' 32 x86_64 max
enter 'ia32 firmware on a processor with the no-execute bit' 32 i386 max
enter 'ia32 firmware on a processor with neither' 32 i386 pentium3
enter 'ia32 firmware with pages of 4 MiB' 32 i386 pentium3,-pae
