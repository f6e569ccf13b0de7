/* SPDX-License-Identifier: MIT */
/* The instructions of suite/workload/steps.h that a precise event counts, and their positions. Pure. */
#ifndef SUITE_MEASURE_KINDS_H
#define SUITE_MEASURE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/events.h"
#include "suite/workload/steps.h"

/* What causes an event. */
struct cause {
    uint32_t kinds;      /* STEP_* of the intended instructions; 0: none */
    uint32_t possible;   /* STEP_* of other instructions that may also cause it */
    bool counted;        /* each instruction is (at least typically) one event: their number is known */
    unsigned displace;   /* bytes to load to evict the lines of STEP_COLD; 0: caches do not matter */
    const char *why_not; /* why there is no cause; else NULL */
};
struct cause cause_of(const struct pebs_event *event);

/* The number of instructions of a workload, including its tail. */
unsigned steps_count(const struct steps *steps);

/* Returns whether the instruction at this position is of these kinds. */
bool steps_is(const struct steps *steps, unsigned position, uint32_t kinds);

/* The position in execution order of the instruction at ip; steps_count() for the end of the code; else -1. */
int steps_position(const struct steps *steps, uint64_t ip);

/* The number of instructions of these kinds before a position. */
unsigned steps_before(const struct steps *steps, uint32_t kinds, unsigned position);

/* The position of the n-th instruction of these kinds, n from 1; steps_count() if there are fewer. */
unsigned steps_nth(const struct steps *steps, uint32_t kinds, unsigned n);

#endif
