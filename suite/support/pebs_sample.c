/* SPDX-License-Identifier: MIT */
#include "suite/support/pebs_sample.h"

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "kernel/console.h"
#include "suite/support/errata.h"

#define MOST_RECORDS 320u

#define FLAGS_IF ((uintptr_t)1 << 9)

/* The most rounds that a sample waits for its records. */
#define PATIENCE 256u

/* Instructions of the writes that open and close the window, at most. */
#define WINDOW_INSTRUCTIONS 8u

static bool has_pdist(const struct caps *caps, const struct pebs_sample *s)
{
    return !s->fixed && caps->pebs_pdist_counters >> s->counter & 1;
}

bool pebs_is_precise(const struct caps *caps, const struct pebs_sample *s)
{
    if (s->fixed)
        return caps->pebs_method != PEBS_METHOD_ARCH || (caps->pebs_pdist_fixed_counters >> s->counter & 1) != 0;
    return s->event->role == PEBS_ROLE_PREC_DIST || (has_pdist(caps, s) && s->period >= PEBS_PERIOD_PRECISE);
}

unsigned pebs_sample_spacing(const struct caps *caps, const struct pebs_sample *s)
{
    return pebs_is_precise(caps, s) || has_pdist(caps, s) ? s->period : s->period + 1;
}

bool pebs_of_instructions(const struct pebs_sample *s)
{
    return s->fixed || s->event->role == PEBS_ROLE_INSTRUCTIONS || s->event->role == PEBS_ROLE_PREC_DIST;
}

unsigned pebs_events_of_round(const struct pebs_sample *s)
{
    if (pebs_of_instructions(s))
        return (unsigned)s->workload->instructions;
    return s->workload == &workload_chase ? WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS
                                          : (unsigned)s->workload->access_count;
}

/* Keeps the threshold at least two records before the end, because on Core 2 the interrupt may be one event late. */
static unsigned room_in(unsigned capacity)
{
    return (capacity < MOST_RECORDS ? capacity : MOST_RECORDS) - 3;
}

unsigned pebs_room(const struct caps *caps, uint64_t data_cfg)
{
    return room_in(ds_pebs_capacity(caps, data_cfg));
}

static struct pebs_sample sample_of(const struct caps *caps, const struct pebs_event *event,
                                    const struct workload *workload, unsigned records)
{
    struct pebs_sample sample = { .event = event, .workload = workload, .counter = pebs_counter(caps, event) };

    sample.period = (pebs_events_of_round(&sample) + WINDOW_INSTRUCTIONS) / (records + 1);
    if (pebs_sample_spacing(caps, &sample) == sample.period)
        sample.period++; /* the shorter period would give one record more */
    return sample;
}

/* Silvermont and Knights Landing sample neither instructions nor all loads. */
static struct pebs_sample sample_of_chase(const struct caps *caps, unsigned records)
{
    const struct pebs_event *loads = pebs_find_event(caps, PEBS_ROLE_LOADS);

    return sample_of(caps, loads ? loads : pebs_find_event(caps, PEBS_ROLE_BRANCHES), &workload_chase, records);
}

struct pebs_sample pebs_sample_instructions(const struct caps *caps, unsigned records)
{
    const struct pebs_event *any = pebs_find_event(caps, PEBS_ROLE_INSTRUCTIONS);
    const struct pebs_event *event = any ? any : pebs_find_event(caps, PEBS_ROLE_PREC_DIST);

    return event ? sample_of(caps, event, &workload_long_loop, records) : sample_of_chase(caps, records);
}

struct pebs_sample pebs_sample_any(const struct caps *caps, unsigned records)
{
    return pebs_find_event(caps, PEBS_ROLE_LOADS) ? sample_of_chase(caps, records)
                                                  : pebs_sample_instructions(caps, records);
}

