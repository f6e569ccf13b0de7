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
from typing import NoReturn

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / 'build'
program = BUILD / 'host/dsdump'    # with sanitizers

_folder = tempfile.TemporaryDirectory()
folder = _folder.name    # removed at the end

_count = _failed = 0


def ok(passed: object, what: str, *told: object) -> bool:
    """A line of TAP; if it failed, also a note with the rest."""
    global _count, _failed
    _count += 1
    _failed += not passed
    print('ok' if passed else 'not ok', _count, '-', what.replace('#', r'\#').replace('\n', ' '), flush=True)
    if told and not passed:
        note('\n'.join(map(str, told)))
    return bool(passed)


def skip(what: str, why: str) -> None:
    global _count
    _count += 1
    print('ok', _count, '-', what, '# SKIP', why, flush=True)


def note(text: str) -> None:
    print(*(f'# {line}' for line in text.splitlines()), sep='\n', file=sys.stderr)


def same(got: object, wanted: object, what: str) -> None:
    """Compares two values. For lists, prints the first difference."""
    if ok(got == wanted, what):
        return
    if isinstance(got, list) and isinstance(wanted, list):
        at = next((i for i, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), min(len(got), len(wanted)))
        note(f'{len(got)} of {len(wanted)}; the first difference is at {at}')
        got, wanted = got[at] if at < len(got) else 'nothing', wanted[at] if at < len(wanted) else 'nothing'
    note(f'   got: {got}\nwanted: {wanted}')


def like(text: str, pattern: str | re.Pattern, what: str) -> bool:
    """Whether a regular expression matches anywhere in the text."""
    return ok(re.search(pattern, text), what, f'   got: {text}\nwanted: {pattern}')


def write(path: pathlib.Path, text: str = '') -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def done() -> NoReturn:
    print(f'1..{_count}')
    sys.exit(_failed > 0)


def run(*arguments: object, stdin: str = '/dev/null', stdout: str | None = None, most_bytes: int | None = None,
        most_memory: int | None = None) -> tuple[int, str, str]:
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


def dsdump(*arguments: object, status: int = 0, complaint: str = '', stdin: str = '/dev/null') -> str:
    """Runs dsdump, checks its status and complaints, and returns its output."""
    is_, out, said = run(*arguments, stdin=stdin)
    shown = ' '.join(pathlib.Path(str(word)).name for word in arguments)
    same((is_, said), (status, complaint), f'dsdump {shown}')
    return out
