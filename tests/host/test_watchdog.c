/* SPDX-License-Identifier: MIT */
/* The time limit of tests, on simulated timers: calibration, start, stop. Boots of selftest.hang.* test NMIs. */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

#include "arch/x86/devices/apic.h"
#include "arch/x86/devices/clock.h"
#include "arch/x86/devices/nmi_timer.h"
#include "arch/x86/devices/watchdog.h"

/* The machine: the APIC timer's start value and rest, and the ticks that each wait takes. */
static struct {
    bool apic;
    bool clock;
    uint32_t takes[4]; /* ticks that successive waits take */
    unsigned waits, waited;
    unsigned starts, vector;
    uint32_t ticks, left, most; /* most: the largest start */
    unsigned eois, escapes;
    const struct context *escaped_to;
    interrupt_handler *handler;
    bool nmi; /* the NMI's timer works, after this many I/O APICs for which it does not */
    unsigned nmi_after, nmi_tried;
    unsigned nmi_most, nmi_seconds, nmi_stops;
    uint32_t nmi_to; /* the processor to which it is routed */
    bool nmi_goes;
} machine;

static const struct acpi_timers the_timers = { .hpet = 0xfed00000 };
static const struct acpi_io_apic the_io_apics[] = { { .address = 0xfec00000 }, { .address = 0xfec01000 } };

FAKE(uint32_t, apic_id, (void), 7)
FAKE_VOID(apic_end_services, (void), (void)0)
FAKE(bool, nmi_timer_init, (uint64_t hpet_address, const struct acpi_io_apic *io, uint32_t id, void (*due)(void)),
     assert_int_equal(hpet_address, 0xfed00000), assert_ptr_equal(io, &the_io_apics[machine.nmi_tried++]),
     assert_int_equal(id, 7), machine.nmi &&machine.nmi_tried > machine.nmi_after)
FAKE(bool, nmi_timer_usable, (void), machine.nmi)
FAKE(bool, nmi_timer_send_to, (uint32_t apic_id), machine.nmi_to = apic_id, machine.nmi_goes)
FAKE(unsigned, nmi_timer_most, (void), machine.nmi_most)
FAKE_VOID(nmi_timer_start, (unsigned seconds), machine.nmi_seconds = seconds)
FAKE_VOID(nmi_timer_stop, (void), machine.nmi_stops++)
FAKE(bool, apic_present, (void), machine.apic)
FAKE_VOID(apic_eoi, (void), machine.eois++)
FAKE_VOID(apic_timer_start, (unsigned vector, uint32_t ticks), machine.starts++, machine.vector = vector,
          machine.ticks = machine.left = ticks, machine.most = ticks > machine.most ? ticks : machine.most)
FAKE(uint32_t, apic_timer_left, (void), machine.left)
FAKE(bool, clock_wait, (unsigned microseconds), machine.waited = microseconds,
     machine.left -= machine.takes[machine.waits++], machine.clock)
FAKE_VOID(interrupt_set, (unsigned vector, interrupt_handler *handler), assert_int_equal(vector, VECTOR_TIMER),
          machine.handler = handler)

static jmp_buf out;

FAKE_VOID(context_restore, (const struct context *context), machine.escapes++, machine.escaped_to = context,
          longjmp(out, 1))

#include "arch/x86/devices/watchdog.c"

static const struct context here;

FAKE(static unsigned, excused_seconds, (void), 0)

static void start(uint32_t first, uint32_t second, uint32_t third)
{
    memset(&machine, 0, sizeof machine);
    machine.apic = machine.clock = true;
    machine.takes[0] = first;
    machine.takes[1] = second;
    machine.takes[2] = third;
    watchdog_stop(); /* of the previous test */
    ticks_per_second = 0;
    machine.starts = machine.nmi_stops = 0;
}

static bool init(void)
{
    bool nmi = !machine.nmi;
    const bool done = watchdog_init(&the_timers, the_io_apics, COUNT_OF(the_io_apics), &nmi);

    assert_int_equal(nmi, done && machine.nmi);
    return done;
}

/* With a timer of 100000 ticks a second. */
static void started(void)
{
    start(1000, 1000, 1000);
    assert_true(init());
}

static void started_with_nmi(unsigned most)
{
    start(1000, 1000, 1000);
    machine.nmi = true;
    machine.nmi_most = most;
    assert_true(init());
}

/* The timer fires. After an escape, the interrupted code does not continue. */
static void fire(void)
{
    struct interrupt_frame frame = { .vector = VECTOR_TIMER };

    machine.left = 0;
    if (!setjmp(out))
        machine.handler(&frame);
}

