/* SPDX-License-Identifier: MIT */
/*
 * When the processor writes a record: what must be enabled, which events arm PEBS and which are recorded, and the value
 * that the counter restarts from. The workload chases loads, one at a time, and each record gives the number of its
 * load.
 */
#include "suite/suite.h"

#include "ds/ds_area.h"
#include "pebs/layout/arch_pebs.h"
#include "pebs/netburst.h"

#define NEEDS (NEED_APIC | NEED_PEBS | NEED_EVENT_LOADS)

#define STEPS (WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS)

/* The lowest counter that samples loads, plus `above`. */
static struct pebs_sample loads(const struct test_run *run, unsigned above, unsigned period)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOADS);

    return (struct pebs_sample){
        .event = event, .workload = &workload_chase, .counter = pebs_counter(run->caps, event) + above, .period = period
    };
}

static uint64_t width_mask(const struct test_run *run)
{
    return MSR_BIT(run->caps->general_width) - 1;
}

static uint64_t counter_now(const struct test_run *run, const struct pebs_sample *sample)
{
    return run->caps->pebs_method == PEBS_METHOD_NETBURST ? netburst_counter() : counter_read(sample->counter);
}

/* The test needs a counter with a delay between the overflow and the record. */
static const char *lacks_delay(const struct caps *caps)
{
    const struct pebs_event *event = pebs_find_event(caps, PEBS_ROLE_LOADS);

    return event && caps->pebs_pdist_counters >> pebs_counter(caps, event) & 1
               ? "every counter that samples loads has precise distribution on this core"
               : NULL;
}

/* ---- armed by an overflow -------------------------------------------------------------------------------------- */

static void next_event(struct test_run *run)
{
    enum { PERIODS = 6 };
    unsigned all = 0;

    for (unsigned i = 0; i < PERIODS; i++)
        all += STEPS / (PEBS_PERIOD_LEAST + i * i + 1);
    pebs_plan(run, all);
    for (unsigned i = 0; i < PERIODS; i++) {
        const struct pebs_sample sample = loads(run, 0, PEBS_PERIOD_LEAST + i * i);
        if (!pebs_sample(run, &sample))
            return;
        pebs_check_count(run, ds_pebs_log()->records, STEPS / (sample.period + 1));
        pebs_check_numbers(run, &sample, sample.period);
    }
}

static void overflow_alone(struct test_run *run)
{
    const struct pebs_sample sample = loads(run, 0, STEPS);

    test_plan(run, 0);
    pebs_sample(run, &sample);
}

TESTS(overflows) = {
    { "pebs.arm.next_event",
      "The overflow arms PEBS, and a later event is recorded: with a counter at -N, event N + 1 at the earliest",
      SDM_PEBS, .needs = NEEDS | NEED_PEBS_REGISTERS, .lacks = lacks_delay, .records = true, .run = next_event },
    { "pebs.arm.overflow_alone", "If the last event overflows the counter and no event follows, there is no record",
      SDM_PEBS, .needs = NEEDS, .lacks = lacks_delay, .records = true, .run = overflow_alone },
};

/* ---- enabled --------------------------------------------------------------------------------------------------- */

/* Opens and programs a sample that would write records, lets the test undo one precondition, and runs the workload. */
static bool sample_without(struct test_run *run, struct pebs_sample *sample, void (*take_back)(unsigned counter),
                           uint64_t window_on)
{
    struct window window;

    *sample = loads(run, 0, 99);
    window = pebs_sample_window(run, sample);
    window.on &= window_on;
    test_plan(run, 0);
    if (!pebs_sample_open(run, sample) || !pebs_sample_arm(run, sample))
        return false;
    take_back(sample->counter);
    sample->workload->run(&window);
    return true;
}

/* A precondition of counting. */
struct undone {
    void (*take_back)(unsigned counter);
    uint64_t window_on;
};

