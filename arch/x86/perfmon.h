/* SPDX-License-Identifier: MIT */
/* General-purpose performance counters. SDM Vol. 3B (253669-081), "Architectural Performance Monitoring". */
#ifndef ARCH_X86_PERFMON_H
#define ARCH_X86_PERFMON_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Programs general counter n, with all counters stopped: select is IA32_PERFEVTSELn as it shall be, value the counter's
 * start, taken modulo its width. full_width: IA32_A_PMCn exists; else only values that fit 32 bits with sign can be
 * set. Nothing counts before IA32_PERF_GLOBAL_CTRL bit n is set. Returns false where a register faults.
 */
bool counter_program(unsigned n, uint64_t select, uint64_t value, bool full_width);
uint64_t counter_read(unsigned n);

/*
 * The same for fixed counter n, which counts its own event: control is its bits of IA32_FIXED_CTR_CTRL, value is taken
 * modulo 48 bits. Nothing counts before IA32_PERF_GLOBAL_CTRL bit 32 + n is set.
 */
bool fixed_counter_program(unsigned n, uint64_t control, uint64_t value);

/*
 * Stops and clears so many general counters, stops the fixed ones if there are any, and clears the status of all.
 * global: the IA32_PERF_GLOBAL registers exist.
 */
void counters_clear(unsigned general, unsigned fixed, bool global);

#endif
