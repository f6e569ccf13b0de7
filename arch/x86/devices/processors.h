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

/* Sets the memory of processor `number` (1 to PROCESSORS_MOST - 1): PROCESSOR_MEMORY zeroed bytes, page-aligned. */
void processor_give(unsigned number, void *memory);

/*
 * Starts the processor with this APIC ID as processor `number`, and waits until it runs: at most one second, or 20 ms
 * after three processors have failed to start. Call processor_give() first. The processor calls main(number) with the
 * caller's paging, APIC mode and interrupt flag, and halts when main() returns. low_page: a page below 1 MiB for its
 * first instructions, restored afterwards; 0: no such page. If the processor does not start, stops it, never tries it
 * again, and returns false.
 */
bool processor_start(unsigned number, uint32_t apic_id, uintptr_t low_page, void (*main)(unsigned number));

/* Whether a processor that was started has returned from its main. */
bool processor_done(unsigned number);

/* Wakes a halted processor by VECTOR_WAKE. Number 0 is the boot processor. */
void processor_wake(unsigned number);

/* Stops every started processor, done or not, except a lent one (processor_lend()). They can be started again. */
void processors_stop(void);

/*
 * Makes another processor act as the boot processor for a while: it calls main() as number 0, with the boot processor's
 * tables and stack. Meanwhile the boot processor sleeps on `spare`, PROCESSOR_MEMORY zeroed bytes. After every `ticks`
 * of its APIC timer it wakes and calls look(), which must not print. When main() returns or look() returns true, the
 * other processor is stopped, even in the middle of main(). Interrupts are off before and after.
 */
enum processor_loan {
    LOAN_OVER,  /* main() has returned */
    LOAN_ENDED, /* look() has ended it */
    LOAN_NEVER  /* the processor does not start */
};
enum processor_loan processor_lend(unsigned number, uint32_t apic_id, uintptr_t low_page, void *spare, uint32_t ticks,
                                   void (*main)(void), bool (*look)(void));

/* Whether another processor acts as number 0. It must not start processors: the boot processor is among them. */
bool processor_is_lent(void);

#endif
