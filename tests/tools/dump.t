#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# End to end: a boot prints every record as text and dumps it, and dsdump's text of the dump must equal the kernel's, line by
# line, symbols included. The dump must be as small as docs/dump.md says. For perf.data, Debian's perf must print the same as
# --script.
import re
import subprocess
from collections import Counter

import tap
from boots import boot, elf, perf, perfs, profiles, same_form
from tap import BUILD, done, dsdump, folder, note, ok, same

tap.program = BUILD / 'dsdump'    # users' build, without sanitizers
MOST = {'bts': 1 / 20, 'pebs': 1 / 5}    # bytes of a dump / bytes of its text, over all tests of a boot
RECORD = re.compile(r'# (bts|pebs|lbr) (?:\d|stack)')


def record_lines(lines):
    """The lines of records, with the test's name before the first of each test."""
    test, found = '', []
    for line in lines:
        if line.startswith('# test '):
            test = line
        elif RECORD.match(line):
            found += [test, line] if test else [line]
            test = ''
    return found


def bytes_of(lines, pattern):
    """The bytes of lines by kind of record."""
    total = {}
    for line in lines:
        found = pattern.match(line)
        if found:
            total[found[1]] = total.get(found[1], 0) + len(line) + 1
    return total


def check_size(what, kind, dump, text):
    ok(dump <= MOST[kind] * text, f'{what}: {kind}: {dump} bytes of dump, {text} of text (1/{text / dump:.0f})')


# A processor for each kind of layout: 32-bit, fixed, adaptive on a hybrid, architectural. forms.t has every layout.
LAYOUTS = {'netburst', 'skylake', 'alderlake', 'clearwaterforest'}
programs = perfs()
for profile, width in (each for each in profiles() if each[0] in LAYOUTS):
    what = f'{width} bits, {profile}'
    log = boot('log', profile, width, 'records=all')
    lines = [line.rstrip('\r\n') for line in open(log, encoding='latin-1', newline='\n')]
    wanted = record_lines(lines)
    ok(len(wanted) > 1000, f'{what}: {len(wanted)} lines of records')
    same(record_lines(dsdump('--elf', elf(width), '--text', log).splitlines()), wanted, f"{what}: dsdump's text")
    text, dump = bytes_of(lines, RECORD), bytes_of(lines, re.compile(r'# dsdump/1 \d+ (bts|pebs|lbr) '))
    for kind in MOST.keys() & text.keys():
        check_size(what, kind, dump[kind], text[kind])
    dsdump('--elf', elf(width), '--history', 0, '--perf-data', f'{folder}/perf.data', log)    # else perf prints no targets
    ours = same_form(dsdump('--elf', elf(width), '--script', log))
    for each in programs:
        same(same_form(perf(each, f'{folder}/perf.data', 'script')), ours,
             f'{what}: perf {each[0]} script prints the same')

# Records of several processors: each with its processor, and a data source of a shared line.
SAMPLES = 59    # per processor, event and layout: see tests/qemu/measure_memory.t
TESTS = [f'measure.sharing.{layout}' for layout in ('false', 'padded', 'true')]
for width, profile, count in (64, 'skylake', 2), (32, 'icelake', 4):
    log = boot('sharing', profile, width, f'records=none run={",".join(TESTS)}', '-s', str(count))
    seen = Counter()
    for line in dsdump('--elf', elf(width), '--script', log).splitlines():
        test, cpu, event = re.match(r'(\S+) .* \[0*(\d+)\] .* (\S+):\s', line).groups()
        kinds = ['stores' if event.endswith('STORES') else 'loads'] + ['HitM'] * ('|SNP HitM|' in line)
        seen.update((test, kind, int(cpu)) for kind in kinds)
    same(seen, {(test, kind, cpu): SAMPLES for test in TESTS for cpu in range(count)
                for kind in ('loads', 'stores', 'HitM')[:2 if test.endswith('padded') else 3]},
         f'{profile}, {width} bits: samples of each processor')

# Programs without short loops (tests/tools/traces.c), without symbols in the text.
for kind in 'loop', 'sort', 'search', 'machine', 'mix', 'pebs':
    log = f'{folder}/traces'
    with open(log, 'wb') as out:
        subprocess.run([BUILD / 'traces', kind, '100000'], check=True, stdout=out)
    check_size(f'traces {kind}', 'pebs' if kind == 'pebs' else 'bts', len(open(log, 'rb').read()), len(dsdump(log)))
if not programs:
    note('no perf here (Debian: linux-perf, or ./bootstrap --linux)')
done()
