/* SPDX-License-Identifier: MIT */
/* The end after an exception that neither a handler nor a fixup takes. */
#ifndef KERNEL_PANIC_H
#define KERNEL_PANIC_H

#include "arch/x86/interrupts.h"

/* Prints the vector and the registers, and ends with verdict=panic. */
void panic_exception(struct interrupt_frame *frame);

#endif
