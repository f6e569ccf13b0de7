/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processors with architectural PEBS: Clearwater Forest, whose core is Darkmont, and Panther Lake, with Darkmont and
 * Cougar Cove. Sources: CPUID of 06_CCH and 06_D5H; Linux 6.19 and later
 * (arch/x86/events/intel/core.c and ds.c, asm/perf_event.h, asm/msr-index.h), which follow Intel's "Architecture
 * Instruction Set Extensions Programming Reference"; reserved bits: Intel's KVM for guests with architectural PEBS;
 * bitmaps of counters: Intel's own tests (github.com/intel/lkvs, BM/pmu, case bitmap_6). Events and the counters that
 * sample them: Intel's published event lists for CWF and PTL; Linux 6.19, arch/x86/events/intel/core.c,
 * intel_lnc_event_constraints for load and store latency.
 */
#include <stddef.h>

#include "model/processors/rows_adaptive.h"

/* Branches, on both kinds of Panther Lake: each bit of the unit mask is a kind of branch. */
static const struct profile_event panther_branch_events[] = {
    { 0xc4, 0x03, EVENT_CONDITIONAL_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x04, EVENT_NOT_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x07, EVENT_CONDITIONAL, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x08, EVENT_NEAR_RETURNS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x10, EVENT_INDIRECT_CALLS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x20, EVENT_DIRECT_CALLS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x30, EVENT_NEAR_CALLS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x40, EVENT_INDIRECT_JUMPS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x50, EVENT_INDIRECT, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x80, EVENT_DIRECT_JUMPS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0xfb, EVENT_NEAR_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xc5, 0x03, EVENT_MISPREDICTED_CONDITIONAL_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xc5, 0x04, EVENT_MISPREDICTED_NOT_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xc5, 0x08, EVENT_MISPREDICTED_NEAR_RETURNS, LATER_COUNTERS, PRECISE },
    { 0xc5, 0x50, EVENT_MISPREDICTED_INDIRECT, LATER_COUNTERS, PRECISE },
};

