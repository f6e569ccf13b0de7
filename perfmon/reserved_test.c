/* SPDX-License-Identifier: MIT */
/*
 * Writes to read-only registers, and of bits that no processor generation defines. WRMSR raises #GP for the bits that
 * are reserved on this processor. No register reports these bits, and some processors accept bits that the tables call
 * reserved. So a write without #GP is not a failure, but no other bit may change.
 */
#include "suite/suite.h"

#define BITS(high, low) ((UINT64_MAX >> (63 - (high))) & ~((UINT64_C(1) << (low)) - 1))

/*
 * Writes each of these bits alone, combined with the register's value. After a refusal the register must be unchanged;
 * after an accepted write its other bits must be. Returns the accepted bits.
 */
static uint64_t try_bits(struct test_run *run, const char *name, uint32_t msr, uint64_t bits)
{
    const uint64_t value = msr_get(msr);
    uint64_t taken = 0;

    for (unsigned n = 0; n < 64; n++) {
        const uint64_t bit = bits & MSR_BIT(n);
        if (!bit)
            continue;
        if (msr_try(msr, value ^ bit))
            taken |= bit;
        test_equal(run, name, msr_get(msr) & ~(taken & bit), value & ~(taken & bit));
        msr_write(msr, value);
    }
    return taken;
}

