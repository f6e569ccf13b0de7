#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""`make gdb-tour`, unattended and at a terminal: each stop is reached, explains what happens and what the manual requires, and
shows it. The kernel's test passes as without the tour."""
import os
import pty
import re

import machine
import tap
from machine import ROOT

TOUR, OPTIONS = ROOT / 'tools/gdb/tour.py', 'run=bts.interrupt.threshold'
PROMPT = 'Enter: the next stop; q: end here'


def ok(good, name, why):
    tap.ok(good, name, '\n'.join(str(why).splitlines()[-60:]))


# What each stop must show, by title.
SHOWS = {
    'the debug store is not set up': ['IA32_DS_AREA is 0: no management area has been set up on this processor'],
    'the handler gets its gate': ['handler = .* <service>'],
    'the local APIC will deliver the interrupt': ['^LVT performance counter entry 0x10000: .* masked$'],
    'what will be written is checked first': ['= DS_GATE_INTERRUPT'],
    'the area is the processor\'s': ['^BTS: 0 of 256 records', '128 to the threshold; off', '^no problem found$'],
    'tracing is on': ['^BTS: 0 records', '^LVT performance counter entry 0xe1: vector 0xe1, fixed, not masked$'],
    'branches become records': ['^BTS: 10 records; the newest 3:', '^bts 9 .* long_back.* => .* long_1'],
    'the interrupt is here': ['^BTS: 1[2-4][0-9] of 256 records .*, the threshold is reached; off',
                              '^wrong: lvt.performance 0x100e1 is masked$', 'in service ', 'is\s+masked" is expected'],
    'the buffer is empty again': ['^BTS: 0 of 256 records'],
    'the entry is unmasked': ['^LVT performance counter entry 0x100e1'],
    'and the loop goes on': ['^BTS: [1-9][0-9]* records', '^bts [0-9]+ .* long_back'],
}

for profile, width in ('skylake', 64), ('netburst', 32):
    (_, tour, _), log, text = machine.gdb(profile, f'source {TOUR}', 'tour', 'continue', width=width, options=OPTIONS)
    stops = re.split(r'(?m)^--- stop ', tour)[1:]
    titles = [re.match(r'[0-9]+ of [0-9]+: (.*?) \(', stop).group(1) for stop in stops]
    ok(len(stops) == 13, f'{profile}: thirteen stops', text)
    for stop, title in zip(stops, titles):
        flat = ' '.join(stop.split())
        ok(re.search(r' The manual: .* \[SDM Vol\. 3[AB] \([0-9]{6}-[0-9]{3}\), "[^"]+"', flat),
           f'{profile}: {title}: what the manual requires', stop)
        ok(len(re.findall(r'[.:] ', flat.split(' The manual: ')[0])) >= 2, f'{profile}: {title}: what happens', stop)
    for title, wanted in SHOWS.items():
        found = [stop for stop, its in zip(stops, titles) if its == title]
        for regex in wanted:
            if profile == 'netburst' and 'threshold is reached' in regex:
                regex = '^BTS: 1[2-4][0-9] of 256 records'
            ok(found and re.search(regex, found[0], re.M), f'{profile}: {title}: shows {regex}', found[0] if found else titles)
    ok('The tour ends here.' in text, f'{profile}: the end', text)
    ok('ok 1 bts.interrupt.threshold' in log, f"{profile}: the kernel's test passes", log)


def by_enter(keys):
    """The output at a terminal, with the next key as the answer to each prompt."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM='dumb', GDB_SERIAL='/dev/null', LINES='1000', COLUMNS='200')
        os.execvp('timeout', ['timeout', '--foreground', '100', *machine.gdb_command(
            'skylake', OPTIONS, '-x', str(TOUR), '-ex', 'tour', '-ex', 'set confirm off', '-ex', 'quit')])
    shown, answered = '', 0
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:
            break
        if not more:
            break
        shown += more.decode(errors='replace')
        if shown.count(PROMPT) > answered:
            os.write(terminal, keys[answered].encode() if answered < len(keys) else b'q\n')
            answered += 1
    os.waitpid(child, 0)
    return shown


shown = by_enter(['\n', '\n', 'q\n'])
ok(shown.count(PROMPT) == 3, 'at a terminal each stop waits for Enter, and q ends the tour', shown)
ok('--- stop 3 of 13' in shown and '--- stop 4 of 13' not in shown, '... at the third stop', shown)
_, said, errors = machine.run('gdb', '-nx', '-batch', '-x', TOUR, '-ex', 'tour')
ok((said + errors).endswith('\ntour: QEMU is not running at stop 1: start it again with `make gdb-tour`, with a profile that has BTS\n'),
   'a tour without QEMU says what to do', said + errors)
tap.done()
