/* SPDX-License-Identifier: MIT */
/*
 * The jobs of all processors (suite/all_cpus/facilities_test.c), done by one of them on a machine of variables, with a
 * crew of two that does nothing: what is right passes, and each thing that is wrong is reported. Registers by their
 * numbers from SDM Vol. 4 (335592-081): C1H IA32_PMC0, 186H IA32_PERFEVTSEL0, 1C9H MSR_LASTBRANCH_TOS, 1D9H
 * IA32_DEBUGCTL, 38FH IA32_PERF_GLOBAL_CTRL, 680H and 6C0H the FROM and TO registers. Records as in
 * test_kernel_accesses.c.
 */
#include "tests/host/host_test.h"

#include "suite/all_cpus/facilities_test.c"
#include "tests/host/machine/machine.h"

enum wrong {
    NOTHING,
    NO_AREA,    /* the DS area is refused */
    NO_COUNTER, /* the counter cannot be programmed */
    SILENT,     /* no interrupt comes */
    FULL,       /* it comes when the buffer of branches is full */
    FEWER,      /* a record is missing */
    ANOTHER,    /* a record has another address */
    BEHIND,     /* .. is of no access; .. of an access too early */
    EARLY,
    OLD,        /* records of format 0, which have no data address */
    NO_FORMAT,  /* the stack cannot be decoded */
    COUNT_LESS, /* the counter misses one event */
};

#define BRANCHES_OF_LOOP  64u
#define BRANCHES_OF_CALLS 6u
#define LOADS             500u
#define PERIOD            45u
#define NOTHING_COUNTS    3u /* what the window itself counts */

static struct {
    enum wrong wrong;
    bool pending, off; /* an interrupt; interrupts are */
    unsigned runs, waits;
    uint64_t stamp;
} cpu;

static const struct branch branches[] = { { 0x1010, 0x1000, 1 << 2, BRANCHES_OF_LOOP } };
static const struct branch calls[BRANCHES_OF_CALLS] = { { 0x2000, 0x2100, 1 << 3, 1 }, { 0x2100, 0x2200, 1 << 3, 1 },
                                                        { 0x2200, 0x2300, 1 << 3, 1 }, { 0x2300, 0x2400, 1 << 3, 1 },
                                                        { 0x2400, 0x2500, 1 << 3, 1 }, { 0x2500, 0x2600, 1 << 3, 1 } };
static struct access loads[LOADS];
static struct caps caps;

/* ---- the processor ----------------------------------------------------------------------------------------------- */

static void append(unsigned field, const void *record, size_t size)
{
    uint64_t area[12], index;

    memcpy(area, ds_memory().area, sizeof area);
    index = area[field + 1];
    if (index + size > area[field + 2])
        return;
    memcpy((void *)(uintptr_t)index, record, size);
    index += size;
    memcpy(ds_memory().area + 8 * (field + 1), &index, 8);
    cpu.pending = index >= area[field + (cpu.wrong == FULL ? 2 : 3)] && cpu.wrong != SILENT;
}

static void did(const char *line)
{
    if (strcmp(line, "cli") == 0 || strcmp(line, "sti") == 0)
        cpu.off = line[0] == 'c';
    if (cpu.off || !cpu.pending)
        return;
    cpu.pending = false;
    machine.handler(NULL);
}

static void paused(void)
{
    cpu.waits++;
}

static void run_loop(const struct window *window)
{
    assert_true(cpu.off);
    assert_int_equal(window->msr, 0x1d9);
    assert_int_equal(window->on & 0x1c1, 0x1c0);
    for (unsigned i = 0; i < BRANCHES_OF_LOOP; i++) {
        const bool last = cpu.runs == 9 && i == BRANCHES_OF_LOOP - 1;
        const uint64_t record[3] = { 0x1010, last && cpu.wrong == ANOTHER ? 0x1001 : 0x1000, 0 };
        if (!last || cpu.wrong != FEWER)
            append(0, record, sizeof record);
    }
    cpu.runs++;
}

static void run_loads(const struct window *window)
{
    assert_true(cpu.off);
    assert_int_equal(window->msr, 0x38f);
    assert_int_equal(window->on, 1);
    for (unsigned n = 1; n <= LOADS; n++) {
        const unsigned event = n - (cpu.wrong == EARLY && cpu.runs == 9 ? 1 : 0);
        uint64_t record[25] = { [18] = 1, [20] = 1, [21] = 9 };
        if (n % (PERIOD + 1) || (cpu.wrong == FEWER && cpu.runs == 9 && n + PERIOD >= LOADS))
            continue;
        record[1] = loads[event - 1].next_ip;
        record[19] = loads[event - 1].address + (cpu.wrong == ANOTHER && cpu.runs == 9 && n + PERIOD >= LOADS);
        record[22] = loads[event - 1].ip + (cpu.wrong == BEHIND && cpu.runs == 9 && n + PERIOD >= LOADS);
        record[24] = ++cpu.stamp;
        append(4, record, caps.pebs_record_size);
    }
    cpu.runs++;
}

