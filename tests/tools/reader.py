# SPDX-License-Identifier: MIT
"""Another reader of the raw dump, written from docs/dump.md and the manual: it shares nothing with dsdump.

Records: SDM Vol. 3B (253669-081), "BTS Record Layout", "PEBS Record Format", "Adaptive PEBS"; of LBR entries "Last Branch
Records" of each microarchitecture, and "Architectural Last Branch Records". Counters of format 6 and architectural PEBS
records, which are not in that print: Linux 6.19, asm/perf_event.h.
"""
import base64
import re
import struct

GPRS = {
    'eflags eip eax ebx ecx edx esi edi ebp esp': 4,
    'rflags rip rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15': 8,
}
# Reserved values of a form's fourth number: docs/dump.md.
RESERVED = {4: 'data_source latency tsx', 5: 'data_address data_source latency tsx'}

# The registers that each format appends to those of the one before.
APPENDED = ['', 'counters data_address data_source latency', 'eventing_ip tsx', 'tsc']
# The groups of an adaptive record that are words, and the bit that each has; the first is always there.
GROUPS = [
    (None, 'format eventing_ip counters tsc'),
    (0, 'data_address data_source latency tsx'),
    (1, 'rflags rip rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15'),
    (2, ' '.join(f'xmm{i}.low xmm{i}.high' for i in range(16))),
]
XMM, LBR, LBR_COUNT = 2, 3, 24    # bits of XMM and LBR, and the first bit of the number of LBR entries less 1
COUNTERS = 4                      # the first of two bits; either adds the counters of format 6

# The groups of an architectural record: its bits in the header, and the names of its words.
ARCHITECTURAL_GROUPS = [
    ((63,), 'eventing_ip counters tsc retire_latency reserved reserved'.split()),
    ((62,), 'data_address reserved reserved reserved reserved data_source latency tsx'.split()),
    ((61,), 'rflags rip rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15 ssp reserved'.split()),
    ((49, 50, 51, 52, 53, 54, 55), ['xer', 'reserved']),
    ((49,), [f'xmm{i}.{part}' for i in range(16) for part in ('low', 'high')]),
    ((50,), [f'ymmh{i}.{part}' for i in range(16) for part in ('low', 'high')]),
    ((51, 52), [f'r{i}' for i in range(16, 32)]),
    ((53,), [f'k{i}' for i in range(8)]),
    ((54,), [f'zmmh{i}.{part}' for i in range(16) for part in range(4)]),
    ((55,), [f'zmm{i}.{part}' for i in range(16, 32) for part in range(8)]),
    ((40, 41), 'reserved lbr_ctl lbr_depth ler_from ler_to ler_info'.split()),
    ((36, 37, 38), []),
]
# Bits of XSTATE_BV, by a group's bits: registers whose bit is clear are in their initial state, 0.
XSTATE_COMPONENTS = {(49,): 1, (50,): 2, (53,): 5, (54,): 6, (55,): 7}

# LBR_FORMAT, by IA32_PERF_CAPABILITIES[5:0]: the register with flags in its upper bits, and the place of cycles.
FLAGS_IN_FROM = {3: ('mispredicted',), 4: ('mispredicted', 'in_tsx', 'abort'), 6: ('mispredicted',)}
FLAGS_IN_INFO = {5: ('mispredicted', 'in_tsx', 'abort'), 7: ('mispredicted',)}
FLAG_BITS = {'mispredicted': 63, 'in_tsx': 62, 'abort': 61}
ADDRESS_BITS = {0: (32, 32), 3: (63, 64), 4: (61, 64), 6: (63, 48)}
PACKED, ARCHITECTURAL = 64, 65    # the dump's own numbers
ARCHITECTURAL_PEBS = 15           # likewise of PEBS: IA32_PERF_CAPABILITIES[11:8]
ARCH_LBR = 63                     # LBR_FORMAT of processors with architectural LBRs


def crc_of_byte(crc):
    for _ in range(8):
        crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc


CRCS = [crc_of_byte(byte) for byte in range(256)]


def crc32c(data):
    """CRC-32C (Castagnoli)."""
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ CRCS[crc & 0xff ^ byte]
    return crc ^ 0xffffffff


def signed_address(value, bits):
    value &= (1 << bits) - 1
    if bits in (32, 64) or not value >> bits - 1:
        return value
    return value | (1 << 64) - (1 << bits)


def lbr_entry(lbr_format, source, target, info):
    """One entry of an LBR stack, with the flags that its format has."""
    if lbr_format == PACKED:
        return {'from': source & 0xffffffff, 'to': source >> 32}
    if lbr_format in (ARCHITECTURAL, ARCH_LBR):
        entry = {'from': source, 'to': target, 'type': info >> 56 & 15, 'events': [info >> bit & 3 for bit in (32, 34, 36, 38)]}
        if info >> 60 & 1:
            entry['cycles'] = info & 0xffff
        return entry | {flag: info >> bit & 1 for flag, bit in FLAG_BITS.items()}
    bits = ADDRESS_BITS.get(lbr_format, (64, 64))
    entry = {'from': signed_address(source, bits[0]), 'to': signed_address(target, bits[1])}
    for where, flags in ((source, FLAGS_IN_FROM), (info, FLAGS_IN_INFO)):
        entry |= {flag: where >> FLAG_BITS[flag] & 1 for flag in flags.get(lbr_format, ())}
    if lbr_format in FLAGS_IN_INFO:
        entry['cycles'] = info & 0xffff
    if lbr_format == 6:
        entry['cycles'] = target >> 48
    return entry


