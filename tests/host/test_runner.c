/* SPDX-License-Identifier: MIT */
/*
 * The runner (kernel/runner.c) on several kinds of cores: its lines, its accesses to the machine in order, and its
 * report of a processor that does not return. tests/qemu/runner.t boots every verdict, panic and selection of tests.
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Instead of arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

/* The state of the machine, and what was done to it. */
static struct {
    unsigned pauses, beats;  /* PAUSEs, and the number after which the watchdog fires; 0: never */
    bool nmi, nmi_lost;      /* the watchdog's NMI; a test loses it */
    unsigned limit, seconds; /* of the watchdog; of the serial line */
    size_t kept;
    uint8_t *memory;
    bool interrupts, held, sent;
    unsigned watched; /* seconds; 0: no test is watched */
    unsigned quiesced, dumped, restored, page;
    bool differs, refuses; /* a watched register */
    char id[64];           /* of the test on the page */
} machine;

/* A test begins with its number on the page, an empty store of lines, and a log that is sent; only it is watched. */
FAKE_STATIC_VOID(interrupts_on, (void), assert_true(machine.held &&machine.sent &&machine.watched),
                 machine.interrupts = true)
FAKE_STATIC_VOID(interrupts_off, (void), assert_int_not_equal(machine.watched, 0), machine.interrupts = false)
FAKE(static uintptr_t, cr0_read, (void), 0x31)
FAKE(static uintptr_t, cr4_read, (void), 0x20)
FAKE_STATIC_VOID(cr0_write, (uintptr_t value), assert_int_equal(value, 0x31), machine.restored++)
FAKE_STATIC_VOID(cr4_write, (uintptr_t value), assert_int_equal(value, 0x20), machine.restored++)

static void cpu_pause(void);

#include "arch/x86/interrupts.h"

/* The watchdog resumes where the context was saved. */
static jmp_buf saved;
#define context_save(context) (saved_at = (context), setjmp(saved))
static const struct context *saved_at;

#undef skip /* cmocka's */
#include "kernel/runner.c"

/* ---- the machine and the rest of the kernel ---------------------------------------------------------------------- */

/* The linker's table of tests: words for MOST_TESTS of them. */
#define MOST_TESTS      768u
#define STRING_OF(text) #text
#define STRING(text)    STRING_OF(text)
__asm__(".data\n.balign 8\n.globl tests_start, tests_end\n"
        "tests_start: .zero 768 * (8 + 8 * " STRING(__SIZEOF_POINTER__) ")\ntests_end:\n.text");
_Static_assert(MOST_TESTS == TESTS_MAX && sizeof(struct test) == 8 + 8 * sizeof(void *), "the size of the table");

static char said[60000];
static const struct result *page_results;
static size_t page_count;
static unsigned page_planned;
static enum verdict page_verdict;
static char page_lines[60000];
static enum page_lines page_take;

FAKE_PRINTF(console_note, said, "# ", "\n")
FAKE_PRINTF(console_line, said, "", "\n")
FAKE_PRINTF(run_error, said, "# error: ", "\n")

static void sink_line(void *context, const char *text)
{
    console_note("%s", text);
}

const struct line_sink console_sink = { sink_line, NULL };

FAKE_VOID(held_lines_start, (void), machine.held = true)
FAKE_VOID(held_lines_print, (const struct line_sink *out), say(out, "what was held"))
FAKE_VOID(progress_test, (unsigned of, const char *id), machine.page = of, strcpy(machine.id, id), machine.held = false,
          machine.sent = false)
FAKE_VOID(progress_plan, (const struct result *of, size_t count, unsigned tests), page_results = of, page_count = count,
          page_planned = tests)

static char page_facilities[FACILITIES];

void progress_verdict(enum verdict verdict, const struct facility facilities[FACILITIES])
{
    page_verdict = verdict;
    for (unsigned i = 0; i < FACILITIES; i++)
        page_facilities[i] = (char)('0' + facilities[i].selected);
}