/* If no record was written, the counter must not have counted. */
static void unmoved(struct test_run *run)
{
    const struct undone *undone = run->test->argument;
    struct pebs_sample sample;
    uint64_t counter;

    if (!sample_without(run, &sample, undone->take_back, undone->window_on))
        return;
    counter = counter_now(run, &sample);
    pebs_close(run, 0);
    if (!ds_pebs_log()->records)
        test_equal(run, "the counter", counter, (0 - (uint64_t)sample.period) & width_mask(run));
}

static void select_off(unsigned counter)
{
    msr_write(MSR_IA32_PERFEVTSEL(counter), msr_get(MSR_IA32_PERFEVTSEL(counter)) & ~PERFEVTSEL_EN);
}

static void nothing_off(unsigned counter)
{
    (void)counter;
}

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
    test_equal(run, "overflow bit of the counter", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & MSR_BIT(sample.counter),
               MSR_BIT(sample.counter));
    test_equal(run, "the counter", counter_now(run, &sample), STEPS - sample.period);
    pebs_close(run, 0);
}

TESTS(enables) = {
    { "pebs.arm.event_select",
      "While the enable flag of its event select is clear, a PEBS counter neither counts nor records",
      SDM_PEBS_PROGRAMMING, .needs = NEEDS | NEED_GLOBAL_CTRL, .records = true, .run = unmoved,
      .argument = &(const struct undone){ select_off, UINT64_MAX } },
    { "pebs.arm.global_ctrl",
      "While its bit of IA32_PERF_GLOBAL_CTRL is clear, a PEBS counter neither counts nor records",
      SDM_PEBS_PROGRAMMING, .needs = NEEDS | NEED_GLOBAL_CTRL, .records = true, .run = unmoved,
      .argument = &(const struct undone){ nothing_off, 0 } },
    { "pebs.arm.pebs_enable",
      "While its bit of IA32_PEBS_ENABLE is clear, a counter counts and overflows, but writes no record",
      SDM_PEBS_PROGRAMMING, .needs = NEEDS | NEED_PEBS_AREA | NEED_GLOBAL_CTRL, .records = true, .run = pebs_enable },
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

/* Changes the reload value of architectural PEBS in a counter that is already programmed. */
static void set_reload(unsigned counter, uint32_t value)
{
    const uint64_t cfg_c = msr_get(MSR_IA32_PMC_GP_CFG_C(counter));

    msr_write(MSR_IA32_PMC_GP_CFG_C(counter), (cfg_c & ~(uint64_t)UINT32_MAX) | value);
}

/* Arms a counter in an open area, and runs the workload. */
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
    enum { OWN = 1, PERIOD = 70, OTHERS = 200 };
    const struct pebs_sample sample = loads(run, OWN, PERIOD);
    const unsigned typical = pebs_typical(run->caps, &sample, STEPS);

    pebs_plan(run, typical);
    if (!pebs_sample_open(run, &sample))
        return;
    for (unsigned n = 0; n < DS_GENERAL_COUNTERS; n++)
        if (n != sample.counter)
            set_reset(run, n, 0 - (uint64_t)(OTHERS + n));
    if (!run_sample(run, &sample))
        return;
    pebs_close(run, 0);
    pebs_check_numbers(run, &sample, pebs_sample_spacing(run->caps, &sample) - 1);
}

static void reset_value(struct test_run *run)
{
    enum { FIRST = 200, PERIOD = 40 };
    const struct pebs_sample sample = loads(run, 0, FIRST), later = loads(run, 0, PERIOD);
    const unsigned first = pebs_sample_spacing(run->caps, &sample) - 1;
    const unsigned typical = 1 + pebs_typical(run->caps, &later, STEPS - first - 1);

    pebs_plan(run, typical);
    if (!pebs_sample_open(run, &sample))
        return;
    set_reset(run, sample.counter, 0 - (uint64_t)PERIOD);
    if (!run_sample(run, &sample))
        return;
    pebs_close(run, 0);
    pebs_check_numbers(run, &later, first);
}

