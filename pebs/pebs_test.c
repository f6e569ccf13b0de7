/* SPDX-License-Identifier: MIT */
/*
 * Records of precise events. A counter that starts at -N overflows with the Nth event, which arms PEBS; the next event
 * writes the record, and the counter starts again at -N from the DS area's reset slot (SDM Vol. 3B, "Processor Event
 * Based Sampling"). So records lie N + 1 events apart, and which instruction each must name is known from the labels.
 * The manual does not say how many events may pass until the hardware is armed. The tests take it at its word: none.
 */
#include "pebs/pebs.h"

#include <inttypes.h>

#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "bts/bts.h"
#include "kernel/console.h"
#include "arch/x86/image.h"
#include "kernel/records.h"
#include "kernel/test.h"

#define NEEDS (NEED_APIC | NEED_PEBS | NEED_EVENTING_IP | NEED_PEBS_TSC)

/* Core cycles; the least that can be set. Loads that take longer count. */
#define LATENCY_THRESHOLD 3

/* Room for all: no interrupt falls due. */
#define ROOMY .pebs = true, .pebs_records = 320, .pebs_threshold = 300

/* Time stamps are those of one processor: they never go back. */
static void check_time(struct test_run *run)
{
    struct pebs_record record;
    uint64_t last = 0;

    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (record.tsc <= last)
            test_fail(run, "PEBS record %u: time stamp %" PRIu64 " is not after %" PRIu64, n, record.tsc, last);
        last = record.tsc;
    }
}

/* Opens the area, samples one event over a workload with one counter, and closes. Returns whether it ran. */
static bool sample_in(struct test_run *run, uint64_t rings, const struct ds_config *config,
                      const struct pebs_event *event, unsigned counter, const struct workload *workload,
                      unsigned interrupts)
{
    const struct pebs_sampling sampling = {
        .event = event, .counter = counter, .period = 0 - config->pebs_reset[counter], .rings = rings, .threshold = 3
    };
    struct window window = pebs_window(UINT64_C(1) << counter);

    console_note("event %s, counter %u, reset -%" PRIu64, event->name, counter, sampling.period);
    if (!records_open(run, config))
        return false;
    if (!pebs_program(run->caps, &sampling)) {
        test_fail(run, "the counter could not be programmed");
        return false;
    }
    workload->run(&window);
    records_close(run, interrupts);
    test_saw(run, ds_pebs_log()->records);
    check_time(run);
    return true;
}

/* The same with no interrupt to come, so that nothing but the workload is in the window. */
static bool sample(struct test_run *run, const struct ds_config *config, const struct pebs_event *event,
                   unsigned counter, const struct workload *workload)
{
    return sample_in(run, PERFEVTSEL_USR | PERFEVTSEL_OS, config, event, counter, workload, 0);
}

/* What every record of a single counter must say. */
static void check_common(struct test_run *run, unsigned n, const struct pebs_record *record, unsigned counter)
{
    uint64_t after = run->caps->pebs_trap_like;

    test_equal(run, "applicable counters", record->counters, UINT64_C(1) << counter);
    if (after && record->ip <= record->eventing_ip)
        test_fail(run, "PEBS record %u: its IP is not behind its EventingIP", n);
    test_equal(run, "TSX information", record->tsx, 0);
}

/* ---- loads and stores: every address and value ------------------------------------------------------------------ */

static void sample_accesses(struct test_run *run, const struct pebs_event *event, unsigned counter,
                            const struct workload *workload, unsigned period)
{
    struct ds_config config = { ROOMY };
    struct pebs_record record;

    config.pebs_reset[counter] = 0 - (uint64_t)period;
    test_plan(run, (unsigned)workload->access_count / (period + 1));
    if (!sample(run, &config, event, counter, workload))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && n < run->expected && records_pebs(run, n, &record); n++) {
        const struct access *want = &workload->accesses[(n + 1) * (period + 1) - 1];
        check_common(run, n, &record, counter);
        test_equal(run, "EventingIP", record.eventing_ip, want->ip);
        test_equal(run, "IP", record.ip, want->next_ip);
        test_equal(run, "data address", record.data_address, want->address);
        test_equal(run, "RAX", record.gpr[PEBS_RAX], want->value);
    }
}

static void loads(struct test_run *run)
{
    sample_accesses(run, &pebs_all_loads, 0, &workload_loads, 1);
}

TEST(pebs_loads) = {
    .id = "pebs.loads",
    .title = "Each record of a load names its instruction, its address and the value it left in RAX",
    .needs = NEEDS,
    .records = true,
    .run = loads,
};

