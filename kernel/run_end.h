/* SPDX-License-Identifier: MIT */
/* Prints the end line, and ends the run as the options say. */
#ifndef KERNEL_RUN_END_H
#define KERNEL_RUN_END_H

#include "boot/options.h"
#include "kernel/report/results.h"
#include "kernel/report/verdict.h"

/* Sets how run_end() ends; the defaults are exit=auto and end=halt. virtual_machine: CPUID shows a hypervisor. */
void run_end_configure(const struct options *options, bool virtual_machine);

/*
 * Prints the last line, writes the verdict to the exit device if there is one, shows the last page, and halts, reboots
 * or powers off.
 */
void run_end(enum verdict verdict, const struct totals *totals) __attribute__((noreturn));

#endif
