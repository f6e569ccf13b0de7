#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""The exact output of the kernel's runner for every verdict of a test, a panic and the list of tests; and its time limit,
measured by the host's clock."""
import re
import subprocess
import time

import machine
import tap

SECONDS = 120


def timed(*options):
    """Boots. Returns the verdict from the exit status, the lines, and each line's time."""
    lines, times = [], []
    with subprocess.Popen(['timeout', str(SECONDS), machine.MACHINE, 'boot', '-p', 'none', *options], stdout=subprocess.PIPE) as guest:
        for line in guest.stdout:
            line = machine.judge.ESCAPE.sub('', line.decode('latin-1')).rstrip('\n')
            if not line.startswith('# check kernel/self_test.c:'):
                lines.append(line)
                times.append(time.monotonic())
    return machine.judge.VERDICT_OF_STATUS.get(guest.returncode, f'status {guest.returncode}'), lines, times


def boot(*options):
    return timed(*options)[:2]


def after(pattern, lines):
    """The lines from the first that matches on."""
    return lines[next((i for i, line in enumerate(lines) if re.match(pattern, line)), len(lines)):]


# ---- every verdict: the test, its title if it is called, what it says, and its result
CLAIMED = 'claimed by docs/output.md, "The frame"; kernel/test.h'
ROWS = [
    ('as_many', 'As many records as planned: passes', 'expect 3 records', 'ok'),
    ('one_less', 'One record less than planned: fails', 'expect 3 records', 'wrong: got 2 records, expected 3', CLAIMED, 'not ok'),
    ('one_more', 'One record more than planned: fails', 'expect 3 records', 'wrong: got 4 records, expected 3', CLAIMED, 'not ok'),
    ('unplanned', 'One record although the plan has none: fails', 'expect 0 records', 'wrong: got 1 records, expected 0', CLAIMED,
     'not ok'),
    ('least', 'The least number of records that was planned: passes', 'expect 3 to 5 records', 'ok'),
    ('most', 'The largest number of records that was planned: passes', 'expect 3 to 5 records', 'ok'),
    ('below', 'One record less than the least number: fails', 'expect 3 to 5 records', 'wrong: got 2 records, expected 3 to 5', CLAIMED,
     'not ok'),
    ('above', 'One record more than the largest number: fails', 'expect 3 to 5 records', 'wrong: got 6 records, expected 3 to 5',
     CLAIMED, 'not ok'),
    ('skip', 'A test that skips itself is skipped with its reason', 'ok # SKIP nothing to do'),
    ('fail_and_skip', 'A test that failed and then skips itself has failed', 'wrong: one thing of 2', CLAIMED, 'not ok'),
    ('see_and_skip', 'A test that saw records and then skips itself must still meet its plan', 'expect 2 records',
     'wrong: got 1 records, expected 2', CLAIMED, 'not ok'),
    ('equal', 'Of two comparisons the one of different values is reported', 'wrong: what differs is 0x1234567890, must be 0x1134567890',
     CLAIMED, 'not ok'),
    ('differs', 'A test in which a typical point differs has not failed', 'differs: one point of 2', CLAIMED, 'ok'),
    ('differs_and_fails', 'A test that failed has failed, whatever else differs', 'differs: one point of 2', 'wrong: one thing of 2',
     'differs: one point of 2', 'wrong: the other thing', CLAIMED, 'not ok'),
    ('typical', 'A test of a typical claim differs where a test of an architectural claim fails', 'differs: one thing of 2',
     'differs: the other thing', CLAIMED, 'typical, not promised: the reason for this', 'ok'),
    ('typical_none', 'A test of a typical claim fails if no record was written', 'expect 1 records', 'wrong: got 0 records, expected 1',
     CLAIMED, 'not ok'),
    ('needs', 'ok # SKIP no DS (CPUID.1:EDX bit 21 clear)'),
    ('lacks', 'ok # SKIP no such thing'),
    ('lacks_nothing', 'A test that lacks nothing runs', 'ok'),
    ('no_plan', 'A test that arms a facility without an expectation is an error',
     'wrong: the test armed a facility without a plan of the number of records', CLAIMED, 'not ok # ERROR'),
]


