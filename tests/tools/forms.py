# SPDX-License-Identifier: MIT
"""The expected output of dsdump, in each of its forms, for the records that reader.py found in a log.

The words and bits of data sources: Linux, arch/x86/events/intel/ds.c, include/uapi/linux/perf_event.h and
tools/perf/util/mem-events.c. The lines: docs/output.md and what perf 6.12 prints. Names are symbols.py's.
"""
import re

KIND_NAMES = ['COND', 'IND', 'UNCOND', 'IND_CALL', 'CALL', 'RET']             # perf's, of LBR branch types
KIND_NUMBERS = [1, 3, 2, 5, 4, 6]                                             # PERF_BR_* of the same
OUR_KINDS = ['JCC', 'IND_JMP', 'JMP', 'IND_CALL', 'CALL', 'RET']

# The lines of a PEBS record, and the names that perf's registers have in it, by their numbers from 0 on.
LINES = ['ip eventing_ip counters tsc', 'format_group retire_latency fragments mode_64', 'rax rbx rcx rdx',
         'rsi rdi rbp rsp', 'r8 r9 r10 r11', 'r12 r13 r14 r15', 'rflags ssp',
         'data_address data_source latency cache_latency', 'tsx tsx_cycles', 'xer', 'lbr_ctl lbr_depth',
         'ler_from ler_to ler_info', 'slots metrics']
PLACES_IN_LINES = ('ip', 'eventing_ip', 'data_address', 'ler_from', 'ler_to')    # symbols follow these
DECIMAL = ('retire_latency', 'latency', 'cache_latency', 'tsx_cycles', 'fragments', 'mode_64', 'lbr_depth')
# Then the lines of numbered registers: words of each, how many on a line. All except counts are printed with all digits.
NUMBERED = {'xmm': (2, 2), 'ymmh': (2, 2), 'r': (1, 4), 'k': (1, 4), 'zmmh': (4, 1), 'zmm': (8, 1), 'count': (1, 4)}
PERF_REGISTERS = 'rax rbx rcx rdx rsi rdi rbp rsp rip rflags'.split() + [None] * 6 + [f'r{n}' for n in range(8, 16)]
CSV_REGISTERS = 'rip rflags rax rcx rdx rbx rsp rbp rsi rdi'.split() + [f'r{n}' for n in range(8, 16)]

# ---- data sources: perf_mem_data_src has op:5 level:14 snoop:5 lock:2 tlb:7 number:4 remote:1 forwarded:1 ----

HIT, MISS, L1, LFB, L2, L3, RAM, FAR_RAM, FAR_CACHE, IO, UNCACHED = (
    2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x400, 0x1000, 0x2000)
LEVELS = {    # perf 6.1's words: perf 6.12's, level, number, remote
    'N/A': ('N/A', 1, 15, 0),
    'L3 miss': ('L3 miss', MISS | L3, 3, 0),
    'L1 or L1 hit': ('L1 hit', HIT | L1, 1, 0),
    'LFB or LFB hit': ('LFB/MAB hit', HIT | LFB, 12, 0),
    'L2 or L2 hit': ('L2 hit', HIT | L2, 2, 0),
    'L3 or L3 hit': ('L3 hit', HIT | L3, 3, 0),
    'L4 or PMEM hit': ('L4 hit', HIT, 4, 0),
    'Remote L4 or PMEM hit': ('Remote L4 hit', HIT, 4, 1),
    'Remote Cache (1 hop) hit': ('Remote L3 hit', HIT | FAR_CACHE, 3, 1),
    'Remote Any cache hit': ('Remote Any cache hit', HIT, 11, 1),
    'Local RAM or RAM hit': ('RAM hit', HIT | RAM, 13, 0),
    'Remote RAM (1 hop) hit': ('Remote RAM hit', HIT | FAR_RAM, 13, 1),
    'Remote RAM hit': ('Remote RAM hit', HIT, 13, 1),
    'I/O hit': ('I/O hit', HIT | IO, 15, 0),
    'Uncached hit': ('Uncached hit', HIT | UNCACHED, 15, 0),
    'Reserved': ('N/A', 1, 15, 0),
    'L0 hit': ('L0 hit', HIT, 7, 0),
    'L2 MHB hit': ('L2 MHB hit', HIT, 5, 0),
    'Memory-side Cache hit': ('Memory-side Cache hit', HIT, 6, 0),
    'L1 hit': ('L1 hit', HIT | L1, 0, 0),      # of stores
    'L1 miss': ('L1 miss', MISS | L1, 0, 0),
}
SNOOPS = {'N/A': 1, 'None': 2, 'Hit': 4, 'Miss': 8, 'HitM': 16, 'None or Miss': 10}
TLBS = {'N/A': 1, 'L1 or L2 hit': 2 | 8 | 16, 'L2 hit': 2 | 16, 'L2 miss': 4 | 16}
LOCKS = {'N/A': 1, 'Yes': 2, 'No': 0}
CODES = ['L3 miss/N/A', 'L1 or L1 hit/None', 'LFB or LFB hit/None', 'L2 or L2 hit/None', 'L3 or L3 hit/None',
         'L3 or L3 hit/Miss', 'L3 or L3 hit/Hit', 'L3 or L3 hit/HitM', 'Remote Cache (1 hop) hit/Hit',
         'Remote Cache (1 hop) hit/HitM', 'Local RAM or RAM hit/Hit', 'Remote RAM (1 hop) hit/Hit',
         'Local RAM or RAM hit/None or Miss', 'Remote RAM (1 hop) hit/None or Miss', 'I/O hit/None',
         'Uncached hit/None']
