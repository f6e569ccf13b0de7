/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Core processors with adaptive PEBS records: Ice Lake server, Sapphire Rapids, whose core is Golden Cove, and the Lion
 * Cove cores of Lunar Lake. Sources:
 * SDM Vol. 3B (253669-083), "Adaptive PEBS", "Extended PEBS" and "Last Branch Records"; Vol. 4 (335592-083),
 * "Model-Specific Registers (MSRs)". Counters of each event: Intel's published event lists for ICX and SPR; counters
 * that can sample it: Linux 6.6, intel_icl_ and intel_glc_pebs_event_constraints. Lion Cove: Intel's event list for
 * LNL; Linux 6.15, arch/x86/events/intel: intel_lnc_pebs_event_constraints, lnc_pebs_data_source and the counters
 * group.
 */
#include <stddef.h>

#include "model/processors/rows_adaptive.h"

#define ANY_COUNTER    LATER_COUNTERS
#define FIRST_FOUR     0x0f
#define NOT_THE_FIRST  0xfe
#define ONLY_THE_FIRST 0x01

/* Extended PEBS can sample any event; here all events are precise. */
const struct profile_event adaptive_events[24] = {
    { 0x3c, 0x00, EVENT_CYCLES, ANY_COUNTER, PRECISE },
    { 0x3c, 0x01, EVENT_CYCLES, ANY_COUNTER, PRECISE },
    { 0xa4, 0x01, EVENT_SLOTS, ANY_COUNTER, PRECISE },
    { 0xa4, 0x02, EVENT_BACKEND_SLOTS, ANY_COUNTER, PRECISE },
    { 0x9c, 0x01, EVENT_FRONTEND_SLOTS, ANY_COUNTER, PRECISE },
    { 0xc2, 0x02, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE }, /* retired slots: one per instruction */
    { 0xc4, 0x00, EVENT_BRANCHES, ANY_COUNTER, PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, ANY_COUNTER, PRECISE },
    { 0xd0, 0x11, EVENT_STLB_MISS_LOADS, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x12, EVENT_STLB_MISS_STORES, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x21, EVENT_LOCKED_LOADS, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x41, EVENT_SPLIT_LOADS, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x42, EVENT_SPLIT_STORES, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x81, EVENT_LOADS, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x82, EVENT_STORES, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x83, EVENT_ACCESSES, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x01, EVENT_L1_HITS, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x02, EVENT_L2_HITS, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x04, EVENT_L3_HITS, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x08, EVENT_L1_MISSES, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x10, EVENT_L2_MISSES, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x20, EVENT_L3_MISSES, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0x2e, 0x4f, EVENT_L3_REFERENCES, ANY_COUNTER, PRECISE },
    { 0x2e, 0x41, EVENT_L3_MISSES, ANY_COUNTER, PRECISE },
};

static const struct profile_event cove_branch_events[] = {
    { 0xc4, 0x02, EVENT_NEAR_CALLS, ANY_COUNTER, PRECISE },
    { 0xc4, 0x08, EVENT_NEAR_RETURNS, ANY_COUNTER, PRECISE },
    { 0xc4, 0x10, EVENT_NOT_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc4, 0x20, EVENT_NEAR_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc4, 0x40, EVENT_FAR_BRANCHES, ANY_COUNTER, PRECISE },
    { 0xc4, 0x80, EVENT_INDIRECT, ANY_COUNTER, PRECISE },
    { 0xc5, 0x02, EVENT_MISPREDICTED_INDIRECT_CALLS, ANY_COUNTER, PRECISE },
    { 0xc5, 0x08, EVENT_MISPREDICTED_NEAR_RETURNS, ANY_COUNTER, PRECISE },
    { 0xc5, 0x10, EVENT_MISPREDICTED_NOT_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc5, 0x20, EVENT_MISPREDICTED_NEAR_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc5, 0x80, EVENT_MISPREDICTED_INDIRECT, ANY_COUNTER, PRECISE },
};