/* What the loads leave alone is known too: every register, and the flags that their last instruction defined. */
static void registers(struct test_run *run)
{
    struct pebs_record record;

    sample_accesses(run, &pebs_all_loads, 0, &workload_loads, 7);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        for (unsigned r = 0; r < 16; r++) /* those that the mode has not are written as zero */
            if (r != PEBS_RAX && r != PEBS_RSP)
                test_equal(run, "register", record.gpr[r], r < REGISTERS ? WORKLOAD_REGISTER(r) : 0);
        test_equal(run, "RFLAGS", record.rflags & WORKLOAD_FLAGS_MASK, WORKLOAD_FLAGS);
        if (record.gpr[PEBS_RSP] < (uintptr_t)stack_guard || record.gpr[PEBS_RSP] >= (uintptr_t)data_end)
            test_fail(run, "PEBS record %u: RSP 0x%" PRIx64 " is not on the stack", n, record.gpr[PEBS_RSP]);
    }
}

TEST(pebs_registers) = {
    .id = "pebs.registers",
    .title = "Each record has all sixteen registers and the flags as they were after the instruction",
    .needs = NEEDS,
    .records = true,
    .run = registers,
};

static void stores(struct test_run *run)
{
    sample_accesses(run, &pebs_all_stores, 0, &workload_stores, 1);
}

TEST(pebs_stores) = {
    .id = "pebs.stores",
    .title = "Each record of a store names its instruction, its address and the value it stored",
    .needs = NEEDS,
    .records = true,
    .run = stores,
};

static void counter_1(struct test_run *run)
{
    sample_accesses(run, &pebs_all_loads, 1, &workload_loads, 4);
}

TEST(pebs_counter_1) = {
    .id = "pebs.counter.1",
    .title = "Counter 1 samples with its own reset slot and its own bit",
    .needs = NEEDS,
    .records = true,
    .run = counter_1,
};

static void counter_2(struct test_run *run)
{
    sample_accesses(run, &pebs_all_loads, 2, &workload_loads, 6);
}

TEST(pebs_counter_2) = {
    .id = "pebs.counter.2",
    .title = "Counter 2 samples with its own reset slot and its own bit",
    .needs = NEEDS,
    .records = true,
    .run = counter_2,
};

static void counter_3(struct test_run *run)
{
    sample_accesses(run, &pebs_all_loads, 3, &workload_loads, 9);
}

TEST(pebs_counter_3) = {
    .id = "pebs.counter.3",
    .title = "Counter 3 samples with its own reset slot and its own bit",
    .needs = NEEDS,
    .records = true,
    .run = counter_3,
};

/*
 * A buffer of eight with an interrupt each four: what the service routine drains must be all of it, in order. At CPL 3
 * and counted there only: the routine's own loads would be events too, and at this period enough for the next
 * interrupt.
 */
static void threshold(struct test_run *run)
{
    const struct workload *workload = &workload_user_loads;
    const struct ds_config config = {
        .pebs = true, .pebs_records = 8, .pebs_threshold = 4, .pebs_reset = { 0 - UINT64_C(1) }
    };
    struct pebs_record record;

    test_plan(run, (unsigned)workload->access_count / 2);
    if (!sample_in(run, PERFEVTSEL_USR, &config, &pebs_all_loads, 0, workload,
                   (unsigned)workload->access_count / 2 / 8))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && n < run->expected && records_pebs(run, n, &record); n++) {
        test_equal(run, "EventingIP", record.eventing_ip, workload->accesses[n * 2 + 1].ip);
        test_equal(run, "RAX", record.gpr[PEBS_RAX], workload->accesses[n * 2 + 1].value);
    }
}

TEST(pebs_interrupt_threshold) = {
    .id = "pebs.interrupt.threshold",
    .title = "The interrupt at the threshold drains the buffer, and no record is lost between two interrupts",
    .needs = NEEDS,
    .records = true,
    .run = threshold,
};

/* ---- branches -----------------------------------------------------------------------------------------------------
 */

static void sample_branches(struct test_run *run, const struct pebs_event *event, const struct workload *workload,
                            uint64_t kinds, unsigned period)
{
    struct ds_config config = { ROOMY, .pebs_reset = { 0 - (uint64_t)period } };
    struct branch_walk walk = { workload, kinds, 0, 0 };
    struct pebs_record record;

    test_plan(run, branch_count(workload, kinds) / (period + 1));
    if (!sample(run, &config, event, 0, workload))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && n < run->expected && records_pebs(run, n, &record); n++) {
        const struct branch *want = NULL;
        for (unsigned i = 0; i <= period; i++)
            want = branch_next(&walk);
        test_equal(run, "applicable counters", record.counters, 1);
        test_equal(run, "EventingIP", record.eventing_ip, want->from);
        test_equal(run, "IP", record.ip, want->to); /* the instruction after a taken branch is its target */
    }
}

