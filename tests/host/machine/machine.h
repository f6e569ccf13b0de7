/* SPDX-License-Identifier: MIT */
/*
 * A machine of variables that runs the kernel's own code in host tests (tests/host/test_kernel_*.c). It replaces
 * arch/x86 and kernel/ for the modules between them. Registers keep written values, without effects.
 */
#ifndef TESTS_HOST_MACHINE_MACHINE_H
#define TESTS_HOST_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "kernel/test.h"

struct machine {
    unsigned processor;                                      /* the number of the running processor */
    unsigned pauses, writes;                                 /* PAUSEs and WRMSRs since the start */
    struct cpuid (*leaves)(uint32_t leaf, uint32_t subleaf); /* CPUID; NULL: all leaves are 0 */
    bool no_code;                                            /* no address is in the kernel's code */
    uintptr_t dr7;                                           /* the debug control register */
    interrupt_handler *handler;                              /* of the performance monitoring interrupt */
    bool (*refuses)(uint32_t, uint64_t); /* whether this WRMSR raises #GP; NULL: only those of refused MSRs */
    void (*write)(uint32_t, uint64_t);   /* called after each WRMSR; may be NULL */
};
extern struct machine machine;

/* Makes a machine with all registers 0. It has an APIC, and pages suitable for a DS area. */
void machine_start(void);

/* Sets a register without counting a WRMSR. */
void machine_set(uint32_t msr, uint64_t value);

/* Sets registers, and compares registers, with a list in hexadecimal: "1d9 0, 38f 3". */
void machine_sets(const char *list);
void machine_holds(const char *list);

/* RDMSR and WRMSR of this register raise #GP from now on. */
void machine_refuse(uint32_t msr);

/* The lines of test_fail() and test_differs() since the last call, "wrong: .." and "differs: ..". */
void machine_found(const char *lines);

/* What was dumped since the last call: "bts of CPU: RECORDS", "flush", .. */
void machine_dumped(const char *lines);

/* The lines printed since the last call, without "# ", must be exactly these. */
void machine_printed(const char *lines);

/* The lines printed since the last machine_printed() must include these. */
void machine_has_printed(const char *lines);

#endif
