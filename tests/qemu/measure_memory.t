#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""On the model, run=measure.memory.* and run=measure.sharing.* have known answers. The sizes of the modelled caches determine the
level that serves a ring, and the level its latency (build/profiles prints both). The turns in which processors write determine
which loads find a line modified elsewhere. The truth log must have the same number of them."""
import pathlib
import re

import machine
import tap
import judge
import table
from machine import measured

FOLDER = pathlib.Path(tap.folder)


def boot(*options):
    """The log's lines. The model writes to FOLDER, and the log is there."""
    _, log, _ = machine.boot('-d', FOLDER, *map(str, options))
    (FOLDER / 'serial').write_text(log, encoding='latin-1', newline='')
    return machine.lines_in(log)


def ends(name, wanted, lines):
    """Checks that the log is complete, has this verdict, and that the referee reported no violation."""
    _, verdict = judge.results_in(lines)
    wrong = judge.judged(FOLDER / 'serial')[1] + ([f'verdict {verdict}, not {wanted}'] if verdict != wanted else [])
    wrong += re.findall('(?m)^violation .*', (FOLDER / 'violations').read_text())
    tap.ok(not wrong, f'{name} ends with {wanted}',
           '\n'.join(wrong + [line for line in lines if re.match('# wrong|not ok', line)]))


# --- memory ---------------------------------------------------------------------------------------------------------

KIB = 1024
LEVELS = 'L1 or L1 hit', 'L2 or L2 hit', 'L3 or L3 hit', 'Local RAM or RAM hit'

# For each profile with three levels: their sizes in KiB, their cycles, and the cycles of memory, from the model's tables. No ring
# should be as large as a level: the kernel's own lines then move part of it to the next level.
caches = {}
for line in machine.run(machine.BUILD / 'profiles')[1].splitlines():
    if match := re.match(r'\| `([\w-]+)`(?:, P)? \| (.*?) \| (.*?) \| (.*?) \| .*? \| ([\d, ]+) \| .*\|$', line):
        profile, *cells, cycles = match.groups()
        sizes = [float(size[1]) * (KIB if size[2] == 'M' else 1) for cell in cells if (size := re.match(r'([\d.]+) ([KM])iB', cell))]
        if len(sizes) == 3:
            caches[profile] = sizes, [int(word) for word in cycles.split(', ')[:4]]

# Commonly published values: KiB of the levels; minimum and maximum cycles of a load from the first, the second and, if
# published, the third. Not compared with the tables of Intel's Optimization Reference Manual (248966). The third level and
# memory depend on the clock and the size of the part.
USUAL = {
    'nehalem': ([32, 256, 8192], (4, 4), (10, 10), (35, 40)),
    'sandybridge': ([32, 256, 8192], (4, 4), (12, 12), (26, 31)),
    'haswell': ([32, 256, 8192], (4, 4), (11, 12)),
    'broadwell': ([32, 256, 4096], (4, 4), (11, 12)),
    'skylake': ([32, 256, 8192], (4, 4), (12, 12), (34, 44)),
    'icelake': ([48, 1280, 8192], (5, 5), (13, 14)),
    'goldencove': ([48, 2048, 8192], (5, 5), (14, 16)),
    'lunarlake': ([48, 2560, 12288], (4, 4), (15, 18)),
    'pantherlake': ([48, 3072, 12288], (4, 4), (15, 18)),
    'alderlake': ([48, 1280, 8192], (5, 5), (14, 16)),
    'clearwaterforest': ([32, 4096, 12288], (4, 4), (17, 20)),
    'sierraforest': ([32, 4096, 12288], (4, 4), (17, 20)),
}
WITH_THE_INSTRUCTIONS_CYCLE = 'goldencove', 'lunarlake', 'alderlake', 'clearwaterforest', 'sierraforest', 'pantherlake'

