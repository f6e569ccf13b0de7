#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""scripts/machine: refused arguments, QEMU arguments that no boot of tests/qemu/cases has, the exit status of `run`, and the
report on KVM. A script replaces QEMU. Its tree's path has a comma, which QEMU's options need doubled."""
import os
import pathlib
import re
import types

import machine
import tap
import kvm

top = pathlib.Path(tap.folder).resolve() / 'a,b'
build = top / 'build'
qemu = build / 'qemu-system-x86_64'
COMMAND = top / 'scripts/machine'


for name in 'dstest86-64.elf firmware-64.elf BOOTX64.EFI dsmodel.so toolchain/ovmf/OVMF_CODE.fd toolchain/ovmf/OVMF_VARS.fd'.split():
    tap.write(build / name)
COMMAND.parent.mkdir()
for name in 'machine', 'lib':
    (COMMAND.parent / name).symlink_to(machine.ROOT / 'scripts' / name)
tap.write(qemu, "#!/bin/sh\nprintf ' [%s]' \"$@\"\nexit 77\n")
qemu.chmod(0o755)


def run(*arguments):
    return machine.run(COMMAND, *arguments)


# ---- QEMU's arguments
status, out, _ = run(*'boot -p core2 -f x,y -q z -L 7:u,v -d F,D'.split())
plugin = f"{build}/dsmodel.so,".replace(',', ',,')[:-1] + 'profile=core2,truth=F,,D/truth,violations=F,,D/violations,quirk=z,latitude=7:u,,v,fault=x,,y'
tap.ok(out.endswith(f' [-plugin] [{plugin}]'), 'commas are doubled', out)
tap.same(status, 77, 'boot passes on the status of QEMU')
tap.like(run('boot', '--', '-m', 16)[1], r' \[-m\] \[256\] .* \[-m\] \[16\]$', "the user's QEMU options come last")
tap.same(run(*'boot --route=pvh --width= --profile=none --options= --fault= --latitude='.split())[0], 77,
         'empty options, as make passes them, mean the defaults')
tap.ok('plugin' not in run(*'boot -p none -d F -f x -q y -L 7'.split())[1], 'no model with the profile none')
tap.ok('no-reboot' not in run(*'boot -R -p none -k'.split(), qemu)[1], 'a machine that restarts')
image = build / 'copy.iso'
image.write_bytes((machine.BUILD / 'dstest86.iso').read_bytes())
run('boot', '-r', 'usb', '-p', 'none', '-R', '-k', image, '-o', os.fsdecode(b'run=\xe4'))
tap.ok(b'\nrun=\xe4\n' in image.read_bytes(), 'options.txt gets the bytes of the options, which need not be text')

# ---- refused arguments
for arguments, said in [
        ('boot -w 16', "unknown width '16'; expected one of: 32 64\n"),
        *((f'boot -s {n}', f"--processors: expected a number from 1 to 999, not '{n}'\n") for n in ('0', '1000', 'x', '1x')),
        (f'boot -r uefi -k {qemu}', f'--image={qemu}: route uefi starts only the kernels inside the loader; use --route=pvh\n'),
        ('boot -b x2apic,acpi', "--firmware: unknown 'acpi'; expected some of: absent device "),
        ('boot -b lvt -r cd', '--firmware=lvt: route cd has firmware of its own; use --route=pvh\n'),
        ('boot -r pxe', "unknown route 'pxe'; expected one of: bios-cd "),
        ('boot -r usb -R', '--restart writes to the image; give a copy of it as --image=FILE\n'),
        (f'boot -r usb -R -k {qemu} -o list', f'{qemu}: no GPT; give an image of dstest86\n'),
        ('boot -r net -o list', 'route net gets its loader and its options from a server; omit --image, --width and --options\n'),
        ('boot -m /no/such.so', '--model=/no/such.so: no such file\n'), ('boot -k /no/such.elf', '--image=/no/such.elf: no such file\n'),
        ('boot -a hvf', "unknown accel 'hvf'; expected one of: kvm tcg\n"),
        *((f'boot -a kvm --{name}=/x', f'--accel=kvm --{name}=/x: there is no model on a real processor\n')
          for name in 'fault quirk latitude folder firmware cores model'.split()),
        ('boot -r cd', 'build/dstest86.iso is missing; run ./bootstrap, then make\n'),
        ('run -w 32', 'build/dstest86-32.elf is missing; run ./bootstrap, then make\n'),
        ('boot --unknown', 'option --unknown not recognized; see machine --help\n'), ('start', "unknown subcommand 'start'"),
        ('', "unknown subcommand ''")]:
    status, _, errors = run(*arguments.split())
    tap.ok(errors.startswith(f'machine: {said}') and errors.count('\n') == 1, f'{arguments} is refused', errors)
    tap.same(status, 2, '... with status 2')
status, text, _ = run('--help')
tap.ok(status == 0 and text == run('run', '--help')[1], '--help prints the same with and without a subcommand')
tap.same([name for name in re.findall(r'^ +-\w, --(\w+)', text, re.M) if 'not recognized' in run('boot', f'--{name}')[2]], [],
         'each option in the help exists')

# ---- run: the verdict, on which the log and QEMU's exit status must agree
NAMES = 'pass', 'fail', 'skip', 'error'


def log(verdict, result, directive='', facility=''):
    """The lines of a boot with one test."""
    counts = {name: int(name == result) for name in NAMES}
    return ['# begin dstest86 0.1.0 abc 64', '1..1', f"{'not ' if result in ('fail', 'error') else ''}ok 1 bts.one{directive}",
            '# area pass differs fail skip error', f"# area bts {counts['pass']} 0 {counts['fail']} {counts['skip']} {counts['error']}",
            *([f'# {result} bts.one: bad'] if result in ('fail', 'error') else []), f'# facility bts {facility}', '# facility pebs not selected', '# facility lbr not selected',
            f"# end dstest86 verdict={verdict} {' '.join(f'{name}={counts[name]}' for name in NAMES)} differs=0"]


def run_log(ending, errors, *lines):
    tap.write(qemu, '\n'.join(['#!/bin/sh', "cat <<'X'", *lines, 'X', "cat >&2 <<'X'", f'{errors}X', ending, '']))
    return '|'.join(map(str, run('run', '-p', 'none')))


passed = log('pass', 'pass', facility='pass 1 of 1')
for qemu_status, status, lines in [
        (33, 0, passed), (35, 1, log('fail', 'fail', facility='fail 1 of 1')),
        (45, 3, log('incomplete', 'skip', ' # SKIP no DS', 'untested: no APIC')), (37, 77, log('skip', 'skip', ' # SKIP no DS', 'none: no DS')),
        (39, 99, log('error', 'error', ' # ERROR no plan', 'fail 1 of 1')),
        (41, 134, [passed[0], '# panic vector 8', '# end dstest86 verdict=panic pass=0 fail=0 skip=0 error=0 differs=0'])]:
    verdict = re.search(r'verdict=(\w+)', lines[-1])[1]
    wanted = f'{status}|' + '\n'.join([*lines, '|'])
    tap.same(run_log(f'exit {qemu_status}', '', *lines), wanted, f'{verdict}: status {status}')
    tap.same(run_log('exit 0', '', *lines), wanted, f'{verdict}, then a shutdown: status 0 is accepted')
    other = 35 if qemu_status == 33 else 33
    tap.like(run_log(f'exit {other}', '', *lines), rf"(?s)^2\|.*\|machine: the log says {verdict}, QEMU's exit status {other} says ",
             f"{verdict}, but QEMU's status is another verdict")
    tap.like(run_log('kill -SEGV $$', '', *lines), r"(?s)^2\|.*\|machine: QEMU's exit status 139 is not a verdict\n",
             f'{verdict}, but QEMU crashes')
tap.like(run_log('exit 33', '', *passed[:-1]), r'(?s)^2\|.*\|machine: no "# end dstest86" line: the log is cut short\n', 'a log without its end')
tap.same(run_log('exit 1', 'no such device\n'), '2||no such device\n', 'QEMU does not start')
NO_KERNEL = 'dstest86: no kernel started; returning to the firmware in 30 seconds, or after a key'
tap.same(run_log('exec sleep 100', '', '\033[2Jloader\r', '', NO_KERNEL), f'99|loader\n{NO_KERNEL}\n|', 'a loader that starts no kernel ends the run')
stick = '' if kvm.is_other('/sys') else 'boot this machine from a stick, or '
tap.like(run_log('exec sleep 100', 'KVM internal error. Suberror: 1\n', passed[0]),
         rf'(?s)^99\|.*\|KVM internal error.*\nmachine: KVM cannot continue this guest: [^;]*; {stick}use the model',
         "an error of KVM ends the run, with advice that fits the host's processor")

run_log('exit 33', '', *passed)
tap.same(machine.run('sh', '-c', f"'{COMMAND}' run -p none >/dev/full"), (99, '', 'machine: standard output: No space left on device\n'),
         'a full disk ends the run')

# ---- kvm
for vendor, said in ('0000', ': load the module kvm_intel; '), (
        '0002', r", and this host's processor is not Intel's: .*; use the model \(without accel=kvm\)"):
    tap.write(top / 'sys/devices/system/cpu/modalias', f'cpu:type:x86,ven{vendor}fam0019mod0001:feature:\n')
    tap.like('|'.join(map(str, run('kvm', top / 'kvm', top / 'sys'))), rf'^1\|\|kvm: there is no {re.escape(str(top))}/kvm{said}', f'no KVM on vendor {vendor}')
tap.same(run('kvm', '/dev/null'), (1, '', 'kvm: /dev/null is not KVM: it reports no API version\n'), 'a device other than KVM')
# What a KVM with these answers lacks: CPUID leaves 0 and 0AH, bit 21 (DS) of CPUID.1:EDX, the format of the LBRs.
intel, amd = (0, 0x756e6547, 0x6c65746e, 0x49656e69), (0, 0x68747541, 0x444d4163, 0x69746e65)
kvm.fcntl = types.SimpleNamespace(ioctl=lambda *_: kvm.API_VERSION)
for vendor, version, ds, form, lacks in (
        (intel, 2, 1, 5, 'no BTS'), (intel, 2, 0, 5, 'no PEBS, no BTS'), (intel, 2, 1, 0, 'no LBR, no BTS'),
        (amd, 2, 1, 5, 'the processor is AuthenticAMD')):
    kvm.supported_cpuid = lambda _: {(0, 0): vendor, (1, 0): (0, 0, 0, ds << 21), (10, 0): (version, 0, 0, 0)}
    kvm.feature_msr = lambda *_: form
    cpu, missing = kvm.exposed('/dev/null', '/sys')
    tap.same((cpu, ', '.join(text.split(':')[0] for text in missing)),
             ('host,migratable=off,pmu=on' + ',lbr-fmt=0x5' * bool(form), lacks), f'KVM: {lacks}')
if not os.access('/dev/kvm', os.R_OK | os.W_OK):
    tap.skip('KVM answers', '/dev/kvm is missing or not accessible')
    tap.done()
status, cpu, said = run('kvm')
tap.same(status, 0, 'KVM answers')
tap.like(cpu, r'^host,migratable=off,pmu=on(?:,lbr-fmt=0x[1-9a-f][0-9a-f]?)?$', '... with a processor for QEMU')
if not re.search('no counters|every test will be skipped', said):
    tap.skip('without counters the verdict is skip', 'this processor has counters: its verdict is unknown in advance')
    tap.done()
status, out, _ = machine.run('timeout', 120, machine.MACHINE, 'run', '-a', 'kvm', '-o', 'run=lbr.calls timeout=20')
tap.same(status, 77, 'without counters the verdict is skip')
tap.like(out, r'(?m)^# hypervisor \S.*\n(?:.*\n)*# facility lbr none: .*\n# end dstest86 verdict=skip pass=0 ', '... the log names the hypervisor')
tap.done()
