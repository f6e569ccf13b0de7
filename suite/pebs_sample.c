/* SPDX-License-Identifier: MIT */
#include "suite/pebs_sample.h"

#include <inttypes.h>

#include "kernel/console.h"

#define MOST_RECORDS 320u

unsigned pebs_spacing(const struct pebs_event *event, unsigned period)
{
    return event->role == PEBS_ROLE_PREC_DIST ? period : period + 1;
}

/* The threshold stays two records and more short of the end: on Core 2 the interrupt may come one event late. */
unsigned pebs_room(const struct caps *caps, uint64_t data_cfg)
{
    unsigned capacity = ds_pebs_capacity(caps, data_cfg);

    return (capacity < MOST_RECORDS ? capacity : MOST_RECORDS) - 3;
}

struct pebs_sample pebs_sample_any(const struct caps *caps, unsigned records)
{
    const struct pebs_event *loads = pebs_find_event(caps, PEBS_ROLE_LOADS);
    const struct pebs_event *event = loads ? loads : pebs_find_event(caps, PEBS_ROLE_INSTRUCTIONS);
    const struct workload *workload = loads ? &workload_loads : &workload_straight;
    const unsigned events = (unsigned)(loads ? workload->access_count : workload->instructions);

    return (struct pebs_sample){
        .event = event, .workload = workload, .counter = pebs_counter(caps, event), .period = events / records - 1
    };
}

/* The counter's bit in the global registers and in a record's applicable counters. */
static uint64_t counter_bit(const struct pebs_sample *s)
{
    return UINT64_C(1) << (s->counter + (s->fixed ? 32 : 0));
}

/* Time stamps are those of one processor: they never go back. */
static void check_time(struct test_run *run)
{
    struct pebs_record record;
    uint64_t last = 0;

    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (!(record.has & PEBS_HAS_TSC))
            return;
        if (record.tsc <= last)
            test_fail(run, "PEBS record %u: time stamp %" PRIu64 " is not after %" PRIu64, n, record.tsc, last);
        last = record.tsc;
    }
}

/* The size of a record in the buffer is that of its own groups. */
static uint64_t data_cfg_of(const struct pebs_sample *s)
{
    return s->data_cfg ? s->data_cfg : PEBS_DATA_CFG_MEMORY | PEBS_DATA_CFG_GPRS;
}

static struct pebs_sampling sampling_of(const struct pebs_sample *s)
{
    return (struct pebs_sampling){ .event = s->event,
                                   .counter = s->counter,
                                   .fixed = s->fixed,
                                   .data_cfg = data_cfg_of(s),
                                   .basic = s->basic,
                                   .period = s->period,
                                   .rings = s->rings ? s->rings : PERFEVTSEL_USR | PERFEVTSEL_OS,
                                   .threshold = s->latency ? s->latency : PEBS_LATENCY_THRESHOLD };
}

bool pebs_sample_open(struct test_run *run, const struct pebs_sample *s)
{
    const uint64_t groups = s->basic ? 0 : data_cfg_of(s);
    const unsigned room = pebs_room(run->caps, groups);
    struct ds_config config = { .pebs = true,
                                .pebs_records = s->records ? s->records : room + 3,
                                .pebs_threshold = s->threshold ? s->threshold : room + 1,
                                .pebs_data_cfg = groups };

    console_note("event %s, %s %u, reset -%u", s->fixed ? "of its own" : s->event->name,
                 s->fixed ? "fixed counter" : "counter", s->counter, s->period);
    (s->fixed ? config.pebs_reset_fixed : config.pebs_reset)[s->counter] = 0 - (uint64_t)s->period;
    run->data_source =
        !s->fixed && s->event->role == PEBS_ROLE_PRECISE_STORE ? DATA_SOURCE_STORE : run->caps->data_source;
    return records_open(run, &config);
}

bool pebs_sample_arm(struct test_run *run, const struct pebs_sample *s)
{
    const struct pebs_sampling sampling = sampling_of(s);

    if (pebs_program(run->caps, &sampling))
        return true;
    test_fail(run, "the counter could not be programmed");
    return false;
}

struct window pebs_sample_window(const struct test_run *run, const struct pebs_sample *s)
{
    const struct pebs_sampling sampling = sampling_of(s);

    return pebs_window(run->caps, pebs_counters(run->caps, &sampling));
}

bool pebs_sample(struct test_run *run, const struct pebs_sample *s)
{
    const struct window window = pebs_sample_window(run, s);

    if (!pebs_sample_open(run, s) || !pebs_sample_arm(run, s))
        return false;
    s->workload->run(&window);
    records_close(run, s->interrupts);
    test_saw(run, ds_pebs_log()->records);
    check_time(run);
    return true;
}

void pebs_check(struct test_run *run, const struct pebs_sample *s, const struct pebs_record *record, uint64_t ip,
                uint64_t next_ip)
{
    const uint64_t counter = counter_bit(s);

    if (record->has & PEBS_HAS_APPLICABLE)
        test_equal(run, "applicable counters", record->counters, counter);
    if (record->has & PEBS_HAS_STATUS) /* of all counters, and of the buffer */
        test_equal(run, "status of the PEBS counters", record->counters & run->caps->pebs_counters, counter);
    if (record->has & PEBS_HAS_EVENTING_IP)
        test_equal(run, "EventingIP", record->eventing_ip, ip);
    if (record->has & PEBS_HAS_GPRS)
        test_equal(run, "IP", record->ip, run->caps->pebs_trap_like ? next_ip : ip);
    if (record->has & PEBS_HAS_TSX)
        test_equal(run, "TSX information", record->tsx, 0);
}
