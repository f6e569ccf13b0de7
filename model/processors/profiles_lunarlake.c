/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lunar Lake's E-cores, Skymont; its P-cores are in profiles_adaptive.c. Sources: Linux 6.15, arch/x86/events/intel:
 * intel_skt_event_constraints for the fixed counters; cmt_latency_data() for the bit positions of a data source, with
 * Crestmont's codes; cmt_get_event_constraints() for precise distribution on PMC0, PMC1 and fixed counter 0 (Intel's
 * list has only the last). Events and their counters: Intel's published event list for LNL. The counters group:
 * profiles_adaptive.c.
 */
#include <stddef.h>

#include "model/processors/rows_adaptive.h"

static const struct profile_event skymont_events[] = {
    { 0xc2, 0x02, EVENT_INSTRUCTIONS, LATER_COUNTERS, PRECISE }, /* retired slots: one per instruction */
    { 0xc4, 0x7f, EVENT_NOT_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xc5, 0x7f, EVENT_MISPREDICTED_NOT_TAKEN, LATER_COUNTERS, PRECISE },
};

#define GENERAL_BITMAP 0xff

#define SKYMONT_COUNTERS  COUNTER_BITS(GENERAL_BITMAP, FIXED_GAP_BITMAP)
#define EVENT_SELECT_BITS (SELECT_BITS | SELECT_ADAPTIVE | SELECT_EQ | SELECT_UMASK2)

/* Counters that can be reloaded by others, and that can cause it. */
#define RELOAD_GENERAL 0xfc
#define RELOAD_FIXED   0x3
#define RELOAD_CAUSES  (RELOAD_GENERAL | (uint64_t)RELOAD_FIXED << 32)
#define DATA_CFG_BITS  ((uint64_t)(FIXED_GAP_BITMAP << 16 | GENERAL_BITMAP) << 32 | BITS(31, 24) | BITS(4, 0))

/* The counters group of records, and LBR entries that count events. */
static const struct profile_msr lunarlake_e_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x276ff },
    { 0x3f2, 1, REG_MSR_PEBS_DATA_CFG, .writable = DATA_CFG_BITS },
    LBR_INFO_WITH_EVENTS,
    { 0x186, 4, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS | SELECT_BR_CNTR, .ignored = SELECT_ANY_THREAD },
    { 0x1901, 4, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS | SELECT_BR_CNTR, .ignored = SELECT_ANY_THREAD,
      .stride = 4 },
};

static const struct profile_msr skymont_msrs[] = {
    OFFCORE_AND_SNOOP_RSP,
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = SKYMONT_COUNTERS },
    { 0x38d, 1, REG_IA32_FIXED_CTR_CTRL, .writable = FIXED_GAP_BITS(FIXED_ADAPTIVE), .ignored = FIXED_GAP_ANY_THREAD },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = SKYMONT_COUNTERS, .reset = GENERAL_BITMAP },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = STATUS_BITS(SKYMONT_COUNTERS) | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = STATUS_BITS(SKYMONT_COUNTERS) },
    { 0x186, 8, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS, .ignored = SELECT_ANY_THREAD },
    /* The same registers in the order of counters, and the registers of reloads. */
    { 0x1901, 8, REG_IA32_PERFEVTSEL, .writable = EVENT_SELECT_BITS, .ignored = SELECT_ANY_THREAD, .stride = 4 },
    { 0x190a, 6, REG_IA32_PMC_CFG_B, .writable = RELOAD_CAUSES, .stride = 4, .first = 2 },
    { 0x190b, 6, REG_IA32_PMC_CFG_C, .writable = BITS(31, 0), .stride = 4, .first = 2 },
    { 0x1982, 2, REG_IA32_FIXED_CFG_B, .writable = RELOAD_CAUSES, .stride = 4 },
    { 0x1983, 2, REG_IA32_FIXED_CFG_C, .writable = BITS(31, 0), .stride = 4 },
};

static const struct profile_cpuid lunarlake_e_cpuid[] = {
    CPUID_SIGNATURE(0xb06d1),
    { 0x07, 0, true, .keep = { 0, ALL32, ~LA57_ECX, ALL32 }, .add = { 1, 0, 0, ARCH_LBR_EDX | HYBRID_EDX } },
    { 0x0a, .add = { 0x0d300806, 0x280, 0x07, 0x8603 } },
    CPUID_ARCH_LBR_LIP(LBR_LOGGED),
};

const char lunarlake_name[] = "lunarlake";
const char lunarlake_brand[] = "Intel(R) Core(TM) Ultra 7 258V (modelled)";

/* Arrow Lake-H's E-cores, 06_C5: format 5, without the counters group and events in LBR entries. */
static const struct profile_cpuid arrowlake_h_e_cpuid[] = {
    METEORLAKE_CPUID(0xc0652, ATOM_CORE | 3, CPUID_ARCH_LBR_LIP(0u)),
    /* Sub-leaves 0 to 3; UMASK2, EQ; slots a cycle; architectural events, without that of slots. */
    { 0x23, 0, true, .add = { 0x0f, 3, 8, 0 } },
    { 0x23, 1, true, .add = { GENERAL_BITMAP, FIXED_GAP_BITMAP, 0, 0 } },
    { 0x23, 2, true, .add = { RELOAD_GENERAL, RELOAD_FIXED, RELOAD_GENERAL, RELOAD_FIXED } },
    { 0x23, 3, true, .add = { 0x1f7f, 0, 0, 0 } },
};
static const struct profile_msr arrowlake_h_e_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x275ff },
};
const struct profile arrowlake_h_e = {
    ARROWLAKE_H,
    .like = &ecore,
    .core = "Skymont",
    .max_leaf = 0x23,
    CPUID_TABLE(arrowlake_h_e_cpuid),
    .fixed_bitmap = FIXED_GAP_BITMAP,
    .pebs_format = 5,
    .pebs_adaptive = true,
    .pebs_timing = true,
    /* L1D 32 KiB, L2 4 MiB (four cores share it), L3 12 MiB, STLB 4096 entries. */
    .memory.caches = { { 64, 8 }, { 4096, 16 }, { 8192, 24 } },
    .memory.tlb = { 1024, 4 },
    .memory.latency = { 4, 19, 75, 320, 120 },
    .width = 8,
    .msrs = { ROWS(arrowlake_h_e_msrs), ROWS(skymont_msrs), ROWS(fixed_gap_msrs) },
    .events = { ROWS(skymont_events), ROWS(ecore_slots_events), ROWS(ecore_hit_events), ROWS(ecore_branch_events) },
};

static const struct profile lunarlake_e = {
    .name = lunarlake_name,
    .like = &arrowlake_h_e,
    .kinds = lunarlake_kinds,
    .brand = lunarlake_brand,
    .microcode = 0x128,
    CPUID_TABLE(lunarlake_e_cpuid),
    .perfmon_version = 6,
    .pebs_format = 6,
    .lbr_counters = LBR_LOGGED,
    .memory.flags = { 1, 1, 4 },
    .msrs = { ROWS(lunarlake_e_msrs) },
};

const struct profile *const lunarlake_kinds[] = { &lunarlake_p, &lunarlake_e, NULL };
