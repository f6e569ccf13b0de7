/* SPDX-License-Identifier: MIT */
/*
 * A million records through small buffers, on request. Three counts must be equal: the records that the kernel decoded,
 * the index at the drains, and, in tests/qemu/long.t, the model's truth log.
 */
#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/string.h"
#include "bts/bts.h"
#include "kernel/console.h"
#include "kernel/dump.h"
#include "kernel/test.h"
#include "pebs/pebs.h"
#include "suite/support/pebs_sample.h"
#include "suite/support/records.h"
#include "suite/support/sources.h"

#define STAGES(array) (sizeof(array) / sizeof(array)[0])

/* The size of the buffer, when the interrupt is raised, and how often the workload runs. */
struct stage {
    unsigned records, threshold, runs;
    unsigned period; /* of PEBS */
};

static struct {
    struct test_run *run;
    const struct workload *workload; /* which takes one branch again and again */
    bool branch_alone;               /* PEBS samples that branch, not every instruction */
    uint64_t decoded, ours;          /* ours: at the expected address */
} tally;

static struct total {
    uint64_t decoded, indexed, ours, interrupts;
} total;

static bool is_ours_bts(const struct bts_record *record)
{
    const struct branch *branch = &tally.workload->branches[0];

    return record->from == branch->from && record->to == branch->to;
}

static bool is_ours_pebs(const struct pebs_record *record)
{
    const struct branch *branch = &tally.workload->branches[0];
    const uint64_t ip = record->has & PEBS_HAS_EVENTING_IP ? record->eventing_ip : record->ip;

    if (!tally.branch_alone)
        return ip >= tally.workload->start && ip < tally.workload->limit;
    return (!(record->has & PEBS_HAS_EVENTING_IP) || record->eventing_ip == branch->from) &&
           (!(record->has & PEBS_HAS_GPRS) || record->ip == branch->to);
}

/*
 * Reads what the service routine drained, and empties the logs. Clears the memory of the records, because all records
 * are equal: an old one could pass for one that the processor did not write.
 */
static void take(uint64_t global_status)
{
    struct bts_record bts;
    struct pebs_record pebs;

    (void)global_status;
    for (unsigned n = 0; n < ds_bts_log()->records && records_bts(tally.run, n, &bts); n++) {
        tally.decoded++;
        tally.ours += is_ours_bts(&bts);
    }
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(tally.run, n, &pebs); n++) {
        tally.decoded++;
        tally.ours += is_ours_pebs(&pebs);
    }
    dump_hold();
    dump_bts(0, ds_bts_log());
    dump_pebs(0, ds_pebs_log(), tally.run->data_source);
    dump_resume();
    memset(ds_memory().bts, 0, (size_t)ds_bts_log()->records * ds_bts_log()->record_size);
    memset(ds_memory().pebs, 0, (size_t)ds_pebs_log()->records * ds_pebs_log()->record_size);
    ds_logs_empty();
}

/* Runs the workload with the area open. sampling: what PEBS samples. */
static void run_stage(struct test_run *run, const struct ds_config *config, const struct stage *stage,
                      const struct workload *workload, const struct window *window,
                      const struct pebs_sampling *sampling)
{
    uint64_t indexed;

    tally.run = run;
    tally.workload = workload;
    tally.decoded = tally.ours = 0;
    if (!records_open(run, config))
        return;
    ds_on_interrupt(take);
    if (sampling)
        pebs_program(run->caps, sampling);
    for (unsigned i = 0; i < stage->runs; i++) {
        workload->run(window);
        interrupts_off();
        dump_waiting();
        interrupts_on();
    }
    ds_close();
    ds_on_interrupt(NULL);
    records_check_log(run, config->pebs ? "PEBS" : "BTS", config->pebs ? ds_pebs_log() : ds_bts_log());
    take(0);
    dump_flush();
    indexed = config->pebs ? ds_counts()->pebs_indexed : ds_counts()->bts_indexed;
    console_note("buffer of %u, interrupt at %u: %" PRIu64 " decoded, %" PRIu64 " by the index, %u interrupts",
                 stage->records, stage->threshold, tally.decoded, indexed, ds_counts()->interrupts);
    total.decoded += tally.decoded;
    total.indexed += indexed;
    total.ours += tally.ours;
    total.interrupts += ds_counts()->interrupts;
    test_saw(run, (unsigned)tally.ours);
}