tap.same(USUAL.keys() - caches.keys(), set(), 'the model has three caches of each of these processors')
for profile, (sizes, *ranges) in USUAL.items():
    modelled, cycles = caches[profile]
    tap.same(modelled, sizes, f'{profile}: the cache sizes are the published ones')
    tap.ok(all(least <= of <= most for of, (least, most) in zip(cycles, ranges)),
           f'{profile}: the cycles of each level ({cycles}) are in the published range')
    tap.ok(cycles[2] > 2 * cycles[1] and cycles[3] > 2 * cycles[2],
           f'{profile}: the third level and memory are more than twice as slow as the level before')


def level_of(profile, size):
    """The level that serves a ring of this size, and its cycles."""
    sizes, cycles = caches[profile]
    level = sum(size > of * KIB for of in sizes)
    return LEVELS[level], cycles[level] + (profile in WITH_THE_INSTRUCTIONS_CYCLE)


# Every profile with load latency has such a row; the others skip these measurements.
for profile in table.profiles():
    if profile not in caches:
        lines = boot('-p', profile, '-w', 32, '-o', 'run=measure.memory.*,measure.sharing.*')
        skipped = [line for line in lines if re.search(r' measure\.(?:memory|sharing)\.\S+ # SKIP no (?:load latency|PEBS) \(', line)]
        tap.same(len(skipped), 12, f'{profile}: the model has no three caches, and the log says no load latency')

