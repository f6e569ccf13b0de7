/* SPDX-License-Identifier: MIT */
/* Runs the tests that the options select, each within its time limit, and prints KTAP. */
#ifndef KERNEL_RUNNER_H
#define KERNEL_RUNNER_H

#include "boot/options.h"
#include "cpu/caps.h"
#include "kernel/report/results.h"
#include "kernel/report/verdict.h"

/*
 * Begins the run: the same tests on each of `kinds` kinds of cores, one kind after another. On the last `named` kinds
 * the tests' ids end with the kind's name; at most one kind has no name. Kinds without memory for their results are
 * left out. Prints the plan. Returns false if there are no tests to run or the options are wrong, and prints why.
 */
bool runner_begin(const struct options *options, unsigned kinds, unsigned named);

/*
 * Runs the tests on the calling processor, with these capabilities and of the kind with this name; NULL: the first
 * kind. Calls quiesce() first and after each test, even a hung one, to disable everything.
 */
void runner_run(const char *kind, const struct caps *caps, void (*quiesce)(void));

/*
 * For a processor that watches another one run the tests, to be called once a second. runner_late(): whether the test
 * there is so far past its time limit that it cannot be ended. runner_abandon() then fails this test and skips the rest
 * on this kind. If no test is left, that is an error of the run.
 */
bool runner_late(void);
void runner_abandon(const char *kind, const struct caps *caps, const char *why);

/* Prints the results, and returns the verdict. */
enum verdict runner_conclude(void);

/* Prints the ids, titles, sources and levels of all tests. */
void runner_list(void);

/* The counts so far. */
void runner_totals(struct totals *totals);

/*
 * The results so far on one of the kinds, from 0, by position in the list of all tests. *count is 0 before the first
 * test. *caps: the capabilities there; NULL if no test has run there.
 */
unsigned runner_kinds(void);
const struct result *runner_results(unsigned kind, size_t *count, const struct caps **caps);

#endif
