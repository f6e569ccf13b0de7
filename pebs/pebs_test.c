/* SPDX-License-Identifier: MIT */
/*
 * Records of precise events. A counter that starts at -N overflows with the Nth event, which arms PEBS; the next event
 * writes the record, and the counter starts again at -N from the DS area's reset slot (SDM Vol. 3B (253669-081),
 * "Processor Event Based Sampling (PEBS)"). So records lie N + 1 events apart, and which instruction each must name is
 * known from the labels. The manual does not say how many events may pass until the hardware is armed. The tests take
 * it at its word: none.
 */
#include "suite/pebs_sample.h"

#include <inttypes.h>

#include "arch/x86/image.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"
#include "bts/bts.h"
#include "suite/sources.h"

#define NEEDS (NEED_APIC | NEED_PEBS)

/* ---- loads and stores: every address and value ------------------------------------------------------------------ */

struct accesses {
    enum pebs_role role;
    unsigned counter;
    const struct workload *workload;
    unsigned period;
};

static void sample_accesses(struct test_run *run)
{
    const struct accesses *of = run->test->argument;
    const struct workload *workload = of->workload;
    const struct pebs_event *event = pebs_find_event(run->caps, of->role);
    const struct pebs_sample sample = {
        .event = event, .counter = of->counter, .workload = workload, .period = of->period
    };
    const unsigned spacing = pebs_spacing(event, of->period);
    struct pebs_record record;

    test_plan(run, (unsigned)workload->access_count / spacing);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && n < run->expected && records_pebs(run, n, &record); n++) {
        const struct access *want = &workload->accesses[(n + 1) * spacing - 1];
        pebs_check(run, &sample, &record, want->ip, want->next_ip);
        if (record.has & PEBS_HAS_MEMORY && event->data_address)
            test_equal(run, "data address", record.data_address, want->address);
        if (record.has & PEBS_HAS_GPRS)
            test_equal(run, "RAX", record.gpr[PEBS_RAX], want->value);
    }
}

TEST(pebs_loads) = {
    .id = "pebs.loads",
    .title = "Each record of a load names its instruction, its address and the value it left in RAX",
    .source = SDM_PEBS,
    .needs = NEEDS | NEED_EVENT_LOADS,
    .records = true,
    .run = sample_accesses,
    .argument = &(const struct accesses){ PEBS_ROLE_LOADS, 0, &workload_loads, 1 },
};

/* What workload_loads leaves alone is known too: every register, and the flags that its last instruction defined. */
static void check_registers(struct test_run *run, unsigned n, const struct pebs_record *record)
{
    for (unsigned r = 0; r < 16; r++) /* those that the mode has not are written as zero */
        if (r != PEBS_RAX && r != PEBS_RSP)
            test_equal(run, "register", record->gpr[r], r < REGISTERS ? WORKLOAD_REGISTER(r) : 0);
    test_equal(run, "RFLAGS", record->rflags & WORKLOAD_FLAGS_MASK, WORKLOAD_FLAGS);
    if (record->gpr[PEBS_RSP] < (uintptr_t)stack_guard || record->gpr[PEBS_RSP] >= (uintptr_t)data_end)
        test_fail(run, "PEBS record %u: RSP 0x%" PRIx64 " is not on the stack", n, record->gpr[PEBS_RSP]);
}

static void registers(struct test_run *run)
{
    struct pebs_record record;

    sample_accesses(run);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        check_registers(run, n, &record);
}

TEST(pebs_registers) = {
    .id = "pebs.registers",
    .title = "Each record has all sixteen registers and the flags as they were after the instruction",
    .source = SDM_PEBS_RECORD,
    .needs = NEEDS | NEED_EVENT_LOADS,
    .records = true,
    .run = registers,
    .argument = &(const struct accesses){ PEBS_ROLE_LOADS, 0, &workload_loads, 7 },
};

