/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Atom cores: Silvermont, Goldmont, and Crestmont as in Sierra Forest. Events, their counters, and which of them have
 * an address: Intel's lists SLM, GLM and SRF (github.com/intel/perfmon).
 *
 * Silvermont: SDM Vol. 3B (253669-083), "Performance Monitoring for Silvermont Microarchitecture"; Vol. 4 (335592-083),
 * "MSRs in Intel Atom Processors Based on Silvermont Microarchitecture"; Linux 6.12, arch/x86/events/intel/lbr.c,
 * intel_pmu_lbr_init_slm(), and core.c, intel_slm_extra_regs and slm_hw_cache_extra_regs.
 *
 * Goldmont: SDM Vol. 3B (253669-083), "Performance Monitoring for Goldmont Microarchitecture"; Vol. 4 (335592-083),
 * "MSRs in Intel Atom Processors Based on Goldmont Microarchitecture".
 *
 * Crestmont: SDM Vol. 3B (253669-083), "Adaptive PEBS" and "Last Branch Records"; Linux 6.12,
 * arch/x86/events/intel/ds.c and core.c: bits and codes of a data source (intel_pmu_pebs_data_source_cmt,
 * cmt_latency_data), precise distribution (cmt_get_event_constraints) and the registers that events need
 * (intel_cmt_extra_regs). Event counts in LBR entries: its commit "perf/x86/intel: Support branch counters logging",
 * which names Sierra Forest as the first; their number: arch/x86/include/asm/perf_event.h.
 */
#include <stddef.h>

#include "model/processors/rows_adaptive.h"

/* --- Silvermont -------------------------------------------------------------------------------------------------- */

#define EITHER 0x03 /* counter; only the first samples */

static const struct profile_event silvermont_events[] = {
    { 0x2e, 0x4f, EVENT_L1_MISSES, EITHER, NOT_PRECISE }, /* the second level is the last */
    { 0x2e, 0x41, EVENT_L2_MISSES, EITHER, NOT_PRECISE },
    { 0x80, 0x02, EVENT_CODE_MISSES, EITHER, NOT_PRECISE },
    { 0xb7, 0x01, EVENT_OFFCORE_0, EITHER, NOT_PRECISE },
    { 0xb7, 0x02, EVENT_OFFCORE_1, EITHER, NOT_PRECISE },
    { 0x3c, 0x00, EVENT_CYCLES, EITHER, NOT_PRECISE },
    { 0x3c, 0x01, EVENT_CYCLES, EITHER, NOT_PRECISE },
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, EITHER, PRECISE },
    { 0xc2, 0x10, EVENT_INSTRUCTIONS, EITHER, NOT_PRECISE }, /* uops: one per instruction */
    { 0xc4, 0x00, EVENT_BRANCHES, EITHER, PRECISE },
    { 0xc4, 0x7e, EVENT_CONDITIONAL, EITHER, PRECISE },
    { 0xc4, 0x80, EVENT_TAKEN, EITHER, PRECISE },
    { 0xc4, 0xbf, EVENT_FAR_BRANCHES, EITHER, PRECISE },
    { 0xc4, 0xeb, EVENT_INDIRECT, EITHER, PRECISE },
    { 0xc4, 0xf7, EVENT_NEAR_RETURNS, EITHER, PRECISE },
    { 0xc4, 0xf9, EVENT_NEAR_CALLS, EITHER, PRECISE },
    { 0xc4, 0xfb, EVENT_INDIRECT_CALLS, EITHER, PRECISE },
    { 0xc4, 0xfd, EVENT_DIRECT_CALLS, EITHER, PRECISE },
    { 0xc4, 0xfe, EVENT_CONDITIONAL_TAKEN, EITHER, PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, EITHER, PRECISE },
    { 0xc5, 0x7e, EVENT_MISPREDICTED_CONDITIONAL, EITHER, PRECISE },
    { 0xc5, 0xeb, EVENT_MISPREDICTED_INDIRECT, EITHER, PRECISE },
    { 0xc5, 0xf7, EVENT_MISPREDICTED_NEAR_RETURNS, EITHER, PRECISE },
    { 0xc5, 0xfb, EVENT_MISPREDICTED_INDIRECT_CALLS, EITHER, PRECISE },
    { 0xc5, 0xfe, EVENT_MISPREDICTED_CONDITIONAL_TAKEN, EITHER, PRECISE },
    { 0x03, 0x01, EVENT_BLOCKED_LOADS, EITHER, PRECISE },
    { 0x03, 0x04, EVENT_SPLIT_STORES, EITHER, NOT_PRECISE },
    { 0x03, 0x08, EVENT_SPLIT_LOADS, EITHER, PRECISE },
    { 0x04, 0x01, EVENT_L1_MISSES, EITHER, NOT_PRECISE },
    { 0x04, 0x02, EVENT_L2_HITS, EITHER, PRECISE },
    { 0x04, 0x04, EVENT_L2_MISSES, EITHER, PRECISE },
    { 0x04, 0x08, EVENT_STLB_MISS_LOADS, EITHER, PRECISE },
    { 0x04, 0x20, EVENT_MODIFIED_HITS, EITHER, PRECISE },
    { 0x04, 0x40, EVENT_LOADS, EITHER, NOT_PRECISE },
    { 0x04, 0x80, EVENT_STORES, EITHER, NOT_PRECISE },
};

