#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Guests that check their own results, each described at its head in tests/qemu/*.asm; and the two kernels beyond
# tests/qemu/cases: both have the same tests, gdb works on either, and the 32-bit kernel has a PVH entry, which QEMU uses only
# without a Multiboot header.
set -eu
here=$(dirname -- "$(realpath -- "$0")")
build=$here/../../build
machine=$here/../../scripts/machine
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
number=0

# report NAME COMMAND..: ok if the command succeeds; otherwise prints the files in $work.
report()
{
    local name=$1
    shift
    number=$((number + 1))
    if "$@" >>"$work/log" 2>&1; then
        echo "ok $number - $name"
    else
        head -n 40 -- "$work"/* | sed 's/^/# /'
        echo "not ok $number - $name"
    fi
}

# guest NAME SYSTEM MACHINE CPU [QEMU'S OPTION..]: ok if the guest ends with status 33. 33 + 2N: its check N failed.
guest()
{
    local name=$1 system=$2 board=$3 cpu=$4 status=0
    shift 4
    rm -f -- "$work"/*
    timeout -k 5 60 "$build/qemu-system-$system" -accel tcg -machine "$board" -cpu "$cpu" -m 16 -nodefaults -no-user-config -no-reboot \
        -display none -device isa-debug-exit,iobase=0xf4,iosize=4 "$@" >"$work/log" 2>&1 </dev/null || status=$?
    echo "status $status" >>"$work/log"
    report "$name" [ $status = 33 ]
}

# The names of the violations that the model reported, in one line.
violations()
{
    sed -n 's/^\(violation\|advice\) .* rip=[^ ]* \([a-z-]*\): .*/\2/p' "$work/violations" 2>/dev/null | paste -sd ' '
}

echo 1..25
model="${build//,/,,}/dsmodel.so,profile=skylake,violations=$work/violations"
for system in x86_64 i386; do
    guest "real mode, qemu-system-$system" $system pc max -plugin "$model" \
        -drive "if=ide,format=raw,snapshot=on,file=${build//,/,,}/real_mode.img"
    report '... without a violation' [ -z "$(violations)" ]
done
guest 'INIT keeps MSRs, RESET clears those of all processors' x86_64 q35 max -smp 2 -action reboot=reset -plugin "$model" \
    -drive "if=ide,format=raw,snapshot=on,file=${build//,/,,}/resets.img"
guest 'page tables in device memory: records follow them; a missing page does not stop QEMU' x86_64 q35 max -plugin "$model" \
    -kernel "$build/device_table.elf"
report '... the missing page is reported, and each time that records are lost' [ "$(violations)" = 'ds-page-not-present record-lost record-lost' ]

# extreme NAME BASE MAXIMUM VIOLATIONS: a circular buffer with these limits ends within a minute, with these violations.
extreme()
{
    local fields=() at=$((0x1f0000)) field
    for field in "$2" "$2" "$3" 0xffffffffffffffff; do
        fields+=(-device "loader,addr=$at,data=$field,data-len=8")
        at=$((at + 8))
    done
    guest "$1" x86_64 q35 max -plugin "$model" -kernel "$build/extremes.elf" "${fields[@]}"
    report "... its violations: $4" [ "$(violations)" = "$4" ]
}

extreme 'a BTS buffer that ends at 2^64' 0xfffffffffffffff0 0xffffffffffffffff 'ds-cache-line ds-buffer-too-small'
extreme 'a BTS buffer of 2^47 bytes, all of them mapped' 0x200040 0x7fffffffeff0 'ds-pages-unchecked'
extreme 'a BTS buffer between the canonical halves' 0x800000000000 0xffff800000000000 'ds-page-not-present record-lost'

# The output of the guest and the report are in the same file: the first line of the report does not continue the guest's.
begins_a_line()
{
    local lines
    timeout -k 5 60 "$build/qemu-ds" "$@" -m 16 -nodefaults -display none -no-reboot -serial stdio \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel "$build/extremes.elf" >"$work/log" 2>&1 </dev/null || :
    lines=$(grep -c -e '^violation .* ds-buffer-too-small: ' -e '^BTS on cpu 0: ' "$work/log")
    [ "$(head -n 1 "$work/log")" = . ] && [ "$lines" = 2 ]
}

report 'a line of the report begins a line' begins_a_line
report '... also with --strict' begins_a_line --strict

guest 'trampoline: x64 firmware with tables of five levels' x86_64 q35 max -kernel "$build/trampoline-64.elf"
guest 'trampoline: x64 firmware with tables of four levels' x86_64 q35 max,-la57 -kernel "$build/trampoline-64.elf"
guest 'trampoline: ia32 firmware on a processor with long mode' x86_64 q35 max -kernel "$build/trampoline-32.elf"
guest 'trampoline: ia32 firmware on a processor with the no-execute bit' i386 q35 max -kernel "$build/trampoline-32.elf"
guest 'trampoline: ia32 firmware on a processor with neither' i386 q35 pentium3 -kernel "$build/trampoline-32.elf"
guest 'trampoline: ia32 firmware with pages of 4 MiB' i386 q35 pentium3,-pae -kernel "$build/trampoline-32.elf"

rm -f -- "$work"/*
for width in 32 64; do
    timeout 60 "$machine" boot -w $width -p none -o list | tr -d '\r' | grep '^# test ' >"$work/$width" || :
done
[ -s "$work/32" ] || echo 'no test' >>"$work/32"
report 'both kernels have the same tests' diff "$work/32" "$work/64"
for width in 32 64; do
    rm -f -- "$work"/*
    timeout 60 "$machine" gdb -w $width -p none -- -batch -ex bt >"$work/gdb" 2>&1 || :
    report "gdb stops in kernel_main of the $width-bit kernel" grep -Pzq "\n#0 +kernel_main \(magic=.*\n#1 .* in entry$width \(\)" "$work/gdb"
done
LC_ALL=C sed 's/\x02\xb0\xad\x1b/\x00\x00\x00\x00/' "$build/dstest86-32.elf" >"$work/pvh.elf"
timeout 60 "$machine" boot -w 32 -p none -k "$work/pvh.elf" >"$work/serial" 2>&1 || :
rm -f -- "$work/pvh.elf"
report 'without a Multiboot header the 32-bit kernel starts by PVH' grep -q '^# boot route pvh' "$work/serial"
