/* SPDX-License-Identifier: MIT */
/* Single instructions as functions. */
#ifndef ARCH_X86_CPU_H
#define ARCH_X86_CPU_H

#include <stdbool.h>
#include <stdint.h>

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid r;
    __asm__ volatile("cpuid" : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx) : "a"(leaf), "c"(subleaf));
    return r;
}

static inline uint8_t port_read8(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline void port_write8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline void port_write16(uint16_t port, uint16_t value)
{
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

/* Reads the time stamp counter after all earlier instructions have completed. CPUID.1:EDX[4] and [26]. */
static inline uint64_t time_stamp(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
    return low | (uint64_t)high << 32;
}

static inline void cpu_pause(void)
{
    __asm__ volatile("pause" : : : "memory");
}

/* Writes back the cache line of this address and evicts it from every cache. CPUID.1:EDX[19]. */
static inline void cache_line_flush(const void *address)
{
    __asm__ volatile("clflush %0" : : "m"(*(const char *)address) : "memory");
}

static inline void cpu_halt(void)
{
    __asm__ volatile("hlt" : : : "memory");
}

/* Resets the machine by a triple fault: an exception without an IDT. */
static inline void cpu_triple_fault(void)
{
    const struct __attribute__((packed)) {
        uint16_t limit;
        uintptr_t base;
    } none = { 0, 0 };
    __asm__ volatile("lidt %0\n\tint3" : : "m"(none) : "memory");
}

static inline void interrupts_on(void)
{
    __asm__ volatile("sti" : : : "memory");
}

static inline void interrupts_off(void)
{
    __asm__ volatile("cli" : : : "memory");
}

/* Halts until an interrupt comes, without a race. Interrupts are off before and after. */
static inline void cpu_halt_for_interrupt(void)
{
    __asm__ volatile("sti\n\thlt\n\tcli" : : : "memory");
}

static inline uintptr_t cr2_read(void)
{
    uintptr_t value;
    __asm__ volatile("mov %%cr2, %0" : "=r"(value));
    return value;
}

static inline uintptr_t cr3_read(void)
{
    uintptr_t value;
    __asm__ volatile("mov %%cr3, %0" : "=r"(value) : : "memory");
    return value;
}

static inline void cr3_write(uintptr_t value)
{
    __asm__ volatile("mov %0, %%cr3" : : "r"(value) : "memory");
}

static inline uintptr_t cr0_read(void)
{
    uintptr_t value;
    __asm__ volatile("mov %%cr0, %0" : "=r"(value));
    return value;
}

static inline uintptr_t cr4_read(void)
{
    uintptr_t value;
    __asm__ volatile("mov %%cr4, %0" : "=r"(value));
    return value;
}

static inline void cr4_write(uintptr_t value)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(value) : "memory");
}

static inline void cr0_write(uintptr_t value)
{
    __asm__ volatile("mov %0, %%cr0" : : "r"(value) : "memory");
}

/* Debug register 3, which holds a workload's parameter: no breakpoint is enabled. */
static inline void dr3_write(uintptr_t value)
{
    __asm__ volatile("mov %0, %%dr3" : : "r"(value));
}

/* The debug status register: the causes of a debug exception. */
static inline uintptr_t dr6_read(void)
{
    uintptr_t value;
    __asm__ volatile("mov %%dr6, %0" : "=r"(value));
    return value;
}

static inline void dr6_write(uintptr_t value)
{
    __asm__ volatile("mov %0, %%dr6" : : "r"(value));
}

/* Enables SSE instructions, which only workloads have: the kernel is compiled without them. */
static inline void sse_enable(void)
{
    const uintptr_t emulate = 1u << 2, task_switched = 1u << 3, os_has_fxsr = 1u << 9;

    cr0_write(cr0_read() & ~(emulate | task_switched));
    cr4_write(cr4_read() | os_has_fxsr);
}

#endif
