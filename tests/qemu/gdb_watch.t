#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""GDB's command ds-watch stops exactly when the next record is written, at the instruction after its cause, or when the index
reaches the threshold. The kernel's test passes as without it."""
import re

import machine
import tap


def stops_at(profile, width, test, first, text, place, *more):
    """Checks two stops at records: each prints the text with N = the number of the record (first, then first + 1), and its PC is
    the address printed after the place (there N = 0, 1). Returns the output of more commands."""
    out, log, _ = machine.gdb(profile, 'ds-watch', 'p/x $pc', 'ds-watch', 'p/x $pc', *more, 'continue', width=width, options=f'run={test}')
    for n, said, pc in (0, *out[:2]), (1, *out[2:4]):
        record = str(first + n)
        tap.like(said, '(?m)^' + text.replace('N', record), f'{profile}, {test}: record {record} stops the machine')
        right = re.search('(?m)^' + place.replace('N', str(n)) + '0x0*([0-9a-f]+)', said)
        tap.same(re.findall('= 0x([0-9a-f]+)', pc), [right and right[1]], '... at the right address')
    tap.ok(f'ok 1 {test}' in log, f'{profile}: {test} passes under the debugger')
    return out[4:]


# BTS: one more record at each stop, at the newest branch's target; then a stop exactly at the threshold.
for profile, width, size in ('skylake', 64, 24), ('netburst', 32, 12):
    full, _ = stops_at(profile, width, 'bts.interrupt.threshold', 1, f'BTS: N of 256 records of {size} bytes ', r'bts \d+ .* => ',
                       'ds-watch threshold')
    tap.like(full, '(?m)^BTS: 128 of 256 records .*, the threshold is reached; on', f'{profile}: stopped exactly at the threshold')
# The record of an interrupt, then the record of its handler's first branch.
stops_at('skylake', 64, 'bts.software_interrupt', 1, 'BTS: N of 512 records ', r'bts \d+ .* => ')
# Every kind of PEBS: at the IP of the record.
for case in (('skylake', 64, 'pebs.interrupt.threshold'), ('goldencove', 64, 'pebs.loads'), ('core2', 64, 'pebs.instructions'),
             ('clearwaterforest', 64, 'pebs.loads'), ('netburst', 32, 'pebs.tagging.execution')):
    stops_at(*case, 0, 'pebs N e?ip ', 'pebs N e?ip ')

# The handler drains the buffer, so at the next threshold the fill level is the same. ds-watch still prints the new record.
for profile in 'skylake', 'clearwaterforest':
    out, _, _ = machine.gdb(profile, 'ds-watch threshold', 'ds-watch threshold', 'echo', options='run=measure.cost.service.pebs')
    (fill, time), (again, later) = (
        (re.findall(r'(?m)^(PEBS: [1-9]\d* of .*)\npebs \d+ ip .* tsc (0x[0-9a-f]+)$', text) or [('none', '0')])[0] for text in out[:2])
    tap.same(again, fill, f'{profile}: the same fill level')
    tap.ok(int(later, 16) > int(time, 16), '... with a newer record')

# A stop for another reason, errors, and commands that need a stopped machine.
out, _, _ = machine.gdb('skylake', 'hbreak ds_open', 'ds-watch', 'ds-watch now', "python os.mkdir(State.path() + '.watch')", 'ds-watch',
                        'continue &', 'ds-watch', 'ds', 'bts 1', 'perfmon', options='run=bts.calls')
tap.like(out[1], '(?m)^stopped for another reason: what ds-watch waits for has not happened$', 'a breakpoint is reached first')
tap.like(out[2], '(?m)^ds-watch: expected no argument, or threshold$', 'an unknown argument')
tap.like(out[4], r'(?m)\Ads-watch: \S+/0\.watch cannot be written: Is a directory$', 'a file that cannot be written')
for text in out[6:]:
    tap.like(text, r'\Athe machine is running: interrupt it first(?:\n|\Z)', 'a running machine')
out, _, _ = machine.gdb('skylake', 'ds-watch', options='run=lbr.calls')
tap.like(out[0], '(?m)^ds-watch: the machine ended before the event', 'the machine ends before a record is written')
tap.done()
