/* SPDX-License-Identifier: MIT */
/* What only the architectural LBRs have; what they share with every stack is in lbr/lbr_test.c. */
#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "kernel/records.h"
#include "kernel/sources.h"
#include "kernel/test.h"
#include "lbr/lbr_arch.h"

static struct lbr_stack stack;

/* Records a workload with no filter, at this depth. */
static void record(struct test_run *run, const struct workload *workload, unsigned depth)
{
    struct caps caps = *run->caps;
    struct window window;

    caps.lbr_depth = depth;
    interrupts_off();
    lbr_reset(&caps, 0);
    window = lbr_window(&caps, 0);
    workload->run(&window);
    lbr_read(&caps, &stack);
    interrupts_on();
    records_print_lbr(run, &stack);
}

/* The type that the entry of such a branch has. SDM Vol. 3B (253669-081), table "IA32_LBR_x_INFO", BR_TYPE. */
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

static void branch_type(struct test_run *run)
{
    struct branch_walk walk = { &workload_kinds, BRANCH_KINDS_ALL, 0, 0 };
    unsigned total = branch_count(&workload_kinds, BRANCH_KINDS_ALL), depth = run->caps->lbr_depth;
    unsigned count = total < depth ? total : depth;

    test_plan(run, count);
    record(run, &workload_kinds, depth);
    for (unsigned skip = total - count; skip; skip--)
        branch_next(&walk);
    for (unsigned age = count; age-- > 0;) {
        const struct branch *want = branch_next(&walk);
        const struct lbr_entry *got = &stack.entries[age];
        test_saw(run, got->from == want->from && got->to == want->to);
        if (!(got->has & LBR_HAS_TYPE) || got->type != type_of(want->kind))
            test_fail(run, "LBR entry %u has branch type %u, must be %u", age, got->type, type_of(want->kind));
    }
}

TEST(lbr_arch_branch_type) = {
    .id = "lbr.arch.branch_type",
    .title = "Each architectural LBR entry says what kind of branch it was",
    .source = SDM_ARCH_LBR_INFO,
    .needs = NEED_LBR | NEED_ARCH_LBR,
    .records = true,
    .run = branch_type,
};

/* A write to IA32_LBR_DEPTH empties the stack, and from then on the newest so many branches are in it. */
static void depths(struct test_run *run)
{
    const struct branch *loop = &workload_long_loop.branches[0];
    unsigned planned = 0;

    for (unsigned i = 0; i < 8; i++)
        planned += run->caps->arch_lbr_depths >> i & 1 ? 8 * (i + 1) : 0;
    test_plan(run, planned);
    for (unsigned i = 0; i < 8; i++) {
        unsigned depth = 8 * (i + 1);
        if (!(run->caps->arch_lbr_depths >> i & 1))
            continue;
        record(run, &workload_long_loop, depth);
        test_equal(run, "IA32_LBR_DEPTH", msr_get(MSR_IA32_LBR_DEPTH), depth);
        for (unsigned age = 0; age < depth && stack.error == LBR_DECODE_OK; age++)
            test_saw(run, stack.entries[age].from == loop->from && stack.entries[age].to == loop->to);
        msr_write(MSR_IA32_LBR_DEPTH, depth);
        for (unsigned age = 0; age < depth; age++)
            if (msr_get(MSR_IA32_LBR_FROM(age)) || msr_get(MSR_IA32_LBR_TO(age)) || msr_get(MSR_IA32_LBR_INFO(age)))
                test_fail(run, "LBR entry %u is not empty after a write to IA32_LBR_DEPTH", age);
    }
}

TEST(lbr_arch_depth) = {
    .id = "lbr.arch.depth",
    .title = "IA32_LBR_DEPTH sets how many branches the stack holds, and a write to it empties the stack",
    .source = SDM_ARCH_LBR_DEPTH,
    .needs = NEED_LBR | NEED_ARCH_LBR,
    .records = true,
    .run = depths,
};
