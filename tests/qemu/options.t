#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Options and commands of QEMU that the model does not support: the model refuses them with one sentence and a status, or the
guest loses records, but never crashes."""
import os
import subprocess
import time

from machine import BUILD
import tap
from tap import folder

SECONDS = 60
PLUGIN = str(BUILD).replace(',', ',,') + '/dsmodel.so'
KERNEL = '-kernel', f'{BUILD}/dstest86-64.elf', '-append'
# QEMU's exit status encodes the guest's verdict: 33 is a pass.
GUEST = (*'-cpu max -device isa-debug-exit,iobase=0xf4,iosize=4 -serial'.split(), f'file:{folder}/com1', '-plugin', f'{PLUGIN},profile=skylake')


def qemu(system, commands, *words):
    """Starts QEMU with a monitor, and sends it the lines, a second apart. Returns its exit status and its standard error."""
    with subprocess.Popen(['timeout', str(SECONDS), f'{BUILD}/qemu-system-{system}', *'-machine q35 -m 256 -nodefaults -no-user-config '
                           '-no-reboot -display none -monitor stdio'.split(), *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as guest:
        for command in commands:
            time.sleep(1)
            try:
                print(command, file=guest.stdin, flush=True)
            except BrokenPipeError:
                break
        errors = guest.stderr.read()
    return guest.returncode, errors


def refused(name, sentence, system, *words):
    tap.same(qemu(system, [], *words), (1, f'dsmodel: {sentence}\n'), name)


# ---- a profile that contradicts -cpu
for system, cpu, profile, feature in (('x86_64', 'qemu64,-lm', 'skylake', 'long mode'), ('x86_64', 'pentium3', 'skylake', 'long mode'),
                                      ('x86_64', '486', 'goldencove', 'MSRs'), ('x86_64', 'max,-msr', 'netburst', 'MSRs'),
                                      ('i386', '486', 'core-duo', 'MSRs')):
    refused(f'qemu-system-{system} -cpu {cpu}', f"profile={profile} has {feature}, and QEMU's -cpu lacks it: use -cpu max",
            system, '-accel', 'tcg', '-cpu', cpu, '-plugin', f'{PLUGIN},profile={profile}')
for named, *words in ('-accel tcg,thread=single', '-accel', 'tcg,thread=single'), ('-icount', '-accel', 'tcg', '-icount', 'shift=0'):
    refused(f'{named} with several processors', f"QEMU's {named} is not supported with several processors: callbacks would get the number of "
            'the wrong processor; start QEMU without it', 'x86_64', *words, '-smp', '2', '-cpu', 'max', '-plugin', f'{PLUGIN},profile=skylake')
SECOND = PLUGIN.replace('/dsmodel.so', '/./dsmodel.so')    # QEMU adds the options of two plugins of the same name
refused('two plugins', 'the plugin is loaded twice: name it in one -plugin option only', 'x86_64', '-accel', 'tcg', '-cpu', 'max',
        '-plugin', f'{PLUGIN},profile=skylake', '-plugin', f'{SECOND},profile=skylake')
KVM = '-accel', 'kvm', '-cpu', 'max'
if os.access('/dev/kvm', os.W_OK) and qemu('x86_64', ['quit'], *KVM)[0] == 0:
    refused('-accel kvm', 'this QEMU accelerator is not supported: start QEMU with -accel tcg', 'x86_64', *KVM,
            '-plugin', f'{PLUGIN},profile=skylake')
else:
    tap.skip('-accel kvm', 'no KVM here')

# ---- options that are supported
for threads, processors in ('single', 1), ('multi', 2):
    tap.same(qemu('x86_64', [], '-accel', f'tcg,thread={threads}', '-smp', str(processors), *GUEST, *KERNEL, 'run=bts.*,lbr.*,pebs.loads'),
             (33, ''), f'thread={threads}, processors: {processors}')
# Its processor has fewer and narrower registers. The model would report a loss; the tests compare all fields of records.
for profile, tests in ('skylake', 'bts.calls,lbr.*,pebs.*'), ('clearwaterforest', 'pebs.*,arch.*'):
    tap.same(qemu('i386', [], '-accel', 'tcg', *GUEST[:-1], f'{PLUGIN},profile={profile}', '-kernel', f'{BUILD}/dstest86-32.elf', '-append',
                  f'run={tests}'), (33, ''), f'qemu-system-i386, {profile}')
tap.same(qemu('x86_64', ['device_add max-x86_64-cpu,socket-id=1,core-id=0,thread-id=0', 'cont'], '-accel', 'tcg', '-S',
              '-smp', '1,maxcpus=2,sockets=2', *GUEST, *KERNEL, 'run=bts.*,lbr.*'), (33, ''), 'a hot-plugged processor')

# The model's state does not migrate. The guest's tests may then fail, but it reaches a verdict. It stands meanwhile: it might end first.
tap.same(qemu('x86_64', ['stop', f'migrate file:{folder}/state', 'quit'], '-accel', 'tcg', *GUEST, *KERNEL, ''), (0, ''), 'a guest is saved')
status, errors = qemu('x86_64', ['cont'], '-accel', 'tcg', '-incoming', f'file:{folder}/state', *GUEST, *KERNEL, '')
tap.ok(status in (33, 35, 37, 39, 45) and errors == '', 'the guest continues in another QEMU', f'{status} {errors}')
tap.done()