/* Ice Lake and Golden Cove: later cores have other events with these codes. */
static const struct profile_event cove_conditional_events[] = {
    { 0x3c, 0x02, EVENT_CYCLES, ANY_COUNTER, PRECISE }, /* while the core's other thread is halted: always */
    { 0xc4, 0x01, EVENT_CONDITIONAL_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc4, 0x11, EVENT_CONDITIONAL, ANY_COUNTER, PRECISE },
    { 0xc5, 0x01, EVENT_MISPREDICTED_CONDITIONAL_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc5, 0x11, EVENT_MISPREDICTED_CONDITIONAL, ANY_COUNTER, PRECISE },
};

/* Cache events that perf has: Linux, arch/x86/events/intel/core.c, skl_ and glc_hw_cache_event_ids. */
static const struct profile_event icelake_events[] = {
    { 0x08, 0x0e, EVENT_STLB_MISS_LOADS, FIRST_FOUR, PRECISE },
    { 0x49, 0x0e, EVENT_STLB_MISS_STORES, FIRST_FOUR, PRECISE },
    { 0x51, 0x01, EVENT_L1_FILLS, FIRST_FOUR, PRECISE },
    { 0x83, 0x02, EVENT_CODE_MISSES, FIRST_FOUR, PRECISE },
    { 0x85, 0x0e, EVENT_CODE_TLB_MISSES, FIRST_FOUR, PRECISE },
    { 0xb7, 0x01, EVENT_OFFCORE_0, FIRST_FOUR, PRECISE },
    { 0xbb, 0x01, EVENT_OFFCORE_1, FIRST_FOUR, PRECISE },
    { 0x0d, 0x01, EVENT_NONE, ANY_COUNTER, NOT_PRECISE }, /* cycles that modelled time does not have */
    { 0x0d, 0x10, EVENT_NONE, ANY_COUNTER, NOT_PRECISE },
    { 0x0e, 0x01, EVENT_ISSUED_SLOTS, ANY_COUNTER, PRECISE },
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE },
    { 0xcd, 0x01, EVENT_LOAD_LATENCY, ANY_COUNTER, PRECISE_WITH_ADDRESS },
};

static const struct profile_event goldencove_events[] = {
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, NOT_THE_FIRST, PRECISE },
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, ONLY_THE_FIRST, NOT_PRECISE },
    { 0x03, 0x82, EVENT_BLOCKED_LOADS, FIRST_FOUR, PRECISE },
    { 0xcd, 0x01, EVENT_LOAD_LATENCY, NOT_THE_FIRST, PRECISE_WITH_ADDRESS },
    { 0xcd, 0x02, EVENT_STORE_LATENCY, ONLY_THE_FIRST, PRECISE_WITH_ADDRESS },
};

const struct profile_event goldencove_cache_events[11] = {
    { 0x11, 0x0e, EVENT_CODE_TLB_MISSES, FIRST_FOUR, PRECISE },
    { 0x12, 0x0e, EVENT_STLB_MISS_LOADS, FIRST_FOUR, PRECISE },
    { 0x13, 0x0e, EVENT_STLB_MISS_STORES, FIRST_FOUR, PRECISE },
    { 0x24, 0xe1, EVENT_L1_MISSES, FIRST_FOUR, PRECISE },
    { 0x24, 0xe4, EVENT_CODE_MISSES, FIRST_FOUR, PRECISE },
    { 0x2a, 0x01, EVENT_OFFCORE_0, FIRST_FOUR, PRECISE },
    { 0x2b, 0x01, EVENT_OFFCORE_1, FIRST_FOUR, PRECISE },
    { 0xad, 0x01, EVENT_NONE, ANY_COUNTER, NOT_PRECISE }, /* cycles that modelled time does not have */
    { 0xad, 0x10, EVENT_NONE, ANY_COUNTER, NOT_PRECISE },
    { 0xae, 0x01, EVENT_ISSUED_SLOTS, ANY_COUNTER, PRECISE },
    { 0xa4, 0x08, EVENT_BAD_SLOTS, ONLY_THE_FIRST, PRECISE },
};

