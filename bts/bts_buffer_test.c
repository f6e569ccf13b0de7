/* SPDX-License-Identifier: MIT */
/*
 * What BTS does to the management area and to the memory around its buffer. The tests read memory after the window of
 * the workload (suite/workload/workload.h) and before the area is closed. Interrupts are disabled, except where a test
 * is about the interrupt.
 */
#include "suite/suite.h"

#include "kernel/dump.h"
#include "kernel/report/record_text.h"

#define GROUP .needs = NEED_APIC | NEED_BTS, .records = true

/* Records of a small buffer. As much memory is free before it, and more after it. */
#define SMALL 8u

static const struct ds_config roomy_bts = { .bts = true, .bts_records = 512, .bts_threshold = 480 };

static unsigned branches_of(const struct workload *workload)
{
    return branch_count(workload, BRANCH_KINDS_ALL);
}

/* Runs the workload with interrupts disabled and with the given bits of IA32_DEBUGCTL. */
static void run_with(const struct workload *workload, struct window window, uint64_t bits)
{
    window.on = window.off | bits;
    interrupts_off();
    workload->run(&window);
    interrupts_on();
}

/*
 * Opens an area with this configuration, runs the workload and reads the area. Returns false if the area was not
 * opened.
 */
static bool trace(struct test_run *run, const struct ds_config *config, const struct workload *workload,
                  struct ds_area *before, struct ds_area *after)
{
    struct window window = bts_window(run->caps, config->bts_circular);

    if (!records_open(run, config))
        return false;
    ds_area_read(before);
    run_with(workload, window, window.on);
    ds_area_read(after);
    return true;
}

/* ---- the enable bits --------------------------------------------------------------------------------------------- */

/* Which one of TR and BTS is set. Only both together store branches. */
struct half {
    bool tr, bts;
};

static void expect_nothing(struct test_run *run)
{
    const struct half *half = run->test->argument;
    const struct debugctl_bits *debugctl = run->caps->debugctl;
    const uint64_t bits = (half->tr ? debugctl->tr : 0) | (half->bts ? debugctl->bts : 0);

    test_plan(run, 0);
    if (!records_open(run, &roomy_bts))
        return;
    run_with(&workload_calls, bts_window(run->caps, false), bits);
    records_close(run, 0);
    test_saw(run, ds_bts_log()->records);
}

TESTS(enable_alone) = {
    { "bts.enable.tr_alone", "With TR alone, branches are sent as messages and not stored", SDM_BTS_ENCODINGS, GROUP,
      .run = expect_nothing, .argument = &(const struct half){ .tr = true } },
    { "bts.enable.bts_alone", "With BTS set and TR clear, no branch is stored", SDM_BTS_ENCODINGS, GROUP,
      .run = expect_nothing, .argument = &(const struct half){ .bts = true } },
};

static void ends(struct test_run *run)
{
    struct window window = bts_window(run->caps, false);

    test_plan(run, branches_of(&workload_calls));
    if (!records_open(run, &roomy_bts))
        return;
    run_with(&workload_calls, window, window.on);
    run_with(&workload_kinds, window, 0);
    records_close(run, 0);
    records_compare_trace(run, &workload_calls);
}

/* Sets one bit at a time, because TR and BTS together would store branches. The watch of registers reads it back. */
static void readback(struct test_run *run)
{
    const struct debugctl_bits *bits = run->caps->debugctl;
    const bool by_level = run->caps->ds_cpl;
    const uint64_t each[] = { bits->tr, bits->bts, bits->btint, by_level ? bits->bts_off_os : 0,
                              by_level ? bits->bts_off_usr : 0 };
    const unsigned count = sizeof each / sizeof each[0];
    uint64_t rest = msr_get(MSR_IA32_DEBUGCTL);

    for (unsigned i = 0; i < count; i++)
        rest &= ~each[i];
    for (unsigned i = 0; i <= 2 * count; i++)
        msr_write(MSR_IA32_DEBUGCTL, i % 2 ? rest | each[i / 2] : rest);
}

TESTS(enabling) = {
    { "bts.enable.ends", "Once TR and BTS are clear, no further branch is stored", SDM_BTS_ENCODINGS, GROUP,
      .run = ends },
    { "bts.enable.readback", "Each bit that controls BTS can be set, reads back alone, and can be cleared",
      SDM_2009 "\"IA32_DEBUGCTL MSR\", 16.4.1; \"MSR_DEBUGCTLA MSR\", 16.7.1", .needs = NEED_BTS, .run = readback },
};

/* ---- the management area ----------------------------------------------------------------------------------------- */

