/* SPDX-License-Identifier: MIT */
/* Ends the run after an exception that has neither a handler nor a fixup. */
#ifndef KERNEL_PANIC_H
#define KERNEL_PANIC_H

#include "arch/x86/interrupts.h"

/* Prints the vector and the registers, and ends with verdict=panic. */
void panic_exception(struct interrupt_frame *frame);

#endif
