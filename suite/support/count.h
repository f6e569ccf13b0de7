/* SPDX-License-Identifier: MIT */
/*
 * What a counter counts over a workload. Processors add to counts what the manual does not: interrupts and faults are
 * counted as instructions, and so is what system management mode does. That happens now and then, and takes nothing
 * away; so interrupts are off, and of several runs the least is taken. V. M. Weaver, D. Terpstra, S. Moore,
 * "Non-Determinism and Overcount on Modern Hardware Performance Counter Implementations", ISPASS 2013. What the window
 * itself counts (whether the WRMSR that stops a counter is an instruction of it, the manual does not say) drops out of
 * the difference between two workloads.
 */
#ifndef SUITE_SUPPORT_COUNT_H
#define SUITE_SUPPORT_COUNT_H

#include "kernel/test.h"
#include "suite/workload/workload.h"

#define COUNT_RUNS 5u

/* One run, with interrupts off, of counters as they are programmed: bits of IA32_PERF_GLOBAL_CTRL. */
void count_once(const struct caps *caps, uint64_t counters, const struct workload *workload);

/*
 * Where general counter n stands after the workload, programmed with this event select and starting at this value: the
 * least of several runs. Fails the test if the counter cannot be programmed.
 */
uint64_t count_from(struct test_run *run, unsigned n, uint64_t select, uint64_t start, const struct workload *workload);

/* Fixed counter 0 in the same way, from 0; control: its field of IA32_FIXED_CTR_CTRL. */
uint64_t count_fixed(struct test_run *run, uint64_t control, const struct workload *workload);

#endif
