/* SPDX-License-Identifier: MIT */
/*
 * Branches traced to memory. The workload's labels say which branches it takes. The trace must have exactly these, in
 * order: a lost record, a branch that was not taken or a wrong address makes the test fail.
 */
#include "suite/suite.h"

#define NEEDS (NEED_APIC | NEED_BTS)
#define GROUP .needs = NEEDS, .records = true

/*
 * The buffer never reaches its threshold, so it raises no interrupt. Other interrupts are disabled: their branches
 * would appear in the trace.
 */
static const struct ds_config roomy = { .bts = true, .bts_records = 512, .bts_threshold = 480 };

static void trace(struct test_run *run)
{
    const struct workload *workload = run->test->argument;
    struct window window;

    test_plan(run, branch_count(workload, BRANCH_KINDS_ALL));
    if (!records_open(run, &roomy))
        return;
    window = bts_window(run->caps, false);
    interrupts_off();
    workload->run(&window);
    interrupts_on();
    records_close(run, 0);
    records_compare_trace(run, workload);
}

TESTS(traces) = {
    { "bts.calls", "Nested calls and returns are stored in order, with their exact addresses", SDM_BTS, GROUP,
      .run = trace, .argument = &workload_calls },
    { "bts.kinds", "Every kind of near branch is stored if it is taken, and not otherwise", SDM_MONITORING, GROUP,
      .run = trace, .argument = &workload_kinds },
    { "bts.loop", "A loop with an alternating branch is stored round by round", SDM_BTS, GROUP, .run = trace,
      .argument = &workload_loop },
};

static void interrupt(struct test_run *run)
{
    interrupt_set_raw(VECTOR_WORKLOAD, workload_interrupt_entry, false);
    trace(run);
}

/* 3000 branches through a buffer with an interrupt every 128: the service routine drains it, and no record is lost. */
static void threshold(struct test_run *run)
{
    const struct ds_config config = { .bts = true, .bts_records = 256, .bts_threshold = 128 };
    struct window window;

    test_plan(run, branch_count(&workload_long_loop, BRANCH_KINDS_ALL));
    if (!records_open(run, &config))
        return;
    window = bts_window(run->caps, false);
    workload_long_loop.run(&window);
    records_close(run, branch_count(&workload_long_loop, BRANCH_KINDS_ALL) / 256);
    records_compare_bts(run, &workload_long_loop, 0);
    records_compare_interrupts(run);
}

/* Traces the workload into a circular buffer of this many records. Returns false if the area was not opened. */
static bool trace_circular(struct test_run *run, const struct workload *workload, unsigned places)
{
    const struct ds_config config = { .bts = true, .bts_circular = true, .bts_records = places };
    struct window window;

    records_plan_circular(run, places);
    if (!records_open(run, &config))
        return false;
    window = bts_window(run->caps, true);
    workload->run(&window);
    records_close(run, 0);
    records_compare_circular(run, workload);
    return true;
}

/* A circular buffer wraps at the absolute maximum, raises no interrupt, and keeps the newest branches. */
static void circular(struct test_run *run)
{
    if (trace_circular(run, &workload_long_loop, 64))
        test_equal(run, "number of interrupts", ds_counts()->interrupts, 0);
}

/*
 * 29 branches, three every two rounds, in a buffer of 12. The last branches have a different sequence from the first
 * ones, so a buffer that fills up and does not wrap fails the test.
 */
static void circular_order(struct test_run *run)
{
    trace_circular(run, &workload_loop, 12);
}

/*
 * Counts the branches in the log that were predicted, or were not. from: count only branches from this address; 0: all.
 */
static unsigned count_predicted(struct test_run *run, uint64_t from, bool predicted)
{
    struct bts_record record;
    unsigned count = 0;

    for (unsigned n = 0; n < ds_bts_log()->records && records_bts(run, n, &record); n++)
        count += (!from || record.from == from) && record.predicted == predicted;
    return count;
}

/* After thousands of equal outcomes every predictor expects the next one. */
static void predicted(struct test_run *run)
{
    if (trace_circular(run, &workload_long_loop, 64))
        errata_equal(run, HAS_ERRATUM(SKL088), "branches of a steady loop that are marked as mispredicted",
                     count_predicted(run, 0, false), 0);
}