static const struct profile_event darkmont_events[] = {
    { 0xc2, 0x02, EVENT_INSTRUCTIONS, LATER_COUNTERS, PRECISE }, /* retired slots: one per instruction */
    { 0xc4, 0x58, EVENT_INDIRECT_BRANCHES, LATER_COUNTERS, PRECISE },
    { 0xd0, 0x05, EVENT_LOAD_LATENCY, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x01, EVENT_L1_HITS, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x02, EVENT_L2_HITS, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x1c, EVENT_L3_HITS, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x40, EVENT_L1_MISSES, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x80, EVENT_L2_MISSES, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd3, 0xff, EVENT_L3_MISSES, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
};

#define GENERAL_COUNTERS 8
#define GENERAL_BITMAP   0xff

/*
 * Counters that can be reloaded by others, and that can cause it, as Panther Lake and Wildcat Lake list them, which
 * have the same core: CPUID of 06_CCH and 06_D5H.
 */
#define RELOAD_GENERAL 0xfc
#define RELOAD_FIXED   0x3
#define RELOAD_CAUSES  (RELOAD_GENERAL | (uint64_t)RELOAD_FIXED << 32)

#define DARKMONT_COUNTERS COUNTER_BITS(GENERAL_BITMAP, FIXED_GAP_BITMAP)
/* In addition the threshold bit of architectural PEBS. */
#define DARKMONT_STATUS (STATUS_BITS(DARKMONT_COUNTERS) | BIT(54))

/* EQ and UMASK2 are above bit 31, and on some counters BR_CNTR. */
#define EVENT_SELECT_BITS (SELECT_BITS | SELECT_EQ | SELECT_UMASK2)

/*
 * IA32_PMC_GPx_CFG_C and _FXx_CFG_C: the reload value, the groups of the counter's records, and EN. Bits 62:32 equal
 * CPUID.(23H, 4):EBX: metrics only with a slots counter, no registers that the core lacks.
 */
#define CFG_C_GROUPS       (BITS(62, 61) | BITS(50, 49) | BITS(41, 40) | BITS(37, 35))
#define CFG_C_WITH_METRICS (CFG_C_GROUPS | BIT(38))
#define CFG_C_BITS(groups) (BIT(63) | (groups) | BITS(31, 0))

/* IA32_PEBS_BASE: a physical address, and SIZE: the buffer has 2^SIZE pages. */
#define PEBS_BASE_BITS (BITS(51, 12) | BITS(3, 0))
/* IA32_PEBS_INDEX: WR, FULL, EN, THRESH */
#define PEBS_INDEX_BITS (BITS(26, 4) | BITS(32, 31) | BITS(58, 36))

/* IA32_PEBS_ENABLE and MSR_PEBS_DATA_CFG of the debug store's PEBS are absent. */
/* clang-format off */
#define ARCH_PEBS_MSRS                                                                                  \
    MISC_ENABLE_NO_PEBS, LBR_INFO_WITH_EVENTS,                                                          \
    { 0x3f4, 1, REG_IA32_PEBS_BASE, .check = CHECK_PHYSICAL, .writable = PEBS_BASE_BITS },              \
    { 0x3f5, 1, REG_IA32_PEBS_INDEX, .writable = PEBS_INDEX_BITS },                                     \
    { 0x3f1, 2, .reg = REG_ABSENT }
/* clang-format on */

static const struct profile_msr darkmont_msrs[] = {
    ARCH_PEBS_MSRS,
    { 0x1328, 1, REG_MSR_SNOOP_RSP_0, .writable = ALL },
    { 0x1329, 1, REG_MSR_SNOOP_RSP_1, .writable = ALL },
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x23fff },
    { 0x38d, 1, REG_IA32_FIXED_CTR_CTRL, .writable = FIXED_GAP(FIXED_FIELD), .ignored = FIXED_GAP_ANY_THREAD },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = DARKMONT_COUNTERS, .reset = GENERAL_BITMAP },
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BITS(63, 0) },
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(63, 0) },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = DARKMONT_STATUS | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = DARKMONT_STATUS },
    { 0x186, 4, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS | SELECT_BR_CNTR, .ignored = SELECT_ANY_THREAD },
    { 0x18a, GENERAL_COUNTERS - 4, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS, .ignored = SELECT_ANY_THREAD,
      .first = 4 },
    /* The same registers and new ones, in the order of counters. */
    { 0x1901, 4, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS | SELECT_BR_CNTR, .ignored = SELECT_ANY_THREAD,
      .stride = 4 },
    { 0x1911, GENERAL_COUNTERS - 4, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS, .ignored = SELECT_ANY_THREAD,
      .stride = 4, .first = 4 },
    { 0x1902, 2, REG_IA32_PMC_CFG_B, .stride = 4 },
    { 0x190a, GENERAL_COUNTERS - 2, REG_IA32_PMC_CFG_B, .writable = RELOAD_CAUSES, .stride = 4, .first = 2 },
    { 0x1903, GENERAL_COUNTERS, REG_IA32_PMC_CFG_C, .writable = CFG_C_BITS(CFG_C_GROUPS), .stride = 4 },
    { 0x1982, 2, REG_IA32_FIXED_CFG_B, .writable = RELOAD_CAUSES, .stride = 4 },
    { 0x198a, 1, REG_IA32_FIXED_CFG_B, .first = 2 },
    { 0x1983, 3, REG_IA32_FIXED_CFG_C, .writable = CFG_C_BITS(CFG_C_GROUPS), .stride = 4 },
    { 0x1992, 3, REG_IA32_FIXED_CFG_B, .stride = 4, .first = 4 },
    { 0x1993, 3, REG_IA32_FIXED_CFG_C, .writable = CFG_C_BITS(CFG_C_GROUPS), .stride = 4, .first = 4 },
};

/* --- Panther Lake ------------------------------------------------------------------------------------------------- */

/* Branches that Darkmont does not count apart. */
static const struct profile_event cougarcove_events[] = {
    { 0xc4, 0x100, EVENT_FAR_BRANCHES, LATER_COUNTERS, PRECISE },
    { 0xc5, 0x07, EVENT_MISPREDICTED_CONDITIONAL, LATER_COUNTERS, PRECISE },
    { 0xc5, 0x10, EVENT_MISPREDICTED_INDIRECT_CALLS, LATER_COUNTERS, PRECISE },
    { 0xc5, 0x40, EVENT_MISPREDICTED_INDIRECT_JUMPS, LATER_COUNTERS, PRECISE },
    { 0xc5, 0xfb, EVENT_MISPREDICTED_NEAR_TAKEN, LATER_COUNTERS, PRECISE },
};

