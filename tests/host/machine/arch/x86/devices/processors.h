/* SPDX-License-Identifier: MIT */
/* Replaces arch/x86/devices/processors.h for the machine of variables. */
#ifndef ARCH_X86_PROCESSORS_H
#define ARCH_X86_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/processor_number.h"

/* A test of kernel code that starts other processors defines these functions itself. */
bool processor_start(unsigned number, uint32_t apic_id, uintptr_t low_page, void (*main)(unsigned number));
bool processor_done(unsigned number);
void processor_wake(unsigned number);
void processors_stop(void);

#define PROCESSOR_MEMORY 0x6000u
enum processor_loan { LOAN_OVER, LOAN_ENDED, LOAN_NEVER };
enum processor_loan processor_lend(unsigned number, uint32_t apic_id, uintptr_t low_page, void *spare, uint32_t ticks,
                                   void (*main)(void), bool (*look)(void));

#endif
