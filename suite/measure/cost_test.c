/* SPDX-License-Identifier: MIT */
/*
 * What sampling and tracing cost: the same code at CPL 3 with and without each method. PEBS runs with several numbers
 * of records per interrupt, for comparison with an interrupt for each sample. One figure is judged: how many
 * instructions the service routine of the debug store retires per record.
 */
#include "suite/suite.h"

#include "lib/ratio.h"
#include "suite/measure/meter.h"
#include "suite/measure/overflow.h"

#define PERIOD 31u     /* events between samples */
#define EVENTS 120000u /* per measurement, at CPL 3 */
#define BTS_ROOM                                                                                  \
    128u /* records after the threshold: for branches until the interrupt is delivered, a hundred \
            instructions later, and for those of the service routine */
#define LBR_READINGS 100u

/* The most instructions per record that the service routine may take to drain its whole buffer at once. */
#define PEBS_BUDGET      60u
#define ARCH_PEBS_BUDGET 200u /* only the record's header gives its size */
#define BTS_BUDGET       20u

/* The code that is measured. */
struct load {
    const struct workload *workload;
    unsigned events; /* the minimum of one round, at CPL 3 */
    unsigned rounds;
};

static struct load load_of(const struct workload *workload, unsigned events)
{
    return (struct load){ workload, events, EVENTS / events };
}

/* Meters the load inside this window. */
static uint64_t metered(const struct load *load, const struct meter *meter, const struct window *window)
{
    const uint64_t before = meter_read(meter);

    for (unsigned i = 0; i < load->rounds; i++)
        load->workload->run(window);
    return meter_since(meter, before);
}

/* Meters the load with the window's register written, but nothing enabled by it. */
static uint64_t plain(const struct load *load, const struct meter *meter, const struct window *window)
{
    return metered(load, meter, &(struct window){ window->msr, window->off, window->off });
}

/* ---- one point of the curve ------------------------------------------------------------------------------------- */

struct point {
    const char *method;
    unsigned records; /* per interrupt */
    uint64_t samples, cycles, plain;
};

static void heading(const struct meter *meter)
{
    console_note("clock %s%s", meter->name, meter->msr ? ": counted under a hypervisor, may differ from time" : "");
    console_note("%-9s %11s %8s %10s %10s %15s %9s", "method", "records/PMI", "samples", "cycles", "plain",
                 "cycles a sample", "slowdown");
}

static void show(struct test_run *run, const struct meter *meter, const struct point *p)
{
    char each[RATIO_SIZE], slowdown[RATIO_SIZE];
    const uint64_t more = p->cycles > p->plain ? p->cycles - p->plain : 0;

    console_note("%-9s %11u %8" PRIu64 " %10" PRIu64 " %10" PRIu64 " %15s %9s", p->method, p->records, p->samples,
                 p->cycles, p->plain, ratio_text(each, more, p->samples),
                 p->plain ? ratio_text(slowdown, p->cycles, p->plain) : "-");
    console_note("measure cost method %s records_per_interrupt %u samples %" PRIu64 " cycles %" PRIu64 " plain %" PRIu64
                 " clock %s",
                 p->method, p->records, p->samples, p->cycles, p->plain, meter->name);
    if (!p->samples)
        test_fail(run, "%s: no sample was taken", p->method);
    if (run->planned)
        test_saw(run, (unsigned)p->samples);
}

/* ---- sampling --------------------------------------------------------------------------------------------------- */

/* An event that occurs a known number of times at CPL 3, or nearly so, and the load that causes it. */
static const struct pebs_event *sampled_event(const struct caps *caps, struct load *load)
{
    static const enum pebs_role roles[] = { PEBS_ROLE_TAKEN, PEBS_ROLE_CONDITIONAL, PEBS_ROLE_BRANCHES,
                                            PEBS_ROLE_INSTRUCTIONS };
    const struct pebs_event *event;

    *load = load_of(&workload_user_loop, branch_count(&workload_user_loop, BRANCH_KINDS_ALL));
    for (unsigned i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        event = pebs_find_event(caps, roles[i]);
        if (event)
            return event;
    }
    *load = load_of(&workload_user_loads, (unsigned)workload_user_loads.access_count);
    return pebs_find_event(caps, PEBS_ROLE_LOADS);
}