UNKNOWN, NEHALEM, GENERIC, SKYLAKE, STORE, GRACEMONT, CRESTMONT, LION_COVE, PANTHER_COVE, ARCTIC_WOLF, GOLDEN_COVE = range(11)
OTHER_CODES = {
    NEHALEM: {5: 'L3 or L3 hit/Hit', 6: 'L3 or L3 hit/HitM', 9: 'N/A/N/A', 14: 'N/A/N/A'},
    SKYLAKE: {8: 'L4 or PMEM hit/Hit', 9: 'Remote L4 or PMEM hit/Hit', 11: 'Remote RAM hit/None',
              12: 'Remote Any cache hit/Fwd', 13: 'Remote Any cache hit/HitM'},
    GRACEMONT: {5: 'L3 or L3 hit/Hit', 6: 'L3 or L3 hit/HitM', 8: 'L3 or L3 hit/Fwd'},
    CRESTMONT: {7: 'L3 or L3 hit/Fwd', 8: 'L3 or L3 hit/HitM', 10: 'Local RAM or RAM hit/None', 11: 'Remote RAM hit/None',
                12: 'Remote RAM hit/Fwd', 13: 'Remote RAM hit/HitM'},
}
OTHER_CODES[GOLDEN_COVE] = OTHER_CODES[SKYLAKE]
OWN_CODES = {    # encodings that share no code with the others; codes that they do not list are reserved
    LION_COVE: {0: CODES[0], 1: CODES[1], 2: CODES[1], 3: CODES[2], 5: CODES[3], 6: 'L2 MHB hit/None', 8: CODES[4],
                12: 'L3 or L3 hit/Fwd', 13: CODES[7], 15: 'L3 miss/HitM', 16: 'Memory-side Cache hit/None',
                17: 'Local RAM or RAM hit/None'},
    PANTHER_COVE: {0: 'N/A/N/A', 1: 'L0 hit/None', 2: CODES[1], 3: CODES[2], 4: CODES[3], 7: 'L2 or L2 hit/Hit',
                   8: 'L2 or L2 hit/HitM', 9: 'L2 or L2 hit/Miss', 10: 'L2 or L2 hit/Miss', 15: CODES[15]},
    ARCTIC_WOLF: {0: 'N/A/N/A', 1: CODES[1], 2: CODES[2], 3: CODES[3], 4: 'L2 or L2 hit/Hit', 5: 'L2 or L2 hit/HitM',
                  6: CODES[15]},
}
# Misses of the second level, bit 8 of Panther Cove and Arctic Wolf: whose line it was, by bits 3:0 of the code. Here, and
# with bit 4 on another socket: perf's words, level, number, remote, and the region in 5 bits from bit 46 on.
OWNERS = {2: 'L3 (shared)', 3: 'L3 (not shared)', 4: 'I/O of another agent', 5: 'L3 (shared) of another agent',
          6: 'L3 (not shared) of another agent', 7: 'MMIO'}
REGIONS = {}
for number in range(2, 16):
    for remote in 0, 1:
        far = 'Remote ' if remote else ''
        if number < 8:
            name = f'{far}{OWNERS[number]} hit'
        else:
            name = f'{far or "Local "}RAM region {number - 8} hit'
        LEVELS[name] = (far + ('L3 hit' if number < 7 else 'RAM hit'),
                        HIT | (0 if number == 7 else L3 | remote * FAR_CACHE if number < 7 else FAR_RAM if remote else RAM),
                        3 if number < 7 else 13, remote)
        REGIONS[name] = number
SNOOPS |= {'Hit or Fwd': 4 | 1 << 19, 'HitM or Fwd': 16 | 1 << 19, 'Fwd': 1 << 19}    # mem_snoopx begins 19 bits above