#define COUGARCOVE_GENERAL  0x3ff
#define COUGARCOVE_FIXED    0xf
#define COUGARCOVE_COUNTERS (COUNTER_BITS(COUGARCOVE_GENERAL, COUGARCOVE_FIXED))
#define COUGARCOVE_STATUS   (STATUS_BITS(COUGARCOVE_COUNTERS) | BIT(54) | BIT(48))
#define COUGARCOVE_CFG_C    CFG_C_BITS(CFG_C_WITH_METRICS)

/* In addition to Darkmont's groups: metrics. No counter can be reloaded by others: no CFG_B. */
static const struct profile_msr cougarcove_msrs[] = {
    ARCH_PEBS_MSRS,
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BITS(43, 0) },
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(43, 0) },
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x2bfff },
    { 0x38d, 1, REG_IA32_FIXED_CTR_CTRL, .writable = FIXED_FIELD(0) | FIXED_FIELD(1) | FIXED_FIELD(2) | FIXED_FIELD(3),
      .ignored = FIXED_ANY_THREAD(0) | FIXED_ANY_THREAD(1) | FIXED_ANY_THREAD(2) | FIXED_ANY_THREAD(3) },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = COUGARCOVE_COUNTERS | BIT(48), .reset = COUGARCOVE_GENERAL },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = COUGARCOVE_STATUS | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = COUGARCOVE_STATUS },
    { 0x0c1, 10, REG_IA32_PMC, .writable = ALL },
    { 0x4c1, 10, REG_IA32_A_PMC, .writable = BITS(47, 0) },
    { 0x186, 4, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS | SELECT_BR_CNTR, .ignored = SELECT_ANY_THREAD },
    { 0x18a, 6, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS, .ignored = SELECT_ANY_THREAD, .first = 4 },
    /* The same registers and new ones, in the order of counters. */
    { 0x1900, 10, REG_IA32_A_PMC, .writable = BITS(47, 0), .stride = 4 },
    { 0x1901, 4, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS | SELECT_BR_CNTR, .ignored = SELECT_ANY_THREAD,
      .stride = 4 },
    { 0x1911, 6, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS, .ignored = SELECT_ANY_THREAD, .stride = 4,
      .first = 4 },
    { 0x1903, 10, REG_IA32_PMC_CFG_C, .writable = COUGARCOVE_CFG_C, .stride = 4 },
    { 0x1980, 4, REG_IA32_FIXED_CTR, .writable = BITS(47, 0), .stride = 4 },
    { 0x1983, 4, REG_IA32_FIXED_CFG_C, .writable = COUGARCOVE_CFG_C, .stride = 4 },
    { 0x1900, 0x100, .reg = REG_ABSENT },
};

/* Leaf 0AH reports the counters that both kinds have. */
/* clang-format off */
#define CPUID_PANTHERLAKE(signature, kind)                                                                    \
    CPUID_SIGNATURE(signature),                                                                               \
    CPUID_NO_LEAVES(0x28),                                                                                    \
    { 0x07, 0, true, .keep = { 0, ALL32, ~LA57_ECX, ALL32 }, .add = { 2, 0, 0, ARCH_LBR_EDX | HYBRID_EDX } }, \
    { 0x07, 1, true, .keep = { ALL32, ALL32, ALL32, ALL32 }, .add = { BIT(8), 0, 0, 0 } },                    \
    { 0x0a, .add = { 0x0d300806, 0x280, 0x07, 0x8603 } },                                                     \
    { 0x1a, .add = { kind, 0, 0, 0 } }
/* clang-format on */

static const struct profile_cpuid pantherlake_p_cpuid[] = {
    CPUID_PANTHERLAKE(0xc06c3, CORE_CORE | 4),
    CPUID_ARCH_LBR(LBR_LOGGED),
    /* Sub-leaves 0, 1, 3, 4 and 5; UMASK2, EQ; architectural events, without that of bad speculation. */
    { 0x23, 0, true, .add = { 0x3b, 3, 0, 0 } },
    { 0x23, 1, true, .add = { COUGARCOVE_GENERAL, COUGARCOVE_FIXED, 0, 0 } },
    { 0x23, 3, true, .add = { 0x1dff, 0, 0, 0 } },
    { 0x23, 4, true, .add = { 0, (uint32_t)(CFG_C_WITH_METRICS >> 32), 0, 0 } },
    { 0x23, 5, true, .add = { COUGARCOVE_GENERAL, 3, COUGARCOVE_FIXED, 1 } },
    CPUID_EXTENDED,
};

