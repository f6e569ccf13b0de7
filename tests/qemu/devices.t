#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""The kernel's writes to devices, in QEMU's trace: the 8259s, the 16550, the local APIC, the PIT, and the end of a run. The
registers are those of Intel's data sheets of the 8259A (231468) and the 8254 (231164), of National Semiconductor's of the
PC16550D, and of SDM Vol. 3A (253668-081), "Local APIC Register Address Map"."""
import pathlib
import re

import machine
import tap


def boot_traced(width, options, *qemu):
    """The verdict of a boot, and the kernel's writes, as "ADDRESS VALUE" in hexadecimal. Characters sent over the serial line are
    joined to one "text". QEMU's clock counts instructions, so that no timer is late on a busy host."""
    path = pathlib.Path(tap.folder, 'trace')
    verdict, _, _ = machine.boot('-p', 'none', '-w', str(width), '-o', f'run=selftest.verdict.skip {options}', '--', *qemu,
                                 '-icount', 'shift=6,sleep=off', '-trace', 'memory_region_ops_write', '-D', str(path))
    writes = ', '.join(map(' '.join, re.findall(r' addr 0x(\S+) value 0x(\S+) size', path.read_text())))
    writes = re.sub(r'^.*(?=\b21 ff, a1 ff, )', '', writes)    # the firmware's writes
    return verdict, re.sub(r'\b(?:([23][ef])8 \w+, ){8,}', r'text \1, ', writes)


def writes_are(name, got, *wanted):
    left = got
    for at, want in enumerate([*wanted, '$']):
        match = re.match(rf'{want}(?:, |$)', left)
        if not match:
            break
        left = left[match.end():]
    if not tap.ok(at == len(wanted) and left == '', name):
        tap.note(f'after {at} of {len(wanted)}, wanted: {[*wanted, "no more"][at]}\ngot: {got}')


PICS = ['21 ff', 'a1 ff']    # every interrupt masked


def uart(base, low, high):
    """The scratch register holds two patterns; no interrupts; the divisor; 8 bits, no parity, 1 stop bit; FIFOs on and empty; DTR
    and RTS."""
    return [f'{base}{write}' for write in ('f 5a', 'f a5', '9 0', 'b 80', f'8 {low}', f'9 {high}', 'b 3', 'a 7', 'c 3')] + [f'text {base}']


# Enabled, spurious interrupts at FFH; timer, thermal, performance, LINT0, LINT1 and error masked; the timer stopped; priorities
# from E0H on; LINT1 delivers NMIs, so that a hypervisor's monitor leaves a trace.
APIC = ['fee000f0 1ff', *(f'fee003{n}0 10000' for n in range(2, 8)), 'fee00380 0', 'fee00080 d0', 'fee00360 400']

# One measurement: the timer at F0H counts down, bus clock / 128, while the clock is read, ACPI's power management timer.
MEASURED = ['fee003e0 a', 'fee00320 f0', 'fee00380 ffffffff']
STOPPED = ['fee003e0 a', 'fee00320 100f0', 'fee00380 0']
LIMITED = ['fee003e0 a', 'fee00320 f0', r'fee00380 \w+']


def timer_is(name, writes, limit):
    """A test's time limit, from the APIC timer's count: QEMU's 1 GHz / 128."""
    match = re.search(r'fee00320 f0, fee00380 (?!ffffffff)(\w+)', writes)
    count, wanted = int(match[1], 16) if match else 0, limit * 1e9 / 128
    tap.ok(abs(count - wanted) < wanted / 100, f'{name}: {limit} seconds')


# The watchdog's NMI: the last of the HPET's three comparators (one-shot, edge, 64 bits, upper half first), through input 23 of
# the I/O APIC. Entry 3EH there has delivery mode NMI while the timer is on, and is masked before and after.
NMI_ON = ['fed00140 2e30', r'fed0014c \w+', r'fed00148 \w+', 'fed00140 2e34', 'fec00000 3e', 'fec00010 400']
NMI_OFF = ['fec00000 3e', 'fec00010 10000', 'fed00140 2e30']
# The trial: enable, without legacy routes; route to this processor; the NMI; disable.
NMI_TRIED = ['fed00010 1', 'fed00010 1', 'fec00000 1', 'fec00000 3e', 'fed00140 2e30', 'fec00000 3f', 'fec00010 0', *NMI_ON,
             'fee00000 400', *NMI_OFF]

