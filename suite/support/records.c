/* SPDX-License-Identifier: MIT */
#include "suite/support/records.h"

#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "bts/bts_layout.h"
#include "kernel/console.h"
#include "kernel/dump.h"
#include "kernel/held_lines.h"
#include "kernel/report/record_text.h"
#include "suite/support/code.h"
#include "suite/support/errata.h"

#define COMING_PAUSES 10000u /* many more than an interrupt takes to arrive */

static void print_breaches(const struct ds_breaches *breaches)
{
    for (unsigned i = 0; i < breaches->count; i++) {
        const struct ds_breach *b = &breaches->item[i];
        console_note("%s %s: %s 0x%" PRIx64 " %s [%s]", ds_breach_is_advice(b->id) ? "advice" : "breach",
                     ds_breach_name(b->id), b->field, b->value, ds_breach_sentence(b->id), ds_breach_citation(b->id));
    }
}

void records_expect_breach(struct test_run *run, const struct ds_breaches *breaches, enum ds_breach_id id)
{
    if (breaches->set != UINT64_C(1) << id) {
        test_fail(run, "the check found the set of breaches 0x%" PRIx64 ", expected only %s", breaches->set,
                  ds_breach_name(id));
        print_breaches(breaches);
    }
}

bool records_open(struct test_run *run, const struct ds_config *config)
{
    struct ds_breaches breaches;
    bool open = ds_open(run->caps, config, &breaches);

    if (!open)
        test_fail(run, "the check refused the DS area: it breaks %u of the manual's restrictions", breaches.count);
    print_breaches(&breaches);
    if (open && config->bts && config->bts_circular)
        console_note("bts buffer circular: only the newest records are kept");
    return open;
}

bool records_bts(struct test_run *run, unsigned n, struct bts_record *record)
{
    const struct ds_log *log = ds_bts_log();
    size_t offset = (size_t)n * log->record_size;

    return bts_decode(run->caps->ds_width, log->bytes + offset, (size_t)log->records * log->record_size - offset,
                      run->caps->bts_prediction, record) == BTS_DECODE_OK;
}

bool records_pebs(struct test_run *run, unsigned n, struct pebs_record *record)
{
    const struct ds_log *log = ds_pebs_log();
    size_t left;
    const uint8_t *bytes = ds_log_record(log, n, &left);
    enum pebs_error error = pebs_decode(&run->caps->pebs_form, bytes, left, record);

    if (error != PEBS_DECODE_OK)
        test_fail(run, "PEBS record %u: %s", n, pebs_error_text(error));
    return error == PEBS_DECODE_OK;
}

static void check_outside(struct test_run *run, const char *name, const struct ds_log *log)
{
    if (log->strayed)
        test_fail(run, "memory before the %s buffer's base or behind its maximum was written", name);
}

void records_check_log(struct test_run *run, const char *name, const struct ds_log *log)
{
    if (log->dropped)
        test_fail(run, "the log had no space for %u %s records", log->dropped, name);
    if (log->overruns)
        test_fail(run, "the %s buffer was full %u times: records may have been lost", name, log->overruns);
    if (log->broken)
        test_fail(run,
                  log->places ? "invalid data in the %s buffer, or its registers were overwritten, %u times"
                              : "the %s fields of the DS area were found overwritten %u times",
                  name, log->broken);
    check_outside(run, name, log);
}

static void check_and_count(struct test_run *run, const char *name, const struct ds_log *log, unsigned printed)
{
    records_check_log(run, name, log);
    if (log->records > printed)
        console_note("%u more %s records (records=all)", log->records - printed, name);
}

static unsigned most(const struct test_run *run)
{
    return run->hold_most > run->print_most ? run->hold_most : run->print_most;
}

/* The sink for record n of a facility: the log, or a buffer until the test's result is known. */
static const struct line_sink *sink(const struct test_run *run, unsigned n)
{
    return n < run->print_most ? &console_sink : &held_sink;
}

/* Only the kernel's code runs. */
static void check_code(struct test_run *run, const struct ds_log *log)
{
    const bool only_to = errata_any(run, HAS_ERRATUM(AR62) | HAS_ERRATUM(HSD053));
    struct bts_record record;

    for (unsigned n = 0; n < log->records && records_bts(run, n, &record); n++)
        if (only_to ? !code_has(record.to) : !code_has_branch(record.from, record.to)) {
            test_fail(run, "BTS record %u is 0x%" PRIx64 " => 0x%" PRIx64 ": the kernel's code has no such branch", n,
                      record.from, record.to);
            return;
        }
}

