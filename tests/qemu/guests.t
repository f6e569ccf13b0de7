#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Guests that check their own results, each described at its head in tests/qemu/*.asm; and the two kernels beyond tests/qemu/cases:
both have the same tests, gdb works on either, and the 32-bit kernel has a PVH entry, which QEMU uses only without a Multiboot header."""
import pathlib
import re
import subprocess

import machine
import tap
from machine import BUILD

REPORT = pathlib.Path(tap.folder, 'violations')
FILES = str(BUILD).replace(',', ',,')    # inside QEMU's options
MODEL = '-plugin', f'{FILES}/dsmodel.so,profile=skylake,violations={REPORT}'
BARE = *'-m 16 -nodefaults -no-reboot -display none -device isa-debug-exit,iobase=0xf4,iosize=4'.split(), '-kernel'


def guest(name, system, board, cpu, kernel, *options):
    """The guest, an ELF or a disk's image, must end with status 33. 33 + 2N: its check N failed."""
    REPORT.unlink(missing_ok=True)
    words = [*BARE, BUILD / kernel] if kernel.endswith('.elf') else [
        *BARE[:-1], '-drive', f'if=ide,format=raw,snapshot=on,file={FILES}/{kernel}']
    status, *said = machine.run('timeout', '-k', 5, 60, BUILD / f'qemu-system-{system}', '-accel', 'tcg', '-machine', board, '-cpu', cpu,
                                '-no-user-config', *words, *options)
    tap.ok(status == 33, name, f'status {status}', *said)


def violations_are(what, *names):
    """The names of what the model reported, in order."""
    text = REPORT.read_text() if REPORT.exists() else ''
    tap.same(re.findall(r'^(?:violation|advice) .* rip=\S* ([a-z-]*): ', text, re.M), list(names), f'... {what}')


for system in 'x86_64', 'i386':
    guest(f'real mode, qemu-system-{system}', system, 'pc', 'max', 'real_mode.img', *MODEL)
    violations_are('without a violation')
guest('INIT keeps MSRs, RESET clears those of all processors', 'x86_64', 'q35', 'max', 'resets.img', '-smp', 2, '-action',
      'reboot=reset', *MODEL)
guest('page tables in device memory: records follow them; a missing page does not stop QEMU', 'x86_64', 'q35', 'max',
      'device_table.elf', *MODEL)
violations_are('the missing page is reported, and each time that records are lost', 'ds-page-not-present', 'record-lost', 'record-lost')

# A circular buffer with these limits ends within a minute, with these violations.
for what, base, maximum, *names in (
        ('that ends at 2^64', 0xfffffffffffffff0, 0xffffffffffffffff, 'ds-cache-line', 'ds-buffer-too-small'),
        ('of 2^47 bytes, all of them mapped', 0x200040, 0x7fffffffeff0, 'ds-pages-unchecked'),
        ('between the canonical halves', 0x800000000000, 0xffff800000000000, 'ds-page-not-present', 'record-lost')):
    fields = [('-device', f'loader,addr={0x1f0000 + 8 * n:#x},data={field:#x},data-len=8')
              for n, field in enumerate((base, base, maximum, 0xffffffffffffffff))]
    guest(f'a BTS buffer {what}', 'x86_64', 'q35', 'max', 'extremes.elf', *MODEL, *sum(fields, ()))
    violations_are('its violations', *names)

# The output of the guest and the report are in the same file: the first line of the report does not continue the guest's.
for options in [], ['--strict']:
    said = subprocess.run(['timeout', '-k', '5', '60', BUILD / 'qemu-ds', *options, *BARE, BUILD / 'extremes.elf', '-serial', 'stdio'],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    lines = re.findall(r'^(?:violation .* ds-buffer-too-small|BTS on cpu 0): ', said, re.M)
    tap.ok(said.startswith('.\n') and len(lines) == 2, f'a line of the report begins a line {" ".join(options)}', said)

for name, system, cpu, width in (
        ('x64 firmware with tables of five levels', 'x86_64', 'max', 64),
        ('x64 firmware with tables of four levels', 'x86_64', 'max,-la57', 64),
        ('ia32 firmware on a processor with long mode', 'x86_64', 'max', 32),
        ('ia32 firmware on a processor with the no-execute bit', 'i386', 'max', 32),
        ('ia32 firmware on a processor with neither', 'i386', 'pentium3', 32),
        ('ia32 firmware with pages of 4 MiB', 'i386', 'pentium3,-pae', 32)):
    guest(f'trampoline: {name}', system, 'q35', cpu, f'trampoline-{width}.elf')

tests = [re.findall('^# test .*', machine.boot('-w', width, '-p', 'none', '-o', 'list')[1], re.M) for width in ('32', '64')]
tap.ok(tests[0], 'the kernels list their tests')
tap.same(*tests, 'both kernels have the same tests')
for width in 32, 64:
    (frames,), _, text = machine.gdb('none', 'bt', width=width)
    tap.ok(re.search(rf'(?m)^#0 +kernel_main \(magic=.*\n#1 .* in entry{width} \(\)', frames),
           f'gdb stops in kernel_main of the {width}-bit kernel', text)
pvh = pathlib.Path(tap.folder, 'pvh.elf')
pvh.write_bytes((BUILD / 'dstest86-32.elf').read_bytes().replace(0x1badb002.to_bytes(4, 'little'), bytes(4)))
tap.like(machine.boot('-w', '32', '-p', 'none', '-k', str(pvh))[1], '(?m)^# boot route pvh',
         'without a Multiboot header the 32-bit kernel starts by PVH')
tap.done()
