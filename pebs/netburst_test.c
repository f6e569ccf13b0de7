/* SPDX-License-Identifier: MIT */
/*
 * Features only of NetBurst: tagging of micro-operations by the execution unit and by the replay mechanism, and
 * MSR_PEBS_ENABLE with two bits that editions of the manual describe differently. pebs.loads and pebs.stores cover
 * front-end tagging.
 *
 * In the manual a tagged uop counts once, when it retires, but the number of uops per instruction is undefined.
 * Typically, an addition, a load and a store are one each, LFENCE is none of these, and the record describes the very
 * next event after an overflow (suite/support/pebs_places.h).
 */
#include "suite/suite.h"

#include "pebs/netburst.h"

#define NEEDS (NEED_APIC | NEED_PEBS | NEED_PEBS_TAGGING)
#define GROUP .needs = NEEDS, .records = true

#define PERIOD PEBS_PERIOD_LEAST

/* Uops per instruction, at most. */
#define UOPS 4u

enum { ROUNDS = 16 };

/* Large enough for all records, so there is no interrupt. */
static const struct ds_config roomy = {
    .pebs = true, .pebs_records = 96, .pebs_threshold = 80, .pebs_reset = { 0 - (uint64_t)PERIOD }
};

/* records_close() for records of one event, which are compared. */
static void close(struct test_run *run, const struct workload *workload)
{
    static const struct pebs_event tagged = { .role = PEBS_ROLE_LOADS };

    records_close(run, 0);
    test_saw(run, ds_pebs_log()->records);
    pebs_sample_expect(&(struct pebs_sample){ .event = &tagged, .workload = workload, .period = PERIOD }, 0);
    pebs_compare(run);
}

/* Programs one event. The test fails if the name is unknown or a register does not keep its value. */
static bool program(struct test_run *run, const char *name, bool sample, uint64_t period)
{
    const struct netburst_event *event = netburst_event_find(name);

    if (!event || !netburst_program(&(struct netburst_setup){ event, true, true, sample, period })) {
        test_fail(run, "%s could not be programmed", name);
        return false;
    }
    console_note("event %s:%s, MSR_PEBS_ENABLE 0x%" PRIx64 ", MSR_PEBS_MATRIX_VERT 0x%" PRIx64,
                 netburst_kind_text(event->kind), event->name, msr_get(MSR_PEBS_ENABLE), msr_get(MSR_PEBS_MATRIX_VERT));
    return true;
}

struct tagged {
    const char *event;
    const struct workload *workload;
};

/* The typical, the smallest and the largest number of records for a number of tagged instructions. */
static unsigned typical(unsigned events)
{
    return events / (PERIOD + 1);
}

static void plan(struct test_run *run, unsigned events)
{
    test_plan_between(run, typical(events) / 2, UOPS * typical(events));
}

static void check_count(struct test_run *run, unsigned came, unsigned events)
{
    if (came && came != typical(events))
        test_differs(run, "%u records written, typically %u", came, typical(events));
}

/* Samples the workload's accesses: each record must have the address of the instruction after one of them. */
static void sample(struct test_run *run)
{
    const struct tagged *tagged = run->test->argument;
    const struct workload *workload = tagged->workload;
    const unsigned events = ROUNDS * (unsigned)workload->access_count;
    struct window window = netburst_window();
    struct pebs_record record;
    bool in_order = true;

    plan(run, events);
    if (!records_open(run, &roomy))
        return;
    workload_x87_prepare();
    if (program(run, tagged->event, true, PERIOD))
        for (unsigned i = 0; i < ROUNDS; i++)
            workload->run(&window);
    close(run, workload);
    check_count(run, ds_pebs_log()->records, events);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        const struct access *got = pebs_access(run, workload, &record);
        if (got && in_order &&
            got != &workload->accesses[((n + 1) * (PERIOD + 1) - 1) % (unsigned)workload->access_count]) {
            test_differs(run, "PEBS record %u, IP 0x%" PRIx64 ", is not after the typical instruction", n, record.ip);
            in_order = false;
        }
    }
}

TESTS(tagging) = {
    { "pebs.tagging.execution",
      "execution_event samples x87 operations, tagged by the execution unit, and no instructions between them",
      SDM_NETBURST ", \"Execution Tagging\"", GROUP, .run = sample,
      .argument = &(const struct tagged){ "X87_FP_retired", &workload_x87 } },
    { "pebs.tagging.replay", "replay_event samples loads across two cache lines, and no loads inside one line",
      SDM_NETBURST ", \"Files Tagging\"", GROUP, .run = sample,
      .argument = &(const struct tagged){ "split_load_retired", &workload_split_loads } },
    { "pebs.tagging.execution.mmx",
      "execution_event samples MMX operations, and none of the x87 operations between them",
      SDM_NETBURST ", \"Execution Tagging\"", GROUP, .run = sample,
      .argument = &(const struct tagged){ "64_bit_MMX_retired", &workload_mmx } },
    { "pebs.tagging.replay.stores", "replay_event samples stores across two cache lines, and no stores inside one line",
      SDM_NETBURST ", \"Files Tagging\"", GROUP, .run = sample,
      .argument = &(const struct tagged){ "split_store_retired", &workload_split_stores } },
};

