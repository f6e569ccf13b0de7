/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processors with architectural PEBS: Clearwater Forest, whose core is Darkmont. Sources: Linux 6.19 and later
 * (arch/x86/events/intel/core.c and ds.c, asm/perf_event.h, asm/msr-index.h), which shows what Intel's "Architecture
 * Instruction Set Extensions Programming Reference" says of them; reserved bits by Intel's KVM for guests with
 * architectural PEBS; bitmaps of counters by Intel's own tests (github.com/intel/lkvs, BM/pmu, case bitmap_6). Events
 * and the counters that sample them: Intel's published event list for CWF.
 */
#include <stddef.h>

#include "model/processors/profiles.h"

#define ANY_COUNTER 0xff

/* Any event can be sampled, precise or not; here all of them are precise. */
static const struct profile_event darkmont_events[] = {
    { 0x3c, 0x00, EVENT_CYCLES, ANY_COUNTER, PRECISE },
    { 0x3c, 0x01, EVENT_CYCLES, ANY_COUNTER, PRECISE },
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE },
    { 0xc2, 0x02, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE }, /* slots that retire: one an instruction */
    { 0xc4, 0x00, EVENT_BRANCHES, ANY_COUNTER, PRECISE },
    { 0xc4, 0x03, EVENT_CONDITIONAL_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc4, 0x04, EVENT_NOT_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc4, 0x07, EVENT_CONDITIONAL, ANY_COUNTER, PRECISE },
    { 0xc4, 0x08, EVENT_NEAR_RETURNS, ANY_COUNTER, PRECISE },
    { 0xc4, 0x30, EVENT_NEAR_CALLS, ANY_COUNTER, PRECISE },
    { 0xc4, 0x50, EVENT_INDIRECT, ANY_COUNTER, PRECISE },
    { 0xc4, 0x58, EVENT_INDIRECT_BRANCHES, ANY_COUNTER, PRECISE },
    { 0xc4, 0xfb, EVENT_NEAR_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, ANY_COUNTER, PRECISE },
    { 0xc5, 0x03, EVENT_MISPREDICTED_CONDITIONAL_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc5, 0x04, EVENT_MISPREDICTED_NOT_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc5, 0x08, EVENT_MISPREDICTED_NEAR_RETURNS, ANY_COUNTER, PRECISE },
    { 0xc5, 0x50, EVENT_MISPREDICTED_INDIRECT, ANY_COUNTER, PRECISE },
    { 0xd0, 0x05, EVENT_LOAD_LATENCY, ANY_COUNTER, PRECISE_WITH_ADDRESS },
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
    { 0xd1, 0x01, EVENT_L1_HITS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x02, EVENT_L2_HITS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x1c, EVENT_L3_HITS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x40, EVENT_L1_MISSES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x80, EVENT_L2_MISSES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd3, 0xff, EVENT_L3_MISSES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0x2e, 0x4f, EVENT_L3_REFERENCES, ANY_COUNTER, PRECISE },
    { 0x2e, 0x41, EVENT_L3_MISSES, ANY_COUNTER, PRECISE },
};

#define GENERAL_COUNTERS 8
#define GENERAL_BITMAP   0xff
#define FIXED_BITMAP                                                                             \
    0x77 /* no counter of slots; behind the gap the slots lost by speculation, by the front end, \
            and those that retire */

#define LBR_LOGGED 0x0fu

/*
 * Counters that can be reloaded by others, and that can cause it: all but those with precise distribution. On Panther
 * Lake, which has the same core, the first two general ones cannot (Linux 7.1, intel_pmu_acr_late_setup()); which fixed
 * ones can no source tells.
 */
#define RELOAD_GENERAL 0xfc
#define RELOAD_FIXED   0x77
#define RELOAD_CAUSES  (RELOAD_GENERAL | (uint64_t)RELOAD_FIXED << 32)

/* Writable bits of IA32_PERF_GLOBAL_CTRL. */
#define COUNTER_BITS (GENERAL_BITMAP | (uint64_t)FIXED_BITMAP << 32)
/* Counters, architectural PEBS' threshold, trace PMI, LBR_Frz, CTR_Frz, ASCI, uncore, OvfBuf. */
#define STATUS_BITS (COUNTER_BITS | BITS(55, 54) | BITS(62, 58))

/* EQ, RDPMC user disable, and UMASK2 are above bit 31, and on some counters BR_CNTR. AnyThread no longer exists. */
#define EVENT_SELECT_BITS ((BITS(31, 0) & ~BIT(21)) | BITS(37, 36) | BITS(47, 40))
#define FIXED_FIELD(n)    (UINT64_C(0xb) << 4 * (n) | BIT(33 + 4 * (n)))
#define FIXED_ANY_THREAD  (BIT(2) | BIT(6) | BIT(10) | BIT(18) | BIT(22) | BIT(26))
#define FIXED_CONTROL_BITS \
    (FIXED_FIELD(0) | FIXED_FIELD(1) | FIXED_FIELD(2) | FIXED_FIELD(4) | FIXED_FIELD(5) | FIXED_FIELD(6))

