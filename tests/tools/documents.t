#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# Documents agree with what programs print: docs/output.md with a log, and generated pages with their sources as far as one boot
# suffices. tests/qemu/tables.t compares the rest, which needs all boots.
import re
import subprocess

from boots import boot
from tap import BUILD, done, ok, same

DOCS = BUILD.parent / 'docs'


def prints(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


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

# ---- generated pages
update = 'is up to date: make documents regenerates it'
same((DOCS / 'profiles.md').read_text().splitlines(), prints(BUILD / 'profiles').splitlines(), f'docs/profiles.md {update}')
same((DOCS / 'hostile.md').read_text().splitlines(), prints(BUILD.parent / 'scripts/tables', 'hostile').splitlines(),
     f'docs/hostile.md {update}')
rows = [tuple(re.split(r' (?<!\\)\| ', line[2:-2])) for line in (DOCS / 'conformance.md').read_text().splitlines() if line.startswith('| `')]
listed = re.findall(r'^# test (\S+): (.*) \[(.*)\] (architectural|typical: .*?)$',
                    prints('sh', '-c', f'{BUILD.parent}/scripts/machine boot -o list | tr -d "\\r"'), re.M)
claims = [(f'`{test}`', *(text.replace('|', r'\|') for text in rest)) for test, *rest in listed]
same(sorted(row[:4] for row in rows if len(row) == 6), sorted(claims), f'docs/conformance.md: each claim {update}')
faults = prints(BUILD / 'qemu-system-x86_64', '-machine', 'none', '-display', 'none', '-plugin', f'{BUILD}/dsmodel.so,fault=list')
same(sorted(row[:2] for row in rows if len(row) == 4 and not row[0].startswith('`check.')), sorted((f'`{fault}`', text.replace('|', r'\|')) for fault, text in
     re.findall(r'^(\S+) +(\S.*)$', faults, re.M)), f'docs/conformance.md: each fault {update}')
done()
