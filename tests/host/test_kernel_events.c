/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of the manual's precise events (suite/measure/events_test.c) over code of which the test knows
 * every instruction, with records where the test puts them: which code is chosen, what is sampled, what is printed, and
 * what fails. 3F7H is MSR_PEBS_FRONTEND: SDM Vol. 4 (335592-081).
 */
#include "tests/host/host_test.h"

#include "suite/measure/sampler.h"
#include "suite/support/records.h"

static const struct ds_log *the_log(void);
static bool the_record(struct test_run *run, unsigned n, struct pebs_record *record);

/* Records come from the test, not from a buffer. */
#define ds_pebs_log  the_log
#define records_pebs the_record
#include "suite/measure/events_test.c"

#include "tests/host/machine/machine.h"

#define OF_LOADS    27u
#define OF_STRAIGHT 12u
#define OF_BRANCHY  18u
#define OF_FAR      4u

static void ran_loads(const struct window *window);
static void ran_straight(const struct window *window);
static void ran_branchy(const struct window *window);
static void ran_far(const struct window *window);
static void ran_surprises(const struct window *window);
static void ran_loop(const struct window *window);

/* Code of four bytes an instruction, and a tail of two. */
static struct step loads_steps[OF_LOADS], straight_steps[OF_STRAIGHT], branchy_steps[OF_BRANCHY], far_steps[OF_FAR];
static const struct workload loads_code = { .start = 0, .limit = 4 * (OF_LOADS + 2), .run = ran_loads };
static const struct workload straight_code = { .start = 0, .limit = 4 * (OF_STRAIGHT + 2), .run = ran_straight };
static const struct workload branchy_code = { .start = 0, .limit = 4 * (OF_BRANCHY + 2), .run = ran_branchy };
static const struct workload far_code = { .start = 0, .limit = 4 * (OF_FAR + 2), .run = ran_far };
const struct steps workload_steps_loads = { &loads_code, loads_steps, OF_LOADS, 4 * OF_LOADS };
const struct steps workload_steps_straight = { &straight_code, straight_steps, OF_STRAIGHT, 4 * OF_STRAIGHT };
const struct steps workload_steps_branchy = { &branchy_code, branchy_steps, OF_BRANCHY, 4 * OF_BRANCHY };
const struct steps workload_steps_far = { &far_code, far_steps, OF_FAR, 4 * OF_FAR };

/* Branches: an indirect jump, a conditional one five times, and a call. */
static const struct branch branches[] = {
    { .from = 0x10, .to = 0x20, .kind = LBR_SELECT_NEAR_IND_JMP, .repeat = 1 },
    { .from = 0x30, .to = 0x40, .kind = LBR_SELECT_JCC, .repeat = 5 },
    { .from = 0x50, .to = 0x60, .kind = LBR_SELECT_NEAR_REL_CALL, .repeat = 1 },
};
const struct workload workload_surprises = { .run = ran_surprises, .branches = branches, .branch_count = 3 };
const struct workload workload_loop = { .run = ran_loop, .branches = branches, .branch_count = 3 };
const struct workload workload_chase, workload_long_loop; /* of what samples elsewhere */

static struct test_run run;
static struct caps caps;
static struct pebs_event_list list;
static struct ds_log taken;

static struct {
    unsigned room;
    bool unopened, no_memory;
    unsigned prepared, opened, closed;
    unsigned displaced, bytes; /* calls, and of the last one */
    char ran[40];              /* a letter for each round */
    unsigned period;
    uint64_t at[8]; /* where the records of a round are: a position, or a branch's address */
    unsigned count; /* of them */
    bool before;    /* the first record of all is not of the workload's body */
    unsigned bad;   /* the record that cannot be decoded, counted from 1; 0: none */
    uint64_t frontend;
} cpu;

static void ran(const struct window *window, char name)
{
    const size_t used = strlen(cpu.ran);

    assert_int_equal(window->on, 2);
    cpu.ran[used] = name;
}

static void ran_loads(const struct window *window)
{
    ran(window, 'l');
}

static void ran_straight(const struct window *window)
{
    ran(window, 's');
}

static void ran_branchy(const struct window *window)
{
    ran(window, 'b');
}

static void ran_far(const struct window *window)
{
    ran(window, 'f');
}

static void ran_surprises(const struct window *window)
{
    ran(window, '?');
}

static void ran_loop(const struct window *window)
{
    ran(window, 'o');
}