/* The last branches are the stack's, the newest at the top, which is entry 1. */
static void run_calls(const struct window *window)
{
    assert_true(cpu.off);
    assert_int_equal(window->msr, 0x1d9);
    assert_int_equal(window->on, 1);
    for (unsigned age = 0; age < 4; age++) {
        const struct branch *const branch = &calls[BRANCHES_OF_CALLS - 1 - age];
        const unsigned entry = (1 + 4 - age) % 4;
        if (age == 3 && cpu.wrong == FEWER)
            continue;
        machine_set(0x680 + entry, branch->from + (age == 3 && cpu.wrong == ANOTHER));
        machine_set(0x6c0 + entry, branch->to);
    }
    machine_set(0x1c9, 1);
}

static void count_events(const struct window *window, uint64_t events)
{
    assert_int_equal(window->msr, 0x38f);
    assert_int_equal(window->on, 1);
    assert_int_equal(msr_get(0x186), 0x4300c4);
    machine_set(0xc1, msr_get(0xc1) + events);
}

static void run_long_loop(const struct window *window)
{
    count_events(window, BRANCHES_OF_LOOP + 1 + NOTHING_COUNTS - (cpu.wrong == COUNT_LESS));
}

static void run_nothing(const struct window *window)
{
    count_events(window, NOTHING_COUNTS);
}

const struct workload workload_loop = { run_loop, 0x1000, 0x1012, branches, COUNT_OF(branches), NULL, 0, 0 };
const struct workload workload_calls = { run_calls, 0x2000, 0x2600, calls, COUNT_OF(calls), NULL, 0, 0 };
const struct workload workload_long_loop = { run_long_loop, 0x1000, 0x1012, branches, COUNT_OF(branches), NULL, 0, 0 };
const struct workload workload_nothing = { run_nothing, 0, 0, NULL, 0, NULL, 0, 0 };
const struct workload workload_loads = { run_loads, 0x3000, 0x5000, NULL, 0, loads, LOADS, 0 };
const struct workload workload_chase, workload_user_loop, workload_straight; /* of other tests */
const uint64_t workload_ring[WORKLOAD_CHASE_LINES][8];

/* ---- the crew ---------------------------------------------------------------------------------------------------- */

static const struct debugctl_bits core = { .lbr = 1, .tr = 0x40, .bts = 0x80, .btint = 0x100 };
static const struct pebs_event events[] = { { "LOADS", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0x81d0, 0xf, true } };
static const struct pebs_event_list list = { events, COUNT_OF(events) };
static struct member members[3];
static struct test_run run;
static struct topology threads;
static const char *no_crew;
static char called[200];

const char *cpus_start(struct test_run *of)
{
    assert_ptr_equal(of, &run);
    return no_crew;
}

unsigned cpus_count(void)
{
    return COUNT_OF(members);
}

struct member *cpus_member(unsigned number)
{
    assert_in_range(number, 0, COUNT_OF(members) - 1);
    return &members[number];
}

static void cpus_call(const char *how, cpus_job *job, const char *what, const char *unit)
{
    snprintf(called, sizeof called, "%s %s: %s of %s%s", how, what,
             job == trace             ? "trace"
             : job == sample          ? "sample"
             : job == record_branches ? "branches"
             : job == count           ? "count"
                                      : "?",
             unit,
             choose == pebs_sample_any            ? ", any"
             : choose == pebs_sample_instructions ? ", instructions"
                                                  : "");
}

void cpus_in_turn(struct test_run *of, cpus_job *job, const char *what, const char *unit)
{
    assert_ptr_equal(of, &run);
    cpus_call("in turn", job, what, unit);
}

void cpus_at_once(struct test_run *of, cpus_job *job, const char *what, const char *unit)
{
    assert_ptr_equal(of, &run);
    cpus_call("at once", job, what, unit);
}

enum acpi_error secondary_cpus_topology(struct topology *topology)
{
    *topology = threads;
    return ACPI_OK;
}

static struct pebs_sample loads_alone(const struct caps *of, unsigned records)
{
    assert_ptr_equal(of, &caps);
    assert_int_equal(records, 10);
    return (struct pebs_sample){ .event = events, .workload = &workload_loads, .period = PERIOD };
}

