#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The files that `make install-model` installs work from any folder, without the source tree. Removal deletes only them."""
import os
import pathlib
import re
import shutil

from machine import ROOT, run
import tap

folder = pathlib.Path(tap.folder)
prefix = folder / 'pre,fix'    # a comma, because it ends a value in QEMU's options
command = prefix / 'bin/qemu-ds'
GUEST = [*'-display none -no-reboot -serial stdio -device isa-debug-exit,iobase=0xf4,iosize=4'.split(), '-kernel', tap.BUILD / 'dstest86-64.elf',
         '-append']


def make(*arguments):
    return run('make', '-s', '-C', ROOT, *arguments)


def qemu_ds(*arguments):
    return run('timeout', '120', command, *arguments)


os.chdir('/')
tap.same(make('install-model', f'PREFIX={prefix}')[0], 0, 'make install-model')

programs = [prefix / 'lib/dstest86' / name for name in ('qemu-ds', 'qemu-system-x86_64')]
tap.same([path.name for path in programs if bytes(ROOT) in path.read_bytes()], [], 'installed scripts do not name the source tree')
status, out, errors = qemu_ds('--profile', 'icelake', '--truth', folder / 'truth,', *GUEST, 'run=bts.calls')
tap.same(status, 33, 'the guest passes')
tap.like(out, '(?m)^# cpu .* Ice Lake', '--profile icelake: the guest finds Ice Lake')
tap.like((folder / 'truth,').read_text(), '(?m)^bts ', '--truth: the log has records')
tap.like(errors, r'\ABTS on cpu 0: [1-9]\d* records, 0 PMIs\n\Z', 'no violation, and what the guest recorded')
status, out, errors = qemu_ds('--profile=alderlake', '--cores=E', *GUEST, 'run=bts.calls')
tap.like(f'{status} {errors}', r'\A33 BTS on cpu 0: .*\n\Z', '--cores=E: the guest passes')
tap.like(out, '(?m)^# cpu .* Gracemont', '--cores=E: the guest finds Gracemont')

tap.like(qemu_ds(*GUEST, 'run=forbidden.lvt_masked')[2], '(?m)^violation .* lvtpc-masked: ', 'a violation is on standard error')
status, out, errors = qemu_ds('--strict', *GUEST, 'run=forbidden.lvt_masked')
tap.same(status, 70, '--strict ends with 70')
tap.like(errors, r"(?ms)^violation .*^qemu-ds: violations of the manual by the guest: \d+; QEMU's own exit status: \d+$",
         '--strict prints the reason')
status, _, errors = qemu_ds('--strict', '--violations', folder / 'v', *GUEST, 'run=bts.calls')
tap.same((status, errors), (33, ''), '--strict: a clean run keeps its status')
tap.like((folder / 'v').read_text(), r'\ABTS on cpu 0: .*\n\Z', '--violations: the report has no violation')
documents = prefix / 'share/doc/dstest86'
links = [link for page in documents.glob('*.md') for link in re.findall(r'\]\(([\w.-]+\.md)', page.read_text())]
tap.same([link for link in links if not (documents / link).exists()], [], 'installed documents link only to each other')
tap.ok(os.access(prefix / 'lib/dstest86/ds-inspect', os.X_OK) and os.access(prefix / 'lib/dstest86/dstest86.py', os.R_OK),
       "GDB's commands are installed")
(folder / 'state').mkdir()
status, _, errors = qemu_ds('--state', folder / 'state', *GUEST, 'run=bts.calls')
tap.ok(status == 33 and (folder / 'state/0').stat().st_size, '--state writes the state', status, errors)

status, _, errors = qemu_ds('--profile')
tap.same((status, errors), (2, 'qemu-ds: --profile: missing value; see qemu-ds --help\n'), 'an option without its value is refused')
for words, reason in {
        '--profile pentium4': 'dsmodel: profile=pentium4: unknown name; the profiles are: netburst ',
        '--profile alderlake --cores PX': 'dsmodel: cores=PX: expected a list such as P2E6, of at most 256 cores of profile=alderlake: ',
        '--truth=': 'qemu-ds: --truth: missing value; see qemu-ds --help\n',
        '--truth /no/such/folder/t': 'dsmodel: /no/such/folder/t cannot be written: No such file',
        '--latitude seven': 'dsmodel: latitude=seven: expected SEED or ',
        '--latitude=7:bts': 'dsmodel: latitude=SEED:bts: unknown name; the freedoms are: ',
        '--list cpus': 'qemu-ds: --list cpus: unknown list; available: profiles, cores, faults, quirks, freedoms\n',
        '--qemu /no/such/qemu': 'qemu-ds: --qemu /no/such/qemu: not an executable program; name a qemu-system-x86_64\n',
        '-enable-kvm': 'qemu-ds: -enable-kvm: not supported; the model needs -accel tcg\n',
        '-accel kvm': 'qemu-ds: -accel kvm: not supported; the model needs -accel tcg\n'}.items():
    status, _, errors = qemu_ds(*words.split(), '-display', 'none', '-machine', 'none')
    tap.ok(status and errors.startswith(reason), f'{words} is refused', status, errors)
