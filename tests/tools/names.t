#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""At the edges of every symbol and section of the kernel's ELFs, dsdump prints the symbols, source lines and mappings that
binutils finds (symbols.py)."""
import csv
import io
import pathlib
import random
import re

import perf_file
from symbols import KernelNames, Names
from tap import BUILD, done, dsdump, folder, ok, same
from writer import Dump

for width in 64, 32:
    elf = BUILD / f'dstest86-{width}.elf'
    names = KernelNames(elf)
    chance = random.Random(width)
    edges = {address for address, _ in names.table}
    for start, (_, size, _) in names.best.items():
        edges |= {start, start + size, start + chance.randrange(max(size, 1))}
    for each in names.maps:
        edges |= {each['address'], each['address'] + each['size']}
    edges |= {names.end, names.end + 4096, 0x1000}
    edges = {max(edge + by, 0) for edge in edges for by in (-1, 0, 1)}
    edges |= {row - chance.randrange(2) for row in names.rows if chance.randrange(4) == 0}
    ok(len(edges) > 5000, f'{width} bits: {len(edges)} edges')
    addresses = sorted(edges)
    chance.shuffle(addresses)


    def log_of(name, addresses):
        dump = Dump()
        dump.head(names.maps[0]['build_id'], width=width)
        for cpu in range(3):
            dump.begin(f'names.of_{cpu}')
            part = addresses[cpu::3]
            for at in range(0, len(part) - 1, 120):
                dump.bts(list(zip(part[at:at + 120], part[at + 1:at + 121])), width=width // 8)
        dump.begin('names.of_samples')
        dump.pebs([[0, addresses[0], *range(16), 1, addresses[1], 0, 9, address, 0, 5] for address in addresses[:50]],
                  (8, 3, 0, 0, 5), 3)
        dump.lbr([[address, address + 3, 0] for address in addresses[:30]], 5)
        dump.end()
        return dump.write(f'{folder}/{name}.log')

    log = log_of('all', addresses)

    def shown(name, most=80):
        return f'{name[0][:most]}+{name[1]:#x}' if name else ''

    rows = list(csv.DictReader(io.StringIO(dsdump('--elf', elf, '--csv', log)), strict=True))
    places = [(row, kind, int(row[kind], 16)) for row in rows for kind in ('ip', 'address') if row[kind]]
    ok({each for _, _, each in places} >= edges, f'{width} bits: --csv has every edge')
    same([(each, row[f'{kind}_symbol'], row[f'{kind}_line']) for row, kind, each in places],
         [(each, shown(names.perfs(each)), names.line(each) or '')
          for row, kind, each in places], f'{width} bits: --csv, with lines')

    def kernels_names(elf, names, what):
        found = re.findall(r' (0x[0-9a-f]+)(?: (?!=>)(\S+\+0x[0-9a-f]+))?(?= =>|$)', '\n'.join(
            line for line in dsdump('--elf', elf, '--text', log).splitlines() if line.startswith('# bts')), re.M)
        same([(each, name) for each, name in found], [(each, shown(names.kernels(int(each, 16)), 64)) for each, _ in found], what)

    kernels_names(elf, names, f'{width} bits: --text')
    dsdump('--elf', elf, '--perf-data', f'{folder}/perf.data', log)
    maps = [each for each in perf_file.read(f'{folder}/perf.data')[0] if each['type'] == 'map']
    wanted = [{'type': 'map', 'pid': 1} | each | {'size': (each['size'] + 0xfff) & ~0xfff} for each in names.maps]
    same(maps, wanted, f'{width} bits: --perf-data')

    # If the kernel's own table is damaged, dsdump ignores it, and --text uses the names of the other forms.
    image = elf.read_bytes()
    at, count = image.index(names.bytes), len(names.table)
    blocks = 4 + 4 * count
    text = blocks + 4 * ((count + 15) // 16)    # start of the names
    for what, place, value in (('a huge count', 0, 0xffffffff), ('a count beyond the section', 0, len(names.bytes) // 4),
                               ('a count too great by one', 0, count + 1), ('a count too small by one', 0, count - 1),
                               ('a wrong offset of the first name', blocks, 1),
                               ('a last offset beyond the end', text - 4, len(names.bytes) - text),
                               ('too few names', names.bytes.index(0, text) - 3, 0x61616161),
                               ('too many names', text, 0), ('a name without a terminator', len(names.bytes) - 4, 0x61616161)):
        damaged = pathlib.Path(folder) / f'damaged{width}'
        damaged.write_bytes(image[:at + place] + value.to_bytes(4, 'little') + image[at + place + 4:])
        kernels_names(damaged, Names(damaged), f'{width} bits: {what}')
done()
