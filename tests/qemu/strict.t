#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""qemu-ds --strict in CI: report and exit status if the guest hangs, resets itself, or the wrapper gets a signal; options that
other runners pass to QEMU; hints for misplaced options. The guests are the kernel, which halts if there is no isa-debug-exit,
tests/qemu/ends.asm, and an empty machine."""
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import time

from machine import BUILD
import tap

COMMAND = str(BUILD / 'qemu-ds')
EMPTY = ['-display', 'none', '-serial', 'null']
EXIT = ['-no-reboot', '-device', 'isa-debug-exit,iobase=0xf4,iosize=4']


def kernel(tests):
    return [*EMPTY, '-kernel', str(BUILD / 'dstest86-64.elf'), '-append', f'run={tests}']


def run(*words, command=(COMMAND,)):
    done = subprocess.run([*command, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


def wait_for(condition):
    end = time.time() + 60
    while not condition() and time.time() < end:
        time.sleep(0.05)
    return condition()


def qemus(folder, mapped=b'dsmodel.so'):
    """The processes with this folder in their environment, which have mapped a file with this in its name. (The command line
    does not tell: QEMU may be started by a script of the same name, whose own processes come before it.)"""
    found = []
    for process in pathlib.Path('/proc').glob('[0-9]*'):
        try:
            if f'TMPDIR={folder}\0'.encode() in (process / 'environ').read_bytes() and \
                    mapped in (process / 'maps').read_bytes():
                found.append(process.name)
        except OSError:
            pass
    return found


def default_signals():
    """This test may have been started with signals ignored. The wrapper would inherit that and could not trap them."""
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        signal.signal(number, signal.SIG_DFL)


def interrupt(number, tests, *options):
    """Starts a guest that does not end. Signals the wrapper when the report has a violation (tests 'none': when QEMU runs).
    Returns the status and the report."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, 'report')
        scratch = pathlib.Path(folder, 'tmp')
        scratch.mkdir()
        with report.open('w') as to:
            wrapper = subprocess.Popen([COMMAND, *options, *kernel(tests)], stdin=subprocess.DEVNULL, stdout=to, stderr=to,
                                       env={**os.environ, 'TMPDIR': str(scratch)}, preexec_fn=default_signals)
            streamed = wait_for(lambda: 'violation ' in report.read_text() if tests != 'none' else qemus(scratch))
            running = wrapper.poll() is None and bool(qemus(scratch))
            wrapper.send_signal(number)
            try:
                status = wrapper.wait(30)
            except subprocess.TimeoutExpired:
                status = 'still runs'
        name = f'{number.name}, run={tests} {" ".join(options)}'
        tap.ok(streamed and running, f'{name}: the report appears while the guest runs', report.read_text())
        if number == signal.SIGKILL:    # QEMU learns of it, and ends by itself
            wait_for(lambda: not qemus(scratch))
        tap.ok(not qemus(scratch), f'{name}: QEMU has ended')
        for left in qemus(scratch):
            os.kill(int(left), signal.SIGKILL)
        tap.ok(not list(scratch.iterdir()), f'{name}: no file is left', list(scratch.iterdir()))
        return status, report.read_text()


for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
    status, said = interrupt(number, 'forbidden.lvt_masked', '--strict')
    tap.ok(status == 70 and re.search(rf'^qemu-ds: .* guest: 1; signal {number.value} ended it$', said, re.M), '... status 70', f'{status} {said}')
status, said = interrupt(signal.SIGTERM, 'none', '--strict')
tap.ok(status == 143 and 'guest: 0; signal 15' in said, '... status 143 without a violation', f'{status} {said}')

# A wrapper that is killed, or cannot start, leaves no process that holds its standard output.
status, said = interrupt(signal.SIGKILL, 'forbidden.lvt_masked', '--strict')
tap.ok(status == -9 and 'violation ' in said, '... status of the signal', f'{status} {said}')


def shell(command, *words, limit=None):
    """The status and the errors of a shell command, whose "$@" starts the wrapper, and the processes that it leaves."""
    def few():
        if limit:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

    with tempfile.TemporaryDirectory() as folder:
        with open(f'{folder}/said', 'w+') as to:
            started = subprocess.Popen(['sh', '-c', f'exec "$@" {command}', 'sh', COMMAND, *words], stdin=subprocess.DEVNULL,
                                       stdout=to, stderr=to, env={**os.environ, 'TMPDIR': folder}, preexec_fn=few)
            try:
                status = started.wait(60)
            except subprocess.TimeoutExpired:
                status = 'still runs'
            wait_for(lambda: not qemus(folder, b''))
            to.seek(0)
            return status, to.read(), qemus(folder, b'')


for command in '<&-', '>&-', '2>&-', '<&- >&- 2>&-':
    ended = shell(command, '--strict', *EXIT, *kernel('forbidden.lvt_masked'))
    tap.ok(ended[0] == 70 and not ended[2], f'{command}: status 70', ended)
