/* SPDX-License-Identifier: MIT */
/*
 * The contents of an architectural PEBS record: exactly the groups that its counter's CFG_C selects, in any number of
 * fragments. Fixed counter 0 samples instructions at known addresses.
 */
#include "suite/suite.h"

#include "pebs/layout/arch_pebs.h"
#include "suite/support/count.h"

#define NEEDS (NEED_APIC | NEED_PEBS | NEED_PEBS_ARCH | NEED_PEBS_FIXED)
#define GROUP .needs = NEEDS, .records = true

#define XSTATE_BV_INIT "SDM Vol. 1 (253665-083), \"Processor Tracking of XSAVE-Managed State\", the INIT optimization"

enum { PERIOD = 200, FIXED_0 = 32 };

static const char *lacks_fixed_0(const struct caps *caps)
{
    return caps->pebs_fixed_counters & 1 ? NULL : "fixed counter 0 cannot sample: CPUID.23H.5";
}

static struct pebs_sample instructions(uint64_t groups)
{
    return (struct pebs_sample){
        .fixed = true, .workload = &workload_straight, .period = PERIOD, .cfg_c = ARCH_PEBS_EN | groups
    };
}

static unsigned usual(void)
{
    return (unsigned)workload_straight.instructions / PERIOD;
}

/* Returns false if there are no records to check. */
static bool sample_groups(struct test_run *run, uint64_t groups)
{
    const struct pebs_sample sample = instructions(groups);

    test_plan_between(run, usual() - 1, usual());
    return pebs_sample(run, &sample);
}

/* Skips the test if CPUID.23H.4 does not list the groups. */
static bool may_have(struct test_run *run, uint64_t groups)
{
    if (groups & ~run->caps->pebs_cfg_c)
        test_skip(run, "CPUID.23H.4 does not list the group");
    return !(groups & ~run->caps->pebs_cfg_c);
}

static void groups(struct test_run *run)
{
    const uint64_t wanted = *(const uint64_t *)run->test->argument;

    if (may_have(run, wanted))
        sample_groups(run, wanted);
}

#define GROUPS_TEST(name, title_, groups_)                                                    \
    TEST(arch_groups_##name) = { .id = "arch.groups." #name,                                  \
                                 .title = title_,                                             \
                                 .source = SDM_ARCH_PEBS ", IA32_PMC_FXm_CFG_C; " ARCH_LINUX, \
                                 GROUP,                                                       \
                                 .lacks = lacks_fixed_0,                                      \
                                 .run = groups,                                               \
                                 .argument = &(const uint64_t){ groups_ } }

GROUPS_TEST(basic, "A counter that selects no group writes only the basic group", 0);
GROUPS_TEST(aux, "A counter that selects AUX writes it, and no other optional group", ARCH_PEBS_AUX);
GROUPS_TEST(gprs, "A counter that selects GPRs writes them with SSP, and no other optional group", ARCH_PEBS_GPRS);
GROUPS_TEST(xmm,
            "A counter that selects XMM writes it after the bitmap of XSAVE components, and no other optional group",
            ARCH_PEBS_XMM);
GROUPS_TEST(two, "A counter that selects AUX and GPRs writes both", ARCH_PEBS_AUX | ARCH_PEBS_GPRS);

/* Another counter, which does not count, selects another group in its CFG_C. */
static void own(struct test_run *run)
{
    const struct pebs_sample sample = instructions(ARCH_PEBS_GPRS);

    if (!may_have(run, ARCH_PEBS_GPRS | ARCH_PEBS_AUX))
        return;
    test_plan_between(run, usual() - 1, usual());
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    msr_write(MSR_IA32_PMC_GP_CFG_C(0), ARCH_PEBS_EN | ARCH_PEBS_AUX);
    pebs_sample_run(run, &sample);
    pebs_close(run, 0);
}

TEST(arch_groups_own) = {
    .id = "arch.groups.own",
    .title = "A record has the groups that its own counter selects, whatever other counters select",
    .source = SDM_ARCH_PEBS ", IA32_PMC_FXm_CFG_C",
    GROUP,
    .lacks = lacks_fixed_0,
    .run = own,
};

/* ---- the LBR group ----------------------------------------------------------------------------------------------- */

