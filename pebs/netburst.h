/* SPDX-License-Identifier: MIT */
/* Sampling and counting with MSR_IQ_COUNTER4, NetBurst's only counter with PEBS. */
#ifndef PEBS_NETBURST_H
#define PEBS_NETBURST_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/netburst_events.h"
#include "suite/workload/workload.h"

/* Carries out the writes of netburst_writes(). Returns false if one raises #GP. */
bool netburst_program(const struct netburst_setup *setup);

/* The window that lets the counter count. */
struct window netburst_window(void);

uint64_t netburst_counter(void); /* MSR_IQ_COUNTER4, 40 bits; 0 if RDMSR raises #GP */

/* Stops all 18 counters, and switches tagging and sampling off. */
void netburst_quiesce(void);

#endif