FAKE_VOID(log_lines_start, (void), *page_lines = '\0')
FAKE_VOID(log_lines_add, (const char *text), strcat(strcat(page_lines, text), "\n"))
FAKE_VOID(progress_lines, (enum page_lines take), page_take = take)
FAKE_VOID(dump_test, (const char *id), assert_true(machine.interrupts), assert_string_equal(id, machine.id),
          machine.dumped++)

void *memory_keep(size_t size, size_t alignment)
{
    assert_int_equal(size % PAGE_SIZE, 0);
    assert_int_equal(alignment, PAGE_SIZE);
    free(machine.memory);
    machine.kept = size;
    machine.memory = malloc(size);
    if (machine.memory)
        memset(machine.memory, 0xa5, size);
    return machine.memory;
}

void serial_flush(void)
{
    machine.sent = true;
    assert_non_null(strstr(said, runner.results[runner.current].id)); /* what it sends */
}

FAKE_VOID(msr_watch, (void), assert_true(machine.interrupts &&machine.watched))

FAKE_VOID(msr_forget, (void), assert_false(machine.watched))

bool msr_unwatch(struct msr_difference *difference)
{
    *difference = (struct msr_difference){ 0x1d9, 0x40, 0xc0, machine.refuses, false };
    return machine.differs;
}

FAKE(unsigned, serial_seconds, (void), machine.seconds)
FAKE_VOID(watchdog_start, (unsigned seconds, const struct context *escape, unsigned (*excused)(void)),
          assert_ptr_equal(escape, saved_at), assert_ptr_equal(excused, serial_seconds), assert_int_equal(seconds, 30),
          machine.watched = seconds)
FAKE_VOID(watchdog_stop, (void), machine.watched = 0)
FAKE(bool, watchdog_has_nmi, (void), machine.nmi)
FAKE(unsigned, watchdog_limit, (void), machine.limit)

static void cpu_pause(void)
{
    machine.pauses++;
    if (machine.beats && machine.pauses >= machine.beats) {
        machine.nmi = machine.nmi && !machine.nmi_lost;
        longjmp(saved, 1);
    }
}

FAKE_VOID(interrupts_recover, (void), assert_int_equal(machine.restored, 2), machine.interrupts = false,
          machine.restored++)

