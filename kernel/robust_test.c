/* SPDX-License-Identifier: MIT */
/* What the kernel must survive: spurious interrupts, repeated interrupts, and an overwritten DS area. */
#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"
#include "bts/bts.h"
#include "ds/ds_area.h"
#include "kernel/test.h"
#include "suite/support/pebs_compare.h"
#include "suite/support/pebs_places.h"
#include "suite/support/records.h"
#include "suite/support/sources.h"

#define GROUP .needs = NEED_APIC | NEED_BTS, .records = true

#define DELIVERY_PAUSES 1000u /* many more than a self-sent interrupt takes to arrive */

/* The threshold is above the number of branches that the interrupt's handler has before it stops the trace. */
static const struct ds_config traced = { .bts = true, .bts_records = 64, .bts_threshold = 24 };

static void let_come(void)
{
    for (unsigned i = 0; i < DELIVERY_PAUSES; i++)
        cpu_pause();
}

/* Sends a performance monitoring interrupt without a cause, and waits for it. */
static void interrupt_for_nothing(void)
{
    apic_send_self(VECTOR_PERFORMANCE);
    let_come();
}

static void trace_loop(struct test_run *run)
{
    struct window window = bts_window(run->caps, false);

    workload_loop.run(&window);
}

static uint8_t *area_bytes(void)
{
    return (uint8_t *)(uintptr_t)msr_get(MSR_IA32_DS_AREA);
}

/* A test that overwrites the DS area: it must fail, and later tests must pass. */
static void scribbler(struct test_run *run)
{
    test_plan(run, 0);
    if (!records_open(run, &traced))
        return;
    trace_loop(run);
    for (unsigned i = 0; i < run->caps->ds_area_size; i++)
        area_bytes()[i] = 0x5a; /* the window is closed, so the processor stores no records there */
    records_close(run, 0);
}

TEST(selftest_scribble) = {
    .id = "selftest.scribble",
    .title = "A test that scribbles over the whole area fails, and does not affect the next one",
    .source = OWN_ROBUST,
    GROUP,
    .on_request = true,
    .run = scribbler,
};

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

static void spurious(struct test_run *run)
{
    unsigned interrupts;

    test_plan(run, branch_count(&workload_loop, BRANCH_KINDS_ALL));
    if (!records_open(run, &traced))
        return;
    interrupt_for_nothing();
    interrupt_for_nothing();
    trace_loop(run);
    records_close_spurious(run, 2 + branch_count(&workload_loop, BRANCH_KINDS_ALL) / traced.bts_threshold, 2);
    interrupts = ds_counts()->interrupts;
    interrupt_for_nothing(); /* the area is closed by now */
    test_equal(run, "number of interrupts after the area was closed", ds_counts()->interrupts, interrupts);
    records_compare_bts(run, &workload_loop, 0);
    records_compare_interrupts(run);
}

static void send_again(uint64_t global_status)
{
    static bool again;

    (void)global_status;
    again = !again; /* otherwise each interrupt would send another */
    if (again)
        apic_send_self(VECTOR_PERFORMANCE);
}

/*
 * The second interrupt waits until the first has been handled. It then drains the few branches of the return from the
 * first.
 */
static void twice(struct test_run *run)
{
    unsigned branches = branch_count(&workload_loop, BRANCH_KINDS_ALL);

    test_plan(run, branches);
    if (!records_open(run, &traced))
        return;
    ds_on_interrupt(send_again);
    trace_loop(run);
    let_come(); /* the second drains no records if the first was raised at the trace's end */
    records_close_spurious(run, 2 * (branches / traced.bts_threshold), ds_counts()->spurious);
    records_compare_bts(run, &workload_loop, 0);
    records_compare_interrupts(run);
}

TESTS(interrupts) = {
    { "robust.pmi.spurious",
      "A spurious interrupt is counted as such and loses no record, and one after the area was closed does nothing",
      OWN_ROBUST "; " SDM_DS_SERVICE, GROUP, .run = spurious },
    { "robust.pmi.twice", "An interrupt that comes twice drains twice, and no record is lost or counted twice",
      OWN_ROBUST "; " SDM_DS_SERVICE, GROUP, .run = twice },
};

