#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""Unusual firmware, made from OVMF by tests/qemu/strange_firmware.c: the loader starts the kernel, which reports what is
missing."""
import os
import pathlib
import re
import subprocess

import machine
import tap
from tap import BUILD

folder = pathlib.Path(tap.folder)
image = folder / 'image'
END = re.compile(r'^(?:# end dstest86 |dstest86: no kernel started|strange firmware:).*\n', re.M)
os.environ['PATH'] += ':/usr/sbin:/sbin'


def make_stick(deeds, options):
    """A stick with the strange firmware, its options, the loader and the loader's options."""
    image.unlink(missing_ok=True)
    subprocess.run(['mkfs.fat', '-C', image, '4096'], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(['mmd', '-i', image, '::/EFI', '::/EFI/BOOT', '::/dstest86'], check=True)
    (folder / 'deeds.txt').write_text(deeds)
    (folder / 'options.txt').write_text(options)
    for source, target in ((BUILD / 'strange-x64.efi', 'EFI/BOOT/BOOTX64.EFI'), (BUILD / 'BOOTX64.EFI', 'loader.efi'),
                           (folder / 'deeds.txt', 'deeds.txt'), (folder / 'options.txt', 'dstest86/options.txt')):
        subprocess.run(['mcopy', '-i', image, source, f'::/{target}'], check=True)


def boot(route, profile, deeds, options, *qemu):
    make_stick(deeds, options)
    return machine.boot_until(END, '-r', route, '-p', profile, '-k', str(image), '--', *qemu)[0]


log = boot('usb', 'skylake', 'f', 'run=bts.calls,pebs.loads')
tap.like(log, r'(?m)^# boot route uefi x64, (\d+) memory ranges$', 'memory in hundreds of pieces: the kernel starts')
ranges = re.search(r'(?m) (\d+) memory ranges$', log)
tap.ok(ranges and int(ranges[1]) > 600, '... with all ranges')
tap.like(log, r'(?m)^# end dstest86 verdict=pass pass=2 ', '... the tests pass')

TWO = '-smp', '2'
log = boot('usb', 'none', 'l', 'run=selftest.processors.*', *TWO)
tap.like(log, r'(?m)^# low page 0x0$', 'nothing below 1 MiB is free: the kernel starts')
reason = "no usable page below 640 KiB for another processor's first instructions"
tap.like(log, rf'(?m)^ok 1 selftest\.processors\.start # SKIP {reason}$', '... the log says why no other processor is started')
tap.like(log, r'(?m)^# end dstest86 verdict=pass pass=1 fail=0 skip=2 ', '... the other tests run')
tap.like(boot('usb', 'skylake', 'l', '', *TWO), r'(?m)^# end dstest86 verdict=pass ', '... all tests pass')
tap.like(boot('usb', 'skylake', 'l', 'run=selftest.quiesce.*', *TWO), r'(?m)^# end dstest86 verdict=pass pass=3 ', '... the tests of quiesce pass')

tap.like(boot('usb', 'none', 'w', 'menu=4 run=ds.area.*'), r'(?ms)starts in 1 s.*^# end dstest86 verdict=skip ',
         'a firmware watchdog shorter than the menu does not end the loader')

tap.like(boot('usb', 'skylake', 'kx', 'run=bts.*'), r'(?m)^# end dstest86 verdict=pass ',
         "memory in the kernel's place, and a memory map that changes before the exit: the kernel starts")
tap.like(boot('usb', 'none', 'r', ''),
         r'(?m)^dstest86: cannot load the kernel segment of 0x[0-9A-F]+ bytes at 0x200000: 0x201000 is reserved by the firmware$',
         "reserved memory in the kernel's place: the loader refuses")

if (BUILD / 'toolchain/ovmf/OVMF_NX_CODE.fd').exists():
    tap.like(boot('nx-usb', 'none', 'n', 'run=ds.area.*'), r'(?m)^# end dstest86 verdict=skip ',
             'allocated pages are not executable: the loader makes the page that it needs executable')
    tap.like(boot('nx-usb', 'skylake', 'nflwkx', 'run=bts.*', *TWO), r'(?m)^# end dstest86 verdict=pass ', 'all oddities at once')
else:
    tap.skip('firmware whose allocated pages are not executable', 'no OVMF with the memory attribute protocol here, which Debian 13 has')
tap.like(boot('usb', 'none', 'n', ''), r'(?m)^strange firmware: Not Found$', 'the default OVMF has no memory attribute protocol')
tap.done()
