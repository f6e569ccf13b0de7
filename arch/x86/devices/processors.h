/* SPDX-License-Identifier: MIT */
/*
 * Starts and stops the machine's secondary processors: by INIT and SIPI, each with its own stack and tables.
 * SDM Vol. 3A (253668-081), "Multiple-Processor (MP) Initialization".
 */
#ifndef ARCH_X86_DEVICES_PROCESSORS_H
#define ARCH_X86_DEVICES_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/processor_number.h"

#define PROCESSOR_MEMORY 0x6000u /* bytes for the stack and tables of a secondary processor */

/* Sets the memory of a number, 1 to PROCESSORS_MOST - 1: PROCESSOR_MEMORY zeroed bytes on a page boundary. */
void processor_give(unsigned number, void *memory);

/*
 * Starts the processor with this APIC ID under this number, after processor_give(), and waits until it runs: at most
 * one second, or 20 ms once three processors did not start. The processor calls main(number) with paging, APIC and
 * interrupts as here, and halts when main() returns. low_page: a page below 1 MiB for its first instructions, restored
 * afterwards; 0: no such page. Returns false if the processor does not start. It is then stopped, and never tried
 * again.
 */
bool processor_start(unsigned number, uint32_t apic_id, uintptr_t low_page, void (*main)(unsigned number));

/* Whether a processor that was started has returned from its main. */
bool processor_done(unsigned number);

/* Wakes a halted processor by VECTOR_WAKE. Number 0 is the boot processor. */
void processor_wake(unsigned number);

/* Stops every started processor, done or not, except one that is lent (processor_lend()). They can be started again. */
void processors_stop(void);

/*
 * Makes another processor act as the boot processor for a while: it calls main() as number 0, with the boot processor's
 * tables and stack. Meanwhile the boot processor sleeps on `spare`, PROCESSOR_MEMORY zeroed bytes. After every `ticks`
 * of its APIC timer it wakes and calls look(), which must not print. When main() returns or look() returns true, the
 * other processor is stopped, wherever it is. Interrupts are off before and after.
 */
enum processor_loan {
    LOAN_OVER,  /* main() has returned */
    LOAN_ENDED, /* look() has ended it */
    LOAN_NEVER  /* the processor does not start */
};
enum processor_loan processor_lend(unsigned number, uint32_t apic_id, uintptr_t low_page, void *spare, uint32_t ticks,
                                   void (*main)(void), bool (*look)(void));

/* Whether another processor acts as number 0. It must not start processors: the boot processor would be one of them. */
bool processor_is_lent(void);

#endif
