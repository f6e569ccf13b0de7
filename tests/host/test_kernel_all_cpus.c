/* SPDX-License-Identifier: MIT */
/*
 * The processors of a machine as a crew (suite/all_cpus/all_cpus.c): who is started, compared and left out, who does a
 * job and when, and what is told of it. The others' part is done while the boot processor waits. Registers by their
 * numbers from SDM Vol. 4 (335592-081): 1D9H IA32_DEBUGCTL.
 */
#include "tests/host/host_test.h"

static void memory_fence(void)
{
}

/* What a processor can do comes from the test. */
#define caps_fill      the_caps
#define ds_close       the_close
#define pebs_quiesce   the_pebs
#define counters_clear the_counters
#include "suite/all_cpus/all_cpus.c"
#include "tests/host/machine/machine.h"

#define OTHERS 3u

static struct {
    char did[1000];
    unsigned count;
    const char *barred;
    enum acpi_error error;
    unsigned total, allowed;
    unsigned dead; /* the one that does not start; 0: none */
    struct caps caps[OTHERS + 1];
    unsigned unlike;                            /* the one that is not like the first of its kind */
    unsigned differs;                           /* .. that differs in something of no importance */
    unsigned problems, differences, interrupts; /* of the last one's job */
    unsigned jobs;                              /* of one of the others */
} is;

static struct test_run run;
static struct test test = { .id = "all_cpus.test", .needs = NEED_BTS };
static struct caps caps;
static struct member pages[OTHERS];
static jmp_buf end;

static void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *fmt, ...)
{
    const size_t used = strlen(is.did);
    va_list args;

    va_start(args, fmt);
    vsnprintf(is.did + used, sizeof is.did - used, fmt, args);
    va_end(args);
}

static void did(const char *want)
{
    assert_string_equal(is.did, want);
    is.did[0] = 0;
}

void ds_close(void)
{
    note("close, ");
}

void pebs_quiesce(const struct caps *of)
{
    note("no pebs %x, ", of->signature);
}

void counters_clear(const struct caps *of)
{
    note("clear %x, ", of->signature);
}

void ds_probe(struct caps_input *input)
{
    memset(input, 0, sizeof *input);
}

void caps_fill(const struct caps_input *input, struct caps *of)
{
    (void)input;
    *of = is.caps[machine.processor];
}

void ds_probe_registers(struct caps *of)
{
    note("probe %x, ", of->signature);
}

uint32_t apic_id(void)
{
    return 0x40;
}

void watchdog_allow(unsigned seconds)
{
    is.allowed = seconds;
}

unsigned secondary_cpus_count(void)
{
    return is.count;
}

uint32_t secondary_cpus_id(unsigned number)
{
    assert_in_range(number, 1, is.count);
    return 0x40 + 2 * number;
}

void *secondary_cpus_page(unsigned number)
{
    assert_in_range(number, 1, is.count);
    return &pages[number - 1];
}

const char *secondary_cpus_barred(void)
{
    return is.barred;
}

enum acpi_error secondary_cpus_topology(struct topology *topology)
{
    *topology = (struct topology){ .total = is.total };
    return is.error;
}

bool secondary_cpus_start(unsigned number, void (*main)(unsigned number))
{
    assert_true(main == other_main);
    assert_false(pages[number - 1].probed);
    note("start %u, ", number);
    return number != is.dead;
}

void processor_wake(unsigned number)
{
    note("wake %u, ", number);
}

bool cpus_alike(const struct caps *first, const struct caps *other, void (*tells)(void *context, const char *text),
                void *context)
{
    unsigned n = 0, of = 0;

    while (&cpus_member(n)->caps != other)
        n++;
    while (&cpus_member(of)->caps != first)
        of++;
    note("compare %u with %u, ", n, of);
    if (n == is.unlike || n == is.differs)
        tells(context, "microcode 2, not 1");
    return n != is.unlike;
}

