#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""Debian's perf reads dsdump's perf.data: LBR stacks, counts in LBR entries, source lines, the same table of memory levels as the
kernel's, and lines that processors share. (dump.t compares perf script's other fields.)"""
import re

import tap
from boots import boot, elf, perf, perfs
from tap import BUILD, done, dsdump, folder, ok, same

tap.program = BUILD / 'dsdump'    # the one that users have, without sanitizers
programs = perfs()
if not programs:
    print('1..0 # SKIP no perf here (Debian: linux-perf, or ./bootstrap --linux)')
    raise SystemExit
log = boot('skylake', 'skylake', 64, 'records=none run=bts.*,lbr.*,pebs.*')


def data_of(name, log, *options, width=64):
    dsdump('--elf', elf(width), *options, '--perf-data', f'{folder}/{name}.data', log)
    return f'{folder}/{name}.data'


def entries(text):
    """The entries of LBR stacks: addresses, flags, cycles, and the kind of branch, which not every line has."""
    return [found.rstrip('/-') for found in re.findall(r'0x[0-9a-f]+/0x[0-9a-f]+/\S+', text)]


lbr = data_of('lbr', log, '--only', 'lbr')
wanted = entries(dsdump('--only', 'lbr', log))
ok(len(wanted) > 400, f'{len(wanted)} LBR entries')
bts, pebs = data_of('bts', log, '--only', 'bts'), data_of('pebs', log, '--only', 'pebs')
for each in programs:
    same(entries(perf(each, lbr, 'script', '-F', 'ip,brstack')), wanted, f'perf {each[0]}: stacks of LBR')
    for data, words, pattern in (
            (lbr, 'report --stdio --branch-history', r'kinds_loop (workload\S*|branches\.asm):\d+'),
            (bts, 'report --stdio --comms bts.calls', r'\[\.\] calls_outer_1 +\[\.\] calls_inner'),
            (bts, 'script -F ip,brstack', r'(?m)^ +\w+ +0x\w+/0x\w+/\S+ +0x'),
            (bts, 'script -F +srcline', r'(?m)^ +branches\.asm:\d+'),
            (pebs, 'mem report --stdio', r'\[\.\] chase_load +dstest86-64\.elf +\[\.\] workload_ring')):
        ok(re.search(pattern, perf(each, data, *words.split())), f'perf {each[0]} {words}: our symbols and lines')
    for data, kinds in (bts, {'r-xp'}), (pebs, {'r-xp', 'r--p', 'rw-p'}):    # llvm-profgen refuses other maps
        maps = re.findall(r'MMAP2 .*: \[(\w+)\((\w+)\) @ (\w+).*: (\S+) /', perf(each, data, 'script', '--show-mmap-events'))
        ok({int(number, 0) % 4096 for *numbers, _ in maps for number in numbers} == {0} and kinds == {kind for *_, kind in maps},
           f'perf {each[0]}: maps of whole pages, data only with data addresses', str(maps))

# Counts in LBR entries: two bits for each of four counters, the lowest first. --text prints a digit for each.
log = boot('counters', 'clearwaterforest', 64, 'records=none run=lbr.events.*')
text = dsdump('--elf', elf(64), '--text', log)
counted = [[sum(int(digit) << 2 * n for n, digit in enumerate(digits))
            for digits in re.findall(r'^# lbr \d.*?(?:/([0-3]{4})(?: .*)?)?$', stack, re.M)]
           for stack in re.split('^# lbr stack.*$', text, flags=re.M)[1:]]
counted = [stack for stack in counted if any(stack)]
ok(len(counted) > 3, 'there are stacks with event counts')
data = data_of('counters', log, '--branch-counters', '--only', 'lbr')
for each in (each for each in programs if each[0] >= (6, 12)):
    read = re.findall(r'branch stack counters: nr:\d+ \(counter width: 2 max counter nr:4\)\n'
                      r'((?:\.{5} +\d+: \w{16}\n)+)',
                      perf(each, data, 'script', '-D'))
    same([[int(value, 16) for value in re.findall(r': (\w{16})', stack)] for stack in read], counted,
         f'perf {each[0]} reads the counts of each LBR entry')
    ok(re.search('br_cntr: A+B+C+D+\t#', perf(each, data, 'script', '-F', '+brstackinsn,+brcntr', '--comms',
                                             'lbr.events.together')), f'perf {each[0]} prints the counts as letters')

# The kernel's and perf's table of memory levels of the same samples: (share, samples) by level.
ROW = r' +([\d.]+)% +(\d+) +(\S.*?) *$'
log = boot('table', 'skylake', 64, 'records=none run=pebs.load_latency.hierarchy')
table = re.search('^# Overhead +Samples +Memory access.*((?:\n#.*)+)', open(log).read().replace('\r', ''), re.M)[1]
kernels = {name: (float(share), int(samples)) for share, samples, name in re.findall('^#' + ROW, table, re.M)}
ok(len(kernels) > 2, "the kernel's table of memory levels has rows")
data = data_of('table', log)
for each in programs:
    text = perf(each, data, 'mem', 'report', '--stdio', '--sort=mem')
    rows = {re.sub('^RAM hit', 'Local RAM or RAM hit', re.sub('^(L[1-4]) hit', r'\1 or \1 hit', name)):
            (float(share), int(samples)) for share, samples, name in re.findall('^' + ROW, text, re.M) if name != 'N/A'}
    same({name: row[1] for name, row in rows.items()}, {name: row[1] for name, row in kernels.items()},
         f"perf {each[0]} mem report has the kernel's rows")
    ok(all(abs(rows[name][0] - row[0]) < 0.0101 for name, row in kernels.items()), '... and their shares')

# perf c2c has the kernel's lines: address, HITMs, loads, stores.
for layout in 'false', 'true':
    log = boot(layout, 'skylake', 64, f'records=none run=measure.sharing.{layout}', '-s', '3')
    wanted = sorted((line, hitm, loads, stores) for line, loads, hitm, stores in re.findall(
        rf'^# measure sharing layout {layout} line (\S+) loads (\d+) hitm (\d+) stores (\d+)', open(log).read(), re.M))
    same(len(wanted), 8, f'{layout}: lines')
    data = data_of(layout, log)
    for each in programs:
        # index, address, node, pages, share, HITMs, three more columns, loads, stores
        rows = re.findall(r'^\s+\d+\s+(0x\w+)\s+\S+\s+\d+\s+[\d.]+%\s+(\d+)\s+\d+\s+\d+\s+\d+\s+(\d+)\s+(\d+)\s',
                          perf(each, data, 'c2c', 'report', '--stdio'), re.M)
        same(sorted(rows), wanted, f'{layout}: perf {each[0]} c2c')
done()
