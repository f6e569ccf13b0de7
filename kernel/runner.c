/* SPDX-License-Identifier: MIT */
#include "kernel/runner.h"

#include <stdarg.h>
#include <stddef.h>

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "arch/x86/paging.h"
#include "arch/x86/string.h"
#include "arch/x86/devices/watchdog.h"
#include "lib/format.h"
#include "kernel/console.h"
#include "kernel/dump.h"
#include "kernel/held_lines.h"
#include "kernel/log_lines.h"
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

#define ID_SIZE 64u /* characters of a test's id, including the suffix of its kind and the NUL */
#define LATE    10u /* seconds past its time limit after which a test is considered lost */

static struct result first_results[TESTS_MAX];
static char first_whys[TESTS_MAX][WHY_SIZE];

/*
 * The run. Before runner_begin(), which sets the plan, there are no tests (count). runner_run() and runner_abandon()
 * begin one kind of cores after another, and runner_conclude() reads all results.
 */
static struct {
    const struct options *options;
    size_t count;          /* tests of the kernel, and results of each kind */
    unsigned planned;      /* tests of them that the options select */
    unsigned kinds, begun; /* kinds of cores to run on; number of them whose tests have begun */
    struct {
        const char *name; /* NULL: no suffix on the ids of its tests */
        const struct caps *caps;
    } kind[KINDS_MOST];

    /* Results of all kinds, one kind after another, each in the order of the table of tests. */
    struct result *results;
    char (*whys)[WHY_SIZE]; /* the texts that `why` points to, unless the test was skipped */
    char (*ids)[ID_SIZE];   /* ids of the tests on kinds with a name; NULL: no kind has one */

    size_t current;           /* position of the result of the running test, or of the last one */
    volatile unsigned number; /* the number of this test in the log, from 1 on */
    struct totals totals;
    unsigned errors; /* of the run, in no test */
} runner = { .kinds = 1, .results = first_results, .whys = first_whys };

/* The plan is the check of the number of records. Or, with aside, keeps a problem's check. */
static void keep_plan(struct test_run *run)
{
    run->plan_file = run->file;
    run->plan_line = run->line;
}

void(test_plan)(struct test_run *run, unsigned records)
{
    run->planned = true;
    run->expected = run->most = records;
    keep_plan(run);
    console_note("expect %u records", records);
}

void(test_plan_between)(struct test_run *run, unsigned least, unsigned most)
{
    run->planned = true;
    run->expected = least;
    run->most = most;
    keep_plan(run);
    console_note("expect %u to %u records", least, most);
}

void(test_plan_typical)(struct test_run *run, unsigned least, unsigned most, unsigned typical)
{
    (test_plan_between)(run, least, most);
    run->typical = typical;
}

void test_saw(struct test_run *run, unsigned records)
{
    run->seen += records;
}

void test_skip(struct test_run *run, const char *reason)
{
    run->skipped = reason;
}

/* Sets the reason that the summary shows. */
static void keep_why(const char *text)
{
    format(runner.whys[runner.current], WHY_SIZE, "%s", text);
    runner.results[runner.current].why = runner.whys[runner.current];
}

static void say_place(const struct test_run *run)
{
    if (run->file)
        console_note("check %s:%u", run->file, run->line);
}

static void say_wrong(struct test_run *run, const char *text)
{
    if (run->aside) {
        if (!run->problems++) {
            format(run->aside, TEST_ASIDE, "%s", text);
            keep_plan(run);
        }
        return;
    }
    if (!run->problems++)
        keep_why(text);
    console_note("wrong: %s", text);
    say_place(run);
}

void(test_fail)(struct test_run *run, const char *fmt, ...)
{
    char text[CONSOLE_LINE_MAX];
    va_list args;

    va_start(args, fmt);
    vformat(text, sizeof text, fmt, args);
    va_end(args);
    if (run->test->typical) {
        (test_differs)(run, "%s", text);
        return;
    }
    say_wrong(run, text);
}

