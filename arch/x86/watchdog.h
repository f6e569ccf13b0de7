/* SPDX-License-Identifier: MIT */
/* The time limit of tests: a one-shot APIC timer, which fires only for a hung test and so disturbs no measurement. */
#ifndef ARCH_X86_WATCHDOG_H
#define ARCH_X86_WATCHDOG_H

#include <stdbool.h>

#include "arch/x86/interrupts.h"

/* Calibrates the APIC timer against the PIT, in some 10 ms. False if there is no APIC or no PIT. */
bool watchdog_init(void);

/*
 * Makes execution resume where *escape was saved after this many seconds (1 to 3600). excused() returns the total of
 * seconds so far that do not count towards the limit.
 */
void watchdog_start(unsigned seconds, const struct context *escape, unsigned (*excused)(void));
void watchdog_stop(void);

#endif