def miss_of_second_level(code):
    number, remote, modified, snooped, promoted = code & 15, *(code >> bit & 1 for bit in (4, 5, 6, 7))
    name = next((name for name, region in REGIONS.items() if region == number and name.startswith('Remote') == bool(remote)),
                'Reserved' if number else 'N/A')
    snoop = 'HitM' if modified else 'Hit'
    if number < 2:
        snoop = 'N/A'
    elif number == 2 and not modified:
        snoop = ('N/A', 'Miss', 'Hit', 'None')[2 * promoted + snooped]
    elif 2 < number < 7 and snooped:
        snoop += ' or Fwd'
    return name, snoop


# Bits of the code, then of: second-level TLB missed, locked, data blocked, address blocked; 0: the encoding has none.
PLACES = {GENERIC: (15, 4, 5, 0, 0), SKYLAKE: (15, 4, 5, 0, 0), GOLDEN_COVE: (15, 4, 5, 6, 7), GRACEMONT: (15, 5, 4, 6, 0),
          CRESTMONT: (31, 6, 5, 7, 0), LION_COVE: (255, 10, 11, 12, 13), PANTHER_COVE: (511, 11, 12, 13, 14),
          ARCTIC_WOLF: (511, 11, 12, 13, 14)}


def has_source(record):
    """Only load latency and precise store events fill the data source."""
    return 'data_source' in record and (record['latency'] != 0 or record['source'] == STORE)


def level_and_snoop(code, encoding):
    if code > 255:
        return miss_of_second_level(code)
    if encoding in OWN_CODES:
        both = OWN_CODES[encoding].get(code, 'Reserved/N/A')
    elif code > 15:
        both = 'Reserved/N/A'
    else:
        both = OTHER_CODES.get(encoding, {}).get(code, CODES[code])
    return re.match('(.*?)/(N/A|[^/]*)$', both).groups()


def source_words(record):
    """Level, snoop, TLB and lock, and what blocked the load, if the encoding has it."""
    source, encoding = record['data_source'], record['source']
    if not has_source(record) or encoding == UNKNOWN:
        return ('N/A',) * 4
    if encoding == STORE:
        return ('L1 hit' if source & 1 else 'L1 miss', 'N/A', 'L2 miss' if source & 0x10 else 'L2 hit',
                'Yes' if source & 0x20 else 'No')
    if encoding == NEHALEM:
        return level_and_snoop(source & 15, NEHALEM) + ('N/A', 'N/A')
    code, missed, locked, data, address = PLACES[encoding]
    blocked = [word for bit, word in ((data, 'Data'), (address, 'Addr')) if bit and source >> bit & 1]
    return level_and_snoop(source & code, encoding) + (
        'L2 miss' if source >> missed & 1 else 'L1 or L2 hit', 'Yes' if source >> locked & 1 else 'No') + (
        (' or '.join(blocked) or 'N/A',) if data else ())


def bars(words):
    return ' ' + ''.join(f'|{name} {word}' for name, word in zip(('LVL', 'SNP', 'TLB', 'LCK', 'BLK'), words)) + '|'


def perf_source(record, select):
    """The value of perf_mem_data_src, and the words of perf 6.12. The event may tell what the record lacks."""
    level, snoop, tlb, lock, *blocked = source_words(record) if 'data_source' in record else ('N/A',) * 4
    operation = 'STORE' if record['source'] == STORE else 'LOAD'
    words, bits, number, remote = LEVELS[level]
    if not has_source(record) or record['source'] == UNKNOWN:
        event = select & 0xff if record['format'] >= 2 and 'data_address' in record else 0
        operation = 'LOAD' if 0xd0 <= event <= 0xd3 else 'N/A'
        if event == 0xd0 and select & 0x200:
            operation = 'STORE'
            if 'data_source' in record:
                words, bits = ('L1 hit', HIT | L1) if record['data_source'] & 1 else ('L1 miss', MISS | L1)
    value = {'N/A': 1, 'LOAD': 2, 'STORE': 4}[operation] | bits << 5 | LOCKS[lock] << 24 | TLBS[tlb] << 26
    value |= number << 33 | remote << 37 | SNOOPS[snoop] << 19 | REGIONS.get(level, 0) << 46
    by = blocked[0].split(' or ') if blocked else []
    value |= sum({'N/A': 1, 'Data': 2, 'Addr': 4}[word] for word in by) << 40
    return value, f'|OP {operation}|LVL {words}|SNP {snoop}|TLB {tlb}|LCK {lock}|BLK  ' + (' '.join(by) or 'N/A')


# ---- shared by every form ----

def ip_of(record):
    return record.get('eventing_ip', register(record, 'rip'))


def register(record, name):
    """A register by its 64-bit name; None where the record lacks it."""
    return record.get(name if record['width'] == 8 else name.replace('r', 'e', 1) if name[0] == 'r' else None)


def used(entries):
    """The entries of a stack without the empty ones at its end."""
    count = len(entries)
    while count and not entries[count - 1]['from'] and not entries[count - 1]['to']:
        count -= 1
    return entries[:count]