# One profile for each encoding of the source and latency, each width on some. The largest rings, of memory alone, only once.
RINGS = {'4k': 4, '16k': 16, '64k': 64, '256k': 256, '1m': 1024, '4m': 4096, '16m': 16384, '64m': 65536, '256m': 262144}
for profile, width in ('nehalem', 64), ('skylake', 32), ('goldencove', 32), ('sierraforest', 64), ('clearwaterforest', 64):
    rings = list(RINGS)[:None if profile == 'skylake' else 7]
    fitting = [RINGS[ring] * KIB for ring in rings]
    lines = boot('-p', profile, '-w', width, '-o', f'run={",".join(f"measure.memory.{ring}" for ring in rings)} records=0 timeout=60',
                 '--', '-m', 640 if profile == 'skylake' else 256)
    ends(f'memory on {profile}', 'pass', lines)
    tap.same([ring['size'] for ring in measured(lines, 'memory')], fitting, f'{profile}: all sizes')
    # Sierra Forest's load latency counters have precise distribution: the overflowing event itself is recorded.
    spacing = 128 if profile == 'sierraforest' else 129
    tap.same([ring['samples'] for ring in measured(lines, 'memory')], [(32768 + 5) // spacing] * len(fitting),
             f'{profile}: a sample for every {spacing}th of 32768 steps and five loads of parameters')
    mains = [max((row for row in measured(lines, 'level') if row['size'] == size), key=lambda row: row['samples']) for size in fitting]
    wanted = [level_of(profile, size) for size in fitting]
    tap.same([main['level'] if main['samples'] >= 220 else 'mixed' for main in mains], [level for level, _ in wanted], f'{profile}: levels')
    tap.same([[main[key] for key in ('p50', 'p90', 'p99', 'max')] for main in mains], [[cycles] * 4 for _, cycles in wanted],
             f'{profile}: percentiles')

lines = boot('-o', 'run=measure.memory.256m')
ends('a ring that does not fit', 'skip', lines)
tap.ok('ok 1 measure.memory.256m # SKIP no contiguous 262144 KiB of free memory below 4 GiB' in lines,
       'a ring that does not fit is skipped with the reason')
lines = boot('-o', 'run=measure.memory.4m records=0')
tap.same([(row['level'], row['samples']) for row in measured(lines, 'level')], [(LEVELS[2], 254)], 'one ring alone: its level')

for fault, test, fails in (('pebs.data.source_next', 'measure.memory.16k', True), ('pebs.data.address_line', 'measure.sharing.false', True),
                           ('pebs.data.source_next', 'measure.sharing.false', False),
                           ('pebs.data.store_address_zero', 'measure.sharing.padded', True)):
    lines = boot('-f', fault, '-s', 2, '-o', f'run={test} records=0')
    tap.same(f'not ok 1 {test}' in lines, fails, f'{test} on a processor with fault={fault}')

# --- sharing --------------------------------------------------------------------------------------------------------

SAMPLES = 59    # per processor: every 17th of 1024 loads, from the 25th on
LINES_EACH = 8


def is_own(layout, access):
    """Whether an access is at its word, by its processor's routine."""
    cpu, padded = access['cpu'], layout == 'padded'
    return (access['offset'] == (8 * cpu if layout == 'false' else 0)
            and access['symbol'] == f'sharing_{cpu}_{"store" if access["stores"] else "load"}'
            and (not padded or cpu == int(access['line'], 16) % 512 // 128)
            and access['hitm'] == (0 if padded else access['loads']))


def check_sharing(name, profile, count, lines):
    stores = 0 if profile == 'nehalem' else SAMPLES * count
    ends(f'sharing on {name}', 'pass', lines)
    for layout in 'false', 'padded', 'true':
        shared, accesses = ([line for line in measured(lines, kind) if line['layout'] == layout] for kind in ('sharing', 'sharing_access'))
        hitm = 0 if layout == 'padded' else SAMPLES * count
        tap.same([sum(line[key] for line in shared) for key in ('loads', 'hitm', 'stores')], [SAMPLES * count, hitm, stores],
                 f'{name}, {layout}: loads, hitm, stores')
        tap.same(len(shared), LINES_EACH * (count if layout == 'padded' else 1), f'{name}, {layout}: lines')
        tap.same([access for access in accesses if not is_own(layout, access)], [],
                 f"{name}, {layout}: each access at its word, by its processor's routine")
        tap.same({access['cpu'] for access in accesses}, set(range(count)), f'{name}, {layout}: all processors')
    # The records in the truth log of loads whose line was modified elsewhere; padded has none.
    code = '0x6' if profile == 'nehalem' else '0x7'
    tap.same(len(re.findall(f'(?m)^pebs .* data_source={code} latency=[1-9]', (FOLDER / 'truth').read_text())), 2 * SAMPLES * count,
             f'{name}: the truth has the same number of loads from lines modified elsewhere')


SHARING = 'run=measure.sharing.false,measure.sharing.padded,measure.sharing.true records=0 timeout=60'
for width, route, profile, count in ((64, 'pvh', 'skylake', 2), (32, 'pvh', 'icelake', 4), (64, 'pvh', 'nehalem', 2), (32, 'pvh', 'haswell', 2),
                                     (64, 'bios-cd', 'skylake', 2)):
    lines = boot('-r', route, '-p', profile, '-w', width, '-s', count, '-o', SHARING)
    check_sharing(f'{profile}, {count} processors, {width} bits, {route}', profile, count, lines)

for what, options, why in (
        ('one processor', ('-o', SHARING), 'one processor: no other to share with'),
        ('threads of one core', ('-o', SHARING, '--', '-smp', '2,threads=2', '-cpu', 'max,vendor=GenuineIntel'),
         'the other processors are threads of this core and use the same caches'),
        ('without ACPI', ('-s', 2, '-o', SHARING, '--', '-machine', 'acpi=off'), 'no ACPI: no valid root pointer (RSDP)')):
    lines = boot(*options)
    if what == 'one processor':
        ends('sharing on one processor', 'skip', lines)
    skipped = [line for line in lines if re.match(rf'ok \d measure\.sharing\.\S+ # SKIP {re.escape(why)}$', line)]
    tap.same(len(skipped), 3, f'{what}: skipped with the reason')
# The measurement leaves the machine as it was for the tests that follow.
for what, tests in (('a processor that was left in x2APIC mode', 'run=measure.sharing.x2apic'),
                    ('tests after the measurement', 'run=measure.sharing.true,pebs.*,bts.* records=0')):
    ends(what, 'pass', boot('-s', 2, '-o', tests))
tap.done()