static void report(const char *kind)
{
    console_note("count %s kernel %" PRIu64 " index %" PRIu64 " of the workload %" PRIu64 " interrupts %" PRIu64, kind,
                 total.decoded, total.indexed, total.ours, total.interrupts);
}

/*
 * The service routine's own branches are recorded until it stops the trace and after it resumes it: about ten. The
 * watchdog's interrupt may come first, if it allows more time because the log was slow: about thirty. So the threshold
 * is farther than these from either end.
 */
static void bts(struct test_run *run)
{
    static const struct stage stages[] = { { .records = 512, .threshold = 448, .runs = 120 },
                                           { .records = 512, .threshold = 256, .runs = 120 },
                                           { .records = 96, .threshold = 32, .runs = 95 } };
    const struct workload *workload = &workload_long_loop;
    const struct window window = bts_window(run->caps, false);
    unsigned runs = 0;

    for (unsigned i = 0; i < STAGES(stages); i++)
        runs += stages[i].runs;
    total = (struct total){ 0 };
    test_plan(run, runs * branch_count(workload, BRANCH_KINDS_ALL));
    for (unsigned i = 0; i < STAGES(stages); i++) {
        const struct ds_config config = { .bts = true,
                                          .bts_records = stages[i].records,
                                          .bts_threshold = stages[i].threshold };
        run_stage(run, &config, &stages[i], workload, &window, NULL);
    }
    report("bts");
}

/*
 * Events count only at CPL 3, so the service routine causes none. Between the threshold and the end of the buffer there
 * is space for the records until the interrupt arrives; two is the minimum (ds/ds_check.h).
 */
static const struct stage sampled[] = { { 25, 23, 1500, 15 }, { 24, 12, 1800, 1 }, { 8, 1, 300, 15 } };

static void sample(struct test_run *run, enum pebs_role role, unsigned least_events, unsigned most_events)
{
    const struct pebs_event *event = pebs_find_event(run->caps, role);
    unsigned least = 0, most = 0;

    total = (struct total){ 0 };
    tally.branch_alone = least_events == most_events;
    for (unsigned i = 0; i < STAGES(sampled); i++) {
        const struct pebs_sample of = { .event = event,
                                        .counter = pebs_counter(run->caps, event),
                                        .period = sampled[i].period };
        least += sampled[i].runs * least_events / (sampled[i].period + 1);
        most += sampled[i].runs * most_events / pebs_sample_spacing(run->caps, &of);
    }
    test_plan_between(run, least, most);
    for (unsigned i = 0; i < STAGES(sampled); i++) {
        const struct pebs_sampling sampling = { .event = event,
                                                .counter = pebs_counter(run->caps, event),
                                                .period = sampled[i].period,
                                                .rings = PERFEVTSEL_USR };
        const struct window window = pebs_window(run->caps, pebs_counters(run->caps, &sampling));
        struct ds_config config = { .pebs = true,
                                    .pebs_records = sampled[i].records,
                                    .pebs_threshold = sampled[i].threshold };

        config.pebs_reset[sampling.counter] = 0 - (uint64_t)sampled[i].period;
        run_stage(run, &config, &sampled[i], &workload_user_loop, &window, &sampling);
    }
}

static void taken(struct test_run *run)
{
    const unsigned branches = branch_count(&workload_user_loop, BRANCH_KINDS_ALL);

    sample(run, PEBS_ROLE_TAKEN, branches, branches);
    report("pebs");
}

/*
 * Each round has two instructions. Instructions before and after the rounds are not checked, nor whether INT n counts.
 */
static void instructions(struct test_run *run)
{
    const unsigned rounds = branch_count(&workload_user_loop, BRANCH_KINDS_ALL) + 1;

    sample(run, PEBS_ROLE_INSTRUCTIONS, 2 * rounds - 2, 2 * rounds + 2);
    report("pebs");
}

TESTS(long_runs) = {
    { "long.bts", "Of a million branches through small buffers, every one is counted once",
      OWN_LONG "; " SDM_DS_SERVICE, .needs = NEED_APIC | NEED_BTS, .records = true, .on_request = true, .run = bts },
    { "long.pebs.taken", "Of a million samples of taken branches through small buffers, every one is counted once",
      OWN_LONG "; " SDM_PEBS_SERVICE, .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_TAKEN, .records = true,
      .on_request = true, .run = taken },
    { "long.pebs.instructions",
      "Of two million samples of instructions through small buffers, every one is counted once",
      OWN_LONG "; " SDM_PEBS_SERVICE, .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_INSTRUCTIONS, .records = true,
      .on_request = true, .run = instructions },
};
