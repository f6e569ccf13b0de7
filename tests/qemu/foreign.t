#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""The ISO on firmware and on an emulator that are independent of OVMF, SeaBIOS and QEMU: U-Boot's UEFI, which passes options for
Linux and, in 2023.01 on x86-64, leaves SSE disabled; and Bochs with its own BIOS."""
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import time

from machine import BUILD
import tap

SECONDS = 300    # for a boot, which takes less than half a minute on a busy host

# Debian's release, U-Boot's version there, its processor, the route and the width of the kernel that starts.
U_BOOT = [
    ('bookworm', '2023.01', 'qemu-x86', 'uefi ia32'),
    ('bookworm', '2023.01', 'qemu-x86_64', 'uefi x64'),
    ('trixie', '2025.01', 'qemu-x86', 'uefi ia32'),
    ('trixie', '2025.01', 'qemu-x86_64', 'uefi x64'),
]
# Bochs's models of processors, and what the kernel finds. Bochs has no debug store.
BOCHS = [
    ('p2_klamath', '32', 'family 6 model 3', 'CPUID.1:EDX bit 21 clear'),
    ('corei7_haswell_4770', '64', 'family 6 model 3c', 'IA32_MISC_ENABLE bit 7 clear'),
]


def check(name, log, *patterns):
    missing = [pattern for pattern in patterns if not re.search(pattern, log, re.M)]
    tap.ok(not missing, name, '\n'.join(f'not in the log: {pattern}' for pattern in missing) + log[-1500:])


def boot_u_boot(rom):
    command = ['timeout', str(SECONDS), BUILD.parent / 'scripts/machine', 'boot', '-r', 'bios-disk', '-p', 'skylake', '-o', 'run=quick',
               '--', '-bios', rom]
    return subprocess.run(command, capture_output=True).stdout.decode('latin-1').replace('\r', '')


def boot_bochs(model):
    """The log of the serial port up to the verdict. Bochs needs a terminal; a build with its debugger waits for a command."""
    log, rc = pathlib.Path(tap.folder, f'{model}.log'), pathlib.Path(tap.folder, f'{model}.rc')
    rc.write_text(f"""display_library: term
cpu: model={model}, ips=10000000
megs: 128
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
ata0-master: type=cdrom, path={BUILD}/dstest86.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev={log}
log: {rc}.log
clock: sync=none
panic: action=fatal
""")
    log.touch()
    process, terminal = pty.fork()
    if process == 0:
        os.environ['TERM'] = 'vt100'
        os.execvp('bochs', ['bochs', '-q', '-f', str(rc)])
    end, said = time.time() + SECONDS, b''
    try:
        while time.time() < end and not re.search(rb'\n# end dstest86.*\n', log.read_bytes()):
            said += os.read(terminal, 65536) if select.select([terminal], [], [], 0.5)[0] else b''
            if b'<bochs:' in said:
                os.write(terminal, b'c\n')
                said = b''
    except OSError:    # Bochs has ended
        pass
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    os.close(terminal)
    return log.read_bytes().decode('latin-1').replace('\r', '')


for release, version, processor, route in U_BOOT:
    rom = BUILD / 'toolchain/u-boot' / release / processor / 'u-boot.rom'
    name = f'U-Boot {version} {processor}'
    if not rom.exists():
        tap.skip(name, 'no U-Boot here; ./bootstrap --all fetches it')
        continue
    check(name, boot_u_boot(rom), f'^U-Boot {version}', rf'^# boot route {route}, ', r'^# loader: load options: ignored 78 bytes: words for Linux',
          r'^# end dstest86 verdict=pass pass=21 fail=0 ')
for model, width, family, why in BOCHS:
    name = f'Bochs {model}'
    if not shutil.which('bochs') or not pathlib.Path('/usr/share/bochs/BIOS-bochs-latest').exists():
        tap.skip(name, 'no Bochs here; ./bootstrap --all installs it')
        continue
    check(name, boot_bochs(model), rf'^# begin dstest86 \S+ \S+ {width}$', r'^# boot route multiboot2 ', rf'^# cpu GenuineIntel {family} ',
          rf'^# facility bts none: no DS \({why}\)$', r'^# end dstest86 verdict=skip pass=17 fail=0 ')
tap.done()
