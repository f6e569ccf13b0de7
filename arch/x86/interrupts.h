/* SPDX-License-Identifier: MIT */
/* GDT, TSS and IDT; one handler per vector; faults that somebody expected; a way back out of a hung test. */
#ifndef ARCH_X86_INTERRUPTS_H
#define ARCH_X86_INTERRUPTS_H

#include <stdbool.h>
#include <stdint.h>

#define VECTOR_DEBUG              1u
#define VECTOR_NMI                2u
#define VECTOR_DOUBLE_FAULT       8u
#define VECTOR_GENERAL_PROTECTION 13u
#define VECTOR_PAGE_FAULT         14u
#define VECTOR_MACHINE_CHECK      18u
#define VECTOR_EXCEPTIONS         32u   /* the first vector that is not the processor's own */
#define VECTOR_WORKLOAD           0x80u /* software interrupt of the workloads, open to CPL 3 */
#define VECTOR_USER_EXIT          0x81u /* the way back from CPL 3 */
#define VECTOR_PERFORMANCE        0xe1u
#define VECTOR_TIMER              0xf0u /* of a higher priority: it ends a storm of the other */
#define VECTOR_SPURIOUS           0xffu

/* What arch/x86/interrupts64.asm pushes. */
struct interrupt_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
    uint64_t rdi, rsi, rbp, rbx, rdx, rcx, rax;
    uint64_t vector, error_code;
    uint64_t rip, cs, rflags, rsp, ss;
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

/* Where a vector's IDT entry leads, and its type: GATE_INTERRUPT, GATE_TRAP or another; 0 where it is not present. */
uint64_t interrupt_gate_address(unsigned vector);
uint8_t interrupt_gate_type(unsigned vector);
#define GATE_INTERRUPT 0xeu
#define GATE_TRAP      0xfu

/* Calls function at CPL 3, on a stack of its own and with interrupts on; it must end with INT VECTOR_USER_EXIT. */
void user_call(void (*function)(void));

/* Registers that the ABI keeps, and the place to go on at. */
struct context {
    uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
};
int context_save(struct context *context) __attribute__((returns_twice));
void context_restore(const struct context *context) __attribute__((noreturn));

/* The one IRETQ of the common path, and the entry of each vector: what branch records of an interrupt show. */
extern const uint8_t interrupt_return[];
extern void (*const interrupt_entries[256])(void);

#endif