/*
 * Without UMASK2, Lion Cove's conditional branches are only those that jump backward, which the model does not count.
 */
static const struct profile_event lioncove_branch_events[] = {
    { 0xc4, 0x101, EVENT_CONDITIONAL_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc4, 0x111, EVENT_CONDITIONAL, ANY_COUNTER, PRECISE },
    { 0xc5, 0x101, EVENT_MISPREDICTED_CONDITIONAL_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc5, 0x111, EVENT_MISPREDICTED_CONDITIONAL, ANY_COUNTER, PRECISE },
};

/* Lion Cove and Cougar Cove: Intel's lists have these on every counter, that of Golden Cove on four. */
const struct profile_event lioncove_events[10] = {
    { 0x11, 0x0e, EVENT_CODE_TLB_MISSES, LATER_COUNTERS, PRECISE },
    { 0x12, 0x0e, EVENT_STLB_MISS_LOADS, LATER_COUNTERS, PRECISE },
    { 0x13, 0x0e, EVENT_STLB_MISS_STORES, LATER_COUNTERS, PRECISE },
    { 0x24, 0xe1, EVENT_L1_MISSES, LATER_COUNTERS, PRECISE },
    { 0x24, 0xe4, EVENT_CODE_MISSES, LATER_COUNTERS, PRECISE },
    { 0x2a, 0x01, EVENT_OFFCORE_0, LATER_COUNTERS, PRECISE },
    { 0x2b, 0x01, EVENT_OFFCORE_1, LATER_COUNTERS, PRECISE },
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE },
    { 0xcd, 0x01, EVENT_LOAD_LATENCY, 0x3fc, PRECISE_WITH_ADDRESS },
    { 0xcd, 0x02, EVENT_STORE_LATENCY, 0x003, PRECISE_WITH_ADDRESS },
};

#define METRICS_BIT       BIT(48)
#define ADAPTIVE_COUNTERS COUNTER_BITS(0xff, 0xf)
#define ADAPTIVE_STATUS   (STATUS_BITS(ADAPTIVE_COUNTERS) | METRICS_BIT)
#define EVENT_SELECT_BITS (SELECT_BITS | SELECT_ADAPTIVE)

const struct profile_msr adaptive_msrs[23] = {
    { 0x040, 8, .reg = REG_ABSENT }, /* Core 2's LBR stack, NetBurst's counters */
    { 0x060, 8, .reg = REG_ABSENT },
    { 0x300, 9, .reg = REG_ABSENT },
    { 0x30d, 5, .reg = REG_ABSENT },
    { 0x600, 1, REG_IA32_DS_AREA, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x034, 1, REG_MSR_SMI_COUNT, .read_only = true },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = ADAPTIVE_COUNTERS },
    { 0x3f2, 1, REG_MSR_PEBS_DATA_CFG, .writable = BITS(31, 24) | BITS(3, 0) },
    { 0x3f6, 1, REG_MSR_PEBS_LD_LAT, .writable = BITS(15, 0) },
    { 0x3f7, 1, REG_MSR_PEBS_FRONTEND, .writable = BITS(23, 0) },
    { 0x329, 1, REG_MSR_PERF_METRICS, .writable = ALL },
    { 0x38d, 1, REG_IA32_FIXED_CTR_CTRL,
      .writable = FIXED_FIELD(0) | FIXED_FIELD(1) | FIXED_FIELD(2) | FIXED_FIELD(3) | FIXED_ADAPTIVE(0) |
                  FIXED_ADAPTIVE(1) | FIXED_ADAPTIVE(2) | FIXED_ADAPTIVE(3),
      .ignored = FIXED_ANY_THREAD(0) | FIXED_ANY_THREAD(1) | FIXED_ANY_THREAD(2) | FIXED_ANY_THREAD(3) },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = ADAPTIVE_COUNTERS | METRICS_BIT, .reset = BITS(7, 0) },
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BITS(37, 0) },
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(37, 0) },
    { 0x38e, 1, REG_IA32_PERF_GLOBAL_STATUS, .read_only = true },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = ADAPTIVE_STATUS | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = ADAPTIVE_STATUS },
    { 0x392, 1, REG_IA32_PERF_GLOBAL_INUSE, .read_only = true },
    { 0x0c1, 8, REG_IA32_PMC, .writable = ALL },
    { 0x4c1, 8, REG_IA32_A_PMC, .writable = BITS(47, 0) },
    { 0x186, 8, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS, .ignored = SELECT_ANY_THREAD },
    { 0x309, 4, REG_IA32_FIXED_CTR, .writable = BITS(47, 0) },
};