/* Each round of the loop has two instructions per branch, and a few of either before and after. */
static unsigned most_events(const struct load *load)
{
    return load->rounds * (2 * load->events + 8);
}

static void point_interrupt(struct test_run *run, const struct pebs_event *event, const struct load *load)
{
    struct overflow overflow = { .event = event, .period = PERIOD, .rings = PERFEVTSEL_USR, .again = true };
    struct point point = { .method = "interrupt", .records = 1 };
    struct meter meter;
    struct window window;
    uint64_t ip, counted;

    meter_open(run->caps, METER_CYCLES, &meter); /* to learn its counters; opened again after the sampling counter */
    overflow.counting = meter.counters;
    overflow_open(run->caps, &overflow); /* if the processor refuses, no sample is taken */
    meter_open(run->caps, METER_CYCLES, &meter);
    window = overflow_window(run->caps, &overflow);
    window = meter_window(&meter, window);
    point.plain = plain(load, &meter, &window);
    point.cycles = metered(load, &meter, &window);
    point.samples = overflow_close(&ip, &counted);
    heading(&meter);
    show(run, &meter, &point);
}

/* Empties the log. This test does not need its records. */
static void forget(uint64_t global_status)
{
    (void)global_status;
    ds_logs_empty();
}

/* The metered amount and the number of records drained while the area was open. */
struct drained {
    uint64_t metered, records;
    unsigned interrupts;
};

static bool run_sampled(struct test_run *run, const struct pebs_event *event, const struct load *load,
                        unsigned threshold, enum meter_kind kind, struct meter *meter, uint64_t *without,
                        struct drained *drained)
{
    const struct pebs_sampling sampling = { .event = event,
                                            .counter = pebs_counter(run->caps, event),
                                            .period = PERIOD,
                                            .rings = PERFEVTSEL_USR,
                                            .data_cfg = PEBS_DATA_CFG_GPRS };
    struct ds_config config = { .pebs = true,
                                .pebs_records = pebs_room(run->caps, PEBS_DATA_CFG_GPRS) + 2,
                                .pebs_threshold = threshold,
                                .pebs_data_cfg = PEBS_DATA_CFG_GPRS };
    struct window window;

    if (!meter_open(run->caps, kind, meter)) {
        test_skip(run, "no counter of instructions in addition to the one that samples");
        return false;
    }
    config.pebs_reset[sampling.counter] = 0 - (uint64_t)PERIOD;
    config.counting = meter->counters;
    if (!records_open(run, &config))
        return false;
    pebs_program(run->caps, &sampling);
    meter_open(run->caps, kind, meter);
    ds_on_interrupt(forget);
    window = meter_window(meter, pebs_window(run->caps, pebs_counters(run->caps, &sampling)));
    *without = plain(load, meter, &window);
    drained->metered = metered(load, meter, &window);
    drained->records = ds_counts()->pebs_indexed;
    drained->interrupts = ds_counts()->interrupts;
    ds_close();
    ds_on_interrupt(NULL);
    records_check_log(run, "PEBS", ds_pebs_log());
    return true;
}

static void point_pebs(struct test_run *run, const struct pebs_event *event, const struct load *load,
                       unsigned threshold)
{
    struct point point = { .method = "pebs", .records = threshold };
    struct drained drained;
    struct meter meter;

    if (!run_sampled(run, event, load, threshold, METER_CYCLES, &meter, &point.plain, &drained))
        return;
    point.cycles = drained.metered;
    point.samples = ds_counts()->pebs_indexed;
    show(run, &meter, &point);
}