static const struct profile_cpuid pantherlake_e_cpuid[] = {
    CPUID_PANTHERLAKE(0xc06c3, ATOM_CORE | 4),
    CPUID_ARCH_LBR_LIP(LBR_LOGGED),
    /*
     * Sub-leaves 0 to 5; UMASK2, EQ; slots per cycle. Architectural events: the first seven, and those of topdown
     * slots and LBR entries, but not slots itself.
     */
    { 0x23, 0, true, .add = { 0x3f, 3, 8, 0 } },
    { 0x23, 1, true, .add = { GENERAL_BITMAP, FIXED_GAP_BITMAP, 0, 0 } },
    { 0x23, 2, true, .add = { RELOAD_GENERAL, RELOAD_FIXED, RELOAD_GENERAL, RELOAD_FIXED } },
    { 0x23, 3, true, .add = { 0x1f7f, 0, 0, 0 } },
    { 0x23, 4, true, .add = { 0, (uint32_t)(CFG_C_GROUPS >> 32), 0, 0 } },
    { 0x23, 5, true, .add = { GENERAL_BITMAP, 3, FIXED_GAP_BITMAP, 1 } },
    CPUID_EXTENDED,
};

static const struct profile pantherlake_p, pantherlake_e;
static const char pantherlake_name[] = "pantherlake",
                  pantherlake_brand[] = "Intel(R) Core(TM) Ultra X9 388H (modelled)";
static const struct profile *const pantherlake[] = { &pantherlake_p, &pantherlake_e, NULL };

#define PANTHERLAKE \
    .name = pantherlake_name, .kinds = pantherlake, .brand = pantherlake_brand, .microcode = 0x11b, .max_leaf = 0x28

static const struct profile pantherlake_p = {
    PANTHERLAKE,
    .like = &lioncove,
    .core = "Cougar Cove",
    CPUID_TABLE(pantherlake_p_cpuid),
    .perfmon_version = 6,
    .pebs_format = PEBS_FORMAT_ARCH,
    .lbr_counters = LBR_LOGGED,
    .msrs = { ROWS(cougarcove_msrs) },
    .events = { ROWS(cougarcove_events), ROWS(panther_branch_events) },
};

static const struct profile pantherlake_e = {
    PANTHERLAKE,
    .like = &ecore,
    .core = "Darkmont",
    CPUID_TABLE(pantherlake_e_cpuid),
    .perfmon_version = 6,
    .fixed_bitmap = FIXED_GAP_BITMAP,
    .pebs_format = PEBS_FORMAT_ARCH,
    .pebs_timing = true,
    .lbr_counters = LBR_LOGGED,
    /* L1D 32 KiB, L2 4 MiB, L3 as a share of 12 MiB, STLB 4096 entries. */
    .memory.caches = { { 64, 8 }, { 4096, 16 }, { 8192, 24 } },
    .memory.flags = { 1, 1, 4 },
    .memory.tlb = { 1024, 4 },
    .memory.latency = { 4, 19, 75, 320, 120 },
    .width = 8,
    .msrs = { ROWS(darkmont_msrs), ROWS(fixed_gap_msrs) },
    .events = { ROWS(darkmont_events), ROWS(panther_branch_events), ROWS(ecore_slots_events) },
};

static const struct profile_cpuid clearwaterforest_cpuid[] = {
    CPUID_SIGNATURE(0xd06d1),
    { 0x07, 0, true, .keep = { 0, ALL32, ALL32, ALL32 }, .add = { 1, 0, 0, ARCH_LBR_EDX } },
    { 0x0a, .add = { 0x0d300806, 0x80, FIXED_GAP_BITMAP, 0x8603 } }, /* 13 events; slots is missing */
};
/* The microcode revisions of this part and of Nova Lake are invented: Intel's collection has none (2026-08). */
static const struct profile clearwaterforest = {
    .name = "clearwaterforest",
    .like = &pantherlake_e,
    .lacks = LACKS_KINDS,
    .brand = "Intel(R) Xeon(R) 6990E+ (modelled)",
    .microcode = 0x1000001,
    .max_leaf = 0x23,
    CPUID_TABLE(clearwaterforest_cpuid),
    .la57 = true,
    .features = widest_features,
    .feature_count = COUNT(widest_features),
};

