/* SPDX-License-Identifier: MIT */
/* Precise event-based sampling on the general counters. SDM Vol. 3B (253669), "Processor Event Based Sampling". */
#ifndef PEBS_PEBS_H
#define PEBS_PEBS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/msr_index.h"
#include "ds/caps.h"
#include "workload/workload.h"

/* A precise event by perf's name. */
struct pebs_event {
    const char *name;
    uint16_t select;   /* IA32_PERFEVTSELx[15:0]: unit mask and event select */
    uint64_t counters; /* mask of the general counters that can sample it */
    bool distributed;  /* PDIR: the event that overflows is the one recorded, not the one after it */
};

/* The precise events in use, of Skylake: SDM Vol. 3B, "PEBS Performance Events for Skylake"; names as perf list's. */
extern const struct pebs_event pebs_all_loads;
extern const struct pebs_event pebs_all_stores;
extern const struct pebs_event pebs_all_branches;
extern const struct pebs_event pebs_near_call;
extern const struct pebs_event pebs_near_taken;
extern const struct pebs_event pebs_prec_dist;
extern const struct pebs_event pebs_load_latency;

/* What one general counter samples. */
struct pebs_sampling {
    const struct pebs_event *event;
    unsigned counter;
    uint64_t period;    /* the counter starts at -period, as its reset slot in the area must say too */
    uint64_t rings;     /* PERFEVTSEL_USR, PERFEVTSEL_OS or both */
    unsigned threshold; /* of the load latency event, in core cycles (3 to 65535); ignored by others */
};

/*
 * Programs the counter, with the DS area open. Nothing is sampled before the window opens. Returns false where the
 * counter cannot do the event or a register faults.
 */
bool pebs_program(const struct caps *caps, const struct pebs_sampling *sampling);

/* The window that lets counters count, as a mask of general counters. */
struct window pebs_window(uint64_t counters);

#endif
