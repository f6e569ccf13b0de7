/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of a piece of straight-line guest code once it has been translated. The engine is told of execution in
 * blocks: that a block began says, together with the block that begins after it, what every instruction in it did as
 * far as branches and counts go. Blocks never change and are shared by all
 * processors; they go when all translations do (engine_keep_blocks).
 */
#ifndef MODEL_CODE_BLOCK_H
#define MODEL_CODE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* What the last instruction of a block is. The order of JCC..FAR is that of LBR_SELECT's bits 2 to 8. */
enum block_end {
    END_PLAIN,  /* no branch: the block just stops here and the next one goes on behind it */
    END_REPEAT, /* a REP string instruction, which may come back to itself without being a branch */
    END_JCC,    /* also LOOP and JCXZ */
    END_REL_CALL,
    END_IND_CALL,
    END_RET,
    END_IND_JMP,
    END_REL_JMP,
    END_FAR, /* far JMP, CALL and RET, IRET, SYSCALL, SYSRET, SYSENTER, SYSEXIT, RSM */
    END_INT, /* INT n, INT3, INTO, INT1: its branch is seen as a discontinuity */
};

/* What one instruction does to memory, as its encoding says. Whether it loads or stores, the accesses themselves tell.
 */
enum insn_flags {
    INSN_ACCESS = 1 << 0,
    INSN_LOCKED = 1 << 1,
};

/* What one instruction computes on. */
enum insn_unit {
    UNIT_INTEGER, /* nothing that is told apart */
    UNIT_X87,
    UNIT_PACKED_SP,
    UNIT_PACKED_DP,
    UNIT_SCALAR_SP,
    UNIT_SCALAR_DP,
    UNIT_MMX_64,
    UNIT_MMX_128,
};

#define MAX_BLOCK 512 /* instructions that QEMU puts into one block at most */

struct block_insn {
    uint8_t offset_low; /* of its first byte from the block's, in two bytes because a block may straddle a page */
    uint8_t offset_high;
    uint8_t flags; /* enum insn_flags */
    uint8_t unit;  /* enum insn_unit */
};

struct block {
    uint64_t pc;   /* linear address of the first instruction */
    uint64_t last; /* of the last instruction */
    uint64_t next; /* of the byte behind the last instruction */
    /* The branch that it ends in was taken if the next block's address differs from `fall` in the bits of `mask`. */
    uint64_t fall, mask;
    uint32_t slot;      /* of its branch in the predictor */
    uint16_t count;     /* instructions, at least one */
    uint8_t end;        /* enum block_end */
    uint8_t cpl;        /* privilege level that the block runs at, 0 to 3 */
    bool ia32e;         /* runs in IA-32e mode */
    uint32_t code_base; /* linear address of RIP 0: the code segment's base, 0 in 64-bit code */
    struct block_insn insns[];
};

static inline uint64_t block_address(const struct block *b, unsigned index)
{
    if (index >= b->count) {
        return b->next;
    }
    return b->pc + b->insns[index].offset_low + ((unsigned)b->insns[index].offset_high << 8);
}

/* Returns the index of the instruction that starts at address, or -1. */
static inline int block_index(const struct block *b, uint64_t address)
{
    for (unsigned i = 0; i < b->count; i++) {
        if (block_address(b, i) == address) {
            return (int)i;
        }
    }
    return -1;
}

#define NO_ADDRESS (UINT64_C(1) << 63) /* not canonical */

/*
 * To be called when all but `slot` and what says how it ends is known. slots: of the predictor, a power of two; one
 * more, the last, is for blocks that end in no branch.
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

/* 1 if the branch that a block ended in was taken, control having gone to `to`; 0 too if it ended in none. */
static inline unsigned block_took(const struct block *b, uint64_t to)
{
    return ((to ^ b->fall) & b->mask) != 0;
}

static inline bool block_ends_in_branch(const struct block *b)
{
    return b->end >= END_JCC;
}

#endif
