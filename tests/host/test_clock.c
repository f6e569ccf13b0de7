/* SPDX-License-Identifier: MIT */
/*
 * Clocks on simulated devices: which clock is used, how long the kernel waits for it, and what happens to missing and
 * stopped clocks. Ports and bits: Intel's data sheet of the 8254 (231164); ACPI Specification 6.5, 4.8.3.3; IA-PC HPET
 * Specification 1.0a, 2.3.
 */
#include "tests/host/map_at.h"
#include "tests/host/unit_test.h"

/* Replaces arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

static uint8_t port_read8(uint16_t port);
static uint32_t port_read32(uint16_t port);
static void port_write8(uint16_t port, uint8_t value);
static uint64_t time_stamp(void);
static void cpu_pause(void);

#include "arch/x86/devices/clock.c"
#include "arch/x86/devices/hpet.c"

#define HPET_AT UINT64_C(0x10000000)

/* A clock advances by `step` at each read, for `reads` reads. */
static struct {
    uint64_t tsc_step, pm_step, hpet_step, pit_step;
    uint64_t tsc, pm, hpet, pit;
    uint64_t stops_after; /* reads of any clock; 0: never */
    unsigned reads, pauses;
    bool back; /* every second read of the PM timer shows one less than the previous read */
    uint8_t port_61;
    bool no_pit;
    unsigned pit_byte;
    char written[200];
} machine;

static volatile uint32_t *registers; /* the HPET's registers */

static bool goes_on(void)
{
    return ++machine.reads <= machine.stops_after || !machine.stops_after;
}

static uint64_t time_stamp(void)
{
    return machine.tsc += goes_on() ? machine.tsc_step : 0;
}

static uint32_t port_read32(uint16_t port)
{
    assert_int_equal(port, 0x608);
    if (machine.back && machine.reads % 2) {
        machine.reads++;
        return (uint32_t)machine.pm - 1;
    }
    machine.pm += goes_on() ? machine.pm_step : 0;
    return (uint32_t)machine.pm;
}

static uint8_t port_read8(uint16_t port)
{
    if (port == 0x61)
        return machine.port_61;
    assert_int_equal(port, 0x42);
    if (machine.no_pit)
        return 0xff;
    return (uint8_t)((0 - machine.pit) >> 8 * (machine.pit_byte++ % 2));
}

static void port_write8(uint16_t port, uint8_t value)
{
    const size_t length = strlen(machine.written);

    if (port == 0x43 && value == 0x80) /* latches channel 2 */
        machine.pit += goes_on() ? machine.pit_step : 0;
    else
        snprintf(machine.written + length, sizeof machine.written - length, "%x %x, ", port, value);
}

/* The HPET advances when another clock is read, because reads of its memory cannot be detected. */
static void cpu_pause(void)
{
    machine.pauses++;
    machine.hpet += machine.hpet_step;
    registers[0xf0 / 4] = (uint32_t)machine.hpet;
}

/* Devices without clocks. */
static void begin(void)
{
    memset(&machine, 0, sizeof machine);
    for (unsigned i = 0; i < CLOCKS; i++)
        clocks[i].clock.state = CLOCK_ABSENT;
    machine.port_61 = 0x1e;
    machine.no_pit = true;
    registers = map_at(HPET_AT, 4096);
}

static void init(uint64_t tsc_hz, uint16_t port, uint64_t hpet_at)
{
    const struct acpi_timers timers = { .pm_port = port, .hpet = hpet_at };

    clock_init(tsc_hz, &timers);
    machine.reads = machine.pauses = 0;
    machine.stops_after = 0;
}

/* states: a letter for each clock in order: (a)bsent, (s)till, (r)uns. */
static void expect(const char *states)
{
    static const char *const names[] = { "tsc", "acpi_pm", "hpet", "pit" };

    for (unsigned i = 0; i < CLOCKS; i++) {
        assert_int_equal("asr"[clock_number(i)->state], states[i]);
        assert_string_equal(clock_number(i)->name, names[i]);
    }
}

