#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The ISO as a user handles it: options.txt changed on the stick, and the same bytes from a second build. Prints TAP.
set -eu
here=$(dirname -- "$(realpath -- "$0")")
build=$here/../../build
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# report NUMBER STATUS NAME LOG
report()
{
    [ "$2" = 0 ] && echo "ok $1 - $3" && return
    sed 's/^/# /' <"$4"
    echo "not ok $1 - $3"
}

echo 1..2

# Partition 2 of the GPT is the EFI system partition; its start is given in blocks of 512 bytes.
cp -- "$build/dstest86.iso" "$work/stick"
start=$(xorriso -indev "$work/stick" -report_system_area plain 2>/dev/null | sed -n 's/^GPT start and size *: *2 *\([0-9]*\) .*/\1/p')
printf '# one test, please\r\nrun=ds.area.readback\r\nrecords=none\r\n' >"$work/options.txt"
mcopy -o -i "$work/stick@@$((start * 512))" "$work/options.txt" ::/dstest86/options.txt
timeout 60 "$here/boot" -r usb -k "$work/stick" >"$work/log" 2>&1 || :
status=0
grep -aq 'verdict=pass pass=1 fail=0 skip=0 error=0' "$work/log" || status=1
report 1 $status "options.txt on the stick is read" "$work/log"

epoch=$(git -C "$here" log -1 --format=%ct 2>/dev/null || echo 0)
status=0
for copy in one two; do
    mkdir "$work/$copy"
    SOURCE_DATE_EPOCH=$epoch "$here/../../boot/make-iso" "$work/$copy/iso" "$build/BOOTX64.EFI" >"$work/log" 2>&1 || status=1
done
cmp "$work/one/iso" "$work/two/iso" >>"$work/log" 2>&1 || status=1
report 2 $status "the image has the same bytes when it is built again" "$work/log"
