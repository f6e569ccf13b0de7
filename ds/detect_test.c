/* SPDX-License-Identifier: MIT */
/*
 * Compares what a processor reports about its debug store with what it does. Sizes and offsets are typed here again
 * from the manual's tables, independently of the decoders.
 */
#include "suite/suite.h"

#define CPUID_1_ECX_DTES64 (1u << 2)

#define MISC_ENABLE_PERFMON          MSR_BIT(7)
#define MISC_ENABLE_BTS_UNAVAILABLE  MSR_BIT(11)
#define MISC_ENABLE_PEBS_UNAVAILABLE MSR_BIT(12)

#define PERF_CAPABILITIES_PEBS_FORMAT(value) ((unsigned)((value) >> 8) & 0xf)
#define PERF_CAPABILITIES_FW_WRITE           MSR_BIT(13)
#define PERF_CAPABILITIES_BASELINE           MSR_BIT(14)

/*
 * Writes other addresses than the capability probe and ds.area.readback, which may still be in the register. The watch
 * of registers reads each back.
 */
static void ds_area(struct test_run *run)
{
    (void)run;
    for (unsigned bit = 12; bit < 32; bit++)
        msr_write(MSR_IA32_DS_AREA, MSR_BIT(bit));
    msr_write(MSR_IA32_DS_AREA, 0);
}

/* The bits are read-only. The manual does not say whether a write that changes them raises #GP: both are accepted. */
static void misc_enable(struct test_run *run)
{
    static const uint64_t bits[] = { MISC_ENABLE_BTS_UNAVAILABLE, MISC_ENABLE_PEBS_UNAVAILABLE };
    const uint64_t value = msr_get(MSR_IA32_MISC_ENABLE);

    for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        const bool taken = msr_try(MSR_IA32_MISC_ENABLE, value ^ bits[i]);
        test_equal(run, "IA32_MISC_ENABLE", msr_get(MSR_IA32_MISC_ENABLE), value);
        if (taken)
            msr_write(MSR_IA32_MISC_ENABLE, value);
    }
}

/* Tries the bit that every processor with MSR_PEBS_ENABLE has, on NetBurst or later. */
static void pebs_enable(struct test_run *run)
{
    const uint64_t bit = run->caps->pebs_method == PEBS_METHOD_NETBURST ? PEBS_ENABLE_MY_THR : MSR_BIT(0);

    msr_write(MSR_PEBS_ENABLE, bit);
    msr_write(MSR_PEBS_ENABLE, 0);
}

/* Only that the bits can be set, which the watch of registers compares. pebs.counter.*: that each counter samples. */
static void pebs_counter_bits(struct test_run *run)
{
    msr_write(MSR_PEBS_ENABLE, run->caps->pebs_counters);
    msr_write(MSR_PEBS_ENABLE, 0);
}

static void perf_capabilities(struct test_run *run)
{
    uint64_t value;

    if (!run->caps->pdcm) {
        test_skip(run, "no IA32_PERF_CAPABILITIES (CPUID.1:ECX bit 15 clear)");
        return;
    }
    if (!msr_read(MSR_IA32_PERF_CAPABILITIES, &value)) {
        test_fail(run, "IA32_PERF_CAPABILITIES cannot be read");
        return;
    }
    for (unsigned bit = 0; bit < 20; bit++) {
        msr_try(MSR_IA32_PERF_CAPABILITIES, value ^ MSR_BIT(bit));
        test_equal(run, "IA32_PERF_CAPABILITIES", msr_get(MSR_IA32_PERF_CAPABILITIES), value);
    }
}

/* IA32_PERF_CAPABILITIES, which always reads as it did when the kernel started. */
static uint64_t capabilities(struct test_run *run)
{
    const uint64_t value = run->caps->pdcm ? msr_get(MSR_IA32_PERF_CAPABILITIES) : 0;

    test_equal(run, "IA32_PERF_CAPABILITIES", value, run->caps->perf_capabilities);
    return value;
}

/* The size of a record in bytes by the manual's tables. An adaptive record contains its own size. */
static uint64_t announced_size(struct test_run *run, const uint8_t *record)
{
    static const unsigned sizes[] = { 144, 176, 192, 200 };
    const struct cpuid features = cpuid(1, 0);
    const uint64_t value = capabilities(run);
    const unsigned format = PERF_CAPABILITIES_PEBS_FORMAT(value);

    if (value & PERF_CAPABILITIES_BASELINE)
        return record[6] | (uint64_t)record[7] << 8;
    if (!(features.ecx & CPUID_1_ECX_DTES64) && !(msr_get(MSR_IA32_EFER) & EFER_LMA))
        return 40;
    return format < sizeof sizes / sizeof sizes[0] ? sizes[format] : PEBS_BASIC_BYTES;
}

static uint64_t field(const uint8_t *bytes, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = width; i > 0; i--)
        value = value << 8 | bytes[i - 1];
    return value;
}

