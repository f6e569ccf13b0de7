/* SPDX-License-Identifier: MIT */
/*
 * The watchdog's NMI on a simulated HPET and I/O APIC: the choice of comparator and input, the writes, and the effect
 * of NMIs in time, late, and of other devices. Bits: IA-PC HPET Specification 1.0a, 2.3; Intel 82093AA (290566-001),
 * 3.2.
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Instead of arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

static uint8_t port_read8(uint16_t port);

#include "arch/x86/devices/clock.h"
#include "arch/x86/devices/hpet.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/devices/io_apic.h"
#include "arch/x86/devices/nmi_timer.h"

#include "arch/x86/devices/nmi_timer.c"

#define HZ   10000000u
#define AT   0xfed00000u
#define IO   0xfec00000u
#define MASK 0x10000u

static struct {
    uint64_t rate;
    uint32_t hpet[0x200 / 4], io[256];
    unsigned wired;   /* the first interrupt of the I/O APIC */
    unsigned answers; /* the comparators (a bit each) whose NMI arrives */
    unsigned tried, waits;
    unsigned strays; /* NMIs of another device while an input is unmasked, one in each wait, before the timer's */
    interrupt_handler *handler;
    unsigned unexpected, due;
    uint8_t port_61;
} machine;

FAKE(static uint8_t, port_read8, (uint16_t port), assert_int_equal(port, 0x61), machine.port_61)
FAKE(uint64_t, hpet_start, (uint64_t address), address == AT ? machine.rate : 0)
FAKE(volatile uint32_t *, hpet_register, (uint32_t offset), assert_int_equal(offset % 4, 0), &machine.hpet[offset / 4])
FAKE(uint32_t, io_apic_read, (uintptr_t address, uint32_t number), assert_int_equal(address, IO), machine.io[number])
FAKE_VOID(io_apic_write, (uintptr_t address, uint32_t number, uint32_t value), assert_int_equal(address, IO),
          machine.io[number] = value)
FAKE_VOID(interrupt_set, (unsigned vector, interrupt_handler *handler), assert_int_equal(vector, VECTOR_NMI),
          machine.handler = handler)
FAKE_VOID(interrupt_unexpected, (struct interrupt_frame * frame), assert_int_equal(frame->vector, VECTOR_NMI),
          machine.unexpected++)

static void send_nmi(void)
{
    machine.handler(&(struct interrupt_frame){ .vector = VECTOR_NMI });
}

/* The configuration of a comparator, and the masked or unmasked half of an input. */
static uint32_t *comparator(unsigned n)
{
    return &machine.hpet[(0x100 + 0x20 * n) / 4];
}

static uint32_t *input(unsigned n)
{
    return &machine.io[0x10 + 2 * n];
}

static uint64_t halves(unsigned offset)
{
    return (uint64_t)machine.hpet[offset / 4 + 1] << 32 | machine.hpet[offset / 4];
}

/* Whether the counter met the comparator within the last second. */
static bool is_over(unsigned n, bool narrow)
{
    const uint64_t passed = halves(0xf0) - halves(0x108 + 0x20 * n);

    return (narrow ? (uint32_t)passed : passed) < HZ;
}

/* Lets time pass, and raises the NMIs of enabled comparators. */
static void pass(uint32_t ticks)
{
    const uint64_t now = halves(0xf0) + ticks;

    machine.hpet[0xf0 / 4] = (uint32_t)now;
    machine.hpet[0xf4 / 4] = (uint32_t)(now >> 32);
    for (unsigned n = 0; n < 4; n++) {
        const uint32_t configuration = *comparator(n), to = (configuration >> 9 & 0x1f) - machine.wired;

        if (!(configuration & 4))
            continue;
        machine.tried |= 1u << n;
        if (machine.strays && *input(to) == 0x400) {
            machine.strays--;
            machine.hpet[0xf0 / 4] -= ticks;
            send_nmi();
            machine.hpet[0xf0 / 4] += ticks;
            continue;
        }
        /* Edge-triggered, one-shot; 32 bits, or 64 if both counter and comparator have them. */
        assert_int_equal(configuration & 0x1da, machine.hpet[0] & 0x2000 && configuration & 0x20 ? 0x10 : 0x110);
        if (machine.answers >> n & 1 && *input(to) == 0x400 && is_over(n, configuration & 0x100))
            send_nmi();
    }
}

FAKE(bool, clock_wait, (unsigned microseconds), assert_int_equal(microseconds, 1000), machine.waits++,
     pass(microseconds *(HZ / 1000000)), true)

static void due(void)
{
    machine.due++;
}

static const struct acpi_io_apic io = { .address = IO };