static void quiesce(void)
{
    assert_false(machine.watched || machine.interrupts);
    machine.quiesced++;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static struct options options;
static struct caps caps[3];

/* A test that no option selects. */
static const struct test filler = { .id = "none.such", .title = "Nothing", .on_request = true };

#define OPTION(text) ((struct slice){ text, sizeof text - 1 })

/* Resets everything and fills the table of tests: the first test at its start, the others at its end. */
static __attribute__((noinline)) void start(const struct test *const *of, unsigned count)
{
    struct test *const table = (struct test *)(uintptr_t)tests_start;

    assert_in_range(count, 1, MOST_TESTS);
    for (unsigned i = 0; i < MOST_TESTS; i++)
        memcpy(&table[i],
               !i                           ? of[0]
               : i < MOST_TESTS - count + 1 ? &filler
                                            : of[i + count - MOST_TESTS],
               sizeof filler);
    memset(first_results, 0, sizeof first_results);
    memset(first_whys, 0, sizeof first_whys);
    memset(&runner, 0, sizeof runner);
    runner.kinds = 1;
    runner.results = first_results;
    runner.whys = first_whys;
    free(machine.memory);
    memset(&machine, 0, sizeof machine);
    *said = '\0';
    options =
        (struct options){ .run = OPTION("*"), .timeout = 30, .records = 3, .records_failing = 8, .lbr_entries = 6 };
    memset(caps, 0, sizeof caps);
    for (unsigned i = 0; i < COUNT_OF(caps); i++)
        for (unsigned need = 0; need < COUNT_OF(caps[i].reason); need++)
            caps[i].reason[need] = CAPS_AVAILABLE;
}

static void must_be(const char *what, char *got, const char *lines)
{
    if (strcmp(got, lines) != 0)
        fail_msg("%s:\n%s\nmust be:\n%s", what, got, lines);
    *got = '\0';
}

static void it_said(const char *lines)
{
    must_be("said", said, lines);
}

/* Since the start: tests that ran, and the number of the last one on the page. All facilities are off. */
static void it_ran(unsigned tests, unsigned kinds, unsigned page)
{
    assert_int_equal(machine.dumped, tests);
    assert_int_equal(machine.quiesced, tests + kinds);
    assert_int_equal(machine.page, page);
    assert_false(machine.watched || machine.interrupts);
}

UNIT_TEST(before_a_run)
{
    assert_int_equal(runner_kinds(), 1);
}

/* ---- a test that hangs ------------------------------------------------------------------------------------------- */

static void spin(struct test_run *run)
{
    for (;;)
        cpu_pause();
}

/* The watchdog ends the test. The processor's state is restored first. */
UNIT_TEST(hanging)
{
    static const struct test hang = { .id = "robust.hang", .title = "Hangs", .run = spin };
    static const struct test *const one = &hang;

    for (unsigned lost = 0; lost < 2; lost++) {
        start(&one, 1);
        machine.beats = 100;
        machine.nmi = true;
        machine.nmi_lost = lost;
        assert_true(runner_begin(&options, 1, 0));
        runner_run(NULL, &caps[0], quiesce);
        assert_int_equal(page_results[0].outcome, OUTCOME_FAIL);
        assert_int_equal(machine.pauses, 100);
        it_said(lost ? "KTAP version 1\n1..1\n# test robust.hang\n# Hangs\n# wrong: timed out after 30 seconds\n"
                       "# watchdog without NMI from here on: another device raised an NMI\n# what was held\n"
                       "not ok 1 robust.hang\n"
                     : "KTAP version 1\n1..1\n# test robust.hang\n# Hangs\n# wrong: timed out after 30 seconds\n"
                       "# what was held\nnot ok 1 robust.hang\n");
        it_ran(1, 1, 1);
        assert_int_equal(machine.restored, 3);
    }
}

/* ---- outcomes ---------------------------------------------------------------------------------------------------- */

/* What a test does, what the log says then, and the outcome of that test and of one whose claim is only typical. */
static const struct deed {
    unsigned problems, differences;
    bool skips, records, plans;
    bool differs, refuses;      /* a watched register */
    unsigned least, most, seen; /* a plan, if most is not 0 */
    enum outcome outcome, typical;
    const char *says;
} deeds[] = {
    { .outcome = OUTCOME_PASS, .typical = OUTCOME_PASS, .says = "# Deed\nok 1 bts.deed\n" },
    { .problems = 1, .outcome = OUTCOME_FAIL, .typical = OUTCOME_DIFFERS },
    { .differences = 1, .outcome = OUTCOME_DIFFERS, .typical = OUTCOME_DIFFERS, .says = "# differs: a difference\n" },
    { .problems = 1, .differences = 1, .outcome = OUTCOME_FAIL, .typical = OUTCOME_DIFFERS },
    { .problems = 1, .differences = 2, .outcome = OUTCOME_FAIL, .typical = OUTCOME_DIFFERS },
    { .skips = true, .outcome = OUTCOME_SKIP, .typical = OUTCOME_SKIP, .says = "ok 1 bts.deed # SKIP a reason\n" },
    { .skips = true, .records = true, .outcome = OUTCOME_SKIP, .typical = OUTCOME_SKIP },
    { .skips = true, .problems = 1, .outcome = OUTCOME_FAIL, .typical = OUTCOME_SKIP },
    { .skips = true, .least = 1, .most = 1, .seen = 1, .outcome = OUTCOME_PASS, .typical = OUTCOME_PASS },
    { .records = true, .outcome = OUTCOME_ERROR, .typical = OUTCOME_ERROR, .says = "not ok 1 bts.deed # ERROR\n" },
    { .records = true, .plans = true, .outcome = OUTCOME_PASS, .typical = OUTCOME_PASS },
    { .least = 2, .most = 3, .seen = 0, .outcome = OUTCOME_FAIL, .typical = OUTCOME_FAIL },
    { .least = 2, .most = 3, .seen = 1, .outcome = OUTCOME_FAIL, .typical = OUTCOME_DIFFERS },
    { .least = 2, .most = 3, .seen = 2, .outcome = OUTCOME_PASS, .typical = OUTCOME_PASS },
    { .least = 2, .most = 3, .seen = 3, .outcome = OUTCOME_PASS, .typical = OUTCOME_PASS },
    { .least = 2, .most = 3, .seen = 4, .outcome = OUTCOME_FAIL, .typical = OUTCOME_DIFFERS },
    { .most = 3, .seen = 4, .differences = 1, .outcome = OUTCOME_FAIL, .typical = OUTCOME_DIFFERS },
    { .differs = true,
      .outcome = OUTCOME_FAIL,
      .typical = OUTCOME_DIFFERS,
      .says = ": MSR 0x1d9 reads 0x40, was written as 0xc0\n" },
    { .differs = true,
      .refuses = true,
      .outcome = OUTCOME_FAIL,
      .typical = OUTCOME_DIFFERS,
      .says = ": WRMSR of 0xc0 to MSR 0x1d9 raised #GP\n" },
};

static void do_deed(struct test_run *run)
{
    const struct deed *const deed = run->test->argument;

    if (deed->skips)
        test_skip(run, "a reason");
    if (deed->plans || deed->most)
        (test_plan_between)(run, deed->least, deed->most);
    for (unsigned i = 0; i < deed->differences; i++)
        (test_differs)(run, "a difference");
    for (unsigned i = 0; i < deed->problems; i++)
        (test_fail)(run, "a problem");
    test_saw(run, deed->seen);
}

UNIT_TEST(outcomes)
{
    for (unsigned i = 0; i < 2 * COUNT_OF(deeds); i++) {
        const struct deed *const deed = &deeds[i / 2];
        const struct test test = { .id = "bts.deed",
                                   .title = "Deed",
                                   .records = deed->records,
                                   .run = do_deed,
                                   .argument = deed,
                                   .typical = i % 2 ? "why" : NULL };
        const struct test *const one = &test;

        start(&one, 1);
        machine.differs = deed->differs;
        machine.refuses = deed->refuses;
        assert_true(runner_begin(&options, 1, 0));
        runner_run(NULL, &caps[0], quiesce);
        if (page_results[0].outcome != (i % 2 ? deed->typical : deed->outcome))
            fail_msg("deed %u, typical %u: outcome %u", i / 2, i % 2, page_results[0].outcome);
        assert_true(!deed->says || strstr(said, deed->says));
    }
}

/* ---- several kinds of cores -------------------------------------------------------------------------------------- */

static jmp_buf away;
static unsigned leaves; /* the number (from 1) of the test that does not return; 0: none */
static unsigned ran;

static void see_one(struct test_run *run)
{
    (test_plan)(run, 1);
    if (++ran == leaves)
        longjmp(away, 1);
    test_saw(run, 1);
    assert_int_equal(run->print_most, 3);
    assert_int_equal(run->hold_most, 8);
    assert_int_equal(run->lbr_most, 6);
    assert_int_equal(run->data_source, run->caps->data_source);
}

static void see_nothing_on_atom(struct test_run *run)
{
    (test_plan)(run, 1);
    if (++ran == leaves)
        longjmp(away, 1);
    test_saw(run, run->caps == &caps[1] ? 0 : 1);
}

static const struct test bts_one = { .id = "bts.one", .title = "One", .records = true, .run = see_one },
                         pebs_two = { .id = "pebs.two", .title = "Two", .records = true, .run = see_nothing_on_atom },
                         bts_three = { .id = "bts.three", .title = "Three", .records = true, .run = see_one },
                         skipped_four = { .id = "other.four", .title = "Four", .needs = NEED_LBR, .run = spin };
static const struct test *const four[] = { &bts_one, &pebs_two, &bts_three, &skipped_four };

/* The tests' places in the table. */
#define AT(n) ((n) ? MOST_TESTS - 4 + (n) : 0)

static void start_four(void)
{
    start(four, 4);
    ran = leaves = 0;
    caps[0].data_source = DATA_SOURCE_NEHALEM;
    caps[0].reason[CAPS_NEED_LBR] = caps[1].reason[CAPS_NEED_LBR] = CAPS_NO_DS_FLAG;
}

UNIT_TEST(two_kinds)
{
    struct totals sums;

    start_four();
    assert_true(runner_begin(&options, 2, 1));
    it_said("KTAP version 1\n1..8\n");
    assert_int_equal(page_planned, 8);
    assert_int_equal(page_count, 2 * MOST_TESTS);
    assert_int_equal(runner_kinds(), 2);
    runner_run(NULL, &caps[0], quiesce);
    it_said("# test bts.one\n# One\n# expect 1 records\nok 1 bts.one\n"
            "# test pebs.two\n# Two\n# expect 1 records\nok 2 pebs.two\n"
            "# test bts.three\n# Three\n# expect 1 records\nok 3 bts.three\n"
            "# test other.four\nok 4 other.four # SKIP no DS (CPUID.1:EDX bit 21 clear)\n");
    assert_null(page_results[MOST_TESTS + AT(0)].why);
    runner_totals(&sums);
    assert_true(sums.pass == 3 && sums.skip == 1 && !sums.fail);
    runner_run("atom", &caps[1], quiesce);
    it_said("# test bts.one.atom\n# One\n# expect 1 records\nok 5 bts.one.atom\n"
            "# test pebs.two.atom\n# Two\n# expect 1 records\n# wrong: got 0 records, expected 1\n# what was held\n"
            "not ok 6 pebs.two.atom\n"
            "# test bts.three.atom\n# Three\n# expect 1 records\nok 7 bts.three.atom\n"
            "# test other.four.atom\nok 8 other.four.atom # SKIP no DS (CPUID.1:EDX bit 21 clear)\n");
    it_ran(6, 2, 8);
    assert_string_equal(machine.id, "other.four.atom");
    runner_run("atom2", &caps[2], quiesce); /* one more kind than fits */
    runner_abandon("atom2", &caps[2], "late");
    it_said("");
    it_ran(6, 2, 8);
    runner_totals(&sums);
    assert_true(sums.pass == 5 && sums.skip == 2 && sums.fail == 1);
    assert_int_equal(runner_conclude(), VERDICT_FAIL);
    assert_int_equal(page_verdict, VERDICT_FAIL);
    assert_memory_equal(page_facilities, "420", FACILITIES);
    it_said("# area               pass differs    fail    skip   error\n"
            "# area bts              4       0       0       0       0\n"
            "# area pebs             1       0       1       0       0\n"
            "# fail pebs.two.atom: got 0 records, expected 1\n"
            "# facility bts pass 2 of 2\n"
            "# facility pebs pass 1 of 1\n"
            "# facility lbr none: no DS (CPUID.1:EDX bit 21 clear)\n"
            "# facility bts.atom pass 2 of 2\n"
            "# facility pebs.atom fail 1 of 1\n"
            "# facility lbr.atom none: no DS (CPUID.1:EDX bit 21 clear)\n");
    assert_string_equal(page_results[AT(1)].id, "pebs.two");
    assert_string_equal(page_results[MOST_TESTS + AT(1)].id, "pebs.two.atom");
    assert_int_equal(page_results[AT(0)].seen, true);
    assert_int_equal(page_results[MOST_TESTS + AT(1)].seen, false);
    assert_int_equal(page_results[MOST_TESTS + AT(2)].records, true);
    assert_int_equal(page_results[MOST_TESTS + AT(3)].records, false);
}

/* Only a further kind is selected: the ids have its name. The first kind needs no memory. */
UNIT_TEST(one_of_two_kinds)
{
    start_four();
    options.skip = OPTION("other.*");
    options.recap = OPTIONS_RECAP_ALL;
    assert_true(runner_begin(&options, 1, 1));
    assert_ptr_equal(runner.results, machine.memory);
    assert_true((uint8_t *)runner.whys >= (uint8_t *)(runner.results + MOST_TESTS));
    assert_true((uint8_t *)runner.ids >= (uint8_t *)(runner.whys + MOST_TESTS));
    assert_true((uint8_t *)(runner.ids + MOST_TESTS) <= machine.memory + machine.kept);
    runner_run("atom", &caps[0], quiesce);
    assert_int_equal(runner_conclude(), VERDICT_PASS);
    it_said("KTAP version 1\n1..3\n"
            "# test bts.one.atom\n# One\n# expect 1 records\nok 1 bts.one.atom\n"
            "# test pebs.two.atom\n# Two\n# expect 1 records\nok 2 pebs.two.atom\n"
            "# test bts.three.atom\n# Three\n# expect 1 records\nok 3 bts.three.atom\n"
            "# area               pass differs    fail    skip   error\n"
            "# area bts              2       0       0       0       0\n"
            "# area pebs             1       0       0       0       0\n"
            "# result bts.one.atom pass\n# result pebs.two.atom pass\n# result bts.three.atom pass\n"
            "# facility bts.atom pass 2 of 2\n"
            "# facility pebs.atom pass 1 of 1\n"
            "# facility lbr.atom none: no DS (CPUID.1:EDX bit 21 clear)\n");

    start_four();
    assert_true(runner_begin(&options, 1, 0));
    assert_int_equal(machine.kept, 0);
}

/* ---- a processor that does not return ---------------------------------------------------------------------------- */

static void quiesce_away(void)
{
    longjmp(away, 1);
}

static void (*const quiesce_or_leave[])(void) = { quiesce, quiesce_away };

/* Runs the tests on the kind atom until one does not return, or until it does not return from quiesce(). */
static void run_away(unsigned leaving, bool quiescing)
{
    leaves = leaving;
    if (setjmp(away) == 0) {
        runner_run("atom", &caps[1], quiesce_or_leave[quiescing]);
        assert_false(leaving || quiescing);
    }
    leaves = machine.watched = 0; /* it was on that processor */
    machine.interrupts = false;
}

/* Three kinds, or without the first one two. */
static void run_first(bool without)
{
    start_four();
    options.skip = OPTION("other.*");
    assert_true(runner_begin(&options, without ? 2 : 3, 2));
    if (!without)
        runner_run(NULL, &caps[0], quiesce);
    *said = '\0';
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
        const char *said, *fails;
        struct totals totals;
        enum verdict verdict;
    } rows[] = {
        { NEVER_STARTS,
          false,
          "ok 4 bts.one.atom # SKIP no answer\nok 5 pebs.two.atom # SKIP no answer\n"
          "ok 6 bts.three.atom # SKIP no answer\n",
          NULL,
          { .pass = 3, .skip = 3 },
          VERDICT_INCOMPLETE },
        { IN_TEST,
          false,
          "# wrong: no answer\nnot ok 5 pebs.two.atom\nok 6 bts.three.atom # SKIP no answer\n",
          "# fail pebs.two.atom: no answer\n",
          { .pass = 4, .fail = 1, .skip = 1 },
          VERDICT_FAIL },
        { BETWEEN_TESTS,
          false,
          "# wrong: no answer\nnot ok 4 bts.one.atom\nok 5 pebs.two.atom # SKIP no answer\n"
          "ok 6 bts.three.atom # SKIP no answer\n",
          "# fail bts.one.atom: no answer\n",
          { .pass = 3, .fail = 1, .skip = 2 },
          VERDICT_FAIL },
        { BETWEEN_TESTS,
          true,
          "# wrong: no answer\nnot ok 1 bts.one.atom\nok 2 pebs.two.atom # SKIP no answer\n"
          "ok 3 bts.three.atom # SKIP no answer\n",
          "# fail bts.one.atom: no answer\n",
          { .pass = 0, .fail = 1, .skip = 2 },
          VERDICT_FAIL },
        { AFTER_TESTS,
          false,
          "# error: no answer after the last test\n",
          "# fail pebs.two.atom: got 0 records, expected 1\n",
          { .pass = 5, .fail = 1, .error = 1 },
          VERDICT_ERROR },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct totals sums;

        run_first(rows[i].only);
        if (rows[i].where != NEVER_STARTS)
            run_away(rows[i].where == IN_TEST ? 5 : 0, rows[i].where == BETWEEN_TESTS);
        *said = '\0';
        runner_abandon("atom", &caps[1], "no answer");
        it_said(rows[i].said);
        runner_totals(&sums);
        assert_memory_equal(&sums, &rows[i].totals, sizeof sums);
        runner_run("atom2", &caps[2], quiesce);
        runner_totals(&sums);
        assert_true(sums.pass == rows[i].totals.pass + 3 && sums.error == rows[i].totals.error);
        assert_int_equal(page_results[AT(2)].outcome, rows[i].only ? OUTCOME_SKIP : OUTCOME_PASS);
        assert_int_equal(runner_conclude(), rows[i].verdict);
        assert_true(!rows[i].fails || strstr(said, rows[i].fails));
    }
}

