/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common parts of E-cores, from Gracemont to Darkmont: events with their counters, from Intel's published lists for
 * ADL, SRF, LNL and CWF, and registers of cores without a slots counter, PERF_METRICS and MSR_PEBS_FRONTEND.
 */
#include "model/processors/rows_adaptive.h"

#define FIRST_TWO 0x03

/* Any event can be sampled; here all events are precise. */
static const struct profile_event ecore_events[] = {
    { 0x2e, 0x4f, EVENT_L3_REFERENCES, LATER_COUNTERS, PRECISE },
    { 0x2e, 0x41, EVENT_L3_MISSES, LATER_COUNTERS, PRECISE },
    { 0x3c, 0x00, EVENT_CYCLES, LATER_COUNTERS, PRECISE },
    { 0x3c, 0x01, EVENT_CYCLES, LATER_COUNTERS, PRECISE },
    { 0x08, 0x0e, EVENT_STLB_MISS_LOADS, LATER_COUNTERS, PRECISE },
    { 0x49, 0x0e, EVENT_STLB_MISS_STORES, LATER_COUNTERS, PRECISE },
    { 0x80, 0x02, EVENT_CODE_MISSES, LATER_COUNTERS, PRECISE },
    { 0x81, 0x04, EVENT_CODE_TLB_MISSES, LATER_COUNTERS, PRECISE },
    { 0xb7, 0x01, EVENT_OFFCORE_0, LATER_COUNTERS, PRECISE },
    { 0xb7, 0x02, EVENT_OFFCORE_1, LATER_COUNTERS, PRECISE },
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0x00, EVENT_BRANCHES, LATER_COUNTERS, PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, LATER_COUNTERS, PRECISE },
    { 0xd0, 0x06, EVENT_STORE_LATENCY, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x11, EVENT_STLB_MISS_LOADS, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x12, EVENT_STLB_MISS_STORES, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x13, EVENT_STLB_MISSES, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x21, EVENT_LOCKED_LOADS, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x41, EVENT_SPLIT_LOADS, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x42, EVENT_SPLIT_STORES, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x81, EVENT_LOADS, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x82, EVENT_STORES, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x83, EVENT_ACCESSES, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
};

/* Lost slots: Linux, arch/x86/events/intel/core.c, td_*_tnt and _skt. Retired slots are in each core's table.
 */
const struct profile_event ecore_slots_events[3] = {
    { 0x73, 0x00, EVENT_BAD_SLOTS, LATER_COUNTERS, PRECISE },
    { 0x9c, 0x01, EVENT_FRONTEND_SLOTS, LATER_COUNTERS, PRECISE },
    { 0xa4, 0x02, EVENT_BACKEND_SLOTS, LATER_COUNTERS, PRECISE },
};

const struct profile_event ecore_older_slots_events[3] = {
    { 0x71, 0x00, EVENT_FRONTEND_SLOTS, LATER_COUNTERS, PRECISE },
    { 0x73, 0x00, EVENT_BAD_SLOTS, LATER_COUNTERS, PRECISE },
    { 0x74, 0x00, EVENT_BACKEND_SLOTS, LATER_COUNTERS, PRECISE },
};

const struct profile_event ecore_branch_events[14] = {
    { 0xc4, 0x7e, EVENT_CONDITIONAL, LATER_COUNTERS, PRECISE },
    { 0xc4, 0xbf, EVENT_FAR_BRANCHES, LATER_COUNTERS, PRECISE },
    { 0xc4, 0xc0, EVENT_NEAR_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xc4, 0xeb, EVENT_INDIRECT, LATER_COUNTERS, PRECISE },
    { 0xc4, 0xf7, EVENT_NEAR_RETURNS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0xf9, EVENT_NEAR_CALLS, LATER_COUNTERS, PRECISE },
    { 0xc4, 0xfe, EVENT_CONDITIONAL_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xc5, 0x7e, EVENT_MISPREDICTED_CONDITIONAL, LATER_COUNTERS, PRECISE },
    { 0xc5, 0x80, EVENT_MISPREDICTED_NEAR_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xc5, 0xeb, EVENT_MISPREDICTED_INDIRECT, LATER_COUNTERS, PRECISE },
    { 0xc5, 0xf7, EVENT_MISPREDICTED_NEAR_RETURNS, LATER_COUNTERS, PRECISE },
    { 0xc5, 0xfb, EVENT_MISPREDICTED_INDIRECT_CALLS, LATER_COUNTERS, PRECISE },
    { 0xc5, 0xfe, EVENT_MISPREDICTED_CONDITIONAL_TAKEN, LATER_COUNTERS, PRECISE },
    { 0xd0, 0x05, EVENT_LOAD_LATENCY, FIRST_TWO, PRECISE_WITH_ADDRESS },
};

const struct profile_event ecore_hit_events[6] = {
    { 0xd1, 0x01, EVENT_L1_HITS, LATER_COUNTERS, PRECISE },   { 0xd1, 0x02, EVENT_L2_HITS, LATER_COUNTERS, PRECISE },
    { 0xd1, 0x1c, EVENT_L3_HITS, LATER_COUNTERS, PRECISE },   { 0xd1, 0x40, EVENT_L1_MISSES, LATER_COUNTERS, PRECISE },
    { 0xd1, 0x80, EVENT_L2_MISSES, LATER_COUNTERS, PRECISE }, { 0xd3, 0x01, EVENT_L3_MISSES, LATER_COUNTERS, PRECISE },
};

const struct profile_msr ecore_msrs[4] = {
    { 0x30c, 1, .reg = REG_ABSENT }, /* the fourth fixed counter */
    { 0x329, 1, .reg = REG_ABSENT },
    { 0x3f7, 1, .reg = REG_ABSENT },
    { 0x38d, 1, REG_IA32_FIXED_CTR_CTRL,
      .writable =
          FIXED_FIELD(0) | FIXED_FIELD(1) | FIXED_FIELD(2) | FIXED_ADAPTIVE(0) | FIXED_ADAPTIVE(1) | FIXED_ADAPTIVE(2),
      .ignored = FIXED_ANY_THREAD(0) | FIXED_ANY_THREAD(1) | FIXED_ANY_THREAD(2) },
};

/*
 * Eight general counters and those of FIXED_GAP_BITMAP, by number and in the order of counters. The event selects are
 * in each processor's own table.
 */
const struct profile_msr fixed_gap_msrs[6] = {
    { 0x309, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0) },
    { 0x30d, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0), .first = 4 },
    { 0x1900, 8, REG_IA32_A_PMC, .writable = BITS(47, 0), .stride = 4 },
    { 0x1980, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0), .stride = 4 },
    { 0x1990, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0), .stride = 4, .first = 4 },
    { 0x1900, 0x100, .reg = REG_ABSENT },
};

/* Those since Crestmont have their data sources and precise distribution in common; Gracemont has its own. */
const struct profile ecore = {
    .like = &arch_lbr,
    .letter = 'E',
    .fixed_bitmap = 0x7,
    .pdist_counters = BIT(32) | BITS(1, 0),
    .memory.code = { 128, 8 },
    .memory.flags = { 0, 0, 4 },
    .memory.source = { 1, 3, 4, 0x0a, 8 },
    .memory.source_tlb_miss = BIT(6),
    .memory.source_locked = BIT(5),
    .msrs = { ROWS(ecore_msrs) },
    .events = { ROWS(ecore_events) },
};