def counts_of(record):
    """A record's counters group, by the counters' names."""
    return {name: word for name, word in record['words'] if re.fullmatch(r'(fixed_)?count\d+', name)}


class Sampling:
    """The events of a test, as they are announced: whose sample is a record?"""

    def __init__(self):
        self.events = {}

    def announce(self, frame):
        name = frame.words['name']
        fixed, counter, select = frame['fixed'], frame['counter'], frame['select']
        if not name:
            name = f'r{select:04x}' if select else f'{"fixed" if fixed else "counter"}{counter}'
        self.events[frame['cpu'], 32 * fixed + counter] = {'name': name, 'select': select, 'period': frame['period']}

    def of(self, record):
        found = [event for (cpu, bit), event in self.events.items()
                 if cpu == record['cpu'] and record.get('counters', ~0) >> bit & 1]
        found = found if 'counters' in record else found[:1]
        return found or [{'name': 'pebs', 'select': 0, 'period': 0}]


def walk(found):
    """Each record with its test and its events."""
    test, sampling = 'dstest86', Sampling()
    for kind, value in found:
        if kind in ('machine', 'test'):
            sampling = Sampling()
            test = value if kind == 'test' else 'dstest86'
        elif kind == 'event':
            sampling.announce(value)
        if kind != 'line':
            yield kind, value, test, sampling.of(value) if kind == 'pebs' else None


# ---- the kernel's lines ----

def symbol(names, address, before=' '):
    name = names.kernels(address)
    return f'{before}{name[0][:64]}+{name[1]:#x}' if name else ''


def branch_line(entry, names):
    flags = '-' if 'mispredicted' not in entry else 'M' if entry['mispredicted'] else 'P'
    text = f'{entry["from"]:#x}/{entry["to"]:#x}/{flags}/{"X" if entry.get("in_tsx") else "-"}'
    text += f'/{"A" if entry.get("abort") else "-"}/{entry.get("cycles", 0)}'
    if 'type' in entry:
        text += '/' + (OUR_KINDS + ['other'] * 10)[entry['type']]
    if any(entry.get('events', ())):    # counts of up to four counters, the lowest first
        text += '/' + ''.join(map(str, entry['events']))
    ends = [symbol(names, entry[end], '') or '-' for end in ('from', 'to')]
    return text + (f' {ends[0]}/{ends[1]}' if ends != ['-', '-'] else '')


def pebs_lines(record, names):
    known = {'ip': register(record, 'rip'), 'eventing_ip': record.get('eventing_ip')}
    for line in LINES:
        words = []
        for name in line.split():
            value = known.get(name, record.get(name)) if name in known or name in record else register(record, name)
            if value is None:
                continue
            shown = name if record['width'] == 8 else {'ip': 'eip'}.get(name, 'e' + name[1:])
            words.append(f'{shown} {value}' if name in DECIMAL else f'{shown} {value:#x}')
            if name in PLACES_IN_LINES:
                words[-1] += symbol(names, value)
            if name == 'data_source':
                words[-1] += bars(source_words(record))
        if words:
            yield ' '.join(words)
    for kind, (words, some) in NUMBERED.items():
        found = {}
        for name, word in record['words']:
            match = re.fullmatch(rf'((?:fixed_)?{kind}(\d+))(\..*)?', name)
            if match and not (kind == 'r' and int(match[2]) < 16):
                found[match[1]] = [record.get(name, word)] + found.get(match[1], [])
        assert all(len(values) == words for values in found.values())
        shown = [f'{name} 0x' + (f'{values[0]:x}' if kind == 'count' else ''.join(f'{value:016x}' for value in values))
                 for name, values in found.items()]
        yield from (' '.join(shown[i:i + some]) for i in range(0, len(shown), some))
    for i, entry in enumerate(record['lbr'] or ()):
        yield f'lbr {i} {branch_line(entry, names)}'


def text(found, names):
    lines = []
    for kind, value, _, _ in walk(found):
        if kind == 'test':
            lines.append(f'# test {value}')
        elif kind == 'bts':
            ends = [f'0x{value["entry"][end]:0{2 * value["width"]}x}' + symbol(names, value['entry'][end])
                    for end in ('from', 'to')]
            said = {None: '', False: ' predicted', True: ' mispredicted'}[value['entry'].get('mispredicted')]
            lines.append(f'# bts {value["n"]} {ends[0]} => {ends[1]}{said}')
        elif kind == 'pebs':
            lines += [f'# pebs {value["n"]} {line}' for line in pebs_lines(value, names)]
        elif kind == 'lbr':
            tos = '' if value['tos'] is None else f' tos {value["tos"]}'
            lines.append(f'# lbr stack{tos} depth {len(value["lbr"])}')
            lines += [f'# lbr {i} {branch_line(entry, names)}' for i, entry in enumerate(value['lbr'])
                      if entry['from'] or entry['to']]
    return lines


