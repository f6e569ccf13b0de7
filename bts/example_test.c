/* SPDX-License-Identifier: MIT */
/*
 * The smallest complete test, as a pattern for new ones.
 *
 * The bug that it finds: on Haswell the From address of a BTS record may repeat that of the previous record, unless the
 * BIOS contains the fix (erratum HSD53; Intel, "Desktop 4th Generation Intel Core Processor Family, Specification
 * Update", 328899). A debugger then shows a branch that never happened. The LBR stack records the same branches without
 * the buffer in memory, so the two must agree.
 */
#include "suite/suite.h"

static void with_lbr(struct test_run *run)
{
    const struct ds_config config = { .bts = true, .bts_records = 64, .bts_threshold = 60 };
    static struct lbr_stack stack;
    struct bts_record record;
    struct window window;

    test_plan(run, branch_count(&workload_calls, BRANCH_KINDS_ALL));
    if (!records_open(run, &config))
        return;
    lbr_reset(run->caps, 0);
    window = bts_window(run->caps, false);
    window.on |= run->caps->debugctl->lbr | (run->test->argument ? DEBUGCTL_BTF : 0);
    interrupts_off();
    workload_calls.run(&window);
    interrupts_on();
    lbr_read(run->caps, &stack);
    records_close(run, 0);
    test_saw(run, ds_bts_log()->records);
    for (unsigned age = 0; age < stack.depth && age < ds_bts_log()->records; age++)
        if (records_bts(run, ds_bts_log()->records - 1 - age, &record)) {
            test_equal(run, "From of a BTS record", record.from, stack.entries[age].from);
            test_equal(run, "To of a BTS record", record.to, stack.entries[age].to);
        }
}

TEST(bts_with_lbr) = {
    .id = "bts.with_lbr",
    .title = "The LBR stack, recording at the same time, has the trace's newest branches",
    .source = SDM_BTS "; " SDM_LBR_STACK,
    .typical = "The manual describes each facility alone, and does not promise that both record at the same time.",
    .needs = NEED_APIC | NEED_BTS | NEED_LBR | NEED_LBR_TOS,
    .records = true,
    .run = with_lbr,
};

TEST(bts_with_btf) = {
    .id = "bts.with_btf",
    .title = "With BTF set and TF clear, BTS and the LBR stack record as without it, and no debug exception arrives",
    .source = SDM_2009 "\"Single-Stepping on Branches, Exceptions, and Interrupts\", 16.4.3; " SDM_BTS,
    .typical = "The manual describes each facility alone, and does not promise that both record at the same time.",
    .needs = NEED_APIC | NEED_BTS | NEED_LBR | NEED_LBR_TOS,
    .records = true,
    .run = with_lbr,
    .argument = &(const bool){ true },
};
