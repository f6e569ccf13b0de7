#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""Compares the page on the screen (its text from the kernel's memory, its QR codes read by zbarimg) with the log of the same run:
while a test runs, at the end, after failures, a refused option and an exception."""
import contextlib
import re
import time

import machine
import screen_reader
import tap

# The verdicts in large letters, at the smallest size.
LARGE = {
    'pass': [
        '█▀▀▀▄ ▄▀▀▀▄ ▄▀▀▀▀ ▄▀▀▀▀', '█▄▄▄▀ █▄▄▄█ ▀▄▄▄  ▀▄▄▄',
        '█     █   █     █     █', '▀     ▀   ▀ ▀▀▀▀  ▀▀▀▀'],
    'fail': ['█▀▀▀▀ ▄▀▀▀▄ ▀▀█▀▀ █', '█▄▄▄  █▄▄▄█   █   █', '█     █   █   █   █', '▀     ▀   ▀ ▀▀▀▀▀ ▀▀▀▀▀'],
    'skip': ['▄▀▀▀▀ █  ▄▀ ▀▀█▀▀ █▀▀▀▄', '▀▄▄▄  █▄▀     █   █▄▄▄▀', '    █ █ ▀▄    █   █', '▀▀▀▀  ▀   ▀ ▀▀▀▀▀ ▀'],
    'error': [
        '█▀▀▀▀ █▀▀▀▄ █▀▀▀▄ ▄▀▀▀▄ █▀▀▀▄', '█▄▄▄  █▄▄▄▀ █▄▄▄▀ █   █ █▄▄▄▀',
        '█     █ ▀▄  █ ▀▄  █   █ █ ▀▄', '▀▀▀▀▀ ▀   ▀ ▀   ▀  ▀▀▀  ▀   ▀'],
    'panic': [
        '█▀▀▀▄ ▄▀▀▀▄ █▄  █ ▀▀█▀▀ ▄▀▀▀▀', '█▄▄▄▀ █▄▄▄█ █▀▄ █   █   █',
        '█     █   █ █  ██   █   █', '▀     ▀   ▀ ▀   ▀ ▀▀▀▀▀  ▀▀▀▀'],
    'incomplete': [
        '▀▀█▀▀ █▄  █ ▄▀▀▀▀ ▄▀▀▀▄ █▄ ▄█ █▀▀▀▄ █     █▀▀▀▀ ▀▀█▀▀ █▀▀▀▀', '  █   █▀▄ █ █     █   █ █ █ █ █▄▄▄▀ █     █▄▄▄    █   █▄▄▄',
        '  █   █  ██ █     █   █ █   █ █     █     █       █   █', '▀▀▀▀▀ ▀   ▀  ▀▀▀▀  ▀▀▀  ▀   ▀ ▀     ▀▀▀▀▀ ▀▀▀▀▀   ▀   ▀▀▀▀▀'],
}
REASON = r'(?:fail|error|differs) [a-z0-9._]+: '


def found(pattern, lines):
    """The first line that the pattern matches from its beginning: its groups, or () if there is none."""
    return next((match.groups() for line in lines if (match := re.match(pattern, line))), ())


def start(*options):
    return machine.Machine(120, tap.folder, *options, *([] if '--' in options else ['--']), '-device', 'VGA')


def lines_of(guest):
    """The text of the kernel's page without its margin. screen.t compares the screen's pixels with this page."""
    width = re.search(r'(?m)^# begin dstest86 \S+ \S+ (\d+)$', guest.log())
    if not width:
        return []
    _, _, rows = screen_reader.cells_of(guest, int(width[1]))
    return [row[::2].decode('cp437').replace('\0', ' ').removeprefix(' ').rstrip(' ') for row in rows]


def end_of(guest):
    """Waits for the log's end and returns the last page."""
    guest.wait_for(re.compile('# end dstest86 .*\n'))
    while True:
        guest.pause()
        lines = lines_of(guest)
        if any(line.startswith('The run has ended.') for line in lines) and lines == lines_of(guest):
            return lines


