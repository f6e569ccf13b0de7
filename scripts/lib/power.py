# SPDX-License-Identifier: MIT
"""The power of the kernel's tests: which single corruptions (model/faults/flip.h) a test notices. A plan of a boot has one corruption
for each test; the model's log says which of them reached the test."""
import collections
import random
import re
import subprocess

import judge
import table

RECORDS = 'bts', 'pebs'
KINDS = *RECORDS, 'bts-index', 'pebs-index', 'read', 'write', 'rdpmc', 'pmi', 'events'
BTS_FIELDS = 'from', 'to', 'flags'
MOST_ACCEPTED = 40
OUTCOMES = {'fail': 'noticed', 'differs': 'differs', 'error': 'by accident'}

# A delivery in a test: what it is (the bytes of a record, the address of a register), its number among those of its kind, and where it
# is among its likes.
Delivery = collections.namedtuple('Delivery', 'kind what number place')
# A corruption: the test, the delivery, what is done to it, and the bit, which field describes for people.
Corruption = collections.namedtuple('Corruption', 'test kind what number place action bit field')


def borders(width: str) -> str:
    """Where a test begins and ends in the kernel's code: the time limit is set behind all preparations, and taken off before the
    result."""
    lines = subprocess.run(['nm', table.ROOT / f'build/dstest86-{width}.elf'], check=True, capture_output=True, text=True).stdout
    at = {name: address for address, _, name in map(str.split, lines.splitlines())}
    return f"{at['watchdog_start']} {at['watchdog_stop']}\n"


def tests_of(lines: list[str]) -> list[str]:
    """The tests of a log that were called, in order. A test that cannot run has its result at once, without its title."""
    called = []
    for line, following in zip(lines, lines[1:]):
        if line.startswith('# test ') and not re.match(r'(not )?ok ', following):
            called.append(line.split()[2])
    return called


