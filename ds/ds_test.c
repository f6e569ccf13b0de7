/* SPDX-License-Identifier: MIT */
/* The DS area's register, and the area as this kernel builds it. */
#include "arch/x86/image.h"
#include "arch/x86/msr.h"
#include "kernel/test.h"
#include "suite/records.h"
#include "suite/sources.h"

/* IA32_DS_AREA keeps any linear address: while nothing is enabled it may point anywhere. */
static void readback(struct test_run *run)
{
    static const uint64_t addresses[] = {
        0, 0x1000, 0xfffff000, 0x00007ffffffff000, 0xffff800000000000, 0xfffffffffffff000
    };
    uint64_t value;

    for (unsigned i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        if (addresses[i] >> 32 && !run->caps->ia32e_active) /* bits 63:32 are reserved there */
            continue;
        if (!msr_write(MSR_IA32_DS_AREA, addresses[i]) || !msr_read(MSR_IA32_DS_AREA, &value))
            test_fail(run, "WRMSR of 0x%llx to IA32_DS_AREA, or RDMSR after it, raised #GP",
                      (unsigned long long)addresses[i]);
        else
            test_equal(run, "IA32_DS_AREA", value, addresses[i]);
    }
    msr_write(MSR_IA32_DS_AREA, 0);
}

TEST(ds_area_readback) = {
    .id = "ds.area.readback",
    .title = "IA32_DS_AREA holds every linear address that the processor has",
    .source = SDM_MSR_TABLE "IA32_DS_AREA; " SDM_SETTING_UP_DS ", step 2",
    .needs = NEED_DS,
    .run = readback,
};

/* WRMSR of a non-canonical address to a register that holds a linear address raises #GP(0). */
static void non_canonical(struct test_run *run)
{
    if (msr_write(MSR_IA32_DS_AREA, UINT64_C(0x0000800000000000)))
        test_fail(run, "WRMSR of a non-canonical address to IA32_DS_AREA raised no #GP");
    test_equal(run, "IA32_DS_AREA", msr_get(MSR_IA32_DS_AREA), 0);
}

TEST(ds_area_noncanonical) = {
    .id = "ds.area.noncanonical",
    .title = "A non-canonical address in IA32_DS_AREA raises #GP and changes nothing",
    .source = SDM_WRMSR,
    .needs = NEED_DS | NEED_LONG_MODE,
    .run = non_canonical,
};

/* The area keeps every restriction of the manual, in its own pages, with bit 20 of each address clear. */
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
    if ((uintptr_t)ds_start & 1u << 20 || ((uintptr_t)ds_end - 1) & 1u << 20)
        test_fail(run, "the DS pages reach into addresses with bit 20 set");
    test_equal(run, "IA32_DS_AREA", msr_get(MSR_IA32_DS_AREA) & ~UINT64_C(0xfff),
               msr_get(MSR_IA32_DS_AREA)); /* the management area begins a page */
    records_close(run, 0);
    test_saw(run, ds_bts_log()->records + ds_pebs_log()->records);
}

TEST(ds_restrictions) = {
    .id = "ds.restrictions",
    .title = "The DS save area keeps every restriction of the manual, and nothing is written before it is enabled",
    .source = SDM_SETTING_UP_DS,
    .needs = NEED_APIC | NEED_BTS,
    .records = true,
    .run = restrictions,
};
