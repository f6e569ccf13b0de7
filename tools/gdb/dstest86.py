# SPDX-License-Identifier: MIT
#
# GDB's commands for the debug store: `source tools/gdb/dstest86.py` (docs/gdb.md). What decodes and checks is the
# kernel's own code, in ds-inspect; this file answers its questions for memory, symbols and source lines, and knows when
# to stop.
import os
import subprocess

import gdb

HERE = os.path.dirname(os.path.realpath(__file__))
INSTALLED, BUILT = os.path.join(HERE, 'ds-inspect'), os.path.normpath(os.path.join(HERE, '../../build/ds-inspect'))
PROGRAM = INSTALLED if os.path.exists(INSTALLED) else BUILT


class Problem(gdb.GdbError):
    """What keeps a command from doing what it should, as a sentence."""


class State:
    """Where the model writes the state of each processor that stands (its option state=FOLDER)."""
    folder = None

    @classmethod
    def path(cls):
        thread = gdb.selected_thread()
        if thread is None or not thread.is_valid():
            raise Problem('no machine: `target remote` QEMU first')
        if cls.folder is None:
            raise Problem("the model's folder is not known: start QEMU with `qemu-ds --state FOLDER` and give "
                          '`ds-state FOLDER`')
        path = os.path.join(cls.folder, str(thread.num - 1))
        if not os.path.exists(path):
            raise Problem(f'{path} does not exist: the model writes it when processor {thread.num - 1} stops; was QEMU '
                          f'started with state={cls.folder}?')
        return path


def read_linear(address, size):
    try:
        return bytes(gdb.selected_inferior().read_memory(address, size))
    except (gdb.MemoryError, OverflowError):
        return None


def read_physical(address, size):
    """QEMU's own packets: its gdbstub reads physical memory while this mode is on."""
    gdb.execute('maintenance packet Qqemu.PhyMemMode:1', to_string=True)
    try:
        return read_linear(address, size)
    finally:
        gdb.execute('maintenance packet Qqemu.PhyMemMode:0', to_string=True)


def symbol_of(address):
    """NAME OFFSET."""
    text = gdb.execute(f'info symbol {address:#x}', to_string=True).splitlines()[0]
    if text.startswith('No symbol') or ' in section ' not in text:
        return None
    name = text.split(' in section ')[0]
    name, _, offset = name.partition(' + ')
    return f'{name} {offset or 0}'


def line_of(address):
    place = gdb.find_pc_line(address)
    return f'{place.symtab.filename}:{place.line}' if place.symtab is not None and place.line else None


def hex_of(read):
    return lambda address, size: None if (found := read(address, size)) is None else found.hex()


ANSWERS = {
    'linear': hex_of(read_linear),
    'physical': hex_of(read_physical),
    'symbol': lambda address, size: symbol_of(address),
    'line': lambda address, size: line_of(address),
}


def inspect(command, *arguments):
    """What ds-inspect prints, as a list of lines."""
    if not os.access(PROGRAM, os.X_OK):
        raise Problem(f'{PROGRAM} is missing: run `make tools`')
    lines = []
    with subprocess.Popen([PROGRAM, State.path(), command, *map(str, arguments)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace') as program:
        for line in program.stdout:
            line = line.rstrip('\n')
            if not line.startswith('?'):
                lines.append(line)
                continue
            kind, address, size = line[1:].split()
            program.stdin.write((ANSWERS[kind](int(address, 16), int(size)) or '-') + '\n')
            program.stdin.flush()
    return lines


class Command(gdb.Command):
    """A command that prints what ds-inspect says; its doc string is GDB's help."""
    name, takes_count, default = '', False, 0

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        count = self.default
        words = gdb.string_to_argv(argument)
        if words and not self.takes_count:
            raise Problem(f'{self.name} takes no argument')
        if words:
            count = 0 if words == ['all'] else int(words[0]) if len(words) == 1 and words[0].isdigit() else None
            if count is None or words == ['0']:
                raise Problem(f'{self.name}: want a number of records from 1, or all, not {argument}')
        for line in inspect(self.name, count):
            print(line)


class Ds(Command):
    """Print the DS management area of this processor with every field, what is wrong with it by the manual's
restrictions, and how full its buffers are. Where PEBS is architectural, its buffer besides."""
    name = 'ds'


class Bts(Command):
    """bts [N|all]: print the newest N (16) BTS records in memory, with symbols and source lines."""
    name, takes_count, default = 'bts', True, 16


class Pebs(Command):
    """pebs [N|all]: print the newest N (4) PEBS records in memory, with symbols and source lines."""
    name, takes_count, default = 'pebs', True, 4


class Lbr(Command):
    """lbr [N|all]: print the newest N (all) entries of the LBR stack, with symbols and source lines."""
    name, takes_count, default = 'lbr', True, 0


class Perfmon(Command):
    """Print the counters of this processor, their event selects with names, what is enabled and has overflowed, and the
LVT entry of their interrupt."""
    name = 'perfmon'


class DsWatch(gdb.Command):
    """ds-watch [threshold]: go on, and stop when this processor's next BTS or PEBS record is written; with `threshold`, when
an index reaches its threshold. What was written is printed."""

    def __init__(self):
        super().__init__('ds-watch', gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if argument not in ('', 'threshold'):
            raise Problem('ds-watch: want nothing, or threshold')
        watch = State.path() + '.watch'
        before = self.fill()
        with open(watch, 'w', encoding='ascii') as file:
            file.write(argument or 'record')
        try:
            said = gdb.execute('continue', to_string=True)
            stopped = not os.path.exists(watch)
        except gdb.error as error:
            raise Problem(f'ds-watch: the machine has ended before that: {error}') from error
        finally:
            if os.path.exists(watch):
                os.remove(watch)
        if gdb.selected_thread() is None:
            raise Problem('ds-watch: the machine has ended before that')
        if not stopped:
            print(said, end='')
            print('stopped for another reason: what ds-watch waits for has not happened')
            return
        now = self.fill()
        for kind in now:
            if now[kind] != before.get(kind) and 'no buffer' not in now[kind]:
                for line in [now[kind], *inspect(kind, 1)[1:]]:
                    print(line)

    @staticmethod
    def fill():
        """How full each buffer is, by the command that prints its records."""
        lines = inspect('ds')
        return {kind: line for kind in ('bts', 'pebs') for line in lines if line.startswith(kind.upper() + ':')}


class DsState(gdb.Command):
    """ds-state FOLDER: where the model writes what GDB cannot read (qemu-ds --state FOLDER)."""

    def __init__(self):
        super().__init__('ds-state', gdb.COMMAND_DATA, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if len(words) > 1:
            raise Problem('want one folder')
        if words:
            State.folder = os.path.realpath(words[0])
        else:
            print(State.folder or 'no folder is known')


for command in Ds, Bts, Pebs, Lbr, Perfmon, DsWatch, DsState:
    command()
