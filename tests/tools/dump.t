#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""End to end: a boot prints every record as text and dumps it, and dsdump's text of the dump must equal the kernel's, line by
line, symbols included. The dump must be much smaller than the text. Debian's perf must read the same samples from perf.data as
perf_file.py."""
import csv
import io
import re
from collections import Counter

import perf_file
import tap
from boots import boot, elf, perf, perfs
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


def samples_in(file):
    """(test, thread, processor, time, period, event, the numbers after it) of each sample, in the texts of perf script."""
    names, found = {}, []
    for each in perf_file.read(file)[0]:
        if each['type'] == 'comm':
            names[each['tid']] = each['name']
        elif each['type'] == 'sample':
            time = f"{each['time'] // 10 ** 9}.{each['time'] // 1000 % 10 ** 6:06}" if 'time' in each else ''
            ip = f"{each['ip']:x}"
            numbers = [f"{each['addr']:x}", f"{each['source']:x}", str(each['weight']), ip] if 'source' in each else [
                ip, f"{each['addr']:x}"] if 'addr' in each else [ip]
            found.append((names[each['tid']], str(each['tid']), str(each['cpu']), time, str(each['period']), each['event'], numbers))
    return found


def samples_of(text):
    """The same from the output of perf script, whose numbers are words; those of symbols, files and levels are not."""
    line = re.compile(r' *(\S+) +(\d+) \[0*(\d+)\] +(?:(\d+\.\d+): +)?(\d+) +(\S+): (.*)')
    return [(*groups[:3], groups[3] or '', *groups[4:6], re.findall(r'(?<!\S)[0-9a-f]+(?!\S)', groups[6]))
            for groups in (line.match(each).groups() for each in text.splitlines())]


# A processor for each kind of layout: 32-bit, fixed, adaptive on a hybrid, architectural. forms.t has every layout.
programs = perfs()
for profile, width in ('netburst', 32), ('skylake', 64), ('alderlake', 64), ('clearwaterforest', 64):
    what = f'{width} bits, {profile}'
    log = boot('log', profile, width, 'records=all')
    lines = [line.rstrip('\r\n') for line in open(log, encoding='latin-1', newline='\n')]
    wanted = record_lines(lines)
    ok(len(wanted) > 1000, f'{what}: {len(wanted)} lines of records')
    same(record_lines(dsdump('--elf', elf(width), '--text', log).splitlines()), wanted, f"{what}: dsdump's text")
    text, dump = bytes_of(lines, RECORD), bytes_of(lines, re.compile(r'# dsdump/1 \d+ (bts|pebs|lbr) '))
    for kind in MOST.keys() & text.keys():
        ok(dump[kind] <= MOST[kind] * text[kind], f'{what}: {kind}: {dump[kind]} bytes of dump, {text[kind]} of text '
           f'(1/{text[kind] / dump[kind]:.0f})')
    dsdump('--elf', elf(width), '--history', 0, '--perf-data', f'{folder}/perf.data', log)    # else perf prints no targets
    samples = samples_in(f'{folder}/perf.data')
    ok(len(samples) > 1000, f'{what}: {len(samples)} samples')
    for each in programs:
        same(samples_of(perf(each, f'{folder}/perf.data', 'script')), samples, f'{what}: perf {each[0]} script prints them')

# Records of several processors: each with its processor, and a data source of a shared line.
SAMPLES = 59    # per processor, event and layout: see tests/qemu/measure_memory.t
TESTS = [f'measure.sharing.{layout}' for layout in ('false', 'padded', 'true')]
for width, profile, count in (64, 'skylake', 2), (32, 'icelake', 4):
    log = boot('sharing', profile, width, f'records=none run={",".join(TESTS)}', '-s', str(count))
    seen = Counter()
    for row in csv.DictReader(io.StringIO(dsdump('--csv', log))):
        kinds = ['stores' if row['event'].endswith('STORES') else 'loads'] + ['HitM'] * (row['snoop'] == 'HitM')
        seen.update((row['test'], kind, int(row['cpu'])) for kind in kinds)
    same(seen, {(test, kind, cpu): SAMPLES for test in TESTS for cpu in range(count)
                for kind in ('loads', 'stores', 'HitM')[:2 if test.endswith('padded') else 3]},
         f'{profile}, {width} bits: samples of each processor')

if not programs:
    note('no perf here (Debian: linux-perf, or ./bootstrap --linux)')
done()
