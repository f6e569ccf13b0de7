/* SPDX-License-Identifier: MIT */
/*
 * Tests that must not pass. They show what the runner does with a test that hangs, raises an exception or reports a
 * wrong result. They run only if run= names them by "selftest."; tests/qemu/cases does.
 */
#include <stddef.h>
#include <stdint.h>

#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/image.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/paging.h"
#include "arch/x86/devices/clock.h"
#include "kernel/console.h"
#include "kernel/serial.h"
#include "kernel/test.h"
#include "pebs/pebs.h"
#include "suite/support/records.h"
#include "suite/support/sources.h"

static void hang(struct test_run *run)
{
    (void)run;
    for (;;)
        cpu_pause();
}

static void hang_deaf(struct test_run *run)
{
    interrupts_off();
    hang(run);
}

/* Hangs in an interrupt handler before its EOI, which blocks all interrupts up to its priority. */
static void hang_in_handler(struct interrupt_frame *frame)
{
    (void)frame;
    for (;;)
        cpu_pause();
}

static void hang_in_service(struct test_run *run)
{
    interrupt_set(VECTOR_GENERAL_PROTECTION,
                  hang_in_handler); /* otherwise later accesses that raise #GP would hang as well */
    interrupt_set(VECTOR_WORKLOAD_SELF, hang_in_handler);
    apic_send_self(VECTOR_WORKLOAD_SELF);
    hang(run);
}

/*
 * Every second load writes a record, every record raises an interrupt, and the return from its service routine has
 * enough loads for the next one. The interrupted code makes no progress.
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

static void no_plan(struct test_run *run)
{
    (void)run;
}

static void no_records(struct test_run *run)
{
    test_plan(run, 1);
}

TESTS(ended_by_the_runner) = {
    { "selftest.hang", "A test that never ends is ended by its time bound, fails, and the next one runs", OWN_RUNNER,
      .on_request = true, .run = hang },
    { "selftest.hang.interrupts_off", "A test that never ends, with interrupts off, is ended by an NMI", OWN_RUNNER,
      .on_request = true, .run = hang_deaf },
    { "selftest.hang.in_service",
      "A test that never leaves an interrupt's handler is ended by an NMI, and later ones get their interrupts",
      OWN_RUNNER, .needs = NEED_APIC, .on_request = true, .run = hang_in_service },
    { "selftest.storm", "A storm of performance monitoring interrupts is ended by the time bound", OWN_RUNNER,
      .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_LOADS, .records = true, .on_request = true, .run = storm },
    { "selftest.no_records", "A test that expected records and got none fails", OWN_RUNNER, .records = true,
      .on_request = true, .run = no_records },
};

/* ---- the verdict of a test: tests/qemu/runner.t has what must be printed of each --------------------------------- */

/* The plan of a test, and the records that it then saw, in two parts. */
struct plan {
    unsigned least, most, seen;
};

static void keep_plan(struct test_run *run)
{
    const struct plan *plan = run->test->argument;

    if (plan->least == plan->most)
        test_plan(run, plan->least);
    else
        test_plan_between(run, plan->least, plan->most);
    test_saw(run, plan->seen / 2);
    test_saw(run, plan->seen - plan->seen / 2);
}

#define PLAN(name, claim, ...)                                         \
    TEST(selftest_verdict_##name) = { .id = "selftest.verdict." #name, \
                                      .title = claim,                  \
                                      .source = OWN_RUNNER,            \
                                      .records = true,                 \
                                      .on_request = true,              \
                                      .run = keep_plan,                \
                                      .argument = &(const struct plan){ __VA_ARGS__ } }

PLAN(as_many, "As many records as planned: passes", 3, 3, 3);
PLAN(one_less, "One record less than planned: fails", 3, 3, 2);
PLAN(one_more, "One record more than planned: fails", 3, 3, 4);
PLAN(unplanned, "One record although the plan has none: fails", 0, 0, 1);
PLAN(least, "The least number of records that was planned: passes", 3, 5, 3);
PLAN(most, "The largest number of records that was planned: passes", 3, 5, 5);
PLAN(below, "One record less than the least number: fails", 3, 5, 2);
PLAN(above, "One record more than the largest number: fails", 3, 5, 6);

static void skip(struct test_run *run)
{
    test_skip(run, "nothing to do");
}

static void fail_and_skip(struct test_run *run)
{
    test_fail(run, "one thing of %u", 2u);
    test_skip(run, "nothing to do");
}

static void see_and_skip(struct test_run *run)
{
    test_plan(run, 2);
    test_saw(run, 1);
    test_skip(run, "nothing to do");
}

static void compare(struct test_run *run)
{
    const bool alike = test_equal(run, "what is alike", 0x1234, 0x1234);

    if (alike && test_equal(run, "what differs", UINT64_C(0x1234567890), UINT64_C(0x1134567890)))
        test_fail(run, "test_equal() says that they are equal");
}

static void differ(struct test_run *run)
{
    test_differs(run, "one point of %u", 2u);
}

static void differ_and_fail(struct test_run *run)
{
    differ(run);
    test_fail(run, "one thing of %u", 2u);
    differ(run);
    test_fail(run, "the other thing");
}