def deliveries_of(log: list[str], tests: list[str]) -> dict[str, list[Delivery]]:
    """What was delivered in each test: the first, the last and another of each kind and size or register."""
    of = collections.defaultdict(lambda: collections.defaultdict(list))
    number = collections.Counter()
    for line in log:
        window, kind, what = line.split()[:3]
        test = tests[int(window)]
        # A test that changes IA32_MISC_ENABLE writes back what it has read: bit 22 would hide CPUID leaves from all later tests.
        if what != '1a0':
            of[test][kind, what].append(number[test, kind])
        number[test, kind] += 1
    found = {}
    for test, groups in of.items():
        found[test] = []
        for (kind, what), numbers in groups.items():
            places = [('first', numbers[0]), ('last', numbers[-1]), ('another', numbers[len(numbers) // 2])]
            found[test] += [Delivery(kind, int(what, 16), at, place) for place, at in places[:len(numbers)]]
    return found


def unit_of(kind: str, size: int) -> int:
    """The bytes of a record's field. Records of the 32-bit layout have 4."""
    return 4 if (kind, size) in (('bts', 12), ('pebs', 40)) else 8


def choose(rng: random.Random, test: str, delivered: list[Delivery]) -> Corruption:
    """One corruption of a test: each kind, place, action, field and half of a field is as likely as its likes."""
    kind = rng.choice(sorted({each.kind for each in delivered}))
    group = rng.choice(sorted({each.what for each in delivered if each.kind == kind}) if kind not in ('events', 'bts-index', 'pebs-index') else [None])
    likes = [each for each in delivered if each.kind == kind and group in (None, each.what)]
    place = rng.choice(sorted({each.place for each in likes}))
    of = rng.choice([each for each in likes if each.place == place])
    action = rng.choice({'bts': ['flip'] * 6 + ['lost', 'twice', 'swap', 'behind'], 'pebs': ['flip'] * 6 + ['lost', 'twice', 'behind', 'back'],
                         'pmi': ['lost', 'twice'], 'events': ['lost', 'twice'], 'write': ['flip'] * 3 + ['lost']}.get(kind, ['flip']))
    if action != 'flip':
        return Corruption(test, kind, of.what, of.number, of.place, action, 0, '')
    size = unit_of(kind, of.what)
    field = rng.randrange(of.what // size) if kind in RECORDS else 0
    bit = rng.choice([0, 4 * size]) + rng.randrange(4 * size)
    name = BTS_FIELDS[field] if kind == 'bts' else f'+{field * size:#x}' if kind == 'pebs' else ''
    return Corruption(test, kind, of.what, of.number, of.place, action, 8 * size * field + bit, name)


def plan_of(width: str, corruptions: list[Corruption], tests: list[str]) -> str:
    """The file of a boot's corruptions, one for each test."""
    windows = {test: window for window, test in enumerate(tests)}
    return borders(width) + ''.join(f'{windows[c.test]} {c.kind} {c.number} {c.action} {c.bit}\n' for c in corruptions)


def reached(log: list[str], corruptions: list[Corruption], tests: list[str]) -> list[Corruption]:
    """The corruptions that reached their tests: not those that left everything the same, or that were overwritten."""
    def ended(*states):
        return {tests[int(line.split()[0])] for line in log if line.split()[-1] in states}
    changed = ended('changed') - ended('same', 'overwritten')
    return [c for c in corruptions if c.test in changed]


def outcomes(lines: list[str]) -> dict[str, str]:
    """What became of each test: noticed, differs, unnoticed, or by accident."""
    return {test: OUTCOMES.get(result, 'unnoticed') for test, result in judge.results_in(lines)[0].items()}


def describe(c: Corruption) -> str:
    """A corruption in words: TEST KIND WHAT FIELD ACTION BIT PLACE."""
    what = f'{c.what:#x}' if c.kind in ('read', 'write', 'rdpmc') else f'{c.what} bytes' if c.kind in RECORDS else ''
    bit = f'{c.field} bit {c.bit % (8 * unit_of(c.kind, c.what)) if c.kind in RECORDS else c.bit}' if c.action == 'flip' else ''
    return ' '.join(f'{c.test} {c.kind} {what} {bit} {c.action} {c.place}'.split())


def read_accepted() -> dict[str, re.Pattern]:
    """The patterns of tests/qemu/unnoticed, with their line: a corruption's description must match one as a whole."""
    accepted = {}
    for line in table.lines_of(table.ROOT / 'tests/qemu/unnoticed'):
        if not line.value or len(line.words) < 3 or line.words[1] not in KINDS or not re.match(r'[(]?[a-z]', line.words[0]):
            line.refuse('expected TEST KIND PATTERN.. : REASON')
        accepted[' '.join(line.words)] = re.compile(' '.join(line.words))
    if len(accepted) > MOST_ACCEPTED:
        raise table.TableError(f'tests/qemu/unnoticed: {len(accepted)} patterns, at most {MOST_ACCEPTED} are allowed')
    return accepted


def judged(done: list[tuple[str, Corruption, str]], whole: bool) -> int:
    """Prints what was unnoticed or noticed by accident, as TAP: each unnoticed corruption, except in selftest, must be
    accepted by a pattern, and in a whole run each pattern must accept one. Returns how many results failed."""
    accepted, used, wrong = read_accepted(), set(), []
    for machine, c, outcome in sorted(done, key=lambda each: each[:2]):
        by = [pattern for pattern, match in accepted.items() if outcome == 'unnoticed' and match.fullmatch(describe(c))]
        used.update(by)
        if outcome == 'unnoticed' and not by and not c.test.startswith('selftest.'):
            wrong.append(f'{describe(c)} on {machine}: no test notices it, and no line of tests/qemu/unnoticed accepts it')
        elif outcome in ('unnoticed', 'by accident'):
            print(f'# {"accepted" if by else outcome}: {describe(c)} on {machine}')
    wrong += [f'{pattern}: this line of tests/qemu/unnoticed accepts nothing' for pattern in accepted if whole and pattern not in used]
    for number, line in enumerate(wrong, 1):
        print(f'not ok {number} - {line}')
    print('1..' + str(len(wrong)) if wrong else 'ok 1 - every unnoticed corruption is accepted\n1..1')
    return len(wrong)


def report(done: list[tuple[str, Corruption, str]]) -> None:
    """Prints a line for each facility."""
    counts = collections.defaultdict(collections.Counter)
    for _, c, outcome in done:
        counts[c.test.split('.')[0]][outcome] += 1
    for facility, count in sorted(counts.items()):
        of = count['noticed'] + count['unnoticed']
        if facility != 'selftest':    # the kernel's tests of itself
            print(f'# {facility}: {count["differs"]} differ, {count["by accident"]} by accident')
            print(f'power {facility} {100 * count["noticed"] / max(of, 1):.1f} % of {of}')