/* --- Nova Lake and Diamond Rapids --------------------------------------------------------------------------------- */

/*
 * Coyote Cove and Arctic Wolf, and Panther Cove, which equals Coyote Cove for Linux. Sources: Intel's lists NVL 1.00
 * for events, their counters, and counters with PEBS and precise distribution; Linux 7.3, intel_pnc_ and
 * intel_arw_extra_regs for MSR_OMR_x and their events, pnc_ and arw_hw_cache_extra_regs for its bits, ds.c,
 * parse_omr_data_source() for data sources, commit 59af95e028d4 for bits that hide counters from RDPMC. CPUID of these
 * parts is not public. What no source says is assumed to be as in Panther Lake, and the counters that can be
 * reloaded, and by which, as on Darkmont.
 */
/* clang-format off */
#define OMR_MSRS(bits)                                                                                   \
    { 0x3e0, 1, REG_MSR_OMR_0, .writable = (bits) }, { 0x3e1, 1, REG_MSR_OMR_1, .writable = (bits) },     \
    { 0x3e2, 1, REG_MSR_OMR_2, .writable = (bits) }, { 0x3e3, 1, REG_MSR_OMR_3, .writable = (bits) },     \
    { 0x1a6, 2, .reg = REG_ABSENT }
/* clang-format on */
#define OFFCORE_OMR                         \
    {                                       \
        BIT(62), BITS(35, 32), BITS(55, 36) \
    }

#define COYOTECOVE_COUNTERS COUNTER_BITS(GENERAL_BITMAP, COUGARCOVE_FIXED)
#define COYOTECOVE_STATUS   (STATUS_BITS(COYOTECOVE_COUNTERS) | BIT(54) | BIT(48))
#define COYOTECOVE_SELECT   (EVENT_SELECT_BITS | BIT(37))
#define FIXED_HIDDEN(n)     BIT(33 + 4 * (n))
#define COYOTECOVE_FIELD(n) (FIXED_FIELD(n) | FIXED_HIDDEN(n))

static const struct profile_msr coyotecove_msrs[] = {
    ARCH_PEBS_MSRS,
    OMR_MSRS(0x40ffffff0000ffff),
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x2bfff },
    { 0x38d, 1, REG_IA32_FIXED_CTR_CTRL,
      .writable = COYOTECOVE_FIELD(0) | COYOTECOVE_FIELD(1) | COYOTECOVE_FIELD(2) | COYOTECOVE_FIELD(3),
      .ignored = FIXED_ANY_THREAD(0) | FIXED_ANY_THREAD(1) | FIXED_ANY_THREAD(2) | FIXED_ANY_THREAD(3) },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = COYOTECOVE_COUNTERS | BIT(48), .reset = GENERAL_BITMAP },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = COYOTECOVE_STATUS | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = COYOTECOVE_STATUS },
    { 0x186, 4, REG_IA32_PERFEVTSEL, .writable = COYOTECOVE_SELECT | SELECT_BR_CNTR, .ignored = SELECT_ANY_THREAD },
    { 0x18a, 4, REG_IA32_PERFEVTSEL, .writable = COYOTECOVE_SELECT, .ignored = SELECT_ANY_THREAD, .first = 4 },
    /* The same registers and new ones, in the order of counters. */
    { 0x1900, 8, REG_IA32_A_PMC, .writable = BITS(47, 0), .stride = 4 },
    { 0x1901, 4, REG_IA32_PERFEVTSEL, .writable = COYOTECOVE_SELECT | SELECT_BR_CNTR, .ignored = SELECT_ANY_THREAD,
      .stride = 4 },
    { 0x1911, 4, REG_IA32_PERFEVTSEL, .writable = COYOTECOVE_SELECT, .ignored = SELECT_ANY_THREAD, .stride = 4,
      .first = 4 },
    { 0x1902, 2, REG_IA32_PMC_CFG_B, .stride = 4 },
    { 0x190a, 6, REG_IA32_PMC_CFG_B, .writable = RELOAD_CAUSES, .stride = 4, .first = 2 },
    { 0x1903, 8, REG_IA32_PMC_CFG_C, .writable = COUGARCOVE_CFG_C, .stride = 4 },
    { 0x1980, 4, REG_IA32_FIXED_CTR, .writable = BITS(47, 0), .stride = 4 },
    { 0x1982, 2, REG_IA32_FIXED_CFG_B, .writable = RELOAD_CAUSES, .stride = 4 },
    { 0x198a, 2, REG_IA32_FIXED_CFG_B, .stride = 4, .first = 2 },
    { 0x1983, 4, REG_IA32_FIXED_CFG_C, .writable = COUGARCOVE_CFG_C, .stride = 4 },
    { 0x1900, 0x100, .reg = REG_ABSENT },
};