def log_of(recap):
    """The lines of the tests in ROWS, and of the end."""
    lines, reasons = ['KTAP version 1', f'1..{len(ROWS)}'], []
    for number, (name, *said, result) in enumerate(ROWS, 1):
        name, (good, *mark) = f'selftest.verdict.{name}', result.split(' #')
        lines += [f'# {line}' for line in (f'test {name}', *said)] + [' #'.join([f'{good} {number} {name}', *mark])]
        word, outcome = ('differs', 'differs') if good == 'ok' else ('wrong', 'error' if mark else 'fail')
        reasons += [f'# {outcome} {name}: {line.partition(": ")[2]}' for line in said if line.startswith(f'{word}: ')][:1]
    return [*lines, '# area               pass differs    fail    skip   error', '# area selftest         4       2      10       3       1',
            *reasons, *recap, '# facility bts none: no DS (CPUID.1:EDX bit 21 clear)', '# facility pebs none: no DS (CPUID.1:EDX bit 21 clear)',
            '# facility lbr none: no LBR (not an Intel processor)', '# end dstest86 verdict=error pass=4 fail=10 skip=3 error=1 differs=2']


results, _ = machine.judge.results_in(log_of([]))
recap = [f'# result {test} {result}' for test, result in results.items()]
without_recap, with_recap = log_of([]), log_of(recap)
for width in 64, 32:
    options = '-w', str(width), '-o'
    verdict, lines = boot(*options, 'run=selftest.verdict.*')
    tap.same(verdict, 'error', f'{width} bits: one error makes the verdict error')
    tap.same(after('KTAP', lines), without_recap, f'{width} bits: every line of every verdict')
    _, lines = boot(*options, 'run=selftest.verdict.* recap=all')
    tap.same(after('KTAP', lines), with_recap, f'{width} bits: ... with the recap of all tests')
    verdict, lines = boot(*options, 'run=selftest.verdict.* skip=*.no_plan,*.lacks')
    tap.same((verdict, lines[-1]), ('fail', '# end dstest86 verdict=fail pass=4 fail=10 skip=2 error=0 differs=2'),
             f'{width} bits: without errors, a failure makes the verdict fail')
    verdict, lines = boot(*options, 'run=selftest.verdict.differs,selftest.verdict.typical')
    tap.same((verdict, lines[-1]), ('pass', '# end dstest86 verdict=pass pass=0 fail=0 skip=0 error=0 differs=2'),
             f'{width} bits: tests that differ do not fail the run')

# ---- the regular expressions for CI systems in docs/output.md. Perl and Python write the names of groups differently.
section = re.search('^### For CI systems$(.*?)^## ', (machine.ROOT / 'docs/output.md').read_text(), re.M | re.S)[1]
patterns = [re.compile(pattern.replace('(?<', '(?P<')) for pattern in re.findall(r'^    (\^.*)$', section, re.M)]


def found(pattern, text):
    return [f'{match["test_case_id"]} {match["result"]}' for match in re.finditer(pattern, text)]


ktap = [f'{test} {word}' for word, test in re.findall(r'^(ok|not ok) \d+ (\S+)', '\n'.join(with_recap), re.M)]
tap.same([[name for line in with_recap for name in found(pattern, line)] for pattern in patterns],
         [ktap, [line.removeprefix('# result ') for line in recap], ['bts none', 'pebs none', 'lbr none'], ['dstest86 error']],
         'regular expressions of docs/output.md')
for number, line, word in ([(2, f'# facility bts {text}', word) for text, word in (
        ('pass 1 of 2', 'pass'), ('fail 1 of 2', 'fail'), ('untested: no APIC', 'untested'), ('not selected', 'not selected'))]
        + [(3, f'# end dstest86 verdict={word} pass=0', word) for word in ('pass', 'fail', 'skip', 'error', 'panic', 'incomplete')]):
    match = patterns[number].search(line)
    tap.ok(match and match['result'] == word, f'... of {line}')

# The jobs for LAVA have the same monitors. Each result of the kernel becomes one of LAVA's.
job, other = ((machine.ROOT / f'contrib/lab/{name}.yaml').read_text().split('    monitors:\n', 1)[1] for name in ('lava-job', 'lava-pxe-job'))
tap.same(other, job, 'both jobs for LAVA have the same monitors')
fixed = {'pass': 'pass', 'error': 'fail'}
for words in re.findall(r'fixupdict: \{(.*)\}', job):
    fixed.update(pair.split(': ') for pair in words.replace("'", '').split(', '))
of_test, of_verdict = (pattern.replace('(?<', '(?P<') for pattern in re.findall("pattern: '(.*)'", job))
serial = ''.join(f'{line}\r\n' for line in with_recap)
tap.same([f'{test} {fixed[result]}' for test, result in (name.split(' ', 1) for name in found(of_test, serial))],
         [f'{test} {({"differs": "pass", "error": "fail"}).get(result, result)}' for test, result in results.items()], "... each test's result")
match = re.search(of_verdict, serial)
tap.same(match and f'{match["test_case_id"]} {fixed[match["result"]]}', 'verdict fail', '... and the verdict')

