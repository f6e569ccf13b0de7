/* SPDX-License-Identifier: MIT */
/* Workloads with far branches, interrupts and exceptions, and the set-up that they need. */
#ifndef SUITE_SUPPORT_TRANSFERS_H
#define SUITE_SUPPORT_TRANSFERS_H

#include "cpu/caps.h"
#include "suite/workload/workload.h"

/* suite/workload/transfers.asm */
extern const struct workload workload_far;        /* far jump, call and return, with near ones between them */
extern const struct workload workload_based;      /* its near jump is in a code segment with base 1000H */
extern const struct workload workload_invalid;    /* #UD; the handler resumes after it */
extern const struct workload workload_breakpoint; /* #BP by INT3 */
extern const struct workload workload_page;       /* #PF by a read of the null pointer's page */
extern const struct workload workload_step;       /* a call, a return, and a single step; its handler must clear TF */
extern const struct workload workload_self;       /* an interrupt that the processor sends to itself */
extern const struct workload
    workload_system_call; /* SYSCALL at CPL 3 and SYSRET; outside 64-bit mode SYSENTER at CPL 0 */

/* Returns why a test of workload_system_call is skipped, or NULL. */
const char *transfers_no_system_call(const struct caps *caps);

/*
 * Set up the gates and registers that these workloads use, and restore them. For workload_self, transfers_prepare()
 * also sends the interrupt; interrupts are then off until the workload enables them.
 */
void transfers_prepare(const struct caps *caps, const struct workload *workload);
void transfers_restore(void);

/* Whether a gate of these workloads leads to this address, so that interrupts and exceptions arrive there. */
bool transfers_enter(uint64_t address);

#endif
