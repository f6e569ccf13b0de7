#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The judge of machines (scripts/boots and its modules) must accept correct input and find each planted mistake, one per row: in
records that contradict the model's truth, in boots, in faults, in lines of the tables, in corruptions; and end to end, with a stub
in place of scripts/machine. tests/host/test_log_judge.c has the mistakes in logs."""
import contextlib
import io
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / 'tests/tools'), str(TOP / 'scripts/lib')]
import judge    # noqa: E402
import power    # noqa: E402
import table    # noqa: E402
import tap    # noqa: E402
import truth    # noqa: E402

folder = pathlib.Path(tap.folder)

# ---- records, and the model's truth

SAID = '''\
# test bts.one
# bts 0 0x0000000000201234 sym+0x4 => 0x0000000000201256 sym+0x0
# bts 1 0x0000000000201260 sym+0x4 => 0x0000000000201234 sym+0x0 predicted
# test pebs.one
# pebs 0 ip 0x201300 sym+0x4 eventing_ip 0x2012fc sym+0x0 counters 0x1 tsc 0xffff000012345678
# pebs 0 rax 0x1 rbx 0x2
# pebs 0 data_address 0x203000 cells+0x0 data_source 0x151 |LVL L1 hit|SNP None| latency 4
# pebs 1 eip 0x1300 eax 0x81
# pebs 2 eventing_ip 0x201400 retire_latency 12
# pebs 2 xmm0 0x000000000000abc00000000000000001
# pebs 2 lbr 0 0x1000/0x1008/M/-/-/7/CALL/0123 loop+0x0/loop+0x8
# pebs 2 lbr 1 0x1010/0x1000/P/X/A/0/other
# test lbr.one
# lbr stack tos 5 depth 32
# lbr 0 0x1000/0x1008/P/-/-/7 loop+0x0/loop+0x8
# lbr 1 0x1010/0x1000/P/-/-/7
# lbr stack tos 6 depth 32
# lbr 0 0x1010/0x1000/P/-/-/16
# test lbr.types
# lbr stack depth 8
# lbr 0 0x3001/0x2000/P/-/-/5/RET
# lbr 1 0x3000/0x2000/P/-/-/5/CALL/3213
'''
TRUE = '''\
dsmodel truth 1 profile=skylake
bts vcpu=0 at=0x210000 from=0x201234 to=0x201256 flags=0x0
bts vcpu=0 at=0x210018 from=0x201260 to=0x201234 flags=0x10
pmi vcpu=0 status=0x4000000000000000 lvtpc=0x40 delivered
pebs vcpu=0 at=0x220000 size=200 ip=0x201300 eventing_ip=0x2012fc counters=0x1 tsc=0xffff000012345678 rax=0x1 rbx=0x2 \
data_address=0x203000 data_source=0x151 latency=4
pebs vcpu=0 at=0x2200c8 size=40 eip=0x1300 eax=0x81
pebs vcpu=0 at=0x2200f0 size=376 eventing_ip=0x201400 retire_latency=12 xmm0=0x000000000000abc00000000000000001 \
lbr0=0x1000,0x1008,1,0,0,7,4,0123 lbr1=0x1010,0x1000,0,1,1,0,9
lbr vcpu=0 tos=4 from=0x1010 to=0x1000 mispred=0 in_tsx=0 abort=0 cycles=7
lbr vcpu=0 tos=5 from=0x1000 to=0x1008 mispred=0 in_tsx=0 abort=0 cycles=7
lbr vcpu=0 tos=6 from=0x1010 to=0x1000 mispred=0 in_tsx=0 abort=0 cycles=16
lbr vcpu=0 from=0x3000 to=0x2000 mispred=0 in_tsx=0 abort=0 cycles=5 type=4 events=3213
lbr vcpu=0 from=0x3001 to=0x2000 mispred=0 in_tsx=0 abort=0 cycles=5 type=5 events=0000
'''
FIELDS = [(0, key) for key in 'ip eventing_ip counters tsc rax rbx data_address data_source latency'.split()] + [
    (1, 'eip'), (1, 'eax'), (2, 'eventing_ip'), (2, 'retire_latency'), (2, 'xmm0')]
# The first match of a pattern becomes this text: the complaint.
WRONG_SAID = [
    *((rf'^(# pebs {n} (?:.* )?{key}) \S+', r'\1 0xbad', f'pebs {n}: {key} 0xbad, the truth is 0x') for n, key in FIELDS),
    *((rf'^(# pebs {n} (?:.* )?){key} \S+', r'\1', f'pebs {n}' if key.endswith('ip') else f'pebs {n}: {key} not printed') for n, key in FIELDS),
    ('1260', '1261', 'bts 1: from 0x201261, the truth is 0x201260'), ('1256', '1258', 'bts 0: to 0x201258, the truth is 0x201256'),
    ('^# bts 1.*\n', '', '1 bts records printed, the truth has 2'), ('bts 1', 'bts 2', 'bts record 2 after 0'), ('=>', '->', 'not understood'),
    (' predicted', ' mispredicted', 'bts 1: mispredicted, the truth has flags 0x10'),
    ('^(# bts 0.*)', r'\1 predicted', 'bts 0: predicted, the truth has flags 0x0'),
    ('rbx 0x2', 'rbx 0x2h', 'pebs 0: rbx not printed'), ('rbx 0x2', 'rbx 0x2 rbx 0x2', 'pebs 0: rbx twice'),
    ('rbx 0x2', 'rbx 0x2 tsy 0x1', 'pebs 0: tsy 0x1, the truth is none'),
    *((f'(pebs 2 lbr 0 .*){old}', rf'\g<1>{new}', r'pebs 2: lbr0 \S+.*, the truth is') for old, new in [
        ('0x1000/', '0x1001/'), ('0x1008/', '0x1009/'), ('/M/', '/P/'), ('/-/-/', '/X/-/'), ('/-/-/', '/-/A/'), ('/7/', '/8/'),
        ('/CALL', '/RET'), ('/CALL', ''), ('/0123', '/0122')]),
    ('^# pebs 2 lbr 1.*\n', '', 'pebs 2: lbr1 not printed'), ('lbr 1 0x1010', 'lbr 0 0x1010', 'pebs 2: lbr0 twice'),
    ('(lbr 1 0x1010/0x1000)/P', r'\1/?', 'not understood'),
    *((f'^(# lbr 1 .*){old}', rf'\g<1>{new}', f'lbr stack: entry 1: {key} ') for key, old, new in [
        ('from', '0x1010/', '0x1014/'), ('to', '/0x1000', '/0x1001'), ('mispred', '/P/', '/M/'), ('in_tsx', '/-/-/', '/X/-/'),
        ('abort', '/-/-/', '/-/A/'), ('cycles', '/7', '/8')]),
    ('/-/16', '/-/15', 'entry 0: cycles 0xf, the truth'), ('/5/CALL', '/5/RET', 'entry 1: type RET, the truth is CALL'),
    ('/3213', '/3210', 'entry 1: events 0xc8a, the truth is 0xc8d'), ('/3213', '', 'entry 1: events 0x0, the truth is 0xc8d'),
    ('stack depth', 'stack tos 1 depth', 'no entry left that was written at TOS 1'), ('tos 5 ', '', 'lbr stack: entry 0'),
    ('tos 5', 'tos 7', 'at TOS 7'), ('depth 32', 'depth 32k', 'lbr entry without an "lbr stack" line'),
    ('^(# lbr stack tos 5.*\n.*\n.*\n)(.*\n.*\n)', r'\2\1', 'lbr stack: '),
    ('^(# lbr 1 0x1010.*)', '\\1\n# lbr 2 0x1000/0x1008/P/-/-/7', 'entry 2: the truth has no entry so old'),
    ('^(# lbr 1 0x1010.*)', r'\1\n\1', 'lbr record 1 after 1'), (r'^(# pebs 2 .*\n)+', '', '2 pebs records printed, the truth has 3'),
    ('^(# lbr stack tos 6.*)', '# lbr stack tos 1 depth 32\n# lbr 0 0x1/0x2/P/-/-/7\n' * 4 + r'\1', 'lbr stack: not compared'),
]
WRONG_TRUE = [
    *((rf'(size={(200, 40, 376)[n]} (?:.* )?){key}=\S+', r'\1', rf'pebs {n}: {key} 0x\w+, the truth is none') for n, key in FIELDS),
    ('1256', '1258', 'bts 0: to 0x201256, the truth is 0x201258'), ('^bts.*\n', '', '2 bts records printed, the truth has 1'),
    ('flags=0x10', 'flags=0x100', 'bts 1: predicted, the truth has flags 0x100'), (' flags=0x10', '', 'the truth has flags none'),
    ('^pebs.*\n', '', '3 pebs records printed, the truth has 2'), ('tsc=', 'tsk=', 'pebs 0: tsk not printed'),
    (r' lbr1=\S+', '', r'pebs 2: lbr1 .*, the truth is none'), (' type=4', '', 'entry 1: type CALL, the truth is -'),
    (' cycles=5', '', 'entry 1: cycles 0x5, the truth is 0x0'), (' mispred=0(.*type=4)', r'\1', 'entry 1: mispred 0x0, the truth is -'),
    ('^lbr.*tos=4.*\n', '', 'entry 1: '), ('(?s).+', '', 'no "dsmodel truth 1" line'),
    *(('^.*', first, 'no "dsmodel truth 1" line') for first in ('dsmodel truth 2', 'dsmodel truth 10', 'a dsmodel truth 1')),
    ('^bts', 'btsx', 'truth line 2 is not understood'), (' to=', ' to ', 'truth line 2 is not understood'),
    ('^pmi', 'pmis', 'truth line 4 is not understood'), ('^pebs', 'pebs-more', 'truth line 5 is not understood'),
]


def complaints(said, true):
    return '; '.join(truth.compare(said.splitlines(), true.splitlines())[1])


tap.same(truth.compare(SAID.splitlines(), TRUE.splitlines()),
         ('compared 2 bts and 3 pebs records and 3 lbr stacks with the truth', []), 'correct records')
for rows, text, where in (WRONG_SAID, SAID, 'printed'), (WRONG_TRUE, TRUE, 'truth'):
    for pattern, new, complaint in rows:
        changed, count = re.subn(pattern, new, text, count=1, flags=re.M)
        got = complaints(changed, TRUE) if rows is WRONG_SAID else complaints(SAID, changed)
        tap.ok(count and re.search(complaint, got), f'{where}: {complaint}', got)
tap.same(complaints(SAID, TRUE + 'pebs-dropped vcpu=0 ip=0x1\n'), '', 'a dropped record does not count as a record')
tap.same(complaints('', 'dsmodel truth 1\n'), 'no record was printed', 'no record to compare')
for key in 'ip', 'eip', 'eventing_ip':    # on each processor, the numbers begin with 0
    tap.same(complaints(f'# pebs 0 {key} 0x1\n# pebs 0 {key} 0x2', f'dsmodel truth 1\npebs vcpu=0 at=0 size=9 {key}=0x1\npebs vcpu=1 at=9 size=9 {key}=0x2'),
             '', f'two records with the number 0, which begin with {key}')


def ring(said, starts, kept, place, between=()):
    """A test with a buffer of three records for the branches from `starts`: it prints those at `kept`. Then a test with one."""
    lines = [f'bts vcpu=0 at={0x1000 + i % 3 * 24 if i else place:#x} from={start:#x} to=0x10 flags=0x0' for i, start in enumerate(starts)]
    lines[3:3] = between
    printed = [f'# bts {n} {starts[i]:#x} => 0x10' for n, i in enumerate(kept)]
    return complaints('\n'.join(['# test bts.ring', said, *printed, '# test bts.one', '# bts 0 0x200 => 0x10']),
                      '\n'.join(['dsmodel truth 1', *lines, 'bts vcpu=0 at=0x1000 from=0x200 to=0x10 flags=0x0']))


STRAIGHT, LOOP, PMI = list(range(0x100, 0x107)), [0x100] * 7, ['pmi vcpu=0 status=0x0 lvtpc=0x40 delivered']
CIRCULAR, UNDRAINED = '# bts buffer circular: only the newest', '# bts buffer undrained: interrupts are off'
for said in CIRCULAR, UNDRAINED:
    for starts, kept, complaint in [(STRAIGHT, [4, 5, 6], ''), (LOOP, [4, 5, 6], ''), (STRAIGHT, [3, 4, 5], '4 bts records printed, the truth has 5'),
                                    (STRAIGHT, [5, 6], '3 bts records printed, the truth has 8'), (STRAIGHT, [4, 6, 5], 'records printed, the truth has')]:
        got = ring(said, starts, kept, 0x1000)
        tap.ok(complaint in got if complaint else not got, f'{said}: {kept} of {starts}', got)
tap.same(ring(UNDRAINED, STRAIGHT, [4, 5, 6], 0x1000, PMI), '', 'an interrupt does not drain an undrained buffer')
for said, place, between in [(CIRCULAR, 0x1000, PMI), (CIRCULAR, 0x2000, []), ('# no # bts buffer circular: kept', 0x1000, []), ('', 0x1000, []),
                             (f'{CIRCULAR}\n# test bts.other', 0x1000, [])]:
    tap.ok('4 bts records printed, the truth has 8' in ring(said, STRAIGHT, [4, 5, 6], place, between),
           f'records that were not overwritten: {said} {place:#x} {between}')

# A call stack. The second call returned; the third overwrote its entry and called the fourth, which also returned.
CALLS = [(7, 0x10, 0x100), (0, 0x104, 0x200), (0, 0x108, 0x300), (1, 0x304, 0x200)]
STACK = '# lbr as a call stack: a return removes its call'
for said, entries, complaint in [
        (STACK, [2, 0], ''), (STACK, [0, 2], 'lbr stack: '), ('', [2, 0], 'lbr stack: entry 1'), (f'{STACK}\n# test lbr.two', [2, 0], 'lbr stack: entry 1'),
        ('# no lbr as a call stack: this', [2, 0], 'lbr stack: entry 1'), (STACK, [2, 1], 'lbr stack: entry 1')]:
    for tos in (False, True) if entries != [2, 1] else (True,):
        printed = [f'# lbr {n} {CALLS[i][1]:#x}/{CALLS[i][2]:#x}/P/-/-/1' for n, i in enumerate(entries)]
        lines = [f'lbr vcpu=0 {f"tos={at} " if tos else ""}from={start:#x} to={to:#x} mispred=0 in_tsx=0 abort=0 cycles=1' for at, start, to in CALLS]
        got = complaints('\n'.join(['# test lbr.one', said, f'# lbr stack {"tos 0 " if tos else ""}depth 8', *printed]),
                         '\n'.join(['dsmodel truth 1', *lines]))
        tap.ok(complaint in got if complaint else not got, f'a call stack: {said} {entries} {tos}', got)

# ---- a boot and its row

LOST, ZERO, OTHER = (f'violation vcpu=0 rip=0x20{n}000 {name}: why [SDM]' for n, name in enumerate(['pmi-lost', 'ds-area-zero', 'lvtpc-masked']))
VIOLATIONS = {'pmi.lost': ['pmi-lost'], 'forbidden.zero': ['ds-area-zero'], 'forbidden.zero_too': ['ds-area-zero'],
              'forbidden.two': ['ds-area-zero', 'lvtpc-masked']}
STATUS = {verdict: status for status, verdict in judge.VERDICT_OF_STATUS.items()}
BOTH = ['bts.one', 'pmi.lost']
TRUTH = ['dsmodel truth 1 profile=skylake', 'bts vcpu=0 at=0x210000 from=0x201234 to=0x201256 flags=0x0']
PANICKED = ['# begin dstest86 0.1.0 abc 64', '# panic vector 3', '# end dstest86 verdict=panic pass=0 fail=0 skip=0 error=0 differs=0']


def log_of(tests):
    """A log of these tests (ID for a pass, or "RESULT ID"), with the table, reasons and end that follow from them."""
    results = [('pass ' + test).split()[-2:] for test in tests]
    lines, reasons, areas, bts = ['# test bts.one', '# bts 0 0x0000000000201234 a+0x4 => 0x0000000000201256 b+0x0'], [], {}, 'not selected'
    for number, (result, test) in enumerate(results, 1):
        bad = result in ('fail', 'error')
        lines += ['# differs: a cycle'] * (result == 'differs')
        lines.append(f'{"not " * bad}ok {number} {test}' + {'error': ' # ERROR no plan', 'skip': ' # SKIP no APIC'}.get(result, ''))
        reasons += [f'# {result} {test}: said above'] * (bad or result == 'differs')
        areas.setdefault(test.split('.')[0], []).append(result)
        if test.startswith('bts'):
            bts = 'fail 1 of 1' if bad else 'none: no BTS' if result == 'skip' else 'pass 1 of 1'
    order = 'pass differs fail skip error'.split()
    count = {name: sum(result == name for result, _ in results) for name in order}
    verdict = 'error' if count['error'] else 'fail' if count['fail'] else 'pass'
    return ['# begin dstest86 0.1.0 abc 64', f'1..{len(results)}', *lines, f'# area {" ".join(order)}',
            *(f'# area {area} {" ".join(str(of.count(name)) for name in order)}' for area, of in sorted(areas.items())), *reasons,
            f'# facility bts {bts}', '# facility pebs not selected', '# facility lbr not selected',
            f'# end dstest86 verdict={verdict} ' + ' '.join(f'{name}={count[name]}' for name in 'pass fail skip error differs'.split())]


PASS, REFUSED = '64 pvh skylake pass', '64 pvh skylake refused : unknown width'
ALL = PASS + ' records=all'
RAISED = [LOST, ZERO, ZERO]
GONE = {'serial': [], 'truth': None, 'violations': None, 'status': 1, 'stderr': ['machine: unknown width']}    # of a refusal
# The line, what is in the place of a right boot, and the problems.
for line, given, *right in [
        (ALL + ' : # test bts.one', {}), ('64 uefi skylake pass', {}), ('64 pvh skylake fail', {'tests': ['fail bts.one', 'pmi.lost']}),
        ('64 pvh skylake error', {'tests': ['error bts.one', 'pmi.lost']}),
        (PASS, {'serial': [f'\033[2J\033[01;01H{line}\r' for line in log_of(BOTH)]}),
        # the verdict
        (PASS, {'tests': ['fail bts.one', 'pmi.lost']}, 'verdict fail, expected pass', 'not ok: bts.one'),
        ('64 pvh skylake fail', {}, 'verdict pass, expected fail'), ('64 pvh skylake panic', {'serial': PANICKED, 'violations': []}),
        (PASS, {'serial': PANICKED, 'violations': []}, 'verdict panic, expected pass'),
        (PASS, {'status': 35}, "QEMU's exit status 35 says fail, the log says pass"),
        *((PASS, {'status': status}, f"QEMU's exit status {status} is not a verdict") for status in (0, 1, 43, 139)),
        (PASS + ' exit=none', {'status': 0}), ('64 pvh skylake fail exit=none', {'status': 0}, 'verdict pass, expected fail'),
        (PASS + ' exit=none', {'status': 1}, "QEMU's exit status 1 is not a verdict"),
        # what differs from the typical
        (PASS, {'tests': ['differs bts.one', 'pmi.lost']}, 'differs: a cycle', 'differs bts.one: said above'),
        (PASS + ' : said above & a cycle', {'tests': ['differs bts.one', 'pmi.lost']}),
        (PASS + ' : said above', {'tests': ['differs bts.one', 'pmi.lost']}, 'differs: a cycle'),
        (PASS + ' latitude=5', {'tests': ['differs bts.one', 'pmi.lost']}),
        ('64 pvh none pass', {'tests': ['differs bts.one', 'pmi.lost'], 'violations': None}),
        # the log, the texts, stderr
        (PASS, {'serial': ['BdsDxe: failed'], 'violations': [], 'status': 33}, 'no "# begin dstest86" line: not a log of dstest86, or its beginning is missing',
         "QEMU's exit status 33 says pass, the log says nothing", 'verdict none, expected pass'),
        (PASS, {'serial': [line.replace('1..2', '1..3') for line in log_of(BOTH)]}, 'the plan has 3 tests, 2 were reported'),
        (PASS, {'serial': log_of(BOTH)[:-1], 'status': 33}, 'no "# end dstest86" line: the log is cut short',
         "QEMU's exit status 33 says pass, the log says nothing", 'verdict none, expected pass'),
        ('32 pvh skylake pass', {}, 'the 64-bit kernel started'),
        (PASS, {'serial': [line.replace('abc 64', 'abc 32') for line in log_of(BOTH)]}, 'the 32-bit kernel started'),
        (PASS + ' : # test bts.two & pmi.lost', {}, 'neither the log nor stderr contains "# test bts.two"'),
        (PASS + ' : lacks (it)', {'stderr': ['dsmodel: QEMU lacks (it).']}),
        (PASS + ' : lacks it', {'stderr': ['dsmodel: QEMU lacks it', 'and more']}, 'stderr: and more'),
        # what the referee reports
        (PASS, {'violations': []}, 'the referee did not report pmi-lost'), (PASS, {'violations': None}, 'the model wrote no violations file'),
        (PASS, {'violations': [LOST, OTHER]}, OTHER),
        (PASS, {'violations': [LOST, 'BTS on cpu 0: 1 record, 0 PMIs', 'pmi-lost on cpu 1: 100 reports, 7 more omitted',
                               'refused vcpu=0 rip=0x1 wrmsr 0xc5: IA32_PMC4 0x0 is absent']}),
        (PASS, {'violations': ['advice vcpu=0 rip=0x1 unaligned: an area [SDM]', LOST]}),
        (PASS, {'violations': [LOST.replace('violation', 'advice')]}, 'the referee did not report pmi-lost'),
        (PASS, {'tests': ['bts.one', 'skip pmi.lost']}, LOST), (PASS, {'tests': ['pmi.lost_not', 'bts.one']}, LOST),
        ('64 pvh skylake fail', {'tests': ['bts.one', 'fail pmi.lost']}),
        (PASS, {'tests': BOTH + ['forbidden.zero', 'forbidden.zero_too'], 'violations': RAISED}),
        (PASS, {'tests': BOTH + ['forbidden.zero', 'forbidden.zero_too'], 'violations': RAISED[:2]}),
        (PASS, {'tests': BOTH + ['forbidden.zero', 'forbidden.zero_too'], 'violations': RAISED + [ZERO]}, ZERO),
        (PASS, {'tests': ['bts.one', 'forbidden.two'], 'violations': [ZERO]}, 'the referee did not report lvtpc-masked'),
        (PASS + ' quirk=no_apic', {'violations': [OTHER]}),
        # the truth
        (ALL, {'truth': None}, 'the model wrote no truth log'), (PASS + ' dump=raw', {'truth': None}, 'dsdump cannot read the dump', 'the model wrote no truth log'),
        (PASS, {'truth': TRUTH[:1]}),
        (ALL, {'truth': [TRUTH[0], TRUTH[1].replace('1256', '1258')]}, 'line 4 (bts.one): bts 0: to 0x201256, the truth is 0x201258'),
        ('64 pvh none pass records=all', {'truth': None, 'violations': None}),
        # no end, and refusals
        (PASS, {'killed': 9, 'serial': ['# begin', 'here']}, 'timed out after 9 seconds; the last line is: here'),
        ('64 pvh skylake refused : width', GONE | {'killed': 9}, 'timed out after 9 seconds; the last line is: none'),
        (REFUSED, GONE), (REFUSED, GONE | {'status': 2}), *((REFUSED, GONE | {'status': status}, f'status {status}, not a refusal') for status in (0, 33, 139)),
        (REFUSED, GONE | {'serial': ['SeaBIOS']}, 'the machine started'),
        (REFUSED + ' & unknown route', GONE, 'the refusal does not contain "unknown route"'),
        (REFUSED, GONE | {'stderr': []}, 'one line of errors expected, got 0', 'the refusal does not contain "unknown width"'),
        (REFUSED, GONE | {'stderr': ['unknown width', 'usage']}, 'one line of errors expected, got 2')]:
    files = {'serial': log_of(given.get('tests', BOTH)), 'stderr': [], 'truth': TRUTH, 'violations': [LOST]} | given
    shutil.rmtree(folder / 'boot', ignore_errors=True)
    for name in 'serial', 'stderr', 'truth', 'violations':
        if files[name] is not None:
            tap.write(folder / 'boot' / name, ''.join(f'{line}\n' for line in files[name]))
    row, = table.read_cases(tap.write(folder / 'cases', line + '\n'))
    row.folder = folder / 'boot'
    verdict = next((match[1] for line in files['serial'] if (match := re.search('verdict=(\\w+)', line))), None)
    table.read_violations = lambda: VIOLATIONS
    wrong, _ = judge.problems(row, files.get('status', STATUS.get(verdict)), files.get('killed'))
    tap.same(wrong, right, f'{line}: {right or "right"}')

for kind in 'core', 'atom', 'atom2', 'kind3':
    tap.same(list(judge.violation_problems({f'pmi.lost.{kind}': 'pass'}, [LOST])), [], f"a test of a hybrid's kind: {kind}")
tap.same(judge.results_in(['# differs: a', 'ok 1 a.b', 'ok 2 a.c # SKIP no', 'ok 3 a.d # SKIPPED', 'not ok 4 a.e # ERROR no', 'not ok 5 a.f',
                           'ok 6 a.g and more', ' ok 7 a.h', '# ok 8 a.i', '# an # end dstest86 verdict=skip', '# end dstest86 verdict=pass pass=1',
                           '# end dstest86 verdict=fail']),
         ({'a.b': 'differs', 'a.c': 'skip', 'a.d': 'pass', 'a.e': 'error', 'a.f': 'fail'}, 'pass'), 'results in a log')


# dsdump, which reads the dump and judges the log: its text of the records, its status, and what it says.
def dsdump_says(status, out, said):
    program = f"cat <<'END'\n{out}\nEND\n[ $1 = --text ] || cat >&2 <<'END'\n{said}\nEND\nexit {status}\n"
    judge.DSDUMP = tap.write(folder / 'dsdump', f'#!/bin/sh\n{program}')
    judge.DSDUMP.chmod(0o755)
    return judge.judged('log'), judge.with_records('log', LEFT)


OWN = judge.DSDUMP
BTS, LBR = '# test bts.one\n# bts 0 0x3 => 0x4', '# test lbr.two\n# lbr stack depth 8'
FAILED, LEFT = ['dsdump failed: said\n; run make tools'], ['begin', '# test bts.one', '# bts 0 0x1 => 0x2', '# a', '# test lbr.two', '# b']
for status, out, said, judged, lines, *wrong in [
        (0, f'head\n{BTS}\n{LBR}', '', (0, []), [*LEFT[:2], '# a', '# bts 0 0x3 => 0x4', *LEFT[4:], '# lbr stack depth 8']),
        (0, f'head\n{LBR}', 'dsdump: log: advice', (0, []), [*LEFT, '# lbr stack depth 8']),
        (0, f'head\n{LBR}\n{BTS}', '', (0, []), [*LEFT, '# lbr stack depth 8'],
         'the log has no test bts.one where the dump has records of it'),
        (1, '', '', (1, []), [], 'dsdump cannot read the dump'), (2, '', 'dsdump: log: line 7: x\ny', (2, ['x']), [], 'dsdump cannot read the dump'),
        (2, '', '', (2, ['dsdump calls the log unusable']), [], 'dsdump cannot read the dump'),
        *((failed, '', 'said', (2, FAILED), [], 'dsdump cannot read the dump') for failed in (126, 127, 139)),
        (134, '', '', (134, []), [], 'dsdump cannot read the dump')]:
    tap.same(dsdump_says(status, out, said), (judged, (lines, wrong)), f'dsdump ends with status {status}: {wrong}')
judge.DSDUMP = OWN

# ---- a fault and its row

HEALTHY = {'lbr.tos': 'pass', 'lbr.calls': 'pass', 'bts.calls': 'pass', 'pebs.one': 'skip'}
for globs, tests, how, *right in [
        ('lbr.*', ['fail lbr.tos', 'error lbr.calls'], ''), ('lbr.* ~bts.calls', ['fail lbr.tos', 'fail lbr.calls', 'differs bts.calls'], ''),
        ('bts.calls', ['differs bts.calls'], '', 'bts.calls: differs instead of fail', 'noticed by: bts.calls'),
        ('lbr.tos ~lbr.*', ['differs lbr.tos', 'fail lbr.calls'], '', 'lbr.calls: fail instead of differs', 'noticed by: lbr.calls lbr.tos'),
        ('panic', ['lbr.tos'], 'panic'), ('lbr.tos', ['lbr.tos'], 'panic', 'the kernel panicked', 'did not notice: lbr.tos', 'noticed by: none'),
        ('lbr.tos bts.calls', ['fail lbr.tos', 'bts.calls'], '', 'did not notice: bts.calls', 'noticed by: lbr.tos'),
        ('lbr.tos bts.calls', ['fail lbr.tos'], '', 'did not notice: bts.calls', 'noticed by: lbr.tos'),
        ('lbr.tos', ['lbr.tos'], '', 'did not notice: lbr.tos', 'noticed by: none'),
        ('lbr.tos no.such', ['fail lbr.tos'], '', 'matches no test that runs there: no.such', 'noticed by: lbr.tos'),
        ('lbr.tos pebs.*', ['fail lbr.tos', 'fail pebs.one'], '', 'matches no test that runs there: pebs.*', 'noticed by: lbr.tos'),
        ('lbr.tos', ['fail lbr.tos'], 'panic', 'the kernel panicked', 'noticed by: lbr.tos'),
        ('panic lbr.tos', ['fail lbr.tos'], '', 'the kernel did not panic', 'noticed by: lbr.tos'),
        ('lbr.tos', ['fail lbr.tos'], 'cut', 'the kernel printed no verdict'), ('lbr.tos', ['fail lbr.tos'], 'killed', 'timed out after 9 seconds')]:
    log = '\n'.join(log_of(tests))
    log = re.sub('verdict=\\w+', 'verdict=panic', log) if how == 'panic' else re.sub('# end.*', '', log) if how == 'cut' else log
    row, = table.read_faults(tap.write(folder / 'faults', f'bts.threshold.ignored skylake : {globs}\n'))
    row.folder = tap.write(folder / 'boot/serial', log).parent
    wrong, _, caught = judge.fault_problems(row, *judge.results_in(judge.read_lines(row.folder / 'serial')), 9 if how == 'killed' else None, HEALTHY)
    tap.same((wrong, caught), (right, 'noticed by: none' not in right), f'{globs}, {tests} {how}')
tap.same(table.matching(['a.*', 'b', 'c*d'], ['a.1', 'a.2', 'xa.3', 'bb']), ({'a.1', 'a.2'}, ['b', 'c*d']), 'globs')

# ---- the lines of the tables

KNOWN = [('core2', '32'), ('core2', '64')]


def names(*lines):
    return [row.name for row in table.read_cases(tap.write(folder / 'cases', '\n'.join(lines)), KNOWN)]


everything = table.read_cases()
tap.same(table.unbooted(table.machines(), everything), [], 'cases has a line for each kernel and profile')
for more in *(f'{word}' for word in 'run=bts.* skip=lbr.* quirk=no_apic latitude=7 cores=E fault=x firmware=lvt'.split()), '-- -smp 2':
    rows = table.read_cases(tap.write(folder / 'cases', f'64 pvh core2 pass records=all {more}'), KNOWN)
    tap.same(table.unbooted(KNOWN[1:], rows), KNOWN[1:], f'does not run all tests: {more}')
tap.same(names('64 pvh  *    pass records=all', '32 uefi core2 pass'), ['64 pvh core2 pass records=all', '32 uefi core2 pass'], 'profile *: each machine')
tap.same(names('64 pvh * pass records=all', '64 uefi core2 pass records=all'), ['64 uefi core2 pass records=all'], '... that no other line boots')
tap.same(names('64 pvh core2 pass run=VIOLATION'), [f'64 pvh core2 pass run={test}' for test in VIOLATIONS], 'run=VIOLATION: each test')
sampled = table.sample(everything)
for what, of in (('route', lambda row: row.verdict in ('error', 'refused') or row.route), ('verdict', lambda row: row.verdict),
                 ('profile', lambda row: not table.whole(row) or row.profile)):
    tap.same({of(row) for row in everything} - {of(row) for row in sampled}, set(), f'the sample has every {what}')
records = table.sample(table.read_cases(tap.write(folder / 'cases', '64 pvh core2 pass records=all : a\n64 uefi skylake fail dump=raw exit=none : a')))
tap.same([row.options for row in records], [['records=all'], ['exit=none']], '... and records once for each text')
tap.same(table.variants() & {'icelake', 'tigerlake'}, {'tigerlake'}, 'a profile that is as another')
for line, why in [('64 pvh core2', 'line 1: expected WIDTH ROUTE PROFILE VERDICT'), ('#! one\n#! two\n64 pvh core2 pass', 'line 2: no line between'),
                  ('#! one', 'no line follows the title one'), ('bts.lost skylake', 'line 1: expected FAULT PROFILE'),
                  ('bts.threshold.ignored : x', 'line 1: expected FAULT PROFILE'), ('no.such skylake : x', "line 1: unknown fault 'no.such'"),
                  ('code:a:1:2x skylake : x', "line 1: unknown fault 'code:a:1:2x'"),
                  ('flip:bts:0 skylake : x', "line 1: unknown fault 'flip:bts:0'"),
                  ('bts.threshold.ignored,no.such skylake : x', "line 1: unknown fault 'bts.threshold.ignored,no.such'"),
                  ('bts.threshold.ignored no : x', "line 1: unknown profile 'no'"), ('bts.threshold.ignored skylake : ', 'line 1: no test after')]:
    try:
        (table.read_faults if 'skylake' in line or ' : ' in line else table.read_cases)(tap.write(folder / 'cases', line + '\n'))
        tap.ok(False, f'refused: {why}')
    except table.TableError as error:
        tap.ok(why in str(error), f'refused: {why}', str(error))

# ---- single corruptions (scripts/boots power), and the list of the accepted ones

TESTS = ['bts.one', 'lbr.two', 'ds.four', 'pebs.six']
LINES = ['# test bts.one', '# One', '# differs: a', 'ok 1 bts.one', '# test lbr.two', '# Two', 'not ok 2 lbr.two', '# test pebs.three',
         'ok 3 pebs.three # SKIP no PEBS', '# test ds.four', '# Four', 'not ok 4 ds.four # ERROR no plan', '# test ds.five', 'not ok 5 ds.five',
         '# test pebs.six', '# Six', 'ok 6 pebs.six']
tap.same(power.tests_of(LINES), TESTS, 'the tests that were called')
tap.same(power.outcomes(LINES), {'bts.one': 'differs', 'lbr.two': 'noticed', 'pebs.three': 'unnoticed', 'ds.four': 'by accident',
                                 'ds.five': 'noticed', 'pebs.six': 'unnoticed'}, 'what became of the tests')
tap.same(power.deliveries_of(['0 bts 18', '0 read 1a0', '0 bts 18', '0 read 1d9', '0 bts 18', '0 read 1d9', '0 bts 18', '3 pebs c8'], TESTS), {
    'bts.one': [('bts', 24, 0, 'first'), ('bts', 24, 3, 'last'), ('bts', 24, 2, 'another'), ('read', 0x1d9, 1, 'first'), ('read', 0x1d9, 2, 'last')],
    'pebs.six': [('pebs', 200, 0, 'first')]}, 'the first, last and another delivery of each kind')
FLIPS = [power.Corruption(test, *what) for test, what in zip(TESTS, [
    ('bts', 24, 3, 'last', 'flip', 100, 'to'), ('read', 0x1d9, 2, 'last', 'flip', 40, ''),
    ('pebs', 200, 1, 'another', 'lost', 0, ''), ('write', 0x38f, 0, 'first', 'flip', 7, '')])]
tap.same([power.describe(each) for each in FLIPS], ['bts.one bts 24 bytes to bit 36 flip last', 'lbr.two read 0x1d9 bit 40 flip last',
         'ds.four pebs 200 bytes lost another', 'pebs.six write 0x38f bit 7 flip first'], 'corruptions in words')
tap.same(power.reached(['0 bts 18 changed', '1 read 1d9 changed', '1 overwritten', '2 pebs c8', '3 write 38f changed', '3 same'], FLIPS, TESTS),
         FLIPS[:1], 'corruptions that reached their tests')
chosen = {power.choose(random.Random(seed), 'bts.one', [power.Delivery('bts', 12, 5, 'last')]) for seed in range(2000)}
tap.same({(each.bit, each.field) for each in chosen if each.action == 'flip'},
         {(bit, power.BTS_FIELDS[bit // 32]) for bit in range(96)}, 'each bit of a record of 12 bytes')
tap.same({each.action for each in chosen}, {'flip', 'lost', 'twice', 'swap', 'behind'}, '... and each action')


def judged(accepted, outcomes, whole):
    """The lines of the judge of corruptions that had these outcomes, with a list of accepted ones, and how many failed."""
    tap.write(folder / 'power/tests/qemu/unnoticed', accepted)
    root, power.table.ROOT = power.table.ROOT, folder / 'power'
    try:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            failed = power.judged([('skylake 64', *each) for each in zip(FLIPS, outcomes)], whole)
    except table.TableError as error:
        return str(error)
    finally:
        power.table.ROOT = root
    return [line for line in out.getvalue().splitlines() if not line.startswith('#')] + [failed]


UNSEEN, ACCEPT = 'on skylake 64: no test notices it, and no line of tests/qemu/unnoticed accepts it', r'lbr\.two read 0x1d9 bit 40 flip last'
GOOD = ['ok 1 - every unnoticed corruption is accepted', '1..1', 0]
for accepted, outcomes, whole, right in [
        ('', ['noticed'] * 4, False, GOOD), ('', ['differs', 'by accident', 'noticed', 'noticed'], True, GOOD),
        ('', ['noticed', 'unnoticed', 'noticed', 'unnoticed'], False,
         [f'not ok 1 - {power.describe(FLIPS[1])} {UNSEEN}', f'not ok 2 - {power.describe(FLIPS[3])} {UNSEEN}', '1..2', 2]),
        (f'# why\n\n{ACCEPT} : why\n', ['noticed', 'unnoticed'], True, GOOD),
        (f'{ACCEPT[:-5]} : why\n', ['noticed', 'unnoticed'], False, [f'not ok 1 - {power.describe(FLIPS[1])} {UNSEEN}', '1..1', 1]),
        (f'{ACCEPT[1:]} : why\n', ['noticed', 'unnoticed'], False, [f'not ok 1 - {power.describe(FLIPS[1])} {UNSEEN}', '1..1', 1]),
        (f'{ACCEPT} : why\n', ['noticed'] * 4, False, GOOD),
        (f'{ACCEPT} : why\n', ['noticed'] * 4, True, [f'not ok 1 - {ACCEPT}: this line of tests/qemu/unnoticed accepts nothing', '1..1', 1]),
        *((line, [], False, f'{folder}/power/tests/qemu/unnoticed, line 1: expected TEST KIND PATTERN.. : REASON: {line}')
          for line in (ACCEPT, f'{ACCEPT} : ', 'lbr.two : why', 'lbr.two read : why', 'lbr.two reads .* : why', '.* read .* : why')),
        (''.join(f'{ACCEPT[:-2]}{n} : why\n' for n in range(40)), ['noticed'], False, GOOD),
        (''.join(f'{ACCEPT[:-2]}{n} : why\n' for n in range(41)), ['noticed'], False, 'tests/qemu/unnoticed: 41 patterns, at most 40 are allowed')]:
    tap.same(judged(accepted, outcomes, whole), right, f'power: {accepted.strip()[:60]} {outcomes} {right[-1]}')
with contextlib.redirect_stdout(io.StringIO()) as out:
    power.report([('', FLIPS[1], outcome) for outcome in ['noticed'] * 3 + ['unnoticed', 'differs', 'by accident']] + [('', FLIPS[0], 'unnoticed')])
tap.same([line for line in out.getvalue().splitlines() if '%' in line], ['power bts 0.0 % of 1', 'power lbr 75.0 % of 4'], 'the figures')

# ---- scripts/boots, end to end, by its exit status. The stub ends as the environment variable STUB says, or prints the log of this
# name. With "proven", only the machine with a fault or a corruption fails; with "unproven", the others run one more test; with
# "unlisted", there is one more fault; with "accident", a corruption ends the kernel. With "full", no file can have more than 100 bytes.
STUB = r'''#!/usr/bin/env python3
import os, pathlib, re, signal, sys, time
words = dict(word[2:].split('=', 1) for word in sys.argv if word.startswith('--') and '=' in word)
how, folder = os.environ['STUB'], pathlib.Path(words['folder'])
plan = pathlib.Path(words['flip']).read_text().split('\n')[1] if 'flip' in words else ''
if how in ('proven', 'unproven', 'unlisted', 'accident'):
    how = ('cut' if how == 'accident' else 'fail') if 'fault' in words or 'image' in words or plan else 'more' if how == 'unproven' else 'pass'
if 'flip' in words and how != 'logless':
    pathlib.Path(words['flip'] + '.log').write_text('0 bts 18 changed\n' if plan else '0 bts 18\n')
(folder / 'truth').write_text('dsmodel truth 1\n')
(folder / 'violations').write_text('violation vcpu=0 rip=0x1 pmi-lost: a PMI [SDM]\n' if how == 'violation' else '')
(folder / 'pid').write_text(str(os.getpid()))
if how == 'silent':
    sys.exit(33)
if how == 'deaf':
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
log = pathlib.Path(how)
os.write(1, (log if log.exists() else pathlib.Path('pass')).read_bytes())
if how == 'crash':
    os.kill(os.getpid(), signal.SIGSEGV)
if how in ('hang', 'deaf'):
    time.sleep(100)
sys.exit(0 if how == 'off' else 35 if how == 'fail' else 33)
'''
tree = pathlib.Path(tempfile.mkdtemp(dir=folder))
shutil.copytree(TOP / 'scripts/lib', tree / 'scripts/lib')
shutil.copy(TOP / 'scripts/boots', tree / 'scripts')
(tree / 'build').mkdir()
for name in 'dsdump', 'dstest86-64.elf':
    (tree / 'build' / name).symlink_to(TOP / 'build' / name)
for path, text in {'scripts/machine': STUB, 'build/qemu-ds': '#!/bin/sh\ncase $2 in profiles) echo "skylake 64  S" ;; *) echo "bts.lost  it" ;; esac\n'
                   '[ $2 = profiles ] || [ $STUB != unlisted ] || echo "bts.more  it"\n',
                   'tests/qemu/cases': '64 pvh skylake pass\n64 pvh skylake pass exit=none\n', 'tests/qemu/violations': '',
                   'tests/qemu/faults': 'bts.lost skylake : bts.one\ncheck skylake : bts.one\n', 'Makefile': 'build/%:\n\ttouch $@\n',
                   'tests/qemu/unnoticed': '', 'pass': '\n'.join(log_of(['bts.one'])) + '\n',
                   'fail': '\n'.join(log_of(['fail bts.one'])) + '\n', 'more': '\n'.join(log_of(['bts.one', 'pmi.two'])) + '\n',
                   'plan': '\n'.join(log_of(['bts.one'])).replace('1..1', '1..2') + '\n', 'cut': '\n'.join(log_of(['bts.one'])[:4]) + '\n'}.items():
    tap.write(tree / path, text).chmod(0o755)


def started(how, *words):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    return subprocess.Popen([tree / 'scripts/boots', *words], env={'STUB': how, 'PATH': '/usr/bin:/bin'}, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, preexec_fn=limit if how == 'full' else None)


FIGURES = {'proven': '100.0 % of 2', 'pass': '0.0 % of 2', 'accident': '0.0 % of 0'}
BOOTS, DOWN, LATITUDE, PROVE, POWER = (['pass$'], ['exit=none'], ['latitude', '--seeds=1', 'skylake 64'], ['prove'], ['power', '^skylake 64$'])
for words, how, status in [
        (BOOTS, 'pass', 0), (BOOTS, 'fail', 1), (BOOTS, 'crash', 1), (BOOTS, 'silent', 1), (BOOTS, 'hang', 1), (BOOTS, 'deaf', 1),
        (BOOTS, 'violation', 1), (BOOTS, 'full', 1), (DOWN, 'off', 0), (DOWN, 'crash', 1), (LATITUDE, 'pass', 0), (LATITUDE, 'violation', 0), (LATITUDE, 'fail', 1),
        (LATITUDE, 'crash', 1), (LATITUDE, 'silent', 1), (PROVE, 'proven', 0), (PROVE, 'pass', 1), (PROVE, 'fail', 1), (PROVE, 'silent', 1),
        (PROVE, 'unproven', 1), (PROVE, 'unlisted', 1), (LATITUDE, 'plan', 1),
        (['prove', 'no.such'], 'pass', 1), (POWER, 'proven', 0), (POWER, 'pass', 1), (POWER, 'fail', 1), (POWER, 'silent', 1), (POWER, 'logless', 1),
        (POWER, 'accident', 0)]:
    process = started(how, *words, *['-t1'] * (how in ('hang', 'deaf')))
    out = process.communicate()[0]
    late = how in ('hang', 'deaf')
    tap.ok((process.returncode, 'timed out after 1 seconds' in out) == (status, late), f'boots {" ".join(words)}, {how}: status {status}', out)
    if words is POWER and how in FIGURES:
        tap.like(out, rf'(?m)^power bts {FIGURES[how]}$', '... and the figure')
shutil.rmtree(tree / 'build/test')
process = started('hang', *BOOTS)
pid = tree / 'build/test/01-64-pvh-skylake/pid'
while not pid.exists() or not pid.read_text():
    time.sleep(0.05)
process.terminate()
out = process.communicate()[0]
stat, late = pathlib.Path('/proc', pid.read_text(), 'stat'), time.monotonic() + 10
while stat.exists() and ' Z ' not in stat.read_text() and time.monotonic() < late:
    time.sleep(0.05)
tap.ok(process.returncode == 130 and time.monotonic() < late, 'a signal ends the machines', f'{process.returncode} {out}')
tap.done()
