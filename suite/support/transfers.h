/* SPDX-License-Identifier: MIT */
/* Branches that are not near ones, and what must be set up around them. */
#ifndef SUITE_SUPPORT_TRANSFERS_H
#define SUITE_SUPPORT_TRANSFERS_H

#include "cpu/caps.h"
#include "suite/workload/workload.h"

/* suite/workload/transfers.asm */
extern const struct workload workload_far;        /* far jump, call and return, near ones between them */
extern const struct workload workload_invalid;    /* #UD; the handler resumes after it */
extern const struct workload workload_breakpoint; /* #BP by INT3 */
extern const struct workload workload_page;       /* #PF by a read of the null pointer's page */
extern const struct workload workload_step;       /* a call, a return, and a single step, whose handler must clear TF */
extern const struct workload workload_self;       /* an interrupt that its own processor has sent */
extern const struct workload
    workload_system_call; /* SYSCALL at CPL 3 and SYSRET, outside 64-bit mode SYSENTER at CPL 0 */

/* The sentence for which a test of workload_system_call is skipped, or NULL. */
const char *transfers_no_system_call(const struct caps *caps);

/*
 * Sets up the gates and registers that these workloads go through, and restores what was there. The interrupt of
 * workload_self is sent here; interrupts are off from then on, until the workload lets it in.
 */
void transfers_prepare(const struct caps *caps, const struct workload *workload);
void transfers_restore(void);

#endif
