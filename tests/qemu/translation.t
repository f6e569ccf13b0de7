#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""Reads in QEMU's log of operations where translated code calls the model. A guest is fast only if code calls it no more often
than needed: once where a block begins, and only while the processor uses the model."""
import pathlib
import re
import sys

import machine
import tap

# QEMU runs an instruction that accesses a device in a block of its own, without a check for interrupts. That block must not be
# noted: the original block was noted.
WHOLE = re.compile(r' ld_i32 (loc\d+),env,\S+\n brcond_i32 \1,\$0x0,lt,')
CALL = re.compile(r'^ call plugin\(', re.M)
# With PEBS, a block that may contain the event to be recorded checks inline, before each instruction except the first, whether
# the previous instruction was that event.
CHECK = r' brcond_i64 tmp\d+,\$0x80{13}[0-9a-f]{2},ltu,'


def blocks(*options):
    """The translated blocks of a run, in order: whole blocks, and single instructions. Each as its beginning and its instructions."""
    path = pathlib.Path(tap.folder, 'log')
    verdict, log, _ = machine.boot(*options, '--', '-d', 'op', '-D', str(path))
    if verdict != 'pass':
        sys.exit(f'translation.t: the guest did not pass:\n{log}')
    whole, single = [], []
    for block in path.read_text().split('OP:\n'):
        parts = re.split('^ ----', block, flags=re.M)
        if len(parts) > 1:
            (whole if WHOLE.match(block) else single).append(parts)
    return whole, single


def calls(text):
    return len(CALL.findall(text))


for processors in '1', '2':
    for used in 'bts.calls', 'perfmon.count':
        whole, single = blocks('-s', processors, '-o', f'run={used}')
        hooked = [block for block in whole if calls(block[0])]
        tap.ok(len(whole) > 500 and len(hooked) >= 10,
               f'{processors} processors, {used}: blocks call the model where they begin: {len(hooked)} of {len(whole)}')
        tap.ok(len(hooked) < len(whole) / 10, '... only those that run while it is used')
        tap.same([block for block in hooked if calls(block[0]) > 1 + (calls(block[1]) > 1)], [], '... once')
        tap.ok(sum(any(map(calls, block[1:])) for block in whole) < len(whole) / 10, '... and few call it later')
        tap.same([block for block in single if calls(block[0])], [], '... nor do single instructions where they begin')

# While only outer rings count, no block of the kernel counts: or each user's perf would have the kernel translated again.
COUNTED = re.compile(r' brcond_i64 tmp\d+,\$0x[78a][0-9a-f]{15},ltu,')
for ring, least, most in ('user', 3, 12), ('system', 13, 80):
    counted = [block for block in blocks('-s', '1', '-o', f'run=perfmon.rings.{ring}')[0] if COUNTED.search(block[0])]
    tap.ok(least <= len(counted) <= most, f'rings.{ring}: {len(counted)} blocks count, {least} to {most}')

# The same if the LBR stack records only branches to outer rings. Until the test has written the filter, all blocks are reported.
to_user, to_kernel = (sum(calls(block[0]) > 0 for block in blocks('-s', '1', '-o', f'run=lbr.select.{filter}')[0])
                      for filter in ('cpl_eq_0', 'cpl_neq_0'))
tap.ok(to_user < to_kernel - 5, f'{to_user} blocks call the model if the LBR stack records only branches to user code, {to_kernel} if not')

# (A late check is invisible elsewhere: its records are legal.) Behind RDMSR, the model first replaces the value that QEMU read.
sampling, _ = blocks('-s', '1', '-p', 'goldencove', '-o', 'run=pebs.instructions')
watched = [block for block in sampling if re.search(f'^{CHECK}', ''.join(block), re.M)]
ADDRESS = r'(?: (?:mul|ext|add|ld)_.*\n)+'
AFTER_RDMSR = ADDRESS + r' brcond_i64 \w+,\$0x0,eq,(\$L\d+)\n(?: st_.*\n| call plugin.*\n)+ set_label \1\n'
early = re.compile(rf'.*\n(?:{AFTER_RDMSR})?{ADDRESS}{CHECK}')
tap.ok(len(watched) >= 5, f'PEBS on: some blocks have the check: {len(watched)} of {len(sampling)}')
tap.same([block for block in watched if not all(map(early.match, block[2:]))], [], '... before each instruction except the first')

# Soon after sampling stops, memory accesses are still reported. If these translations differed from those that sample, all code would
# be translated again whenever perf stops its counters for a moment.
latency, _ = blocks('-s', '1', '-p', 'skylake', '-o', 'run=pebs.load_latency.hierarchy')
PENDING = re.compile(r' brcond_i64 tmp\d+,\$0x0,eq,\$L\d+\n st_.*\n call plugin\(.*,\$0x[1-9a-f]\w*\n')    # an access of the previous block
NOTED = re.compile(r' st_i64 \$0x[1-9a-f]\w*,tmp\d+,\$0x0\n')
reporting = [block for block in latency if PENDING.search(block[0])]
tap.ok(len(reporting) > 1000, f'loads sampled: blocks report accesses: {len(reporting)} of {len(latency)}')
tap.same([block for block in reporting if not NOTED.search(block[0])], [], '... all are noted, as while a counter samples')
tap.done()
