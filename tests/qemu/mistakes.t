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
    ('base_unaligned', 'ds-base-misaligned', 'bts.base 0xc00002', 'must be a multiple of 4'),
    ('buffer_too_small', 'ds-buffer-too-small', 'pebs.maximum 0x10000c7', 'must be at least one record above the base'),
    ('index_below_base', 'ds-index-outside', 'bts.index 0xbfffe8', 'must be base + n * record'),
    ('threshold_in_a_record', 'ds-threshold-outside', 'pebs.threshold 0x1000328', 'must be base + n * record'),
    ('threshold_too_late', 'ds-threshold-room', 'bts.threshold 0xc00948', 'must be at least two records below'),
    ('buffer_for_users', 'ds-page-in-user-space', 'page of pebs 0x1000000', 'must be supervisor-only'),
    ('page_not_dirty', 'ds-page-not-accessed-and-dirty', 'page of bts 0xc00000', 'must have A and D set'),
    ('interrupt_masked', 'lvtpc-masked', 'LVTPC for BTS 0x10040', 'must have bit 16 (mask) clear'),
    ('vector_of_an_exception', 'lvtpc-vector', 'LVTPC for PEBS 0x1f', 'must have a vector of 32 or more'),
    ('reset_value_cut', 'pebs-reset-range', 'reset value of PMC0 0xfffffc18', 'must be -period'),
    ('reset_value_positive', 'pebs-reset-range', 'reset value of PMC0 0x3e8', 'must be -period'),
    ('reset_value_0', 'pebs-no-reset', 'reset value of PMC0 0x0', 'should be -period'),
    ('threshold_of_no_ring', 'bts-circular-threshold', 'bts.threshold 0xc004b0', 'must be above the maximum'),
    ('trace_messages_off', 'bts-without-tr', 'IA32_DEBUGCTL 0x180', 'should have TR set'),
    ('interrupt_of_no_trace', 'btint-without-bts', 'IA32_DEBUGCTL 0x100', 'should have BTS and TR set'),
    ('good_handler', 'bts-buffer-full', 'bts.index 0xc00960', 'should be the base again'),
    ('buffers_overlap', 'ds-overlap', 'byte of bts and pebs 0xc00400', 'must not overlap another section'),
    ('event_not_precise', 'pebs-event', 'IA32_PERFEVTSEL0 0x43003c', 'must select an event that is precise'),
    ('select_reserved', 'wrmsr 0x186', 'IA32_PERFEVTSEL0 0x80004300c0', 'has reserved bits 0x8000000000'),
    ('counter_absent', 'wrmsr 0xc5', 'IA32_PMC4 0xfffffc18', 'is absent'),
    ('area_cut', 'wrmsr 0x600', 'IA32_DS_AREA 0x123456789abcdef0', 'is not canonical'),
    ('status_written', 'wrmsr 0x38e', 'IA32_PERF_GLOBAL_STATUS 0x0', 'is read-only'),
    ('index_kept', 'ds-index-kept', 'pebs.index 0x1000320', 'should be the base again'),
    ('status_kept', 'status-not-acknowledged', 'IA32_PERF_GLOBAL_STATUS 0x4000000000000000', 'must have its overflow bits cleared'),
    ('layout_of_32_bits', 'ds-field-width', 'IA32_DS_AREA for BTS 0x800000', 'must have fields of 64 bits'),
    ('threshold_of_haswell', 'ds-threshold-outside', 'pebs.threshold 0x10002c0',
     'must be base + n * record, at most the maximum; a record has 200 bytes'),
    ('trace_left_on', 'tr-without-bts', 'IA32_DEBUGCTL 0x40', 'should have BTS set with TR'),
    ('lbr_of_nothing', 'lbr-none', 'MSR_LBR_SELECT 0x3', 'should let the LBR stack'),
    ('call_stack_of_all', 'lbr-call-stack', 'MSR_LBR_SELECT 0x200', 'must suppress JCC'),
    ('mask_of_2', 'pebs-qualifier', 'IA32_PERFEVTSEL0 0x24300c0', 'must have AnyThread, Edge, Invert and CMask clear'),
    ('another_counter', 'counter-off', 'IA32_PERF_GLOBAL_CTRL for PMC0 0x100000000', "should have the counter's enable bit"),
    ('select_off', 'counter-off', 'IA32_PERFEVTSEL0 0x300c0', "should have the counter's enable bit"),
    ('fixed_off', 'counter-off', 'IA32_FIXED_CTR_CTRL 0x0', "should have the counter's enable bit"),
    ('first_value_positive', 'pebs-first-value', 'first value of PMC0 0x3e8', 'should be -period'),
    ('reset_value_changed', 'ds-buffer-changed', 'reset value of PMC0 0x7ffffffffffffe0c', 'must not be written'),
    ('buffer_in_a_device', 'record-lost', 'pebs.index 0xfec00000', 'must be RAM'),
    ('never_started', 'counter-off', 'IA32_PERF_GLOBAL_CTRL for PMC0 0x0', "should have the counter's enable bit"),
    ('fixed_never_started', 'counter-off', 'IA32_PERF_GLOBAL_CTRL for FIXED_CTR0 0x0', "should have the counter's enable bit"),
    ('latency_without_pebs', 'pebs-latency-event', 'IA32_PEBS_ENABLE 0x100000000', 'must have LL_EN set only for'),
    ('fixed_value_cut', 'counter-first-value', 'first value of FIXED_CTR0 0xfffffc18', 'should be -period'),
    ('pmi', 'pmi-no-eoi', 'vector in service 0x40', 'must get its EOI'),
    ('nmi_keeps_mask', 'pmi-lost', 'LVTPC 0x10400', 'must have bit 16 (mask) clear when the handler ends'),
    ('vector_rejected', 'lvtpc-vector', 'LVTPC for PEBS 0x8', 'must have a vector of 32 or more'),
], 'icelake': [
    ('adaptive_record_short', 'ds-threshold-outside', 'pebs.threshold 0x10002e0',
     'must be base + n * record, at most the maximum; a record has 208 bytes'),
    ('adaptive_threshold_in_a_record', 'ds-threshold-outside', 'pebs.threshold 0x1000368', 'must be base + n * record'),
    ('adaptive_threshold_late', 'ds-threshold-room', 'pebs.threshold 0x1000f70', 'must be at least two records below'),
    ('adaptive_buffer_small', 'ds-buffer-too-small', 'pebs.maximum 0x1000064', 'must be at least one record above the base'),
    ('adaptive_index_in_a_record', 'ds-index-outside', 'pebs.index 0x1000028', 'must be base + n * record'),
    ('groups_of_no_counter', 'pebs-data-cfg-unused', 'MSR_PEBS_DATA_CFG 0x3', 'should be 0, or a counter'),
    ('both_threads', 'any-thread-ignored', 'IA32_PERFEVTSEL0 0x6300c0', 'should have AnyThread clear'),
], 'core2': [
    ('counter_without_pebs', 'pebs-enable-ignored', 'IA32_PEBS_ENABLE 0x2', 'must have only bits of counters that can sample'),
    ('latency_of_core2', 'pebs-enable-ignored', 'IA32_PEBS_ENABLE 0x100000001', 'must have only bits of counters that can sample'),
    ('bit_of_no_counter', 'pebs-enable-ignored', 'IA32_PEBS_ENABLE 0x101', 'must have only bits of counters that can sample'),
], 'goldencove': [
    ('lbr_of_old', 'lbr-none', 'IA32_DEBUGCTL 0x1', 'should let the LBR stack'),
    ('lbr_of_no_ring', 'lbr-none', 'IA32_LBR_CTL 0x7f0001', 'should let the LBR stack'),
    ('lbr_of_no_type', 'lbr-none', 'IA32_LBR_CTL 0x7', 'should let the LBR stack'),
    ('call_stack_without_returns', 'lbr-arch-call-stack', 'IA32_LBR_CTL 0x18000f', 'should permit only NEAR_REL_CALL'),
    ('latency_on_counter_0', 'pebs-event', 'IA32_PERFEVTSEL0 0x4301cd', 'must select an event that is precise on this counter'),
    ('depth_while_recording', 'lbr-depth-written', 'IA32_LBR_CTL 0x7f0003', 'should have LBREN clear'),
    ('frozen_for_ever', 'still-frozen', 'IA32_PERF_GLOBAL_STATUS 0x400000000000000', 'must have LBR_FRZ and CTR_FRZ clear'),
], 'clearwaterforest': [
    ('configuration_forgotten', 'pebs-index-unused', 'IA32_PEBS_INDEX 0x80100000000', 'should have EN set only if'),
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
