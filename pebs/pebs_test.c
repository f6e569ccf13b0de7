/* SPDX-License-Identifier: MIT */
/*
 * Records of precise events. A counter that starts at -N overflows with the Nth event, which arms PEBS. A later event
 * writes the record, and the counter restarts at -N from the DS area's reset slot (SDM Vol. 3B (253669-081), "Processor
 * Event Based Sampling (PEBS)"). The workload's labels tell which instructions a record can be of, and the record's
 * other fields. Which of these instructions are promised and which are typical: suite/support/pebs_places.h.
 */
#include "suite/suite.h"

#include "pebs/layout/arch_pebs.h"

#define NEEDS (NEED_APIC | NEED_PEBS)

/* ---- loads and stores: every address and value ------------------------------------------------------------------ */

struct accesses {
    enum pebs_role role;
    unsigned counter; /* 0: the lowest counter that can sample the event */
    const struct workload *workload;
    unsigned period;
    bool at_random; /* the processor picks at random which accesses it counts */
};

enum { ROUNDS = 16 };

/* The manual does not define what a counter with precise distribution does at shorter periods. */
static unsigned period_of(const struct caps *caps, unsigned counter, unsigned period)
{
    const bool short_of = caps->pebs_pdist_counters >> counter & 1 && period < PEBS_PERIOD_PRECISE;

    return short_of ? PEBS_PERIOD_PRECISE + period : period;
}

static void sample_event(struct test_run *run, const struct pebs_event *event)
{
    const struct accesses *of = run->test->argument;
    const unsigned counter = of->counter ? of->counter : pebs_counter(run->caps, event);
    const struct pebs_sample sample = { .event = event,
                                        .counter = counter,
                                        .workload = of->workload,
                                        .period = period_of(run->caps, counter, of->period),
                                        .rounds = ROUNDS,
                                        .until = of->at_random ? 1 : 0 };
    const unsigned events = ROUNDS * (unsigned)of->workload->access_count;

    if (of->at_random)
        test_plan_between(run, 1, events / sample.period);
    else
        pebs_plan(run, pebs_typical(run->caps, &sample, events));
    if (!pebs_sample(run, &sample) || of->at_random)
        return;
    pebs_check_numbers(run, &sample, pebs_sample_spacing(run->caps, &sample) - 1);
}

static void sample_accesses(struct test_run *run)
{
    const struct accesses *of = run->test->argument;

    sample_event(run, pebs_find_event(run->caps, of->role));
}

#define ACCESSES .records = true, .run = sample_accesses

TESTS(accesses) = {
    { "pebs.registers", "Each record has all sixteen registers and the flags with their values after the instruction",
      SDM_PEBS_RECORD, ACCESSES, .needs = NEEDS | NEED_PEBS_REGISTERS | NEED_EVENT_LOADS,
      .argument = &(const struct accesses){ PEBS_ROLE_LOADS, 0, &workload_loads, 47, false } },
    { "pebs.loads", "Each record of a load has the load's IP, data address and the value in RAX", SDM_PEBS, ACCESSES,
      .needs = NEEDS | NEED_EVENT_LOADS,
      .argument = &(const struct accesses){ PEBS_ROLE_LOADS, 0, &workload_loads, 33, false } },
    { "pebs.stores", "Each record of a store has the store's IP, data address and the stored value", SDM_PEBS, ACCESSES,
      .needs = NEEDS | NEED_EVENT_STORES,
      .argument = &(const struct accesses){ PEBS_ROLE_STORES, 0, &workload_stores, 33, false } },
    { "pebs.precise_store",
      "MEM_TRANS_RETIRED.PRECISE_STORE, only on counter 3, samples stores: each record has the store's data address",
      SDM_2023 "\"Precise Store Facility\" (Sandy Bridge)", ACCESSES, .needs = NEEDS | NEED_PRECISE_STORE,
      .argument = &(const struct accesses){ PEBS_ROLE_PRECISE_STORE, 3, &workload_stores, 33, true } },
};

/* ---- stores on E-cores: how long they took, and to where --------------------------------------------------------- */

#define LOAD_LATENCY_SELECT 0x05d0 /* cores with this select also have an event of the latency of stores */

static const char *lacks_store_latency(const struct caps *caps)
{
    const struct pebs_event *loads = pebs_find_event(caps, PEBS_ROLE_LOAD_LATENCY);

    return loads && loads->select == LOAD_LATENCY_SELECT ? NULL
                                                         : "this core has no latency event that counts every store";
}

