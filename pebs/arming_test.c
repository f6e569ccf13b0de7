/* SPDX-License-Identifier: MIT */
/*
 * When there is a record and when there is none: what must be enabled, which event the hardware is armed by and which
 * it records, and what the counter starts again from.
 */
#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "bts/bts.h"
#include "ds/ds_area.h"
#include "pebs/netburst.h"
#include "suite/pebs_sample.h"
#include "suite/sources.h"

#define NEEDS (NEED_APIC | NEED_PEBS | NEED_EVENT_LOADS)

#define PAUSES 1000u

static struct pebs_sample loads(const struct test_run *run, unsigned counter, unsigned period)
{
    return (struct pebs_sample){ .event = pebs_find_event(run->caps, PEBS_ROLE_LOADS),
                                 .workload = &workload_loads,
                                 .counter = counter,
                                 .period = period };
}

static uint64_t width_mask(const struct test_run *run)
{
    return MSR_BIT(run->caps->general_width) - 1;
}

static uint64_t counter_now(const struct test_run *run, const struct pebs_sample *sample)
{
    return run->caps->pebs_method == PEBS_METHOD_NETBURST ? netburst_counter() : counter_read(sample->counter);
}

/* The number of the access that a record is of, from 0, by its IP; the count of accesses where it is of none. */
static uint64_t access_of(const struct test_run *run, const struct workload *workload, const struct pebs_record *record)
{
    const bool itself = record->has & PEBS_HAS_EVENTING_IP || !run->caps->pebs_trap_like;
    const uint64_t ip = record->has & PEBS_HAS_EVENTING_IP ? record->eventing_ip : record->ip;
    uint64_t i = 0;

    while (i < workload->access_count && ip != (itself ? workload->accesses[i].ip : workload->accesses[i].next_ip))
        i++;
    return i;
}

/* ---- armed by an overflow -------------------------------------------------------------------------------------- */

/* The first record is checked for each of several periods. */
static void next_event(struct test_run *run)
{
    enum { PERIODS = 6 };
    const unsigned events = (unsigned)workload_loads.access_count;
    struct pebs_record record;
    unsigned all = 0;

    for (unsigned period = 1; period <= PERIODS; period++)
        all += events / (period + 1);
    test_plan(run, all);
    for (unsigned period = 1; period <= PERIODS; period++) {
        const struct pebs_sample sample = loads(run, 0, period);
        if (!pebs_sample(run, &sample))
            return;
        if (ds_pebs_log()->records && records_pebs(run, 0, &record))
            test_equal(run, "the first record's event, from 0", access_of(run, &workload_loads, &record), period);
    }
}

TEST(pebs_arm_next_event) = {
    .id = "pebs.arm.next_event",
    .title = "The overflow arms PEBS, and the very next event is recorded: from -N, event N + 1",
    .source = SDM_PEBS,
    .needs = NEEDS,
    .records = true,
    .run = next_event,
};

static void overflow_alone(struct test_run *run)
{
    const struct pebs_sample sample = loads(run, 0, (unsigned)workload_loads.access_count);

    test_plan(run, 0);
    pebs_sample(run, &sample);
}

TEST(pebs_arm_overflow_alone) = {
    .id = "pebs.arm.overflow_alone",
    .title = "The last event overflows the counter, and without another there is no record",
    .source = SDM_PEBS,
    .needs = NEEDS,
    .records = true,
    .run = overflow_alone,
};

/* ---- enabled --------------------------------------------------------------------------------------------------- */

/* Opens and programs what would leave 8 records, lets the test take something back, and runs. */
static bool sample_without(struct test_run *run, struct pebs_sample *sample, void (*take_back)(unsigned counter),
                           uint64_t window_on)
{
    struct window window;

    *sample = loads(run, 0, 7);
    window = pebs_sample_window(run, sample);
    window.on &= window_on;
    test_plan(run, 0);
    if (!pebs_sample_open(run, sample) || !pebs_sample_arm(run, sample))
        return false;
    take_back(sample->counter);
    sample->workload->run(&window);
    return true;
}

static void finish(struct test_run *run)
{
    records_close(run, 0);
    test_saw(run, ds_pebs_log()->records);
}

static void select_off(unsigned counter)
{
    msr_write(MSR_IA32_PERFEVTSEL(counter), msr_get(MSR_IA32_PERFEVTSEL(counter)) & ~PERFEVTSEL_EN);
}

