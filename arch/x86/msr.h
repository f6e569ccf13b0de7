/* SPDX-License-Identifier: MIT */
/* MSR access in which a fault is a value: a register that is not there costs a return code, not the machine. */
#ifndef ARCH_X86_MSR_H
#define ARCH_X86_MSR_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/msr_index.h"

/*
 * Read and write the 64-bit register. Return true when the access was carried out, false when it raised #GP (no such
 * register, reserved bits, or a hypervisor that refuses). msr_read stores 0 on a fault.
 */
bool msr_read(uint32_t msr, uint64_t *value);
bool msr_write(uint32_t msr, uint64_t value);

/*
 * RDPMC of counter n, or of a fixed one with PMC_FIXED set. Returns false when it raised #GP, and stores 0.
 */
#define PMC_FIXED (1u << 30)
bool pmc_read(uint32_t n, uint64_t *value);

/* The value of a register, 0 where reading it faults. */
static inline uint64_t msr_get(uint32_t msr)
{
    uint64_t value;
    msr_read(msr, &value);
    return value;
}

#endif