def word_line(at, width, name, value, meaning=''):
    data = value.to_bytes(width, 'little').hex(' ')
    return f'#   +{at:03x}  {data:<24} {name:<13} 0x{value:0{2 * width}x}{meaning}'


def raw(found, names):
    lines = []
    for kind, value, _, _ in walk(found):
        if kind == 'test':
            lines.append(f'# test {value}')
        elif kind == 'bts':
            width, entry = value['width'], value['entry']
            said = {None: '', False: ' predicted', True: ' mispredicted'}[entry.get('mispredicted')]
            lines.append(f'# bts {value["n"]} cpu {value["cpu"]}, {3 * width} bytes')
            lines += [word_line(0, width, 'from', entry['from'], symbol(names, entry['from'])),
                      word_line(width, width, 'to', entry['to'], symbol(names, entry['to'])),
                      word_line(2 * width, width, 'flags', value['flags'], said)]
        elif kind == 'pebs':
            lines.append(f'# pebs {value["n"]} cpu {value["cpu"]}, format {value["format"]}, {value["size"]} bytes')
            width, meanings = value['width'], {}
            if 'fragments' in value:
                meanings['xer'] = ' XSAVE components'
                if 'retire_latency' in value:
                    meanings['retire_latency'] = f' retire latency {value["retire_latency"]}'
            elif 'format_group' in value:
                latency = f', retire latency {value["retire_latency"]}' if 'retire_latency' in value else ''
                meanings['format'] = f' groups {value["format_group"]:#x}{latency}, {value["size"]} bytes'
            if 'latency' in value:
                cache = f', the cache\'s {value["cache_latency"]}' if 'cache_latency' in value else ''
                meanings['latency'] = f' {value["latency"]} cycles{cache}'
                meanings['data_source'] = bars(source_words(value))
            if 'tsx_cycles' in value:
                meanings['tsx'] = f' {value["tsx_cycles"]} cycles in the last transaction'
            for i, (name, word) in enumerate(value['words']):
                if name in ('rip', 'eip', *PLACES_IN_LINES):
                    meanings[name] = symbol(names, word)
                if name == 'header':
                    continued = ', continued' if word >> 31 & 1 or not word >> 16 else ''
                    meanings[name] = f' fragment of {word & 0xffff} bytes{continued}'
                if match := re.fullmatch(r'lbr(\d+)\.(from|to)', name):
                    meanings[name] = symbol(names, value['lbr'][int(match[1])][match[2]])
                lines.append(word_line(width * i, width, name, word, meanings.get(name, '')))
        elif kind == 'lbr':
            tos = 'it shifts: tos 0' if value['tos'] is None else f'tos {value["tos"]}'
            lines.append(f'# lbr stack {value["n"]} cpu {value["cpu"]}, {tos}, depth {len(value["lbr"])}')
            for i, (registers, entry) in enumerate(zip(value['registers'], value['lbr'])):
                if any(registers):
                    lines.append('#   FROM 0x{:016x} TO 0x{:016x} INFO 0x{:016x}'.format(*registers))
                    lines.append(f'# lbr {i} {branch_line(entry, names)}')
    return lines


# ---- perf's lines ----

def place(names, address, file=''):
    """An address as perf script prints it; with " (FILE)", where a file is mapped, or " ([unknown])"."""
    name = names.perfs(address)
    shown = f'{name[0][:80]}+{name[1]:#x}' if name else '[unknown]'
    where = '' if not file else f' ({file})' if names.mapped(address) else ' ([unknown])'
    return f'{address:>16x} {shown}{where}'


def script(found, names):
    lines, task = [], 0
    file = names.path or 'none'
    for kind, value, test, events in walk(found):
        if kind in ('machine', 'test'):
            task += 1
            continue
        if kind == 'event':
            continue
        prefix = f'{test:>16} {task:5} [{value["cpu"]:03}] '
        if kind == 'bts':
            ends = [place(names, value['entry'][end], file) for end in ('from', 'to')]
            lines.append(f'{prefix}         1 branches: {ends[0]} => {ends[1]}')
        elif kind == 'lbr':
            lines.append(f'{prefix}         1 lbr: {place(names, value["lbr"][0]["to"], file)}')
        else:
            for event in events:
                source, words = perf_source(value, event['select'])
                time = value.get('tsc', 0) // 1000
                lines.append(
                    f'{prefix}{time // 1000000:5}.{time % 1000000:06}: {event["period"]:10} {event["name"]}: '
                    f'{value.get("data_address", 0):>16x} {source:>16x} {words} {value.get("latency", 0):16} '
                    + place(names, ip_of(value), file))
    return lines


def branches(found, names):
    return [f'{place(names, value["entry"]["from"])} => {place(names, value["entry"]["to"])}'
            for kind, value, _, _ in walk(found) if kind == 'bts']