static void fail_twice(struct test_run *run)
{
    test_fail(run, "one thing of %u", 2u);
    test_fail(run, "the other thing");
}

static const char *lacks_something(const struct caps *caps)
{
    (void)caps;
    return "no such thing";
}

static const char *lacks_nothing(const struct caps *caps)
{
    (void)caps;
    return NULL;
}

#define VERDICT(name, claim, function, ...)                            \
    TEST(selftest_verdict_##name) = { .id = "selftest.verdict." #name, \
                                      .title = claim,                  \
                                      .source = OWN_RUNNER,            \
                                      .on_request = true,              \
                                      .run = function,                 \
                                      __VA_ARGS__ }

VERDICT(skip, "A test that skips itself is skipped with its reason", skip, .needs = 0);
VERDICT(fail_and_skip, "A test that failed and then skips itself has failed", fail_and_skip, .needs = 0);
VERDICT(see_and_skip, "A test that saw records and then skips itself must still meet its plan", see_and_skip,
        .needs = 0);
VERDICT(equal, "Of two comparisons the one of different values is reported", compare, .needs = 0);
VERDICT(differs, "A test in which a typical point differs has not failed", differ, .needs = 0);
VERDICT(differs_and_fails, "A test that failed has failed, whatever else differs", differ_and_fail, .needs = 0);
VERDICT(typical, "A test of a typical claim differs where a test of an architectural claim fails", fail_twice,
        .typical = "the reason for this");
VERDICT(typical_none, "A test of a typical claim fails if no record was written", no_records, .records = true,
        .typical = "the reason for this");
VERDICT(needs, "A test that needs what no processor has is skipped", hang, .needs = NEED_PEBS | NEED_ARCH_LBR);
VERDICT(lacks, "A test that lacks something is skipped, and gives the reason", hang, .lacks = lacks_something);
VERDICT(lacks_nothing, "A test that lacks nothing runs", no_plan, .lacks = lacks_nothing);
VERDICT(no_plan, "A test that arms a facility without an expectation is an error", no_plan, .records = true);

/* Code is read-only even at CPL 0. */
static void exception(struct test_run *run)
{
    (void)run;
    *(volatile uint8_t *)text_start = 0;
}

/* Data cannot be executed if page tables can say so. */
static void execute_data(struct test_run *run)
{
    static const uint8_t ret = 0xc3;

    (void)run;
    ((void (*)(void))(uintptr_t)&ret)();
}

static void null_pointer(struct test_run *run)
{
    const volatile uint8_t *volatile null = NULL;

    test_equal(run, "the byte at address 0", *null, 0);
}

/* The recursion ends at the guard page below the stack. */
static void stack_overflow(struct test_run *run)
{
    volatile uint8_t deep[512];

    deep[0] = 0;
    if (!run->planned) /* never true, but the compiler cannot know that */
        stack_overflow(run);
    deep[1] = deep[0];
}

/* Damages the symbol table, which only the report of a panic needs. */
static void panic_twice(struct test_run *run)
{
    paging_exchange((uint64_t)(uintptr_t)symbols_start, 0);
    exception(run);
}

TESTS(panics) = {
    { "selftest.exception", "An unexpected exception prints the registers and ends with verdict=panic", OWN_RUNNER,
      .on_request = true, .run = exception },
    { "selftest.execute_data", "Running data ends with verdict=panic where the processor has the no-execute bit",
      OWN_PAGES, .on_request = true, .run = execute_data },
    { "selftest.null_pointer", "The null pointer's page is not present", OWN_PAGES, .on_request = true,
      .run = null_pointer },
    { "selftest.stack_overflow",
      "A stack that overflows meets its guard page, and the double fault is reported from a stack of its own",
      OWN_PAGES, .on_request = true, .run = stack_overflow },
    { "selftest.panic_twice", "An exception in the report of a panic ends the run with verdict=panic", OWN_RUNNER,
      .on_request = true, .run = panic_twice },
};

/* ---- the time limit
 * -------------------------------------------------------------------------------------------------- */

#define PRINTED_SECONDS 3u

/* Prints until the serial line is busy for that many more seconds. */
static void print_for(unsigned seconds)
{
    const unsigned until = serial_seconds() + seconds;

    while (serial_seconds() < until)
        console_note("a line of no importance");
}

/* Takes longer than a limit of one second, but not longer than the limit and the printing. */
static void print_and_wait(struct test_run *run)
{
    print_for(PRINTED_SECONDS);
    if (!clock_wait(2000000))
        test_skip(run, "no clock");
}

static void print_and_hang(struct test_run *run)
{
    print_for(PRINTED_SECONDS);
    hang(run);
}

#define PRINTING .source = OWN_RUNNER, .needs = NEED_APIC, .on_request = true

TESTS(printing) = {
    { "selftest.time.printing",
      "The time that the serial line needs for what a test prints does not count towards its limit", PRINTING,
      .run = print_and_wait },
    { "selftest.time.hang", "A test that prints and then hangs is ended: the printing counts only once", PRINTING,
      .run = print_and_hang },
};
