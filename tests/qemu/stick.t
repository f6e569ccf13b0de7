#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""Usage: stick.t        (environment kills=50 seed=2: 50 machines lose their power, at other moments)

The kernel keeps its log in memory, and the loader writes it to the stick at the next start: the file equals the serial output,
a log that cannot be written is reported, and a power loss at any moment does not damage the file system."""
import collections
import os
import pathlib
import random
import re
import struct

import machine
import stick
import tap

FOLDER = pathlib.Path(tap.folder)
STICK = FOLDER / 'stick'
KILLS = int(os.environ.get('kills') or 2)
random.seed(os.environ.get('seed') or '1')

CLOCK = '-rtc', 'base=2026-01-02T03:04:05'
KEY = r'press a key within 30 seconds to run the tests again\r\n'
LOG = r'(?ms)^(# begin dstest86 .*?^# end dstest86 [^\n]*\n)'
LOGS = '/dstest86/logs/'


def boot(until, *options, after=0):
    """What a machine that starts from the stick writes until the pattern, without carriage returns; and whether the pattern matched."""
    return machine.boot_until(re.compile(until), *map(str, options), after=after)


def log_in(said):
    """The kernel's log as it must be on the stick."""
    return (re.findall(LOG, said) or [''])[0].replace('\n', '\r\n').encode('latin-1')


def put(name, data, where=''):
    """Copies a file with this content to the stick."""
    (FOLDER / name).write_bytes(data)
    stick.mtools(STICK, 'mcopy', FOLDER / name, where or f'::/{name}')


def file_system():
    """Copies the stick's file system to a file."""
    image = STICK.read_bytes()
    start, size = stick.partition(image)
    (FOLDER / 'esp').write_bytes(image[start:start + size])
    return FOLDER / 'esp'


def logs():
    """The logs on the stick, NAME => bytes."""
    return {path.removeprefix(LOGS): data for path, data in stick.files(STICK).items() if path.startswith(LOGS)}


def all_but_logs():
    """The other files, except those that scripts/machine changes."""
    return {path: data for path, data in stick.files(STICK).items()
            if not path.startswith(LOGS) and not path.endswith(('options.txt', 'grub.cfg'))}


def restarted(memory, until, *more, after=0):
    """Starts a machine from the stick with log=stick. It has `memory` at 48 MiB, as if a kernel's log had outlasted a reset."""
    (FOLDER / 'memory').write_bytes(memory)
    return boot(until, '-r', 'usb', '-R', '-k', STICK, '-p', 'none', '-o', 'log=stick exit=none run=nothing', *more, '--', *CLOCK,
                '-device', f'loader,file={FOLDER}/memory,addr=0x3000000,force-raw=on', after=after)


# ---- two starts --------------------------------------------------------------------------------------------------------
stick.copy(STICK)
others = all_but_logs()
said, came = boot(KEY, '-r', 'usb', '-R', '-k', STICK, '-o', 'run=bts.calls,lbr.* log=stick exit=none', '--', *CLOCK)
tap.ok(came, 'the machine restarts by itself, and the loader saves the log', said)
address = re.findall('(?m)^# log kept in 1024 KiB at 0x([0-9a-f]+), for the loader after a restart$', said)
tap.ok(address, 'the log has the address where it is kept')
name = f'{re.search(" signature 0x([0-9a-f]{8}) ", said)[1]}-20260102-1.log'
left = logs()
tap.same(list(left), [name], 'one file, named by signature, date and number')
tap.ok(left.get(name) == log_in(said), 'the file equals the serial output', str(left.get(name)))
last = re.search('(?m)^# end .*', said)[0]
tap.like(said, '(?m)^# log kept: the machine restarts in 10 seconds, and the loader saves the log\n' + re.escape(last) + '\n',
         'the restart is announced')
tap.same((re.findall('(?ms)^(dstest86: saving .*?)dstest86: press ', said) or [''])[0],
         f'dstest86: saving the log of the previous run: {len(log_in(said))} bytes\n'
         f'dstest86: the log of the previous run is in \\dstest86\\logs\\{name}\ndstest86: its last line: {last}\n',
         'the loader reports what it wrote')