TEST(pebs_stores) = {
    .id = "pebs.stores",
    .title = "Each record of a store names its instruction, its address and the value it stored",
    .source = SDM_PEBS,
    .needs = NEEDS | NEED_EVENT_STORES,
    .records = true,
    .run = sample_accesses,
    .argument = &(const struct accesses){ PEBS_ROLE_STORES, 0, &workload_stores, 1 },
};

TEST(pebs_precise_store) = {
    .id = "pebs.precise_store",
    .title = "MEM_TRANS_RETIRED.PRECISE_STORE, on counter 3 alone, records the address of each store",
    .source = SDM_2023 "\"Precise Store Facility\" (Sandy Bridge)",
    .needs = NEEDS | NEED_PRECISE_STORE,
    .records = true,
    .run = sample_accesses,
    .argument = &(const struct accesses){ PEBS_ROLE_PRECISE_STORE, 3, &workload_stores, 1 },
};

TEST(pebs_counter_1) = {
    .id = "pebs.counter.1",
    .title = "Counter 1 samples with its own reset slot and its own bit",
    .source = SDM_PEBS ", figures of IA32_PEBS_ENABLE and of the DS area",
    .needs = NEEDS | NEED_EVENT_LOADS | NEED_PEBS_COUNTERS,
    .records = true,
    .run = sample_accesses,
    .argument = &(const struct accesses){ PEBS_ROLE_LOADS, 1, &workload_loads, 4 },
};

TEST(pebs_counter_2) = {
    .id = "pebs.counter.2",
    .title = "Counter 2 samples with its own reset slot and its own bit",
    .source = SDM_PEBS ", figures of IA32_PEBS_ENABLE and of the DS area",
    .needs = NEEDS | NEED_EVENT_LOADS | NEED_PEBS_COUNTERS,
    .records = true,
    .run = sample_accesses,
    .argument = &(const struct accesses){ PEBS_ROLE_LOADS, 2, &workload_loads, 6 },
};

TEST(pebs_counter_3) = {
    .id = "pebs.counter.3",
    .title = "Counter 3 samples with its own reset slot and its own bit",
    .source = SDM_PEBS ", figures of IA32_PEBS_ENABLE and of the DS area",
    .needs = NEEDS | NEED_EVENT_LOADS | NEED_PEBS_COUNTERS,
    .records = true,
    .run = sample_accesses,
    .argument = &(const struct accesses){ PEBS_ROLE_LOADS, 3, &workload_loads, 9 },
};

/*
 * A buffer of eight records with an interrupt at each fourth: what the service routine drains must be all of it, in
 * order. Loads count at CPL 3 alone: at this period those of the routine would be enough for the next interrupt.
 */
static void threshold(struct test_run *run)
{
    const struct workload *workload = &workload_user_loads;
    const unsigned spacing = 2;
    const struct pebs_sample sample = { .event = pebs_find_event(run->caps, PEBS_ROLE_LOADS),
                                        .workload = workload,
                                        .period = spacing - 1,
                                        .rings = PERFEVTSEL_USR,
                                        .records = 8,
                                        .threshold = 4,
                                        .interrupts = (unsigned)workload->access_count / spacing / 8 };
    struct pebs_record record;

    test_plan(run, (unsigned)workload->access_count / spacing);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && n < run->expected && records_pebs(run, n, &record); n++) {
        const struct access *want = &workload->accesses[(n + 1) * spacing - 1];
        pebs_check(run, &sample, &record, want->ip, want->next_ip);
        if (record.has & PEBS_HAS_GPRS)
            test_equal(run, "RAX", record.gpr[PEBS_RAX], want->value);
    }
}

TEST(pebs_interrupt_threshold) = {
    .id = "pebs.interrupt.threshold",
    .title = "The interrupt at the threshold drains the buffer, and no record is lost between two interrupts",
    .source = SDM_PEBS_SERVICE,
    .needs = NEEDS | NEED_EVENT_LOADS,
    .records = true,
    .run = threshold,
};

/* ---- branches ---------------------------------------------------------------------------------------------------- */

