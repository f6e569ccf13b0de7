/* SPDX-License-Identifier: MIT */
/*
 * Interrupts and exceptions while every register is known: register n (as instructions encode it) holds
 * WORKLOAD_REGISTER(n), except the stack pointer; and what is in the registers afterwards.
 */
#ifndef SUITE_WORKLOAD_INTERRUPTED_H
#define SUITE_WORKLOAD_INTERRUPTED_H

#include <stdint.h>

#define INTERRUPTED_VECTOR    0xc1u /* of INT n */
#define INTERRUPTED_REGISTERS (2 * sizeof(uintptr_t))
#define INTERRUPTED_SEGMENTS  5u /* DS, ES, FS, GS, SS */
#define INTERRUPTED_STACK     4u /* the stack pointer's number */
#define INTERRUPTED_SPOILED   1u /* after interrupted_kept_*(): what a callee-saved register was meanwhile */

struct interrupted {
    void (*run)(void);
    uintptr_t at, behind; /* the instruction that interrupts, and the one after it, at which a handler resumes */
    uintptr_t cpl;
};

struct interrupted_state {
    uintptr_t registers[INTERRUPTED_REGISTERS]; /* by number */
    uintptr_t flags;
    uintptr_t segments[INTERRUPTED_SEGMENTS];
};

/* The flags while it happens; and the state before (of the registers the stack pointer alone) and after. */
extern uintptr_t interrupted_flags;
extern struct interrupted_state interrupted_before, interrupted_after;

extern const struct interrupted interrupted_int, interrupted_ud, interrupted_gp; /* INT n, #UD, #GP; at CPL 0 */
extern const struct interrupted interrupted_user_int, interrupted_user_ud, interrupted_user_gp; /* at CPL 3 */
extern const struct interrupted interrupted_pending; /* STI, with an interrupt pending; the flags must not have IF */

/* INT n for each n: a function at CPL 0, and what user_call() can call. */
extern const uint8_t interrupted_each[256][4], interrupted_each_user[256][4];

/* Enters a vector's entry as the processor does at the same privilege level, with or without an error code. */
void interrupted_enter(uintptr_t entry, uintptr_t error_code, uintptr_t has_error_code);

/* Interrupts that return to an instruction in the table of fix-ups. */
void interrupted_fixup_breakpoint(void);
void interrupted_fixup_machine_check(void);
void interrupted_fixup_software(void);

/* Never return: what the name says, with the stack pointer in the guard page. */
void interrupted_without_stack_nmi(void);
void interrupted_without_stack_machine_check(void);
void interrupted_without_stack_page_fault(void);

/*
 * Go to CPL 3 and back, and leave by context_restore(), where all registers are changed. interrupted_after has the
 * callee-saved registers, the stack pointer and the flags of who called; register 0 is what context_save() returned.
 */
void interrupted_kept_user(void);
void interrupted_kept_context(void);

#endif