/* Too late means ten seconds after the limit, not counting the time that the serial line needs. */
UNIT_TEST(late)
{
    for (unsigned printed = 0; printed < 2; printed++) {
        run_first(false);
        run_away(4 + printed, false);
        machine.limit = 30;
        machine.seconds = 100;
        for (unsigned second = 0; second < 30 + 10 + 3 * printed; second++) {
            assert_false(runner_late());
            machine.seconds = 100 + (second > 5 ? 3 * printed : 0);
        }
        assert_true(runner_late());
        assert_true(runner_late());
    }
}

UNIT_TEST(too_many_tests)
{
    start_four();
    for (unsigned i = 0; i < 2; i++) {
        assert_true(plan_run(&options, MOST_TESTS));
        assert_int_equal(runner.planned, 4);
    }
    assert_false(plan_run(&options, TESTS_MAX + 1));
    it_said("# error: the kernel has 769 tests, more than TESTS_MAX, 768\n");
}

/* A test on another processor reports its first problem, or else its first difference. */
UNIT_TEST(on_another_processor)
{
    char text[TEST_ASIDE] = "";
    struct test_run run = { .test = &bts_one, .aside = text };

    start_four();
    test_differs(&run, "point %u", 1u);
    test_differs(&run, "point %u", 2u);
    assert_string_equal(text, "point 1");
    test_fail(&run, "thing %u", 1u);
    assert_string_equal(text, "thing 1");
    test_fail(&run, "thing %u", 2u);
    test_differs(&run, "point %u", 3u);
    assert_string_equal(text, "thing 1");
    assert_int_equal(run.problems, 2);
    assert_int_equal(run.differences, 3);
    run = (struct test_run){ .test = &bts_one, .aside = text };
    test_fail(&run, "thing %u", 3u);
    test_differs(&run, "point %u", 4u);
    assert_string_equal(text, "thing 3");
    it_said("");
}
