/* SPDX-License-Identifier: MIT */
#include "suite/support/lbr_record.h"

#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "kernel/console.h"
#include "suite/support/code.h"
#include "suite/support/errata.h"
#include "suite/support/transfers.h"

#define FAMILY_NETBURST 0xfu

struct lbr_stack lbr_recorded;

void lbr_compare_entry(struct test_run *run, unsigned age, const struct lbr_entry *got, const struct branch *want)
{
    if (got->from != want->from || got->to != want->to)
        test_fail(run, "LBR entry %u is 0x%" PRIx64 " => 0x%" PRIx64 ", must be 0x%" PRIx64 " => 0x%" PRIx64, age,
                  got->from, got->to, want->from, want->to);
}

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

void lbr_check(struct test_run *run, const struct lbr_stack *stack)
{
    for (unsigned age = 0; age < stack->depth && stack->error == LBR_DECODE_OK; age++) {
        const struct lbr_entry *const entry = &stack->entries[age];

        if (!lbr_is_used(entry))
            continue;
        if (!is_excused(run, age, entry) && !code_has_branch(entry->from, entry->to))
            test_fail(run, "LBR entry %u is 0x%" PRIx64 " => 0x%" PRIx64 ": the kernel's code has no such branch", age,
                      entry->from, entry->to);
        if (entry->in_tsx || entry->tsx_abort)
            test_fail(run, "LBR entry %u is in a transaction, must not be: no workload has one", age);
    }
}

void lbr_print(struct test_run *run)
{
    records_print_lbr(run, &lbr_recorded);
    lbr_check(run, &lbr_recorded);
}

void lbr_compare_stack(struct test_run *run, const struct lbr_stack *stack, const struct workload *workload,
                       uint64_t kinds, unsigned count)
{
    struct branch_walk walk = { workload, kinds, 0, 0 };
    unsigned total = branch_count(workload, kinds);

    for (unsigned skip = total - count; skip; skip--)
        branch_next(&walk);
    for (unsigned age = count; age-- > 0;)
        lbr_compare_entry(run, age, &stack->entries[age], branch_next(&walk));
}

void lbr_compare(struct test_run *run, const struct workload *workload, uint64_t kinds, unsigned count)
{
    lbr_compare_stack(run, &lbr_recorded, workload, kinds, count);
}

static unsigned used(const struct lbr_stack *stack)
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

unsigned lbr_take(const struct caps *caps, const struct workload *workload, uint64_t select, struct lbr_stack *stack,
                  bool *emptied)
{
    struct window window;
    uint64_t tos;

    lbr_reset(caps, select);
    lbr_read(caps, stack);
    *emptied = !used(stack);
    tos = stack->tos;
    window = lbr_window(caps, 0);
    workload->run(&window);
    lbr_read(caps, stack);
    return *emptied ? used(stack) : recorded_since(stack, tos, branch_count(workload, ~select));
}

/* Of a stack that was emptied, the entries behind the recorded ones are still empty. */
static void compare_rest(struct test_run *run, const struct lbr_stack *stack, unsigned recorded)
{
    for (unsigned age = recorded; age < stack->depth; age++)
        for (unsigned i = 0; i < sizeof stack->registers[age] / sizeof stack->registers[age][0]; i++)
            if (stack->registers[age][i])
                test_fail(run, "register %u of LBR entry %u is 0x%" PRIx64 ", must be 0: no branch was recorded there",
                          i, age, stack->registers[age][i]);
}

unsigned lbr_run(struct test_run *run, const struct workload *workload, uint64_t select)
{
    unsigned recorded;
    bool emptied;

    interrupts_off();
    recorded = lbr_take(run->caps, workload, select, &lbr_recorded, &emptied);
    interrupts_on();
    if (emptied && lbr_recorded.error == LBR_DECODE_OK && !(select & LBR_SELECT_CALL_STACK))
        compare_rest(run, &lbr_recorded, recorded);
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
    if (lbr_recorded.error == LBR_DECODE_OK)
        lbr_compare(run, workload, ~suppress, run->expected);
}

void lbr_record_all(struct test_run *run)
{
    lbr_record(run, run->test->argument, LBR_NO_FILTER);
}
