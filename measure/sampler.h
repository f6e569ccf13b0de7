/* SPDX-License-Identifier: MIT */
/* PEBS of one event, record by record, over code whose every instruction is known. */
#ifndef MEASURE_SAMPLER_H
#define MEASURE_SAMPLER_H

#include "cpu/events.h"
#include "kernel/test.h"
#include "measure/kinds.h"
#include "suite/records.h"

/* The most records that one opening may leave. */
unsigned sampler_room(const struct caps *caps);

/*
 * Opens the area with room for so many records and no interrupt, programs the lowest counter that has the event, and
 * says in which window the workloads must run. Returns false, and the test has failed, where that is refused.
 */
bool sampler_open(struct test_run *run, const struct pebs_event *event, unsigned period, struct window *window);

/* Closes; the records are in ds_pebs_log(). */
void sampler_close(struct test_run *run);

/* Why no counter of this processor can sample it; NULL where one can. */
const char *sampler_lacks(const struct caps *caps, const struct pebs_event *event);

/* Switches on what the workloads' arithmetic needs, and makes its operands. */
void sampler_prepare(void);

/*
 * Loads the lines of STEP_COLD, so many bytes of others, and then that of STEP_WARM: before a round, while nothing
 * counts. Returns false where the machine has no such piece of memory.
 */
bool sampler_displace(unsigned bytes);

/* Whether a record's event was in the body of a workload; the window's own instructions are around it. */
bool sampler_inside(const struct caps *caps, const struct workload *workload, const struct pebs_record *record);

/*
 * The position of the instruction that a record says its event was at: by EventingIP, or where the format has none as
 * the one that was executed before IP. -1 where it is none.
 */
int sampler_position(const struct caps *caps, const struct steps *steps, const struct pebs_record *record);

#endif
