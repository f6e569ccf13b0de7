#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The packages of build/deb on fresh Debians 12 and 13, each on its own disk: they install, their programs run, GRUB's menu has
the entry, QEMU boots it from the disk, and removal leaves no file. Needs root."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / folder) for folder in ('tests/tools', 'tests/qemu', 'scripts/lib')]
import judge    # noqa: E402
import machine    # noqa: E402
import tap    # noqa: E402
from machine import BUILD    # noqa: E402

FOLDER = pathlib.Path(tap.folder)
TREE, DISK = FOLDER / 'tree', FOLDER / 'disk'
PACKAGES = 'dstest86', 'dsdump', 'qemu-ds', 'qemu-ds-bundled'
DEBS = [*(path for name in PACKAGES[:3] for path in BUILD.glob(f'deb/{name}_*.deb')), BUILD / 'qemu-ds-bundled.deb']
START = 2048 * 512    # of the partition, in bytes
ENTRY = "(?m)^menuentry 'dstest86: "
PROBE = '''#!/bin/sh
case " $* " in
*" --target=device "* | *" -t device "*) echo /dev/sda1 ;;
*" --target=fs_uuid "* | *" -t fs_uuid "*) echo UUID ;;
*" --target=fs "* | *" -t fs "*) echo ext2 ;;
*" --target=partmap "* | *" -t partmap "*) echo msdos ;;
*" --target=hints_string "*) echo --hint-bios=hd0,msdos1 ;;
esac
'''


def run(command: str) -> tuple[str, int]:
    """The output and the status of a shell command."""
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='latin-1')
    return done.stdout, done.returncode


def must(command: str) -> str:
    said, status = run(command)
    if status:
        sys.exit(f'install.t: {command}: {said}')
    return said.removesuffix('\n')


@contextlib.contextmanager
def attached():
    """Loop devices of the disk and of its partition, because not every kernel finds partitions on loop devices; and a function
    that mounts until the end of the block."""
    with contextlib.ExitStack() as stack:
        loops = []
        for offset in '', f'-o {START} ':
            loops.append(must(f"losetup --show -f {offset}'{DISK}'"))
            stack.callback(run, f'losetup -d {loops[-1]}')

        def mount(what: str) -> None:
            must(f'mount {what}')
            stack.callback(run, f'umount {what.split()[-1]}')
        yield *loops, mount


@contextlib.contextmanager
def entered():
    """The loop devices of the disk and its partition, which is mounted on the tree, with the kernel's file systems."""
    with attached() as (disk, partition, mount):
        mount(f'{partition} {TREE}')
        for name in 'proc', 'sys', 'dev', 'dev/pts':
            mount(f'--bind /{name} {TREE}/{name}')
        yield disk, partition


def inside(command: str) -> tuple[str, int]:
    """Runs a command in the fresh Debian; returns its output and status."""
    proxies = ' '.join(f"{name}='{os.environ[name]}'" for name in ('http_proxy', 'https_proxy') if name in os.environ)
    return run(f'chroot {TREE} env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive {proxies} '
               f"sh -c '{command}'")


def succeeds(result: tuple[str, int], what: str) -> None:
    tap.ok(result[1] == 0, what, result[0])


def menu() -> str:
    return inside('cat /boot/grub/grub.cfg')[0]


def install_debian(suite: str) -> None:
    must(f"rm -f '{DISK}' && truncate -s 3G '{DISK}' && echo '2048,,83,*' | sfdisk -q -X dos '{DISK}'")
    with attached() as (_, partition, mount):
        must(f'mkfs.ext2 -q {partition}')    # every GRUB can read ext2
        mount(f'{partition} {TREE}')
        succeeds(run(f'mmdebstrap -q --variant=minbase --include=ca-certificates,grub2-common,grub-pc-bin {suite} {TREE}'),
                 f'{suite}: a fresh Debian')


def install_grub(suite: str, disk: str, partition: str) -> str:
    """Returns the UUID of the file system."""
    tap.write(TREE / 'etc/default/grub', 'GRUB_TIMEOUT=0\nGRUB_TERMINAL=console\nDSTEST86_OPTIONS="run=bts.* records=none"\n')
    tap.write(TREE / 'boot/grub/device.map', f'(hd0) {disk}\n(hd1) {partition}\n')
    succeeds(inside(f'grub-install --target=i386-pc --modules=part_msdos {disk}'), f'{suite}: GRUB is installed')
    # On loop devices grub-probe looks for their file. This replacement answers as it does for a disk.
    uuid = must(f'blkid -p -s UUID -o value {partition}')
    tap.write(TREE / 'usr/sbin/grub-probe', PROBE.replace('UUID', uuid))
    succeeds(inside('grub-mkconfig -o /boot/grub/grub.cfg'), f'{suite}: GRUB has a menu')
    tap.ok(not re.search(ENTRY, menu()), f'{suite}: the menu has no entry yet')
    return uuid


