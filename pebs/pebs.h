/* SPDX-License-Identifier: MIT */
/* Precise event-based sampling on general and fixed counters. SDM Vol. 3B (253669-081), "Processor Event Based Sampling
 * (PEBS)". */
#ifndef PEBS_PEBS_H
#define PEBS_PEBS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"
#include "cpu/events.h"
#include "cpu/msr_index.h"
#include "suite/workload/workload.h"

/* What a counter samples. */
struct pebs_sampling {
    const struct pebs_event *event; /* the event of a general counter; ignored for a fixed counter */
    unsigned counter;
    bool fixed;         /* a fixed counter of caps->pebs_fixed_counters */
    uint64_t period;    /* the counter starts at -period; its reset slot in the area must have the same value */
    uint64_t rings;     /* PERFEVTSEL_USR, PERFEVTSEL_OS or both */
    unsigned threshold; /* for the load latency event, core cycles (3 to 65535); otherwise ignored */
    uint64_t data_cfg;  /* groups of an adaptive record, as in the area's struct ds_config */
    uint64_t cfg_c;     /* bits above 31 of an architectural counter's CFG_C; 0: the groups of data_cfg */
    bool basic;         /* this counter's records have only the basic group, despite data_cfg */
};

/* Finds the event with this role that this processor can sample; NULL if there is none. */
const struct pebs_event *pebs_find_event(const struct caps *caps, enum pebs_role role);

/*
 * The lowest general counter that can sample an event of this processor. Prefers counters without precise distribution,
 * because the manual does not define precise distribution at short periods.
 */
unsigned pebs_counter(const struct caps *caps, const struct pebs_event *event);

/*
 * Programs the counter; the DS area must be open. Sampling starts when the window opens. Returns false if the counter
 * cannot sample the event or accessing a register raises #GP.
 */
bool pebs_program(const struct caps *caps, const struct pebs_sampling *sampling);

/*
 * Sets a function that pebs_program() calls on the same processor after each set-up; NULL: none. A dump notes the event
 * of its records there.
 */
void pebs_observe(void (*observe)(const struct pebs_sampling *sampling));

/* The counters that this sampling uses, for pebs_window(). */
uint64_t pebs_counters(const struct caps *caps, const struct pebs_sampling *sampling);

/* Bits 63:32 of CFG_C for this sampling on an architectural counter. */
uint64_t pebs_cfg_c(const struct caps *caps, const struct pebs_sampling *sampling);

/* Disables PEBS on this processor after any set-up. It must have PEBS. */
void pebs_quiesce(const struct caps *caps);

/* The window that enables counters: general counters by bits 31:0, fixed counters by bits 63:32. */
struct window pebs_window(const struct caps *caps, uint64_t counters);

#endif