/* Returns whether ip is the target of a branch in the workload. */
static bool is_target(const struct workload *workload, uint64_t ip)
{
    for (uint64_t i = 0; i < workload->branch_count; i++)
        if (workload->branches[i].to == ip)
            return true;
    return false;
}

/*
 * Two independent sources of a misprediction: the flag in its BTS record, and the tag from its replay. The number
 * depends on the predictor. Typically both agree, except for the last conditional branch of the loop, which falls
 * through and is in no trace. Only this is promised: the records describe branches.
 */
static void replay_mispredicted(struct test_run *run)
{
    enum { TURNS = 8 };
    const struct workload *workload = &workload_surprises;
    const unsigned branches = branch_count(workload, BRANCH_KINDS_ALL);
    const struct ds_config config = { .pebs = true,
                                      .pebs_records = 96,
                                      .pebs_threshold = 80,
                                      .pebs_reset = { 0 - (uint64_t)PERIOD },
                                      .bts = true,
                                      .bts_records = 2048,
                                      .bts_threshold = 2000 };
    struct window tracing, counting = netburst_window();
    struct bts_record branch;
    struct pebs_record record;
    unsigned wrong = 0, sampled;

    test_plan_between(run, TURNS * branches, TURNS * (branches + (branches + 1) / (PERIOD + 1)) + TURNS);
    if (!records_open(run, &config))
        return;
    tracing = bts_window(run->caps, false);
    if (program(run, "Tagged_mispred_branch", true, PERIOD)) {
        interrupts_off();
        for (unsigned i = 0; i < TURNS; i++) {
            msr_write((uint32_t)tracing.msr, tracing.on);
            workload->run(&counting);
            msr_write((uint32_t)tracing.msr, tracing.off);
        }
        interrupts_on();
    }
    close(run, workload);
    for (unsigned n = 0; n < ds_bts_log()->records && records_bts(run, n, &branch); n++) {
        if (branch.from < workload->start || branch.from >= workload->limit)
            continue;
        test_saw(run, 1);
        wrong += !branch.predicted;
    }
    sampled = ds_pebs_log()->records;
    if (sampled < wrong / (PERIOD + 1) || sampled > (wrong + TURNS) / (PERIOD + 1))
        test_differs(run, "PEBS recorded %u of %u mispredicted branches, typically %u to %u", sampled, wrong,
                     wrong / (PERIOD + 1), (wrong + TURNS) / (PERIOD + 1));
    for (unsigned n = 0; n < sampled && records_pebs(run, n, &record); n++)
        if (!is_target(workload, record.ip) && record.ip != workload->limit)
            test_fail(run, "PEBS record %u: IP 0x%" PRIx64 " is not the target of a branch", n, record.ip);
}

/* A chase of lines. The loop counter, which counts down, identifies each load. */
static void check_chase(struct test_run *run, unsigned spacing)
{
    const unsigned steps = WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS;
    bool in_order = true;
    struct pebs_record record;

    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        const unsigned step = steps + 1 - (unsigned)record.gpr[PEBS_RCX];
        if (in_order && step != (n + 1) * spacing)
            test_differs(run, "PEBS record %u describes step %u, typically %u", n, step, (n + 1) * spacing);
        in_order = in_order && step == (n + 1) * spacing;
    }
}

/*
 * PEBS and BTS at the same time in one loop, without an interrupt, because the loads of its handler would count: every
 * branch, and one load in 34. After each record the counter restarts from the 40-bit reset value in the area.
 */
static void with_bts(struct test_run *run)
{
    enum { SPACING = PERIOD + 1 };
    const struct ds_config config = { .pebs = true,
                                      .pebs_records = 96,
                                      .pebs_threshold = 80,
                                      .pebs_reset = { 0 - (uint64_t)PERIOD },
                                      .bts = true,
                                      .bts_records = 1200,
                                      .bts_threshold = 1100 };
    const unsigned branches = branch_count(&workload_chase, BRANCH_KINDS_ALL);
    const unsigned steps = WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS;
    struct window tracing, counting = netburst_window();

    test_plan_between(run, branches + typical(steps) / 2, branches + typical(steps));
    if (!records_open(run, &config))
        return;
    tracing = bts_window(run->caps, false);
    if (program(run, "memory_loads", true, PERIOD)) {
        interrupts_off();
        msr_write((uint32_t)tracing.msr, tracing.on);
        workload_chase.run(&counting);
        msr_write((uint32_t)tracing.msr, tracing.off);
        interrupts_on();
    }
    close(run, &workload_chase);
    records_compare_bts(run, &workload_chase, 0);
    check_count(run, ds_pebs_log()->records, steps);
    check_chase(run, SPACING);
}

