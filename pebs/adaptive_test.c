/* SPDX-License-Identifier: MIT */
/*
 * Records whose groups MSR_PEBS_DATA_CFG chooses, and counters that only such processors let sample. SDM Vol. 3B
 * (253669-081), "Adaptive PEBS" and "Processor Event Based Sampling (PEBS) Facility" of Ice Lake, chapter 20.
 */
#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "lbr/lbr.h"
#include "suite/pebs_sample.h"
#include "suite/sources.h"

#define NEEDS (NEED_APIC | NEED_PEBS | NEED_PEBS_ADAPTIVE)

/* What a record under this MSR_PEBS_DATA_CFG has, beside the basic group. */
static uint64_t groups_of(uint64_t data_cfg)
{
    return (data_cfg & PEBS_DATA_CFG_MEMORY ? PEBS_HAS_MEMORY | PEBS_HAS_TSX : 0) |
           (data_cfg & PEBS_DATA_CFG_GPRS ? PEBS_HAS_GPRS : 0) | (data_cfg & PEBS_DATA_CFG_XMMS ? PEBS_HAS_XMM : 0) |
           (data_cfg & PEBS_DATA_CFG_LBRS ? PEBS_HAS_LBR : 0);
}

#define GROUPS (PEBS_HAS_MEMORY | PEBS_HAS_TSX | PEBS_HAS_GPRS | PEBS_HAS_XMM | PEBS_HAS_LBR)

/* Samples loads of known address and value with these groups, and holds every record against them. */
static void sample_loads(struct test_run *run, const struct pebs_sample *sample, uint64_t groups, unsigned planned)
{
    const unsigned spacing = pebs_spacing(sample->event, sample->period);
    struct pebs_record record;

    if (!pebs_sample(run, sample))
        return;
    test_equal(run, "records of this configuration", ds_pebs_log()->records, planned);
    for (unsigned n = 0; n < ds_pebs_log()->records && n < planned && records_pebs(run, n, &record); n++) {
        const struct access *want = &sample->workload->accesses[(n + 1) * spacing - 1];
        pebs_check(run, sample, &record, want->ip, want->next_ip);
        test_equal(run, "format group", record.format_group, groups);
        test_equal(run, "groups", record.has & GROUPS, groups_of(groups));
        test_equal(run, "record size", record.size, pebs_adaptive_size(groups));
        if (record.has & PEBS_HAS_MEMORY)
            test_equal(run, "data address", record.data_address, want->address);
        if (record.has & PEBS_HAS_GPRS)
            test_equal(run, "RAX", record.gpr[PEBS_RAX], want->value);
        if (record.has & PEBS_HAS_LBR)
            test_equal(run, "LBR entries", record.lbr_count, (groups >> 24 & 0x1f) + 1);
    }
}

/* All sixteen combinations of groups; with LBRs, as many entries as the combination's number says. */
static void groups(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOADS);
    struct pebs_sample sample = { .event = event, .workload = &workload_loads, .period = 15 };
    const unsigned each = (unsigned)workload_loads.access_count / pebs_spacing(event, sample.period);

    test_plan(run, 16 * each);
    for (unsigned choice = 0; choice < 16; choice++) {
        uint64_t data_cfg = choice | (choice & PEBS_DATA_CFG_LBRS ? PEBS_DATA_CFG_LBR_COUNT(choice) : 0);
        sample.data_cfg = data_cfg ? data_cfg : PEBS_DATA_CFG_MEMORY;
        sample.basic = data_cfg == 0;
        sample_loads(run, &sample, data_cfg, each);
    }
}

TEST(pebs_adaptive_groups) = {
    .id = "pebs.adaptive.groups",
    .title = "A record has the groups that MSR_PEBS_DATA_CFG asks for, in every combination, and says its own size",
    .source = SDM_PEBS_ADAPTIVE,
    .needs = NEEDS | NEED_EVENT_LOADS,
    .records = true,
    .run = groups,
};

static void ignored(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOADS);
    const struct pebs_sample sample = {
        .event = event, .workload = &workload_loads, .period = 7, .data_cfg = PEBS_DATA_CFG_ALL, .basic = true
    };
    const unsigned planned = (unsigned)workload_loads.access_count / pebs_spacing(event, sample.period);

    test_plan(run, planned);
    sample_loads(run, &sample, 0, planned);
}

TEST(pebs_adaptive_ignored) = {
    .id = "pebs.adaptive.ignored",
    .title = "A counter without its adaptive bit writes the basic group alone, whatever MSR_PEBS_DATA_CFG says",
    .source = SDM_2023 "\"Adaptive_Record Counter Control\"",
    .needs = NEEDS | NEED_EVENT_LOADS,
    .records = true,
    .run = ignored,
};

/* In 32-bit mode there are eight vector registers; the others are written as zero. */
static void xmm(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOADS);
    const struct workload *workload = &workload_vectors;
    const struct pebs_sample sample = {
        .event = event, .workload = workload, .period = 7, .data_cfg = PEBS_DATA_CFG_GPRS | PEBS_DATA_CFG_XMMS
    };
    const unsigned spacing = pebs_spacing(event, sample.period);
    struct pebs_record record;

    test_plan(run, (unsigned)workload->access_count / spacing);
    sse_enable();
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && n < run->expected && records_pebs(run, n, &record); n++) {
        const unsigned done = (n + 1) * spacing; /* accesses so far, of which the first fill the registers */
        const struct access *want = &workload->accesses[done - 1];
        pebs_check(run, &sample, &record, want->ip, want->next_ip);
        for (unsigned i = 0; i < 16 && i < done; i++) {
            test_equal(run, "low half of an XMM register", record.xmm[i].low,
                       i < WORKLOAD_XMMS ? WORKLOAD_XMM_LOW(i) : 0);
            test_equal(run, "high half of an XMM register", record.xmm[i].high,
                       i < WORKLOAD_XMMS ? WORKLOAD_XMM_HIGH(i) : 0);
        }
    }
}

