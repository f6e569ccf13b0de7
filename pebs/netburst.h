/* SPDX-License-Identifier: MIT */
/* Sampling and counting with MSR_IQ_COUNTER4, the one counter of NetBurst that can do PEBS. */
#ifndef PEBS_NETBURST_H
#define PEBS_NETBURST_H

#include <stdbool.h>
#include <stdint.h>

#include "pebs/netburst_events.h"
#include "workload/workload.h"

/* Writes what netburst_writes() says. Returns false where a register faults. */
bool netburst_program(const struct netburst_setup *setup);

/* The window that lets the counter count. */
struct window netburst_window(void);

uint64_t netburst_counter(void);

/*
 * For the DS interrupt service routine. stop returns MSR_IQ_CCCR4 as it was, whose CCCR_OVF is the status; resume lets
 * the counter go on if it did count. Both leave the overflow flag clear: the local APIC takes no other interrupt from
 * the counter while it is set, so it must go before the LVT entry is unmasked.
 */
uint64_t netburst_stop(void);
void netburst_resume(uint64_t cccr);

/* Stops all 18 counters, whoever started them, and switches tagging and sampling off. */
void netburst_quiesce(void);

#endif
