/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lunar Lake's E-cores, Skymont; its P-cores are in profiles_adaptive.c. Sources: Linux 6.15, arch/x86/events/intel:
 * intel_skt_event_constraints, which fixed counters there are, and cmt_latency_data() with the positions of a data
 * source's bits, whose codes are Crestmont's, and cmt_get_event_constraints(): precise distribution on PMC0, PMC1 and fixed
 * counter 0, where Intel's list has the last alone; Intel's published event list for LNL: events and their counters. The
 * counters group: profiles_adaptive.c.
 */
#include <stddef.h>

#include "model/processors/profiles.h"

#define ANY_COUNTER 0xff
#define FIRST_TWO   0x03

/* Any event can be sampled; here all of them are precise. */
static const struct profile_event skymont_events[] = {
    { 0x3c, 0x00, EVENT_CYCLES, ANY_COUNTER, PRECISE },
    { 0x3c, 0x01, EVENT_CYCLES, ANY_COUNTER, PRECISE },
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE },
    { 0xc2, 0x02, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE }, /* slots that retire: one an instruction */
    { 0xc4, 0x00, EVENT_BRANCHES, ANY_COUNTER, PRECISE },
    { 0xc4, 0x7e, EVENT_CONDITIONAL, ANY_COUNTER, PRECISE },
    { 0xc4, 0x7f, EVENT_NOT_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc4, 0xbf, EVENT_FAR_BRANCHES, ANY_COUNTER, PRECISE },
    { 0xc4, 0xc0, EVENT_NEAR_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc4, 0xeb, EVENT_INDIRECT, ANY_COUNTER, PRECISE },
    { 0xc4, 0xf7, EVENT_NEAR_RETURNS, ANY_COUNTER, PRECISE },
    { 0xc4, 0xf9, EVENT_NEAR_CALLS, ANY_COUNTER, PRECISE },
    { 0xc4, 0xfe, EVENT_CONDITIONAL_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, ANY_COUNTER, PRECISE },
    { 0xc5, 0x7e, EVENT_MISPREDICTED_CONDITIONAL, ANY_COUNTER, PRECISE },
    { 0xc5, 0x7f, EVENT_MISPREDICTED_NOT_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc5, 0x80, EVENT_MISPREDICTED_NEAR_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc5, 0xeb, EVENT_MISPREDICTED_INDIRECT, ANY_COUNTER, PRECISE },
    { 0xc5, 0xf7, EVENT_MISPREDICTED_NEAR_RETURNS, ANY_COUNTER, PRECISE },
    { 0xc5, 0xfb, EVENT_MISPREDICTED_INDIRECT_CALLS, ANY_COUNTER, PRECISE },
    { 0xc5, 0xfe, EVENT_MISPREDICTED_CONDITIONAL_TAKEN, ANY_COUNTER, PRECISE },
    { 0xd0, 0x05, EVENT_LOAD_LATENCY, FIRST_TWO, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x06, EVENT_STORE_LATENCY, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x11, EVENT_STLB_MISS_LOADS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x12, EVENT_STLB_MISS_STORES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x13, EVENT_STLB_MISSES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x21, EVENT_LOCKED_LOADS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x41, EVENT_SPLIT_LOADS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x42, EVENT_SPLIT_STORES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x81, EVENT_LOADS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x82, EVENT_STORES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x83, EVENT_ACCESSES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x01, EVENT_L1_HITS, ANY_COUNTER, PRECISE },
    { 0xd1, 0x02, EVENT_L2_HITS, ANY_COUNTER, PRECISE },
    { 0xd1, 0x1c, EVENT_L3_HITS, ANY_COUNTER, PRECISE },
    { 0xd1, 0x40, EVENT_L1_MISSES, ANY_COUNTER, PRECISE },
    { 0xd1, 0x80, EVENT_L2_MISSES, ANY_COUNTER, PRECISE },
    { 0xd3, 0x01, EVENT_L3_MISSES, ANY_COUNTER, PRECISE },
    { 0x2e, 0x4f, EVENT_L3_REFERENCES, ANY_COUNTER, PRECISE },
    { 0x2e, 0x41, EVENT_L3_MISSES, ANY_COUNTER, PRECISE },
};

#define GENERAL_BITMAP 0xff
#define FIXED_BITMAP   0x77 /* no counter of slots; behind the gap those of top-down analysis */

/* Writable bits of IA32_PERF_GLOBAL_CTRL and IA32_PEBS_ENABLE. */
#define COUNTER_BITS (GENERAL_BITMAP | (uint64_t)FIXED_BITMAP << 32)
/* Counters, trace PMI, LBR_Frz, CTR_Frz, ASCI, uncore, OvfBuf. */
#define STATUS_BITS (COUNTER_BITS | BIT(55) | BITS(62, 58))

#define EVENT_SELECT_BITS ((BITS(31, 0) & ~BIT(21)) | BIT(34))
#define FIXED_FIELD(n)    (UINT64_C(0xb) << 4 * (n) | BIT(32 + 4 * (n)))
#define FIXED_ANY_THREAD  (BIT(2) | BIT(6) | BIT(10) | BIT(18) | BIT(22) | BIT(26))
#define FIXED_CONTROL_BITS \
    (FIXED_FIELD(0) | FIXED_FIELD(1) | FIXED_FIELD(2) | FIXED_FIELD(4) | FIXED_FIELD(5) | FIXED_FIELD(6))
