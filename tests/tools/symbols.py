# SPDX-License-Identifier: MIT
"""Names, lines and mappings of an ELF, read with binutils."""
import bisect
import functools
import os
import re
import struct
import subprocess
import tempfile


def output_of(*command: object, **more) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


class NoNames:
    """The names that dsdump prints without --elf: none."""
    path, maps = None, []

    def perfs(self, address: int) -> None:
        return None

    kernels = line = perfs

    def mapped(self, address: int) -> bool:
        return False


class Names:
    """An ELF. Symbols are chosen as perf does (tools/perf/util/symbol.c): first those without a size get one, up to the next
    symbol, or of the last 4 KiB; then the best of each address stays, by choose_best_symbol()."""

    def __init__(self, path: str | os.PathLike):
        self.path = os.path.realpath(path)
        sections = re.findall(r'^ *\[ *(\d+)\] .* [0-9a-f]{2} +([A-Za-z]*) +\d+ +\d+ +\d+$',
                              output_of('readelf', '-SW', self.path), re.M)
        loaded = {int(number) for number, flags in sections if 'A' in flags}
        symbols = []
        for line in output_of('readelf', '-sW', self.path).splitlines():
            word = line.split()
            if len(word) == 8 and word[3] in ('FUNC', 'OBJECT', 'NOTYPE') and word[6].isdigit() and int(word[6]) in loaded:
                symbols.append((int(word[1], 16), int(word[0].rstrip(':')), int(word[2], 0), word[4], word[7]))
        symbols.sort()
        self.best = {}
        for n, (start, index, size, binding, name) in enumerate(symbols):
            if not size:
                size = symbols[n + 1][0] - start if n + 1 < len(symbols) else 4096
            rank = (size > 0, binding != 'WEAK', binding == 'GLOBAL', len(name.lstrip('_')) - len(name), len(name), -index)
            self.best[start] = max(self.best.get(start, ((),)), (rank, size, name))
        self.starts = sorted(self.best)
        self.maps = []
        identity = re.search(r'Build ID: (\w+)', output_of('readelf', '-nW', self.path))
        for offset, address, size, flags in re.findall(
                r'^ *LOAD +(0x\w+) (0x\w+) 0x\w+ 0x\w+ (0x\w+) (R?W?E? ?E?) ', output_of('readelf', '-lW', self.path), re.M):
            self.maps.append({
                'address': int(address, 16), 'size': int(size, 16), 'offset': int(offset, 16), 'path': self.path,
                'build_id': identity[1] if identity else '', 'protection': 1 | 2 * ('W' in flags) | 4 * ('E' in flags)})

    def perfs(self, address: int) -> tuple[str, int] | None:
        """(name, offset) of the symbol that covers an address."""
        at = bisect.bisect_right(self.starts, address)
        if not at or not self.mapped(address):
            return None
        start = self.starts[at - 1]
        _, size, name = self.best[start]
        return (name, address - start) if address < start + size else None

    def mapped(self, address: int) -> bool:
        return any(each['address'] <= address < each['address'] + each['size'] for each in self.maps)

    def kernels(self, address: int) -> tuple[str, int] | None:
        return self.perfs(address)

    @functools.cached_property
    def lines(self) -> dict[int, str | None]:
        """file:line by the first address that it applies to; None: no line."""
        found, sequence = {}, {}
        for file, line, address in re.findall(r'^(?:\S*/)?(\S+) +(\d+|-) +(0x[0-9a-f]+)',
                                              output_of('objdump', '--dwarf=decodedline', self.path), re.M):
            sequence[int(address, 16)] = f'{file}:{line}'
            if line == '-': # the end, where another sequence may begin
                sequence.pop(int(address, 16))
                found = {int(address, 16): None} | found | sequence
                sequence = {}
        return found

    @functools.cached_property
    def rows(self) -> list[int]:
        return sorted(self.lines)

    def line(self, address: int) -> str | None:
        at = bisect.bisect_right(self.rows, address)
        return self.lines[self.rows[at - 1]] if at else None


class KernelNames(Names):
    """The kernel's ELF, with the names of the kernel's own table, section .symbols."""

    def __init__(self, path: str | os.PathLike):
        super().__init__(path)
        with tempfile.NamedTemporaryFile() as copy:
            output_of('objcopy', '-O', 'binary', '--only-section=.symbols', self.path, copy.name)
            data = self.bytes = open(copy.name, 'rb').read()
        count = struct.unpack_from('<I', data)[0]
        addresses = struct.unpack_from(f'<{count}I', data, 4)
        names = data[4 + 4 * (count + (count + 15) // 16):].decode().split('\0')
        self.table = list(zip(addresses, names))
        self.addresses = [address for address, _ in self.table]
        self.begin = min(each['address'] for each in self.maps)
        self.end = (max(each['address'] + each['size'] for each in self.maps) + 0xfff) & ~0xfff

    def kernels(self, address: int) -> tuple[str, int] | None:
        at = bisect.bisect_right(self.addresses, address)
        if not at or not self.begin <= address < self.end:
            return None
        start, name = self.table[at - 1]
        return name, address - start