def check_installed(suite: str, uuid: str) -> None:
    succeeds(inside('apt-get update -qq && apt-get install -y -qq --no-install-recommends /root/*.deb'), f'{suite}: the packages are installed')
    tap.like(menu(), ENTRY, f"{suite}: GRUB's menu has the entry")
    tap.like(menu(), rf'{ENTRY}[^}}]*?^\s+search --no-floppy --fs-uuid --set=root .*{uuid}$', f'{suite}: the entry searches its disk by UUID')
    tap.like(inside('grub-mkconfig')[0], ENTRY, f'{suite}: grub-mkconfig reports the entry')
    files = inside('dpkg -L dsdump qemu-ds')[0]
    for name in 'dsdump', 'qemu-ds':
        tap.like(files, rf'(?m)^/usr/share/man/man1/{name}\.1\.gz$', f'{suite}: the manual page of {name}')
    for command, pattern, what in [
            ('dsdump --help', '^0 usage: dsdump ', 'dsdump runs'),
            ('bash -c ". /usr/share/bash-completion/completions/dsdump; COMP_WORDS=(dsdump --sta); COMP_CWORD=1; _dsdump dsdump; '
             r'echo \${COMPREPLY[@]}"', r'^0 --stats\n\Z', "bash completes dsdump's options"),
            ('ls /usr/lib/dstest86/dstest86.py && /usr/lib/dstest86/ds-inspect', r'^2 /usr/lib/dstest86/dstest86\.py\nusage: ds-inspect ',
             "GDB's commands and their helper"),
            ('qemu-ds --list profiles', '(?ms)^0 .*^skylake ', 'qemu-ds has a QEMU with the right plugin interface'),
            ('qemu-ds --profile haswell -display none -no-reboot -serial stdio -device isa-debug-exit,iobase=0xf4,iosize=4 '
             '-kernel /usr/lib/dstest86/dstest86-64.elf -append run=bts.calls </dev/null', '(?s)^33 .*# end dstest86 verdict=pass',
             'qemu-ds boots dstest86')]:
        said, status = inside(command)
        tap.like(f'{status} {said}', pattern, f'{suite}: {what}')


def check_boot(suite: str) -> None:
    _, out, _ = machine.run('timeout', 200, machine.MACHINE, 'boot', '-r', 'bios-disk', '-p', 'skylake', '-k', DISK)
    lines = machine.lines_in(out)
    _, wrong = judge.judged('-', '\n'.join([*lines, '']))
    tap.ok(judge.results_in(lines)[1] == 'pass', f'{suite}: QEMU boots the entry from the disk', '\n'.join(lines))
    tap.same(wrong, [], f'{suite}: the log is complete')
    tap.same(sum(line.startswith('# boot route multiboot2 GRUB ') for line in lines), 1, f'{suite}: booted by its GRUB')
    tap.same([line for line in lines if re.match(r'ok \d+ (?!bts\.)', line)], [], f'{suite}: with the options of /etc/default/grub')


if os.geteuid():
    sys.exit('install.t: needs root, to mount disks')
if len(DEBS) != len(PACKAGES) or not DEBS[-1].exists():
    sys.exit('install.t: a package below build/ is missing: run make deb deb-bundled')
for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
    signal.signal(number, lambda *_: sys.exit(1))
tap.same(run(f"dpkg-deb --fsys-tarfile {DEBS[0]} | tar -xO ./usr/lib/dstest86/dstest86.iso | cmp - '{BUILD}/dstest86.iso'"), ('', 0),
         'the image has the same bytes, although it was built elsewhere')
TREE.mkdir()
for suite in 'bookworm', 'trixie':
    install_debian(suite)
    with entered() as loops:
        must(f"cp -L /etc/resolv.conf /etc/hosts {TREE}/etc/; cp {' '.join(map(str, DEBS))} {TREE}/root/; for f in /etc/apt/apt.conf.d/*proxy*; "
             f'do [ ! -f $f ] || cp $f {TREE}/etc/apt/apt.conf.d/; done')
        check_installed(suite, install_grub(suite, *loops))
    check_boot(suite)
    with entered():
        succeeds(inside(f"apt-get purge -y -qq {' '.join(PACKAGES)}"), f'{suite}: the packages are removed')
        tap.ok(not re.search(ENTRY, menu()), f"{suite}: GRUB's menu has lost the entry")
        said, _ = inside('cd / && ls -d usr/lib/dstest86 usr/share/dstest86 boot/dstest86 etc/grub.d/20_dstest86 usr/bin/dsdump usr/bin/qemu-ds '
                         '2>/dev/null')
        tap.same(said, '', f'{suite}: removal leaves no file')
tap.done()
