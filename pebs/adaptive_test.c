/* SPDX-License-Identifier: MIT */
/*
 * Records whose groups MSR_PEBS_DATA_CFG selects, and counters that sample only on processors with such records. SDM
 * Vol. 3B (253669-081), "Adaptive PEBS" and "Processor Event Based Sampling (PEBS) Facility" of Ice Lake, chapter 20.
 */
#include "suite/suite.h"

#define NEEDS (NEED_APIC | NEED_PEBS | NEED_PEBS_ADAPTIVE)

enum { ROUNDS = 8 };

static struct pebs_sample loads(const struct test_run *run, unsigned period)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOADS);

    return (struct pebs_sample){ .event = event,
                                 .counter = pebs_counter(run->caps, event),
                                 .workload = &workload_loads,
                                 .rounds = ROUNDS,
                                 .period = period };
}

static unsigned typical(const struct test_run *run, const struct pebs_sample *sample)
{
    return pebs_typical(run->caps, sample, ROUNDS * pebs_events_of_round(sample));
}

/* The decoder checks that a record's size matches its groups, and pebs_compare() that it describes a load. */
static void sample_loads(struct test_run *run, const struct pebs_sample *sample)
{
    if (pebs_sample(run, sample))
        pebs_check_count(run, ds_pebs_log()->records, typical(run, sample));
}

/* All sixteen combinations of groups. The number of LBR entries varies with the combination. */
static void groups(struct test_run *run)
{
    struct pebs_sample sample = loads(run, 79);

    pebs_plan(run, 16 * typical(run, &sample));
    for (unsigned choice = 0; choice < 16; choice++) {
        uint64_t data_cfg = choice | (choice & PEBS_DATA_CFG_LBRS ? PEBS_DATA_CFG_LBR_COUNT(choice) : 0);
        sample.data_cfg = data_cfg ? data_cfg : PEBS_DATA_CFG_MEMORY;
        sample.basic = data_cfg == 0;
        sample_loads(run, &sample);
    }
}

static void ignored(struct test_run *run)
{
    struct pebs_sample sample = loads(run, 51);

    sample.data_cfg = PEBS_DATA_CFG_ALL;
    sample.basic = true;
    pebs_plan(run, typical(run, &sample));
    sample_loads(run, &sample);
}

/*
 * pebs_compare() says whether a record describes a load. In 32-bit mode there are only eight vector registers; the
 * processor writes the others as zero.
 */
static void xmm(struct test_run *run)
{
    struct pebs_sample sample = loads(run, 37);
    struct pebs_record record;

    sample.workload = &workload_vectors;
    sample.data_cfg = PEBS_DATA_CFG_GPRS | PEBS_DATA_CFG_XMMS;
    pebs_plan(run, typical(run, &sample));
    sse_enable();
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        const struct access *load = pebs_access(run, sample.workload, &record);
        const unsigned filled = load ? (unsigned)(load - sample.workload->accesses) + 1 : 0; /* a register each */
        for (unsigned i = 0; i < 16 && i < filled; i++) {
            const uint64_t low = i < WORKLOAD_XMMS ? WORKLOAD_XMM_LOW(i) : 0;
            const uint64_t high = i < WORKLOAD_XMMS ? WORKLOAD_XMM_HIGH(i) : 0;
            if (record.xmm[i].low != low || record.xmm[i].high != high)
                test_fail(run, "XMM%u is 0x%" PRIx64 ":%" PRIx64 ", must be 0x%" PRIx64 ":%" PRIx64, i,
                          record.xmm[i].high, record.xmm[i].low, high, low);
        }
    }
}

#define LBR_GROUP_ENTRIES 8u

/* Returns whether the LBR entries, newest first, have the sources of the workload's branches from number `at` back. */
static bool follows(const struct pebs_record *record, const struct workload *workload, unsigned at)
{
    bool same = true;

    for (unsigned age = 0; age <= at && age < record->lbr_count; age++)
        same = same && record->lbr[age].from == workload->branches[at - age].from;
    return same;
}

/*
 * The LBR entries must be consecutive branches of the workload. Typically, the newest entry is the branch that caused
 * the record.
 */