/* Two targets without a pattern. A predictor may guess many of them, but at least an eighth must be mispredicted. */
static void mispredicted(struct test_run *run)
{
    const struct branch *jump = &workload_surprises.branches[0];
    unsigned jumps = branch_count(&workload_surprises, jump->kind), surprised;

    trace(run);
    surprised = count_predicted(run, jump->from, false);
    console_note("%u of %u jumps without a pattern were mispredicted", surprised, jumps);
    if (surprised < jumps / 8 && errata_any(run, HAS_ERRATUM(SKL088)))
        errata_explain(run, HAS_ERRATUM(SKL088), "%u unpredictable jumps of %u are marked as mispredicted", surprised,
                       jumps);
    else if (surprised < jumps / 8)
        test_fail(run, "%u jumps of %u are marked as mispredicted, expected at least %u", surprised, jumps, jumps / 8);
}

TESTS(buffers_and_flags) = {
    { "bts.software_interrupt", "INT n and IRET are branches", SDM_LBR_STACK, GROUP, .run = interrupt,
      .argument = &workload_interrupt },
    { "bts.interrupt.threshold",
      "The interrupt at the threshold drains the buffer, and no branch is lost between two interrupts", SDM_DS_SERVICE,
      GROUP, .run = threshold },
    { "bts.circular", "A circular buffer wraps at its maximum without an interrupt and keeps the newest branches",
      SDM_SETTING_UP_BTS, GROUP, .run = circular },
    { "bts.circular.order",
      "A circular buffer that has wrapped holds the newest branches in order, the oldest at its index",
      SDM_SETTING_UP_BTS, GROUP, .run = circular_order },
    { "bts.circular.predicted", "The newest branches of a steady loop have bit 4 of their flags set: predicted",
      SDM_DEBUG_STORE, .typical = "The manual defines the bit, but does not promise that any branch is predicted.",
      .needs = NEEDS | NEED_BTS_PREDICTED, .records = true, .run = predicted },
    { "bts.mispredicted", "Bit 4 of a record's flags is clear for indirect jumps whose targets cannot be predicted",
      SDM_DEBUG_STORE, .typical = "The manual defines the bit, but does not promise that any branch is mispredicted.",
      .needs = NEEDS | NEED_BTS_PREDICTED, .records = true, .run = mispredicted, .argument = &workload_surprises },
};

static bool in_user(uint64_t address)
{
    return address >= (uintptr_t)user_start && address < (uintptr_t)user_end;
}

/* The manual does not say to which ring a branch between two rings belongs, so such a branch is accepted. */
static void check_ring(struct test_run *run, bool user_wanted)
{
    bool forgive = errata_any(run, HAS_ERRATUM(AR62)); /* From of the branch that leaves the wanted ring is wrong */
    struct bts_record record;

    for (unsigned n = 0; n < ds_bts_log()->records && records_bts(run, n, &record); n++) {
        if (in_user(record.from) != in_user(record.to) || in_user(record.to) == user_wanted)
            continue;
        if (!forgive)
            test_fail(run, "BTS record %u is a branch at CPL %u", n, in_user(record.from) ? 3 : 0);
        forgive = false;
    }
}

struct omitted_levels {
    bool os, usr;
};

static void trace_rings(struct test_run *run)
{
    const struct omitted_levels *off = run->test->argument;
    const struct debugctl_bits *bits = run->caps->debugctl;
    const unsigned system = branch_count(&workload_calls, BRANCH_KINDS_ALL);
    const unsigned user = branch_count(&workload_user, BRANCH_KINDS_ALL);
    struct window window;

    test_plan(run, (off->os ? 0 : system) + (off->usr ? 0 : user));
    if (!records_open(run, &roomy))
        return;
    window = bts_window(run->caps, false);
    window.on |= (off->os ? bits->bts_off_os : 0) | (off->usr ? bits->bts_off_usr : 0);
    workload_calls.run(&window);
    workload_user.run(&window);
    records_close(run, 0);
    if (off->os && off->usr) {
        test_saw(run, ds_bts_log()->records);
    } else {
        records_compare_bts_but(run, off->os ? &workload_user : &workload_calls, 0, HAS_ERRATUM(AR62));
        check_ring(run, off->os);
    }
}

#define RINGS .source = SDM_BTS_CPL, .needs = NEEDS | NEED_BTS_CPL, .records = true, .run = trace_rings

TESTS(rings) = {
    { "bts.cpl.off_os", "With BTS_OFF_OS no branch at CPL 0 is stored, and every branch at CPL 3 is", RINGS,
      .argument = &(const struct omitted_levels){ .os = true } },
    { "bts.cpl.off_usr", "With BTS_OFF_USR no branch at CPL 3 is stored, and every branch at CPL 0 is", RINGS,
      .argument = &(const struct omitted_levels){ .usr = true } },
    { "bts.cpl.off_both", "With BTS_OFF_OS and BTS_OFF_USR no branch is stored", RINGS,
      .argument = &(const struct omitted_levels){ .os = true, .usr = true } },
};
