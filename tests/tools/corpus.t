#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""contrib/corpus/check accepts a log of a machine with its form, and refuses one with a mistake for only that mistake.
tests/host/test_log_judge.c has the mistakes of a log that dsdump --judge finds."""
import pathlib
import re
import subprocess

from tap import HERE, done, folder, ok, same
from writer import Dump

CHECK = HERE.parent.parent / 'contrib/corpus/check'
log, form = (pathlib.Path(folder) / f'log.{end}' for end in ('log', 'form'))
dump = Dump()
dump.head()
dump.begin('bts.one')
dump.bts([(0x1000, 0x2000)])
dump.end()
GOOD = f"""# begin dstest86 0.1.0 abc 64
# cpu GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 Skylake
# cpu physical 39 bits, linear 48 bits, NX, no hypervisor, microcode 0xf0
1..1
ok 1 bts.one
# area pass differs fail skip error
# area bts 1 0 0 0 0
# facility bts pass 1 of 1
# facility pebs none: no PEBS
# facility lbr not selected
{chr(10).join(dump.lines[1:])}
# end dstest86 verdict=pass pass=1 fail=0 skip=0 error=0 differs=0
"""


def check():
    done_ = subprocess.run([CHECK, log], capture_output=True, text=True)
    return done_.returncode, done_.stdout.replace(f'{log}: ', '')


def edited(text, edit):
    found, to = edit
    changed = text.replace(found, to)
    ok(changed != text, f'{found!r} is there') if changed == text else None
    return changed


def refused(reasons, of_log=('', ''), of_form=('', ''), what=''):
    """The check's complaints about the log and the form after an edit of each; the form has the edited log's sum."""
    log.write_text(edited(GOOD, of_log) if of_log[0] else GOOD)
    form.unlink(missing_ok=True)
    blank = check()[1].split('as below\n')[1]
    filled = edited(blank, ('...', 'filled in'))
    form.write_text(edited(filled, of_form) if of_form[0] else filled)
    same(check(), (1, ''.join(['refused\n', *(f'  {reason}\n' for reason in reasons)])) if reasons else (0, 'accepted\n'),
         what or ' | '.join(reasons))


refused([], what='a good log and the printed form, filled in')
log.write_bytes(b'\33[0m' + GOOD.replace('\n', '\r\n').encode())
same(check(), (0, 'accepted\n'), '... also with other line ends')
form.unlink()
status, said = check()
ok(status == 1 and re.fullmatch(rf'refused\n  no form: write {re.escape(str(form))} as below\nmachine: \.\.\.\nfirmware: \.\.\.\nsignature: 0x000506e3\n'
                                r'microcode: 0xf0\nsha256: [0-9a-f]{64}\n', said), 'a log without a form: a form is printed')
form.write_text(said.split('as below\n')[1])
same(check(), (1, 'refused\n  the form lacks machine\n  the form lacks firmware\n'), '... which is refused until it is filled in')

FRAME = GOOD[GOOD.index('# dsdump/1 0'):GOOD.index('# end')]
refused(['verdict=fail, but the results make it pass'], ('verdict=pass', 'verdict=fail'))
refused(['no raw dump: boot the kernel with dump=raw, or run ds-linux --dump'], (FRAME, ''))
refused(['line 12: the dump: damaged frame: its checksum does not match', 'line 13: the dump: frame 1: missing before this line',
         'line 14: the dump: 1 of 1 bts records are lost'], ('first=0', 'first=1'))
refused(['it ran under a hypervisor: the corpus has logs of machines only'], ('no hypervisor', 'under a hypervisor'))
CPU = GOOD[GOOD.index('# cpu'):GOOD.index('1..1')]
LINUX = '# cpuid 0x1 0: 0x000506e3 0x1 0x2 0x3\n# cpu GenuineIntel 06_5e stepping 3, Skylake, microcode 0xf0, a brand\n'
refused([], (CPU, LINUX), what='a log of ds-linux: signature and microcode')
refused(['the form says microcode 0x1, the log has 0xf0'], (CPU, LINUX), ('0xf0', '0x1'), what='.. with another microcode')
refused(['it ran under a hypervisor: the corpus has logs of machines only'], (CPU, LINUX + '# hypervisor KVMKVMKVM\n'), what='.. of a guest')
for field, value in ('signature', '0x000506e3'), ('microcode', '0xf0'):
    refused([f'the form says {field} 0x1, the log has {value}'], of_form=(value, '0x1'))
refused(['the form lacks machine'], of_form=('machine: filled in\n', ''))
refused(['the form lacks machine'], of_form=('machine: filled in', 'machine:'))
LINE = 'the form: not a new line FIELD: TEXT with one of the fields machine firmware signature microcode sha256 remarks: '
for line in 'owner: me', 'machine: again', 'hello':
    refused([LINE + line], of_form=('sha256', f'{line}\nsha256'))
refused([], of_form=('sha256', 'remarks: a new board\nsha256'), what='a form with remarks')
refused(['personal: line 1 of the form has a serial number'], of_form=('machine: filled in', 'machine: x, S/N: 12'))

# Personal data in firmware's lines, and harmless lines that look similar.
PERSONAL = {
    'a UUID': ['4c4c4544-0051-3010-8052-b4c04f4e4d31', 'GUID: 4C4C4544 0051 3010 8052 B4C04F4E4D31', 'UUID: 4C4C4544005130108052B4C04F4E4D31'],
    'a MAC address': ['PXE over 52:54:00:AB:cd:01', '52-54-00-12-34-56', 'CLIENT MAC ADDR: 52 54 00 12 34 56', 'MAC: 5254.0012.3456',
                      'MAC 525400123456', 'PCIROOT(0)/PCI(1f,6)/MAC(525400123456,0x1)', '52:54:00:12:34:56:', 'MAC-52:54:00:12:34:56',
                      '# pebs data=52:54:00:12:34:56', '# code 52:54:00:12:34:56'],
    'a serial number': ['System Serial Number XYZ', 'service tag: 7XW2', 'SerialNumber: 12AB', 'Serial-Number: 12AB', 'serial_number=12AB',
                        'Serial #12AB', 'S/N 12AB', 'SN: 12AB', 'Asset Tag 55'],
    'a mail address': ['from someone@example.org'],
    'a network address': ['tftp://192.0.2.1/x', 'CLIENT IP: 192.168.1.17', 'at 10.0.2.15', 'inet6 fe80::5054:ff:fe12:3456',
                          'IPv6(2001:db8::1)', 'IPv4(192.0.2.4)'],
}
HARMLESS = ['sections 16.4.9.2 and 18.18.8.1', 'BIOS 1.12.0 of 12-31-2024 10:11:12', 'serial port COM1: 115200', 'Machine 525400123456',
            'BIOS WYLPT10H.86A.0041.2015.0720.1108, ME 10.0.30.1072', '10 12 14 16 18 20 22']
told = [(line, name) for name, lines in PERSONAL.items() for line in lines]
refused([f'personal: line {n} has {name}' for n, (_, name) in enumerate(told, 1)],
        ('# begin', '\n'.join([line for line, _ in told] + HARMLESS + ['# begin'])), what='personal data in lines of firmware')
missing = subprocess.run([CHECK, f'{folder}/none'], capture_output=True, text=True)
same((missing.returncode, missing.stderr), (2, f'check: {folder}/none: No such file or directory\n'), 'a missing log')
done()
