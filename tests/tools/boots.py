# SPDX-License-Identifier: MIT
"""Boots of the model's machines, and the perf programs of this machine."""
import os
import pathlib
import re
import subprocess

from tap import BUILD, HERE, folder, same

FETCHED = BUILD / 'linux'    # Debian 13's, if ./bootstrap --linux has fetched it


def elf(width: int) -> pathlib.Path:
    return BUILD / f'dstest86-{width}.elf'


def boot(name: str, profile: str, width: int, options: str, *more: str) -> str:
    """Boots, which must pass; returns the path of its log."""
    log = f'{folder}/{name}.log'
    with open(log, 'w') as out:
        status = subprocess.run(['timeout', '300', HERE.parent.parent / 'scripts/machine', 'boot', *more, '-w',
                                str(width), '-p', profile,
                                 '-o', f'dump=raw {options}'], stdout=out, stderr=subprocess.DEVNULL).returncode
    same(status, 33, f'{profile}, {width} bits, {options}: the boot passes')
    return log


def perfs() -> list[tuple[tuple[int, ...], list]]:
    """(version, command) of each perf of this machine."""
    found = []
    for command in ['perf'], [FETCHED / 'usr/lib64/ld-linux-x86-64.so.2', '--library-path',
                              FETCHED / 'usr/lib/x86_64-linux-gnu', FETCHED / 'usr/bin/perf']:
        try:
            said = subprocess.run([*command, '--version'], capture_output=True, text=True)
        except OSError:
            continue
        version = re.search(r'perf version (\d+)\.(\d+)', said.stdout)
        if said.returncode == 0 and version:
            found.append((tuple(map(int, version.groups())), command))
    return found


def perf(program: tuple[tuple[int, ...], list], data: str, *arguments: str) -> str:
    """The output of a perf command for a file, run in its folder, because not every perf command has -i."""
    here = f'{folder}/here'
    os.makedirs(here, exist_ok=True)
    os.path.lexists(f'{here}/perf.data') and os.remove(f'{here}/perf.data')
    os.link(data, f'{here}/perf.data')
    result = subprocess.run([*program[1], *arguments], cwd=here, capture_output=True, stdin=subprocess.DEVNULL,
                            env=os.environ | {'PAGER': 'cat', 'PERF_PAGER': 'cat'})
    version = '.'.join(map(str, program[0]))
    same(result.returncode, 0, f'perf {version} {" ".join(arguments)}')
    return result.stdout.decode('latin-1')
