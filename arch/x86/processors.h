/* SPDX-License-Identifier: MIT */
/*
 * The machine's other processors: starts them by INIT and SIPI, each with its own stack and tables, and
 * stops them. SDM Vol. 3A (253668-081), "Multiple-Processor (MP) Initialization".
 */
#ifndef ARCH_X86_PROCESSORS_H
#define ARCH_X86_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

#define PROCESSORS_MAX 4u /* running at the same time, including the boot processor */

/*
 * The number of this processor; 0 is the boot processor. Valid after interrupts_init(), which stores it in the GDT's
 * first entry, which the processor never reads.
 */
static inline __attribute__((always_inline)) unsigned processor_number(void)
{
    struct __attribute__((packed)) {
        uint16_t limit;
        uintptr_t base;
    } gdt;
    __asm__ volatile("sgdt %0" : "=m"(gdt));
    return *(const uint32_t *)gdt.base;
}

/*
 * Starts the processor with this APIC ID under the given number, 1 to PROCESSORS_MAX - 1, and waits until it runs, one
 * second at most. It calls main(number) with paging, APIC and interrupts as here, and halts when that returns.
 * low_page: a page below 1 MiB for its first instructions; its contents are restored. Returns false if the processor
 * does not start; it is stopped then.
 */
bool processor_start(unsigned number, unsigned apic_id, uintptr_t low_page, void (*main)(unsigned number));

/* Whether a processor that was started has returned from its main. */
bool processor_done(unsigned number);

/* Wakes a halted processor by VECTOR_WAKE. Number 0 is the boot processor. */
void processor_wake(unsigned number);

/* Stops every started processor, done or not. They can be started again. */
void processors_stop(void);

#endif
