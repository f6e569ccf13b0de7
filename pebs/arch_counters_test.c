/* SPDX-License-Identifier: MIT */
/*
 * CFG_C fields other than groups: the reload value, and sampling on each counter that CPUID.23H.5 lists. Fixed counter
 * 0 samples instructions at known addresses.
 */
#include "suite/suite.h"

#include "pebs/layout/arch_pebs.h"

#define NEEDS (NEED_APIC | NEED_PEBS | NEED_PEBS_ARCH | NEED_PEBS_FIXED)
#define GROUP .needs = NEEDS, .lacks = lacks_fixed_0, .records = true

enum { PERIOD = PEBS_PERIOD_PRECISE, FIXED_0 = 32 };

static const char *lacks_fixed_0(const struct caps *caps)
{
    return caps->pebs_fixed_counters & 1 ? NULL : "fixed counter 0 cannot sample: CPUID.23H.5";
}

static const char *lacks_pdist(const struct caps *caps)
{
    return caps->pebs_pdist_fixed_counters & 1 ? NULL : "fixed counter 0 has no precise distribution (CPUID.23H.5)";
}

static struct pebs_sample instructions(unsigned period)
{
    return (struct pebs_sample){
        .fixed = true, .workload = &workload_straight, .period = period, .cfg_c = ARCH_PEBS_EN | ARCH_PEBS_GPRS
    };
}

static unsigned usual(unsigned period)
{
    return (unsigned)workload_straight.instructions / period;
}

/* Runs the workload with interrupts off, and leaves them off. On return, no record is pending. */
static void run_closed(struct test_run *run, const struct pebs_sample *sample)
{
    const struct window window = pebs_sample_window(run, sample);

    interrupts_off();
    sample->workload->run(&window);
    ds_settle();
}

/* ---- the reload -------------------------------------------------------------------------------------------------- */

/* The counter starts farther from its overflow than CFG_C says: CFG_C applies only after the first record. */
static void reload(struct test_run *run)
{
    enum { FIRST = 550, THEN = 130 };
    struct pebs_sample sample = instructions(THEN);
    const uint64_t width = (UINT64_C(1) << run->caps->fixed_width) - 1;
    const unsigned records = 1 + ((unsigned)workload_straight.instructions - FIRST) / THEN;

    sample.first = FIRST;
    test_plan_between(run, records - 1, records);
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    msr_write(MSR_IA32_PMC_FX_CTR(0), (0 - (uint64_t)FIRST) & width);
    run_closed(run, &sample);
    pebs_close(run, 0);
}

/* Only one record, so that the number of records does not depend on the reload. */
static void extended(struct test_run *run)
{
    enum { LONG = 600 };
    const struct pebs_sample sample = instructions(LONG);
    const uint64_t width = (UINT64_C(1) << run->caps->fixed_width) - 1;
    uint64_t value;

    test_plan(run, usual(LONG));
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    run_closed(run, &sample);
    value = msr_get(MSR_IA32_FIXED_CTR(0));
    pebs_close(run, 0);
    if (((value + LONG) & width) >= LONG)
        test_fail(run, "the counter is 0x%" PRIx64 ", not within a period before its overflow", value);
}

TESTS(reloads) = {
    { "arch.reload.exact",
      "After a record the counter restarts from the reload value in CFG_C, not from what software wrote to it",
      SDM_ARCH_PEBS ", IA32_PMC_FXm_CFG_C, reload", .needs = NEEDS, .lacks = lacks_pdist, .records = true,
      .run = reload },
    { "arch.reload.extended", "The 32-bit reload value is sign-extended to the counter's width",
      SDM_ARCH_PEBS ", IA32_PMC_FXm_CFG_C, reload", GROUP, .run = extended },
};

/* ---- each counter ------------------------------------------------------------------------------------------------ */

static unsigned count_bits(uint64_t bits)
{
    unsigned count = 0;

    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

static void general_counters(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOADS);
    const uint64_t counters = event->counters & run->caps->pebs_counters;

    test_plan_between(run, count_bits(counters), 4096);
    for (unsigned n = 0; n < 32; n++) {
        const struct pebs_sample sample = {
            .event = event, .counter = n, .workload = &workload_loads, .rounds = 8, .period = 51, .cfg_c = ARCH_PEBS_EN
        };
        if (!(counters >> n & 1))
            continue;
        if (!pebs_sample(run, &sample))
            return;
        if (!ds_pebs_log()->records)
            test_fail(run, "counter %u wrote no record", n);
    }
}

static void pdist_fixed(struct test_run *run)
{
    const struct pebs_sample sample = instructions(2 * PEBS_PERIOD_PRECISE);

    test_plan_between(run, usual(sample.period) - 1, usual(sample.period));
    pebs_sample(run, &sample);
}

/* The record must describe the load that overflows the counter, not a later one. */
static void pdist_general(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOADS);
    struct pebs_sample sample = { .event = event,
                                  .workload = &workload_chase,
                                  .period = PEBS_PERIOD_PRECISE,
                                  .cfg_c = ARCH_PEBS_EN | ARCH_PEBS_GPRS };
    const unsigned each = pebs_events_of_round(&sample) / PEBS_PERIOD_PRECISE;
    const uint64_t counters = event->counters & run->caps->pebs_pdist_counters;

    test_plan(run, count_bits(counters) * each);
    for (unsigned n = 0; n < 32; n++) {
        if (!(counters >> n & 1))
            continue;
        sample.counter = n;
        if (!pebs_sample(run, &sample))
            return;
        pebs_check_numbers(run, &sample, sample.period - 1);
    }
}

TESTS(each_counter) = {
    { "arch.counters.each_general",
      "Each general counter that CPUID.23H.5 lists samples loads, and its records have its own bit",
      SDM_ARCH_PEBS ", CPUID.23H.5", .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_ARCH | NEED_EVENT_LOADS,
      .records = true, .run = general_counters },
    { "arch.pdist.fixed", "Fixed counter 0, if CPUID.23H.5:EDX lists it, samples instructions exactly one period apart",
      SDM_ARCH_PEBS ", CPUID.23H.5", .needs = NEEDS, .lacks = lacks_pdist, .records = true, .run = pdist_fixed },
    { "arch.pdist.general", "Each general counter that CPUID.23H.5:EBX lists samples loads exactly one period apart",
      SDM_ARCH_PEBS ", CPUID.23H.5",
      .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_ARCH | NEED_PEBS_REGISTERS | NEED_EVENT_LOADS, .records = true,
      .run = pdist_general },
};
