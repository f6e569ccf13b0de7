/* SPDX-License-Identifier: MIT */
/*
 * The kernel's measurement of skid (suite/measure/skid_test.c) over code of which the test knows every instruction,
 * with interrupts and records where the test puts them: the figures that are printed, what is programmed, and what
 * fails.
 */
#include "tests/host/host_test.h"

#include "suite/measure/sampler.h"
#include "suite/support/pebs_sample.h"
#include "suite/support/records.h"

static const struct ds_log *the_log(void);
static bool the_record(struct test_run *run, unsigned n, struct pebs_record *record);

/* Records come from the test, not from a buffer. */
#define ds_pebs_log  the_log
#define records_pebs the_record
#include "suite/measure/skid_test.c"

#include "tests/host/machine/machine.h"

/* 27 instructions of 4 bytes and a tail of 8: each third is a load, each ninth of these of a cold line. */
#define AT    0x1000u
#define COUNT 27u
#define TAIL  8u

static struct step all[COUNT];
static unsigned runs;

static void ran(const struct window *window)
{
    assert_true(window->on == 1 || window->on == 2);
    runs++;
}

static const struct workload code_workload = { .start = AT, .limit = AT + 4 * (COUNT + TAIL), .run = ran };
const struct steps workload_steps_loads = { &code_workload, all, COUNT, AT + 4 * COUNT };
const struct steps workload_steps_straight = { &code_workload, all, COUNT, AT + 4 * COUNT };
const struct steps workload_steps_branchy = { &code_workload, all, 0, AT };
const struct steps workload_steps_far = { &code_workload, all, 0, AT };

const struct workload workload_chase, workload_long_loop; /* of what samples elsewhere */

static const struct pebs_event loads = { "LOADS", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0x81d0, 0xf, true },
                               precise = { "PREC_DIST", PEBS_ROLE_PREC_DIST, PEBS_FAMILY_NONE, 0x01c0, 0x2, false },
                               hits = { "L1_HITS", PEBS_ROLE_L1_HITS, PEBS_FAMILY_NONE, 0x01d1, 0xf, true };
static const struct pebs_event unmeasured[] = {
    { "FAR", PEBS_ROLE_FAR, PEBS_FAMILY_NONE, 0x40c4, 0xf, false },
    { "L3_MISSES", PEBS_ROLE_L3_MISSES, PEBS_FAMILY_NONE, 0x20d1, 0xf, true },
    { "ASSISTS", PEBS_ROLE_ASSIST, PEBS_FAMILY_NONE, 0x3fc1, 0xf, false },
    { "STORES", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0x82d0, 0x10, true },
};

static struct test_run run;
static struct caps caps;
static struct pebs_event_list list;
static struct ds_log taken;

static struct {
    bool refuses, unopened;   /* an ordinary counter; PEBS */
    int skid;                 /* instructions, of an interrupt */
    unsigned farther;         /* the period whose interrupt comes an instruction later; 0: none */
    unsigned lost, elsewhere; /* the period whose interrupt does not come, or comes elsewhere; 0: none */
    unsigned room;
    bool blind;                                   /* records have no EventingIP */
    unsigned late;                                /* events between the one that is due and the one that is recorded */
    int off;                                      /* instructions from the event to EventingIP */
    int behind;                                   /* and from there to IP */
    bool outside_first, wrong_first, other_first; /* the first record of a round is outside; of no kind; of another */
    bool outside;                                 /* the records are not of the workload */
    bool no_records;
    unsigned opened, closed, prepared, displaced;
    unsigned periods[8];
    struct overflow overflow;
    struct pebs_record records[32];
    unsigned count;
} cpu;

static const struct ds_log *the_log(void)
{
    taken.records = cpu.count;
    return &taken;
}

static bool the_record(struct test_run *of, unsigned n, struct pebs_record *record)
{
    assert_ptr_equal(of, &run);
    assert_true(n < cpu.count);
    *record = cpu.records[n];
    return true;
}

static uint64_t ip_of(unsigned position)
{
    return AT + 4 * position;
}

bool overflow_open(const struct caps *of, const struct overflow *overflow)
{
    assert_ptr_equal(of, &caps);
    assert_int_equal(overflow->rings, 0x30000); /* USR, OS */
    assert_false(overflow->again);
    cpu.overflow = *overflow;
    return !cpu.refuses;
}

struct window overflow_window(const struct caps *of, const struct overflow *overflow)
{
    (void)of;
    (void)overflow;
    return (struct window){ .on = 1 };
}