static const struct ds_log *the_log(void)
{
    taken.records = (unsigned)strlen(cpu.ran) * cpu.count;
    return &taken;
}

static bool the_record(struct test_run *of, unsigned n, struct pebs_record *record)
{
    assert_ptr_equal(of, &run);
    *record = (struct pebs_record){ .ip = cpu.at[n % cpu.count], .eventing_ip = cpu.at[n % cpu.count], .tsc = n };
    return n + 1 != cpu.bad;
}

unsigned sampler_room(const struct caps *of)
{
    assert_ptr_equal(of, &caps);
    return cpu.room;
}

bool sampler_open(struct test_run *of, const struct pebs_event *event, unsigned period, struct window *window)
{
    assert_ptr_equal(of, &run);
    assert_in_range(event - list.events, 0, list.count);
    assert_int_equal(cpu.prepared, cpu.opened + 1);
    cpu.opened++;
    cpu.period = period;
    cpu.frontend = msr_get(0x3f7);
    *cpu.ran = '\0';
    memset(cpu.ran, 0, sizeof cpu.ran);
    *window = (struct window){ .on = 2 };
    if (cpu.unopened)
        test_fail(of, "closed");
    return !cpu.unopened;
}

void sampler_close(struct test_run *of)
{
    assert_ptr_equal(of, &run);
    cpu.closed++;
}

const char *sampler_lacks(const struct caps *of, const struct pebs_event *event)
{
    assert_ptr_equal(of, &caps);
    return event->counters & of->pebs_counters ? NULL : "no counter of this processor can sample it";
}

void sampler_prepare(void)
{
    cpu.prepared++;
}

bool sampler_displace(unsigned bytes)
{
    cpu.displaced++;
    cpu.bytes = bytes;
    return !cpu.no_memory;
}

bool sampler_inside(const struct caps *of, const struct workload *workload, const struct pebs_record *record)
{
    assert_ptr_equal(of, &caps);
    assert_non_null(workload);
    return !(cpu.before && record->tsc == 0);
}

int sampler_position(const struct caps *of, const struct steps *steps, const struct pebs_record *record)
{
    assert_ptr_equal(of, &caps);
    assert_non_null(steps);
    return (int)record->ip;
}

/* Three loads in nine instructions; jumps in one code, far returns in another, the rest in the straight one. */
static void start(const struct test *test, const struct pebs_event *events, unsigned count)
{
    for (unsigned i = 0; i < OF_LOADS; i++)
        loads_steps[i] = (struct step){ 4 * i, STEP_INSTRUCTION | (i % 3 ? 0 : STEP_LOAD) | (i % 9 ? 0 : STEP_COLD) |
                                                   (i % 3 == 1 ? STEP_WARM : 0) | (i < 4 ? STEP_X87 : 0) };
    for (unsigned i = 0; i < OF_STRAIGHT; i++)
        straight_steps[i] = (struct step){ 4 * i, STEP_INSTRUCTION | (i % 2 ? STEP_LOAD : STEP_STORE) |
                                                      (i < 4 ? STEP_X87 : 0) | (i == 5 ? STEP_SPLIT_STORE : 0) };
    for (unsigned i = 0; i < OF_BRANCHY; i++)
        branchy_steps[i] = (struct step){ 4 * i, STEP_INSTRUCTION | (i % 2 ? STEP_BRANCH | STEP_TAKEN : 0) };
    for (unsigned i = 0; i < OF_FAR; i++)
        far_steps[i] = (struct step){ 4 * i, STEP_INSTRUCTION | STEP_X87 | (i ? STEP_FAR : 0) };
    machine_start();
    memset(&cpu, 0, sizeof cpu);
    cpu.room = 1000;
    cpu.count = 1;
    cpu.at[0] = 3;
    list = (struct pebs_event_list){ events, count };
    caps = (struct caps){ .pebs_counters = 0xf, .events = &list };
    run = (struct test_run){ .caps = &caps, .test = test };
}

static void do_run(void)
{
    run.test->run(&run);
}

#define HEAD "event                                       samples   of its kind   share\n"

