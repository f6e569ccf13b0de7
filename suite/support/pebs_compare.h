/* SPDX-License-Identifier: MIT */
/*
 * Compares every field of a PEBS record with the value that the sample and the workload determine. For each field that
 * they leave open, pebs_compare.c gives the reason.
 */
#ifndef SUITE_SUPPORT_PEBS_COMPARE_H
#define SUITE_SUPPORT_PEBS_COMPARE_H

#include "suite/support/pebs_sample.h"

/*
 * Compares every field of each record in the log with what was armed: its bit, its groups, the place and the registers
 * of its event, and the time stamps. Not for several processors at once: cpus_compare() is.
 */
void pebs_compare(struct test_run *run);

/* records_close() and records_close_full() of a sample: count its records for the test, and compare them. */
void pebs_close(struct test_run *run, unsigned interrupts);
void pebs_close_full(struct test_run *run);

/* Opens the area, samples, and closes it with pebs_close(). Returns false if sampling failed. */
bool pebs_sample(struct test_run *run, const struct pebs_sample *sample);

#endif
