#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# Tests the ISO as a user handles it: its contents, and changing options.txt and grub.cfg on the stick.
set -eu
here=$(dirname -- "$(realpath -- "$0")")
root=$(realpath -- "$here/../..")
iso=$root/build/dstest86.iso
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
number=0

# check NAME COMMAND: one line of TAP, and the command's output if it failed.
check()
{
    local name=$1 status=0
    shift
    "$@" >"$work/log" 2>&1 || status=1
    [ $status = 0 ] || sed 's/^/# /' <"$work/log"
    [ $status = 0 ] || printf 'not '
    echo "ok $((++number)) - $name"
}

# says TEXT BOOT'S OPTIONS: waits for the text on the serial line, then switches the machine off.
says()
{
    local text=$1 machine
    shift
    : >"$work/serial" # removes the last machine's output
    timeout 60 "$here/../../scripts/machine" boot -p none "$@" >"$work/serial" 2>&1 &
    machine=$!
    while kill -0 $machine 2>/dev/null && ! grep -aqF -- "$text" "$work/serial"; do
        sleep 0.1
    done
    kill $machine 2>/dev/null || :
    grep -aF -- "$text" "$work/serial" || { cat "$work/serial"; false; }
}

small()
{
    stat -c '%s bytes' "$iso"
    [ "$(stat -c %s "$iso")" -lt 8000000 ]
}

contents()
{
    local esp
    esp=$(xorriso -indev "$iso" -report_system_area plain 2>/dev/null | sed -n 's/^GPT start and size *: *2 *\([0-9]*\) .*/\1/p')
    mdir -b -/ -i "$iso@@$((esp * 512))" | sort | diff - <(printf '::/%s\n' EFI/ EFI/BOOT/ EFI/BOOT/BOOT{IA32,X64}.EFI \
        dstest86/ dstest86/{grub.cfg,kernel-32.elf.gz,kernel-64.elf.gz,logs/,options.txt} | LC_ALL=C sort)
}

# The image's files, copied to a FAT stick, boot by UEFI with their options.
extracted()
{
    xorriso -osirrox on -indev "$iso" -extract / "$work/tree" && chmod -R u+w "$work/tree" || return
    echo run=ds.area.readback >"$work/tree/dstest86/options.txt"
    mformat -C -F -T 80000 -i "$work/stick" :: && mcopy -s -i "$work/stick" "$work"/tree/* :: || return
    says 'pass=0 fail=0 skip=1 error=0' -r usb -k "$work/stick"
}

# A GRUB of another system starts the image, which it finds on a CD.
looped()
{
    local modules='biosdisk iso9660 loopback configfile normal test echo read serial terminal cpuid gzio multiboot2'
    mkdir "$work/cd" && cp -- "$iso" "$work/cd/"
    printf '%s\n' root='(cd)' 'loopback loop /dstest86.iso' root='(loop)' 'configfile /boot/grub/loopback.cfg' >"$work/cfg"
    grub-mkimage -O i386-pc-eltorito -p / -c "$work/cfg" -o "$work/cd/grub" $modules || return
    xorriso -as mkisofs -o "$work/looped" -b grub -no-emul-boot -boot-load-size 4 -boot-info-table "$work/cd" || return
    says 'verdict=skip' -r bios-cd -k "$work/looped"
}

refused()
{
    local status=0
    timeout 60 "$here/../../scripts/machine" run -r uefi32 -w 64 -p none -- -cpu max,-lm 2>&1 || status=$?
    [ $status = 99 ]
}

echo 1..12
check "the image has less than 8 MB" small
check "the image holds loaders and kernels of both widths" contents
text=$'# one test, please\r\nrun=ds.area.readback\r\nrecords=none\r'
check "the UEFI loader reads options.txt: comments, CRLF" says 'pass=0 fail=0 skip=1 error=0' -r usb -o "$text"
check "GRUB and the kernel read options.txt: comments, CRLF" says 'pass=0 fail=0 skip=1 error=0' -r bios-usb -o "$text"
check "the loader refuses a binary options.txt" \
    says 'dstest86: \dstest86\options.txt: line 2: a character that is not printable ASCII (allowed in comments only)' -r cd32 -o $'run=\xe4'
check "the kernel refuses a binary options.txt" says \
    'error: boot: options.txt: line 2: a character that is not printable ASCII (allowed in comments only)' \
    -r bios-cd -o $'run=\xe4'
check "the loader refuses width=64 on a 32-bit processor" \
    says 'width=64: this processor has no long mode (CPUID.80000001H:EDX bit 29); use width=32' -r uefi32 -w 64 -- -cpu max,-lm
check "GRUB refuses a kernel that does not fit into memory" \
    says 'error: GRUB cannot start kernel-64.elf.gz' -r bios-cd -- -m 3
check "make run ends with an error if no kernel starts" refused
check "grub.cfg chooses the width" says 'verdict=skip' -r bios-disk -w 32 -o 'run=ds.*'
check "the image's files start from a stick" extracted
check "GRUB starts the image by loopback" looped
