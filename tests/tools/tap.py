# SPDX-License-Identifier: MIT
"""TAP for tests in Python, and running dsdump."""
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / 'build'
program = BUILD / 'host/dsdump'    # with sanitizers

_folder = tempfile.TemporaryDirectory()
folder = _folder.name    # removed at the end

_count = _failed = 0


def ok(passed, what):
    global _count, _failed
    _count += 1
    _failed += not passed
    print('ok' if passed else 'not ok', _count, '-', what.replace('#', r'\#').replace('\n', ' '), flush=True)
    return passed


def skip(what, why):
    global _count
    _count += 1
    print('ok', _count, '-', what, '# SKIP', why, flush=True)


def note(text):
    print(*(f'# {line}' for line in text.splitlines()), sep='\n', file=sys.stderr)


def same(got, wanted, what):
    """Compares two values. For lists, prints the first difference."""
    if ok(got == wanted, what):
        return
    if isinstance(got, list) and isinstance(wanted, list):
        at = next((i for i, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), min(len(got), len(wanted)))
        note(f'{len(got)} of {len(wanted)}; the first difference is at {at}')
        got, wanted = got[at] if at < len(got) else 'nothing', wanted[at] if at < len(wanted) else 'nothing'
    note(f'   got: {got}\nwanted: {wanted}')


def like(text, pattern, what):
    """Whether a regular expression matches anywhere in the text."""
    return ok(re.search(pattern, text), what) or note(f'   got: {text}\nwanted: {pattern}')


def done():
    print(f'1..{_count}')
    sys.exit(_failed > 0)


def run(*arguments, stdin='/dev/null', stdout=None, most_bytes=None, most_memory=None):
    """(status, output, errors) of dsdump. Limits: most_bytes of a file, most_memory (without sanitizers)."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for which, most in ((resource.RLIMIT_FSIZE, most_bytes), (resource.RLIMIT_AS, most_memory)):
            if most:
                resource.setrlimit(which, (most, most))

    source = os.open(stdin, os.O_RDONLY)
    with open(stdout or '/dev/null', 'wb') as sink:
        done_ = subprocess.run([BUILD / 'dsdump' if most_memory else program, *map(str, arguments)], stdin=source,
                               stdout=sink if stdout else subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
    os.close(source)
    return done_.returncode, (done_.stdout or b'').decode('latin-1'), done_.stderr.decode()


def dsdump(*arguments, status=0, complaint='', stdin='/dev/null'):
    """Runs dsdump, checks its status and complaints, and returns its output."""
    is_, out, said = run(*arguments, stdin=stdin)
    shown = ' '.join(pathlib.Path(str(word)).name for word in arguments)
    same((is_, said), (status, complaint), f'dsdump {shown}')
    return out
