/* SPDX-License-Identifier: MIT */
/*
 * What firmware left on when it started this program: breakpoints, counters, branch records, a debug store, and a limit
 * that hides leaves of CPUID. All of it is stopped before anything else is done with these registers. At the end
 * counters, the LBR stack and the limit are put back as they were, because firmware's own code may rely on them in
 * system management mode. Breakpoints, BTS and PEBS stay off: the memory that they mean is no longer firmware's.
 */
#ifndef KERNEL_FIRMWARE_H
#define KERNEL_FIRMWARE_H

#include <stdint.h>

#include "lib/line.h"

#define FIRMWARE_PROCESSORS 4u /* whose state can be remembered: the boot processor and one of each further kind */

/* Makes what follows be of this one, from 0; which the calling processor must be. At first it is 0. */
void firmware_of(unsigned processor);

/* Remembers and stops all of it, on the calling processor, with interrupts off. */
void firmware_take_over(void);

/* A register as firmware left it, whether it was stopped since or not; 0 if reading it raises #GP. */
uint64_t firmware_left(uint32_t msr);

/* Puts back what is to be put back. Nothing may run any more. */
void firmware_give_back(void);

/* Says what was found, a line each: "firmware left ...". */
void firmware_text(const struct line_sink *out);

#endif