static void sampling(struct test_run *run)
{
    const unsigned full = pebs_room(run->caps, PEBS_DATA_CFG_GPRS);
    struct load load;
    const struct pebs_event *event = sampled_event(run->caps, &load);
    unsigned points = 2;

    if (!event) {
        test_skip(run, "no precise event of this processor occurs a known number of times");
        return;
    }
    for (unsigned n = 1; n < full; n *= 2)
        points++;
    test_plan_between(run, points, points * (most_events(&load) / PERIOD + 1));
    console_note("event %s, every %u events, over %u rounds", event->name, PERIOD, load.rounds);
    point_interrupt(run, event, &load);
    for (unsigned n = 1; n < full; n *= 2)
        point_pebs(run, event, &load, n);
    point_pebs(run, event, &load, full);
}

TEST(measure_cost_sampling) = {
    .id = "measure.cost.sampling",
    .title =
        "The cost of a sample: with an interrupt each, and with PEBS from one record to a full buffer per interrupt",
    .source = SDM_DS_SERVICE,
    .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY,
    .records = true,
    .on_request = true,
    .run = sampling,
};

/* ---- tracing ---------------------------------------------------------------------------------------------------- */

static struct load branchy_load(void)
{
    return load_of(&workload_user_loop, branch_count(&workload_user_loop, BRANCH_KINDS_ALL));
}

static unsigned bts_capacity(const struct caps *caps)
{
    return (unsigned)(ds_memory().bts_size / caps->bts_record_size);
}

static bool run_traced(struct test_run *run, const struct load *load, unsigned threshold, enum meter_kind kind,
                       struct meter *meter, uint64_t *without, struct drained *drained)
{
    struct ds_config config = { .bts = true, .bts_records = threshold + BTS_ROOM, .bts_threshold = threshold };
    struct window window;

    if (!meter_open(run->caps, kind, meter)) {
        test_skip(run, "no counter of instructions");
        return false;
    }
    config.counting = meter->counters;
    if (!records_open(run, &config))
        return false;
    ds_on_interrupt(forget);
    window = bts_window(run->caps, false);
    *without = plain(load, meter, &window);
    drained->metered = metered(load, meter, &window);
    drained->records = ds_counts()->bts_indexed;
    drained->interrupts = ds_counts()->interrupts;
    ds_close();
    ds_on_interrupt(NULL);
    records_check_log(run, "BTS", ds_bts_log());
    return true;
}

static void point_bts(struct test_run *run, const struct load *load, unsigned threshold)
{
    struct point point = { .method = "bts", .records = threshold };
    struct drained drained;
    struct meter meter;

    if (!run_traced(run, load, threshold, METER_CYCLES, &meter, &point.plain, &drained))
        return;
    point.cycles = drained.metered;
    point.samples = ds_counts()->bts_indexed;
    show(run, &meter, &point);
}

static void tracing(struct test_run *run)
{
    const struct load load = branchy_load();
    const unsigned thresholds[] = { 64, 512, bts_capacity(run->caps) - BTS_ROOM };
    struct meter meter;

    test_plan_between(run, 3 * EVENTS / 2, 3 * 2 * EVENTS);
    meter_open(run->caps, METER_CYCLES, &meter);
    heading(&meter);
    for (unsigned i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++)
        point_bts(run, &load, thresholds[i]);
}

static void last_branches(struct test_run *run)
{
    const struct load load = branchy_load();
    struct point recording = { .method = "lbr", .samples = (uint64_t)load.rounds * load.events };
    struct point reading = { .method = "lbr_read", .samples = LBR_READINGS };
    struct lbr_stack stack;
    struct window window;
    struct meter meter;
    uint64_t before;

    meter_open(run->caps, METER_CYCLES, &meter);
    lbr_reset(run->caps, 0);
    window = lbr_window(run->caps, 0);
    recording.plain = plain(&load, &meter, &window);
    recording.cycles = metered(&load, &meter, &window);
    before = meter_read(&meter);
    for (unsigned i = 0; i < LBR_READINGS; i++)
        lbr_read(run->caps, &stack);
    reading.cycles = meter_since(&meter, before);
    if (stack.error != LBR_DECODE_OK || !stack.entries[0].from)
        test_fail(run, "the LBR stack is empty, expected branches");
    console_note("a stack of %u entries", stack.depth);
    heading(&meter);
    show(run, &meter, &recording);
    show(run, &meter, &reading);
}

