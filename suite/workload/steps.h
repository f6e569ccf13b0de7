/* SPDX-License-Identifier: MIT */
/*
 * Workloads in which no instruction runs twice, with tables of their instructions in execution order. An instruction
 * pointer therefore shows how far execution came, even across taken branches. Each body ends with a tail of
 * instructions that cause no other event, where a late interrupt can arrive.
 */
#ifndef SUITE_WORKLOAD_STEPS_H
#define SUITE_WORKLOAD_STEPS_H

#include "suite/workload/workload.h"

/* The events that an instruction causes: the kinds of suite/workload/steps.asm. */
#define STEP_LOAD        (1u << 0) /* loads, and does not store */
#define STEP_STORE       (1u << 1) /* stores, and does not load */
#define STEP_LOCKED      (1u << 2) /* loads and stores */
#define STEP_SPLIT_LOAD  (1u << 3) /* across a cache line boundary */
#define STEP_SPLIT_STORE (1u << 4)
#define STEP_WARM        (1u << 5) /* repeated loads of the same line */
#define STEP_COLD        (1u << 6) /* loads, each of a line of its own */
#define STEP_X87         (1u << 7)
#define STEP_MMX         (1u << 8)
#define STEP_CONDITIONAL (1u << 9)
#define STEP_BRANCH      (1u << 10) /* near branches, taken or not */
#define STEP_TAKEN       (1u << 11)
#define STEP_CALL        (1u << 12) /* also stores the return address */
#define STEP_RETURN      (1u << 13) /* also loads the return address */
#define STEP_FAR         (1u << 14)
#define STEP_INSTRUCTION (1u << 15) /* every instruction */
#define STEP_PACKED_SP   (1u << 16) /* SSE and SSE2 additions */
#define STEP_PACKED_DP   (1u << 17)
#define STEP_SCALAR_SP   (1u << 18)
#define STEP_SCALAR_DP   (1u << 19)
#define STEP_INTEGER     (1u << 20) /* 128-bit integer arithmetic */

struct step {
    uint32_t ip;    /* the kernel is below 4 GiB */
    uint32_t kinds; /* STEP_* */
};

struct steps {
    const struct workload *workload;
    const struct step *all;
    uint64_t count; /* of entries; the tail follows, up to the workload's limit */
    uint64_t tail;  /* start of the tail: instructions of WORKLOAD_STEPS_TAIL_BYTES, only of kind STEP_INSTRUCTION */
};
#define WORKLOAD_STEPS_TAIL_BYTES 4u

extern const struct steps workload_steps_loads; /* groups of three loads, the first from a line of its own */
extern const struct steps
    workload_steps_straight; /* accesses and arithmetic, no branch; x87, MMX and SSE2 must be enabled */
extern const struct steps workload_steps_branchy; /* jumps forward and back, calls and returns, loads and stores */
extern const struct steps workload_steps_far;     /* far returns */

extern const struct workload workload_steps_loads_workload, workload_steps_straight_workload,
    workload_steps_branchy_workload, workload_steps_far_workload; /* their workloads */

#define WORKLOAD_STEPS_LINE   64u
#define WORKLOAD_STEPS_LINES  32u /* lines of the first loads, each on its own page and in its own set of a cache */
#define WORKLOAD_STEPS_STRIDE (4096u + WORKLOAD_STEPS_LINE)
extern uint8_t workload_steps_loads_cold[WORKLOAD_STEPS_LINES * WORKLOAD_STEPS_STRIDE];
extern uint8_t workload_steps_loads_warm[WORKLOAD_STEPS_LINE];

#endif
