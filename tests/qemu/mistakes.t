#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""tests/qemu/mistakes.c plants each mistake in a function of its own. The referee reports each, and only these, with its rule,
field and value, and addr2line finds the function by the report's rip."""
import re
import subprocess

from machine import BUILD
import tap

# The function, the rule, the field with its value, and the beginning of the report's correction.
MISTAKES = {'skylake': [
    ('buffer_in_a_device', 'record-lost', 'pebs.index 0xfec00000', 'must be RAM'),
    ('pmi', 'pmi-no-eoi', 'vector in service 0x40', 'must get its EOI'),
    ('nmi_keeps_mask', 'pmi-lost', 'LVTPC 0x10400', 'must have bit 16 (mask) clear when the handler ends'),
    ('vector_rejected', 'lvtpc-vector', 'LVTPC for PEBS 0x8', 'must have a vector of 32 or more'),
], 'clearwaterforest': [
    ('buffer_on_code', 'pebs-buffer-has-code', "page of IA32_PEBS_BASE's buffer 0x100000", 'must not hold code'),
    ('write_index_kept', 'pebs-index-kept', 'IA32_PEBS_INDEX 0x8100000080', 'should have WR below THRESH'),
]}
ELF = BUILD / 'mistakes.elf'


def function_at(address):
    """The outermost function of the inlined ones at an address."""
    said = subprocess.run(['addr2line', '-ipfe', ELF, address], capture_output=True, text=True, check=True).stdout
    return said.splitlines()[-1].removeprefix(' (inlined by) ').split()[0]


for profile, mistakes in MISTAKES.items():
    done = subprocess.run([BUILD / 'qemu-ds', '--profile', profile, '--strict', '-no-reboot', '-display', 'none', '-serial', 'null',
                           '-device', 'isa-debug-exit,iobase=0xf4,iosize=4', '-kernel', ELF], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120)
    lines = [line for line in done.stderr.splitlines() if re.match('(?:violation|advice|refused) ', line)]
    ended = done.stderr.splitlines()[len(lines):]
    violations = any(line.startswith('violation ') for line in lines)
    tap.ok(done.returncode == (70 if violations else 33) and (not violations or "QEMU's own exit status: 33" in ended.pop()),
           f'{profile}: the guest plants all its mistakes', done.stderr)
    tap.same(len(lines), len(mistakes), f'{profile}: a report for each')
    tap.ok(profile != 'skylake' or re.fullmatch(r'PEBS on cpu 0: \d+ records, [1-9]\d* PMIs', '\n'.join(ended)),
           f'{profile}: what each facility has recorded', done.stderr)
    for line, (function, rule, field, wanted) in zip(lines, mistakes):
        form = r'(?:violation|advice|refused) vcpu=0 rip=(0x[0-9a-f]+) ([^:]+): (\S.*? 0x[0-9a-f]+) ((?:must|should|is|has) .*?)(?: \[.*\])?'
        rip, *parts = re.fullmatch(form, line).groups() if re.fullmatch(form, line) else ['0x0', 'no report', '', line]
        tap.same([function_at(rip), *parts[:2], parts[2][:len(wanted)]], [function, rule, field, wanted], function)
tap.done()
