/* SPDX-License-Identifier: MIT */
/*
 * The counters group of format 6: the counters that MSR_PEBS_DATA_CFG selects, with their values when the record was
 * written. The 2023 edition of the manual does not describe it. Linux 6.15, arch/x86/include/asm/perf_event.h (struct
 * pebs_cntr_header, PEBS_DATACFG_CNTR and the names after it) and arch/x86/events/intel/ds.c
 * (__setup_pebs_counter_group(), intel_perf_event_update_pmc()), which reads it.
 *
 * All records are samples of instructions on fixed counter 0, so the tests need no model-specific event. The workload's
 * labels give the expected values of the other counters.
 */
#include "suite/suite.h"

#include "suite/support/count.h"

#define NEEDS (NEED_APIC | NEED_PEBS | NEED_PEBS_ADAPTIVE | NEED_PEBS_FIXED)
#define GROUP .needs = NEEDS, .records = true

#define LINUX_SNAPSHOT "Linux 6.15, arch/x86/events/intel/ds.c, __setup_pebs_counter_group()"
#define LINUX_HEADER   "Linux 6.15, arch/x86/include/asm/perf_event.h, struct pebs_cntr_header"
#define LINUX_DATA_CFG "Linux 6.15, arch/x86/include/asm/perf_event.h, PEBS_DATACFG_CNTR"

#define INSTRUCTIONS UINT64_C(0x00c0) /* INST_RETIRED.ANY_P, architectural */
#define BRANCHES     UINT64_C(0x00c4) /* BR_INST_RETIRED.ALL_BRANCHES, architectural */
#define BOTH_RINGS   (PERFEVTSEL_USR | PERFEVTSEL_OS)

#define GENERAL(n) (UINT64_C(1) << (n))
#define FIXED(n)   (UINT64_C(1) << (32 + (n)))

#define SLOTS 3u /* the fixed counter */

/* A counter's start value with bits in every part of its 48. */
#define LOADED(n) (UINT64_C(0x400020001000) + 0x10101 * (n))

/* Periods for workload_straight and for the long loop, which has six times as many instructions. */
enum { PERIOD = PEBS_PERIOD_PRECISE, LOOP_PERIOD = 550 };

static const char *lacks_snapshot(const struct caps *caps)
{
    return pebs_form_has_counters(&caps->pebs_form) ? NULL : "no counters group in records: PEBS format is not 6";
}

static const char *lacks_metrics(const struct caps *caps)
{
    if (lacks_snapshot(caps))
        return lacks_snapshot(caps);
    return caps->perf_capabilities & PERF_CAP_METRICS && caps->fixed_counters >> SLOTS & 1
               ? NULL
               : "no PERF_METRICS (IA32_PERF_CAPABILITIES bit 15 clear, or no fixed counter 3)";
}

static struct pebs_sample instructions(const struct workload *workload, unsigned period, uint64_t data_cfg)
{
    return (struct pebs_sample){
        .fixed = true, .workload = workload, .period = period, .data_cfg = PEBS_DATA_CFG_GPRS | data_cfg
    };
}

/* The number of records: PDIR records the overflowing instruction, or always the one after it. */
static unsigned usual(const struct pebs_sample *sample)
{
    return (unsigned)sample->workload->instructions / sample->period;
}

static void plan(struct test_run *run, const struct pebs_sample *sample, unsigned times)
{
    test_plan_between(run, times * (usual(sample) - 1), times * usual(sample));
}

/* Samples in a window that also enables these counters. Interrupts are off, because their handler would count. */
static bool sample_beside(struct test_run *run, const struct pebs_sample *sample, uint64_t counters)
{
    struct window window;

    if (!pebs_sample_arm(run, sample))
        return false;
    window = pebs_sample_window(run, sample);
    window.on |= counters;
    if (!sample->interrupts)
        interrupts_off();
    sample->workload->run(&window);
    interrupts_on();
    pebs_close(run, sample->interrupts);
    return true;
}

static bool check_programmed(struct test_run *run, const char *kind, unsigned n, bool done)
{
    if (!done)
        test_fail(run, "%s counter %u could not be programmed", kind, n);
    return done;
}

static bool program(struct test_run *run, unsigned n, uint64_t select, uint64_t value)
{
    return check_programmed(run, "general", n, counter_program(n, select, value, run->caps->full_width_write));
}

