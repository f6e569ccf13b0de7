/* SPDX-License-Identifier: MIT */
/* Samples one event with PEBS over the workloads of suite/workload/steps.h. */
#ifndef SUITE_MEASURE_SAMPLER_H
#define SUITE_MEASURE_SAMPLER_H

#include "cpu/events.h"
#include "kernel/test.h"
#include "suite/measure/kinds.h"
#include "suite/support/records.h"

/* The most records between sampler_open() and sampler_close(). */
unsigned sampler_room(const struct caps *caps);

/*
 * Opens the area with space for sampler_room() records and without interrupts, programs the lowest counter that
 * supports the event, and sets *window for the workload. On failure the test fails, and this returns false.
 */
bool sampler_open(struct test_run *run, const struct pebs_event *event, const struct workload *workload,
                  unsigned period, struct window *window);

/* Closes the area, and compares the records, which are in ds_pebs_log(). */
void sampler_close(struct test_run *run);

/* Returns why no counter of this processor can sample the event; NULL if one can. */
const char *sampler_lacks(const struct caps *caps, const struct pebs_event *event);

/* Enables the instruction sets that the workloads need, and sets up their operands. */
void sampler_prepare(void);

/*
 * Loads the lines of STEP_COLD, then this many bytes of other lines, and the line of STEP_WARM. Call it before a round,
 * while no counter counts. Returns false if the machine does not have that much memory.
 */
bool sampler_displace(unsigned bytes);

/* Returns whether a record's event was in the workload's body, not in the window's own instructions. */
bool sampler_inside(const struct caps *caps, const struct workload *workload, const struct pebs_record *record);

/*
 * The position of the instruction at the record's EventingIP; in formats without EventingIP, of the instruction
 * executed before IP. -1 if there is none.
 */
int sampler_position(const struct caps *caps, const struct steps *steps, const struct pebs_record *record);

#endif
