/* SPDX-License-Identifier: MIT */
/* Precise event-based sampling on the general counters. SDM Vol. 3B (253669), "Processor Event Based Sampling". */
#ifndef PEBS_PEBS_H
#define PEBS_PEBS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/msr_index.h"
#include "ds/caps.h"
#include "pebs/events.h"
#include "workload/workload.h"

/* What one general counter samples. */
struct pebs_sampling {
    const struct pebs_event *event;
    unsigned counter;
    uint64_t period;    /* the counter starts at -period, as its reset slot in the area must say too */
    uint64_t rings;     /* PERFEVTSEL_USR, PERFEVTSEL_OS or both */
    unsigned threshold; /* of the load latency event, in core cycles (3 to 65535); ignored by others */
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

/* The window that lets counters count, as a mask of general counters. */
struct window pebs_window(const struct caps *caps, uint64_t counters);

#endif
