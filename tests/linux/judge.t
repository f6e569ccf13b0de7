#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""tests/linux/run must detect mistakes: judges the logs of the last `make linux-test` again, with one change each."""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import guest    # noqa: E402
from tap import done, ok, same, skip    # noqa: E402

AT = {name: f'{place:x}' for name, place in guest.Program('linux-program').label.items()}


def edit(old, new, count=1):
    return lambda text: re.sub(old, new, text, count=count, flags=re.M)


def every(old, new):
    return lambda text: re.sub(old, new, text, flags=re.M)


def keep(count):
    return lambda text: ''.join(text.splitlines(True)[:count])


def add(line):
    return lambda text: text + line + '\n'


# SECTION or a file, the change, and a pattern for the names of the checks that must fail.
ANY = [
    ('console', edit('^@@ end', '@@ ended'), 'powers itself off'),
    ('kernel', edit('Performance Events: ', ''), 'Linux names the processor'),
    ('kernel', edit('Brought up 1 node', 'Brought up 2 nodes'), 'Linux prints (Kernel|x2apic)'),
    *(('kernel', add(f'[ 1.0] {text}'), 'prints no warning') for text in (
        'WARNING: CPU: 0', 'unchecked MSR access error', 'Call Trace:', 'perfevents: irq loop stuck', 'Oops: 0000')),
    ('stat', edit(r'^\d+(,,\S*instructions)', r'270015\1'), 'counts exactly'),
    ('rings', edit(r'^\d+(,,\S*instructions.*u)', r'270013\1'), 'counts exactly'),
    ('bare', edit('status 0', 'status 139'), 'perf stat without events'),
    ('watchdog', edit('1', '0'), 'NMI watchdog'),
    ('any', edit(r'^ *\w+', f'  {AT["inner"]}'), '-j any: '),
    ('any', keep(9), '-j any: '),
    ('any', edit(r'^( *\w+) .*', r'\1', count=2), '-j any: '),
    ('stat_first', edit(r'^\d+(,,\S*instructions)', r'99430\1'), 'counts of the first'),
    ('violations', add('violation vcpu=1 rip=0x1 pmi-lost: a PMI was lost [SDM]'), 'no violation'),
    ('ds_status', edit('0', '1'), 'ds-linux'),
    ('ds_linux', edit('branches 32,', 'branches 10,'), 'ds-linux'),
    ('ds_linux', edit(r'^(ok \d+ bts.calls)$', r'\1 # SKIP'), 'ds-linux'),
    ('ds_linux', edit(r'^(ok \d+ pebs.instructions) # SKIP', r'\1 #'), 'ds-linux'),
]
MORE = {
    'skylake': [
        ('calls', edit(r'^ *\w+', f'  {AT["outer_return"]}'), 'precise calls'),
        ('calls', edit(r'(0x\w+/0x\w+\S*\s+){3}', r'\1'), 'precise calls'),
        ('calls', keep(30), 'precise calls'),
        ('calls', edit(r'^( *\w+) .*', r'\1'), 'precise calls'),
        ('bts', edit(rf'^.*=> +{AT["inner"]}.*\n', ''), 'intel_bts'),
        ('truth', edit(r'^bts (.*) from=0x\w+ to=0x' + AT['outer'], rf'bts \1 from=0x{AT["store"]} to=0x{AT["outer"]}'), 'intel_bts'),
        ('all', every(r'\[001\]', '[000]'), 'all processors'),
        ('chain_first', every(r'^.*(main|take_turns).*\n', ''), 'call stacks of the first'),
        ('near', every('L1 (or L1 )?hit', 'L3 hit'), 'near ring'),
        ('far', every('RAM', 'L3'), 'far ring'),
        ('far', keep(5), 'far ring'),
        *((where, every(rf'\d+( +{AT["chase"]})$', rf'{latency}\1'), f'{where} ring') for where, latency in (
            ('near', 2), ('near', 31), ('far', 99), ('far', 2001))),
        ('near', every(AT['near_ring'], f'{int(AT["near_ring"], 16) + 1:x}'), 'near ring'),
        ('far', every('LCK No', 'LCK Yes'), 'far ring'),
    ],
    'clearwaterforest': [
        ('calls', keep(0), 'precise samples are refused'),
        ('counted', every('([1-9a-f])$', '0'), 'counts of the group'),
    ],
}


def failed(profile, changes, folder):
    """The checks that fail after changes, each to a section of a profile's output or to a file."""
    own = pathlib.Path(folder) / profile
    own.mkdir(exist_ok=True)
    for name in ('console', 'stderr', 'truth', 'violations'):
        (own / name).unlink(missing_ok=True)
        (own / name).symlink_to(guest.LOGS.resolve() / profile / name)
    for where, change, _ in changes:
        path = own / (where if where in ('truth', 'violations') else 'console')
        text = path.read_text('latin-1')
        parts = [text] if where in ('console', path.name) else re.split(rf'(?<=^@@ {where}\n)', text, maxsplit=1, flags=re.M)
        *before, part = parts
        part, mark, after = part.partition('\n@@ ') if before else (part, '', '')
        changed = change(part + '\n' * bool(mark))
        path.unlink()
        path.write_text(''.join(before) + changed.removesuffix('\n') * bool(mark) + changed * (not mark) + mark + after, 'latin-1')
        changed == part + '\n' * bool(mark) and ok(False, f'{profile}: the change in {where} changes it')
    said = subprocess.run([HERE / 'run', '-r', folder, profile], capture_output=True, text=True).stdout
    return re.findall(r'^not ok \d+ - [^:]+: (.*)$', said, re.M)


found = [profile for profile in MORE if (guest.LOGS / profile / 'console').exists()]
if not found:
    skip('the judge', f'no logs of Linux: make linux-test profiles="{" ".join(MORE)}"')
for profile in found:
    with tempfile.TemporaryDirectory() as folder:
        same(failed(profile, [], folder), [], f'{profile}: the unchanged log passes')
        # Several changes at a time, of different sections, for different checks; without its end, a log is not judged further.
        groups = []
        for each in ANY + MORE[profile]:
            group = next((group for group in groups if not any(
                each[0] == other[0] or each[2] == other[2] for other in group)), None)
            groups.append([each]) if group is None else group.append(each)
        for group in groups:
            names = failed(profile, group, folder)
            for where, _, checks in group:
                ok(any(re.search(checks, name) for name in names), f'{profile}: a change in {where} fails {checks}')
            same([name for name in names if not any(re.search(checks, name) for _, _, checks in group)], [], f'{profile}: no other check fails')
done()
