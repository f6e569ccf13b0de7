/* SPDX-License-Identifier: MIT */
/* GDT, TSS and IDT; one handler per vector; faults that somebody expected; a way back out of a hung test. */
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
#define VECTOR_EXCEPTIONS         32u   /* the first vector that is not the processor's own */
#define VECTOR_WORKLOAD           0x80u /* software interrupt of the workloads, open to CPL 3 */
#define VECTOR_USER_EXIT          0x81u /* the way back from CPL 3 */
#define VECTOR_LOST_STACK         0x82u /* 64-bit kernel: needs a stack that a spoiled TSS has not */
#define VECTOR_PERFORMANCE        0xe1u
#define VECTOR_WORKLOAD_SELF      0xe2u /* an interrupt that a workload sends to its own processor */
#define VECTOR_WAKE               0xe3u /* one processor's to another: look again at what you wait for */
#define VECTOR_TIMER              0xf0u /* of a higher priority: it ends a storm of the other */
#define VECTOR_SPURIOUS           0xffu

/* General registers: 16 in the 64-bit kernel, 8 in the 32-bit one. */
#define REGISTERS (2 * sizeof(uintptr_t))

/* What arch/x86/interrupts64.asm or interrupts32.asm pushes, in the width of the machine. */
struct interrupt_frame {
    uintptr_t registers[REGISTERS]; /* the one that instructions encode as n is at REGISTERS - 1 - n */
    uintptr_t vector, error_code;
    uintptr_t ip, cs, flags; /* the stack that follows where it is pushed is in registers */
};

typedef void interrupt_handler(struct interrupt_frame *);

/*
 * Loads the kernel's own GDT, TSS and IDT, and masks the PIC. Interrupts stay off. otherwise: for what no handler and
 * no fixup takes.
 */
void interrupts_init(interrupt_handler *otherwise);

/* Handles a vector from now on; NULL: nobody. */
void interrupt_set(unsigned vector, interrupt_handler *handler);

/* Lets a vector enter at an address of its own rather than through interrupt_dispatch; user: INT n at CPL 3 may. */
void interrupt_set_raw(unsigned vector, void (*entry)(void), bool user);

/* Where a vector's IDT entry leads, and its type: one of GATE_* or another; 0 where it is not present. */
uint64_t interrupt_gate_address(unsigned vector);
uint8_t interrupt_gate_type(unsigned vector);

/* Gives it another type; 0: not present. For tests of what a gate must not be. */
void interrupt_gate_set_type(unsigned vector, uint8_t type);
#define GATE_TASK      0x5u
#define GATE_INTERRUPT 0xeu
#define GATE_TRAP      0xfu

/*
 * For who wants an invalid TSS exception, makes a TSS too short, or whole again: in the 64-bit kernel the one in use,
 * which then has no stack for VECTOR_LOST_STACK; in the 32-bit kernel that of the double fault's task.
 */
void interrupt_spoil_tss(bool spoiled);

/* Calls function at CPL 3, on a stack of its own and with interrupts on; it must end with INT VECTOR_USER_EXIT. */
void user_call(void (*function)(void));

/* Registers that the ABI keeps, and the place to go on at; the order is known to assembly alone. */
struct context {
    uintptr_t words[8];
};
int context_save(struct context *context) __attribute__((returns_twice));
void context_restore(const struct context *context) __attribute__((noreturn));

#endif
