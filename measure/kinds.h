/* SPDX-License-Identifier: MIT */
/* What instructions of workload/steps.h a precise event counts, and where among them a place is. Pure. */
#ifndef MEASURE_KINDS_H
#define MEASURE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/events.h"
#include "workload/steps.h"

/* What brings an event about. */
struct cause {
    uint32_t kinds;      /* STEP_* of the instructions; 0: none */
    bool counted;        /* each of them is one event: their number is known beforehand */
    unsigned displace;   /* so many bytes must have been loaded since the lines of STEP_COLD; 0: caches do not matter */
    const char *why_not; /* where there is none; else NULL */
};
struct cause cause_of(const struct pebs_event *event);

/* How many instructions a workload has, its tail included. */
unsigned steps_count(const struct steps *steps);

/* Whether the instruction at this position is of these kinds. */
bool steps_is(const struct steps *steps, unsigned position, uint32_t kinds);

/* The position of the instruction at ip in the order of execution; their count for the limit of the code; else -1. */
int steps_position(const struct steps *steps, uint64_t ip);

/* How many instructions of these kinds come before a position. */
unsigned steps_before(const struct steps *steps, uint32_t kinds, unsigned position);

/* The position of the n-th instruction of these kinds, n from 1 on; their count where there are not so many. */
unsigned steps_nth(const struct steps *steps, uint32_t kinds, unsigned n);

#endif