static void lbr(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_TAKEN);
    const struct workload *workload = &workload_calls;
    const struct pebs_sample sample = {
        .event = event,
        .workload = workload,
        .counter = pebs_counter(run->caps, event),
        .rounds = 4 * ROUNDS,
        .period = PEBS_PERIOD_LEAST,
        .data_cfg = PEBS_DATA_CFG_LBRS | PEBS_DATA_CFG_LBR_COUNT(LBR_GROUP_ENTRIES),
    };
    const unsigned usual = pebs_typical(run->caps, &sample, sample.rounds * (unsigned)workload->branch_count);
    struct pebs_record record;
    struct window recording;
    bool ran;

    pebs_plan(run, usual);
    lbr_reset(run->caps, 0);
    recording = lbr_window(run->caps, 0);
    msr_write((uint32_t)recording.msr, recording.on);
    ran = pebs_sample(run, &sample);
    msr_write((uint32_t)recording.msr, recording.off);
    if (!ran)
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        unsigned until = (unsigned)workload->branch_count; /* the newest entry is the last of so many branches */
        while (until > 0 && !follows(&record, workload, until - 1))
            until--;
        if (until == 0)
            test_fail(run,
                      "the LBR entries of PEBS record %u, 0x%" PRIx64 " => 0x%" PRIx64
                      " first, are not consecutive branches of the workload",
                      n, record.lbr[0].from, record.lbr[0].to);
        else if (record.eventing_ip != workload->branches[until - 1].from)
            test_differs(run, "LBR entry 0 of PEBS record %u is 0x%" PRIx64 " => 0x%" PRIx64 ", typically the event's",
                         n, record.lbr[0].from, record.lbr[0].to);
        for (unsigned age = 0; age < until && age < record.lbr_count; age++)
            lbr_compare_entry(run, age, &record.lbr[age], &workload->branches[until - 1 - age]);
    }
}

TESTS(adaptive_records) = {
    { "pebs.adaptive.groups",
      "A record has the groups that MSR_PEBS_DATA_CFG selects, in every combination, and gives its own size",
      SDM_PEBS_ADAPTIVE, .needs = NEEDS | NEED_EVENT_LOADS, .records = true, .run = groups },
    { "pebs.adaptive.ignored",
      "A counter without its adaptive bit writes only the basic group, whatever MSR_PEBS_DATA_CFG selects",
      SDM_2023 "\"Adaptive_Record Counter Control\"", .needs = NEEDS | NEED_EVENT_LOADS, .records = true,
      .run = ignored },
    { "pebs.adaptive.xmm", "The XMM group has every vector register with its value after the instruction",
      SDM_PEBS_ADAPTIVE ", XMMs", .needs = NEEDS | NEED_EVENT_LOADS, .records = true, .run = xmm },
    { "pebs.adaptive.lbr", "The LBR group has the newest branches, the youngest first", SDM_PEBS_ADAPTIVE ", LBRs",
      .needs = NEEDS | NEED_EVENT_TAKEN | NEED_LBR, .records = true, .run = lbr },
};

/* ---- counters ------------------------------------------------------------------------------------------------- */

/* pebs_compare() compares the distances. */
static void fixed(struct test_run *run)
{
    const struct pebs_sample sample = { .fixed = true, .workload = &workload_straight, .period = 200 };
    const unsigned usual = (unsigned)workload_straight.instructions / sample.period;

    test_plan_between(run, usual - 1, usual);
    pebs_sample(run, &sample);
}

/*
 * The workload has hundreds of instructions and cycles, so their counters must write records. Counters from 3 on, which
 * count slots, may count nothing. Then the counter must not have passed its overflow.
 */
static void check_silent(struct test_run *run, unsigned n)
{
    const uint64_t width = (UINT64_C(1) << run->caps->fixed_width) - 1;
    const uint64_t left = (0 - msr_get(MSR_IA32_FIXED_CTR(n))) & width;

    if (n < 3 || left == 0 || left > 2 * PEBS_PERIOD_PRECISE)
        test_fail(run, "fixed counter %u wrote no record, with 0x%" PRIx64 " events before its overflow", n, left);
}

static void fixed_counters(struct test_run *run)
{
    struct pebs_sample sample = { .fixed = true, .workload = &workload_straight, .period = 2 * PEBS_PERIOD_PRECISE };

    test_plan_between(run, 1, 4096);
    for (sample.counter = 0; sample.counter < 32; sample.counter++) {
        if (!(run->caps->pebs_fixed_counters >> sample.counter & 1))
            continue;
        sample.rounds = sample.counter ? 4 : 1; /* cycles may be fewer than instructions */
        if (!pebs_sample(run, &sample))
            return;
        if (!ds_pebs_log()->records)
            check_silent(run, sample.counter);
    }
}

static const char *lacks_counter_4(const struct caps *caps)
{
    return caps->pebs_counters >> 4 ? NULL : "this core has no PEBS on counters 4 and up";
}

/* General counters 4 and up, which had no PEBS on earlier processors. */
static void high_counters(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_TAKEN);
    const struct workload *workload = &workload_calls;
    struct pebs_sample sample = {
        .event = event, .workload = workload, .rounds = 4 * ROUNDS, .period = PEBS_PERIOD_LEAST
    };
    unsigned counters = 0, usual;
    struct pebs_record record;

    for (unsigned i = 4; i < DS_GENERAL_COUNTERS; i++)
        counters += event->counters & run->caps->pebs_counters & UINT64_C(1) << i ? 1 : 0;
    sample.counter = 4;
    usual = pebs_typical(run->caps, &sample, sample.rounds * (unsigned)workload->branch_count);
    pebs_plan(run, counters * usual);
    for (; sample.counter < 4 + counters; sample.counter++) {
        if (!pebs_sample(run, &sample))
            return;
        pebs_check_count(run, ds_pebs_log()->records, usual);
        for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
            pebs_check_branch(run, workload, BRANCH_KINDS_ALL, n, &record);
    }
}