/*
 * First measures the number of events in the window with a counter that cannot overflow, because the instructions that
 * open and close the window may count. The expected counter value then follows from the number of the last record's
 * event. The value may be higher if recording itself causes events, and one lower if the first instruction belongs to
 * the window.
 */
static void counter_after(struct test_run *run)
{
    struct pebs_sample sample = pebs_sample_any(run->caps, 6);
    const unsigned period = sample.period;
    unsigned number = 0, last;
    uint64_t all, before, is, due;
    struct pebs_record record;

    pebs_plan(run, 6);
    sample.period = 2 * pebs_events_of_round(&sample);
    before = 0 - (uint64_t)sample.period;
    if (!pebs_sample_open(run, &sample) || !run_sample(run, &sample))
        return;
    all = (counter_now(run, &sample) - before) & width_mask(run);
    pebs_close(run, 0);
    sample.period = period;
    if (!pebs_sample_open(run, &sample) || !run_sample(run, &sample))
        return;
    is = counter_now(run, &sample);
    pebs_close(run, 0);
    pebs_check_numbers(run, &sample, pebs_sample_spacing(run->caps, &sample) - 1);
    last = ds_pebs_log()->records - 1;
    if (!ds_pebs_log()->records || !records_pebs(run, last, &record) ||
        !pebs_event_number(run, &sample, &record, &number))
        return;
    due = (all - number - 1 - period) & width_mask(run);
    if (((is + pebs_of_instructions(&sample) - due) & width_mask(run)) > all)
        test_fail(run, "the counter is 0x%" PRIx64 ", must be 0x%" PRIx64, is, due);
    else if (is != due)
        test_differs(run, "the counter is 0x%" PRIx64 ", typically 0x%" PRIx64, is, due);
}

TESTS(reset_values) = {
    { "pebs.reload.own_slot", "A counter is reloaded from its own reset slot, whatever the other slots hold",
      SDM_PEBS_AREA, .needs = NEEDS | NEED_PEBS_AREA | NEED_PEBS_REGISTERS | NEED_PEBS_COUNTERS, .records = true,
      .run = own_slot },
    { "pebs.reload.reset_value",
      "After a record the counter restarts from the reset value in memory, not from what software wrote to it",
      SDM_PEBS, .needs = NEEDS | NEED_PEBS_AREA | NEED_PEBS_REGISTERS, .records = true, .run = reset_value },
    { "pebs.reload.counter", "After the last record the counter holds the reset value and the events since", SDM_PEBS,
      .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_REGISTERS | NEED_EVENT_ANY, .records = true, .run = counter_after },
};

/* ---- an event that is not precise -------------------------------------------------------------------------------- */

static const char *lacks_any_event(const struct caps *caps)
{
    return caps->pebs_any_event ? NULL : "this core cannot sample non-precise events, or only as precise ones";
}

/*
 * The loop takes far more cycles than two periods, but no exact number is promised. pebs_compare() says whether a
 * record is of the time in which the counter ran.
 */
static void any_event(struct test_run *run)
{
    enum { PERIOD = 129 };
    static const struct pebs_event cycles = {
        "CPU_CLK_UNHALTED.CORE_P", PEBS_ROLE_COUNT, PEBS_FAMILY_NONE, 0x003c, 1, false
    };
    const struct pebs_sample sample = { .event = &cycles, .workload = &workload_long_loop, .period = PERIOD };

    test_plan_between(run, 2, pebs_room(run->caps, 0));
    pebs_sample(run, &sample);
}

TEST(pebs_any_event) = {
    .id = "pebs.any_event",
    .title = "A non-precise event gives a record at each overflow, of an instruction that retires at that time",
    .source = "SDM Vol. 3B (253669-059), \"Processor Event Based Sampling (PEBS)\", 18.7.1",
    .needs = NEED_APIC | NEED_PEBS | NEED_EVENTING_IP,
    .lacks = lacks_any_event,
    .records = true,
    .run = any_event,
};

