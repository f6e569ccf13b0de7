/* SPDX-License-Identifier: MIT */
/* Sampling and counting with MSR_IQ_COUNTER4, the one counter of NetBurst that can do PEBS. */
#ifndef PEBS_NETBURST_H
#define PEBS_NETBURST_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/netburst_events.h"
#include "workload/workload.h"

/* Writes what netburst_writes() says. Returns false where a register faults. */
bool netburst_program(const struct netburst_setup *setup);

/* The window that lets the counter count. */
struct window netburst_window(void);

uint64_t netburst_counter(void);

/* Stops all 18 counters, whoever started them, and switches tagging and sampling off. */
void netburst_quiesce(void);

#endif
