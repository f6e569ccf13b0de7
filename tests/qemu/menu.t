#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""The menus of the UEFI loader and of GRUB, booted from a stick's image: the default without a key, and what each key chooses.
Keys are pressed when the serial port has shown the question. The menu's timeout is longer than by default, for busy hosts."""
import collections
import re
import time

import machine
import tap

NAMES = {' ': 'spc', '\n': 'ret', '.': 'dot', '*': 'shift-8', '=': 'equal'}


def boot(route, *steps):
    """Boots the image on a route. For each pair (TEXT, KEYS), waits for TEXT and presses KEYS, with the menu's timeout at a minute.
    Returns the log's lines."""
    menu, shown = ['-o', 'menu=60'] if steps else [], '(?s)'
    with machine.Machine(300, tap.folder, '-r', route, '-p', 'none', *menu) as guest:
        for text, keys in steps:
            shown += f'.*{re.escape(text)}'
            guest.wait_for(re.compile(shown))
            for key in keys:
                guest.press(NAMES.get(key, key))
                time.sleep(0.2)    # QEMU holds a key down for 0.1 seconds
        return machine.lines_in(guest.wait_for(re.compile(r'# end dstest86 .*\n')))


def areas(lines):
    """The number of tests that ran, by area."""
    return collections.Counter(match[1] for line in lines if (match := re.match(r'(?:not )?ok \d+ ([a-z]+)\.', line)))


of_loader, of_grub = ((machine.ROOT / 'boot' / name).read_text() for name in ('uefi/menu.c', 'grub.cfg'))
tap.same(re.findall(r'start (\w+=.*)', of_grub), re.findall(r'"(\w+=\w.*?)" }', of_loader),
         'keys 2, 3 and 4 add the same options on BIOS as on UEFI')

every = areas(boot('usb'))
tap.ok(every['bts'] > 30, 'UEFI, no key: all tests of BTS run')
tap.ok(every['pebs'] > 60, '... and of PEBS')
tap.ok('measure' not in every, '... but not the measurements, which are on request')
tap.same(areas(boot('bios-usb')), every, 'BIOS, no key: the same')

QUICK = {'detect': 8, 'pmi': 2, 'ds': 2, 'bts': 2, 'lbr': 2, 'pebs': 6, 'perfmon': 2, 'robust': 1}
# The route, its question, why it may not keep the log, and the steps that start the other kernel.
MENUS = [('usb', 'starts in 60 s', r'kept in \d+ KiB', [('32 bits', '2')]),
         ('bios-usb', 'automatically in 60s', 'not kept: only the UEFI loader can keep it', [('Width: ', '32\n'), (' 6  width', '2')])]
tap.same(areas(boot('usb32', ('starts in 60 s', '2'))), QUICK, 'UEFI of 32 bits, key 2: the quick tests')
for route, shown, kept, other in MENUS:
    tap.same(areas(boot(route, (shown, '2'))), QUICK, f'{route}, key 2: the quick tests')
    tap.same(list(areas(boot(route, (shown, '3')))), ['measure'], f'{route}, key 3: the measurements')
    tap.like('\n'.join(boot(route, (shown, '4'))), f'(?m)^# log {kept}', f'{route}, key 4: the log for the stick')
    tap.same(areas(boot(route, (shown, '5'), ('ptions: ', ' run=ds.area.*\n'))), {'ds': 3}, f'{route}, key 5: the typed options')
    lines = boot(route, (shown, '6'), *other)
    tap.like('\n'.join(lines), r'(?m)^# begin dstest86 \S+ \S+ 32$', f'{route}, key 6: the other kernel')
    tap.same(areas(lines), QUICK, '... with the tests chosen next')
tap.done()
