/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MODEL_CODE_INSN_H
#define MODEL_CODE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/code/block.h"

/* Instructions whose execution the model takes part in. */
enum insn_hook { HOOK_NONE, HOOK_CPUID, HOOK_RDMSR, HOOK_WRMSR, HOOK_RDPMC };

struct insn {
    enum block_end end;
    enum insn_hook hook;
    unsigned flags; /* enum insn_flags */
    enum insn_unit unit;
};

/*
 * Says what an instruction is, from its bytes as QEMU's translator delimited them (size 1 to 15; the whole instruction,
 * never more). The mode (16, 32 or 64 bits) is not needed: 40h-4Fh is taken for a REX prefix unless it is the last
 * byte. Intel SDM Vol. 2 (253666), "Opcode Map", appendix A, edition 083.
 */
struct insn insn_classify(const uint8_t *bytes, size_t size);

/* The unit of opcode op of a map (0F is map 1); prefix: 0, 66h, F3h or F2h, whichever counts. Not for VEX. */
enum insn_unit insn_unit(unsigned map, unsigned op, unsigned prefix, unsigned modrm);

#endif