/* Samples one record, and measures how far it moves the index. */
static void record_size(struct test_run *run)
{
    const struct pebs_sample sample = pebs_sample_any(run->caps, 1);
    const struct ds_memory memory = ds_memory();
    const bool wide = run->caps->ds_width == DS_WIDTH_64;

    test_plan(run, 1);
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    pebs_sample_run(run, &sample);
    pebs_settle();
    test_equal(run, "distance of the PEBS index from the base",
               wide ? field(memory.area + 0x28, 8) - field(memory.area + 0x20, 8)
                    : field(memory.area + 0x14, 4) - field(memory.area + 0x10, 4),
               announced_size(run, memory.pebs));
    pebs_close(run, 0);
}

/* The BTS index advances in the field of the reported width. The field of the other width does not change. */
static void dtes64(struct test_run *run)
{
    const struct ds_config config = { .bts = true, .bts_circular = true, .bts_records = 64 };
    const struct cpuid features = cpuid(1, 0);
    const bool wide = features.ecx & CPUID_1_ECX_DTES64 || msr_get(MSR_IA32_EFER) & EFER_LMA;
    const unsigned branches = branch_count(&workload_calls, BRANCH_KINDS_ALL);
    const struct ds_memory memory = ds_memory();
    struct window window;

    test_plan(run, branches);
    if (!records_open(run, &config))
        return;
    window = (struct window){ MSR_IA32_DEBUGCTL, run->caps->debugctl->tr | run->caps->debugctl->bts, 0 };
    interrupts_off();
    workload_calls.run(&window);
    test_equal(run, "distance of the BTS index from the base",
               wide ? field(memory.area + 0x08, 8) - field(memory.area, 8)
                    : field(memory.area + 0x04, 4) - field(memory.area, 4),
               branches * (wide ? 24 : 12));
    records_close(run, 0);
    records_compare_bts(run, &workload_calls, 0);
}

/* A value that no write to IA32_PMC0 can produce: bit 31 is clear, and bits above it are set. */
static void full_width(struct test_run *run)
{
    const uint64_t most = (MSR_BIT(run->caps->general_width) - 1) & ~MSR_BIT(31);
    const bool promised = capabilities(run) & PERF_CAPABILITIES_FW_WRITE;

    if (!promised) {
        test_skip(run, "no full-width writes (IA32_PERF_CAPABILITIES bit 13 clear)");
        return;
    }
    msr_write(MSR_IA32_A_PMC(0), most);
    test_equal(run, "IA32_A_PMC0", msr_get(MSR_IA32_A_PMC(0)), most);
    test_equal(run, "IA32_PMC0", msr_get(MSR_IA32_PMC(0)), most);
    msr_write(MSR_IA32_A_PMC(0), 0);
}

TESTS(detection) = {
    { "detect.ds.area", "With the DS feature flag, CPUID.1:EDX[21], every bit of IA32_DS_AREA can be programmed",
      SDM_PEBS_DETECTION, .needs = NEED_DS, .run = ds_area },
    { "detect.misc_enable.read_only", "IA32_MISC_ENABLE bits 11 and 12, BTS and PEBS unavailable, cannot be changed",
      SDM_MSR_TABLE "IA32_MISC_ENABLE", .needs = NEED_DS, .run = misc_enable },
    { "detect.pebs.enable",
      "Where IA32_MISC_ENABLE bit 12 is clear, MSR_PEBS_ENABLE exists, and its bits can be set and cleared",
      SDM_PEBS_DETECTION, .needs = NEED_PEBS_AREA, .run = pebs_enable },
    { "detect.pebs.counters",
      "Each counter that can sample on this core has a bit in IA32_PEBS_ENABLE, and all can be set together",
      SDM_2023 "\"Processor Event Based Sampling (PEBS)\" of each core, figure of IA32_PEBS_ENABLE",
      .needs = NEED_PEBS_AREA | NEED_GLOBAL_CTRL, .run = pebs_counter_bits },
    { "detect.perf_capabilities.read_only", "If CPUID.1:ECX[15] is set, IA32_PERF_CAPABILITIES exists and is read-only",
      SDM_PERF_CAPABILITIES, .needs = NEED_PERFMON, .run = perf_capabilities },
    { "detect.pebs.record_size",
      "A record has the size that IA32_PERF_CAPABILITIES[11:8] and DTES64 give; an adaptive record has the size in its "
      "header",
      SDM_PEBS_RECORD "; " SDM_PEBS_ADAPTIVE, .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_AREA | NEED_EVENT_ANY,
      .records = true, .run = record_size },
    { "detect.dtes64",
      "With DTES64, CPUID.1:ECX[2], or in IA-32e mode, DS area and records have 64-bit fields, otherwise 32-bit fields",
      SDM_DS_64, .needs = NEED_APIC | NEED_BTS, .records = true, .run = dtes64 },
    { "detect.full_width", "With IA32_PERF_CAPABILITIES[13], a write to IA32_A_PMC0 sets every bit of counter 0",
      SDM_FULL_WIDTH, .needs = NEED_GLOBAL_CTRL, .run = full_width },
};
