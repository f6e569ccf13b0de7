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
    ('area_forgotten', 'ds-area-zero', 'IA32_DS_AREA for PEBS 0x0', 'must be the address'),
    ('buffer_for_users', 'ds-page-in-user-space', 'page of pebs 0x1000000', 'must be supervisor-only'),
    ('page_not_dirty', 'ds-page-not-accessed-and-dirty', 'page of bts 0xc00000', 'must have A and D set'),
    ('interrupt_masked', 'lvtpc-masked', 'LVTPC for BTS 0x10040', 'must have bit 16 (mask) clear'),
    ('vector_of_an_exception', 'lvtpc-vector', 'LVTPC for PEBS 0x1f', 'must have a vector of 32 or more'),
    ('reset_value_cut', 'pebs-reset-range', 'reset value of PMC0 0xfffffc18', 'must be -period'),
    ('good_handler', 'bts-buffer-full', 'bts.index 0xc00960', 'should be the base again'),
    ('select_reserved', 'wrmsr 0x186', 'IA32_PERFEVTSEL0 0x80004300c0', 'has reserved bits 0x8000000000'),
    ('counter_absent', 'wrmsr 0xc5', 'IA32_PMC4 0xfffffc18', 'is absent'),
    ('area_cut', 'wrmsr 0x600', 'IA32_DS_AREA 0x123456789abcdef0', 'is not canonical'),
    ('status_written', 'wrmsr 0x38e', 'IA32_PERF_GLOBAL_STATUS 0x0', 'is read-only'),
    ('index_kept', 'ds-index-kept', 'pebs.index 0x1000320', 'should be the base again'),
    ('status_kept', 'status-not-acknowledged', 'IA32_PERF_GLOBAL_STATUS 0x4000000000000000', 'must have its overflow bits cleared'),
    ('layout_of_32_bits', 'ds-field-width', 'IA32_DS_AREA for BTS 0x800000', 'must have fields of 64 bits'),
    ('lbr_of_nothing', 'lbr-none', 'MSR_LBR_SELECT 0x3', 'should let the LBR stack'),
    ('buffer_in_a_device', 'record-lost', 'pebs.index 0xfec00000', 'must be RAM'),
    ('pmi', 'pmi-no-eoi', 'vector in service 0x40', 'must get its EOI'),
    ('nmi_keeps_mask', 'pmi-lost', 'LVTPC 0x10400', 'must have bit 16 (mask) clear when the handler ends'),
    ('vector_rejected', 'lvtpc-vector', 'LVTPC for PEBS 0x8', 'must have a vector of 32 or more'),
], 'icelake': [
    ('adaptive_record_short', 'ds-threshold-outside', 'pebs.threshold 0x10002e0',
     'must be base + n * record, at most the maximum; a record has 208 bytes'),
], 'goldencove': [
    ('frozen_for_ever', 'still-frozen', 'IA32_PERF_GLOBAL_STATUS 0x400000000000000', 'must have LBR_FRZ and CTR_FRZ clear'),
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
    tap.ok(profile != 'skylake' or re.fullmatch(r'BTS on cpu 0: \d+ records, 2 PMIs\nPEBS on cpu 0: \d+ records, [1-9]\d* PMIs', '\n'.join(ended)),
           f'{profile}: what each facility has recorded', done.stderr)
    for line, (function, rule, field, wanted) in zip(lines, mistakes):
        form = r'(?:violation|advice|refused) vcpu=0 rip=(0x[0-9a-f]+) ([^:]+): (\S.*? 0x[0-9a-f]+) ((?:must|should|is|has) .*?)(?: \[.*\])?'
        rip, *parts = re.fullmatch(form, line).groups() if re.fullmatch(form, line) else ['0x0', 'no report', '', line]
        tap.same([function_at(rip), *parts[:2], parts[2][:len(wanted)]], [function, rule, field, wanted], function)
tap.done()
