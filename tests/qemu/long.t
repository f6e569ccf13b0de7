#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""Sends a million records of each kind through small buffers. The kernel's count, the buffer indexes and the model's truth log
must agree, and the dump must have them all: the service routine does not wait for the serial line. Prints the three counts. The
truth log goes through a FIFO and is only counted."""
import collections
import os
import pathlib
import re
import subprocess

import machine
import tap

LEAST = 1_000_000
folder = pathlib.Path(tap.folder)
os.mkfifo(folder / 'truth')

for test, profile, kind in ('long.bts', 'core2', 'bts'), ('long.pebs.taken', 'skylake', 'pebs'):
    with open(folder / 'log', 'wb') as log:
        guest = subprocess.Popen([machine.MACHINE, 'boot', '-p', profile, '-o', f'run={test} dump=raw timeout=300', '-d', folder], stdout=log)
    with open(folder / 'truth', 'rb') as lines:    # until the machine's end
        truth = collections.Counter(line.partition(b' ')[0].decode() for line in lines)
    guest.wait()
    lines = machine.lines_in((folder / 'log').read_text(encoding='latin-1'))
    counts = next(filter(None, (re.match(rf'# count {kind} kernel (\d+) index (\d+) ', line) for line in lines)), None)
    kernel, index = map(int, counts.groups()) if counts else (0, 0)
    if not tap.ok(any(line.startswith('# end dstest86 verdict=pass ') for line in lines), f'{test} on {profile} passes'):
        tap.note('\n'.join(line for line in lines if not line.startswith('# dsdump')))
    tap.ok(kernel >= LEAST, f'{test}: at least {LEAST} records')
    tap.same(index, kernel, f'{test}: kernel and index agree')
    tap.same(truth[kind], kernel, f'{test}: kernel and truth agree')
    tap.same(truth['pebs-dropped'], 0, f'{test}: the processor dropped no record')
    tap.like(machine.run(tap.BUILD / 'dsdump', '--stats', folder / 'log')[1], rf'(?m)^{kind} {kernel} lost 0$', f'{test}: the dump has them all')
    print(f'# {test}: kernel {kernel}, index {index}, truth {truth[kind]}')
tap.done()
