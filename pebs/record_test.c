/* SPDX-License-Identifier: MIT */
/* Each field of a PEBS record by itself. pebs_test.c covers the registers and the fields of memory accesses. */
#include "suite/suite.h"

#define NEEDS (NEED_APIC | NEED_PEBS | NEED_EVENT_LOADS)

#define EFLAGS_IF MSR_BIT(9)

enum { ROUNDS = 8 };

/* counter 0: the lowest counter that can sample loads. */
static struct pebs_sample loads(const struct test_run *run, unsigned counter, unsigned period)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOADS);

    return (struct pebs_sample){ .event = event,
                                 .workload = &workload_loads,
                                 .counter = counter ? counter : pebs_counter(run->caps, event),
                                 .rounds = ROUNDS,
                                 .period = period };
}

static unsigned typical(const struct test_run *run, const struct pebs_sample *sample)
{
    return pebs_typical(run->caps, sample, ROUNDS * pebs_events_of_round(sample));
}

/* The argument of a test that samples loads; pebs_compare() compares all their fields. */
struct field {
    unsigned counter, period;
};

static void each(struct test_run *run)
{
    const struct field *const field = run->test->argument;
    const struct pebs_sample sample = loads(run, field->counter, field->period);

    pebs_plan(run, typical(run, &sample));
    if (!pebs_sample(run, &sample))
        return;
    pebs_check_numbers(run, &sample, pebs_sample_spacing(run->caps, &sample) - 1);
}

/* Every other time the loop's branch forward is not taken; IP is then the address after it. */
static void eventing_ip_untaken(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_BRANCHES);
    const struct pebs_sample sample = { .event = event,
                                        .workload = &workload_loop,
                                        .counter = pebs_counter(run->caps, event),
                                        .period = 32,
                                        .rounds = 64 };
    const struct branch *forward = workload_loop.branches;
    unsigned wrong = 0;
    struct pebs_record record;

    while (forward->to < forward->from)
        forward++;
    test_plan_between(run, 1, 128);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        wrong += record.ip == forward->from + 2 && record.eventing_ip != forward->from;
    errata_equal(run, HAS_ERRATUM(SKL018), "branches that were not taken, with a wrong EventingIP", wrong, 0);
}

TEST(pebs_record_eventing_ip_untaken) = {
    .id = "pebs.record.eventing_ip.untaken",
    .title = "EventingIP of a conditional branch that is not taken is its address",
    .source = SDM_EVENTING_IP,
    .needs = NEEDS | NEED_PEBS_REGISTERS | NEED_EVENTING_IP | NEED_EVENT_BRANCHES,
    .records = true,
    .run = eventing_ip_untaken,
};

/*
 * The test's argument: what IA32_TSC_ADJUST has in addition while the workload runs. No code that waits runs then.
 * pebs_compare() compares the time stamps with RDTSC before and after, plus the argument, and with each other.
 */
static void tsc(struct test_run *run)
{
    const uint64_t *const adjustment = run->test->argument;
    struct pebs_sample sample = loads(run, 0, 41);
    uint64_t own = 0;

    sample.tsc_ahead = adjustment ? *adjustment : 0;
    pebs_plan(run, typical(run, &sample));
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    if (adjustment && msr_read(MSR_IA32_TSC_ADJUST, &own))
        msr_write(MSR_IA32_TSC_ADJUST, own + *adjustment);
    pebs_sample_run(run, &sample);
    if (adjustment)
        msr_write(MSR_IA32_TSC_ADJUST, own);
    pebs_close(run, 0);
}

static const char *lacks_tsc_adjust(const struct caps *caps)
{
    return caps->tsc_adjust ? NULL : "this processor has no IA32_TSC_ADJUST (CPUID.7:EBX bit 1)";
}

#define TIME_STAMPS .needs = NEEDS | NEED_PEBS_TSC, .records = true, .run = tsc

