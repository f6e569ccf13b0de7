/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MODEL_INSN_INSN_H
#define MODEL_INSN_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/insn/block.h"

/* The decoder of the guest's instructions. */
enum insn_hook { HOOK_NONE, HOOK_CPUID, HOOK_RDMSR, HOOK_WRMSR, HOOK_RDPMC, HOOK_HALT };

struct insn {
    enum block_end end;
    enum insn_hook hook;
    unsigned flags; /* enum insn_flags */
    enum insn_unit unit;
};

/*
 * Decodes an instruction from its bytes. size: its exact length, 1 to 15, from QEMU's translator. ia32e: whether C4h,
 * C5h and 62h are always VEX and EVEX. Otherwise the result does not depend on the mode: INC and DEC (40h-4Fh) decode
 * as REX prefixes without an opcode.
 */
struct insn insn_classify(const uint8_t *bytes, size_t size, bool ia32e);

/*
 * The unit of opcode op of a map (0F is map 1). prefix: the mandatory prefix in VEX's numbering, 1 for 66h, 2 for F3h,
 * 3 for F2h.
 */
enum insn_unit insn_unit(unsigned map, unsigned op, unsigned prefix, unsigned modrm);

#endif