/* Ticks per second: a hundred times the ticks of the shortest of three waits of 1/100 s. */
UNIT_TEST(the_shortest_of_three_counts)
{
    for (unsigned shortest = 0; shortest < 3; shortest++) {
        start(shortest == 0 ? 1000 : 1500, shortest == 1 ? 1000 : 2000, shortest == 2 ? 1000 : 1700);
        assert_true(init());
        assert_int_equal(machine.waits, 3);
        assert_int_equal(machine.waited, 10000);
        assert_int_equal(machine.starts, 4); /* three measurements, and the stop */
        assert_int_equal(machine.vector, VECTOR_TIMER);
        assert_int_equal(machine.most, UINT32_MAX);
        assert_int_equal(machine.ticks, 0);
        assert_int_equal(ticks_per_second, 100000);
        assert_non_null(machine.handler);
    }
    start(UINT32_MAX / 100, UINT32_MAX, UINT32_MAX);
    assert_true(init());
    assert_int_equal(ticks_per_second, UINT32_MAX);
    start(UINT32_MAX / 100 - 1, UINT32_MAX, UINT32_MAX);
    assert_true(init());
    assert_int_equal(ticks_per_second, (UINT32_MAX / 100 - 1) * 100);
}

UNIT_TEST(without_a_timer_there_is_no_limit)
{
    for (unsigned i = 0; i < 4; i++) {
        start(1000, i == 2 ? 0 : 1000, 1000); /* a stopped timer */
        machine.apic = i != 0;
        machine.clock = i != 1;
        assert_int_equal(init(), i == 3);
        assert_int_equal(machine.waits, i); /* known not to work after one wait */
        assert_int_equal(machine.handler != NULL, i == 3);
        assert_int_equal(machine.ticks, 0);
        machine.apic = i != 3; /* it may vanish */
        machine.starts = 0;
        watchdog_start(5, &here, excused_seconds);
        watchdog_stop();
        assert_int_equal(machine.starts, 0);
    }
}

/* The timer's interrupt may be pending when it is stopped or started again. */
UNIT_TEST(the_limit_ends_a_test)
{
    struct interrupt_frame frame = { .vector = VECTOR_TIMER };

    started();
    watchdog_start(7, &here, excused_seconds);
    watchdog_stop();
    fire();
    watchdog_start(7, &here, excused_seconds);
    machine.handler(&frame); /* not at zero yet */
    assert_int_equal(machine.escapes, 0);
    assert_int_equal(machine.eois, 2);
    assert_int_equal(machine.vector, VECTOR_TIMER);
    assert_int_equal(machine.ticks, 700000);
    fire();
    assert_int_equal(machine.escapes, 1);
    assert_ptr_equal(machine.escaped_to, &here);
    assert_int_equal(machine.eois, 3);
    watchdog_stop();
    assert_int_equal(machine.ticks, 0);
    assert_int_equal(machine.nmi_seconds + machine.nmi_stops, 0); /* there is no NMI */
}

/* A 32-bit timer that is too fast for the limit is started several times. */
UNIT_TEST(a_fast_timer_is_started_more_than_once)
{
    start(10000000, 10000000, 10000000); /* 10^9 a second: 4 seconds at most */
    assert_true(init());
    watchdog_start(10, &here, excused_seconds);
    assert_int_equal(machine.ticks, 4000000000);
    fire();
    assert_int_equal(machine.ticks, 4000000000);
    fire();
    assert_int_equal(machine.escapes, 0);
    assert_int_equal(machine.ticks, 2000000000);
    fire();
    assert_int_equal(machine.escapes, 1);
    watchdog_start(4, &here, excused_seconds);
    fire();
    assert_int_equal(machine.escapes, 2);
}

/* Every I/O APIC is tried, until one works. */
UNIT_TEST(io_apics)
{
    for (unsigned after = 0; after < 3; after++) {
        start(1000, 1000, 1000);
        machine.nmi = after < 2;
        machine.nmi_after = after;
        assert_true(init());
        assert_int_equal(machine.nmi_tried, after < 2 ? after + 1 : 2);
    }
}

/*
 * While another processor is watched, the NMI is routed to it if possible, and afterwards back to the boot processor.
 */
UNIT_TEST(another_processor_is_watched)
{
    struct context escape;

    started_with_nmi(1000);
    assert_int_equal(watchdog_second(), 100000);
    assert_false(watchdog_follow()); /* its APIC ID is too high */
    assert_int_equal(machine.nmi_to, apic_id());
    assert_false(watchdog_has_nmi());
    machine.nmi_goes = true;
    assert_true(watchdog_follow());
    assert_true(watchdog_has_nmi());
    watchdog_start(7, &escape, excused_seconds);
    assert_int_equal(watchdog_limit(), 7);
    watchdog_allow(5);
    assert_int_equal(watchdog_limit(), 12);
    watchdog_stop();
    machine.nmi = false; /* it was lost */
    assert_false(watchdog_has_nmi());
    started();
    machine.nmi = machine.nmi_goes = true;
    assert_false(watchdog_has_nmi());
    assert_false(watchdog_follow()); /* no processor is watched */
}