struct branches {
    enum pebs_role role;
    const struct workload *workload;
    uint64_t kinds;
    unsigned period;
};

static void sample_branches(struct test_run *run)
{
    const struct branches *of = run->test->argument;
    const struct pebs_sample sample = { .event = pebs_find_event(run->caps, of->role),
                                        .workload = of->workload,
                                        .period = of->period };
    const unsigned spacing = pebs_spacing(sample.event, of->period);
    struct branch_walk walk = { of->workload, of->kinds, 0, 0 };
    struct pebs_record record;

    test_plan(run, branch_count(of->workload, of->kinds) / spacing);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && n < run->expected && records_pebs(run, n, &record); n++) {
        const struct branch *want = NULL;
        for (unsigned i = 0; i < spacing; i++)
            want = branch_next(&walk);
        pebs_check(run, &sample, &record, want->from, want->to); /* after a taken branch comes its target */
    }
}

TEST(pebs_branches_taken) = {
    .id = "pebs.branches.taken",
    .title = "BR_INST_RETIRED.NEAR_TAKEN samples taken branches of every kind: EventingIP the branch, IP its target",
    .source = SDM_EVENTING_IP "; " SDM_PEBS_EVENTS,
    .needs = NEEDS | NEED_EVENT_TAKEN,
    .records = true,
    .run = sample_branches,
    .argument = &(const struct branches){ PEBS_ROLE_TAKEN, &workload_kinds, BRANCH_KINDS_ALL, 1 },
};

TEST(pebs_branches_call) = {
    .id = "pebs.branches.call",
    .title = "BR_INST_RETIRED.NEAR_CALL samples calls and nothing else",
    .source = SDM_PEBS_EVENTS,
    .needs = NEEDS | NEED_EVENT_NEAR_CALLS,
    .records = true,
    .run = sample_branches,
    .argument = &(const struct branches){ PEBS_ROLE_NEAR_CALLS, &workload_calls, LBR_SELECT_NEAR_REL_CALL, 1 },
};

/* 30 times 99 of 3000 branches, the last of which falls through: it is in no record. */
TEST(pebs_reload) = {
    .id = "pebs.reload",
    .title = "The counter reloads itself from the DS area after each record: 3000 branches, one record in 99",
    .source = SDM_PEBS,
    .needs = NEEDS | NEED_EVENT_BRANCHES,
    .records = true,
    .run = sample_branches,
    .argument = &(const struct branches){ PEBS_ROLE_BRANCHES, &workload_long_loop, BRANCH_KINDS_ALL, 98 },
};

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/*
 * Over code without a branch records lie the spacing apart, to the instruction. PREC_DIST records the very event that
 * overflows. Periods are multiples of 64 and at least 128, as Broadwell wants them (errata BDM11, BDM55, HSW11).
 */
struct instructions {
    enum pebs_role role;
    unsigned period;
};

static void sample_straight(struct test_run *run)
{
    const struct instructions *of = run->test->argument;
    const struct workload *workload = &workload_straight;
    const struct pebs_event *event = pebs_find_event(run->caps, of->role);
    const struct pebs_sample sample = {
        .event = event, .workload = workload, .counter = pebs_counter(run->caps, event), .period = of->period
    };
    const unsigned spacing = pebs_spacing(event, of->period);
    struct pebs_record record;
    uint64_t last = 0;

    test_plan(run, (unsigned)workload->instructions / spacing);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        uint64_t ip = record.has & PEBS_HAS_EVENTING_IP
                          ? record.eventing_ip
                          : record.ip - run->caps->pebs_trap_like * WORKLOAD_STRAIGHT_STEP;
        pebs_check(run, &sample, &record, ip, ip + WORKLOAD_STRAIGHT_STEP);
        if (ip < workload->start || ip >= workload->limit)
            test_fail(run, "PEBS record %u is not of an instruction of the workload", n);
        if (n)
            test_equal(run, "distance to the record before", ip - last, spacing * WORKLOAD_STRAIGHT_STEP);
        last = ip;
    }
}

