/* SPDX-License-Identifier: MIT */
/*
 * A precise event counted in the old way: no PEBS, the counter's overflow interrupts, and the service routine notes the
 * instruction pointer that it finds on its stack.
 */
#ifndef MEASURE_OVERFLOW_H
#define MEASURE_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"
#include "cpu/events.h"
#include "workload/workload.h"

struct overflow {
    const struct pebs_event *event;
    unsigned period;   /* events until the overflow */
    uint64_t rings;    /* PERFEVTSEL_USR, PERFEVTSEL_OS or both */
    uint64_t counting; /* counters that go on in the service routine, as in struct ds_config */
    bool again;        /* each overflow starts the next period; else the first is the last */
};

/*
 * Programs the lowest counter that has the event, installs the service routine and arms the LVT entry. Nothing counts
 * before the window opens. Returns false where a register faults.
 */
bool overflow_open(const struct caps *caps, const struct overflow *overflow);
struct window overflow_window(const struct caps *caps, const struct overflow *overflow);

/* Masks the LVT entry; returns how many interrupts came, and where the last one struck. */
unsigned overflow_close(uint64_t *ip);

#endif
