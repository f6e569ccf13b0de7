/* SPDX-License-Identifier: MIT */
/*
 * What stands between interrupts.c, which knows no width, and the tables and entries of each: descriptors64.c and
 * interrupts64.asm, descriptors32.c and interrupts32.asm.
 */
#ifndef ARCH_X86_DESCRIPTORS_H
#define ARCH_X86_DESCRIPTORS_H

#include <stdint.h>

#include "arch/x86/interrupts.h"
#include "arch/x86/processors.h"

#define GATE_PRESENT 0x80u
#define GATE_DPL_3   0x60u

/*
 * Builds and loads GDT, TSS and IDT of the processor that the machine started with. Every vector leads into
 * interrupt_dispatch() through an interrupt gate, but VECTOR_USER_EXIT; a double fault is reported from a stack of its
 * own.
 */
void descriptors_init(void);

/* Loads tables of another processor's own, 1 to PROCESSORS_MAX - 1, on it; the IDT is common to all. */
void descriptors_load(unsigned processor);

void interrupt_dispatch(struct interrupt_frame *frame);

/* The entry of each vector, and the way to CPL 3 and back; *kernel_stack is the TSS's stack pointer of CPL 0. */
extern void (*const interrupt_entries[256])(void);
void user_enter(void (*function)(void), void *kernel_stack, uintptr_t user_stack);
void user_exit(void);

#endif
