/* SPDX-License-Identifier: MIT */
/* The register IA32_DS_AREA, and the area as this kernel builds it. */
#include "suite/suite.h"

/*
 * Addresses of 57 bits. The manual does not promise that the register is as wide as the processor's linear addresses;
 * on known processors it is.
 */
static void readback_57(struct test_run *run)
{
    static const uint64_t addresses[] = { 0x00fffffffffff000, 0xff00000000000000 };

    for (unsigned i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        msr_try(MSR_IA32_DS_AREA, addresses[i]);
        if (msr_get(MSR_IA32_DS_AREA) != addresses[i])
            test_differs(run, "IA32_DS_AREA does not hold 0x%llx, although CPUID.7:ECX[16] is set",
                         (unsigned long long)addresses[i]);
    }
}

/*
 * IA32_DS_AREA keeps any linear address, which the watch of registers reads back. While BTS and PEBS are disabled it
 * may point anywhere.
 */
static void readback(struct test_run *run)
{
    static const uint64_t addresses[] = {
        0, 0x1000, 0xfffff000, 0x00007ffffffff000, 0xffff800000000000, 0xfffffffffffff000
    };

    for (unsigned i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
        if (!(addresses[i] >> 32) || run->caps->ia32e_active) /* outside IA-32e mode, bits 63:32 are reserved */
            msr_write(MSR_IA32_DS_AREA, addresses[i]);
    if (run->caps->msr_linear_bits == 57 && run->caps->ia32e_active)
        readback_57(run);
    msr_write(MSR_IA32_DS_AREA, 0);
}

/*
 * WRMSR of a non-canonical address to a register that holds a linear address raises #GP(0). With 5-level paging
 * (CPUID.7:ECX[16]) these addresses have 57 bits, even while CR4.LA57 is clear.
 */
static void non_canonical(struct test_run *run)
{
    const unsigned bits = run->caps->msr_linear_bits;
    const uint64_t upper = UINT64_MAX << (bits - 1); /* the lowest address of the upper half */

    if (msr_try(MSR_IA32_DS_AREA, UINT64_C(1) << (bits - 1)) || msr_try(MSR_IA32_DS_AREA, upper - 1))
        test_fail(run, "WRMSR of an address that is not canonical with %u bits to IA32_DS_AREA raised no #GP", bits);
    test_equal(run, "IA32_DS_AREA", msr_get(MSR_IA32_DS_AREA), 0);
}

/* records_open() checks the restrictions. */
static void restrictions(struct test_run *run)
{
    const struct ds_config config = { .bts = true,
                                      .bts_records = 64,
                                      .bts_threshold = 32,
                                      .pebs = caps_missing(run->caps, NEED_PEBS) == CAPS_AVAILABLE,
                                      .pebs_records = 16,
                                      .pebs_threshold = 8 };

    test_plan(run, 0);
    if (!records_open(run, &config))
        return;
    records_close(run, 0);
    test_saw(run, ds_bts_log()->records + ds_pebs_log()->records);
}

TESTS(areas) = {
    { "ds.area.readback", "IA32_DS_AREA holds every linear address that the processor has",
      SDM_MSR_TABLE "IA32_DS_AREA; " SDM_SETTING_UP_DS ", step 2", .needs = NEED_DS, .run = readback },
    { "ds.area.noncanonical", "A non-canonical address in IA32_DS_AREA raises #GP and changes nothing", SDM_WRMSR,
      .needs = NEED_DS | NEED_LONG_MODE, .run = non_canonical },
    { "ds.restrictions",
      "The DS save area meets every restriction of the manual, and stays unwritten until it is enabled",
      SDM_SETTING_UP_DS, .needs = NEED_APIC | NEED_BTS, .records = true, .run = restrictions },
};