/* The workloads differ in length, and run one after another. */
static void index_advances(struct test_run *run)
{
    static const struct workload *const workloads[] = { &workload_kinds, &workload_nothing, &workload_calls,
                                                        &workload_loop, &workload_kinds };
    struct window window = bts_window(run->caps, false);
    uint64_t expected = 0;

    for (unsigned i = 0; i < sizeof workloads / sizeof workloads[0]; i++)
        expected += branches_of(workloads[i]);
    test_plan(run, (unsigned)expected);
    if (!records_open(run, &roomy_bts))
        return;
    expected = 0;
    for (unsigned i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
        struct ds_area area;
        run_with(workloads[i], window, window.on);
        expected += branches_of(workloads[i]);
        ds_area_read(&area);
        test_equal(run, "bytes that the index advanced", area.bts.index - area.bts.base,
                   expected * run->caps->bts_record_size);
    }
    records_close(run, 0);
    test_saw(run, ds_bts_log()->records);
}

/* Checks that no field of the area except the BTS index has changed. All of struct ds_area's fields have 64 bits. */
static void check_fields(struct test_run *run, const struct ds_area *before, const struct ds_area *after)
{
    const uint64_t *was = (const uint64_t *)before, *is = (const uint64_t *)after;

    for (unsigned i = 0; i < sizeof *before / sizeof *was; i++)
        if (&is[i] != &after->bts.index && is[i] != was[i])
            test_fail(run, "field %u of the management area is 0x%" PRIx64 ", was 0x%" PRIx64, i, is[i], was[i]);
}

static void fields_kept(struct test_run *run)
{
    const struct ds_config circular = { .bts = true, .bts_circular = true, .bts_records = SMALL };
    struct ds_area before, after;

    records_plan_circular(run, SMALL);
    if (!trace(run, &circular, &workload_long_loop, &before, &after))
        return;
    check_fields(run, &before, &after);
    records_close(run, 0);
    records_compare_circular(run, &workload_long_loop);
}

/* BTS and PEBS share one area. BTS must not change the PEBS fields. */
static void pebs_fields_kept(struct test_run *run)
{
    struct ds_area before, after;

    test_plan(run, branches_of(&workload_calls));
    if (!trace(run, &roomy_bts, &workload_calls, &before, &after))
        return;
    check_fields(run, &before, &after);
    records_close(run, 0);
    records_compare_trace(run, &workload_calls);
}

TESTS(management_fields) = {
    { "bts.index.advances", "The BTS index advances by one record for each branch", SDM_DEBUG_STORE, GROUP,
      .run = index_advances },
    { "bts.circular.fields", "BTS writes only the index among the BTS fields of the management area", SDM_DEBUG_STORE,
      GROUP, .run = fields_kept },
    { "bts.fields.pebs", "BTS does not change the PEBS fields of the management area", SDM_DEBUG_STORE, GROUP,
      .run = pebs_fields_kept },
};

/* ---- the buffer's ends ------------------------------------------------------------------------------------------- */

/*
 * The manual does not say whether the index returns to the base with the record that fills the buffer or with the next
 * one. After one more record it must have returned.
 */
static void wrap(struct test_run *run)
{
    const unsigned branches = branches_of(&workload_calls);
    const struct ds_config config = { .bts = true, .bts_circular = true, .bts_records = branches - 1 };
    struct ds_area before, area;

    records_plan_circular(run, branches - 1);
    if (!trace(run, &config, &workload_calls, &before, &area))
        return;
    records_close(run, 0);
    records_compare_circular(run, &workload_calls);
}

TEST(bts_circular_wrap) = {
    .id = "bts.circular.wrap",
    .title = "The record after the one that fills a circular buffer is at its base, and the index points past it",
    .source = SDM_BTS,
    GROUP,
    .run = wrap,
};

/* The buffer begins at place SMALL of its memory, and ends before 2 * SMALL. Closing checks the memory around it. */
static void guard(struct test_run *run)
{
    const struct ds_config config = { .bts = true, .bts_circular = true, .bts_records = SMALL, .bts_before = SMALL };
    struct ds_area before, after;

    records_plan_circular(run, SMALL);
    if (!trace(run, &config, &workload_long_loop, &before, &after))
        return;
    records_close(run, 0);
    records_compare_circular(run, &workload_long_loop);
}

TESTS(circular_ends) = {
    { "bts.circular.maximum", "No record reaches the absolute maximum, however often a circular buffer wraps",
      SDM_DEBUG_STORE, GROUP, .run = guard },
    { "bts.circular.base", "No record is before the buffer's base, however often a circular buffer wraps",
      SDM_DEBUG_STORE, GROUP, .run = guard },
};

/*
 * Prints the buffer as a circular one, oldest record first: from the index to the end, then up to the index. Returns
 * the number of records that are not zero.
 */
