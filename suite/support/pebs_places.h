/* SPDX-License-Identifier: MIT */
/*
 * Which of a workload's events its records are of.
 *
 * Promised: the overflow of a counter arms PEBS, and a later event is recorded; the delay between is finite, and
 * nothing says how many events pass in it (SDM Vol. 3B (253669-081), "Precise Distribution of Instructions Retired
 * (PDIR)"). So a record is of no earlier event than the next after the overflow, and one that is late by a whole period
 * stands for one that is missing. With precise distribution it is of the event that overflows the counter. Typical, and
 * told where it is otherwise: of serialised events the very next one is recorded.
 */
#ifndef SUITE_SUPPORT_PEBS_PLACES_H
#define SUITE_SUPPORT_PEBS_PLACES_H

#include "suite/support/pebs_sample.h"

/* How many records that many events typically leave. */
unsigned pebs_typical(const struct caps *caps, const struct pebs_sample *sample, unsigned events);

/* States how many records must come: as many as typically do, or fewer, to half of it. */
void pebs_plan(struct test_run *run, unsigned typical);

/* Holds the number of a sample's records against the same bounds, and tells where it is not the typical one. */
void pebs_check_count(struct test_run *run, unsigned came, unsigned typical);

/* The access of the workload that a record is of; NULL where it is of none. */
const struct access *pebs_access(const struct test_run *run, const struct workload *workload,
                                 const struct pebs_record *record);

/*
 * pebs_check() of a record of branches of these kinds: it must be of one that the workload takes, or of that at which
 * workload_long_loop and workload_user_loop end. Returns the taken one.
 */
const struct branch *pebs_check_branch(struct test_run *run, const struct pebs_sample *sample, uint64_t kinds,
                                       unsigned n, const struct pebs_record *record);

/*
 * The number of a record's event among those of a round of the workload, from 0. Of instructions: workload_straight and
 * workload_long_loop. Of accesses: any workload that has a table of them, and workload_chase. False where the record is
 * of none, or of one of the window's own instructions.
 */
bool pebs_event_number(const struct test_run *run, const struct pebs_sample *sample, const struct pebs_record *record,
                       unsigned *number);

/* Whether a record is of one of the instructions that close the window, which count as any other. */
bool pebs_is_closing(const struct pebs_sample *sample, const struct pebs_record *record);

/*
 * Holds the log's records against the events that they may be of. first: the number of the event that the first one is
 * typically of; where a counter starts at its period, pebs_spacing() less 1.
 */
void pebs_check_numbers(struct test_run *run, const struct pebs_sample *sample, unsigned first);

#endif
