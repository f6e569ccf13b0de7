# SPDX-License-Identifier: MIT
"""GDB's commands for the debug store: `source tools/gdb/dstest86.py` (docs/gdb.md). ds-inspect decodes and checks with the
kernel's own code. This file answers its questions for memory, symbols and source lines."""
import glob
import os
import re
import subprocess
from collections.abc import Callable

import gdb

HERE = os.path.dirname(os.path.realpath(__file__))
INSTALLED, BUILT = os.path.join(HERE, 'ds-inspect'), os.path.normpath(os.path.join(HERE, '../../build/ds-inspect'))
PROGRAM = os.environ.get('DS_INSPECT') or (INSTALLED if os.path.exists(INSTALLED) else BUILT)
COUNT_MOST = 2 ** 32 - 1


class Problem(gdb.GdbError):
    """The reason why a command fails, as a sentence."""


class State:
    """Where the model writes the state of each stopped processor (its option state=FOLDER)."""
    folder: str | None = None

    @classmethod
    def path(cls) -> str:
        thread = gdb.selected_thread()
        if thread is None or not thread.is_valid():
            raise Problem('no machine: `target remote` QEMU first')
        if thread.is_running():
            raise Problem('the machine is running: interrupt it first')
        if cls.folder is None:
            raise Problem("the model's folder is unknown: start QEMU with `qemu-ds --state FOLDER` and give "
                          '`ds-state FOLDER`')
        path = os.path.join(cls.folder, str(thread.num - 1))
        if not os.path.exists(path):
            raise Problem(f'{path} does not exist: the model writes it when processor {thread.num - 1} stops; was QEMU '
                          f'started with state={cls.folder}?')
        cls.check_stop(path)
        return path

    @staticmethod
    def check_stop(path: str) -> None:
        """Checks that the file is of this stop: another QEMU, or a reset of this one, does not update it."""
        with open(path, encoding='ascii', errors='replace') as file:
            told = re.search(r'^register rip (0x[0-9a-f]+)$', file.read(), re.MULTILINE)
        mask = (1 << 8 * pointer_size()) - 1
        here = gdb.newest_frame().pc() & mask
        if told is not None and int(told[1], 16) & mask != here:
            raise Problem(f'{path} is from another stop (rip {told[1]}, GDB is at {here:#x}): step once, or was QEMU '
                          f'started with state={os.path.dirname(path)}?')


def pointer_size() -> int:
    """The width, from a register, because names of types depend on the language."""
    return gdb.newest_frame().read_register('sp').type.sizeof


def read_linear(address: int, size: int) -> bytes | None:
    if address + size > 1 << 8 * pointer_size():
        return None     # GDB would read elsewhere, without the upper bits
    try:
        return bytes(gdb.selected_inferior().read_memory(address, size))
    except (gdb.MemoryError, OverflowError):
        return None


def read_physical(address: int, size: int) -> bytes | None:
    """QEMU's own packets: its gdbstub reads physical memory while this mode is on."""
    if 'received: "OK"' not in gdb.execute('maintenance packet Qqemu.PhyMemMode:1', to_string=True):
        raise Problem('physical memory cannot be read: GDB is not connected to QEMU')
    try:
        return read_linear(address, size)
    finally:
        gdb.execute('maintenance packet Qqemu.PhyMemMode:0', to_string=True)


def symbol_of(address: int) -> str | None:
    """NAME OFFSET."""
    try:
        # Decimal is in every language. GDB would demangle load.next to load[next].
        text = gdb.execute(f'with print demangle off -- info symbol {address}', to_string=True).splitlines()[0]
    except gdb.error:
        return None
    if text.startswith('No symbol') or ' in section ' not in text:
        return None
    name = text.split(' in section ')[0]
    name, _, offset = name.partition(' + ')
    return f'{name} {offset or 0}'


def line_of(address: int) -> str | None:
    place = gdb.find_pc_line(address)
    return f'{place.symtab.filename}:{place.line}' if place.symtab is not None and place.line else None


def hex_of(read: Callable[[int, int], bytes | None]) -> Callable[[int, int], str | None]:
    return lambda address, size: None if (found := read(address, size)) is None else found.hex()


ANSWERS = {
    'linear': hex_of(read_linear),
    'physical': hex_of(read_physical),
    'symbol': lambda address, size: symbol_of(address),
    'line': lambda address, size: line_of(address),
}


