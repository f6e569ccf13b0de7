/* SPDX-License-Identifier: MIT */
/* The end that nobody asked for: an exception that no handler and no fixup knows. */
#ifndef KERNEL_PANIC_H
#define KERNEL_PANIC_H

#include "arch/x86/interrupts.h"

/* Prints the vector and the registers, and ends with verdict=panic. */
void panic_exception(struct interrupt_frame *frame);

#endif