/* Three comparators with routes to inputs 20 to 23, and an I/O APIC of 24 inputs, all masked. */
static void start_machine(void)
{
    memset(&machine, 0, sizeof machine);
    machine.rate = HZ;
    machine.answers = 7;
    machine.hpet[0] = 0x80868201;
    machine.hpet[0x10 / 4] = 3; /* enabled, with legacy routes */
    for (unsigned n = 0; n < 3; n++) {
        *comparator(n) = 0x8030;
        machine.hpet[(0x104 + 0x20 * n) / 4] = 0xf00000;
    }
    machine.io[1] = 0x170020;
    for (unsigned i = 0; i < 24; i++)
        *input(i) = MASK;
}

/* Some comparators (a bit each) have 64 bits, and so has the counter. */
static void widen(unsigned comparators)
{
    machine.hpet[0] |= 0x2000;
    for (unsigned n = 0; n < 3; n++)
        *comparator(n) = comparators >> n & 1 ? 0x8030 : 0x8010;
}

#define NONE 3u

/* Machines that differ in one thing: the comparators that were tried, the last one and its interrupt. */
UNIT_TEST(the_choice)
{
    static const struct acpi_io_apic second = { .address = IO, .first_interrupt = 16 }, none = { 0 },
                                     far = { .address = IO, .first_interrupt = 32 };
    static const struct {
        uint32_t inputs;    /* register 1 of the I/O APIC, if not that of 24 inputs */
        uint32_t used;      /* what firmware left in input 23, if it is not masked */
        uint32_t routes[3]; /* of the comparators, if not to 20 to 23 */
        unsigned wide, silent, strays;
        const struct acpi_io_apic *io;
        uint64_t rate;
        uint32_t id;
        bool no_hpet;
        unsigned tried, waits, last, interrupt;
    } rows[] = {
        { .tried = 4, .waits = 1, .last = 2, .interrupt = 23 },
        { .id = 254, .tried = 4, .waits = 1, .last = 2, .interrupt = 23 },
        { .used = 0x31, .tried = 4, .waits = 1, .last = 2, .interrupt = 22 },
        { .inputs = 0x150020, .tried = 4, .waits = 1, .last = 2, .interrupt = 21 },
        { .silent = 6, .tried = 7, .waits = 101, .last = 0, .interrupt = 23 },
        { .routes = { 0xf00000, 0xf00000, 0 }, .tried = 2, .waits = 1, .last = 1, .interrupt = 23 },
        /* Inputs below 16 belong to ISA devices. With the PIT on input 2, each tick would be an NMI. */
        { .routes = { 0x10004, 0xffff, 0xffff }, .tried = 1, .waits = 1, .last = 0, .interrupt = 16 },
        { .routes = { 0xffff, 0xffff, 0xffff }, .last = NONE },
        /* Of I/O APICs with 16 inputs, as in an IBM xSeries 235, the second one has the interrupts 16 to 31. */
        { .inputs = 0xf0020, .last = NONE },
        { .inputs = 0xf0020, .io = &second, .tried = 4, .waits = 1, .last = 2, .interrupt = 23 },
        /* A 64-bit comparator is preferred, if its NMI arrives. */
        { .wide = 1, .tried = 1, .waits = 1, .last = 0, .interrupt = 23 },
        { .wide = 5, .silent = 5, .tried = 7, .waits = 101, .last = 1, .interrupt = 23 },
        /* An input that another device uses is given up at the device's first NMI. */
        { .strays = 1, .tried = 6, .waits = 2, .last = 1, .interrupt = 23 },
        { .strays = 3, .tried = 7, .waits = 3, .last = NONE },
        { .silent = 7, .tried = 7, .waits = 150, .last = NONE },
        { .no_hpet = true, .last = NONE },
        { .io = &none, .last = NONE },
        { .io = &far, .last = NONE },
        { .id = 0xff, .last = NONE },
        { .rate = UINT64_C(0x80000000), .last = NONE },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct acpi_io_apic *const chip = rows[i].io ? rows[i].io : &io;
        const unsigned last = rows[i].last, to = rows[i].interrupt - chip->first_interrupt;
        start_machine();
        if (rows[i].wide)
            widen(rows[i].wide);
        for (unsigned n = 0; n < 3 && rows[i].routes[0]; n++)
            *(comparator(n) + 1) = rows[i].routes[n];
        machine.io[1] = rows[i].inputs ? rows[i].inputs : machine.io[1];
        *input(23) = rows[i].used ? rows[i].used : MASK;
        machine.rate = rows[i].rate ? rows[i].rate : HZ;
        machine.answers = ~rows[i].silent;
        machine.strays = rows[i].strays;
        machine.wired = chip->first_interrupt;
        assert_int_equal(nmi_timer_init(rows[i].no_hpet ? 0 : AT, chip, rows[i].id, due), last != NONE);
        assert_int_equal(nmi_timer_usable(), last != NONE);
        assert_int_equal(machine.tried, rows[i].tried);
        assert_int_equal(machine.waits, rows[i].waits);
        assert_int_equal(machine.due + machine.unexpected, 0); /* the trial ends no test */
        if (last != NONE) {
            assert_int_equal(machine.hpet[0x10 / 4], 1);
            assert_int_equal(machine.io[0x11 + 2 * to], rows[i].id << 24);
            assert_int_equal(*comparator(last), (rows[i].wide && last != 0 ? 0x8010u : 0x8030u) |
                                                    (rows[i].wide >> last & 1 ? 0 : 0x100u) | rows[i].interrupt << 9);
        }
        nmi_timer_start(1);
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(*comparator(n) & 4, n == last ? 4 : 0);
        nmi_timer_stop();
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(*comparator(n) & 4, 0);
        for (unsigned n = 0; n < 24; n++)
            assert_int_equal(*input(n), n == 23 && rows[i].used ? rows[i].used : MASK);
        assert_int_equal(nmi_timer_send_to(254), last != NONE);
        assert_true(last == NONE || machine.io[0x11 + 2 * to] == 254u << 24);
        assert_false(nmi_timer_send_to(255)); /* not addressable by the I/O APIC */
    }
}