#define SILVERMONT_COUNTERS (BITS(1, 0) | BITS(34, 32))

static const struct profile_msr silvermont_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x32c1 },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = BIT(0) },
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = 0x768005ffff },
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = 0x368005ffff },
    { 0x3f6, 1, .reg = REG_ABSENT },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = BITS(1, 0) | BITS(12, 6) | BIT(14) },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = SILVERMONT_COUNTERS, .reset = BITS(1, 0) },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = SILVERMONT_COUNTERS | BITS(63, 62) },
    { 0x0c3, 2, .reg = REG_ABSENT },
    { 0x188, 2, .reg = REG_ABSENT },
    { 0x309, 3, REG_IA32_FIXED_CTR, .writable = BITS(39, 0) },
    { 0x4c1, 2, REG_IA32_A_PMC, .writable = BITS(39, 0) },
    { 0x1c9, 1, REG_MSR_LASTBRANCH_TOS, .writable = BITS(2, 0) },
    { 0x040, 8, REG_LASTBRANCH_FROM, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x060, 8, REG_LASTBRANCH_TO, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x680, 16, .reg = REG_ABSENT },
    { 0x6c0, 16, .reg = REG_ABSENT },
};

/* 06_37, stepping 8 */
static const struct profile_cpuid silvermont_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x43d8e3bf | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x30678, 0, DTES64_ECX | DS_CPL_ECX | PDCM_ECX, DS_EDX } },
    { .leaf = 0x07, .indexed = true, .keep = { 0, 0x2282, 0, 0 } },
    { .leaf = 0x07, .subleaf = 1, .indexed = true },
    { .leaf = 0x0a, .add = { 0x07280203, 0, 0, 0x4503 } },
    { .leaf = 0x80000001, .keep = { 0, 0, 0x101, 0x28100800 } },
};

static const struct profile silvermont = {
    .name = "silvermont",
    .brand = "Intel(R) Celeron(R) CPU N2840 (modelled)",
    .microcode = 0x838,
    .max_leaf = 0x0b,
    .max_extended = 0x80000008,
    CPUID_TABLE(silvermont_cpuid),
    .physical_bits = 36,
    .dtes64 = true,
    .perfmon_version = 3,
    .general_counters = 2,
    .fixed_bitmap = 0x7,
    .counter_width = 40,
    .pebs_format = 2,
    .pebs_address_only = true,
    .pebs_no_address = true,
    .debugctl = &debugctl_core,
    .lbr_depth = 8,
    .lbr_format = LBR_FORMAT_LIP,
    .predictor_slots = 4096,
    /* L1D 24 KiB, L2 1 MiB for two cores, no L3, second-level TLB 128 entries. */
    .memory = {
        .caches = { { 64, 6 }, { 1024, 16 } },
        .code = { 64, 8 },
        .flags = { 1, 1 },
        .tlb = { 32, 4 },
        .latency = { 3, 14, 0, 200, 200 },
    },
    .width = 2,
    .offcore = { .any = BIT(16), .miss = BITS(37, 36) | BITS(34, 33) | BIT(31) },
    .msrs = { ROWS(silvermont_msrs), ROWS(core_msrs), ROWS(misc_enable_msrs), ROWS(absent_msrs) },
    .events = { ROWS(silvermont_events) },
    .features = wide_features,
    .feature_count = COUNT(wide_features),
};

/* --- Goldmont ---------------------------------------------------------------------------------------------------- */

/* Each of the four counters counts every event. Only the first samples: any event, the precise ones with an IP. */
#define EVERY 0x0f