/* The groups and the depth determine the number of entries. */
static void lbr_group(struct test_run *run)
{
    const uint64_t wanted = *(const uint64_t *)run->test->argument;
    const uint64_t depth = msr_get(MSR_IA32_LBR_DEPTH);
    struct pebs_record record;

    if (!may_have(run, wanted))
        return;
    msr_write(MSR_IA32_LBR_DEPTH, run->caps->lbr_depth);
    msr_write(MSR_IA32_LBR_CTL, LBR_CTL_OS | LBR_CTL_JCC);
    if (sample_groups(run, wanted))
        for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
            test_equal(run, "depth in the LBR group's header", record.lbr_depth, run->caps->lbr_depth);
            test_equal(run, "IA32_LBR_CTL in the LBR group's header", record.lbr_ctl, LBR_CTL_OS | LBR_CTL_JCC);
        }
    msr_write(MSR_IA32_LBR_CTL, 0);
    msr_write(MSR_IA32_LBR_DEPTH, depth);
}

#define LBR_TEST(name, number, title_)                                                   \
    TEST(arch_groups_lbr_##name) = { .id = "arch.groups.lbr." #name,                     \
                                     .title = title_,                                    \
                                     .source = SDM_ARCH_PEBS ", LBR group; " ARCH_LINUX, \
                                     .needs = NEEDS | NEED_LBR | NEED_ARCH_LBR,          \
                                     .lacks = lacks_fixed_0,                             \
                                     .records = true,                                    \
                                     .run = lbr_group,                                   \
                                     .argument = &(const uint64_t){ (uint64_t)(number) << ARCH_PEBS_LBR_SHIFT } }

LBR_TEST(8, 1, "LBR group 1 has 8 entries, after IA32_LBR_CTL and the depth");
LBR_TEST(16, 2, "LBR group 2 has 16 entries, after IA32_LBR_CTL and the depth");
LBR_TEST(all, 3, "LBR group 3 has as many entries as the LBR stack, after IA32_LBR_CTL");

#define LOGGED  (0x00c0 | PERFEVTSEL_EN | PERFEVTSEL_OS | PERFEVTSEL_USR | PERFEVTSEL_BR_CNTR) /* INST_RETIRED.ANY_P */
#define JUMPS   (LBR_CTL_LBREN | LBR_CTL_OS | LBR_CTL_JCC | LBR_CTL_NEAR_REL_JMP)
#define PASSING 64u /* rounds of the workload */

static void log_instructions(const struct caps *caps, uint64_t select)
{
    for (unsigned n = 0; n < LBR_COUNTERS; n++)
        if (caps->lbr_counters >> n & 1)
            counter_program(n, select, 0, caps->full_width_write);
}

/* Checks the event counts of an entry that is one of the workload's jumps. The first jump is left out, because part
 * of its piece belongs to the window. */
static bool check_events(struct test_run *run, const struct lbr_entry *entry)
{
    for (unsigned i = 1; i < workload_pieces.branch_count; i++) {
        const unsigned instructions = workload_piece_counts[i].instructions;
        const unsigned want = instructions < LBR_EVENTS_MAX ? instructions : LBR_EVENTS_MAX;

        if (entry->from != workload_pieces.branches[i].from)
            continue;
        for (unsigned n = 0; n < LBR_COUNTERS; n++)
            test_equal(run, "events of a counter in an entry of the LBR group", entry->events[n],
                       run->caps->lbr_counters >> n & 1 ? want : 0);
        return true;
    }
    return false;
}

static void lbr_events(struct test_run *run)
{
    struct pebs_sample sample = instructions(ARCH_PEBS_LBR);
    struct pebs_record record;
    unsigned events = 0;

    sample.workload = &workload_pieces;
    for (unsigned i = 0; i < workload_pieces.branch_count; i++)
        events += PASSING * workload_piece_counts[i].instructions;
    if (!may_have(run, ARCH_PEBS_LBR))
        return;
    test_plan_between(run, events / (2 * PERIOD), 2 * events / PERIOD);
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    log_instructions(run->caps, LOGGED);
    lbr_reset(run->caps, 0);
    msr_write(MSR_IA32_LBR_CTL, JUMPS);
    const struct window window = pebs_window(run->caps, MSR_BIT(FIXED_0) | run->caps->lbr_counters);
    for (unsigned round = 0; round < PASSING; round++)
        workload_pieces.run(&window);
    msr_write(MSR_IA32_LBR_CTL, 0);
    pebs_close(run, 0);
    log_instructions(run->caps, 0);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        unsigned jumps = 0;

        for (unsigned age = 0; age < record.lbr_count; age++)
            jumps += check_events(run, &record.lbr[age]);
        if (!jumps)
            test_fail(run, "PEBS record %u has no jump of the workload in its LBR group", n);
    }
}

