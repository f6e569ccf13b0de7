/* SPDX-License-Identifier: MIT */
/*
 * Writes that must raise #GP: of bits that no generation has a meaning for, and to registers that are read-only. Which
 * bits are reserved differs between processors; those tried here are reserved on all that have the register.
 */
#include <inttypes.h>

#include "arch/x86/msr.h"
#include "kernel/test.h"
#include "suite/records.h"
#include "suite/sources.h"

#define BITS(high, low) ((UINT64_MAX >> (63 - (high))) & ~((UINT64_C(1) << (low)) - 1))

/* Each of these bits alone, on top of what the register has, must raise #GP and change nothing. */
static void refuse(struct test_run *run, const char *name, uint32_t msr, uint64_t bits)
{
    const uint64_t value = msr_get(msr);

    for (unsigned bit = 0; bit < 64; bit++) {
        if (!(bits >> bit & 1))
            continue;
        if (msr_write(msr, value | UINT64_C(1) << bit)) {
            test_fail(run, "WRMSR of reserved bit %u to %s raised no #GP", bit, name);
            msr_write(msr, value);
        }
        if (!test_equal(run, name, msr_get(msr), value))
            return;
    }
}

struct reserved {
    const char *name;
    uint32_t msr;
    uint64_t bits;
};

static void refuse_reserved(struct test_run *run)
{
    const struct reserved *reserved = run->test->argument;

    refuse(run, reserved->name, reserved->msr, reserved->bits);
}

/* Counters that CPUID does not report, up to the 32 that the register has room for. */
static uint64_t no_counters(const struct caps *caps)
{
    return BITS(31, caps->general_count);
}

static const char *is_netburst(const struct caps *caps)
{
    return caps->pebs_method == PEBS_METHOD_NETBURST ? "MSR_PEBS_ENABLE is NetBurst's, another register" : NULL;
}

static const char *no_capabilities(const struct caps *caps)
{
    return caps->pdcm ? NULL : "no IA32_PERF_CAPABILITIES: CPUID.1:ECX bit 15 clear";
}

static const char *is_architectural(const struct caps *caps)
{
    return caps->lbr_select ? NULL : "no MSR_LBR_SELECT: IA32_LBR_CTL filters";
}

static void global_ctrl(struct test_run *run)
{
    refuse(run, "IA32_PERF_GLOBAL_CTRL", MSR_IA32_PERF_GLOBAL_CTRL, no_counters(run->caps) | BITS(63, 49));
}

TEST(perfmon_reserved_global_ctrl) = {
    .id = "perfmon.reserved.global_ctrl",
    .title = "IA32_PERF_GLOBAL_CTRL refuses the bits of counters that do not exist, and its reserved bits",
    .source = SDM_PERFMON_2 "; " SDM_WRMSR,
    .needs = NEED_GLOBAL_CTRL,
    .run = global_ctrl,
};

static void ovf_ctrl(struct test_run *run)
{
    const uint64_t bits = no_counters(run->caps) | BITS(53, 49);

    for (unsigned bit = 0; bit < 64; bit++) /* it reads 0, or does not read at all */
        if (bits >> bit & 1 && msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, UINT64_C(1) << bit))
            test_fail(run, "WRMSR of reserved bit %u to IA32_PERF_GLOBAL_OVF_CTRL raised no #GP", bit);
}

TEST(perfmon_reserved_ovf_ctrl) = {
    .id = "perfmon.reserved.ovf_ctrl",
    .title = "IA32_PERF_GLOBAL_OVF_CTRL refuses the bits of counters that do not exist, and its reserved bits",
    .source = SDM_PERFMON_2 "; " SDM_WRMSR,
    .needs = NEED_GLOBAL_CTRL,
    .run = ovf_ctrl,
};

static void event_select(struct test_run *run)
{
    for (unsigned n = 0; n < run->caps->general_count; n++)
        refuse(run, "IA32_PERFEVTSELx", MSR_IA32_PERFEVTSEL(n), BITS(63, 48));
}

TEST(perfmon_reserved_perfevtsel) = {
    .id = "perfmon.reserved.perfevtsel",
    .title = "IA32_PERFEVTSELx refuses its reserved bits",
    .source = SDM_PERFMON_1 "; " SDM_WRMSR,
    .needs = NEED_GLOBAL_CTRL,
    .run = event_select,
};

static void fixed_control(struct test_run *run)
{
    uint64_t bits = BITS(63, 61);

    if (run->caps->fixed_count < 8)
        bits |= BITS(31, 4 * run->caps->fixed_count);
    refuse(run, "IA32_FIXED_CTR_CTRL", MSR_IA32_FIXED_CTR_CTRL, bits);
}

