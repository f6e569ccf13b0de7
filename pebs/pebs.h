/* SPDX-License-Identifier: MIT */
/* Precise event-based sampling on the general counters. SDM Vol. 3B (253669-081), "Processor Event Based Sampling
 * (PEBS)". */
#ifndef PEBS_PEBS_H
#define PEBS_PEBS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"
#include "cpu/events.h"
#include "cpu/msr_index.h"
#include "workload/workload.h"

/* What one counter samples. */
struct pebs_sampling {
    const struct pebs_event *event; /* of a general counter; a fixed one has its own */
    unsigned counter;
    bool fixed;         /* a fixed counter (PEBS_METHOD_ADAPTIVE alone) */
    uint64_t period;    /* the counter starts at -period, as its reset slot in the area must say too */
    uint64_t rings;     /* PERFEVTSEL_USR, PERFEVTSEL_OS or both */
    unsigned threshold; /* of the load latency event, in core cycles (3 to 65535); ignored by others */
    uint64_t data_cfg;  /* the groups of an adaptive record, as in the area's struct ds_config */
    bool basic;         /* this counter's records have the basic group alone, whatever data_cfg says */
};

/* The event of this role that this processor can sample; NULL where it has none. */
const struct pebs_event *pebs_event(const struct caps *caps, enum pebs_role role);

/* The lowest general counter that can sample an event that this processor has. */
unsigned pebs_counter(const struct caps *caps, const struct pebs_event *event);

/*
 * Programs the counter, with the DS area open. Nothing is sampled before the window opens. Returns false where the
 * counter cannot do the event or a register faults.
 */
bool pebs_program(const struct caps *caps, const struct pebs_sampling *sampling);

/*
 * Calls observe, until it is NULL again, with each sampling that pebs_program() has set up, on the processor that did.
 * For who keeps a log of what the records to come are of.
 */
void pebs_observe(void (*observe)(const struct pebs_sampling *sampling));

/* The counters that must count for it, for pebs_window(). */
uint64_t pebs_counters(const struct caps *caps, const struct pebs_sampling *sampling);

/* The window that lets counters count: a mask of general counters, and from bit 32 on of fixed ones. */
struct window pebs_window(const struct caps *caps, uint64_t counters);

#endif
