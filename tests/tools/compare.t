#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# dsdump --compare: its output for two short logs and for two boots, accepted differences, the page, and each error.
import os
import re
import subprocess

from tap import HERE, done, folder, ok, run, same

os.chdir(folder)
LOG = '''# begin dstest86 0.1.0 abc 64
# cpu GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 Skylake
# cpu physical 40 bits
# bts records of 24 bytes
KTAP version 1
1..5
# test bts.calls
# Calls are stored in order
# bts 0 0x0000000000201234 main+0x234 => 0x0000000000201000 main+0x0
# bts 1 0x0000000000201300 => 0x0000000000201000 main+0x0 predicted
# 29 more BTS records (records=all prints them)
ok 1 bts.calls
# test lbr.tos
# lbr stack tos 5 depth 32
# lbr 0 0x201234/0x201256/P/-/-/7 main+0x234/-
# lbr stack tos 6 depth 32
# lbr 0 0x201234/0x201256/M/-/-/7/JCC
# 24 more LBR entries (records=all prints them)
# wrong: got 11 records
# more records, because the test did not pass:
# lbr stack 1 goes on
# lbr 8 0x201300/0x201320/P/-/-/5
# lbr stack 2 goes on
# lbr 8 0x201340/0x201360/P/-/-/6
not ok 2 lbr.tos
# test pebs.loads
# pebs 0 ip 0x201238 main+0x238 eventing_ip 0x201234 main+0x234 counters 0x1 tsc 0x10
# pebs 0 data_address 0x300040 row+0x40 data_source 0x21 |LVL L1 or L1 hit|SNP None|TLB L1 or L2 hit|LCK Yes| latency 4
# pebs 0 lbr 0 0x201234/0x201256/P/-/-/7 main+0x234/main+0x256
# pebs 1 ip 0x201238 main+0x238 eventing_ip 0x201234 main+0x234 counters 0x1 tsc 0x20
# differs: the latency is 4
ok 3 pebs.loads
# test measure.memory.64k
# measure memory size 65536 steps 32768 samples 254 weight 3076
# measure level size 65536 level "L2 or L2 hit" overhead 9870 samples 253
# measure level size 65536 level "L1 or L1 hit" overhead 130 samples 1
# dsdump/1 0 head AAAA
ok 4 measure.memory.64k
ok 5 bts.cpl.off_os # SKIP no BTS by privilege level
# differs pebs.loads: the latency is 4
# facility bts pass 1 of 2
# end dstest86 verdict=fail pass=3 fail=1
'''
LINES = LOG.splitlines(True)


def write(name, text):
    with open(name, 'w') as file:
        file.write(text)


def changed(*changes):
    """The log after changes (BEFORE, AFTER), each in the first line that has BEFORE."""
    lines = list(LINES)
    for before, after in changes:
        at = next(n for n, line in enumerate(lines) if before in line)
        lines[at] = lines[at].replace(before, after)
    return ''.join(lines)


def compare(*words):
    return run('--compare', *words)


def sums(alike, different=0, tests=0, accepted=0):
    return f'the same {alike}, different {different} in {tests} tests, accepted {accepted}\n'


def shown(first, second, *words):
    """(status, what is printed between the names of the logs and the sums, errors)."""
    status, out, said = compare(first, second, *words)
    found = re.fullmatch(fr'A {first}\nB {second}\n(.*?)the same \d+, different \d+ in \d+ tests, accepted 0\n', out,
                         re.S)
    return status, found[1] if found else out, said


write('a', LOG)
write('crlf', LOG.replace('\n', '\r\n'))
for name in 'a', 'crlf':
    same(compare('a', name), (0, f'A a\nB {name}\n' + sums(73), ''), f'the log and {name}')