/* The count of a counter, given by its bit GENERAL() or FIXED(), in a record; 0 if the record has none. */
static uint64_t count_of(const struct pebs_record *record, uint64_t counter)
{
    unsigned before = 0;

    for (uint64_t left = record->counted & (counter - 1); left; left &= left - 1)
        before++;
    return record->counted & counter ? record->counts[before] : 0;
}

/* ---- which counters a record has, and in which order ------------------------------------------------------------ */

/* Loads each counter except the sampling one with a value of its own, and lets it count in these rings (0: none). */
static void load_all(struct test_run *run, uint64_t rings)
{
    for (unsigned n = 0; n < run->caps->general_count; n++)
        program(run, n, rings ? BRANCHES | rings | PERFEVTSEL_EN : 0, LOADED(n));
    for (unsigned n = 1; run->caps->fixed_counters >> n; n++)
        if (run->caps->fixed_counters >> n & 1)
            check_programmed(run, "fixed", n,
                             fixed_counter_program(n, rings ? FIXED_CTR_CTRL_USR(n) : 0, LOADED(32 + n)));
}

/* Fixed counter 0 samples. */
static void check_loaded(struct test_run *run, const struct pebs_record *record)
{
    unsigned i = 0, n = 0;

    for (uint64_t left = record->counted; left; left >>= 1, n++)
        if (left & 1 && record->counts[i++] != LOADED(n) && n != 32)
            test_fail(run, "counter %u of IA32_PERF_GLOBAL_CTRL is 0x%" PRIx64 " in the record, must be 0x%" PRIx64, n,
                      record->counts[i - 1], LOADED(n));
    if (record->has & PEBS_HAS_METRICS)
        test_equal(run, "slots in the record", record->slots, LOADED(32 + SLOTS));
}

/* The counters to select in a case: each by itself, then every other one, then all. 0: no more cases. */
static uint64_t choice(uint64_t exist, unsigned number)
{
    uint64_t left = exist;

    for (; number && left; number--)
        left &= left - 1;
    if (left)
        return left & -left;
    return number == 0 ? exist & UINT64_C(0x5555) : number == 1 ? exist : 0;
}

/* The drain and the decoder compare a record's size with its groups, and pebs_compare() the groups. */
static void check_named(struct test_run *run, uint64_t counters)
{
    struct pebs_record record;

    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        if (test_equal(run, "counters listed in the record", record.counted, counters))
            check_loaded(run, &record);
}

struct named {
    uint64_t rings;  /* rings in which the counters are enabled, but no event occurs; 0: stopped */
    uint64_t groups; /* in addition to the counters group */
    bool metrics;
};

/* Every choice of general counters, with the choices of fixed ones in turn. The decoder checks the size. */
static void named(struct test_run *run)
{
    const struct named *how = run->test->argument;
    const uint64_t general = run->caps->general_counters & 0xffff, fixed = run->caps->fixed_counters & 0xff;
    const uint64_t groups = PEBS_DATA_CFG_COUNTERS | how->groups | (how->metrics ? PEBS_DATA_CFG_METRICS : 0);
    struct pebs_sample sample = instructions(&workload_straight, 4 * PERIOD, 0);
    unsigned cases = 0;

    while (choice(general, cases))
        cases++;
    plan(run, &sample, cases);
    for (unsigned i = 0; i < cases; i++) {
        const uint64_t some = choice(general, i);
        uint64_t beside = choice(fixed, i);
        if (!beside && i + 1 == cases)
            beside = fixed;
        sample.data_cfg = PEBS_DATA_CFG_GPRS | groups | PEBS_DATA_CFG_GENERAL(some) | PEBS_DATA_CFG_FIXED(beside);
        if (!pebs_sample_open(run, &sample))
            return;
        load_all(run, how->rings);
        if (!sample_beside(run, &sample, how->rings ? general | (fixed & ~UINT64_C(1)) << 32 : 0))
            return;
        check_named(run, some | beside << 32);
    }
}