TEST(pebs_inst_retired_prec_dist) = {
    .id = "pebs.inst_retired.prec_dist",
    .title = "INST_RETIRED.PREC_DIST samples are exactly the period apart",
    .source = SDM_PDIR,
    .needs = NEEDS | NEED_EVENT_PREC_DIST,
    .records = true,
    .run = sample_straight,
    .argument = &(const struct instructions){ PEBS_ROLE_PREC_DIST, 192 },
};

TEST(pebs_instructions) = {
    .id = "pebs.instructions",
    .title = "Samples of all instructions are the period and one apart",
    .source = SDM_PEBS,
    .needs = NEEDS | NEED_EVENT_INSTRUCTIONS,
    .records = true,
    .run = sample_straight,
    .argument = &(const struct instructions){ PEBS_ROLE_INSTRUCTIONS, 99 },
};

/* The value that RAX must have when the processor goes on at ip. False before the first load. */
static bool loaded_by(const struct workload *workload, uint64_t ip, uint64_t *value)
{
    bool any = false;

    for (uint64_t i = 0; i < workload->access_count && workload->accesses[i].ip < ip; i++, any = true)
        *value = workload->accesses[i].value;
    return any;
}

/* Which instruction a record is of does not matter here: what the registers must hold follows from its IP. */
static void instructions_registers(struct test_run *run)
{
    const struct workload *workload = &workload_loads;
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_INSTRUCTIONS);
    const struct pebs_sample sample = {
        .event = event, .counter = pebs_counter(run->caps, event), .workload = workload, .period = 10
    };
    struct pebs_record record;
    uint64_t value;

    test_plan(run, (unsigned)workload->instructions / pebs_spacing(sample.event, sample.period));
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (record.ip < workload->start || record.ip > workload->limit)
            test_fail(run, "PEBS record %u is not of an instruction of the workload", n);
        if (!loaded_by(workload, record.ip, &value))
            continue;
        check_registers(run, n, &record);
        test_equal(run, "RAX", record.gpr[PEBS_RAX], value);
    }
}

TEST(pebs_instructions_registers) = {
    .id = "pebs.instructions.registers",
    .title = "Each record of an instruction has the registers and flags as they were after it",
    .source = SDM_PEBS_RECORD,
    .needs = NEEDS | NEED_EVENT_INSTRUCTIONS,
    .records = true,
    .run = instructions_registers,
};

/*
 * The workload runs at CPL 0 and counts in both rings, for Core 2's PEBS does not always tell them apart (erratum
 * AJ67): the service routine's instructions are events too. Between two records of the workload that have none of the
 * routine's between them lies the spacing; the rest is how many came, and in order.
 */
static void instructions_threshold(struct test_run *run)
{
    enum { PERIOD = 49, THRESHOLD = 8, RECORDS = 20 };
    const struct workload *workload = &workload_straight;
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_INSTRUCTIONS);
    const struct pebs_sample sample = { .event = event,
                                        .counter = pebs_counter(run->caps, event),
                                        .workload = workload,
                                        .period = PERIOD,
                                        .records = RECORDS,
                                        .threshold = THRESHOLD,
                                        .interrupts = 2 };
    const unsigned spacing = pebs_spacing(sample.event, PERIOD);
    const unsigned least = (unsigned)workload->instructions / spacing;
    struct pebs_record record;
    uint64_t last = 0;
    bool adjacent = false;

    test_plan_between(run, least, 2 * least);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        bool inside = record.ip >= workload->start && record.ip <= workload->limit;
        if (inside && record.ip <= last)
            test_fail(run, "PEBS record %u is of an instruction before that of the last record", n);
        if (inside && adjacent)
            test_equal(run, "distance to the record before", record.ip - last, spacing * WORKLOAD_STRAIGHT_STEP);
        if (inside)
            last = record.ip;
        adjacent = inside && (n + 1) % THRESHOLD; /* an interrupt may come after each THRESHOLDth */
    }
}

