/* SPDX-License-Identifier: MIT */
/* Reads this processor's CPUID leaves and MSRs for cpu/caps.h. */
#ifndef ARCH_X86_PROBE_H
#define ARCH_X86_PROBE_H

#include "cpu/caps.h"

/* Fills *input. Also tries registers that a hypervisor may enumerate without implementing them. */
void ds_probe(struct caps_input *input);

/*
 * Tries the registers of each facility in caps, and marks a facility as missing if they raise #GP, as under a
 * hypervisor that enumerates features but refuses them. Leaves all counters and all recording off.
 */
void ds_probe_registers(struct caps *caps);

#endif