def brstack(found, names):
    lines = []
    for kind, value, _, _ in walk(found):
        if kind not in ('lbr', 'pebs') or value['lbr'] is None:
            continue
        line = f'{value["lbr"][0]["to"] if kind == "lbr" else ip_of(value):>16x}'
        for entry in used(value['lbr']):
            ends = []
            for address in (entry['from'], entry['to']):
                name = names.perfs(address)
                ends.append(f'{name[0][:80]}+{name[1]:#x}' if name else f'{address:#x}')
            flags = '-' if 'mispredicted' not in entry else 'M' if entry['mispredicted'] else 'P'
            line += f' {ends[0]}/{ends[1]}/{flags}/{"X" if entry.get("in_tsx") else "-"}'
            line += f'/{"A" if entry.get("abort") else "-"}/{entry.get("cycles", 0)}/'
            line += (KIND_NAMES + [''] * 10)[entry['type']] if 'type' in entry else ''
        lines.append(line)
    return lines


# ---- tables ----

CSV_HEAD = ('kind test cpu record entry ip ip_symbol ip_line address address_symbol address_line predicted cycles event '
            'tsc latency level snoop tlb lock register_ip rflags rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 '
            'r14 r15 retire_latency cache_latency ssp slots metrics counts branch_counters').split()


def csv_rows(found, names):
    rows = [CSV_HEAD]

    def where(prefix, address):
        name = names.perfs(address)
        return {prefix: f'{address:#x}', prefix + '_symbol': f'{name[0][:80]}+{name[1]:#x}' if name else '',
                prefix + '_line': names.line(address) or ''}

    def add(kind, value, test, **columns):
        row = {'kind': kind, 'test': test, 'cpu': value['cpu'], 'record': value['n']} | columns
        assert row.keys() <= set(CSV_HEAD)
        rows.append([str(row.get(column, '')) for column in CSV_HEAD])

    def add_branch(kind, value, test, branch, **columns):
        flags = '' if 'mispredicted' not in branch else 'M' if branch['mispredicted'] else 'P'
        if any(branch.get('events', ())):
            columns['branch_counters'] = ''.join(map(str, branch['events']))
        add(kind, value, test, predicted=flags, cycles=branch.get('cycles', ''), **where('ip', branch['from']),
            **where('address', branch['to']), **columns)

    for kind, value, test, events in walk(found):
        if kind == 'bts':
            add_branch('bts', value, test, value['entry'])
        elif kind == 'lbr':
            for i, entry in enumerate(used(value['lbr'])):
                add_branch('lbr', value, test, entry, entry=i)
        elif kind == 'pebs':
            columns = where('ip', ip_of(value)) | {'event': events[0]['name']}
            columns |= {name: value[name] for name in ('tsc', 'latency') if name in value}
            if 'data_address' in value:
                columns |= where('address', value['data_address'])
            if has_source(value):
                columns |= dict(zip(('level', 'snoop', 'tlb', 'lock'), source_words(value)))
            for name in CSV_REGISTERS:
                if register(value, name) is not None:
                    columns['register_ip' if name == 'rip' else name] = f'{register(value, name):#x}'
            columns |= {name: value[name] for name in ('retire_latency', 'cache_latency') if name in value}
            columns |= {name: f'{value[name]:#x}' for name in ('ssp', 'slots', 'metrics') if name in value}
            columns['counts'] = ' '.join(f'{name}={count:#x}' for name, count in counts_of(value).items())
            add('pebs', value, test, **columns)
            for i, entry in enumerate(value['lbr'] or ()):
                add_branch('pebs_lbr', value, test, entry, entry=i)
    return rows


def trace_samples(found, names):
    """The instants of --trace-json: PEBS samples with a TSC, in microseconds from the first."""
    first, events = None, []
    for kind, value, test, sampled in walk(found):
        if kind != 'pebs' or 'tsc' not in value:
            continue
        first = value['tsc'] if first is None else first
        name = names.perfs(ip_of(value))
        arguments = {'test': test, 'record': value['n'], 'ip': f'{ip_of(value):#x}',
                     'symbol': f'{name[0][:80]}+{name[1]:#x}' if name else ''}
        if has_source(value):
            arguments |= {'address': f'{value["data_address"]:#x}', 'latency': value['latency'],
                          'level': source_words(value)[0]}
        if 'bitmaps' in value:
            arguments['counts'] = counts_of(value) | (
                {'slots': value['slots'], 'metrics': f'{value["metrics"]:#x}'} if 'slots' in value else {})
        events.append({'ph': 'i', 'pid': 2, 'tid': value['cpu'], 's': 't', 'ts': (value['tsc'] - first) / 1000,
                       'name': sampled[0]['name'], 'args': arguments})
    return events


