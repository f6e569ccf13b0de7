#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
#
# Every form of dsdump's output, of dumps of three generations (tests/tools/dumps) and of one written by hand, with what no
# model sets: each value is what another reader finds in the dump (reader.py, forms.py). Python's own csv and json read what
# claims to be that. Prints TAP.
import csv
import io
import json
import pathlib
import random

import forms
import perf_file
import reader
from symbols import NoNames
from tap import HERE, done, dsdump, folder, ok, same
from writer import Dump


# Words of each group of an architectural record, in its order; groups with None have words numbered by their contents.
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
    """A dump with each form of each kind of record, and with any bits in them."""
    chance = random.Random(seed)
    dump = Dump()

    def word(bits=64):
        return chance.getrandbits(chance.choice((bits, 16, 3, 0)))

    dump.head(signature='0x120fa5', version='2.0+hand')
    # Records that follow each other within and beyond the reach of a trace without gaps.
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
    # Names that a table must quote and a page escape, and a period that is wider than its column.
    dump.begin('a"quoted",</script>\\name.of.' + 'x' * 36)
    dump.event('EVENT:"cmask=1",edge', period=123456789012)
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
    return dump.write(f'{folder}/by_hand.log')


def check_page(log, found):
    file = f'{folder}/page.html'
    dsdump('--html', file, log)
    text = open(file, encoding='latin-1').read()
    data = json.loads(text.split('<script type="application/json" id="data">')[1].split('</script>')[0])
    wanted = forms.page(found)
    for key in 'lines', 'records', 'counts', 'logged':
        same(data[key], wanted[key], f'{log.stem}: --html: {key}')
    same(data['lost'], {'bts': 0, 'pebs': 0, 'lbr': 0}, f'{log.stem}: --html: no loss')
    same(data['samples'], wanted['samples'], f'{log.stem}: --html: samples')
    named = [(data['names'][name], parent, self) for name, parent, self in data['flame']]
    same(named[0], ('', 0, 0), f'{log.stem}: --html: the root of the flame graph')
    flame = {}
    for at, (name, parent, self) in enumerate(named[1:], 1):
        assert parent < at
        if self:
            flame[named[parent][0], name] = self
    same(flame, wanted['flame'], f'{log.stem}: --html: flame graph')
    for line in data['timelines']:
        line['slices'] = [[data['names'][name], depth, first, end] for name, depth, first, end in line['slices']]
        same(line.pop('cut'), False, f'{log.stem}: --html: a timeline with all its branches')
    same(data['timelines'], wanted['timelines'][:48], f'{log.stem}: --html: timelines')


def check_perf_data(log, found, features):
    for history, counters in (16, False), (0, False), (16, True):
        file = f'{folder}/perf.data'
        dsdump(*(['--history', history] if history != 16 else []), *(['--branch-counters'] if counters else []),
               '--perf-data', file, log)
        records, written = perf_file.read(file)
        wanted = forms.perf_records(found, NoNames(), history, counters)
        same(records, wanted, f'{log.stem}: --perf-data, history {history}{", counters" if counters else ""}')
        events, groups = forms.perf_events(wanted)
        same(written.pop(12), [(attr, name, (n,)) for n, (attr, name) in enumerate(events, 1)],
             f'{log.stem}: --perf-data: events')
        same(written.pop(17, []), groups, f'{log.stem}: --perf-data: groups of events')
        same(written.pop(28, {}), {'branch_counter_nr': '4', 'branch_counter_width': '2'} if groups else {},
             f'{log.stem}: --perf-data: how to read what LBR entries count')
        same(written, features, f'{log.stem}: --perf-data: features')
    file = f'{folder}/branches.data'
    dsdump('--only', 'bts,lbr', '--perf-data', file, log)
    records, written = perf_file.read(file)
    only = [each for each in found if each[0] != 'pebs']
    same(records, forms.perf_records(only, NoNames()), f'{log.stem}: --perf-data --only bts,lbr')
    ok(15 in written, f'{log.stem}: and the header says that all samples have branch stacks')


# The file's header for perf: the version, the processor by the SDM's CPUID signature, the number of processors.
def features_of(version, family, model, stepping, cpus):
    return {3: 'dstest86', 4: version, 5: version, 6: 'x86_64', 7: (cpus, cpus),
            8: f'Intel family {family} model 0x{model:02x}', 9: f'GenuineIntel,{family},{model},{stepping}',
            11: ['dsdump', '--perf-data'], 14: [(0, 0, 0, '0' if cpus == 1 else f'0-{cpus - 1}')]}


names = NoNames()
logs = {HERE / 'dumps' / f'{name}.log': features_of('0.1.0+862e463a7f96', *machine) for name, machine in {
    'goldencove': (6, 0x8f, 8, 1), 'skylake': (6, 0x5e, 3, 2), 'netburst': (15, 2, 7, 1)}.items()}
logs[every_kind(13)] = features_of('2.0+hand', 16, 0x2a, 5, 4)
# Two boots in a log: the file describes the last.
boots = pathlib.Path(folder) / 'two_boots.log'
boots.write_bytes(b''.join(log.read_bytes() for log in list(logs)[1:3]))
logs[boots] = features_of('0.1.0+862e463a7f96', 15, 2, 7, 2)
for log, features in logs.items():
    found = reader.read(log)
    lines = log.read_text('latin-1').splitlines()
    same(dsdump('--stats', log).splitlines(), forms.stats(found, lines), f'{log.stem}: --stats')
    for form, predict in (('text', forms.text), ('raw', forms.raw), ('script', forms.script), ('branches', forms.branches),
                          ('brstack', forms.brstack)):
        same(dsdump(f'--{form}', log).splitlines(), predict(found, names), f'{log.stem}: --{form}')
    for kind in 'bts', 'pebs', 'lbr':
        only = [each for each in found if each[0] not in {'bts', 'pebs', 'lbr'} - {kind}]
        same(dsdump('--only', kind, '--text', log).splitlines(), forms.text(only, names), f'{log.stem}: --only {kind}')
    rows = list(csv.reader(io.StringIO(dsdump('--csv', log)), strict=True))
    same(rows, forms.csv_rows(found, names), f'{log.stem}: --csv')
    trace = json.loads(dsdump('--trace-json', log))
    same(trace['displayTimeUnit'], 'ns', f'{log.stem}: --trace-json: unit')
    events = trace['traceEvents']
    same([event for event in events if event['ph'] == 'i'], forms.trace_samples(found, names),
         f'{log.stem}: --trace-json: samples')
    same([event for event in events if event['ph'] in 'BE'], forms.trace_branches(found), f'{log.stem}: --trace-json: calls')
    same([(event['pid'], event['name'], event['args']['name'][:4]) for event in events if event['ph'] == 'M'],
         [(1, 'process_name', 'BTS:'), (2, 'process_name', 'PEBS')], f'{log.stem}: --trace-json: processes')
    check_page(log, found)
    check_perf_data(log, found, features)
done()