/* The manual does not define how long a store takes, but the latency is never 0 and the data source is always known. */
static void store_latency(struct test_run *run)
{
    static const struct pebs_event event = {
        "MEM_UOPS_RETIRED.STORE_LATENCY", PEBS_ROLE_STORES, PEBS_FAMILY_NONE, 0x06d0, 0xf, true
    };
    struct pebs_record record;

    sample_event(run, &event);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (!record.latency)
            test_fail(run, "PEBS record %u has no latency", n);
        if (!record.data_source)
            test_fail(run, "PEBS record %u has no data source", n);
    }
}

TEST(pebs_store_latency) = {
    .id = "pebs.store_latency",
    .title = "MEM_UOPS_RETIRED.STORE_LATENCY samples stores: each record has the store's data address, latency and "
             "data source",
    .source = "Intel's event lists of Alder Lake, Sierra Forest, Lunar Lake and Clearwater Forest, "
              "MEM_UOPS_RETIRED.STORE_LATENCY",
    .needs = NEEDS | NEED_EVENT_STORES,
    .lacks = lacks_store_latency,
    .records = true,
    .run = store_latency,
    .argument = &(const struct accesses){ PEBS_ROLE_STORES, 0, &workload_stores, 33, false },
};

#define COUNTER                                                            \
    .source = SDM_PEBS ", figures of IA32_PEBS_ENABLE and of the DS area", \
    .needs = NEEDS | NEED_EVENT_LOADS | NEED_PEBS_COUNTERS, .records = true, .run = sample_accesses

TESTS(counters) = {
    { "pebs.counter.1", "Counter 1 samples with its own reset slot and its own bit", COUNTER,
      .argument = &(const struct accesses){ PEBS_ROLE_LOADS, 1, &workload_loads, 35, false } },
    { "pebs.counter.2", "Counter 2 samples with its own reset slot and its own bit", COUNTER,
      .argument = &(const struct accesses){ PEBS_ROLE_LOADS, 2, &workload_loads, 37, false } },
    { "pebs.counter.3", "Counter 3 samples with its own reset slot and its own bit", COUNTER,
      .argument = &(const struct accesses){ PEBS_ROLE_LOADS, 3, &workload_loads, 41, false } },
};

/*
 * A buffer of twelve records with an interrupt after each fourth. The service routine must drain every record, in
 * order. Loads count only at CPL 3, which excludes the routine's own.
 */
static void threshold(struct test_run *run)
{
    const struct workload *workload = &workload_user_loads;
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOADS);
    const struct pebs_sample sample = { .event = event,
                                        .counter = pebs_counter(run->caps, event),
                                        .workload = workload,
                                        .rounds = ROUNDS,
                                        .period = PEBS_PERIOD_LEAST,
                                        .rings = PERFEVTSEL_USR,
                                        .records = 12,
                                        .threshold = 4,
                                        .interrupts = 2 };
    const unsigned typical = pebs_typical(run->caps, &sample, ROUNDS * pebs_events_of_round(&sample));

    pebs_plan(run, typical);
    if (!pebs_sample(run, &sample))
        return;
    pebs_check_numbers(run, &sample, pebs_sample_spacing(run->caps, &sample) - 1);
}

TEST(pebs_interrupt_threshold) = {
    .id = "pebs.interrupt.threshold",
    .title = "The interrupt at the threshold drains the buffer, and no record between two interrupts is lost",
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
    unsigned rounds, period;
};

static void sample_branches(struct test_run *run)
{
    const struct branches *of = run->test->argument;
    const struct pebs_event *event = pebs_find_event(run->caps, of->role);
    const struct pebs_sample sample = { .event = event,
                                        .counter = pebs_counter(run->caps, event),
                                        .workload = of->workload,
                                        .rounds = of->rounds,
                                        .period = of->period };
    const unsigned a_round = branch_count(of->workload, of->kinds);
    const unsigned typical = pebs_typical(run->caps, &sample, of->rounds * a_round);
    struct pebs_record record;
    bool in_order = true;

    pebs_plan(run, typical);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        const struct branch *got = pebs_check_branch(run, of->workload, of->kinds, n, &record), *due = NULL;
        struct branch_walk walk = { of->workload, of->kinds, 0, 0 };
        for (unsigned i = ((n + 1) * pebs_sample_spacing(run->caps, &sample) - 1) % a_round + 1; i > 0; i--)
            due = branch_next(&walk);
        const bool same = got && (!(record.has & PEBS_HAS_GPRS) || got->to == due->to) &&
                          (!(record.has & PEBS_HAS_EVENTING_IP) || got->from == due->from);
        if (!same && in_order)
            test_differs(run, "PEBS record %u, IP 0x%" PRIx64 ", typically describes the branch at 0x%" PRIx64, n,
                         record.has & PEBS_HAS_GPRS ? record.ip : record.eventing_ip, due->from);
        in_order = in_order && same;
    }
}

