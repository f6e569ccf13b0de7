/* SPDX-License-Identifier: MIT */
/*
 * Each facility on every processor, with a debug store, buffers and an LVT entry of its own. The labels give the
 * expected records, as on the boot processor. Interrupts are off while the window is open and on between two windows,
 * so nothing records while an interrupt is serviced.
 */
#include "suite/suite.h"

#include "arch/x86/cpu.h"
#include "suite/all_cpus/all_cpus.h"
#include "kernel/secondary_cpus.h"
#include "suite/support/count.h"

#define ROUNDS       10u
#define COMING       10000u /* PAUSEs, many more than an interrupt takes to arrive */
#define PEBS_RECORDS 10u    /* per round */

/* Enables interrupts until the wanted number has arrived, and no buffer is past its threshold. */
static void let_interrupts(struct test_run *run, unsigned wanted)
{
    interrupts_on();
    for (unsigned i = 0; ds_counts()->interrupts < wanted && i < COMING; i++)
        cpu_pause();
    records_check_served(run);
    interrupts_off();
}

/* ---- BTS --------------------------------------------------------------------------------------------------------- */

#define BTS_THRESHOLD 64u

/* The branches in the log must be those of the workload, round by round. */
static void compare_branches(struct test_run *run, const struct workload *workload)
{
    struct branch_walk walk = { workload, BRANCH_KINDS_ALL, 0, 0 };
    struct bts_record record;

    for (unsigned n = 0; n < ds_bts_log()->records && records_bts(run, n, &record); n++) {
        const struct branch *want = branch_next(&walk);
        if (!want) {
            walk = (struct branch_walk){ workload, BRANCH_KINDS_ALL, 0, 0 };
            want = branch_next(&walk);
        }
        if (record.from != want->from || record.to != want->to) {
            test_fail(run, "BTS record %u is 0x%" PRIx64 " => 0x%" PRIx64 ", must be 0x%" PRIx64 " => 0x%" PRIx64, n,
                      record.from, record.to, want->from, want->to);
            break;
        }
    }
}

static void trace(struct member *m)
{
    const struct workload *workload = &workload_loop;
    const struct ds_config config = { .bts = true, .bts_records = 2 * BTS_THRESHOLD, .bts_threshold = BTS_THRESHOLD };
    const unsigned branches = branch_count(workload, BRANCH_KINDS_ALL);
    struct ds_breaches breaches;
    struct window window;

    m->typical = ROUNDS * branches;
    if (!ds_open(m->run.caps, &config, &breaches))
        return; /* no records: fewer than planned */
    window = bts_window(m->run.caps, false);
    for (unsigned round = 1; round <= ROUNDS; round++) {
        interrupts_off();
        workload->run(&window);
        let_interrupts(&m->run, round * branches / (BTS_THRESHOLD + branches));
    }
    ds_close();
    interrupts_off();
    records_check_log(&m->run, "BTS", ds_bts_log());
    m->interrupts += ds_counts()->interrupts;
    m->got = ds_bts_log()->records;
    compare_branches(&m->run, workload);
}

/* ---- PEBS -------------------------------------------------------------------------------------------------------- */

static void sample_round(struct member *m, struct pebs_sample sampled)
{
    struct test_run *const run = &m->run;
    const uint64_t groups = PEBS_DATA_CFG_MEMORY | PEBS_DATA_CFG_GPRS;
    struct ds_config config = {
        .pebs = true, .pebs_records = PEBS_RECORDS + 6, .pebs_threshold = PEBS_RECORDS - 2, .pebs_data_cfg = groups
    };
    const struct pebs_sampling sampling = { .event = sampled.event,
                                            .counter = sampled.counter,
                                            .period = sampled.period,
                                            .rings = PERFEVTSEL_USR | PERFEVTSEL_OS,
                                            .threshold = PEBS_LATENCY_THRESHOLD,
                                            .data_cfg = groups };
    const struct window window = pebs_window(run->caps, pebs_counters(run->caps, &sampling));
    const uint64_t since = time_stamp();
    struct ds_breaches breaches;

    config.pebs_reset[sampled.counter] = 0 - (uint64_t)sampled.period;
    if (!ds_open(run->caps, &config, &breaches))
        return; /* no records: fewer than planned */
    interrupts_off();
    pebs_program(run->caps, &sampling);
    sampled.workload->run(&window);
    let_interrupts(run, 1);
    ds_close();
    interrupts_off();
    records_check_log(run, "PEBS", ds_pebs_log());
    m->interrupts += ds_counts()->interrupts;
    if (!ds_counts()->interrupts)
        test_fail(run, "no interrupt arrived");
    m->got += ds_pebs_log()->records;
    cpus_compare(m, &sampled, since);
    if (!run->problems)
        pebs_check_numbers(run, &sampled, pebs_sample_spacing(run->caps, &sampled) - 1);
}

static void sample(struct member *m, struct pebs_sample sampled)
{
    m->typical = ROUNDS * PEBS_RECORDS;
    for (unsigned round = 0; round < ROUNDS && !m->run.problems; round++)
        sample_round(m, sampled);
    counters_clear(m->run.caps);
    interrupts_off();
}

static void sample_any(struct member *m)
{
    sample(m, pebs_sample_any(m->run.caps, PEBS_RECORDS));
}

/*
 * Not loads, where possible. On Sandy Bridge to Haswell the loads of one thread also count for the other thread of its
 * core (errata BJ122, BV98 and HSD29; Linux, fixup_ht_bug(), arch/x86/events/intel/core.c).
 */
static void sample_instructions(struct member *m)
{
    sample(m, pebs_sample_instructions(m->run.caps, PEBS_RECORDS));
}

/* ---- LBR --------------------------------------------------------------------------------------------------------- */