tap.same(len(re.findall('(?m)^# begin ', said)), 1, 'the tests run only once')
tap.same(stick.fsck(file_system()), [], 'the file system is sound')
tap.same(all_but_logs(), others, 'no other file on the stick is changed')

# Firmware and kernel of 32 bits.
for route, *width in ('usb32',), ('usb', '-w', '32'):
    stick.copy(STICK)
    said, _ = boot(KEY, '-r', route, '-R', '-k', STICK, *width, '-p', 'core2', '-o', 'run=bts.calls log=stick exit=none end=reboot')
    tap.ok(list(logs().values()) == [log_in(said)] != [b''], f'the log by route {" ".join([route, *width])}', said)
    tap.ok('the machine restarts in' not in said, '... end=reboot: restarts without a delay')


# ---- logs that cannot be kept; test_uefi_log.c has every reason ------------------------------------------------------------------
def not_kept(what, why, route):
    """With log=stick, a log that cannot be kept: loader and kernel say why, and the machine does not restart."""
    text, _ = boot('(?m)^# end dstest86 .*\r\n', '-r', route, '-R', '-k', STICK, '-p', 'none', '-o', 'log=stick exit=none run=bts.calls')
    why = re.escape(why)
    tap.like(text, rf'(?m)^dstest86: the log will not be saved: {why}$', f'{what}: the loader says why')
    tap.like(text, rf'(?m)^# loader: the log will not be saved: {why}\n(?:#.*\n)*# log not kept: see "loader:" above$', '... the kernel repeats it')
    tap.ok('the machine restarts' not in text, '... no restart')
    return re.search(' signature 0x([0-9a-f]{8}) ', text)[1]


stick.copy(STICK)
not_kept('a CD', 'the boot volume is read-only (boot from a USB stick)', 'cd')
room = int(re.search(rb'([0-9 ]+) bytes free', stick.mtools(STICK, 'mdir', '::/'))[1].replace(b' ', b''))
put('fill', b'x' * (room - 60000))
stock = not_kept('a full stick', 'the boot volume has too little free space (delete old logs)', 'usb')

# ---- memory at the second start ----------------------------------------------------------------------------------------------
TEXT = b'# begin dstest86' + b''.join(b'\r\n# line %d ' % n + b'x' * (n % 71) for n in range(1, 1501)) + b'\r\n# end dstest86 verdict=pass\r\n'
memory = stick.kept_log(TEXT)

stick.copy(STICK)
put('fill', b'x' * (room - 67000))
tap.like(restarted(memory, KEY)[0], '(?m)^dstest86: the boot volume has too little free space: the middle of the log is left out$',
         'the stick has space for a part')
part, = logs().values()
head, left_out, tail = re.fullmatch(rb'(.*\n)# log full: (\d+) lines are left out here\r\n(.*)', part, re.S).groups()
tap.ok(TEXT.startswith(head) and TEXT.endswith(tail) and len(tail) > 32700, '... the file has the head and the last 32 KiB')
tap.same(int(left_out), TEXT.count(b'\n') - head.count(b'\n') - tail.count(b'\n'), '... and the number of omitted lines')
stick.copy(STICK)
damaged = bytearray(memory)
damaged[stick.HEAD_SIZE + 1000] ^= 1
tap.like(restarted(damaged, KEY)[0], '(?m)^dstest86: the log of the previous run is lost: its memory at 0x3000000 was overwritten$',
         'one changed bit')
tap.same(logs(), {}, '... the stick stays empty')

# The stick has a note of a run, but its memory was cleared by the reset.
said, _ = boot(KEY, '-r', 'usb', '-R', '-k', STICK, '-p', 'none', '-o', 'log=stick exit=none end=reboot run=bts.calls', '--', *CLOCK,
               '-device', f'loader,addr=0x{address[0]},data=0,data-len=8')
tap.like(said, "(?m)^dstest86: the log of the previous run is lost: the machine was switched off, "
         "or its firmware clears or uses the log's memory at a restart$", 'a log that the reset destroyed is reported')
tap.same(logs(), {}, '... no file is written')

for number in range(1, 12):
    put('old', b'old\n', f'::{LOGS}{stock}-20260102-{number}.log')
