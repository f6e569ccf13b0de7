/* SPDX-License-Identifier: MIT */
/*
 * The machine's other processors: starts them by INIT and SIPI, each with its own stack and tables, and
 * stops them. SDM Vol. 3A (253668-081), "Multiple-Processor (MP) Initialization".
 */
#ifndef ARCH_X86_DEVICES_PROCESSORS_H
#define ARCH_X86_DEVICES_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/processor_number.h"

#define PROCESSOR_MEMORY 0x6000u /* bytes that each of the others needs: its stack and tables */

/* Gives a number, 1 to PROCESSORS_MOST - 1, its memory: PROCESSOR_MEMORY bytes, cleared, on a page boundary. */
void processor_give(unsigned number, void *memory);

/*
 * Starts the processor with this APIC ID under the given number, which has its memory, and waits until it runs: one
 * second at most, and once three have not come, 20 ms. It calls main(number) with paging, APIC and interrupts as here,
 * and halts when that returns. low_page: a page below 1 MiB for its first instructions, whose contents are restored; 0:
 * there is none. Returns false if the processor does not start; it is stopped then, and not tried again.
 */
bool processor_start(unsigned number, uint32_t apic_id, uintptr_t low_page, void (*main)(unsigned number));

/* Whether a processor that was started has returned from its main. */
bool processor_done(unsigned number);

/* Wakes a halted processor by VECTOR_WAKE. Number 0 is the boot processor. */
void processor_wake(unsigned number);

/* Stops every started processor, done or not, but the one that is the boot processor for a while. They can be started
 * again. */
void processors_stop(void);

/*
 * Has another processor be the boot processor for a while: it calls main() under the number 0, with the boot
 * processor's tables and on its stack. The boot processor sleeps on `spare`, PROCESSOR_MEMORY bytes, cleared; once in
 * so many ticks of its APIC timer it wakes up and calls look(), which must not print, and until it returns true.
 * Then the other processor is stopped, wherever it was. Interrupts are off before and after.
 */
enum processor_loan {
    LOAN_OVER,  /* main() has returned */
    LOAN_ENDED, /* look() has ended it */
    LOAN_NEVER  /* the processor does not start */
};
enum processor_loan processor_lend(unsigned number, uint32_t apic_id, uintptr_t low_page, void *spare, uint32_t ticks,
                                   void (*main)(void), bool (*look)(void));

/* Whether number 0 is another processor: it must not start any, since the boot processor is one of its others. */
bool processor_is_lent(void);

#endif