for limit in range(11, 15):
    ended = shell('', '--strict', *EXIT, *kernel('forbidden.lvt_masked'), limit=limit)
    tap.ok(ended[0] in (1, 2) and ended[1] != '' and not ended[2], f'{limit} file descriptors: refused', ended)

# `timeout` signals the wrapper, and then its process group, which includes the program that the wrapper waits with.
with tempfile.TemporaryDirectory() as folder:
    stubborn = pathlib.Path(folder, 'qemu')
    stubborn.write_text(f"#!/bin/sh\ntrap '' TERM\ntrue >{folder}/started\nexec sleep 60\n")
    stubborn.chmod(0o755)
    wrapper = subprocess.Popen([COMMAND, '--qemu', str(stubborn), '--strict', '-S'], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, start_new_session=True)
    wait_for(pathlib.Path(folder, 'started').exists)
    for _ in range(20):
        time.sleep(0.03)
        os.killpg(wrapper.pid, signal.SIGTERM)
    try:
        said = wrapper.communicate(timeout=20)[1]
    except subprocess.TimeoutExpired:
        said = 'the reader of the report still runs'
        os.killpg(wrapper.pid, signal.SIGKILL)
    tap.ok(wrapper.returncode == 143 and 'signal 15 ended it' in said, 'SIGTERM to the process group', f'{wrapper.returncode} {said}')

# A signal while the wrapper makes its FIFO.
with tempfile.TemporaryDirectory() as folder:
    early = pathlib.Path(folder, 'mktemp')
    early.write_text('#!/bin/sh\nkill -TERM $PPID\nPATH=${PATH#*:}\nexec mktemp "$@"\n')
    early.chmod(0o755)
    scratch = pathlib.Path(folder, 'tmp')
    scratch.mkdir()
    done = subprocess.run([COMMAND, '--strict', *EMPTY], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          env={**os.environ, 'PATH': f'{folder}:{os.environ["PATH"]}', 'TMPDIR': str(scratch)}, preexec_fn=default_signals)
    tap.ok(done.returncode == 143 and 'signal 15 ended it' in done.stderr and not list(scratch.iterdir()), 'SIGTERM before QEMU starts', f'{done}')

status, said = run('-s', 'KILL', '60', COMMAND, '--strict', *EXIT, *kernel('forbidden.lvt_masked'), command=['timeout'])
tap.ok(status == 70 and re.search(r"^violation .*guest: 1; QEMU's own exit status: 33$", said, re.M | re.S), 'a guest that ends: its status is reported', f'{status} {said}')
with tempfile.TemporaryDirectory() as folder:
    report = pathlib.Path(folder, 'report')
    report.write_text('violation of an earlier run\n')
    status, said = run('--strict', '--violations', str(report), '-device', 'no-such-device', *EMPTY)
    tap.ok(status == 1 and report.read_text() == '', 'an earlier report is removed', f'{status} {said}')
    report.unlink()
    os.mkfifo(report)
    reader = subprocess.Popen(['cat', report], stdout=subprocess.PIPE, text=True)
    status, said = run('-k', '5', '60', COMMAND, '--strict', '--violations', str(report), *EXIT, *kernel('forbidden.lvt_masked'), command=['timeout'])
    tap.ok(status == 70 and reader.communicate()[0].startswith('violation '), 'a report into a FIFO', f'{status} {said}')
    status, said = run('--strict', '--violations', folder, *EMPTY)
    tap.ok(status == 2 and said.endswith(f'qemu-ds: --violations {folder}: cannot be written; choose a file in a writable folder\n'), 'a report into a folder', f'{status} {said}')

ENDS = ['-display', 'none', '-no-reboot', '-kernel', str(BUILD / 'ends.elf'), '-append']
RESETS = ' triple-fault vcpu=0 rip=RIP: the exception of this instruction cannot be delivered, nor a double fault; the processor shuts down'
for letter, reset, wanted in (('w', 71, ' refused vcpu=0 rip=RIP wrmsr 0x187: IA32_PERFEVTSEL1 0x1000000000000 has reserved bits 0x1000000000000' + RESETS),
                              ('r', 71, ' refused vcpu=0 rip=RIP rdmsr 0xc6: IA32_PMC5 is absent' + RESETS),
                              ('u', 71, RESETS), ('c', 0, ''), ('k', 0, '')):
    status, said = run('--strict', '-serial', 'null', *ENDS, letter)
    if wanted:
        wanted += " qemu-ds: violations of the manual by the guest: 0, triple faults: 1; QEMU's own exit status: 0"
    said = ' '.join(['', *re.sub('rip=0x[0-9a-f]+', 'rip=RIP', said).splitlines()])
    tap.ok((status, said) == (reset, wanted), f'the reset {letter}: status {reset}', f'{status} {said}')
