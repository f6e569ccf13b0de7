#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""GDB's commands bts, pebs and lbr print the records in memory or registers, and the kernel then prints the same. For each kind
of record, in both widths."""
import os
import re

import machine
import tap

# The processor, the width, and tests with records of BTS, PEBS and LBR.
CASES = [
    ('skylake', 64, 'bts.calls', 'pebs.loads', 'lbr.calls'),
    ('skylake', 64, 'bts.circular.order', None, 'lbr.calls'),    # older records are after the index
    ('goldencove', 64, 'bts.calls', 'pebs.loads', 'lbr.calls'),
    ('core2', 64, 'bts.calls', 'pebs.instructions', 'lbr.calls'),
    ('clearwaterforest', 64, 'bts.calls', 'pebs.loads', 'lbr.calls'),
    ('netburst', 32, 'bts.calls', 'pebs.tagging.execution', 'lbr.calls'),
    ('pentium-m', 32, 'bts.calls', None, 'lbr.calls'),
]
SYMBOL = r'[A-Za-z_][\w.]*\+0x[0-9a-f]+'
os.environ['LC_ALL'] = 'C.UTF-8'    # in ASCII, GDB itself refuses the non-ASCII argument below


def records(kind, text):
    return re.findall(rf'(?m)^(?:# )?({kind} \d.*)', text)


def without_names(lines):
    """If an address has several names, GDB and the kernel may choose different ones."""
    return [re.sub(f' {SYMBOL}(?:/(?:-|{SYMBOL}))?', '', line) for line in lines]


for profile, width, *tests in CASES:
    for kind, test in zip(('bts', 'pebs', 'lbr'), tests):
        if not test:
            continue
        stop = 'hbreak records_print_lbr' if kind == 'lbr' else machine.STOP_WITH_RECORDS
        (_, _, out, _), log, _ = machine.gdb(profile, stop, 'continue', f'{kind} all', 'continue', width=width, options=f'records=all run={test}')
        printed, name = records(kind, out), f'{profile}, {width} bits: '
        tap.ok(printed, f'{name}{kind} prints records')
        tap.same(without_names(printed), without_names(records(kind, '\n'.join(log))), f'{name}the kernel prints the same')
        tap.like('\n'.join(printed), SYMBOL, f'{name}with symbols')
        tap.like(out, r'(?m)^    suite/workload/\w+\.(?:asm|inc):\d+', f'{name}with source lines')
        tap.like('\n'.join(log), '(?m)^ok 1 ', f'{name}{test} passes under the debugger')
        if (profile, test) != ('skylake', 'bts.calls'):
            continue

        (_, _, few, *refused, all_, _, modula, _), _, _ = machine.gdb(
            profile, stop, 'continue', 'bts 3', 'bts 0', 'bts 00', 'bts ²', 'bts 4294967297', 'set language modula-2', 'bts 3', 'echo',
            options=f'run={test}')
        tap.same(records(kind, few), printed[-3:], 'bts 3: the newest three')
        tap.like(few, f'(?m)^BTS: {len(printed)} records; the newest 3:$', 'bts 3 prints the total')
        for said, word in zip(refused, ('0', '00', '²')):
            tap.like(said, f'(?m)^bts: expected a number of records from 1, or all, not {word}$', f'bts {word} is refused')
        tap.same(records(kind, all_), printed, 'a number larger than 32 bits: all')
        tap.same(modula, few, "GDB's language does not change the names")
tap.done()
