/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MODEL_INSN_INSN_H
#define MODEL_INSN_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/insn/block.h"

/* The decoder of the guest's instructions. */
enum insn_hook {
    HOOK_NONE,
    HOOK_CPUID,
    HOOK_RDMSR,
    HOOK_WRMSR,
    HOOK_RDPMC,
    HOOK_HALT,
    HOOK_FLUSH, /* from here on: instructions that empty caches or TLBs. CLFLUSH, CLFLUSHOPT */
    HOOK_CLWB,
    HOOK_WBINVD, /* also INVD */
    HOOK_WBNOINVD,
    HOOK_INVLPG,
    HOOK_CR0, /* MOV to a control register */
    HOOK_CR3,
    HOOK_CR4,
};

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

#define INSN_NO_REGISTER 16

/* A memory operand, or the register operand of MOV to a control register, which is its base. */
struct insn_operand {
    uint8_t base, index; /* general registers, as numbered in encodings; INSN_NO_REGISTER: none */
    uint8_t shift;       /* of the index */
    char segment;        /* 'f', 'g': an override by FS, GS */
    bool relative;       /* to the address of the next instruction */
    bool narrow;         /* addresses have 32 bits */
    int32_t displacement;
};

/*
 * Decodes the operand of an instruction whose hook is HOOK_FLUSH, HOOK_CLWB, HOOK_INVLPG or HOOK_CRx. ia32e: the code
 * is 64-bit code, otherwise 32-bit code. False: the address has 16 bits, which is not supported, or bytes are missing.
 */
bool insn_operand(const uint8_t *bytes, size_t size, bool ia32e, struct insn_operand *operand);

/*
 * The unit of opcode op of a map (0F is map 1). prefix: the mandatory prefix in VEX's numbering, 1 for 66h, 2 for F3h,
 * 3 for F2h.
 */
enum insn_unit insn_unit(unsigned map, unsigned op, unsigned prefix, unsigned modrm);

#endif
