/* SPDX-License-Identifier: MIT */
/*
 * Tests that must not pass: they show what the runner does with a test that hangs, raises an exception or lies. They
 * run only when run= names them by "selftest."; tests/qemu/cases does.
 */
#include <stddef.h>
#include <stdint.h>

#include "arch/x86/cpu.h"
#include "arch/x86/image.h"
#include "kernel/test.h"
#include "pebs/pebs.h"
#include "suite/records.h"
#include "suite/sources.h"

static void hang(struct test_run *run)
{
    (void)run;
    for (;;)
        cpu_pause();
}

TEST(selftest_hang) = {
    .id = "selftest.hang",
    .title = "A test that never ends is ended by its time bound, fails, and the next one runs",
    .source = OWN_RUNNER,
    .on_request = true,
    .run = hang,
};

/*
 * Every second load is a record, every record an interrupt, and the way back from its service routine has loads enough
 * for the next one: the interrupted code never gets on.
 */
static void storm(struct test_run *run)
{
    const struct ds_config config = {
        .pebs = true, .pebs_records = 64, .pebs_threshold = 1, .pebs_reset = { 0 - UINT64_C(1) }
    };
    const struct pebs_sampling sampling = { .event = pebs_find_event(run->caps, PEBS_ROLE_LOADS),
                                            .period = 1,
                                            .rings = PERFEVTSEL_USR | PERFEVTSEL_OS };
    struct window window = pebs_window(run->caps, 1);

    test_plan(run, 0);
    if (records_open(run, &config) && pebs_program(run->caps, &sampling))
        workload_loads.run(&window);
}

TEST(selftest_storm) = {
    .id = "selftest.storm",
    .title = "A storm of performance monitoring interrupts is ended by the time bound",
    .source = OWN_RUNNER,
    .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_LOADS,
    .records = true,
    .on_request = true,
    .run = storm,
};

static void no_plan(struct test_run *run)
{
    (void)run;
}

TEST(selftest_no_plan) = {
    .id = "selftest.no_plan",
    .title = "A test that arms a facility without an expectation is an error",
    .source = OWN_RUNNER,
    .records = true,
    .on_request = true,
    .run = no_plan,
};

static void no_records(struct test_run *run)
{
    test_plan(run, 1);
}

TEST(selftest_no_records) = {
    .id = "selftest.no_records",
    .title = "A test that expected records and got none fails",
    .source = OWN_RUNNER,
    .records = true,
    .on_request = true,
    .run = no_records,
};

/* Code is read-only, to CPL 0 too. */
static void exception(struct test_run *run)
{
    (void)run;
    *(volatile uint8_t *)text_start = 0;
}

TEST(selftest_exception) = {
    .id = "selftest.exception",
    .title = "An unexpected exception prints the registers and ends with verdict=panic",
    .source = OWN_RUNNER,
    .on_request = true,
    .run = exception,
};

/* Data is not code, where page tables can say so. */
static void execute_data(struct test_run *run)
{
    static const uint8_t ret = 0xc3;

    (void)run;
    ((void (*)(void))(uintptr_t)&ret)();
}

TEST(selftest_execute_data) = {
    .id = "selftest.execute_data",
    .title = "Running data ends with verdict=panic where the processor has the no-execute bit",
    .source = OWN_PAGES,
    .on_request = true,
    .run = execute_data,
};

static void null_pointer(struct test_run *run)
{
    const volatile uint8_t *volatile null = NULL;

    test_equal(run, "the byte at address 0", *null, 0);
}

TEST(selftest_null_pointer) = {
    .id = "selftest.null_pointer",
    .title = "The null pointer's page is not present",
    .source = OWN_PAGES,
    .on_request = true,
    .run = null_pointer,
};

/* The recursion ends at the guard page below the stack. */
static void stack_overflow(struct test_run *run)
{
    volatile uint8_t deep[512];

    deep[0] = 0;
    if (!run->planned) /* it never is, but the compiler cannot know */
        stack_overflow(run);
    deep[1] = deep[0];
}

TEST(selftest_stack_overflow) = {
    .id = "selftest.stack_overflow",
    .title = "A stack that overflows meets its guard page, and the double fault is reported from a stack of its own",
    .source = OWN_PAGES,
    .on_request = true,
    .run = stack_overflow,
};
