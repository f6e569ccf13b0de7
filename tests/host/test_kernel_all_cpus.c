/* SPDX-License-Identifier: MIT */
/*
 * Which processors take part in a test of all processors (suite/all_cpus/all_cpus.c), and what the log says about each
 * job: cases that no boot of the model reaches. Boots of all_cpus.* and measure.sharing.* test the rest.
 */
#include "tests/host/unit_test.h"

#include "tests/host/fakes.h"

FAKE_STATIC_VOID(memory_fence, (void), (void)0)

/* Capabilities come from the test. */
#define caps_fill      the_caps
#define ds_close       the_close
#define pebs_quiesce   the_pebs
#define counters_clear the_counters
#include "suite/all_cpus/all_cpus.c"
#include "tests/host/machine/machine.h"

#define OTHERS 3u

static struct {
    const char *barred;
    unsigned total, others;
    unsigned dead;    /* this processor does not start; 0: all start */
    unsigned unlike;  /* this processor differs from the first of its kind */
    unsigned differs; /* this processor differs in something that no test depends on */
    char compared[80];
    struct caps caps[OTHERS + 1];
    struct member result; /* of the last processor's job */
} is;

static struct test_run run;
static struct test test = { .id = "all_cpus.test", .needs = NEED_BTS };
static struct caps caps;
static struct member pages[OTHERS];

FAKE_VOID(ds_close, (void), (void)0)
FAKE_VOID(pebs_quiesce, (const struct caps *of), (void)0)
FAKE_VOID(counters_clear, (const struct caps *of), (void)0)
FAKE_VOID(ds_probe, (struct caps_input * input), (void)0)
FAKE_VOID(caps_fill, (const struct caps_input *input, struct caps *of), (void)0)
FAKE_VOID(ds_probe_registers, (struct caps * of), (void)0)
FAKE_VOID(watchdog_allow, (unsigned seconds), assert_int_equal(seconds, 3 + (is.others + 1) / 4))
FAKE_VOID(cpu_halt_for_interrupt, (void), fail_msg("a flag is not set"))
FAKE(uint32_t, apic_id, (void), 0x40)
FAKE(unsigned, secondary_cpus_count, (void), is.others)
FAKE(uint32_t, secondary_cpus_id, (unsigned number), 0x40 + 2 * number)
FAKE(void *, secondary_cpus_page, (unsigned number), &pages[number - 1])
FAKE(const char *, secondary_cpus_barred, (void), is.barred)
FAKE(enum acpi_error, secondary_cpus_topology, (struct topology * topology), topology->total = is.total, ACPI_OK)

/* Each other processor has probed itself before this one waits for it. */
bool secondary_cpus_start(unsigned number, void (*main)(unsigned number))
{
    assert_true(main == other_main);
    pages[number - 1].caps = is.caps[number];
    pages[number - 1].probed = true;
    return number != is.dead;
}

/* .. and has finished its job as soon as it is woken. */
void processor_wake(unsigned number)
{
    current_job(cpus_member(number));
    cpus_member(number)->over = true;
}

bool cpus_alike(const struct caps *first, const struct caps *other, void (*tells)(void *context, const char *text),
                void *context)
{
    unsigned n = 0, of = 0;

    while (&cpus_member(n)->caps != other)
        n++;
    while (&cpus_member(of)->caps != first)
        of++;
    sprintf(is.compared + strlen(is.compared), "%u with %u, ", n, of);
    if (n == is.unlike || n == is.differs)
        tells(context, "microcode 2, not 1");
    return n != is.unlike;
}

static void begin_test(void)
{
    machine_start();
    memset(&is, 0, sizeof is);
    memset(pages, 0, sizeof pages);
    memset(&boot_member, 0, sizeof boot_member);
    is.others = OTHERS;
    is.total = OTHERS + 1;
    caps = (struct caps){ .signature = 0x506e3 };
    run = (struct test_run){ .test = &test, .caps = &caps, .data_source = DATA_SOURCE_SKYLAKE };
}

UNIT_TEST(no_usable_processors)
{
    static const struct {
        const char *barred;
        unsigned total, others;
        const char *problem;
    } rows[] = {
        { "barred", 4, 3, "barred" },
        { NULL, 1, 0, "only one processor, on which all other tests run" },
        { NULL, 2, 0, "no other processor can be started: the start of the log says why" },
        { NULL, 2, 1, NULL },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        begin_test();
        is.barred = rows[i].barred;
        is.total = rows[i].total;
        is.others = rows[i].others;
        const char *problem = cpus_start(&run, CPUS_ALL);
        assert_string_equal(problem ? problem : "", rows[i].problem ? rows[i].problem : "");
    }
}

