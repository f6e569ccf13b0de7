# SPDX-License-Identifier: MIT
"""Compares the records that the kernel printed with the model's truth log, field by field. The two come from independent code:
the kernel reads bytes and registers, the model logs its own actions."""
import bisect
import collections
import functools
import re
from collections.abc import Iterator

# The fields of a branch, here and in the truth log, and their values where the LBR format lacks them.
BRANCH = {'from': None, 'to': None, 'mispred': '-', 'in_tsx': 0, 'abort': 0, 'cycles': 0, 'type': '-', 'events': 0}
# Branch types of architectural LBRs: the SDM's number to perf's word; the others are "other".
TYPES = dict(enumerate('JCC IND_JMP JMP IND_CALL CALL RET'.split()))
STACKS_SEARCHED = 3    # after so many stacks without a match, the rest are not compared

PRINTED = re.compile(r'# (bts|lbr|pebs) (\d+) (.*)')
BTS = re.compile(r'(0x[0-9a-f]+)(?: \S+)? => (0x[0-9a-f]+)(?: .*?)??(?: ((?:mis)?predicted))?$')
STACK = re.compile(r'# lbr stack (?:tos (\d+) )?depth (\d+)$')
LBR = re.compile(r'(0x[0-9a-f]+)/(0x[0-9a-f]+)/([MP-])/([X-])/([A-])/(\d+)(?:/(\w+)(?:/([0-3]{4}))?)?$')
FIELD = re.compile(r'(?<!\S)([a-z]\w*) (0x[0-9a-f]+|\d+)(?!\S)')

Branch = tuple    # the values of BRANCH, in its order
Bts = collections.namedtuple('Bts', 'n from_ to predicted buffer where')
Stack = collections.namedtuple('Stack', 'tos depth entries calls where')


def shown(value: object) -> object:
    return hex(value) if isinstance(value, int) else value


def branch_of(words: dict[str, str]) -> Branch:
    """A branch of the truth, from its words by key."""
    branch = {key: int(words[key], 10 if key == 'events' else 0) if key in words else absent for key, absent in BRANCH.items()}
    if 'type' in words:
        branch['type'] = TYPES.get(branch['type'], 'other')
    return tuple(branch.values())


@functools.lru_cache(None)
def printed_branch(text: str) -> Branch | None:
    """A branch as the kernel prints it, FROM/TO/PREDICTION/TSX/ABORT/CYCLES[/TYPE[/EVENTS]]; None if it is none."""
    match = LBR.match(text)
    if match:
        start, to, prediction, tsx, abort, cycles, kind, events = match.groups()
        return (int(start, 16), int(to, 16), {'M': 1, 'P': 0}.get(prediction, '-'), int(tsx == 'X'), int(abort == 'A'), int(cycles),
                kind or '-', int(events or 0))
    return None


def value_of(word: str) -> int | Branch:
    """Of a PEBS record's field; a branch has commas."""
    return branch_of(dict(zip(BRANCH, word.split(',')))) if ',' in word else int(word, 0)


class Truth:
    """The records of a truth log. A bts record is (AT, FROM, TO, FLAGS, INTERRUPTS so far), an lbr entry (TOS or None, branch)."""
    def __init__(self, lines: list[str]):
        self.bts, self.pebs, self.lbr, self.wrong = [], [], [], []
        interrupts, known = 0, {}
        if not lines or not re.match(r'dsmodel truth 1\b', lines[0]):
            self.wrong.append('the truth log has no "dsmodel truth 1" line')
            return
        for number, line in enumerate(lines[1:], 2):
            if line in known:    # most branches repeat
                self.lbr.append(known[line])
                continue
            try:
                kind, *words = line.split()
                if kind == 'pmi':
                    interrupts += 1
                elif kind == 'bts':
                    of = dict(word.split('=') for word in words)
                    self.bts.append((of['at'], int(of['from'], 16), int(of['to'], 16), int(of.get('flags', '-1'), 0), interrupts))
                elif kind == 'pebs':
                    self.pebs.append({key: value_of(word) for key, word in (word.split('=') for word in words)
                                      if key not in ('vcpu', 'at', 'size')})
                elif kind == 'lbr':
                    of = dict(word.split('=') for word in words)
                    known[line] = int(of['tos']) if 'tos' in of else None, branch_of(of)
                    self.lbr.append(known[line])
                elif kind != 'pebs-dropped':
                    raise ValueError
            except (KeyError, TypeError, ValueError):
                self.wrong.append(f'truth line {number} is not understood: {line}')


