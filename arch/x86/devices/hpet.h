/* SPDX-License-Identifier: MIT */
/* The High Precision Event Timer. IA-PC HPET Specification 1.0a, 2.3 "Register Definitions". */
#ifndef ARCH_X86_DEVICES_HPET_H
#define ARCH_X86_DEVICES_HPET_H

#include <stdint.h>

/* Offsets of registers, 64 bits each. */
#define HPET_CAPABILITIES  0x000u
#define HPET_PERIOD        0x004u /* of a tick, in femtoseconds: the high half of the capabilities */
#define HPET_CONFIGURATION 0x010u
#define HPET_COUNTER       0x0f0u

#define HPET_ENABLE 1u /* in HPET_CONFIGURATION */

/* Starts the counter and returns its rate in Hz; 0 if this physical address (0: none) has no HPET registers. */
uint64_t hpet_start(uint64_t address);

/* The low half of the register at this offset, after hpet_start(). */
volatile uint32_t *hpet_register(uint32_t offset);

#endif
