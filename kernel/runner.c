/* SPDX-License-Identifier: MIT */
#include "kernel/runner.h"

#include <stdarg.h>
#include <stddef.h>

#include "arch/x86/cpu.h"
#include "arch/x86/paging.h"
#include "arch/x86/string.h"
#include "arch/x86/devices/watchdog.h"
#include "lib/format.h"
#include "kernel/console.h"
#include "kernel/dump.h"
#include "kernel/held_lines.h"
#include "kernel/core_kinds.h"
#include "kernel/memory.h"
#include "kernel/progress.h"
#include "kernel/run_error.h"
#include "kernel/serial.h"
#include "kernel/test.h"
#include "kernel/report/results.h"

#define TESTS_MAX 768u
#define WHY_SIZE  200u /* characters, NUL included, of the first problem of a test; longer ones are cut */

extern const struct test tests_start[], tests_end[];

#define ID_SIZE 64u /* characters, NUL included, of a test's id with that of its kind behind it */
#define LATE    10u /* seconds behind its time limit after which a test is not expected back */

/* Of the first kind of cores. */
static struct result first_results[TESTS_MAX]; /* by the test's position in the table */
static char first_whys[TESTS_MAX][WHY_SIZE];   /* what their `why` points to, if they were not skipped */

/* Of all kinds: those of the second behind those of the first. */
static struct result *results = first_results;
static char (*whys)[WHY_SIZE] = first_whys;
static char (*ids)[ID_SIZE]; /* of the tests on further kinds */
static const struct caps *capabilities[KINDS_MOST];
static const char *names[KINDS_MOST];
static const struct options *chosen;
static unsigned kinds = 1, kind, planned;
static volatile unsigned number; /* of the test that runs, or of the last one */
static size_t known;             /* results of each kind that are valid: all or none */
static size_t current;           /* the position of the result of the test that runs, or of the last one */
static struct totals totals;
static unsigned errors; /* of the run, in no test */

void test_plan(struct test_run *run, unsigned records)
{
    run->planned = true;
    run->expected = run->most = records;
    console_note("expect %u records", records);
}

void test_plan_between(struct test_run *run, unsigned least, unsigned most)
{
    run->planned = true;
    run->expected = least;
    run->most = most;
    console_note("expect %u to %u records", least, most);
}

void test_saw(struct test_run *run, unsigned records)
{
    run->seen += records;
}

void test_skip(struct test_run *run, const char *reason)
{
    run->skipped = reason;
}

/* Keeps the text for the end of the log, in place of what was kept. */
static void keep_why(const char *text)
{
    format(whys[current], WHY_SIZE, "%s", text);
    results[current].why = whys[current];
}

static void say_wrong(struct test_run *run, const char *text)
{
    if (run->aside) {
        if (!run->problems++)
            format(run->aside, TEST_ASIDE, "%s", text);
        return;
    }
    if (!run->problems++)
        keep_why(text);
    console_note("wrong: %s", text);
}

void test_fail(struct test_run *run, const char *fmt, ...)
{
    char text[CONSOLE_LINE_MAX];
    va_list args;

    va_start(args, fmt);
    vformat(text, sizeof text, fmt, args);
    va_end(args);
    if (run->test->typical) {
        test_differs(run, "%s", text);
        return;
    }
    say_wrong(run, text);
}

void test_differs(struct test_run *run, const char *fmt, ...)
{
    char text[CONSOLE_LINE_MAX];
    va_list args;

    va_start(args, fmt);
    vformat(text, sizeof text, fmt, args);
    va_end(args);
    if (run->aside) {
        if (!run->differences++ && !run->problems)
            format(run->aside, TEST_ASIDE, "%s", text);
        return;
    }
    if (!run->differences++ && !run->problems)
        keep_why(text);
    console_note("differs: %s", text);
}

bool test_equal(struct test_run *run, const char *what, uint64_t got, uint64_t want)
{
    if (got != want)
        test_fail(run, "%s is 0x%llx, must be 0x%llx", what, (unsigned long long)got, (unsigned long long)want);
    return got == want;
}

/* Holds the records that came against the plan. None at all is a failure at any level: then nothing was tested. */
static void judge_records(struct test_run *run)
{
    char text[CONSOLE_LINE_MAX];

    if (run->seen >= run->expected && run->seen <= run->most)
        return;
    if (run->expected == run->most)
        format(text, sizeof text, "got %u records, expected %u", run->seen, run->expected);
    else
        format(text, sizeof text, "got %u records, expected %u to %u", run->seen, run->expected, run->most);
    if (run->seen)
        test_fail(run, "%s", text);
    else
        say_wrong(run, text);
}

static enum outcome judge(struct test_run *run)
{
    if (run->skipped && !run->problems && !run->seen)
        return OUTCOME_SKIP;
    if (run->test->records && !run->planned) {
        say_wrong(run, "the test armed a facility without saying how many records must come");
        return OUTCOME_ERROR;
    }
    judge_records(run);
    return run->problems ? OUTCOME_FAIL : run->differences ? OUTCOME_DIFFERS : OUTCOME_PASS;
}

