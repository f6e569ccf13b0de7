/* SPDX-License-Identifier: MIT */
/*
 * Skid: how many instructions lie between the one that caused an event and what is told of it, with the interrupt of an
 * ordinary counter and with PEBS. The one to blame is known by counting: of a counter that starts at -n the n-th event
 * overflows it, and PEBS records the event after that, or with precise distribution that event itself.
 *
 * What the manual promises is judged. That an event does not pass unrecorded while PEBS is being armed is not among
 * that ("finite delay", see SOURCE), so EventingIP must be at an instruction of the event's kind, at the very one to
 * blame where the distribution is precise, and IP at the next that was executed. The rest is a figure.
 */
#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "kernel/console.h"
#include "kernel/memory.h"
#include "kernel/records.h"
#include "kernel/test.h"
#include "measure/kinds.h"
#include "measure/overflow.h"
#include "pebs/pebs_sample.h"
#include "report/histogram.h"

#define SOURCE                                                                                                     \
    "SDM Vol. 3B (253669-083), \"Processor Event Based Sampling (PEBS)\"; \"Precise Distribution of Instructions " \
    "Retired (PDIR)\"; seed 004"

#define INTERRUPTS    32u          /* samples of an ordinary counter, at most */
#define PERIODS       5u           /* of PEBS, one round of the workload each */
#define EVENTS_LEAST  8u           /* of a workload, or the event is not measured over it */
#define DISPLACE_SIZE (128 * 1024) /* more than a first level has, less than a second one */

struct skid {
    struct histogram interrupt, ip, eventing_ip;
    unsigned elsewhere; /* interrupts outside the workload */
};

/* Puts the lines of the first loads into the second level, and the other one into the first. */
static void prepare_caches(void)
{
    const volatile uint8_t *block = memory_block(DISPLACE_SIZE);

    for (unsigned i = 0; i < WORKLOAD_STEPS_LINES; i++)
        (void)((const volatile uint8_t *)workload_steps_loads_cold)[i * WORKLOAD_STEPS_LINE];
    for (unsigned i = 0; block && i < DISPLACE_SIZE; i += WORKLOAD_STEPS_LINE)
        (void)block[i];
    (void)*(const volatile uint8_t *)workload_steps_loads_warm;
}

static bool needs_caches(uint32_t kinds)
{
    return (kinds & (STEP_L1_HIT | STEP_L1_MISS)) != 0;
}

/* One interrupt of an ordinary counter that the n-th event overflows. */
static void interrupt_at(struct test_run *run, const struct pebs_event *event, const struct steps *steps,
                         uint32_t kinds, unsigned n, struct skid *skid)
{
    const struct overflow overflow = { .event = event, .period = n, .rings = PERFEVTSEL_USR | PERFEVTSEL_OS };
    const struct window window = overflow_window(run->caps, &overflow);
    unsigned interrupts;
    uint64_t ip;
    int position;

    if (!overflow_open(run->caps, &overflow)) {
        test_fail(run, "the counter could not be programmed");
        return;
    }
    if (needs_caches(kinds))
        prepare_caches();
    steps->workload->run(&window);
    interrupts = overflow_close(&ip);
    position = steps_position(steps, ip);
    if (!interrupts || position < 0)
        skid->elsewhere++;
    else
        histogram_add(&skid->interrupt, position - (int)steps_nth(steps, kinds, n));
}

/* Whether an instruction, or the one before what behind says, is of the body; the window's own are around it. */
static bool inside(const struct workload *workload, uint64_t ip, bool behind)
{
    return behind ? ip > workload->start && ip <= workload->limit : ip >= workload->start && ip < workload->limit;
}

/*
 * A record's place. due: the number of the event to blame, from 1 on. Returns the number of the one that was recorded,
 * as far as the record tells; 0 where it is not of the workload.
 */