TESTS(named_counters) = {
    { "pebs.snapshot.named",
      "A record has exactly the counters that MSR_PEBS_DATA_CFG selects: general ones, then fixed ones, the lowest "
      "first",
      LINUX_HEADER, GROUP, .run = named, .lacks = lacks_snapshot,
      .argument = &(const struct named){ .rings = PERFEVTSEL_USR } },
    { "pebs.snapshot.last", "The counters follow all other groups, and the metrics follow the counters", LINUX_SNAPSHOT,
      GROUP, .run = named, .lacks = lacks_metrics,
      .argument = &(const struct named){ .rings = PERFEVTSEL_USR,
                                         .groups = PEBS_DATA_CFG_ALL | PEBS_DATA_CFG_LBR_COUNT(5),
                                         .metrics = true } },
    { "pebs.snapshot.stopped", "A stopped counter is in the record, with its value",
      "Linux 6.15, arch/x86/events/intel/ds.c, intel_perf_event_update_pmc()", GROUP, .run = named,
      .typical = "A comment in Linux's driver says that this can happen.", .lacks = lacks_snapshot,
      .argument = &(const struct named){ .rings = 0 } },
};

/* Settings of MSR_PEBS_DATA_CFG that add no counters to a record. pebs_compare() compares the groups. */
static void nothing(struct test_run *run)
{
    const struct pebs_sample *how = run->test->argument;
    const uint64_t absent = lacks_metrics(run->caps) ? PEBS_DATA_CFG_METRICS : 0;
    struct pebs_sample sample = instructions(&workload_straight, PERIOD, how->data_cfg & ~absent);

    sample.basic = how->basic;
    plan(run, &sample, 1);
    pebs_sample(run, &sample);
}

#define NOTHING GROUP, .lacks = lacks_snapshot, .run = nothing

TESTS(no_counters) = {
    { "pebs.snapshot.not_asked", "The bitmaps of MSR_PEBS_DATA_CFG alone add no counters to a record", LINUX_DATA_CFG,
      NOTHING,
      .argument = &(const struct pebs_sample){ .data_cfg = PEBS_DATA_CFG_GENERAL(3) | PEBS_DATA_CFG_FIXED(1) } },
    { "pebs.snapshot.ignored",
      "A counter without its adaptive bit writes no counters, whatever MSR_PEBS_DATA_CFG selects",
      SDM_2023 "\"Adaptive_Record Counter Control\"", NOTHING,
      .argument = &(const struct pebs_sample){ .data_cfg = PEBS_DATA_CFG_COUNTERS | PEBS_DATA_CFG_METRICS |
                                                           PEBS_DATA_CFG_GENERAL(3) | PEBS_DATA_CFG_FIXED(1),
                                               .basic = true } },
};

/* The watch of registers reads each value back. */
static void holds(struct test_run *run)
{
    const uint64_t old = msr_get(MSR_PEBS_DATA_CFG);
    const uint64_t bits = PEBS_DATA_CFG_COUNTERS | (lacks_metrics(run->caps) ? 0 : PEBS_DATA_CFG_METRICS) |
                          PEBS_DATA_CFG_GENERAL(run->caps->general_counters & 0xffff) |
                          PEBS_DATA_CFG_FIXED(run->caps->fixed_counters & 0xff);

    for (uint64_t left = bits; left; left &= left - 1)
        msr_write(MSR_PEBS_DATA_CFG, left & -left);
    msr_write(MSR_PEBS_DATA_CFG, old);
}

TEST(pebs_snapshot_register) = {
    .id = "pebs.snapshot.register",
    .title = "MSR_PEBS_DATA_CFG holds the supported bits of the counters group, and one for each existing counter",
    .source = LINUX_DATA_CFG,
    .needs = NEEDS,
    .lacks = lacks_snapshot,
    .run = holds,
};

/* ---- what the counters have counted ------------------------------------------------------------------------------ */

struct counted {
    const struct workload *workload;
    unsigned period;
    uint64_t event;
    uint64_t (*upto)(unsigned number); /* events up to and including an instruction of the workload, numbered from 0 */
};

static uint64_t instructions_upto(unsigned number)
{
    return number + 1;
}

/* After its first instruction the long loop alternates between a decrement and a branch. */
static uint64_t loop_branches_upto(unsigned number)
{
    return number / 2;
}

static uint64_t no_branches(unsigned number)
{
    (void)number;
    return 0;
}

/*
 * A counter that counts along with the sampling one: from its start to a record it counts at least the events up to the
 * record's instruction, and at most those of the whole workload and its window. From one record to the next it
 * typically counts exactly the events between the two instructions.
 */
