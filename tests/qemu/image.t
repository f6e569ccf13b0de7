#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""The ISO as a user handles it: its contents, and changing options.txt and grub.cfg on the stick."""
import os
import pathlib
import re
import subprocess

import machine
import tap

ISO = machine.BUILD / 'dstest86.iso'
FOLDER = pathlib.Path(tap.folder)
FILES = '''EFI/ EFI/BOOT/ EFI/BOOT/BOOTIA32.EFI EFI/BOOT/BOOTX64.EFI dstest86/ dstest86/grub.cfg dstest86/kernel-32.elf.gz
    dstest86/kernel-64.elf.gz dstest86/logs/ dstest86/options.txt'''.split()
ONE_TEST = 'pass=0 fail=0 skip=1 error=0'
NOT_ASCII = 'options.txt: line 2: a character that is not printable ASCII (allowed in comments only)'
NO_LONG_MODE = '--', '-cpu', 'max,-lm'
MODULES = 'biosdisk iso9660 loopback configfile normal test echo read serial terminal cpuid gzio multiboot2'.split()


def must(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def says(name, text, *options):
    """The machine prints the text."""
    log, printed = machine.boot_until(re.compile(re.escape(text)), '-p', 'none', *options)
    tap.ok(printed, name, log)


size = ISO.stat().st_size
tap.ok(size < 8_000_000, f'the image has less than 8 MB: {size}')
start = re.search(r'(?m)^GPT start and size *: *2 *(\d+) ', machine.run('xorriso', '-indev', ISO, '-report_system_area', 'plain')[1])[1]
listed = machine.run('mdir', '-b', '-/', '-i', f'{ISO}@@{512 * int(start)}')[1]
tap.same(sorted(listed.split()), [f'::/{name}' for name in FILES], 'the image holds loaders and kernels of both widths')

# ---- options.txt and grub.cfg
crlf = '# one test, please\r\nrun=ds.area.readback\r\nrecords=none\r'
says('the UEFI loader reads options.txt: comments, CRLF', ONE_TEST, '-r', 'usb', '-o', crlf)
says('GRUB and the kernel read options.txt: comments, CRLF', ONE_TEST, '-r', 'bios-usb', '-o', crlf)
binary = os.fsdecode(b'run=\xe4')
says('the loader refuses a binary options.txt', rf'dstest86: \dstest86\{NOT_ASCII}', '-r', 'cd32', '-o', binary)
says('the kernel refuses a binary options.txt', f'error: boot: {NOT_ASCII}', '-r', 'bios-cd', '-o', binary)
says('grub.cfg chooses the width', 'verdict=skip', '-r', 'bios-disk', '-w', '32', '-o', 'run=ds.*')

# ---- machines on which no kernel starts
says('the loader refuses width=64 on a 32-bit processor',
     'width=64: this processor has no long mode (CPUID.80000001H:EDX bit 29); use width=32', '-r', 'uefi32', '-w', '64', *NO_LONG_MODE)
says('GRUB refuses a kernel that does not fit into memory', 'error: GRUB cannot start kernel-64.elf.gz', '-r', 'bios-cd', '--', '-m', '3')
tap.same(machine.run(machine.MACHINE, 'run', '-r', 'uefi32', '-w', 64, '-p', 'none', *NO_LONG_MODE)[0], 99,
         'make run ends with an error if no kernel starts')

# ---- other ways to start the image
must('xorriso', '-osirrox', 'on', '-indev', ISO, '-extract', '/', FOLDER / 'tree')
must('chmod', '-R', 'u+w', FOLDER / 'tree')
(FOLDER / 'tree/dstest86/options.txt').write_text('run=ds.area.readback\n')
must('mformat', '-C', '-F', '-T', '80000', '-i', FOLDER / 'stick', '::')
must('mcopy', '-s', '-i', FOLDER / 'stick', *(FOLDER / 'tree').iterdir(), '::')
says("the image's files, copied to a FAT stick, boot by UEFI with their options", ONE_TEST, '-r', 'usb', '-k', str(FOLDER / 'stick'))
(FOLDER / 'cd').mkdir()
(FOLDER / 'cd/dstest86.iso').symlink_to(ISO)
(FOLDER / 'cfg').write_text('root=(cd)\nloopback loop /dstest86.iso\nroot=(loop)\nconfigfile /boot/grub/loopback.cfg\n')
must('grub-mkimage', '-O', 'i386-pc-eltorito', '-p', '/', '-c', FOLDER / 'cfg', '-o', FOLDER / 'cd/grub', *MODULES)
must('xorriso', '-as', 'mkisofs', '-f', '-o', FOLDER / 'looped', '-b', 'grub', '-no-emul-boot', '-boot-load-size', '4',
     '-boot-info-table', FOLDER / 'cd')
says('a GRUB of another system, on a CD, starts the image by loopback', 'verdict=skip', '-r', 'bios-cd', '-k', str(FOLDER / 'looped'))
tap.done()
