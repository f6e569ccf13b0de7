/* SPDX-License-Identifier: MIT */
/* Functions for all tests of records: open the area, print records, compare branches with labels. */
#ifndef SUITE_SUPPORT_RECORDS_H
#define SUITE_SUPPORT_RECORDS_H

#include "bts/bts_decode.h"
#include "ds/ds.h"
#include "kernel/test.h"
#include "lbr/lbr.h"
#include "pebs/pebs_decode.h"
#include "suite/workload/workload.h"

/* ds_open() with a report of the check's result. The test fails on a refusal. Returns whether the area is open. */
bool records_open(struct test_run *run, const struct ds_config *config);

/* The test fails unless the check of an area has found this breach and no other. */
void records_expect_breach(struct test_run *run, const struct ds_breaches *breaches, enum ds_breach_id id);

/*
 * Calls ds_close() and prints both logs. The test fails for every record that was dropped, invalid or may have been
 * lost. interrupts: the minimum. The function waits for them, because an interrupt may arrive after its cause has
 * stopped.
 */
void records_close(struct test_run *run, unsigned interrupts);

/*
 * records_close() for a test that expects at least this many spurious interrupts, which no counter or buffer requested.
 * More may arrive: if an earlier interrupt has already serviced the cause of a later one, the later one is spurious.
 */
void records_close_spurious(struct test_run *run, unsigned interrupts, unsigned spurious);

/* records_close() for a test that fills a buffer on purpose: prints the logs without checks. */
void records_close_full(struct test_run *run);

/* After ds_close(), the test fails if memory around the buffers was written. */
void records_check_outside(struct test_run *run);

/* With interrupts on: the test fails if a buffer is past its threshold, and no interrupt drains it. */
void records_check_served(struct test_run *run);

/* The test fails for records that were lost or became invalid between the buffer and the log. name: BTS or PEBS. */
void records_check_log(struct test_run *run, const char *name, const struct ds_log *log);

/* Decodes record n of the log. Returns false if the decoder refuses it; records_pebs() then also fails the test. */
bool records_bts(struct test_run *run, unsigned n, struct bts_record *record);
bool records_pebs(struct test_run *run, unsigned n, struct pebs_record *record);

/*
 * Prints an LBR stack. Entries after run->lbr_most are only counted. The test fails if the decoder refused the stack.
 */
void records_print_lbr(struct test_run *run, const struct lbr_stack *stack);

/* A walk over the taken branches of a workload in order; kinds: the mask of wanted kinds. */
struct branch_walk {
    const struct workload *workload;
    uint64_t kinds, position, repeated;
};
#define BRANCH_KINDS_ALL UINT64_MAX
const struct branch *branch_next(struct branch_walk *walk);
unsigned branch_count(const struct workload *workload, uint64_t kinds);

/*
 * Compares the log's branches with the workload's, one by one, and counts them for the test. Ignores records of
 * hardware interrupts (to a vector's entry, and from the common IRET) and those outside the workload. skip: the number
 * of the workload's first branches that the log may lack (a circular buffer has only the newest).
 */
void records_compare_bts(struct test_run *run, const struct workload *workload, unsigned skip);

/* records_compare_bts() of a whole trace without interrupts: the log must have no other branch. */
void records_compare_trace(struct test_run *run, const struct workload *workload);

/* records_compare_bts() with errata (HAS_ERRATUM) that explain a wrong From, in addition to those of every trace. */
void records_compare_bts_but(struct test_run *run, const struct workload *workload, unsigned skip, unsigned errata);

/*
 * For a circular buffer of `places` records, which the workload's branches fill: plan the number of records, and
 * compare the newest with the workload. A processor may leave the last place empty: in the manual the absolute maximum
 * is "a multiple of the record size plus 1", which leaves open whether a record that ends there fits. SDM Vol. 3A
 * (253668-032), "BTS and DS Save Area", 16.4.9.
 */
void records_plan_circular(struct test_run *run, unsigned places);
void records_compare_circular(struct test_run *run, const struct workload *workload);

/*
 * Compares the number of interrupts while BTS was on with the log's records of their deliveries, which are branches.
 * Before the next delivery, the trace must have a branch back to the interrupted instruction.
 */
void records_compare_interrupts(struct test_run *run);

#endif