static void counted(struct test_run *run)
{
    enum { COUNTER = 1, START = 1000, WINDOW = 8 };
    const struct counted *how = run->test->argument;
    const struct pebs_sample sample =
        instructions(how->workload, how->period, PEBS_DATA_CFG_COUNTERS | PEBS_DATA_CFG_GENERAL(1 << COUNTER));
    const uint64_t most = START + how->upto((unsigned)how->workload->instructions) + WINDOW;
    const uint64_t all = count_from(run, COUNTER, how->event | BOTH_RINGS | PERFEVTSEL_EN, START, how->workload);
    uint64_t last = 0, last_upto = 0;
    struct pebs_record record;
    unsigned number;

    plan(run, &sample, 1);
    if (!pebs_sample_open(run, &sample) || !program(run, COUNTER, how->event | BOTH_RINGS | PERFEVTSEL_EN, START) ||
        !sample_beside(run, &sample, GENERAL(COUNTER)))
        return;
    if (counter_read(COUNTER) != all)
        test_differs(run, "counter %u is at %" PRIu64 " with PEBS, and at %" PRIu64 " without", (unsigned)COUNTER,
                     counter_read(COUNTER), all);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        const uint64_t count = count_of(&record, GENERAL(COUNTER));
        if (pebs_is_closing(&sample, &record) || !pebs_event_number(run, &sample, &record, &number))
            continue;
        const uint64_t upto = how->upto(number);
        if (count < START + upto || count > most)
            test_fail(run, "counter %u is at %" PRIu64 " in PEBS record %u, must be at %" PRIu64 " to %" PRIu64,
                      (unsigned)COUNTER, count, n, START + upto, most);
        else if (n && count - last != upto - last_upto)
            test_differs(run,
                         "counter %u counted %" PRIu64 " events up to PEBS record %u, %" PRIu64 " are between the two",
                         (unsigned)COUNTER, count - last, n, upto - last_upto);
        last = count;
        last_upto = upto;
    }
}

#define COUNTED .source = LINUX_SNAPSHOT, GROUP, .lacks = lacks_snapshot, .run = counted

TESTS(counted_events) = {
    { "pebs.snapshot.instructions",
      "A counter of instructions in a record includes those up to the record's own, and typically no later ones",
      COUNTED, .argument = &(const struct counted){ &workload_straight, PERIOD, INSTRUCTIONS, instructions_upto } },
    { "pebs.snapshot.branches",
      "A counter of branches in a record includes the branches up to the record's instruction", COUNTED,
      .argument = &(const struct counted){ &workload_long_loop, LOOP_PERIOD, BRANCHES, loop_branches_upto } },
    { "pebs.snapshot.still", "A counter whose event does not occur has the same value in each record", COUNTED,
      .argument = &(const struct counted){ &workload_straight, PERIOD, BRANCHES, no_branches } },
};

/* No reload, and several interrupts: each record's value must be at least that of the previous record. */
static void forward(struct test_run *run)
{
    enum { THRESHOLD = 3, INTERRUPTS = 3 };
    static const uint64_t counters[] = { GENERAL(0), GENERAL(1), FIXED(1), FIXED(2) };
    struct pebs_sample sample = instructions(
        &workload_long_loop, LOOP_PERIOD, PEBS_DATA_CFG_COUNTERS | PEBS_DATA_CFG_GENERAL(3) | PEBS_DATA_CFG_FIXED(6));
    struct pebs_record record, before = { .size = 0 };

    sample.records = 2 * THRESHOLD;
    sample.threshold = THRESHOLD;
    sample.interrupts = INTERRUPTS;
    test_plan_between(run, INTERRUPTS * THRESHOLD, 2 * usual(&sample));
    if (!pebs_sample_open(run, &sample) || !program(run, 0, INSTRUCTIONS | BOTH_RINGS | PERFEVTSEL_EN, 0) ||
        !program(run, 1, BRANCHES | BOTH_RINGS | PERFEVTSEL_EN, 0))
        return;
    for (unsigned n = 1; n <= 2; n++)
        fixed_counter_program(n, FIXED_CTR_CTRL_OS(n) | FIXED_CTR_CTRL_USR(n), 0);
    if (!sample_beside(run, &sample, GENERAL(0) | GENERAL(1) | FIXED(1) | FIXED(2)))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); before = record, n++) {
        for (unsigned i = 0; i < sizeof counters / sizeof counters[0]; i++)
            if (count_of(&record, counters[i]) < count_of(&before, counters[i]))
                test_fail(
                    run, "the counter of bit 0x%" PRIx64 " goes back in PEBS record %u: 0x%" PRIx64 " after 0x%" PRIx64,
                    counters[i], n, count_of(&record, counters[i]), count_of(&before, counters[i]));
    }
}