static const struct pebs_event
    instructions = { "ANY", PEBS_ROLE_INSTRUCTIONS, PEBS_FAMILY_INST_RETIRED, 0xc0, 1, false },
    branch = { "BRANCHES", PEBS_ROLE_TAKEN, PEBS_FAMILY_BR_INST_RETIRED, 0x20c4, 1, false },
    far = { "FAR", PEBS_ROLE_FAR, PEBS_FAMILY_BR_INST_RETIRED, 0x40c4, 1, false },
    loads = { "LOADS", PEBS_ROLE_LOADS, PEBS_FAMILY_MEM_INST_RETIRED, 0x81d0, 1, true },
    l3 = { "L3", PEBS_ROLE_L3_MISSES, PEBS_FAMILY_MEM_LOAD_L3_RETIRED, 0x20d1, 1, true },
    splits = { "SPLITS", PEBS_ROLE_SPLIT_STORES, PEBS_FAMILY_OLDER, 0x42d0, 1, true },
    x87 = { "X87", PEBS_ROLE_X87, PEBS_FAMILY_OLDER, 0x10, 1, false },
    frontend = { "FE", PEBS_ROLE_FRONTEND, PEBS_FAMILY_FRONTEND_RETIRED, 0x1c6, 1, false };

/* The code with most of an event's instructions, four rounds of it, and the shortest period whose records fit. */
static void where_it_is_sampled(void **state)
{
    static const struct {
        const struct test *test;
        const struct pebs_event *event;
        unsigned at;        /* an instruction that can cause it */
        const char *rounds; /* in which code */
        unsigned events;    /* there, with the tail's */
        bool counted;
        unsigned displaced; /* bytes */
    } cases[] = {
        { &measure_events_inst_retired, &instructions, 28, "llll", 29, true, 0 },
        { &measure_events_br_inst_retired, &branch, 3, "bbbb", 9, true, 0 },
        { &measure_events_br_inst_retired, &far, 1, "ffff", 3, true, 0 },
        { &measure_events_mem_inst_retired, &loads, 24, "llll", 9, true, 0 },
        { &measure_events_mem_load_l3_retired, &l3, 9, "llll", 3, false, 12 * 1024 * 1024 },
        { &measure_events_other, &x87, 3, "ssss", 4, true, 0 }, /* as many as in another code */
        { &measure_events_other, &splits, 5, "ssss", 1, true, 0 },
        { &measure_events_frontend_retired, &frontend, 1, "llll", 29, false, 0 },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        const unsigned window = 4 * (cases[i].events + 8);
        char lines[300];
        for (unsigned k = 0; k < 3; k++) {
            start(cases[i].test, cases[i].event, 1);
            cpu.room = k == 0 ? window + 1 : k == 1 ? window : window / 5; /* all fit; one too many; a fifth */
            cpu.at[0] = cases[i].at;
            do_run();
            machine_found("");
            assert_string_equal(cpu.ran, cases[i].rounds);
            assert_int_equal(cpu.period, k == 0 ? 1 : k == 1 ? 3 : 1 + 2 * ((window / cpu.room + 1) / 2));
            assert_int_equal(run.expected, cases[i].counted);
            assert_int_equal(run.most, window / pebs_spacing(cases[i].event, cpu.period));
            assert_int_equal(run.seen, 4);
            assert_int_equal(cpu.closed, 1);
            assert_int_equal(cpu.displaced, cases[i].displaced ? 2 + 4 : 0);
            assert_int_equal(cpu.bytes, cases[i].displaced);
            assert_int_equal(cpu.frontend, cases[i].event == &frontend ? 0x12 : 0);
            assert_null(run.skipped);
            snprintf(lines, sizeof lines,
                     HEAD "%-42s        4             4    100%%\nmeasure events event %s samples 4 of_kind 4\n",
                     cases[i].event->name, cases[i].event->name);
            machine_printed(lines);
        }
    }
}

