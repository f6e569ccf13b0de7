/* SPDX-License-Identifier: MIT */
/* Runs the tests that the options select, each within its bound, and prints KTAP. */
#ifndef KERNEL_RUNNER_H
#define KERNEL_RUNNER_H

#include "boot/options.h"
#include "cpu/caps.h"
#include "kernel/finish.h"

/* Runs them; quiesce() is called at first and after each test, hung ones included, to switch off what may be on. */
enum verdict runner_run(const struct options *options, const struct caps *caps, void (*quiesce)(void));

/* Prints the ids and titles of all tests. */
void runner_list(void);

/* What has been counted so far. */
void runner_totals(struct totals *totals);

#endif