static void event_select(struct test_run *run)
{
    struct pebs_sample sample;

    if (!sample_without(run, &sample, select_off, UINT64_MAX))
        return;
    test_equal(run, "the counter", counter_now(run, &sample), (0 - (uint64_t)sample.period) & width_mask(run));
    finish(run);
}

TEST(pebs_arm_event_select) = {
    .id = "pebs.arm.event_select",
    .title = "Without the enable flag of its event select a PEBS counter neither counts nor records",
    .source = SDM_PEBS_PROGRAMMING,
    .needs = NEEDS | NEED_GLOBAL_CTRL,
    .records = true,
    .run = event_select,
};

static void nothing_off(unsigned counter)
{
    (void)counter;
}

static void global_ctrl(struct test_run *run)
{
    struct pebs_sample sample;

    if (!sample_without(run, &sample, nothing_off, 0))
        return;
    test_equal(run, "the counter", counter_now(run, &sample), (0 - (uint64_t)sample.period) & width_mask(run));
    finish(run);
}

TEST(pebs_arm_global_ctrl) = {
    .id = "pebs.arm.global_ctrl",
    .title = "With its bit of IA32_PERF_GLOBAL_CTRL clear a PEBS counter neither counts nor records",
    .source = SDM_PEBS_PROGRAMMING,
    .needs = NEEDS | NEED_GLOBAL_CTRL,
    .records = true,
    .run = global_ctrl,
};

static void pebs_off(unsigned counter)
{
    (void)counter;
    msr_write(MSR_PEBS_ENABLE, 0);
}

static void pebs_enable(struct test_run *run)
{
    struct pebs_sample sample;

    if (!sample_without(run, &sample, pebs_off, UINT64_MAX))
        return;
    test_equal(run, "overflow bit of the counter", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & 1, 1);
    test_equal(run, "the counter", counter_now(run, &sample), workload_loads.access_count - sample.period);
    finish(run);
}

TEST(pebs_arm_pebs_enable) = {
    .id = "pebs.arm.pebs_enable",
    .title = "Without its bit of IA32_PEBS_ENABLE a counter counts and overflows, and leaves no record",
    .source = SDM_PEBS_PROGRAMMING,
    .needs = NEEDS | NEED_GLOBAL_CTRL,
    .records = true,
    .run = pebs_enable,
};

/* ---- the reset value -------------------------------------------------------------------------------------------- */

static void set_reset(const struct test_run *run, unsigned counter, uint64_t value)
{
    const struct ds_memory memory = ds_memory();
    const unsigned slot = ds_reset_general(run->caps->pebs_format, counter);
    struct ds_area area;

    if (ds_area_decode(run->caps->ds_width, run->caps->pebs_format, memory.area, memory.area_size, &area) !=
            DS_AREA_OK ||
        slot >= DS_RESET_MAX)
        return;
    area.pebs_reset[slot] = value & width_mask(run);
    ds_area_encode(run->caps->ds_width, run->caps->pebs_format, &area, memory.area, memory.area_size);
    ds_area_adopt();
}

/* Holds the records against events first, first + spacing, and so on, counted from 0. */
static void check_events(struct test_run *run, unsigned first, unsigned spacing)
{
    struct pebs_record record;

    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        test_equal(run, "a record's event, from 0", access_of(run, &workload_loads, &record), first + n * spacing);
}

/* Arms an open area, and runs the workload. */
static bool run_sample(struct test_run *run, const struct pebs_sample *sample)
{
    const struct window window = pebs_sample_window(run, sample);

    if (!pebs_sample_arm(run, sample))
        return false;
    sample->workload->run(&window);
    return true;
}

static void own_slot(struct test_run *run)
{
    enum { COUNTERS = 4, OWN = 2, PERIOD = 7 };
    const struct pebs_sample sample = loads(run, OWN, PERIOD);

    test_plan(run, (unsigned)workload_loads.access_count / (PERIOD + 1));
    if (!pebs_sample_open(run, &sample))
        return;
    for (unsigned n = 0; n < COUNTERS; n++)
        if (n != OWN)
            set_reset(run, n, 0 - (uint64_t)(n + 1));
    if (!run_sample(run, &sample))
        return;
    finish(run);
    check_events(run, PERIOD, PERIOD + 1);
}

TEST(pebs_reload_own_slot) = {
    .id = "pebs.reload.own_slot",
    .title = "A counter is reloaded from its own reset slot, whatever the slots of the others hold",
    .source = SDM_PEBS_AREA,
    .needs = NEEDS | NEED_PEBS_COUNTERS,
    .records = true,
    .run = own_slot,
};