void(test_differs)(struct test_run *run, const char *fmt, ...)
{
    char text[CONSOLE_LINE_MAX];
    va_list args;

    va_start(args, fmt);
    vformat(text, sizeof text, fmt, args);
    va_end(args);
    if (run->aside) {
        if (!run->differences++ && !run->problems) {
            format(run->aside, TEST_ASIDE, "%s", text);
            keep_plan(run);
        }
        return;
    }
    if (!run->differences++ && !run->problems)
        keep_why(text);
    console_note("differs: %s", text);
    say_place(run);
}

bool(test_equal)(struct test_run *run, const char *what, uint64_t got, uint64_t want)
{
    if (got != want)
        (test_fail)(run, "%s is 0x%llx, must be 0x%llx", what, (unsigned long long)got, (unsigned long long)want);
    return got == want;
}

bool(test_between)(struct test_run *run, const char *what, uint64_t got, uint64_t least, uint64_t most)
{
    const bool between = got >= least && got <= most;

    if (!between)
        (test_fail)(run, "%s is 0x%llx, must be 0x%llx to 0x%llx", what, (unsigned long long)got,
                    (unsigned long long)least, (unsigned long long)most);
    return between;
}

/* Compares the number of records with the plan. No record at all is a failure at any level, because the facility is
 * untested. */
static void judge_records(struct test_run *run)
{
    char text[CONSOLE_LINE_MAX];

    test_at(run, run->plan_file, run->plan_line);
    if (run->seen >= run->expected && run->seen <= run->most) {
        if (run->typical && run->seen != run->typical)
            (test_differs)(run, "got %u records, typically %u", run->seen, run->typical);
        return;
    }
    if (run->expected == run->most)
        format(text, sizeof text, "got %u records, expected %u", run->seen, run->expected);
    else
        format(text, sizeof text, "got %u records, expected %u to %u", run->seen, run->expected, run->most);
    if (run->seen)
        (test_fail)(run, "%s", text);
    else
        say_wrong(run, text);
}

static enum outcome judge(struct test_run *run)
{
    struct msr_difference wrong;
    const bool differed = msr_unwatch(&wrong);

    test_at(run, NULL, 0);
    if (differed && wrong.refused)
        (test_fail)(run, "WRMSR of 0x%llx to MSR 0x%x raised #GP", (unsigned long long)wrong.written, wrong.msr);
    else if (differed && wrong.more)
        (test_fail)(run, "MSR 0x%x had the bits 0x%llx, which were not written", wrong.msr,
                    (unsigned long long)wrong.read);
    else if (differed)
        (test_fail)(run, "MSR 0x%x reads 0x%llx, was written as 0x%llx", wrong.msr, (unsigned long long)wrong.read,
                    (unsigned long long)wrong.written);
    if (run->skipped && !run->problems && !run->seen)
        return OUTCOME_SKIP;
    if (run->test->records && !run->planned) {
        test_at(run, NULL, 0);
        say_wrong(run, "the test armed a facility without a plan of the number of records");
        return OUTCOME_ERROR;
    }
    judge_records(run);
    return run->problems ? OUTCOME_FAIL : run->differences ? OUTCOME_DIFFERS : OUTCOME_PASS;
}

static enum outcome judge_hung(struct test_run *run, unsigned timeout)
{
    char text[CONSOLE_LINE_MAX];

    format(text, sizeof text, "timed out after %u seconds", timeout);
    test_at(run, NULL, 0);
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
        dump_test(runner.results[runner.current].id);
        msr_watch();
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
        console_note("watchdog without NMI from here on: another device raised an NMI");
    quiesce();
    return outcome;
}

static enum outcome say_skipped(const char *id, const char *reason)
{
    keep_why(reason);
    console_line("ok %u %s # SKIP %s", runner.number, id, reason);
    return OUTCOME_SKIP;
}