/* The others have done their part by then: probed themselves, or the job. */
void cpu_halt_for_interrupt(void)
{
    if (machine.processor) { /* it is one of the others that waits: for its turn */
        note("halt, ");
        cpus_member(machine.processor)->go = true;
        return;
    }
    for (unsigned n = 1; n <= is.count; n++) {
        struct member *const m = &pages[n - 1];
        if (m->started && !m->probed) {
            m->caps = is.caps[n];
            m->probed = true;
            return;
        }
        if (m->go) {
            m->go = false;
            machine.processor = n;
            current_job(m);
            machine.processor = 0;
            m->over = true;
        }
    }
}

static void begin_test(void)
{
    machine_start();
    memset(&is, 0, sizeof is);
    memset(pages, 0, sizeof pages);
    memset(&boot_member, 0, sizeof boot_member);
    is.count = OTHERS;
    is.total = OTHERS + 1;
    caps = (struct caps){ .signature = 0x506e3 };
    for (unsigned n = 0; n <= OTHERS; n++) {
        is.caps[n] = caps;
        is.caps[n].signature += 0x1000 * n;
    }
    run = (struct test_run){ .test = &test, .caps = &caps, .data_source = DATA_SOURCE_SKYLAKE };
}

/* ---- who takes part ------------------------------------------------------------------------------------------------
 */

static void all_start(void **state)
{
    (void)state;
    begin_test();
    assert_null(cpus_start(&run));
    did("start 1, compare 1 with 0, start 2, compare 2 with 0, start 3, compare 3 with 0, ");
    machine_did("cli\nsti\n");
    machine_printed("processors 4 started of 4\n");
    assert_int_equal(is.allowed, 4);
    assert_int_equal(cpus_count(), 4);
    for (unsigned n = 0; n < 4; n++) {
        struct member *const m = cpus_member(n);
        assert_true(m->started && m->fit && !m->differs);
        assert_ptr_equal(m->run.test, &test);
        assert_ptr_equal(m->run.caps, &caps);
        assert_int_equal(m->run.data_source, DATA_SOURCE_SKYLAKE);
        assert_ptr_equal(m->run.aside, m->aside);
        assert_int_equal(m->caps.signature, 0x506e3 + 0x1000 * n);
    }
}

static void nobody(void **state)
{
    (void)state;
    begin_test();
    is.barred = "barred";
    assert_string_equal(cpus_start(&run), "barred");
    begin_test();
    is.error = ACPI_OK + 1;
    assert_string_equal(cpus_start(&run), acpi_error_text(ACPI_OK + 1));
    begin_test();
    is.count = 0;
    is.total = 1;
    assert_string_equal(cpus_start(&run), "one processor: it is what all other tests run on");
    is.total = 2;
    assert_string_equal(cpus_start(&run), "no other processor can be started: the head of the log says why");
    did("");
    machine_did("");
    machine_printed("");
    begin_test();
    is.count = 1;
    assert_null(cpus_start(&run));
}

static void left_out(void **state)
{
    (void)state;
    begin_test();
    is.dead = 2;
    assert_null(cpus_start(&run));
    machine_printed("cpu 2 apic 0x44 does not start: left out\nprocessors 3 started of 4\n");
    assert_false(cpus_member(2)->fit || cpus_member(2)->started);
    begin_test();
    is.unlike = 3;
    assert_null(cpus_start(&run));
    machine_printed("cpu 3 apic 0x46 differs: microcode 2, not 1\n"
                    "cpu 3 apic 0x46 has other capabilities than cpu 0: left out\nprocessors 4 started of 4\n");
    assert_true(!cpus_member(3)->fit && cpus_member(3)->differs && cpus_member(3)->started);
    begin_test();
    is.differs = 1;
    assert_null(cpus_start(&run));
    machine_printed("cpu 1 apic 0x42 differs: microcode 2, not 1\nprocessors 4 started of 4\n");
    assert_true(cpus_member(1)->fit && cpus_member(1)->differs && !cpus_member(2)->differs);
}