#define DATA_CFG_BITS ((uint64_t)FIXED_BITMAP << 48 | (uint64_t)GENERAL_BITMAP << 32 | BITS(31, 24) | BITS(4, 0))

/* What differs from a core with eight general and four fixed counters, PERF_METRICS and MSR_PEBS_FRONTEND. */
static const struct profile_msr skymont_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x276ff },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = COUNTER_BITS },
    { 0x3f2, 1, REG_MSR_PEBS_DATA_CFG, .writable = DATA_CFG_BITS },
    { 0x3f7, 1, .reg = REG_ABSENT },
    { 0x329, 1, .reg = REG_ABSENT },
    { 0x38d, 1, REG_IA32_FIXED_CTR_CTRL, .writable = FIXED_CONTROL_BITS, .ignored = FIXED_ANY_THREAD },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = COUNTER_BITS, .reset = GENERAL_BITMAP },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = STATUS_BITS | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = STATUS_BITS },
    { 0x309, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0) },
    { 0x30c, 1, .reg = REG_ABSENT },
    { 0x30d, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0), .first = 4 },
    /* The same by counter. */
    { 0x1900, 8, REG_IA32_A_PMC, .writable = BITS(47, 0), .stride = 4 },
    { 0x1901, 8, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS, .ignored = BIT(21), .stride = 4 },
    { 0x1980, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0), .stride = 4 },
    { 0x1990, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0), .stride = 4, .first = 4 },
    { 0x1900, 0x100, .reg = REG_ABSENT },
};

#define DS_ECX (DTES64_ECX | DS_CPL_ECX | PDCM_ECX)

static const struct profile_cpuid skymont_cpuid[] = {
    { 0x01, .keep = { 0, ALL32, ALL32, ALL32 }, .add = { 0xb06d1, 0, DS_ECX, DS_EDX } },
    { 0x0e, .last = 0x22 },
    /* Leaf 7 with its sub-leaf 1; architectural LBR, hybrid; leaf 23H. */
    { 0x07, 0, true, .keep = { ALL32, ALL32, ALL32, ALL32 }, .add = { 1, 0, 0, BIT(19) | BIT(15) } },
    { 0x07, 1, true, .keep = { ALL32, ALL32, ALL32, ALL32 }, .add = { BIT(8), 0, 0, 0 } },
    { 0x0a, .add = { 0x08300806, 0, 0x07, 0x8603 } },
    { 0x1a, .add = { 0x20000003, 0, 0, 0 } }, /* Atom, native model 3 */
    { 0x1c, .add = { BIT(30) | 0x0b, 7, 7, 0 } },
    { 0x23, 0, true, .add = { BIT(1) | BIT(0), 0, 0, 0 } },
    { 0x23, 1, true, .add = { GENERAL_BITMAP, FIXED_BITMAP, 0, 0 } },
    { 0x80000001, .keep = { 0, 0, 0x121, 0x2c100800 } },
};

static const struct profile_feature features[] = {
    WIDE_FEATURES,
    { 0x00000007, 2, 16, "5-level paging", false },
};

const char lunarlake_name[] = "lunarlake";
const char lunarlake_brand[] = "Intel(R) Core(TM) Ultra 7 258V (modelled)";

static const struct profile lunarlake_e = {
    .name = lunarlake_name,
    .kinds = lunarlake_kinds,
    .letter = 'E',
    .core = "Skymont",
    .brand = lunarlake_brand,
    .microcode = 0x128,
    .max_leaf = 0x23,
    .max_extended = 0x80000008,
    .cpuid = skymont_cpuid,
    .cpuid_count = COUNT(skymont_cpuid),
    .dtes64 = true,
    .la57 = true,
    .perfmon_version = 6,
    .general_counters = 8,
    .fixed_bitmap = FIXED_BITMAP,
    .counter_width = 48,
    .pebs_format = 6,
    .pebs_adaptive = true,
    .pebs_timing = true,
    .pebs_cache_latency = true,
    .pdist_counters = BIT(32) | BITS(1, 0),
    .pdist_distance = 128,
    .debugctl = &debugctl_core,
    .lbr_depth = 32,
    .lbr_depths = 0x0b,
    .lbr_format = LBR_FORMAT_ARCH,
    .predictor_slots = 4096,
    /* L1D 32 KiB, L2 4 MiB (four cores share it), L3 12 MiB, STLB 4096 entries. */
    .memory = {
        .caches = { { 64, 8 }, { 4096, 16 }, { 8192, 24 } },
        .tlb = { 1024, 4 },
        .latency = { 4, 19, 75, 320, 120 },
        .source = { 1, 3, 4, 0x0a, 8 },
        .source_tlb_miss = BIT(6),
        .source_locked = BIT(5),
    },
    .msrs = { ROWS(skymont_msrs), ROWS(goldencove_msrs), ROWS(adaptive_msrs), ROWS(misc_enable_msrs) },
    .events = { ROWS(skymont_events) },
    .features = features,
    .feature_count = COUNT(features),
};

const struct profile *const lunarlake_kinds[] = { &lunarlake_p, &lunarlake_e, NULL };
