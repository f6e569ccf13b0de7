/* SPDX-License-Identifier: MIT */
/*
 * Finds the workload's event that a record belongs to.
 *
 * The manual promises: the overflow of a counter arms PEBS, and a later event is recorded; the delay is finite, but the
 * number of events in it is undefined (SDM Vol. 3B (253669-081), "Precise Distribution of Instructions Retired
 * (PDIR)"). So a record describes the first event after the overflow, or a later event. If it is a whole period late, a
 * record is missing. With precise distribution, the record describes the event that overflows the counter. Typical, and
 * reported if different: if events are serialised, the record describes the first event after the overflow.
 */
#ifndef SUITE_SUPPORT_PEBS_PLACES_H
#define SUITE_SUPPORT_PEBS_PLACES_H

#include "suite/support/pebs_sample.h"

/* The number of records that this many events typically give. */
unsigned pebs_typical(const struct caps *caps, const struct pebs_sample *sample, unsigned events);

/* Plans the number of records: from half the typical number to the typical number. Any other than that is reported. */
void pebs_plan(struct test_run *run, unsigned typical);

/* Checks the number of records of one of several samples against the same bounds, and reports if it is not typical. */
void pebs_check_count(struct test_run *run, unsigned came, unsigned typical);

/* The access in the workload that a record describes; NULL if there is none. */
const struct access *pebs_access(const struct test_run *run, const struct workload *workload,
                                 const struct pebs_record *record);

/*
 * A record of branches of these kinds must describe a branch that the workload takes, or the one at the end of
 * workload_long_loop and workload_user_loop. Returns the taken branch, or NULL.
 */
const struct branch *pebs_check_branch(struct test_run *run, const struct workload *workload, uint64_t kinds,
                                       unsigned n, const struct pebs_record *record);

/*
 * Gets the number, from 0, of a record's event within its round. For events of instructions: workload_straight and
 * workload_long_loop. For events of accesses: workload_chase, and any workload with a table of accesses. Returns false
 * if the record is outside the workload, or of one of the window's own instructions.
 */
bool pebs_event_number(const struct test_run *run, const struct pebs_sample *sample, const struct pebs_record *record,
                       unsigned *number);

/* Returns whether a record describes an instruction that closes the window. Such instructions count, too. */
bool pebs_is_closing(const struct pebs_sample *sample, const struct pebs_record *record);

/*
 * Checks that the log's records describe events that are allowed. first: the number of the event that the first record
 * typically describes, which is pebs_spacing() - 1 if the counter starts at its period.
 */
void pebs_check_numbers(struct test_run *run, const struct pebs_sample *sample, unsigned first);

#endif