/* Darkmont's, with other registers of offcore requests. */
static const struct profile_msr arcticwolf_msrs[] = { OMR_MSRS(0xc0ffffffffffffff) };

#define FIRST_FOUR 0x0f
static const struct profile_event coyotecove_events[] = {
    { 0x2a, 0x01, EVENT_OMR_0, LATER_COUNTERS, PRECISE },
    { 0x2a, 0x02, EVENT_OMR_1, LATER_COUNTERS, PRECISE },
    { 0x2a, 0x04, EVENT_OMR_2, LATER_COUNTERS, PRECISE },
    { 0x2a, 0x08, EVENT_OMR_3, LATER_COUNTERS, PRECISE },
    { 0xd1, 0x02, EVENT_L1_HITS, FIRST_FOUR, PRECISE_WITH_ADDRESS }, /* in L0: here the same cache */
    { 0xd1, 0x06, EVENT_L1_HITS, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x10, EVENT_L1_MISSES, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x20, EVENT_L2_HITS, FIRST_FOUR, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x8000, EVENT_L2_MISSES, FIRST_FOUR, PRECISE_WITH_ADDRESS },
};
/* The list's, and those of Linux's intel_arw_event_constraints and tnt_hw_cache_event_ids. */
static const struct profile_event arcticwolf_events[] = {
    { 0xb7, 0x01, EVENT_OMR_0, BIT(0), PRECISE },
    { 0xb7, 0x02, EVENT_OMR_1, BIT(1), PRECISE },
    { 0xb7, 0x04, EVENT_OMR_2, BIT(2), PRECISE },
    { 0xb7, 0x08, EVENT_OMR_3, BIT(3), PRECISE },
    { 0x2e, 0x4f, EVENT_L3_REFERENCES, LATER_COUNTERS, PRECISE },
    { 0x2e, 0x41, EVENT_L3_MISSES, LATER_COUNTERS, PRECISE },
    { 0x3c, 0x00, EVENT_CYCLES, LATER_COUNTERS, PRECISE },
    { 0x3c, 0x01, EVENT_CYCLES, LATER_COUNTERS, PRECISE },
    { 0x80, 0x02, EVENT_CODE_MISSES, LATER_COUNTERS, PRECISE },
    { 0x81, 0x04, EVENT_CODE_TLB_MISSES, LATER_COUNTERS, PRECISE },
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, LATER_COUNTERS, PRECISE },
    { 0xc2, 0x02, EVENT_INSTRUCTIONS, LATER_COUNTERS, PRECISE }, /* retired slots: one per instruction */
    { 0xc4, 0x00, EVENT_BRANCHES, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x03, EVENT_CONDITIONAL_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x04, EVENT_NOT_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, LATER_COUNTERS, PRECISE },
    { 0xd0, 0x05, EVENT_LOAD_LATENCY, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x06, EVENT_STORE_LATENCY, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x81, EVENT_LOADS, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x82, EVENT_STORES, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
};