class Printed:
    """The records in the kernel's lines. Lines before a record say how to read it: a circular or undrained bts buffer, a call stack."""
    def __init__(self, lines: list[str]):
        self.bts, self.pebs, self.lbr, self.wrong = [], [], [], []
        self.test, self.buffer, self.calls = 'before any test', None, False
        self.next = {}       # the number that the next record of a kind has
        self.record = None   # the pebs record that lines belong to, and its number
        for self.number, line in enumerate(lines, 1):
            if not line.startswith('# '):
                continue
            if match := PRINTED.match(line):
                self.add(*match.groups(), line)
            elif line.startswith('# test '):
                self.test, self.buffer, self.calls, self.record, self.next = line.split()[2], None, False, None, {}
            elif line.startswith(('# bts buffer circular:', '# bts buffer undrained:')):
                self.buffer = line.split()[3].rstrip(':')
            elif line.startswith('# lbr as a call stack:'):
                self.calls = True
            elif line.startswith('# lbr stack ') and (match := STACK.match(line)):
                self.lbr.append(Stack(match[1] and int(match[1]), int(match[2]), [], self.calls, self.where()))
                self.next['lbr'] = 0

    def where(self) -> str:
        return f'line {self.number} ({self.test})'

    def complain(self, what: str) -> None:
        self.wrong.append(f'{self.where()}{what}')

    def add(self, kind: str, number: str, rest: str, line: str) -> None:
        number = int(number)
        if not (kind == 'pebs' and self.record and self.record[1] == number):
            if number not in (0, self.next.get(kind, 0)):
                self.complain(f': {kind} record {number} after {self.next.get(kind, 0) - 1}')
            self.next[kind] = number + 1
        if kind == 'bts' and (match := BTS.match(rest)):
            self.bts.append(Bts(number, int(match[1], 16), int(match[2], 16), match[3], self.buffer, f'{self.where()}: bts {number}'))
        elif kind == 'pebs':
            self.add_fields(number, rest, line)
        elif kind == 'lbr' and (branch := printed_branch(rest.split(' ', 1)[0])):
            if self.lbr:
                self.lbr[-1].entries.append(branch)
            else:
                self.complain(': lbr entry without an "lbr stack" line')
        else:
            self.complain(f' is not understood: {line}')

    def add_fields(self, number: int, rest: str, line: str) -> None:
        if not self.record or self.record[1] != number or rest.startswith(('ip ', 'eip ', 'eventing_ip ')):
            self.record = {}, number
            self.pebs.append((self.record[0], f'{self.where()}: pebs {number}'))
        fields, of = self.record[0], FIELD.findall(re.sub(r'\|.*\|', '|', rest))    # perf's words: "Local RAM region 0"
        if rest.startswith('lbr '):
            _, entry, branch = rest.split(' ')[:3]
            of = [(f'lbr{entry}', branch)]
        for key, word in of:
            if key in fields:
                self.complain(f': pebs {number}: {key} twice')
            fields[key] = printed_branch(word) if '/' in word else int(word, 0)
            if fields[key] is None:
                self.complain(f' is not understood: {line}')


def compare_pebs(printed: list[tuple[dict, str]], truth: list[dict]) -> Iterator[str]:
    for (got, where), want in zip(printed, truth):
        if got != want:
            for key in sorted(got | want):
                if got.get(key) != want.get(key):
                    yield f'{where}: {key} {shown(got.get(key, "not printed"))}, the truth is {shown(want.get(key, "none"))}'


def compare_bts(printed: list[Bts], truth: list[tuple]) -> Iterator[str]:
    for got, (_, start, to, flags, _) in zip(printed, truth):
        if got.from_ != start:
            yield f'{got.where}: from {got.from_:#x}, the truth is {start:#x}'
        if got.to != to:
            yield f'{got.where}: to {got.to:#x}, the truth is {to:#x}'
        # If the kernel prints whether a branch was predicted, the truth has that in bit 4 of the flags.
        if got.predicted and (flags < 0 or (got.predicted == 'predicted') != flags >> 4 & 1):
            yield f'{got.where}: {got.predicted}, the truth has flags {hex(flags) if flags >= 0 else "none"}'