unsigned overflow_close(uint64_t *ip)
{
    const unsigned n = cpu.overflow.period, kinds = cause_of(cpu.overflow.event).kinds;

    *ip = n == cpu.elsewhere
              ? 0x99
              : ip_of((unsigned)((int)steps_nth(&workload_steps_loads, kinds, n) + cpu.skid + (n == cpu.farther)));
    return n == cpu.lost ? 0 : 1;
}

unsigned sampler_room(const struct caps *of)
{
    assert_ptr_equal(of, &caps);
    return cpu.room;
}

/* The records of a round: an event is due each `spacing`. */
bool sampler_open(struct test_run *of, const struct pebs_event *event, unsigned period, struct window *window)
{
    const unsigned spacing = pebs_spacing(event, period), kinds = cause_of(event).kinds;
    const unsigned events = steps_before(&workload_steps_loads, kinds, COUNT + TAIL);

    assert_ptr_equal(of, &run);
    if (cpu.unopened) {
        test_fail(of, "closed");
        return false;
    }
    cpu.periods[cpu.opened++ % 8] = period;
    *window = (struct window){ .on = 2 };
    cpu.count = 0;
    for (unsigned n = spacing + cpu.late; n <= events && !cpu.no_records; n += spacing + cpu.late) {
        const int first = cpu.count ? 0 : cpu.wrong_first ? 1 : cpu.other_first ? -1 : 0;
        const unsigned position = (unsigned)((int)steps_nth(&workload_steps_loads, kinds, n) + cpu.off + first);
        cpu.records[cpu.count++] = (struct pebs_record){ .has = cpu.blind ? 0 : PEBS_HAS_EVENTING_IP,
                                                         .eventing_ip = cpu.blind ? 0 : ip_of(position),
                                                         .ip = ip_of((unsigned)((int)position + cpu.behind)) };
    }
    return true;
}

void sampler_close(struct test_run *of)
{
    assert_ptr_equal(of, &run);
    cpu.closed++;
}

const char *sampler_lacks(const struct caps *of, const struct pebs_event *event)
{
    return event->counters & of->pebs_counters ? NULL : "no counter of this processor can sample it";
}

void sampler_prepare(void)
{
    cpu.prepared++;
}

bool sampler_displace(unsigned bytes)
{
    assert_int_equal(bytes, 128 * 1024);
    cpu.displaced++;
    return true;
}

bool sampler_inside(const struct caps *of, const struct workload *workload, const struct pebs_record *record)
{
    assert_ptr_equal(of, &caps);
    assert_ptr_equal(workload, &code_workload);
    return !cpu.outside && !(cpu.outside_first && record->eventing_ip == cpu.records[0].eventing_ip);
}

int sampler_position(const struct caps *of, const struct steps *steps, const struct pebs_record *record)
{
    return cpu.blind ? steps_position(steps, record->ip) - of->pebs_trap_like
                     : steps_position(steps, record->eventing_ip);
}

static void start(const struct pebs_event *events, unsigned count)
{
    for (unsigned i = 0; i < COUNT; i++)
        all[i] = (struct step){ AT + 4 * i, STEP_INSTRUCTION | (i % 3 ? 0 : STEP_LOAD) | (i % 3 == 1 ? STEP_WARM : 0) };
    machine_start();
    memset(&cpu, 0, sizeof cpu);
    cpu.room = 4;
    cpu.skid = 2;
    cpu.behind = 1;
    runs = 0;
    list = (struct pebs_event_list){ events, count };
    caps = (struct caps){ .pebs_counters = 0xf, .events = &list, .pebs_trap_like = true };
    run = (struct test_run){ .caps = &caps, .test = &measure_skid_loads };
}

static void do_run(void)
{
    run.test->run(&run);
}

/* Nine loads: with room for 4 records the shortest period is 3, and the periods are 3 to 7. */
static void loads_are_measured(void **state)
{
    (void)state;
    start(&loads, 1);
    do_run();
    machine_found("");
    machine_printed(
        "LOADS over loads: instructions from the one that caused it\n"
        "distance  interrupt, no PEBS            PEBS IP                       EventingIP\n"
        "       0                                                                   6 ####################\n"
        "       1                                     6 ####################\n"
        "       2       9 ####################\n"
        "measure skid event LOADS workload loads place interrupt distance 2 count 9\n"
        "measure skid event LOADS workload loads place ip distance 1 count 6\n"
        "measure skid event LOADS workload loads place eventing_ip distance 0 count 6\n");
    assert_int_equal(cpu.opened, 5);
    assert_int_equal(cpu.closed, 5);
    assert_int_equal(runs, 9 + 5);
    assert_int_equal(cpu.prepared, 0);
    assert_int_equal(cpu.displaced, 0);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(cpu.periods[i], 3 + i);
    assert_int_equal(run.expected, 1);
    assert_int_equal(run.most, 9 / 4 + 9 / 5 + 9 / 6 + 9 / 7 + 9 / 8);
    assert_int_equal(run.seen, 6);
    assert_null(run.skipped);
}

