#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""dsdump reports each error of the command line, of files, of ELFs and of damaged logs in one sentence that names the cause, and
its status is not 0. It reads the rest of a damaged log."""
import bz2
import contextlib
import gzip
import lzma
import os
import pathlib
import pty
import re
import signal
import subprocess
import time

from symbols import Names
from tap import BUILD, HERE, done, dsdump, folder, ok, program, run, same
from writer import Dump

here = pathlib.Path(folder)
elf = {width: BUILD / f'dstest86-{width}.elf' for width in (64, 32)}
identity = Names(elf[64]).maps[0]['build_id']


def dump_of(boots=1):
    dump = Dump()
    for _ in range(boots):
        dump.head(identity)
        dump.begin('bts.one')
        for n in range(8):
            dump.bts([(0x1000 + at, 0x2000) for at in range(40 + n)])
        dump.begin('pebs.two')
        dump.pebs([[0] * 18 + [1] + [0] * 6] * 5, (8, 3, 0, 0, 5), 3)
        dump.lbr([[5, 6, 0]], 5)
        dump.end()
    return dump


log = dump_of().write(here / 'log')
LACK = b'# facility %s untested: x; cpu/cores.c has no row for 06_ff\r\n'
(here / 'rowless').write_bytes(log.read_bytes() + LACK % b'pebs' + LACK % b'lbr')
image = elf[64].read_bytes()
(here / 'text.elf').write_text('no ELF at all\n')
(here / 'short.elf').write_bytes(image[:100])
(here / 'other.elf').write_bytes(image.replace(bytes.fromhex(identity), bytes.fromhex(identity)[::-1]))
subprocess.run(['objcopy', '--strip-all', elf[64], here / 'stripped.elf'], check=True)
subprocess.run(['as', '-o', here / 'numbers.o'], input=b'a_number = 1\n', check=True)
subprocess.run(['as', '-o', here / 'calls.o', HERE / 'calls.s'], check=True)
subprocess.run(['ld', '--build-id=none', '-o', here / 'without_id', here / 'calls.o'], check=True)

(here / 'recording').write_bytes(b'PERFILE2' + bytes(96) + b'dsdump --perf-data' * 9)
(here / 'kernel.elf').write_bytes(image)
for name, data in {'utf16': log.read_text().encode('utf-16'), 'utf16be': b'\xfe\xff' + log.read_text().encode('utf-16-be'),
                   'markless': log.read_text().encode('utf-16-le'), 'gz': gzip.compress(log.read_bytes()),
                   'xz': lzma.compress(log.read_bytes()), 'bz2': bz2.compress(log.read_bytes()),
                   'zst': b'\x28\xb5\x2f\xfd' + bytes(20)}.items():
    (here / name).write_bytes(data)
(here / 'hard').hardlink_to(log)
(here / 'soft').symlink_to(log)
(here / 'soft.elf').symlink_to(here / 'kernel.elf')
for option in '--html', '--perf-data':
    dsdump(option, here / f'ours.{option[2:6].removesuffix("-").replace("perf", "data")}', log)
before = {path.name: path.read_bytes() for path in here.iterdir()}

# The command line, files and ELFs: status, sentence, words. /NAME is a file in our folder; LOG is the log.
OTHER = f'not the kernel that wrote this dump (build id {{}}, dump has {identity}): symbols not used'
ONE_FORM, NO_SYMBOLS = 'a second form of output; choose one', 'no symbol table; use an ELF that is not stripped'
OVER, NOWHERE = 'is an input, and would be overwritten; choose another output file', 'No such file or directory'
KIND = "--only: unknown kind of record '{}'; expected bts, pebs or lbr"
TO = 'convert it: {} FILE | dsdump'
KINDS = {    # first bytes of files that are not logs
    'utf16': 'UTF-16; ' + TO.format('iconv -f UTF-16 -t UTF-8'), 'utf16be': 'UTF-16; ' + TO.format('iconv -f UTF-16 -t UTF-8'),
    'markless': 'UTF-16; ' + TO.format('iconv -f UTF-16LE -t UTF-8'), 'gz': 'gzip; ' + TO.format('zcat'),
    'xz': 'xz; ' + TO.format('xzcat'), 'zst': 'zstd; ' + TO.format('zstdcat'), 'bz2': 'bzip2; ' + TO.format('bzcat'),
    'recording': 'perf.data; dsdump writes such files and reads only logs',
    'kernel.elf': "ELF; a log is needed; --elf FILE reads the kernel's symbols"}
HISTORY = "--history: expected a number from 0 to 64, not '{}'"
ERRORS = [
    (1, '/other.elf: ' + OTHER.format(bytes.fromhex(identity)[::-1].hex()), '--elf /other.elf --csv LOG'),
    (1, f'{elf[32]}: ' + OTHER.format(Names(elf[32]).maps[0]['build_id']), f'--elf {elf[32]} --csv LOG'),
    (1, '/without_id: ' + OTHER.format('none'), '--elf /without_id --csv LOG'),
    (2, '/stripped.elf: ' + NO_SYMBOLS, '--elf /stripped.elf --csv LOG'),
    (2, '/short.elf: ' + NO_SYMBOLS, '--elf /short.elf --csv LOG'),
    (2, '/text.elf: not an ELF file; give the kernel\'s ELF', '--elf /text.elf --csv LOG'),
    (2, '/numbers.o: no usable symbols in the symbol table; give the kernel\'s ELF', '--elf /numbers.o --csv LOG'),
    (2, '/nowhere.elf: ' + NOWHERE, '--elf /nowhere.elf --csv LOG'),
    (2, '--elf: a second ELF; give one', f'--elf {elf[64]} --elf {elf[64]} LOG'),
    (2, "--folded: needs --elf FILE, the kernel's ELF, to distinguish calls from jumps", '--folded LOG'),
    (2, f'/nowhere/x: cannot write: {NOWHERE}', '--perf-data /nowhere/x LOG'),
    (2, f'/nowhere/x: cannot write: {NOWHERE}', '--html /nowhere/x LOG'),
    (2, '/dev/null: not a regular file, which perf.data must be because dsdump writes its header last',
     '--perf-data /dev/null LOG'),
    (1, '/dev/full: cannot write: No space left on device', '--html /dev/full LOG'),
    *((2, f'/{output}: {OVER}', f'{option} /{output} {inputs}') for option in ('--html', '--force --perf-data', '--force --html')
      for output, inputs in (('log', 'LOG'), ('hard', 'LOG'), ('soft', 'LOG'), ('kernel.elf', '--elf /kernel.elf LOG'),
                             ('soft.elf', '--elf /kernel.elf LOG'))),
    *((2, f'/{name}: exists, and is not from dsdump {option}; choose another file, or replace it with --force', f'{option} /{name} LOG')
      for option, others in (('--html', ('text.elf', 'ours.data', 'recording')), ('--perf-data', ('text.elf', 'ours.html', 'recording')))
      for name in others),
    *((2, f'/{name}: the file is {what}', f'{form} /{name}') for name, what in KINDS.items()
      for form in ('--text', '--html /ours.html', '--perf-data /ours.data', '--judge')),
    *((2, KIND.format(kind), ['--only', f'{before}{kind}', 'LOG']) for before, kind in (('bts,', 'ptw'), ('', ''))),
    *((2, HISTORY.format(n), ['--history', n, 'LOG'])
      for n in ('65', '-1', '+1', '', 'x', '5x', '0x10', '99999999999999999999')),
    *((2, f'{words.split()[-2]}: {ONE_FORM}', words) for words in (
        '--raw --text LOG', '--text --text LOG', '--stats --csv LOG', '--csv --stats LOG', '--stats --stats LOG')),
    *((2, f'{word}: unknown option; dsdump --help lists them', f'{word} LOG')
      for word in ('--nosuch', '--', '-x', '-raw', '--tex', '--texts')),
    (0, '/rowless: this processor model has no row in cpu/cores.c, so most tests were skipped: please send a log made with the '
        "options dump=raw log=stick, as docs/corpus.md says, and the processor's name; the row is added from it", '--raw /rowless'),
    (2, '/log: a second log; give one, or judge several with --judge', 'LOG LOG'),
    (2, '/nowhere: ' + NOWHERE, '/nowhere'), (2, '/: Is a directory', '/'), (2, '/: Is a directory', '--html /ours.html /'),
    *((1, f'{name}: no dump in this log: boot the kernel with dump=raw to get one', words) for name, words in (
        ('standard input', ''), ('standard input', '-'), ('/dev/null', '/dev/null'))),
    (2, '--judge: must be the first word', '--raw --judge LOG'),
    (2, '--judge: missing LOG, or - for standard input', '--judge'),
    (2, '/nowhere: ' + NOWHERE, '--judge /nowhere'), (2, '/: Is a directory', '--judge /'),
]


def place(word):
    return str(log) if word == 'LOG' else folder + word.rstrip('/') if re.match('/(?!dev/|.*build/)', word) else word


for status, sentence, words in ERRORS:
    name, colon, rest = sentence.partition(':')
    dsdump(*map(place, words if isinstance(words, list) else words.split()), status=status,
           complaint=f'dsdump: {place(name)}{colon}{rest}\n')

# No refusal has changed a file. A file of ours is replaced, also through a link or a descriptor; others with --force.
same({path.name for path in here.iterdir() if path.read_bytes() != before.get(path.name)}, set(), 'every file is as before')
for name in 'nothing', 'empty.data':
    (here / name).write_text('')
dsdump('--perf-data', here / 'empty.data', log)
for option, name in ('--html', 'ours.html'), ('--perf-data', 'ours.data'):
    whole = (here / name).read_bytes()
    nothing = f'dsdump: {here}/nothing: no dump in this log: boot the kernel with dump=raw to get one\n'
    dsdump(option, here / name, here / 'nothing', status=1,
           complaint=f'{nothing}dsdump: {here}/{name}: not written, because the log has nothing for it\n')
    same((here / name).read_bytes(), whole, f'{option}: a file is not replaced with nothing')
    (here / 'link').symlink_to(here / name)
    with open(here / name, 'r+b') as file:
        file.seek(0, 2)
        file.write(b'older')
        for by in here / 'link', f'/proc/{os.getpid()}/fd/{file.fileno()}':
            dsdump(option, by, log)
            same(((here / name).read_bytes(), (here / 'link').is_symlink()), (whole, True), f'{option} {by}: the file is replaced')
    (here / 'link').unlink()
    (here / 'text').write_text('other\n')
    dsdump('--force', option, here / 'text', log)
    same((here / 'text').read_bytes(), whole, f'{option} --force replaces another file')
(here / 'lines').write_text('# begin dstest86 0.1.0 abc 64\nok 1 bts.calls\n')
dsdump('--html', here / 'ours.html', here / 'lines', status=1,
       complaint=f'dsdump: {here}/lines: no dump in this log: boot the kernel with dump=raw to get one\n')
ok('ok 1 bts.calls' in (here / 'ours.html').read_text(), 'a log without a dump gives a page')

# Standard output that is an input, and closed descriptors.
with open(log, 'ab') as out:
    same(subprocess.run([program, log], stdout=out, stderr=subprocess.PIPE, text=True, check=False).stderr,
         f'dsdump: standard output: {OVER}\n', 'standard output is the log')
    judged = subprocess.run([program, '--judge', log], stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    same((judged.returncode, judged.stderr), (2, f'dsdump: standard output: {OVER}\n'), '... of --judge')
same(log.read_bytes(), before['log'], '... which stays as it was')

# A FIFO that is input and output would wait for itself.
os.mkfifo(here / 'fifo')
both = os.open(here / 'fifo', os.O_RDWR)
dsdump('--html', here / 'fifo', here / 'fifo', status=2, complaint=f'dsdump: {here}/fifo: {OVER}\n')
os.close(both)
(here / 'fifo').unlink()

# A replaced file keeps its permissions; one that may not be written is not replaced.
powerless = ['setpriv', '--bounding-set=-all'] if os.geteuid() == 0 else []
page = here / 'ours.html'
for mode, status, complaint in (0o600, 0, ''), (0o440, 2, f'dsdump: {page}: cannot write: Permission denied\n'):
    page.chmod(mode)
    ended = subprocess.run([*powerless, BUILD / 'dsdump', '--html', page, log], stderr=subprocess.PIPE, text=True, check=False)
    same((ended.returncode, ended.stderr, page.stat().st_mode & 0o777), (status, complaint, mode), f'a page with mode {mode:o}')
page.chmod(0o644)

# Names and files of an ELF that terminals or spreadsheets act on, or that separate frames, are not used.
FIRST = b'=+-@;\n\x1b\x9b'
names = Names(elf[64])
chosen = sorted(names.best.items(), key=lambda item: -len(item[1][2]))[:len(FIRST)]
files = sorted(set(re.findall(rb'\0([a-z_]+\.c)(?=\0)', image)))
evil = image
for n, old in enumerate([*(best[2].encode() for _, best in chosen), *files]):
    evil = evil.replace(b'\0' + old + b'\0', b'\0' + FIRST[n % len(FIRST):][:1] + b'EVIL'.ljust(len(old) - 1, b'x')[:len(old) - 1] + b'\0')
(here / 'evil.elf').write_bytes(evil)
dump = Dump()
dump.head(identity)
dump.begin('bts.one')
dump.bts([(start, start) for start, _ in chosen])
dump.end()
dump.write(here / 'evil')
for form in '--text', '--csv', '--folded', '--trace-json':
    dumped = {name: run('--elf', here / name, form, here / 'evil')[1] for name in ('evil.elf', 'kernel.elf')}
    same(('EVI' in dumped['evil.elf'], chosen[0][1][2][:40] in dumped['kernel.elf'], re.findall('[^\n -~]', dumped['evil.elf'])),
         (False, True, []), f'{form}: no such names')


def closed(command, *descriptors):
    """(status, errors) of a command that starts with these descriptors closed."""
    words = ' '.join(f'{fd}<&-' if fd == 0 else f'{fd}>&-' for fd in descriptors)
    ended = subprocess.run(f'exec {command} {words}', shell=True, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stderr


(here / 'x.html').unlink(missing_ok=True)
same(closed(f'{program} --html {here}/x.html {log}', 0, 1), (0, ''), 'a page, with closed descriptors')
run('--html', here / 'y.html', log)
same((here / 'x.html').read_bytes(), (here / 'y.html').read_bytes(), '... is written')
BAD = 'Bad file descriptor'
for words in '--text', '--raw', '--csv', '--trace-json', '--stats':
    same(closed(f'{program} {words} {log}', 1), (1, f'dsdump: standard output: cannot write: {BAD}\n'), f'{words} to a closed output')
for other in 'dsdump --help', 'profiles', 'ds-inspect':
    words = [BUILD / other.split()[0], *other.split()[1:]]
    name = words[0].name
    same(closed(' '.join(map(str, words)), 1), (1, f'{name}: standard output: cannot write: {BAD}\n'), f'{other} to a closed output')
same(closed(f'{program}', 0), (2, f'dsdump: standard input: {BAD}\n'), 'a log from a closed input')

# --help and the manual page list each option with its argument.
status, text, _ = run('--help')
options = dict(re.findall(r'^  --(\S+)(?: ([A-Z]\S*))?', text, re.M))
manual = (BUILD.parent / 'docs/dsdump.1').read_text()
manual = manual[manual.index('.Bl'):manual.index('.Ss Judging')]
same((status, sorted(options)), (0, sorted(re.findall(r'^\.It Fl -(\S+)', manual, re.M))), 'options of help and manual')
same(sorted(name for name, argument in options.items() if argument),
     sorted(re.findall(r'^\.It Fl -(\S+) Ar', manual, re.M)), 'options with an argument')
for name, argument in options.items():
    if argument:
        dsdump(f'--{name}', status=2, complaint=f'dsdump: --{name}: missing {argument}\n')
    elif name != 'help':
        same(run('--elf', elf[64], f'--{name}', log, stdout='/dev/full')[::2],
             (1, 'dsdump: standard output: cannot write: No space left on device\n'), f'--{name} to a full disk')
with open('/dev/full', 'wb') as full:    # line-buffered, an error is older than the last flush
    for words in ['--help'], ['--stats', log]:
        same(subprocess.run(['stdbuf', '-oL', BUILD / 'dsdump', *words], stdout=full, stderr=subprocess.DEVNULL).returncode, 1,
             f'{words[0]}, line by line, to a full disk')
(here / 'cut.data').write_text('older\n')
same(run('--force', '--perf-data', here / 'cut.data', log, most_bytes=4096)[::2],
     (1, f'dsdump: {here}/cut.data: cannot write: File too large\n'), 'perf.data larger than the file size limit')
killed = subprocess.Popen([program, '--force', '--html', here / 'cut.data'], stdin=subprocess.PIPE)
any(list(here.glob('cut.data.*')) or time.sleep(0.01) for _ in range(1000))    # until it writes, at most ten seconds
killed.terminate()
same((killed.wait(60), (here / 'cut.data').read_text(), list(here.glob('cut.data?*'))), (-signal.SIGTERM, 'older\n', []),
     'after a limit or a signal, no partial file is left and the older file is unchanged')

# Progress of a log of 64 MiB, printed only on a terminal.
(here / 'large').write_bytes(b'x' * 79 + b'\n')
with open(here / 'large', 'ab') as large:
    large.truncate(64 << 20)
ours, theirs = pty.openpty()
reading, shown = subprocess.Popen([program, '--csv', here / 'large'], stdout=subprocess.DEVNULL, stderr=theirs), ''
os.close(theirs)
with contextlib.suppress(OSError):    # the terminal's end
    while part := os.read(ours, 4096):
        shown += part.decode()
reading.wait()
ok(shown.startswith(f'\r{here}/large: 1 %\r{here}/large: 2 %') and f'large: 99 %\r\33[K' in shown, 'progress on a terminal')
text = run('--elf', here / 'other.elf', '--text', log)[1]
ok('+0x' not in text and text.count('=>') == 348, 'no symbol comes from an ELF of another build')
ok('[unknown];[unknown]' not in run('--elf', here / 'other.elf', '--folded', log)[1], 'no call comes from it, either')

# Damage: --stats and --text report it and read the rest. Frame 4, in line 6, has 43 records. tests/host/test_dump_damage.c has every
# kind of damage.
TRUNCATED, lines = 'line 6: truncated frame: no checksum at its end', dump_of().lines
cut = lines[5][:60]
for what, records, damaged, complaints in (
        ('a frame cut short', 305, lines[:5] + [cut] + lines[6:],
         [TRUNCATED, 'line 7: frame 4: missing before this line', 'line 13: 43 of 348 bts records are lost']),
        ('a log cut in a line', 123, lines[:5] + [cut],
         [TRUNCATED, 'line 6: the dump breaks off here: no end frame, so more records may be missing']),
        ('lines that are not of the dump', 348, lines[:5] + ['firmware', '\33[2J# dsdump is a word', '\0\xff'] + lines[5:], [])):
    dump = Dump()
    dump.lines = damaged
    file = dump.write(here / 'damaged')
    ends = {'status': int(bool(complaints)), 'complaint': ''.join(f'dsdump: {file}: {each}\n' for each in complaints)}
    same(re.findall(r'^bts (\d+)', dsdump('--stats', file, **ends), re.M), [str(records)], f'{what}: the rest is read')
    same(len(re.findall('^# bts ', dsdump('--text', file, **ends), re.M)), records, f'{what}: --text')

# --judge: a line for each log, and the worst status; of a single log also a line for each problem.
# tests/host/test_log_judge.c has every problem.
GOOD = """# begin dstest86 0.1.0 abc 64
1..1
ok 1 bts.one
# area pass differs fail skip error
# area bts 1 0 0 0 0
# facility bts pass 1 of 1
# facility pebs none: no PEBS
# facility lbr not selected
# end dstest86 verdict=pass pass=1 fail=0 skip=0 error=0 differs=0
"""
ROWLESS = 'untested: x; cpu/cores.c has no row for 06_ff'
JUDGED = {
    'good': (GOOD, 0, 'pass'),
    'rowless': (GOOD.replace('none: no PEBS', ROWLESS).replace('=pass', '=incomplete').replace('1..1', '1..2').replace(
        'ok 1 bts.one', 'ok 1 bts.one\nok 2 pebs.one # SKIP x').replace('skip=0', 'skip=1'), 3, f'incomplete: pebs {ROWLESS}',
                next(said for _, said, words in ERRORS if words == '--raw /rowless').partition(': ')[2]),
    'failed': (GOOD.replace('ok 1', 'not ok 1').replace('1 0 0 0 0', '0 0 1 0 0\n# fail bts.one: x').replace('=pass', '=fail')
               .replace('pass=1 fail=0', 'pass=0 fail=1').replace('pass 1', 'fail 1'), 1, 'fail: bts.one'),
    'panicked': ('# begin dstest86 0.1.0 abc 64\n# panic vector 3\n# end dstest86 verdict=panic pass=0 fail=0 skip=0 error=0 differs=0\n',
                 134, 'panic: vector 3'),
    'cut': (GOOD[:GOOD.index('skip=')], 2, 'unusable', *(f'"# end" says {name}=nothing, counted 0' for name in ('differs', 'error', 'skip'))),
    'twice': (GOOD * 2, 2, 'unusable', 'line 10: "# begin" occurs twice: the kernel restarted; judge each boot\'s log alone'),
    'many': (GOOD[:30] + 'ok\n' * 30, 2, 'unusable', *(f'line {n}: not a result line: ok' for n in range(2, 22)), 'and 11 more problems'),
}
for name, (text, status, line, *complaints) in JUDGED.items():
    (here / name).write_text(text)
    for file, words in (here / name, here / name), ('standard input', '-'):
        same(run('--judge', words, stdin=here / name),
             (status, f'{file}: {line}\n', ''.join(f'dsdump: {file}: {each}\n' for each in complaints)), f'--judge of a log: {name}')
several = lambda *names: run('--judge', *(here / name for name in names))
same(several('good', 'failed', 'good'), (1, f'{here}/good: pass\n{here}/failed: fail: bts.one\n{here}/good: pass\n', ''), 'several logs')
same(several('panicked', 'cut', 'good'), (2, f'{here}/panicked: panic: vector 3\n{here}/cut: unusable: {JUDGED["cut"][3]}\n'
                                          f'{here}/good: pass\n', ''), '... one of them is unusable')
same(several('good', 'nowhere')[::2], (2, f'dsdump: {here}/nowhere: {NOWHERE}\n'), '... one of them is missing')
same(run('--judge', here / 'good', stdout='/dev/full')[::2], (2, 'dsdump: standard output: cannot write: No space left on device\n'),
     '--judge to a full disk')

# dsdump's memory grows neither with the length of a line nor with the number of boots in a pipe.
log.write_bytes(b''.join(part.encode() + b'\n' for part in lines[:9]))
with open(log, 'r+b') as file:
    file.truncate(300 << 20)
    file.seek(0, 2)
    file.write(b''.join(b'\n' + part.encode() for part in lines[9:]))
TOTAL = 'bts {0} lost 0\npebs {1} lost 0\nlbr {2} lost 0\nproblems 0\n'
same(run('--stats', log, most_memory=100 << 20)[::2], (0, ''), 'a line of 300 MB in 100 MB')
many = here / 'many'
many.write_bytes(dump_of().write(here / 'one').read_bytes() * 2000)
status, text, said = run('--stats', '-', stdin=many, most_memory=20 << 20)
same((status, said, text.split('\n', 1)[1]), (0, '', TOTAL.format(2000 * 348, 2000 * 5, 2000)), '2000 boots in 20 MB')
done()
