/* SPDX-License-Identifier: MIT */
#include "suite/lbr_record.h"

#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "kernel/console.h"

struct lbr_stack lbr_recorded;

void lbr_compare(struct test_run *run, const struct workload *workload, uint64_t kinds, unsigned count)
{
    struct branch_walk walk = { workload, kinds, 0, 0 };
    unsigned total = branch_count(workload, kinds);

    for (unsigned skip = total - count; skip; skip--)
        branch_next(&walk);
    for (unsigned age = count; age-- > 0;) {
        const struct branch *want = branch_next(&walk);
        const struct lbr_entry *got = &lbr_recorded.entries[age];
        if (got->from != want->from || got->to != want->to)
            test_fail(run, "LBR entry %u is 0x%" PRIx64 " => 0x%" PRIx64 ", must be 0x%" PRIx64 " => 0x%" PRIx64, age,
                      got->from, got->to, want->from, want->to);
    }
}

void lbr_run(struct test_run *run, const struct workload *workload, uint64_t select)
{
    struct window window;

    interrupts_off();
    lbr_reset(run->caps, select);
    window = lbr_window(run->caps, 0);
    workload->run(&window);
    lbr_read(run->caps, &lbr_recorded);
    interrupts_on();
    if (select & LBR_SELECT_CALL_STACK)
        console_note("lbr as a call stack: a return removes its call");
    records_print_lbr(run, &lbr_recorded);
}

void lbr_record(struct test_run *run, const struct workload *workload, uint64_t suppress)
{
    unsigned depth = run->caps->lbr_depth;
    unsigned total = branch_count(workload, ~suppress);

    test_plan(run, total < depth ? total : depth);
    lbr_run(run, workload, suppress);
    if (lbr_recorded.error != LBR_DECODE_OK)
        return;
    for (unsigned age = 0; age < depth; age++)
        test_saw(run, lbr_recorded.entries[age].from || lbr_recorded.entries[age].to);
    lbr_compare(run, workload, ~suppress, run->expected);
}

void lbr_record_all(struct test_run *run)
{
    lbr_record(run, run->test->argument, LBR_NO_FILTER);
}
