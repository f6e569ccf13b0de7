/* SPDX-License-Identifier: MIT */
/*
 * The time limit of tests: a one-shot APIC timer, which fires only for a hung test and so disturbs no measurement; and
 * some seconds behind it an NMI, for one that hangs with interrupts off.
 */
#ifndef ARCH_X86_DEVICES_WATCHDOG_H
#define ARCH_X86_DEVICES_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/interrupts.h"
#include "boot/acpi.h"

/*
 * Calibrates the APIC timer by the clock, in some 30 ms. False if there is no APIC or no clock. *nmi: whether the NMI
 * comes, too, of which `timers` and `io_apic` tell.
 */
bool watchdog_init(const struct acpi_timers *timers, const struct acpi_io_apic *io_apic, bool *nmi);

/*
 * Makes execution resume where *escape was saved after this many seconds (1 to 3600). excused() returns the total of
 * seconds so far that do not count towards the limit.
 */
void watchdog_start(unsigned seconds, const struct context *escape, unsigned (*excused)(void));
void watchdog_stop(void);

/* Whether the NMI comes; no longer so when another's has come in its place. */
bool watchdog_has_nmi(void);

/*
 * Makes the calling processor the one that is watched; its APIC timer must run as fast as the boot processor's. Returns
 * whether the NMI comes to it, too.
 */
bool watchdog_follow(void);

/* Ticks of the APIC timer in a second; 0: not known. The seconds that what is running has, as far as they count. */
uint32_t watchdog_second(void);
unsigned watchdog_limit(void);

/* Gives what is running so many seconds more. */
void watchdog_allow(unsigned seconds);

#endif
