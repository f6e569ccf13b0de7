/* SPDX-License-Identifier: MIT */
/*
 * A machine of variables, on which the kernel's own code runs in a host test (tests/host/test_kernel_*.c). It replaces
 * arch/x86 and kernel/ for the modules between them. Registers hold written values without effects. Each access to the
 * machine, and each problem that a test reports, is a line of the journal.
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
    unsigned pauses;                                         /* PAUSEs since the start */
    uint64_t clock;                                          /* the time stamp counter */
    struct cpuid (*leaves)(uint32_t leaf, uint32_t subleaf); /* CPUID; NULL: all leaves are 0 */
    uintptr_t dr7;                                           /* the debug control register */
    bool apic;                                               /* the machine has a local APIC */
    uint32_t lvt;                                            /* the LVT entry of the performance counters */
    interrupt_handler *handler;                              /* of the performance monitoring interrupt */
    interrupt_handler *handlers[256];                        /* of the other vectors */
    uint8_t gate_type;                                       /* of every vector */
    uint64_t page;                       /* the entry of every page, without its address; not present: no page exists */
    bool no_execute;                     /* entries have PAGE_NO_EXECUTE */
    void (*read)(uint32_t);              /* called before each RDMSR; may be NULL */
    bool (*refuses)(uint32_t, uint64_t); /* whether this WRMSR raises #GP; NULL: only those of refused MSRs */
    void (*write)(uint32_t, uint64_t);   /* called after each WRMSR; may be NULL */
    void (*pause)(void);                 /* called after each PAUSE; may be NULL */
    void (*did)(const char *line);       /* called after each new line of the journal; may be NULL */
};
extern struct machine machine;

/* A machine with an APIC and pages as a DS area needs them, all registers 0, and an empty journal. */
void machine_start(void);

/* Sets a register without a line in the journal. */
void machine_set(uint32_t msr, uint64_t value);

/* RDMSR and WRMSR of this register raise #GP from now on. */
void machine_refuse(uint32_t msr);

/* Fails the host test unless the journal is these lines, and empties it. */
void machine_did(const char *lines);

/* Fails the host test unless the journal has these lines of test_fail() and test_differs(), and empties it. */
void machine_found(const char *lines);

/* Fails the host test unless these are the lines printed since the last call, without "# ". */
void machine_printed(const char *lines);

/* Fails the host test unless these are among the lines printed since the last machine_printed(). */
void machine_has_printed(const char *lines);

/* Fails the host test unless the journal has this line of test_fail() or test_differs(), without its first word. */
void machine_has_found(const char *line);

#endif