want = logs() | {f'{stock}-20260102-12.log': TEXT}
said, _ = restarted(memory, KEY)
tap.ok(logs() == want, 'the next log gets the next number; the others are unchanged', said)

# ---- the power fails ---------------------------------------------------------------------------------------------------------------------
# States that firmware may leave and fsck.fat repairs without loss: the dirty bit, clusters of no file, two different FATs (the
# first is right), a long name whose file is not written yet.
HARMLESS = re.compile(r'''Dirty\ bit\ is\ set\.\ |\ *Automatically\ removing\ dirty\ bit\.$|Reclaimed\ \d+\ unused\ clusters?\ |
    FATs\ differ\ but\ appear\ to\ be\ intact\.$|\ *Using\ first\ FAT\.$|Orphaned\ long\ file\ name\ part\ |\ *Auto-deleting\.$|
    Leaving\ filesystem\ unchanged\.$|$''', re.X)

# The log of one machine's writes has every moment: the power may fail after each sector. Replays it onto the stick that the
# machine started with, which has its options.
BLOCK = 512
stick.copy(STICK)
(FOLDER / 'writes').touch()
said, came = restarted(memory, KEY, '-W', FOLDER / 'writes')
tap.ok(came, 'a machine whose writes to the stick are logged', said)
written = STICK.read_bytes()
start, size = stick.partition(written)

# QEMU's log has the format of Linux's drivers/md/dm-log-writes.c: one header block, then for each write a block with its first
# sector, count and flags, and its data.
writes, sectors, at = (FOLDER / 'writes').read_bytes(), [], BLOCK
while at + BLOCK <= len(writes):
    sector, count, flags = struct.unpack_from('<QQQ', writes, at)
    at += BLOCK
    if not flags & 4:    # discarded: no data
        sectors += [(sector + n, writes[at + n * BLOCK:at + (n + 1) * BLOCK]) for n in range(count)]
        at += count * BLOCK
tap.ok(len(sectors) > len(TEXT) / BLOCK, '... writes all sectors of the log')
tap.same([sector for sector, _ in sectors if not start <= sector * BLOCK < start + size], [], '... and none outside the partition')

options = {name: stick.mtools(STICK, 'mtype', f'::/dstest86/{name}') for name in ('options.txt', 'grub.cfg')}
stick.copy(STICK)
for name, data in options.items():
    (FOLDER / name).write_bytes(data)
    stick.mtools(STICK, 'mcopy', '-o', FOLDER / name, '::/dstest86/')
damage, seen, states = [], collections.Counter(), collections.Counter()
with open(STICK, 'r+b', buffering=0) as disk:
    for moment, (sector, data) in enumerate(sectors):
        disk.seek(sector * BLOCK)
        disk.write(data)
        if moment < len(sectors) - 1 and data in TEXT:
            continue    # the file's data, which fsck does not read
        complaints = stick.fsck(file_system())
        seen.update(filter(HARMLESS.match, complaints))
        damage += [f'after {moment} sectors: {line}' for line in complaints if not HARMLESS.match(line)]
        state = next(iter(logs().values()), None)
        states['no file' if state is None else 'an empty file' if not state else 'the log' if state == TEXT else 'a file without all of it'] += 1
tap.same(damage, [], f'no damage after any of its {len(sectors)} sectors')
tap.ok(STICK.read_bytes() == written, '... and the replayed stick equals the written one')
print(*(f'# {line} {count} times' for line, count in sorted(seen.items())), sep='\n')
print(*(f'# {state}: after {count} sectors' for state, count in sorted(states.items())), sep='\n')

# Machines that really lose their power.
damage, complete = [], 0
for kill in range(1, KILLS + 1):
    stick.copy(STICK)
    restarted(memory, 'saving the log', after=random.uniform(0, 0.06))
    damage += [f'kill {kill}: {line}' for line in stick.fsck(file_system()) if not HARMLESS.match(line)]
    damage += [f'kill {kill}: another file was changed'] if all_but_logs() != others else []
    complete += TEXT in logs().values()
tap.same(damage, [], f'{KILLS} machines are killed during the write: no damage')
print(f'# {complete} of {KILLS} had written their log')
tap.done()
