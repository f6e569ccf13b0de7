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

static inline uint32_t port_read32(uint16_t port)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
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

static inline void port_write32(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

/* A device's register in memory, at a physical address that is mapped to itself; size: 1, 2 or 4 bytes. */
static inline uint32_t device_read(uintptr_t address, unsigned size)
{
    if (size == 1)
        return *(const volatile uint8_t *)address;
    if (size == 2)
        return *(const volatile uint16_t *)address;
    return *(const volatile uint32_t *)address;
}

static inline void device_write(uintptr_t address, unsigned size, uint32_t value)
{
    if (size == 1)
        *(volatile uint8_t *)address = (uint8_t)value;
    else if (size == 2)
        *(volatile uint16_t *)address = (uint16_t)value;
    else
        *(volatile uint32_t *)address = value;
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

/* Completes earlier loads and stores before any later instruction executes, including WRMSR of an x2APIC register. */
static inline void memory_fence(void)
{
    __asm__ volatile("mfence\n\tlfence" : : : "memory");
}

/* Writes back the cache line of this address and evicts it from every cache. CPUID.1:EDX[19]. */
static inline void cache_line_flush(const void *address)
{
    __asm__ volatile("clflush %0" : : "m"(*(const char *)address) : "memory");
}

/* Writes back all of this processor's caches, and empties them. */
static inline void caches_flush(void)
{
    __asm__ volatile("wbinvd" : : : "memory");
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

/* Set once the local APIC is quiet, or if there is none. Until then interrupts_on() leaves interrupts off. */
extern bool interrupts_allowed;

static inline void interrupts_on(void)
{
    if (interrupts_allowed)
        __asm__ volatile("sti" : : : "memory");
}

static inline void interrupts_off(void)
{
    __asm__ volatile("cli" : : : "memory");
}

/* Halts until an interrupt arrives, which cannot slip in before HLT. Interrupts are off before and after. */
static inline void cpu_halt_for_interrupt(void)
{
    __asm__ volatile("sti\n\thlt\n\tcli" : : : "memory");
}

static inline uintptr_t flags_read(void)
{
    uintptr_t value;
    __asm__ volatile("pushf\n\tpop %0" : "=r"(value) : : "memory");
    return value;
}

/* C code needs a clear direction flag. */
static inline void direction_clear(void)
{
    __asm__ volatile("cld" : : : "cc", "memory");
}

struct selectors {
    uint16_t cs, ss, ds, es, fs, gs;
};

static inline struct selectors selectors_read(void)
{
    struct selectors s;
    __asm__ volatile("mov %%cs, %0\n\tmov %%ss, %1\n\tmov %%ds, %2\n\tmov %%es, %3\n\tmov %%fs, %4\n\tmov %%gs, %5"
                     : "=m"(s.cs), "=m"(s.ss), "=m"(s.ds), "=m"(s.es), "=m"(s.fs), "=m"(s.gs));
    return s;
}

/* A descriptor's access rights, as LAR returns them, and its limit in bytes; 0 if the selector is invalid. */
static inline uint32_t segment_rights(uint32_t selector)
{
    uint32_t rights = 0;
    __asm__("lar %1, %0" : "+r"(rights) : "r"(selector) : "cc");
    return rights;
}

static inline uint32_t segment_limit(uint32_t selector)
{
    uint32_t limit = 0;
    __asm__("lsl %1, %0" : "+r"(limit) : "r"(selector) : "cc");
    return limit;
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

/* The bits of CR4 that restrict accesses and are supported: SMEP, SMAP, LAM_SUP, and CET if CR0.WP is set. */
static inline uintptr_t cr4_restrictions(void)
{
    struct cpuid features = { 0 }, more = { 0 };

    if (cpuid(0, 0).eax >= 7)
        features = cpuid(7, 0);
    if (features.eax >= 1)
        more = cpuid(7, 1);
    return (uintptr_t)((features.ebx >> 7 & 1) << 20 | (features.ebx >> 20 & 1) << 21 | (more.eax >> 26 & 1) << 28 |
                       (features.ecx >> 7 & cr0_read() >> 16 & 1) << 23);
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

/* The debug control register, which enables breakpoints. */
static inline uintptr_t dr7_read(void)
{
    uintptr_t value;
    __asm__ volatile("mov %%dr7, %0" : "=r"(value));
    return value;
}

static inline void dr7_write(uintptr_t value)
{
    __asm__ volatile("mov %0, %%dr7" : : "r"(value));
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

/* Enables SSE instructions, which only workloads use: the kernel is compiled without them. */
static inline void sse_enable(void)
{
    const uintptr_t emulate = 1u << 2, task_switched = 1u << 3, os_has_fxsr = 1u << 9;

    cr0_write(cr0_read() & ~(emulate | task_switched));
    cr4_write(cr4_read() | os_has_fxsr);
}

/* Enables SSE, and its state and these components in XCR0. False if the processor lacks XSAVE or one of them. */
static inline bool xsave_enable(uint32_t components)
{
    const uint32_t x87_and_sse = 3;
    const uintptr_t os_has_xsave = 1u << 18;
    uint32_t low, high;

    sse_enable();
    if (!(cpuid(1, 0).ecx >> 26 & 1) || (cpuid(0x0d, 0).eax & components) != components)
        return false;
    cr4_write(cr4_read() | os_has_xsave);
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    __asm__ volatile("xsetbv" : : "a"(low | x87_and_sse | components), "d"(high), "c"(0));
    return true;
}

/* Clears XMM0 to XMM7, and in 64-bit mode XMM8 to XMM15. ones: then sets all bits of XMM0. */
static inline void xmm_fill(bool ones)
{
#define CLEAR(n) "pxor %%xmm" #n ", %%xmm" #n "\n\t"
    __asm__ volatile(CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5) CLEAR(6) CLEAR(7)::);
#ifdef __x86_64__
    __asm__ volatile(CLEAR(8) CLEAR(9) CLEAR(10) CLEAR(11) CLEAR(12) CLEAR(13) CLEAR(14) CLEAR(15)::);
#endif
#undef CLEAR
    if (ones)
        __asm__ volatile("pcmpeqd %xmm0, %xmm0");
}

/* Clears the upper halves of all YMM registers. copy: then copies XMM0 to the upper half of YMM0. */
static inline void ymm_fill(bool copy)
{
    __asm__ volatile("vzeroupper");
    if (copy)
        __asm__ volatile("vinsertf128 $1, %xmm0, %ymm0, %ymm0");
}

#endif
