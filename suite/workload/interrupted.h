/* SPDX-License-Identifier: MIT */
/*
 * Interrupts and exceptions in code with known registers, and the registers afterwards. Register n (as instructions
 * encode it) has WORKLOAD_REGISTER(n), except the stack pointer.
 */
#ifndef SUITE_WORKLOAD_INTERRUPTED_H
#define SUITE_WORKLOAD_INTERRUPTED_H

#include <stdint.h>

#define INTERRUPTED_VECTOR    0xc1u /* of INT n */
#define INTERRUPTED_REGISTERS (2 * sizeof(uintptr_t))
#define INTERRUPTED_SEGMENTS  5u /* DS, ES, FS, GS, SS */
#define INTERRUPTED_STACK     4u /* the stack pointer's number */
#define INTERRUPTED_SPOILED   1u /* the value of callee-saved registers inside interrupted_kept_*() */

struct interrupted {
    void (*run)(void);
    uintptr_t at, behind; /* the interrupting instruction, and the next one, where a handler resumes */
    uintptr_t cpl;
};

struct interrupted_state {
    uintptr_t registers[INTERRUPTED_REGISTERS]; /* by number */
    uintptr_t flags;
    uintptr_t segments[INTERRUPTED_SEGMENTS];
};

/* The flags at the interrupt, and the state before it (of the registers only the stack pointer) and after it. */
extern uintptr_t interrupted_flags;
extern struct interrupted_state interrupted_before, interrupted_after;

extern const struct interrupted interrupted_int, interrupted_ud, interrupted_gp; /* INT n, #UD, #GP; at CPL 0 */
extern const struct interrupted interrupted_user_int, interrupted_user_ud, interrupted_user_gp; /* at CPL 3 */
extern const struct interrupted interrupted_pending; /* STI, with an interrupt pending; the flags must not have IF */

/* INT n for each n: functions at CPL 0, and code for user_call(). */
extern const uint8_t interrupted_each[256][4], interrupted_each_user[256][4];

/* Enters a vector's entry as the processor does at the same privilege level, with or without an error code. */
void interrupted_enter(uintptr_t entry, uintptr_t error_code, uintptr_t has_error_code);

/* Interrupts that return to an instruction in the table of fix-ups. */
void interrupted_fixup_breakpoint(void);
void interrupted_fixup_machine_check(void);
void interrupted_fixup_software(void);

/* Never return. Each raises the exception in its name, with the stack pointer in the guard page. */
void interrupted_without_stack_nmi(void);
void interrupted_without_stack_machine_check(void);
void interrupted_without_stack_page_fault(void);

/*
 * Go to CPL 3 and back, and leave through context_restore(), with all registers changed. interrupted_after has the
 * caller's callee-saved registers, stack pointer and flags; register 0 is the result of context_save().
 */
void interrupted_kept_user(void);
void interrupted_kept_context(void);

#endif
