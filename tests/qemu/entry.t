#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The kernel's entry relies only on its contract (boot/boot_info.h): all tests pass with garbage in every other register and with
flags that no loader sets. And option gdbwait waits for a debugger. Speaks gdb's remote protocol to QEMU ("GDB Remote Serial
Protocol" in gdb's manual)."""
import pathlib
import re
import select
import socket

import machine
import tap

SECONDS = 120


class Debugged:
    """A machine that is stopped before its first instruction, and the connection to it."""

    def __init__(self, width, *options):
        path = pathlib.Path(tap.folder, 'gdb')
        path.unlink(missing_ok=True)
        self.machine = machine.Machine(SECONDS, tap.folder, '-w', str(width), *options, '--', '-S', '-gdb', 'chardev:gdb', '-chardev',
                                       f'socket,id=gdb,path={path},server=on,wait=off')
        self.gdb = socket.socket(socket.AF_UNIX)
        self.gdb.connect(str(path))

    def send(self, packet):
        self.gdb.sendall(f'${packet}#{sum(packet.encode()) & 0xff:02x}'.encode())

    def answer(self, pattern=r'\$([^#]*)#..'):
        """The next answer, '' if the connection ends first."""
        said = ''
        while not (match := re.search(pattern, said)):
            more = self.gdb.recv(4096).decode()
            if not more:
                return ''
            said += more
        self.gdb.sendall(b'+')
        return match[1]

    def ask(self, packet):
        self.send(packet)
        return self.answer()

    def end(self):
        """Lets the machine run to its end. Returns its verdict and its log."""
        self.gdb.close()
        status = self.machine.guest.wait()
        return machine.judge.VERDICT_OF_STATUS.get(status, f'status {status}'), self.machine.log()


# QEMU's numbers: RAX RBX RCX RDX RSI RDI RBP RSP, and 17 for EFLAGS. The contract defines EAX and EBX.
SPOILED = range(2, 8)
FLAGS = 0x244cd7    # NT, DF, AC, ID and the arithmetic flags set; TF, IF, VM and IOPL 0

for width in 64, 32:
    guest = Debugged(width, '-p', 'none', '-o', 'run=selftest.robust.*,selftest.string')
    entry = f'{machine.address_of(width, "entry32"):x}'
    tap.same(guest.ask(f'Z1,{entry},1'), 'OK', f'{width} bits: a breakpoint at the entry')
    tap.like(guest.ask('c'), '^T05', f'{width} bits: the breakpoint is reached')
    tap.same([guest.ask(f'P{number:x}=dec0ad{number:02x}00000000') for number in SPOILED], ['OK'] * len(SPOILED),
             f'{width} bits: garbage is written to the registers')
    tap.same(guest.ask(f'P11={FLAGS.to_bytes(4, "little").hex()}'), 'OK', f'{width} bits: unusual flags are written')
    guest.ask(f'z1,{entry},1')
    tap.same(guest.ask('D'), 'OK', f'{width} bits: the debugger detaches')
    verdict, log = guest.end()
    first, second, *_ = log.split('\n') + ['', '']
    tap.same(verdict, 'pass', f'{width} bits: the run passes')
    if verdict != 'pass':
        tap.note(log)
    tap.same(first, '', f'{width} bits: the log begins with an empty line')
    tap.like(second, rf'^# begin dstest86 \d+\.\d+\.\d+ \S+ {width}$', f'{width} bits: its second line names the kernel')

guest = Debugged(64, '-p', 'none', '-o', 'gdbwait run=selftest.verdict.skip')
loop = f'{machine.address_of(64, "runner_run"):x}'
tap.same(guest.ask(f'Z1,{loop},1'), 'OK', 'gdbwait: a breakpoint at the runner')
guest.send('c')
tap.ok(guest.machine.wait_for(re.compile(r'^# waiting for a debugger: set var gdb_wait = 0\r?$', re.M)), 'gdbwait: the log says what to do')
reached = ''
while select.select([guest.gdb], [], [], 2)[0] and (more := guest.gdb.recv(4096).decode()):
    reached += more
tap.ok('T05' not in reached, 'gdbwait: the runner is not reached')
guest.gdb.sendall(b'\x03')
guest.answer(r'\$(T02[^#]*)#..')
tap.same(guest.ask(f'M{machine.address_of(64, "gdb_wait"):x},4:00000000'), 'OK', 'gdbwait: the debugger sets the variable')
tap.like(guest.ask('c'), '^T05', 'gdbwait: the runner is reached')
guest.ask(f'z1,{loop},1')
guest.ask('D')
tap.same(guest.end()[0], 'skip', 'gdbwait: the run ends')
tap.done()