static const struct profile_event goldmont_events[] = {
    { 0x2e, 0x4f, EVENT_L1_MISSES, EVERY, NOT_PRECISE }, /* the second level is the last */
    { 0x2e, 0x41, EVENT_L2_MISSES, EVERY, NOT_PRECISE },
    { 0x0e, 0x00, EVENT_ISSUED_SLOTS, EVERY, NOT_PRECISE },
    { 0x80, 0x02, EVENT_CODE_MISSES, EVERY, NOT_PRECISE },
    { 0x81, 0x04, EVENT_CODE_TLB_MISSES, EVERY, NOT_PRECISE },
    { 0x9c, 0x00, EVENT_FRONTEND_SLOTS, EVERY, NOT_PRECISE },
    { 0xb7, 0x01, EVENT_OFFCORE_0, EVERY, NOT_PRECISE },
    { 0xb7, 0x02, EVENT_OFFCORE_1, EVERY, NOT_PRECISE },
    { 0xca, 0x02, EVENT_NONE, EVERY, NOT_PRECISE }, /* recovery: a mispredicted branch has issued slots instead */
    { 0x3c, 0x00, EVENT_CYCLES, EVERY, NOT_PRECISE },
    { 0x3c, 0x01, EVENT_CYCLES, EVERY, NOT_PRECISE },
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, EVERY, PRECISE },
    { 0xc2, 0x00, EVENT_INSTRUCTIONS, EVERY, PRECISE }, /* uops: one per instruction */
    { 0xc4, 0x00, EVENT_BRANCHES, EVERY, PRECISE },
    { 0xc4, 0x7e, EVENT_CONDITIONAL, EVERY, PRECISE },
    { 0xc4, 0x80, EVENT_TAKEN, EVERY, PRECISE },
    { 0xc4, 0xbf, EVENT_FAR_BRANCHES, EVERY, PRECISE },
    { 0xc4, 0xeb, EVENT_INDIRECT, EVERY, PRECISE },
    { 0xc4, 0xf7, EVENT_NEAR_RETURNS, EVERY, PRECISE },
    { 0xc4, 0xf9, EVENT_NEAR_CALLS, EVERY, PRECISE },
    { 0xc4, 0xfb, EVENT_INDIRECT_CALLS, EVERY, PRECISE },
    { 0xc4, 0xfd, EVENT_DIRECT_CALLS, EVERY, PRECISE },
    { 0xc4, 0xfe, EVENT_CONDITIONAL_TAKEN, EVERY, PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, EVERY, PRECISE },
    { 0xc5, 0x7e, EVENT_MISPREDICTED_CONDITIONAL, EVERY, PRECISE },
    { 0xc5, 0xeb, EVENT_MISPREDICTED_INDIRECT, EVERY, PRECISE },
    { 0xc5, 0xf7, EVENT_MISPREDICTED_NEAR_RETURNS, EVERY, PRECISE },
    { 0xc5, 0xfb, EVENT_MISPREDICTED_INDIRECT_CALLS, EVERY, PRECISE },
    { 0xc5, 0xfe, EVENT_MISPREDICTED_CONDITIONAL_TAKEN, EVERY, PRECISE },
    { 0xd0, 0x11, EVENT_STLB_MISS_LOADS, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x12, EVENT_STLB_MISS_STORES, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x13, EVENT_STLB_MISSES, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x21, EVENT_LOCKED_LOADS, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x41, EVENT_SPLIT_LOADS, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x42, EVENT_SPLIT_STORES, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x43, EVENT_SPLITS, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x81, EVENT_LOADS, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x82, EVENT_STORES, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x83, EVENT_ACCESSES, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x01, EVENT_L1_HITS, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x02, EVENT_L2_HITS, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x08, EVENT_L1_MISSES, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x10, EVENT_L2_MISSES, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x20, EVENT_MODIFIED_HITS, EVERY, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x80, EVENT_L3_MISSES, EVERY, PRECISE_WITH_ADDRESS }, /* the line was in DRAM */
};

#define GOLDMONT_COUNTERS (BITS(3, 0) | BITS(34, 32))
/* Counters, trace PMI, LBR_Frz, CTR_Frz, ASCI, uncore, OvfBuf. CondChgd can only be cleared. */
#define GOLDMONT_STATUS (GOLDMONT_COUNTERS | BIT(55) | BITS(62, 58))

