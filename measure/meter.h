/* SPDX-License-Identifier: MIT */
/*
 * What a measurement costs: a clock, or a count of the kernel's own instructions. It goes on while a service routine
 * has stopped the counters that sample.
 */
#ifndef MEASURE_METER_H
#define MEASURE_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"
#include "workload/workload.h"

enum meter_kind {
    METER_CYCLES,      /* the TSC; under a hypervisor, which may play with that, a counter of the processor's cycles */
    METER_INSTRUCTIONS /* retired at CPL 0 */
};

struct meter {
    const char *name;  /* "tsc", or the event's */
    uint64_t counters; /* its bit of IA32_PERF_GLOBAL_CTRL, for ds_config and the window; 0: it has none */
    uint32_t msr;      /* 0: the TSC */
};

/*
 * Programs it, after the counters that sample, and lets it count: all other counters are stopped. Returns false where
 * the processor has no counter for it besides the one that samples.
 */
bool meter_open(const struct caps *caps, enum meter_kind kind, struct meter *meter);

/* The counters are as wide as the processor has them: take a difference by meter_since(). */
uint64_t meter_read(const struct meter *meter);
uint64_t meter_since(const struct meter *meter, uint64_t before);

/* A window that would stop the meter lets it go on. */
struct window meter_window(const struct meter *meter, struct window window);

#endif
