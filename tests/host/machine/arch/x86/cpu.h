/* SPDX-License-Identifier: MIT */
/* Replaces arch/x86/cpu.h for the machine of variables: those of its instructions that tests use. */
#ifndef ARCH_X86_CPU_H
#define ARCH_X86_CPU_H

#include <stdbool.h>
#include <stdint.h>

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

struct cpuid cpuid(uint32_t leaf, uint32_t subleaf);
uint64_t time_stamp(void);
void cpu_pause(void);
uintptr_t dr7_read(void);
void dr7_write(uintptr_t value);
void interrupts_on(void);
void interrupts_off(void);
void sse_enable(void);

uintptr_t flags_read(void);

#endif