static const struct profile_msr goldmont_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x33c6 },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = BIT(0) },
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BITS(38, 0) },
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(37, 0) },
    { 0x3f6, 2, .reg = REG_ABSENT },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = BITS(1, 0) | BITS(12, 6) | BIT(14) },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = GOLDMONT_STATUS | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = GOLDMONT_STATUS },
    { 0x392, 1, REG_IA32_PERF_GLOBAL_INUSE, .read_only = true },
    { 0x1c8, 1, REG_MSR_LBR_SELECT, .writable = BITS(9, 0) },
    { 0x1c9, 1, REG_MSR_LASTBRANCH_TOS, .writable = BITS(4, 0) },
    { 0x680, 32, REG_LASTBRANCH_FROM, .check = CHECK_FLAG_AND_ADDRESS, .writable = ALL },
    { 0x6c0, 32, REG_LASTBRANCH_TO, .writable = ALL }, /* cycles are above the address */
};

/* 06_5C, stepping 9. Leaves above QEMU's last are those of a part without the features that they describe. */
static const struct profile_cpuid goldmont_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x47f8ebbf | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x506c9, 0, DTES64_ECX | DS_CPL_ECX | PDCM_ECX, DS_EDX } },
    { .leaf = 0x07, .indexed = true, .keep = { 0, 0x2294e283, 0, 0x2c000000 } },
    { .leaf = 0x07, .subleaf = 1, .indexed = true },
    { .leaf = 0x0a, .add = { 0x07300404, 0, 0, 0x603 } },
    { .leaf = 0x0e, .last = 0x15 },
    { .leaf = 0x80000001, .keep = { 0, 0, 0x101, 0x2c100800 } },
};

static const struct profile goldmont = {
    .name = "goldmont",
    .brand = "Intel(R) Celeron(R) CPU N3350 (modelled)",
    .microcode = 0x40,
    .max_leaf = 0x15,
    .max_extended = 0x80000008,
    CPUID_TABLE(goldmont_cpuid),
    .physical_bits = 39,
    .dtes64 = true,
    .perfmon_version = 4,
    .general_counters = 4,
    .fixed_bitmap = 0x7,
    .counter_width = 48,
    .pebs_format = 3,
    .pebs_any_event = true,
    .pebs_address_only = true,
    .pdist_counters = BIT(0),
    .debugctl = &debugctl_core,
    .lbr_depth = 32,
    .lbr_format = LBR_FORMAT_TIME,
    .predictor_slots = 4096,
    /* L1D 24 KiB, L2 1 MiB for two cores, no L3, second-level TLB 512 entries. */
    .memory = {
        .caches = { { 64, 6 }, { 1024, 16 } },
        .code = { 64, 8 },
        .flags = { 1, 1 },
        .tlb = { 128, 4 },
        .latency = { 3, 17, 0, 200, 200 },
    },
    .width = 3,
    .offcore = { .any = BIT(16), .miss = BITS(37, 33) },
    .msrs = { ROWS(goldmont_msrs), ROWS(full_width_msrs), ROWS(core_msrs), ROWS(misc_enable_msrs), ROWS(absent_msrs) },
    .events = { ROWS(goldmont_events) },
    .features = wide_features,
    .feature_count = COUNT(wide_features),
};

/* --- Gemini Lake: Goldmont Plus, 06_7A ---------------------------------------------------------------------------- */

/*
 * Every counter samples: SDM Vol. 3B (253669-083), "Extended PEBS". Precise distribution and the reset values of fixed
 * counters: Linux 6.12, glp_get_event_constraints() and intel_pmu_pebs_enable().
 */
static const struct profile_msr geminilake_msrs[] = {
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = GOLDMONT_COUNTERS },
};
static const struct profile_cpuid geminilake_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x47f8ebbf | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x706a8, 0, DTES64_ECX | DS_CPL_ECX | PDCM_ECX, DS_EDX } },
    { .leaf = 0x07, .indexed = true, .keep = { 0, 0x2294e287, 0x40400004, 0xac000400 } },
    { .leaf = 0x0a, .add = { 0x07300404, 0, 0, 0x8603 } },
    { .leaf = 0x0e, .last = 0x18 },
};
static const struct profile geminilake = {
    .name = "geminilake",
    .like = &goldmont,
    .brand = "Intel(R) Celeron(R) J4125 CPU (modelled)",
    .microcode = 0x24,
    .max_leaf = 0x18,
    CPUID_TABLE(geminilake_cpuid),
    .pebs_extended = true,
    .pdist_counters = BIT(32) | BIT(0),
    .memory.caches[1] = { 4096, 16 },
    .msrs = { ROWS(geminilake_msrs) },
};

