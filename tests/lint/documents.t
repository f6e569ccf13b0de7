#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Documents agree with the source: options with their values and defaults, steps, verdicts and exit statuses, rules of the
referee, names of profiles, faults, quirks and freedoms, tests, make targets, files, and links. tests/tools/documents.t compares
documents with what programs print."""
import fnmatch
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / 'tests/tools'))
from tap import done, ok, same    # noqa: E402

tracked = [path.relative_to(TOP).as_posix() for top in TOP.iterdir() if top.name not in ('.git', 'build')
           for path in ([top] if top.is_file() else top.rglob('*')) if path.is_file()]
GENERATED = {f'docs/{name}.md' for name in ('conformance', 'hostile', 'machines', 'profiles', 'rules')}
pages = {path: (TOP / path).read_text() for path in tracked if path.endswith('.md') and not path.startswith('debian/')}
written = {path: text for path, text in pages.items() if path not in GENERATED}


def found(path, pattern, flags=re.M | re.S):
    """The groups of every match in a file, at least one."""
    matches = re.findall(pattern, (TOP / path).read_text(), flags)
    if not matches:
        sys.exit(f'documents.t: {path}: nothing matches {pattern}')
    return matches


def unknown(pattern, known, what):
    """Reports the names that pattern finds in pages (a group, or the match) and that known, a set or function, does not have."""
    is_known = known if callable(known) else known.__contains__
    wrong = [f'{path}: {name}' for path, text in written.items() for name in re.findall(pattern, text) if not is_known(name)]
    same(', '.join(wrong), '', what)


# ---- the kernel's options: docs/booting.md has each with its values and the kernel's default
table = found('boot/options.c', r'^\} table\[\] = \{\n(.*?)^\};')[0]
options = {}
for row in re.split(r'^    \{ (?=")', table, flags=re.M)[1:]:
    form = re.search(r'VALUE\("([^"]+)"', row)
    preset, text = re.match(r'"\w+", (?:NULL|"(\w+|\*)"), "([^"]*)"', row).groups()
    values = form[1] if form else '|'.join(re.findall(r'\] = "(\w+)"', row))
    options[row[1:row.index('"', 1)]] = values, {preset, *re.findall(r'auto: (\d+)', text)}
ok(len(options) > 10 and options['gdbwait'][0] == '' and options['end'][0] == 'halt|reboot|poweroff', 'options found in boot/options.c')
block = found('docs/booting.md', r'^## Options\n\n((?:    .*\n)+)', re.M)[0]
listed = dict(re.findall(r'(?:^    |  )([a-z]+)(?:=(\S+)|(?=  |$))', block, re.M))
same(sorted(listed), sorted(options), 'docs/booting.md: the options')
same({name: listed.get(name) for name, (values, _) in options.items() if re.fullmatch(r'[a-z|]*', values)},
     {name: values for name, (values, _) in options.items() if re.fullmatch(r'[a-z|]*', values)}, '... their words')
for name, default in re.findall(r'^    ([a-z]+)=(?:(?!^    [a-z]).)*?default (\w+)', block, re.M | re.S):
    ok(default in options[name][1], f'... {name}, by default {default}')

# ---- the kernel's steps, verdicts and exit statuses
steps = re.findall(r'\{ "([^"]+)", step_', found('kernel/main.c', r'\} steps\[\] = \{\n(.*?)^    \};')[0])
numbered = [(path, *step) for path, text in written.items() for step in re.findall(r'Step (\d+) of (\d+): ([\w ]+)', text)]
ok(numbered, 'documents show steps of the kernel')
same([step for step in numbered if int(step[2]) != len(steps) or steps[int(step[1]) - 1] != step[3]], [], '... equal to those in kernel/main.c')
verdicts = {name.lower(): int(value) for name, value in found('kernel/report/verdict.h', r'VERDICT_(\w+) = (\d+)')}
rows = found('docs/output.md', r'^\| (\w+) \| [^|]+ \| (\w+)h \| (\d+) \|$')
same({name: (int(port, 16), int(status)) for name, port, status in rows},
     {name: (0x10 + value, 2 * (0x10 + value) + 1) for name, value in verdicts.items()}, 'docs/output.md: verdicts, and QEMU\'s exit statuses')
statuses = sorted((name.lower(), status) for name, status in found('tools/lib/log_status.h', r'^    LOG_(\w+) = (\d+)') if name != 'UNUSABLE')
either = '|'.join(name for name, _ in statuses)
for path in ['scripts/machine', 'README.md', 'tools/dsdump.c']:
    sentences = [sorted(re.findall(rf'\b({either}) (\d+)', sentence) or
                        [pair[::-1] for pair in re.findall(rf'\b(\d+) ({either})', sentence)])
                 for sentence in re.findall(r'[Ee]xit\s+status\b[^.]*\.', (TOP / path).read_text().replace('\\n"\n          "', ' '))]
    same([pairs for pairs in sentences if len(pairs) > 3], [statuses], f'{path}: the exit statuses of a log')
same(sorted(pair[::-1] for pair in found('docs/dsdump.1', rf'^\.It (\d+) Ta ({either})')), statuses, 'docs/dsdump.1: ... too')

# ---- the model's options, in the plugin, in qemu-ds and in its manual page
keys = [key for key, _ in re.findall(r'\{ "(\w+)", &given->(\w+) \}', (TOP / 'model/qemu/options.c').read_text())]
usage = set(re.findall(r'--(\w+)', found('model/qemu/qemu-ds', r'cat <<.TEXT.\n(.*?)^TEXT')[0]))
manual = found('model/qemu/qemu-ds.1', r'^\.It Fl -(\w+)')
same(sorted(usage | {'help'}), sorted(manual), 'qemu-ds.1: each option of the usage')
ok(set(keys) < usage, '... and each of the plugin')
exits = {*found('model/qemu/qemu-ds', r'\bexit ([1-9]\d*)$', re.M), *found('model/qemu/options.c', r'\bexit\(([1-9])\)')}
same(set(found('docs/model.md', r'^\| (\d+) \| ', re.M)), exits, 'docs/model.md: exit statuses')
same(set(re.findall(r'\b\d+\b', found('model/qemu/qemu-ds.1', r'^\.Sh EXIT STATUS\n(.*?)^\.Sh ')[0])), exits, '... and of qemu-ds.1')

# ---- names
profiles = {name for path in tracked if path.startswith('model/processors/profiles')
            for name in re.findall(r'^    \.name = "([\w-]+)"', (TOP / path).read_text(), re.M)}
rows_of = lambda path, macro: {name for name in re.findall(rf'^{macro}\(\w+,\s*"([^"]+)"', (TOP / path).read_text(), re.M)}
faults = rows_of('model/faults/faults.inc', 'FAULT')
quirks = set(re.findall(r'\[QUIRK_\w+\] = \{\s*"(\w+)"', (TOP / 'model/faults/quirks.c').read_text()))
freedoms = rows_of('model/latitude/freedoms.inc', 'FREEDOM')
words = {'list', 'none', 'all'}
ok(min(map(len, (profiles, faults, quirks, freedoms))) > 9, 'names of profiles, faults, quirks and freedoms')
unknown(r'(?:--profile[ =]|\bprofiles?=)"?([a-z][a-z0-9-]+)', profiles | words, 'documents name profiles of the model')
unknown(r'(?:--|\b)fault[=]([a-z][a-z0-9._]+)', faults | words, '... its faults')
unknown(r'(?:--|\b)quirk[=]([a-z][a-z0-9_]+)', quirks | words, '... its quirks')
unknown(r'latitude=[A-Z0-9]*:-?([a-z][a-z-]+)', freedoms | words, '... its freedoms')
targets = set(re.findall(r'^([a-z][a-z0-9-]*)(?: [a-z0-9 -]*)?:(?!=)', '\n'.join((TOP / path).read_text() for path in
                         ['Makefile', *(path for path in tracked if path.startswith('mk/'))]), re.M))
unknown(r'`make ([a-z][a-z-]+)', targets, '... targets of make')
folders = '|'.join(sorted({path.split('/')[0] for path in tracked if '/' in path}))
present = set(tracked) | {'/'.join(path.split('/')[:n]) for path in tracked for n in range(1, path.count('/') + 1)}
unknown(rf'`(?!arch/x86/(?:kvm|events))((?:{folders})/[\w./*-]*\w)`', lambda name: fnmatch.filter(present, name.replace('NAME', '*')), '... files of this tree')
functions = '\n'.join((TOP / path).read_text() for path in tracked if path.startswith('model/private/'))
unknown(r'`(qemu_(?:private|ops|object)_\w+)`', lambda name: name in functions, '... functions of model/private')

# ---- links, and their headings
anchors = {path: {re.sub(r'[^\w -]', '', heading.lower()).replace(' ', '-') for heading in re.findall(r'^#+ (.*)', text, re.M)}
           for path, text in pages.items()}
for path, text in sorted(pages.items()):
    wrong = []
    for target, anchor in re.findall(r'\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)', text):
        file = (TOP / path).parent.joinpath(target).resolve().relative_to(TOP).as_posix() if target else path
        if file not in present or anchor and anchor not in anchors.get(file, {anchor}):
            wrong.append(f'{target}#{anchor}')
    same(', '.join(wrong), '', f'{path}: links')
done()
