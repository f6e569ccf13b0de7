/* SPDX-License-Identifier: MIT */
/*
 * The registers of architectural PEBS: what CPUID.23H says about them, which bits are writable, which raise #GP, and
 * which PEBS registers of the DS area are missing. The watch of registers reads back what msr_write() writes.
 */
#include "suite/suite.h"

#include "pebs/layout/arch_pebs.h"
#include "ds/arch_buffer.h"

#define NEEDS NEED_PEBS_ARCH

#define BITS(high, low) (UINT64_MAX >> (63 - (high)) & UINT64_MAX << (low))

/* Unused memory, aligned to every size that is tried. Never written, because the index is not enabled. */
#define SOMEWHERE UINT64_C(0x10000000)

static void close_all(struct test_run *run)
{
    arch_buffer_close(run->caps);
}

/* Each of these bits, set by itself, must raise #GP and leave the register unchanged. */
static void expect_refused(struct test_run *run, const char *name, uint32_t msr, uint64_t kept, uint64_t bits)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        if (!(bits >> bit & 1))
            continue;
        msr_write(msr, kept);
        if (msr_try(msr, kept | MSR_BIT(bit)))
            test_fail(run, "WRMSR with bit %u of %s set raised no #GP", bit, name);
        test_equal(run, name, msr_get(msr), kept);
    }
}

/* ---- CPUID ------------------------------------------------------------------------------------------------------- */

static void counters(struct test_run *run)
{
    const struct caps *c = run->caps;
    const struct cpuid leaf = cpuid(0x23, 5);

    test_equal(run, "nonexistent counters listed with PEBS", leaf.eax & ~c->general_counters, 0);
    test_equal(run, "nonexistent fixed counters listed with PEBS", leaf.ecx & ~c->fixed_counters, 0);
    test_equal(run, "counters listed with precise distribution but without PEBS", leaf.ebx & ~leaf.eax, 0);
    test_equal(run, "fixed counters listed with precise distribution but without PEBS", leaf.edx & ~leaf.ecx, 0);
    for (unsigned n = 0; n < 32; n++) {
        uint64_t value;
        if (c->pebs_counters >> n & 1 && !msr_read(MSR_IA32_PMC_GP_CFG_C(n), &value))
            test_fail(run, "RDMSR of CFG_C of counter %u, which CPUID.23H.5 lists, raised #GP", n);
        if (c->pebs_fixed_counters >> n & 1 && !msr_read(MSR_IA32_PMC_FX_CFG_C(n), &value))
            test_fail(run, "RDMSR of CFG_C of fixed counter %u, which CPUID.23H.5 lists, raised #GP", n);
    }
}

static void gaps(struct test_run *run)
{
    uint64_t value;

    for (unsigned n = 0; n < 8; n++)
        if (!(run->caps->fixed_counters >> n & 1) && msr_read(MSR_IA32_PMC_FX_CFG_C(n), &value))
            test_fail(run, "RDMSR of CFG_C of fixed counter %u, which CPUID.23H.1 does not list, raised no #GP", n);
}

static void enable_is_not_there(struct test_run *run)
{
    uint64_t value;
    const bool read = msr_read(MSR_PEBS_ENABLE, &value);

    if (read || msr_try(MSR_PEBS_ENABLE, 1))
        test_fail(run, "%s IA32_PEBS_ENABLE raised no #GP", read ? "RDMSR of" : "WRMSR to");
}

static void data_cfg_is_not_there(struct test_run *run)
{
    uint64_t value;

    if (msr_read(MSR_PEBS_DATA_CFG, &value))
        test_fail(run, "RDMSR of MSR_PEBS_DATA_CFG raised no #GP, and read 0x%" PRIx64, value);
}

TESTS(detection) = {
    { "arch.detect.counters", "Each counter that CPUID.23H.5 lists exists, and has a CFG_C register",
      SDM_ARCH_PEBS ", CPUID.23H.5", .needs = NEEDS, .run = counters },
    { "arch.detect.gaps", "A fixed counter that is missing from CPUID.23H.1 between listed ones has no CFG_C register",
      SDM_ARCH_PEBS ", CPUID.23H.1", .needs = NEEDS, .run = gaps },
    { "arch.detect.pebs_enable", "IA32_PEBS_ENABLE does not exist: no counter uses it", SDM_ARCH_PEBS "; " ARCH_KVM,
      .typical = "The manual promises only that architectural PEBS does not use it, not that it is missing",
      .needs = NEEDS, .run = enable_is_not_there },
    { "arch.detect.data_cfg",
      "MSR_PEBS_DATA_CFG does not exist: each counter's CFG_C selects the groups of its records",
      SDM_ARCH_PEBS "; " ARCH_KVM,
      .typical = "The manual promises only that architectural PEBS does not use it, not that it is missing",
      .needs = NEEDS, .run = data_cfg_is_not_there },
};