BEFORE, TOS = 'verdict=fail pass=3 fail=1', 'lbr stack {} entry {}: {} | {}'
CASES = [    # the change, the place where it is shown, and its line
    ('model 5e', 'model 9e', 'machine', 'cpu: GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 Skylake | '
     'GenuineIntel family 6 model 9e stepping 3 signature 0x000506e3 Skylake'),
    ('physical 40', 'physical 46', 'machine', 'cpu (2): physical 40 bits | physical 46 bits'),
    ('# cpu physical', '# cpu something new\n# cpu physical', 'machine', 'only in B: cpu (2): something new'),
    ('ok 1', 'not ok 1', 'bts.calls', 'result: pass | fail'),
    ('ok 1 bts.calls', 'ok 1 bts.calls # SKIP no BTS: why', 'bts.calls', 'result: pass | skip: no BTS: why'),
    ('level\n', 'ring\n', 'bts.cpl.off_os', 'result: skip: no BTS by privilege level | skip: no BTS by privilege ring'),
    ('not ok 2 lbr.tos', 'not ok 2 lbr.tos # ERROR', 'lbr.tos', 'result: fail | error'),
    ('not ok 2 lbr.tos', 'not ok 2 lbr.tos # TIMEOUT', 'lbr.tos', 'result: fail | error'),
    ('0x0000000000201300', '0x0000000000201301', 'bts.calls', 'bts 1 from: 0x0000000000201300 | 0x0000000000201301'),
    ('main+0x234 =>', 'main+0x235 =>', 'bts.calls', 'bts 0 from: main+0x234 | main+0x235'),
    ('main+0x0\n', 'main+0x1\n', 'bts.calls', 'bts 0 to: main+0x0 | main+0x1'),
    ('main+0x0 predicted', 'predicted', 'bts.calls', 'bts 1 to: main+0x0 | 0x0000000000201000'),
    ('predicted', 'mispredicted', 'bts.calls', 'bts 1 prediction: predicted | mispredicted'),
    ('29 more', '28 more', 'bts.calls', 'BTS records not_printed: 29 | 28'),
    (LINES[9], '', 'bts.calls', 'only in A: bts 1 from: 0x0000000000201300\n  only in A: bts 1 prediction: predicted\n'
     '  only in A: bts 1 to: main+0x0'),
    ('tos 6', 'tos 7', 'lbr.tos', 'lbr stack 2 tos: 6 | 7'),
    ('/M/', '/P/', 'lbr.tos', 'lbr stack 2 entry 0 prediction: M | P'),
    ('/7 main+0x234/-', '/8 main+0x234/-', 'lbr.tos', 'lbr stack 1 entry 0 cycles: 7 | 8'),
    ('24 more LBR', '23 more LBR', 'lbr.tos', 'lbr stack 2 not_printed: 24 | 23'),
    ('-/5\n', '-/4\n', 'lbr.tos', 'lbr stack 1 entry 8 cycles: 5 | 4'),
    ('-/6\n', '-/4\n', 'lbr.tos', 'lbr stack 2 entry 8 cycles: 6 | 4'),
    ('/JCC', '/RET', 'lbr.tos', 'lbr stack 2 entry 0 kind: JCC | RET'),
    ('0x201256/P', '0x201257/P', 'lbr.tos', 'lbr stack 1 entry 0 to: 0x201256 | 0x201257'),
    ('main+0x234/-', 'main+0x236/-', 'lbr.tos', 'lbr stack 1 entry 0 from: main+0x234 | main+0x236'),
    ('wrong: got 11', 'wrong: got 12', 'lbr.tos', 'wrong: got 11 records | got 12 records'),
    ('got 11', 'got \33[2J', 'lbr.tos', 'wrong: got 11 records | got ?[2J records'),
    ('differs: the latency is 4', 'differs: the latency is 5', 'pebs.loads',
     'differs: the latency is 4 | the latency is 5'),
    ('counters 0x1', 'counters 0x2', 'pebs.loads', 'pebs 0 counters: 0x1 | 0x2'),
    ('eventing_ip 0x201234 main+0x234', 'eventing_ip 0x201235 main+0x235', 'pebs.loads',
     'pebs 0 eventing_ip: main+0x234 | main+0x235'),
    ('0x21 ', '0x22 ', 'pebs.loads', 'pebs 0 data_source: 0x21 | 0x22'),
    ('latency 4\n', 'latency 5\n', 'pebs.loads', 'pebs 0 latency: 4 | 5'),
    ('7 main+0x234/main+0x256', '9 main+0x234/main+0x256', 'pebs.loads', 'pebs.lbr 0 entry 0 cycles: 7 | 9'),
    ('weight 3076', 'weight 3077', 'measure.memory.64k', 'measure memory size 65536 weight: 3076 | 3077'),
    ('overhead 130', 'overhead 131', 'measure.memory.64k',
     'measure level size 65536 level "L1 or L1 hit" overhead: 130 | 131'),
    ('bts pass 1', 'bts pass 2', 'run', 'facility bts: pass 1 of 2 | pass 2 of 2'),
    ('bts pass 1 of 2', 'bts', 'run', 'facility bts: pass 1 of 2 | '),
    ('verdict=fail', 'verdict=pass', 'run', f'end: {BEFORE} | verdict=pass pass=3 fail=1'),
    ('# facility', '# error: cpu 2 does not respond\n# facility', 'run',
     'only in B: error: cpu 2 does not respond'),
    ('0x0000000000201234', '0x0000000000301234', '', ''),    # not compared: the line has a symbol
    ('Calls are stored', 'Calls come', '', ''), ('AAAA', 'BBBB', '', ''),
]
for before, after, test, line in CASES:
    write('b', changed((before, after)))
    wanted = f'{test}\n  {line}\n' if test else ''
    same(shown('a', 'b'), (int(bool(wanted)), wanted, ''), f'{test}: {line}')
    swapped = re.sub('only in ([AB])', lambda found: f'only in {"BA"[found[1] == "B"]}',
                     re.sub(r'^(  .*?: )(.*) \| (.*)$', r'\1\3 | \2', wanted, flags=re.M))
    same(shown('b', 'a')[1], swapped, 'the same, with the logs exchanged')
