/* SPDX-License-Identifier: MIT */
/* MSR access that reports #GP by its return value. */
#ifndef ARCH_X86_MSR_H
#define ARCH_X86_MSR_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/msr_index.h"

/*
 * Read and write a 64-bit register. Return true on success, and false if the access raised #GP (no such register,
 * reserved bits, or a hypervisor that refuses it). msr_read() then stores 0.
 */
bool msr_read(uint32_t msr, uint64_t *value);
bool msr_write(uint32_t msr, uint64_t value);

/* RDPMC of general counter n, or of fixed counter n with PMC_FIXED. If it raises #GP, stores 0 and returns false. */
#define PMC_FIXED (1u << 30)
bool pmc_read(uint32_t n, uint64_t *value);

/* The value of a register, 0 if reading it raises #GP. */
static inline uint64_t msr_get(uint32_t msr)
{
    uint64_t value;
    msr_read(msr, &value);
    return value;
}

#endif