# ---- a panic
HEX = '0x[0-9a-f]+'
NAMES = {64: ['ax', 'cx', 'dx', 'bx', 'sp', 'bp', 'si', 'di', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'],
         32: ['ax', 'cx', 'dx', 'bx', 'sp', 'bp', 'si', 'di']}


def registers(width):
    """The lines of a panic's registers, four each: the test gives all but the stack pointer a value with its number."""
    value = '0x72656700726567' if width == 64 else '0x726567'
    words = [f'{name:3} {HEX if name == "sp" else f"{value}{number:02x}"}' for number, name in enumerate(NAMES[width])]
    return [f'# panic {" ".join(words[i:i + 4])}' for i in range(0, len(words), 4)]


for width in 64, 32:
    options = '-w', str(width), '-o'
    for name, text, at, fault, flags in (    # a fault's flags have RF
            ('page_read_only', r'14: page fault #PF, error code 0x3, at read_only_at\+0x0', 'read_only_at', 'text_start', '10a47'),
            ('breakpoint', r'3: breakpoint #BP, error code 0x0, at breakpoint_next\+0x0', 'breakpoint_next', '', 'a47')):
        verdict, lines = boot(*options, f'run=selftest.exception.{name}')
        ip, cr2, cr3 = (f'0x{machine.address_of(width, symbol) if symbol else 0:x}' for symbol in (at, fault, 'root'))
        tap.same(verdict, 'panic', f'{width} bits: a panic by {name}')
        wanted = [f'# panic vector {text}', *registers(width), f'# panic ip {ip} cs 0x8 flags 0x{flags}',
                  f'# panic cr0 0x80010011 cr2 {cr2} cr3 {cr3}', '# end dstest86 verdict=panic pass=0 fail=0 skip=0 error=0 differs=0']
        tap.like('\n'.join(after('# panic', lines)), r'\A' + '\n'.join(wanted) + r'\Z', f'{width} bits: every line of it')
    _, lines = boot(*options, 'run=selftest.verdict.*,selftest.execute_data')
    tap.same(lines[-1], '# end dstest86 verdict=panic pass=4 fail=10 skip=3 error=1 differs=2',
             f'{width} bits: the end has the counts before the panic')
    _, lines = boot(*options, 'run=selftest.panic_twice')
    tap.like('\n'.join(after('# panic', lines)), rf'\A# panic vector 14 during another panic, ip {HEX}\n'
             r'# end dstest86 verdict=panic pass=0 fail=0 skip=0 error=0 differs=0\Z', f'{width} bits: a panic while the report is printed')

# ---- the list of tests
_, lines = boot('-o', 'list')
listed = [line for line in lines if line.startswith('# test ')]
tap.ok(len(listed) > 300, 'the list has all tests')
form = re.compile(r'# test [a-z0-9._]+: \S.* \[\S.*\] (?:architectural|typical: \S.*)')
tap.same([line for line in listed if not form.fullmatch(line)], [], '... each with its claim, source and level')
SOURCE = '[docs/output.md, "The frame"; kernel/test.h]'
for line in (f'skip: A test that skips itself is skipped with its reason {SOURCE} architectural',
             f'typical: A test of a typical claim differs where a test of an architectural claim fails {SOURCE} typical: the reason for this'):
    tap.ok(f'# test selftest.verdict.{line}' in listed, f'the list has: {line}')
tap.same(lines[-1], '# end dstest86 verdict=skip pass=0 fail=0 skip=0 error=0 differs=0', 'the list runs no test')

tap.ok('# paging 4-level' in boot('-o', 'run=selftest.verdict.skip', '--', '-cpu', 'max,-nx')[1], 'without no-execute, the log does not name it')

# ---- the time limit, measured by the host's clock
for width in 64, 32:
    options = '-w', str(width), '-o'
    verdict, lines, times = timed(*options, 'run=selftest.hang timeout=3')
    began = next((at for line, at in zip(lines, times) if line.startswith('# test ')), 0)
    ended = next((at for line, at in zip(lines, times) if line == '# wrong: timed out after 3 seconds'), 0)
    tap.ok(began and ended - began > 2.9, f'{width} bits: a test with a limit of three seconds ends after {ended - began:.1f}')
    tap.same(verdict, 'fail', f'{width} bits: the test fails')

    _, lines = boot(*options, 'run=selftest.time.* timeout=1 console=ttyS0,1200')
    said = [line for line in lines if re.search('^(?:not )?ok|timed out|# end', line) and 'importance' not in line]
    tap.same(said, ['ok 1 selftest.time.printing', '# wrong: timed out after 1 seconds', 'not ok 2 selftest.time.hang',
                    '# fail selftest.time.hang: timed out after 1 seconds',
                    '# end dstest86 verdict=fail pass=1 fail=1 skip=0 error=0 differs=0'],
             f'{width} bits: time spent printing extends the limit, once')
tap.done()