/* ---- several counters -------------------------------------------------------------------------------------------- */

static void beside(struct test_run *run)
{
    enum { PERIOD = 39, START = 500 };
    struct pebs_sample sample = loads(run, 0, PERIOD);
    const unsigned plain = sample.counter + 1;
    struct window window = pebs_sample_window(run, &sample);
    uint64_t count;

    sample.beside = MSR_BIT(plain);
    pebs_plan(run, pebs_typical(run->caps, &sample, STEPS));
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    counter_program(plain, sample.event->select | PERFEVTSEL_OS | PERFEVTSEL_USR | PERFEVTSEL_EN, 0 - (uint64_t)START,
                    run->caps->full_width_write);
    window.on |= MSR_BIT(plain);
    sample.workload->run(&window);
    count = counter_read(plain);
    if (test_between(run, "the counter without PEBS", count, STEPS - START, STEPS) && count > STEPS - START)
        test_differs(run, "the counter without PEBS is 0x%" PRIx64 ", typically 0x%x", count, STEPS - START);
    test_equal(run, "overflow bit of the counter without PEBS", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & MSR_BIT(plain),
               MSR_BIT(plain));
    pebs_close(run, 0);
    pebs_check_numbers(run, &sample, pebs_sample_spacing(run->caps, &sample) - 1);
}

/* Checks the records of one of two counters. If both are due, they may share a record. */
static void check_one_of_two(struct test_run *run, const struct pebs_sample *sample, unsigned first)
{
    unsigned came = 0, due = first, number;
    struct pebs_record record;

    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (!(record.counters & MSR_BIT(sample->counter)) || !pebs_event_number(run, sample, &record, &number))
            continue;
        if (number < due)
            test_fail(run, "PEBS record %u of counter %u describes event %u, must be %u or later", n, sample->counter,
                      number, due);
        due = number + pebs_sample_spacing(run->caps, sample);
        came++;
    }
    pebs_check_count(run, came, 1 + (STEPS - first - 1) / pebs_sample_spacing(run->caps, sample));
}

/*
 * The second counter starts closer to its overflow than the first, so typically they are never due together. With these
 * numbers a period that is one event too short changes the events, not the number of records.
 */
static void two(struct test_run *run)
{
    enum { PERIOD = 69, SOONER = 60 };
    const struct pebs_sample first = loads(run, 0, PERIOD);
    struct pebs_sample second = loads(run, 1, SOONER);
    struct window window = pebs_sample_window(run, &first);
    const uint64_t both = MSR_BIT(first.counter) | MSR_BIT(second.counter);
    struct pebs_record record;

    pebs_plan(run, 2 * pebs_typical(run->caps, &first, STEPS));
    if (!pebs_sample_open(run, &first))
        return;
    if (run->caps->pebs_method != PEBS_METHOD_ARCH)
        set_reset(run, second.counter, 0 - (uint64_t)PERIOD);
    if (!pebs_sample_arm(run, &first) || !pebs_sample_arm(run, &second))
        return;
    if (run->caps->pebs_method == PEBS_METHOD_ARCH)
        set_reload(second.counter, 0 - (uint32_t)PERIOD);
    window.on |= pebs_sample_window(run, &second).on;
    first.workload->run(&window);
    pebs_close(run, 0);
    check_one_of_two(run, &first, pebs_sample_spacing(run->caps, &first) - 1);
    const unsigned ahead = pebs_sample_spacing(run->caps, &second) - 1;

    second.period = PERIOD;
    check_one_of_two(run, &second, ahead);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        if (!record.counters) /* pebs_compare() permits no other counter */
            test_fail(run, "PEBS record %u has no counter, must have one of 0x%" PRIx64 " or both", n, both);
}

