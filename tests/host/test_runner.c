/* SPDX-License-Identifier: MIT */
/*
 * The runner (kernel/runner.c) if a processor does not return, in cases that no boot reaches. Boots of selftest.*
 * (tests/qemu/runner.t, tests/qemu/cases) test every verdict, time limits, panics, kinds of cores and their selection.
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Instead of arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

FAKE_STATIC_VOID(interrupts_on, (void), (void)0)
FAKE_STATIC_VOID(interrupts_off, (void), (void)0)
FAKE(static uintptr_t, cr0_read, (void), 0)
FAKE(static uintptr_t, cr4_read, (void), 0)
FAKE_STATIC_VOID(cr0_write, (uintptr_t value), (void)value)
FAKE_STATIC_VOID(cr4_write, (uintptr_t value), (void)value)

#include "arch/x86/interrupts.h"
#define context_save(context) setjmp(never)
static jmp_buf never; /* no watchdog fires */

/* The linker collects the tests. */
#define tests_start __start_tests
#define tests_end   __stop_tests

#undef skip /* cmocka's */
#include "kernel/runner.c"

/* ---- the rest of the kernel -------------------------------------------------------------------------------------- */

static char said[4000];
static uint8_t memory[0x2000];
static unsigned seconds, printing; /* the watchdog's limit; what the serial line needs */

FAKE_PRINTF(console_note, said, "# ", "\n")
FAKE_PRINTF(console_line, said, "", "\n")
FAKE_PRINTF(run_error, said, "# error: ", "\n")
FAKE_STATIC_VOID(sink_line, (void *context, const char *text), console_note("%s", text))
const struct line_sink console_sink = { sink_line, NULL };

FAKE_VOID(held_lines_start, (void), (void)0)
FAKE_VOID(held_lines_print, (const struct line_sink *out), (void)0)
FAKE_VOID(progress_test, (unsigned of, const char *id), (void)0)
FAKE_VOID(progress_plan, (const struct result *of, size_t count, unsigned planned), (void)0)
FAKE_VOID(progress_verdict, (enum verdict verdict, const struct facility facilities[FACILITIES]), (void)0)
FAKE_VOID(progress_lines, (enum page_lines take), (void)0)
FAKE_VOID(log_lines_start, (void), (void)0)
FAKE_VOID(log_lines_add, (const char *text), (void)0)
FAKE_VOID(dump_test, (const char *id), (void)0)
FAKE(void *, memory_keep, (size_t size, size_t alignment), assert_true(size <= sizeof memory), memory)
FAKE_VOID(serial_flush, (void), (void)0)
FAKE_VOID(msr_watch, (void), (void)0)
FAKE_VOID(msr_forget, (void), (void)0)
FAKE(bool, msr_unwatch, (struct msr_difference * difference), false)
FAKE(unsigned, serial_seconds, (void), printing)
FAKE_VOID(watchdog_start, (unsigned limit, const struct context *escape, unsigned (*excused)(void)), (void)0)
FAKE_VOID(watchdog_stop, (void), (void)0)
FAKE(bool, watchdog_has_nmi, (void), false)
FAKE(unsigned, watchdog_limit, (void), seconds)
FAKE_VOID(interrupts_recover, (void), (void)0)

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static jmp_buf away;
static unsigned ran, leaves; /* tests; the number (from 1) of the test that does not return; 0: none */

static void see_one(struct test_run *run)
{
    (test_plan)(run, 1);
    if (++ran == leaves)
        longjmp(away, 1);
    test_saw(run, 1);
}

static const struct test of_run[] __attribute__((used, section("tests"))) = {
    { .id = "bts.one", .title = "One", .records = true, .run = see_one },
    { .id = "pebs.two", .title = "Two", .records = true, .run = see_one },
    { .id = "bts.three", .title = "Three", .records = true, .run = see_one },
    { .id = "none.such", .title = "Nothing", .on_request = true },
};

static const struct options options = { .run = { "*", 1 }, .timeout = 30 };
static struct caps caps[3];

static void quiesce(void)
{
}

static void quiesce_away(void)
{
    longjmp(away, 1);
}

/* Three kinds, or without the first one two. */
static void run_first(bool without)
{
    memset(first_results, 0, sizeof first_results);
    memset(&runner, 0, sizeof runner);
    runner.kinds = 1;
    runner.results = first_results;
    runner.whys = first_whys;
    ran = leaves = 0;
    assert_true(runner_begin(&options, without ? 2 : 3, 2));
    if (!without)
        runner_run(NULL, &caps[0], quiesce);
}

/* Runs the tests on the kind atom until one does not return, or until it does not return from quiesce(). */
static void run_away(unsigned leaving, bool quiescing)
{
    leaves = leaving;
    if (setjmp(away) == 0)
        runner_run("atom", &caps[1], quiescing ? quiesce_away : quiesce);
    leaves = 0;
}

