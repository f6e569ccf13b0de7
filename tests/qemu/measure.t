#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""On the model, measurements of skid, cost and events (docs/output.md, "Measurements") have known answers: each bar of each
histogram, the number of samples of each method, the effect of each fault. Prints the tables."""
import collections
import pathlib
import re

import machine
import tap
from machine import measured

# The instructions of suite/workload/steps.asm by kind: 32 groups of three loads and three others; 12 groups of 17; a jump
# and 16 blocks of eleven; 12 groups of five. Each is followed by 200 other instructions.
COUNT = {
    'loads': {'instruction': 392, 'load': 96, 'warm': 64, 'cold': 32},
    'straight': {'instruction': 404, 'load': 24, 'store': 24, **dict.fromkeys(
        'locked split_load split_store x87 mmx packed_sp packed_dp scalar_sp scalar_dp integer'.split(), 12)},
    'branchy': {'instruction': 377, 'load': 16, 'store': 16, 'branch': 65, 'conditional': 24, 'taken': 49, 'call': 16, 'return': 16},
    'far': {'instruction': 260, 'far': 12},
}

# The instructions that an event counts; NetBurst tags no locked access and no return.
KINDS = {event: kinds.split() for kinds, events in {
    'instruction': 'INST_RETIRED.PREC_DIST INST_RETIRED.ANY_P',
    'x87': 'INST_RETIRED.X87 X87_OPS_RETIRED.ANY X87_FP_retired',
    'mmx': 'INST_RETIRED.MMX 64_bit_MMX_retired',
    'packed_sp': 'packed_SP_retired SSEX_UOPS_RETIRED.PACKED_SINGLE',
    'packed_dp': 'packed_DP_retired SSEX_UOPS_RETIRED.PACKED_DOUBLE',
    'scalar_sp': 'scalar_SP_retired SSEX_UOPS_RETIRED.SCALAR_SINGLE',
    'scalar_dp': 'scalar_DP_retired SSEX_UOPS_RETIRED.SCALAR_DOUBLE',
    'integer': '128_bit_MMX_retired SSEX_UOPS_RETIRED.VECTOR_INTEGER',
    'packed_sp packed_dp scalar_sp scalar_dp integer': 'SIMD_INST_RETIRED.ANY',
    'load locked return': 'MEM_INST_RETIRED.ALL_LOADS MEM_INST_RETIRED.LOADS',
    'load': 'memory_loads',
    'store locked call': 'MEM_INST_RETIRED.ALL_STORES MEM_INST_RETIRED.STORES',
    'store call': 'memory_stores',
    'locked': 'MEM_INST_RETIRED.LOCK_LOADS',
    'split_load': 'MEM_INST_RETIRED.SPLIT_LOADS split_load_retired',
    'split_store': 'MEM_INST_RETIRED.SPLIT_STORES split_store_retired',
    'warm': 'MEM_LOAD_RETIRED.L1_HIT MEM_LOAD_RETIRED.L1D_HIT',
    'conditional': 'BR_INST_RETIRED.CONDITIONAL BR_INST_RETIRED.COND',
    'taken': 'BR_INST_RETIRED.NEAR_TAKEN',
    'call': 'BR_INST_RETIRED.NEAR_CALL',
    'return': 'BR_INST_RETIRED.NEAR_RETURN',
    'far': 'BR_INST_RETIRED.FAR_BRANCH',
    'cold': 'MEM_LOAD_RETIRED.L1_MISS MEM_LOAD_RETIRED.L2_HIT MEM_LOAD_RETIRED.L1D_MISS '
            'MEM_LOAD_RETIRED.L1D_LINE_MISS 1stL_cache_load_miss_retired',
    'branch far': 'BR_INST_RETIRED.ALL_BRANCHES BR_INST_RETIRED.ALL_BRANCHES_PEBS',
}.items() for event in events.split()}

# Distances between events: the skid of NetBurst's interrupt, which is raised at the event after the overflow.
NETBURST_INTERRUPT = {
    ('memory_loads', 'loads'): {2: 22, 5: 10},
    ('1stL_cache_load_miss_retired', 'loads'): {7: 31},
    ('memory_loads', 'straight'): {6: 12, 13: 11},
    ('memory_stores', 'straight'): {6: 12, 13: 11},
    **dict.fromkeys(((event, 'straight') for event in (
        'packed_SP_retired', 'packed_DP_retired', 'scalar_SP_retired', 'scalar_DP_retired', '128_bit_MMX_retired', '64_bit_MMX_retired',
        'X87_FP_retired', 'split_load_retired', 'split_store_retired')), {18: 11}),
    ('memory_loads', 'branchy'): {12: 15},
    ('memory_stores', 'branchy'): {2: 16, 11: 15},
}

# PROFILE, WIDTH, records that a round may leave in its PEBS buffer, whether it has EventingIP, events of the list.
Measured = collections.namedtuple('Measured', 'profile width room eventing_ip events')
MACHINES = [
    Measured('skylake', 64, 317, True, '''
        INST_RETIRED.PREC_DIST BR_INST_RETIRED.CONDITIONAL BR_INST_RETIRED.NEAR_CALL BR_INST_RETIRED.ALL_BRANCHES_PEBS
        BR_INST_RETIRED.NEAR_RETURN BR_INST_RETIRED.NEAR_TAKEN BR_INST_RETIRED.FAR_BRANCH MEM_INST_RETIRED.LOCK_LOADS
        MEM_INST_RETIRED.SPLIT_LOADS MEM_INST_RETIRED.SPLIT_STORES MEM_INST_RETIRED.ALL_LOADS
        MEM_INST_RETIRED.ALL_STORES MEM_LOAD_RETIRED.L1_HIT MEM_LOAD_RETIRED.L2_HIT MEM_LOAD_RETIRED.L1_MISS'''.split()),
    Measured('icelake', 64, 317, True, '''
        INST_RETIRED.ANY_P BR_INST_RETIRED.ALL_BRANCHES BR_INST_RETIRED.COND BR_INST_RETIRED.NEAR_CALL
        BR_INST_RETIRED.NEAR_RETURN BR_INST_RETIRED.NEAR_TAKEN BR_INST_RETIRED.FAR_BRANCH MEM_INST_RETIRED.LOCK_LOADS
        MEM_INST_RETIRED.SPLIT_LOADS MEM_INST_RETIRED.SPLIT_STORES MEM_INST_RETIRED.ALL_LOADS
        MEM_INST_RETIRED.ALL_STORES MEM_LOAD_RETIRED.L1_HIT MEM_LOAD_RETIRED.L2_HIT MEM_LOAD_RETIRED.L1_MISS'''.split()),
    Measured('core2', 32, 25, False, '''
        INST_RETIRED.ANY_P X87_OPS_RETIRED.ANY SIMD_INST_RETIRED.ANY MEM_LOAD_RETIRED.L1D_MISS
        MEM_LOAD_RETIRED.L1D_LINE_MISS'''.split()),
    Measured('netburst', 32, 317, False, '''
        memory_loads memory_stores packed_SP_retired packed_DP_retired scalar_SP_retired scalar_DP_retired
        128_bit_MMX_retired 64_bit_MMX_retired X87_FP_retired 1stL_cache_load_miss_retired split_load_retired
        split_store_retired'''.split()),
    Measured('nehalem', 64, 317, False, '''
        INST_RETIRED.ANY_P INST_RETIRED.X87 INST_RETIRED.MMX MEM_INST_RETIRED.LOADS MEM_INST_RETIRED.STORES
        BR_INST_RETIRED.CONDITIONAL BR_INST_RETIRED.NEAR_CALL BR_INST_RETIRED.ALL_BRANCHES
        SSEX_UOPS_RETIRED.PACKED_SINGLE SSEX_UOPS_RETIRED.SCALAR_SINGLE SSEX_UOPS_RETIRED.PACKED_DOUBLE
        SSEX_UOPS_RETIRED.SCALAR_DOUBLE SSEX_UOPS_RETIRED.VECTOR_INTEGER MEM_LOAD_RETIRED.L1D_HIT
        MEM_LOAD_RETIRED.L2_HIT'''.split()),
]
SKYLAKE = MACHINES[0]
MOST_INTERRUPTS, ROUNDS_OF_PEBS = 32, 5


def boot(on, options, *more):
    """The lines of the log, and the referee's violations and advice."""
    _, log, _ = machine.boot('-p', on.profile, '-w', str(on.width), '-o', options, '-d', tap.folder, *more)
    return machine.lines_in(log), pathlib.Path(tap.folder, 'violations').read_text().splitlines()