static void refuse(struct test_run *run, const char *name, uint32_t msr, uint64_t bits)
{
    const uint64_t taken = try_bits(run, name, msr, bits);

    if (taken)
        test_differs(run, "WRMSR of 0x%" PRIx64 ", reserved or read-only bits, to %s raised no #GP", taken, name);
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

/* Counters that do not exist, among the 32 for which the register has bits. */
static uint64_t no_counters(const struct caps *caps)
{
    return BITS(31, 0) & ~(caps->general_counters | caps->general_possible);
}

static const char *is_netburst(const struct caps *caps)
{
    return caps->pebs_method == PEBS_METHOD_NETBURST ? "MSR_PEBS_ENABLE of NetBurst is a different register" : NULL;
}

static const char *no_capabilities(const struct caps *caps)
{
    return caps->pdcm ? NULL : "no IA32_PERF_CAPABILITIES (CPUID.1:ECX bit 15 clear)";
}

static const char *is_architectural(const struct caps *caps)
{
    return caps->lbr_select ? NULL : "no MSR_LBR_SELECT: IA32_LBR_CTL filters";
}

static void refuse_counters(struct test_run *run)
{
    const struct reserved *reserved = run->test->argument;

    refuse(run, reserved->name, reserved->msr, no_counters(run->caps) | reserved->bits);
}

static void event_select(struct test_run *run)
{
    for (unsigned n = 0; n < run->caps->general_count; n++) {
        msr_write(MSR_IA32_PERFEVTSEL(n), PERFEVTSEL_USR);
        const uint64_t is = msr_get(MSR_IA32_PERFEVTSEL(n));
        errata_equal(run, n >= 4 ? HAS_ERRATUM(BV086) : 0, "IA32_PERFEVTSELx", is, PERFEVTSEL_USR);
        if (is == PERFEVTSEL_USR)
            refuse(run, "IA32_PERFEVTSELx", MSR_IA32_PERFEVTSEL(n), BITS(63, 48));
    }
}

static void fixed_control(struct test_run *run)
{
    const uint64_t counters = run->caps->fixed_counters | run->caps->fixed_possible;
    uint64_t bits = BITS(63, 61);

    for (unsigned n = 0; n < 8; n++)
        bits |= counters & MSR_BIT(n) ? 0 : BITS(4 * n + 3, 4 * n);
    refuse(run, "IA32_FIXED_CTR_CTRL", MSR_IA32_FIXED_CTR_CTRL, bits);
}

static void status_read_only(struct test_run *run)
{
    if (msr_try(MSR_IA32_PERF_GLOBAL_STATUS, msr_get(MSR_IA32_PERF_GLOBAL_STATUS) ^ 1))
        test_differs(run, "WRMSR to IA32_PERF_GLOBAL_STATUS raised no #GP");
    msr_get(MSR_IA32_PERF_GLOBAL_STATUS); /* the watch of registers reports a bit that this write has set */
}

static void capabilities_read_only(struct test_run *run)
{
    refuse(run, "IA32_PERF_CAPABILITIES", MSR_IA32_PERF_CAPABILITIES, MSR_BIT(0));
}

/* Core 2, with format 0, drops the bits (tests/host/msr_facts.h). */
static void pebs_enable(struct test_run *run)
{
    if (run->caps->pebs_format == 0)
        try_bits(run, "IA32_PEBS_ENABLE", MSR_PEBS_ENABLE, BITS(59, 48));
    else
        refuse(run, "IA32_PEBS_ENABLE", MSR_PEBS_ENABLE, BITS(59, 48));
}

/* Real processors drop the bits (tests/host/msr_facts.h). */
static void load_latency(struct test_run *run)
{
    try_bits(run, "MSR_PEBS_LD_LAT_THRESHOLD", MSR_PEBS_LD_LAT_THRESHOLD, BITS(63, 16));
}

TESTS(reserved_of_each_register) = {
    { "perfmon.reserved.global_ctrl",
      "A write of a reserved bit to IA32_PERF_GLOBAL_CTRL, or of the bit of a counter that does not exist, changes no "
      "other bit, and typically raises #GP",
      SDM_PERFMON_2 "; " SDM_WRMSR, .needs = NEED_GLOBAL_CTRL, .run = refuse_counters,
      .argument = &(const struct reserved){ "IA32_PERF_GLOBAL_CTRL", MSR_IA32_PERF_GLOBAL_CTRL, BITS(63, 49) } },
    { "perfmon.reserved.ovf_ctrl",
      "A write of a reserved bit to IA32_PERF_GLOBAL_OVF_CTRL, or of the bit of a counter that does not exist, "
      "typically raises #GP",
      SDM_PERFMON_2 "; " SDM_WRMSR, .needs = NEED_GLOBAL_CTRL, .run = refuse_counters,
      .argument = &(const struct reserved){ "IA32_PERF_GLOBAL_OVF_CTRL", MSR_IA32_PERF_GLOBAL_OVF_CTRL,
                                            BITS(53, 49) } },
    { "perfmon.reserved.perfevtsel",
      "A write of a reserved bit to IA32_PERFEVTSELx changes no other bit, and typically raises #GP",
      SDM_PERFMON_1 "; " SDM_WRMSR, .needs = NEED_GLOBAL_CTRL, .run = event_select },
    { "perfmon.reserved.fixed_ctr_ctrl",
      "A write of a reserved bit to IA32_FIXED_CTR_CTRL, or to the field of a counter that does not exist, changes no "
      "other bit, and typically raises #GP",
      SDM_PERFMON_2 "; " SDM_WRMSR, .needs = NEED_GLOBAL_CTRL, .run = fixed_control },
    { "perfmon.status.read_only", "A write to IA32_PERF_GLOBAL_STATUS sets no bit, and typically raises #GP",
      SDM_MSR_TABLE "IA32_PERF_GLOBAL_STATUS (RO); " SDM_WRMSR, .needs = NEED_GLOBAL_CTRL, .run = status_read_only },
    { "perfmon.capabilities.read_only", "A write to IA32_PERF_CAPABILITIES changes nothing, and typically raises #GP",
      SDM_MSR_TABLE "IA32_PERF_CAPABILITIES (RO); " SDM_WRMSR, .needs = NEED_GLOBAL_CTRL, .lacks = no_capabilities,
      .run = capabilities_read_only },
    { "pebs.reserved.enable",
      "A write of a reserved bit to IA32_PEBS_ENABLE changes no other bit, and typically raises #GP",
      SDM_MSR_TABLE "IA32_PEBS_ENABLE; " SDM_WRMSR, .needs = NEED_PEBS_AREA, .lacks = is_netburst, .run = pebs_enable },
    { "pebs.reserved.load_latency", "A write above the 16 bits of MSR_PEBS_LD_LAT_THRESHOLD changes none of them",
      SDM_LOAD_LATENCY, .needs = NEED_PEBS | NEED_LOAD_LATENCY, .run = load_latency },
};

TESTS(reserved_bits) = {
    { "bts.reserved.debugctl",
      "A write of a reserved bit to IA32_DEBUGCTL changes no other bit, and typically raises #GP",
      SDM_MSR_TABLE "IA32_DEBUGCTL; " SDM_WRMSR, .run = refuse_reserved, .needs = NEED_GLOBAL_CTRL | NEED_BTS,
      .argument = &(const struct reserved){ "IA32_DEBUGCTL", MSR_IA32_DEBUGCTL, BITS(63, 32) } },
    { "lbr.reserved.select",
      "A write of a reserved bit to MSR_LBR_SELECT changes no other bit, and typically raises #GP",
      SDM_LBR_SELECT "; " SDM_WRMSR, .run = refuse_reserved, .needs = NEED_LBR | NEED_LBR_SELECT,
      .lacks = is_architectural,
      .argument = &(const struct reserved){ "MSR_LBR_SELECT", MSR_LBR_SELECT, BITS(63, 16) } },
    { "lbr.arch.reserved", "A write of a reserved bit to IA32_LBR_CTL changes no other bit, and typically raises #GP",
      SDM_MSR_TABLE "IA32_LBR_CTL; " SDM_WRMSR, .run = refuse_reserved, .needs = NEED_LBR | NEED_ARCH_LBR,
      .argument = &(const struct reserved){ "IA32_LBR_CTL", MSR_IA32_LBR_CTL, BITS(63, 23) | BITS(15, 4) } },
    { "pebs.reserved.data_cfg",
      "A write of a reserved bit to MSR_PEBS_DATA_CFG changes no other bit, and typically raises #GP",
      SDM_2023 "\"Adaptive PEBS\", \"MSR_PEBS_DATA_CFG\"; " SDM_WRMSR, .run = refuse_reserved,
      .needs = NEED_PEBS | NEED_PEBS_ADAPTIVE,
      .argument = &(const struct reserved){ "MSR_PEBS_DATA_CFG", MSR_PEBS_DATA_CFG, BITS(63, 56) } },
};