static unsigned print_as_circular(struct test_run *run, const struct ds_buffer *bts, const uint8_t *buffer)
{
    const unsigned size = run->caps->bts_record_size, records = (unsigned)((size_t)(bts->maximum - bts->base) / size);
    const unsigned first = (unsigned)((size_t)(bts->index - bts->base) / size);
    struct ds_log older = { .bytes = buffer + (size_t)first * size, .record_size = size, .records = records - first };
    struct ds_log newer = { .bytes = buffer, .record_size = size, .records = first };
    struct bts_record record;
    unsigned stored = 0;

    console_note("bts buffer undrained: interrupts are off");
    for (unsigned i = 0; i < records; i++)
        if (bts_decode(run->caps->ds_width, buffer + (first + i) % records * size, size, run->caps->bts_prediction,
                       &record) == BTS_DECODE_OK) {
            bts_text(&console_sink, i, &record, &console_symbols);
            stored += record.from || record.to;
        }
    dump_bts(0, &older);
    dump_bts(0, &newer);
    dump_flush();
    return stored;
}

/*
 * Interrupts are disabled, so the buffer is not drained. The manual does not say what happens to later records, but it
 * does say where the buffer ends.
 */
static void full(struct test_run *run)
{
    const struct ds_config config = {
        .bts = true, .bts_records = 2 * SMALL, .bts_threshold = SMALL, .bts_before = SMALL
    };
    struct ds_area before, area;

    test_plan_between(run, SMALL, 2 * SMALL); /* at least as many as reach the threshold */
    if (!trace(run, &config, &workload_long_loop, &before, &area))
        return;
    if (area.bts.index < area.bts.base || area.bts.index > area.bts.maximum)
        console_note("the index is 0x%" PRIx64 ", outside the buffer", area.bts.index);
    else
        test_saw(run, print_as_circular(run, &area.bts, ds_memory().bts + (size_t)SMALL * run->caps->bts_record_size));
    ds_settle();
    if (!ds_counts()->interrupts) /* pending until interrupts were on again */
        test_fail(run, "the threshold requested no interrupt");
    ds_close();
    records_check_outside(run);
}

TEST(bts_circular_undrained) = {
    .id = "bts.circular.undrained",
    .title = "A buffer that is not drained after its interrupt is never written at or past its absolute maximum",
    .source = SDM_DEBUG_STORE,
    GROUP,
    .run = full,
};

/* ---- the threshold ----------------------------------------------------------------------------------------------- */

/* Distance from the last record's end to the threshold, in records, and the number of interrupts expected. */
struct approach {
    int ahead;
    unsigned interrupts;
};

static void threshold(struct test_run *run)
{
    const struct approach *approach = run->test->argument;
    const unsigned branches = branches_of(&workload_loop);
    const struct ds_config config = { .bts = true,
                                      .bts_records = 512,
                                      .bts_threshold = branches + (unsigned)approach->ahead };
    struct window window = bts_window(run->caps, false);

    test_plan(run, branches);
    if (!records_open(run, &config))
        return;
    workload_loop.run(&window);
    records_close(run, approach->interrupts);
    records_compare_bts(run, &workload_loop, 0);
    test_equal(run, "number of interrupts with a cause", ds_counts()->interrupts - ds_counts()->spurious,
               approach->interrupts);
}

TESTS(thresholds) = {
    { "bts.threshold.below", "No interrupt is raised while the index is one record below the threshold",
      SDM_DEBUG_STORE, GROUP, .run = threshold, .argument = &(const struct approach){ .ahead = 1, .interrupts = 0 } },
    { "bts.threshold.at", "One interrupt is raised by the record that moves the index to the threshold",
      SDM_DEBUG_STORE, GROUP, .run = threshold,
      .typical = "The manual can also mean that the next record raises the interrupt.",
      .argument = &(const struct approach){ .ahead = 0, .interrupts = 1 } },
    { "bts.threshold.passed", "One interrupt has been raised once a record is past the threshold", SDM_DEBUG_STORE,
      GROUP, .run = threshold, .argument = &(const struct approach){ .ahead = -1, .interrupts = 1 } },
};

/* ---- the record -------------------------------------------------------------------------------------------------- */

static void layout(struct test_run *run)
{
    struct ds_area before, after;

    test_plan(run, branches_of(&workload_kinds));
    if (!trace(run, &roomy_bts, &workload_kinds, &before, &after))
        return;
    records_close(run, 0);
    records_compare_trace(run, &workload_kinds);
}

static const char *no_upper_halves(const struct caps *caps)
{
    return caps->ia32e_active    ? "in IA-32e mode addresses have 64 bits"
           : caps->ds_width == 4 ? "the fields of a record have 32 bits"
                                 : NULL;
}

TESTS(raw_records) = {
    { "bts.record.layout", "A record is the branch's source, its target and flags, each as wide as a field of the area",
      SDM_DEBUG_STORE ", figures 16-6 and 16-9", GROUP, .run = layout },
    { "bts.record.upper_halves", "Outside IA-32e mode the upper halves of a 64-bit record's addresses are 0",
      SDM_DEBUG_STORE ", 64-bit format", GROUP, .lacks = no_upper_halves, .run = layout },
};