TESTS(several_counters) = {
    { "pebs.counters.beside", "A counter without PEBS counts and overflows while another samples, and writes no record",
      SDM_PEBS_PROGRAMMING, .needs = NEEDS | NEED_PEBS_REGISTERS | NEED_PEBS_COUNTERS, .records = true, .run = beside },
    { "pebs.counters.two", "Two counters sample at the same time, and each record has the bit of its counter",
      SDM_PEBS_RECORD_SKL ", offset 90H", .needs = NEEDS | NEED_PEBS_REGISTERS | NEED_PEBS_COUNTERS | NEED_PEBS_TSC,
      .records = true, .run = two },
};

/* ---- privilege levels -------------------------------------------------------------------------------------------- */

static void usr_at_0(struct test_run *run)
{
    struct pebs_sample sample = loads(run, 0, PEBS_PERIOD_LEAST);

    sample.rings = PERFEVTSEL_USR;
    test_plan(run, 0);
    pebs_sample(run, &sample);
}

/* The code that switches to CPL 3 and back has loads at CPL 0. */
static void os_at_3(struct test_run *run)
{
    enum { ROUNDS = 8 };
    const struct workload *workload = &workload_user_loads;
    struct pebs_sample sample = loads(run, 0, PEBS_PERIOD_LEAST);
    struct pebs_record record;

    sample.workload = workload;
    sample.rounds = ROUNDS;
    sample.rings = PERFEVTSEL_OS;
    test_plan_between(run, 0, ROUNDS * (unsigned)workload->access_count);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        if (pebs_access(run, workload, &record))
            test_fail(run, "PEBS record %u describes a load at CPL 3", n);
}

TESTS(rings) = {
    { "pebs.rings.usr_at_0", "A counter that counts only at CPL 1 to 3 records nothing at CPL 0",
      SDM_PERFMON_1 ", USR and OS flags", .needs = NEEDS, .records = true, .run = usr_at_0 },
    { "pebs.rings.os_at_3", "A counter that counts only at CPL 0 records nothing at CPL 3",
      SDM_PERFMON_1 ", USR and OS flags", .needs = NEEDS, .records = true, .run = os_at_3 },
};

/* ---- the status register ----------------------------------------------------------------------------------------- */

/* Samples with interrupts off, and returns the status once no record is pending. The caller closes the sample. */
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
    pebs_settle();
    return msr_get(MSR_IA32_PERF_GLOBAL_STATUS);
}

/* The status bit of the buffer: 62 for the DS area, 54 for architectural PEBS. */
static uint64_t buffer_flag(const struct caps *caps)
{
    return caps->pebs_method == PEBS_METHOD_ARCH ? GLOBAL_STATUS_PEBS : GLOBAL_STATUS_DS_BUFFER;
}

/* Compares that bit with the expected value. If an erratum keeps the bit clear, reports only a difference. */
static void check_buffer_bit(struct test_run *run, const char *when, uint64_t status, bool want)
{
    const bool is = status & buffer_flag(run->caps);

    if (want && !is && run->caps->pebs_format == 0)
        test_differs(run, "bit 62 %s is 0: on Core 2 it needs FREEZE_PERFMON_ON_PMI (erratum AJ69)", when);
    else if (is != want)
        test_fail(run, "the buffer's status bit %s is %u, must be %u", when, is, want);
}

/* Whether fewer records than planned reach THRESH, which is in bytes: more fragments make a record larger. */
static bool reached_early(const struct caps *caps)
{
    const uint64_t index = caps->pebs_method == PEBS_METHOD_ARCH ? msr_get(MSR_IA32_PEBS_INDEX) : 0;

    return index && PEBS_INDEX_THRESH(index & PEBS_INDEX_WR) >= (index & PEBS_INDEX_THRESH_FIELD);
}

/* The interrupt of the threshold is still pending; on Core 2 it may be one event late (erratum AJ68). */
static void close_pending(struct test_run *run)
{
    interrupts_on();
    pebs_close(run, run->caps->pebs_method == PEBS_METHOD_GENERAL && run->caps->pebs_format == 0 ? 0 : 1);
}

