/* SPDX-License-Identifier: MIT */
#include "arch/x86/watchdog.h"

#include <stddef.h>
#include <stdint.h>

#include "arch/x86/apic.h"
#include "arch/x86/pit.h"

#define MEASUREMENTS 3u   /* the shortest is used, because a host may preempt the processor */
#define MEASURE_HZ   100u /* 1/100 s */

static uint32_t ticks_per_second;
static unsigned seconds_left;
static const struct context *escape_to;
static unsigned (*excused)(void);
static unsigned excused_before;

static void arm(void)
{
    unsigned most = UINT32_MAX / ticks_per_second;
    unsigned seconds = seconds_left < most ? seconds_left : most;

    seconds_left -= seconds;
    apic_timer_start(VECTOR_TIMER, seconds * ticks_per_second);
}

static void timer(struct interrupt_frame *frame)
{
    unsigned now;

    (void)frame;
    apic_eoi();
    if (!escape_to || apic_timer_left())
        return; /* the interrupt was pending when the watchdog was stopped */
    now = excused();
    seconds_left += now - excused_before;
    excused_before = now;
    if (seconds_left)
        arm();
    else
        context_restore(escape_to);
}

/*
 * Counts the APIC timer's ticks while the PIT counts down once; 0 if the PIT never does. The timer is read before the
 * PIT starts and after it ends, so that preemption can make the result too large, but never too small.
 */
static uint32_t measure(void)
{
    uint32_t before;

    apic_timer_start(VECTOR_TIMER, UINT32_MAX);
    before = apic_timer_left();
    return pit_wait(1000000 / MEASURE_HZ) ? before - apic_timer_left() : 0;
}

bool watchdog_init(void)
{
    uint32_t least = UINT32_MAX;

    if (!apic_present())
        return false;
    for (unsigned i = 0; i < MEASUREMENTS && least; i++) {
        uint32_t ticks = measure();
        least = ticks < least ? ticks : least;
    }
    apic_timer_start(VECTOR_TIMER, 0);
    ticks_per_second = least < UINT32_MAX / MEASURE_HZ ? least * MEASURE_HZ : UINT32_MAX;
    if (!ticks_per_second)
        return false;
    interrupt_set(VECTOR_TIMER, timer);
    return true;
}

void watchdog_start(unsigned seconds, const struct context *escape, unsigned (*excuse)(void))
{
    escape_to = escape;
    excused = excuse;
    excused_before = excuse();
    seconds_left = seconds;
    if (ticks_per_second && apic_present())
        arm();
}

void watchdog_stop(void)
{
    escape_to = NULL;
    if (ticks_per_second && apic_present())
        apic_timer_start(VECTOR_TIMER, 0);
}
