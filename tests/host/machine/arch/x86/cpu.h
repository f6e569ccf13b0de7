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
uint64_t time_stamp(void);
uintptr_t dr7_read(void);
void dr7_write(uintptr_t value);
void interrupts_on(void);
void interrupts_off(void);
void sse_enable(void);

/* A test of kernel code that calls these functions defines them itself. */
uintptr_t flags_read(void);

struct selectors {
    uint16_t cs, ss, ds, es, fs, gs;
};
struct selectors selectors_read(void);
uint32_t segment_rights(uint32_t selector);
uint32_t segment_limit(uint32_t selector);

uintptr_t cr0_read(void);
void cr0_write(uintptr_t value);
uintptr_t cr2_read(void);
uintptr_t cr3_read(void);
uintptr_t cr4_read(void);
void cr4_write(uintptr_t value);
uintptr_t dr6_read(void);
void dr6_write(uintptr_t value);
void dr3_write(uintptr_t value);
void cpu_halt_for_interrupt(void);
extern bool interrupts_allowed;

#endif