TEST(pebs_instructions_threshold) = {
    .id = "pebs.instructions.threshold",
    .title = "The interrupt at the threshold drains records of instructions, its own routine's among them",
    .source = SDM_PEBS_SERVICE,
    .needs = NEEDS | NEED_EVENT_INSTRUCTIONS,
    .records = true,
    .run = instructions_threshold,
};

/* ---- load latency ------------------------------------------------------------------------------------------------ */

/*
 * A ring of 16 lines chased 64 times: from the second round on every load hits the first level. The processor follows
 * loads that it picks at random and counts only those (SDM Vol. 3B (253669-081), "Load Latency Performance Monitoring
 * Facility"), so a record may stand for any step; which one, RCX tells, for it counts the steps that are left.
 */
static void load_latency(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOAD_LATENCY);
    const struct pebs_sample sample = {
        .event = event, .workload = &workload_chase, .counter = pebs_counter(run->caps, event), .period = 32
    };
    const struct access *chase = workload_chase.accesses;
    const unsigned steps = WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS;
    struct pebs_record record;

    test_plan_between(run, 1, steps / pebs_spacing(event, sample.period));
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        uint64_t step = steps - record.gpr[PEBS_RCX];
        pebs_check(run, &sample, &record, chase->ip, chase->next_ip);
        test_equal(run, "data address", record.data_address, (uintptr_t)workload_ring[step % WORKLOAD_CHASE_LINES]);
        test_equal(run, "RAX", record.gpr[PEBS_RAX], (uintptr_t)workload_ring[(step + 1) % WORKLOAD_CHASE_LINES]);
        if (record.latency <= PEBS_LATENCY_THRESHOLD)
            test_fail(run, "PEBS record %u: latency %" PRIu64 " is not above the threshold", n, record.latency);
        if (step >= WORKLOAD_CHASE_LINES)
            test_equal(run, "data source (1 is an L1 hit)", record.data_source & 0xf, 1);
    }
}

TEST(pebs_load_latency_l1) = {
    .id = "pebs.load_latency.l1",
    .title = "Loads from a ring that fits the first level have their address, their latency and the source L1",
    .source = SDM_LOAD_LATENCY,
    .needs = NEEDS | NEED_LOAD_LATENCY,
    .records = true,
    .run = load_latency,
};

/* ---- both facilities in one area --------------------------------------------------------------------------------- */

/*
 * PEBS and BTS at once, each with its threshold: one service routine drains both, and neither loses a record. Both
 * leave CPL 0 out, since the routine's own branches are events and records, too.
 */
static void with_bts(struct test_run *run)
{
    const struct ds_config config = { .pebs = true,
                                      .pebs_records = 16,
                                      .pebs_threshold = 4,
                                      .pebs_reset = { 0 - UINT64_C(98) },
                                      .bts = true,
                                      .bts_records = 256,
                                      .bts_threshold = 128 };
    const struct pebs_sampling sampling = { .event = pebs_find_event(run->caps, PEBS_ROLE_BRANCHES),
                                            .period = 98,
                                            .rings = PERFEVTSEL_USR };
    unsigned branches = branch_count(&workload_user_loop, BRANCH_KINDS_ALL);
    const struct branch *back = &workload_user_loop.branches[0];
    struct pebs_record record;
    struct window tracing, counting = pebs_window(run->caps, 1);

    test_plan(run, branches + branches / 99);
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
        pebs_check(run, &(struct pebs_sample){ .counter = 0 }, &record, back->from, back->to);
}

TEST(pebs_with_bts) = {
    .id = "pebs.with_bts",
    .title = "PEBS and BTS share the area and the service routine, and neither loses a record",
    .source = SDM_PEBS_SERVICE,
    .needs = NEEDS | NEED_EVENT_BRANCHES | NEED_BTS | NEED_BTS_CPL,
    .records = true,
    .run = with_bts,
};
