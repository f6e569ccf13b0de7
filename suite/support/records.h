/* SPDX-License-Identifier: MIT */
/* What every test of records does: open the area or say why not, print what came, compare branches with labels. */
#ifndef SUITE_SUPPORT_RECORDS_H
#define SUITE_SUPPORT_RECORDS_H

#include "bts/bts_decode.h"
#include "ds/ds.h"
#include "kernel/test.h"
#include "lbr/lbr.h"
#include "pebs/pebs_decode.h"
#include "suite/workload/workload.h"

/* ds_open(): prints what the check says, and a refusal fails the test. Returns whether the area is open. */
bool records_open(struct test_run *run, const struct ds_config *config);

/*
 * ds_close(); prints both logs, and fails the test for every record that was dropped, broken or may have been lost.
 * interrupts: how many must at least have come, for which it waits: an interrupt may trail the stop of its cause.
 */
void records_close(struct test_run *run, unsigned interrupts);

/*
 * records_close() where so many interrupts must have been spurious: no counter or buffer asked for them. More are no
 * failure: one whose cause an earlier one has served comes for nothing.
 */
void records_close_spurious(struct test_run *run, unsigned interrupts, unsigned spurious);

/* records_close() for a test that fills a buffer on purpose: it prints the logs, and judges nothing. */
void records_close_full(struct test_run *run);

/* Fails the test for records that were lost or broken on the way from the buffer into the log. name: BTS or PEBS. */
void records_check_log(struct test_run *run, const char *name, const struct ds_log *log);

/* Decodes record n of the log. Fails the test and returns false where the decoder refuses it. */
bool records_bts(struct test_run *run, unsigned n, struct bts_record *record);
bool records_pebs(struct test_run *run, unsigned n, struct pebs_record *record);

/*
 * Prints an LBR stack; entries past run->lbr_most are held back, and only counted. Fails the test where the decoder
 * refused it.
 */
void records_print_lbr(struct test_run *run, const struct lbr_stack *stack);

/* A walk over the taken branches of a workload in order; kinds: the mask of kinds that are wanted. */
struct branch_walk {
    const struct workload *workload;
    uint64_t kinds, position, repeated;
};
#define BRANCH_KINDS_ALL UINT64_MAX
const struct branch *branch_next(struct branch_walk *walk);
unsigned branch_count(const struct workload *workload, uint64_t kinds);

/*
 * Compares the log's branches with the workload's, one by one, and adds them to what the test saw. Records of a
 * hardware interrupt (into a vector's entry, out of the common IRET) and those outside the workload are none of its
 * branches. skip: how many of the workload's branches the log need not have (a circular buffer has the newest only).
 */
void records_compare_bts(struct test_run *run, const struct workload *workload, unsigned skip);

/*
 * For a circular buffer with so many places, which the workload's branches fill: states how many records must come, and
 * compares those that came, the newest. A processor may leave the last place free: the manual has the absolute maximum
 * be "a multiple of the record size plus 1", so whether a record fits that ends at it exactly, is not said.
 * SDM Vol. 3A (253668-032), "BTS and DS Save Area", 16.4.9.
 */
void records_plan_circular(struct test_run *run, unsigned places);
void records_compare_circular(struct test_run *run, const struct workload *workload, unsigned places);

/* Compares the interrupts that came while BTS was on with the log's records of their deliveries, which are branches. */
void records_compare_interrupts(struct test_run *run);

#endif