write('b', changed(('tsc 0x10', 'tsc 0x11'), ('tsc 0x20', 'tsc 0x21')))
same(shown('a', 'b'), (1, 'pebs.loads\n  pebs 0 tsc: 0x10 | 0x11\n    and 1 more differ in pebs.tsc\n', ''),
     'two records')

# A log that breaks off during a test or after it, and a log with a panic: patterns cannot accept these.
write('accept', '* *\n')
write('b', changed((LINES[-2], ''), (LINES[-1], '')))
BROKEN = ('dsdump: b: the log breaks off: there is no line "# end dstest86"; only what came before it is compared\n')
same(shown('a', 'b'), (1, f'run\n  only in A: end: {BEFORE}\n  only in A: facility bts: pass 1 of 2\n', BROKEN),
     'breaks off')
same(compare('b', 'b', '--accept', 'accept')[::2], (1, BROKEN * 2), 'both logs break off')
write('b', ''.join(LINES[:21]) + '# panic vector 14\n# panic ip 0x1\n# end dstest86 verdict=panic\n')
write('accept', '[!r]* *\nrun facility\nrun end\n')
status, out, said = compare('a', 'b', '--accept', 'accept')
same((status, said), (1, ''), 'a panic')
ok(out.startswith('A a\nB b\nrun\n  only in B: panic: vector 14\n    and 1 more of panic\nthe same '),
   '... and its line')

# The log describes a second kind of core after the tests of the first kind.
KIND = ('# tests on cpu 1 apic 0x1 Atom Gracemont\n# cpu the second\n# pebs format {}\n# test bts.calls.atom\n'
        '# pebs is no such line\nok 6 bts.calls.atom\n# differs pebs.loads')
for name, number in ('kinds', 4), ('b', 5):
    write(name, changed(('# differs pebs.loads', KIND.format(number))))
same(compare('kinds', 'b'), (1, 'A kinds\nB b\nmachine\n  pebs of Atom Gracemont: format 4 | format 5\n' + sums(75, 1,
     1), ''),
     'a second kind of cores')

# A stack more in one test does not change the numbers of the next test's stacks.
MORE = ('\n# test lbr.more', '# lbr stack tos 1 depth 32', '# lbr 0 0x201234/0x201256/P/-/-/7', 'ok 6 lbr.more')
write('stacks', changed(('ok 3 pebs.loads', 'ok 3 pebs.loads' + '\n'.join(MORE))))
write('b', open('stacks').read().replace('not ok 2', '# lbr stack tos 7 depth 32\nnot ok 2'))
same(shown('stacks', 'b'), (1, 'lbr.tos\n  only in B: lbr stack 3 depth: 32\n  only in B: lbr stack 3 tos: 7\n', ''),
     'a stack more')

# Tests are in the order of the first log; tests that only the second log has come last.
write('b', changed(('ok 3 pebs.loads', 'not ok 3 pebs.loads'), ('ok 1', 'not ok 1'),
      ('ok 4 measure.memory.64k', 'ok 4 alone')))
same(re.findall(r'^(?![AB] )\S+$', compare('a', 'b')[1], re.M),
     ['bts.calls', 'pebs.loads', 'measure.memory.64k', 'alone'],
     'the order of tests')

# Accepted differences: patterns of whole names.
write('b', changed(('tsc 0x10', 'tsc 0x11'), ('tsc 0x20', 'tsc 0x21'), ('latency 4\n', 'latency 5\n')))
LATENCY = 'pebs.loads\n  pebs 0 latency: 4 | 5\n'
for patterns, status, wanted in (
        ('# time\n\npebs.*   pebs.tsc # passes\nlbr.* lbr.cycles\n', 1,
         LATENCY + sums(70, 1, 1, 2) + "accept: line 4: nothing differs in 'lbr.* lbr.cycles'\n"),
        ('pebs.loads pebs.*\n', 0, sums(70, accepted=3)), ('pebs.loads pebs.[!t]*\n', 1, None),
        ('pebs.load pebs.*\n', 1, None)):
    write('accept', patterns)
    found = compare('--accept', 'accept', 'a', 'b')
    same((found[0], found[2], wanted and found[1]), (status, '', wanted and f'A a\nB b\n{wanted}'), patterns)