def unknown_frames(found):
    """The branches of BTS without names: (record, test, whether the trace breaks off before it). It breaks off between
    processors, between numbers, and where more than 4 KiB of code without a branch would have had to run."""
    last = None
    for kind, value, test, _ in walk(found):
        if kind in ('machine', 'test'):
            last = None
            yield None, test, True
        elif kind == 'bts':
            source, target = value['entry']['from'], value['entry']['to']
            follows = last and last[:2] == (value['cpu'], value['n']) and 0 <= source - last[2] < 4096
            last = value['cpu'], value['n'] + 1, target
            yield value, test, not follows


def trace_branches(found):
    """The slices of --trace-json without names: a test's, and in it an unknown function's."""
    events, now, stack = [], 0, []

    def leave(depth):
        while len(stack) > depth:
            events.append({'ph': 'E', 'pid': 1, 'tid': stack.pop(), 'ts': now})

    def enter(cpu, name):
        events.append({'ph': 'B', 'pid': 1, 'tid': cpu, 'ts': now, 'name': name})
        stack.append(cpu)

    for value, test, breaks in unknown_frames(found):
        if value is None or stack and stack[0] != value['cpu']:
            leave(0)
        if value is None:
            continue
        if not stack:
            enter(value['cpu'], test)
        now += 1
        if breaks:
            leave(1)
            enter(value['cpu'], '[unknown]')
    leave(0)
    return events


def page(found):
    """The data in the page of --html, without names: lines, records by test, samples, flame graph and timelines."""
    kept, in_tests = [], False
    for _, text in (each for each in found if each[0] == 'line'):
        if text.startswith('begin dstest86 '):
            in_tests = False
        elif text.startswith(('1..', 'KTAP ')):
            in_tests = True
            continue
        elif not text.startswith(('ok ', 'not ok ', 'measure ', 'end dstest86 ', 'error', 'panic', 'wrong')) and (
                in_tests or not kept):
            continue
        kept.append(text)
    tests, samples, counts, logged = [], {}, {}, {}
    for kind, value, test, events in walk(found):
        if kind in ('pebs', 'lbr'):
            for entry in value['lbr'] or ():
                if any(entry.get('events', ())):
                    row = logged.setdefault(len(tests), {'test': test, 'entries': 0, 'counts': [0] * 4})
                    row['entries'] += 1
                    row['counts'] = [a + b for a, b in zip(row['counts'], entry['events'])]
        for name, count in counts_of(value).items() if kind == 'pebs' else ():
            row = counts.setdefault((len(tests), name), {'test': test, 'counter': name, 'records': 0, 'first': count})
            row['records'] += 1
            row['last'] = count
        if kind == 'test':
            tests.append({'test': test, 'bts': 0, 'pebs': 0, 'lbr': 0})
        elif kind in ('bts', 'pebs', 'lbr'):
            tests[-1][kind] += 1
        for event in events or ():
            samples[event['name']] = samples.get(event['name'], 0) + 1
    flame, timelines = {}, []
    for value, test, breaks in unknown_frames(found):
        if value is None:
            timelines.append(None)
            continue
        flame[test, '[unknown]'] = flame.get((test, '[unknown]'), 0) + 1
        line = timelines[-1]
        if line is None:
            line = timelines[-1] = {'test': test, 'cpu': value['cpu'], 'length': 0, 'slices': [], 'ended': False}
        if line['ended'] or line['cpu'] != value['cpu']:
            line['ended'] = True
            continue
        line['length'] += 1
        if breaks:
            line['slices'].append(line['length'] if line['slices'] else 0)
    for line in filter(None, timelines):
        ends = line['slices'][1:] + [line['length']]
        line['slices'] = [['[unknown]', 0, first, end] for first, end in zip(line['slices'], ends) if end > first]
        del line['ended']
    return {'lines': kept, 'records': [row for row in tests if row['bts'] + row['pebs'] + row['lbr']],
            'samples': [{'event': event, 'symbol': '[unknown]', 'line': '', 'count': count}
                        for event, count in sorted(samples.items())],
            'counts': list(counts.values())[:512], 'logged': list(logged.values()),
            'flame': flame, 'timelines': [line for line in timelines if line]}


def stats(found, lines):
    """--stats of an undamaged log."""
    count = {kind: sum(1 for each, _ in found if each == kind) for kind in ('bts', 'pebs', 'lbr', 'machine')}
    frames = sum('# dsdump/1 ' in line for line in lines)
    return [f'lines {len(lines)} frames {frames} boots {count["machine"]}'] + [
        f'{kind} {count[kind]} lost 0' for kind in ('bts', 'pebs', 'lbr')] + ['problems 0']


# ---- perf.data ----

IP, TID, TIME, ADDR, CPU, PERIOD, STACK, WEIGHT, SOURCE, IDENTIFIER, REGISTERS = (
    1 << bit for bit in (0, 1, 2, 3, 7, 8, 11, 14, 15, 16, 18))
