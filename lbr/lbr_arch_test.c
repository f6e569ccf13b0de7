/* SPDX-License-Identifier: MIT */
/* Features that only the architectural LBRs have. lbr/lbr_test.c tests what all LBR stacks have. */
#include "suite/suite.h"

#include "lbr/lbr_layout.h"

#define GROUP .needs = NEED_LBR | NEED_ARCH_LBR, .records = true

/* Bit n of CPUID.1CH:EAX reports the depth 8 * (n + 1). */
static unsigned least_depth(unsigned depths)
{
    return 8 * ((unsigned)__builtin_ctz(depths) + 1);
}

/* A write to IA32_LBR_DEPTH empties the stack. From then on the stack holds that many of the newest branches. */
static void depths(struct test_run *run)
{
    const struct caps *const caps = run->caps;
    unsigned planned = 0;

    for (unsigned left = caps->arch_lbr_depths; left; left &= left - 1)
        planned += least_depth(left);
    test_plan(run, planned);
    for (unsigned left = caps->arch_lbr_depths; left; left &= left - 1) {
        const unsigned depth = least_depth(left);
        struct caps of_depth = *caps;
        of_depth.lbr_depth = depth;
        run->caps = &of_depth;
        test_saw(run, lbr_run(run, &workload_long_loop, LBR_NO_FILTER));
        lbr_compare(run, &workload_long_loop, BRANCH_KINDS_ALL, depth);
        lbr_empty(run, LBR_NO_FILTER, &lbr_recorded);
        run->caps = caps;
    }
}

TESTS(records) = {
    { "lbr.arch.branch_type", "Each architectural LBR entry has its kind of branch", SDM_ARCH_LBR_INFO, GROUP,
      .run = lbr_record_all, .argument = &workload_kinds },
    { "lbr.arch.depth", "IA32_LBR_DEPTH sets how many branches the stack holds, and a write to it empties the stack",
      SDM_ARCH_LBR_DEPTH, GROUP, .run = depths },
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
    lbr_clear(run, LBR_NO_FILTER);
}

static void depth_beyond(struct test_run *run)
{
    unsigned readable = 0;
    uint64_t value;

    for (unsigned i = 0; i < 8; i++) {
        unsigned depth = 8 * (i + 1);
        if (!(run->caps->arch_lbr_depths >> i & 1) || depth == run->caps->lbr_depth)
            continue;
        msr_write(MSR_IA32_LBR_DEPTH, depth);
        if (!msr_read(MSR_IA32_LBR_FROM(depth - 1), &value))
            test_fail(run, "RDMSR of the last of %u entries raised #GP", depth);
        test_equal(run, "FROM of the last entry of an empty stack", value, 0);
        readable += msr_read(MSR_IA32_LBR_FROM(depth), &value);
        readable += msr_read(MSR_IA32_LBR_TO(depth), &value);
        readable += msr_read(MSR_IA32_LBR_INFO(depth), &value);
    }
    test_equal(run, "number of registers past the last entry that RDMSR accepts", readable, 0);
    lbr_clear(run, LBR_NO_FILTER);
}

/* With only one depth, no register exists for an entry past it. */
static const char *one_depth(const struct caps *caps)
{
    return caps->arch_lbr_depths & (caps->arch_lbr_depths - 1) ? NULL : "CPUID.1CH:EAX reports only one depth";
}

static void debugctl(struct test_run *run)
{
    const uint64_t before = msr_get(MSR_IA32_DEBUGCTL);

    if (!msr_try(MSR_IA32_DEBUGCTL, before | DEBUGCTL_LBR))
        test_fail(run, "WRMSR of the LBR bit to IA32_DEBUGCTL raised #GP");
    test_equal(run, "IA32_DEBUGCTL after WRMSR of the LBR bit", msr_get(MSR_IA32_DEBUGCTL), before & ~DEBUGCTL_LBR);
    msr_write(MSR_IA32_DEBUGCTL, before);
}

static void format(struct test_run *run)
{
    test_equal(run, "IA32_PERF_CAPABILITIES[5:0]", run->caps->perf_capabilities & PERF_CAP_LBR_FORMAT, LBR_FORMAT_ARCH);
}

