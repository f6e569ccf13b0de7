/* SPDX-License-Identifier: MIT */
/* GDT, TSS and IDT; a handler for each vector; how to resume after a hung test. */
#ifndef ARCH_X86_INTERRUPTS_H
#define ARCH_X86_INTERRUPTS_H

#include <stdbool.h>
#include <stdint.h>

#define VECTOR_DEBUG              1u
#define VECTOR_NMI                2u
#define VECTOR_BREAKPOINT         3u
#define VECTOR_INVALID_OPCODE     6u
#define VECTOR_DOUBLE_FAULT       8u
#define VECTOR_GENERAL_PROTECTION 13u
#define VECTOR_PAGE_FAULT         14u
#define VECTOR_MACHINE_CHECK      18u
#define VECTOR_EXCEPTIONS         32u   /* the first vector that is not reserved for exceptions */
#define VECTOR_WORKLOAD           0x80u /* the workloads' software interrupt, usable at CPL 3 */
#define VECTOR_USER_EXIT          0x81u /* returns from CPL 3 */
#define VECTOR_LOST_STACK         0x82u /* 64-bit kernel: uses an IST stack that a shortened TSS lacks */
#define VECTOR_PERFORMANCE        0xe1u
#define VECTOR_WORKLOAD_SELF      0xe2u /* an interrupt that a workload sends to its own processor */
#define VECTOR_WAKE               0xe3u /* wakes a halted processor, which then checks its condition again */
#define VECTOR_TIMER              0xf0u /* higher priority, so it can end a storm of performance interrupts */
#define VECTOR_SPURIOUS           0xffu

/* General registers: 16 in the 64-bit kernel, 8 in the 32-bit one. */
#define REGISTERS (2 * sizeof(uintptr_t))

/* The frame that interrupts64.asm or interrupts32.asm pushes. Each field is as wide as a register. */
struct interrupt_frame {
    uintptr_t registers[REGISTERS]; /* register number n is at REGISTERS - 1 - n */
    uintptr_t vector, error_code;
    uintptr_t ip, cs, flags; /* the stack pointer is in registers, whether or not it was pushed */
};

typedef void interrupt_handler(struct interrupt_frame *);

/*
 * Loads the kernel's own GDT, TSS and IDT, and masks the PIC. Interrupts stay off. otherwise: the handler for
 * interrupts and exceptions that no handler, fixup or interrupts_set_stray() function accepts.
 */
void interrupts_init(interrupt_handler *otherwise);

/* Sets the function for interrupts (not exceptions) without a handler. It returns true to accept the interrupt. */
void interrupts_set_stray(bool (*take)(unsigned vector));

/* Sets the handler of a vector; NULL: none. */
void interrupt_set(unsigned vector, interrupt_handler *handler);

/* Removes the exception handlers and gates that an unfinished test has set. */
void interrupts_recover(void);

/* Makes a vector enter at this address instead of interrupt_dispatch(); user: INT n is allowed at CPL 3. */
void interrupt_set_raw(unsigned vector, void (*entry)(void), bool user);

/* The address and the type of a vector's IDT entry. Type: a GATE_*, or another; 0: not present. */
uint64_t interrupt_gate_address(unsigned vector);
uint8_t interrupt_gate_type(unsigned vector);

/* Changes the type of a vector's IDT entry; 0: not present. For tests of invalid gates. */
void interrupt_gate_set_type(unsigned vector, uint8_t type);
#define GATE_TASK      0x5u
#define GATE_INTERRUPT 0xeu
#define GATE_TRAP      0xfu

/*
 * Makes a TSS too short, so that a test can raise #TS, or restores it. 64-bit kernel: the current TSS, which then lacks
 * the stack of VECTOR_LOST_STACK. 32-bit kernel: the TSS of the double fault's task.
 */
void interrupt_spoil_tss(bool spoiled);

/*
 * Calls function at CPL 3, on its own stack and with interrupts on or off as here. The function must end with INT
 * VECTOR_USER_EXIT.
 */
void user_call(void (*function)(void));

/* Treats an interrupt as unexpected. For handlers that recognise only some interrupts of their vector. */
void interrupt_unexpected(struct interrupt_frame *frame);

/* Callee-saved registers and where to resume; only the assembly knows their order. */
struct context {
    uintptr_t words[8];
};
int context_save(struct context *context) __attribute__((returns_twice));
/* Also unblocks NMIs, if called from an NMI. Interrupts stay on or off. */
void context_restore(const struct context *context) __attribute__((noreturn));

#endif