MEMORY = IDENTIFIER | IP | TID | TIME | ADDR | CPU | PERIOD | WEIGHT | SOURCE


def perf_branch(entry):
    """from, to, flags: mispredicted, predicted, in a transaction, aborted it, cycles from bit 4 on, kind from bit 20."""
    flags = entry.get('cycles', 0) << 4
    if 'mispredicted' in entry:
        flags |= 1 if entry['mispredicted'] else 2
    flags |= 4 if entry.get('in_tsx') else 0
    flags |= 8 if entry.get('abort') else 0
    if entry.get('type', 9) < 6:
        flags |= KIND_NUMBERS[entry['type']] << 20
    return entry['from'], entry['to'], flags


def perf_counters(entries, wanted):
    """What a sample has in addition to its stack if any entry counts events: two bits of each counter, by branch."""
    if not wanted:
        return {}
    counts = [sum(count << 2 * n for n, count in enumerate(entry.get('events', ()))) for entry in entries]
    return {'counters': counts} if any(counts) else {}


def perf_events(records):
    """The events of samples, as (attr, name), and their groups. An event whose samples have counters is followed by
    those of its group: each of four counters, which entries count."""
    events, leaders, groups = [], [], []
    for record in records:
        if record['type'] != 'sample':
            continue
        event = record['attr'], record['event'], 'counters' in record
        if event in leaders:
            continue
        leaders.append(event)
        if 'counters' in record:
            groups.append(('{anon_group}', len(events), 5))
        events.append(event[:2])
        if 'counters' in record:
            events += [(record['attr'] | {'branches': 0x8000b}, f'IA32_PMC{n}') for n in range(4)]
    return events, groups


def perf_records(found, names, history=16, counters=False):
    """The records of --perf-data, as perf_file.py reads them."""
    records, task, pid = [], 0, 0
    recent, next_bts = [], None
    for kind, value, test, events in walk(found):
        if kind in ('machine', 'test'):
            task += 1
            pid = task if kind == 'machine' else pid
            recent = []
            records.append({'type': 'comm', 'pid': pid, 'tid': task, 'name': test})
            if kind == 'machine':
                records += [{'type': 'map', 'pid': pid} | each for each in names.maps]
            continue
        if kind == 'event':
            continue
        sample = {'type': 'sample', 'pid': pid, 'tid': task, 'cpu': value['cpu'], 'period': 1}
        if kind == 'bts':
            if next_bts != (value['cpu'], value['n']):
                recent = []
            next_bts = (value['cpu'], value['n'] + 1)
            recent = ([perf_branch(value['entry'])] + recent)[:history]
            attr = {'type': 0, 'config': 4, 'period': 1, 'precise': 0, 'registers': 0, 'branches': 0xb if history else 0,
                    'fields': IDENTIFIER | IP | TID | ADDR | CPU | PERIOD | (STACK if history else 0)}
            records.append(sample | {'event': 'branches', 'attr': attr, 'ip': value['entry']['from'], 'exact': True,
                                     'addr': value['entry']['to']} | ({'stack': recent} if history else {}))
        elif kind == 'lbr':
            attr = {'type': 1, 'config': 0, 'period': 1, 'precise': 0, 'registers': 0, 'branches': 0xb,
                    'fields': IDENTIFIER | IP | TID | CPU | PERIOD | STACK}
            records.append(sample | {'event': 'lbr', 'attr': attr, 'ip': value['lbr'][0]['to'], 'exact': False,
                                     'stack': [perf_branch(entry) for entry in used(value['lbr'])]}
                           | perf_counters(used(value['lbr']), counters))
        else:
            registers = {n: register(value, name) for n, name in enumerate(PERF_REGISTERS)
                         if name and register(value, name) is not None}
            registers |= {32 + n: word for n, word in enumerate(value['xmm'] or ())} if registers else {}
            exact = 'eventing_ip' in value
            for event in events:
                attr = {'type': 4, 'config': event['select'], 'period': event['period'], 'precise': 2 if exact else 1,
                        'registers': sum(1 << n for n in registers), 'branches': 0xb if value['lbr'] else 0,
                        'fields': MEMORY | (REGISTERS if registers else 0) | (STACK if value['lbr'] else 0)}
                records.append(sample | {
                    'event': event['name'], 'attr': attr, 'ip': ip_of(value), 'exact': exact,
                    'time': value.get('tsc', 0), 'addr': value.get('data_address', 0), 'period': event['period'],
                    'weight': value.get('latency', 0), 'source': perf_source(value, event['select'])[0],
                } | ({'registers': registers, 'abi': 2 if value['width'] == 8 else 1} if registers else {})
                    | ({'stack': [perf_branch(entry) for entry in value['lbr']]} if value['lbr'] else {})
                    | perf_counters(value['lbr'] or (), counters))
    return records
