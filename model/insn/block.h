/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A description of straight-line guest code, made when QEMU translates it. The engine sees execution as a sequence of
 * blocks: a block and the address of the next one determine which branch was taken and which events happened. Blocks
 * never change, and all processors share them. They are freed with QEMU's translations (engine_keep_blocks).
 */
#ifndef MODEL_INSN_BLOCK_H
#define MODEL_INSN_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* How a block ends. END_JCC to END_FAR are in the order of LBR_SELECT's bits 2 to 8. */
enum block_end {
    END_PLAIN,  /* no branch: the block ends, and execution continues at the next address */
    END_REPEAT, /* a REP string instruction, which may repeat; a repetition is not a branch */
    END_JCC,    /* also LOOP and JCXZ */
    END_REL_CALL,
    END_IND_CALL,
    END_RET,
    END_IND_JMP,
    END_REL_JMP,
    END_FAR, /* far JMP, CALL and RET, IRET, SYSCALL, SYSRET, SYSENTER, SYSEXIT, RSM */
    END_INT, /* INT n, INT3, INTO, INT1: the branch is reported as a discontinuity */
};

/*
 * Whether an instruction's encoding has a memory operand (the access itself shows whether it loads or stores), and
 * whether the instruction serialises.
 */
enum insn_flags {
    INSN_ACCESS = 1 << 0,
    INSN_LOCKED = 1 << 1,
    INSN_SERIALISES = 1 << 2, /* starts after all earlier instructions completed; later ones start after it */
};

/* The execution unit of an instruction. */
enum insn_unit {
    UNIT_INTEGER, /* all instructions without another unit */
    UNIT_X87,
    UNIT_PACKED_SP,
    UNIT_PACKED_DP,
    UNIT_SCALAR_SP,
    UNIT_SCALAR_DP,
    UNIT_MMX_64,
    UNIT_MMX_128,
};

#define MAX_BLOCK 512 /* the maximum number of instructions in a block of QEMU */

struct block_insn {
    uint8_t offset_low; /* offset of the first byte, in two parts because a block may straddle a page */
    uint8_t offset_high;
    uint8_t flags; /* enum insn_flags */
    uint8_t unit;  /* enum insn_unit */
};

struct block {
    uint64_t pc;   /* linear address of the first instruction */
    uint64_t last; /* linear address of the last instruction */
    uint64_t next; /* linear address after the last instruction */
    /* The block's branch was taken if the address of the next block differs from `fall` in the bits of `mask`. */
    uint64_t fall, mask;
    uint32_t slot;      /* the branch's slot in the predictor */
    uint16_t count;     /* number of instructions, at least one */
    uint8_t end;        /* enum block_end */
    uint8_t cpl;        /* privilege level of the code, 0 to 3 */
    bool ia32e;         /* the code runs in IA-32e mode */
    uint32_t code_base; /* linear address of RIP 0: the code segment's base, 0 in 64-bit code */
    struct block_insn insns[];
};

/* RIP for a linear address in the block's code segment. Outside 64-bit code it has 32 bits. */
static inline uint64_t block_rip(const struct block *b, uint64_t address)
{
    return b->code_base == 0 ? address : (uint32_t)(address - b->code_base);
}

static inline uint64_t block_address(const struct block *b, unsigned index)
{
    if (index >= b->count)
        return b->next;
    return b->pc + b->insns[index].offset_low + ((unsigned)b->insns[index].offset_high << 8);
}

/* Returns the index of the instruction that starts at address, or -1. */
static inline int block_index(const struct block *b, uint64_t address)
{
    for (unsigned i = 0; i < b->count; i++)
        if (block_address(b, i) == address)
            return (int)i;
    return -1;
}

#define NO_ADDRESS (UINT64_C(1) << 63) /* not canonical */

/*
 * Completes a block, whose other members must be set: sets `slot` and the members that describe its end. slots: the
 * number of the predictor's slots, a power of two. One extra slot, the last, is for blocks without a branch.
 */
static inline void block_set_end(struct block *b, enum block_end end, uint32_t slots)
{
    uint64_t hash = b->last ^ b->last >> 12;
    bool branch = end >= END_JCC && end != END_INT;

    b->end = (uint8_t)end;
    b->fall = end == END_JCC ? b->next : NO_ADDRESS;
    b->mask = branch ? ~UINT64_C(0) : 0;
    b->slot = branch ? (uint32_t)hash & (slots - 1) : slots;
}

/* 1 if the block's branch was taken and control went to `to`; 0 if it was not taken, or if there is no branch. */
static inline unsigned block_took(const struct block *b, uint64_t to)
{
    return ((to ^ b->fall) & b->mask) != 0;
}

#endif