BEGAN = [*PICS, *uart('3f', 1, 0), *APIC, 'text 3f', *MEASURED * 3, *STOPPED, *NMI_TRIED, 'text 3f', *LIMITED, *NMI_ON, *STOPPED, *NMI_OFF,
         'text 3f', *STOPPED, 'text 3f']    # at the end of the run again: a panic can end a test that is still timed
for width in 64, 32:
    verdict, writes = boot_traced(width, 'exit=none end=poweroff timeout=7')
    writes_are(f'{width} bits: the last write powers off: PM1a control, sleep type 0, sleep enable', writes, *BEGAN, '604 2000')
    tap.same(verdict, 'status 0', f'{width} bits: the machine is off')
    timer_is(f'{width} bits: timeout=7', writes, 7)
    verdict, writes = boot_traced(width, '')
    writes_are(f'{width} bits: the debug exit device gets the verdict skip', writes, *BEGAN, 'f4 12')
    tap.same(verdict, 'skip', f"{width} bits: QEMU's exit status is the verdict skip")

verdict, writes = boot_traced(64, 'exit=none end=reboot')
writes_are('a full reset by the reset control register', writes, *BEGAN, 'cf9 2', 'cf9 e')
tap.same(verdict, 'status 0', '... resets')
for name, *options in (('no reset register: reset by the keyboard controller', '-machine', 'isapc', '-cpu', 'pentium3', '-m', '64'),
                       ('no keyboard controller, either: reset by a triple fault', '-machine', 'microvm')):
    verdict, writes = boot_traced(32, 'exit=none end=reboot', *options)
    writes_are(name, re.sub(r'.*text 3f, (?=\w+ \w+, \w+ \w+, \w+ \w+$)', '', writes), 'cf9 2', 'cf9 e', '64 fe')
    tap.same(verdict, 'status 0', '... resets')

# Without ACPI the clock is channel 2 of the PIT, gate on, speaker off: mode 2, low and high byte, 65536, latched for reads.
LATCHED = '(?:43 80, )+43 80'
verdict, writes = boot_traced(64, '', '-machine', 'acpi=off')
writes_are('the PIT', writes, *PICS, *uart('3f', 1, 0), *APIC, r'61 \w?[159d]', '43 b4', '42 0', '42 0', LATCHED, 'text 3f',
           *[*MEASURED, LATCHED] * 3, *STOPPED, 'text 3f', *LIMITED, *STOPPED, 'text 3f', *STOPPED, LATCHED, 'text 3f', 'f4 12')

# Without a hypervisor, the kernel uses QEMU's exit device and power management only if the options say so.
BARE = '-cpu', 'max,-hypervisor'
writes_are('no hypervisor: a reset', boot_traced(64, 'end=reboot', *BARE)[1], *BEGAN, 'cf9 2', 'cf9 e')
writes_are('no hypervisor, exit=debug: the exit device', boot_traced(64, 'exit=debug', *BARE)[1], *BEGAN, 'f4 12')

# The other ports and divisors; a missing port gets only the pattern.
for port, baud, base, divisor in (1, 1200, '2f', '60'), (2, 2400, '3e', '30'), (3, 57600, '2e', '2'):
    writes = boot_traced(64, f'console=ttyS{port},{baud}', *['-serial', 'null'] * (port + 1))[1]
    tap.like(writes, f'^21 ff, a1 ff, {", ".join(uart(base, divisor, 0))}', f'ttyS{port} at {baud} baud')
tap.like(boot_traced(64, 'console=ttyS1')[1], '^21 ff, a1 ff, 2ff 5a, fee000f0 ', 'a missing COM2 gets only the pattern')
tap.done()