static const struct profile_msr icelake_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0xf4c5 },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = DEBUGCTL_BITS | BIT(0) },
    { 0x14ce, 2, .reg = REG_ABSENT }, /* architectural LBR */
    { 0x1500, 32, .reg = REG_ABSENT },
    { 0x1600, 32, .reg = REG_ABSENT },
    { 0x1200, 32, .reg = REG_ABSENT },
};

static const struct profile_msr capabilities_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0xf4ff },
};

/* IA32_DEBUGCTL.LBR can be written and stays 0: SDM Vol. 3B (253669-083), "Last Branch Records". */
static const struct profile_msr goldencove_msrs[] = {
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = DEBUGCTL_BITS, .ignored = BIT(0) },
    { 0x14ce, 1, REG_IA32_LBR_CTL, .writable = BITS(22, 16) | BITS(3, 0) },
    { 0x14cf, 1, REG_IA32_LBR_DEPTH, .check = CHECK_LBR_DEPTH, .writable = ALL, .reset = 32 },
    { 0x1500, 32, REG_IA32_LBR_FROM, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x1600, 32, REG_IA32_LBR_TO, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x1200, 32, REG_IA32_LBR_INFO, .writable = BITS(63, 56) | BITS(15, 0), .ignored = BITS(55, 16) },
    { 0x1c8, 2, .reg = REG_ABSENT }, /* the LBR stack of earlier processors */
    { 0x680, 32, .reg = REG_ABSENT },
    { 0x6c0, 32, .reg = REG_ABSENT },
    { 0xdc0, 32, .reg = REG_ABSENT },
};

/*
 * Ten general counters. MSR_PEBS_DATA_CFG accepts the bits of existing counters; no source says whether others raise
 * #GP.
 */
#define LIONCOVE_COUNTERS COUNTER_BITS(0x3ff, 0xf)
#define LIONCOVE_SELECT   (EVENT_SELECT_BITS | SELECT_EQ | SELECT_UMASK2)
#define LIONCOVE_STATUS   (STATUS_BITS(LIONCOVE_COUNTERS) | METRICS_BIT)

/* Lunar Lake: the counters group of records, and LBR entries that count events. */
static const struct profile_msr lunarlake_p_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x2f6ff },
    { 0x3f2, 1, REG_MSR_PEBS_DATA_CFG, .writable = BITS(51, 48) | BITS(41, 32) | BITS(31, 24) | BITS(5, 0) },
    LBR_INFO_WITH_EVENTS,
    { 0x186, 4, REG_IA32_PERFEVTSEL, .writable = LIONCOVE_SELECT | SELECT_BR_CNTR, .ignored = SELECT_ANY_THREAD },
    { 0x1901, 4, REG_IA32_PERFEVTSEL, .writable = LIONCOVE_SELECT | SELECT_BR_CNTR, .ignored = SELECT_ANY_THREAD,
      .stride = 4 },
};

