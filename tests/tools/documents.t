#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Documents agree with what the kernel prints: the form of its log, and the ids of its tests."""
import fnmatch
import re
import subprocess

from boots import boot
from tap import BUILD, done, ok, same

DOCS = BUILD.parent / 'docs'
GENERATED = {f'{name}.md' for name in ('conformance', 'hostile', 'machines', 'profiles', 'rules')}


def form(line):
    """A line without its values: numbers, symbols, and a data source's meaning."""
    line = re.sub(r'\|.*\|', '|..|', re.sub(r'\b[\w.]+\+0x[0-9a-f]+', 'SYMBOL', line))
    return re.sub(r'0x[0-9a-f]+|\d+', 'N', line)


def examples(text, heading):
    """The first block of indented lines below a heading, without text after three blanks."""
    block = re.search(rf'^#+ {re.escape(heading)}(?:.*\n)+?((?:    .*\n)+)', text, re.M)[1]
    return [line.strip().split('   ')[0] for line in block.splitlines()]


# ---- the log: the form of its head and records
output = (DOCS / 'output.md').read_text()
log = [line.rstrip('\r\n') for line in open(boot('log', 'skylake', 64, 'run=bts.calls,lbr.calls,pebs.loads', '-r', 'uefi'), errors='replace')]
head = [line for line in log[:log.index('KTAP version 1')] if line.startswith('# ')]
forms = {form(line) for line in log}
ok(len(head) > 15, 'the boot prints a log')
for heading in 'What was found', 'BTS', 'LBR', 'PEBS':
    lines = [line for line in examples(output, heading) if not line.startswith(('# events', '# ...'))]
    same([line for line in lines if form(line) not in forms], [], f'docs/output.md, "{heading}": the kernel prints such lines')
keys = sorted({re.match(r'# (\w+)', line)[1] for line in head})
same([key for key in keys if not re.search(rf'# {key}\b', output)], [], '... and names each kind of line of the head')
# ---- run=GLOB in documents
listed = subprocess.run([BUILD.parent / 'scripts/machine', 'boot', '-o', 'list'], capture_output=True, text=True).stdout
ids = re.findall(r'^# test (\S+): ', listed, re.M)
globs = {glob for page in [*DOCS.glob('*.md'), BUILD.parent / 'README.md'] if page.name not in GENERATED
         for glob in re.findall(r'\brun=([a-z][a-z0-9_.*]+)', page.read_text())} - {'quick', 'nosuch.*'}
ok(len(ids) > 300 and len(globs) > 5, 'the kernel lists its tests, and documents name some')
same([glob for glob in sorted(globs) if not fnmatch.filter(ids, glob)], [], '... which the kernel has')
done()