TEST(pebs_adaptive_xmm) = {
    .id = "pebs.adaptive.xmm",
    .title = "The XMM group has every vector register as it was after the instruction",
    .source = SDM_PEBS_ADAPTIVE ", XMMs",
    .needs = NEEDS | NEED_EVENT_LOADS,
    .records = true,
    .run = xmm,
};

#define LBR_GROUP_ENTRIES 8u

/* The branch of the event is the youngest entry, and the workload's branches before it are the older ones. */
static void lbr(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_TAKEN);
    const struct workload *workload = &workload_calls;
    const struct pebs_sample sample = {
        .event = event,
        .workload = workload,
        .counter = pebs_counter(run->caps, event),
        .period = 1,
        .data_cfg = PEBS_DATA_CFG_LBRS | PEBS_DATA_CFG_LBR_COUNT(LBR_GROUP_ENTRIES),
    };
    const unsigned spacing = pebs_spacing(event, sample.period);
    struct pebs_record record;
    struct window recording;
    bool ran;

    test_plan(run, (unsigned)workload->branch_count / spacing);
    lbr_reset(run->caps, 0);
    recording = lbr_window(run->caps, 0);
    msr_write((uint32_t)recording.msr, recording.on);
    ran = pebs_sample(run, &sample);
    msr_write((uint32_t)recording.msr, recording.off);
    for (unsigned n = 0; ran && n < ds_pebs_log()->records && n < run->expected && records_pebs(run, n, &record); n++) {
        const unsigned at = (n + 1) * spacing - 1;
        test_equal(run, "LBR entries", record.lbr_count, LBR_GROUP_ENTRIES);
        for (unsigned age = 0; age <= at && age < record.lbr_count; age++) {
            test_equal(run, "from of an LBR entry", record.lbr[age].from, workload->branches[at - age].from);
            test_equal(run, "to of an LBR entry", record.lbr[age].to, workload->branches[at - age].to);
        }
    }
}

TEST(pebs_adaptive_lbr) = {
    .id = "pebs.adaptive.lbr",
    .title = "The LBR group has the newest branches, the youngest first, that of the event included",
    .source = SDM_PEBS_ADAPTIVE ", LBRs",
    .needs = NEEDS | NEED_EVENT_TAKEN | NEED_LBR,
    .records = true,
    .run = lbr,
};

/* ---- counters ------------------------------------------------------------------------------------------------- */

/*
 * Fixed counter 0 counts instructions, and what overflows it is what is recorded: INST_RETIRED.PREC_DIST. Golden Cove
 * does so only from 128 events on (Linux lets no shorter period pass).
 */
static void fixed(struct test_run *run)
{
    const struct workload *workload = &workload_straight;
    const struct pebs_sample sample = { .fixed = true, .workload = workload, .period = 200 };
    struct pebs_record record;
    uint64_t last = 0;

    test_plan(run, (unsigned)workload->instructions / sample.period);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        uint64_t ip = record.eventing_ip;
        pebs_check(run, &sample, &record, ip, ip + WORKLOAD_STRAIGHT_STEP);
        if (ip < workload->start || ip >= workload->limit)
            test_fail(run, "PEBS record %u is not of an instruction of the workload", n);
        if (n)
            test_equal(run, "distance to the record before", ip - last, sample.period * WORKLOAD_STRAIGHT_STEP);
        last = ip;
    }
}

TEST(pebs_fixed_0) = {
    .id = "pebs.fixed.0",
    .title = "Fixed counter 0 samples instructions exactly the period apart, with its own reset slot and its own bit",
    .source = SDM_PEBS_EXTENDED,
    .needs = NEEDS | NEED_PEBS_FIXED,
    .records = true,
    .run = fixed,
};

/* General counters 4 and up, which sampled nothing on earlier processors. */
static void high_counters(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_TAKEN);
    const struct workload *workload = &workload_calls;
    const unsigned spacing = pebs_spacing(event, 1), each = (unsigned)workload->branch_count / spacing;
    unsigned counters = 0;
    struct pebs_record record;

    for (unsigned i = 4; i < DS_GENERAL_COUNTERS; i++)
        counters += event->counters & run->caps->pebs_counters & UINT64_C(1) << i ? 1 : 0;
    test_plan(run, counters * each);
    for (unsigned i = 4; i < 4 + counters; i++) {
        const struct pebs_sample sample = { .event = event, .counter = i, .workload = workload, .period = 1 };
        if (!pebs_sample(run, &sample))
            return;
        for (unsigned n = 0; n < ds_pebs_log()->records && n < each && records_pebs(run, n, &record); n++) {
            const struct branch *want = &workload->branches[(n + 1) * spacing - 1];
            pebs_check(run, &sample, &record, want->from, want->to);
        }
    }
}

TEST(pebs_counters_4_to_7) = {
    .id = "pebs.counters.4_to_7",
    .title = "Counters 4 to 7 sample with their own reset slots and their own bits",
    .source = SDM_PEBS_EXTENDED,
    .needs = NEEDS | NEED_EVENT_TAKEN,
    .records = true,
    .run = high_counters,
};
