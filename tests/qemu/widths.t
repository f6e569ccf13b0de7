#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The two kernels, beyond tests/qemu/cases: both have the same tests, gdb works on either, and the 32-bit kernel has a PVH
# entry, which QEMU takes only where there is no Multiboot header. Prints TAP.
set -eu
here=$(dirname -- "$(realpath -- "$0")")
build=$here/../../build
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
number=0

# report NAME FILE COMMAND..: ok if the command succeeds; FILE tells why not.
report()
{
    local name=$1 log=$2
    shift 2
    number=$((number + 1))
    if "$@" >>"$log" 2>&1; then
        echo "ok $number - $name"
    else
        sed 's/^/# /' <"$log"
        echo "not ok $number - $name"
    fi
}

# The ids and titles that the kernel of width $1 lists.
tests_of()
{
    timeout 60 "$here/boot" -w "$1" -p none -o list | tr -d '\r' | grep '^# test ' || :
}

same_tests()
{
    [ -s "$work/32" ] && diff "$work/32" "$work/64"
}

# stops_in_main LOG WIDTH
stops_in_main()
{
    grep -Eq '^#0 +kernel_main \(magic=' "$1" && grep -Eq "^#1 .* in entry$2 \(\)" "$1"
}

echo 1..4
tests_of 32 >"$work/32"
tests_of 64 >"$work/64"
report "both kernels have the same tests" "$work/ids" same_tests

for width in 32 64; do
    timeout 60 "$here/gdb" -w $width -p none -- -batch -ex bt >"$work/gdb" 2>&1 || :
    report "gdb stops in kernel_main of the $width-bit kernel" "$work/gdb" stops_in_main "$work/gdb" $width
done

perl -0pe 's/\x02\xb0\xad\x1b/\0\0\0\0/' "$build/dstest86-32.elf" >"$work/pvh.elf"
timeout 60 "$here/boot" -w 32 -p none -k "$work/pvh.elf" >"$work/pvh" 2>&1 || :
report "without a Multiboot header the 32-bit kernel starts by PVH" "$work/pvh" grep -q '^# boot route pvh' "$work/pvh"
