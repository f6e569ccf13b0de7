/* SPDX-License-Identifier: MIT */
#include "suite/support/lbr_record.h"

#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "arch/x86/string.h"
#include "kernel/console.h"
#include "lbr/lbr_layout.h"
#include "suite/support/code.h"
#include "suite/support/errata.h"
#include "suite/support/transfers.h"

#define FAMILY_NETBURST 0xfu

struct lbr_stack lbr_recorded;

const char *lbr_is_read_only(const struct caps *caps)
{
    if (caps->family == FAMILY_NETBURST)
        return "the manual documents the LBR registers of NetBurst as read-only";
    return caps->family == 6 && (caps->model == 0x09 || caps->model == 0x0d)
               ? "the LBR registers of Pentium M are read-only, as measured on 06_0DH"
               : NULL;
}

/* Whether the entry may stem from firmware, since software cannot empty the stack, or has a wrong FROM for a reason. */
static bool is_excused(const struct test_run *run, unsigned age, const struct lbr_entry *entry)
{
    return (lbr_is_read_only(run->caps) && !code_has(entry->from)) || entry->from == LBR_FROM_FILTERED ||
           (age == 0 && errata_any(run, HAS_ERRATUM(BJ094) | HAS_ERRATUM(SKL186) | HAS_ERRATUM(LBR_COPY)));
}

/* The bits of INFO that have no meaning, or whose value is undefined. SDM Vol. 3B (253669-081), "LBR_INFO",
 * "IA32_LBR_x_INFO". */
static uint64_t undefined_info(const struct caps *caps, const struct lbr_entry *entry)
{
    const uint64_t events = UINT64_C(0xff) << LBR_INFO_EVENTS_SHIFT;

    if (caps->lbr_layout != LBR_LAYOUT_ARCH)
        return ~(LBR_INFO_MISPRED | LBR_INFO_IN_TSX | LBR_INFO_TSX_ABORT | LBR_INFO_CYCLES);
    return (UINT64_C(1) << LBR_INFO_TYPE_SHIFT) - 1 -
           ((caps->lbr_counters ? events : 0) | (entry->has & LBR_HAS_CYCLES ? LBR_INFO_CYCLES : 0));
}

void lbr_check_entry(struct test_run *run, unsigned age, const struct lbr_entry *entry)
{
    if (!lbr_is_used(entry)) {
        if (entry->info)
            test_fail(run, "LBR entry %u has no addresses, and INFO is 0x%" PRIx64, age, entry->info);
        return;
    }
    if (!is_excused(run, age, entry) && !code_has_branch(entry->from, entry->to))
        test_fail(run, "LBR entry %u is 0x%" PRIx64 " => 0x%" PRIx64 ": the kernel's code has no such branch", age,
                  entry->from, entry->to);
    if (entry->info & undefined_info(run->caps, entry))
        test_differs(run, "LBR entry %u has INFO 0x%" PRIx64 ", typically 0 in bits without a meaning", age,
                     entry->info);
    if (entry->in_tsx || entry->tsx_abort)
        test_fail(run, "LBR entry %u is in a transaction, must not be: no workload has one", age);
}

void lbr_check(struct test_run *run, const struct lbr_stack *stack)
{
    for (unsigned age = 0; age < stack->depth && stack->error == LBR_DECODE_OK; age++)
        lbr_check_entry(run, age, &stack->entries[age]);
}

void lbr_print(struct test_run *run)
{
    records_print_lbr(run, &lbr_recorded);
    lbr_check(run, &lbr_recorded);
}

/* SDM Vol. 3B (253669-081), "Last Branch Records", "IA32_LBR_x_INFO", BR_TYPE. */
static unsigned type_of(uint64_t kind)
{
    switch (kind) {
    case LBR_SELECT_JCC:
        return LBR_TYPE_JCC;
    case LBR_SELECT_NEAR_IND_JMP:
        return LBR_TYPE_IND_JMP;
    case LBR_SELECT_NEAR_REL_JMP:
        return LBR_TYPE_JMP;
    case LBR_SELECT_NEAR_IND_CALL:
        return LBR_TYPE_IND_CALL;
    case LBR_SELECT_NEAR_REL_CALL:
        return LBR_TYPE_CALL;
    case LBR_SELECT_NEAR_RET:
        return LBR_TYPE_RET;
    default:
        return LBR_TYPE_OTHER;
    }
}

