/* SPDX-License-Identifier: MIT */
/* Branches, of BTS and of LBR stacks, compared with a workload's table. */
#include <inttypes.h>
#include <string.h>

#include "lib/line.h"
#include "tools/linux/claims.h"
#include "tools/linux/output.h"

#define BRANCHES_MAX 4096u
#define PERIOD       1009u /* branches from one stack to the next: more than a stack holds, and not a multiple of a round */
#define STACKS       40u
#define IS_KERNEL(a) ((int64_t)(a) < 0)
#define WATERMARK    (16u << 10) /* bytes of records from one interrupt to the next: a tenth of the long loop */

/* The workload's taken branches of the wanted kinds, in execution order. */
static const struct branch *expected[BRANCHES_MAX];
static bool covered[BRANCHES_MAX];
static unsigned expected_count;

static void expect(const struct workload *workload, uint64_t kinds)
{
    expected_count = 0;
    for (uint64_t i = 0; i < workload->branch_count; i++)
        for (uint64_t n = 0; n < workload->branches[i].repeat && expected_count < BRANCHES_MAX; n++)
            if (workload->branches[i].kind & kinds)
                expected[expected_count++] = &workload->branches[i];
    memset(covered, 0, sizeof covered);
}

/* Linux offers it by intel_bts as raw records, else by a period of 1 as samples, which lack the flags. */
static bool record_bts(struct check *c)
{
    struct recording r = { .workload = c->claim->workload };

    if (c->kind->bts_type && !c->claim->what) {
        r.bts = true;
        r.attr[0] = perf_event(c->kind->bts_type, 0);
        r.attr[0].sample_type = 0;
        r.attr[0].aux_watermark = WATERMARK;
    } else {
        r.attr[0] = machine_architectural(c->kind, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
        r.attr[0].sample_period = 1;
        r.attr[0].sample_type |= PERF_SAMPLE_ADDR;
    }
    if (!check_record(c, &r))
        return false;
    for (; !r.bts && r.branches < r.samples; r.branches++)
        perf_branches[r.branches] =
            (struct bts_triple){ perf_samples[r.branches].ip, perf_samples[r.branches].address, 0 };
    output_bts(perf_branches, r.branches, r.bts && c->kind->caps.bts_prediction, c->claim->workload);
    c->seen = r.branches;
    if (r.lost)
        check_wrong(c, "Linux lost BTS records %u times", r.lost);
    return true;
}

static void check_predictions(struct check *c)
{
    unsigned jumps = 0, surprised = 0;

    for (unsigned i = 0; i < c->seen; i++)
        if (perf_branches[i].from == c->claim->workload->branches[0].from) {
            jumps++;
            surprised += !(perf_branches[i].flags >> 4 & 1);
        }
    if (surprised < jumps / 8)
        check_wrong(c, "%u of %u jumps to unpredictable targets are marked as mispredicted, expected at least %u",
                    surprised, jumps, jumps / 8);
}

/* Each record inside the workload must be its next branch; interrupts add records of the kernel, which are left out. */
void check_bts(struct check *c)
{
    const struct workload *const w = c->claim->workload;
    const unsigned errata = HAS_ERRATUM(HSD053) | HAS_ERRATUM(AR62); /* a wrong From */
    unsigned position = 0;

    expect(w, UINT64_MAX);
    if (c->claim->kinds && !c->kind->bts_type)
        check_skip(c, "without intel_bts, which page-table isolation denies, Linux delivers no prediction bit");
    else if (c->claim->kinds && !c->kind->caps.bts_prediction)
        check_skip(c, caps_reason_text(CAPS_BTS_NO_PREDICTION));
    if (c->skipped || !record_bts(c))
        return;
    for (unsigned i = 0; i < c->seen; i++) {
        const struct bts_triple *const b = &perf_branches[i];
        const bool next = position < expected_count && b->to == expected[position]->to;
        if (IS_KERNEL(b->to) || !(perf_inside(w, b->from) || (next && c->kind->caps.errata & errata)))
            continue;
        if (position == expected_count) {
            check_wrong(c, "record %u is past the workload's %u branches: 0x%" PRIx64 " => 0x%" PRIx64, i,
                        expected_count, b->from, b->to);
            return;
        }
        const struct branch *const want = expected[position++];
        if (b->from != want->from || b->to != want->to)
            check_but(c, next ? errata : 0,
                      "record %u is 0x%" PRIx64 " => 0x%" PRIx64 ", must be 0x%" PRIx64 " => 0x%" PRIx64, i, b->from,
                      b->to, want->from, want->to);
        if (c->problems)
            return;
    }
    if (position != expected_count)
        check_wrong(c, "%u branches of the workload, must be %u", position, expected_count);
    if (c->claim->kinds)
        check_predictions(c);
}

static bool is_equal(const struct perf_branch_entry *entry, const struct branch *want)
{
    static const uint64_t kinds[] = { [PERF_BR_COND] = LBR_SELECT_JCC,
                                      [PERF_BR_UNCOND] = LBR_SELECT_NEAR_REL_JMP,
                                      [PERF_BR_IND] = LBR_SELECT_NEAR_IND_JMP,
                                      [PERF_BR_CALL] = LBR_SELECT_NEAR_REL_CALL,
                                      [PERF_BR_IND_CALL] = LBR_SELECT_NEAR_IND_CALL,
                                      [PERF_BR_RET] = LBR_SELECT_NEAR_RET };

    return entry->from == want->from && entry->to == want->to &&
           (entry->type == PERF_BR_UNKNOWN ||
            (entry->type < sizeof kinds / sizeof *kinds && kinds[entry->type] == want->kind));
}

/*
 * A row of entries without other code between them, the oldest first at stack[last], the newest at stack[first].
 * from_start: it begins with the workload's first branch. to_end: it ends with the last one. Returns whether it is a
 * part of the workload's sequence; with a filter, the sequence may begin again.
 */
static bool fits(const struct check *c, const struct sample *s, unsigned first, unsigned last, bool from_start,
                 bool to_end)
{
    for (unsigned start = 0; start < (from_start ? 1 : expected_count); start++) {
        unsigned at = start, i = last + 1;
        while (i > first && at < expected_count && is_equal(&s->stack[i - 1], expected[at])) {
            i--;
            at++;
            if (at == expected_count && c->claim->kinds)
                at = 0;
        }
        if (i > first || (to_end && !c->claim->kinds && at != expected_count))
            continue;
        for (i = 0; i <= last - first; i++)
            covered[(start + i) % expected_count] = true;
        return true;
    }
    return false;
}

/* Whether the entries inside the workload, from the first one on, are its open calls at some point: the newest first.
 */
static bool fits_call_stack(const struct workload *w, const struct sample *s, unsigned first)
{
    const struct branch *open[BRANCHES_MAX];
    unsigned depth = 0, end = first;

    while (end < s->entries && perf_inside(w, s->stack[end].from))
        end++;
    for (unsigned i = 0; i <= expected_count; i++) {
        bool equal = depth == end - first;
        for (unsigned k = 0; equal && k < depth; k++)
            equal = is_equal(&s->stack[first + k], open[depth - 1 - k]);
        if (equal)
            return true;
        if (i < expected_count && expected[i]->kind & (LBR_SELECT_NEAR_REL_CALL | LBR_SELECT_NEAR_IND_CALL))
            open[depth++] = expected[i];
        else if (i < expected_count && depth)
            depth--;
    }
    return false;
}

/* Whether all rows of the stack's entries inside the workload fit, from the newest one on that counts. */
static bool stack_fits(struct check *c, const struct sample *s, unsigned newest)
{
    const struct workload *const w = c->claim->workload;

    if (c->claim->branches & PERF_SAMPLE_BRANCH_CALL_STACK) {
        c->seen += s->entries && perf_inside(w, s->stack[0].from);
        return fits_call_stack(w, s, newest);
    }
    for (unsigned first = newest, last; first < s->entries; first = last + 1) {
        last = first;
        if (!perf_inside(w, s->stack[first].from))
            continue;
        while (last + 1 < s->entries && perf_inside(w, s->stack[last + 1].from))
            last++;
        const bool older = last + 1 < s->entries && !IS_KERNEL(s->stack[last + 1].from) && !c->claim->kinds;
        const bool newer = first > newest && !IS_KERNEL(s->stack[first - 1].from);
        if (!fits(c, s, first, last, older, newer))
            return false;
        c->seen += last - first + 1;
    }
    return true;
}

static void check_details(struct check *c, unsigned samples)
{
    const struct workload *const w = c->claim->workload;
    const uint64_t from = w->branches[0].from;
    unsigned entries = 0, mispredicted = 0, predicted = 0, both = 0, deepest = 0, timed = 0;

    for (unsigned i = 0; i < samples; i++) {
        const struct sample *const s = &perf_samples[i];
        deepest = s->entries > deepest ? s->entries : deepest;
        for (unsigned k = 0; k < s->entries; k++) {
            if (s->stack[k].from != from)
                continue;
            entries++;
            mispredicted += s->stack[k].mispred;
            predicted += s->stack[k].predicted;
            both += s->stack[k].mispred && s->stack[k].predicted;
            timed += s->stack[k].cycles != 0;
        }
    }
    if (both)
        check_wrong(c, "%u entries are both predicted and mispredicted", both);
    if (deepest > c->kind->depth)
        check_wrong(c, "a stack has %u entries, of at most %u", deepest, c->kind->depth);
    if (c->claim->what == DETAIL_DEPTH && deepest != c->kind->depth)
        check_wrong(c, "the deepest stack has %u entries, must be %u", deepest, c->kind->depth);
    if (c->claim->what == DETAIL_MISPREDICTED && mispredicted < entries / 8)
        check_wrong(c, "%u of %u unpredictable jumps are mispredicted, expected at least %u", mispredicted, entries,
                    entries / 8);
    if (c->claim->what == DETAIL_PREDICTED && predicted < entries / 2)
        check_wrong(c, "%u of %u branches of a loop are predicted", predicted, entries);
    if (c->claim->what == DETAIL_CYCLES && timed < entries / 2)
        check_wrong(c, "%u of %u entries have cycles", timed, entries);
}

/* Each branch must be in an entry if a stack holds all of the workload's, and there are enough stacks. */
static void check_coverage(struct check *c, unsigned samples)
{
    if (expected_count > c->kind->depth || samples < STACKS / 2 || c->claim->branches & PERF_SAMPLE_BRANCH_CALL_STACK)
        return;
    for (unsigned i = 0; i < expected_count; i++)
        if (!covered[i]) {
            check_wrong(c, "no entry of the branch 0x%" PRIx64 " => 0x%" PRIx64, expected[i]->from, expected[i]->to);
            return;
        }
}

void check_lbr(struct check *c)
{
    struct recording r = { .workload = c->claim->workload };
    const unsigned errata = HAS_ERRATUM(BJ094) | HAS_ERRATUM(SKL186) | HAS_ERRATUM(LBR_COPY);
    unsigned wrong = 0, first = 0, newest = 0;

    if (c->claim->what >= DETAIL_PREDICTED && !c->kind->caps.arch_lbr && c->kind->caps.perfmon_version < 4) {
        check_skip(c, caps_reason_text(CAPS_LBR_NO_INFO));
        return;
    }
    expect(c->claim->workload, c->claim->kinds ? c->claim->kinds : UINT64_MAX);
    r.attr[0] = machine_architectural(c->kind, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
    r.attr[0].sample_period = PERIOD;
    r.attr[0].sample_type |= PERF_SAMPLE_BRANCH_STACK;
    r.attr[0].branch_sample_type = PERF_SAMPLE_BRANCH_USER | c->claim->branches;
    if (!(c->claim->branches & PERF_SAMPLE_BRANCH_CALL_STACK))
        r.attr[0].branch_sample_type |= PERF_SAMPLE_BRANCH_TYPE_SAVE;
    r.rounds = STACKS * PERIOD / ((unsigned)c->claim->workload->branch_count + 4);
    if (expected_count > 1000)
        r.rounds = STACKS * PERIOD / expected_count;
    if (!check_record(c, &r))
        return;
    output_lbr(perf_samples, r.samples, c->claim->workload);
    for (unsigned i = 0; i < r.samples; i++)
        if (stack_fits(c, &perf_samples[i], 0))
            continue;
        else if (c->kind->caps.errata & errata && stack_fits(c, &perf_samples[i], 1))
            newest++;
        else if (!wrong++)
            first = i;
    if (newest)
        check_but(c, errata, "%u of %u stacks are right except for their newest entry", newest, r.samples);
    if (wrong > r.interruptions) {
        output_stack(&perf_samples[first], first);
        check_wrong(
            c, "%u of %u stacks are not a sequence of the workload's branches, the first one is %u; interruptions: %u",
            wrong, r.samples, first, r.interruptions);
    }
    if (r.samples < STACKS / 2 && !r.throttled)
        check_wrong(c, "%u stacks, expected at least %u", r.samples, STACKS / 2);
    check_coverage(c, r.samples);
    check_details(c, r.samples);
}