static void reset_value(struct test_run *run)
{
    enum { FIRST = 20, PERIOD = 3 };
    const struct pebs_sample sample = loads(run, 0, FIRST);

    test_plan(run, 1 + ((unsigned)workload_loads.access_count - FIRST - 1) / (PERIOD + 1));
    if (!pebs_sample_open(run, &sample))
        return;
    set_reset(run, 0, 0 - (uint64_t)PERIOD);
    if (!run_sample(run, &sample))
        return;
    finish(run);
    check_events(run, FIRST, PERIOD + 1);
}

TEST(pebs_reload_reset_value) = {
    .id = "pebs.reload.reset_value",
    .title = "After a record the counter starts from the reset value in memory, not from what software wrote to it",
    .source = SDM_PEBS,
    .needs = NEEDS,
    .records = true,
    .run = reset_value,
};

/* The workload leaves six records, and has four events more. */
static void counter_after(struct test_run *run)
{
    enum { PERIOD = 9, LEFT = 4 };
    const struct pebs_sample sample = loads(run, 0, PERIOD);

    test_plan(run, ((unsigned)workload_loads.access_count - LEFT) / (PERIOD + 1));
    if (!pebs_sample_open(run, &sample) || !run_sample(run, &sample))
        return;
    test_equal(run, "the counter", counter_now(run, &sample), (0 - (uint64_t)(PERIOD - LEFT)) & width_mask(run));
    finish(run);
}

TEST(pebs_reload_counter) = {
    .id = "pebs.reload.counter",
    .title = "After the last record the counter holds the reset value and the events since",
    .source = SDM_PEBS,
    .needs = NEEDS,
    .records = true,
    .run = counter_after,
};

/* ---- several counters -------------------------------------------------------------------------------------------- */

static void beside(struct test_run *run)
{
    enum { PERIOD = 7, PLAIN = 1, START = 40 };
    const struct pebs_sample sample = loads(run, 0, PERIOD);
    const unsigned events = (unsigned)workload_loads.access_count;
    struct window window = pebs_sample_window(run, &sample);

    test_plan(run, events / (PERIOD + 1));
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    if (!counter_program(PLAIN, sample.event->select | PERFEVTSEL_OS | PERFEVTSEL_USR | PERFEVTSEL_EN,
                         0 - (uint64_t)START, run->caps->full_width_write))
        test_fail(run, "counter %u could not be programmed", PLAIN);
    window.on |= MSR_BIT(PLAIN);
    sample.workload->run(&window);
    test_equal(run, "the counter without PEBS", counter_read(PLAIN), events - START);
    test_equal(run, "its overflow bit", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & MSR_BIT(PLAIN), MSR_BIT(PLAIN));
    finish(run);
    check_events(run, PERIOD, PERIOD + 1);
}

TEST(pebs_counters_beside) = {
    .id = "pebs.counters.beside",
    .title = "A counter without PEBS counts and overflows beside one with it, and leaves no record",
    .source = SDM_PEBS_PROGRAMMING,
    .needs = NEEDS | NEED_PEBS_COUNTERS,
    .records = true,
    .run = beside,
};

/* The second counter is half a period ahead of the first, so that they never fall due together. */
static void two(struct test_run *run)
{
    enum { PERIOD = 7, HALF = 3 };
    const struct pebs_sample first = loads(run, 0, PERIOD), second = loads(run, 1, HALF);
    const unsigned events = (unsigned)workload_loads.access_count;
    struct window window = pebs_sample_window(run, &first);
    struct pebs_record record;

    test_plan(run, 2 * events / (PERIOD + 1));
    if (!pebs_sample_open(run, &first))
        return;
    set_reset(run, 1, 0 - (uint64_t)PERIOD);
    if (!pebs_sample_arm(run, &first) || !pebs_sample_arm(run, &second))
        return;
    window.on |= pebs_sample_window(run, &second).on;
    first.workload->run(&window);
    finish(run);
    check_events(run, HALF, HALF + 1);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        test_equal(run, "applicable counters", record.counters, n % 2 ? 1 : 2);
}

TEST(pebs_counters_two) = {
    .id = "pebs.counters.two",
    .title = "Two counters sample side by side, and each record names the counter that it is of",
    .source = SDM_PEBS_RECORD_SKL ", offset 90H",
    .needs = NEEDS | NEED_PEBS_COUNTERS | NEED_PEBS_TSC,
    .records = true,
    .run = two,
};

