/* SPDX-License-Identifier: MIT */
/* The test enables what firmware may leave enabled. The kernel must stop that, and restore part of it at the end. */
#include "kernel/firmware.h"

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "ds/ds.h"
#include "kernel/console.h"
#include "kernel/test.h"
#include "suite/support/records.h"
#include "suite/support/sources.h"

#define COUNTS_INSTRUCTIONS (UINT64_C(0x00c0) | PERFEVTSEL_USR | PERFEVTSEL_OS | PERFEVTSEL_EN)
#define BREAKPOINT_0        0x402u /* G0, at the address 0, where no code runs */
#define NO_BREAKPOINT       0x400u

static uint64_t limit(void)
{
    return msr_get(MSR_IA32_MISC_ENABLE) & MISC_ENABLE_LIMIT_CPUID;
}

/* Enables counter 0, BTS and LBR, with an open area for the BTS records. */
static void leave_on(const struct caps *caps)
{
    const uint64_t misc_enable = msr_get(MSR_IA32_MISC_ENABLE);

    dr7_write(BREAKPOINT_0);
    msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 1);
    msr_write(MSR_IA32_PERFEVTSEL(0), COUNTS_INSTRUCTIONS);
    msr_write(MSR_IA32_DEBUGCTL, caps->debugctl->lbr | caps->debugctl->tr | caps->debugctl->bts);
    msr_write(MSR_IA32_MISC_ENABLE, misc_enable | MISC_ENABLE_LIMIT_CPUID);
}

static void expect_stopped(struct test_run *run, uint32_t leaf)
{
    const struct debugctl_bits *bits = run->caps->debugctl;

    test_equal(run, "DR7", dr7_read(), NO_BREAKPOINT);
    test_equal(run, "LBR, TR and BTS", msr_get(MSR_IA32_DEBUGCTL) & (bits->lbr | bits->tr | bits->bts), 0);
    test_equal(run, "EN of IA32_PERFEVTSEL0", msr_get(MSR_IA32_PERFEVTSEL(0)) & PERFEVTSEL_EN, 0);
    test_equal(run, "the highest leaf of CPUID", cpuid(0, 0).eax, leaf);
}

static void expect_given_back(struct test_run *run)
{
    const struct debugctl_bits *bits = run->caps->debugctl;

    test_equal(run, "LBR, TR and BTS at the end", msr_get(MSR_IA32_DEBUGCTL) & (bits->lbr | bits->tr | bits->bts),
               run->caps->arch_lbr ? 0 : bits->lbr);
    test_equal(run, "IA32_PERFEVTSEL0 at the end", msr_get(MSR_IA32_PERFEVTSEL(0)), COUNTS_INSTRUCTIONS);
    test_equal(run, "the limit of CPUID at the end", limit(), MISC_ENABLE_LIMIT_CPUID);
}

static void take_over(struct test_run *run)
{
    const struct ds_config config = { .bts = true, .bts_circular = true, .bts_records = 64 };
    const uint32_t leaf = cpuid(0, 0).eax;

    if (!records_open(run, &config))
        return;
    interrupts_off();
    leave_on(run->caps);
    firmware_take_over();
    expect_stopped(run, leaf);
    firmware_text(&console_sink);
    firmware_give_back();
    expect_given_back(run);
    msr_write(MSR_IA32_MISC_ENABLE, msr_get(MSR_IA32_MISC_ENABLE) & ~MISC_ENABLE_LIMIT_CPUID);
    msr_write(MSR_IA32_DEBUGCTL, 0);
    firmware_take_over(); /* replaces what the end of the run restores */
    ds_close();
}

TEST(selftest_firmware) = {
    .id = "selftest.firmware",
    .title = "What firmware leaves on is stopped, and counters, LBR stack and limit of CPUID are restored at the end",
    .source = OWN_PROBE,
    .needs = NEED_APIC | NEED_GLOBAL_CTRL | NEED_BTS,
    .on_request = true,
    .run = take_over,
};
