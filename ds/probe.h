/* SPDX-License-Identifier: MIT */
/* Reads from this processor what ds/caps.h wants to know. */
#ifndef DS_PROBE_H
#define DS_PROBE_H

#include "ds/caps.h"

/* Reads CPUID leaves and MSRs, and tries the registers that a hypervisor may only pretend to have. */
void ds_probe(struct caps_input *input);

#endif