/* ---- privilege levels -------------------------------------------------------------------------------------------- */

static void usr_at_0(struct test_run *run)
{
    struct pebs_sample sample = loads(run, 0, 1);

    sample.rings = PERFEVTSEL_USR;
    test_plan(run, 0);
    pebs_sample(run, &sample);
}

TEST(pebs_rings_usr_at_0) = {
    .id = "pebs.rings.usr_at_0",
    .title = "A counter that counts at CPL 1 to 3 alone records nothing at CPL 0",
    .source = SDM_PERFMON_1 ", USR and OS flags",
    .needs = NEEDS,
    .records = true,
    .run = usr_at_0,
};

/* The way to CPL 3 and back has loads at CPL 0. */
static void os_at_3(struct test_run *run)
{
    const struct workload *workload = &workload_user_loads;
    struct pebs_sample sample = loads(run, 0, 1);
    struct pebs_record record;

    sample.workload = workload;
    sample.rings = PERFEVTSEL_OS;
    test_plan_between(run, 0, (unsigned)workload->access_count);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        if (access_of(run, workload, &record) < workload->access_count)
            test_fail(run, "PEBS record %u is of a load at CPL 3", n);
}

TEST(pebs_rings_os_at_3) = {
    .id = "pebs.rings.os_at_3",
    .title = "A counter that counts at CPL 0 alone records nothing at CPL 3",
    .source = SDM_PERFMON_1 ", USR and OS flags",
    .needs = NEEDS,
    .records = true,
    .run = os_at_3,
};

/* ---- the status register ----------------------------------------------------------------------------------------- */

/* Samples with interrupts off, and returns the status as it is then; the rest is the test's. */
static uint64_t status_after(struct test_run *run, unsigned records, unsigned at)
{
    struct pebs_sample sample = pebs_sample_any(run->caps, records);

    sample.records = at + 4;
    sample.threshold = at;
    if (!pebs_sample_open(run, &sample))
        return 0;
    interrupts_off();
    if (!run_sample(run, &sample))
        return 0;
    return msr_get(MSR_IA32_PERF_GLOBAL_STATUS);
}

static void buffer_bit(struct test_run *run)
{
    enum { AT = 6 };

    test_plan(run, AT - 1 + AT);
    test_equal(run, "bit 62 below the threshold", status_after(run, AT - 1, AT) & GLOBAL_STATUS_DS_BUFFER, 0);
    finish(run);
    test_equal(run, "bit 62 at the threshold", status_after(run, AT, AT) & GLOBAL_STATUS_DS_BUFFER,
               GLOBAL_STATUS_DS_BUFFER);
    finish(run);
}

TEST(pebs_status_buffer) = {
    .id = "pebs.status.buffer",
    .title = "The record that reaches the threshold sets bit 62 of IA32_PERF_GLOBAL_STATUS, and none before it",
    .source = SDM_PEBS_AREA,
    .needs = NEEDS | NEED_GLOBAL_CTRL,
    .records = true,
    .run = buffer_bit,
};

/* The last event of the workload is recorded, so PEBS is not armed after it. */
static void own_bit(struct test_run *run)
{
    enum { COUNT = 8 };

    test_plan(run, COUNT);
    test_equal(run, "the status", status_after(run, COUNT, 2 * COUNT), 0);
    finish(run);
}

TEST(pebs_status_own_bit) = {
    .id = "pebs.status.own_bit",
    .title = "A record clears the overflow bit of its counter: after it nothing has overflowed",
    .source = SDM_PEBS,
    .needs = NEEDS | NEED_GLOBAL_CTRL,
    .records = true,
    .run = own_bit,
};

static void acknowledge(struct test_run *run)
{
    enum { AT = 6 };

    test_plan(run, AT);
    status_after(run, AT, AT);
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, MSR_BIT(0));
    test_equal(run, "bit 62, another one acknowledged", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & GLOBAL_STATUS_DS_BUFFER,
               GLOBAL_STATUS_DS_BUFFER);
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, GLOBAL_STATUS_DS_BUFFER);
    test_equal(run, "bit 62 acknowledged", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & GLOBAL_STATUS_DS_BUFFER, 0);
    finish(run);
}

TEST(pebs_status_acknowledge) = {
    .id = "pebs.status.acknowledge",
    .title = "Bit 62 stays set until it is written as 1 to IA32_PERF_GLOBAL_OVF_CTRL",
    .source = SDM_PEBS_SERVICE,
    .needs = NEEDS | NEED_GLOBAL_CTRL,
    .records = true,
    .run = acknowledge,
};

