/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processors with two kinds of cores: Alder Lake, with Golden Cove and Gracemont. Sources: SDM Vol. 3B (253669-083),
 * "Performance Monitoring" and "Last Branch Records"; CPUID leaves 7 and 1AH as a Core i7-12700K was seen to answer
 * them; Linux 6.12, arch/x86/events/intel/core.c, intel_pmu_init(): what leaf 0AH tells of a P-core in a hybrid
 * processor, intel_grt_pebs_event_constraints and grt_latency_data(). Events and their counters: Intel's published
 * lists for ADL.
 */
#include <stddef.h>

#include "model/processors/profiles.h"

#define BRAND     "12th Gen Intel(R) Core(TM) i9-12900K (modelled)"
#define MICROCODE 0x38

#define SIX_COUNTERS 0x3f
#define FIRST_TWO    0x03

#define ATOM_CORE UINT32_C(0x20000000) /* CPUID.1AH:EAX[31:24], the kind of core; below it the native model */
#define CORE_CORE UINT32_C(0x40000000)

#define HYBRID_EDX   (1u << 15) /* CPUID.7:EDX */
#define ARCH_LBR_EDX (1u << 19)
#define LA57_ECX     (1u << 16) /* CPUID.7:ECX */

#define DS_ECX (DTES64_ECX | DS_CPL_ECX | PDCM_ECX)

/*
 * Leaf 0AH tells the same on both kinds: six general and three fixed counters, the ones that every core has. Leaf 1CH:
 * depths 8, 16 and 32, lost in deep C-states; filters by level and kind, call stack; MISPRED, cycles, BR_TYPE.
 */
#define ALDERLAKE_CPUID(kind)                                                                                    \
    { 0x01, .keep = { 0, ALL32, ALL32, ALL32 }, .add = { 0x90672, 0, DS_ECX, DS_EDX } }, { 0x0e, .last = 0x20 }, \
        { 0x07, 0, true, .keep = { ALL32, ALL32, ALL32 & ~LA57_ECX, ALL32 },                                     \
          .add = { 0, 0, 0, HYBRID_EDX | ARCH_LBR_EDX } },                                                       \
        { 0x0a, .add = { 0x08300605, 0, 0x07, 0x8603 } }, { 0x1a, .add = { (kind) | 1, 0, 0, 0 } },              \
        { 0x1c, .add = { BIT(30) | 0x0b, 7, 7, 0 } },                                                            \
    {                                                                                                            \
        0x80000001, .keep = { 0, 0, 0x121, 0x2c100800 }                                                          \
    }

static const struct profile_cpuid alderlake_p_cpuid[] = { ALDERLAKE_CPUID(CORE_CORE) };
static const struct profile_cpuid alderlake_e_cpuid[] = { ALDERLAKE_CPUID(ATOM_CORE) };

static const struct profile_msr alderlake_p_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0xf4ff },
};

/* --- Gracemont -----------------------------------------------------------------------------------------------------
 */

/* Writable bits of IA32_PERF_GLOBAL_CTRL and IA32_PEBS_ENABLE. */
#define COUNTER_BITS (BITS(5, 0) | BITS(34, 32))
/* Counters, trace PMI, LBR_Frz, CTR_Frz, ASCI, uncore, OvfBuf. */
#define STATUS_BITS (COUNTER_BITS | BIT(55) | BITS(62, 58))

#define FIXED_ANY_THREAD   (BIT(2) | BIT(6) | BIT(10))
#define FIXED_CONTROL_BITS ((BITS(11, 0) & ~FIXED_ANY_THREAD) | BIT(32) | BIT(36) | BIT(40))