TEST(arch_groups_lbr_events) = {
    .id = "arch.groups.lbr.events",
    .title = "The entries of an LBR group have the same event counts as LBR entries",
    .source = SDM_ARCH_PEBS ", LBR group; " ARCH_LINUX "; Linux 6.8, arch/x86/events/intel/lbr.c, LBR_INFO_BR_CNTR_*",
    .needs = NEEDS | NEED_LBR | NEED_ARCH_LBR | NEED_LBR_EVENTS,
    .lacks = lacks_fixed_0,
    .records = true,
    .run = lbr_events,
};

/* ---- the counters group ------------------------------------------------------------------------------------------ */

enum { COUNTING = 2 }; /* a general counter that counts while another samples */

/* Counts retired instructions, an architectural event, on a counter that is programmed before the sampling one.
 * allow: records may contain its count. */
static void count_beside(bool allow)
{
    msr_write(MSR_IA32_PMC_GP_CFG_C(COUNTING), allow ? ARCH_PEBS_COUNTERS_ALLOW : 0);
    msr_write(MSR_IA32_PMC_GP_CTR(COUNTING), 0);
    msr_write(MSR_IA32_PERFEVTSEL(COUNTING), 0xc0 | PERFEVTSEL_OS | PERFEVTSEL_USR | PERFEVTSEL_EN);
}

/* Samples instructions while another counter counts them. */
static void sample_beside(struct test_run *run, uint64_t groups, bool allow)
{
    const struct pebs_sample sample = instructions(groups);
    const uint64_t all =
        count_from(run, COUNTING, 0xc0 | PERFEVTSEL_OS | PERFEVTSEL_USR | PERFEVTSEL_EN, 0, &workload_straight);
    struct window window = pebs_sample_window(run, &sample);
    uint64_t end;

    test_plan_between(run, usual() - 1, usual());
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    count_beside(allow);
    window.on |= MSR_BIT(COUNTING);
    sample.workload->run(&window);
    end = msr_get(MSR_IA32_PMC_GP_CTR(COUNTING));
    if (end != all)
        test_differs(run, "counter %d counts %u instructions with PEBS, and %u without", COUNTING, (unsigned)end,
                     (unsigned)all);
    pebs_close(run, 0);
    msr_write(MSR_IA32_PMC_GP_CFG_C(COUNTING), 0);
    msr_write(MSR_IA32_PERFEVTSEL(COUNTING), 0);
}

#define GENERAL (ARCH_PEBS_COUNTERS_ALLOW | ARCH_PEBS_COUNTERS_GENERAL)

static void counts(struct test_run *run)
{
    uint64_t last = 0;
    struct pebs_record record;

    if (!may_have(run, GENERAL))
        return;
    sample_beside(run, ARCH_PEBS_COUNTERS_GENERAL, true);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (!test_equal(run, "counters in the group", record.counted, MSR_BIT(COUNTING)))
            continue;
        if (n > 0)
            test_equal(run, "instructions since the previous record", record.counts[0] - last, PERIOD);
        last = record.counts[0];
    }
}

static void not_allowed(struct test_run *run)
{
    struct pebs_record record;

    if (!may_have(run, GENERAL))
        return;
    sample_beside(run, GENERAL, false);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        test_equal(run, "general counters in the group", record.counted & UINT32_MAX, 0);
}

/* The sources do not settle whether the count is taken before or after the reload: 0, or one period before overflow. */
static void fixed_counts(struct test_run *run)
{
    const uint64_t fixed = ARCH_PEBS_COUNTERS_ALLOW | ARCH_PEBS_COUNTERS_FIXED;
    const uint64_t width = (UINT64_C(1) << run->caps->fixed_width) - 1;
    struct pebs_record record;

    if (!may_have(run, fixed) || !sample_groups(run, fixed))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        test_equal(run, "counters in the group", record.counted, MSR_BIT(FIXED_0));
        if (((0 - record.counts[0]) & width) > PERIOD)
            test_fail(run, "PEBS record %u: fixed counter 0 is 0x%llx, not within a period of its overflow", n,
                      (unsigned long long)record.counts[0]);
    }
}

#define SLOTS 3u /* the fixed counter */

static const char *lacks_metrics(const struct caps *caps)
{
    if (lacks_fixed_0(caps))
        return lacks_fixed_0(caps);
    return caps->perf_capabilities & PERF_CAP_METRICS && caps->fixed_counters >> SLOTS & 1
               ? NULL
               : "no PERF_METRICS (IA32_PERF_CAPABILITIES bit 15 clear, or no fixed counter 3)";
}

