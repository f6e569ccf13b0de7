/* SPDX-License-Identifier: MIT */
#include "arch/x86/devices/watchdog.h"

#include <stddef.h>
#include <stdint.h>

#include "arch/x86/devices/apic.h"
#include "arch/x86/devices/clock.h"
#include "arch/x86/devices/nmi_timer.h"

#define MEASUREMENTS 3u   /* the shortest is used, because a host may preempt the processor */
#define MEASURE_HZ   100u /* 1/100 s */
#define NMI_GRACE    2u   /* seconds from the timer's interrupt to the NMI */

static uint32_t ticks_per_second;
static unsigned seconds_left;
static const struct context *escape_to;
static unsigned (*excused)(void);
static unsigned excused_before;

/* The same values for the NMI. */
static bool found_nmi, has_nmi;
static volatile unsigned limit;
static unsigned nmi_left, nmi_excused;

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

static void arm_nmi(void)
{
    const unsigned most = nmi_timer_most(), seconds = nmi_left < most ? nmi_left : most;

    nmi_left -= seconds;
    nmi_timer_start(seconds);
}

/* The timer's interrupt was not delivered. Interrupts still in service would block later ones, so end them. */
static void overdue(void)
{
    const unsigned now = excused();

    nmi_left += now - nmi_excused;
    nmi_excused = now;
    if (nmi_left) {
        arm_nmi();
        return;
    }
    apic_end_services();
    context_restore(escape_to);
}

/*
 * Counts the APIC timer's ticks in a wait; 0 without a clock. The timer is read before the wait begins and after it has
 * ended, so that preemption can make the result too large, but never too small.
 */
static uint32_t measure(void)
{
    uint32_t before;

    apic_timer_start(VECTOR_TIMER, UINT32_MAX);
    before = apic_timer_left();
    return clock_wait(1000000 / MEASURE_HZ) ? before - apic_timer_left() : 0;
}

bool watchdog_init(const struct acpi_timers *timers, const struct acpi_io_apic *io_apics, size_t io_apic_count,
                   bool *nmi)
{
    uint32_t least = UINT32_MAX;

    found_nmi = has_nmi = *nmi = false;
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
    for (size_t i = 0; i < io_apic_count && !found_nmi; i++)
        found_nmi = nmi_timer_init(timers->hpet, &io_apics[i], apic_id(), overdue);
    has_nmi = *nmi = found_nmi;
    return true;
}

bool watchdog_follow(void)
{
    has_nmi = found_nmi && nmi_timer_send_to(apic_id());
    return has_nmi;
}

uint32_t watchdog_second(void)
{
    return ticks_per_second;
}

unsigned watchdog_limit(void)
{
    return limit;
}

void watchdog_start(unsigned seconds, const struct context *escape, unsigned (*excuse)(void))
{
    escape_to = escape;
    excused = excuse;
    excused_before = excuse();
    limit = seconds_left = seconds;
    if (ticks_per_second && apic_present())
        arm();
    nmi_left = seconds + NMI_GRACE;
    nmi_excused = excused_before;
    if (has_nmi)
        arm_nmi();
}

void watchdog_allow(unsigned seconds)
{
    limit += seconds;
    seconds_left += seconds;
    nmi_left += seconds;
}

void watchdog_stop(void)
{
    escape_to = NULL;
    if (ticks_per_second && apic_present())
        apic_timer_start(VECTOR_TIMER, 0);
    if (has_nmi)
        nmi_timer_stop();
}

bool watchdog_has_nmi(void)
{
    return has_nmi && nmi_timer_usable();
}