/* Which clock is used, its rate, and how many reads a wait of this time takes. Narrow clocks wrap during long waits. */
UNIT_TEST(the_first_that_runs_is_used)
{
    static const struct {
        uint64_t tsc_hz, tsc_step, pm_step, hpet_step, pit_step, pm;
        uint32_t hpet; /* its period in femtoseconds */
        bool pm_timer;
        unsigned wait, used;
        const char *states;
        uint64_t hz;
        unsigned reads;
    } rows[] = {
        /* ten million ticks, at 100 a read, plus the first read */
        { 1000000000, 100, 1, 0, 0, 0, 0, true, 10000, 0, "raaa", 1000000000, 100002 },
        { 0, 100, 1, 0, 0, 0, 0, true, 10000, 1, "araa", 3579545, 35797 }, /* the TSC's rate is unknown */
        { 0, 0, 0, 10, 0, 0, 10000000, false, 10000, 2, "aara", 100000000, 100002 },
        { 0, 0, 0, 0, 1, 0, 0, false, 10000, 3, "aaar", 1193182, 11933 },
        { 0, 0, 10000, 0, 0, 0xffffff, 0, true, 10000000, 1, "araa", 3579545, 3581 },
        { 0, 0, 0, 0, 100, 0, 0, false, 10000000, 3, "aaar", 1193182, 119320 },
        { UINT64_C(20000000000), 100, 0, 0, 0, 0, 0, false, 10000, 0, "raaa", UINT64_C(20000000000), 2000002 },
        /* A clock that ticks once in many reads counts as stopped, whatever its reported rate. */
        { UINT64_C(20000000000), 1, 1, 0, 0, 0, 0, true, 10000, 1, "sraa", 3579545, 35797 },
        /*
         * If a hypervisor does not schedule the kernel for a while, most of the PIT's period is missed. One tick more
         * looks like a step back: only every second read shows progress.
         */
        { 0, 0, 0, 0, 65535 - 1000, 0, 0, false, 1000000, 3, "aaar", 1193182, 20 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        begin();
        machine.tsc_step = rows[i].tsc_step;
        machine.pm_step = rows[i].pm_step;
        machine.hpet_step = rows[i].hpet_step;
        machine.pit_step = rows[i].pit_step;
        machine.no_pit = !rows[i].pit_step;
        machine.pm = rows[i].pm;
        machine.port_61 = 0x3e; /* the speaker on, the gate off */
        registers[1] = rows[i].hpet;
        registers[4] = 2; /* legacy routing, which stays on */
        init(rows[i].tsc_hz, rows[i].pm_timer ? 0x608 : 0, rows[i].hpet ? HPET_AT : 0);
        expect(rows[i].states);
        assert_int_equal(clock_number(rows[i].used)->hz, rows[i].hz);
        assert_int_equal(registers[4], rows[i].hpet ? 3 : 2);
        assert_string_equal(machine.written, rows[i].used == 3 ? "61 3d, 43 b4, 42 0, 42 0, " : "");
        assert_true(clock_wait(rows[i].wait));
        assert_int_equal(rows[i].hpet ? machine.pauses : machine.reads, rows[i].reads);
    }
    machine.reads = 0;
    machine.pit_step++;
    assert_true(clock_wait(1000000));
    assert_int_equal(machine.reads, 39);
}

/* HPETs that are used, and those that are not: with an impossible period, or not mapped. */
UNIT_TEST(periods)
{
    static const struct {
        uint32_t period;
        uint64_t at, hz; /* 0: not used */
        const char *states;
    } rows[] = {
        { 0, HPET_AT, 0, "aaas" },
        { 1, HPET_AT, UINT64_C(1000000000000000), "aass" }, /* ticks once in many reads */
        { 100000000, HPET_AT, 10000000, "aara" },           /* the longest */
        { 100000001, HPET_AT, 0, "aaas" },
        { UINT32_MAX, HPET_AT, 0, "aaas" },
        { 100000000, HPET_AT | UINT64_C(0x100000000), 0, "aaas" },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        begin();
        machine.hpet_step = 10;
        registers[1] = rows[i].period;
        init(0, 0, rows[i].at);
        expect(rows[i].states);
        assert_int_equal(registers[4], rows[i].hz != 0);
        assert_true(!rows[i].hz || clock_number(2)->hz == rows[i].hz);
    }
}

/* Each stopped clock is tried once, which costs ten thousand reads; later waits skip it. */
UNIT_TEST(each_stopped_clock_is_tried_once)
{
    begin();
    registers[1] = 10000000;
    clock_init(1000000000, &(struct acpi_timers){ 0x608, HPET_AT });
    expect("ssss");
    assert_int_equal(machine.pauses, 4 * 10000);
    machine.reads = machine.pauses = 0;
    for (unsigned i = 0; i < 1000; i++)
        assert_false(clock_wait(10000));
    assert_int_equal(machine.reads, 0);
    assert_int_equal(machine.pauses, 0);
}

UNIT_TEST(a_clock_that_stops_is_given_up)
{
    begin();
    machine.pm_step = 1;
    init(0, 0x608, 0);
    machine.stops_after = 1000;
    assert_false(clock_wait(10000));
    assert_int_equal(machine.reads, 11000);
    expect("asaa");
    machine.reads = 0;
    assert_false(clock_wait(10000));
    assert_int_equal(machine.reads, 0);
}

/* A step back is ignored. Later steps count from the value before it. */
UNIT_TEST(a_step_back_does_not_count)
{
    begin();
    machine.pm_step = 2;
    machine.back = true;
    init(0, 0x608, 0);
    expect("araa");
    assert_true(clock_wait(10000));
    assert_int_equal(machine.reads, 35797);
}
