/* SPDX-License-Identifier: MIT */
/* Each field of a PEBS record by itself; those of memory accesses and the registers have their tests in pebs_test.c. */
#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "suite/pebs_sample.h"
#include "suite/sources.h"

#define NEEDS (NEED_APIC | NEED_PEBS | NEED_EVENT_LOADS)

#define EFLAGS_ONE    MSR_BIT(1)
#define EFLAGS_IF     MSR_BIT(9)
#define EFLAGS_ZEROES (MSR_BIT(3) | MSR_BIT(5) | MSR_BIT(15) | ~(MSR_BIT(22) - 1))

static struct pebs_sample loads(const struct test_run *run, unsigned counter, unsigned period)
{
    return (struct pebs_sample){ .event = pebs_find_event(run->caps, PEBS_ROLE_LOADS),
                                 .workload = &workload_loads,
                                 .counter = counter,
                                 .period = period };
}

/* Samples, and hands each record to the check with the access that it is of. */
static void each(struct test_run *run, const struct pebs_sample *sample,
                 void (*check)(struct test_run *run, const struct pebs_sample *sample, const struct pebs_record *record,
                               const struct access *access))
{
    const unsigned spacing = pebs_spacing(sample->event, sample->period);
    struct pebs_record record;

    if (!pebs_sample(run, sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        const uint64_t at = (uint64_t)(n + 1) * spacing - 1;
        if (at < sample->workload->access_count)
            check(run, sample, &record, &sample->workload->accesses[at]);
    }
}

static void plan(struct test_run *run, const struct pebs_sample *sample)
{
    test_plan(run, (unsigned)sample->workload->access_count / pebs_spacing(sample->event, sample->period));
}

static void check_applicable(struct test_run *run, const struct pebs_sample *sample, const struct pebs_record *record,
                             const struct access *access)
{
    (void)access;
    test_equal(run, "applicable counters", record->counters, MSR_BIT(sample->counter));
}

static void applicable(struct test_run *run)
{
    const struct pebs_sample sample = loads(run, 3, 7);

    plan(run, &sample);
    each(run, &sample, check_applicable);
}

TEST(pebs_record_applicable) = {
    .id = "pebs.record.applicable",
    .title = "The applicable counters of a record are the one counter that it is of, and no other bit is set",
    .source = SDM_PEBS_RECORD_SKL ", offset 90H",
    .needs = NEEDS | NEED_PEBS_TSC | NEED_PEBS_COUNTERS,
    .records = true,
    .run = applicable,
};

static void check_eventing_ip(struct test_run *run, const struct pebs_sample *sample, const struct pebs_record *record,
                              const struct access *access)
{
    (void)sample;
    test_equal(run, "EventingIP", record->eventing_ip, access->ip);
}

static void eventing_ip(struct test_run *run)
{
    const struct pebs_sample sample = loads(run, 0, 6);

    plan(run, &sample);
    each(run, &sample, check_eventing_ip);
}

TEST(pebs_record_eventing_ip) = {
    .id = "pebs.record.eventing_ip",
    .title = "EventingIP is the address of the instruction that caused the event",
    .source = SDM_EVENTING_IP,
    .needs = NEEDS | NEED_EVENTING_IP,
    .records = true,
    .run = eventing_ip,
};

static void check_ip(struct test_run *run, const struct pebs_sample *sample, const struct pebs_record *record,
                     const struct access *access)
{
    (void)sample;
    test_equal(run, "IP", record->ip, run->caps->pebs_trap_like ? access->next_ip : access->ip);
}

static void ip(struct test_run *run)
{
    const struct pebs_sample sample = loads(run, 0, 5);

    plan(run, &sample);
    each(run, &sample, check_ip);
}

TEST(pebs_record_ip) = {
    .id = "pebs.record.ip",
    .title = "The IP of a record is that of the next instruction where PEBS is trap-like, else that of the event's own",
    .source = SDM_PERF_CAPABILITIES ", PEBS_TRAP",
    .needs = NEEDS,
    .records = true,
    .run = ip,
};

static void tsc(struct test_run *run)
{
    const struct pebs_sample sample = loads(run, 0, 7);
    const struct window window = pebs_sample_window(run, &sample);
    struct pebs_record record;
    uint64_t before, after, last;

    plan(run, &sample);
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    last = before = time_stamp();
    sample.workload->run(&window);
    after = time_stamp();
    records_close(run, 0);
    test_saw(run, ds_pebs_log()->records);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (record.tsc < last || record.tsc > after)
            test_fail(run, "PEBS record %u: time stamp %" PRIu64 " is not between %" PRIu64 " and %" PRIu64, n,
                      record.tsc, last, after);
        last = record.tsc;
    }
}