#define CPUID_1C_ECX_TYPE (1u << 2) /* entries have branch types */

void lbr_compare_events(struct test_run *run, unsigned age, const struct lbr_entry *got, const struct branch *want,
                        const unsigned events[LBR_COUNTERS])
{
    const unsigned type = got->type < LBR_TYPE_OTHER ? got->type : LBR_TYPE_OTHER;

    if (!want || got->from != want->from || got->to != want->to)
        test_fail(run, "LBR entry %u is 0x%" PRIx64 " => 0x%" PRIx64 ", must be 0x%" PRIx64 " => 0x%" PRIx64, age,
                  got->from, got->to, want ? want->from : 0, want ? want->to : 0);
    if (want && got->has & LBR_HAS_TYPE && cpuid(0x1c, 0).ecx & CPUID_1C_ECX_TYPE && type != type_of(want->kind))
        test_fail(run, "LBR entry %u has branch type %u, must be %u", age, got->type, type_of(want->kind));
    for (unsigned n = 0; events && n < LBR_COUNTERS; n++)
        if (got->events[n] != events[n])
            test_fail(run, "LBR entry %u counts %u events of counter %u, must count %u", age, got->events[n], n,
                      events[n]);
}

void lbr_compare_entry(struct test_run *run, unsigned age, const struct lbr_entry *got, const struct branch *want)
{
    static const unsigned none[LBR_COUNTERS];

    lbr_compare_events(run, age, got, want, run->caps->lbr_counters ? none : NULL);
}

void lbr_compare_stack(struct test_run *run, const struct lbr_stack *stack, const struct workload *workload,
                       uint64_t kinds, unsigned count)
{
    struct branch_walk walk = { workload, kinds, 0, 0 };

    for (unsigned skip = branch_count(workload, kinds) - count; skip; skip--)
        branch_next(&walk);
    for (unsigned age = count; age-- > 0 && stack->error == LBR_DECODE_OK;)
        lbr_compare_entry(run, age, &stack->entries[age], branch_next(&walk));
}

void lbr_compare(struct test_run *run, const struct workload *workload, uint64_t kinds, unsigned count)
{
    lbr_compare_stack(run, &lbr_recorded, workload, kinds, count);
}

static bool is_of(const struct workload *workload, const struct lbr_entry *entry)
{
    for (uint64_t i = 0; i < workload->branch_count; i++)
        if (workload->branches[i].from == entry->from)
            return true;
    return false;
}

unsigned lbr_compare_own(struct test_run *run, const struct workload *workload, unsigned recorded)
{
    struct branch_walk walk = { workload, BRANCH_KINDS_ALL, 0, 0 };
    const unsigned total = branch_count(workload, BRANCH_KINDS_ALL);
    unsigned own = 0;

    for (unsigned age = 0; age < recorded; age++)
        own += is_of(workload, &lbr_recorded.entries[age]);
    for (unsigned skip = own; skip < total; skip++)
        branch_next(&walk);
    for (unsigned age = recorded; age-- > 0;)
        if (is_of(workload, &lbr_recorded.entries[age]))
            lbr_compare_entry(run, age, &lbr_recorded.entries[age], branch_next(&walk));
    return own;
}

bool lbr_same(const struct lbr_stack *one, const struct lbr_stack *other)
{
    return memcmp(one->registers, other->registers, one->depth * sizeof one->registers[0]) == 0;
}

unsigned lbr_used(const struct lbr_stack *stack)
{
    unsigned count = 0;

    for (unsigned age = 0; age < stack->depth && stack->error == LBR_DECODE_OK; age++)
        count += lbr_is_used(&stack->entries[age]);
    return count;
}

/*
 * The number of entries recorded since the top of the stack was at tos, for at least this many branches. If the pointer
 * moved less than that, it wrapped.
 */
static unsigned recorded_since(const struct lbr_stack *stack, uint64_t tos, unsigned branches)
{
    const unsigned depth = stack->depth, steps = (unsigned)(stack->tos - tos) & (depth - 1);

    return steps < branches ? depth : steps;
}

