/* SPDX-License-Identifier: MIT */
/* Reads this processor's CPUID leaves and MSRs for cpu/caps.h. */
#ifndef ARCH_X86_PROBE_H
#define ARCH_X86_PROBE_H

#include "cpu/caps.h"

/* Reads CPUID leaves and MSRs, and tries registers that a hypervisor may only pretend to have. */
void ds_probe(struct caps_input *input);

/*
 * Tries the registers of each facility in caps, and marks a facility as missing if they raise #GP: a hypervisor may
 * enumerate features that it refuses to a guest. Afterwards all counters and all recording are off.
 */
void ds_probe_registers(struct caps *caps);

#endif