#define DEBUGCTL_BITS (BIT(1) | BITS(12, 6) | BITS(15, 14))

/*
 * IA32_PMC_GPx_CFG_C and _FXx_CFG_C: the reload value, the groups of the counter's records, and whether it writes any.
 * Bits 63:32 but the last are those of CPUID.(23H, 4):EBX: no metrics, for want of a counter of slots; no registers
 * that the core lacks, nor the upper halves of YMM0 to YMM15, which QEMU shows to no plugin.
 */
#define CFG_C_GROUPS (BITS(62, 61) | BIT(49) | BITS(41, 40) | BITS(37, 35))
#define CFG_C_BITS   (BIT(63) | CFG_C_GROUPS | BITS(31, 0))

/* IA32_PEBS_BASE: a physical address, and the power of two of the buffer's pages. */
#define PEBS_BASE_BITS (BITS(51, 12) | BITS(3, 0))
/* IA32_PEBS_INDEX: WR, FULL, EN, THRESH */
#define PEBS_INDEX_BITS (BITS(26, 4) | BITS(32, 31) | BITS(58, 36))

/* What precedes the first fixed counter behind the gap has it in `first`. */
static const struct profile_msr darkmont_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x23fff },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = DEBUGCTL_BITS, .ignored = BIT(0) },
    { 0x14ce, 1, REG_IA32_LBR_CTL, .writable = BITS(22, 16) | BITS(3, 0) },
    { 0x14cf, 1, REG_IA32_LBR_DEPTH, .check = CHECK_LBR_DEPTH, .writable = ALL, .reset = 32 },
    { 0x1500, 32, REG_IA32_LBR_FROM, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x1600, 32, REG_IA32_LBR_TO, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x1200, 32, REG_IA32_LBR_INFO, .writable = BITS(63, 56) | BITS(39, 32) | BITS(15, 0),
      .ignored = BITS(55, 40) | BITS(31, 16) },
    { 0x600, 1, REG_IA32_DS_AREA, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x034, 1, REG_MSR_SMI_COUNT, .read_only = true },
    { 0x3f4, 1, REG_IA32_PEBS_BASE, .check = CHECK_PHYSICAL, .writable = PEBS_BASE_BITS },
    { 0x3f5, 1, REG_IA32_PEBS_INDEX, .writable = PEBS_INDEX_BITS },
    { 0x3f6, 1, REG_MSR_PEBS_LD_LAT, .writable = BITS(15, 0) },
    { 0x38d, 1, REG_IA32_FIXED_CTR_CTRL, .writable = FIXED_CONTROL_BITS, .ignored = FIXED_ANY_THREAD },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = COUNTER_BITS, .reset = GENERAL_BITMAP },
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BITS(63, 0) },
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(63, 0) },
    { 0x38e, 1, REG_IA32_PERF_GLOBAL_STATUS, .read_only = true },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = STATUS_BITS | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = STATUS_BITS },
    { 0x392, 1, REG_IA32_PERF_GLOBAL_INUSE, .read_only = true },
    { 0x0c1, GENERAL_COUNTERS, REG_IA32_PMC, .writable = ALL },
    { 0x4c1, GENERAL_COUNTERS, REG_IA32_A_PMC, .writable = BITS(47, 0) },
    { 0x186, 4, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS | BIT(35), .ignored = BIT(21) },
    { 0x18a, GENERAL_COUNTERS - 4, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS, .ignored = BIT(21), .first = 4 },
    { 0x309, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0) },
    { 0x30d, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0), .first = 4 },
    /* The same, and what is new, by counter. */
    { 0x1900, GENERAL_COUNTERS, REG_IA32_A_PMC, .writable = BITS(47, 0), .stride = 4 },
    { 0x1901, 4, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS | BIT(35), .ignored = BIT(21), .stride = 4 },
    { 0x1911, GENERAL_COUNTERS - 4, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS, .ignored = BIT(21), .stride = 4,
      .first = 4 },
    { 0x1902, 2, REG_IA32_PMC_CFG_B, .stride = 4 },
    { 0x190a, GENERAL_COUNTERS - 2, REG_IA32_PMC_CFG_B, .writable = RELOAD_CAUSES, .stride = 4, .first = 2 },
    { 0x1903, GENERAL_COUNTERS, REG_IA32_PMC_CFG_C, .writable = CFG_C_BITS, .stride = 4 },
    { 0x1980, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0), .stride = 4 },
    { 0x1982, 3, REG_IA32_FIXED_CFG_B, .writable = RELOAD_CAUSES, .stride = 4 },
    { 0x1983, 3, REG_IA32_FIXED_CFG_C, .writable = CFG_C_BITS, .stride = 4 },
    { 0x1990, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0), .stride = 4, .first = 4 },
    { 0x1992, 3, REG_IA32_FIXED_CFG_B, .writable = RELOAD_CAUSES, .stride = 4, .first = 4 },
    { 0x1993, 3, REG_IA32_FIXED_CFG_C, .writable = CFG_C_BITS, .stride = 4, .first = 4 },
    { 0x1900, 0x100, .reg = REG_ABSENT },
    { 0x040, 8, .reg = REG_ABSENT }, /* Core 2's LBR stack, NetBurst's counters */
    { 0x060, 8, .reg = REG_ABSENT },
    { 0x1c8, 2, .reg = REG_ABSENT }, /* the LBR stack of older processors */
    { 0x680, 32, .reg = REG_ABSENT },
    { 0x6c0, 32, .reg = REG_ABSENT },
    { 0xdc0, 32, .reg = REG_ABSENT },
    { 0x300, 16, .reg = REG_ABSENT },
    { 0x329, 1, .reg = REG_ABSENT }, /* PERF_METRICS */
    { 0x3f1, 2, .reg = REG_ABSENT }, /* IA32_PEBS_ENABLE and MSR_PEBS_DATA_CFG, which the debug store's PEBS had */
    { 0x3f7, 1, .reg = REG_ABSENT },
};

