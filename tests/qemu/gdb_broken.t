#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""On an area that is broken on purpose, GDB's command pebs prints the readable records and reports the problem of the others; ds
names the field."""
import re

import machine
import tap

AREA = '(*(unsigned long (*)[12])processors[0]->management_area)'
BTS_BASE, BTS_INDEX, BASE, INDEX, MAXIMUM, THRESHOLD = (f'{AREA}[{n}]' for n in (0, 1, 4, 5, 6, 7))


def after(profile, test, *commands):
    """The outputs of commands at a stop with records in the buffer; a command that sets variables has none."""
    out, _, text = machine.gdb(profile, machine.STOP_WITH_RECORDS, 'continue', *commands, options=f'run={test}')
    tap.ok(out[-1], f'{profile}: GDB runs to its end', text)
    return [said for command, said in zip(commands, out[2:]) if not command.startswith('set ')]


def records(text, kind='pebs'):
    return re.findall(rf'(?m)^{kind} \d.*', text)


def wrong(text):
    return re.findall(r'(?m)^(?:wrong|the|there)\b.*', text)


def field(text, name):
    return int(re.search(rf'(?m)^  pebs\.{name} +(0x[0-9a-f]+)', text)[1], 16)


# Records of 200 bytes.
ds, whole, part_ds, part, grid_ds, grid, past_ds, past, before_ds, before, nowhere = after(
    'skylake', 'pebs.loads', 'ds', 'pebs all', f'set var {INDEX} = {INDEX} - 100', 'ds', 'pebs all',
    f'set var {INDEX} = {INDEX} + 100, {THRESHOLD} = {THRESHOLD} - 4', 'ds', 'pebs all',
    f'set var {THRESHOLD} = {THRESHOLD} + 4, {INDEX} = {MAXIMUM} + 200', 'ds', 'pebs all', f'set var {INDEX} = {BASE} - 200', 'ds', 'pebs all',
    f'set var {BASE} = 0x7000000000, {INDEX} = 0x7000000200, {MAXIMUM} = 0x7000001000', 'pebs all')
base, index, maximum, threshold = (field(ds, name) for name in ('base', 'index', 'maximum', 'threshold'))
count = (index - base) // 200
tap.ok(count > 1, 'there are records')
tap.like(whole, f'(?m)^PEBS: {count} records:$', 'pebs prints their number')
tap.same(wrong(whole), [], '... and no problem')

tap.same(records(part), [line for line in records(whole) if not line.startswith(f'pebs {count - 1} ')],
         'an index in a record: pebs prints the earlier records')
tap.same(wrong(part), [f'wrong: the record at base + {200 * (count - 1)}: PEBS record truncated; the index is at base + {index - 100 - base}'],
         '... reports the cut record')
tap.same(wrong(part_ds), [f'wrong: pebs.index {index - 100:#x} is not base + k * record'], '... ds names the field')

tap.same(records(grid), records(whole), 'a threshold between two records: pebs prints the records')
tap.same(wrong(grid_ds), [f'wrong: pebs.threshold {threshold - 4:#x} is not base + k * record'], '... ds names the field')

for where, area, printed, value in ('beyond the maximum', past_ds, past, maximum + 200), ('before the base', before_ds, before, base - 200):
    tap.same(printed, 'the PEBS index is outside the buffer: ds says what is wrong\n', f'an index {where}: pebs prints only this')
    tap.same(wrong(area), [f'wrong: pebs.index {value:#x} is outside the buffer'], '... ds names the field')
tap.like(nowhere, '(?m)^the 512 bytes at 0x7000000000 cannot be read$', 'a buffer in unmapped memory')

# If the BTS index is inside a record, bts prints the whole records and the problem.
whole, odd, below = after('skylake', 'pebs.with_bts', 'bts all', f'set var {BTS_INDEX} = {BTS_INDEX} + 1', 'bts all',
                          f'set var {BTS_BASE} = {BTS_INDEX} - 25', 'bts 1')
count = int(re.search(r'(?m)^BTS: (\d+) records:$', whole)[1])
tap.ok(count > 1, 'there are records')
tap.same(wrong(odd), [f"wrong: the index is not at a record's end: base + {24 * count + 1}; ds says more"], 'a BTS index in a record')
tap.same(records(odd, 'bts'), records(whole, 'bts'), '... the records before it are printed')
tap.same(wrong(below), ["wrong: the index is not at a record's end: base + 25; ds says more"], 'a base in a record')

# Adaptive records, with their length in bits 63:48 of their first 8 bytes.
size = f'((unsigned short *){BASE})[3]'
ds, whole, *broken = after('goldencove', 'pebs.loads', 'ds', 'pebs all', f'set var {size} = 0', 'pebs all', f'set var {size} = 0xfff8',
                           'pebs all', f'set var {size} = 24', 'pebs all')
used = field(ds, 'index') - field(ds, 'base')
tap.like(whole, '(?m)^pebs 1 ', 'records of varying size')
for printed, what in zip(broken, ('0', 'past the end of the buffer', 'smaller than the basic group')):
    tap.same(records(printed), [], 'a wrong size: no further record is printed')
    tap.like('\n'.join(wrong(printed)), rf'\Awrong: the record at base \+ 0: size field of the PEBS record (?:is )?{what}; the index is at base \+ {used}\Z',
             '... the problem is reported')
tap.done()
