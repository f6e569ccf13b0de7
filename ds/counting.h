/* SPDX-License-Identifier: MIT */
/*
 * Stops and resumes all counters at once, for the DS interrupt service routine. NetBurst has no global enable register,
 * so MSR_IQ_CCCR4 stops the only counter in use. Performance monitoring before version 2 has neither register: only BTS
 * raises the DS interrupt there, and these functions do nothing. SDM Vol. 3B (253669-081), "Architectural Performance
 * Monitoring Version 2" and "CCCR MSRs".
 */
#ifndef DS_COUNTING_H
#define DS_COUNTING_H

#include <stdint.h>

#include "cpu/caps.h"

/*
 * Stops all counters, except those in a mask of IA32_PERF_GLOBAL_CTRL bits (0 if there is no such register). Returns
 * the argument for counting_resume().
 */
uint64_t counting_stop(const struct caps *caps, uint64_t except);
void counting_resume(const struct caps *caps, uint64_t control);

/* The overflow status: IA32_PERF_GLOBAL_STATUS, or NetBurst's CCCR_OVF; 0 if the processor has neither. */
uint64_t counting_status(const struct caps *caps);

/*
 * The bits of such a status that cause an interrupt. Other bits (frozen, ASCI, CondChgd) may be set at any time. SDM
 * Vol. 4 (335592-081), table 2-2, IA32_PERF_GLOBAL_STATUS.
 */
uint64_t counting_causes(uint64_t status);

/*
 * Clears these bits of the status. NetBurst's flag must be cleared before the LVT entry is unmasked: while set it may
 * raise the interrupt again.
 */
void counting_acknowledge(const struct caps *caps, uint64_t status);

#endif
