#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""Runs the sessions of docs/students.md: each command prints the lines shown, in order (.. matches any text)."""
import re

import machine
import tap
from machine import ROOT

sessions = []
for line in re.findall(r'(?m)^    (.*)$', (ROOT / 'docs/students.md').read_text(encoding='ascii')):
    if line.startswith('make gdb '):
        sessions.append((line.split()[2:], []))
    else:
        sessions[-1][1].append(line)

for words, lines in sessions:
    given = dict(word.split('=', 1) for word in words)
    commands = [line[6:] for line in lines if line.startswith('(gdb) ')]
    out, _, whole = machine.gdb(given.get('profile', 'skylake'), *commands, options=given['options'], width=given.get('width', 64))
    text, at, missing = ' '.join(' '.join(f'(gdb) {command} {said}' for command, said in zip(commands, out)).split()), 0, ''
    for line in lines:
        pieces = [re.escape(' '.join(piece.split())) for piece in line.split('..')]
        found = re.compile('.*?'.join(pieces)).search(text, at)
        if not found:
            missing = line
            break
        at = found.end()
    tap.ok(not missing, ' '.join(words), f'missing: {missing}\n{whole[-3000:]}')
tap.done()