def lbr_names(count):
    return [f'lbr{i}.{part}' for i in range(count) for part in ('from', 'to', 'info')]


def lbr_entries(lbr_format, words):
    """The entries of an LBR group; None where a record has none."""
    values = [value for name, value in words if re.match(r'lbr\d', name)]
    return [lbr_entry(lbr_format, *values[i:i + 3]) for i in range(0, len(values), 3)] or None


def counter_names(data, at):
    """The words of a group of counters, by its own bitmaps."""
    general, fixed, metrics = struct.unpack_from('<3I', data, at)
    return ['bitmaps', 'with_metrics'] + [f'count{i}' for i in range(32) if general >> i & 1] + [
        f'fixed_count{i}' for i in range(32) if fixed >> i & 1] + (['slots', 'metrics'] if metrics == 3 else [])


def latencies_of(record, cache):
    """The meaning of the memory group's words; cache: whether there is a cache latency in addition to the other."""
    latency = record['latency']
    return {'latency': latency & (0xffff if cache else 0xffffffff), 'tsx_cycles': record['tsx'] & 0xffffffff} | (
        {'cache_latency': latency >> 32 & 0xffff} if cache else {})


def architectural_record(lbr_format, data):
    """An architectural record: the words of all its fragments, headers and null records too."""
    words, initial, headers, at, more = [], {}, [], 0, True
    while more:
        header = struct.unpack_from('<Q', data, at)[0]
        end, more = at + (header & 0xffff), header >> 31 & 1 or not header >> 16
        headers += [header] if header >> 16 else []
        names = ['header', 'reserved']
        for bits, group in [((), ())] + ARCHITECTURAL_GROUPS:
            if bits and not any(header >> bit & 1 for bit in bits):
                continue
            names += group
            if 40 in bits:
                names += lbr_names({1: 8, 2: 16, 3: struct.unpack_from('<Q', data, at + 16)[0]}[header >> 40 & 3])
            if 36 in bits:
                names += counter_names(data, at)
            words += zip(names, struct.unpack_from(f'<{len(names)}Q', data, at))
            if bits in XSTATE_COMPONENTS and not dict(words)['xer'] >> XSTATE_COMPONENTS[bits] & 1:
                initial |= dict.fromkeys(names, 0)
            at += 8 * len(names)
            names = []
        assert end - at in (0, 8) or not header >> 16
        words += [('reserved', word) for word in struct.unpack_from(f'<{(end - at) // 8}Q', data, at)]
        at = end
    assert at == len(data)
    record = {name: initial.get(name, value) for name, value in words
              if name not in ('header', 'reserved', 'retire_latency')}
    groups = 0
    for header in headers:
        groups |= header >> 32 << 32
    retired = dict(words)['retire_latency']
    return record | {
        'format': ARCHITECTURAL_PEBS, 'width': 8, 'size': len(data), 'format_group': groups, 'fragments': len(headers),
        'mode_64': headers[0] >> 30 & 1, 'lbr': lbr_entries(lbr_format, words), 'words': words,
        'xmm': [value for name, value in record.items() if re.match(r'xmm\d', name)] or None,
    } | ({'retire_latency': retired & 0xffff} if retired >> 16 & 1 else {}) | (
        latencies_of(record, True) if 'latency' in record else {})


def pebs_record(form, data):
    """A PEBS record: its words in their order, each with its name, and their meaning."""
    width, number, _, latencies, lbr_format = form
    if number == ARCHITECTURAL_PEBS:
        return architectural_record(lbr_format, data)
    record = {'format': number, 'width': width, 'lbr': None, 'xmm': None}
    if number < 4:
        names = next(names for names, size in GPRS.items() if size == width)
        names = ' '.join([names] + (APPENDED[1:number + 1] if width == 8 else [])).split()
        reserved = RESERVED.get(latencies, '').split()
        names = ['reserved' if name in reserved else name for name in names]
        record['words'] = list(zip(names, struct.unpack_from(f'<{len(names)}{"xIQ"[width // 4]}', data)))
        known = {name: value for name, value in record['words'] if name != 'reserved'}
        return record | known | {'size': len(names) * width}
    groups = struct.unpack_from('<I', data)[0]
    names = [name for bit, names in GROUPS if bit is None or groups >> bit & 1 for name in names.split()]
    if groups >> LBR & 1:
        names += lbr_names((groups >> LBR_COUNT) + 1)
    if number >= 6 and groups >> COUNTERS & 3:
        names += counter_names(data, 8 * len(names))
    words = list(zip(names, struct.unpack_from(f'<{len(names)}Q', data)))
    record |= dict(words) | {'format': number, 'format_group': groups, 'size': words[0][1] >> 48, 'words': words,
                             'lbr': lbr_entries(lbr_format, words)}
    if latencies in (1, 3):
        record['retire_latency'] = words[0][1] >> 32 & 0xffff
    if groups & 1:
        record |= latencies_of(record, latencies in (1, 2))
    if groups >> XMM & 1:
        record['xmm'] = [value for name, value in words if name.startswith('xmm')]
    return record