/* pebs.reload has 30 records, one in 99 of the 3000 branches. The last branch falls through and is in no record. */
#define BRANCHES .records = true, .run = sample_branches

TESTS(branch_samples) = {
    { "pebs.branches.taken",
      "BR_INST_RETIRED.NEAR_TAKEN samples taken branches of every kind: EventingIP is the branch, IP its target",
      SDM_EVENTING_IP "; " SDM_PEBS_EVENTS, BRANCHES, .needs = NEEDS | NEED_EVENT_TAKEN,
      .argument = &(const struct branches){ PEBS_ROLE_TAKEN, &workload_kinds, BRANCH_KINDS_ALL, 64, 33 } },
    { "pebs.branches.call", "BR_INST_RETIRED.NEAR_CALL samples only calls", SDM_PEBS_EVENTS, BRANCHES,
      .needs = NEEDS | NEED_EVENT_NEAR_CALLS,
      .argument = &(const struct branches){ PEBS_ROLE_NEAR_CALLS, &workload_calls, LBR_SELECT_NEAR_REL_CALL, 64, 37 } },
    { "pebs.reload", "The counter is reloaded from the DS area after each record: 3000 branches, one record in 99",
      SDM_PEBS, BRANCHES, .needs = NEEDS | NEED_EVENT_BRANCHES,
      .argument = &(const struct branches){ PEBS_ROLE_BRANCHES, &workload_long_loop, BRANCH_KINDS_ALL, 1, 98 } },
};

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/*
 * In code without branches a record's address gives the number of its instruction. PREC_DIST records the very event
 * that overflows. Periods are multiples of 64 and at least 128, as Broadwell requires (errata BDM11, BDM55, HSW11).
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
    const unsigned typical = pebs_typical(run->caps, &sample, (unsigned)workload->instructions);

    pebs_plan(run, typical);
    if (!pebs_sample(run, &sample))
        return;
    pebs_check_numbers(run, &sample, pebs_sample_spacing(run->caps, &sample) - 1);
}

#define STRAIGHT .records = true, .run = sample_straight

TESTS(straight) = {
    { "pebs.inst_retired.prec_dist", "INST_RETIRED.PREC_DIST samples are exactly one period apart", SDM_PDIR, STRAIGHT,
      .needs = NEEDS | NEED_EVENT_PREC_DIST, .argument = &(const struct instructions){ PEBS_ROLE_PREC_DIST, 192 } },
    { "pebs.instructions", "Samples of all instructions are the period plus one apart, or more if arming takes longer",
      SDM_PEBS, STRAIGHT, .needs = NEEDS | NEED_PEBS_REGISTERS | NEED_EVENT_INSTRUCTIONS,
      .argument = &(const struct instructions){ PEBS_ROLE_INSTRUCTIONS, 99 } },
};

/*
 * Any instruction will do: for pebs_compare() the IP of a record determines the expected registers. The instructions
 * that close the window count, too.
 */
static void instructions_registers(struct test_run *run)
{
    const struct workload *workload = &workload_loads;
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_INSTRUCTIONS);
    const struct pebs_sample sample = { .event = event,
                                        .counter = pebs_counter(run->caps, event),
                                        .workload = workload,
                                        .rounds = ROUNDS / 2,
                                        .period = 58 }; /* loads in turn with other instructions */
    const unsigned least = pebs_typical(run->caps, &sample, sample.rounds * (unsigned)workload->instructions);

    test_plan_between(run, least / 2, 2 * least);
    pebs_sample(run, &sample);
}

/*
 * The workload runs at CPL 0 and counts in both rings, because Core 2's PEBS does not always distinguish them (erratum
 * AJ67). So the service routine's instructions are events, too: two records of the workload are closer together by the
 * number of events in the routine, but never so far apart that a record is missing.
 */
