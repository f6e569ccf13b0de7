/* SPDX-License-Identifier: MIT */
/*
 * Facilities that firmware left enabled: breakpoints, counters, branch records, Intel PT, a debug store, transactions
 * that use counter 3, and a limit that hides leaves of CPUID. The kernel stops all of them before it uses these
 * registers. At the end it restores them, because firmware's code in system management mode may rely on them, except
 * breakpoints, BTS and PEBS: firmware no longer owns the memory that these use.
 */
#ifndef KERNEL_FIRMWARE_H
#define KERNEL_FIRMWARE_H

#include <stdint.h>

#include "lib/line.h"

#define FIRMWARE_PROCESSORS 4u /* with a saved state: the boot processor and one of each further kind of core */

/*
 * firmware_apic_on() enables the boot processor's local APIC if firmware disabled it, as on ThinkPads with Pentium M.
 * Call it before CPUID is read: CPUID denies a disabled APIC. firmware_apic_off() disables it again at the end.
 */
void firmware_apic_on(void);
void firmware_apic_off(void);

/* Selects the processor, from 0, for the following calls. It must be the calling processor. Initially 0. */
void firmware_of(unsigned processor);

/* Saves and stops all of these facilities, on the calling processor, with interrupts off. */
void firmware_take_over(void);

/* Bits of general counters that must not be used: counter 3, if a driver's workaround for erratum SKL179 fails. */
uint64_t firmware_unreliable_counters(void);

/* The value that firmware left in a register; 0 if reading it raises #GP. */
uint64_t firmware_left(uint32_t msr);

/* Restores counters, LBR stack and limit. The program must not use these registers afterwards. */
void firmware_give_back(void);

/* Prints the findings, one line each: "firmware left ...". */
void firmware_text(const struct line_sink *out);

#endif