/* ---- IA32_PEBS_BASE ---------------------------------------------------------------------------------------------- */

static void base(struct test_run *run)
{
    for (unsigned size = 0; size <= 8; size++)
        msr_write(MSR_IA32_PEBS_BASE, SOMEWHERE | size);
    for (unsigned bit = 20; bit < run->caps->physical_bits; bit++)
        msr_write(MSR_IA32_PEBS_BASE, MSR_BIT(bit));
    close_all(run);
}

static void base_reserved(struct test_run *run)
{
    expect_refused(run, "IA32_PEBS_BASE", MSR_IA32_PEBS_BASE, SOMEWHERE | 4, BITS(11, 4));
    close_all(run);
}

static void base_physical(struct test_run *run)
{
    expect_refused(run, "IA32_PEBS_BASE", MSR_IA32_PEBS_BASE, SOMEWHERE | 4, BITS(63, run->caps->physical_bits));
    close_all(run);
}

TESTS(base_register) = {
    { "arch.base.holds", "IA32_PEBS_BASE holds every physical address of the processor and every size up to 1 MByte",
      SDM_ARCH_PEBS ", IA32_PEBS_BASE", .needs = NEEDS, .run = base },
    { "arch.base.reserved",
      "A buffer that is not aligned to 4 KByte: IA32_PEBS_BASE with any of bits 11:4 set raises #GP",
      SDM_ARCH_PEBS ", IA32_PEBS_BASE; " SDM_WRMSR, .needs = NEEDS, .run = base_reserved },
    { "arch.base.physical", "A buffer above MAXPHYADDR: IA32_PEBS_BASE with such an address bit set raises #GP",
      SDM_ARCH_PEBS ", IA32_PEBS_BASE; " SDM_WRMSR, .needs = NEEDS, .run = base_physical },
};

/* ---- IA32_PEBS_INDEX --------------------------------------------------------------------------------------------- */

/* The watch compares neither WR nor FULL. */
static void index_has(struct test_run *run, uint64_t value)
{
    msr_write(MSR_IA32_PEBS_INDEX, value);
    test_equal(run, "IA32_PEBS_INDEX", msr_get(MSR_IA32_PEBS_INDEX), value);
}

static void index_holds(struct test_run *run)
{
    static const uint64_t values[] = { PEBS_INDEX_WR, PEBS_INDEX_THRESH_FIELD, PEBS_INDEX_FULL, PEBS_INDEX_EN };

    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++)
        for (unsigned bit = 0; bit < 64; bit++)
            if (values[i] >> bit & 1)
                index_has(run, MSR_BIT(bit));
    close_all(run);
}

static void index_reserved(struct test_run *run)
{
    const uint64_t *const bits = run->test->argument;

    expect_refused(run, "IA32_PEBS_INDEX", MSR_IA32_PEBS_INDEX, PEBS_INDEX_THRESH(0x1000), *bits);
    close_all(run);
}

#define RESERVED SDM_ARCH_PEBS ", IA32_PEBS_INDEX; " SDM_WRMSR, .needs = NEEDS, .run = index_reserved

TESTS(index_register) = {
    { "arch.index.holds", "IA32_PEBS_INDEX holds every bit of WR, FULL, EN and THRESH",
      SDM_ARCH_PEBS ", IA32_PEBS_INDEX",
      .typical = "No available edition says that software may write each bit of the index alone", .needs = NEEDS,
      .run = index_holds },
    { "arch.index.reserved.below_wr", "IA32_PEBS_INDEX with any of its reserved bits 3:0 raises #GP", RESERVED,
      .argument = &(const uint64_t){ BITS(3, 0) } },
    { "arch.index.reserved.below_full", "IA32_PEBS_INDEX with any of its reserved bits 30:27 raises #GP", RESERVED,
      .argument = &(const uint64_t){ BITS(30, 27) } },
    { "arch.index.reserved.below_thresh", "IA32_PEBS_INDEX with any of its reserved bits 35:33 raises #GP", RESERVED,
      .argument = &(const uint64_t){ BITS(35, 33) } },
    { "arch.index.reserved.top", "IA32_PEBS_INDEX with any of its reserved bits 63:59 raises #GP", RESERVED,
      .argument = &(const uint64_t){ BITS(63, 59) } },
};

