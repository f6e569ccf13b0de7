#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints an entry for dstest86 in GRUB's menu, for BIOS and UEFI. grub-mkconfig runs this, with the device of /boot in the
# environment. DSTEST86_OPTIONS in /etc/default/grub has dstest86's options; grub-mkconfig does not export it.
set -e
pkgdatadir=${pkgdatadir:-/usr/share/grub}
# shellcheck source=/dev/null
. "$pkgdatadir/grub-mkconfig_lib"
folder=/boot/dstest86
[ -e $folder/kernel-64.elf.gz ] || exit 0
# shellcheck source=/dev/null
[ ! -r /etc/default/grub ] || . /etc/default/grub

echo "Found dstest86 images in $folder" >&2
path=$(make_system_path_relative_to_its_root $folder)
cat <<ENTRY
menuentry 'dstest86: tests of the debug store (PEBS, BTS, LBR)' --class dstest86 {
$(prepare_grub_to_access_device "$GRUB_DEVICE_BOOT" | grub_add_tab)
	insmod gzio
	insmod multiboot2
	insmod cpuid
	set width=32
	if cpuid -l; then
		set width=64
	fi
	multiboot2 $path/kernel-\$width.elf.gz $DSTEST86_OPTIONS
	set gfxpayload=text
}
ENTRY
