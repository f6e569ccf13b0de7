/* SPDX-License-Identifier: MIT */
/*
 * Code that raises an exception on purpose, with known registers: register n (as instructions encode it) has
 * WORKLOAD_REGISTER(n), except the stack pointer.
 */
#ifndef SUITE_WORKLOAD_EXCEPTIONS_H
#define SUITE_WORKLOAD_EXCEPTIONS_H

#include <stdint.h>

struct raise {
    void (*run)(void);
    uint64_t start, resume; /* the code that raises the exception; run() returns if a handler resumes at `resume` */
    uint64_t ip;            /* the pushed IP: the instruction's, or for a trap the next one's */
    uint64_t vector, error_code;
    uint64_t flags;   /* the pushed flags, except RF */
    uint64_t address; /* the expected address in CR2; 0: not a page fault */
    uint64_t cpl;
};

extern const struct raise raise_divide, raise_step, raise_breakpoint;
extern const struct raise raise_overflow, raise_bound; /* INTO and BOUND; 64-bit mode raises #UD */
extern const struct raise raise_invalid;
extern const struct raise raise_no_device; /* CR0.TS must be set */
extern const struct raise raise_tss;       /* interrupt_spoil_tss() must have been called */
extern const struct raise raise_absent, raise_stack, raise_protection;
extern const struct raise raise_page_absent, raise_page_read_only;
extern const struct raise raise_math;           /* CR0.NE must be set, TS and EM clear */
extern const struct raise raise_user_alignment; /* CR0.AM must be set */
extern const struct raise raise_user_page, raise_user_privileged, raise_user_gate;

/* Raised by INT n, to test what the kernel prints. */
extern const struct raise raise_machine_check, raise_reserved, raise_unhandled;

/* The stack pointer when an exception at CPL 0 is raised. */
extern uintptr_t raise_stack_pointer;

#endif