/* ---- CFG_C ------------------------------------------------------------------------------------------------------- */

static void holds(struct test_run *run, uint32_t msr)
{
    msr_write(msr, run->caps->pebs_cfg_c | ARCH_PEBS_RELOAD);
    msr_write(msr, ARCH_PEBS_EN | UINT64_C(0x80000001));
    msr_write(msr, 0);
}

static void refuses(struct test_run *run, uint32_t msr)
{
    expect_refused(run, "CFG_C", msr, 0xfffffff0, ~(run->caps->pebs_cfg_c | ARCH_PEBS_RELOAD));
}

/* A check of CFG_C, run for each general or each fixed counter that can sample. */
struct asked {
    bool fixed;
    void (*check)(struct test_run *run, uint32_t msr);
};

static void each_cfg_c(struct test_run *run)
{
    const struct asked *asked = run->test->argument;
    const uint64_t able = asked->fixed ? run->caps->pebs_fixed_counters : run->caps->pebs_counters;

    for (unsigned n = 0; n < 32; n++)
        if (able >> n & 1)
            asked->check(run, asked->fixed ? MSR_IA32_PMC_FX_CFG_C(n) : MSR_IA32_PMC_GP_CFG_C(n));
    close_all(run);
}

TESTS(cfg_c) = {
    { "arch.cfg_c.general",
      "IA32_PMC_GPn_CFG_C of each counter holds a reload value and every bit that CPUID.23H.4 lists",
      SDM_ARCH_PEBS ", IA32_PMC_GPn_CFG_C", .needs = NEEDS, .run = each_cfg_c,
      .argument = &(const struct asked){ false, holds } },
    { "arch.cfg_c.fixed",
      "IA32_PMC_FXm_CFG_C of each fixed counter holds a reload value and every bit that CPUID.23H.4 lists",
      SDM_ARCH_PEBS ", IA32_PMC_FXm_CFG_C", .needs = NEEDS, .run = each_cfg_c,
      .argument = &(const struct asked){ true, holds } },
    { "arch.cfg_c.general.reserved",
      "Each bit of IA32_PMC_GPn_CFG_C above 31 that CPUID.23H.4 does not list raises #GP",
      SDM_ARCH_PEBS ", CPUID.23H.4; " SDM_WRMSR, .needs = NEEDS, .run = each_cfg_c,
      .argument = &(const struct asked){ false, refuses } },
    { "arch.cfg_c.fixed.reserved", "Each bit of IA32_PMC_FXm_CFG_C above 31 that CPUID.23H.4 does not list raises #GP",
      SDM_ARCH_PEBS ", CPUID.23H.4; " SDM_WRMSR, .needs = NEEDS, .run = each_cfg_c,
      .argument = &(const struct asked){ true, refuses } },
};

/* ---- the counters' other names ----------------------------------------------------------------------------------- */

/* One register at two addresses: a write to either is visible in the other. */
static void expect_same(struct test_run *run, unsigned n, uint32_t one, uint32_t other)
{
    static const uint64_t values[] = { 0x123450, 0x300 };
    uint64_t value;

    for (unsigned i = 0; i < 2; i++)
        if (!msr_write(i ? other : one, values[i] + n) || !msr_read(i ? one : other, &value))
            test_fail(run, "MSR 0x%" PRIx32 " or 0x%" PRIx32 " raised #GP", one, other);
        else
            test_equal(run, "the counter at its other address", value, values[i] + n);
    msr_write(one, 0);
}

static void aliases(struct test_run *run)
{
    msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
    for (unsigned n = 0; n < 32; n++) {
        if (run->caps->general_counters >> n & 1) {
            expect_same(run, n, MSR_IA32_A_PMC(n), MSR_IA32_PMC_GP_CTR(n));
            expect_same(run, n, MSR_IA32_PERFEVTSEL(n), MSR_IA32_PMC_GP_CFG_A(n));
        }
        if (run->caps->fixed_counters >> n & 1)
            expect_same(run, n, MSR_IA32_FIXED_CTR(n), MSR_IA32_PMC_FX_CTR(n));
    }
}

TEST(arch_registers_aliases) = {
    .id = "arch.registers.aliases",
    .title = "IA32_PMC_GPn_CTR, IA32_PMC_GPn_CFG_A and IA32_PMC_FXm_CTR are aliases of IA32_A_PMCn, IA32_PERFEVTSELn "
             "and IA32_FIXED_CTRm",
    .source = SDM_ARCH_PEBS ", performance monitoring version 6",
    .needs = NEEDS,
    .run = aliases,
};