class Numbers:
    """Numbers of seven bits a byte."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def take(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def take_signed(self):
        value = self.take()
        return -(value + 1 >> 1) if value & 1 else value >> 1


def branches(count, codes, values):
    """docs/dump.md, "Payload of bts: a predictor"."""
    listed, following, slots = [None], {}, {}
    context = place = last_to = 0
    codes, values = Numbers(codes), Numbers(values)
    made = []

    def add(number):
        nonlocal context, place, last_to
        made.append(listed[number])
        last_to = listed[number][1]
        mixed = (last_to ^ last_to >> 32) * 2654435761 & 0xffffffff
        context = (context << 4 ^ mixed >> 20) & 0xfff
        place = mixed >> 24

    while len(made) < count:
        token = codes.take()
        for _ in range(token >> 2):
            add(following[context])
        if len(made) == count:
            break
        kind = token & 3
        if kind == 3:
            source = last_to + values.take_signed() & (1 << 64) - 1
            target = source + values.take_signed() & (1 << 64) - 1
            listed.append((source, target, values.take()))
            number = len(listed) - 1
        else:
            number = len(listed) - 1 - values.take() if kind == 2 else slots[place][kind]
        following[context] = number
        known = slots.setdefault(place, [0, 0])
        if known[0] != number:
            slots[place] = [number, known[0]]
        add(number)
    assert not codes.more() and not values.more()
    return made


def differences(count, width, fields, codes, values):
    """docs/dump.md, "Payload of pebs and lbr: differences": the bytes of each record."""
    masks = (fields + 7) // 8
    values = Numbers(values)
    record = [0] * fields
    assert len(codes) == count * masks
    for n in range(count):
        mask = int.from_bytes(codes[n * masks:(n + 1) * masks], 'little')
        for field in range(fields):
            if mask >> field & 1:
                record[field] = record[field] + values.take_signed() & (1 << 8 * width) - 1
        yield struct.pack(f'<{fields}{"xIQ"[width // 4]}', *record)
    assert not values.more()


def number(text):
    return int(text, 16) if text.startswith('0x') else int(text)


class Frame:
    """A line of the dump; its words by key, numbers as numbers."""

    def __init__(self, line):
        covered, crc = line.rsplit(' crc=', 1)
        assert crc32c(covered.encode()) == int(crc, 16)
        magic, self.sequence, self.kind, *words = covered.split(' ')
        assert magic == 'dsdump/1'
        self.words = dict(word.split('=', 1) for word in words)

    def __getitem__(self, key):
        return number(self.words[key])

    def form(self, key='form'):
        return tuple(number(part) for part in self.words[key].split('/'))

    def payload(self):
        data = base64.b64decode(self.words['data'], validate=True)
        return data[:self['codes']], data[self['codes']:]


def read(file):
    """The contents of a log, in its order: (kind, values) with kind machine, test, event, bts, pebs, lbr or line."""
    found, test = [], None
    for text in open(file, encoding='latin-1', newline=''):
        text = text.rstrip('\r\n')
        match = re.search('# (dsdump/.*)', text)
        if not match:
            found.append(('line', text.removeprefix('# ')))
            continue
        frame = Frame(match[1])
        if frame.kind == 'head':
            found.append(('machine', frame))
            test = None
        elif frame.kind != 'end' and test != frame.words['test']:
            test = frame.words['test']
            found.append(('test', test))
        if frame.kind == 'event':
            found.append(('event', frame))
        if frame.kind not in ('bts', 'pebs', 'lbr'):
            continue
        place = {'cpu': frame['cpu']}
        form, count, first = frame.form(), frame['count'], frame['first']
        if frame.kind == 'bts':
            for n, (source, target, flags) in enumerate(branches(count, *frame.payload()), first):
                entry = {'from': source, 'to': target} | ({'mispredicted': not flags >> 4 & 1} if form[1] else {})
                found.append(('bts', place | {'n': n, 'width': form[0], 'flags': flags, 'entry': entry}))
        elif frame.kind == 'pebs':
            records = differences(count, form[0], frame['size'] // form[0], *frame.payload())
            for n, data in enumerate(records, first):
                found.append(('pebs', place | {'n': n, 'source': frame['source']} | pebs_record(form, data)))
        else:
            registers = [struct.unpack('<3Q', data) for data in differences(frame['depth'], 8, 3, *frame.payload())]
            found.append(('lbr', place | {
                'n': first, 'tos': None if form[0] == ARCHITECTURAL else frame['tos'], 'registers': registers,
                'lbr': [lbr_entry(form[0], *values) for values in registers]}))
    return found
