/* SPDX-License-Identifier: MIT */
/* Features that only the architectural LBRs have. lbr/lbr_test.c tests what all LBR stacks have. */
#include "suite/suite.h"

#include "lbr/lbr_layout.h"

#define GROUP .needs = NEED_LBR | NEED_ARCH_LBR, .records = true

/* Records a workload without a filter, at this depth. */
static void record(struct test_run *run, const struct workload *workload, unsigned depth)
{
    struct caps caps = *run->caps;
    struct window window;

    caps.lbr_depth = depth;
    interrupts_off();
    lbr_reset(&caps, 0);
    window = lbr_window(&caps, 0);
    workload->run(&window);
    lbr_read(&caps, &lbr_recorded);
    interrupts_on();
    lbr_print(run);
}

/*
 * The branch type that the entry of such a branch has. SDM Vol. 3B (253669-081), "Last Branch Records",
 * "IA32_LBR_x_INFO", BR_TYPE.
 */
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
        const struct lbr_entry *got = &lbr_recorded.entries[age];
        test_saw(run, got->from == want->from && got->to == want->to);
        if (!(got->has & LBR_HAS_TYPE) || got->type != type_of(want->kind))
            test_fail(run, "LBR entry %u has branch type %u, must be %u", age, got->type, type_of(want->kind));
    }
}

TEST(lbr_arch_branch_type) = {
    .id = "lbr.arch.branch_type",
    .title = "Each architectural LBR entry has its kind of branch",
    .source = SDM_ARCH_LBR_INFO,
    GROUP,
    .run = branch_type,
};

/* A write to IA32_LBR_DEPTH empties the stack. From then on the stack holds that many of the newest branches. */
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
        for (unsigned age = 0; age < depth && lbr_recorded.error == LBR_DECODE_OK; age++)
            test_saw(run, lbr_recorded.entries[age].from == loop->from && lbr_recorded.entries[age].to == loop->to);
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
    GROUP,
    .run = depths,
};

/* ---- the registers ----------------------------------------------------------------------------------------------- */

static void depth_refused(struct test_run *run)
{
    const uint64_t before = msr_get(MSR_IA32_LBR_DEPTH);

    for (unsigned depth = 0; depth <= 72; depth++) {
        if (depth != 0 && depth % 8 == 0 && depth <= 64 && run->caps->arch_lbr_depths >> (depth / 8 - 1) & 1)
            continue;
        if (msr_try(MSR_IA32_LBR_DEPTH, depth))
            test_fail(run, "WRMSR of %u to IA32_LBR_DEPTH raised no #GP, and CPUID.1CH:EAX does not report that depth",
                      depth);
        test_equal(run, "IA32_LBR_DEPTH", msr_get(MSR_IA32_LBR_DEPTH), before);
    }
    lbr_reset(run->caps, 0);
}

TEST(lbr_arch_depth_refused) = {
    .id = "lbr.arch.depth.refused",
    .title = "IA32_LBR_DEPTH refuses a depth that CPUID.1CH:EAX does not report",
    .source = SDM_ARCH_LBR_DEPTH,
    .needs = NEED_LBR | NEED_ARCH_LBR,
    .run = depth_refused,
};

static void depth_beyond(struct test_run *run)
{
    uint64_t value;

    for (unsigned i = 0; i < 8; i++) {
        unsigned depth = 8 * (i + 1);
        if (!(run->caps->arch_lbr_depths >> i & 1) || depth == run->caps->lbr_depth)
            continue;
        msr_write(MSR_IA32_LBR_DEPTH, depth);
        if (!msr_read(MSR_IA32_LBR_FROM(depth - 1), &value))
            test_fail(run, "RDMSR of the last of %u entries raised #GP", depth);
        if (msr_read(MSR_IA32_LBR_FROM(depth), &value) || msr_read(MSR_IA32_LBR_TO(depth), &value) ||
            msr_read(MSR_IA32_LBR_INFO(depth), &value))
            test_fail(run, "RDMSR past the last of %u entries raised no #GP", depth);
    }
    lbr_reset(run->caps, 0);
}

/* With only one depth, no register exists for an entry past it. */
static const char *one_depth(const struct caps *caps)
{
    return caps->arch_lbr_depths & (caps->arch_lbr_depths - 1) ? NULL : "CPUID.1CH:EAX reports only one depth";
}

TEST(lbr_arch_depth_beyond) = {
    .id = "lbr.arch.depth.beyond",
    .title = "The registers of an entry at or past IA32_LBR_DEPTH raise #GP",
    .source = SDM_ARCH_LBR_DEPTH,
    .needs = NEED_LBR | NEED_ARCH_LBR,
    .lacks = one_depth,
    .run = depth_beyond,
};

static void debugctl(struct test_run *run)
{
    const uint64_t before = msr_get(MSR_IA32_DEBUGCTL);

    if (!msr_write(MSR_IA32_DEBUGCTL, before | DEBUGCTL_LBR))
        test_fail(run, "WRMSR of the LBR bit to IA32_DEBUGCTL raised #GP");
    test_equal(run, "IA32_DEBUGCTL.LBR", msr_get(MSR_IA32_DEBUGCTL) & DEBUGCTL_LBR, 0);
    msr_write(MSR_IA32_DEBUGCTL, before);
}

TEST(lbr_arch_debugctl) = {
    .id = "lbr.arch.debugctl",
    .title = "With architectural LBRs, IA32_DEBUGCTL.LBR can be written and reads 0",
    .source = SDM_2023 "\"Last Branch Records\"",
    .needs = NEED_LBR | NEED_ARCH_LBR,
    .run = debugctl,
};

