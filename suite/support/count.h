/* SPDX-License-Identifier: MIT */
/*
 * The count of an event over a workload. Processors overcount: interrupts, faults and system management mode sometimes
 * add instructions. So interrupts are off, and the result is the minimum of several runs. The test fails if they differ
 * without a system management interrupt. V. M. Weaver, D. Terpstra, S. Moore, "Non-Determinism and Overcount on Modern
 * Hardware Performance Counter Implementations", ISPASS 2013. Tests compare two workloads, because the difference
 * excludes events of the window itself. (The manual does not say whether the WRMSR that stops a counter counts as an
 * instruction.)
 */
#ifndef SUITE_SUPPORT_COUNT_H
#define SUITE_SUPPORT_COUNT_H

#include "kernel/test.h"
#include "suite/support/errata.h"
#include "suite/workload/workload.h"

#define COUNT_RUNS 5u

/* One run, with interrupts off, of programmed counters (bits of IA32_PERF_GLOBAL_CTRL). */
void count_once(const struct caps *caps, uint64_t counters, const struct workload *workload);

/* errata_equal() of a count of one run, unless a system management interrupt may have added to it. */
void count_equal(struct test_run *run, unsigned errata, const char *what, uint64_t got, uint64_t want);
#define count_equal(run, ...) count_equal(TEST_AT(run), __VA_ARGS__)

/*
 * The value of general counter n after the workload, programmed with this event select and starting at this value: the
 * minimum of several runs.
 */
uint64_t count_from(struct test_run *run, unsigned n, uint64_t select, uint64_t start, const struct workload *workload);

/*
 * count_from() for fixed counter 0, from 0; control: its field of IA32_FIXED_CTR_CTRL. count_fixed() starts the counter
 * with this field, because of erratum HSD143; count_fixed_global_last() starts it with IA32_PERF_GLOBAL_CTRL.
 */
uint64_t count_fixed(struct test_run *run, uint64_t control, const struct workload *workload);
uint64_t count_fixed_global_last(struct test_run *run, uint64_t control, const struct workload *workload);

#endif