static enum outcome judge_hung(struct test_run *run, unsigned timeout)
{
    char text[CONSOLE_LINE_MAX];

    format(text, sizeof text, "timed out after %u seconds", timeout);
    say_wrong(run, text);
    return OUTCOME_FAIL;
}

/* Runs one test to its end or its time limit. */
static enum outcome run_bounded(struct test_run *run, unsigned timeout, void (*quiesce)(void))
{
    static struct context escape;
    const bool had_nmi = watchdog_has_nmi();
    const uintptr_t cr0 = cr0_read(), cr4 = cr4_read();
    enum outcome outcome;

    if (context_save(&escape) == 0) {
        watchdog_start(timeout, &escape, serial_seconds); /* printing all records can take minutes on a slow line */
        interrupts_on();
        dump_test(results[current].id);
        run->test->run(run);
        interrupts_off();
        watchdog_stop();
        outcome = judge(run);
    } else {
        watchdog_stop();
        cr0_write(cr0);
        cr4_write(cr4);
        interrupts_recover();
        outcome = judge_hung(run, timeout);
    }
    if (had_nmi && !watchdog_has_nmi())
        console_note("watchdog without NMI from here on: a device's has come in its place");
    quiesce();
    return outcome;
}

static enum outcome say_skipped(const char *id, const char *reason)
{
    keep_why(reason);
    console_line("ok %u %s # SKIP %s", number, id, reason);
    return OUTCOME_SKIP;
}

static enum outcome run_one(const struct test *test, const struct options *options, const struct caps *caps,
                            void (*quiesce)(void))
{
    const char *const id = results[current].id;
    static struct test_run run; /* static, to survive an escape by the watchdog */
    const enum caps_reason reason = caps_missing(caps, test->needs);
    const char *missing = reason != CAPS_AVAILABLE ? caps_reason_text(reason) : test->lacks ? test->lacks(caps) : NULL;
    enum outcome outcome;

    progress_test(number, id);
    console_note("test %s", id);
    if (missing)
        return say_skipped(id, missing);
    console_note("%s", test->title);
    run = (struct test_run){ .test = test,
                             .caps = caps,
                             .data_source = caps->data_source,
                             .print_most = options->records,
                             .hold_most = options->records_failing,
                             .lbr_most = options->lbr_entries };
    held_lines_start();
    outcome = run_bounded(&run, options->timeout, quiesce);
    results[current].seen = run.seen != 0;
    if (outcome == OUTCOME_SKIP)
        return say_skipped(id, run.skipped);
    const bool ok = outcome == OUTCOME_PASS || outcome == OUTCOME_DIFFERS;
    if (outcome != OUTCOME_PASS)
        held_lines_print(&console_sink);
    if (outcome != OUTCOME_PASS && test->source)
        console_note("claimed by %s", test->source);
    if (outcome == OUTCOME_DIFFERS && test->typical)
        console_note("typical, not promised: %s", test->typical);
    console_line("%s %u %s%s", ok ? "ok" : "not ok", number, id, outcome == OUTCOME_ERROR ? " # ERROR" : "");
    return outcome;
}

/* Whether a glob spells out the first word of an id, including its dot. */
static bool glob_names(struct slice glob, const char *id)
{
    for (size_t i = 0; i < glob.length && glob.start[i] == id[i]; i++)
        if (id[i] == '.')
            return glob_match(glob, id);
    return false;
}

/* Whether the options select this test. */
static bool selected(const struct options *options, const struct test *test)
{
    struct slice list = options->run, glob;
    bool named = !test->on_request;

    while (!named && glob_next(&list, &glob))
        named = glob_names(glob, test->id);
    return named && options_select(options, test->id);
}

/* Whether every glob matches a test. A mistyped one must not run nothing and pass. */
static bool globs_match(struct slice list, const char *option)
{
    struct slice glob;
    bool all = true;

    while (glob_next(&list, &glob)) {
        bool found = false;
        for (const struct test *t = tests_start; t < tests_end && !found; t++)
            found = glob_match(glob, t->id);
        if (!found)
            run_error("%s=%.*s matches no test", option, (int)glob.length, glob.start);
        all = all && found;
    }
    return all;
}

/* Whether there is anything to run. Sets `planned` to the number of tests; says what is wrong with the options. */
static bool plan_run(const struct options *options, unsigned count)
{
    planned = 0;
    if (count > TESTS_MAX)
        run_error("the kernel has %u tests, more than TESTS_MAX, %u", count, TESTS_MAX);
    if (!globs_match(options->run, "run") || !globs_match(options->skip, "skip") || count > TESTS_MAX)
        return false;
    for (unsigned i = 0; i < count; i++)
        planned += selected(options, &tests_start[i]);
    if (!planned)
        run_error("the options run= and skip= select no test");
    return planned != 0;
}