def overwritten(batch: list[Bts], truth: list[tuple]) -> int:
    """How many records a circular buffer overwrote before those in `batch`. A record may be missing only if the one len(batch)
    later overwrote it without an interrupt in between, so that the kernel could not read it, or if the buffer was undrained, with
    interrupts off. Takes the last position that fits, because a loop fits at many and the buffer has the newest."""
    size, fits = len(batch), 0
    pairs, wanted = [record[1:3] for record in truth], [record[1:3] for record in batch]
    for skip in range(len(truth) - size + 1):
        if pairs[skip] == wanted[0] and pairs[skip:skip + size] == wanted:
            fits = skip
        if skip + size == len(truth):
            break
        lost, instead = truth[skip], truth[skip + size]
        if lost[0] != instead[0] or batch[0].buffer != 'undrained' and lost[4] != instead[4]:
            break
    return fits


def without_overwritten(printed: list[Bts], truth: list[tuple]) -> list[tuple]:
    """The truth without records that were overwritten in circular or undrained buffers."""
    starts = [i for i, record in enumerate(printed) if i == 0 or record.n == 0] + [len(printed)]
    kept, at = [], 0
    for start, end in zip(starts, starts[1:]):
        if printed[start].buffer:
            at += overwritten(printed[start:end], truth[at:])
        kept += truth[at:at + end - start]
        at += end - start
    return kept + truth[at:]


def first_difference(stack: Stack, lbr: list[tuple], end: int) -> tuple[int, str | None]:
    """How many entries of a stack equal the truth that ends at this index, and the first difference, None if all are equal."""
    at = end + 1
    for i, entry in enumerate(stack.entries):
        at -= 1
        # A call stack skips calls that have returned: the entry is the last branch written to its register, or, if entries shift, the
        # last that equals it.
        while stack.calls and at >= 0 and (lbr[at][1][:2] != entry[:2] if stack.tos is None else lbr[at][0] != (stack.tos - i) % stack.depth):
            at -= 1
        if at < 0:
            return i, f'entry {i}: the truth has no entry so old'
        if entry != lbr[at][1]:
            return i, next(f'entry {i}: {key} {shown(got)}, the truth is {shown(want)}'
                           for key, got, want in zip(BRANCH, entry, lbr[at][1]) if got != want)
    return len(stack.entries), None


def compare_stacks(stacks: list[Stack], lbr: list[tuple]) -> list[str]:
    """A stack must be a run of branches that the model logged, without a gap. Its end must be at TOS, if there is one, and not
    before the end of the previous stack. Takes the earliest match: in loops, where runs repeat, this leaves most of the log for
    later stacks. A stack without a match costs a search of the whole truth."""
    ends, wrong, start = collections.defaultdict(list), [], 0
    for end, (tos, _) in enumerate(lbr):
        ends[tos].append(end)
    for stack in stacks:
        if len(wrong) == STACKS_SEARCHED:
            return wrong + [f'{stack.where}: lbr stack: not compared, nor are those behind it']
        best, why = -1, f'the truth has no entry left that was written {"without a TOS" if stack.tos is None else f"at TOS {stack.tos}"}'
        for end in ends[stack.tos][bisect.bisect_left(ends[stack.tos], start):]:
            if best >= 0 and not stack.calls and lbr[end][1] != stack.entries[0]:
                continue    # no better
            equal, difference = first_difference(stack, lbr, end)
            if difference is None:
                start = end
                break
            if equal > best:
                best, why = equal, difference
        else:
            wrong.append(f'{stack.where}: lbr stack: {why}')
    return wrong


def compare(lines: list[str], truth_lines: list[str]) -> tuple[str, list[str]]:
    """A sentence on what was compared, and the problems."""
    truth, printed = Truth(truth_lines), Printed(lines)
    kept = without_overwritten(printed.bts, truth.bts)
    counts = [(len(printed.bts), 'bts', len(kept)), (len(printed.pebs), 'pebs', len(truth.pebs))]
    wrong = [*truth.wrong, *printed.wrong,
             *(f'{got} {kind} records printed, the truth has {want}' for got, kind, want in counts if got != want),
             *compare_bts(printed.bts, kept), *compare_pebs(printed.pebs, truth.pebs), *compare_stacks(printed.lbr, truth.lbr)]
    if not printed.bts and not printed.pebs and not printed.lbr:
        wrong.append('no record was printed')
    return (f'compared {len(printed.bts)} bts and {len(printed.pebs)} pebs records and {len(printed.lbr)} lbr stacks with the truth', wrong)
