#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""The default log of all tests is short enough for a serial line, in bytes because times depend on the host. A test that does not
pass also prints the records that were held back."""
import re

import machine
import tap

# 115200 baud are 11520 bytes a second. Of the 20 seconds of a run, 12.5 are for the line and the rest for the tests.
BYTES = 144000

# The processors with the most tests and with the longest records.
for profile in 'skylake', 'goldencove':
    verdict, log, _ = machine.boot('-p', profile)
    tap.same(verdict, 'pass', f'{profile}: all tests')
    tap.ok(len(log) < BYTES, f'{profile}: the log is {len(log)} bytes')
    test, late = '', []
    for line in log.split('\r\n'):
        if match := re.match(r'# test (\S+)', line):
            test = match[1]
        elif re.match(r'# (?:bts|pebs) [1-9]', line) and test != 'bts.circular.undrained':    # prints all records itself
            late.append((test, line))
        elif (match := re.match(r'# lbr (\d+) ', line)) and int(match[1]) > 7:
            late.append((test, line))
    tap.same(late, [], f'{profile}: no test prints more records than the default')
    tap.ok('did not pass' not in log, f'{profile}: no test prints the records of a failure')


def records(kind, log):
    """The numbers of a kind's records in a log, with "more" at the line that announces further records."""
    lines = re.findall(rf'^# (?:{kind} (\d+) |more records, because the test did not pass:)', log, re.M)
    return ' '.join(dict.fromkeys(number or 'more' for number in lines))


for fault, test, kind in ('pebs.record.rax_zero', 'pebs.loads', 'pebs'), ('bts.record.swapped', 'bts.calls', 'bts'):
    for option, numbers in ('', '0 more 1 2 3 4 5 6 7'), ('records=3', '0 1 2'), ('records=none', ''):
        verdict, log, _ = machine.boot('-p', 'skylake', '-f', fault, '-o', f'run={test} {option}')
        tap.same(verdict, 'fail', f'{fault}, {test}, {option or "by default"}')
        tap.same(records(kind, log), numbers, '... records of the test that failed')
        if not option:
            tap.like(log, rf'(?m)^# {kind} 7 .*\n(?:# .*\n)*not ok 1 ', '... before its result')

verdict, log, _ = machine.boot('-p', 'skylake', '-f', 'lbr.entry.aborted', '-o', 'run=lbr.info')
tap.same(verdict, 'fail', 'lbr.entry.aborted, lbr.info')
tap.same(records('lbr', log), ' '.join(map(str, [*range(8), 'more', *range(8, 32)])), '... the whole stack of the test that failed')
tap.done()