/*
 * The second kind's processor does not return from a test, which fails, and the kind's other tests are left out.
 * Between tests, the next one fails. If it does not start, all are left out. After the tests, it is an error of the
 * run. The third kind's tests run nevertheless.
 */
UNIT_TEST(a_processor_that_does_not_return)
{
    enum { NEVER_STARTS, IN_TEST, BETWEEN_TESTS, AFTER_TESTS };
    static const struct {
        unsigned where;
        bool only; /* the first kind is not tested */
        const char *said;
        struct totals totals;
        enum verdict verdict;
    } rows[] = {
        { NEVER_STARTS,
          false,
          "ok 4 bts.one.atom # SKIP no answer\nok 5 pebs.two.atom # SKIP no answer\n"
          "ok 6 bts.three.atom # SKIP no answer\n",
          { .pass = 3, .skip = 3 },
          VERDICT_INCOMPLETE },
        { IN_TEST,
          false,
          "# wrong: no answer\nnot ok 5 pebs.two.atom\nok 6 bts.three.atom # SKIP no answer\n",
          { .pass = 4, .fail = 1, .skip = 1 },
          VERDICT_FAIL },
        { BETWEEN_TESTS,
          false,
          "# wrong: no answer\nnot ok 4 bts.one.atom\nok 5 pebs.two.atom # SKIP no answer\n"
          "ok 6 bts.three.atom # SKIP no answer\n",
          { .pass = 3, .fail = 1, .skip = 2 },
          VERDICT_FAIL },
        { BETWEEN_TESTS,
          true,
          "# wrong: no answer\nnot ok 1 bts.one.atom\nok 2 pebs.two.atom # SKIP no answer\n"
          "ok 3 bts.three.atom # SKIP no answer\n",
          { .pass = 0, .fail = 1, .skip = 2 },
          VERDICT_FAIL },
        { AFTER_TESTS, false, "# error: no answer after the last test\n", { .pass = 6, .error = 1 }, VERDICT_ERROR },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct totals sums;

        run_first(rows[i].only);
        if (rows[i].where != NEVER_STARTS)
            run_away(rows[i].where == IN_TEST ? 5 : 0, rows[i].where == BETWEEN_TESTS);
        *said = '\0';
        runner_abandon("atom", &caps[1], "no answer");
        assert_string_equal(said, rows[i].said);
        runner_totals(&sums);
        assert_memory_equal(&sums, &rows[i].totals, sizeof sums);
        runner_run("atom2", &caps[2], quiesce);
        runner_run("atom3", &caps[2], quiesce); /* one more kind than was planned */
        runner_totals(&sums);
        assert_true(sums.pass == rows[i].totals.pass + 3 && sums.error == rows[i].totals.error);
        assert_int_equal(runner_conclude(), rows[i].verdict);
        *said = '\0';
    }
}

/* Too late means ten seconds after the limit, not counting the time that the serial line needs. */
UNIT_TEST(late)
{
    for (unsigned printed = 0; printed < 2; printed++) {
        run_first(false);
        run_away(4 + printed, false);
        seconds = 30;
        printing = 100;
        for (unsigned second = 0; second < 30 + 10 + 3 * printed; second++) {
            assert_false(runner_late());
            printing = 100 + (second > 5 ? 3 * printed : 0);
        }
        assert_true(runner_late());
        assert_true(runner_late());
        *said = '\0';
    }
}

/* A test on another processor reports its first problem, or else its first difference. */
UNIT_TEST(on_another_processor)
{
    char text[TEST_ASIDE] = "";
    struct test_run run = { .test = of_run, .aside = text };

    test_differs(&run, "point %u", 1u);
    test_differs(&run, "point %u", 2u);
    assert_string_equal(text, "point 1");
    test_fail(&run, "thing %u", 1u);
    test_fail(&run, "thing %u", 2u);
    test_differs(&run, "point %u", 3u);
    assert_string_equal(text, "thing 1");
    assert_int_equal(run.problems, 2);
    assert_int_equal(run.differences, 3);
    assert_string_equal(said, "");
}

/* The comparison includes both limits. */
UNIT_TEST(values_between)
{
    char text[TEST_ASIDE];
    struct test_run run = { .test = of_run, .aside = text };

    assert_true(test_between(&run, "a value", 7, 7, 9));
    assert_true(test_between(&run, "a value", 9, 7, 9));
    assert_int_equal(run.problems, 0);
    assert_false(test_between(&run, "a value", 6, 7, 9));
    assert_string_equal(text, "a value is 0x6, must be 0x7 to 0x9");
    assert_false(test_between(&run, "a value", 10, 7, 9));
    assert_int_equal(run.problems, 2);
}
