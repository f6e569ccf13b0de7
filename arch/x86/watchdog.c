/* SPDX-License-Identifier: MIT */
#include "arch/x86/watchdog.h"

#include <stddef.h>
#include <stdint.h>

#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"

#define PIT_CHANNEL_2        0x42u
#define PIT_COMMAND          0x43u
#define PIT_CHANNEL_2_MODE_0 0xb0u /* channel 2, low and high byte, interrupt on terminal count, binary */
#define PIT_HZ               1193182u
#define PORT_B               0x61u
#define PORT_B_GATE_2        0x01u
#define PORT_B_SPEAKER       0x02u
#define PORT_B_OUT_2         0x20u

#define MEASUREMENTS 3u        /* the shortest counts: a host may take the processor away for as long as it likes */
#define MEASURE_HZ   100u      /* 1/100 s */
#define MEASURE_SPIN 10000000u /* polls; a PIT that never counts down ends the measurement */

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
        return; /* it was on its way when the watchdog was stopped */
    now = excused();
    seconds_left += now - excused_before;
    excused_before = now;
    if (seconds_left)
        arm();
    else
        context_restore(escape_to);
}

/*
 * Ticks of the APIC timer while the PIT counts once down; 0 where it never ends. The timer is read before the PIT
 * begins and after it ended: who is kept waiting in between measures too much, never too little.
 */
static uint32_t measure(void)
{
    const uint16_t count = PIT_HZ / MEASURE_HZ;
    uint32_t spin = MEASURE_SPIN, before;

    apic_timer_start(VECTOR_TIMER, UINT32_MAX);
    before = apic_timer_left();
    port_write8(PIT_COMMAND, PIT_CHANNEL_2_MODE_0);
    port_write8(PIT_CHANNEL_2, (uint8_t)count);
    port_write8(PIT_CHANNEL_2, (uint8_t)(count >> 8));
    if (port_read8(PORT_B) & PORT_B_OUT_2)
        return 0; /* no PIT: its output is low while it counts */
    while (!(port_read8(PORT_B) & PORT_B_OUT_2) && --spin)
        cpu_pause();
    return spin ? before - apic_timer_left() : 0;
}

bool watchdog_init(void)
{
    uint32_t least = UINT32_MAX;

    if (!apic_present())
        return false;
    port_write8(PORT_B, (uint8_t)((port_read8(PORT_B) & ~PORT_B_SPEAKER) | PORT_B_GATE_2));
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
