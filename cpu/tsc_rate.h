/* SPDX-License-Identifier: MIT */
/* The rate of the time-stamp counter, if CPUID reports it. Pure. */
#ifndef CPU_TSC_RATE_H
#define CPU_TSC_RATE_H

#include <stdint.h>

#include "cpu/caps.h"

/*
 * The rate in Hz, from CPUID leaves 15H and 16H of an Intel processor of this display family and model; 0 if they do
 * not report a rate of 100 MHz to 20 GHz. From leaf 16H alone the rate is within a percent. SDM Vol. 3B
 * (253669-081), "Determining the Processor Base Frequency".
 */
uint64_t tsc_rate(const struct caps_input *input, unsigned family, unsigned model);

#endif
