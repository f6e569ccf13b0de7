#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""Missing and stuck serial ports: the kernel abandons such a port and continues, and its verdict is QEMU's exit status. Serial
ports that only an ACPI table, PCI or an option names: each port that answers gets the log."""
import os
import pathlib
import re
import struct

import machine
import tap

folder = pathlib.Path(tap.folder)


def pipe_of(name, full):
    """A pipe that is not read. QEMU itself opens it for reading, too, so writes do not fail."""
    path = folder / name
    os.mkfifo(path)
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    for size in (4096, 1) if full else ():    # Linux rejects a block that does not fit as a whole
        try:
            while os.write(pipe, b'x' * size):
                pass
        except BlockingIOError:
            pass
    return path, pipe


def size_of(pipe):
    size = 0
    try:
        while more := os.read(pipe, 65536):
            size += len(more)
    except BlockingIOError:
        pass
    return size


for width in 64, 32:
    common = '-w', str(width), '-p', 'skylake', '-o'
    tap.same(machine.boot(*common, 'run=bts.*,robust.* console=ttyS1')[:2], ('pass', ''), f"{width} bits: no UART at COM2's address")
    for takes, options, wanted in (('no byte', 'run=bts.*,robust.*', 'pass'), ('a part', 'run=bts.*,robust.* records=all', 'pass'),
                                   ('no byte of a panic', 'run=selftest.exception.divide', 'panic')):
        path, pipe = pipe_of(f'{takes}-{width}', takes != 'a part')
        verdict, _, _ = machine.boot(*common, f'{options} console=ttyS1', '--', '-serial', f'pipe:{path}')
        tap.same(verdict, wanted, f'{width} bits: a UART that accepts {takes}')
        if takes == 'a part':
            size = size_of(pipe)
            tap.ok(60_000 < size < 70_000, f'... after {size} bytes')
        os.close(pipe)


# ---- sources of serial ports; test_uart_tables.c and test_serial_ports.c have every choice among them
# QEMU's -acpitable takes a whole table and corrects its checksum. The offsets are those of Microsoft's documents "Serial Port
# Console Redirection Table (SPCR)" and "Microsoft Debug Port Table 2 (DBG2)".

def table(signature, revision, rest):
    path = folder / signature
    path.write_bytes(struct.pack('<4sIBB6s8sI4sI', signature.encode(), 36 + len(rest), revision, 0, b'TESTED', b'DSTEST86', 1, b'TEST', 1) + rest)
    return '-acpitable', f'file={path}'


def address(space, base):
    """A generic address of space 0 (memory) or 1 (ports)."""
    return struct.pack('<4BQ', space, *((8, 0, 1) if space else (32, 0, 3)), base)


def spcr(revision, at, baud, clock=0, exact=0):
    """Up to offset 80, or in revision 4 to 90: kind, address, speed, clock, exact speed."""
    rest = struct.pack('<B3x12s6xB17xI', 0, at, baud, clock)
    return table('SPCR', revision, rest + (struct.pack('<IHH2s', exact, 2, 88, b'.') if revision >= 4 else b''))


def dbg2(kind, at):
    return table('DBG2', 0, struct.pack('<IIBHB6H2xHH12sI2s', 44, 1, 0, 40, 1, 2, 38, 0, 0, 0x8000, kind, 22, 34, at, 8, b'.'))


PORTS = {'both': [True, True], 'first': [True, False], 'second': [False, True], 'none': [False, False]}


def consoles(name, width, options, qemu, said, ports):
    """Boots with a second port (chardev "second" of QEMU's options): the run passes, and its log has these lines about consoles, a
    text or a pattern. Which of PORTS get the log."""
    (folder / 'second').write_bytes(b'')
    verdict, first, _ = machine.boot('-w', str(width), '-o', f'run=bts.calls {options}', '--',
                                     '-chardev', f'file,id=second,path={folder}/second', *qemu)
    second = (folder / 'second').read_bytes().decode('latin-1')
    lines = ', '.join(re.findall(r'^# console (.*?)\r?$', first or second, re.M))
    tap.same(verdict, 'pass', f'{name}: passes')
    if isinstance(said, re.Pattern):
        tap.like(lines, said, '... consoles')
    else:
        tap.same(lines, said, '... consoles')
    got = [log and (bool(re.search('^# end dstest86 verdict=pass', log, re.M)) or 'a part') or False for log in (first, second)]
    tap.same(got, PORTS[ports], f'... ports with the log: {ports}')
    if ports == 'both':
        tap.ok(first == second, '... the same log')


PCI = '-device', 'pci-serial,chardev=second'
COM2 = '-serial', 'chardev:second'
COM1 = 'COM1 port 0x3f8: 115200 baud'
NO_COM1 = '-global', 'isa-serial.iobase=0x2c8'    # QEMU's first UART, at another address
AT_COM2 = address(1, 0x2f8)
PORT_OF_PCI = r'PCI 00:..\.0 port 0x[0-9a-f]+: 115200 baud$'
consoles('SPCR of revision 1', 64, '', [*COM2, *spcr(1, AT_COM2, 6)], f'{COM1}, SPCR port 0x2f8: 57600 baud', 'both')
consoles('SPCR of revision 4 with its own speed', 32, '', [*COM2, *spcr(4, AT_COM2, 7, 1843200, 38400)],
         f'{COM1}, SPCR port 0x2f8: 38400 baud', 'both')
consoles("SPCR with speed 0 keeps firmware's speed", 64, '', [*COM2, *spcr(2, AT_COM2, 0)],
         re.compile(rf"^{COM1}, SPCR port 0x2f8: (?:\d+ baud|at firmware's speed)$"), 'both')
# Missing devices. QEMU has no UART in memory.
consoles('SPCR names a port without a UART', 64, '', [*COM2, *spcr(3, address(1, 0x9000), 7, 48000000)],
         f'{COM1}, SPCR port 0x9000: no UART answers there', 'first')
consoles('DBG2 names memory', 32, '', [*COM2, *dbg2(0x12, address(0, 0x7000000))],
         f"{COM1}, DBG2 mmio 0x7000000 stride 4: the firmware's memory map has RAM there", 'first')
consoles('DBG2 alone', 64, '', [*COM2, *dbg2(0, AT_COM2)], re.compile(f'^{COM1}, DBG2 port 0x2f8: '), 'both')
for width in 64, 32:
    consoles(f"{width} bits: without COM1, PCI's", width, '', [*NO_COM1, *PCI],
             re.compile(f'^COM1 port 0x3f8: no UART answers there, {PORT_OF_PCI}'), 'second')
    consoles(f'{width} bits: no serial port at all', width, '', NO_COM1, '', 'none')
    consoles(f'{width} bits: a port that an option names', width, 'console=0x2c8,9600', NO_COM1, 'option port 0x2c8: 9600 baud', 'first')
consoles("COM1 answers, and an option names PCI's ports", 64, 'console=ttyS0 console=pci',
         ['-chardev', 'null,id=third', '-device', 'pci-serial-2x,chardev1=second,chardev2=third'], re.compile(f'^{COM1}, {PORT_OF_PCI}'), 'both')
consoles('console=none: no serial port, and a verdict', 64, 'console=none', PCI, '', 'none')

# A stuck port is reported on the others, once.
path, pipe = pipe_of('stuck', True)
verdict, log, _ = machine.boot('-o', 'run=bts.calls console=ttyS1 console=ttyS0', '--', '-serial', f'pipe:{path}')
tap.same(verdict, 'pass', 'one of two ports is stuck')
tap.same(re.findall(r'^# console COM2: (.*?)\r?$', log, re.M), ['dropped, because it accepted no more characters'],
         '... the other port reports it once')
tap.like(log, '(?ms)^# begin .*^# end dstest86 verdict=pass', '... and has the whole log')
tap.done()