/* Makes room for the results of so many kinds. Returns whether there is. */
static bool make_room(unsigned wanted, size_t count)
{
    const size_t all = wanted * count;
    const size_t size = all * (sizeof *results + WHY_SIZE + ID_SIZE);
    uint8_t *const memory = memory_keep((size + PAGE_SIZE - 1) & ~(size_t)(PAGE_SIZE - 1), PAGE_SIZE);

    if (!memory)
        return false;
    results = (struct result *)(void *)memory;
    whys = (char(*)[WHY_SIZE])(memory + all * sizeof *results);
    ids = (char(*)[ID_SIZE])(memory + all * (sizeof *results + WHY_SIZE));
    return true;
}

/* The tests' outcomes, and what is no test's. */
static void count_results(void)
{
    results_count(results, kinds * known, &totals);
    totals.error += errors;
}

bool runner_begin(const struct options *options, unsigned wanted, unsigned named)
{
    const size_t count = (size_t)(tests_end - tests_start);

    if (!plan_run(options, (unsigned)count)) {
        totals.error = 1;
        return false;
    }
    if (named && !make_room(wanted, count)) {
        console_note("kinds left out: %u, because there is no memory for their results", named);
        wanted -= named;
        if (!wanted) {
            run_error("no kind of cores is left that the option kinds= selects");
            totals.error = 1;
            return false;
        }
    }
    chosen = options;
    kinds = wanted;
    known = count;
    current = kinds * count; /* none */
    for (size_t i = 0; i < kinds * count; i++)
        results[i] = (struct result){ .id = tests_start[i % count].id, .records = tests_start[i % count].records };
    console_line("KTAP version 1");
    console_line("1..%u", kinds * planned);
    progress_plan(results, kinds * count, kinds * planned);
    return true;
}

/* The position of the first result on this kind, whose tests are about to run. */
static size_t enter(const char *name, const struct caps *caps)
{
    const size_t first = kind * known;

    capabilities[kind] = caps;
    names[kind] = name;
    kind++;
    for (size_t i = 0; name && ids && i < known; i++) {
        format(ids[first + i], ID_SIZE, "%s.%s", tests_start[i].id, name);
        results[first + i].id = ids[first + i];
    }
    return first;
}

void runner_run(const char *name, const struct caps *caps, void (*quiesce)(void))
{
    size_t first;

    if (kind == kinds)
        return;
    first = enter(name, caps);
    quiesce();
    for (size_t i = 0; i < known; i++) {
        if (!selected(chosen, &tests_start[i]))
            continue;
        current = first + i;
        number++;
        results[current].outcome = run_one(&tests_start[i], chosen, caps, quiesce);
        count_results();
    }
}

bool runner_late(void)
{
    static unsigned was, seconds, printed;

    if (was != number) {
        was = number;
        seconds = 0;
        printed = serial_seconds();
    }
    return ++seconds > watchdog_limit() + LATE + serial_seconds() - printed;
}

void runner_abandon(const char *name, const struct caps *caps, const char *why)
{
    size_t first;
    bool hung = kind && capabilities[kind - 1] == caps;

    if (!hung && kind == kinds)
        return;
    first = hung ? (kind - 1) * known : enter(name, caps);
    for (size_t i = 0; i < known; i++) {
        if (!selected(chosen, &tests_start[i]) || results[first + i].outcome != OUTCOME_NOT_RUN)
            continue;
        if (current != first + i) {
            current = first + i;
            number++;
        }
        if (hung) {
            hung = false;
            keep_why(why);
            console_note("wrong: %s", why);
            console_line("not ok %u %s", number, results[current].id);
            results[current].outcome = OUTCOME_FAIL;
            continue;
        }
        results[current].outcome = say_skipped(results[current].id, why);
    }
    if (hung) {
        run_error("%s after the last test", why);
        errors++;
    }
    count_results();
}

enum verdict runner_conclude(void)
{
    static struct facility all[FACILITIES]; /* static, because the last page shows them */
    struct facility facilities[KINDS_MOST][FACILITIES];
    enum verdict verdict;

    for (unsigned k = 0; k < kind; k++) {
        facilities_judge(capabilities[k], results + k * known, known, facilities[k]);
        for (unsigned i = 0; i < FACILITIES; i++)
            facilities[k][i].kind = names[k];
        if (k)
            facilities_merge(all, facilities[k]);
        else
            memcpy(all, facilities[0], sizeof all);
    }
    verdict = verdict_of(all, &totals);
    progress_verdict(verdict, all);
    results_table(&console_sink, results, kinds * known);
    results_reasons(&console_sink, results, kinds * known);
    if (chosen->recap == OPTIONS_RECAP_ALL)
        results_recap(&console_sink, results, kinds * known);
    for (unsigned k = 0; k < kind; k++)
        facilities_text(&console_sink, facilities[k]);
    return verdict;
}

void runner_list(void)
{
    for (const struct test *t = tests_start; t < tests_end; t++)
        console_note("test %s: %s [%s] %s%s", t->id, t->title, t->source ? t->source : "no source",
                     t->typical ? "typical: " : "architectural", t->typical ? t->typical : "");
}

void runner_totals(struct totals *out)
{
    *out = totals;
}

unsigned runner_kinds(void)
{
    return kinds;
}

const struct result *runner_results(unsigned of, size_t *count, const struct caps **caps)
{
    *count = known;
    *caps = capabilities[of];
    return results + of * known;
}