/* The manual defines one bit of the flags. Nothing says that the others are 0. */
static void check_flags(struct test_run *run, const struct ds_log *log)
{
    struct bts_record record;

    for (unsigned n = 0; n < log->records && records_bts(run, n, &record); n++)
        if (record.flags & ~BTS_FLAGS_PREDICTED) {
            test_differs(run, "BTS record %u has the flags 0x%" PRIx64 ", typically 0 except bit 4", n, record.flags);
            return;
        }
}

/* The number of records printed from each log. */
struct printed {
    unsigned bts, pebs;
};

static struct printed print_logs(struct test_run *run)
{
    const struct ds_log *bts = ds_bts_log(), *pebs = ds_pebs_log();
    struct printed n = { 0 };

    dump_bts(0, bts);
    dump_pebs(0, pebs, run->data_source);
    dump_flush();
    check_code(run, bts);
    check_flags(run, bts);
    for (unsigned i = 0; i < bts->records && run->bts_printed < most(run); i++) {
        struct bts_record record;
        n.bts += run->bts_printed < run->print_most;
        if (records_bts(run, i, &record)) {
            bts_text(sink(run, run->bts_printed), run->bts_printed, &record, &console_symbols);
            run->bts_printed++;
        }
    }
    for (unsigned i = 0; i < pebs->records && run->pebs_printed < most(run); i++) {
        struct pebs_record record;
        n.pebs += run->pebs_printed < run->print_most;
        if (records_pebs(run, i, &record)) {
            pebs_text(sink(run, run->pebs_printed), run->pebs_printed, &record, run->data_source, &console_symbols);
            run->pebs_printed++;
        }
    }
    console_note("drained %u BTS and %u PEBS records in %u interrupts", bts->records, pebs->records,
                 ds_counts()->interrupts);
    return n;
}

void records_check_served(struct test_run *run)
{
    if (!ds_served())
        test_fail(run, "a buffer is past its threshold, but no interrupt arrived");
}

void records_close(struct test_run *run, unsigned interrupts)
{
    records_close_spurious(run, interrupts, 0);
}

void records_close_spurious(struct test_run *run, unsigned interrupts, unsigned spurious)
{
    struct printed printed;

    for (unsigned i = 0; ds_counts()->interrupts < interrupts && i < COMING_PAUSES; i++)
        cpu_pause();
    if (interrupts)
        records_check_served(run);
    ds_close();
    printed = print_logs(run);
    check_and_count(run, "BTS", ds_bts_log(), printed.bts);
    check_and_count(run, "PEBS", ds_pebs_log(), printed.pebs);
    if (ds_counts()->interrupts < interrupts)
        test_fail(run, "%u interrupts arrived, expected at least %u", ds_counts()->interrupts, interrupts);
    if (ds_counts()->spurious < spurious)
        test_fail(run, "%u interrupts were spurious, expected at least %u", ds_counts()->spurious, spurious);
    else if (ds_counts()->spurious > spurious)
        test_differs(run, "%u interrupts were spurious, expected %u", ds_counts()->spurious, spurious);
}

void records_close_full(struct test_run *run)
{
    ds_close();
    print_logs(run);
    records_check_outside(run);
}

void records_check_outside(struct test_run *run)
{
    check_outside(run, "BTS", ds_bts_log());
    check_outside(run, "PEBS", ds_pebs_log());
}

void records_print_lbr(struct test_run *run, const struct lbr_stack *stack)
{
    unsigned held = 0;

    if (stack->error != LBR_DECODE_OK) {
        test_fail(run, "LBR stack: %s", lbr_error_text(stack->error));
        return;
    }
    dump_lbr(0, stack);
    lbr_head_text(&console_sink, stack->shifts, stack->tos, stack->depth);
    run->stacks_printed++;
    for (unsigned age = 0; age < stack->depth; age++) {
        const struct lbr_entry *const entry = &stack->entries[age];
        if (!lbr_is_used(entry))
            continue;
        if (age >= run->lbr_most && !held++)
            say(&held_sink, "lbr stack %u goes on", run->stacks_printed);
        lbr_text(age < run->lbr_most ? &console_sink : &held_sink, age, entry, &console_symbols);
    }
    if (held)
        console_note("%u more LBR entries (records=all)", held);
}

const struct branch *branch_next(struct branch_walk *walk)
{
    const struct workload *w = walk->workload;

    while (walk->position < w->branch_count) {
        const struct branch *b = &w->branches[walk->position];
        if (b->kind & walk->kinds && walk->repeated < b->repeat) {
            walk->repeated++;
            return b;
        }
        walk->position++;
        walk->repeated = 0;
    }
    return NULL;
}

