# SPDX-License-Identifier: MIT
"""Writes dumps that boots of the model do not make, as docs/dump.md specifies."""
import base64
import pathlib
from collections.abc import Sequence


def crc_of_byte(crc: int) -> int:
    for _ in range(8):
        crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc


CRCS = [crc_of_byte(byte) for byte in range(256)]


def crc32c(data: bytes) -> int:
    """CRC-32C (Castagnoli)."""
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ CRCS[crc & 0xff ^ byte]
    return crc ^ 0xffffffff


def folded(value: int, width: int) -> bytes:
    """A difference of fields as a number that is small for small differences of either sign."""
    value &= (1 << 8 * width) - 1
    value -= (value >> 8 * width - 1) << 8 * width
    value = 2 * value if value >= 0 else -2 * value - 1
    data = b''
    while value >= 0x80:
        data += bytes([value & 0x7f | 0x80])
        value >>= 7
    return data + bytes([value])


def number(value: int) -> bytes:
    return folded(value // 2 if value % 2 == 0 else -(value // 2) - 1, 16)


class Dump:
    """Lines of a log. Records are numbered by test and kind; `skip` omits numbers, as if records were lost."""

    def __init__(self):
        self.lines, self.sequence, self.test, self.counts, self.numbers = [], 0, '', {}, {}

    def frame(self, kind: str, **words: object) -> None:
        text = ' '.join([f'dsdump/1 {self.sequence} {kind}'] + [f'{key}={value}' for key, value in words.items()])
        self.lines.append(f'# {text} crc={crc32c(text.encode()):08x}')
        self.sequence += 1

    def head(self, build_id: str = '', **words: object) -> None:
        self.lines.append('# begin dstest86 a dump written by hand')
        self.sequence, self.counts = 0, {'bts': 0, 'pebs': 0, 'lbr': 0}
        self.frame('head', **{
            'version': '1.0+hand', 'width': 64, 'signature': '0x506e3', 'perf_capabilities': '0x33c5', 'misc_enable': '0x1',
            'pebs_data_cfg': '0x0', 'ds': 8, 'bts_form': '8/0', 'pebs_form': '8/3/0/0/5', 'source': 3} | words,
            build_id=build_id)

    def begin(self, test: str) -> None:
        self.test, self.numbers = test, {}

    def event(self, name: str = '', cpu: int = 0, counter: int = 0, fixed: int = 0, select: int = 0, period: int = 100) -> None:
        self.frame('event', test=self.test, cpu=cpu, counter=counter, fixed=fixed, select=hex(select), period=period,
                   threshold=0, data_cfg='0x0', name=name)

    def skip(self, kind: str, count: int) -> None:
        self.numbers[kind] = self.numbers.get(kind, 0) + count

    def records(self, kind: str, count: int, cpu: int, codes: bytes, values: bytes, **words: object) -> None:
        first, before = self.numbers.get(kind, 0), self.counts[kind]
        self.numbers[kind], self.counts[kind] = first + count, before + count
        self.frame(kind, test=self.test, cpu=cpu, first=first, count=count, before=before, **words, codes=len(codes),
                   data=base64.b64encode(codes + values).decode())

    def bts(self, branches: Sequence[tuple[int, ...]], cpu: int = 0, width: int = 8, prediction: int = 0) -> None:
        """(from, to) or (from, to, flags) of each branch, without compression of repeats."""
        values, last = b'', 0
        for source, target, *flags in branches:
            values += folded(source - last, 8) + folded(target - source, 8) + number(flags[0] if flags else 0)
            last = target
        self.records('bts', len(branches), cpu, b'\3' * len(branches), values, form=f'{width}/{prediction}')

    def differences(self, records: Sequence[Sequence[int]], width: int) -> tuple[bytes, bytes]:
        fields = len(records[0])
        codes = values = b''
        before = [0] * fields
        for record in records:
            changed = [now != then for now, then in zip(record, before)]
            codes += sum(bit << n for n, bit in enumerate(changed)).to_bytes((fields + 7) // 8, 'little')
            for now, then in zip(record, before):
                values += folded(now - then, width) if now != then else b''
            before = record
        return codes, values

    def pebs(self, records: Sequence[Sequence[int]], form: Sequence[int], source: int, cpu: int = 0) -> None:
        """The words of each record, all of one size. A frame has as many records as surely fit."""
        some = max(1, 2700 // (11 * len(records[0])))
        for at in range(0, len(records), some):
            part = records[at:at + some]
            self.records('pebs', len(part), cpu, *self.differences(part, form[0]), form='/'.join(map(str, form)),
                         size=form[0] * len(part[0]), source=source)

    def lbr(self, entries: Sequence[Sequence[int]], form: int, tos: int = 0, cpu: int = 0) -> None:
        """FROM, TO and INFO of each entry, the newest first."""
        self.records('lbr', 1, cpu, *self.differences(entries, 8), form=form, tos=tos, depth=len(entries))

    def end(self) -> None:
        self.frame('end', **self.counts)

    def write(self, file: str | pathlib.Path) -> pathlib.Path:
        with open(file, 'w', encoding='latin-1') as out:
            out.writelines(f'{line}\r\n' for line in self.lines)
        return pathlib.Path(file)
