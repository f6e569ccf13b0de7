/* SPDX-License-Identifier: MIT */
/*
 * The time limit of tests: a one-shot APIC timer, which fires only for a hung test and so disturbs no measurement. An
 * NMI follows two seconds later, for a test that hangs with interrupts off.
 */
#ifndef ARCH_X86_DEVICES_WATCHDOG_H
#define ARCH_X86_DEVICES_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/interrupts.h"
#include "boot/acpi.h"

/*
 * Calibrates the APIC timer by the clock, in about 30 ms. False if there is no APIC or no clock. *nmi: whether the
 * devices in `timers` and `io_apics` can send the NMI.
 */
bool watchdog_init(const struct acpi_timers *timers, const struct acpi_io_apic *io_apics, size_t io_apic_count,
                   bool *nmi);

/*
 * After this many seconds (1 to 3600), execution resumes where *escape was saved. excused() returns the seconds so far
 * that do not count, such as waits for the serial line.
 */
void watchdog_start(unsigned seconds, const struct context *escape, unsigned (*excused)(void));
void watchdog_stop(void);

/* Whether the NMI works. Becomes false if another device sends an NMI through its input. */
bool watchdog_has_nmi(void);

/*
 * Watches the calling processor from now on. Its APIC timer must run as fast as the boot processor's. Returns whether
 * the NMI reaches this processor.
 */
bool watchdog_follow(void);

/* Ticks of the APIC timer in a second (0: unknown); and the current time limit in seconds, without excused seconds. */
uint32_t watchdog_second(void);
unsigned watchdog_limit(void);

/* Extends the current time limit by this many seconds. */
void watchdog_allow(unsigned seconds);

#endif