static void record_branches(struct member *m)
{
    const struct workload *workload = &workload_calls;
    const unsigned depth = m->run.caps->lbr_depth, branches = branch_count(workload, BRANCH_KINDS_ALL);
    struct lbr_stack stack;

    m->typical = branches < depth ? branches : depth;
    interrupts_off();
    m->got = lbr_take(&m->run, workload, LBR_NO_FILTER, &stack);
    if (stack.error != LBR_DECODE_OK)
        test_fail(&m->run, "LBR stack: %s", lbr_error_text(stack.error));
    else
        lbr_compare_stack(&m->run, &stack, workload, BRANCH_KINDS_ALL, m->typical);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

#define BRANCHES UINT64_C(0x00c4) /* BR_INST_RETIRED.ALL_BRANCHES, architectural */

/* The difference excludes what the window itself counts. */
static void count(struct member *m)
{
    const uint64_t select = BRANCHES | PERFEVTSEL_USR | PERFEVTSEL_OS | PERFEVTSEL_EN;
    const uint64_t all = count_from(&m->run, 0, select, 0, &workload_long_loop);

    m->typical = branch_count(&workload_long_loop, BRANCH_KINDS_ALL) + 1; /* plus the last one, which is not taken */
    m->got = (unsigned)(all - count_from(&m->run, 0, select, 0, &workload_nothing));
    test_equal(&m->run, "branches that were counted", m->got, m->typical);
    counters_clear(m->run.caps);
    interrupts_off();
}

/* ---- the tests --------------------------------------------------------------------------------------------------- */

static const struct facility_job {
    cpus_job *job;
    const char *what, *unit;
} bts_job = { trace, "bts", "records" }, pebs_job = { sample_any, "pebs", "records" },
  pebs_at_once_job = { sample_instructions, "pebs", "records" }, lbr_job = { record_branches, "lbr", "entries" },
  count_job = { count, "counter 0", "branches" };

/* The number of records that one processor writes. */
static unsigned due(const struct facility_job *of, const struct caps *caps)
{
    const unsigned calls = branch_count(&workload_calls, BRANCH_KINDS_ALL);

    if (of == &bts_job)
        return ROUNDS * branch_count(&workload_loop, BRANCH_KINDS_ALL);
    if (of == &lbr_job)
        return calls < caps->lbr_depth ? calls : caps->lbr_depth;
    return ROUNDS * PEBS_RECORDS;
}

static unsigned due_of_all(const struct facility_job *of)
{
    unsigned all = 0;

    for (unsigned n = 0; n < cpus_count(); n++)
        if (cpus_member(n)->fit)
            all += due(of, cpus_member(n)->run.caps);
    return all;
}

static void perform(struct test_run *run,
                    void (*how)(struct test_run *run, cpus_job *job, const char *what, const char *unit))
{
    const struct facility_job *of = run->test->argument;
    const char *problem = cpus_start(run, CPUS_ALL);

    if (problem) {
        test_skip(run, problem);
        return;
    }
    if (run->test->records)
        test_plan(run, due_of_all(of));
    how(run, of->job, of->what, of->unit);
}

static void in_turn(struct test_run *run)
{
    perform(run, cpus_in_turn);
}

static void at_once(struct test_run *run)
{
    perform(run, cpus_at_once);
}

static const char *one_set(const struct caps *caps)
{
    struct topology topology;

    secondary_cpus_topology(&topology);
    return caps->pebs_method == PEBS_METHOD_NETBURST && topology.siblings
               ? "the threads of a NetBurst core share its counters"
               : NULL;
}

TESTS(facilities) = {
    { "all_cpus.bts.in_turn",
      "Each processor in turn stores its branches in a buffer of its own, which its own interrupt drains", SDM_BTS,
      .on_request = true, .needs = NEED_APIC | NEED_BTS, .records = true, .run = in_turn, .argument = &bts_job },
    { "all_cpus.bts.at_once", "All processors at the same time store their branches, each only in a buffer of its own",
      SDM_BTS, .on_request = true, .needs = NEED_APIC | NEED_BTS, .records = true, .run = at_once,
      .argument = &bts_job },
    { "all_cpus.pebs.in_turn",
      "Each processor in turn samples into a buffer of its own, which its own interrupt drains", SDM_PEBS,
      .on_request = true, .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY, .records = true, .run = in_turn,
      .argument = &pebs_job },
    { "all_cpus.pebs.at_once",
      "All processors at the same time sample only their own events, each into a buffer of its own", SDM_PEBS,
      .on_request = true, .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY, .lacks = one_set, .records = true,
      .run = at_once, .argument = &pebs_at_once_job },
    { "all_cpus.lbr.in_turn", "Each processor in turn records its last branches in a stack of its own", SDM_LBR_STACK,
      .on_request = true, .needs = NEED_APIC | NEED_LBR, .records = true, .run = in_turn, .argument = &lbr_job },
    { "all_cpus.lbr.at_once", "All processors at the same time record their last branches, each in a stack of its own",
      SDM_LBR_STACK, .on_request = true, .needs = NEED_APIC | NEED_LBR, .records = true, .run = at_once,
      .argument = &lbr_job },
    { "all_cpus.counters.in_turn", "Counter 0 of each processor in turn counts that processor's branches",
      SDM_PERFMON_1, .on_request = true, .needs = NEED_APIC | NEED_GLOBAL_CTRL, .run = in_turn,
      .argument = &count_job },
    { "all_cpus.counters.at_once",
      "Counter 0 of each processor counts only that processor's branches, while all run at the same time",
      SDM_PERFMON_1, .on_request = true, .needs = NEED_APIC | NEED_GLOBAL_CTRL, .run = at_once,
      .argument = &count_job },
};