static void instructions_threshold(struct test_run *run)
{
    enum { PERIOD = 99, THRESHOLD = 4, RECORDS = 12 };
    const struct workload *workload = &workload_straight;
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_INSTRUCTIONS);
    const struct pebs_sample sample = { .event = event,
                                        .counter = pebs_counter(run->caps, event),
                                        .workload = workload,
                                        .period = PERIOD,
                                        .records = RECORDS,
                                        .threshold = THRESHOLD,
                                        .interrupts = 1 };
    const unsigned spacing = pebs_sample_spacing(run->caps, &sample);
    const unsigned typical = (unsigned)workload->instructions / spacing;
    unsigned last = 0, number;
    struct pebs_record record;
    bool inside = false; /* the last record was of the workload */

    test_plan_between(run, typical / 2, 2 * typical);
    if (!pebs_sample(run, &sample) || ds_pebs_log()->records > 2 * typical)
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (!pebs_event_number(run, &sample, &record, &number)) {
            inside = false;
            continue; /* in the service routine */
        }
        if (last && number <= last) {
            test_fail(run, "PEBS record %u describes an instruction before that of the previous record", n);
            inside = false;
            continue;
        }
        if (inside && number >= last + 2 * spacing)
            test_fail(run, "PEBS record %u is %u instructions after the previous one: a record is missing", n,
                      number - last);
        last = number;
        inside = true;
    }
}

TESTS(instruction_records) = {
    { "pebs.instructions.registers",
      "Each record of an instruction has the registers and flags after it, or before it if PEBS is fault-like",
      SDM_PEBS_RECORD, .needs = NEEDS | NEED_PEBS_REGISTERS | NEED_EVENT_INSTRUCTIONS, .records = true,
      .run = instructions_registers },
    { "pebs.instructions.threshold",
      "The interrupt at the threshold drains records of instructions, including those of its own routine",
      SDM_PEBS_SERVICE, .needs = NEEDS | NEED_EVENT_INSTRUCTIONS, .records = true, .run = instructions_threshold },
};

/* ---- load latency ------------------------------------------------------------------------------------------------ */

/*
 * A chase of 64 rounds through a ring of 16 lines: from the second round on each load hits the first level, unless
 * something evicted its line. The processor tracks loads that it picks at random and counts only those (SDM Vol. 3B
 * (253669-081), "Load Latency Performance Monitoring Facility"), so a record may describe any step. RCX, which counts
 * down the steps, identifies it.
 */
static void load_latency(struct test_run *run)
{
    enum { ENOUGH = 8 };
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOAD_LATENCY);
    const struct pebs_sample sample = { .event = event,
                                        .workload = &workload_chase,
                                        .counter = pebs_counter(run->caps, event),
                                        .period = PEBS_PERIOD_LEAST,
                                        .until = ENOUGH };
    const unsigned steps = WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS;
    unsigned hits = 0, misses = 0;
    struct pebs_record record;

    test_plan_between(run, 1, ENOUGH + steps / sample.period);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        uint64_t step = steps - record.gpr[PEBS_RCX];
        if ((record.data_source & 0xf) == 1)
            hits++;
        else if (step >= WORKLOAD_CHASE_LINES)
            misses++;
    }
    if (!hits)
        test_fail(run, "no load has the first level (1) as its data source");
    else if (misses)
        test_differs(run, "%u loads have another data source than the first level (1), %u have it", misses, hits);
}

TEST(pebs_load_latency_l1) = {
    .id = "pebs.load_latency.l1",
    .title = "Loads from a ring that fits the first level have their data address and the data source L1",
    .source = SDM_LOAD_LATENCY,
    .needs = NEEDS | NEED_LOAD_LATENCY,
    .records = true,
    .run = load_latency,
};

/* ---- both facilities in one area --------------------------------------------------------------------------------- */

/*
 * PEBS and BTS at the same time, each with its threshold: one service routine drains both without a loss. Both exclude
 * CPL 0, because the branches of the routine would be events and records, too.
 */
static struct pebs_sample user_branches(const struct caps *caps)
{
    const struct pebs_event *event = pebs_find_event(caps, PEBS_ROLE_BRANCHES);

    return (struct pebs_sample){ .event = event,
                                 .workload = &workload_user_loop,
                                 .counter = pebs_counter(caps, event),
                                 .period = 98,
                                 .interrupts = 1,
                                 .basic = true,
                                 .cfg_c = ARCH_PEBS_EN };
}