TESTS(control_registers) = {
    { "lbr.arch.depth.refused", "IA32_LBR_DEPTH refuses a depth that CPUID.1CH:EAX does not report", SDM_ARCH_LBR_DEPTH,
      .needs = NEED_LBR | NEED_ARCH_LBR, .run = depth_refused },
    { "lbr.arch.depth.beyond", "The registers of an entry at or past IA32_LBR_DEPTH raise #GP", SDM_ARCH_LBR_DEPTH,
      .needs = NEED_LBR | NEED_ARCH_LBR, .lacks = one_depth, .run = depth_beyond },
    { "lbr.arch.debugctl", "With architectural LBRs, IA32_DEBUGCTL.LBR can be written and reads 0",
      SDM_2023 "\"Last Branch Records\"", .needs = NEED_LBR | NEED_ARCH_LBR, .run = debugctl },
    { "lbr.arch.format", "With architectural LBRs, IA32_PERF_CAPABILITIES reports them",
      SDM_2023 "\"Last Branch Records\"; " SDM_MSR_TABLE "IA32_PERF_CAPABILITIES", .needs = NEED_LBR | NEED_ARCH_LBR,
      .run = format },
};

/* ---- filters: each bit alone ------------------------------------------------------------------------------------- */

#define KINDS                                                                                     \
    (LBR_SELECT_JCC | LBR_SELECT_NEAR_REL_CALL | LBR_SELECT_NEAR_IND_CALL | LBR_SELECT_NEAR_RET | \
     LBR_SELECT_NEAR_IND_JMP | LBR_SELECT_NEAR_REL_JMP | LBR_SELECT_FAR_BRANCH)

/* With one filter bit set, the stack must have exactly the workload's branches of its kind. */
static void filter_each(struct test_run *run)
{
    static const struct {
        uint64_t kind;
        const struct workload *workload;
    } filters[] = {
        { LBR_SELECT_JCC, &workload_kinds },           { LBR_SELECT_NEAR_REL_JMP, &workload_kinds },
        { LBR_SELECT_NEAR_IND_JMP, &workload_kinds },  { LBR_SELECT_NEAR_REL_CALL, &workload_kinds },
        { LBR_SELECT_NEAR_IND_CALL, &workload_kinds }, { LBR_SELECT_NEAR_RET, &workload_kinds },
        { LBR_SELECT_FAR_BRANCH, &workload_far },
    };
    unsigned expected = 0;

    for (unsigned i = 0; i < sizeof filters / sizeof filters[0]; i++)
        expected += branch_count(filters[i].workload, filters[i].kind);
    test_plan(run, expected);
    for (unsigned i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        const uint64_t suppress = KINDS & ~filters[i].kind;
        test_saw(run, lbr_run(run, filters[i].workload, suppress));
        lbr_compare(run, filters[i].workload, filters[i].kind, branch_count(filters[i].workload, filters[i].kind));
    }
    lbr_clear(run, LBR_NO_FILTER);
}

/* Without USR and OS no kind of branch passes the filter. */
static void no_ring(struct test_run *run)
{
    test_plan(run, 0);
    test_saw(run, lbr_run(run, &workload_kinds, LBR_SELECT_CPL_EQ_0 | LBR_SELECT_CPL_NEQ_0));
    lbr_clear(run, LBR_NO_FILTER);
}

/* The filter omits the loop's own branches, so the next call's cycle count covers the loop. */
static void cycles(struct test_run *run)
{
    const unsigned count = branch_count(&workload_slow, ~LBR_SELECT_JCC);

    lbr_record(run, &workload_slow, LBR_SELECT_JCC);
    lbr_clear(run, LBR_NO_FILTER);
    test_equal(run, "cycles of the call after the loop", lbr_recorded.entries[1].cycles, LBR_INFO_CYCLES);
    if (lbr_recorded.entries[count - 2].cycles == LBR_INFO_CYCLES)
        test_fail(run, "the return from the first call took FFFFh cycles as well, although no loop is before it");
}

static const char *no_cycles(const struct caps *caps)
{
    (void)caps;
    return cpuid(0x1c, 0).ecx & 1u << 1 ? NULL : "no cycles in LBR entries (CPUID.1CH:ECX bit 1 clear)";
}

TESTS(filtered) = {
    { "lbr.arch.filter", "Each filter bit of IA32_LBR_CTL admits its kind of branch and no other",
      SDM_MSR_TABLE "IA32_LBR_CTL", GROUP, .run = filter_each },
    { "lbr.arch.no_ring", "With OS and USR clear in IA32_LBR_CTL, no branch is recorded", SDM_MSR_TABLE "IA32_LBR_CTL",
      GROUP, .run = no_ring },
    { "lbr.arch.cycles", "An entry counts the cycles since the last recorded branch, and stops at FFFFh",
      SDM_ARCH_LBR_INFO, .typical = "The manual defines the count, but not its accuracy, nor which counts are valid.",
      GROUP, .lacks = no_cycles, .run = cycles },
};