/* --- Jasper Lake: Tremont, 06_9C ---------------------------------------------------------------------------------- */

/* Adaptive records with an LBR stack of the older kind: Linux, intel_pmu_init(), which has Skylake's stack for it. */
static const struct profile_event jasperlake_events[] = {
    { 0x2e, 0x4f, EVENT_L3_REFERENCES, EVERY, PRECISE },
    { 0x2e, 0x41, EVENT_L3_MISSES, EVERY, PRECISE },
    { 0xd1, 0x04, EVENT_L3_HITS, EVERY, PRECISE_WITH_ADDRESS },
};
#define TREMONT_COUNTERS COUNTER_BITS(0xf, 0x7)
static const struct profile_msr jasperlake_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x174c5 },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = TREMONT_COUNTERS },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = DEBUGCTL_BITS | BIT(0) },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = TREMONT_COUNTERS, .reset = BITS(3, 0) },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = STATUS_BITS(TREMONT_COUNTERS) | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = STATUS_BITS(TREMONT_COUNTERS) },
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BIT(63) | BITS(49, 44) | BITS(37, 0) },
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(49, 44) | BITS(37, 0) },
    { 0x3f6, 2, .reg = REG_ABSENT },
    { 0x0c5, 4, .reg = REG_ABSENT },
    { 0x4c5, 4, .reg = REG_ABSENT },
    { 0x18a, 4, .reg = REG_ABSENT },
    { 0x14ce, 2, .reg = REG_ABSENT },
    { 0x1500, 32, .reg = REG_ABSENT },
    { 0x1600, 32, .reg = REG_ABSENT },
    { 0x1200, 32, .reg = REG_ABSENT },
};
static const struct profile_cpuid jasperlake_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x47f8ebbf | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x906c0, 0, DTES64_ECX | DS_CPL_ECX | PDCM_ECX, DS_EDX } },
    { .leaf = 0x07, .indexed = true, .keep = { 0, 0x2394a2c3, 0x18400124, 0xfc000400 } },
    { .leaf = 0x0a, .add = { 0x07300405, 0, 0x07, 0x8603 } },
    { .leaf = 0x0e, .last = 0x1b },
    { .leaf = 0x1a, .add = { ATOM_CORE, 0, 0, 0 } },
    { .leaf = 0x80000001, .keep = { 0, 0, 0x101, 0x28100800 } },
};
static const struct profile jasperlake = {
    .name = "jasperlake",
    .like = &goldmont,
    .brand = "Intel(R) Celeron(R) N5105 (modelled)",
    .microcode = 0x24000026,
    .max_leaf = 0x1b,
    CPUID_TABLE(jasperlake_cpuid),
    .perfmon_version = 5,
    .pebs_format = 4,
    .pebs_adaptive = true,
    .pdist_counters = BIT(32) | BIT(0),
    .lbr_format = LBR_FORMAT_INFO,
    .memory.caches = { { 64, 8 }, { 2048, 12 }, { 4096, 16 } },
    .memory.flags = { 0, 0, 6 },
    .memory.latency = { 3, 17, 60, 200, 100 },
    .width = 4,
    .msrs = { ROWS(jasperlake_msrs), ROWS(lbr_info_msrs), ROWS(ecore_msrs), ROWS(adaptive_msrs),
              ROWS(misc_enable_msrs) },
    .events = { ROWS(jasperlake_events) },
};

/* --- Crestmont --------------------------------------------------------------------------------------------------- */

static const struct profile_event crestmont_events[] = {
    { 0x72, 0x00, EVENT_INSTRUCTIONS, LATER_COUNTERS, PRECISE }, /* uops, retired slots: one per instruction */
    { 0xc2, 0x00, EVENT_INSTRUCTIONS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x80, EVENT_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xc4, 0xdf, EVENT_DIRECT_JUMPS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0xef, EVENT_INDIRECT_JUMPS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0xfb, EVENT_INDIRECT_CALLS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0xfd, EVENT_DIRECT_CALLS, LATER_COUNTERS, PRECISE },
    { 0xc5, 0xef, EVENT_MISPREDICTED_INDIRECT_JUMPS, LATER_COUNTERS, PRECISE },
    { 0xd0, 0x43, EVENT_SPLITS, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd3, 0xff, EVENT_L3_MISSES, LATER_COUNTERS, PRECISE },
    { 0xd4, 0x08, EVENT_MODIFIED_HITS, LATER_COUNTERS, PRECISE },
};

