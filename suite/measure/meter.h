/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of sampling, in cycles or in the kernel's own instructions. A meter keeps counting while the
 * service routine has stopped the sampling counters.
 */
#ifndef SUITE_MEASURE_METER_H
#define SUITE_MEASURE_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"
#include "suite/workload/workload.h"

enum meter_kind {
    METER_CYCLES,      /* the TSC; under a hypervisor, which may change the TSC, a counter of core cycles */
    METER_INSTRUCTIONS /* retired at CPL 0 */
};

struct meter {
    const char *name;  /* "tsc", or the event's name */
    uint64_t counters; /* the meter's bit of IA32_PERF_GLOBAL_CTRL, for ds_config and the window; 0: none */
    uint32_t msr;      /* the counter's MSR; 0: the TSC */
};

/*
 * Programs and starts the meter, while all other counters are stopped. Pauses msr_watch() until the next test, because
 * it would add to the cost. Call it after programming the sampling counters. Returns false if no counter is free.
 */
bool meter_open(const struct caps *caps, enum meter_kind kind, struct meter *meter);

/* Reads the meter. Counters wrap, so take differences with meter_since(). */
uint64_t meter_read(const struct meter *meter);
uint64_t meter_since(const struct meter *meter, uint64_t before);

/* Changes a window so that it does not stop the meter. */
struct window meter_window(const struct meter *meter, struct window window);

#endif
