/* SPDX-License-Identifier: MIT */
/* Replaces arch/x86/devices/processors.h for the machine of variables. */
#ifndef ARCH_X86_PROCESSORS_H
#define ARCH_X86_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/processor_number.h"

/* A test of kernel code that starts other processors defines these functions itself. */
bool processor_done(unsigned number);
void processors_stop(void);

#endif
