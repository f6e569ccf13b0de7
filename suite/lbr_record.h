/* SPDX-License-Identifier: MIT */
/* What every test of the LBR stack does: record a workload with interrupts off, and compare entries with its labels. */
#ifndef SUITE_LBR_RECORD_H
#define SUITE_LBR_RECORD_H

#include "kernel/test.h"
#include "lbr/lbr.h"
#include "suite/records.h"

#define LBR_NO_FILTER UINT64_C(0)

/* The stack as it was last read. */
extern struct lbr_stack lbr_recorded;

/* Records a workload with this filter, and reads and prints the stack. */
void lbr_run(struct test_run *run, const struct workload *workload, uint64_t select);

/* Compares the stack's count newest entries with the last that the workload's branches of these kinds have. */
void lbr_compare(struct test_run *run, const struct workload *workload, uint64_t kinds, unsigned count);

/* Records a workload; the entries must be its branches of the kinds that the filter lets in, and no others. */
void lbr_record(struct test_run *run, const struct workload *workload, uint64_t suppress);

/* A whole test: that of the workload which is its argument, with no filter. */
void lbr_record_all(struct test_run *run);

#endif