TEST(perfmon_reserved_fixed_ctr_ctrl) = {
    .id = "perfmon.reserved.fixed_ctr_ctrl",
    .title = "IA32_FIXED_CTR_CTRL refuses the fields of fixed counters that do not exist, and its reserved bits",
    .source = SDM_PERFMON_2 "; " SDM_WRMSR,
    .needs = NEED_GLOBAL_CTRL,
    .run = fixed_control,
};

static void status_read_only(struct test_run *run)
{
    if (msr_write(MSR_IA32_PERF_GLOBAL_STATUS, 0))
        test_fail(run, "WRMSR to IA32_PERF_GLOBAL_STATUS raised no #GP");
}

TEST(perfmon_status_read_only) = {
    .id = "perfmon.status.read_only",
    .title = "A write to IA32_PERF_GLOBAL_STATUS raises #GP",
    .source = SDM_MSR_TABLE "IA32_PERF_GLOBAL_STATUS (RO); " SDM_WRMSR,
    .needs = NEED_GLOBAL_CTRL,
    .run = status_read_only,
};

static void capabilities_read_only(struct test_run *run)
{
    const uint64_t value = msr_get(MSR_IA32_PERF_CAPABILITIES);

    if (msr_write(MSR_IA32_PERF_CAPABILITIES, value))
        test_fail(run, "WRMSR to IA32_PERF_CAPABILITIES raised no #GP");
    test_equal(run, "IA32_PERF_CAPABILITIES", msr_get(MSR_IA32_PERF_CAPABILITIES), value);
}

TEST(perfmon_capabilities_read_only) = {
    .id = "perfmon.capabilities.read_only",
    .title = "A write to IA32_PERF_CAPABILITIES raises #GP",
    .source = SDM_MSR_TABLE "IA32_PERF_CAPABILITIES (RO); " SDM_WRMSR,
    .needs = NEED_GLOBAL_CTRL,
    .lacks = no_capabilities,
    .run = capabilities_read_only,
};

TEST(bts_reserved_debugctl) = {
    .id = "bts.reserved.debugctl",
    .title = "IA32_DEBUGCTL refuses its reserved bits",
    .source = SDM_MSR_TABLE "IA32_DEBUGCTL; " SDM_WRMSR,
    .needs = NEED_GLOBAL_CTRL | NEED_DS,
    .run = refuse_reserved,
    .argument = &(const struct reserved){ "IA32_DEBUGCTL", MSR_IA32_DEBUGCTL, BITS(63, 32) },
};

TEST(lbr_reserved_select) = {
    .id = "lbr.reserved.select",
    .title = "MSR_LBR_SELECT refuses its reserved bits",
    .source = SDM_LBR_SELECT "; " SDM_WRMSR,
    .needs = NEED_LBR | NEED_LBR_SELECT,
    .lacks = is_architectural,
    .run = refuse_reserved,
    .argument = &(const struct reserved){ "MSR_LBR_SELECT", MSR_LBR_SELECT, BITS(63, 16) },
};

TEST(pebs_reserved_enable) = {
    .id = "pebs.reserved.enable",
    .title = "IA32_PEBS_ENABLE refuses its reserved bits",
    .source = SDM_MSR_TABLE "IA32_PEBS_ENABLE; " SDM_WRMSR,
    .needs = NEED_PEBS,
    .lacks = is_netburst,
    .run = refuse_reserved,
    .argument = &(const struct reserved){ "IA32_PEBS_ENABLE", MSR_PEBS_ENABLE, BITS(59, 48) },
};

TEST(pebs_reserved_load_latency) = {
    .id = "pebs.reserved.load_latency",
    .title = "MSR_PEBS_LD_LAT_THRESHOLD refuses everything above its 16 bits",
    .source = SDM_LOAD_LATENCY "; " SDM_WRMSR,
    .needs = NEED_PEBS | NEED_LOAD_LATENCY,
    .run = refuse_reserved,
    .argument = &(const struct reserved){ "MSR_PEBS_LD_LAT_THRESHOLD", MSR_PEBS_LD_LAT_THRESHOLD, BITS(63, 16) },
};

TEST(pebs_reserved_data_cfg) = {
    .id = "pebs.reserved.data_cfg",
    .title = "MSR_PEBS_DATA_CFG refuses its reserved bits",
    .source = SDM_2023 "\"Adaptive PEBS\", \"MSR_PEBS_DATA_CFG\"; " SDM_WRMSR,
    .needs = NEED_PEBS | NEED_PEBS_ADAPTIVE,
    .run = refuse_reserved,
    .argument = &(const struct reserved){ "MSR_PEBS_DATA_CFG", MSR_PEBS_DATA_CFG, BITS(63, 56) },
};
