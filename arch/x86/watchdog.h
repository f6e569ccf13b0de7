/* SPDX-License-Identifier: MIT */
/* The time bound of a test: a one-shot APIC timer. It fires only for what hangs, so it disturbs no measurement. */
#ifndef ARCH_X86_WATCHDOG_H
#define ARCH_X86_WATCHDOG_H

#include <stdbool.h>

#include "arch/x86/interrupts.h"

/* Measures the APIC timer against the PIT, some 10 ms. false: no APIC, or no clock to measure with. */
bool watchdog_init(void);

/*
 * From now on, after so many seconds (1 to 3600), execution goes on where *escape was saved. excused() says how many
 * seconds have gone by, ever, that shall not count.
 */
void watchdog_start(unsigned seconds, const struct context *escape, unsigned (*excused)(void));
void watchdog_stop(void);

#endif
