#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""How each processor describes the others in CPUID (leaves 1, 4, 0BH, 1FH, 1AH and 80000008H): by QEMU's -smp, on every profile.
The guest, tests/qemu/topology.asm, writes the leaves."""
import concurrent.futures
import pathlib
import struct
import subprocess

from machine import BUILD
import tap

# The guest's table: leaves and sub-leaves.
LEAVES = [(0, 0), (1, 0), (2, 0), (4, 0), (4, 1), (4, 2), (4, 3), (4, 4), (7, 0), (0xb, 0), (0xb, 1), (0xb, 2), (0x1a, 0), (0x1f, 0),
          (0x1f, 1), (0x1f, 2), (0x80000000, 0), (0x80000008, 0)]

# Sockets, cores of each, threads of each.
EVERY_PROFILE = [(1, 1, 1), (1, 2, 1), (1, 1, 2), (1, 4, 1), (1, 2, 2)]
SOME_PROFILES = [(1, 1, 4), (1, 3, 1), (1, 3, 2), (2, 1, 1), (2, 3, 2)]
SOME = ['netburst64', 'core2', 'skylake', 'goldencove', 'alderlake']

# What the processors are known for: the last level of caches, if leaf 4 lists them (else 3); a leaf 0BH without levels; the core
# type of a processor with one kind of cores, if leaf 1AH has one.
LAST_LEVEL = {'netburst64': 2, 'core-duo': 2, 'merom': 2, 'core2': 2, 'silvermont': 2, 'goldmont': 2, 'geminilake': 2}
NO_LEAF_B = ['core2']
ONE_TYPE = {'sierraforest': 0x20, 'clearwaterforest': 0x20, 'alderlake-n': 0x20, 'jasperlake': 0x20, 'graniterapids': 0x40, 'diamondrapids': 0x40}
TYPES = {'P': 0x40, 'E': 0x20, 'L': 0x20}


def lines_of(which):
    return [line.split() for line in subprocess.run([BUILD / 'qemu-ds', '--list', which], capture_output=True, text=True, check=True,
                                                    timeout=60).stdout.splitlines()]


KINDS = {}
for profile, letter, *_ in lines_of('cores'):
    KINDS.setdefault(profile, []).append(TYPES[letter])


def boot(profile, shape, *options, number=iter(range(1000000))):
    """CPUID of each processor, as dictionaries."""
    sockets, cores, threads = shape
    path = pathlib.Path(tap.folder, str(next(number)))
    size = 16 * len(LEAVES)
    done = subprocess.run(['timeout', '120', BUILD / 'qemu-ds', *options, '-machine', 'q35', '-m', '16', '-nodefaults', '-no-user-config',
                           '-no-reboot', '-display', 'none', '-device', 'isa-debug-exit,iobase=0xf4,iosize=4', '-debugcon',
                           f'file:{path}', '-smp', f'{sockets * cores * threads},sockets={sockets},cores={cores},threads={threads}',
                           '-drive', f'if=ide,format=raw,snapshot=on,file={BUILD}/topology.img'],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    data = path.read_bytes() if path.exists() else b''
    if done.returncode != 33:
        return f'status {done.returncode} after {len(data) / size:g} of {sockets * cores * threads} processors {done.stderr}'
    return [{leaf: struct.unpack_from('<4I', data, at + 16 * i) for i, leaf in enumerate(LEAVES)} for at in range(0, len(data), size)]


def bits(count):
    return (count - 1).bit_length()


def problems_of(profile, shape, cpuid):
    """What is wrong with one processor, and its APIC ID."""
    sockets, cores, threads = shape
    last, thread_bits, package_bits = cpuid[0, 0][0], bits(threads), bits(threads) + bits(cores)
    apic = cpuid[1, 0][1] >> 24
    core = (apic >> package_bits) * cores + (apic >> thread_bits & (1 << bits(cores)) - 1)
    wrong = []

    def same(what, got, wanted):
        if got != wanted:
            wrong.append(f'APIC ID {apic}: {what}: {got}, wanted {wanted}')

    several = cores * threads > 1
    same('HTT', cpuid[1, 0][3] >> 28 & 1, several)
    if several:
        same('bits of the processors in leaf 1', bits(cpuid[1, 0][1] >> 16 & 0xff), package_bits)
    if last >= 4:
        caches = [cpuid[4, i][0] for i in range(5) if cpuid[4, i][0] & 0x1f]
        levels = [cache >> 5 & 7 for cache in caches]
        same('last level of caches', levels[-1:], [LAST_LEVEL.get(profile, 3)])
        same('APIC IDs that share each cache', [(cache >> 14 & 0xfff) + 1 for cache in caches],
             [1 << (package_bits if level == levels[-1] else thread_bits) for level in levels])
        same('IDs of cores in leaf 4', {(cache >> 26) + 1 for cache in caches}, {1 << bits(cores)})
        if profile != 'netburst64':
            same('leaf 2', cpuid[2, 0], (0xff01, 0, 0, 0))
    topology = [(thread_bits, threads, 0x100, apic), (package_bits, cores * threads, 0x201, apic), (0, 0, 2, apic)]
    for leaf in 0xb, 0x1f:
        if last >= leaf:
            same(f'leaf {leaf:x}', [cpuid[leaf, i] for i in range(3)], [(0, 0, 0, 0)] * 3 if profile in NO_LEAF_B else topology)
    kinds = KINDS.get(profile, [ONE_TYPE.get(profile, 0)])
    same('hybrid', cpuid[7, 0][3] >> 15 & 1 if last >= 7 else 0, len(kinds) > 1)
    if last >= 0x1a:
        same('core type', cpuid[0x1a, 0][0] >> 24, kinds[core * len(kinds) // (sockets * cores)])
    if cpuid[0x80000000, 0][0] >= 0x80000008:
        same('leaf 80000008', cpuid[0x80000008, 0][1:], (0, 0, 0))
    return apic, wrong


def check(profile, shape, cpuids, options=''):
    name = f'{profile}: {"x".join(map(str, shape))} sockets, cores, threads{options}'
    if isinstance(cpuids, str):
        return tap.ok(False, name, cpuids)
    sockets, cores, threads = shape
    found = [problems_of(profile, shape, cpuid) for cpuid in cpuids]
    wrong = [problem for _, problems in found for problem in problems]
    ids = [s << bits(threads) + bits(cores) | c << bits(threads) | t for s in range(sockets) for c in range(cores) for t in range(threads)]
    if sorted(apic for apic, _ in found) != ids:
        wrong.append(f'APIC IDs {sorted(apic for apic, _ in found)}, wanted {ids}')
    if len({cpuid[7, 0] for cpuid in cpuids}) > len(KINDS.get(profile, [0])):
        wrong.append('processors of a kind differ in leaf 7')
    return tap.ok(not wrong, name, '\n'.join(wrong[:6]))


with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
    boots = [(profile, shape, pool.submit(boot, profile, shape, '--profile', profile)) for profile, *_ in lines_of('profiles')
             for shape in EVERY_PROFILE + (SOME_PROFILES if profile in SOME else [])]
    for profile, shape, future in boots:
        check(profile, shape, future.result())
check('skylake', (1, 2, 2), boot('skylake', (1, 2, 2), '--profile', 'skylake', '-cpu', 'max,-svm'), ', -cpu without a vendor')
mixed = boot('alderlake', (1, 2, 2), '--profile', 'alderlake', '--cores', 'PEP')
tap.ok('no core with threads of several kinds' in mixed, 'threads of a core of two kinds are refused', str(mixed))
tap.done()