static const struct profile_cpuid novalake_p_cpuid[] = {
    CPUID_PANTHERLAKE(0x300f10, CORE_CORE | 5),
    CPUID_ARCH_LBR(LBR_LOGGED),
    /* All sub-leaves; UMASK2, EQ, counters hidden from RDPMC. */
    { 0x23, 0, true, .add = { 0x3f, 7, 0, 0 } },
    { 0x23, 1, true, .add = { GENERAL_BITMAP, COUGARCOVE_FIXED, 0, 0 } },
    { 0x23, 2, true, .add = { RELOAD_GENERAL, RELOAD_FIXED, RELOAD_GENERAL, RELOAD_FIXED } },
    { 0x23, 3, true, .add = { 0x1dff, 0, 0, 0 } },
    { 0x23, 4, true, .add = { 0, (uint32_t)(CFG_C_WITH_METRICS >> 32), 0, 0 } },
    { 0x23, 5, true, .add = { GENERAL_BITMAP, 3, COUGARCOVE_FIXED, 1 } },
    CPUID_EXTENDED,
};
static const struct profile_cpuid novalake_e_cpuid[] = { CPUID_SIGNATURE(0x300f10),
                                                         { 0x1a, .add = { ATOM_CORE | 5, 0, 0, 0 } } };

static const struct profile novalake_p, novalake_e;
static const char novalake_name[] = "novalake", novalake_brand[] = "Intel Nova Lake (modelled)";
static const struct profile *const novalake[] = { &novalake_p, &novalake_e, NULL };

#define NOVALAKE \
    .name = novalake_name, .kinds = novalake, .brand = novalake_brand, .microcode = 0x1000001, .offcore = OFFCORE_OMR

static const struct profile novalake_p = {
    NOVALAKE,
    .like = &lioncove,
    .lacks = LACKS_EVENTS,
    .core = "Coyote Cove",
    .max_leaf = 0x28,
    CPUID_TABLE(novalake_p_cpuid),
    .perfmon_version = 6,
    .general_counters = GENERAL_COUNTERS,
    .pebs_format = PEBS_FORMAT_ARCH,
    .lbr_counters = LBR_LOGGED,
    .memory.caches[LEVEL_L2] = { 4096, 16 },
    .memory.source = { 1, 4, 0x102, 0x108, 0x122 },
    .memory.source_tlb_miss = BIT(11),
    .memory.source_locked = BIT(12),
    .msrs = { ROWS(coyotecove_msrs) },
    /* Without events that are not in the list: Lion Cove's offcore requests, Ice Lake's from D0H/83H on. */
    .events = { ROWS(coyotecove_events),
                ROWS(cougarcove_events),
                ROWS(panther_branch_events),
                { lioncove_events, 5 },
                { lioncove_events + 7, 3 },
                { goldencove_cache_events + 7, 4 },
                { adaptive_events, 15 },
                { adaptive_events + 22, 2 } },
};

static const struct profile novalake_e = {
    NOVALAKE,
    .like = &pantherlake_e,
    .lacks = LACKS_EVENTS,
    .core = "Arctic Wolf",
    CPUID_TABLE(novalake_e_cpuid),
    .memory.caches[LEVEL_L3] = { 16384, 12 },
    .memory.source = { 1, 3, 0x102, 0x108, 0x122 },
    .memory.source_tlb_miss = BIT(11),
    .memory.source_locked = BIT(12),
    .msrs = { ROWS(arcticwolf_msrs) },
    .events = { ROWS(arcticwolf_events), ROWS(ecore_slots_events) },
};

static const struct profile_cpuid diamondrapids_cpuid[] = {
    CPUID_SIGNATURE(0x400f10),
    { 0x07, 0, true, .keep = { 0, ALL32, ALL32, ~HYBRID_EDX }, .add = { 2, 0, 0, ARCH_LBR_EDX } },
    { 0x0a, .add = { 0x0d300806, 0x200, COUGARCOVE_FIXED, 0x8604 } },
    { 0x1a, .add = { CORE_CORE, 0, 0, 0 } },
};
static const struct profile diamondrapids = {
    .name = "diamondrapids",
    .like = &novalake_p,
    .lacks = LACKS_KINDS,
    .only_data = true,
    .brand = "Intel Diamond Rapids (modelled)",
    CPUID_TABLE(diamondrapids_cpuid),
    .la57 = true,
    .features = widest_features,
    .feature_count = COUNT(widest_features),
};

const struct profile *const profiles_arch[] = { &pantherlake_p, &clearwaterforest, &diamondrapids, &novalake_p, NULL };
