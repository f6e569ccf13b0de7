/* SPDX-License-Identifier: MIT */
/* The number of the processor that executes this code. devices/processors.h starts the other processors. */
#ifndef ARCH_X86_PROCESSOR_NUMBER_H
#define ARCH_X86_PROCESSOR_NUMBER_H

#include <stdint.h>

#define PROCESSORS_MOST 512u /* numbers, including the boot processor's */

/* This processor's own GDT. Valid after interrupts_init(). */
static inline __attribute__((always_inline)) void *processor_gdt(void)
{
    struct __attribute__((packed)) {
        uint16_t limit;
        uintptr_t base;
    } gdt;
    __asm__ volatile("sgdt %0" : "=m"(gdt));
    return (void *)gdt.base;
}

/* This processor's number; the boot processor's is 0. The GDT's null descriptor contains it. */
static inline __attribute__((always_inline)) unsigned processor_number(void)
{
    return *(const uint32_t *)processor_gdt();
}

#endif