TESTS(traces) = {
    { "measure.cost.bts", "How much BTS of every branch slows down a loop of branches, with a small and a large buffer",
      SDM_DS_SERVICE, .needs = NEED_APIC | NEED_BTS, .records = true, .on_request = true, .run = tracing },
    { "measure.cost.lbr",
      "How much recording of last branches slows down a loop of branches, and the cost of reading the stack",
      SDM_LBR_STACK, .needs = NEED_LBR, .on_request = true, .run = last_branches },
};

/* ---- the service routine ---------------------------------------------------------------------------------------- */

static void judge(struct test_run *run, const char *kind, unsigned budget, const struct drained *drained,
                  uint64_t without)
{
    const uint64_t instructions = drained->metered > without ? drained->metered - without : 0;
    char each[RATIO_SIZE], drain[RATIO_SIZE];

    console_note("%s: %s instructions per record, %s per drain; at most %u per record", kind,
                 ratio_text(each, instructions, drained->records), ratio_text(drain, instructions, drained->interrupts),
                 budget);
    console_note("measure service kind %s records %" PRIu64 " instructions %" PRIu64 " interrupts %u", kind,
                 drained->records, instructions, drained->interrupts);
    if (!drained->records || !drained->interrupts || !instructions)
        test_fail(run, "the service routine drained %" PRIu64 " records in %u interrupts and %" PRIu64 " instructions",
                  drained->records, drained->interrupts, instructions);
    if (instructions > drained->records * budget)
        test_fail(run, "the service routine takes %s instructions per record, at most %u are allowed", each, budget);
    test_saw(run, drained->interrupts);
}

static void service_pebs(struct test_run *run)
{
    const unsigned full = pebs_room(run->caps, PEBS_DATA_CFG_GPRS);
    struct load load;
    const struct pebs_event *event = sampled_event(run->caps, &load);
    struct drained drained;
    struct meter meter;
    uint64_t without;

    if (!event) {
        test_skip(run, "no precise event of this processor occurs a known number of times");
        return;
    }
    if (!run_sampled(run, event, &load, full, METER_INSTRUCTIONS, &meter, &without, &drained))
        return;
    test_plan_between(run, 1, most_events(&load) / PERIOD / full + 1);
    judge(run, "pebs", run->caps->pebs_method == PEBS_METHOD_ARCH ? ARCH_PEBS_BUDGET : PEBS_BUDGET, &drained, without);
}

static void service_bts(struct test_run *run)
{
    const unsigned full = bts_capacity(run->caps) - BTS_ROOM;
    const struct load load = branchy_load();
    struct drained drained;
    struct meter meter;
    uint64_t without;

    if (!run_traced(run, &load, full, METER_INSTRUCTIONS, &meter, &without, &drained))
        return;
    test_plan_between(run, EVENTS / full / 2, 3 * EVENTS / full / 2);
    judge(run, "bts", BTS_BUDGET, &drained, without);
}

TESTS(service_routines) = {
    { "measure.cost.service.pebs",
      "The service routine retires at most 60 instructions for each record of a full PEBS buffer, 200 if sizes vary",
      SDM_DS_SERVICE, .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY, .records = true, .on_request = true,
      .run = service_pebs },
    { "measure.cost.service.bts",
      "The service routine retires at most 20 instructions for each record of a full BTS buffer", SDM_DS_SERVICE,
      .needs = NEED_APIC | NEED_BTS, .records = true, .on_request = true, .run = service_bts },
};
