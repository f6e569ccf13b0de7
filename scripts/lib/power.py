# SPDX-License-Identifier: MIT
"""The power of the kernel's tests: which single corruptions (model/faults/flip.h) a test notices. A plan of a boot has one corruption
for each test; the model's log says which of them reached the test."""
import collections
import random
import re
import subprocess

import table

RECORDS = 'bts', 'pebs'
BTS_FIELDS = 'from', 'to', 'flags'

# A delivery in a test: what it is (the bytes of a record, the address of a register), its number among those of its kind, and where it
# is among its likes.
Delivery = collections.namedtuple('Delivery', 'kind what number place')
# A corruption: the test, the delivery, what is done to it, and the bit, which field and half describe for people.
Corruption = collections.namedtuple('Corruption', 'test kind what number place action bit field half')


def borders(width):
    """Where a test begins and ends in the kernel's code: the time limit is set behind all preparations, and taken off before the
    result."""
    lines = subprocess.run(['nm', table.ROOT / f'build/dstest86-{width}.elf'], check=True, capture_output=True, text=True).stdout
    at = {name: address for address, _, name in map(str.split, lines.splitlines())}
    return f"{at['watchdog_start']} {at['watchdog_stop']}\n"


def tests_of(lines):
    """The tests of a log that were called, in order. A test that cannot run has its result at once, without its title."""
    called = []
    for line, following in zip(lines, lines[1:]):
        if line.startswith('# test ') and not re.match(r'(not )?ok ', following):
            called.append(line.split()[2])
    return called


def deliveries_of(log, tests):
    """What was delivered in each test: the first, the last and another of each kind and size or register."""
    of = collections.defaultdict(lambda: collections.defaultdict(list))
    number = collections.Counter()
    for line in log:
        window, kind, what = line.split()[:3]
        test = tests[int(window)]
        of[test][kind, what].append(number[test, kind])
        number[test, kind] += 1
    found = {}
    for test, groups in of.items():
        found[test] = []
        for (kind, what), numbers in groups.items():
            found[test] += [Delivery(kind, int(what, 16), numbers[0], 'first')]
            if len(numbers) > 1:
                found[test] += [Delivery(kind, int(what, 16), numbers[-1], 'last')]
            if len(numbers) > 2:
                found[test] += [Delivery(kind, int(what, 16), numbers[len(numbers) // 2], 'another')]
    return found


def unit_of(kind, size):
    """The bytes of a record's field. Records of the 32-bit layout have 4."""
    return 4 if (kind, size) in (('bts', 12), ('pebs', 40)) else 8


def choose(rng, test, delivered):
    """One corruption of a test: each kind, place, action, field and half of a field is as likely as its likes."""
    kind = rng.choice(sorted({each.kind for each in delivered}))
    group = rng.choice(sorted({each.what for each in delivered if each.kind == kind}) if kind not in ('events', 'bts-index', 'pebs-index') else [None])
    likes = [each for each in delivered if each.kind == kind and group in (None, each.what)]
    place = rng.choice(sorted({each.place for each in likes}))
    of = rng.choice([each for each in likes if each.place == place])
    action = rng.choice({'bts': ['flip'] * 6 + ['lost', 'twice', 'swap', 'behind'], 'pebs': ['flip'] * 6 + ['lost', 'twice', 'behind'],
                         'pmi': ['lost', 'twice'], 'events': ['lost', 'twice'], 'write': ['flip'] * 3 + ['lost']}.get(kind, ['flip']))
    if action != 'flip':
        return Corruption(test, kind, of.what, of.number, of.place, action, 0, '', '')
    size = unit_of(kind, of.what)
    field = rng.randrange(of.what // size) if kind in RECORDS else 0
    half = rng.choice(['low', 'high'])
    bit = rng.randrange(4 * size) + (4 * size if half == 'high' else 0)
    name = BTS_FIELDS[field] if kind == 'bts' else f'+{field * size:#x}' if kind == 'pebs' else ''
    return Corruption(test, kind, of.what, of.number, of.place, action, 8 * size * field + bit, name, half)


def plan_of(width, corruptions, tests):
    """The file of a boot's corruptions, one for each test."""
    windows = {test: window for window, test in enumerate(tests)}
    return borders(width) + ''.join(f'{windows[c.test]} {c.kind} {c.number} {c.action} {c.bit}\n' for c in corruptions)


def reached(log, corruptions, tests):
    """The corruptions that reached their tests: not those that left everything the same, or that were overwritten."""
    changed, undone = set(), set()
    for line in log:
        words = line.split()
        if words[-1] == 'changed':
            changed.add(tests[int(words[0])])
        elif words[-1] in ('same', 'overwritten'):
            undone.add(tests[int(words[0])])
    return [c for c in corruptions if c.test in changed - undone]


def outcomes(lines):
    """What became of each test: noticed, differs, unnoticed, or by accident."""
    found, differs = {}, False
    for line in lines:
        if line.startswith('# differs: '):
            differs = True
        elif match := re.match(r'(not )?ok \d+ ([a-z0-9._]+)(?: # (\w*).*)?$', line):
            bad, test, word = match.groups()
            found[test] = ('by accident' if word in ('ERROR', 'TIMEOUT') else 'noticed') if bad else 'differs' if differs else 'unnoticed'
            differs = False
    return found


def describe(c):
    """A corruption in words: TEST KIND WHAT FIELD ACTION BIT PLACE."""
    what = f'{c.what:#x}' if c.kind in ('read', 'write', 'rdpmc') else f'{c.what} bytes' if c.kind in RECORDS else ''
    bit = f'{c.field} bit {c.bit % (8 * unit_of(c.kind, c.what)) if c.kind in RECORDS else c.bit}' if c.action == 'flip' else ''
    return ' '.join(f'{c.test} {c.kind} {what} {bit} {c.action} {c.place}'.split())


def report(done):
    """Prints what was unnoticed or noticed by accident, then a line for each facility."""
    for machine, c, outcome in sorted(done, key=lambda each: each[:2]):
        if outcome in ('unnoticed', 'by accident'):
            print(f'{outcome}: {describe(c)} on {machine}')
    for facility in sorted({c.test.split('.')[0] for _, c, _ in done} - {'selftest'}):    # the kernel's tests of itself
        count = collections.Counter(outcome for _, c, outcome in done if c.test.split('.')[0] == facility)
        of = count['noticed'] + count['unnoticed']
        print(f'power {facility} {100 * count["noticed"] / max(of, 1):.1f} % of {of}')
        print(f'# {facility}: {count["differs"]} differ, {count["by accident"]} by accident')
