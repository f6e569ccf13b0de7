/* SPDX-License-Identifier: MIT */
/*
 * The machine's clock, for waits and timeouts: the first of several clocks that runs. clock_init() tries each once,
 * which takes a few milliseconds for a missing or stopped clock.
 */
#ifndef ARCH_X86_DEVICES_CLOCK_H
#define ARCH_X86_DEVICES_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/acpi.h"

enum clock_state {
    CLOCK_ABSENT, /* firmware or CPUID does not report it, or it cannot be read */
    CLOCK_STILL,  /* it does not count, or counts too slowly */
    CLOCK_RUNS
};

/* A clock, in the order of preference: tsc, acpi_pm, hpet, pit. */
#define CLOCKS 4u
struct clock {
    const char *name;
    uint64_t hz;
    enum clock_state state; /* CLOCK_ABSENT for all after the first that runs */
};

/*
 * Tries the clocks. tsc_hz: the rate of the time-stamp counter, 0 if not known. The local APIC need not be set up, and
 * interrupts may be off.
 */
void clock_init(uint64_t tsc_hz, const struct acpi_timers *timers);

/* Clock number i, 0 to CLOCKS - 1. */
const struct clock *clock_number(unsigned i);

/*
 * Waits at least this many microseconds, 1 to 10 000 000. Without a clock, returns false at once. If the clock stops,
 * returns false early, and from then on at once.
 */
bool clock_wait(unsigned microseconds);

/* Seconds since clock_init(), by the time-stamp counter, whose rate is measured now; 0 without a clock. */
unsigned clock_elapsed(void);

#endif