#define DS_ECX (DTES64_ECX | DS_CPL_ECX | PDCM_ECX)

/* Leaves past QEMU's last are those of a part without what the leaves describe. */
static const struct profile_cpuid darkmont_cpuid[] = {
    { 0x01, .keep = { 0, ALL32, ALL32, ALL32 }, .add = { 0xd06d1, 0, DS_ECX, DS_EDX } },
    { 0x0e, .last = 0x23 },
    { 0x07, 0, true, .keep = { 0, ALL32, ALL32, ALL32 }, .add = { 1, 0, 0, BIT(19) } },    /* architectural LBR */
    { 0x07, 1, true, .keep = { ALL32, ALL32, ALL32, ALL32 }, .add = { BIT(8), 0, 0, 0 } }, /* leaf 23H */
    { 0x0a, .add = { 0x07300806, 0, FIXED_BITMAP, 0x8603 } },
    /* As for Golden Cove; and events of general counters 0 to 3 are counted between two entries. */
    { 0x1c, .add = { BIT(30) | 0x0b, 7, LBR_LOGGED << 16 | 7, 0 } },
    /* Sub-leaves 0 to 5; UMASK2, EQ, RDPMC user disable; slots a cycle. */
    { 0x23, 0, true, .add = { 0x3f, 7, 8, 0 } },
    { 0x23, 1, true, .add = { GENERAL_BITMAP, FIXED_BITMAP, 0, 0 } },
    { 0x23, 2, true, .add = { RELOAD_GENERAL, RELOAD_FIXED, RELOAD_GENERAL, RELOAD_FIXED } },
    /* Architectural events: the first seven, and those of slots and of LBR entries, but not slots themselves. */
    { 0x23, 3, true, .add = { 0x1f7f, 0, 0, 0 } },
    { 0x23, 4, true, .add = { 0, (uint32_t)(CFG_C_GROUPS >> 32), 0, 0 } },
    { 0x23, 5, true, .add = { GENERAL_BITMAP, 3, FIXED_BITMAP, 1 } },
    { 0x80000001, .keep = { 0, 0, 0x121, 0x2c100800 } },
};

static const struct profile_feature features[] = {
    WIDE_FEATURES,
    { 0x00000007, 2, 16, "5-level paging", false },
};

/* The revision is made up: Intel's collection of microcode has none for this part (2026-08). */
static const struct profile clearwaterforest = {
    .name = "clearwaterforest",
    .brand = "Intel(R) Xeon(R) 6990E+ (modelled)",
    .microcode = 0x1000001,
    .max_leaf = 0x23,
    .max_extended = 0x80000008,
    .cpuid = darkmont_cpuid,
    .cpuid_count = COUNT(darkmont_cpuid),
    .dtes64 = true,
    .la57 = true,
    .perfmon_version = 6,
    .general_counters = GENERAL_COUNTERS,
    .fixed_bitmap = FIXED_BITMAP,
    .counter_width = 48,
    .pebs_format = PEBS_FORMAT_ARCH,
    .rdpmc_user_disable = true,
    .pebs_timing = true,
    .pebs_cache_latency = true,
    .pdist_counters = BIT(32) | BITS(1, 0),
    .pdist_distance = 128,
    .debugctl = &debugctl_core,
    .lbr_depth = 32,
    .lbr_depths = 0x0b,
    .lbr_counters = LBR_LOGGED,
    .lbr_format = LBR_FORMAT_ARCH,
    .predictor_slots = 4096,
    /* L1D 32 KiB, L2 4 MiB, L3 as a share of 8 MiB, STLB 4096 entries. */
    .memory = {
        .caches = { { 64, 8 }, { 4096, 16 }, { 8192, 16 } },
        .tlb = { 1024, 4 },
        .latency = { 4, 19, 75, 320, 120 },
        .source = { 1, 3, 4, 0x0a, 8 },
        .source_tlb_miss = 0x40,
        .source_locked = 0x20,
    },
    .msrs = { ROWS(darkmont_msrs), ROWS(misc_enable_msrs) },
    .events = { ROWS(darkmont_events) },
    .features = features,
    .feature_count = COUNT(features),
};

const struct profile *const profiles_arch[] = { &clearwaterforest, NULL };