static unsigned record_at(struct test_run *run, const struct pebs_event *event, const struct steps *steps,
                          uint32_t kinds, unsigned due, const struct pebs_record *record, struct skid *skid)
{
    const bool itself = record->has & PEBS_HAS_EVENTING_IP;
    const int cause = (int)steps_nth(steps, kinds, due), behind = run->caps->pebs_trap_like ? 1 : 0;
    const int ip = record->has & PEBS_HAS_GPRS ? steps_position(steps, record->ip) : -1;
    const int eventing = itself ? steps_position(steps, record->eventing_ip) : ip - behind;

    if (!inside(steps->workload, itself ? record->eventing_ip : record->ip, !itself && behind))
        return 0;
    if (eventing < 0 || !steps_is(steps, (unsigned)eventing, kinds)) {
        test_fail(run, "%s: a record at 0x%" PRIx64 ", which is no instruction of its kind", event->name,
                  itself ? record->eventing_ip : record->ip);
        return 0;
    }
    if (itself)
        histogram_add(&skid->eventing_ip, eventing - cause);
    if (record->has & PEBS_HAS_GPRS) {
        histogram_add(&skid->ip, ip - cause);
        if (ip - eventing != behind)
            test_fail(run, "%s: IP 0x%" PRIx64 " is %d instructions behind the one of the event, must be %d",
                      event->name, record->ip, ip - eventing, behind);
    }
    if (event->role == PEBS_ROLE_PREC_DIST && eventing != cause)
        test_fail(run, "%s: the record is %d instructions behind the one that overflowed the counter", event->name,
                  eventing - cause);
    return steps_before(steps, kinds, (unsigned)eventing) + 1;
}

/* One round of the workload with PEBS. */
static void sample(struct test_run *run, const struct pebs_event *event, const struct steps *steps, uint32_t kinds,
                   unsigned period, struct skid *skid)
{
    const struct pebs_sampling sampling = { .event = event,
                                            .counter = pebs_counter(run->caps, event),
                                            .period = period,
                                            .rings = PERFEVTSEL_USR | PERFEVTSEL_OS,
                                            .data_cfg = PEBS_DATA_CFG_GPRS };
    const struct window window = pebs_window(run->caps, pebs_counters(run->caps, &sampling));
    const unsigned room = pebs_room(run->caps, PEBS_DATA_CFG_GPRS);
    struct ds_config config = {
        .pebs = true, .pebs_records = room + 3, .pebs_threshold = room + 1, .pebs_data_cfg = PEBS_DATA_CFG_GPRS
    };
    struct pebs_record record;
    unsigned last = 0;

    config.pebs_reset[sampling.counter] = 0 - (uint64_t)period;
    if (!records_open(run, &config))
        return;
    if (!pebs_program(run->caps, &sampling))
        test_fail(run, "the counter could not be programmed");
    if (needs_caches(kinds))
        prepare_caches();
    steps->workload->run(&window);
    ds_close();
    test_equal(run, "drains of a full or broken buffer", ds_pebs_log()->overruns + ds_pebs_log()->broken, 0);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        const unsigned due = last + pebs_spacing(event, period);
        const unsigned number = record_at(run, event, steps, kinds, due, &record, skid);
        last = number ? number : due;
    }
}

static void figures(const char *event, const char *workload, const char *place, const struct histogram *h)
{
    for (unsigned i = 0; i < h->bar_count; i++)
        console_note("measure skid event %s workload %s place %s distance %d count %u", event, workload, place,
                     h->bars[i].distance, h->bars[i].count);
}

static void show(const struct pebs_event *event, const char *workload, const struct skid *skid)
{
    const struct histogram_column columns[] = { { "interrupt, no PEBS", &skid->interrupt },
                                                { "PEBS IP", &skid->ip },
                                                { "EventingIP", &skid->eventing_ip } };

    console_note("%s over %s: instructions from the one that caused it", event->name, workload);
    histogram_text(&console_sink, columns, skid->eventing_ip.samples ? 3 : 2);
    if (skid->elsewhere)
        console_note("%u more interrupts did not strike within the workload", skid->elsewhere);
    figures(event->name, workload, "interrupt", &skid->interrupt);
    figures(event->name, workload, "ip", &skid->ip);
    figures(event->name, workload, "eventing_ip", &skid->eventing_ip);
}

/* The shortest period of which a round's records fit the buffer. */
static unsigned first_period(const struct test_run *run, unsigned events)
{
    return events / pebs_room(run->caps, PEBS_DATA_CFG_GPRS) + 1;
}

static unsigned least_samples(unsigned events)
{
    return events < INTERRUPTS ? events : INTERRUPTS;
}

