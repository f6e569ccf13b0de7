/* SPDX-License-Identifier: MIT */
/* Reads from this processor what cpu/caps.h wants to know. */
#ifndef ARCH_X86_PROBE_H
#define ARCH_X86_PROBE_H

#include "cpu/caps.h"

/* Reads CPUID leaves and MSRs, and tries the registers that a hypervisor may only pretend to have. */
void ds_probe(struct caps_input *input);

/*
 * Tries the registers that the facilities need which caps says are there, and takes away those whose registers fault: a
 * hypervisor may name what it does not let a guest use. Everything counts and records nothing afterwards.
 */
void ds_probe_registers(struct caps *caps);

#endif
