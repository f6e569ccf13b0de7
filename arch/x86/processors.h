/* SPDX-License-Identifier: MIT */
/*
 * The machine's other processors: started by INIT and startup interrupts, each with stack and tables of its own, and
 * stopped again. SDM Vol. 3A (253668-081), "Multiple-Processor (MP) Initialization".
 */
#ifndef ARCH_X86_PROCESSORS_H
#define ARCH_X86_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

#define PROCESSORS_MAX 4u /* that run at the same time, the one that the machine started with included */

/*
 * Which processor this is: 0 is the one that the machine started with. After interrupts_init(), which leaves the number
 * in the GDT's first entry: no processor reads that.
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
 * Starts the processor with this APIC ID as the given number, 1 to PROCESSORS_MAX - 1, and waits until it has come, a
 * second at most. It calls main(number) with paging, APIC and interrupts as here, and halts for good when that returns.
 * low_page: a page below 1 MiB for its first instructions; what is there is put back. One that does not come is
 * stopped.
 */
bool processor_start(unsigned number, unsigned apic_id, uintptr_t low_page, void (*main)(unsigned number));

/* Whether a processor that was started has returned from its main. */
bool processor_done(unsigned number);

/* Makes a processor that halts look again: it gets a VECTOR_WAKE. Number 0 is the one that the machine started with. */
void processor_wake(unsigned number);

/* Stops every processor that was started, done or not. It can be started again. */
void processors_stop(void);

#endif