#define CRESTMONT_COUNTERS COUNTER_BITS(0xff, 0x7)
#define CRESTMONT_SELECT   (SELECT_BITS | SELECT_ADAPTIVE)

/* LBR entries that count events; a client's Crestmont has none (CPUID.1CH:ECX). */
static const struct profile_msr sierraforest_msrs[] = {
    { 0x186, 4, REG_IA32_PERFEVTSEL, .writable = CRESTMONT_SELECT | SELECT_BR_CNTR, .ignored = SELECT_ANY_THREAD },
    LBR_INFO_WITH_EVENTS,
};

static const struct profile_msr crestmont_msrs[] = {
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = CRESTMONT_COUNTERS },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = CRESTMONT_COUNTERS, .reset = BITS(7, 0) },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = STATUS_BITS(CRESTMONT_COUNTERS) | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = STATUS_BITS(CRESTMONT_COUNTERS) },
    OFFCORE_AND_SNOOP_RSP,
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x274ff },
};

/* Meteor Lake's E-cores */
static const struct profile_cpuid meteorlake_e_cpuid[] = {
    METEORLAKE_CPUID(0xa06a4, ATOM_CORE | 2, CPUID_ARCH_LBR_LIP(0u)),
    /* Sub-leaves 0, 1 and 3, as on every Crestmont that was seen; slots a cycle; architectural events. */
    { 0x23, 0, true, .add = { 0x0b, 0, 6, 0 } },
    { 0x23, 1, true, .add = { 0xff, 0x07, 0, 0 } },
    { 0x23, 3, true, .add = { 0x7f, 0, 0, 0 } },
};
const struct profile meteorlake_e = {
    METEORLAKE,
    .like = &ecore,
    .core = "Crestmont",
    .max_leaf = 0x23,
    CPUID_TABLE(meteorlake_e_cpuid),
    .pebs_adaptive = true,
    .pebs_timing = true,
    /* L1D 32 KiB, L2 2 MiB, L3 as a share of 12 MiB, STLB 3072 entries. */
    .memory.caches = { { 64, 8 }, { 2048, 16 }, { 8192, 24 } },
    .memory.tlb = { 512, 6 },
    .memory.latency = { 4, 19, 80, 300, 120 },
    .width = 6,
    .msrs = { ROWS(crestmont_msrs) },
    .events = { ROWS(crestmont_events), ROWS(ecore_older_slots_events), ROWS(ecore_hit_events),
                ROWS(ecore_branch_events) },
};

static const struct profile_cpuid sierraforest_cpuid[] = {
    CPUID_SIGNATURE(0xa06f3),
    { 0x07, 0, true, .keep = { 0, ALL32, ALL32, ALL32 }, .add = { 1, 0, 0, ARCH_LBR_EDX } },
    CPUID_ARCH_LBR_LIP(LBR_LOGGED),
};
static const struct profile sierraforest = {
    .name = "sierraforest",
    .like = &meteorlake_e,
    .lacks = LACKS_KINDS,
    .brand = "Intel(R) Xeon(R) 6780E (modelled)",
    .microcode = 0x30003b2,
    CPUID_TABLE(sierraforest_cpuid),
    .la57 = true,
    .lbr_counters = LBR_LOGGED,
    .memory.caches[LEVEL_L2] = { 4096, 16 },
    .msrs = { ROWS(sierraforest_msrs) },
    .features = widest_features,
    .feature_count = COUNT(widest_features),
};

/* The format is that of the other kinds: Linux has one layout of the DS area for all. */
static const struct profile_cpuid arrowlake_h_lp_cpuid[] = { CPUID_SIGNATURE(0xc0652) };
static const struct profile_msr arrowlake_h_lp_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x275ff },
};
const struct profile arrowlake_h_lp = {
    ARROWLAKE_H,      .like = &meteorlake_e,       CPUID_TABLE(arrowlake_h_lp_cpuid),     .letter = 'L',
    .pebs_format = 5, .memory.flags = { 1, 1, 4 }, .msrs = { ROWS(arrowlake_h_lp_msrs) },
};

const struct profile *const profiles_atom[] = { &silvermont, &goldmont, &geminilake, &jasperlake, &sierraforest, NULL };