/*
 * The two bits. With only bit 24 set, split loads are tagged and counted but not sampled, although an area is open and
 * the counter overflows. If bit 24 enabled PEBS, as two sections of the manual say, there would be records.
 * pebs.tagging.replay shows that bit 25 enables PEBS.
 */
static void uop_tag(struct test_run *run)
{
    const unsigned splits = (unsigned)workload_split_loads.access_count;
    struct window window = netburst_window();
    uint64_t counted = 0;

    test_plan(run, 0);
    if (!records_open(run, &roomy))
        return;
    if (program(run, "split_load_retired", false, PERIOD)) {
        workload_split_loads.run(&window);
        counted = (netburst_counter() + PERIOD) & NETBURST_COUNTER_MASK;
    }
    records_close(run, 0);
    test_saw(run, ds_pebs_log()->records);
    if (ds_pebs_log()->records)
        return; /* after a record the counter starts again */
    if (counted <= PERIOD + 1 || counted > UOPS * splits)
        test_fail(run, "%u split loads counted, must be %u to %u", (unsigned)counted, PERIOD + 2, UOPS * splits);
    else if (counted != splits)
        test_differs(run, "%u split loads counted, typically %u", (unsigned)counted, splits);
}

static void count(struct test_run *run)
{
    static const struct {
        const char *event;
        const struct workload *workload;
    } cases[] = {
        { "memory_loads", &workload_loads },
        { "memory_stores", &workload_stores },
        { "X87_FP_retired", &workload_x87 },
        { "split_load_retired", &workload_split_loads },
    };
    struct window window = netburst_window();

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        workload_x87_prepare();
        if (!program(run, cases[i].event, false, 0))
            return;
        cases[i].workload->run(&window);
        const uint64_t uops = netburst_counter(), accesses = cases[i].workload->access_count;
        if (uops < accesses)
            test_fail(run, "%s: %" PRIu64 " uops counted, must be %" PRIu64 " or more", cases[i].event, uops, accesses);
        else if (uops > accesses)
            test_differs(run, "%s: %" PRIu64 " uops counted, of %" PRIu64 " instructions", cases[i].event, uops,
                         accesses);
    }
}

/*
 * The counter keeps all of its 40 bits, and wraps from the largest value to 0. Measures first how many loads count.
 */
static void width(struct test_run *run)
{
    struct window window = netburst_window();
    uint64_t loads;

    if (!program(run, "memory_loads", false, 0))
        return;
    workload_loads.run(&window);
    loads = netburst_counter();
    if (!program(run, "memory_loads", false, 1))
        return;
    test_equal(run, "MSR_IQ_COUNTER4", msr_get(MSR_IQ_COUNTER4) & UINT64_C(0xffffffffff), UINT64_C(0xffffffffff));
    workload_loads.run(&window);
    test_equal(run, "MSR_IQ_COUNTER4 after an overflow", netburst_counter(), loads - 1);
}

TESTS(other_tagging) = {
    { "pebs.tagging.replay.mispredicted",
      "Mispredicted branches are tagged and sampled, typically as often as BTS records show a misprediction",
      SDM_NETBURST ", \"Files Tagging\"", .needs = NEEDS | NEED_BTS | NEED_BTS_PREDICTED, .records = true,
      .run = replay_mispredicted },
    { "pebs.tagging.with_bts",
      "PEBS and BTS share the area, and record each branch of a loop, and one in 34 of its loads",
      SDM_NETBURST ", \"Setting Up the PEBS Buffer\"", .needs = NEEDS | NEED_BTS, .records = true, .run = with_bts },
    { "pebs.tagging.uop_tag", "Bit 24 of MSR_PEBS_ENABLE alone tags replays for a counter, and enables no sampling",
      SDM_NETBURST ", \"Files Tagging\", the table of MSR_PEBS_ENABLE, against "
                   "\"Detection of the Availability of the PEBS Facilities\"",
      GROUP, .run = uop_tag },
    { "pebs.tagging.count",
      "MSR_IQ_COUNTER4 counts at least one uop for each load, store, x87 operation and split load of a workload",
      SDM_NETBURST ", \"At-Retirement Counting\"", .needs = NEEDS, .run = count },
    { "pebs.tagging.counter_width", "MSR_IQ_COUNTER4 has 40 bits and overflows to 0",
      SDM_NETBURST ", \"Performance Counters\"", .needs = NEEDS, .run = width },
};