TESTS(extended_counters) = {
    { "pebs.fixed.0",
      "Fixed counter 0 samples instructions at equal distances, with its own reset slot and its own bit",
      SDM_PEBS_EXTENDED, .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_FIXED, .records = true, .run = fixed },
    { "pebs.fixed.each", "Each fixed counter with PEBS samples its event, and its records have its own bit",
      SDM_PEBS_EXTENDED, .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_FIXED, .records = true, .run = fixed_counters },
    { "pebs.counters.from_4", "Counters 4 and up sample with their own reset slots and their own bits",
      SDM_PEBS_EXTENDED, .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_FIXED | NEED_EVENT_TAKEN, .lacks = lacks_counter_4,
      .records = true, .run = high_counters },
};

/* ---- precise distribution of every event ----------------------------------------------------------------------- */

static const char *lacks_pdist(const struct caps *caps)
{
    return caps->pebs_pdist_counters ? NULL : "no counter of this core has precise distribution for every event";
}

/* Each load has a known number: the record must describe the load that overflows the counter, not a later one. */
static void pdist(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOADS);
    struct pebs_sample sample = { .event = event, .workload = &workload_chase };
    const unsigned events = pebs_events_of_round(&sample);

    test_plan(run, events / PEBS_PERIOD_PRECISE + events / (2 * PEBS_PERIOD_PRECISE));
    for (unsigned period = PEBS_PERIOD_PRECISE; period <= 2 * PEBS_PERIOD_PRECISE; period += PEBS_PERIOD_PRECISE) {
        sample.period = period;
        if (!pebs_sample(run, &sample))
            return;
        pebs_check_numbers(run, &sample, period - 1);
    }
}

TEST(pebs_pdist) = {
    .id = "pebs.pdist",
    .title = "Counter 0 with precise distribution samples loads exactly one period apart, for periods of 128 and more",
    .source = "Intel's event list of Sapphire Rapids, PDISTCounter of MEM_INST_RETIRED.ALL_LOADS; Linux, "
              "glc_limit_period()",
    .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_REGISTERS | NEED_EVENT_LOADS,
    .lacks = lacks_pdist,
    .records = true,
    .run = pdist,
};

/* ---- reduced skid, of every precise event ------------------------------------------------------------------------ */

static const char *lacks_reduced_skid(const struct caps *caps)
{
    return caps->pebs_any_event && caps->pebs_pdist_counters & 1 ? NULL : "no reduced skid on this core";
}

static void reduced_skid(struct test_run *run)
{
    static const struct {
        enum pebs_role role;
        const struct workload *workload;
        unsigned rounds;
    } events[] = {
        { PEBS_ROLE_INSTRUCTIONS, &workload_straight, 1 },
        { PEBS_ROLE_LOADS, &workload_chase, 1 },
        { PEBS_ROLE_STORES, &workload_stores, 4 * ROUNDS },
    };
    enum { EVENTS = sizeof events / sizeof events[0], PERIOD = PEBS_PERIOD_PRECISE + 1 };
    struct pebs_sample samples[EVENTS];
    unsigned usual = 0;

    for (unsigned i = 0; i < EVENTS; i++) {
        samples[i] = (struct pebs_sample){ .event = pebs_find_event(run->caps, events[i].role),
                                           .workload = events[i].workload,
                                           .rounds = events[i].rounds,
                                           .period = PERIOD };
        usual += events[i].rounds * pebs_events_of_round(&samples[i]) / PERIOD;
    }
    test_plan_between(run, usual, usual + 1); /* the instructions of the window may add one record */
    for (unsigned i = 0; i < EVENTS; i++) {
        if (!pebs_sample(run, &samples[i]))
            return;
        pebs_check_numbers(run, &samples[i], PERIOD - 1);
    }
}

TEST(pebs_reduced_skid) = {
    .id = "pebs.reduced_skid",
    .title = "Counter 0 records the overflowing event itself for every precise event: instructions, loads and stores",
    .source = "SDM Vol. 3B (253669-059), \"Reduced Skid PEBS\", 18.7.1.2",
    .typical = "The manual says that skid is reduced, and not which instruction is recorded then",
    .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_REGISTERS | NEED_EVENT_LOADS | NEED_EVENT_STORES,
    .lacks = lacks_reduced_skid,
    .records = true,
    .run = reduced_skid,
};
