#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The number of processors does not change a processor's records: processor 0 of four writes the same truth as a machine's only
processor, except time stamps, and processors 1 to 3 write the same. With one processor, translated code has the addresses of its
counts and its ring of blocks as constants; with several it computes them."""
import pathlib
import re

import machine
import tap


def truth(processors, profile, tests):
    """Each processor's records in the truth log, in order, without time stamps."""
    verdict, _, _ = machine.boot('-s', str(processors), '-p', profile, '-d', tap.folder, '-o', f'run={tests}')
    tap.same(verdict, 'pass', f'{profile}: {tests} pass on {processors}')
    records = [[] for _ in range(processors)]
    for line in pathlib.Path(tap.folder, 'truth').read_text().splitlines():
        if match := re.match(r'((?:bts|lbr|pebs) )vcpu=(\d+) (.*)', line):
            records[int(match[2])].append(match[1] + re.sub(r' tsc=\S+', '', match[3]))
    return records


for profile, tests in (('skylake', 'bts.*'), ('skylake', 'lbr.calls,lbr.kinds'), ('skylake', 'pebs.interrupt.threshold,pebs.registers'),
                       ('goldencove', 'lbr.calls,pebs.registers')):
    one, several = (truth(processors, profile, tests)[0] for processors in (1, 4))
    tap.ok(len(one) > 20, f'... enough records to compare: {len(one)}')
    tap.same(several, one, '... four processors: the same records')

# Each processor has its own buffer. Processor 0 is left out: it also starts the others.
_, second, *more = ([re.sub(r' at=\S+', '', record) for record in records]
                    for records in truth(4, 'skylake', 'all_cpus.bts.in_turn,all_cpus.lbr.in_turn'))
tap.ok(len(second) > 100, f'... enough records to compare: {len(second)}')
for others in more:
    tap.same(others, second, '... another processor: the same records')
tap.done()