static const struct profile_msr lioncove_msrs[] = {
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BITS(43, 0) },
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(43, 0) },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = LIONCOVE_COUNTERS },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = LIONCOVE_COUNTERS | METRICS_BIT, .reset = BITS(9, 0) },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = LIONCOVE_STATUS | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = LIONCOVE_STATUS },
    { 0x0c1, 10, REG_IA32_PMC, .writable = ALL },
    { 0x4c1, 10, REG_IA32_A_PMC, .writable = BITS(47, 0) },
    { 0x186, 10, REG_IA32_PERFEVTSEL, .writable = LIONCOVE_SELECT, .ignored = SELECT_ANY_THREAD },
    /* The same registers in the order of counters. */
    { 0x1900, 10, REG_IA32_A_PMC, .writable = BITS(47, 0), .stride = 4 },
    { 0x1901, 10, REG_IA32_PERFEVTSEL, .writable = LIONCOVE_SELECT, .ignored = SELECT_ANY_THREAD, .stride = 4 },
    { 0x1980, 4, REG_IA32_FIXED_CTR, .writable = BITS(47, 0), .stride = 4 },
    { 0x1900, 0x100, .reg = REG_ABSENT },
};

static const struct profile_cpuid icelake_cpuid[] = {
    CPUID_SIGNATURE(0x606a6), CPUID_7,        CPUID_7_1, { 0x0a, .add = { 0x08300805, 0, 0x0f, 0x8604 } },
    { 0x0e, .last = 0x1b },   CPUID_EXTENDED,
};

static const struct profile_cpuid goldencove_cpuid[] = {
    CPUID_SIGNATURE(0x806f8),
    CPUID_NO_LEAVES(0x20),
    { 0x07, 0, true, .keep = { ALL32, ALL32, ALL32, ~HYBRID_EDX }, .add = { 0, 0, 0, ARCH_LBR_EDX } },
    CPUID_7_1,
    { 0x0a, .add = { 0x08300805, 0, 0x0f, 0x8604 } },
    CPUID_ARCH_LBR(0u),
    CPUID_EXTENDED,
};

const struct profile_feature widest_features[6] = {
    WIDE_FEATURES,
    { 0x00000007, 2, 16, "5-level paging", false },
};

/* What all processors with adaptive or architectural PEBS share. */
static const struct profile adaptive = {
    .max_extended = 0x80000008,
    .dtes64 = true,
    .perfmon_version = 5,
    .general_counters = 8,
    .fixed_bitmap = 0xf,
    .counter_width = 48,
    .pebs_format = 4,
    .debugctl = &debugctl_core,
    .lbr_depth = 32,
    .predictor_slots = 4096,
    .offcore = OFFCORE_SINCE_SANDY_BRIDGE,
    .msrs = { ROWS(adaptive_msrs), ROWS(misc_enable_msrs) },
    .features = wide_features,
    .feature_count = COUNT(wide_features),
};

const struct profile arch_lbr = {
    .like = &adaptive,
    .pebs_cache_latency = true,
    .pdist_distance = 128,
    .lbr_depths = 0x0b,
    .lbr_format = LBR_FORMAT_ARCH,
    .msrs = { ROWS(goldencove_msrs) },
};

static const struct profile icelake = {
    .name = "icelake",
    .like = &adaptive,
    .brand = "Intel(R) Xeon(R) Gold 6338 CPU (modelled)",
    .microcode = 0xd0003e7,
    .max_leaf = 0x1b,
    CPUID_TABLE(icelake_cpuid),
    .la57 = true,
    .pebs_adaptive = true,
    .pdist_counters = BIT(32),
    .lbr_format = LBR_FORMAT_INFO,
    /* L1D 48 KiB, L2 1.25 MiB, L3 as a share of 8 MiB, STLB 2048 entries. */
    .memory = {
        .caches = { { 64, 12 }, { 1024, 20 }, { 8192, 16 } },
        .code = { 64, 8 },
        .flags = { 0, 0, 4 },
        .tlb = { 128, 16 },
        .latency = { 5, 14, 60, 250, 90 },
        .source = { 1, 3, 4, 0x0a, 7 },
        .source_tlb_miss = 0x10,
        .source_locked = 0x20,
    },
    .width = 5,
    .metrics = 4,
    .msrs = { ROWS(icelake_msrs), ROWS(lbr_info_msrs) },
    .events = { ROWS(icelake_events), ROWS(cove_conditional_events), ROWS(cove_branch_events), ROWS(adaptive_events) },
    .features = widest_features,
    .feature_count = COUNT(widest_features),
};