/* Samples at other instructions fail the test; of those that may cause it, too, none does. */
static void what_fails(void **state)
{
    (void)state;
    start(&measure_events_mem_inst_retired, &loads, 1);
    cpu.count = 2;
    cpu.at[0] = 0;
    cpu.at[1] = 4; /* a load of the line that is warm, which STEP_LOAD is not */
    do_run();
    machine_found("wrong: LOADS: 4 of 8 samples are at other instructions\n");
    machine_printed(HEAD "LOADS                                             8             4     50%\n"
                         "measure events event LOADS samples 8 of_kind 4\n");
    assert_int_equal(run.seen, 8);

    start(&measure_events_mem_inst_retired, &loads, 1);
    cpu.at[0] = UINT64_MAX; /* none that is known: -1 */
    do_run();
    machine_found("wrong: LOADS: 4 of 4 samples are at other instructions\n");

    start(&measure_events_mem_load_l3_retired, &l3, 1);
    cpu.at[0] = 3; /* any load may miss */
    do_run();
    machine_found("");
    assert_int_equal(run.seen, 4);

    start(&measure_events_mem_inst_retired, &loads, 1);
    cpu.count = 0;
    do_run();
    machine_found("wrong: LOADS: no sample came\n");
    machine_printed(HEAD "LOADS                                             0             0       -\n"
                         "measure events event LOADS samples 0 of_kind 0\n");
    assert_null(run.skipped);

    start(&measure_events_mem_load_l3_retired, &l3, 1);
    cpu.count = 0; /* of which none need come */
    do_run();
    machine_found("");
    assert_string_equal(run.skipped, "none of these events came");

    start(&measure_events_mem_inst_retired, &loads, 1);
    cpu.before = true; /* which is no sample */
    do_run();
    machine_found("");
    assert_int_equal(run.seen, 3);
    start(&measure_events_mem_inst_retired, &loads, 1);
    cpu.bad = 3;
    do_run();
    assert_int_equal(run.seen, 2);

    start(&measure_events_mem_inst_retired, &loads, 1);
    cpu.unopened = true;
    do_run();
    machine_found("wrong: closed\n");
    assert_string_equal(cpu.ran, "");
    assert_int_equal(cpu.closed, 0);
    assert_true(run.planned);
}

/* At any branch of the workload that can be mispredicted, by EventingIP. */
static void mispredicted(void **state)
{
    static const struct pebs_event
        any = { "MISP", PEBS_ROLE_MISPREDICTED, PEBS_FAMILY_BR_MISP_RETIRED, 0xc5, 1, false },
        conditional = {
            "MISP_COND", PEBS_ROLE_MISPREDICTED_CONDITIONAL, PEBS_FAMILY_BR_MISP_RETIRED, 0x01c5, 1, false
        };
    static const struct {
        const struct pebs_event *event;
        uint64_t at;
        bool right;
    } cases[] = {
        { &any, 0x10, true },          { &any, 0x30, true },          { &any, 0x50, true },
        { &any, 0x20, false },         { &conditional, 0x30, true },  { &conditional, 0x10, false },
        { &conditional, 0x50, false }, { &conditional, 0x40, false },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        const unsigned events = cases[i].event == &any ? 2 * 7 : 2 * 5;
        start(&measure_events_br_misp_retired, cases[i].event, 1);
        cpu.at[0] = cases[i].at;
        do_run();
        assert_int_equal(run.problems, !cases[i].right);
        assert_string_equal(cpu.ran, cases[i].event == &any ? "????" : "oooo");
        assert_int_equal(run.expected, 0);
        assert_int_equal(cpu.period, 1);
        assert_int_equal(run.most, 4 * (events + 8) / pebs_spacing(cases[i].event, 1));
        assert_int_equal(cpu.displaced, 0);
    }
    start(&measure_events_br_misp_retired, &any, 1);
    caps.reason[CAPS_NEED_EVENTING_IP] = CAPS_NO_APIC;
    do_run();
    assert_string_equal(run.skipped, "the record does not say which branch it was: no EventingIP");
    start(&measure_events_br_inst_retired, &branch, 1); /* which others do without */
    caps.reason[CAPS_NEED_EVENTING_IP] = CAPS_NO_APIC;
    do_run();
    assert_null(run.skipped);
}

