# SPDX-License-Identifier: MIT
"""Boots machines (scripts/machine), to their end, until a line comes, watched over QMP, or under GDB; and runs programs."""
import json
import os
import pathlib
import re
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / 'build'
MACHINE = str(ROOT / 'scripts/machine')
sys.path[:0] = [str(ROOT / 'scripts/lib'), str(ROOT / 'tests/tools')]    # for tests, too: they import this module first
import judge    # noqa: E402


def run(*command: object, seconds: float | None = 300, **settings) -> tuple[int, str, str]:
    """(exit status in a shell's form, output, errors) of a program without input."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, **settings)
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return status, done.stdout.decode('latin-1'), done.stderr.decode('latin-1')


def lines_in(log: str) -> list[str]:
    """The lines of a serial output that are not empty, without firmware's escape sequences."""
    return [line for line in judge.ESCAPE.sub('', log).split('\n') if line]


def measured(lines: Iterable[str], kind: str) -> Iterator[dict[str, int | str]]:
    """The pairs of each line "# measure KIND ..", with numbers as numbers. A value in quotation marks may have blanks."""
    for line in lines:
        if line.startswith(f'# measure {kind} '):
            pairs = re.findall(r'(\S+) (?:"([^"]*)"|(\S+))', line.removeprefix(f'# measure {kind} '))
            yield {key: int(value) if re.fullmatch(r'-?\d+', value) else value or quoted for key, quoted, value in pairs}


def boot(*options: str) -> tuple[str, str, str]:
    """Boots with these options of scripts/machine: the verdict by QEMU's exit status ("status N" if it is none), the serial output,
    and the errors."""
    status, log, errors = run('timeout', '300', MACHINE, 'boot', *options, seconds=None)
    return judge.VERDICT_OF_STATUS.get(status, f'status {status}'), log, errors


def boot_until(until: re.Pattern, *options: str, after: float = 0) -> tuple[str, bool]:
    """Boots, and stops the machine `after` seconds after its output matched the pattern. Returns the output without firmware's escape
    sequences, and whether it matched."""
    with subprocess.Popen([MACHINE, 'boot', *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as guest:
        said, came, end = b'', None, time.monotonic() + 300
        while not came and (left := end - time.monotonic()) > 0:
            if select.select([guest.stdout], [], [], left)[0]:
                more = os.read(guest.stdout.fileno(), 65536)
                said += more
                came = until.search(said.decode('latin-1'))
                if not more:
                    break
        if came:
            time.sleep(after)
        guest.kill()
        said += guest.stdout.read()
    return judge.ESCAPE.sub('', said.decode('latin-1')), bool(came)


# GDB's command to stop where a test has its records in the buffer.
STOP_WITH_RECORDS = 'hbreak ds_close if processors[0]->open_for'


def gdb_command(profile: str, options: str, *gdb_options: str, width: int = 64, boot: tuple = ()) -> list[str]:
    """GDB on a kernel in QEMU; `boot` is for more options of scripts/machine."""
    return [MACHINE, 'gdb', '-w', str(width), '-p', profile, '-o', options, *boot, '--', *gdb_options]


def gdb(profile: str, *commands: str, options: str = '', width: int = 64, boot: tuple = ()) -> tuple[list[str], list[str], str]:
    """Runs GDB, unattended: the output of each command, the lines of the kernel's log, and GDB's whole output. GDB ends at its first
    error; the output of later commands is ''."""
    marked = [word for n, command in enumerate(commands) for word in ('-ex', rf'echo \n== {n} ==\n', '-ex', command)]
    with tempfile.NamedTemporaryFile('r', encoding='latin-1') as serial:
        text = subprocess.run(
            ['timeout', '100', *gdb_command(profile, options, '-batch', *marked, width=width, boot=boot)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8', errors='replace',
            env={**os.environ, 'GDB_SERIAL': serial.name, 'DS_INSPECT': str(BUILD / 'host/ds-inspect')}).stdout    # with sanitizers
        log = lines_in(serial.read())
    first, *parts = re.split(r'\n== (\d+) ==\n', text)
    outputs = dict(zip(parts[::2], parts[1::2]))
    return [outputs.get(str(n), '') for n in range(len(commands))], log, text


def address_of(width: int, symbol: str) -> int:
    """The address of a symbol of the kernel of this width."""
    for line in run('nm', BUILD / f'dstest86-{width}.elf')[1].splitlines():
        if line.split()[-1] == symbol:
            return int(line.split()[0], 16)
    raise LookupError(f'the kernel has no symbol {symbol}')


class Machine:
    """A machine that a test watches while it runs. `seconds` limits the whole run; `folder` is for its files; the rest are options of
    scripts/machine, with "--" before QEMU's. It ends with the `with` block."""

    def __init__(self, seconds: float, folder: str | pathlib.Path, *options: str):
        self.folder = pathlib.Path(folder)
        self.serial, path = self.folder / 'serial', self.folder / 'qmp'
        self.serial.unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        with open(self.serial, 'wb') as serial:
            self.guest = subprocess.Popen(
                ['timeout', '--kill-after=5', str(seconds), MACHINE, 'boot', *options, *([] if '--' in options else ['--']),
                 '-qmp', f'unix:{path},server=on,wait=off'], stdin=subprocess.DEVNULL, stdout=serial)
        connection = socket.socket(socket.AF_UNIX)
        while connection.connect_ex(str(path)):
            self.pause()
        self.qmp = connection.makefile('rw')
        self.command('qmp_capabilities')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.guest.poll() is None:
            self.guest.terminate()
        self.guest.wait()

    def pause(self) -> None:
        """For callers that poll a running machine."""
        if self.guest.poll() is not None:
            raise RuntimeError(f'the machine ended, status {self.guest.returncode}; its log ends:\n{self.log()[-2000:]}')
        time.sleep(0.1)

    def log(self) -> str:
        return self.serial.read_text(encoding='latin-1')

    def wait_for(self, pattern: re.Pattern) -> str:
        """Waits until the log matches, and returns it."""
        while not pattern.search(self.log()):
            try:
                self.pause()
            except RuntimeError:
                if not pattern.search(self.log()):
                    raise
        return self.log()

    def command(self, name: str, **arguments) -> object:
        """The result of a QMP command."""
        self.qmp.write(json.dumps({'execute': name, 'arguments': arguments}) + '\n')
        self.qmp.flush()
        for line in self.qmp:
            answer = json.loads(line)
            if 'error' in answer:
                raise RuntimeError(f'{name}: {answer["error"]["desc"]}')
            if 'return' in answer:
                return answer['return']
        raise RuntimeError(f'{name}: no answer')

    def press(self, key: str) -> None:
        """Presses a key: QEMU's name of it, or several names with "-" between them, for keys that are held together."""
        self.command('send-key', keys=[{'type': 'qcode', 'data': name} for name in key.split('-')])

    def screendump(self) -> pathlib.Path:
        """A PPM file of the screen."""
        path = self.folder / 'screen.ppm'
        self.command('screendump', filename=str(path))
        return path

    def memory(self, address: int, size: int) -> bytes:
        """Bytes of physical memory."""
        path = self.folder / 'memory'
        self.command('pmemsave', val=address, size=size, filename=str(path))
        return path.read_bytes()

    def stop(self) -> None:
        self.command('quit')
        self.guest.wait()