const struct profile goldencove = {
    .name = "goldencove",
    .like = &arch_lbr,
    .brand = "Intel(R) Xeon(R) Platinum 8480+ (modelled)",
    .microcode = 0x2b000603,
    .max_leaf = 0x20,
    CPUID_TABLE(goldencove_cpuid),
    .la57 = true,
    .pebs_adaptive = true,
    .pebs_latency_aux = true,
    .pdist_counters = BIT(32) | BIT(0),
    /* L1D 48 KiB, L2 2 MiB, L3 as a share of 8 MiB, STLB 2048 entries. */
    .memory = {
        .caches = { { 64, 12 }, { 2048, 16 }, { 8192, 16 } },
        .code = { 64, 8 },
        .flags = { 0, 0, 4 },
        .tlb = { 128, 16 },
        .latency = { 5, 15, 70, 300, 110 },
        .source = { 1, 3, 4, 0x0a, 7 },
        .source_tlb_miss = 0x10,
        .source_locked = 0x20,
    },
    .width = 6,
    .metrics = 8,
    .msrs = { ROWS(capabilities_msrs) },
    .events = { ROWS(goldencove_events), ROWS(goldencove_cache_events), ROWS(cove_conditional_events),
                ROWS(cove_branch_events), ROWS(adaptive_events) },
    .features = widest_features,
    .feature_count = COUNT(widest_features),
};

const struct profile lioncove = {
    .like = &arch_lbr,
    .letter = 'P',
    .general_counters = 10,
    .pebs_timing = true,
    .pdist_counters = BIT(32) | BITS(1, 0),
    /* L1D 48 KiB, L2 3 MiB, L3 12 MiB, STLB 2048 entries. */
    .memory = {
        .caches = { { 64, 12 }, { 4096, 12 }, { 16384, 12 } },
        .code = { 64, 16 },
        .flags = { 0, 0, 4 },
        .tlb = { 128, 16 },
        .latency = { 4, 17, 80, 320, 120 },
        .source = { 1, 5, 8, 0x11, 0x0d },
        .source_tlb_miss = BIT(10),
        .source_locked = BIT(11),
    },
    .width = 8,
    .metrics = 8,
    .offcore = { .any = BIT(16), .miss = UINT64_C(0x9e7fa000000) },
    .events = { ROWS(lioncove_events), ROWS(goldencove_cache_events), ROWS(adaptive_events) },
};

/* Arrow Lake-H's P-cores, 06_C5: Lion Cove with format 5, without the counters group and events in LBR entries. */
static const struct profile_cpuid arrowlake_h_p_cpuid[] = {
    METEORLAKE_CPUID(0xc0652, CORE_CORE | 3, CPUID_ARCH_LBR(0u)),
    /* Sub-leaves 0, 1 and 3; UMASK2, EQ; architectural events, without that of bad speculation. */
    { 0x23, 0, true, .add = { 0x0b, 3, 0, 0 } },
    { 0x23, 1, true, .add = { 0x3ff, 0x0f, 0, 0 } },
    { 0x23, 3, true, .add = { 0x1dff, 0, 0, 0 } },
};
static const struct profile_msr arrowlake_h_p_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x2f5ff },
};
const struct profile arrowlake_h_p = {
    ARROWLAKE_H,
    .like = &lioncove,
    .core = "Lion Cove",
    .max_leaf = 0x23,
    CPUID_TABLE(arrowlake_h_p_cpuid),
    .pebs_format = 5,
    .pebs_adaptive = true,
    .msrs = { ROWS(arrowlake_h_p_msrs), ROWS(lioncove_msrs) },
    .events = { ROWS(lioncove_branch_events), ROWS(cove_branch_events) },
};

/*
 * Lunar Lake's P-core. Not modelled: its 192 KiB cache between the first and second level, and its memory-side cache.
 */

