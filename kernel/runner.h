/* SPDX-License-Identifier: MIT */
/* Runs the tests that the options select, each within its time limit, and prints KTAP. */
#ifndef KERNEL_RUNNER_H
#define KERNEL_RUNNER_H

#include "boot/options.h"
#include "cpu/caps.h"
#include "kernel/report/results.h"
#include "kernel/report/verdict.h"

/*
 * Begins the run: the same tests on each of so many kinds of cores, one after the other; on the last `named` of them
 * with the kind's name behind their ids, as it must be on all but one. Without memory for their results these kinds are
 * left out. Prints the plan. False, if there is nothing to run or the options are wrong, which it says.
 */
bool runner_begin(const struct options *options, unsigned kinds, unsigned named);

/*
 * Runs the tests on the calling processor, which has these capabilities, and which is of the kind with this name; NULL:
 * the first kind. quiesce() is called first and after each test, even a hung one, to switch everything off.
 */
void runner_run(const char *kind, const struct caps *caps, void (*quiesce)(void));

/*
 * For who watches another processor run them, once a second. runner_late() tells whether the test there is behind its
 * time limit so far that it was not ended, and runner_abandon() says so of it, and leaves out the rest on this kind. If
 * there is no rest, it is an error of the run.
 */
bool runner_late(void);
void runner_abandon(const char *kind, const struct caps *caps, const char *why);

/* Prints what all of it came to, and returns the verdict. */
enum verdict runner_conclude(void);

/* Prints the ids, titles, sources and levels of all tests. */
void runner_list(void);

/* What has been counted so far. */
void runner_totals(struct totals *totals);

/*
 * The results so far on one of the kinds, from 0 on, by position in the list of all tests; *count is 0 before the first
 * test. *caps: the capabilities there; NULL if no test has run there.
 */
unsigned runner_kinds(void);
const struct result *runner_results(unsigned kind, size_t *count, const struct caps **caps);

#endif
