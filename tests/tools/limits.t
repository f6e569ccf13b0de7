#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""dsdump's limits: at and beyond the capacity of a page, a timeline, a history and perf's file, with the report of what is left
out; lost records; and reads and writes that transfer half of what was asked for."""
import csv
import io
import json
import os
import pathlib
import re
import subprocess

import perf_file
from tap import BUILD, done, dsdump, folder, run, same
from writer import Dump

JUMP = 0x1000, 0x1000


def page_of(dump, name, status=0, complaint=''):
    log = dump.write(f'{folder}/{name}.log')
    dsdump('--html', f'{folder}/page.html', log, status=status, complaint=complaint.replace('LOG', str(log)))
    text = open(f'{folder}/page.html', encoding='latin-1').read()
    return json.loads(text.split('<script type="application/json" id="data">')[1].split('</script>')[0])


def dump_of(*tests):
    """A dump of tests, each as many jumps in a loop."""
    dump = Dump()
    dump.head()
    for n, count in enumerate(tests):
        dump.begin(f'test.{n}')
        for at in range(0, count, 500):
            dump.bts([JUMP] * min(500, count - at))
    return dump


# The page: 1024 tests, 48 timelines of 2000 branches, 20000 lines.
for count, shown in (1024, 1024), (1025, 1024):
    dump = dump_of(*[1] * count)
    dump.end()
    data = page_of(dump, 'tests')
    same([row['test'] for row in data['records']], [f'test.{n}' for n in range(shown)],
        f'{count} tests: {shown} are counted')
    same([line['test'] for line in data['timelines']], [f'test.{n}' for n in range(48)],
        f'{count} tests: 48 have a timeline')
dump = dump_of(1999, 2000, 2001, 5000)
dump.end()
data = page_of(dump, 'branches')
same([(line['length'], line['cut'], line['slices'][0][3]) for line in data['timelines']],
     [(1999, False, 1999), (2000, False, 2000), (2000, True, 2000), (2000, True, 2000)], 'timelines of 2000 branches')
same([row['bts'] for row in data['records']], [1999, 2000, 2001, 5000], 'branches beyond 2000 are counted')
for count, shown in (19999, 20000), (20000, 20000):
    dump = dump_of(1)
    dump.end()
    dump.lines += [f'ok {n} test.{n}' for n in range(count)]
    lines = page_of(dump, 'lines')['lines']
    same((len(lines), lines[-1]), (shown, f'ok {shown - 2} test.{shown - 2}'), f'{count} lines: {shown} are shown')

# A timeline shows one processor.
dump = Dump()
dump.head()
dump.begin('test.processors')
dump.bts([JUMP] * 3, cpu=2)
dump.bts([JUMP] * 4, cpu=1)
dump.bts([JUMP] * 5, cpu=2)
dump.end()
data = page_of(dump, 'processors')
same([(line['cpu'], line['length'], line['cut']) for line in data['timelines']],
    [(2, 3, False)], 'a timeline of one processor')
same(data['records'], [{'test': 'test.processors', 'bts': 12, 'pebs': 0, 'lbr': 0}], 'all processors are counted')

# The page has at most 512 places of samples.
for count in 511, 512, 513:
    dump = Dump()
    dump.head()
    for n in range(count):
        dump.begin(f'test.{n}')
        dump.event(f'EVENT_{n:03}')
        for _ in range(2 if n in (0, 511) else 1):
            dump.pebs([[0] * 18 + [1] + [0] * 6], (8, 3, 0, 0, 5), 3)
    dump.end()
    samples = page_of(dump, 'samples')['samples']
    same([(row['event'], row['count']) for row in samples],
         [(f'EVENT_{n:03}', 2 if n in (0, 511) else 1) for n in range(min(count, 512))], f'{count} places of samples')

# A test announces up to 256 counters; perf's file has up to 256 events.
for count in 256, 257:
    dump = Dump()
    dump.head()
    dump.begin('test.counters')
    for cpu in range(count):
        dump.event(f'EVENT_{cpu}', cpu=cpu)
    for cpu in 0, 255, count - 1:
        dump.pebs([[0] * 18 + [1] + [0] * 6], (8, 3, 0, 0, 5), 3, cpu)
    dump.end()
    rows = csv.DictReader(io.StringIO(dsdump('--csv', dump.write(f'{folder}/counters.log'))))
    same([row['event'] for row in rows], ['EVENT_0', 'EVENT_255', 'EVENT_255' if count == 256 else 'pebs'],
         f'{count} counters in a test')
    dump = Dump()
    dump.head()
    for n in range(count):
        dump.begin(f'test.{n}')
        dump.event(f'EVENT_{n}')
        dump.pebs([[0] * 18 + [1] + [0] * 6] * 2, (8, 3, 0, 0, 5), 3)
    dump.end()
    file, log = f'{folder}/perf.data', dump.write(f'{folder}/events.log')
    said = f'dsdump: {file}: more than 256 different events, so the rest is dropped; select kinds of records with --only\n'
    dsdump('--perf-data', file, log, **({'status': 1, 'complaint': said} if count > 256 else {}))
    records, features = perf_file.read(file)
    same([each['event'] for each in records if each['type'] == 'sample'], [f'EVENT_{n // 2}' for n in range(512)],
         f'{count} events: perf\'s file has the samples of the first 256')
    same(len(features[12]), 256, f'{count} events: and these events')

# perf's history continues over any number of records, until record numbers are missing.
dump, runs = Dump(), []    # branches without a gap
dump.head()
for count in 9000, 70, 5:
    dump.begin(f'test.{count}')
    branches = [(0x1000 + 8 * n, 0x1004 + 8 * n) for n in range(count)]
    for at in range(0, count, 400):
        dump.bts(branches[at:at + 400], cpu=at // 2000 % 2)
    runs += [branches[at:at + 2000] for at in range(0, count, 2000)]
dump.skip('bts', 1)
dump.bts(branches)
runs.append(branches)
dump.end()
log = dump.write(f'{folder}/history.log')
for history in 1, 64:
    dsdump('--history', history, '--perf-data', f'{folder}/perf.data', log)
    stacks = [each['stack'] for each in perf_file.read(f'{folder}/perf.data')[0] if each['type'] == 'sample']
    wanted = [[(*branch, 0) for branch in run[max(0, n - history + 1):n + 1][::-1]] for run in runs for n in range(len(run))]
    same(stacks, wanted, f'a history of {history} over 9000 branches')

# The flame graph has at most 4000 frames (here the root and two per test). In a larger one, frames with less than 1/2000 of all
# branches count for their callers.
for tests in 1999, 2000:
    counts = [400] * 20 + [4, 3] + [1] * (tests - 22)
    dump = dump_of(*counts)
    dump.end()
    flame = page_of(dump, 'flame')['flame']
    same(len(flame), 1 + 2 * (tests if tests == 1999 else 21), f'{1 + 2 * tests} frames')
    same(sum(own for _, _, own in flame), sum(counts), f'{1 + 2 * tests} frames: every branch counts')

# Lost records are counted by kind, in the page and in perf's file. One or two of three frames of each kind are lost.
PEBS = [[0] * 18 + [1] + [0] * 6] * 5, (8, 3, 0, 0, 5), 3
dump = dump_of(3)
dump.begin('test.lost')
dump.event('LOADS')
for _ in range(3):
    dump.bts([JUMP] * 4)
for _ in range(3):
    dump.pebs(*PEBS)
for _ in range(3):
    dump.lbr([[5, 6, 0]], 5)
dump.end()
dump.lines = [line for line in dump.lines if not re.match(r'# dsdump/1 ([3679]|10) ', line)]
log = dump.write(f'{folder}/lost.log')
complaint = ''.join(f'dsdump: LOG: line {line}\n' for line in (
    '5: frame 3: missing before this line', '7: frames 6 to 7: missing before this line',
    '8: frames 9 to 10: missing before this line', '9: 4 of 15 bts records are lost',
    '9: 10 of 15 pebs records are lost', '9: 2 of 3 lbr records are lost'))
data = page_of(dump, 'lost', 1, complaint)
same(data['lost'], {'bts': 4, 'pebs': 10, 'lbr': 2}, 'the page has the counts of lost records')
complaint = complaint.replace('LOG', str(log))
same(dsdump('--stats', log, status=1, complaint=complaint).splitlines(),
     ['lines 9 frames 8 boots 1', 'bts 11 lost 4', 'pebs 5 lost 10', 'lbr 1 lost 2', 'problems 6'], '--stats has them')
dsdump('--perf-data', f'{folder}/perf.data', log, status=1, complaint=complaint)
same([(each['id'], each['lost']) for each in perf_file.read(f'{folder}/perf.data')[0] if each['type'] == 'lost'],
     [(1, 4), (1, 10), (1, 2)], "perf's file has them")

# With too little memory, there is an error, and no part of the page.
page = pathlib.Path(folder, 'little')
dump = dump_of(*[400] * 20)
dump.end()
log = dump.write(f'{folder}/little.log')
dsdump('--html', page, log)
whole, statuses = page.read_bytes(), set()
for most in range(3 << 20, 12 << 20, 300 << 10):
    page.unlink(missing_ok=True)
    statuses.add(run('--html', page, log, most_memory=most)[0])
    statuses.add('a part' if page.exists() and page.read_bytes() != whole or list(page.parent.glob('little.*.part')) else 0)
same(statuses - {127}, {0, 2}, 'little memory')    # 127: not enough for the libraries

# Preloaded, because a pipe and a full disk do this only now and then.
HALF = '''#include <sys/syscall.h>
#include <unistd.h>
ssize_t read(int file, void *to, size_t size) { return syscall(SYS_read, file, to, size - size / 2); }
ssize_t write(int file, const void *from, size_t size) { return syscall(SYS_write, file, from, size - size / 2); }
ssize_t pwrite(int file, const void *from, size_t size, off_t at) { return syscall(SYS_pwrite64, file, from, size - size / 2, at); }
'''
subprocess.run([os.environ.get('HOST_CC', 'gcc'), '-shared', '-fPIC', '-o', f'{folder}/half.so', '-x', 'c', '-'], input=HALF,
               text=True, check=True)
log = f'{folder}/history.log'
for words in ['--text'], ['--csv'], ['--html', f'{folder}/out'], ['--perf-data', f'{folder}/out']:
    outputs = []
    for library in '', f'{folder}/half.so':
        ran = subprocess.run([BUILD / 'dsdump', *words, log], env={**os.environ, 'LD_PRELOAD': library}, capture_output=True)
        outputs.append((ran.returncode, ran.stderr, pathlib.Path(words[1]).read_bytes() if words[1:] else ran.stdout))
    same(outputs[1], outputs[0], f'{words[0]} is complete in spite of half reads and writes')
done()