/* Of a stack that was emptied, the entries behind the recorded ones are still empty. */
static void compare_rest(struct test_run *run, const struct lbr_stack *stack, unsigned recorded)
{
    for (unsigned age = recorded; age < stack->depth && stack->error == LBR_DECODE_OK; age++)
        for (unsigned i = 0; i < sizeof stack->registers[age] / sizeof stack->registers[age][0]; i++)
            if (stack->registers[age][i])
                test_fail(run, "register %u of LBR entry %u is 0x%" PRIx64 ", must be 0: no branch was recorded there",
                          i, age, stack->registers[age][i]);
}

/* The registers that control the stack read as they were written last, by the workload's window too. */
static void compare_control(struct test_run *run, uint64_t select, const struct window *window)
{
    const struct caps *const caps = run->caps;

    test_equal(run, "register of the LBR flag after the workload", msr_get((uint32_t)window->msr), window->off);
    if (caps->lbr_layout == LBR_LAYOUT_ARCH)
        test_equal(run, "IA32_LBR_DEPTH after the workload", msr_get(MSR_IA32_LBR_DEPTH), caps->lbr_depth);
    else if (caps->lbr_select)
        test_equal(run, "MSR_LBR_SELECT after the workload", msr_get(caps->lbr_select), select);
}

/* A stack that the manual documents as read-only takes all writes of 0, or none. */
static bool all_or_none(const struct lbr_stack *before, const struct lbr_stack *after)
{
    static const struct lbr_stack none;

    return lbr_same(after, before) || lbr_same(after, &none);
}

void lbr_clear(struct test_run *run, uint64_t select)
{
    struct lbr_stack before, after; /* several processors may come here at once */
    const bool read_only = lbr_is_read_only(run->caps);

    if (read_only) {
        lbr_read(run->caps, &before);
        lbr_read(run->caps, &after);
        if (!lbr_same(&after, &before))
            test_fail(run, "two reads of the LBR stack differ");
    }
    if (!lbr_reset(run->caps, select) && !read_only)
        test_fail(run, "WRMSR to a register of the LBR stack raised #GP");
    if (read_only) {
        lbr_read(run->caps, &after);
        if (!all_or_none(&before, &after))
            test_fail(run, "WRMSR of 0 changed the LBR stack, but did not empty all of it");
    }
}

void lbr_empty(struct test_run *run, uint64_t select, struct lbr_stack *stack)
{
    lbr_clear(run, select);
    lbr_read(run->caps, stack);
    if (stack->error != LBR_DECODE_OK)
        test_fail(run, "LBR stack, emptied: %s", lbr_error_text(stack->error));
    else if (!lbr_is_read_only(run->caps))
        compare_rest(run, stack, 0);
}

unsigned lbr_take(struct test_run *run, const struct workload *workload, uint64_t select, struct lbr_stack *stack)
{
    struct window window;
    unsigned recorded;
    uint64_t tos;
    bool emptied;

    lbr_empty(run, select, stack);
    emptied = !lbr_used(stack);
    tos = stack->tos;
    window = lbr_window(run->caps, 0);
    workload->run(&window);
    lbr_read(run->caps, stack);
    recorded = emptied ? lbr_used(stack) : recorded_since(stack, tos, branch_count(workload, ~select));
    if (emptied && !(select & LBR_SELECT_CALL_STACK))
        compare_rest(run, stack, recorded);
    compare_control(run, select, &window);
    return recorded;
}

unsigned lbr_run(struct test_run *run, const struct workload *workload, uint64_t select)
{
    unsigned recorded;

    interrupts_off();
    recorded = lbr_take(run, workload, select, &lbr_recorded);
    interrupts_on();
    if (select & LBR_SELECT_CALL_STACK)
        console_note("lbr as a call stack: a return removes its call");
    records_print_lbr(run, &lbr_recorded);
    if (workload != &workload_based) /* its entries may have addresses without the segment's base */
        lbr_check(run, &lbr_recorded);
    return recorded;
}

void lbr_record(struct test_run *run, const struct workload *workload, uint64_t suppress)
{
    unsigned depth = run->caps->lbr_depth;
    unsigned total = branch_count(workload, ~suppress);

    test_plan(run, total < depth ? total : depth);
    test_saw(run, lbr_run(run, workload, suppress));
    lbr_compare(run, workload, ~suppress, run->expected);
}

void lbr_record_all(struct test_run *run)
{
    lbr_record(run, run->test->argument, LBR_NO_FILTER);
}