@contextlib.contextmanager
def last_page(*options):
    """A machine that has run to its end, its last page, and the lines of its log without their marks. Options of scripts/machine;
    QEMU's follow "--"."""
    with start(*options) as guest:
        lines = end_of(guest)
        yield guest, lines, [line.removeprefix('# ') for line in guest.log().split('\n')]
        guest.stop()


def has(lines, want, name):
    tap.ok(want in lines, name, '\n'.join([f'no line "{want}" in', *lines]))


def matches(lines, pattern, name):
    """Whether the pattern matches at the beginning of a line."""
    tap.ok(any(re.match(pattern, line) for line in lines), name, '\n'.join([f'no line like "{pattern}" in', *lines]))


def is_large(lines, verdict, name):
    want = LARGE[verdict]
    at = lines.index(want[0]) if want[0] in lines else 0
    tap.same(lines[at:at + len(want)], want, name)


def table_of(lines):
    """The table's counts by area, and the total."""
    return {area: counts.split() for line in lines for area, counts in re.findall(r'\b([a-z]+)((?: +\d+){4})(?!\d)', line)}


def compare(name, lines, log):
    """Compares page and log: the large verdict, facilities, counts, problems."""
    verdict, passed, fail, skip, error, differs = found(
        r'end dstest86 verdict=(\w+) pass=(\d+) fail=(\d+) skip=(\d+) error=(\d+) differs=(\d+)', log)
    is_large(lines, verdict, f'{name}: verdict {verdict}')
    wanted = {match[1]: (match[2] + match[3]).split() for line in log
              if (match := re.match(r'area (\S+)((?: +\d+){3}) +\d+( +\d+)$', line))}
    if wanted:
        wanted['all'] = [passed, differs, fail, error]
    skipped = found(r'all(?: +\d+){4} +(\d+) (?:do(?:es)? not apply|skipped)$', lines) or ('0',)
    tap.same((skipped[0], table_of(lines)), (skip if wanted else '0', wanted), f'{name}: the table by area')
    for line in log:
        if match := re.match(r'facility (\w+) (.*)', line):
            matches(lines, f'{match[1].upper()} +{re.escape(match[2])}', f'{name}: {line}')
    reasons, shown = ([line for line in of if re.match(REASON, line)] for of in (log, lines))
    more, = found(r'and (\d+) more$', lines) or (0,)
    tap.same(len(shown) + int(more), len(reasons), f'{name}: the number of reasons')
    for line in shown:
        tap.ok(any(reason.startswith(line.removesuffix('..')) for reason in reasons), f'{name}: {line}')
    has(lines, 'Log: COM1 port 0x3f8: 115200 baud', f'{name}: where the log is')
    has(lines, 'The run has ended. Hold the power button to switch off, or reset the machine.', f'{name}: what to do now')


def has_page(guest, pattern, name):
    """Turns the pages with the space bar until one has a line that matches."""
    for _ in range(30):
        if any(re.match(pattern, line) for line in lines_of(guest)):
            return tap.ok(True, name)
        guest.press('spc')
        time.sleep(0.5)
    return tap.ok(False, name)


def codes_of(guest, lines):
    """The texts of all codes on the last pages, read by zbarimg, in the order of the pages."""
    count, codes = re.search(r' scan all (\d+)\b', ' '.join(lines)), []
    count = int(count[1]) if count else 1
    while len(codes) < count:
        guest.pause()
        _, code, _ = machine.run('zbarimg', '--quiet', '--raw', '-Sdisable', '-Sqrcode.enable', guest.screendump())
        code = code.removesuffix('\n')
        if code and code not in codes:
            codes.append(code)
    first = next(at for at, code in enumerate(codes) if code.startswith('dstest86 '))
    return codes[first:] + codes[:first]