def passed(lines):
    return any(line.startswith('# end dstest86 verdict=pass ') for line in lines)


def bars_of(lines):
    """The bars in a log, (EVENT, WORKLOAD, PLACE, DISTANCE) => COUNT."""
    return {tuple(bar[key] for key in ('event', 'workload', 'place', 'distance')): bar['count'] for bar in measured(lines, 'skid')}


def bars_for(on):
    """The expected bars."""
    bars = {}
    for event in on.events:
        for workload, count in COUNT.items():
            n = sum(count.get(kind, 0) for kind in KINDS[event])
            if n < 8:
                continue
            spacing = n // on.room + (1 if 'PREC_DIST' in event else 2)
            samples = sum(n // (spacing + more) for more in range(ROUNDS_OF_PEBS))
            late = on.profile == 'netburst' and NETBURST_INTERRUPT.get((event, workload))
            for distance, interrupts in (late or {1: min(n, MOST_INTERRUPTS)}).items():
                bars[event, workload, 'interrupt', distance] = interrupts
            bars[event, workload, 'ip', 1] = samples
            if on.eventing_ip:
                bars[event, workload, 'eventing_ip', 0] = samples
    return bars


def samples_for(on):
    """The samples of each listed event in four rounds of the workload with most of its instructions. Of all instructions, the last sample
    is one of the window around the workload."""
    samples = {}
    for event in on.events:
        n = max(sum(count.get(kind, 0) for kind in KINDS[event]) for count in COUNT.values())
        period = 4 * (n + 8) // on.room + 1 | 1
        samples[event] = 4 * n // (period if 'PREC_DIST' in event else period + 1) - (event == 'INST_RETIRED.ANY_P')
    return samples


def check_cost(name, lines):
    cost, service = (list(measured(lines, word)) for word in ('cost', 'service'))
    by = collections.defaultdict(list)
    for point in cost:
        by[point['method']].append(point)

    def each(point):
        return (point['cycles'] - point['plain']) / point['samples']
    curve = by['pebs']
    costs = [each(point) for point in curve]
    tap.same([line for line in lines if re.match(r'# (?=(?:method|interrupt|pebs|bts|lbr\w*)  ).{79}', line)], [],
             f'{name}: the tables fit a page of 80 columns')
    tap.same([point for point in cost if point['samples'] == 0 or point['cycles'] < point['plain']], [],
             f'{name}: each point has samples and costs')
    tap.same([point for point in cost if point['clock'] == 'tsc'], [], f'{name}: under a hypervisor the clock is a counter, not the TSC')
    tap.same(len({point['samples'] for point in curve}), 1, f'{name}: PEBS has the same number of samples at each point')
    tap.ok(all(more < less for less, more in zip(costs, costs[1:])), f'{name}: more records per interrupt make a sample cheaper')
    tap.ok(costs[-1] < each(by['interrupt'][0]), f'{name}: a sample of a full buffer costs less than an interrupt per sample')
    tap.same(by['lbr'][0]['cycles'], by['lbr'][0]['plain'], f'{name}: LBR takes no modelled time')
    tap.ok(by['bts'][0]['cycles'] > by['bts'][-1]['cycles'], f'{name}: BTS is cheaper with a larger buffer')
    tap.ok(by['lbr_read'][0]['cycles'], f'{name}: reading the LBR stack takes time')
    most = {'pebs': 60, 'bts': 20}
    tap.same([of['kind'] for of in service], list(most), f'{name}: the service routine is measured')
    for of in service:
        tap.ok(of['instructions'] <= most[of['kind']] * of['records'],
               f'{name}: the service routine takes at most {most[of["kind"]]} instructions per {of["kind"]} record')


for on in MACHINES:
    name = f'{on.profile} {on.width}'
    lines, violations = boot(on, 'run=measure.skid.*,measure.cost.*,measure.events.* timeout=60')
    tap.ok(passed(lines), f'{name} passes', '\n'.join(lines))
    # The code is also measured with PEBS set up and its counter off.
    tap.same([line for line in violations if re.match('violation |advice ', line)
              and not re.search(' (?:event-not-counted:|counter-off: IA32_PERF_GLOBAL_CTRL for \w+ 0x200000000 )', line)], [], f'{name}: no violation')
    want = bars_for(on)
    tap.same(bars_of(lines), want, f'{name}: all {len(want)} bars of the histograms')
    drawn = sum(len(re.findall(r'\d+ #+', line)) for line in lines if re.match(r'# +-?\d+  ', line))
    tap.same(drawn, len(want), f'{name}: the tables show the same number of bars')
    check_cost(name, lines)
    events = list(measured(lines, 'events'))
    tap.same({event['event']: event['samples'] for event in events if event['event'] in on.events}, samples_for(on), f'{name}: all samples')
    tap.same([event for event in events if event['samples'] != event['of_kind']], [],
             f"{name}: all samples are at instructions of the event's kind")
    if on is SKYLAKE:
        tap.same([event['samples'] for event in events if event['event'] == 'MEM_LOAD_L3_HIT_RETIRED.XSNP_NONE'], [64],
                 f'{name}: a sample for half of the lines that only the third level caches')
        print(*(line for line in lines if re.match(r'# (?!area|facility|event \w.* not)', line)), sep='\n')

# On the modelled Skylake: 120 rounds of 999 taken branches. Each 31st branch interrupts; PEBS records each 32nd.
lines, _ = boot(SKYLAKE, 'run=measure.cost.sampling')
tap.same([(point['records_per_interrupt'], point['samples']) for point in measured(lines, 'cost')],
         [(1, 3867), *((records, 3746) for records in (1, 2, 4, 8, 16, 32, 64, 128, 256, 317))], 'the points of the curve')

# Each fault changes a histogram. Faults that the kernel detects also make a test fail; whether pmi.late does is open.
want = {bar: count for bar, count in bars_for(SKYLAKE).items() if bar[1] == 'loads'}
for fault, what in (('pebs.record.eventing_ip_next', 'EventingIP at the next instruction'),
                    ('pebs.record.ip_of_event', 'IP at the instruction of the event'),
                    ('pebs.pdir.ignored', 'a distribution that is not precise'),
                    ('pebs.arming.skipped', 'the overflowing event recorded'),
                    ('pmi.late', 'an interrupt that comes late'),
                    ('perfmon.overflow.no_interrupt', 'no interrupt')):
    lines, _ = boot(SKYLAKE, 'run=measure.skid.loads timeout=60', '-f', fault)
    if fault != 'pmi.late':
        tap.ok(not passed(lines), f'{what}: the verdict')
    tap.ok(bars_of(lines) != want, f'{what}: another histogram')
tap.done()