static void measure(struct test_run *run, const struct pebs_event *event, const char *workload,
                    const struct steps *steps, uint32_t kinds)
{
    const unsigned events = steps_before(steps, kinds, steps_count(steps)), period = first_period(run, events);
    struct skid skid = { 0 };

    for (unsigned n = 1; n <= least_samples(events); n++)
        interrupt_at(run, event, steps, kinds, n, &skid);
    for (unsigned i = 0; i < PERIODS; i++)
        sample(run, event, steps, kinds, period + i, &skid);
    show(event, workload, &skid);
    if (!skid.interrupt.samples)
        test_fail(run, "%s: no interrupt came within the workload", event->name);
    if (!skid.ip.samples && !skid.eventing_ip.samples)
        test_fail(run, "%s: no PEBS record came", event->name);
    test_saw(run, skid.ip.samples > skid.eventing_ip.samples ? skid.ip.samples : skid.eventing_ip.samples);
}

/* The kinds of an event that this workload has often enough; 0, and the reason. */
static uint32_t kinds_over(const struct test_run *run, const struct pebs_event *event, const struct steps *steps,
                           const char **why_not)
{
    uint32_t kinds = kinds_of(event, why_not);

    if (!kinds)
        return 0;
    if (!(event->counters & run->caps->pebs_counters))
        *why_not = "no counter of this processor can sample it";
    else if (steps_before(steps, kinds, steps_count(steps)) < EVENTS_LEAST)
        *why_not = "not in this workload";
    return *why_not ? 0 : kinds;
}

static void over(struct test_run *run, const char *workload, const struct steps *steps)
{
    const struct pebs_event_list *list = run->caps->events;
    const char *why_not;
    unsigned least = 0, most = 0;

    for (size_t i = 0; i < list->count; i++) {
        const uint32_t kinds = kinds_over(run, &list->events[i], steps, &why_not);
        const unsigned events = kinds ? steps_before(steps, kinds, steps_count(steps)) : 0;
        least += kinds != 0;
        for (unsigned p = 0; kinds && p < PERIODS; p++)
            most += events / pebs_spacing(&list->events[i], first_period(run, events) + p);
    }
    if (!least) {
        test_skip(run, "no precise event of this processor has its instructions in this workload");
        return;
    }
    test_plan_between(run, least, most);
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t kinds = kinds_over(run, &list->events[i], steps, &why_not);
        if (kinds)
            measure(run, &list->events[i], workload, steps, kinds);
        else
            console_note("event %s not measured: %s", list->events[i].name, why_not);
    }
}

#define SKID_NEEDS (NEED_APIC | NEED_PEBS | NEED_EVENT_ANY)

static void loads(struct test_run *run)
{
    over(run, "loads", &workload_steps_loads);
}

TEST(measure_skid_loads) = {
    .id = "measure.skid.loads",
    .title = "Skid over three loads in a row, of which the first misses: who is blamed, by interrupt and by PEBS",
    .source = SOURCE,
    .needs = SKID_NEEDS,
    .records = true,
    .on_request = true,
    .run = loads,
};

static void straight(struct test_run *run)
{
    workload_x87_prepare();
    over(run, "straight", &workload_steps_straight);
}

TEST(measure_skid_straight) = {
    .id = "measure.skid.straight",
    .title = "Skid over straight-line code: loads, stores, locked and split ones, x87 and MMX arithmetic",
    .source = SOURCE,
    .needs = SKID_NEEDS,
    .records = true,
    .on_request = true,
    .run = straight,
};

static void branchy(struct test_run *run)
{
    over(run, "branchy", &workload_steps_branchy);
}

TEST(measure_skid_branchy) = {
    .id = "measure.skid.branchy",
    .title = "Skid over branchy code, counted across the branches that were taken",
    .source = SOURCE,
    .needs = SKID_NEEDS,
    .records = true,
    .on_request = true,
    .run = branchy,
};

static void far(struct test_run *run)
{
    over(run, "far", &workload_steps_far);
}

TEST(measure_skid_far) = {
    .id = "measure.skid.far",
    .title = "Skid over far branches",
    .source = SOURCE,
    .needs = SKID_NEEDS,
    .records = true,
    .on_request = true,
    .run = far,
};