/* What differs from a core with eight general and four fixed counters, and PERF_METRICS and MSR_PEBS_FRONTEND. */
static const struct profile_msr gracemont_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x74ff },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = COUNTER_BITS },
    { 0x3f7, 1, .reg = REG_ABSENT },
    { 0x329, 1, .reg = REG_ABSENT },
    { 0x38d, 1, REG_IA32_FIXED_CTR_CTRL, .writable = FIXED_CONTROL_BITS, .ignored = FIXED_ANY_THREAD },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = COUNTER_BITS, .reset = BITS(5, 0) },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = STATUS_BITS | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = STATUS_BITS },
    { 0x0c7, 2, .reg = REG_ABSENT },
    { 0x4c7, 2, .reg = REG_ABSENT },
    { 0x18c, 2, .reg = REG_ABSENT },
    { 0x30c, 1, .reg = REG_ABSENT },
};

/* Any event can be sampled; here all of them are precise. */
static const struct profile_event gracemont_events[] = {
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, SIX_COUNTERS, PRECISE },
    { 0x3c, 0x00, EVENT_CYCLES, SIX_COUNTERS, PRECISE },
    { 0x3c, 0x01, EVENT_CYCLES, SIX_COUNTERS, PRECISE },
    { 0xa4, 0x01, EVENT_CYCLES, SIX_COUNTERS, PRECISE },
    { 0x2e, 0x4f, EVENT_L3_REFERENCES, SIX_COUNTERS, PRECISE },
    { 0x2e, 0x41, EVENT_L3_MISSES, SIX_COUNTERS, PRECISE },
    { 0xc4, 0x00, EVENT_BRANCHES, SIX_COUNTERS, PRECISE },
    { 0xc4, 0x7e, EVENT_CONDITIONAL, SIX_COUNTERS, PRECISE },
    { 0xc4, 0xbf, EVENT_FAR_BRANCHES, SIX_COUNTERS, PRECISE },
    { 0xc4, 0xc0, EVENT_NEAR_TAKEN, SIX_COUNTERS, PRECISE },
    { 0xc4, 0xeb, EVENT_INDIRECT, SIX_COUNTERS, PRECISE },
    { 0xc4, 0xf7, EVENT_NEAR_RETURNS, SIX_COUNTERS, PRECISE },
    { 0xc4, 0xf9, EVENT_NEAR_CALLS, SIX_COUNTERS, PRECISE },
    { 0xc4, 0xfe, EVENT_CONDITIONAL_TAKEN, SIX_COUNTERS, PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, SIX_COUNTERS, PRECISE },
    { 0xc5, 0x7e, EVENT_MISPREDICTED_CONDITIONAL, SIX_COUNTERS, PRECISE },
    { 0xc5, 0x80, EVENT_MISPREDICTED_NEAR_TAKEN, SIX_COUNTERS, PRECISE },
    { 0xc5, 0xeb, EVENT_MISPREDICTED_INDIRECT, SIX_COUNTERS, PRECISE },
    { 0xc5, 0xf7, EVENT_MISPREDICTED_NEAR_RETURNS, SIX_COUNTERS, PRECISE },
    { 0xc5, 0xfb, EVENT_MISPREDICTED_INDIRECT_CALLS, SIX_COUNTERS, PRECISE },
    { 0xc5, 0xfe, EVENT_MISPREDICTED_CONDITIONAL_TAKEN, SIX_COUNTERS, PRECISE },
    { 0xd0, 0x05, EVENT_LOAD_LATENCY, FIRST_TWO, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x06, EVENT_STORE_LATENCY, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x11, EVENT_STLB_MISS_LOADS, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x12, EVENT_STLB_MISS_STORES, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x13, EVENT_STLB_MISSES, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x21, EVENT_LOCKED_LOADS, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x41, EVENT_SPLIT_LOADS, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x42, EVENT_SPLIT_STORES, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x81, EVENT_LOADS, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x82, EVENT_STORES, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x83, EVENT_ACCESSES, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x01, EVENT_L1_HITS, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x02, EVENT_L2_HITS, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x04, EVENT_L3_HITS, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x08, EVENT_L1_MISSES, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x10, EVENT_L2_MISSES, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x80, EVENT_L3_MISSES, SIX_COUNTERS, PRECISE_WITH_ADDRESS },
};

