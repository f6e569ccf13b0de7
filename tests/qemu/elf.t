#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The kernels' ELFs as a loader and a debugger see them: segments, page boundaries, headers for loaders, and the kernel's own
symbol table, which must agree with nm's output."""
import pathlib
import re
import struct
import subprocess

import machine
import tap
from tap import BUILD

PARTS = [('text_start', 0), ('user_end', 0), ('rodata_start', 1), ('data_start', 2), ('ds_start', 2), ('stack_top', 2), ('symbols_start', 3)]
BOUNDARIES = ('text_start text_end user_start user_end rodata_start rodata_end data_start data_end ds_start ds_end user_data_start '
              'user_data_end stack_guard stack_bottom stack_top symbols_start symbols_end image_end').split()
# Symbols of the linker script, which the kernel's table leaves out.
LINKERS = re.compile(r'.*\..*|.*_(?:start|end|guard|bottom|top)|symbol_(?:count|addresses|blocks|names)')
# Magic number, words, boundary, and the range in which a header is looked for. Multiboot Specification 0.6.96, 3.1.1: on a 4-byte
# boundary in the first 8192 bytes; Multiboot2 Specification 2.0, 3.1.1: on an 8-byte boundary in the first 32768.
HEADERS = {'multiboot': (0x1badb002, 3, 4, 8192), 'multiboot2': (0xe85250d6, 4, 8, 32768)}

for width in 64, 32:
    elf = BUILD / f'dstest86-{width}.elf'
    content = elf.read_bytes()
    address, functions = {}, []
    for at, kind, name in re.findall(r'^([0-9a-f]+) (\w) (\S+)$', machine.run('nm', '-n', elf)[1], re.M):
        address.setdefault(name, int(at, 16))
        if kind in 'tTdDbBrR' and not LINKERS.fullmatch(name):
            functions.append((int(at, 16), name))

    # ---- segments and sections
    listed = machine.run('readelf', '-lW', elf)[1]
    segments = [(kind, flags.replace(' ', ''), *(int(number, 16) for number in numbers.split())) for kind, numbers, flags in
                re.findall(r'^ +(LOAD|NOTE) +((?:0x\w+ ){5})([R ][W ][E ]) ', listed, re.M)]
    flags, where = [], []    # of the loaded segments: linear addresses from .. to
    for kind, rights, _, linear, physical, _, size in segments:
        if kind == 'LOAD':
            tap.same(linear, physical, f'{width} bits: linear and physical addresses are equal')
            flags.append(rights)
            where.append((linear, linear + size))
    tap.same(int(re.search(r'^Entry point (0x[0-9a-f]+)$', listed, re.M)[1], 16), address['entry32'], f'{width} bits: the entry')
    tap.same(flags, ['RE', 'R', 'RW', 'R'], f'{width} bits: code, constants, data, symbols: writable memory is not executable')
    tap.same(len(segments) - len(flags), 1, f'{width} bits: a segment of notes, for PVH and the build id')
    tap.same(where[0][0], 0x200000, f'{width} bits: the image begins at 2 MiB')
    tap.ok(where[-1][1] <= 0x400000, f'{width} bits: the image ends below 4 MiB')
    for name, segment in PARTS:
        begin, end = where[segment]
        tap.ok(begin <= address[name] <= end + 0xfff, f'{width} bits: {name} is in its segment')
    tap.same([name for name in BOUNDARIES if address[name] & 0xfff], [], f'{width} bits: the parts begin and end on page boundaries')
    tap.same(address['stack_bottom'] - address['stack_guard'], 0x1000, f'{width} bits: the guard page is one page, next to the stack')
    tap.same(address['stack_top'] - address['stack_bottom'], 0x8000, f'{width} bits: the stack has 32 KiB')
    tap.ok(not (address['ds_start'] | address['ds_end'] - 1) & 0x100000, f'{width} bits: bit 20 of each address of the DS area is 0')

    # ---- headers for loaders: the words of each add up to 0
    for name in ('multiboot', 'multiboot2') if width == 32 else ('multiboot2',):
        magic, words, boundary, within = HEADERS[name]
        headers = (struct.unpack_from(f'<{words}I', content, at) for at in range(0, within - 4 * words + 1, boundary))
        tap.same(sum(header[0] == magic and sum(header) & 0xffffffff == 0 for header in headers), 1, f'{width} bits: one header of {name}')
    note = re.search(r'Unknown note type: \(0x00000012\)\s+description data: ((?:\w\w )+)', machine.run('readelf', '-nW', elf)[1])
    tap.same(note and int.from_bytes(bytes.fromhex(note[1])[:4], 'little'), address['entry32'], f'{width} bits: the note of PVH has the entry')

    # ---- symbols: a count, the addresses, the offset of every 16th name, and the names
    raw = pathlib.Path(tap.folder, 'symbols')
    subprocess.run(['objcopy', '-O', 'binary', '-j', '.symbols', elf, raw], check=True)
    table = raw.read_bytes()

    def words_at(symbol, count):
        return struct.unpack_from(f'<{count}I', table, address[symbol] - address['symbols_start'])

    count, = words_at('symbol_count', 1)
    names = table[address['symbol_names'] - address['symbols_start']:].split(b'\0')[:count]
    own = [(at, name.decode()) for at, name in zip(words_at('symbol_addresses', count), names)]
    starts = [sum(len(name) + 1 for name in names[:i]) for i in range(0, count, 16)]
    blocks = words_at('symbol_blocks', (address['symbol_names'] - address['symbol_blocks']) // 4)
    tap.same(list(blocks), starts, f'{width} bits: every 16th name is found by its offset')
    # The first name of each address. The kernel's table has one symbol, "tests", for the whole table of tests.
    first = {}
    for at, name in functions:
        if not address['tests_start'] < at < address['tests_end']:
            first.setdefault(at, 'tests' if at == address['tests_start'] else name)
    tap.ok(count > 500, f'{width} bits: {count} symbols')
    tap.same(count, len(first), f'{width} bits: the number of symbols is that of nm')
    tap.same(own, list(first.items()), f'{width} bits: names and addresses are those of nm: one name per address, sorted')
tap.done()