for name, line in (('profiles', r'\S+ +(?:32|64)  \S.*\n'), ('cores', r'\S+ +[A-Z]  \S.*\n'),
                   *((name, r'\S+ +\D.*\n') for name in ('faults', 'quirks', 'freedoms'))):
    status, out, errors = qemu_ds('--list', name)
    tap.ok(status == 0 and re.fullmatch(f'(?:{line})+', out), f'--list {name}', errors)
if shutil.which('mandoc'):
    tap.same(run('mandoc', '-T', 'lint', '-W', 'warning', prefix / 'share/man/man1/qemu-ds.1')[1], '', 'the manual page is well formed')
else:
    tap.skip('the manual page is well formed', 'no mandoc here')


# ---- removal: only the files that were installed, and a folder only if it is empty

def left(top):
    return sorted(str(path.relative_to(top)) for path in top.rglob('*') if path.is_symlink() or not path.is_dir())


mine = [f'{place}/mine' for place in ('lib/dstest86', 'lib/dstest86/toolchain/debian', 'share/doc/dstest86')]
for name in mine:
    tap.write(prefix / name, "a user's\n")
listed = prefix / 'lib/dstest86/installed'
installed = listed.read_text()
victim = folder / 'victim'
victim.write_text("a user's\n")
for line in '../victim', victim, 'lib/dstest86/../../../victim', 'lib/other', '-r', '', ' ':
    listed.write_text(f'{installed}{line}\n')
    status, _, errors = make('uninstall-model', f'PREFIX={prefix}')
    tap.like(f'{status} {errors}', r'\A2 uninstall-model: lib/dstest86/installed line \d+: not a file of install-model; delete this line\n',
             f"the line '{line}' is refused")
tap.ok(victim.exists() and os.access(command, os.X_OK), '... and every file stays')
listed.write_text(installed)
tap.same(make('uninstall-model', f'PREFIX={prefix}/')[0], 0, 'make uninstall-model, with a slash at the end')
tap.same(left(prefix), mine, "... leaves a user's files")
status, _, errors = make('uninstall-model', f'PREFIX={prefix}')
tap.like(f'{status} {errors}', r'\A2 uninstall-model: \S+/installed: no such file, so make install-model did not install here\n',
         '... and nothing the second time')
for path in folder / 'd/p/lib', folder / 'elsewhere':
    path.mkdir(parents=True)
(folder / 'd/p/lib/dstest86').symlink_to(folder / 'elsewhere')
for deed in 'install', 'uninstall':
    tap.same(make(f'{deed}-model', f'DESTDIR={folder}/d', 'PREFIX=/p')[0], 0, f'make {deed}-model through a link, in DESTDIR')
tap.same(left(folder / 'd') + left(folder / 'elsewhere'), ['p/lib/dstest86'], '... which leaves only the link')


def refused(what, complaint, *arguments):
    status, _, errors = make(*arguments)
    tap.ok(status == 2 and complaint in errors, f'{what} is refused', status, errors)


# Folders that a shell would read as something else are refused before anything runs.
ABSOLUTE = 'expected an absolute path'
odd = folder / 'odd'
tap.write(odd / 'my/file', '')
for name in 'my dir', "it's", '"', '$HOME', '$$HOME', '`touch pwned`', ';touch pwned', '*', 'line\nline', '../my', '..', '#', '\\':
    made = not (odd / name).exists()
    if made:
        (odd / name).mkdir()
    for given in [f'PREFIX={odd}/{name}'], [f'DESTDIR={odd}/{name}', 'PREFIX=/usr']:
        for deed in 'install-model', 'uninstall-model':
            refused(f'{deed} {given[0]}', ABSOLUTE, deed, *given)
    if made:
        shutil.rmtree(odd / name)
for given in 'PREFIX=', 'PREFIX=relative', 'PREFIX=./x', 'DESTDIR=relative':
    refused(given, ABSOLUTE, 'install-model', given)
tap.same(left(odd), ['my/file'], '... and the folder is as before')

# `make clean` removes only what is in build/, whatever its name is.
for name in '', '/tmp', 'build/..', 'tools', 'build tools':
    refused(f'make clean B={name}', 'expected build or a folder below it', '-n', 'clean', f'B={name}')
kept = f'clean.t.{os.getpid()}'
for name in f'build/{kept}/x {kept}', f'build/{kept}/toolchain', kept:
    (ROOT / name).mkdir(parents=True)
tap.same(make('clean', f'B=build/{kept}')[0], 0, 'make clean')
tap.same([path.name for path in (ROOT / 'build' / kept).iterdir()] + [(ROOT / kept).exists()], ['toolchain', True], '... of a name with a blank')
shutil.rmtree(ROOT / 'build' / kept)
(ROOT / kept).rmdir()
tap.done()