static void start(enum wrong wrong)
{
    machine_start();
    memset(&cpu, 0, sizeof cpu);
    cpu.wrong = wrong;
    machine.did = did;
    machine.pause = paused;
    if (wrong == NO_AREA)
        machine.page = 0;
    if (wrong == NO_COUNTER)
        machine_refuse(0x186);
    caps = (struct caps){
        .debugctl = &core,
        .linear_bits = 48,
        .global_ctrl = true,
        .general_count = 4,
        .general_width = 48,
        .general_counters = 0xf,
        .ds_width = 8,
        .ds_area_format = 3,
        .ds_area_size = 0x60,
        .bts_record_size = 24,
        .pebs_method = PEBS_METHOD_GENERAL,
        .pebs_format = 3,
        .pebs_form = { .width = 8, .format = 3 },
        .pebs_record_size = 200,
        .pebs_trap_like = true,
        .pebs_counters = 0xf,
        .lbr_layout = LBR_LAYOUT_PAIRS,
        .lbr_format = wrong == NO_FORMAT ? 9 : LBR_FORMAT_FLAGS,
        .lbr_depth = 4,
        .lbr_from = 0x680,
        .lbr_to = 0x6c0,
        .lbr_tos = 0x1c9,
        .events = &list,
    };
    if (wrong == OLD) {
        caps.pebs_format = caps.pebs_form.format = 0;
        caps.pebs_record_size = 144;
    }
    for (unsigned n = 0; n < LOADS; n++)
        loads[n] = (struct access){ 0x3000 + 4 * n, 0x3003 + 4 * n, 0x9000 + 8 * n, 0x70 + n };
    memset(members, 0, sizeof members);
    members[1].run = (struct test_run){ .caps = &caps, .test = &all_cpus_bts_in_turn };
    choose = loads_alone;
    ds_on_interrupt(NULL);
}

/* ---- what is tested ---------------------------------------------------------------------------------------------- */

#define FOUR(line) line line line line
#define TEN(line)  FOUR(line) FOUR(line) line line

static const struct {
    cpus_job *job;
    enum wrong wrong;
    unsigned came, of, interrupts;
    unsigned waits; /* in thousands of PAUSEs: ten for an interrupt that does not come, one for each PEBS area that is
                       closed */
    const char *found;
} cases[] = {
    { trace, NOTHING, 640, 640, 10, 0, "" },
    { trace, FULL, 640, 640, 5, 0, "wrong: drains of a full buffer is 0x5, must be 0x0\n" },
    { trace, FEWER, 639, 640, 9, 0, "wrong: number of records is 0x27f, must be 0x280\n" },
    { trace, ANOTHER, 639, 640, 10, 0, "wrong: BTS record 639 is 0x1010 => 0x1001, must be 0x1010 => 0x1000\n" },
    { trace, NO_AREA, 0, 640, 0, 0, "wrong: the DS area was refused: it breaks 2 of the manual's restrictions\n" },
    { trace, SILENT, 128, 640, 0, 90,
      "wrong: drains of a full buffer is 0x1, must be 0x0\n"
      "wrong: 0 interrupts came, expected at least 5\n"
      "wrong: number of records is 0x80, must be 0x280\n" },
    { sample, NOTHING, 100, 100, 10, 10, "" },
    { sample, OLD, 100, 100, 10, 10, "" },
    { sample, FEWER, 99, 100, 10, 10, "wrong: 9 records came, must be 10\n" },
    { sample, ANOTHER, 100, 100, 10, 10, "wrong: data address is 0x9e59, must be 0x9e58\n" },
    { sample, BEHIND, 100, 100, 10, 10, "wrong: PEBS record 9, IP 0x372f, is of no event of the workload\n" },
    { sample, EARLY, 100, 100, 10, 10, "wrong: PEBS record 0 is of event 44, must be of 45 or later\n" },
    { sample, NO_AREA, 0, 100, 0, 0,
      TEN("wrong: the DS area was refused: it breaks 2 of the manual's restrictions\n") },
    { sample, NO_COUNTER, 100, 100, 10, 10, TEN("wrong: the counter could not be programmed\n") },
    { sample, SILENT, 100, 100, 0, 110, TEN("wrong: 0 interrupts came, expected at least 1\n") },
    { record_branches, NOTHING, 4, 4, 0, 0, "" },
    { record_branches, FEWER, 3, 4, 0, 0,
      "wrong: LBR entry 3 is 0x0 => 0x0, must be 0x2200 => 0x2300\nwrong: number of entries is 0x3, must be 0x4\n" },
    { record_branches, ANOTHER, 4, 4, 0, 0, "wrong: LBR entry 3 is 0x2201 => 0x2300, must be 0x2200 => 0x2300\n" },
    { record_branches, NO_FORMAT, 0, 4, 0, 0,
      "wrong: LBR stack: unknown LBR format\nwrong: number of entries is 0x0, must be 0x4\n" },
    { count, NOTHING, 65, 65, 0, 0, "" },
    { count, COUNT_LESS, 64, 65, 0, 0, "wrong: branches that were counted is 0x40, must be 0x41\n" },
    { count, NO_COUNTER, 0, 65, 0, 0,
      "wrong: counter 0 could not be programmed\nwrong: counter 0 could not be programmed\n"
      "wrong: branches that were counted is 0x0, must be 0x41\n" },
};

