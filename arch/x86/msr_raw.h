/* SPDX-License-Identifier: MIT */
/* RDMSR, WRMSR and RDPMC, which return whether they raised no #GP. Only for arch/x86/msr.c. */
#ifndef ARCH_X86_MSR_RAW_H
#define ARCH_X86_MSR_RAW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The fixup table pairs an instruction that may raise #GP or #UD with the place to resume at (arch/x86/interrupts.c).
 * A pair in section .fixups is two addresses, each as wide as a pointer (.dc.a).
 */
#define FIXUP(from, to) ".pushsection .fixups, \"a\"\n\t.dc.a " from ", " to "\n\t.popsection\n\t"

/* Inline: a call in a handler of interrupts is a branch that may be recorded. */
#define INLINE static inline __attribute__((always_inline))

INLINE bool rdmsr(uint32_t msr, uint64_t *value)
{
    uint32_t low = 0, high = 0, done = 0;

    __asm__ volatile("1: rdmsr\n\t"
                     "movl $1, %2\n\t"
                     "2:\n\t" FIXUP("1b", "2b")
                     : "+a"(low), "+d"(high), "+r"(done)
                     : "c"(msr)
                     : "memory");
    *value = (uint64_t)high << 32 | low;
    return done != 0;
}

INLINE bool wrmsr(uint32_t msr, uint64_t value)
{
    uint32_t done = 0;

    __asm__ volatile("1: wrmsr\n\t"
                     "movl $1, %0\n\t"
                     "2:\n\t" FIXUP("1b", "2b")
                     : "+r"(done)
                     : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
    return done != 0;
}

INLINE bool rdpmc(uint32_t n, uint64_t *value)
{
    uint32_t low = 0, high = 0, done = 0;

    __asm__ volatile("1: rdpmc\n\t"
                     "movl $1, %2\n\t"
                     "2:\n\t" FIXUP("1b", "2b")
                     : "+a"(low), "+d"(high), "+r"(done)
                     : "c"(n)
                     : "memory");
    *value = (uint64_t)high << 32 | low;
    return done != 0;
}

#endif