/* The second and the third are of another kind, and compared with one another; the second has not the first's APIC. */
static void kinds(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        begin_test();
        for (unsigned n = 0; n <= OTHERS; n++) {
            is.caps[n].hybrid = true;
            is.caps[n].core_type = n >= 2 ? CORE_TYPE_ATOM : CORE_TYPE_CORE;
            is.caps[n].native_model = i == 2 && n == 3 ? 7 : 5;
            is.caps[n].reason[CAPS_NEED_APIC] = CAPS_NO_APIC;
            is.caps[n].data_source = DATA_SOURCE_STORE;
            if (n >= 2)
                is.caps[n].reason[CAPS_NEED_BTS] = i == 1 ? CAPS_BTS_UNAVAILABLE : CAPS_AVAILABLE;
        }
        caps.hybrid = true;
        caps.core_type = CORE_TYPE_CORE;
        caps.native_model = 5;
        assert_null(cpus_start(&run));
        did(i == 2 ? "start 1, compare 1 with 0, start 2, start 3, "
                   : "start 1, compare 1 with 0, start 2, start 3, compare 3 with 2, ");
        assert_int_equal(cpus_member(2)->fit, i != 1);
        assert_int_equal(cpus_member(2)->caps.reason[CAPS_NEED_APIC], CAPS_AVAILABLE);
        assert_ptr_equal(cpus_member(2)->run.caps, &cpus_member(2)->caps);
        assert_int_equal(cpus_member(2)->run.data_source, DATA_SOURCE_STORE);
        assert_ptr_equal(cpus_member(1)->run.caps, &caps);
        if (i == 1)
            machine_has_printed(caps_reason_text(CAPS_BTS_UNAVAILABLE));
        else
            machine_has_printed(
                "cpu 2 apic 0x44 is another kind of core than cpu 0, Atom: with its own capabilities\n");
    }
    /* The first of a kind that was not started is nobody's measure. */
    begin_test();
    for (unsigned n = 0; n <= OTHERS; n++) {
        is.caps[n].hybrid = true;
        is.caps[n].core_type = n ? CORE_TYPE_ATOM : CORE_TYPE_CORE;
    }
    caps.hybrid = true;
    caps.core_type = CORE_TYPE_CORE;
    is.dead = 1;
    assert_null(cpus_start(&run));
    did("start 1, start 2, start 3, compare 3 with 2, ");
}

/* ---- jobs ----------------------------------------------------------------------------------------------------------
 */

static void job(struct member *m)
{
    unsigned n = 0;

    while (cpus_member(n) != m)
        n++;
    assert_int_equal(machine.processor, n);
    note("job %u, ", n);
    m->came = 10 + n;
    m->of = 20;
    if (n < OTHERS)
        return;
    m->interrupts = is.interrupts;
    m->run.problems = is.problems;
    m->run.differences = is.differences;
    strcpy(m->aside, "the first thing");
}

static void begin_crew(void)
{
    begin_test();
    assert_null(cpus_start(&run));
    machine_did("cli\nsti\n");
    machine_printed("processors 4 started of 4\n");
    is.did[0] = 0;
}

#define TOLD                                                                       \
    "cpu 0 apic 0x40: saw 10 of 20 things\ncpu 1 apic 0x42: saw 11 of 20 things\n" \
    "cpu 2 apic 0x44: saw 12 of 20 things\n"

static void in_turn(void **state)
{
    (void)state;
    begin_crew();
    is.interrupts = 7;
    run.planned = true;
    cpus_in_turn(&run, job, "saw", "things");
    did("job 0, wake 1, job 1, wake 2, job 2, wake 3, job 3, ");
    machine_did("cli\ncli\nsti\ncli\ncli\nsti\ncli\ncli\nsti\ncli\ncli\nsti\n");
    machine_printed(TOLD "cpu 3 apic 0x46: saw 13 of 20 things, 7 interrupts\n");
    assert_int_equal(run.seen, 10 + 11 + 12 + 13);
    assert_int_equal(run.problems + run.differences, 0);
    begin_crew();
    cpus_member(1)->fit = false;
    cpus_in_turn(&run, job, "saw", "things");
    did("job 0, wake 2, job 2, wake 3, job 3, ");
    assert_int_equal(run.seen, 0); /* there was no plan */
}