static void taken(struct test_run *run)
{
    sample_branches(run, &pebs_near_taken, &workload_kinds, BRANCH_KINDS_ALL, 1);
}

TEST(pebs_branches_taken) = {
    .id = "pebs.branches.taken",
    .title = "BR_INST_RETIRED.NEAR_TAKEN samples taken branches of every kind: EventingIP the branch, IP its target",
    .needs = NEEDS,
    .records = true,
    .run = taken,
};

static void near_calls(struct test_run *run)
{
    sample_branches(run, &pebs_near_call, &workload_calls, LBR_SELECT_NEAR_REL_CALL, 1);
}

TEST(pebs_branches_call) = {
    .id = "pebs.branches.call",
    .title = "BR_INST_RETIRED.NEAR_CALL samples calls and nothing else",
    .needs = NEEDS,
    .records = true,
    .run = near_calls,
};

static void reload(struct test_run *run)
{
    sample_branches(run, &pebs_near_taken, &workload_long_loop, BRANCH_KINDS_ALL, 99);
}

TEST(pebs_reload) = {
    .id = "pebs.reload",
    .title = "The counter reloads itself from the DS area after each record: 2999 branches, one record in 100",
    .needs = NEEDS,
    .records = true,
    .run = reload,
};

/* ---- PDIR -----------------------------------------------------------------------------------------------------------
 */

/* INST_RETIRED.PREC_DIST records the very event that overflows: records lie the period apart, to the instruction. */
static void prec_dist(struct test_run *run)
{
    enum { PERIOD = 100, COUNTER = 1 };
    struct ds_config config = { ROOMY };
    struct pebs_record record;
    uint64_t last = 0;

    config.pebs_reset[COUNTER] = 0 - UINT64_C(100);
    test_plan(run, (unsigned)workload_straight.instructions / PERIOD);
    if (!sample(run, &config, &pebs_prec_dist, COUNTER, &workload_straight))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        check_common(run, n, &record, COUNTER);
        test_equal(run, "IP", record.ip, record.eventing_ip + WORKLOAD_STRAIGHT_STEP);
        if (record.eventing_ip < workload_straight.start || record.eventing_ip >= workload_straight.limit)
            test_fail(run, "PEBS record %u is not of the workload", n);
        if (n)
            test_equal(run, "distance to the record before", record.eventing_ip - last,
                       PERIOD * WORKLOAD_STRAIGHT_STEP);
        last = record.eventing_ip;
    }
}

TEST(pebs_inst_retired_prec_dist) = {
    .id = "pebs.inst_retired.prec_dist",
    .title = "INST_RETIRED.PREC_DIST samples are exactly the period apart",
    .needs = NEEDS,
    .records = true,
    .run = prec_dist,
};

/* ---- load latency ---------------------------------------------------------------------------------------------------
 */

/*
 * A ring of 16 lines chased 64 times: from the second round on every load hits the first level. The processor follows
 * loads that it picks at random and counts only those (SDM Vol. 3B, "Load Latency Performance Monitoring Facility"), so
 * a record may stand for any step; which one, RCX tells, for it counts the steps that are left.
 */
static void load_latency(struct test_run *run)
{
    enum { PERIOD = 32 };
    const struct ds_config config = { ROOMY, .pebs_reset = { 0 - UINT64_C(32) } };
    const unsigned steps = WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS;
    struct pebs_record record;

    test_plan_between(run, 1, steps / (PERIOD + 1));
    if (!sample(run, &config, &pebs_load_latency, 0, &workload_chase))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        uint64_t step = steps - record.gpr[PEBS_RCX];
        check_common(run, n, &record, 0);
        test_equal(run, "EventingIP", record.eventing_ip, workload_chase.accesses[0].ip);
        test_equal(run, "IP", record.ip, workload_chase.accesses[0].next_ip);
        test_equal(run, "data address", record.data_address, (uintptr_t)workload_ring[step % WORKLOAD_CHASE_LINES]);
        test_equal(run, "RAX", record.gpr[PEBS_RAX], (uintptr_t)workload_ring[(step + 1) % WORKLOAD_CHASE_LINES]);
        if (record.latency <= LATENCY_THRESHOLD)
            test_fail(run, "PEBS record %u: latency %" PRIu64 " is not above the threshold", n, record.latency);
        if (step >= WORKLOAD_CHASE_LINES)
            test_equal(run, "data source (1 is an L1 hit)", record.data_source & 0xf, 1);
    }
}

