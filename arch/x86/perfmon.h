/* SPDX-License-Identifier: MIT */
/* General-purpose performance counters. SDM Vol. 3B (253669-081), "Architectural Performance Monitoring". */
#ifndef ARCH_X86_PERFMON_H
#define ARCH_X86_PERFMON_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"

/*
 * Programs general counter n; all counters must be stopped. select: the value of IA32_PERFEVTSELn. value: the counter's
 * start, truncated to its width. full_width: bits of IA32_A_PMCn, or 0: then only sign-extended 32-bit values can be
 * set. The counter runs once IA32_PERF_GLOBAL_CTRL bit n is set. Returns false if accessing a register raises #GP.
 */
bool counter_program(unsigned n, uint64_t select, uint64_t value, unsigned full_width);
uint64_t counter_read(unsigned n); /* 0 if RDMSR of IA32_PMCn raises #GP */

/*
 * Programs fixed counter n in the same way. control: its field of IA32_FIXED_CTR_CTRL. value: truncated to 48 bits. The
 * counter runs once IA32_PERF_GLOBAL_CTRL bit 32 + n is set.
 */
bool fixed_counter_program(unsigned n, uint64_t control, uint64_t value);

/*
 * Stops and clears the general counters, stops the fixed counters, ends reloads between counters (CFG_B, CFG_C), and
 * clears the overflow status. If the core needs it, also primes the general counters with three events that never
 * occur. Unprimed after a reset, these counters may count cycles or stay 0 (Intel Core i7-900 specification update
 * (320836), AAK100; and Linux 6.6, intel_pmu_nhm_workaround).
 */
void counters_clear(const struct caps *caps);

#endif
