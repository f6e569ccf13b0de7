# SPDX-License-Identifier: MIT
"""An independent reader of perf.data, from tools/perf/Documentation/perf.data-file-format.txt and perf_event_open(2)."""
import struct

FIELDS = [    # bit of sample_type, name, form: in this order in a sample, IDENTIFIER first
    (16, 'id', 'Q'), (0, 'ip', 'Q'), (1, 'pid tid', 'II'), (2, 'time', 'Q'), (3, 'addr', 'Q'), (7, 'cpu _', 'II'),
    (8, 'period', 'Q'), (11, 'stack', None), (14, 'weight', 'Q'), (15, 'source', 'Q'), (18, 'registers', None)]


class Cursor:
    def __init__(self, data: bytes, at: int = 0):
        self.data, self.at = data, at

    def take(self, form: str) -> tuple:
        values = struct.unpack_from('<' + form, self.data, self.at)
        self.at += struct.calcsize('<' + form)
        return values

    def one(self, form: str = 'Q') -> int:
        return self.take(form)[0]

    def string(self) -> str:
        """A 32-bit length, then text padded with zeros."""
        length = self.one('I')
        return self.take(f'{length}s')[0].rstrip(b'\0').decode()


def attr_of(data: bytes) -> dict[str, int]:
    kind, size, config, period, fields, _, flags = struct.unpack_from('<IIQQQQQ', data)
    assert size == 112 and flags & ~0x18021 == 0 and flags & 0x21 == 0x21    # disabled, without the host's kernel
    rest = bytearray(data[48:112])
    branches, registers = struct.unpack_from('<Q', rest, 24)[0], struct.unpack_from('<Q', rest, 48)[0]
    rest[24:32] = rest[48:56] = bytes(8)
    assert not any(rest)
    return {'type': kind, 'config': config, 'period': period, 'fields': fields, 'precise': flags >> 15 & 3,
            'branches': branches, 'registers': registers}


def sample_of(cursor: Cursor, attr: dict[str, int], counters: bool) -> dict:
    """counters: whether the branches of the stack are followed by a word for each."""
    sample = {}
    for bit, name, form in FIELDS:
        if not attr['fields'] >> bit & 1:
            continue
        if name == 'stack':
            sample[name] = list(struct.iter_unpack('<QQQ', cursor.take(f'{24 * cursor.one()}s')[0]))
            if counters:
                sample['counters'] = list(cursor.take(f'{len(sample[name])}Q'))
        elif name == 'registers':
            sample['abi'] = cursor.one()
            sample[name] = {n: cursor.one() for n in range(64) if attr['registers'] >> n & 1}
        else:
            sample |= zip(name.split(), cursor.take(form))
    assert attr['fields'] & ~sum(1 << bit for bit, _, _ in FIELDS) == 0 and not sample.pop('_', 0)
    return sample


def features_of(data: bytes, at: int, bits: int) -> dict:
    """The sections after the data, by bit; BRANCH_STACK has no contents."""
    table, found = Cursor(data, at), {}
    ends = []
    for bit in (bit for bit in range(256) if bits >> bit & 1):
        offset, size = table.take('QQ')
        section = Cursor(data, offset)
        if bit in (3, 4, 5, 6, 8, 9):
            found[bit] = section.string()
        elif bit == 7:
            found[bit] = section.take('II')
        elif bit == 11:
            found[bit] = [section.string() for _ in range(section.one('I'))]
        elif bit == 12:
            count, attr_size = section.take('II')
            assert attr_size == 112
            found[bit] = []
            for _ in range(count):
                attr = attr_of(section.take('112s')[0])
                ids = section.one('I')
                found[bit].append((attr, section.string(), section.take(f'{ids}Q')))
        elif bit == 14:
            found[bit] = [(node, total, free, section.string()) for node, total, free in
                          (section.take('IQQ') for _ in range(section.one('I')))]
        elif bit == 17:
            found[bit] = [(section.string(), *section.take('II')) for _ in range(section.one('I'))]
        elif bit == 28:
            found[bit] = {section.string(): section.string() for _ in range(section.one('I'))}
        else:
            assert bit == 15
            found[bit] = None
        assert section.at == offset + size
        ends.append((offset, offset + size))
    assert all(first[1] == second[0] for first, second in zip(ends, ends[1:])) and ends[0][0] == table.at
    return found


def read(file: str) -> tuple[list[dict], dict]:
    """(records, features) of a file. Every byte must belong to one of them."""
    data = open(file, 'rb').read()
    header = Cursor(data)
    magic, size, entry_size, attrs, attrs_size, start, length, types, types_size = header.take('8s8Q')
    assert (magic, size, entry_size, types, types_size) == (b'PERFILE2', 104, 128, 0, 0)
    features = features_of(data, start + length, int.from_bytes(header.take('32s')[0], 'little'))

    events = {}
    for attr, name, (identity,) in features[12]:
        events[identity] = name, attr
    assert attrs_size == 128 * len(events) and attrs + attrs_size == len(data)
    for n, (identity, (_, attr)) in enumerate(events.items()):
        ids, ids_size = struct.unpack_from('<QQ', data, attrs + 128 * n + 112)
        assert attr_of(data[attrs + 128 * n:]) == attr and ids_size == 8
        assert struct.unpack_from('<Q', data, ids)[0] == identity

    counting = set()    # events in a group with an event that LBR entries count
    for _, leader, members in features.get(17, ()):
        group = range(leader + 1, leader + members + 1)
        if any(events[identity][1]['branches'] >> 19 & 1 for identity in group):
            counting |= set(group)

    records, cursor = [], Cursor(data, start)
    while cursor.at < start + length:
        begin = cursor.at
        kind, misc, size = cursor.take('IHH')
        if kind == 3:
            pid, tid = cursor.take('II')
            records.append({'type': 'comm', 'pid': pid, 'tid': tid, 'name': data[cursor.at:begin + size].rstrip(b'\0').decode()})
            assert misc == 0 and data[begin + size - 1] == 0
            cursor.at = begin + size
        elif kind == 10:
            pid, tid, address, length_, offset = cursor.take('IIQQQ')
            identity, (protection, flags) = cursor.take('24s')[0], cursor.take('II')
            name = data[cursor.at:begin + size].rstrip(b'\0').decode()
            assert pid == tid and flags == 2
            assert misc == (2 | (0 if protection & 4 else 1 << 13) | (1 << 14 if any(identity) else 0))
            assert data[begin + size - 1] == 0
            records.append({'type': 'map', 'pid': pid, 'address': address, 'size': length_, 'offset': offset,
                            'build_id': identity[4:4 + identity[0]].hex(), 'protection': protection, 'path': name})
            cursor.at = begin + size
        elif kind == 2:
            identity, lost = cursor.take('QQ')
            assert misc == 0
            records.append({'type': 'lost', 'id': identity, 'lost': lost})
        else:
            assert kind == 9 and misc & ~(1 << 14) == 2
            identity = struct.unpack_from('<Q', data, cursor.at)[0]
            name, attr = events[identity]
            sample = sample_of(cursor, attr, identity in counting)
            del sample['id']
            records.append({'type': 'sample', 'event': name, 'attr': attr, 'exact': misc >> 14 & 1 == 1} | sample)
        assert cursor.at == begin + size and size % 8 == 0
    return records, features