def compare_codes(name, guest, lines, log):
    """Compares the text of the codes with the log."""
    version, width = found(r'begin dstest86 (\S+ \S+) (\d+)$', log)
    verdict, = found(r'end dstest86 verdict=(\w+)', log)
    vendor, signature, core = found(r'cpu (\S+) family .* signature (0x\w+) (.*)', log)
    microcode, = found(r'cpu physical .*, microcode (0x\w+)$', log)
    panic = found(r'panic (vector .*: .*)', log)
    wanted = [f'dstest86 {version}, {width} bits: {verdict}',
              f'{vendor if core.startswith("not in") else core} {signature}, microcode {microcode}, hypervisor']
    wanted += [match[1] for line in log
               if (match := re.match(r'facility (.*?)(?:, \d+ (?:do(?:es)? not apply|passed without records))?$', line))]
    test = found(r'test (\S+)$', reversed(log))
    wanted += [f'{panic[0]}, in test {test[0]}'] if panic else []
    wanted += [line for line in log if re.match(r'(?:fail|error) [a-z0-9._]+: ', line)]
    wanted += [line for line in log if re.match(r'differs [a-z0-9._]+: ', line)]
    got = '\n'.join(codes_of(guest, lines)).split('\n')
    print(*(f'#     {line}' for line in got), sep='\n')
    more = 0
    if match := re.fullmatch(r'and (\d+) more', got[-1]):
        more = int(match[1])
        got[-1:] = wanted[len(wanted) - more:]
    tap.same(got, wanted, f'{name}: the codes, read by zbarimg, and {more} lines more')


# ---- a whole run, on a screen where the code has its own page, and on a large one with the code next to the text -------------
with last_page('-r', 'uefi', '-p', 'skylake', '-o', 'exit=none') as (guest, lines, log):
    version, commit, width = found(r'begin dstest86 (\S+) (\S+) (\d+)$', log)
    tap.same(lines[0], f'dstest86 {version}, {width} bits, {commit}', 'a whole run: name and version')
    tap.same(lines[1], 'Intel(R) Core(TM) i7-6700 (modelled)', 'the brand string')
    tap.same(lines[2], 'Skylake, signature 0x000506e3, microcode 0xf0, under a hypervisor', 'core, signature and microcode')
    compare('a whole run', lines, log)
    has(lines, 'What was tested works as the manual promises.', 'what it means')
    tap.like(' '.join(lines), r' or scan the code that follows it\. Send it to .*\. Log:', 'a code is announced')

    compare_codes('a whole run', guest, lines, log)
    matches(lines, r'[1-9]\d* seconds, QEMU Standard PC', 'time and machine')
    has_page(guest, 'skip [a-z0-9_.]+: ', 'a key turns to the page with the reasons for skips')
with last_page('-r', 'bios-cd', '-p', 'skylake', '-o', 'run=detect.*,ds.* exit=none') as (guest, lines, log):
    has(log, 'screen VGA text at 0xb8000, 80x25 characters', 'VGA text mode is used')
    compare("VGA's text", lines, log)
    compare_codes("VGA's text", guest, lines, log)
with last_page('-r', 'bios-cd', '-p', 'skylake', '-f', 'bts.index.stuck', '-o', 'run=bts.*,ds.*,lbr.* exit=none') as (guest, lines, log):
    compare_codes("VGA's text, more failures than fit", guest, lines, log)
with last_page('-r', 'uefi', '-p', 'skylake', '-o', 'run=ds.*,pebs.* exit=none', '--', '-global', 'VGA.xres=1920', '-global', 'VGA.yres=1080',
               '-global', 'VGA.vgamem_mb=32') as (guest, lines, log):
    pebs, = found('facility pebs (.*)', log)
    has([re.sub(' +█.*', '', line) for line in lines], f'PEBS  {pebs}: format 3, 200-byte records', 'a large screen: the text')
    compare_codes('a large screen', guest, lines, log)

