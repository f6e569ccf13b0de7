#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# Runs the sessions of docs/students.md: each command prints the lines shown, in order (.. matches any text).
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / 'docs/students.md').read_text(encoding='ascii')
sessions = []
for line in re.findall(r'^    (.*)$', PAGE, re.M):
    if line.startswith('make gdb '):
        sessions.append((line.split()[2:], []))
    else:
        sessions[-1][1].append(line)

print(f'1..{len(sessions)}')
for number, (words, lines) in enumerate(sessions, 1):
    given = dict(word.split('=', 1) for word in words)
    command = [ROOT / 'scripts/machine', 'gdb', '-o', given['options'], '-p', given.get('profile', 'skylake')]
    command += ['-w', given['width']] if 'width' in given else []
    command += ['--', '-batch']
    for line in lines:
        if line.startswith('(gdb) '):
            command += ['-ex', f'echo (gdb) {line[6:]}\\n', '-ex', line[6:]]
    out = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    text, at, missing = ' '.join(out.stdout.split()), 0, ''
    for line in lines:
        pieces = [re.escape(' '.join(piece.split())) for piece in line.split('..')]
        found = re.compile('.*?'.join(pieces)).search(text, at)
        if not found:
            missing = line
            break
        at = found.end()
    print(f'{"not ok" if missing else "ok"} {number} {" ".join(words)}')
    if missing:
        print(f'# missing: {missing}\n' + re.sub('^', '# ', out.stdout[-3000:] + out.stderr[-1000:], flags=re.M))