TEST(pebs_record_tsc) = {
    .id = "pebs.record.tsc",
    .title = "The time stamps of records rise, between what RDTSC reads before the first and after the last",
    .source = SDM_PEBS_RECORD_SKL ", offset C0H",
    .needs = NEEDS | NEED_PEBS_TSC,
    .records = true,
    .run = tsc,
};

static void check_tsx(struct test_run *run, const struct pebs_sample *sample, const struct pebs_record *record,
                      const struct access *access)
{
    (void)sample;
    (void)access;
    if (!(record->has & PEBS_HAS_TSX))
        test_fail(run, "the record has no TSX information");
    test_equal(run, "TSX information", record->tsx, 0);
}

static void tsx(struct test_run *run)
{
    const struct pebs_sample sample = loads(run, 0, 4);

    plan(run, &sample);
    each(run, &sample, check_tsx);
}

TEST(pebs_record_tsx) = {
    .id = "pebs.record.tsx",
    .title = "Outside a transaction the TSX information of a record is zero",
    .source = SDM_PEBS_RECORD_HSW ", offset B8H",
    .needs = NEEDS | NEED_EVENTING_IP,
    .records = true,
    .run = tsx,
};

/* The workload runs once with interrupts on and once off: IF says which. */
static void flags(struct test_run *run)
{
    enum { COUNT = 4 };
    const struct pebs_sample sample = pebs_sample_any(run->caps, COUNT);
    const struct window window = pebs_sample_window(run, &sample);
    struct pebs_record record;

    test_plan(run, 2 * COUNT);
    for (unsigned on = 0; on < 2; on++) {
        if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
            return;
        if (!on)
            interrupts_off();
        sample.workload->run(&window);
        records_close(run, 0);
        test_saw(run, ds_pebs_log()->records);
        for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
            test_equal(run, "IF", record.rflags & EFLAGS_IF, on ? EFLAGS_IF : 0);
            test_equal(run, "reserved flags", record.rflags & (EFLAGS_ONE | EFLAGS_ZEROES), EFLAGS_ONE);
        }
    }
}

TEST(pebs_record_flags) = {
    .id = "pebs.record.flags",
    .title = "The flags of a record have IF as it was, and reserved bits as the processor always has them",
    .source = SDM_PEBS_RECORD ", offset 00H",
    .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY,
    .records = true,
    .run = flags,
};

/* Every register is checked, not only those whose values are known. */
static void upper_halves(struct test_run *run)
{
    enum { COUNT = 8 };
    const struct pebs_sample sample = pebs_sample_any(run->caps, COUNT);
    struct pebs_record record;

    if (run->caps->ds_width != DS_WIDTH_64 || run->caps->ia32e_active) {
        test_skip(run, "no 64-bit records outside IA-32e mode in this kernel on this processor");
        return;
    }
    test_plan(run, COUNT);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        test_equal(run, "upper half of RFLAGS", record.rflags >> 32, 0);
        test_equal(run, "upper half of RIP", record.ip >> 32, 0);
        for (unsigned r = 0; r < 16; r++)
            test_equal(run, "upper half of a register, or one above the eighth",
                       r < 8 ? record.gpr[r] >> 32 : record.gpr[r], 0);
    }
}

TEST(pebs_record_upper_halves) = {
    .id = "pebs.record.upper_halves",
    .title =
        "Outside IA-32e mode a 64-bit record has zero in the upper halves, and in the registers that the mode lacks",
    .source = SDM_DS_64,
    .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY,
    .records = true,
    .run = upper_halves,
};