static void buffer_bit(struct test_run *run)
{
    enum { AT = 6 };
    uint64_t status;

    pebs_plan(run, AT - 1 + AT);
    status = status_after(run, AT - 1, AT);
    check_buffer_bit(run, "below the threshold", status, reached_early(run->caps));
    pebs_close(run, 0);
    check_buffer_bit(run, "at the threshold", status_after(run, AT, AT), true);
    close_pending(run);
}

/* The events after the last record are fewer than the period, so the counter cannot have overflowed again. */
static void own_bit(struct test_run *run)
{
    enum { COUNT = 8 };
    const struct pebs_sample sample = pebs_sample_any(run->caps, COUNT);

    pebs_plan(run, COUNT);
    test_equal(run, "the overflow bit", status_after(run, COUNT, 2 * COUNT) & MSR_BIT(sample.counter), 0);
    pebs_close(run, 0);
}

static void acknowledge(struct test_run *run)
{
    enum { AT = 6 };

    pebs_plan(run, AT);
    status_after(run, AT, AT);
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, MSR_BIT(0));
    check_buffer_bit(run, "after acknowledging a different bit", msr_get(MSR_IA32_PERF_GLOBAL_STATUS), true);
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, buffer_flag(run->caps));
    check_buffer_bit(run, "acknowledged", msr_get(MSR_IA32_PERF_GLOBAL_STATUS), false);
    close_pending(run);
}

static uint64_t status_seen;

static void see_status(uint64_t status)
{
    if (ds_counts()->interrupts == 1)
        status_seen = status;
}

/* The counter without PEBS overflows after the record at the threshold. */
static void two_causes(struct test_run *run)
{
    enum { COUNT = 8, AT = 6, LEFT = 4 };
    struct pebs_sample sample = pebs_sample_any(run->caps, COUNT);
    const unsigned plain = sample.counter + 1;
    struct window window = pebs_sample_window(run, &sample);

    pebs_plan(run, COUNT);
    sample.beside = MSR_BIT(plain);
    sample.records = COUNT + 4;
    sample.threshold = AT;
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    counter_program(plain, sample.event->select | PERFEVTSEL_OS | PERFEVTSEL_USR | PERFEVTSEL_INT | PERFEVTSEL_EN,
                    0 - (uint64_t)(pebs_events_of_round(&sample) - LEFT), run->caps->full_width_write);
    window.on |= MSR_BIT(plain);
    status_seen = 0;
    ds_on_interrupt(see_status);
    interrupts_off();
    sample.workload->run(&window);
    interrupts_on();
    pebs_close(run, 1);
    ds_on_interrupt(NULL);
    test_equal(run, "the status in the interrupt handler", status_seen & (buffer_flag(run->caps) | MSR_BIT(plain)),
               buffer_flag(run->caps) | MSR_BIT(plain));
}

TESTS(status_bits) = {
    { "pebs.status.buffer",
      "The record that reaches the threshold, and no earlier one, sets bit 62 of IA32_PERF_GLOBAL_STATUS "
      "(architectural PEBS: bit 54)",
      SDM_PEBS_AREA, .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY | NEED_GLOBAL_CTRL, .records = true,
      .run = buffer_bit },
    { "pebs.status.own_bit", "A record clears the overflow bit of its counter", SDM_PEBS,
      .typical = "On some processors the bit of a counter with PEBS stays set, and Linux masks it",
      .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY | NEED_GLOBAL_CTRL, .records = true, .run = own_bit },
    { "pebs.status.acknowledge",
      "The status bit of the PEBS buffer stays set until software writes 1 to it in IA32_PERF_GLOBAL_OVF_CTRL",
      SDM_PEBS_SERVICE, .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY | NEED_GLOBAL_CTRL, .records = true,
      .run = acknowledge },
    { "pebs.status.two_causes",
      "If the buffer reaches its threshold and another counter overflows, one interrupt's status has both bits",
      SDM_PEBS_SERVICE, .needs = NEEDS | NEED_PEBS_COUNTERS, .records = true, .run = two_causes },
};