unsigned branch_count(const struct workload *workload, uint64_t kinds)
{
    unsigned count = 0;

    for (uint64_t i = 0; i < workload->branch_count; i++)
        if (workload->branches[i].kind & kinds)
            count += (unsigned)workload->branches[i].repeat;
    return count;
}

/*
 * Only NMIs arrive unasked: the timer's, which ends a test that hangs, but also others. The workloads' own software
 * interrupt is one of their branches.
 */
static bool is_interrupt_entry(uint64_t address)
{
    if (interrupt_gate_address(VECTOR_NMI) == address)
        return true;
    for (unsigned vector = VECTOR_EXCEPTIONS; vector < 256; vector++)
        if (vector != VECTOR_WORKLOAD && vector != VECTOR_WORKLOAD_SELF && interrupt_gate_address(vector) == address)
            return true;
    return false;
}

static bool inside(const struct workload *workload, uint64_t address)
{
    return address >= workload->start && address < workload->limit;
}

void records_compare_bts(struct test_run *run, const struct workload *workload, unsigned skip)
{
    records_compare_bts_but(run, workload, skip, 0);
}

void records_compare_trace(struct test_run *run, const struct workload *workload)
{
    records_compare_bts(run, workload, 0);
    test_equal(run, "number of records", ds_bts_log()->records, branch_count(workload, BRANCH_KINDS_ALL));
}

/* Whether only From of the record is wrong, as an erratum of the processor makes it. previous: From before it. */
static bool is_explained(const struct test_run *run, const struct bts_record *record, uint64_t previous,
                         struct branch_walk walk, unsigned errata)
{
    const bool repeats = record->from == previous && errata_any(run, HAS_ERRATUM(HSD053));
    const struct branch *want = repeats || errata_any(run, errata) ? branch_next(&walk) : NULL;

    return want && record->to == want->to && record->from != want->from;
}

void records_compare_bts_but(struct test_run *run, const struct workload *workload, unsigned skip, unsigned errata)
{
    struct branch_walk walk = { workload, BRANCH_KINDS_ALL, 0, 0 };
    struct bts_record record;
    unsigned explained = 0;
    uint64_t previous = 0;

    while (skip--)
        branch_next(&walk);
    for (unsigned n = 0; n < ds_bts_log()->records; n++) {
        if (!records_bts(run, n, &record))
            return;
        const bool excused = is_explained(run, &record, previous, walk, errata);
        previous = record.from;
        if (!(inside(workload, record.from) || excused) ||
            (!inside(workload, record.to) && is_interrupt_entry(record.to)))
            continue;
        const struct branch *want = branch_next(&walk);
        test_saw(run, 1);
        if (excused) {
            explained++;
            continue;
        }
        if (!want || record.from != want->from || record.to != want->to) {
            test_fail(run, "BTS record %u is 0x%" PRIx64 " => 0x%" PRIx64 ", must be 0x%" PRIx64 " => 0x%" PRIx64, n,
                      record.from, record.to, want ? want->from : 0, want ? want->to : 0);
            return;
        }
    }
    if (explained)
        errata_explain(run, errata | HAS_ERRATUM(HSD053), "From of %u BTS records is wrong, To is right", explained);
}

void records_plan_circular(struct test_run *run, unsigned places)
{
    test_plan_typical(run, places - 1, places, places);
}

void records_compare_circular(struct test_run *run, const struct workload *workload)
{
    records_compare_bts(run, workload, branch_count(workload, BRANCH_KINDS_ALL) - ds_bts_log()->records);
}

void records_compare_interrupts(struct test_run *run)
{
    const uint64_t entry = interrupt_gate_address(VECTOR_PERFORMANCE);
    const bool only_to = errata_any(run, HAS_ERRATUM(AR62) | HAS_ERRATUM(HSD053));
    struct bts_record record;
    uint64_t interrupted = 0; /* the place to which no branch has returned yet */
    unsigned count = 0;

    for (unsigned n = 0; n < ds_bts_log()->records && records_bts(run, n, &record); n++) {
        if (record.to == entry && interrupted)
            break;
        count += record.to == entry;
        interrupted = record.to == entry ? record.from : record.to == interrupted ? 0 : interrupted;
    }
    if (interrupted && !only_to)
        test_fail(run, "an interrupt arrived at 0x%" PRIx64 ", but the trace has no return there", interrupted);
    test_equal(run, "number of interrupts in the trace", count, ds_counts()->interrupts - ds_counts()->untraced);
}