/* The adjustment is minutes at usual rates of the TSC. */
TESTS(time_stamps) = {
    { "pebs.record.tsc",
      "The time stamps of records never decrease, and are between RDTSC before the first and after the last",
      SDM_PEBS_RECORD_SKL ", offset C0H", TIME_STAMPS },
    { "pebs.record.tsc.adjusted",
      "The time stamps of records include what IA32_TSC_ADJUST adds to the time-stamp counter",
      SDM_TSC_ADJUST "; " SDM_PEBS_RECORD_SKL ", offset C0H", TIME_STAMPS, .lacks = lacks_tsc_adjust,
      .argument = &(const uint64_t){ UINT64_C(1) << 40 } },
};

TESTS(fields) = {
    { "pebs.record.applicable", "The applicable counters of a record are exactly the counter that caused it",
      SDM_PEBS_RECORD_SKL ", offset 90H", .records = true, .run = each,
      .needs = NEEDS | NEED_PEBS_REGISTERS | NEED_PEBS_TSC | NEED_PEBS_COUNTERS,
      .argument = &(const struct field){ 3, 39 } },
    { "pebs.record.eventing_ip", "EventingIP is the address of the instruction that caused the event", SDM_EVENTING_IP,
      .records = true, .run = each, .needs = NEEDS | NEED_PEBS_REGISTERS | NEED_EVENTING_IP,
      .argument = &(const struct field){ 0, 37 } },
    { "pebs.record.ip",
      "The IP of a record is that of the next instruction if PEBS is trap-like, else that of the instruction itself",
      SDM_PERF_CAPABILITIES ", PEBS_TRAP", .records = true, .run = each, .needs = NEEDS | NEED_PEBS_REGISTERS,
      .argument = &(const struct field){ 0, 35 } },
    { "pebs.record.tsx", "Outside a transaction the TSX information of a record is zero",
      SDM_PEBS_RECORD_HSW ", offset B8H", .records = true, .run = each,
      .needs = NEEDS | NEED_PEBS_REGISTERS | NEED_EVENTING_IP, .argument = &(const struct field){ 0, 33 } },
};

/* The workload runs once with interrupts on and once with interrupts off, which shows in IF. */
static void flags(struct test_run *run)
{
    enum { COUNT = 4 };
    const struct pebs_sample sample = pebs_sample_any(run->caps, COUNT);
    const struct window window = pebs_sample_window(run, &sample);
    struct pebs_record record;

    pebs_plan(run, 2 * COUNT);
    for (unsigned on = 0; on < 2; on++) {
        if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
            return;
        if (!on)
            interrupts_off();
        sample.workload->run(&window);
        pebs_close(run, 0);
        pebs_check_count(run, ds_pebs_log()->records, COUNT);
        for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
            test_equal(run, "IF", record.rflags & EFLAGS_IF, on ? EFLAGS_IF : 0);
    }
}

/* Checks the upper half of every register that the mode has, including those with unknown values. */
static void upper_halves(struct test_run *run)
{
    enum { COUNT = 8 };
    const struct pebs_sample sample = pebs_sample_any(run->caps, COUNT);
    struct pebs_record record;

    if (run->caps->ds_width != DS_WIDTH_64 || run->caps->ia32e_active) {
        test_skip(run, "this kernel runs in IA-32e mode, or its records have 32 bits");
        return;
    }
    pebs_plan(run, COUNT);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        for (const struct pebs_field *field = pebs_fields; field->name; field++)
            if (field->has == PEBS_HAS_GPRS)
                test_equal(run, field->name, pebs_value(&record, field) >> (field->name_32 ? 32 : 0), 0);
}

TESTS(register_values) = {
    { "pebs.record.flags", "The flags of a record have IF as it was, and reserved bits with their fixed values",
      SDM_PEBS_RECORD ", offset 00H", .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_REGISTERS | NEED_EVENT_ANY,
      .records = true, .run = flags },
    { "pebs.record.upper_halves",
      "Outside IA-32e mode a 64-bit record has zero in the upper halves, and in registers that the mode lacks",
      SDM_DS_64, .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY, .records = true, .run = upper_halves },
};