static void metrics(struct test_run *run)
{
    const struct pebs_sample sample = instructions(ARCH_PEBS_COUNTERS_METRICS);
    struct window window = pebs_sample_window(run, &sample);
    struct pebs_record record;
    uint64_t last = 0;

    if (!may_have(run, ARCH_PEBS_COUNTERS_METRICS))
        return;
    test_plan_between(run, usual() - 1, usual());
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    if (!fixed_counter_program(SLOTS, FIXED_CTR_CTRL_OS(SLOTS) | FIXED_CTR_CTRL_USR(SLOTS), 0) ||
        !msr_write(MSR_PERF_METRICS, 0))
        test_fail(run, "fixed counter 3 and PERF_METRICS could not be programmed");
    window.on |= MSR_BIT(FIXED_0 + SLOTS) | PERF_GLOBAL_CTRL_METRICS;
    sample.workload->run(&window);
    pebs_close(run, 0);
    fixed_counter_program(SLOTS, 0, 0);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (record.slots <= last || !record.metrics)
            test_fail(run, "PEBS record %u: slots %u after %u, metrics 0x%llx", n, (unsigned)record.slots,
                      (unsigned)last, (unsigned long long)record.metrics);
        last = record.slots;
    }
}

TESTS(counter_groups) = {
    { "arch.counters.counts",
      "The counters group has another counter's value at the record: one period more in each record",
      SDM_ARCH_PEBS ", counters group; " ARCH_LINUX,
      .typical = "No available edition says at which instruction the other counters are read", GROUP,
      .lacks = lacks_fixed_0, .run = counts },
    { "arch.counters.allow", "A counter whose CFG_C clears CNTR_ALLOW is in no counters group",
      SDM_ARCH_PEBS ", IA32_PMC_GPn_CFG_C, CNTR_ALLOW", GROUP, .lacks = lacks_fixed_0, .run = not_allowed },
    { "arch.counters.fixed", "The counters group has the sampling fixed counter, either at its overflow or reloaded",
      SDM_ARCH_PEBS ", counters group; " ARCH_LINUX, GROUP, .lacks = lacks_fixed_0, .run = fixed_counts },
    { "arch.counters.metrics",
      "A counter that selects METRICS writes fixed counter 3, which has increased, and PERF_METRICS",
      SDM_ARCH_PEBS ", counters group; " ARCH_LINUX, GROUP, .lacks = lacks_metrics, .run = metrics },
};

/* ---- fragments --------------------------------------------------------------------------------------------------- */

/*
 * XSAVE components that no test enables in XCR0. No available source says whether a record then has them.
 */
#define NOT_ENABLED (ARCH_PEBS_EGPR | ARCH_PEBS_OPMASK | ARCH_PEBS_ZMMH | ARCH_PEBS_H16ZMM)

/* A record must have all groups that CPUID.23H.4 lists and XCR0 enables, in any number of fragments. */
static void fragments(struct test_run *run)
{
    const uint64_t without = NOT_ENABLED | (xsave_enable(XSTATE_AVX) ? 0 : ARCH_PEBS_YMMH);
    const uint64_t asked = run->caps->pebs_cfg_c & ~(ARCH_PEBS_EN | ARCH_PEBS_COUNTERS | without);
    struct pebs_record record;

    if (!sample_groups(run, asked))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        if (record.size < arch_pebs_size(asked, run->caps->lbr_depth, 0) + 16 * (record.fragments - 1))
            test_fail(run, "PEBS record %u is only %u bytes, too small for its groups", n, (unsigned)record.size);
}

TEST(arch_fragments_whole) = {
    .id = "arch.fragments.whole",
    .title = "A record with all groups is complete, in any number of fragments",
    .source = SDM_ARCH_PEBS ", record format; " ARCH_LINUX,
    GROUP,
    .lacks = lacks_fixed_0,
    .run = fragments,
};

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static void mode(struct test_run *run)
{
    struct pebs_record record;

    if (!sample_groups(run, 0))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        test_equal(run, "the header's mode bit", record.mode_64, run->caps->ia32e_active);
}

static unsigned vector_registers(const struct caps *caps)
{
    return caps->ia32e_active ? 16 : 8;
}