/* --- the two kinds -------------------------------------------------------------------------------------------------
 */

static const struct profile alderlake_p, alderlake_e;
static const struct profile *const alderlake[] = { &alderlake_p, &alderlake_e, NULL };

static const struct profile alderlake_p = {
    .name = "alderlake",
    .kinds = alderlake,
    .letter = 'P',
    .core = "Golden Cove",
    .brand = BRAND,
    .microcode = MICROCODE,
    .max_leaf = 0x20,
    .max_extended = 0x80000008,
    .cpuid = alderlake_p_cpuid,
    .cpuid_count = COUNT(alderlake_p_cpuid),
    .dtes64 = true,
    .perfmon_version = 5,
    .general_counters = 8,
    .fixed_bitmap = 0x0f,
    .counter_width = 48,
    .pebs_format = 4,
    .pebs_adaptive = true,
    .pebs_cache_latency = true,
    .pebs_latency_aux = true,
    .pdist_counters = BIT(32) | BIT(0),
    .pdist_distance = 128,
    .debugctl = &debugctl_core,
    .lbr_depth = 32,
    .lbr_depths = 0x0b,
    .lbr_format = LBR_FORMAT_ARCH,
    .predictor_slots = 4096,
    /* L1D 48 KiB, L2 1.25 MiB, L3 as a share of 8 MiB, STLB 2048 entries. */
    .memory = {
        .caches = { { 64, 12 }, { 2048, 10 }, { 8192, 16 } },
        .tlb = { 128, 16 },
        .latency = { 5, 15, 65, 280, 100 },
        .source = { 1, 3, 4, 0x0a, 7 },
        .source_tlb_miss = 0x10,
        .source_locked = 0x20,
    },
    .msrs = { ROWS(alderlake_p_msrs), ROWS(goldencove_msrs), ROWS(adaptive_msrs), ROWS(misc_enable_msrs) },
    .events = { ROWS(goldencove_events), ROWS(adaptive_events) },
    .features = wide_features,
    .feature_count = COUNT(wide_features),
};

static const struct profile alderlake_e = {
    .name = "alderlake",
    .kinds = alderlake,
    .letter = 'E',
    .core = "Gracemont",
    .brand = BRAND,
    .microcode = MICROCODE,
    .max_leaf = 0x20,
    .max_extended = 0x80000008,
    .cpuid = alderlake_e_cpuid,
    .cpuid_count = COUNT(alderlake_e_cpuid),
    .dtes64 = true,
    .perfmon_version = 5,
    .general_counters = 6,
    .fixed_bitmap = 0x07,
    .counter_width = 48,
    .pebs_format = 4,
    .pebs_adaptive = true,
    .pebs_cache_latency = true,
    .pdist_counters = BIT(32) | BIT(0),
    .pdist_distance = 128,
    .debugctl = &debugctl_core,
    .lbr_depth = 32,
    .lbr_depths = 0x0b,
    .lbr_format = LBR_FORMAT_ARCH,
    .predictor_slots = 4096,
    /* L1D 32 KiB, L2 2 MiB (four cores share it), L3 as a share of 12 MiB, STLB 2048 entries. */
    .memory = {
        .caches = { { 64, 8 }, { 2048, 16 }, { 8192, 24 } },
        .tlb = { 512, 4 },
        .latency = { 3, 17, 75, 300, 120 },
        .source = { 1, 3, 4, 0x0a, 6 },
        .source_tlb_miss = 0x20,
        .source_locked = 0x10,
    },
    .msrs = { ROWS(gracemont_msrs), ROWS(goldencove_msrs), ROWS(adaptive_msrs), ROWS(misc_enable_msrs) },
    .events = { ROWS(gracemont_events) },
    .features = wide_features,
    .feature_count = COUNT(wide_features),
};

const struct profile *const profiles_hybrid[] = { &alderlake_p, &lunarlake_p, NULL };
