/* SPDX-License-Identifier: MIT */
/*
 * Sampling without PEBS, for comparison: the overflow of a counter interrupts, and the service routine records the
 * interrupted instruction pointer.
 */
#ifndef SUITE_MEASURE_OVERFLOW_H
#define SUITE_MEASURE_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"
#include "cpu/events.h"
#include "suite/workload/workload.h"

struct overflow {
    const struct pebs_event *event;
    unsigned period;   /* events per overflow */
    uint64_t rings;    /* PERFEVTSEL_USR, PERFEVTSEL_OS or both */
    uint64_t counting; /* counters that the service routine does not stop, as in struct ds_config */
    bool again;        /* start the next period after each overflow; else take only one */
};

/*
 * Programs the lowest counter that supports the event, installs the service routine and unmasks the LVT entry. Counting
 * starts when the window opens. Returns false if accessing a register raises #GP.
 */
bool overflow_open(const struct caps *caps, const struct overflow *overflow);
struct window overflow_window(const struct caps *caps, const struct overflow *overflow);

/*
 * Masks the LVT entry. Returns the number of interrupts; *ip is the instruction pointer that the last one saved.
 * *counted: the events since the last period started.
 */
unsigned overflow_close(uint64_t *ip, uint64_t *counted);

#endif