static void jobs(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        struct member *const m = &members[1];
        start(cases[i].wrong);
        cases[i].job(m);
        machine_found(cases[i].found);
        assert_int_equal(m->came, cases[i].came);
        assert_int_equal(m->of, cases[i].of);
        assert_int_equal(m->interrupts, cases[i].interrupts);
        assert_true(cpu.off || cases[i].wrong == NO_AREA);
        assert_int_equal(msr_get(0x186) | msr_get(0x38f), 0);
        assert_int_equal(cpu.waits, 1000 * cases[i].waits);
    }
}

/* Who is not fit has no records to leave; a stack that is deeper than the workload is not filled. */
static void tests_of_all(void **state)
{
    static const struct {
        const struct test *test;
        uint64_t needs;
        unsigned expected;
        const char *does;
    } all[] = {
        { &all_cpus_bts_in_turn, NEED_APIC | NEED_BTS, 1280, "in turn bts: trace of records" },
        { &all_cpus_bts_at_once, NEED_APIC | NEED_BTS, 1280, "at once bts: trace of records" },
        { &all_cpus_pebs_in_turn, NEED_APIC | NEED_PEBS | NEED_EVENT_ANY, 200, "in turn pebs: sample of records, any" },
        { &all_cpus_pebs_at_once, NEED_APIC | NEED_PEBS | NEED_EVENT_ANY, 200,
          "at once pebs: sample of records, instructions" },
        { &all_cpus_lbr_in_turn, NEED_APIC | NEED_LBR, 10, "in turn lbr: branches of entries" },
        { &all_cpus_lbr_at_once, NEED_APIC | NEED_LBR, 10, "at once lbr: branches of entries" },
        { &all_cpus_counters_in_turn, NEED_APIC | NEED_GLOBAL_CTRL, 0, "in turn counter 0: count of branches" },
        { &all_cpus_counters_at_once, NEED_APIC | NEED_GLOBAL_CTRL, 0, "at once counter 0: count of branches" },
    };
    static struct caps deep;

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(NOTHING);
        choose = NULL;
        deep = caps;
        deep.lbr_depth = 32;
        members[0].run.caps = &caps;
        members[0].fit = members[2].fit = true;
        members[2].run.caps = &deep;
        no_crew = NULL;
        run = (struct test_run){ .test = all[i].test, .caps = &caps };
        all[i].test->run(&run);
        assert_string_equal(called, all[i].does);
        assert_int_equal(run.planned, all[i].expected != 0);
        assert_int_equal(run.expected, all[i].expected);
        assert_int_equal(run.most, all[i].expected);
        assert_int_equal(all[i].test->records, all[i].expected != 0);
        assert_int_equal(all[i].test->needs, all[i].needs);
        assert_true(all[i].test->on_request);
        assert_null(run.skipped);
        machine_did("");
        called[0] = 0;
        no_crew = "nobody is there";
        run = (struct test_run){ .test = all[i].test, .caps = &caps };
        all[i].test->run(&run);
        assert_string_equal(run.skipped, "nobody is there");
        assert_string_equal(called, "");
        assert_false(run.planned);
    }
}

static void threads_of_netburst(void **state)
{
    (void)state;
    start(NOTHING);
    threads.siblings = true;
    assert_null(all_cpus_pebs_at_once.lacks(&caps));
    caps.pebs_method = PEBS_METHOD_NETBURST;
    assert_string_equal(all_cpus_pebs_at_once.lacks(&caps), "the threads of a NetBurst core share its counters");
    threads.siblings = false;
    assert_null(all_cpus_pebs_at_once.lacks(&caps));
    assert_null(all_cpus_pebs_in_turn.lacks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs),
        cmocka_unit_test(tests_of_all),
        cmocka_unit_test(threads_of_netburst),
    };
    return cmocka_run_group_tests_name("kernel_facilities", tests, NULL, NULL);
}
