#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""GDB's commands ds and perfmon: every field of the management area, compared with the kernel's variables; problems of an area
that is broken on purpose; counters, event selects, LVT entry and status."""
import os
import pathlib
import re

import machine
import tap
from machine import ROOT

OPEN = machine.STOP_WITH_RECORDS
NO_PROBLEM = '^no problem found$'


def like(text, pattern, what):
    tap.like(text, f'(?m){pattern}', what)


def fields(text):
    """The fields that ds prints."""
    return {name: int(value, 16) for name, value in re.findall(r'(?m)^  ((?:bts|pebs)\.\w+(?:\[\d+\])?) +(0x[0-9a-f]+)', text)}


def kernels_fields(text):
    """The same from GDB's own reading of the struct that the kernel encoded; the index moves."""
    return {f'{facility}.{name}': int(value, 16) for facility, struct in re.findall(r'(bts|pebs) = \{(.*?)\}', text)
            for name, value in re.findall(r'(base|maximum|threshold) = (0x[0-9a-f]+)', struct)}


def same_fields(ds, variables, what):
    wanted = kernels_fields(variables)
    tap.same({name: value for name, value in fields(ds).items() if name in wanted}, wanted, what)


for profile, width, test, size in (('skylake', 64, 'pebs.with_bts', 8), ('goldencove', 64, 'pebs.with_bts', 8), ('core2', 64, 'bts.calls', 8),
                                   ('netburst', 32, 'pebs.tagging.with_bts', 4)):
    (_, _, ds, variables, perfmon, _), log, _ = machine.gdb(
        profile, OPEN, 'continue', 'ds', 'p/x processors[0]->opened', 'perfmon', 'continue', width=width, options=f'run={test}')
    printed = fields(ds)
    tap.same(len(kernels_fields(variables)), 6, f"{profile}: the kernel's variables")
    same_fields(ds, variables, f"{profile}, {width} bits: ds prints the area's fields")
    like(ds, rf'^management area at 0x[0-9a-f]+ \(IA32_DS_AREA\): \d+ bytes, addresses of {size}$', f'{profile}: the width of addresses')
    used, capacity, record, share = map(int, (re.findall(r'(?m)^BTS: (\d+) of (\d+) records of (\d+) bytes \((\d+) %\)', ds) or [(0, 0, 1, 0)])[0])
    tap.same(record, 3 * size, f"{profile}: the record's size")
    tap.same(used, (printed['bts.index'] - printed['bts.base']) / record, f'{profile}: the number of records in the BTS buffer')
    tap.same(capacity, (printed['bts.maximum'] - printed['bts.base']) / record, f"{profile}: the BTS buffer's capacity")
    tap.same(share, 100 * used // max(capacity, 1), f'{profile}: how full it is')
    like(ds, NO_PROBLEM, f'{profile}: no problem')
    like(perfmon, '^LVT performance counter entry 0xe1: vector 0xe1, fixed, not masked$', f'{profile}: perfmon: the LVT entry')
    tap.ok(f'ok 1 {test}' in log, f'{profile}: {test} passes under the debugger')

# For an area that is broken on purpose, ds prints each broken rule with the field and its value, like the kernel.
area, up = '(*(unsigned long (*)[12])processors[0]->management_area)', 0x300000    # sets bit 20 of the address
out, _, _ = machine.gdb(
    'skylake', OPEN, 'continue', 'ds', f'set var {area}[0] += {up}, {area}[1] += {up}, {area}[2] += {up}, {area}[3] += {up} + 4', 'ds',
    f'set var {area}[1] = {area}[0] - 24', 'ds', f'set var {area}[0] = 0x900000000000', 'ds', options='run=bts.calls')
printed = fields(out[2])
threshold, index = f'{printed["bts.threshold"] + up + 4:#x}', f'{printed["bts.base"] + up - 24:#x}'
like(out[4], rf'^wrong: bts\.threshold {threshold} is not base \+ k \* record\n +SDM Vol\. 3A \(253668-032\), "BTS and DS Save Area", 16\.4\.9$',
     'a threshold between two records')
tap.ok(not re.search(r'no problem found|wrong: bts 0x\w+ has bit 20', out[4])
       and re.search('(?m)^note: bit 20 is set in the address of bts: ', out[4]), '... is a problem; bit 20 is a note')
like(out[6], rf'^wrong: bts\.index {index} is outside the buffer\n +SDM Vol\. 3A', 'an index before the base')
like(out[6], rf'^wrong: bts\.threshold {threshold} ', '... the threshold is still reported')
like(out[6], '^BTS: fill level unknown', '... the fill level is unknown')
like(out[8], r'^wrong: bts\.base 0x900000000000 is not a canonical address', 'a non-canonical address')

# The check also reads the processor's state and the page tables, through GDB.
out, _, _ = machine.gdb('skylake', 'hbreak ds_force', 'continue', 'finish', 'ds',
                        'set var *(unsigned long *)processors[0]->management_area = 24', 'ds', options='run=bts.calls')
like(out[3], NO_PROBLEM, 'an area that the kernel has just written')
like(out[5], '^wrong: bts 0x18 is on a page that is not mapped\n', 'a page that is not mapped')


# The counter selects the size of adaptive PEBS records. Nine basic records; then two of them become one record of 64 bytes;
# then two counters are on, one of them with the adaptive bit; then both counters are off.
def edited(*changes):
    replaced = ''.join(rf".replace('msr {old}\n', 'msr {new}\n')" for old, new in changes)
    return f"python path = State.path(); state = open(path).read(); open(path, 'w').write(state{replaced})"


first = '*(unsigned long *)processors[0]->opened.pebs.base'
out, _, _ = machine.gdb('goldencove', OPEN, 'continue', 'ds', f'set var {first} = 64UL << 48 | 1', 'ds', f'set var {first} = 32UL << 48',
                        edited(('0x3f1 0x2', '0x3f1 0x3'), ('0x186 0x0', '0x186 0x400000000')), 'ds', edited(('0x3f1 0x3', '0x3f1 0x0')), 'ds',
                        options='run=pebs.adaptive.ignored')
for text, what, on in (out[2], 'of a counter without the adaptive bit', 'on'), (out[9], 'of counters that are off', 'off'):
    like(text, r'^  pebs\.index +0x[0-9a-f]+  base \+ 9 records$', f'records {what} are basic records')
    like(text, f'^PEBS: 9 of 320 records of 32 bytes .*; {on}', '... the fill level counts them so')
    like(text, NO_PROBLEM, '... no problem')
for text, what in (out[4], 'records of two sizes'), (out[7], 'two counters, one adaptive'):
    like(text, r'^  pebs\.index +0x[0-9a-f]+$', f'{what}: the number of records is unknown')
    like(text, r'^PEBS: 288 of 10240 bytes \(2 %\), records vary in size, 9888 bytes to the threshold; on', '... the fill level is in bytes')
    like(text, NO_PROBLEM, '... no problem')

# perfmon prints the counters: programmed events by name, enabled counters, overflows.
out, _, _ = machine.gdb('skylake', 'hbreak load_33', 'continue', 'perfmon', edited(
    ('0x186 0x4381d0', '0x186 0x5181d0'), ('0x38d 0x0', '0x38d 0xa9'), ('0x38e 0x0', '0x38e 0x200000000')), 'perfmon', options='run=pebs.loads')
like(out[2], r'^  PMC0 +0x[0-9a-f]{12}  overflows after \d+; IA32_PERFEVTSEL0 0x4381d0: MEM_INST_RETIRED\.ALL_LOADS OS USR, PEBS$',
     "perfmon: the event's name, and PEBS")
like(out[2], '^IA32_PERF_GLOBAL_CTRL 0x[0-9a-f]*1$', 'perfmon: the enabled counters')
stopped = 'stopped by IA32_PERF_GLOBAL_CTRL'
tap.same(re.findall(r'(?m)^  \w+ +0x.*?; (?:IA32_\w+ )?(.*)', out[4]), [
    '0x5181d0: MEM_INST_RETIRED.ALL_LOADS USR INT, PEBS', f'INST_RETIRED.ANY: OS INT, {stopped}',
    f'CPU_CLK_UNHALTED.THREAD: USR INT, {stopped}, has overflowed'], 'perfmon: other enables')

# Architectural PEBS has no area: the buffer is physical memory.
(before, _, _, ds, perfmon), _, _ = machine.gdb('clearwaterforest', 'ds', OPEN, 'continue', 'ds', 'perfmon', options='run=pebs.loads')
like(perfmon, r'^  PMC\d +0x[0-9a-f]{12}  .*: \S+ OS.*, PEBS', 'perfmon, architectural PEBS: CFG_C says which counter samples')
like(perfmon, '^IA32_PEBS_INDEX 0x[0-9a-f]+, IA32_DEBUGCTL 0x', 'perfmon, architectural PEBS: IA32_PEBS_INDEX')
like(before, '^PEBS: no buffer has been set up on this processor$', 'architectural PEBS: before the set-up')
like(ds, '^PEBS is architectural: its records do not go into a DS area', 'architectural PEBS: ds reports it')
like(ds, r'^  IA32_PEBS_BASE +0x[0-9a-f]{16}  address 0x[0-9a-f]+, \d+ bytes$', '... with its buffer')
like(ds, r'^PEBS: [1-9]\d* of \d+ bytes \(\d+ %\)$', '... and fill level')
like(ds, '^IA32_DS_AREA is 0: no management area', '... without a management area')

# Each processor has its own area: GDB's thread selects it.
(_, _, _, variables, second, _, first), _, _ = machine.gdb(
    'skylake', 'hbreak ds_close if processors[1] && processors[1]->open_for', 'continue', 'thread 2', 'p/x processors[1]->opened', 'ds',
    'thread 1', 'ds', options='run=all_cpus.bts*', boot=('-s', '2'))
same_fields(second, variables, "the second processor's area")
like(first, '^IA32_DS_AREA is 0: no management area has been set up on this processor$', 'the first processor has no area')


# ds uses the model's state file only if it is complete and of this stop, and checks its values.
def state(text):
    return f"python open(State.folder + '/0', 'w').write({text})"


out, _, text = machine.gdb(
    'skylake', OPEN, 'continue', "python state = open(State.path()).read(); import re; print('end', repr(state[-5:]))", 'ds',
    state("state[:state.index('msr ')]"), 'ds', state('state[:-5]'), 'ds', state("re.sub('rip 0x', 'rip 0x1', state)"), 'ds',
    'stepi', 'ds', 'python state = open(State.path()).read()', state(r"re.sub('register idt.*\\n', '', state)"), 'ds',
    state("re.sub('cr0 0x8', 'cr0 0x0', re.sub('efer .*', 'efer 0x500', state))"), 'ds',
    state('state'), "python PROGRAM = State.folder + '/dies'",
    r"python open(PROGRAM, 'w').write('#!/bin/sh\nkill -SEGV $$\n'); os.chmod(PROGRAM, 0o755)", 'ds',
    "python os.symlink('/dev/full', State.folder + '/0.new')", 'stepi', 'ds', options='run=bts.calls')
tap.same(out[2], "end '\\nend\\n'\n", 'the model ends its file with "end"')
like(out[3], NO_PROBLEM, 'a complete state')
for n, where in (5, 'between two lines'), (7, 'in a line'):
    like(out[n], r'^\S+/0 is incomplete: its last line is not "end"$', f'a state cut {where}')
like(out[9], r'^\S+/0 is from another stop \(rip 0x1[0-9a-f]+, GDB is at 0x[0-9a-f]+\): step once, or was QEMU started with state=\S+\?$',
     'a state of another stop')
like(out[11], NO_PROBLEM, 'stepi replaces it')
like(out[14], r'^no problem found\n\(the state has no register idt: whether the vector has a handler was not checked\)$', 'a state without the IDT')
like(out[16], NO_PROBLEM, 'without paging: no user pages')
like(text, r'^dsmodel: the file of processor 0 in state=\S+ could not be written: No space left on device$', 'a full disk')
like(out[23], r'^\S+/0 is from another stop ', '... leaves the older state')
like(out[20], r'^\S+/dies was ended by signal 11: this is a defect, please report it$', 'a helper that crashes')

# GDB for i386 truncates addresses to 32 bits. A stub other than QEMU's would read linear instead of physical addresses.
out, _, _ = machine.gdb(
    'netburst', *(f'python print({call})' for call in ('read_linear(0x100000000, 4)', 'read_linear(0xffffffff, 2)',
                                                       'read_physical(0x100200000, 4)', 'len(read_physical(0x200000, 4))')),
    "python execute = gdb.execute; gdb.execute = lambda text, **rest: '' if 'PhyMem' in text else execute(text, **rest)",
    'python print(read_physical(0x200000, 4))', width=32)
for text in out[:3]:
    tap.like(text, r'\ANone(?:\n|\Z)', 'an address above 4 GiB')
like(out[3], '^4$', 'a valid address')
like(out[5], 'physical memory cannot be read: GDB is not connected to QEMU', 'a stub without physical memory')

# Without the model, the commands report what is missing and what to do.
out, _, _ = machine.gdb('none', 'ds', 'perfmon')
like(out[0], r'^\S+/0 does not exist: the model writes it when processor 0 stops; was QEMU started with state=', 'no model: the message')
_, _, text = machine.gdb('bogus', 'ds')
tap.like(text, r'\A(?:Reading symbols from .*\n)?dsmodel: profile=bogus: unknown name.*\n(?:.*Connection refused\.\n)?\Z',
         'an unknown profile: only the model reports it')
out, _, _ = machine.gdb('none', 'help ds', 'ds 5', 'help bts')
like(out[0], '^Print the DS management area of this processor with every field', 'help')
like(out[1], '^ds: takes no argument; type only ds$', 'a superfluous argument')


# Without a machine, ds-state accepts a folder silently, prints it on request, and removes files of an earlier GDB.
def alone(*commands):
    _, out, errors = machine.run('gdb', '-q', '-nx', '-batch', '-x', ROOT / 'tools/gdb/dstest86.py',
                                 *(word for command in commands for word in ('-ex', command)))
    return out + errors


folder = pathlib.Path(tap.folder, 'state')
folder.mkdir()
for name in '0', 'my':
    (folder / f'{name}.watch').touch()
os.environ['HOME'] = tap.folder
tap.same(alone('ds-state ~/state', 'ds-state'), f'{folder.resolve()}\n', 'ds-state: a folder in the home directory')
tap.same([path.name for path in folder.iterdir()], ['my.watch'], "... without an earlier GDB's watch; other files remain")
tap.same(alone('ds-state', 'ds-state /', r'echo taken\n', 'ds-state'), 'no folder is known\ntaken\n/\n', 'ds-state')
tap.done()
