#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Every citation of the manual has its number with the edition, as in SDM Vol. 3A (253668-032), and every cited source a
title."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/tools'))
import tap    # noqa: E402

NUMBER = r'\(\d{6}-\d{3}\)'
BREAK = r'[\s*#;]+'    # between words, where a comment may go on in the next line
VOLUME = rf'\bSDM{BREAK}Vol\.{BREAK}\d[A-D]?+'
CITED = re.compile(rf'({VOLUME}(?!{BREAK}{NUMBER}))|({VOLUME})|(\bseeds? \d{{3}}\b)')


def check(path, text):
    """The number of citations in a text, and their problems: lines "PATH:LINE: SENTENCE"."""
    count, wrong = 0, []
    for match in CITED.finditer(text):
        line = text.count('\n', 0, match.start()) + 1
        count += not match[3]
        if match[1]:
            wrong.append(f'{path}:{line}: the manual without its number and edition: {match[1]}')
        if match[3]:
            wrong.append(f'{path}:{line}: a source without a title: {match[3]}')
    return count, wrong


for path, text, count, *wrong in (
        ('whole.c', '/* SDM Vol. 3B (253669-081), "Adaptive PEBS" */\n', 1),
        ('broken.h', '/*\n * SDM Vol. 3B\n * (253669-081), "Adaptive PEBS" */\n', 1),
        ('no_number.c', '\n/* SDM Vol. 3B, table 1 */\n', 1, 'no_number.c:2: the manual without its number and edition: SDM Vol. 3B'),
        ('no_edition', '; SDM Vol. 4 (335592), table 2-2\n', 1, 'no_edition:1: the manual without its number and edition: SDM Vol. 4'),
        ('second.md', 'SDM Vol. 2D (334569-081)\n\nand SDM Vol. 2A\n', 2,
         'second.md:3: the manual without its number and edition: SDM Vol. 2A'),
        ('script', '#!/bin/sh\n# seeds 000 and 002\n', 0, 'script:2: a source without a title: seeds 000')):
    tap.same(check(path, text), (count, wrong), f'a text: {path}')

# This tree's handwritten files, except this one, which contains the patterns.
total, wrong = 0, []
for folder, folders, names in os.walk(ROOT):
    folders[:] = [name for name in folders if name not in ('build', '.git')]
    for path in (pathlib.Path(folder, name) for name in names):
        data = path.read_bytes() if path.is_file() and path != pathlib.Path(__file__).resolve() else b'\0'
        if b'\0' not in data:
            count, found = check(path.relative_to(ROOT), data.decode('latin-1'))
            total += count
            wrong += found
tap.ok(total > 100, f'citations of the manual in this tree: {total}')
tap.same(wrong, [], 'every citation has its number and edition')
tap.done()
