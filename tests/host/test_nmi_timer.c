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

static uint8_t port_read8(uint16_t port)
{
    assert_int_equal(port, 0x61);
    return machine.port_61;
}

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

static void nmi_at(uint32_t counter)
{
    machine.hpet[0xf0 / 4] = counter;
    send_nmi();
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

static const struct acpi_io_apic io = { .address = IO }, second = { .address = IO, .first_interrupt = 16 };

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

static void start_timer(void)
{
    start_machine();
    assert_true(nmi_timer_init(AT, &io, 0, due));
}

UNIT_TEST(the_last_of_each_is_preferred)
{
    start_machine();
    assert_true(nmi_timer_init(AT, &io, 5, due));
    assert_int_equal(machine.tried, 4);
    assert_int_equal(machine.waits, 1);
    assert_int_equal(machine.due, 0); /* the trial ends no test */
    assert_int_equal(*input(23), MASK);
    assert_int_equal(machine.io[0x11 + 2 * 23], 5u << 24);
    assert_int_equal(machine.hpet[0x10 / 4], 1);
    assert_int_equal(*comparator(2), 0x8030 | 0x100 | 23 << 9);

    nmi_timer_start(3);
    assert_int_equal(*comparator(2) & 4, 4);
    pass(3 * HZ - 1);
    assert_int_equal(machine.due, 0);
    pass(1);
    assert_int_equal(machine.due, 1);
    pass(1);
    assert_int_equal(machine.due, 1); /* once only */
    nmi_timer_start(3);
    nmi_timer_start(5); /* replaces the earlier one */
    pass(3 * HZ);
    assert_int_equal(machine.due, 1);
    pass(2 * HZ);
    assert_int_equal(machine.due, 2);
    assert_int_equal(nmi_timer_most(), 214); /* half of what 32 bits count */
}

/* The choice on machines that differ in one thing: the comparators that were tried, and the last one's input. */
UNIT_TEST(the_choice)
{
    static const struct {
        uint32_t inputs;    /* register 1 of the I/O APIC */
        uint32_t used;      /* what firmware left in inputs 22 and 23 */
        uint32_t routes[3]; /* of the comparators */
        unsigned answers, tried, last, input;
    } rows[] = {
        { 0x170020, 0x31, { 0xf00000, 0xf00000, 0xf00000 }, 7, 4, 2, 21 },
        { 0x150020, MASK, { 0xf00000, 0xf00000, 0xf00000 }, 7, 4, 2, 21 }, /* 22 inputs */
        { 0x170020, MASK, { 0xf00000, 0xf00000, 0xf00000 }, 1, 7, 0, 23 },
        { 0x170020, MASK, { 0xf00000, 0xf00000, 0 }, 7, 2, 1, 23 },
        /* Inputs below 16 belong to ISA devices. With the PIT on input 2, each tick would be an NMI. */
        { 0x170020, MASK, { 0x10004, 0xffff, 0xffff }, 7, 1, 0, 16 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        start_machine();
        machine.io[1] = rows[i].inputs;
        *input(22) = *input(23) = rows[i].used;
        for (unsigned n = 0; n < 3; n++)
            *(comparator(n) + 1) = rows[i].routes[n];
        machine.answers = rows[i].answers;
        assert_true(nmi_timer_init(AT, &io, 0, due));
        assert_int_equal(machine.tried, rows[i].tried);
        assert_int_equal(*comparator(rows[i].last) >> 9 & 0x1f, rows[i].input);
        nmi_timer_start(1);
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(*comparator(n) & 4, n == rows[i].last ? 4 : 0);
        nmi_timer_stop();
        assert_int_equal(*comparator(rows[i].last) & 4, 0);
        assert_int_equal(*input(22), rows[i].used);
        assert_int_equal(*input(23), rows[i].used);
    }
    start_machine();
    for (unsigned n = 0; n < 3; n++)
        *(comparator(n) + 1) = 0xffff;
    assert_false(nmi_timer_init(AT, &io, 0, due));
    assert_int_equal(machine.tried, 0);
    for (unsigned i = 0; i < 24; i++)
        assert_int_equal(*input(i), MASK);
}

/* Three I/O APICs of 16 inputs, as in an IBM xSeries 235: interrupts 20 to 23 are inputs 4 to 7 of the second one. */
UNIT_TEST(the_io_apic_behind_the_first)
{
    start_machine();
    machine.io[1] = 0xf0020;
    *input(7) = 0x31; /* in use */
    assert_false(nmi_timer_init(AT, &io, 5, due));
    assert_int_equal(machine.tried, 0);
    machine.wired = 16;
    assert_true(nmi_timer_init(AT, &second, 5, due));
    assert_int_equal(*comparator(2) >> 9 & 0x1f, 22);
    assert_int_equal(machine.io[0x11 + 2 * 6], 5u << 24);
    assert_int_equal(*input(7), 0x31);
}

UNIT_TEST(a_machine_without_a_timer)
{
    static const struct acpi_io_apic none = { 0 }, far = { .address = IO, .first_interrupt = 32 };

    start_machine();
    machine.answers = 0;
    assert_false(nmi_timer_init(AT, &io, 0, due));
    assert_int_equal(machine.tried, 7);
    assert_int_equal(machine.waits, 150);
    nmi_timer_start(3);
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(*comparator(n) & 4, 0);
    nmi_timer_stop();

    start_machine();
    assert_false(nmi_timer_init(0, &io, 0, due));
    assert_false(nmi_timer_init(AT, &none, 0, due));
    assert_false(nmi_timer_init(AT, &far, 0, due));
    assert_false(nmi_timer_init(AT, &io, 0xff, due));
    machine.rate = UINT64_C(0x80000000);
    assert_false(nmi_timer_init(AT, &io, 0, due));
    assert_int_equal(machine.tried, 0);
    machine.rate = HZ;
    assert_true(nmi_timer_init(AT, &io, 0xfe, due));
}

/* Within a second after a stop, an NMI may still be the timer's. Before its time, and later, it is another device's. */
UNIT_TEST(nmis_of_other_devices)
{
    start_timer();
    nmi_timer_start(3);
    machine.hpet[0xf0 / 4] += 3 * HZ - 1;
    nmi_timer_stop();
    send_nmi();
    assert_int_equal(machine.unexpected, 1);
    nmi_at(machine.hpet[0xf0 / 4] + 1);
    nmi_at(machine.hpet[0xf0 / 4] + HZ);
    assert_int_equal(machine.unexpected, 1);
    assert_int_equal(machine.due, 0);
    nmi_at(machine.hpet[0xf0 / 4] + 1);
    assert_int_equal(machine.unexpected, 2);
    assert_int_equal(machine.due, 0);
    assert_true(nmi_timer_usable());
}

/* An input shared with a device is masked at the device's first NMI, also in a trial. Later NMIs are unexpected. */
UNIT_TEST(a_shared_input_is_masked)
{
    start_machine();
    machine.strays = 1;
    assert_true(nmi_timer_init(AT, &io, 0, due));
    assert_int_equal(machine.unexpected, 0);
    assert_int_equal(machine.tried, 6); /* the last input was given up */
    assert_int_equal(*comparator(2) & 4, 0);

    start_machine();
    machine.strays = 3;
    assert_false(nmi_timer_init(AT, &io, 0, due));
    assert_false(nmi_timer_usable());
    assert_int_equal(machine.waits, 3);

    start_timer();
    assert_true(nmi_timer_usable());
    nmi_timer_start(3);
    nmi_at(machine.hpet[0xf0 / 4] + 3 * HZ - 1);
    assert_int_equal(machine.unexpected, 0);
    assert_int_equal(*input(23), MASK);
    assert_int_equal(*comparator(2) & 4, 0);
    assert_false(nmi_timer_usable());
    send_nmi();
    assert_int_equal(machine.unexpected, 1);
    nmi_timer_stop();
    nmi_timer_start(3);
    pass(3 * HZ);
    assert_int_equal(machine.due, 0);
    assert_int_equal(*input(23), MASK);
}

/* SERR# and IOCHK# always end the run. The port's other bits belong to the PIT and the speaker. */
UNIT_TEST(errors_of_the_machine_end_the_run)
{
    start_timer();
    nmi_timer_start(3);
    for (unsigned i = 0; i < 3; i++) {
        machine.port_61 = (uint8_t[]){ 0x80, 0x40, 0x3f }[i];
        send_nmi();
        assert_int_equal(machine.unexpected, i < 2 ? i + 1 : 2);
        assert_int_equal(nmi_timer_usable(), i < 2);
    }
}

/* An NMI at the wrap of a 32-bit counter is the timer's, but does not end a test. */
UNIT_TEST(the_counter_wraps)
{
    start_timer();
    machine.hpet[0xf0 / 4] = UINT32_MAX - HZ;
    nmi_timer_start(3);
    nmi_at(0);
    nmi_at(HZ);
    assert_true(nmi_timer_usable());
    assert_int_equal(machine.due, 0);
    machine.hpet[0xf0 / 4] = HZ + 1;
    nmi_timer_stop();
    send_nmi();
    assert_int_equal(machine.unexpected, 1);
    nmi_timer_start(3);
    pass(3 * HZ);
    assert_int_equal(machine.due, 1);

    start_timer();
    machine.hpet[0xf0 / 4] = UINT32_MAX - HZ;
    nmi_timer_start(3);
    nmi_at(UINT32_MAX); /* not yet */
    assert_false(nmi_timer_usable());

    start_timer();
    nmi_timer_start(3); /* the counter is low, and has not wrapped */
    send_nmi();
    assert_false(nmi_timer_usable());

    start_machine();
    machine.hpet[0xf0 / 4] = UINT32_MAX - 20000; /* a trial without other NMIs */
    machine.answers = 0;
    assert_false(nmi_timer_init(AT, &io, 0, due));
}

/* A 64-bit counter does not wrap: its NMIs arrive only in time. Any other NMI is not the timer's. */
UNIT_TEST(a_64_bit_comparator_is_preferred)
{
    start_machine();
    machine.hpet[0] |= 0x2000;
    for (unsigned n = 1; n < 3; n++)
        *comparator(n) = 0x8010; /* 32 bits, as on most chipsets */
    assert_true(nmi_timer_init(AT, &io, 5, due));
    assert_int_equal(machine.tried, 1);
    assert_int_equal(*comparator(0), 0x8030 | 23 << 9);

    machine.hpet[0xf0 / 4] = UINT32_MAX - HZ;
    machine.hpet[0xf4 / 4] = 7;
    nmi_timer_start(3);
    assert_int_equal(halves(0x108), (UINT64_C(7) << 32) + UINT32_MAX - HZ + 3 * HZ);
    pass(3 * HZ - 1);
    assert_int_equal(machine.hpet[0xf4 / 4], 8);
    assert_int_equal(machine.due, 0);
    pass(1);
    assert_int_equal(machine.due, 1);

    machine.hpet[0xf0 / 4] = UINT32_MAX - HZ;
    nmi_timer_start(3);
    nmi_at(0);
    assert_false(nmi_timer_usable());

    start_machine();
    machine.hpet[0] |= 0x2000; /* if their NMIs do not arrive, the others are tried */
    machine.answers = 2;
    *comparator(1) = 0x8010;
    assert_true(nmi_timer_init(AT, &io, 5, due));
    assert_int_equal(machine.tried, 7);
    assert_int_equal(*comparator(1), 0x8110 | 23 << 9);
}

UNIT_TEST(the_nmi_can_go_to_another_processor)
{
    start_machine();
    assert_true(nmi_timer_init(AT, &io, 5, due));
    for (unsigned id = 0; id <= 254; id += 254) {
        assert_true(nmi_timer_send_to(id));
        assert_int_equal(machine.io[0x11 + 2 * 23], id << 24);
    }
    assert_int_equal(*input(23), MASK);
    assert_false(nmi_timer_send_to(255)); /* not addressable by the I/O APIC */
    assert_int_equal(machine.io[0x11 + 2 * 23], 254u << 24);
    start_machine();
    machine.answers = 0;
    assert_false(nmi_timer_init(AT, &io, 0, due));
    assert_false(nmi_timer_send_to(1));
}
