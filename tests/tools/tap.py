# SPDX-License-Identifier: MIT
"""TAP for tests in Python, and running dsdump."""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / 'build'
DSDUMP = BUILD / 'host/dsdump'    # with sanitizers

_folder = tempfile.TemporaryDirectory()
folder = _folder.name    # is removed at the end

_count = _failed = 0


def ok(passed, what):
    global _count, _failed
    _count += 1
    _failed += not passed
    print('ok' if passed else 'not ok', _count, '-', what.replace('#', r'\#'), flush=True)
    return passed


def note(text):
    print(*(f'# {line}' for line in text.splitlines()), sep='\n', file=sys.stderr)


def same(got, wanted, what):
    """Two values; of lists the first difference is told."""
    if ok(got == wanted, what):
        return
    if isinstance(got, list) and isinstance(wanted, list):
        at = next((i for i, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), min(len(got), len(wanted)))
        note(f'{len(got)} of {len(wanted)}; the first difference is at {at}')
        got, wanted = got[at] if at < len(got) else 'nothing', wanted[at] if at < len(wanted) else 'nothing'
    note(f'   got: {got}\nwanted: {wanted}')


def done():
    print(f'1..{_count}')
    sys.exit(_failed > 0)


def dsdump(*arguments, status=0, complaint=''):
    """The output of dsdump, whose status and complaints must be these."""
    run = subprocess.run([DSDUMP, *map(str, arguments)], capture_output=True, stdin=subprocess.DEVNULL)
    said = run.stderr.decode()
    shown = ' '.join(pathlib.Path(str(word)).name for word in arguments)
    same((run.returncode, said), (status, complaint), f'dsdump {shown}')
    return run.stdout.decode('latin-1')
