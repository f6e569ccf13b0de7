/* SPDX-License-Identifier: MIT */
#include "kernel/runner.h"

#include <stdarg.h>
#include <stddef.h>

#include "arch/x86/cpu.h"
#include "arch/x86/watchdog.h"
#include "base/format.h"
#include "kernel/console.h"
#include "kernel/dump.h"
#include "kernel/serial.h"
#include "kernel/test.h"

#define TESTS_MAX 512u

enum outcome { NOT_RUN, PASS, FAIL, SKIP, ERROR };

extern const struct test tests_start[], tests_end[];

static uint8_t outcomes[TESTS_MAX]; /* enum outcome, by the test's position in the table */
static struct totals totals;

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

void test_fail(struct test_run *run, const char *fmt, ...)
{
    char text[CONSOLE_LINE_MAX];
    va_list args;

    va_start(args, fmt);
    vformat(text, sizeof text, fmt, args);
    va_end(args);
    run->problems++;
    console_note("wrong: %s", text);
}

bool test_equal(struct test_run *run, const char *what, uint64_t got, uint64_t want)
{
    if (got != want)
        test_fail(run, "%s is 0x%llx, must be 0x%llx", what, (unsigned long long)got, (unsigned long long)want);
    return got == want;
}

static enum outcome judge(struct test_run *run)
{
    if (run->skipped && !run->problems && !run->seen)
        return SKIP;
    if (run->test->records && !run->planned) {
        console_note("wrong: the test armed a facility without saying how many records must come");
        return ERROR;
    }
    if (run->seen < run->expected || run->seen > run->most)
        test_fail(run, "got %u records, expected %s%u", run->seen, run->expected < run->most ? "up to " : "",
                  run->most);
    return run->problems ? FAIL : PASS;
}

/* Runs one test to its end or its time limit. */
static enum outcome run_bounded(struct test_run *run, unsigned timeout, void (*quiesce)(void))
{
    static struct context escape;
    enum outcome outcome;

    if (context_save(&escape) == 0) {
        watchdog_start(timeout, &escape, serial_seconds); /* printing all records can take minutes on a slow line */
        interrupts_on();
        dump_test(run->test->id);
        run->test->run(run);
        interrupts_off();
        watchdog_stop();
        outcome = judge(run);
    } else {
        watchdog_stop();
        console_note("wrong: timed out after %u seconds", timeout);
        outcome = FAIL;
    }
    quiesce();
    return outcome;
}

static enum outcome run_one(unsigned number, const struct test *test, const struct options *options,
                            const struct caps *caps, void (*quiesce)(void))
{
    static struct test_run run; /* static, to survive an escape by the watchdog */
    const enum caps_reason reason = caps_missing(caps, test->needs);
    const char *missing = reason != CAPS_AVAILABLE ? caps_reason_text(reason) : test->lacks ? test->lacks(caps) : NULL;
    enum outcome outcome;

    console_note("test %s", test->id);
    if (missing) {
        console_line("ok %u %s # SKIP %s", number, test->id, missing);
        return SKIP;
    }
    console_note("%s", test->title);
    run = (struct test_run){
        .test = test, .caps = caps, .data_source = caps->data_source, .print_most = options->records
    };
    outcome = run_bounded(&run, options->timeout, quiesce);
    if (outcome == SKIP) {
        console_line("ok %u %s # SKIP %s", number, test->id, run.skipped);
        return SKIP;
    }
    if (outcome != PASS && test->source)
        console_note("claimed by %s", test->source);
    console_line("%s %u %s%s", outcome == PASS ? "ok" : "not ok", number, test->id, outcome == ERROR ? " # ERROR" : "");
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

static enum verdict verdict(void)
{
    if (totals.error)
        return VERDICT_ERROR;
    if (totals.fail)
        return VERDICT_FAIL;
    return totals.pass ? VERDICT_PASS : VERDICT_SKIP;
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
            console_note("error: %s=%.*s matches no test", option, (int)glob.length, glob.start);
        all = all && found;
    }
    return all;
}

enum verdict runner_run(const struct options *options, const struct caps *caps, void (*quiesce)(void))
{
    static const char *const words[] = { "not_run", "pass", "fail", "skip", "error" };
    unsigned count = (unsigned)(tests_end - tests_start), planned = 0, number = 0;

    if (count > TESTS_MAX)
        console_note("error: the kernel has %u tests, more than TESTS_MAX, %u", count, TESTS_MAX);
    if (!globs_match(options->run, "run") || !globs_match(options->skip, "skip") || count > TESTS_MAX) {
        totals.error = 1;
        return verdict();
    }
    for (unsigned i = 0; i < count; i++)
        planned += selected(options, &tests_start[i]);
    if (!planned) {
        console_note("error: the options run= and skip= select no test");
        totals.error = 1;
        return verdict();
    }

    quiesce();
    console_line("KTAP version 1");
    console_line("1..%u", planned);
    for (unsigned i = 0; i < count; i++) {
        if (!selected(options, &tests_start[i]))
            continue;
        outcomes[i] = (uint8_t)run_one(++number, &tests_start[i], options, caps, quiesce);
        totals.pass += outcomes[i] == PASS;
        totals.fail += outcomes[i] == FAIL;
        totals.skip += outcomes[i] == SKIP;
        totals.error += outcomes[i] == ERROR;
    }
    for (unsigned i = 0; i < count; i++)
        if (outcomes[i] != NOT_RUN)
            console_note("result %s %s", tests_start[i].id, words[outcomes[i]]);
    return verdict();
}

void runner_list(void)
{
    for (const struct test *t = tests_start; t < tests_end; t++)
        console_note("test %s: %s [%s]", t->id, t->title, t->source ? t->source : "no source");
}

void runner_totals(struct totals *out)
{
    *out = totals;
}
