/* SPDX-License-Identifier: MIT */
/* Common to all tests of the LBR stack: recording a workload with interrupts off, comparing entries with its labels. */
#ifndef SUITE_SUPPORT_LBR_RECORD_H
#define SUITE_SUPPORT_LBR_RECORD_H

#include "kernel/test.h"
#include "lbr/lbr.h"
#include "suite/support/records.h"

#define LBR_NO_FILTER UINT64_C(0)

/* The stack when it was last read. */
extern struct lbr_stack lbr_recorded;

/*
 * Why software cannot write the stack: NetBurst's by the manual, Pentium M's by measurement (tests/host/msr_facts.h).
 * NULL: it can.
 */
const char *lbr_is_read_only(const struct caps *caps);

/* FROM of an architectural LBR whose branch begins at a level that is filtered out. */
#define LBR_FROM_FILTERED UINT64_MAX

/*
 * The test fails if an entry, named by its age, has a branch that the kernel's code lacks, or is in a transaction: no
 * workload has one. It differs if bits without a meaning are set. A branch that the code lacks is permitted with
 * an erratum, with a filtered source, and in an entry older than the test in a stack that software cannot empty.
 */
void lbr_check_entry(struct test_run *run, unsigned age, const struct lbr_entry *entry);

/* lbr_check_entry() for the whole stack. */
void lbr_check(struct test_run *run, const struct lbr_stack *stack);

/* Prints and checks lbr_recorded. */
void lbr_print(struct test_run *run);

/* lbr_reset(), which must succeed if software can write the stack. */
void lbr_clear(struct test_run *run, uint64_t select);

/* lbr_clear(), and reads the stack: each register must be 0, if software can write it. */
void lbr_empty(struct test_run *run, uint64_t select, struct lbr_stack *stack);

/* The number of entries that are not empty. */
unsigned lbr_used(const struct lbr_stack *stack);

/*
 * Records a workload with this filter; reads, prints and checks the stack. Entries without a new branch must be as
 * before the workload, and so must the registers that control the stack. Returns how many entries the workload
 * recorded. If the stack is read-only (as the manual says for NetBurst), it cannot be emptied first, and the
 * top-of-stack pointer gives that number: SDM Vol. 3A (253668-032), "LBR Stack for Processors Based on Intel NetBurst
 * Microarchitecture", 16.7.2.
 */
unsigned lbr_run(struct test_run *run, const struct workload *workload, uint64_t select);

/* lbr_run() with interrupts already off, without printing, and into the caller's stack; works on any processor. */
unsigned lbr_take(struct test_run *run, const struct workload *workload, uint64_t select, struct lbr_stack *stack);

/*
 * Compares an entry, named by its age, with a branch (NULL: the workload has no further one): both addresses, the
 * type, and the counts of events. Not compared: whether it was predicted, and its cycles, which no edition promises;
 * the bits of INFO that are reserved or undefined.
 */
void lbr_compare_entry(struct test_run *run, unsigned age, const struct lbr_entry *got, const struct branch *want);

/* lbr_compare_entry() with the number of events of each counter; NULL: unknown. */
void lbr_compare_events(struct test_run *run, unsigned age, const struct lbr_entry *got, const struct branch *want,
                        const unsigned events[LBR_COUNTERS]);

/*
 * Compares those of the newest `recorded` entries whose branch is in the workload with the workload's last branches, in
 * order, and ignores the other entries. Returns how many it compared.
 */
unsigned lbr_compare_own(struct test_run *run, const struct workload *workload, unsigned recorded);

/* Whether all registers of two stacks are the same, by their entries' ages. */
bool lbr_same(const struct lbr_stack *one, const struct lbr_stack *other);

/* lbr_compare() with the caller's stack. */
void lbr_compare_stack(struct test_run *run, const struct lbr_stack *stack, const struct workload *workload,
                       uint64_t kinds, unsigned count);

/* Compares the newest `count` entries of the stack with the workload's last branches of these kinds. */
void lbr_compare(struct test_run *run, const struct workload *workload, uint64_t kinds, unsigned count);

/* Records a workload; the entries must be exactly its branches of the kinds that the filter allows. */
void lbr_record(struct test_run *run, const struct workload *workload, uint64_t suppress);

/* A whole test: records the workload in its argument without a filter. */
void lbr_record_all(struct test_run *run);

#endif