static uint64_t status_seen;

static void see_status(uint64_t status)
{
    status_seen = status;
}

/* The counter without PEBS overflows after the record at the threshold. */
static void two_causes(struct test_run *run)
{
    enum { COUNT = 8, AT = 6, PLAIN = 1, LEFT = 4 };
    struct pebs_sample sample = pebs_sample_any(run->caps, COUNT);
    struct window window = pebs_sample_window(run, &sample);

    test_plan(run, COUNT);
    sample.records = AT + 4;
    sample.threshold = AT;
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    if (!counter_program(PLAIN, sample.event->select | PERFEVTSEL_OS | PERFEVTSEL_USR | PERFEVTSEL_INT | PERFEVTSEL_EN,
                         0 - (sample.workload->access_count - LEFT), run->caps->full_width_write))
        test_fail(run, "counter %u could not be programmed", PLAIN);
    window.on |= MSR_BIT(PLAIN);
    status_seen = 0;
    ds_on_interrupt(see_status);
    interrupts_off();
    sample.workload->run(&window);
    interrupts_on();
    for (unsigned i = 0; i < PAUSES; i++)
        cpu_pause();
    ds_on_interrupt(NULL);
    finish(run);
    test_equal(run, "interrupts", ds_counts()->interrupts, 1);
    test_equal(run, "the status that it found", status_seen & (GLOBAL_STATUS_DS_BUFFER | MSR_BIT(PLAIN)),
               GLOBAL_STATUS_DS_BUFFER | MSR_BIT(PLAIN));
}

TEST(pebs_status_two_causes) = {
    .id = "pebs.status.two_causes",
    .title = "The buffer's threshold and another counter's overflow cause one interrupt, and the status has both bits",
    .source = SDM_PEBS_SERVICE,
    .needs = NEEDS | NEED_PEBS_COUNTERS,
    .records = true,
    .run = two_causes,
};

/* ---- with BTS ---------------------------------------------------------------------------------------------------- */

static unsigned branches_before;

/* BTS records that were in memory when the first interrupt came. */
static void count_branches(uint64_t status)
{
    (void)status;
    if (ds_counts()->interrupts == 1)
        branches_before = ds_bts_log()->records;
}

static void with_bts(struct test_run *run)
{
    enum { PERIOD = 98 };
    const struct workload *workload = &workload_user_loop;
    const struct ds_config config = { .pebs = true,
                                      .pebs_records = 40,
                                      .pebs_threshold = 1,
                                      .pebs_reset = { 0 - (uint64_t)PERIOD },
                                      .bts = true,
                                      .bts_records = 3600,
                                      .bts_threshold = 3500 };
    const struct pebs_sampling sampling = { .event = pebs_find_event(run->caps, PEBS_ROLE_BRANCHES),
                                            .period = PERIOD,
                                            .rings = PERFEVTSEL_USR };
    const unsigned branches = branch_count(workload, BRANCH_KINDS_ALL);
    struct window tracing, counting = pebs_window(run->caps, 1);

    test_plan(run, branches + branches / (PERIOD + 1));
    if (!records_open(run, &config))
        return;
    if (!pebs_program(run->caps, &sampling))
        test_fail(run, "the counter could not be programmed");
    tracing = bts_window(run->caps, false, run->caps->debugctl->bts_off_os);
    branches_before = 0;
    ds_on_interrupt(count_branches);
    msr_write((uint32_t)tracing.msr, tracing.on);
    workload->run(&counting);
    msr_write((uint32_t)tracing.msr, tracing.off);
    ds_on_interrupt(NULL);
    records_close(run, 1);
    records_compare_bts(run, workload, 0);
    test_saw(run, ds_pebs_log()->records);
    if (branches_before < PERIOD + 1)
        test_fail(run, "only %u branches were in memory when the interrupt for branch %u came", branches_before,
                  PERIOD + 1);
}

TEST(pebs_with_bts_one_branch) = {
    .id = "pebs.with_bts.one_branch",
    .title = "A branch that is due for PEBS and for BTS has both records in memory before its interrupt comes",
    .source = SDM_2023 "\"Processor Event Based Sampling (PEBS)\" (Core)",
    .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_BRANCHES | NEED_BTS | NEED_BTS_CPL,
    .records = true,
    .run = with_bts,
};
