/* SPDX-License-Identifier: MIT */
/*
 * Sampling without PEBS, for comparison: the counter's overflow interrupts, and the service routine records the
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
    unsigned period;   /* events until an overflow */
    uint64_t rings;    /* PERFEVTSEL_USR, PERFEVTSEL_OS or both */
    uint64_t counting; /* counters not stopped in the service routine, as in struct ds_config */
    bool again;        /* each overflow starts the next period; else only one is taken */
};

/*
 * Programs the lowest counter that supports the event, installs the service routine and arms the LVT entry. Nothing
 * counts before the window opens. Returns false if accessing a register raises #GP.
 */
bool overflow_open(const struct caps *caps, const struct overflow *overflow);
struct window overflow_window(const struct caps *caps, const struct overflow *overflow);

/* Masks the LVT entry; returns the number of interrupts, and in *ip where the last one arrived. */
unsigned overflow_close(uint64_t *ip);

#endif