/* The counter's bit in the global registers and in a record's applicable counters. */
static uint64_t counter_bit(const struct pebs_sample *s)
{
    return UINT64_C(1) << (s->counter + (s->fixed ? 32 : 0));
}

/* The groups in the records, which determine their size. */
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
                                   .cfg_c = s->cfg_c,
                                   .basic = s->basic,
                                   .period = s->period,
                                   .rings = s->rings ? s->rings : PERFEVTSEL_USR | PERFEVTSEL_OS,
                                   .threshold = s->latency ? s->latency : PEBS_LATENCY_THRESHOLD };
}

static struct pebs_armed armed;

const struct pebs_armed *pebs_armed(void)
{
    return &armed;
}

void pebs_sample_expect(const struct pebs_sample *s, uint64_t since)
{
    armed = (struct pebs_armed){ .sample = *s, .counters = counter_bit(s), .since = since };
}

uint64_t pebs_sample_groups(const struct caps *caps, const struct pebs_sample *s)
{
    const struct pebs_sampling sampling = sampling_of(s);

    if (caps->pebs_method == PEBS_METHOD_ARCH)
        return ARCH_PEBS_BASIC | (pebs_cfg_c(caps, &sampling) & ~(ARCH_PEBS_EN | ARCH_PEBS_COUNTERS_ALLOW));
    if (s->basic || caps->pebs_method != PEBS_METHOD_ADAPTIVE) /* without MSR_PEBS_DATA_CFG, as under KVM */
        return 0;
    return (uint32_t)sampling.data_cfg; /* its upper half selects counters */
}

bool pebs_sample_open(struct test_run *run, const struct pebs_sample *s)
{
    const uint64_t groups = s->basic ? 0 : data_cfg_of(s);
    const unsigned room = s->cfg_c ? room_in(ds_arch_capacity(run->caps, s->cfg_c)) : pebs_room(run->caps, groups);
    struct ds_config config = { .pebs = true,
                                .pebs_records = s->records ? s->records : room + 3,
                                .pebs_threshold = s->threshold ? s->threshold : room + 1,
                                .pebs_cfg_c = s->cfg_c,
                                .pebs_data_cfg = groups };

    console_note("event %s, %s %u, reset -%u", s->fixed ? "of its own" : s->event->name,
                 s->fixed ? "fixed counter" : "counter", s->counter, s->period);
    if (run->caps->pebs_method != PEBS_METHOD_ARCH) /* otherwise CFG_C has the reload value */
        (s->fixed ? config.pebs_reset_fixed : config.pebs_reset)[s->counter] = 0 - (uint64_t)s->period;
    armed = (struct pebs_armed){ .since = time_stamp() };
    run->data_source =
        !s->fixed && s->event->role == PEBS_ROLE_PRECISE_STORE ? DATA_SOURCE_STORE : run->caps->data_source;
    return records_open(run, &config);
}

bool pebs_sample_arm(struct test_run *run, const struct pebs_sample *s)
{
    const struct pebs_sampling sampling = sampling_of(s);

    armed.sample = *s;
    armed.held = !(flags_read() & FLAGS_IF);
    armed.again = armed.again || armed.counters & counter_bit(s);
    armed.counters |= counter_bit(s);
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

void pebs_settle(void)
{
    ds_pebs_stop();
    ds_settle();
}

unsigned pebs_sample_so_far(void)
{
    const uint64_t was = ds_pebs_stop();
    unsigned waiting;

    ds_settle();
    waiting = ds_pebs_waiting();
    ds_pebs_resume(was);
    return ds_pebs_log()->records + waiting;
}

void pebs_sample_run(struct test_run *run, const struct pebs_sample *s)
{
    const struct window window = pebs_sample_window(run, s);
    unsigned rounds = 0;

    do {
        s->workload->run(&window);
        if (s->interrupts)
            records_check_served(run);
    } while (++rounds < s->rounds || (rounds < PATIENCE && s->until && pebs_sample_so_far() < s->until));
}