ended = shell('', '-serial', 'stdio', *ENDS, 'u')
tap.ok(ended[0] == 0 and re.search('^triple-fault vcpu=0 ', ended[1], re.M), 'without --strict: reported, on a line of its own', ended)
ended = shell('', '--strict', '-serial', 'stdio', *ENDS, 'u')
tap.ok(ended[0] == 71 and re.search('^triple-fault vcpu=0 .*^qemu-ds: ', ended[1], re.M | re.S), '... with --strict', ended)
status, said = run('--preserve-status', '5', COMMAND, '--strict', *EMPTY, *ENDS, 'w', '-action', 'reboot=reset', command=['timeout'])
tap.ok(status == 71 and said.count('refused ') == said.count('triple-fault ') == 1, 'a guest that resets itself for ever', f'{status} {said}')

ADVICE = EXIT + kernel('bts.enable.bts_alone')
status, said = run('--strict', *ADVICE)
tap.ok(status == 33 and 'advice ' in said, 'advice passes --strict', f'{status} {said}')
status, said = run('--strict=advice', *ADVICE)
tap.ok(status == 70 and re.search(r'^qemu-ds: .* guest: 0, advice: [1-9]', said, re.M), '--strict=advice makes it fatal', f'{status} {said}')

WRONG = EXIT + kernel('forbidden.lvt_masked')
ELF = BUILD / 'dstest86-64.elf'
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder, 'known')
    for text, status, expected in (
            (f'# known\nlvtpc-masked workload_nothing_run@{ELF} a test\n', 33, '^accepted violation vcpu=0 .*: a test$'),
            ('lvtpc-masked 0x1-0xFFFFFFFFFFFFFFFF a test', 33, '^accepted violation vcpu=0 .*: a test$'),
            ('lvtpc-masked 0x1 x\n', 70, f'^violation .*^qemu-ds: {file} line 1: lvtpc-masked was not reported$'),
            (f'lvtpc-vector workload_nothing_run@{ELF} x\n', 70, f'^violation .*^qemu-ds: {file} line 1: lvtpc-vector was not reported$'),
            ('lvtpc-masked 0x1\n', 2, f'^qemu-ds: {file} line 1: expected RULE, addresses or FUNCTION@ELF-FILE, and a reason$'),
            ('x here why\n', 2, f'^qemu-ds: {file} line 1: here: expected 0xADDRESS, 0xFROM-0xTO or FUNCTION@ELF-FILE$'),
            (f'x no_such@{ELF} why\n', 2, f'^qemu-ds: {file} line 1: no function no_such in {ELF}; nm lists its functions$')):
        file.write_text(text)
        ended = run('--strict', '--accept', str(file), *WRONG)
        tap.ok(ended[0] == status and re.search(expected, ended[1], re.M | re.S), f'--accept {text.splitlines()[-1].split()[0]}: status {status}', ended)

QUIT = EXIT + kernel('bts.calls')
for words in (['-accel', 'kvm', '-accel', 'hvf', '-accel', 'tcg'], ['-machine', 'q35,accel=tcg'], ['-M', 'accel=kvm:tcg'],
              ['-machine', 'accel=tcg,graphics=off', '-cpu', 'max'], ['--machine', 'pc', '--accel', 'tcg,thread=multi']):
    status, said = run(*words, *QUIT)
    tap.ok(status == 33 and re.fullmatch(r'BTS on cpu 0: .*\n', said), f'{" ".join(words)}', f'{status} {said}')
for words, expected in {
    '-machine q35,accel=kvm': '-machine accel=kvm: not supported; the model needs accel=tcg',
    '-accel kvm -accel hvf': '-accel hvf: not supported; the model needs -accel tcg',
    '-m 1G --profile icelake': "--profile: write the options of qemu-ds before QEMU's",
    '-profile icelake': "-profile: write --profile, before QEMU's options",
    '--quirk -display none': '--quirk: missing value before -display; see qemu-ds --help',
    '--accept strict.t': '--accept: has no effect without --strict; add --strict',
    '--strict=all': '--strict=all: unknown value; write --strict or --strict=advice',
    '--strict -daemonize': "-daemonize: not supported with --strict, which waits for QEMU's end; remove one of them",
}.items():
    status, said = run(*words.split(), *EMPTY)
    tap.ok((status, said) == (2, f'qemu-ds: {expected}\n'), f'{words} is refused', f'{status} {said}')
status, said = run()
tap.ok(status == 2 and said.startswith('usage: qemu-ds '), 'without arguments: the usage', f'{status} {said}')
version = re.search(r'^## ([0-9.]+)', (BUILD.parent / 'NEWS').read_text(), re.M)[1]
said = subprocess.run([COMMAND, '--version'], capture_output=True, text=True, timeout=60).stdout
tap.ok(said.startswith(f'qemu-ds {version}\nQEMU emulator version '), '--version', said)
tap.done()
