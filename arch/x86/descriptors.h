/* SPDX-License-Identifier: MIT */
/*
 * The interface between interrupts.c, which both widths share, and each width's tables: descriptors64.c and
 * interrupts64.asm, descriptors32.c and interrupts32.asm.
 */
#ifndef ARCH_X86_DESCRIPTORS_H
#define ARCH_X86_DESCRIPTORS_H

#include <stdint.h>

#define DESCRIPTORS_MEMORY 0x2000u /* bytes of a processor's tables, and of its emergency stack */

#define GATE_PRESENT 0x80u
#define GATE_DPL_3   0x60u

/*
 * Builds and loads GDT, TSS and IDT of the boot processor. Every vector except VECTOR_USER_EXIT leads to
 * interrupt_dispatch() through an interrupt gate; double faults use a separate stack.
 */
void descriptors_init(void);

/* Rebuilds only the IDT, in place. */
void gates_init(void);

/* Builds and loads this processor's GDT and TSS; all share the IDT. memory: DESCRIPTORS_MEMORY zeroed bytes. */
void descriptors_load(unsigned processor, void *memory);

/* The memory of the boot processor's tables, an argument for descriptors_load(0, ..). */
void *descriptors_of_boot(void);

struct interrupt_frame;
void interrupt_dispatch(struct interrupt_frame *frame);

/* The entry of each vector, and entry to and exit from CPL 3; *kernel_stack is the TSS's stack pointer for CPL 0. */
extern void (*const interrupt_entries[256])(void);
void user_enter(void (*function)(void), void *kernel_stack, uintptr_t user_stack);
void user_exit(void);

#endif