def inspect(command: str, *arguments: int) -> list[str]:
    """The lines that ds-inspect prints."""
    if not os.access(PROGRAM, os.X_OK):
        raise Problem(f'{PROGRAM} is missing: run `make tools`')
    lines = []
    path = State.path()
    try:
        with subprocess.Popen([PROGRAM, path, command, *map(str, arguments)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace') as program:
            for line in program.stdout:
                line = line.rstrip('\n')
                if not line.startswith('?'):
                    lines.append(line)
                    continue
                kind, address, size = line[1:].split()
                program.stdin.write((ANSWERS[kind](int(address, 16), int(size)) or '-') + '\n')
                program.stdin.flush()
    except BrokenPipeError:
        pass    # it has ended: the reason follows
    if program.returncode < 0:
        raise Problem(f'{PROGRAM} was ended by signal {-program.returncode}: this is a defect, please report it')
    return lines


class Command(gdb.Command):
    """Prints the reason of a failure as a sentence. The doc string is GDB's help."""
    name = ''

    def __init__(self, *kind: int):
        super().__init__(self.name, *kind)

    def invoke(self, argument: str, from_tty: bool) -> None:
        try:
            self.run(argument)
        except OSError as error:
            raise Problem(f'{self.name}: {error.filename}: {error.strerror}') from error
        except (gdb.error, ValueError) as error:
            raise Problem(f'{self.name}: {error}') from error

    def run(self, argument: str) -> None:
        raise NotImplementedError


class Report(Command):
    """A command that prints the output of ds-inspect."""
    takes_count, default = False, 0

    def __init__(self):
        super().__init__(gdb.COMMAND_DATA)

    def run(self, argument: str) -> None:
        count = self.default
        words = gdb.string_to_argv(argument)
        if words and not self.takes_count:
            raise Problem(f'{self.name}: takes no argument; type only {self.name}')
        if words:
            count = 0 if words == ['all'] else self.number(words)
            if count is None:
                raise Problem(f'{self.name}: expected a number of records from 1, or all, not {argument}')
        for line in inspect(self.name, count):
            print(line)

    @staticmethod
    def number(words: list[str]) -> int | None:
        """The count argument, at most the maximum of ds-inspect."""
        digits = len(words) == 1 and words[0].isascii() and words[0].isdigit()
        return min(int(words[0]), COUNT_MOST) or None if digits else None


class Ds(Report):
    """Print the DS management area of this processor with every field, what is wrong with it by the manual's
restrictions, and how full its buffers are. With architectural PEBS, also its buffer."""
    name = 'ds'


class Bts(Report):
    """bts [N|all]: print the newest N (16) BTS records in memory, with symbols and source lines."""
    name, takes_count, default = 'bts', True, 16


class Pebs(Report):
    """pebs [N|all]: print the newest N (4) PEBS records in memory, with symbols and source lines."""
    name, takes_count, default = 'pebs', True, 4


class Lbr(Report):
    """lbr [N|all]: print the newest N (all) entries of the LBR stack, with symbols and source lines."""
    name, takes_count, default = 'lbr', True, 0


class Perfmon(Report):
    """Print the counters of this processor, their event selects with names, what is enabled and has overflowed, and the
LVT entry of their interrupt."""
    name = 'perfmon'


def amount(line: str) -> str:
    """How full a buffer is, without whether it is enabled."""
    return line.partition(';')[0]


class DsWatch(Command):
    """ds-watch [threshold]: go on, and stop when this processor's next BTS or PEBS record is written; with `threshold`, when
an index reaches its threshold. What was written is printed."""

    name = 'ds-watch'

    def __init__(self):
        super().__init__(gdb.COMMAND_RUNNING)

    def run(self, argument: str) -> None:
        if argument not in ('', 'threshold'):
            raise Problem('ds-watch: expected no argument, or threshold')
        watch = State.path() + '.watch'
        before = self.fill()
        try:
            with open(watch, 'w', encoding='ascii') as file:
                file.write(argument or 'record')
        except OSError as error:
            raise Problem(f'ds-watch: {watch} cannot be written: {error.strerror}') from error
        try:
            said = gdb.execute('continue', to_string=True)
            stopped = not os.path.exists(watch)
        except gdb.error as error:
            raise Problem(f'ds-watch: the machine ended before the event: {error}') from error
        finally:
            if os.path.exists(watch):
                os.remove(watch)
        if gdb.selected_thread() is None:
            raise Problem('ds-watch: the machine ended before the event')
        if not stopped:
            print(said, end='')
            print('stopped for another reason: what ds-watch waits for has not happened')
            return
        now = {kind: line for kind, line in self.fill().items() if 'no buffer' not in line}
        changed = [kind for kind in now if amount(now[kind]) != amount(before.get(kind, ''))]
        # No change: the handler has drained the buffer meanwhile, and it is as full as before.
        for kind in changed or [kind for kind in now if '; off' not in now[kind]]:
            for line in [now[kind], *inspect(kind, 1)[1:]]:
                print(line)

    @staticmethod
    def fill() -> dict[str, str]:
        """How full each buffer is, and whether it is enabled, for each command that prints records."""
        lines = inspect('ds')
        return {kind: line for kind in ('bts', 'pebs') for line in lines if line.startswith(kind.upper() + ':')}


class DsState(Command):
    """ds-state FOLDER: where the model writes what GDB cannot read (qemu-ds --state FOLDER)."""

    name = 'ds-state'

    def __init__(self):
        super().__init__(gdb.COMMAND_DATA, gdb.COMPLETE_FILENAME)

    def run(self, argument: str) -> None:
        words = gdb.string_to_argv(argument)
        if len(words) > 1:
            raise Problem('ds-state: more than one argument; give one folder')
        if words:
            State.folder = os.path.realpath(os.path.expanduser(words[0]))
            for left in glob.glob(os.path.join(glob.escape(State.folder), '*.watch')):
                if re.fullmatch(r'[0-9]+\.watch', os.path.basename(left)):
                    os.remove(left)     # left by an earlier GDB; it would stop the machine for this one
        else:
            print(State.folder or 'no folder is known')


for command in Ds, Bts, Pebs, Lbr, Perfmon, DsWatch, DsState:
    command()
