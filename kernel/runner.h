/* SPDX-License-Identifier: MIT */
/* Runs the tests that the options select, each within its time limit, and prints KTAP. */
#ifndef KERNEL_RUNNER_H
#define KERNEL_RUNNER_H

#include "boot/options.h"
#include "cpu/caps.h"
#include "kernel/report/results.h"
#include "kernel/report/verdict.h"

/*
 * Begins the run: the same tests on each of `kinds` kinds of cores, one kind after another. On the last `named` kinds,
 * the kind's name ends the tests' ids; at most one kind has no name. A kind without memory for its results is not
 * tested. Prints the plan. Returns false, and prints why, if no test is selected or an option is invalid.
 */
bool runner_begin(const struct options *options, unsigned kinds, unsigned named);

/*
 * Runs the tests on the calling processor, which has these capabilities and is of this kind (NULL: the first). Calls
 * quiesce() first and after each test, even a hung test, to disable all facilities.
 */
void runner_run(const char *kind, const struct caps *caps, void (*quiesce)(void));

/*
 * For a processor that watches the processor of the tests. Call runner_late() once a second: it returns whether the
 * test is so far past its time limit that the watchdog must have failed. Then call runner_abandon(), which fails this
 * test and skips the rest on this kind. If the last test had already ended, it reports an error of the run.
 */
bool runner_late(void);
void runner_abandon(const char *kind, const struct caps *caps, const char *why);

/* Prints the results, and returns the verdict. */
enum verdict runner_conclude(void);

/* Prints the ids, titles, sources and levels of all tests. */
void runner_list(void);

/* The counts so far. */
void runner_totals(struct totals *totals);

/* The number of kinds of cores of the run. */
unsigned runner_kinds(void);

#endif