static void format(struct test_run *run)
{
    test_equal(run, "IA32_PERF_CAPABILITIES[5:0]", run->caps->perf_capabilities & PERF_CAP_LBR_FORMAT, LBR_FORMAT_ARCH);
}

TEST(lbr_arch_format) = {
    .id = "lbr.arch.format",
    .title = "With architectural LBRs, IA32_PERF_CAPABILITIES reports them",
    .source = SDM_2023 "\"Last Branch Records\"; " SDM_MSR_TABLE "IA32_PERF_CAPABILITIES",
    .needs = NEED_LBR | NEED_ARCH_LBR,
    .run = format,
};

/* ---- filters: each bit alone ------------------------------------------------------------------------------------- */

/* With one filter bit set, the stack must have exactly the workload's branches of its kind. */
static void filter_each(struct test_run *run)
{
    static const struct {
        uint64_t bit, kind;
        const struct workload *workload;
    } filters[] = {
        { LBR_CTL_JCC, LBR_SELECT_JCC, &workload_kinds },
        { LBR_CTL_NEAR_REL_JMP, LBR_SELECT_NEAR_REL_JMP, &workload_kinds },
        { LBR_CTL_NEAR_IND_JMP, LBR_SELECT_NEAR_IND_JMP, &workload_kinds },
        { LBR_CTL_NEAR_REL_CALL, LBR_SELECT_NEAR_REL_CALL, &workload_kinds },
        { LBR_CTL_NEAR_IND_CALL, LBR_SELECT_NEAR_IND_CALL, &workload_kinds },
        { LBR_CTL_NEAR_RET, LBR_SELECT_NEAR_RET, &workload_kinds },
        { LBR_CTL_OTHER_BRANCH, LBR_SELECT_FAR_BRANCH, &workload_far },
    };
    unsigned expected = 0;

    for (unsigned i = 0; i < sizeof filters / sizeof filters[0]; i++)
        expected += branch_count(filters[i].workload, filters[i].kind);
    test_plan(run, expected);
    for (unsigned i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        unsigned count = branch_count(filters[i].workload, filters[i].kind);
        struct window window;

        interrupts_off();
        lbr_reset(run->caps, 0);
        msr_write(MSR_IA32_LBR_CTL, LBR_CTL_OS | LBR_CTL_USR | filters[i].bit);
        window = lbr_window(run->caps, 0);
        filters[i].workload->run(&window);
        lbr_read(run->caps, &lbr_recorded);
        interrupts_on();
        lbr_print(run);
        lbr_compare(run, filters[i].workload, filters[i].kind, count);
        for (unsigned age = 0; age < lbr_recorded.depth; age++)
            test_saw(run, lbr_is_used(&lbr_recorded.entries[age]));
    }
    lbr_reset(run->caps, 0);
}

TEST(lbr_arch_filter) = {
    .id = "lbr.arch.filter",
    .title = "Each filter bit of IA32_LBR_CTL admits its kind of branch and no other",
    .source = SDM_MSR_TABLE "IA32_LBR_CTL",
    GROUP,
    .run = filter_each,
};

/* Without USR and OS no kind of branch passes the filter. */
static void no_ring(struct test_run *run)
{
    struct window window;

    test_plan(run, 0);
    interrupts_off();
    lbr_reset(run->caps, LBR_SELECT_CPL_EQ_0 | LBR_SELECT_CPL_NEQ_0);
    window = lbr_window(run->caps, 0);
    workload_kinds.run(&window);
    lbr_read(run->caps, &lbr_recorded);
    lbr_reset(run->caps, 0);
    interrupts_on();
    for (unsigned age = 0; age < lbr_recorded.depth; age++)
        test_saw(run, lbr_is_used(&lbr_recorded.entries[age]));
}

TEST(lbr_arch_no_ring) = {
    .id = "lbr.arch.no_ring",
    .title = "With OS and USR clear in IA32_LBR_CTL, no branch is recorded",
    .source = SDM_MSR_TABLE "IA32_LBR_CTL",
    GROUP,
    .run = no_ring,
};

/* The filter omits the loop's own branches, so the next call's cycle count covers the loop. */
static void cycles(struct test_run *run)
{
    const unsigned count = branch_count(&workload_slow, ~LBR_SELECT_JCC);

    lbr_record(run, &workload_slow, LBR_SELECT_JCC);
    lbr_reset(run->caps, 0);
    test_equal(run, "cycles of the call after the loop", lbr_recorded.entries[1].cycles, LBR_INFO_CYCLES);
    if (lbr_recorded.entries[count - 2].cycles == LBR_INFO_CYCLES)
        test_fail(run, "the return from the first call took FFFFh cycles as well, although no loop is before it");
}

static const char *no_cycles(const struct caps *caps)
{
    (void)caps;
    return cpuid(0x1c, 0).ecx & 1u << 1 ? NULL : "no cycles in LBR entries: CPUID.1CH:ECX bit 1 clear";
}

TEST(lbr_arch_cycles) = {
    .id = "lbr.arch.cycles",
    .title = "An entry counts the cycles since the last recorded branch, and stops at FFFFh",
    .source = SDM_ARCH_LBR_INFO,
    .typical = "The manual defines the count, but not its accuracy, nor which counts are valid.",
    GROUP,
    .lacks = no_cycles,
    .run = cycles,
};
