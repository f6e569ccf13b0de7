#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""Every form of dsdump's output equals the stored outputs in forms.txt: as text for a dump of a few records, and as checksums for
one with random bits in every kind of record. `forms.t --write` stores the present outputs: read the diff of forms.txt before you
commit it. Python's modules must be able to read CSV and JSON, and perf_file.py every byte of perf's file."""
import csv
import io
import json
import pathlib
import random
import sys
import zlib

import perf_file
from tap import HERE, done, dsdump, folder, same
from writer import Dump

STORED = HERE / 'forms.txt'
FORMS = 'stats', 'text', 'raw', 'csv', 'trace-json'


# Words of each group of an architectural record, in order. None: the contents determine the number of words.
GROUP_WORDS = {63: 6, 62: 8, 61: 20, 'xsave': 2, 49: 32, 50: 32, 51: 16, 52: 16, 53: 8, 54: 64, 55: 128, 'lbr': None,
               'counters': None}


def counters_group(word, general, fixed, metrics):
    return [general | fixed << 32, metrics | word(32) << 32] + [
        word() for _ in range((general | fixed << 32).bit_count() + 2 * (metrics == 3))]


def architectural(word, fragments, lbr, depth, counters, retired):
    """The words of an architectural record. fragments: the groups of each, none in a null record; lbr: the number in
    bits 41:40; counters: three bits, the bitmaps, and what says whether metrics follow; retired: bit 16 of its word."""
    words, mode = [], (word() & 1) << 30
    for n, groups in enumerate(fragments):
        body, bits = [], 0
        for group, size in GROUP_WORDS.items():
            if group == 'xsave' and groups & {49, 50, 51, 52, 53, 54, 55}:
                body += [word(), word()]
            elif group in groups and group == 'lbr':
                bits |= lbr << 40
                body += [word(), word(), depth] + [word() for _ in range(3 + 3 * (8, 16, depth)[lbr - 1])]
            elif group in groups and group == 'counters':
                bits |= counters[0] << 36
                body += counters_group(word, *counters[1:])
            elif group in groups:
                bits |= 1 << group
                body += [word() for _ in range(size)]
            if group == 63 and group in groups:
                body[1], body[3] = word(2), body[3] & ~(1 << 16) | retired << 16
            if group == 62 and group in groups:
                body[-3], body[-2] = word(7), word()
        body += [word()] * (len(body) % 2) if groups else [word(), word()]
        last = n == len(fragments) - 1
        words += [16 + 8 * len(body) | (bits | mode | (not last) << 31 if groups else 0), word()] + body
    return words


def every_kind(seed):
    """A dump with each form of each kind of record, filled with random bits."""
    chance = random.Random(seed)
    dump = Dump()

    def word(bits=64):
        return chance.getrandbits(chance.choice((bits, 16, 3, 0)))

    dump.head(signature='0x120fa5', version='2.0+hand')
    # Records without a gap, and records with one.
    dump.begin('bts.runs')
    last, run = 0x1000, []
    for step in 0, 1, 4095, 4096, -1, 12, 5000:
        run.append((last + step, chance.getrandbits(30) + 0x2000))
        last = run[-1][1]
    dump.bts(run)

    for width in 4, 8:
        for prediction in 0, 1:
            dump.begin(f'bts.of_{width}.{prediction}')
            for cpu in 0, 1, 3:
                dump.bts([(word(8 * width), word(8 * width), word(8 * width)) for _ in range(40)], cpu, width, prediction)
                dump.skip('bts', cpu)

    for form in (*range(8), 64, 65):
        dump.begin(f'lbr.format_{form}')
        for depth, filled in (1, 1), (4, 4), (32, 20), (8, 0):
            entries = [[word(), word(), word()] for _ in range(filled)] + [[0, 0, 0]] * (depth - filled)
            dump.lbr(entries, form, 0 if form == 65 else chance.randrange(32), depth % 3)

    for number, fields in enumerate((18, 22, 24, 25)):
        for source in range(11):
            dump.begin(f'pebs.format_{number}.source_{source}')
            dump.event('LOADS', counter=0, select=0x81d0, period=63)
            dump.event('', counter=1, select=0x82d0)
            dump.event('', counter=2)
            dump.event('', counter=1, fixed=1)
            dump.event('', cpu=1, counter=0, select=0xd1)
            dump.event('OTHER', cpu=1, counter=3, select=0xcf)
            records = []
            for code in range(64) if number == 3 else chance.sample(range(64), 12):
                record = [word() for _ in range(fields)]
                if number:
                    above = word() << 6 if source < 5 else chance.getrandbits(10) << 6 if code & 1 else 0
                    record[18:22] = [chance.choice((0, 1, 2, 4, 5, 7, 2 << 32, 1 << 33)), word(),
                                     (code | above) & (1 << 64) - 1, chance.choice((0, 4, 77, word()))]
                records.append(record)
            dump.pebs(records, (8, number, 0, 0, 5), source)
            dump.pebs(records[:9], (8, number, 0, 0, 5), source, cpu=1)
            dump.pebs(records[:5], (8, number, 0, 0, 5), source, cpu=2)
            for reserved in 4, 5:    # Goldmont's records, and Silvermont's
                dump.pebs(records[:7], (8, number, 0, reserved, 5), source, cpu=3)
    # The longest names, and a period wider than its column.
    dump.begin('a.name.of.' + 'x' * 54)
    dump.event('EVENT.OF_' + 'X' * 54, period=123456789012)
    dump.pebs([[0] * 18 + [1] + [0] * 6], (8, 3, 0, 0, 5), 3)
    dump.bts([(1, 2)])
    dump.begin('pebs.of_4')
    dump.pebs([[word(32) for _ in range(10)] for _ in range(9)], (4, 0, 0, 0, 0), 0)

    for lbr_format in 5, 4, 63, 20:
        for latencies in range(4):
            dump.begin(f'pebs.adaptive.{lbr_format}.{latencies}')
            dump.event('STORES', counter=0, select=0x82d0)
            dump.event('', counter=0, fixed=1)
            for groups in range(16):
                count = chance.randrange(1, 33)
                words = 4 + 4 * (groups & 1) + 18 * (groups >> 1 & 1) + 32 * (groups >> 2 & 1) + 3 * count * (groups >> 3)
                head = groups | (count - 1) << 24 if groups >> 3 else groups
                records = []
                for _ in range(6):
                    record = [head | chance.getrandbits(16) << 32 | 8 * words << 48] + [word() for _ in range(words - 1)]
                    record[2] = chance.choice((0, 1, 1 << 32, 1 | 1 << 32))
                    records.append(record)
                dump.pebs(records, (8, 4 + groups % 2, 1, latencies, lbr_format), 3)
    for number in range(40):
        dump.begin(f'pebs.format_6.{number}')
        dump.event('', counter=0, fixed=1)
        groups, count = chance.randrange(16, 64) if number else 0x3f, chance.randrange(1, 33)
        bitmaps = chance.getrandbits(32), chance.getrandbits(16), chance.choice((0, 3))
        records = []
        for _ in range(3):
            record = [word() for _ in range(
                4 + 4 * (groups & 1) + 18 * (groups >> 1 & 1) + 32 * (groups >> 2 & 1) + 3 * count * (groups >> 3 & 1))]
            record += counters_group(word, *bitmaps)
            record[0] = groups | ((count - 1) << 24 if groups >> 3 & 1 else 0) | 8 * len(record) << 48
            record[2] = 1 << 32
            records.append(record)
        dump.pebs(records, (8, 6, 1, 1, 63), 7)
    for number in range(40):
        dump.begin(f'pebs.architectural.{number}')
        dump.event('', counter=1)
        choice = {62, 61, 49, 50, chance.choice((51, 52)), 53, 54, 55, 'lbr', 'counters'}
        fragments = [{63}, *(set() for _ in range(number % 4))]
        for group in sorted(choice, key=str):
            if number < 4 or chance.getrandbits(1):
                fragments[chance.randrange(len(fragments))].add(group)
        while not fragments[-1]:    # a null record is never the last
            fragments.pop()
        more = chance.randrange(1, 8), chance.getrandbits(32), chance.getrandbits(16), chance.choice((0, 3))
        shape = fragments, chance.randrange(1, 4), chance.randrange(1, 33), more
        for retired in 0, 1:
            dump.pebs([architectural(word, *shape, retired) for _ in range(2)], (8, 15, 0, 1, 63), 6 + number % 2)
    dump.lines += ['# error: \\"<b>\x01\x7f\xe9', 'not ok 3 tests.of.lines', 'nothing of it']
    dump.end()
    dump.lines.append('# end dstest86 verdict=pass')
    return dump.write(f'{folder}/kinds.log')


def a_few():
    """One or two records of each generation, with values that are easy to recognize in forms.txt."""
    dump, next_word = Dump(), iter(range(0x1001, 0x2000))

    def words(count):
        return [next(next_word) for _ in range(count)]

    dump.head(signature='0x806f8')
    dump.begin('bts.few')
    dump.bts([(0x201000, 0x201100, 0), (0x201108, 0xffffffff81000000, 0x10)])
    dump.bts([(0x301000, 0x301100, 0), (0x301108, 0x80401256, 0x10)], 1, 4, 1)
    dump.begin('lbr.few')
    info = 0xb400001b00000007    # mispredicted, aborted, cycles, a call, counts
    for form, source in (3, 0xc000000000201234), (5, 0x201234), (65, 0x201234):
        dump.lbr([[source, 0x201000, info], [0x201010, 0x201020, 9], [0, 0, 0]], form, 2 * (form < 65))
    dump.begin('pebs.few')
    dump.event('LOADS', counter=0, select=0x1cd, period=63)
    dump.event('', counter=1, fixed=1)
    dump.pebs([words(10)], (4, 0, 0, 0, 0), 0)
    dump.pebs([words(18) + [1, 0x5000, 0x1c, 77, 0x201234, 0x9, 1000]], (8, 3, 0, 0, 5), 3)
    dump.pebs([[32 << 48, 0x201238, 1 << 33, 4000]], (8, 4, 1, 0, 5), 3)
    adaptive = words(3) + [2000000, 0x5008, 0x25, 5 << 32 | 9, 3, 0x201010, 0x201020, info, 0x101 | 1 << 32, 3] + words(5)
    adaptive[0] = 0x39 | 12 << 32 | 8 * len(adaptive) << 48    # memory, one LBR entry, counters and metrics
    dump.pebs([adaptive], (8, 6, 1, 1, 63), 7)
    dump.pebs([architectural(lambda bits=64: next(next_word), [{63, 62}, {'counters'}], 1, 8, (1, 2, 1, 3), 1)],
              (8, 15, 0, 1, 63), 6)
    dump.end()
    dump.lines += ['ok 1 bts.few', '# error: <b>', '# end dstest86 verdict=pass']
    return dump.write(f'{folder}/few.log')


# Where a record names no known source, the event alone tells loads from stores: those of Linux's DATALA constraints.
NOTHING, LOAD, STORE = 1, 2, 4    # PERF_MEM_OP_*
IMPLIED = {0x81cf: NOTHING, 0x81d0: LOAD, 0x82d0: STORE, 0x81d1: LOAD, 0x81d2: LOAD, 0x81d3: LOAD, 0x81d4: NOTHING}


def implied():
    dump = Dump()
    dump.head(signature='0x506e3')
    dump.begin('pebs.implied')
    for cpu, select in enumerate(IMPLIED):
        dump.event('', cpu=cpu, counter=0, select=select)
        dump.pebs([[0] * 18 + [1, 0x5000, 1, 0, 0x201234, 0, 0]], (8, 3, 0, 0, 5), 0, cpu=cpu)
    dump.end()
    dsdump('--perf-data', f'{folder}/perf.data', dump.write(f'{folder}/implied.log'))
    return [record['source'] & 0x1f for record in perf_file.read(f'{folder}/perf.data')[0] if record['type'] == 'sample']


def outputs(log):
    """dsdump's output for a log, by form."""
    found = {form: dsdump(f'--{form}', log) for form in FORMS}
    found |= {f'only-{kind}': dsdump('--only', kind, '--text', log) for kind in ('bts', 'pebs', 'lbr')}
    columns = {len(row) for row in csv.reader(io.StringIO(found['csv']), strict=True)}
    same(len(columns), 1, f'{log.stem}: --csv has {columns} columns in each row')
    json.loads(found['trace-json'])
    dsdump('--html', f'{folder}/page.html', log)
    page = open(f'{folder}/page.html', encoding='latin-1').read()
    data = json.loads(page.split('<script type="application/json" id="data">')[1].split('</script>')[0])
    found['html'] = ''.join(f'{key} {json.dumps(value)}\n' for key, value in data.items())
    for name, options in {'perf': (), 'perf-without-history': ('--history', 0), 'perf-counters': ('--branch-counters',),
                          'perf-branches': ('--only', 'bts,lbr')}.items():
        dsdump(*options, '--perf-data', f'{folder}/perf.data', log)
        records, features = perf_file.read(f'{folder}/perf.data')
        found[name] = ''.join(f'{record}\n' for record in [*records, *features.items()])
    return found


kinds, few = every_kind(13), a_few()
boots = pathlib.Path(folder) / 'two_boots.log'    # the header of perf's file describes the last boot
boots.write_bytes(kinds.read_bytes() + few.read_bytes())
stored = {log.stem: ''.join(f'{form} {zlib.crc32(text.encode()):08x}\n' for form, text in outputs(log).items()) for log in (kinds, boots)}
ONCE = 'only-bts', 'only-pebs', 'only-lbr', 'perf', 'perf-without-history', 'perf-branches'    # as checksums only
stored |= {f'few --{form}': text for form, text in outputs(few).items() if form not in ONCE}
text = ''.join(f'== {name}\n{text}' for name, text in stored.items())
if sys.argv[1:] == ['--write']:
    STORED.write_text(text)
wanted = dict(part.split('\n', 1) for part in STORED.read_text().split('== ')[1:])
same(list(stored), list(wanted), 'forms.txt has every log and form')
for name, text in stored.items():
    same(text.splitlines(), wanted.get(name, '').splitlines(), f'{name}: equals the stored output')
same(implied(), list(IMPLIED.values()), 'the events that imply a load or a store')
done()
