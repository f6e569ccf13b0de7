/* SPDX-License-Identifier: MIT */
/* The verdict, and the end that the options ask for. */
#ifndef KERNEL_FINISH_H
#define KERNEL_FINISH_H

#include "boot/options.h"

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIP, VERDICT_ERROR, VERDICT_PANIC };

struct totals {
    unsigned pass, fail, skip, error;
};

/* Sets how finish() ends; the defaults are auto and halt. virtual_machine: CPUID shows a hypervisor. */
void finish_configure(const struct options *options, bool virtual_machine);

/* Prints the last line, tells the exit device if there is one, and halts, reboots or powers off. */
void finish(enum verdict verdict, const struct totals *totals) __attribute__((noreturn));

#endif