static enum outcome run_one(const struct test *test, const struct options *options, const struct caps *caps,
                            void (*quiesce)(void))
{
    const char *const id = runner.results[runner.current].id;
    static struct test_run run; /* static, to survive an escape by the watchdog */
    const enum caps_reason reason = caps_missing(caps, test->needs);
    const char *missing = reason != CAPS_AVAILABLE ? caps_reason_text(reason) : test->lacks ? test->lacks(caps) : NULL;
    enum outcome outcome;

    progress_test(runner.number, id);
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
    serial_flush(); /* if the test hangs, the log names it */
    outcome = run_bounded(&run, options->timeout, quiesce);
    runner.results[runner.current].seen = run.seen != 0;
    if (outcome == OUTCOME_SKIP)
        return say_skipped(id, run.skipped);
    const bool ok = outcome == OUTCOME_PASS || outcome == OUTCOME_DIFFERS;
    if (outcome != OUTCOME_PASS)
        held_lines_print(&console_sink);
    if (outcome != OUTCOME_PASS && test->source)
        console_note("claimed by %s", test->source);
    if (outcome == OUTCOME_DIFFERS && test->typical)
        console_note("typical, not promised: %s", test->typical);
    console_line("%s %u %s%s", ok ? "ok" : "not ok", runner.number, id, outcome == OUTCOME_ERROR ? " # ERROR" : "");
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

static bool selected(const struct options *options, const struct test *test)
{
    struct slice list = options->run, glob;
    bool named = !test->on_request;

    while (!named && glob_next(&list, &glob))
        named = glob_names(glob, test->id);
    return named && options_select(options, test->id);
}

/* Whether every glob matches a test. A mistyped one must not select no test and pass. */
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

/* Whether there are tests to run. Sets the number of tests to run, and prints what is wrong with the options. */
static bool plan_run(const struct options *options, unsigned count)
{
    runner.planned = 0;
    if (count > TESTS_MAX)
        run_error("the kernel has %u tests, more than %u; raise TESTS_MAX", count, TESTS_MAX);
    if (!globs_match(options->run, "run") || !globs_match(options->skip, "skip") || count > TESTS_MAX)
        return false;
    for (unsigned i = 0; i < count; i++)
        runner.planned += selected(options, &tests_start[i]);
    if (!runner.planned)
        run_error("run= and skip=: no test is selected; the option list prints all");
    return runner.planned != 0;
}

/* Allocates the results of this many kinds. Returns false if memory is too small. */
static bool allocate(unsigned kinds, size_t count)
{
    const size_t all = kinds * count;
    const size_t size = all * (sizeof *runner.results + WHY_SIZE + ID_SIZE);
    uint8_t *const memory = memory_keep((size + PAGE_SIZE - 1) & ~(size_t)(PAGE_SIZE - 1), PAGE_SIZE);

    if (!memory)
        return false;
    runner.results = (struct result *)(void *)memory;
    runner.whys = (char(*)[WHY_SIZE])(memory + all * sizeof *runner.results);
    runner.ids = (char(*)[ID_SIZE])(memory + all * (sizeof *runner.results + WHY_SIZE));
    return true;
}

/* Counts the tests' outcomes, and the errors outside tests. */
static void count_results(void)
{
    results_count(runner.results, runner.kinds * runner.count, &runner.totals);
    runner.totals.error += runner.errors;
}

bool runner_begin(const struct options *options, unsigned kinds, unsigned named)
{
    const size_t count = (size_t)(tests_end - tests_start);

    if (!plan_run(options, (unsigned)count)) {
        runner.totals.error = 1;
        return false;
    }
    if (named && !allocate(kinds, count)) {
        console_note("out of memory: %u kinds of cores are not tested", named);
        kinds -= named;
        if (!kinds) {
            run_error("kinds=: no selected kind of core fits in memory; give the machine more");
            runner.totals.error = 1;
            return false;
        }
    }
    runner.options = options;
    runner.kinds = kinds;
    runner.count = count;
    runner.current = kinds * count; /* none */
    for (size_t i = 0; i < kinds * count; i++)
        runner.results[i] =
            (struct result){ .id = tests_start[i % count].id, .records = tests_start[i % count].records };
    console_line("KTAP version 1");
    console_line("1..%u", kinds * runner.planned);
    log_lines_start();
    progress_plan(runner.results, kinds * count, kinds * runner.planned);
    return true;
}

/* Begins the next kind. Returns the position of its first result. */
static size_t begin_kind(const char *name, const struct caps *caps)
{
    const size_t first = runner.begun * runner.count;

    runner.kind[runner.begun].caps = caps;
    runner.kind[runner.begun].name = name;
    runner.begun++;
    for (size_t i = 0; name && runner.ids && i < runner.count; i++) {
        format(runner.ids[first + i], ID_SIZE, "%s.%s", tests_start[i].id, name);
        runner.results[first + i].id = runner.ids[first + i];
    }
    return first;
}

static void begin_test(size_t position)
{
    runner.current = position;
    runner.number++;
}

void runner_run(const char *name, const struct caps *caps, void (*quiesce)(void))
{
    size_t first;

    if (runner.begun == runner.kinds)
        return;
    first = begin_kind(name, caps);
    msr_forget();
    quiesce();
    for (size_t i = 0; i < runner.count; i++) {
        if (!selected(runner.options, &tests_start[i]))
            continue;
        begin_test(first + i);
        runner.results[first + i].outcome = run_one(&tests_start[i], runner.options, caps, quiesce);
        count_results();
    }
}

bool runner_late(void)
{
    static unsigned was, seconds, printed;

    if (was != runner.number) {
        was = runner.number;
        seconds = 0;
        printed = serial_seconds();
    }
    return ++seconds > watchdog_limit() + LATE + serial_seconds() - printed;
}

static enum outcome fail_abandoned(const char *id, const char *why)
{
    keep_why(why);
    console_note("wrong: %s", why);
    console_line("not ok %u %s", runner.number, id);
    return OUTCOME_FAIL;
}

/* The first test without an outcome fails, if the kind had begun. The others are skipped. */
void runner_abandon(const char *name, const struct caps *caps, const char *why)
{
    const bool hung = runner.begun && runner.kind[runner.begun - 1].caps == caps;
    unsigned left = 0;
    size_t first;

    if (!hung && runner.begun == runner.kinds)
        return;
    first = hung ? (runner.begun - 1) * runner.count : begin_kind(name, caps);
    for (size_t i = 0; i < runner.count; i++) {
        struct result *const result = &runner.results[first + i];
        if (!selected(runner.options, &tests_start[i]) || result->outcome != OUTCOME_NOT_RUN)
            continue;
        if (runner.current != first + i)
            begin_test(first + i);
        result->outcome = hung && !left++ ? fail_abandoned(result->id, why) : say_skipped(result->id, why);
    }
    if (hung && !left) {
        run_error("%s after the last test", why);
        runner.errors++;
    }
    count_results();
}

/* For the pages after the last one: figures, or the reasons of all tests that differed, failed or were skipped. */
static void say_reasons(void)
{
    char line[ID_SIZE + WHY_SIZE + 16];
    const size_t count = runner.kinds * runner.count;

    if (results_are_of(runner.results, count, "measure")) {
        progress_lines(PAGE_LINES_ALL);
        return;
    }
    log_lines_start();
    for (enum outcome outcome = OUTCOME_DIFFERS; outcome <= OUTCOME_ERROR; outcome++)
        for (size_t i = 0; i < count; i++)
            if (runner.results[i].outcome == outcome) {
                format(line, sizeof line, "%s %s: %s", outcome_text(outcome), runner.results[i].id,
                       result_why(&runner.results[i]));
                log_lines_add(line);
            }
    progress_lines(PAGE_LINES_BY_KEY);
}

enum verdict runner_conclude(void)
{
    static struct facility all[FACILITIES]; /* static, because the last page shows them */
    const size_t count = runner.kinds * runner.count;
    struct facility facilities[KINDS_MOST][FACILITIES];
    enum verdict verdict;

    for (unsigned k = 0; k < runner.begun; k++) {
        facilities_judge(runner.kind[k].caps, runner.results + k * runner.count, runner.count, facilities[k]);
        for (unsigned i = 0; i < FACILITIES; i++)
            facilities[k][i].kind = runner.kind[k].name;
        if (k)
            facilities_merge(all, facilities[k]);
        else
            memcpy(all, facilities[0], sizeof all);
    }
    verdict = verdict_of(all, &runner.totals);
    say_reasons();
    progress_verdict(verdict, all);
    results_table(&console_sink, runner.results, count);
    results_reasons(&console_sink, runner.results, count);
    if (runner.options->recap == OPTIONS_RECAP_ALL)
        results_recap(&console_sink, runner.results, count);
    for (unsigned k = 0; k < runner.begun; k++)
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
    *out = runner.totals;
}

unsigned runner_kinds(void)
{
    return runner.kinds;
}
