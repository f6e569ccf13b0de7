/* SPDX-License-Identifier: MIT */
/*
 * The runner (kernel/runner.c), over the tests that must not pass (kernel/self_test.c) and over some that the test
 * invents on several kinds of cores: what is printed, to the letter; what is done to the machine, in which order; and
 * what becomes of a test that does not come back.
 */
#include "tests/host/host_test.h"

#include <sys/wait.h>
#include <unistd.h>

/* Instead of arch/x86/cpu.h. */
#define ARCH_X86_CPU_H

static char did[8000]; /* what was done to the machine, a line each */

static void note_did(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void note_did(const char *fmt, ...)
{
    const size_t used = strlen(did);
    va_list args;

    va_start(args, fmt);
    assert_true((size_t)vsnprintf(did + used, sizeof did - used, fmt, args) + 1 < sizeof did - used);
    va_end(args);
    strcat(did, "\n");
}

static void interrupts_on(void)
{
    note_did("on");
}

static void interrupts_off(void)
{
    note_did("off");
}

static uintptr_t cr0_read(void)
{
    return 0x31;
}

static uintptr_t cr4_read(void)
{
    return 0x20;
}

static void cr0_write(uintptr_t value)
{
    note_did("cr0 %x", (unsigned)value);
}

static void cr4_write(uintptr_t value)
{
    note_did("cr4 %x", (unsigned)value);
}

static void cpu_pause(void);

#include "arch/x86/interrupts.h"

/* The watchdog resumes where the context was saved. */
static jmp_buf saved;
#define context_save(context) (saved_at = (context), setjmp(saved))
static const struct context *saved_at;

#undef skip /* cmocka's */
#include "kernel/runner.c"
#include "kernel/self_test.c"

/* ---- the machine, and the kernel around -------------------------------------------------------------------------- */

/* The linker's table of tests: words for TESTS of them. */
#define TESTS           768u
#define STRING_OF(text) #text
#define STRING(text)    STRING_OF(text)
__asm__(".data\n.balign 8\n.globl tests_start, tests_end\n"
        "tests_start: .zero 768 * (8 + 8 * " STRING(__SIZEOF_POINTER__) ")\ntests_end:\n.text");
_Static_assert(TESTS == TESTS_MAX && sizeof(struct test) == 8 + 8 * sizeof(void *), "the size of the table");

static struct {
    unsigned pauses, beats;  /* PAUSEs, and those after which the watchdog's time is up; 0: never */
    bool nmi, nmi_lost;      /* the watchdog's NMI; a test loses it */
    unsigned limit, seconds; /* of the watchdog; of the serial line */
    unsigned per_line;       /* seconds that a line needs */
    bool no_memory;
    size_t kept;
    uint8_t *memory;
    unsigned waited; /* microseconds */
    bool no_clock;
    interrupt_handler *handler;
    bool records_refused, sampling_refused;
    unsigned ran; /* workloads */
} machine;

static char said[60000];
static const struct result *page_results;
static size_t page_count;
static unsigned page_planned;
static enum verdict page_verdict;

static void say_line(const char *prefix, const char *fmt, va_list args)
{
    const size_t used = strlen(said);
    const size_t length = used + (size_t)snprintf(said + used, sizeof said - used, "%s", prefix);

    assert_true((size_t)vsnprintf(said + length, sizeof said - length, fmt, args) + 2 < sizeof said - length);
    strcat(said, "\n");
    machine.seconds += machine.per_line;
}

void console_note(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say_line("# ", fmt, args);
    va_end(args);
}

void console_line(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say_line("", fmt, args);
    va_end(args);
}

void run_end_error(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say_line("# error: ", fmt, args);
    va_end(args);
}

static void sink_line(void *context, const char *text)
{
    (void)context;
    console_note("%s", text);
}

const struct line_sink console_sink = { sink_line, NULL };

void held_lines_start(void)
{
    note_did("hold");
}

void held_lines_print(const struct line_sink *out)
{
    say(out, "what was held");
}

void progress_test(unsigned of, const char *id)
{
    note_did("page %u %s", of, id);
}

void progress_plan(const struct result *of, size_t count, unsigned tests)
{
    page_results = of;
    page_count = count;
    page_planned = tests;
}

static char page_facilities[FACILITIES];

void progress_verdict(enum verdict verdict, const struct facility facilities[FACILITIES])
{
    page_verdict = verdict;
    for (unsigned i = 0; i < FACILITIES; i++)
        page_facilities[i] = (char)('0' + facilities[i].selected);
}

void dump_test(const char *id)
{
    note_did("dump %s", id);
}

void *memory_keep(size_t size, size_t alignment)
{
    assert_int_equal(size % PAGE_SIZE, 0);
    assert_int_equal(alignment, PAGE_SIZE);
    free(machine.memory);
    machine.kept = size;
    machine.memory = machine.no_memory ? NULL : malloc(size);
    if (machine.memory)
        memset(machine.memory, 0xa5, size);
    return machine.memory;
}

unsigned serial_seconds(void)
{
    return machine.seconds;
}

void watchdog_start(unsigned seconds, const struct context *escape, unsigned (*excused)(void))
{
    assert_ptr_equal(escape, saved_at);
    assert_ptr_equal(excused, serial_seconds);
    note_did("watch %u", seconds);
}

void watchdog_stop(void)
{
    note_did("unwatch");
}

bool watchdog_has_nmi(void)
{
    return machine.nmi;
}

unsigned watchdog_limit(void)
{
    return machine.limit;
}

static void cpu_pause(void)
{
    machine.pauses++;
    if (machine.beats && machine.pauses >= machine.beats) {
        machine.nmi = machine.nmi && !machine.nmi_lost;
        longjmp(saved, 1);
    }
}

void interrupts_recover(void)
{
    note_did("recover");
}

static void quiesce(void)
{
    note_did("quiesce");
}

/* What the tests that must not pass use. */
uint8_t text_start[1] = { 0x90 }, symbols_start[1];

void interrupt_set(unsigned vector, interrupt_handler *handler)
{
    note_did("handler %x", vector);
    machine.handler = handler;
}

void apic_send_self(unsigned vector)
{
    struct interrupt_frame frame = { 0 };

    assert_int_equal(vector, VECTOR_WORKLOAD_SELF);
    note_did("self");
    machine.handler(&frame);
}

uint64_t paging_exchange(uint64_t linear, uint64_t entry)
{
    assert_int_equal(linear, (uintptr_t)symbols_start);
    assert_int_equal(entry, 0);
    note_did("symbols absent");
    return 0;
}

bool clock_wait(unsigned microseconds)
{
    machine.waited = microseconds;
    return !machine.no_clock;
}

static const struct pebs_event loads;

const struct pebs_event *pebs_find_event(const struct caps *caps, enum pebs_role role)
{
    assert_non_null(caps);
    assert_int_equal(role, PEBS_ROLE_LOADS);
    return &loads;
}

struct window pebs_window(const struct caps *caps, uint64_t counters)
{
    assert_non_null(caps);
    assert_int_equal(counters, 1);
    return (struct window){ .on = 1 };
}

bool records_open(struct test_run *run, const struct ds_config *config)
{
    assert_true(run->planned);
    assert_true(config->pebs && !config->bts);
    assert_int_equal(config->pebs_records, 64);
    assert_int_equal(config->pebs_threshold, 1);
    assert_true(config->pebs_reset[0] == UINT64_MAX);
    return !machine.records_refused;
}

bool pebs_program(const struct caps *caps, const struct pebs_sampling *sampling)
{
    assert_non_null(caps);
    assert_ptr_equal(sampling->event, &loads);
    assert_int_equal(sampling->period, 1);
    assert_int_equal(sampling->rings, 0x30000); /* USR, OS */
    return !machine.sampling_refused;
}

static void run_loads(const struct window *window)
{
    assert_int_equal(window->on, 1);
    machine.ran++;
    for (;;)
        cpu_pause();
}

const struct workload workload_loads = { .run = run_loads };

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static struct options options;
static struct caps caps[3];

/* Selected by nothing. */
static const struct test filler = { .id = "none.such", .title = "Nothing", .on_request = true };

#define OPTION(text) ((struct slice){ text, sizeof text - 1 })

/* Everything as at the start, and the tests in the table: the first at its start, the others at its end. */
static __attribute__((noinline)) void start(const struct test *const *of, unsigned count)
{
    struct test *const table = (struct test *)(uintptr_t)tests_start;

    assert_in_range(count, 1, TESTS);
    for (unsigned i = 0; i < TESTS; i++)
        memcpy(&table[i], !i ? of[0] : i < TESTS - count + 1 ? &filler : of[i + count - TESTS], sizeof filler);
    memset(first_results, 0, sizeof first_results);
    memset(first_whys, 0, sizeof first_whys);
    memset(capabilities, 0, sizeof capabilities);
    memset(names, 0, sizeof names);
    results = first_results;
    whys = first_whys;
    ids = NULL;
    kinds = 1;
    kind = planned = number = errors = 0;
    known = current = 0;
    totals = (struct totals){ 0 };
    free(machine.memory);
    memset(&machine, 0, sizeof machine);
    *did = *said = '\0';
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

static void it_did(const char *lines)
{
    must_be("done", did, lines);
}

/* What a panic asks before a run. */
static void before_a_run(void **state)
{
    const struct caps *of;
    size_t count;

    (void)state;
    assert_int_equal(runner_kinds(), 1);
    runner_results(0, &count, &of);
    assert_int_equal(count, 0);
    assert_null(of);
}

/* ---- the verdict of a test --------------------------------------------------------------------------------------- */

/* All verdicts, one after the other, in the order of the file. */
static const struct test *const verdicts[] = {
    &selftest_verdict_as_many,       &selftest_verdict_one_less,
    &selftest_verdict_one_more,      &selftest_verdict_unplanned,
    &selftest_verdict_least,         &selftest_verdict_most,
    &selftest_verdict_below,         &selftest_verdict_above,
    &selftest_verdict_skip,          &selftest_verdict_fail_and_skip,
    &selftest_verdict_see_and_skip,  &selftest_verdict_equal,
    &selftest_verdict_differs,       &selftest_verdict_differs_and_fails,
    &selftest_verdict_typical,       &selftest_verdict_typical_none,
    &selftest_verdict_needs,         &selftest_verdict_lacks,
    &selftest_verdict_lacks_nothing, &selftest_verdict_no_plan,
};

#define CLAIMED "# claimed by docs/output.md, \"The frame\"; kernel/test.h\n"

static void every_verdict(void **state)
{
    struct totals sums;

    (void)state;
    start(verdicts, COUNT_OF(verdicts));
    options.run = OPTION("selftest.verdict.*");
    options.recap = OPTIONS_RECAP_ALL;
    caps[0].reason[CAPS_NEED_PEBS] = CAPS_NO_DS_FLAG;
    assert_true(runner_begin(&options, 1, 0));
    it_said("KTAP version 1\n1..20\n");
    runner_run(NULL, &caps[0], quiesce);
    it_said("# test selftest.verdict.as_many\n"
            "# As many records as planned: passes\n"
            "# expect 3 records\n"
            "ok 1 selftest.verdict.as_many\n"
            "# test selftest.verdict.one_less\n"
            "# One record less than planned: fails\n"
            "# expect 3 records\n"
            "# wrong: got 2 records, expected 3\n"
            "# what was held\n" CLAIMED "not ok 2 selftest.verdict.one_less\n"
            "# test selftest.verdict.one_more\n"
            "# One record more than planned: fails\n"
            "# expect 3 records\n"
            "# wrong: got 4 records, expected 3\n"
            "# what was held\n" CLAIMED "not ok 3 selftest.verdict.one_more\n"
            "# test selftest.verdict.unplanned\n"
            "# One record where none was planned: fails\n"
            "# expect 0 records\n"
            "# wrong: got 1 records, expected 0\n"
            "# what was held\n" CLAIMED "not ok 4 selftest.verdict.unplanned\n"
            "# test selftest.verdict.least\n"
            "# The least number of records that was planned: passes\n"
            "# expect 3 to 5 records\n"
            "ok 5 selftest.verdict.least\n"
            "# test selftest.verdict.most\n"
            "# The largest number of records that was planned: passes\n"
            "# expect 3 to 5 records\n"
            "ok 6 selftest.verdict.most\n"
            "# test selftest.verdict.below\n"
            "# One record less than the least number: fails\n"
            "# expect 3 to 5 records\n"
            "# wrong: got 2 records, expected 3 to 5\n"
            "# what was held\n" CLAIMED "not ok 7 selftest.verdict.below\n"
            "# test selftest.verdict.above\n"
            "# One record more than the largest number: fails\n"
            "# expect 3 to 5 records\n"
            "# wrong: got 6 records, expected 3 to 5\n"
            "# what was held\n" CLAIMED "not ok 8 selftest.verdict.above\n"
            "# test selftest.verdict.skip\n"
            "# A test that skips itself is skipped with its reason\n"
            "ok 9 selftest.verdict.skip # SKIP nothing to do\n"
            "# test selftest.verdict.fail_and_skip\n"
            "# A test that failed and then skips itself has failed\n"
            "# wrong: one thing of 2\n"
            "# what was held\n" CLAIMED "not ok 10 selftest.verdict.fail_and_skip\n"
            "# test selftest.verdict.see_and_skip\n"
            "# A test that saw records and then skips itself is held to its plan\n"
            "# expect 2 records\n"
            "# wrong: got 1 records, expected 2\n"
            "# what was held\n" CLAIMED "not ok 11 selftest.verdict.see_and_skip\n"
            "# test selftest.verdict.equal\n"
            "# Of two comparisons the one of different values is reported\n"
            "# wrong: what differs is 0x1234567890, must be 0x1234567891\n"
            "# what was held\n" CLAIMED "not ok 12 selftest.verdict.equal\n"
            "# test selftest.verdict.differs\n"
            "# A test in which a typical point differs has not failed\n"
            "# differs: one point of 2\n"
            "# what was held\n" CLAIMED "ok 13 selftest.verdict.differs\n"
            "# test selftest.verdict.differs_and_fails\n"
            "# A test that failed has failed, whatever else differs\n"
            "# differs: one point of 2\n"
            "# wrong: one thing of 2\n"
            "# differs: one point of 2\n"
            "# wrong: the other thing\n"
            "# what was held\n" CLAIMED "not ok 14 selftest.verdict.differs_and_fails\n"
            "# test selftest.verdict.typical\n"
            "# A test of a typical claim differs where another fails\n"
            "# differs: one thing of 2\n"
            "# differs: the other thing\n"
            "# what was held\n" CLAIMED "# typical, not promised: the reason for this\n"
            "ok 15 selftest.verdict.typical\n"
            "# test selftest.verdict.typical_none\n"
            "# A test of a typical claim fails where no record came\n"
            "# expect 1 records\n"
            "# wrong: got 0 records, expected 1\n"
            "# what was held\n" CLAIMED "not ok 16 selftest.verdict.typical_none\n"
            "# test selftest.verdict.needs\n"
            "ok 17 selftest.verdict.needs # SKIP no DS: CPUID.1:EDX bit 21 clear\n"
            "# test selftest.verdict.lacks\n"
            "ok 18 selftest.verdict.lacks # SKIP no such thing\n"
            "# test selftest.verdict.lacks_nothing\n"
            "# A test that lacks nothing runs\n"
            "ok 19 selftest.verdict.lacks_nothing\n"
            "# test selftest.verdict.no_plan\n"
            "# A test that arms a facility without an expectation is an error\n"
            "# wrong: the test armed a facility without saying how many records must come\n"
            "# what was held\n" CLAIMED "not ok 20 selftest.verdict.no_plan # ERROR\n");
    runner_totals(&sums);
    assert_true(sums.pass == 4 && sums.differs == 2 && sums.fail == 10 && sums.skip == 3 && sums.error == 1);
    assert_int_equal(runner_conclude(), VERDICT_ERROR);
    assert_int_equal(page_verdict, VERDICT_ERROR);
    it_said("# area               pass differs    fail    skip   error\n"
            "# area selftest         4       2      10       3       1\n"
            "# fail selftest.verdict.one_less: got 2 records, expected 3\n"
            "# fail selftest.verdict.one_more: got 4 records, expected 3\n"
            "# fail selftest.verdict.unplanned: got 1 records, expected 0\n"
            "# fail selftest.verdict.below: got 2 records, expected 3 to 5\n"
            "# fail selftest.verdict.above: got 6 records, expected 3 to 5\n"
            "# fail selftest.verdict.fail_and_skip: one thing of 2\n"
            "# fail selftest.verdict.see_and_skip: got 1 records, expected 2\n"
            "# fail selftest.verdict.equal: what differs is 0x1234567890, must be 0x1234567891\n"
            "# differs selftest.verdict.differs: one point of 2\n"
            "# fail selftest.verdict.differs_and_fails: one thing of 2\n"
            "# differs selftest.verdict.typical: one thing of 2\n"
            "# fail selftest.verdict.typical_none: got 0 records, expected 1\n"
            "# error selftest.verdict.no_plan: the test armed a facility without saying how many records must come\n"
            "# result selftest.verdict.as_many pass\n"
            "# result selftest.verdict.one_less fail\n"
            "# result selftest.verdict.one_more fail\n"
            "# result selftest.verdict.unplanned fail\n"
            "# result selftest.verdict.least pass\n"
            "# result selftest.verdict.most pass\n"
            "# result selftest.verdict.below fail\n"
            "# result selftest.verdict.above fail\n"
            "# result selftest.verdict.skip skip\n"
            "# result selftest.verdict.fail_and_skip fail\n"
            "# result selftest.verdict.see_and_skip fail\n"
            "# result selftest.verdict.equal fail\n"
            "# result selftest.verdict.differs differs\n"
            "# result selftest.verdict.differs_and_fails fail\n"
            "# result selftest.verdict.typical differs\n"
            "# result selftest.verdict.typical_none fail\n"
            "# result selftest.verdict.needs skip\n"
            "# result selftest.verdict.lacks skip\n"
            "# result selftest.verdict.lacks_nothing pass\n"
            "# result selftest.verdict.no_plan error\n"
            "# facility bts not selected\n"
            "# facility pebs none: no DS: CPUID.1:EDX bit 21 clear\n"
            "# facility lbr not selected\n");
}

/* A run of this one test, on request, of which run_alone() returns what it came to. */
static void alone(const struct test *test)
{
    start(&test, 1);
    options.run = OPTION("selftest.*");
    machine.beats = 100;
    machine.nmi = true;
}

static enum outcome run_alone(void)
{
    size_t count;
    const struct caps *of;

    assert_true(runner_begin(&options, 1, 0));
    *said = *did = '\0';
    runner_run(NULL, &caps[0], quiesce);
    return runner_results(0, &count, &of)[0].outcome;
}

/* ---- tests that hang, or raise an exception ---------------------------------------------------------------------- */

/* The end of a test that is ended. */
#define ENDED(id)                           \
    "# wrong: timed out after 30 seconds\n" \
    "# what was held\n" CLAIMED "not ok 1 " id "\n"

/* What it may have left in the processor is taken back before anything else is done. */
#define RECOVERED "cr0 31\ncr4 20\nrecover\n"

static void hanging(void **state)
{
    (void)state;
    alone(&selftest_hang);
    assert_int_equal(run_alone(), OUTCOME_FAIL);
    it_said(
        "# test selftest.hang\n"
        "# A test that never ends is ended by its time bound, fails, and the next one runs\n" ENDED("selftest.hang"));
    it_did("quiesce\npage 1 selftest.hang\nhold\nwatch 30\non\ndump selftest.hang\nunwatch\n" RECOVERED "quiesce\n");
    assert_int_equal(machine.pauses, 100);

    alone(&selftest_hang_interrupts_off);
    assert_int_equal(run_alone(), OUTCOME_FAIL);
    it_said(
        "# test selftest.hang.interrupts_off\n"
        "# A test that never ends, with interrupts off, is ended by an NMI\n" ENDED("selftest.hang.interrupts_off"));
    it_did("quiesce\npage 1 selftest.hang.interrupts_off\nhold\nwatch 30\non\ndump selftest.hang.interrupts_off\noff\n"
           "unwatch\n" RECOVERED "quiesce\n");

    alone(&selftest_hang_in_service);
    assert_int_equal(run_alone(), OUTCOME_FAIL);
    it_did("quiesce\npage 1 selftest.hang.in_service\nhold\nwatch 30\non\ndump "
           "selftest.hang.in_service\nhandler d\nhandler e2\nself\nunwatch\n" RECOVERED "quiesce\n");
    alone(&selftest_hang_in_service);
    caps[0].reason[CAPS_NEED_APIC] = CAPS_NO_APIC;
    assert_int_equal(run_alone(), OUTCOME_SKIP);

    /* Another's NMI has come in the watchdog's place, which is said once. */
    alone(&selftest_hang);
    machine.nmi_lost = true;
    run_alone();
    it_said("# test selftest.hang\n"
            "# A test that never ends is ended by its time bound, fails, and the next one runs\n"
            "# wrong: timed out after 30 seconds\n"
            "# watchdog without NMI from here on: a device's has come in its place\n"
            "# what was held\n" CLAIMED "not ok 1 selftest.hang\n");
    alone(&selftest_hang);
    machine.nmi = false;
    run_alone();
    it_said(
        "# test selftest.hang\n"
        "# A test that never ends is ended by its time bound, fails, and the next one runs\n" ENDED("selftest.hang"));
}

static void a_storm(void **state)
{
    (void)state;
    alone(&selftest_storm);
    assert_int_equal(run_alone(), OUTCOME_FAIL);
    it_said("# test selftest.storm\n"
            "# A storm of performance monitoring interrupts is ended by the time bound\n"
            "# expect 0 records\n" ENDED("selftest.storm"));
    assert_int_equal(machine.ran, 1);
    alone(&selftest_storm);
    machine.records_refused = true;
    assert_int_equal(run_alone(), OUTCOME_PASS);
    alone(&selftest_storm);
    machine.sampling_refused = true;
    assert_int_equal(run_alone(), OUTCOME_PASS);
    assert_int_equal(machine.ran, 0);
    for (unsigned i = 0; i < 3; i++) {
        static const enum caps_need needs[] = { CAPS_NEED_APIC, CAPS_NEED_PEBS, CAPS_NEED_EVENT_LOADS };
        alone(&selftest_storm);
        caps[0].reason[needs[i]] = CAPS_NO_DS_FLAG;
        assert_int_equal(run_alone(), OUTCOME_SKIP);
    }
    assert_true(selftest_storm.records);

    alone(&selftest_no_records);
    assert_int_equal(run_alone(), OUTCOME_FAIL);
    it_said("# test selftest.no_records\n"
            "# A test that expected records and got none fails\n"
            "# expect 1 records\n"
            "# wrong: got 0 records, expected 1\n"
            "# what was held\n" CLAIMED "not ok 1 selftest.no_records\n");
}

/* Whether the test ends its process, as an exception ends a run. */
static bool dies(const struct test *test)
{
    int status;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (!child) {
        assert_non_null(freopen("/dev/null", "w", stderr));
        assert_non_null(freopen("/dev/null", "w", stdout));
        alone(test);
        run_alone();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void exceptions(void **state)
{
    (void)state;
    text_start[0] = 0x90;
    alone(&selftest_exception);
    assert_int_equal(run_alone(), OUTCOME_PASS); /* here it may be written to */
    assert_int_equal(text_start[0], 0);
    text_start[0] = 0x90;
    alone(&selftest_panic_twice);
    assert_int_equal(run_alone(), OUTCOME_PASS);
    it_did("quiesce\npage 1 selftest.panic_twice\nhold\nwatch 30\non\ndump selftest.panic_twice\nsymbols absent\noff\n"
           "unwatch\nquiesce\n");
    assert_int_equal(text_start[0], 0);
    assert_true(dies(&selftest_null_pointer));
    assert_true(dies(&selftest_stack_overflow));
    assert_true(dies(&selftest_execute_data));
    assert_false(dies(&selftest_exception));
}

/* What the serial line needs is not the test's time. */
static void printing(void **state)
{
    (void)state;
    alone(&selftest_time_printing);
    machine.per_line = 1;
    assert_int_equal(run_alone(), OUTCOME_PASS);
    it_said("# test selftest.time.printing\n"
            "# The time that the serial line needs for what a test prints does not count towards its limit\n"
            "# a line of no importance\n# a line of no importance\n# a line of no importance\n"
            "ok 1 selftest.time.printing\n");
    assert_int_equal(machine.waited, 2000000);
    alone(&selftest_time_printing);
    machine.per_line = 1;
    machine.no_clock = true;
    assert_int_equal(run_alone(), OUTCOME_SKIP);
    alone(&selftest_time_hang);
    machine.per_line = 1;
    assert_int_equal(run_alone(), OUTCOME_FAIL);
    it_said("# test selftest.time.hang\n"
            "# A test that prints and then hangs is ended: the printing counts only once\n"
            "# a line of no importance\n# a line of no importance\n# a line of no importance\n" ENDED(
                "selftest.time.hang"));
    for (unsigned i = 0; i < 2; i++) {
        alone(i ? &selftest_time_hang : &selftest_time_printing);
        caps[0].reason[CAPS_NEED_APIC] = CAPS_NO_APIC;
        assert_int_equal(run_alone(), OUTCOME_SKIP);
    }
}

static void by_request(void **state)
{
    static const struct test *const all[] = {
        &selftest_hang,           &selftest_hang_interrupts_off, &selftest_hang_in_service, &selftest_storm,
        &selftest_no_records,     &selftest_exception,           &selftest_execute_data,    &selftest_null_pointer,
        &selftest_stack_overflow, &selftest_panic_twice,         &selftest_time_printing,   &selftest_time_hang,
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all) + COUNT_OF(verdicts); i++) {
        const struct test *test = i < COUNT_OF(all) ? all[i] : verdicts[i - COUNT_OF(all)];
        start(&test, 1);
        assert_false(runner_begin(&options, 1, 0));
        it_said("# error: the options run= and skip= select no test\n");
        assert_true(i < COUNT_OF(all) || test == &selftest_verdict_needs || !test->needs);
    }
}

/* What the outcome does not tell. */
static void what_they_do(void **state)
{
    struct test_run run = { .test = &selftest_verdict_fail_and_skip };
    const struct plan *const plan = selftest_verdict_least.argument;

    (void)state;
    alone(&selftest_verdict_fail_and_skip);
    for (unsigned i = 0; i < 8; i++)
        assert_true(verdicts[i]->records);
    assert_true(selftest_no_records.records && selftest_verdict_typical_none.records &&
                selftest_verdict_no_plan.records);
    assert_true(plan->least == 3 && plan->most == 5 && plan->seen == 3);
    run.test->run(&run);
    assert_string_equal(run.skipped, "nothing to do");
    run = (struct test_run){ .test = &selftest_verdict_see_and_skip };
    run.test->run(&run);
    assert_string_equal(run.skipped, "nothing to do");
}

/* ---- several kinds of cores -------------------------------------------------------------------------------------- */

static jmp_buf away;
static unsigned leaves; /* the test, counted from 1, that does not come back; 0: none */
static unsigned ran;

static void see_one(struct test_run *run)
{
    test_plan(run, 1);
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
    test_plan(run, 1);
    if (++ran == leaves)
        longjmp(away, 1);
    test_saw(run, run->caps == &caps[1] ? 0 : 1);
}

static const struct test bts_one = { .id = "bts.one", .title = "One", .records = true, .run = see_one },
                         pebs_two = { .id = "pebs.two", .title = "Two", .records = true, .run = see_nothing_on_atom },
                         bts_three = { .id = "bts.three", .title = "Three", .records = true, .run = see_one },
                         skipped_four = { .id = "other.four", .title = "Four", .needs = NEED_LBR, .run = hang };
static const struct test *const four[] = { &bts_one, &pebs_two, &bts_three, &skipped_four };

/* Where they are. */
#define AT(n) ((n) ? TESTS - 4 + (n) : 0)

static void start_four(void)
{
    start(four, 4);
    ran = leaves = 0;
    caps[0].data_source = DATA_SOURCE_NEHALEM;
    caps[0].reason[CAPS_NEED_LBR] = caps[1].reason[CAPS_NEED_LBR] = CAPS_NO_DS_FLAG;
}

static void two_kinds(void **state)
{
    const struct caps *of;
    size_t count;
    struct totals sums;

    (void)state;
    start_four();
    assert_true(runner_begin(&options, 2, 1));
    it_said("KTAP version 1\n1..8\n");
    assert_int_equal(page_planned, 8);
    assert_int_equal(page_count, 2 * TESTS);
    assert_int_equal(runner_kinds(), 2);
    runner_run(NULL, &caps[0], quiesce);
    it_said("# test bts.one\n# One\n# expect 1 records\nok 1 bts.one\n"
            "# test pebs.two\n# Two\n# expect 1 records\nok 2 pebs.two\n"
            "# test bts.three\n# Three\n# expect 1 records\nok 3 bts.three\n"
            "# test other.four\nok 4 other.four # SKIP no DS: CPUID.1:EDX bit 21 clear\n");
    assert_null(runner_results(1, &count, &of)[AT(0)].why);
    assert_null(of);
    runner_totals(&sums);
    assert_true(sums.pass == 3 && sums.skip == 1 && !sums.fail);
    *did = '\0';
    runner_run("atom", &caps[1], quiesce);
    it_said("# test bts.one.atom\n# One\n# expect 1 records\nok 5 bts.one.atom\n"
            "# test pebs.two.atom\n# Two\n# expect 1 records\n# wrong: got 0 records, expected 1\n# what was held\n"
            "not ok 6 pebs.two.atom\n"
            "# test bts.three.atom\n# Three\n# expect 1 records\nok 7 bts.three.atom\n"
            "# test other.four.atom\nok 8 other.four.atom # SKIP no DS: CPUID.1:EDX bit 21 clear\n");
    it_did("quiesce\npage 5 bts.one.atom\nhold\nwatch 30\non\ndump bts.one.atom\noff\nunwatch\nquiesce\n"
           "page 6 pebs.two.atom\nhold\nwatch 30\non\ndump pebs.two.atom\noff\nunwatch\nquiesce\n"
           "page 7 bts.three.atom\nhold\nwatch 30\non\ndump bts.three.atom\noff\nunwatch\nquiesce\n"
           "page 8 other.four.atom\n");
    runner_run("atom2", &caps[2], quiesce); /* one more than there is room for */
    runner_abandon("atom2", &caps[2], "late");
    it_said("");
    it_did("");
    runner_totals(&sums);
    assert_true(sums.pass == 5 && sums.skip == 2 && sums.fail == 1);
    assert_int_equal(runner_conclude(), VERDICT_FAIL);
    assert_int_equal(page_verdict, VERDICT_FAIL);
    assert_memory_equal(page_facilities, "420", FACILITIES);
    it_said("# area               pass differs    fail    skip   error\n"
            "# area bts              4       0       0       0       0\n"
            "# area pebs             1       0       1       0       0\n"
            "# area other            0       0       0       2       0\n"
            "# fail pebs.two.atom: got 0 records, expected 1\n"
            "# facility bts pass 2 of 2\n"
            "# facility pebs pass 1 of 1\n"
            "# facility lbr none: no DS: CPUID.1:EDX bit 21 clear\n"
            "# facility bts.atom pass 2 of 2\n"
            "# facility pebs.atom fail 1 of 1\n"
            "# facility lbr.atom none: no DS: CPUID.1:EDX bit 21 clear\n");
    assert_string_equal(runner_results(0, &count, &of)[AT(1)].id, "pebs.two");
    assert_ptr_equal(of, &caps[0]);
    assert_string_equal(runner_results(1, &count, &of)[AT(1)].id, "pebs.two.atom");
    assert_ptr_equal(of, &caps[1]);
    assert_int_equal(count, TESTS);
    assert_int_equal(runner_results(0, &count, &of)[AT(0)].seen, true);
    assert_int_equal(runner_results(1, &count, &of)[AT(1)].seen, false);
    assert_int_equal(runner_results(1, &count, &of)[AT(2)].records, true);
    assert_int_equal(runner_results(1, &count, &of)[AT(3)].records, false);
}

/* A further kind alone, whose ids have its name; and without memory for them the first of those that are wanted. */
static void one_of_them(void **state)
{
    (void)state;
    start_four();
    options.skip = OPTION("other.*");
    assert_true(runner_begin(&options, 1, 1));
    assert_ptr_equal(results, machine.memory);
    assert_true((uint8_t *)whys >= (uint8_t *)(results + TESTS) && (uint8_t *)ids >= (uint8_t *)(whys + TESTS));
    assert_true((uint8_t *)(ids + TESTS) <= machine.memory + machine.kept);
    runner_run("atom", &caps[0], quiesce);
    assert_int_equal(runner_conclude(), VERDICT_PASS);
    it_said("KTAP version 1\n1..3\n"
            "# test bts.one.atom\n# One\n# expect 1 records\nok 1 bts.one.atom\n"
            "# test pebs.two.atom\n# Two\n# expect 1 records\nok 2 pebs.two.atom\n"
            "# test bts.three.atom\n# Three\n# expect 1 records\nok 3 bts.three.atom\n"
            "# area               pass differs    fail    skip   error\n"
            "# area bts              2       0       0       0       0\n"
            "# area pebs             1       0       0       0       0\n"
            "# facility bts.atom pass 2 of 2\n"
            "# facility pebs.atom pass 1 of 1\n"
            "# facility lbr.atom none: no DS: CPUID.1:EDX bit 21 clear\n");

    start_four();
    assert_true(runner_begin(&options, 1, 0)); /* the first kind needs none */
    assert_int_equal(machine.kept, 0);
}

static void no_memory(void **state)
{
    struct totals sums;

    (void)state;
    start_four();
    options.run = OPTION("bts.one");
    machine.no_memory = true;
    assert_true(runner_begin(&options, 2, 1));
    runner_run(NULL, &caps[0], quiesce);
    runner_run("atom", &caps[1], quiesce);
    it_said("# kinds left out: 1, because there is no memory for their results\nKTAP version 1\n1..1\n"
            "# test bts.one\n# One\n# expect 1 records\nok 1 bts.one\n");
    assert_int_equal(runner_kinds(), 1);

    start_four(); /* all that are wanted need it */
    machine.no_memory = true;
    assert_false(runner_begin(&options, 2, 2));
    it_said("# kinds left out: 2, because there is no memory for their results\n"
            "# error: no kind of cores is left that the option kinds= selects\n");
    runner_totals(&sums);
    assert_int_equal(sums.error, 1);
}

/* ---- a processor that does not come back ------------------------------------------------------------------------- */

/* Runs the tests on this kind until the one that leaves. */
static void run_away(const char *name, const struct caps *of, unsigned leaving)
{
    leaves = leaving;
    if (setjmp(away) == 0) {
        runner_run(name, of, quiesce);
        fail_msg("no test leaves");
    }
    leaves = 0;
}

static void run_first(unsigned wanted)
{
    start_four();
    options.skip = OPTION("other.*");
    assert_true(runner_begin(&options, wanted, wanted - 1));
    runner_run(NULL, &caps[0], quiesce);
    *said = *did = '\0';
}

/* In the middle of a test: that one has failed, and the rest is left out. */
static void hangs_in_a_test(void **state)
{
    struct totals sums;

    (void)state;
    run_first(3);
    options.recap = OPTIONS_RECAP_ALL;
    run_away("atom", &caps[1], 5);
    it_said("# test bts.one.atom\n# One\n# expect 1 records\nok 4 bts.one.atom\n"
            "# test pebs.two.atom\n# Two\n# expect 1 records\n");
    runner_abandon("atom", &caps[1], "cpu 2 does not come back");
    it_said("# wrong: cpu 2 does not come back\nnot ok 5 pebs.two.atom\n"
            "ok 6 bts.three.atom # SKIP cpu 2 does not come back\n");
    runner_run("atom2", &caps[2], quiesce);
    runner_totals(&sums);
    assert_true(sums.pass == 3 + 1 + 3 && sums.fail == 1 && sums.skip == 1);
    *said = '\0';
    assert_int_equal(runner_conclude(), VERDICT_FAIL);
    it_said("# area               pass differs    fail    skip   error\n"
            "# area bts              5       0       0       1       0\n"
            "# area pebs             2       0       1       0       0\n"
            "# fail pebs.two.atom: cpu 2 does not come back\n"
            "# result bts.one pass\n# result pebs.two pass\n# result bts.three pass\n"
            "# result bts.one.atom pass\n# result pebs.two.atom fail\n# result bts.three.atom skip\n"
            "# result bts.one.atom2 pass\n# result pebs.two.atom2 pass\n# result bts.three.atom2 pass\n"
            "# facility bts pass 2 of 2\n"
            "# facility pebs pass 1 of 1\n"
            "# facility lbr none: no DS: CPUID.1:EDX bit 21 clear\n"
            "# facility bts.atom pass 1 of 2\n"
            "# facility pebs.atom fail 1 of 1\n"
            "# facility lbr.atom none: no DS: CPUID.1:EDX bit 21 clear\n"
            "# facility bts.atom2 pass 2 of 2\n"
            "# facility pebs.atom2 pass 1 of 1\n"
            "# facility lbr.atom2 not selected\n");
}

/* Before its tests begin: all are left out. */
static void does_not_start(void **state)
{
    struct totals sums;
    const struct caps *of;
    size_t count;

    (void)state;
    run_first(2);
    runner_abandon("atom", &caps[1], "cpu 2 does not start");
    it_said("ok 4 bts.one.atom # SKIP cpu 2 does not start\n"
            "ok 5 pebs.two.atom # SKIP cpu 2 does not start\n"
            "ok 6 bts.three.atom # SKIP cpu 2 does not start\n");
    runner_totals(&sums);
    assert_true(sums.pass == 3 && sums.fail == 0 && sums.skip == 3);
    assert_int_equal(runner_results(0, &count, &of)[AT(2)].outcome, OUTCOME_PASS);
    assert_int_equal(runner_conclude(), VERDICT_INCOMPLETE);

    start_four(); /* nor does the first that is wanted */
    options.run = OPTION("bts.*");
    assert_true(runner_begin(&options, 1, 1));
    *said = '\0';
    runner_abandon("atom", &caps[1], "cpu 2 does not start");
    it_said("ok 1 bts.one.atom # SKIP cpu 2 does not start\n"
            "ok 2 bts.three.atom # SKIP cpu 2 does not start\n");
}

static void quiesce_away(void)
{
    longjmp(away, 1);
}

/* Between its tests, in what switches everything off: the next one has failed. */
static void hangs_before_a_test(void **state)
{
    struct totals sums;
    const struct caps *of;
    size_t count;

    (void)state;
    run_first(2);
    if (setjmp(away) == 0)
        runner_run("atom", &caps[1], quiesce_away);
    runner_abandon("atom", &caps[1], "cpu 2 does not come back");
    it_said("# wrong: cpu 2 does not come back\nnot ok 4 bts.one.atom\n"
            "ok 5 pebs.two.atom # SKIP cpu 2 does not come back\n"
            "ok 6 bts.three.atom # SKIP cpu 2 does not come back\n");
    runner_totals(&sums);
    assert_true(sums.pass == 3 && sums.fail == 1 && sums.skip == 2);
    assert_int_equal(runner_results(0, &count, &of)[AT(2)].outcome, OUTCOME_PASS);
    assert_string_equal(runner_results(1, &count, &of)[AT(0)].why, "cpu 2 does not come back");

    start_four(); /* before the first test of all */
    options.run = OPTION("bts.*");
    assert_true(runner_begin(&options, 1, 1));
    *said = '\0';
    if (setjmp(away) == 0)
        runner_run("atom", &caps[1], quiesce_away);
    runner_abandon("atom", &caps[1], "cpu 2 does not come back");
    it_said("# wrong: cpu 2 does not come back\nnot ok 1 bts.one.atom\n"
            "ok 2 bts.three.atom # SKIP cpu 2 does not come back\n");
}

/* After its tests, of which each has its result: an error of the run, whatever runs behind it. */
static void hangs_after_the_tests(void **state)
{
    struct totals sums;

    (void)state;
    run_first(3);
    runner_run("atom", &caps[1], quiesce);
    *said = '\0';
    runner_abandon("atom", &caps[1], "cpu 2 does not come back");
    it_said("# error: cpu 2 does not come back after the last test\n");
    runner_totals(&sums);
    assert_true(sums.pass == 5 && sums.fail == 1 && sums.skip == 0 && sums.error == 1);
    runner_run("atom2", &caps[2], quiesce);
    runner_totals(&sums);
    assert_true(sums.pass == 8 && sums.fail == 1 && sums.error == 1);
    assert_int_equal(runner_conclude(), VERDICT_ERROR);
}

/* When it is late: ten seconds behind its limit, by a clock of seconds; what the serial line needs does not count. */
static void late(void **state)
{
    (void)state;
    for (unsigned printed = 0; printed < 2; printed++) {
        run_first(2);
        run_away("atom", &caps[1], 4 + printed);
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

/* ---- which tests, and what else is said -------------------------------------------------------------------------- */

static void selections(void **state)
{
    static const struct {
        const char *run, *skip, *lines;
    } cases[] = {
        { "*", "", "KTAP version 1\n1..4\n" },
        { "bts.*", "", "KTAP version 1\n1..2\n" },
        { "*", "bts.*", "KTAP version 1\n1..2\n" },
        { "bts.*", "b*", "# error: the options run= and skip= select no test\n" },
        { "none.*", "", "KTAP version 1\n1..764\n" },
        { "none.such", "", "KTAP version 1\n1..764\n" },
        { "non*.such", "", "# error: the options run= and skip= select no test\n" },
        { "none*", "", "# error: the options run= and skip= select no test\n" },
        { "?one.such", "", "# error: the options run= and skip= select no test\n" },
        { "*.such", "", "# error: the options run= and skip= select no test\n" },
        { "none.such,nosuch", "", "# error: run=nosuch matches no test\n" },
        { "nosuch,none.such,no", "", "# error: run=nosuch matches no test\n# error: run=no matches no test\n" },
        { "*", "other,bts.*", "# error: skip=other matches no test\n" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        struct totals sums;
        start_four();
        options.run = (struct slice){ cases[i].run, strlen(cases[i].run) };
        options.skip = (struct slice){ cases[i].skip, strlen(cases[i].skip) };
        assert_int_equal(runner_begin(&options, 1, 0), *cases[i].lines == 'K');
        it_said(cases[i].lines);
        runner_totals(&sums);
        assert_int_equal(sums.error, *cases[i].lines != 'K');
    }
    start_four();
    for (unsigned i = 0; i < 2; i++) {
        assert_true(plan_run(&options, TESTS));
        assert_int_equal(planned, 4);
    }
    assert_false(plan_run(&options, TESTS_MAX + 1));
    it_said("# error: the kernel has 769 tests, more than TESTS_MAX, 768\n");
}

static void the_list(void **state)
{
    static const struct test *const two[] = { &selftest_verdict_typical, &bts_one };
    const char *const first =
        "# test selftest.verdict.typical: A test of a typical claim differs where another fails [docs/output.md, \"The "
        "frame\"; kernel/test.h] typical: the reason for this\n# test none.such: Nothing [no source] architectural\n";
    const char *const last = "# test bts.one: One [no source] architectural\n";

    (void)state;
    start(two, 2);
    runner_list();
    assert_memory_equal(said, first, strlen(first));
    assert_string_equal(said + strlen(said) - strlen(last), last);
}

/* What another processor runs is told aside: the first problem, or else the first difference. */
static void aside(void **state)
{
    char text[TEST_ASIDE] = "";
    struct test_run run = { .test = &bts_one, .aside = text };

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_a_run),
        cmocka_unit_test(what_they_do),
        cmocka_unit_test(every_verdict),
        cmocka_unit_test(hanging),
        cmocka_unit_test(a_storm),
        cmocka_unit_test(exceptions),
        cmocka_unit_test(printing),
        cmocka_unit_test(by_request),
        cmocka_unit_test(two_kinds),
        cmocka_unit_test(one_of_them),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(hangs_in_a_test),
        cmocka_unit_test(does_not_start),
        cmocka_unit_test(hangs_before_a_test),
        cmocka_unit_test(hangs_after_the_tests),
        cmocka_unit_test(late),
        cmocka_unit_test(selections),
        cmocka_unit_test(the_list),
        cmocka_unit_test(aside),
    };

    return cmocka_run_group_tests_name("runner", tests, NULL, NULL);
}