# ---- problems ------------------------------------------------------------------------------------------------------------------
# The options of a run, and lines of its page. After an error in the options the defaults apply, which end QEMU under a hypervisor.
UNKNOWN = [(f'an unknown option, {width} bits', ['-p', 'none', '-w', width, '-o', 'ruun=bts.*', '--', '-cpu', 'max,-hypervisor'],
            r'unknown option: ruun=bts\.\*$', r'run=GLOB\[,GLOB\.\.\] +run tests whose id matches') for width in ('64', '32')]
for name, options, *wanted in (
        ('failures', ['-p', 'skylake', '-f', 'msr:680:write:clear', '-o', 'run=lbr.*,ds.* exit=none'],
         r'fail lbr\.', r'Something does not work as the manual promises\.$'),
        ('no debug store', ['-p', 'none', '-o', 'exit=none']),
        ('what cannot be tested', ['-p', 'skylake', '-f', 'msr:1a0:absent', '-o', 'run=bts.*,pebs.* exit=none']),
        *UNKNOWN,
        ('a list', ['-p', 'none', '-o', 'list exit=none'], r'test selftest\.interrupt\.state: '),
        ('globs that match nothing', ['-p', 'none', '-o', 'run=nosuch.*,ds.*,neither exit=none'],
         r'run=nosuch\.\* matches no test; run=neither matches no test$')):
    with last_page('-r', 'uefi', *options) as (guest, lines, log):
        compare(name, lines, log)
        if any(re.match(r'1\.\.\d', line) for line in log):
            compare_codes(name, guest, lines, log)
        for pattern in wanted:
            matches(lines, pattern, f'{name}: {pattern}')

with start('-r', 'uefi', '-p', 'skylake', '-o', 'run=ds.*,selftest.hang timeout=8 exit=none') as guest:
    log = guest.wait_for(re.compile(r'(?m)^# test selftest\.hang\n# \w.*\n'))
    tap.ok('timed out' not in log, 'the serial line names a test while it hangs')
    lines = lines_of(guest)
    count, = found(r'Test \d+ of (\d+):', lines)
    matches(lines, rf'█+\.+ {int(count) - 1} of {count} tests done$', 'a running test: the bar')
    has(lines, f'Test {count} of {count}: selftest.hang', "the test's name and number")
    has(lines, 'Step 14 of 14: tests', 'the step')
    tap.ok(not any(line.startswith('fail') for line in lines), 'no failure so far')
    has(end_of(guest), 'fail selftest.hang: timed out after 8 seconds', 'a hung test is a failure')
    guest.stop()

for test in 'exception', 'stack_overflow', 'panic_twice':
    with last_page('-r', 'uefi', '-p', 'skylake', '-o', f'run=ds.area.*,selftest.{test} exit=none') as (guest, lines, log):
        tap.same(re.findall(r'(?m)^end .*verdict=(\w+)', '\n'.join(log)), ['panic'], f'selftest.{test}: a panic, once')
        is_large(lines, 'panic', 'in large letters')
        has(lines, 'An unexpected exception ended the run.', 'what it means')
        for panic in found('panic (vector .*: .*)', log):    # whole, or its beginning and two dots
            tap.ok(panic in lines or any(re.fullmatch(r'.{21,}\.\.', line) and panic.startswith(line[:-2]) for line in lines), 'the exception')
        count, = found(r'1\.\.(\d+)', log)
        has(lines, f'It occurred in test {count} of {count}: selftest.{test}', 'and the test')
        compare_codes(f'selftest.{test}', guest, lines, log)
        has_page(guest, r'panic vector \d+', 'one of the pages has the first line of the report')
        matches(lines, 'panic (?:cr0 0x[0-9a-f]+ cr2 0x[0-9a-f]+ cr3|vector 14 during another)', 'the first page has CR2')
tap.done()