# The page.
write('b', changed(('got 11 records', 'got <b>&"12"'), ('tsc 0x10', 'tsc 0x11'), (LINES[8], '')))
write('accept', '* pebs.tsc\n')
same(compare('a', 'b', '--accept', 'accept', '--html', 'page.html')[::2], (1, ''), 'a page')
page = open('page.html').read()
for part in ('\n<p>A: a<br>B: b\n<p>The same 69, different 3, accepted 1 (pale).\n',
             '\n<h2>bts.calls</h2>\n<table><tr><th>what<th>A<th>B\n<tr><td>bts 0 from<td>main+0x234<td>\n'
             '<tr><td>bts 0 to<td>main+0x0<td>\n</table>\n',
             '\n<tr><td>wrong<td>got 11 records<td>got &lt;b>&amp;&quot;12&quot;\n',
             '\n<tr class="accepted"><td>pebs 0 tsc<td>0x10<td>0x11\n'):
    ok(part in page, f'has {part}'.replace('\n', ' '))
ok('<script' not in page and 'http' not in page, '... it loads no other file')
same((compare('a', 'a', '--html', 'same.html')[0], os.path.getsize('same.html') > 0), (0, True), 'a page without differences')

# Errors: one sentence, status 2, and no page.
for name, text in {'twice': LOG * 2, 'empty': '', 'other': 'hello\n', 'wrong': 'pebs.*\n',
                   'three': '# x\npebs.* pebs.tsc pebs.ip\n'}.items():
    write(name, text)
NOWHERE, WRITTEN = 'No such file or directory', 'is an input, and would be overwritten; choose another output file'
NO_LOG = 'not a log of dstest86: there is no line "# begin dstest86"'
PATTERNS = "expected the patterns of a test and of a field, as in 'pebs.* pebs.tsc'"
for words, sentence in (
        ('', '--compare: expected two logs'), ('a', '--compare: expected two logs'),
        ('a a a', 'a: only two logs can be compared'),
        ('a nosuch', f'nosuch: {NOWHERE}'), ('a -', '--compare: needs two files, not standard input'),
        ('a other --html other', f'other: {WRITTEN}'), ('a a --accept wrong --html ./wrong', f'./wrong: {WRITTEN}'),
        ('a .', '.: Is a directory'), ('a empty', f'empty: {NO_LOG}'), ('other a', f'other: {NO_LOG}'),
        ('a twice', 'twice: the log has 2 runs (lines "# begin dstest86"); expected one'),
        ('a a --csv', '--csv: unknown option of --compare; it has --accept FILE and --html FILE'),
        ('a a --accept', '--accept: missing file name'),
        ('a a --html x.html --html y.html', '--html: only one can be given'),
        ('a a --accept nosuch', f'nosuch: {NOWHERE}'),
        ('a a --html x.html --accept wrong', f'wrong: line 1: {PATTERNS}'),
        ('a a --accept three', f'three: line 2: {PATTERNS}'),
        ('a a --html nosuch/x.html', f'nosuch/x.html: cannot write: {NOWHERE}')):
    same(compare(*words.split()), (2, '', f'dsdump: {sentence}\n'), f'--compare {words}')
ok(not os.path.exists('x.html'), 'no page is left')

# Two boots of a processor differ only in times. Two processors differ in their features.
for name, profile in ('one', 'skylake'), ('two', 'skylake'), ('ice', 'icelake'):
    with open(name, 'w') as file:
        subprocess.run([HERE.parent.parent / 'scripts/machine', 'boot', '-p', profile, '-o',
                        'dump=raw run=bts.*,pebs.loads records=4'], stdout=file, stderr=subprocess.DEVNULL)
write('accept', '* *.tsc\n* *.cycles\n')
status, out, said = compare('one', 'two', '--accept', 'accept')
same((status, said, bool(re.search(r'^the same \d{2,}, different 0 ', out, re.M))), (0, '', True), 'two boots')
status, out, said = compare('one', 'ice', '--accept', 'accept')
same((status, bool(re.search(r'^machine\n(?:.*\n)*?  cpu: .* Skylake \| .* Ice Lake$', out, re.M))), (1, True),
     'two processors')
done()
