#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""If QEMU lacks something that the model needs, the model reports it once, with the cost, and uses no wrong value. Only the tests
that depend on it fail. hide.c hides or replaces QEMU's symbols."""
import os
import re
import sys

import machine
import tap

HIDE = tap.BUILD / 'hide.so'
if not HIDE.exists():
    sys.exit('losses.t: build/hide.so is missing; make qemu-test makes it')

# Tests that some loss makes fail, and tests that must always pass.
TESTS = ('bts.calls bts.interrupt.threshold lbr.calls lbr.debug_exception.disables lbr.debug_exception.kept_out '
         'pebs.loads pebs.registers pebs.interrupt.threshold pebs.record.tsc perfmon.count perfmon.rdpmc.beyond').split()

EXCEPTION = ['lbr.debug_exception.disables', 'lbr.debug_exception.kept_out']
RECORDS = ['pebs.loads', 'pebs.record.tsc', 'pebs.registers']    # all fields of every record are compared
OBJECT = EXCEPTION + ['pebs.interrupt.threshold'] + RECORDS
FLAGS = 'PEBS records lack CF, PF, AF, ZF, SF, DF and OF'
NO_OBJECT = f'{FLAGS} and have'
MEMORY = 'BTS is a tenth slower'
SLOWER = 'PEBS is slower, and code mapped at several addresses'

# HIDE, the reason and the cost in the message, the tests that notice
CASES = [
    ('vmstate_x86_cpu', 'does not export vmstate_x86_cpu', NO_OBJECT, OBJECT),
    ('vmstate_x86_cpu=vmstate_cpu_common', 'does not list env.regs, env.eip and env.eflags first in vmstate_x86_cpu', NO_OBJECT, OBJECT),
    ('vmstate_x86_cpu=misplaced_fields', 'has impossible register offsets in vmstate_x86_cpu', NO_OBJECT, OBJECT),
    ('vmstate_x86_cpu=shifted_fields', 'gives plugins register values that differ from those found with vmstate_x86_cpu', NO_OBJECT, OBJECT),
    ('current_cpu', 'does not export current_cpu', NO_OBJECT, OBJECT),
    ('object_dynamic_cast', 'does not export object_dynamic_cast', NO_OBJECT, OBJECT),
    ('object_dynamic_cast=nothing', 'has no x86 processor in current_cpu', NO_OBJECT, OBJECT),
    ('g_free', 'has no heap object in current_cpu', NO_OBJECT, OBJECT),
    ('helper_read_eflags', 'does not export helper_read_eflags', f'{FLAGS}\n', RECORDS),
    ('helper_read_eflags=cpu_get_tsc', 'computes wrong flags for a copy with helper_read_eflags', f'{FLAGS}\n', RECORDS),
    ('cpu_restore_state', 'does not export cpu_restore_state', f'{FLAGS}, and PMIs', RECORDS),
    ('raise_exception_err_ra', 'does not export raise_exception_err_ra', 'RDPMC of a missing counter', []),
    ('cpu_x86_cpuid', 'does not export cpu_x86_cpuid', 'features that -cpu lacks', []),
    ('cpu_dump_state', 'does not export cpu_dump_state', 'a debug exception does not clear LBR', EXCEPTION),
    ('cpu_get_tsc', 'does not export cpu_get_tsc', "records have the host's clock", ['pebs.interrupt.threshold'] + RECORDS),
    ('tlb_vaddr_to_host', 'does not export tlb_vaddr_to_host', MEMORY, []),
    ('cpu_mmu_index_kernel', 'does not export cpu_mmu_index_kernel', MEMORY, []),
    ('tlb_vaddr_to_host=other_memory', 'gives plugins memory contents that differ from those found with tlb_vaddr_to_host', MEMORY, []),
    ('tcg_cflags_has', 'does not export tcg_cflags_has', SLOWER, []),
    ('tcg_cflags_has=same_as_at_first', 'does not keep in exactly one word the flags read by tcg_cflags_has', SLOWER, []),
    ('use_icount', 'does not export use_icount', '-icount, thread=single and accelerators', []),
]


def boot_without(hidden, *options):
    """The verdict, the tests that failed, and the model's messages."""
    os.environ.update(LD_PRELOAD=str(HIDE), HIDE=hidden)
    verdict, log, errors = machine.boot('-o', 'run=' + ','.join(TESTS), *options)
    return verdict, sorted(re.findall(r'^not ok \d+ (\S+)', log, re.M)), errors


tap.same(boot_without(''), ('pass', [], ''), 'no symbol hidden: no message, and all tests pass')
for hidden, reason, cost, noticing in CASES:
    verdict, failed, errors = boot_without(hidden)
    tap.like(errors, rf'\Adsmodel: QEMU \d+\.\d+\.\d+ {re.escape(f"{reason}: {cost}")}.*\n?\Z', f'HIDE={hidden} is reported once, with its cost')
    tap.same(failed, noticing, '... exactly the tests that depend on it fail')
    tap.same(verdict, 'fail' if noticing else 'pass', '... the guest runs to its end')

tap.same(len(re.findall('^dsmodel: ', boot_without('vmstate_x86_cpu', '-s', '2')[2], re.M)), 1, 'two processors: one report')
tap.like(boot_without('use_icount qmp_query_version')[2], r'\Adsmodel: this QEMU does not export use_icount: ',
         'if QEMU does not report its release, the message omits it')
tap.done()