/* Both halves of XMM0 are xmm0, and of all others 0. Without its XSAVE component a register reads as 0. */
static void sample_xmm(struct test_run *run, uint64_t components, uint64_t xmm0)
{
    struct pebs_record record;

    xmm_fill(xmm0 != 0);
    if (!sample_groups(run, ARCH_PEBS_XMM))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (!test_equal(run, "the XSAVE component of the XMM registers", record.xer & components, components))
            continue;
        for (unsigned i = 0; i < vector_registers(run->caps); i++) {
            test_equal(run, "the lower half of an XMM register", record.xmm[i].low, i == 0 ? xmm0 : 0);
            test_equal(run, "the upper half of an XMM register", record.xmm[i].high, i == 0 ? xmm0 : 0);
        }
    }
}

/* The bit may be clear while XCR0 disables the state, or while all XMM registers are 0. */
static void components(struct test_run *run)
{
    if (!may_have(run, ARCH_PEBS_XMM))
        return;
    if (!xsave_enable(XSTATE_SSE)) {
        test_skip(run, "no XSAVE (CPUID.1:ECX bit 26 clear)");
        return;
    }
    sample_xmm(run, XSTATE_SSE, UINT64_MAX);
}

static void initial(struct test_run *run)
{
    if (!may_have(run, ARCH_PEBS_XMM))
        return;
    sse_enable();
    sample_xmm(run, 0, 0);
}

static void upper_halves(struct test_run *run)
{
    struct pebs_record record;

    if (!may_have(run, ARCH_PEBS_YMMH))
        return;
    if (!xsave_enable(XSTATE_AVX)) {
        test_skip(run, "no AVX state (CPUID.1:ECX bit 26 or CPUID.0DH.0:EAX bit 2 clear)");
        return;
    }
    xmm_fill(true);
    ymm_fill(true);
    sample_groups(run, ARCH_PEBS_YMMH);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (!test_equal(run, "the XSAVE component of the upper halves", record.xer & XSTATE_AVX, XSTATE_AVX))
            continue;
        for (unsigned i = 0; i < vector_registers(run->caps); i++)
            for (unsigned half = 0; half < 2; half++)
                test_equal(run, "bits of the upper half of a YMM register", record.ymmh[i][half],
                           i == 0 ? UINT64_MAX : 0);
    }
    ymm_fill(false);
}

static void retire(struct test_run *run)
{
    struct pebs_record record;

    if (!sample_groups(run, 0))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        test_equal(run, "whether the retire latency is valid", (record.has & PEBS_HAS_RETIRE_LATENCY) != 0,
                   run->caps->pebs_retire_latency);
}

static void shadow_stack(struct test_run *run)
{
    struct pebs_record record;

    if (!may_have(run, ARCH_PEBS_GPRS) || !sample_groups(run, ARCH_PEBS_GPRS))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        test_equal(run, "SSP", record.ssp, 0);
}

TESTS(record_fields) = {
    { "arch.header.mode", "The header says whether the instruction ran in 64-bit mode", SDM_ARCH_PEBS ", record header",
      .typical = "The edition that defines the bit outside 64-bit mode was not available", GROUP,
      .lacks = lacks_fixed_0, .run = mode },
    { "arch.ymmh.component",
      "A counter that selects YMMH writes the upper halves of the YMM registers after XSTATE_BV with bit 2",
      SDM_ARCH_PEBS ", XER groups; " XSTATE_BV_INIT, GROUP, .lacks = lacks_fixed_0, .run = upper_halves },
    { "arch.xmm.component",
      "The bitmap before the XMM group, XSTATE_BV, has bit 1 while SSE is enabled and an XMM register is not 0",
      SDM_ARCH_PEBS ", XER groups; " XSTATE_BV_INIT, GROUP, .lacks = lacks_fixed_0, .run = components },
    { "arch.xmm.initial", "While all XMM registers are 0, a record has them as 0, whether or not XSTATE_BV has bit 1",
      SDM_ARCH_PEBS ", XER groups; " XSTATE_BV_INIT, GROUP, .lacks = lacks_fixed_0, .run = initial },
    { "arch.basic.retire_latency", "The retire latency is valid if IA32_PERF_CAPABILITIES bit 17 is set",
      SDM_ARCH_PEBS ", basic group; " SDM_PERF_CAPABILITIES,
      .typical = "No available edition defines when the retire latency of architectural PEBS is valid", GROUP,
      .lacks = lacks_fixed_0, .run = retire },
    { "arch.gprs.ssp", "SSP is 0 while shadow stacks are off", SDM_ARCH_PEBS ", GPR group",
      .typical = "No available edition defines SSP in a record while shadow stacks are off", GROUP,
      .lacks = lacks_fixed_0, .run = shadow_stack },
};