UNIT_TEST(who_takes_part)
{
    static const struct {
        unsigned most, dead, unlike, differs;
        unsigned fit; /* a bit each */
        const char *compared, *printed;
    } rows[] = {
        { CPUS_ALL, 0, 0, 0, 0xf, "1 with 0, 2 with 0, 3 with 0, ", "processors 4 started of 4\n" },
        { 2, 0, 0, 0, 0x3, "1 with 0, ", "processors 2 started of 2\n" },
        { CPUS_ALL, 2, 0, 0, 0xb, "1 with 0, 3 with 0, ",
          "cpu 2 apic 0x44 does not start: excluded\nprocessors 3 started of 4\n" },
        { CPUS_ALL, 0, 3, 0, 0x7, "1 with 0, 2 with 0, 3 with 0, ",
          "cpu 3 apic 0x46 differs: microcode 2, not 1\n"
          "cpu 3 apic 0x46 has other capabilities than cpu 0: excluded\nprocessors 4 started of 4\n" },
        { CPUS_ALL, 0, 0, 1, 0xf, "1 with 0, 2 with 0, 3 with 0, ",
          "cpu 1 apic 0x42 differs: microcode 2, not 1\nprocessors 4 started of 4\n" },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        begin_test();
        is.dead = rows[i].dead;
        is.unlike = rows[i].unlike;
        is.differs = rows[i].differs;
        if (rows[i].most != CPUS_ALL)
            is.others = rows[i].most - 1;
        assert_null(cpus_start(&run, rows[i].most));
        assert_string_equal(is.compared, rows[i].compared);
        machine_printed(rows[i].printed);
        for (unsigned n = 0; n < cpus_count(); n++) {
            assert_int_equal(cpus_member(n)->fit, rows[i].fit >> n & 1);
            assert_ptr_equal(cpus_member(n)->run.caps, &caps);
        }
    }
}

/* Cores of another kind are compared with the first of their kind that started, and have their own capabilities. */
UNIT_TEST(kinds_of_cores)
{
    static const struct {
        const char *types; /* of the cores: P or E, or F, an E-core of another model */
        unsigned dead;
        bool lacks; /* the E-cores lack what the test needs */
        const char *compared;
        unsigned fit, own; /* a bit each */
    } rows[] = {
        { "PPEE", 0, false, "1 with 0, 3 with 2, ", 0xf, 0xc }, { "PPEE", 0, true, "1 with 0, 3 with 2, ", 0x3, 0xc },
        { "PPEF", 0, false, "1 with 0, ", 0xf, 0xc },           { "PEEE", 1, false, "3 with 2, ", 0xd, 0xc },
        { "PEPE", 0, false, "2 with 0, 3 with 1, ", 0xf, 0xa },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        begin_test();
        for (unsigned n = 0; n <= OTHERS; n++) {
            const bool small = rows[i].types[n] != 'P';
            is.caps[n].hybrid = true;
            is.caps[n].core_type = small ? CORE_TYPE_ATOM : CORE_TYPE_CORE;
            is.caps[n].native_model = rows[i].types[n] == 'F' ? 7 : 5;
            is.caps[n].data_source = DATA_SOURCE_STORE;
            is.caps[n].reason[CAPS_NEED_BTS] = small && rows[i].lacks ? CAPS_BTS_UNAVAILABLE : CAPS_AVAILABLE;
        }
        caps = is.caps[0];
        is.dead = rows[i].dead;
        assert_null(cpus_start(&run, CPUS_ALL));
        assert_string_equal(is.compared, rows[i].compared);
        for (unsigned n = 0; n <= OTHERS; n++) {
            const bool own = rows[i].own >> n & 1;
            assert_int_equal(cpus_member(n)->fit, rows[i].fit >> n & 1);
            assert_ptr_equal(cpus_member(n)->run.caps, own ? &cpus_member(n)->caps : &caps);
            assert_int_equal(cpus_member(n)->run.data_source, own ? DATA_SOURCE_STORE : DATA_SOURCE_SKYLAKE);
        }
    }
}

static void job(struct member *m)
{
    m->came = m->of = 10;
    if (m != &pages[OTHERS - 1])
        return;
    m->of = 20;
    m->interrupts = is.result.interrupts;
    m->run.problems = is.result.run.problems;
    m->run.differences = is.result.run.differences;
    strcpy(m->aside, "the first thing");
}

UNIT_TEST(reports_of_a_job)
{
    static const struct {
        unsigned problems, differences, interrupts;
        const char *found, *printed;
    } rows[] = {
        { 0, 0, 0, "", "cpu 3 apic 0x46: saw 10 of 20 things\n" },
        { 0, 0, 7, "", "cpu 3 apic 0x46: saw 10 of 20 things, 7 interrupts\n" },
        { 1, 5, 0, "wrong: cpu 3 apic 0x46: the first thing\n", "" },
        { 2, 0, 0, "wrong: cpu 3 apic 0x46: the first thing, and more\n", "" },
        { 0, 2, 0, "differs: cpu 3 apic 0x46: the first thing\n", "" },
    };

    for (unsigned i = 0; i < 2 * COUNT_OF(rows); i++) {
        begin_test();
        assert_null(cpus_start(&run, CPUS_ALL));
        cpus_member(1)->fit = false; /* takes no part */
        is.result.run.problems = rows[i / 2].problems;
        is.result.run.differences = rows[i / 2].differences;
        is.result.interrupts = rows[i / 2].interrupts;
        run.planned = true;
        (i % 2 ? cpus_in_turn : cpus_at_once)(&run, job, "saw", "things");
        assert_int_equal(run.seen, rows[i / 2].problems ? 40 : 20);
        machine_has_printed(rows[i / 2].printed);
        machine_found(rows[i / 2].found);
    }
}