/* The same with figures alone: what is printed but the table. */
static void figures_are(const char *place, int distance, unsigned count)
{
    char line[200];

    snprintf(line, sizeof line, "measure skid event %s workload loads place %s distance %d count %u\n",
             list.events[0].name, place, distance, count);
    machine_has_printed(line);
}

static void without_eventing_ip(void **state)
{
    (void)state;
    start(&loads, 1);
    cpu.blind = true;
    do_run();
    machine_found("");
    machine_printed("LOADS over loads: instructions from the one that caused it\n"
                    "distance  interrupt, no PEBS            PEBS IP\n"
                    "       1                                     6 ####################\n"
                    "       2       9 ####################\n"
                    "measure skid event LOADS workload loads place interrupt distance 2 count 9\n"
                    "measure skid event LOADS workload loads place ip distance 1 count 6\n");
    start(&loads, 1);
    cpu.behind = 0;
    caps.pebs_trap_like = false; /* as of the processors whose IP is that of the event */
    do_run();
    machine_found("");
    figures_are("ip", 0, 6);
}

/* A record later than the one that is due is a figure, and the next is due by it. */
static void what_comes_late_is_a_figure(void **state)
{
    (void)state;
    start(&loads, 1);
    cpu.late = 1;
    do_run();
    machine_found("");
    figures_are("eventing_ip", 3, 5);
    figures_are("ip", 4, 5);

    start(&precise, 1);
    cpu.room = 10;
    do_run();
    machine_found("");
    figures_are("interrupt", 2, 32);
    figures_are("eventing_ip", 0, 8 + 7 + 5 + 5 + 4);
    assert_int_equal(run.expected, 1);
    assert_int_equal(run.most, 35 / 4 + 35 / 5 + 35 / 6 + 35 / 7 + 35 / 8);
    assert_int_equal(cpu.periods[0], 4);
    start(&precise, 1);
    cpu.room = 10;
    cpu.late = 1;
    do_run();
    machine_has_found("PREC_DIST: the record is 1 instructions after the one that overflowed the counter, must be 0");
}

static void what_breaks_a_promise(void **state)
{
    (void)state;
    start(&loads, 1);
    cpu.room = 100; /* one record: of the period 1, due at 2, 4, .. */
    cpu.off = 1;
    do_run();
    machine_has_found("LOADS: a record with IP 0x1014, EventingIP 0x1010: no instruction of its kind");
    machine_has_found("LOADS: no PEBS record came");
    start(&loads, 1);
    cpu.behind = 3;
    do_run();
    machine_has_found("LOADS: IP 0x1030 is 3 instructions after the one of the event, must be 1");
    start(&loads, 1);
    cpu.behind = 0;
    do_run();
    machine_has_found("LOADS: IP 0x1024 is 0 instructions after the one of the event, must be 1");
    start(&loads, 1);
    cpu.behind = -3;
    do_run();
    machine_has_found("LOADS: IP 0x1018 is -3 instructions after the one of the event, must be 1");
    start(&loads, 1);
    cpu.off = -100;
    do_run();
    machine_has_found("LOADS: no PEBS record came");
    start(&loads, 1);
    cpu.no_records = true;
    do_run();
    machine_found("wrong: LOADS: no PEBS record came\n");
    assert_int_equal(run.seen, 0);
    start(&loads, 1);
    cpu.outside = true;
    do_run();
    machine_found("wrong: LOADS: no PEBS record came\n");
    start(&loads, 1);
    cpu.unopened = true;
    do_run();
    machine_found("wrong: closed\nwrong: closed\nwrong: closed\nwrong: closed\nwrong: closed\n"
                  "wrong: LOADS: no PEBS record came\n");
    assert_int_equal(runs, 9);
    assert_int_equal(cpu.closed, 0);
}

/* What is no sample takes its place all the same: the next is due behind it. */
static void after_a_record_that_is_none(void **state)
{
    (void)state;
    start(&loads, 1);
    cpu.room = 10; /* periods from 1 on: 4, 3, 2, 1 and 1 records */
    cpu.outside_first = true;
    do_run();
    machine_found("");
    figures_are("eventing_ip", 0, 3 + 2 + 1);
    start(&loads, 1);
    cpu.room = 10;
    cpu.wrong_first = true;
    do_run();
    machine_has_found("no instruction of its kind");
    figures_are("eventing_ip", 0, 3 + 2 + 1);
    start(&hits, 1);
    cpu.room = 10;
    cpu.other_first = true;
    do_run();
    machine_found("");
    figures_are("eventing_ip", 0, 3 + 2 + 1);
}

