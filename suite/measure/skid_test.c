/* SPDX-License-Identifier: MIT */
/*
 * Skid: the number of instructions between the one that caused an event and the reported one, for an ordinary counter's
 * interrupt and for PEBS. Counting identifies the cause: with a counter that starts at -n, the n-th event overflows it.
 * PEBS records the event after that, or with precise distribution that event itself.
 *
 * Only what the manual promises is judged. Events may pass unrecorded while PEBS is being armed ("finite delay",
 * SDM_PDIR). So EventingIP must be at an instruction of the event's kind, with precise distribution at the cause
 * itself, and IP at the instruction that executed next. Distances are only measured.
 */
#include "suite/suite.h"

#include "suite/measure/kinds.h"
#include "suite/measure/overflow.h"
#include "suite/measure/sampler.h"
#include "suite/measure/tables/histogram.h"

#define GROUP .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY, .records = true

#define INTERRUPTS   32u   /* samples of an ordinary counter, at most */
#define MOST_EVENTS  4096u /* of a workload and the service routine */
#define PERIODS      5u    /* with PEBS, a round of the workload each */
#define EVENTS_LEAST 8u    /* minimum per workload; with fewer, the event is not measured */

/* What is measured over which workload, and the results. */
struct skid {
    const struct pebs_event *event;
    const char *workload;
    const struct steps *steps;
    struct cause cause;
    unsigned events; /* per round */
    struct histogram interrupt, ip, eventing_ip;
    unsigned elsewhere; /* interrupts outside the workload */
};

static unsigned spacing(const struct caps *caps, const struct skid *skid, unsigned period)
{
    const struct pebs_sample sample = { .event = skid->event,
                                        .counter = pebs_counter(caps, skid->event),
                                        .period = period };

    return pebs_sample_spacing(caps, &sample);
}

static void go(const struct skid *skid, const struct window *window)
{
    if (skid->cause.displace)
        sampler_displace(skid->cause.displace);
    skid->steps->workload->run(window);
}

/* Takes one interrupt of an ordinary counter that the n-th event overflows. */
static void interrupt_at(struct test_run *run, struct skid *skid, unsigned n)
{
    const struct overflow overflow = { .event = skid->event, .period = n, .rings = PERFEVTSEL_USR | PERFEVTSEL_OS };
    const struct window window = overflow_window(run->caps, &overflow);
    const bool late = run->caps->pebs_method == PEBS_METHOD_NETBURST; /* by an event */
    unsigned interrupts;
    uint64_t ip, counted;
    int position;

    overflow_open(run->caps, &overflow); /* if the processor refuses, no interrupt arrives */
    go(skid, &window);
    interrupts = overflow_close(&ip, &counted);
    if ((interrupts != (counted >= n) && !(late && counted == n)) || counted > MOST_EVENTS)
        test_fail(run, "%s: %u interrupts after %" PRIu64 " events with a period of %u", skid->event->name, interrupts,
                  counted, n);
    position = steps_position(skid->steps, ip);
    if (!interrupts || position < 0)
        skid->elsewhere++;
    else
        histogram_add(&skid->interrupt, position - (int)steps_nth(skid->steps, skid->cause.kinds, n));
}

/*
 * Adds a record's place. due: the number of the event that should be recorded, from 1 on. Returns the number of the
 * recorded one; 0 if it is not in the workload.
 */
static unsigned record_at(struct test_run *run, struct skid *skid, unsigned due, const struct pebs_record *record)
{
    const struct pebs_event *event = skid->event;
    const int cause = (int)steps_nth(skid->steps, skid->cause.kinds, due), behind = run->caps->pebs_trap_like ? 1 : 0;
    const int ip = steps_position(skid->steps, record->ip);
    const int eventing = sampler_position(run->caps, skid->steps, record);

    if (!sampler_inside(run->caps, skid->steps->workload, record))
        return 0;
    if (eventing < 0 || !steps_is(skid->steps, (unsigned)eventing, skid->cause.possible)) {
        test_fail(run,
                  "%s: a record with IP 0x%" PRIx64 ", EventingIP 0x%" PRIx64
                  ": at no instruction that can cause the event",
                  event->name, record->ip, record->eventing_ip);
        return 0;
    }
    if (!steps_is(skid->steps, (unsigned)eventing, skid->cause.kinds))
        return 0; /* another load of the same kind that hit, or missed */
    if (record->has & PEBS_HAS_EVENTING_IP)
        histogram_add(&skid->eventing_ip, eventing - cause);
    histogram_add(&skid->ip, ip - cause);
    if (ip - eventing != behind)
        test_fail(run, "%s: IP 0x%" PRIx64 " is %d instructions after the one of the event, must be %d", event->name,
                  record->ip, ip - eventing, behind);
    if (event->role == PEBS_ROLE_PREC_DIST && eventing != cause)
        test_fail(run, "%s: the record is %d instructions after the one that overflowed the counter, must be 0",
                  event->name, eventing - cause);
    return steps_before(skid->steps, skid->cause.kinds, (unsigned)eventing) + 1;
}

