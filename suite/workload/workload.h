/* SPDX-License-Identifier: MIT */
/*
 * Code with known results: assembly whose labels are the expected values. Each workload's body runs inside a window: a
 * WRMSR before it starts recording, and one after it stops recording.
 */
#ifndef SUITE_WORKLOAD_WORKLOAD_H
#define SUITE_WORKLOAD_WORKLOAD_H

#include <stdint.h>

#include "cpu/msr_index.h"

/* The register that opens and closes the window, and its values. */
struct window {
    uint64_t msr;
    uint64_t on, off;
};

/* A branch's kind is the bit of MSR_LBR_SELECT that suppresses it. */
struct branch {
    uint64_t from, to;
    uint64_t kind;
    uint64_t repeat; /* times in a row */
};

struct access {
    uint64_t ip, next_ip; /* the instruction and the one after it */
    uint64_t address;
    uint64_t value; /* the value left in the accumulator (load) or stored */
};

struct workload {
    void (*run)(const struct window *window);
    uint64_t start, limit;         /* the body and its functions: start <= ip < limit */
    const struct branch *branches; /* taken branches, in execution order */
    uint64_t branch_count;
    const struct access *accesses; /* loads and stores, in execution order */
    uint64_t access_count;
    uint64_t instructions; /* instructions that the body retires; 0 if not counted */
};

/* suite/workload/branches.asm */
extern const struct workload workload_calls;     /* nested calls and returns */
extern const struct workload workload_kinds;     /* every kind of near branch, taken and not taken */
extern const struct workload workload_loop;      /* a loop with an alternating branch */
extern const struct workload workload_long_loop; /* 3000 times the same branch */
extern const struct workload workload_turns;     /* two branches in turn, 2999 in all; branches: not in their order */
#define WORKLOAD_LOOP_BACK 2u /* bytes of the branch at the end of workload_long_loop and workload_user_loop */
extern const struct workload workload_interrupt;  /* INT n and its IRET */
extern const struct workload workload_surprises;  /* indirect jumps with two targets in an unpredictable order */
extern const struct workload workload_open_calls; /* two calls return, two stay open; branches: the open calls */
extern const struct workload workload_slow;       /* a call, a long loop, and a call */
extern const struct workload workload_nothing;    /* an empty body: the cost of the window */

/* suite/workload/memory.asm */
extern const struct workload workload_loads; /* loads of known addresses and values, one at a time */
#define WORKLOAD_REGISTER(n) ((uintptr_t)(UINT64_C(0x7265670072656700) + (n))) /* all except rax and rsp */
#define WORKLOAD_FLAGS       UINT64_C(0x045)                                   /* CF, PF and ZF set, SF and OF clear */
#define WORKLOAD_FLAGS_MASK  UINT64_C(0x8c5)                                   /* CF, PF, ZF, SF, OF; AF is undefined */
extern const struct workload workload_stores;   /* stores of known addresses and values, one at a time */
extern const struct workload workload_straight; /* instructions of four bytes each, no branch, no memory */
extern const struct workload
    workload_chase; /* pointer chasing in a ring of lines that fits into any L1, many times; RCX counts down */
#define WORKLOAD_STRAIGHT_STEP 4u /* bytes of each of its instructions */
#define WORKLOAD_CHASE_ROUNDS  64u
#define WORKLOAD_CHASE_LINES   16u
extern const uint64_t workload_ring[WORKLOAD_CHASE_LINES][8];
extern const struct workload
    workload_walk; /* chases a ring that the test sets up: its first line and the number of steps */
extern uintptr_t workload_walk_first;
extern uint32_t workload_walk_steps;           /* at least 1; RCX counts them down */
extern const struct workload workload_flushed; /* loads of a line that CLFLUSH has just taken out of all caches */
extern const struct workload workload_untranslated, workload_untranslated_stores; /* of a page that INVLPG has just
                                                                                     taken out of all TLBs */
extern const struct workload workload_all_untranslated;                           /* loads after MOV to CR3 */

/* suite/workload/spread.asm: jumps with known code before them */
extern const struct workload workload_pieces; /* its branches are the jumps, with different code before each */
extern const struct workload workload_spread; /* jumps that are far apart */
struct piece_counts {
    uint8_t instructions, branches, loads; /* from the target of the last jump up to and including the next jump */
};
extern const struct piece_counts workload_piece_counts[]; /* one for each branch of workload_pieces */
#define WORKLOAD_SPREAD_JUMPS 16u
#define WORKLOAD_SPREAD_STEP  128u /* instructions up to and including each jump, and as many after the last one */

/*
 * suite/workload/sharing.asm: one for each processor; the accesses are a load and a store. Each walks over LINES words,
 * STRIDE bytes apart, starting at the word that DR3 points to; RCX counts down from LINES.
 */
extern const struct workload workload_sharing_0, workload_sharing_1, workload_sharing_2, workload_sharing_3;
#define WORKLOAD_SHARING_LINES  8u
#define WORKLOAD_SHARING_STRIDE 512u
extern uint8_t workload_sharing_data[WORKLOAD_SHARING_LINES * WORKLOAD_SHARING_STRIDE];

/* suite/workload/precise.asm */
extern const struct workload workload_locked; /* locked increments, each followed by an ordinary load */

/* suite/workload/vectors.asm: loads that fill the vector registers, then others that do not change them */
extern const struct workload workload_vectors;
#define WORKLOAD_XMMS        (2 * (unsigned)sizeof(void *)) /* XMM registers in this mode */
#define WORKLOAD_XMM_LOW(n)  (UINT64_C(0x6c6f770000000000) + (n))
#define WORKLOAD_XMM_HIGH(n) (UINT64_C(0x6869676800000000) + (n))

/* suite/workload/tagging.asm: uops that NetBurst tags. For x87 and MMX instructions, accesses has only the IP. */
extern const struct workload workload_x87;          /* x87 additions */
extern const struct workload workload_mmx;          /* MMX additions, each followed by an x87 addition */
extern const struct workload workload_split_loads;  /* loads across two cache lines, an ordinary load before each */
extern const struct workload workload_split_stores; /* stores across two cache lines, an ordinary store before each */
void workload_x87_prepare(void);                    /* loads the x87 operands, before the window opens */

/* suite/workload/user.asm: at CPL 3; the window opens and closes at CPL 0. */
extern const struct workload workload_user;       /* a call, a return and a jump */
extern const struct workload workload_user_loop;  /* 1000 times the same branch */
extern const struct workload workload_user_loads; /* workload_loads at CPL 3 */

/* The handler of VECTOR_WORKLOAD: a single IRET. */
void workload_interrupt_entry(void);

#endif
