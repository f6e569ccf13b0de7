/* SPDX-License-Identifier: MIT */
/* What every test of the LBR stack does: record a workload with interrupts off, and compare entries with its labels. */
#ifndef SUITE_SUPPORT_LBR_RECORD_H
#define SUITE_SUPPORT_LBR_RECORD_H

#include "kernel/test.h"
#include "lbr/lbr.h"
#include "suite/support/records.h"

#define LBR_NO_FILTER UINT64_C(0)

/* The stack as it was last read. */
extern struct lbr_stack lbr_recorded;

/*
 * Records a workload with this filter, and reads and prints the stack. Returns how many of its entries were recorded by
 * that. Where the stack cannot be emptied before, since its registers are read-only (on NetBurst the manual calls them
 * so), the top-of-stack pointer tells: SDM Vol. 3A (253668-032), "LBR Stack for Processors Based on Intel NetBurst
 * Microarchitecture", 16.7.2.
 */
unsigned lbr_run(struct test_run *run, const struct workload *workload, uint64_t select);

/* The same, with interrupts off and nothing printed, into a stack of the caller's: for any processor. */
unsigned lbr_take(const struct caps *caps, const struct workload *workload, uint64_t select, struct lbr_stack *stack);

/* lbr_compare() with a stack of the caller's. */
void lbr_compare_stack(struct test_run *run, const struct lbr_stack *stack, const struct workload *workload,
                       uint64_t kinds, unsigned count);

/* Compares the stack's count newest entries with the last that the workload's branches of these kinds have. */
void lbr_compare(struct test_run *run, const struct workload *workload, uint64_t kinds, unsigned count);

/* Records a workload; the entries must be its branches of the kinds that the filter lets in, and no others. */
void lbr_record(struct test_run *run, const struct workload *workload, uint64_t suppress);

/* A whole test: that of the workload which is its argument, with no filter. */
void lbr_record_all(struct test_run *run);

#endif
