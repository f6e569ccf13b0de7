#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# tests/qemu/mistakes.c plants each mistake in a function of its own. The referee reports each, and only these, with its rule,
# field and value, and addr2line finds the function by the report's rip.
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'tools'))
import tap    # noqa: E402
from tap import BUILD    # noqa: E402

# The function, the rule, the field with its value, and the beginning of the report's correction.
MISTAKES = [
    ('area_forgotten', 'ds-area-zero', 'IA32_DS_AREA for PEBS 0x0', 'must be the address'),
    ('base_unaligned', 'ds-base-misaligned', 'bts.base 0xc00002', 'must be a multiple of 4'),
    ('buffer_too_small', 'ds-buffer-too-small', 'pebs.maximum 0x10000c7', 'must be at least one record above the base'),
    ('index_below_base', 'ds-index-outside', 'bts.index 0xbfffe8', 'must be base + n * record'),
    ('threshold_in_a_record', 'ds-threshold-outside', 'pebs.threshold 0x1000328', 'must be base + n * record'),
    ('threshold_too_late', 'ds-threshold-room', 'bts.threshold 0xc00948', 'must be at least two records below'),
    ('buffer_for_users', 'ds-page-in-user-space', 'page of pebs 0x1000000', 'must be supervisor-only'),
    ('page_not_dirty', 'ds-page-not-accessed-and-dirty', 'page of bts 0xc00000', 'must have A and D set'),
    ('interrupt_masked', 'lvtpc-masked', 'LVTPC for BTS 0x10040', 'must have bit 16 (mask) clear'),
    ('vector_of_an_exception', 'lvtpc-vector', 'LVTPC for PEBS 0x1f', 'must have a vector of 32 or more'),
    ('reset_value_cut', 'pebs-reset-range', 'reset value of PMC0 0xfffffc18', 'should be -period'),
    ('reset_value_positive', 'pebs-reset-range', 'reset value of PMC0 0x3e8', 'should be -period'),
    ('reset_value_0', 'pebs-no-reset', 'reset value of PMC0 0x0', 'should be -period'),
    ('threshold_of_no_ring', 'bts-circular-threshold', 'bts.threshold 0xc004b0', 'must be above the maximum'),
    ('trace_messages_off', 'bts-without-tr', 'IA32_DEBUGCTL 0x180', 'should have TR set'),
    ('buffers_overlap', 'ds-overlap', 'byte of bts and pebs 0xc00400', 'must belong to one section only'),
    ('event_not_precise', 'pebs-event', 'IA32_PERFEVTSEL0 0x43003c', 'must select an event that is precise'),
    ('select_reserved', 'wrmsr 0x186', 'IA32_PERFEVTSEL0 0x80004300c0', 'has reserved bits 0x8000000000'),
    ('counter_absent', 'wrmsr 0xc5', 'IA32_PMC4 0xfffffc18', 'is absent'),
    ('area_cut', 'wrmsr 0x600', 'IA32_DS_AREA 0x123456789abcdef0', 'is not canonical'),
    ('status_written', 'wrmsr 0x38e', 'IA32_PERF_GLOBAL_STATUS 0x0', 'is read-only'),
    ('index_kept', 'ds-index-kept', 'pebs.index 0x1000320', 'should be the base again'),
    ('status_kept', 'status-not-acknowledged', 'IA32_PERF_GLOBAL_STATUS 0x4000000000000000', 'must have its overflow bits cleared'),
]
ELF = BUILD / 'mistakes.elf'


def function_at(address):
    """The outermost function of the inlined ones at an address."""
    said = subprocess.run(['addr2line', '-ipfe', ELF, address], capture_output=True, text=True, check=True).stdout
    return said.splitlines()[-1].removeprefix(' (inlined by) ').split()[0]


done = subprocess.run([BUILD / 'qemu-ds', '--strict', '-no-reboot', '-display', 'none', '-serial', 'null', '-device',
                       'isa-debug-exit,iobase=0xf4,iosize=4', '-kernel', ELF], stdin=subprocess.DEVNULL, capture_output=True,
                      text=True, timeout=120)
*lines, activity, last = done.stderr.splitlines()
tap.ok(done.returncode == 70 and "QEMU's own exit status: 33" in last, 'the guest plants all its mistakes') or tap.note(done.stderr)
tap.same(len(lines), len(MISTAKES) + 1, 'a report for each')
tap.ok(re.fullmatch(r'BTS on cpu 0: \d+ records, 0 PMIs', lines.pop()) and re.fullmatch(r'PEBS on cpu 0: \d+ records, [1-9]\d* PMIs', activity),
       'what each facility has recorded') or tap.note(done.stderr)
for line, (function, rule, field, wanted) in zip(lines, MISTAKES):
    form = r'(?:violation|advice|refused) vcpu=0 rip=(0x[0-9a-f]+) ([^:]+): (\S.*? 0x[0-9a-f]+) ((?:must|should|is|has) .*?)(?: \[.*\])?'
    rip, *parts = re.fullmatch(form, line).groups() if re.fullmatch(form, line) else ['0x0', 'no report', '', line]
    tap.same([function_at(rip), *parts[:2], parts[2][:len(wanted)]], [function, rule, field, wanted], function)
tap.done()
