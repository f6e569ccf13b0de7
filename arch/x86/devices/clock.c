/* SPDX-License-Identifier: MIT */
#include "arch/x86/devices/clock.h"

#include <stddef.h>

#include "arch/x86/cpu.h"
#include "lib/ratio.h"
#include "arch/x86/devices/hpet.h"

#define TRIAL 1000u /* microseconds */

/* A clock has stopped after this many equal reads. The slowest ticks once in 1 us; the fastest read takes 10 ns. */
#define STILL_MOST 10000u
/* Reads up to this many ticks back are ignored: some chipsets (PIIX4) return them while the counter changes. */
#define BACK_MOST 1000u
/* Reads that a wait may take in addition to reads_most. */
#define READS_LEAST          20000u
#define MEASURE_MICROSECONDS 20000u

/* ---- the time-stamp counter ------------------------------------------------------------------------------------- */

static uint64_t tsc_read(void)
{
    return time_stamp();
}

/* ---- the power management timer: ACPI Specification 6.5, 4.8.3.3 ------------------------------------------------ */

#define PM_HZ 3579545u

static uint16_t pm_port;

static uint64_t pm_read(void)
{
    return port_read32(pm_port);
}

/* ---- the HPET --------------------------------------------------------------------------------------------------- */

static uint64_t hpet_read(void)
{
    return *hpet_register(HPET_COUNTER);
}

/* ---- channel 2 of the 8254, the PIT, which needs no interrupt --------------------------------------------------- */

#define PIT_HZ               1193182u
#define PIT_CHANNEL_2        0x42u
#define PIT_COMMAND          0x43u
#define PIT_CHANNEL_2_MODE_2 0xb4u /* channel 2, low and high byte, rate generator, binary */
#define PIT_CHANNEL_2_LATCH  0x80u
#define PORT_B               0x61u
#define PORT_B_GATE_2        0x01u
#define PORT_B_SPEAKER       0x02u

/* Counts down from 65536, again and again. */
static void pit_start(void)
{
    port_write8(PORT_B, (uint8_t)((port_read8(PORT_B) & ~PORT_B_SPEAKER) | PORT_B_GATE_2));
    port_write8(PIT_COMMAND, PIT_CHANNEL_2_MODE_2);
    port_write8(PIT_CHANNEL_2, 0);
    port_write8(PIT_CHANNEL_2, 0);
}

static uint64_t pit_read(void)
{
    unsigned count;

    port_write8(PIT_COMMAND, PIT_CHANNEL_2_LATCH);
    count = port_read8(PIT_CHANNEL_2);
    count |= (unsigned)port_read8(PIT_CHANNEL_2) << 8;
    return 0 - (uint64_t)count;
}

/* ---- the clock in use ------------------------------------------------------------------------------------------- */

enum { TSC, PM, HPET, PIT };

static struct {
    struct clock clock;
    uint64_t bits;       /* counter bits that every such clock has */
    unsigned reads_most; /* per microsecond, even on an emulator; a clock that takes more is unusable */
    uint64_t (*read)(void);
} clocks[CLOCKS] = {
    [TSC] = { { .name = "tsc" }, UINT64_MAX, 200, tsc_read },
    [PM] = { { .name = "acpi_pm" }, 0xffffff, 50, pm_read },
    [HPET] = { { .name = "hpet" }, UINT32_MAX, 50, hpet_read },
    [PIT] = { { .name = "pit" }, 0xffff, 20, pit_read },
};

static uint64_t began;         /* the time-stamp counter in clock_init() */
static unsigned used = CLOCKS; /* CLOCKS: none */

/* Waits by this clock; false if it stops, or takes too many reads. */
static bool elapse(unsigned i, unsigned microseconds)
{
    uint64_t rest, passed = 0, last = clocks[i].read();
    const uint64_t ticks = ratio_divide(clocks[i].clock.hz * microseconds, 1000000, &rest) + 1;
    uint64_t reads = (uint64_t)clocks[i].reads_most * microseconds + READS_LEAST;
    unsigned still = 0;

    while (passed < ticks && still < STILL_MOST && --reads) {
        const uint64_t now = clocks[i].read(), step = (now - last) & clocks[i].bits;

        still++;
        if (step && step <= clocks[i].bits - BACK_MOST) {
            passed += step;
            last = now;
            still = 0;
        }
        cpu_pause();
    }
    return passed >= ticks;
}

/* Starts a clock and returns its rate in Hz; 0: absent. */
static uint64_t start(unsigned i, uint64_t tsc_hz, const struct acpi_timers *timers)
{
    switch (i) {
    case TSC:
        return tsc_hz;
    case PM:
        pm_port = timers->pm_port;
        return pm_port ? PM_HZ : 0;
    case HPET:
        return hpet_start(timers->hpet);
    default:
        pit_start();
        return PIT_HZ;
    }
}

void clock_init(uint64_t tsc_hz, const struct acpi_timers *timers)
{
    began = __builtin_ia32_rdtsc();
    used = CLOCKS;
    for (unsigned i = 0; i < CLOCKS && used == CLOCKS; i++) {
        struct clock *const clock = &clocks[i].clock;

        clock->hz = start(i, tsc_hz, timers);
        if (!clock->hz)
            continue;
        clock->state = elapse(i, TRIAL) ? CLOCK_RUNS : CLOCK_STILL;
        if (clock->state == CLOCK_RUNS)
            used = i;
    }
}

const struct clock *clock_number(unsigned i)
{
    return &clocks[i].clock;
}

bool clock_wait(unsigned microseconds)
{
    if (used == CLOCKS)
        return false;
    if (elapse(used, microseconds))
        return true;
    clocks[used].clock.state = CLOCK_STILL;
    used = CLOCKS;
    return false;
}

unsigned clock_elapsed(void)
{
    const uint64_t now = __builtin_ia32_rdtsc();
    uint64_t rest;

    if (!clock_wait(MEASURE_MICROSECONDS))
        return 0;
    const uint64_t hz = (__builtin_ia32_rdtsc() - now) * (1000000 / MEASURE_MICROSECONDS);
    return (unsigned)ratio_divide(now - began, hz ? hz : 1, &rest);
}