/* The others begin first, the last one before all, and the boot processor has its turn meanwhile. */
static void at_once(void **state)
{
    (void)state;
    begin_crew();
    cpus_member(3)->over = true; /* of the job before */
    cpus_at_once(&run, job, "saw", "things");
    did("wake 3, wake 2, wake 1, job 0, job 1, job 2, job 3, ");
    machine_did("cli\ncli\ncli\ncli\ncli\nsti\n");
    machine_printed(TOLD "cpu 3 apic 0x46: saw 13 of 20 things\n");
    begin_crew();
    cpus_member(0)->fit = cpus_member(2)->fit = false;
    cpus_at_once(&run, job, "saw", "things");
    did("wake 3, wake 1, job 1, job 3, ");
    machine_printed("cpu 1 apic 0x42: saw 11 of 20 things\ncpu 3 apic 0x46: saw 13 of 20 things\n");
}

static void told(void **state)
{
    static const struct {
        unsigned problems, differences;
        const char *found;
    } cases[] = {
        { 1, 0, "wrong: cpu 3 apic 0x46: the first thing\n" },
        { 1, 5, "wrong: cpu 3 apic 0x46: the first thing\n" },
        { 2, 0, "wrong: cpu 3 apic 0x46: the first thing, and more\n" },
        { 0, 2, "differs: cpu 3 apic 0x46: the first thing\n" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        begin_crew();
        is.problems = cases[i].problems;
        is.differences = cases[i].differences;
        cpus_in_turn(&run, job, "saw", "things");
        machine_found(cases[i].found);
    }
    begin_crew(); /* a hybrid's say what they are */
    cpus_member(1)->caps.hybrid = cpus_member(2)->caps.hybrid = true;
    cpus_member(1)->caps.core_type = CORE_TYPE_ATOM;
    cpus_member(2)->caps.core_type = CORE_TYPE_CORE;
    cpus_in_turn(&run, job, "saw", "things");
    machine_has_printed("cpu 1 apic 0x42 Atom: saw 11 of 20 things\ncpu 2 apic 0x44 Core: saw 12 of 20 things\n");
}

/* ---- the others' part ----------------------------------------------------------------------------------------------
 */

static void last_wait(const char *line)
{
    if (strcmp(line, "cli") == 0)
        note("cli, ");
}

static void other_job(struct member *m)
{
    assert_false(m->go);
    assert_int_equal(m->over, is.jobs);
    note("job, ");
    if (is.jobs++)
        longjmp(end, 1);
}

static void run_other(void)
{
    if (!setjmp(end))
        other_main(2);
}

static void others_part(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        begin_test();
        machine.processor = 2;
        machine.did = last_wait;
        caps.reason[CAPS_NEED_PEBS] = i == 1 ? CAPS_PEBS_UNAVAILABLE : CAPS_AVAILABLE;
        caps.reason[CAPS_NEED_PERFMON] = i == 1 ? CAPS_PERFMON_NONE : CAPS_AVAILABLE;
        is.caps[2].freeze_while_smm = i == 2;
        pages[1].run.caps = &caps;
        current_job = other_job;
        run_other();
        did(i == 1
                ? "close, cli, probe 526e3, wake 0, halt, job, cli, wake 0, halt, job, "
                : "close, no pebs 506e3, clear 506e3, cli, probe 526e3, wake 0, halt, job, cli, wake 0, halt, job, ");
        assert_true(pages[1].probed);
        assert_int_equal(pages[1].caps.signature, 0x526e3);
        machine_did(i == 2 ? "cli\nwrmsr 1d9 4000\ncli\n" : "cli\ncli\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_start), cmocka_unit_test(nobody),      cmocka_unit_test(left_out),
        cmocka_unit_test(kinds),     cmocka_unit_test(in_turn),     cmocka_unit_test(at_once),
        cmocka_unit_test(told),      cmocka_unit_test(others_part),
    };
    return cmocka_run_group_tests_name("kernel_crew", tests, NULL, NULL);
}