/* ---- a scribbled area -------------------------------------------------------------------------------------------- */

enum scribble { INDEX_BELOW, INDEX_ABOVE, INDEX_OFF_GRID, BASE, MAXIMUM, THRESHOLD, RESET, SCRIBBLES };

static const char *const scribbled[SCRIBBLES] = { "an index below the buffer", "an index past the buffer",
                                                  "an index off the grid",     "another base",
                                                  "another maximum",           "another threshold",
                                                  "another reset value" };

/* Overwrites one field of the open area. */
static void scribble(const struct caps *caps, bool pebs, enum scribble what, unsigned record)
{
    struct ds_area area;
    struct ds_buffer *buffer = pebs ? &area.pebs : &area.bts;

    ds_area_decode(caps->ds_width, caps->ds_area_format, area_bytes(), caps->ds_area_size, &area);
    switch (what) {
    case INDEX_BELOW:
        buffer->index = buffer->base - record;
        break;
    case INDEX_ABOVE:
        buffer->index = buffer->maximum + record;
        break;
    case INDEX_OFF_GRID:
        buffer->index = buffer->base + record + 1;
        break;
    case BASE:
        buffer->base -= record;
        break;
    case MAXIMUM:
        buffer->maximum += 64 * record;
        break;
    case THRESHOLD:
        buffer->threshold = buffer->base;
        break;
    default:
        area.pebs_reset[0]++;
        break;
    }
    ds_area_encode(caps->ds_width, caps->ds_area_format, &area, area_bytes(), caps->ds_area_size);
}

/* Overwrites the area before anything is armed, so that the drain finds exactly the overwritten value. */
static void open_and_scribble(struct test_run *run, const struct ds_config *config, enum scribble what)
{
    const struct ds_log *log = config->pebs ? ds_pebs_log() : ds_bts_log();

    if (!records_open(run, config))
        return;
    scribble(run->caps, config->pebs, what, log->record_size);
    ds_close();
    if (log->broken != 1 || log->records)
        test_fail(run, "%s: noticed %u times, must be once; %u records were taken, must be none", scribbled[what],
                  log->broken, log->records);
}

static void scribbled_bts(struct test_run *run)
{
    test_plan(run, branch_count(&workload_loop, BRANCH_KINDS_ALL));
    for (enum scribble what = 0; what < RESET; what++)
        open_and_scribble(run, &traced, what);
    if (!records_open(run, &traced))
        return;
    scribble(run->caps, false, INDEX_OFF_GRID, ds_bts_log()->record_size);
    interrupt_for_nothing(); /* its service routine repairs the area */
    test_equal(run, "drains that found the area broken", ds_bts_log()->broken, 1);
    if (!records_open(run, &traced))
        return;
    trace_loop(run);
    records_close(run, 1);
    records_compare_bts(run, &workload_loop, 0);
}

#define SAMPLES 8u

static void scribbled_pebs(struct test_run *run)
{
    const struct ds_config config = { .pebs = true, .pebs_records = 16, .pebs_threshold = 8 };
    const struct pebs_sample sample = pebs_sample_any(run->caps, SAMPLES);

    test_plan(run, SAMPLES);
    for (enum scribble what = 0; what < SCRIBBLES; what++)
        open_and_scribble(run, &config, what);
    if (pebs_sample(run, &sample) && caps_missing(run->caps, NEED_PEBS_REGISTERS) == CAPS_AVAILABLE)
        pebs_check_numbers(run, &sample, pebs_sample_spacing(run->caps, &sample) - 1);
}

TESTS(scribbled_areas) = {
    { "robust.area.bts", "Any BTS field that is scribbled over is noticed, and the next trace is complete",
      OWN_ROBUST "; " SDM_DEBUG_STORE, GROUP, .run = scribbled_bts },
    { "robust.area.pebs",
      "Any PEBS field that is scribbled over, also a reset value, is noticed, and the next samples are complete",
      OWN_ROBUST "; " SDM_DEBUG_STORE, .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_AREA | NEED_EVENT_ANY,
      .records = true, .run = scribbled_pebs },
};