/* One round of the workload with PEBS. */
static void sample(struct test_run *run, struct skid *skid, unsigned period)
{
    struct window window;
    struct pebs_record record;
    unsigned last = 0;

    if (!sampler_open(run, skid->event, skid->steps->workload, period, &window))
        return;
    go(skid, &window);
    sampler_close(run);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        const unsigned due = last + spacing(run->caps, skid, period);
        const unsigned number = record_at(run, skid, due, &record);
        last = number ? number : due;
    }
}

static void figures(const struct skid *skid, const char *place, const struct histogram *h)
{
    for (unsigned i = 0; i < h->bar_count; i++)
        console_note("measure skid event %s workload %s place %s distance %d count %u", skid->event->name,
                     skid->workload, place, h->bars[i].distance, h->bars[i].count);
}

static void show(const struct skid *skid)
{
    const struct histogram_column columns[] = { { "interrupt, no PEBS", &skid->interrupt },
                                                { "PEBS IP", &skid->ip },
                                                { "EventingIP", &skid->eventing_ip } };

    console_note("%s over %s: instructions from the one that caused it", skid->event->name, skid->workload);
    histogram_text(&console_sink, columns, skid->eventing_ip.samples ? 3 : 2);
    if (skid->elsewhere)
        console_note("%u more interrupts arrived outside the workload", skid->elsewhere);
    figures(skid, "interrupt", &skid->interrupt);
    figures(skid, "ip", &skid->ip);
    figures(skid, "eventing_ip", &skid->eventing_ip);
}

/* The shortest period with which a round's records fit the buffer. */
static unsigned first_period(const struct caps *caps, const struct skid *skid)
{
    return skid->events / sampler_room(caps) + 1;
}

static void measure(struct test_run *run, struct skid *skid)
{
    const unsigned period = first_period(run->caps, skid);

    for (unsigned n = 1; n <= skid->events && n <= INTERRUPTS; n++)
        interrupt_at(run, skid, n);
    for (unsigned i = 0; i < PERIODS; i++)
        sample(run, skid, period + i);
    show(skid);
    if (!skid->interrupt.samples || !skid->ip.samples)
        test_fail(run, "%s: %u interrupts and %u PEBS records within the workload, must be some of each",
                  skid->event->name, skid->interrupt.samples, skid->ip.samples);
    test_saw(run, skid->ip.samples);
}

/* The code over which skid is measured. */
struct code {
    const char *workload;
    const struct steps *steps;
};

/* Fills *skid in for an event. Returns why it is not measured over this workload, or NULL. */
static const char *subject(const struct caps *caps, const struct pebs_event *event, const struct code *code,
                           struct skid *skid)
{
    *skid = (struct skid){ .event = event, .workload = code->workload, .steps = code->steps, .cause = cause_of(event) };
    skid->events = steps_before(skid->steps, skid->cause.kinds, steps_count(skid->steps));
    if (skid->cause.why_not)
        return skid->cause.why_not;
    if (!skid->cause.counted)
        return "the processor determines how many instructions cause it";
    return skid->events < EVENTS_LEAST ? "not in this workload" : sampler_lacks(caps, event);
}

static void over(struct test_run *run)
{
    const struct code *code = run->test->argument;
    const struct pebs_event_list *list = run->caps->events;
    unsigned least = 0, most = 0;
    static struct skid skid;

    for (size_t i = 0; i < list->count; i++) {
        if (subject(run->caps, &list->events[i], code, &skid))
            continue;
        least++;
        for (unsigned p = 0; p < PERIODS; p++)
            most += skid.events / spacing(run->caps, &skid, first_period(run->caps, &skid) + p);
    }
    if (!least) {
        test_skip(run, "the workload has no instruction for any precise event of this processor");
        return;
    }
    test_plan_between(run, least, most);
    for (size_t i = 0; i < list->count; i++) {
        const char *why_not = subject(run->caps, &list->events[i], code, &skid);
        if (why_not)
            console_note("event %s not measured: %s", list->events[i].name, why_not);
        else
            measure(run, &skid);
    }
}

static void straight(struct test_run *run)
{
    sampler_prepare();
    over(run);
}

TEST(measure_skid_straight) = {
    .id = "measure.skid.straight",
    .title = "Skid over straight-line code: loads, stores, locked and split ones, x87, MMX and SSE arithmetic",
    .source = SDM_PEBS "; " SDM_PDIR,
    GROUP,
    .on_request = true,
    .run = straight,
    .argument = &(const struct code){ "straight", &workload_steps_straight },
};

#define SKID .source = SDM_PEBS "; " SDM_PDIR, GROUP, .on_request = true, .run = over

TESTS(skids) = {
    { "measure.skid.loads",
      "Skid over groups of three loads with a miss in the first: the load blamed by an interrupt, and by PEBS", SKID,
      .argument = &(const struct code){ "loads", &workload_steps_loads } },
    { "measure.skid.branchy", "Skid over branchy code, counted along the taken branches", SKID,
      .argument = &(const struct code){ "branchy", &workload_steps_branchy } },
    { "measure.skid.far", "Skid over far branches", SKID,
      .argument = &(const struct code){ "far", &workload_steps_far } },
};