/* config: the buffers. interrupts: the minimum. restrictions: bits of CR4 that are set in addition. */
static void sample_with_bts(struct test_run *run, struct ds_config config, unsigned interrupts, uintptr_t restrictions)
{
    const struct pebs_sample sample = user_branches(run->caps);
    const struct pebs_sampling sampling = {
        .event = sample.event, .counter = sample.counter, .period = sample.period, .rings = PERFEVTSEL_USR
    };
    const uint64_t since = time_stamp();
    const unsigned branches = branch_count(&workload_user_loop, BRANCH_KINDS_ALL);
    const unsigned typical = pebs_typical(run->caps, &sample, branches);
    struct pebs_record record;
    struct window tracing, counting = pebs_window(run->caps, MSR_BIT(sample.counter));
    const uintptr_t cr4 = cr4_read();

    config.pebs_reset[sample.counter] = 0 - (uint64_t)sample.period;
    test_plan_between(run, branches + typical / 2, branches + typical);
    if (!records_open(run, &config))
        return;
    pebs_program(run->caps, &sampling);
    tracing = bts_window(run->caps, false);
    tracing.on |= run->caps->debugctl->bts_off_os;
    cr4_write(cr4 | restrictions);
    msr_write((uint32_t)tracing.msr, tracing.on);
    workload_user_loop.run(&counting);
    msr_write((uint32_t)tracing.msr, tracing.off);
    cr4_write(cr4);
    records_close(run, interrupts);
    records_compare_bts(run, &workload_user_loop, 0);
    test_saw(run, ds_pebs_log()->records);
    pebs_sample_expect(&sample, since);
    pebs_compare(run);
    pebs_check_count(run, ds_pebs_log()->records, typical);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        pebs_check_branch(run, sample.workload, BRANCH_KINDS_ALL, n, &record);
}

static const struct ds_config both_small = {
    .pebs = true, .pebs_records = 16, .pebs_threshold = 4, .bts = true, .bts_records = 256, .bts_threshold = 128
};

static void with_bts(struct test_run *run)
{
    sample_with_bts(run, both_small, branch_count(&workload_user_loop, BRANCH_KINDS_ALL) / 256, 0);
}

/* The area's pages are not accessible to CPL 3. */
static void restricted(struct test_run *run)
{
    const uintptr_t restrictions = cr4_restrictions();

    if (restrictions)
        sample_with_bts(run, both_small, branch_count(&workload_user_loop, BRANCH_KINDS_ALL) / 256, restrictions);
    else
        test_skip(run, "neither SMEP nor SMAP: CPUID.7:EBX bits 7 and 20 clear");
}

static unsigned records_before;

/* BTS records in memory at the first interrupt. */
static void count_records(uint64_t status)
{
    (void)status;
    if (ds_counts()->interrupts == 1)
        records_before = ds_bts_log()->records;
}

/* How many of these records are of the workload's loop. */
static unsigned loop_branches(struct test_run *run, const struct workload *workload, unsigned records)
{
    struct bts_record record;
    unsigned count = 0;

    for (unsigned n = 0; n < records && records_bts(run, n, &record); n++)
        count += record.from == workload->branches[0].from && record.to == workload->branches[0].to;
    return count;
}

/* Each PEBS record interrupts. */
static void one_branch(struct test_run *run)
{
    const struct ds_config config = {
        .pebs = true, .pebs_records = 40, .pebs_threshold = 1, .bts = true, .bts_records = 3600, .bts_threshold = 3500
    };
    const struct pebs_sample sample = user_branches(run->caps);
    const unsigned due = pebs_sample_spacing(run->caps, &sample);
    unsigned before;

    records_before = 0;
    ds_on_interrupt(count_records);
    sample_with_bts(run, config, 1, 0);
    ds_on_interrupt(NULL);
    before = loop_branches(run, sample.workload, records_before);
    if (before < due)
        test_fail(run, "%u branches were in memory when PEBS interrupted, expected at least %u", before, due);
}

#define WITH_BTS .needs = NEEDS | NEED_EVENT_BRANCHES | NEED_BTS | NEED_BTS_CPL, .records = true

TESTS(both_facilities) = {
    { "pebs.with_bts.restricted",
      "Code at CPL 3 is recorded in an area of the supervisor with SMEP, SMAP and, if supported, LAM and CET on",
      SDM_SETTING_UP_DS "; " SDM_2023A "\"Determination of Access Rights\": implicit supervisor-mode accesses",
      WITH_BTS, .run = restricted },
    { "pebs.with_bts", "PEBS and BTS share the area and the service routine, and no record of either is lost",
      SDM_PEBS_SERVICE, WITH_BTS, .run = with_bts },
    { "pebs.with_bts.one_branch",
      "If a branch is due for PEBS and BTS, both records are in memory before the interrupt",
      SDM_2023 "\"Processor Event Based Sampling (PEBS)\" (Core)", WITH_BTS, .run = one_branch },
};