static void start_timer(unsigned wide, uint32_t counter)
{
    start_machine();
    if (wide)
        widen(wide);
    assert_true(nmi_timer_init(AT, &io, 0, due));
    machine.hpet[0xf0 / 4] = counter;
    machine.hpet[0xf4 / 4] = wide ? 7 : 0;
    nmi_timer_start(3);
}

/*
 * An NMI at some time. It is the timer's for a second from its time on, even after a stop, and at the wrap of a 32-bit
 * counter, which does not end a test. Otherwise the input is shared with a device and masked, or the NMI is unexpected:
 * if the input was masked, or SERR# or IOCHK# is the cause (the port's other bits belong to the PIT and the speaker).
 */
UNIT_TEST(an_nmi)
{
    static const struct {
        uint32_t counter; /* at the start of the timer */
        bool wide, stopped;
        uint8_t port_61;
        uint32_t at; /* the counter at the NMI */
        unsigned due, unexpected;
        bool usable;
    } rows[] = {
        { 0, false, false, 0, 0, 0, 0, false },
        { 0, false, false, 0, 3 * HZ - 1, 0, 0, false },
        { 0, false, false, 0, 3 * HZ, 1, 0, true },
        { 0, false, false, 0, 4 * HZ, 1, 0, true },
        { 0, false, false, 0, 4 * HZ + 1, 0, 0, false },
        { 0, false, true, 0, 3 * HZ - 1, 0, 1, true },
        { 0, false, true, 0, 3 * HZ, 0, 0, true },
        { 0, false, true, 0, 4 * HZ, 0, 0, true },
        { 0, false, true, 0, 4 * HZ + 1, 0, 1, true },
        { 0, false, false, 0x80, 0, 0, 1, true },
        { 0, false, false, 0x40, 0, 0, 1, true },
        { 0, false, false, 0x3f, 0, 0, 0, false },
        { UINT32_MAX - HZ, false, false, 0, UINT32_MAX, 0, 0, false },
        { UINT32_MAX - HZ, false, false, 0, 0, 0, 0, true },
        { UINT32_MAX - HZ, false, false, 0, HZ, 0, 0, true },
        { UINT32_MAX - HZ, false, true, 0, HZ + 1, 0, 1, true },
        { UINT32_MAX - HZ, true, false, 0, 0, 0, 0, false },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        start_timer(rows[i].wide, rows[i].counter);
        if (rows[i].stopped)
            nmi_timer_stop();
        machine.port_61 = rows[i].port_61;
        machine.hpet[0xf0 / 4] = rows[i].at;
        send_nmi();
        assert_int_equal(machine.due, rows[i].due);
        assert_int_equal(machine.unexpected, rows[i].unexpected);
        assert_int_equal(nmi_timer_usable(), rows[i].usable);
        if (rows[i].usable)
            continue;
        for (unsigned again = 0; again < 2; again++) {
            assert_int_equal(*input(23), MASK);
            assert_int_equal((*comparator(0) | *comparator(1) | *comparator(2)) & 4, 0);
            nmi_timer_start(3);
        }
        send_nmi();
        assert_int_equal(machine.unexpected, rows[i].unexpected + 1);
    }
}
