/* SPDX-License-Identifier: MIT */
/*
 * Processors that do not start, and the commands that wake and stop one. Boots start them. SDM Vol. 3A (253668-081),
 * "MP Initialization Protocol Algorithm for MP Systems": INIT, 10 milliseconds, SIPI, 200 microseconds, SIPI.
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Instead of arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

FAKE_STATIC_VOID(cpu_pause, (void), (void)0)
FAKE_STATIC_VOID(interrupts_off, (void), (void)0)
FAKE_STATIC_VOID(cpu_halt_for_interrupt, (void), (void)0)

#include "arch/x86/devices/apic.h"
#include "arch/x86/devices/processors.h"
#include "arch/x86/descriptors.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/paging.h"
#include "arch/x86/devices/clock.h"

#define LOW_PAGE ((uintptr_t)page_below)

static uint8_t page_below[4096];
static char journal[100000];
static struct {
    unsigned comes_after; /* waits until the processor has started; 0: never */
    unsigned waits;
    void (*when_it_comes)(void);
    interrupt_handler *wake;
} machine;

static void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
FAKE_PRINTF(note, journal, "", "")

FAKE(bool, apic_send_init, (uint32_t id), note("init %u; ", id), true)
FAKE(bool, apic_send_startup, (uint32_t id, uintptr_t page),
     note("startup %u %s; ", id, page == LOW_PAGE ? "low page" : "elsewhere"), true)
FAKE(bool, apic_send, (uint32_t id, unsigned vector), note("vector 0x%x to %u; ", vector, id), true)
FAKE(uint32_t, apic_id, (void), 5)
FAKE_VOID(apic_eoi, (void), note("eoi; "))
FAKE(enum apic_error, apic_enter, (void), note("mode; "), APIC_OK)
FAKE_VOID(apic_quiet, (void), note("quiet; "))

static uint8_t given[4][PROCESSOR_MEMORY];

FAKE_VOID(descriptors_load, (unsigned processor, void *tables), assert_ptr_equal(tables, given[processor]),
          note("descriptors %u; ", processor))
FAKE_VOID(paging_enter, (void), note("paging; "))
FAKE_VOID(interrupt_set, (unsigned vector, interrupt_handler *handler), assert_int_equal(vector, VECTOR_WAKE),
          machine.wake = handler)

bool clock_wait(unsigned microseconds)
{
    note("%u us; ", microseconds);
    machine.waits++;
    if (machine.when_it_comes && machine.waits == machine.comes_after)
        machine.when_it_comes();
    return true;
}

const uint8_t startup_code[64] = { 0xfa, 0xfc, 1, 2, 3, [63] = 0x63 };

/* Only processor_lend() calls these; hybrids test it (tests/qemu/cases). */
FAKE(void *, descriptors_of_boot, (void), NULL)
FAKE_VOID(apic_timer_start, (unsigned vector, uint32_t ticks), (void)0)
void call_on_stack(uintptr_t top, void (*function)(void));
FAKE_VOID(call_on_stack, (uintptr_t top, void (*function)(void)), (void)0)

#include "arch/x86/devices/processors.c"

static void other_main(unsigned number)
{
    note("main %u; ", number);
    assert_false(processor_done(number));
}

/* The other processor: executes the code in the low page, on its stack. */
static void come(void)
{
    assert_memory_equal(page_below, startup_code, sizeof startup_code);
    note("[");
    processor_entry();
    note("] ");
}

static void begin(unsigned comes_after)
{
    memset(&machine, 0, sizeof machine);
    machine.comes_after = comes_after;
    machine.when_it_comes = come;
    for (unsigned i = 0; i < sizeof page_below; i++)
        page_below[i] = (uint8_t)(i * 7 + 1);
    processors_stop();
    absent_count = 0;
    for (unsigned n = 1; n < 4; n++)
        processor_give(n, given[n]);
    journal[0] = 0;
}

static void did(const char *lines)
{
    assert_string_equal(journal, lines);
    journal[0] = 0;
    for (unsigned i = 0; i < sizeof page_below; i++)
        assert_int_equal(page_below[i], (uint8_t)(i * 7 + 1));
}

static unsigned count(const char *what)
{
    unsigned times = 0;

    for (const char *at = journal; (at = strstr(at, what)) != NULL; at++)
        times++;
    return times;
}

/*
 * A processor that does not start within a second is stopped, so that it cannot start later. There is no second
 * attempt. After three processors that did not start, the wait for each further one is 20 ms.
 */
UNIT_TEST(processors_that_do_not_start)
{
    static const char end[] = "1000 us; init 10; 10000 us; ";

    begin(0);
    assert_false(processor_start(1, 10, LOW_PAGE, other_main));
    assert_int_equal(count("startup 10"), 2);
    assert_int_equal(count("init 10"), 2);
    assert_string_equal(journal + strlen(journal) - strlen(end), end);
    assert_int_equal(processors[1].state, STOPPED);
    processors_stop();
    assert_string_equal(journal + strlen(journal) - strlen(end), end); /* no processor runs */
    for (uint32_t id = 11; id < 600; id++) {
        assert_int_equal(count("; 1000 us"), id < 14 ? 1000 : 20);
        journal[0] = 0;
        assert_false(processor_start(1, id, LOW_PAGE, other_main));
    }
    journal[0] = 0;
    assert_int_equal(absent_count, PROCESSORS_MOST);
    for (uint32_t id = 10; id < 10 + PROCESSORS_MOST; id++)
        assert_false(processor_start(2, id, LOW_PAGE, other_main));
    did("");
    machine.waits = 0;
    machine.comes_after = 2;
    assert_true(processor_start(1, 9, LOW_PAGE, other_main));
}

static bool runs_on;

static void endless_main(unsigned number)
{
    runs_on = true;
    assert_int_equal(processors[number].state, RUNNING);
    processors_stop(); /* called by the boot processor meanwhile */
    processors[number].state = RUNNING;
}

UNIT_TEST(running_processors_are_stopped)
{
    struct interrupt_frame frame = { 0 };

    begin(2);
    assert_true(processor_start(3, 9, LOW_PAGE, endless_main));
    did("init 9; 10000 us; startup 9 low page; 200 us; [descriptors 3; paging; mode; quiet; init 9; ] ");
    processors[1].state = processors[3].state = RUNNING;
    processors[1].apic_id = 4;
    processors_stop();
    did("init 4; init 9; ");
    processors_stop();
    did("");
    for (unsigned n = 1; n < PROCESSORS_MOST; n++)
        assert_int_equal(processors[n].state, STOPPED);
    processor_wake(3);
    did("vector 0xe3 to 9; ");
    processor_wake(0);
    did("vector 0xe3 to 5; ");
    machine.wake(&frame);
    did("eoi; ");
}
