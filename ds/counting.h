/* SPDX-License-Identifier: MIT */
/*
 * All counters at once, as the DS interrupt service routine stops them and lets them go on. Where the processor has no
 * register for that (performance monitoring before version 2), nothing but BTS raises its interrupt and nothing is
 * done. SDM Vol. 3B (253669), "Architectural Performance Monitoring Version 2".
 */
#ifndef DS_COUNTING_H
#define DS_COUNTING_H

#include <stdint.h>

#include "ds/caps.h"

/* Stops all counters; returns what counting_resume() takes. */
uint64_t counting_stop(const struct caps *caps);
void counting_resume(const struct caps *caps, uint64_t control);

/* What has overflowed (IA32_PERF_GLOBAL_STATUS), and its acknowledgement. */
uint64_t counting_status(const struct caps *caps);
void counting_acknowledge(const struct caps *caps, uint64_t status);

#endif
