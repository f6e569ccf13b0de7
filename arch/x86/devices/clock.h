/* SPDX-License-Identifier: MIT */
/*
 * The machine's clock, by which everything waits that waits for a time: the first of several that runs. Each is tried
 * once; one that is missing or stands still costs some milliseconds then, and nothing later.
 */
#ifndef ARCH_X86_DEVICES_CLOCK_H
#define ARCH_X86_DEVICES_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/acpi.h"

enum clock_state {
    CLOCK_ABSENT, /* firmware or CPUID tells of none, or it is none that can be read */
    CLOCK_STILL,  /* it does not count, or not fast enough */
    CLOCK_RUNS
};

/* A clock, in the order of preference: tsc, acpi_pm, hpet, pit. */
#define CLOCKS 4u
struct clock {
    const char *name;
    uint64_t hz;
    enum clock_state state; /* of those behind the first that runs: CLOCK_ABSENT */
};

/*
 * Tries the clocks. tsc_hz: the rate of the time-stamp counter, 0 if not known. The local APIC need not be set up, and
 * interrupts may be off.
 */
void clock_init(uint64_t tsc_hz, const struct acpi_timers *timers);

/* Clock number i, 0 to CLOCKS - 1. */
const struct clock *clock_number(unsigned i);

/*
 * Waits at least this many microseconds, 1 to 10 000 000. False if there is no clock, at once, or if it has come to a
 * stand, which ends the wait early, and all later ones at once.
 */
bool clock_wait(unsigned microseconds);

#endif