/* Each event that is left out is named with the reason, and the last one's is that of the test. */
static void left_out(void **state)
{
    static const struct pebs_event several[] = {
        { "CALLS", PEBS_ROLE_MISPREDICTED_CALLS, PEBS_FAMILY_BR_MISP_RETIRED, 0x1, 1, false },
        { "OTHER", PEBS_ROLE_LOADS, PEBS_FAMILY_MEM_INST_RETIRED, 0x81d0, 1, true },
        { "RETURNS", PEBS_ROLE_MISPREDICTED_RETURNS, PEBS_FAMILY_BR_MISP_RETIRED, 0x2, 1, false },
        { "ON_FIVE", PEBS_ROLE_MISPREDICTED, PEBS_FAMILY_BR_MISP_RETIRED, 0x3, 0x10, false },
        { "TSX", PEBS_ROLE_TSX, PEBS_FAMILY_BR_MISP_RETIRED, 0x4, 1, false },
        { "TAKEN", PEBS_ROLE_MISPREDICTED, PEBS_FAMILY_BR_MISP_RETIRED, 0x5, 1, false },
    };

    (void)state;
    start(&measure_events_br_misp_retired, several, 5);
    do_run();
    machine_printed("event CALLS not exercised: no workload has a call that is hard to predict\n"
                    "event RETURNS not exercised: no workload has a return that is hard to predict\n"
                    "event ON_FIVE not exercised: no counter of this processor can sample it\n"
                    "event TSX not exercised: this program starts no transaction\n");
    assert_string_equal(run.skipped, "this program starts no transaction");
    assert_false(run.planned);
    assert_int_equal(cpu.opened, 0);

    start(&measure_events_br_misp_retired, several, 6);
    cpu.at[0] = 0x10;
    do_run();
    assert_null(run.skipped);
    assert_int_equal(cpu.opened, 1);
    machine_found("");
    assert_int_equal(run.seen, 4);

    start(&measure_events_mem_load_l3_retired, &l3, 1);
    cpu.no_memory = true;
    do_run();
    machine_printed("event L3 not exercised: not enough free memory to drive lines out of the caches\n");
    assert_string_equal(run.skipped, "not enough free memory to drive lines out of the caches");
}

/* Events of one family share a test, and their numbers of records add up. */
static void several(void **state)
{
    struct pebs_event two[] = { branch, far, loads };

    (void)state;
    start(&measure_events_br_inst_retired, two, 3);
    cpu.at[0] = 3;
    do_run();
    machine_found("");
    assert_int_equal(run.expected, 2);
    assert_int_equal(run.most, 4 * (9 + 8) / pebs_spacing(&branch, 1) + 4 * (3 + 8) / pebs_spacing(&far, 1));
    assert_int_equal(run.seen, 8);
    assert_int_equal(cpu.opened, 2);
    assert_string_equal(cpu.ran, "ffff");
    cpu.frontend = 0;
    assert_int_equal(msr_get(0x3f7), 0);
}

static void the_tests(void **state)
{
    static const struct {
        const struct test *test;
        enum pebs_family family;
        const char *absent;
    } all[] = {
        { &measure_events_inst_retired, PEBS_FAMILY_INST_RETIRED, "no precise INST_RETIRED on this processor" },
        { &measure_events_other_assists, PEBS_FAMILY_ASSISTS, "no OTHER_ASSISTS on this processor" },
        { &measure_events_br_inst_retired, PEBS_FAMILY_BR_INST_RETIRED,
          "no precise BR_INST_RETIRED on this processor" },
        { &measure_events_br_misp_retired, PEBS_FAMILY_BR_MISP_RETIRED,
          "no precise BR_MISP_RETIRED on this processor" },
        { &measure_events_frontend_retired, PEBS_FAMILY_FRONTEND_RETIRED, "no FRONTEND_RETIRED on this processor" },
        { &measure_events_tsx, PEBS_FAMILY_TSX_RETIRED, "no HLE_RETIRED and RTM_RETIRED on this processor" },
        { &measure_events_mem_inst_retired, PEBS_FAMILY_MEM_INST_RETIRED,
          "no precise MEM_INST_RETIRED on this processor" },
        { &measure_events_mem_load_retired, PEBS_FAMILY_MEM_LOAD_RETIRED,
          "no precise MEM_LOAD_RETIRED on this processor" },
        { &measure_events_mem_load_l3_retired, PEBS_FAMILY_MEM_LOAD_L3_RETIRED,
          "no precise MEM_LOAD_L3_HIT_RETIRED on this processor" },
        { &measure_events_other, PEBS_FAMILY_OLDER, "no such events of their own on this processor" },
    };
    static const struct pebs_event none = { "NONE", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0x1, 1, false };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        struct pebs_event its = loads;
        start(all[i].test, &none, 1);
        do_run();
        assert_string_equal(run.skipped, all[i].absent);
        machine_printed("");
        assert_true(run.test->records && run.test->on_request);
        assert_int_equal(run.test->needs, NEED_APIC | NEED_PEBS | NEED_EVENT_ANY);
        its.family = all[i].family;
        start(all[i].test, &its, 1);
        do_run();
        assert_int_equal(run.seen, 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_it_is_sampled),
        cmocka_unit_test(what_fails),
        cmocka_unit_test(mispredicted),
        cmocka_unit_test(left_out),
        cmocka_unit_test(several),
        cmocka_unit_test(the_tests),
    };

    return cmocka_run_group_tests_name("kernel_events", tests, NULL, NULL);
}
