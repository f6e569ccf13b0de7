/* SPDX-License-Identifier: MIT */
/*
 * All counters at once, as the DS interrupt service routine stops them and lets them go on. NetBurst has no register
 * for all; there it is MSR_IQ_CCCR4, of the one counter in use. Where the processor has neither (performance monitoring
 * before version 2), nothing but BTS raises its interrupt and nothing is done. SDM Vol. 3B (253669-081), "Architectural
 * Performance Monitoring Version 2" and "CCCR MSRs".
 */
#ifndef DS_COUNTING_H
#define DS_COUNTING_H

#include <stdint.h>

#include "cpu/caps.h"

/*
 * Stops all counters but these, by their bits of IA32_PERF_GLOBAL_CTRL (0 where there is no such register); returns
 * what counting_resume() takes.
 */
uint64_t counting_stop(const struct caps *caps, uint64_t but);
void counting_resume(const struct caps *caps, uint64_t control);

/*
 * What has overflowed (IA32_PERF_GLOBAL_STATUS, CCCR_OVF), and its acknowledgement. NetBurst's flag must be clear
 * before the LVT entry is unmasked, for while it is set it may raise the interrupt again.
 */
uint64_t counting_status(const struct caps *caps);
void counting_acknowledge(const struct caps *caps, uint64_t status);

#endif