/* Leaf 0AH reports the counters that all cores of a hybrid have, leaf 23H all counters of this core. */
static const struct profile_cpuid lunarlake_cpuid[] = {
    CPUID_SIGNATURE(0xb06d1),
    { 0x07, 0, true, .keep = { 0, ALL32, ~LA57_ECX, ALL32 }, .add = { 1, 0, 0, ARCH_LBR_EDX | HYBRID_EDX } },
    { 0x0a, .add = { 0x0d300806, 0x280, 0x07, 0x8603 } },
    CPUID_ARCH_LBR(LBR_LOGGED),
};
const struct profile lunarlake_p = {
    .name = lunarlake_name,
    .like = &arrowlake_h_p,
    .kinds = lunarlake_kinds,
    .brand = lunarlake_brand,
    .microcode = 0x128,
    CPUID_TABLE(lunarlake_cpuid),
    .perfmon_version = 6,
    .pebs_format = 6,
    .lbr_counters = LBR_LOGGED,
    .memory.caches[LEVEL_L2] = { 4096, 10 },
    .msrs = { ROWS(lunarlake_p_msrs) },
};

/* --- variants ----------------------------------------------------------------------------------------------------- */

/* Tiger Lake, 06_8C: a client, without 5-level paging. */
static const struct profile_cpuid tigerlake_cpuid[] = {
    CPUID_SIGNATURE(0x806c1),
    { 0x07, 0, true, .keep = { ALL32, ALL32, ~LA57_ECX, ~(HYBRID_EDX | ARCH_LBR_EDX) } },
};
static const struct profile tigerlake = {
    .name = "tigerlake",
    .like = &icelake,
    .lacks = LACKS_LA57,
    .only_data = true,
    .brand = "11th Gen Intel(R) Core(TM) i7-1165G7 (modelled)",
    .microcode = 0xb8,
    CPUID_TABLE(tigerlake_cpuid),
    .features = wide_features,
    .feature_count = COUNT(wide_features),
};

/* Emerald Rapids, 06_CF. */
static const struct profile_cpuid emeraldrapids_cpuid[] = { CPUID_SIGNATURE(0xc06f2) };
static const struct profile emeraldrapids = {
    .name = "emeraldrapids",
    .like = &goldencove,
    .only_data = true,
    .brand = "Intel(R) Xeon(R) Platinum 8592+ (modelled)",
    .microcode = 0x21000291,
    CPUID_TABLE(emeraldrapids_cpuid),
};

/* Granite Rapids, 06_AD, with Redwood Cove: leaf 23H, a retire latency, load latency without another event. */
static const struct profile_cpuid graniterapids_cpuid[] = {
    CPUID_SIGNATURE(0xa06d1),
    CPUID_NO_LEAVES(0x24),
    { 0x07, 0, true, .keep = { 0, ALL32, ALL32, ~HYBRID_EDX }, .add = { 2, 0, 0, ARCH_LBR_EDX } },
    { 0x07, 1, true, .keep = { ALL32, ALL32, ALL32, ALL32 }, .add = { BIT(8), 0, 0, 0 } },
    { 0x1a, .add = { CORE_CORE | 2, 0, 0, 0 } },
    CPUID_ARCH_LBR(0u),
    { 0x23, 0, true, .add = { 0x0b, 0, 0, 0 } },
    { 0x23, 1, true, .add = { 0xff, 0x0f, 0, 0 } },
    { 0x23, 3, true, .add = { 0xdff, 0, 0, 0 } },
};
static const struct profile_msr graniterapids_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x2f4ff },
};
static const struct profile graniterapids = {
    .name = "graniterapids",
    .like = &goldencove,
    .lacks = LACKS_LATENCY_AUX,
    .only_data = true,
    .brand = "Intel(R) Xeon(R) 6972P (modelled)",
    .microcode = 0x10003d0,
    .max_leaf = 0x24,
    CPUID_TABLE(graniterapids_cpuid),
    .pebs_timing = true,
    .msrs = { ROWS(graniterapids_msrs) },
    .memory.code = { 64, 16 },
};

const struct profile *const profiles_adaptive[] = { &icelake,       &tigerlake,     &goldencove,
                                                    &emeraldrapids, &graniterapids, NULL };
