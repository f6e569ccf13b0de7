/* SPDX-License-Identifier: MIT */
/* Replaces arch/x86/processor_number.h for the machine of variables. */
#ifndef ARCH_X86_PROCESSOR_NUMBER_H
#define ARCH_X86_PROCESSOR_NUMBER_H

#define PROCESSORS_MOST 4u

unsigned processor_number(void);

#endif
