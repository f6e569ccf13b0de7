# SPDX-License-Identifier: MIT
"""The stick as an image file: its EFI system partition, the files in it, fsck.fat's report; and the memory with a kernel's log from
before a reset (boot/kept_log.h), made without a kernel, for a machine that starts with it."""
import os
import pathlib
import re
import shutil
import struct
import subprocess

import machine

os.environ['PATH'] += ':/usr/sbin:/sbin'
os.environ['MTOOLSRC'] = '/dev/null'


def copy(path: pathlib.Path) -> pathlib.Path:
    """Copies the built stick to this path, which it returns."""
    shutil.copyfile(machine.BUILD / 'dstest86.iso', path)
    return path


def partition(image: bytes) -> tuple[int, int]:
    """First byte and length of partition 2: the GPT's entries of 128 bytes follow two blocks of 512."""
    first, last = struct.unpack_from('<QQ', image, 2 * 512 + 128 + 32)
    return 512 * first, 512 * (last - first + 1)


def mtools(path: pathlib.Path, command: str, *arguments: object) -> bytes:
    """The output, as bytes, of a command of mtools for the stick at this path."""
    with open(path, 'rb') as stick:
        start, _ = partition(stick.read(4096))
    return subprocess.run([command, '-i', f'{path}@@{start}', *arguments], stdin=subprocess.DEVNULL, check=True, stdout=subprocess.PIPE).stdout


def files(path: pathlib.Path) -> dict[str, bytes]:
    """All files of the stick: path => bytes."""
    names = mtools(path, 'mdir', '-b', '-/', '::/').decode().splitlines()
    return {name.removeprefix('::'): mtools(path, 'mtype', name) for name in names if not name.endswith('/')}


def fsck(path: pathlib.Path) -> list[str]:
    """fsck.fat's complaints about a file system; empty if it is sound."""
    _, said, _ = machine.run('fsck.fat', '-n', path)
    return [line.rstrip() for line in said.splitlines() if not re.match(rf'fsck\.fat \d|{re.escape(str(path))}: \d+ files', line)]


# ---- the kept log

SIZE, HEAD_SIZE, END_SIZE = 0x100000, 0x1000, 0x8000


def fnv(data: bytes) -> bytes:
    """FNV-1a of 64 bits."""
    total = 0xcbf29ce484222325
    for byte in data:
        total = (total ^ byte) * 1099511628211 % 2**64
    return struct.pack('<Q', total)


def mark(serial: int, before: int, text: bytes) -> bytes:
    head = struct.pack('<4I', serial, before, text.count(b'\n'), len(text)) + fnv(text)
    return head + fnv(head)


def kept_log(text: bytes) -> bytes:
    """The whole memory, with a log of this text, which must fit into the first part."""
    room = SIZE - HEAD_SIZE - 2 * END_SIZE
    if len(text) > room:
        raise ValueError(f'the text has more than {room} bytes')
    head = b'dst86log' + struct.pack('<IIQ', 1, SIZE, 0x1234)
    head += fnv(head) + mark(7, 0, text) + mark(6, 0, b'') + (mark(0, 0, b'') + bytes(32)) * 2
    return head.ljust(HEAD_SIZE, b'\0') + text.ljust(room + 2 * END_SIZE, b'\0')