static void interrupts(void **state)
{
    (void)state;
    start(&loads, 1);
    cpu.lost = 3;
    do_run();
    machine_found("");
    machine_has_printed("1 more interrupts came outside the workload\n");
    figures_are("interrupt", 2, 8);
    start(&loads, 1);
    cpu.farther = 4;
    do_run();
    figures_are("interrupt", 2, 8);
    figures_are("interrupt", 3, 1);
    start(&loads, 1);
    cpu.elsewhere = 9;
    do_run();
    machine_has_printed("1 more interrupts came outside the workload\n");
    figures_are("interrupt", 2, 8);
    start(&loads, 1);
    cpu.skid = -50;
    do_run();
    machine_has_printed("9 more interrupts came outside the workload\n");
    machine_found("wrong: LOADS: no interrupt came within the workload\n");
    start(&loads, 1);
    cpu.refuses = true;
    do_run();
    machine_has_found("LOADS: the counter could not be programmed");
    machine_has_found("LOADS: no interrupt came within the workload");
    assert_int_equal(runs, 5);
    start(&precise, 1); /* 35 events, and 32 interrupts at most */
    cpu.skid = 0;
    do_run();
    figures_are("interrupt", 0, 32);
}

/* Loads that hit, where others might: the caches are filled before each round; another load is no sample. */
static void hits_and_misses(void **state)
{
    (void)state;
    start(&hits, 1);
    do_run();
    machine_found("");
    assert_int_equal(cpu.displaced, 9 + 5);
    figures_are("eventing_ip", 0, 6);
    start(&hits, 1);
    cpu.off = -1; /* the load before it, of STEP_LOAD alone */
    do_run();
    machine_found("wrong: L1_HITS: no PEBS record came\n");
}

static void what_is_not_measured(void **state)
{
    struct pebs_event events[5];

    (void)state;
    memcpy(events, unmeasured, sizeof unmeasured);
    events[4] = loads;
    start(events, 4);
    do_run();
    assert_string_equal(run.skipped, "no precise event of this processor has its instructions in this workload");
    machine_printed("");
    machine_found("");
    assert_int_equal(run.planned, false);
    start(&loads, 1);
    all[0].kinds = STEP_INSTRUCTION; /* eight loads are enough, seven are not */
    do_run();
    figures_are("ip", 1, 2 + 1 + 1 + 1 + 1);
    start(&loads, 1);
    all[0].kinds = all[3].kinds = STEP_INSTRUCTION;
    do_run();
    assert_non_null(run.skipped);
    start(events, 5);
    do_run();
    machine_has_printed("event FAR not measured: not in this workload\n");
    machine_has_printed("event L3_MISSES not measured: how many instructions cause it is up to the processor\n");
    machine_has_printed("event STORES not measured: no counter of this processor can sample it\n");
    machine_has_printed("measure skid event LOADS workload loads place ip distance 1 count 6\n");
    assert_null(run.skipped);
    assert_int_equal(run.expected, 1);
}

static void the_tests(void **state)
{
    static const struct test *const tests[] = { &measure_skid_loads, &measure_skid_straight, &measure_skid_branchy,
                                                &measure_skid_far };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(tests); i++) {
        start(&loads, 1);
        run.test = tests[i];
        do_run();
        assert_true(tests[i]->on_request && tests[i]->records);
        assert_int_equal(tests[i]->needs, NEED_APIC | NEED_PEBS | NEED_EVENT_ANY);
        assert_int_equal(cpu.prepared, i == 1);
        if (i < 2)
            machine_has_printed(i ? "LOADS over straight: instructions" : "LOADS over loads: instructions");
        else
            assert_non_null(run.skipped);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_measured),
        cmocka_unit_test(without_eventing_ip),
        cmocka_unit_test(what_comes_late_is_a_figure),
        cmocka_unit_test(what_breaks_a_promise),
        cmocka_unit_test(interrupts),
        cmocka_unit_test(after_a_record_that_is_none),
        cmocka_unit_test(hits_and_misses),
        cmocka_unit_test(what_is_not_measured),
        cmocka_unit_test(the_tests),
    };

    return cmocka_run_group_tests_name("kernel_skid", tests, NULL, NULL);
}
