/* SPDX-License-Identifier: MIT */
/* Runs the tests that the options select, each within its time limit, and prints KTAP. */
#ifndef KERNEL_RUNNER_H
#define KERNEL_RUNNER_H

#include "boot/options.h"
#include "cpu/caps.h"
#include "kernel/finish.h"

/* Runs the tests. quiesce() is called first and after each test, even a hung one, to switch everything off. */
enum verdict runner_run(const struct options *options, const struct caps *caps, void (*quiesce)(void));

/* Prints the ids and titles of all tests. */
void runner_list(void);

/* What has been counted so far. */
void runner_totals(struct totals *totals);

#endif
