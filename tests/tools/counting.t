#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""No workload has an instruction that real processors count in a way that no manual says. The facts are from runs of known code:
Weaver, Terpstra and Moore, "Non-Determinism and Overcount on Modern Hardware Performance Counter Implementations" (ISPASS 2013),
with its data: github.com/deater/deterministic."""
import re
import subprocess

from tap import BUILD, done, ok

# Processor, event, the instructions, and what they count.
FACTS = [
    ('Core 2 (06_0F)', 'BR_INST_RETIRED', 'cpuid', 'a branch'),
    ('Core 2 (06_0F)', 'loads', 'leave', 'two loads'),
    ('Core 2 (06_0F)', 'loads', 'maskmovq', 'its store is a load, like those of MOVUPS, MOVUPD and MOVDQU'),
    ('Nehalem (06_1A), Westmere (06_2F)', 'stores', 'cpuid sfence mfence clflush', 'a store'),
    ('Nehalem (06_1A)', 'loads', 'paddb-mem paddw-mem paddd-mem', 'no load'),
    ('NetBurst (0F_06)', 'instr_retired', 'fldcw fldenv frstor maskmovq emms sfence mfence cvtpd2pi cvttpd2pi', 'two instructions'),
]
# raise_math loads the control word before the code whose records are compared. Of workload_flushed only loads that miss are counted.
PERMITTED = {('exceptions.asm', 'fldcw'), ('memory.asm', 'clflush'), ('memory.asm', 'mfence')}

seen, files = {}, sorted((BUILD / 'k64/suite/workload').glob('*.o'))
for file in files:
    code = subprocess.run(['objdump', '-d', '--no-show-raw-insn', file], check=True, capture_output=True, text=True).stdout
    for name, operands in re.findall(r'^\s+[0-9a-f]+:\s+(?:lock |rep |data16 )*(\w+)(.*)', code, re.M):
        seen.setdefault(name + '-mem' * ('(' in operands), set()).add(file.stem)
ok(len(files) > 10 and 'lfence' in seen, f'{len(files)} workloads, which fence with LFENCE')
for where, event, instructions, what in FACTS:
    used = {(file, name) for each in instructions.split() for name in (each, f'{each}-mem') for file in seen.get(name, ())} - PERMITTED
    ok(not used, f'{where}, {event}: {what}: {instructions}' + ''.join(f'; used in {file}: {name}' for file, name in sorted(used)))
done()