TEST(pebs_load_latency_l1) = {
    .id = "pebs.load_latency.l1",
    .title = "Loads from a ring that fits the first level have their address, their latency and the source L1",
    .needs = NEEDS | NEED_LOAD_LATENCY,
    .records = true,
    .run = load_latency,
};

/* ---- both facilities in one area ------------------------------------------------------------------------------------
 */

/*
 * PEBS and BTS at once, each with its threshold: one service routine drains both, and neither loses a record. At CPL 3,
 * with both told to leave CPL 0 out, since the routine's own branches are events and records too.
 */
static void with_bts(struct test_run *run)
{
    const struct ds_config config = { .pebs = true,
                                      .pebs_records = 16,
                                      .pebs_threshold = 4,
                                      .pebs_reset = { 0 - UINT64_C(99) },
                                      .bts = true,
                                      .bts_records = 256,
                                      .bts_threshold = 128 };
    const struct pebs_sampling sampling = { .event = &pebs_near_taken, .period = 99, .rings = PERFEVTSEL_USR };
    unsigned branches = branch_count(&workload_user_loop, BRANCH_KINDS_ALL);
    const struct branch *back = &workload_user_loop.branches[0];
    struct pebs_record record;
    struct window tracing, counting = pebs_window(1);

    test_plan(run, branches + branches / 100);
    if (!records_open(run, &config))
        return;
    if (!pebs_program(run->caps, &sampling))
        test_fail(run, "the counter could not be programmed");
    tracing = bts_window(run->caps, false, run->caps->debugctl->bts_off_os);
    msr_write((uint32_t)tracing.msr, tracing.on);
    workload_user_loop.run(&counting);
    msr_write((uint32_t)tracing.msr, tracing.off);
    records_close(run, branches / 256);
    records_compare_bts(run, &workload_user_loop, 0);
    test_saw(run, ds_pebs_log()->records);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        test_equal(run, "EventingIP", record.eventing_ip, back->from);
}

TEST(pebs_with_bts) = {
    .id = "pebs.with_bts",
    .title = "PEBS and BTS share the area and the service routine, and neither loses a record",
    .needs = NEEDS | NEED_BTS | NEED_BTS_CPL,
    .records = true,
    .run = with_bts,
};

/* ---- counting
 * --------------------------------------------------------------------------------------------------------- */

static uint64_t count(struct test_run *run, uint64_t event, const struct workload *workload)
{
    struct window window = pebs_window(1);

    if (!counter_program(0, event | PERFEVTSEL_USR | PERFEVTSEL_OS | PERFEVTSEL_EN, 0, run->caps->full_width_write))
        test_fail(run, "the counter could not be programmed");
    workload->run(&window);
    return counter_read(0);
}

/* What the window itself counts is subtracted, so the rest is the body, to the instruction. */
static void count_exact(struct test_run *run)
{
    static const struct {
        const char *name;
        uint64_t event;
        const struct workload *workload;
    } cases[] = {
        { "INST_RETIRED.ANY over calls", 0x00c0, &workload_calls },
        { "INST_RETIRED.ANY over kinds", 0x00c0, &workload_kinds },
        { "INST_RETIRED.ANY over a loop", 0x00c0, &workload_loop },
        { "INST_RETIRED.ANY over straight code", 0x00c0, &workload_straight },
    };

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_equal(run, cases[i].name,
                   count(run, cases[i].event, cases[i].workload) - count(run, cases[i].event, &workload_nothing),
                   cases[i].workload->instructions);
    test_equal(run, "BR_INST_RETIRED.NEAR_TAKEN over a long loop", count(run, 0x20c4, &workload_long_loop),
               branch_count(&workload_long_loop, BRANCH_KINDS_ALL));
    test_equal(run, "BR_INST_RETIRED.NEAR_CALL over calls", count(run, 0x02c4, &workload_calls),
               branch_count(&workload_calls, LBR_SELECT_NEAR_REL_CALL));
}

TEST(perfmon_count) = {
    .id = "perfmon.count",
    .title = "Counters count retired instructions, taken branches and calls exactly",
    .needs = NEED_GLOBAL_CTRL | NEED_PEBS,
    .run = count_exact,
};