/*
 * The counter that caused the record. Its value must be from before the reload, because Linux adds the whole period.
 * After the reload the value would be within the last period before overflow, and larger.
 */
static void own(struct test_run *run)
{
    const struct pebs_sample sample =
        instructions(&workload_straight, PERIOD, PEBS_DATA_CFG_COUNTERS | PEBS_DATA_CFG_FIXED(1));
    struct pebs_record record;

    plan(run, &sample, 1);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        if (count_of(&record, FIXED(0)) >= sample.period)
            test_fail(run, "fixed counter 0 is at 0x%" PRIx64 " in PEBS record %u, must be at less than %u",
                      count_of(&record, FIXED(0)), n, sample.period);
}

TESTS(counter_values) = {
    { "pebs.snapshot.forward",
      "No counter decreases from one record to the next, with or without interrupts between them",
      "Linux 7da9960b59fb, \"Fix counter backwards of non-precise events counters-snapshotting\"", GROUP,
      .lacks = lacks_snapshot, .run = forward },
    { "pebs.snapshot.own",
      "A record has the sampling counter as it was before its reload: the number of events since the overflow",
      LINUX_SNAPSHOT, .typical = "Linux's driver relies on it; no available edition of the manual describes it.", GROUP,
      .lacks = lacks_snapshot, .run = own },
};

/* ---- metrics ----------------------------------------------------------------------------------------------------- */

/* The sum of the first-level shares: the lower four bytes, in units of 1/255. */
static unsigned first_level(uint64_t metrics)
{
    unsigned sum = 0;

    for (unsigned shift = 0; shift < 32; shift += 8)
        sum += (unsigned)(metrics >> shift & 0xff);
    return sum;
}

static void metrics(struct test_run *run)
{
    enum { WHOLE = 255, ROUNDING = 4 };
    const struct pebs_sample sample =
        instructions(&workload_long_loop, LOOP_PERIOD,
                     PEBS_DATA_CFG_COUNTERS | PEBS_DATA_CFG_METRICS | PEBS_DATA_CFG_FIXED(1 << SLOTS));
    struct pebs_record record;
    uint64_t last = 0;

    plan(run, &sample, 1);
    if (!pebs_sample_open(run, &sample))
        return;
    check_programmed(run, "fixed", SLOTS,
                     fixed_counter_program(SLOTS, FIXED_CTR_CTRL_OS(SLOTS) | FIXED_CTR_CTRL_USR(SLOTS), 0) &&
                         msr_write(MSR_PERF_METRICS, 0));
    if (!sample_beside(run, &sample, FIXED(SLOTS) | PERF_GLOBAL_CTRL_METRICS))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        test_equal(run, "slots in addition to PERF_METRICS", record.slots, count_of(&record, FIXED(SLOTS)));
        if (record.slots <= last)
            test_fail(run, "slots do not increase up to PEBS record %u: %" PRIu64 " after %" PRIu64, n, record.slots,
                      last);
        if (first_level(record.metrics) + ROUNDING < WHOLE || first_level(record.metrics) > WHOLE + ROUNDING)
            test_differs(run, "the shares of PERF_METRICS 0x%" PRIx64 " in PEBS record %u add up to %u, typically %d",
                         record.metrics, n, first_level(record.metrics), WHOLE);
        last = record.slots;
    }
}

/* Bit 5 without bit 4: the header lists no counter, and the two words follow. */
static void metrics_alone(struct test_run *run)
{
    struct pebs_sample sample = instructions(&workload_straight, PERIOD, PEBS_DATA_CFG_METRICS);

    plan(run, &sample, 1);
    if (!pebs_sample_open(run, &sample))
        return;
    load_all(run, PERFEVTSEL_USR);
    if (!sample_beside(run, &sample, FIXED(SLOTS)))
        return;
    check_named(run, 0);
}

TESTS(metric_groups) = {
    { "pebs.snapshot.metrics",
      "The metrics are two words: fixed counter 3, and PERF_METRICS, whose first-level shares add up to a whole",
      LINUX_SNAPSHOT "; " SDM_2023 "\"Performance Metrics\"", GROUP, .lacks = lacks_metrics, .run = metrics },
    { "pebs.snapshot.metrics.alone", "Metrics without counters form a group that lists no counter", LINUX_SNAPSHOT,
      GROUP, .lacks = lacks_metrics, .run = metrics_alone },
};
