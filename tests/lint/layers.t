#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The includes of this tree obey LAYERS. Each mistake, planted in a small tree, is reported."""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'tools'))
import tap    # noqa: E402

LAYERS = '''# A tree
low      pure    low/low.h       the lowest
machine  kernel  machine/m.c     in the middle
high     kernel  high/high.h     on top
program  host    program/p.c     a program
other    model   other/o.c       another reading
loader   loader  loader/l.c      on firmware
plugin   plugin  plugin/q.c      in a host
tests    test    tests/t.c       sees all
'''
TREE = {
    'LAYERS': LAYERS,
    'low/low.h': '#include <stdint.h>\n',
    'low/low.c': '#include "low/low.h"\n',
    'machine/m.h': '#include "low/low.h"\n',
    'machine/m.c': '#include "machine/m.h"\n\n#include "version.h"\n',
    'machine/m_decode.h': '#include "low/low.h"\n',
    'machine/m_test.c': '#include "high/high.h"\n',
    'high/high.h': '#include "machine/m.h"\n',
    'program/p.c': '#include <stdio.h>\n#include "low/low.h"\n#include "machine/m_decode.h"\n',
    'other/o.c': '#include <stdio.h>\n',
    'other/o.h': '#include <stdint.h>\n',
    'loader/l.c': '#include <efi.h>\n#include "low/low.h"\n',
    'plugin/q.c': '#include <qemu-plugin.h>\n#include "other/o.h"\n',
    'tests/t.c': '#include "high/high.h"\n#include "other/o.c"\n',
}


def layers(*arguments):
    """The output of `layers`, and its status."""
    done = subprocess.run([HERE / 'layers', *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout, done.returncode


def layers_of(changed):
    """The same for the tree with these files changed; None: without the file."""
    with tempfile.TemporaryDirectory() as top:
        for name, text in (TREE | changed).items():
            if text is not None:
                path = pathlib.Path(top, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
        return layers(top)


def is_wrong(line, changed):
    printed, status = layers_of(changed)
    tap.ok(status and line in printed.splitlines(), line, printed)


printed, status = layers_of({})
tap.same(printed, '8 modules, 13 files, 10 includes\n', 'a correct tree')
tap.same(status, 0, 'it passes')

is_wrong('machine/m.c:2: includes high/high.h, which is in a higher layer', {'machine/m.c': '#include "machine/m.h"\n#include "high/high.h"\n'})
for second in 'high/second.h', 'high/second.c':
    is_wrong('high/high, high/second: include each other in a circle',
             {'high/high.h': '#include "second.h"\n', 'high/second.h': '\n', second: '#include "high/high.h"\n'})
tap.same(layers_of({'high/high.c': '#include "high/high.h"\n'})[1], 0, 'a file and its header are one unit')
is_wrong('high/a, high/b, high/c: include each other in a circle',
         {f'high/{one}.h': f'#include "high/{other}.h"\n' for one, other in ('ab', 'bc', 'ca')})
is_wrong('low/low.c:1: <stdio.h> needs a libc, and this code must do without', {'low/low.c': '#include <stdio.h>\n#include "low/low.h"\n'})
for file, kind, wanted, other in (
        ('machine/m_decode.h', 'pure', 'machine/m.h', 'kernel'), ('program/p.c', 'host', 'machine/m.h', 'kernel'),
        ('other/o.c', 'model', 'low/low.h', 'pure'), ('machine/m_test.c', 'kernel', 'other/o.c', 'model'),
        ('loader/l.c', 'loader', 'machine/m.h', 'kernel'), ('loader/l.c', 'loader', 'other/o.h', 'model'),
        ('plugin/q.c', 'plugin', 'low/low.h', 'pure'), ('plugin/q.c', 'plugin', 'machine/m.h', 'kernel'),
        ('machine/m.c', 'kernel', 'loader/l.h', 'loader'), ('other/o.c', 'model', 'plugin/q.h', 'plugin')):
    is_wrong(f'{file}:1: {kind} code may not see {wanted}, which is {other} code',
             {file: f'#include "{wanted}"\n', wanted: TREE.get(wanted, '\n')})
is_wrong('low/low.c:1: no file low/gone.h', {'low/low.c': '#include "low/gone.h"\n'})
is_wrong('shed/s.c: is in no module of `LAYERS`', {'shed/s.c': '\n'})
is_wrong('LAYERS: the module high lacks its file high/high.h', {'high/high.h': None, 'machine/m_test.c': '\n', 'tests/t.c': '\n'})
is_wrong('LAYERS: the module other has an unknown kind, odel', {'LAYERS': LAYERS.replace(' model ', ' odel ')})
is_wrong('LAYERS:10: the module low is listed twice', {'LAYERS': f'{LAYERS}low pure low/low.h again\n'})
is_wrong('LAYERS:10: a module needs a kind, the file to read first, and what it holds: attic pure', {'LAYERS': f'{LAYERS}attic pure\n'})
tap.like(layers_of({'LAYERS': '# A tree\n'})[0], r'(?m)^LAYERS: \S+/LAYERS lists no module$', 'a list without modules')
is_wrong('no include was read', {name: '\n' for name in TREE if name != 'LAYERS'})

printed, status = layers()
tap.ok(not status, 'this tree', printed)
tap.done()
