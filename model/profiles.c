/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processors that can be modelled. Sources: SDM Vol. 3B (253669), chapters "Performance Monitoring" and "Debug,
 * Branch Profile, TSC ..."; Vol. 4 (335592), "Model-Specific Registers (MSRs)"; both edition 083. Events: the SDM's
 * table "Precise Events for the Skylake Microarchitecture" and the architectural events.
 */
#include <stddef.h>
#include <string.h>

#include "model/profile.h"

#define COUNT(array)    (unsigned)(sizeof(array) / sizeof((array)[0]))
#define BITS(high, low) ((~UINT64_C(0) >> (63 - (high))) & (~UINT64_C(0) << (low)))
#define BIT(n)          (UINT64_C(1) << (n))
#define ALL             (~UINT64_C(0))

#define ANY_COUNTER 0x0f

static const struct profile_event skylake_events[] = {
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, ANY_COUNTER, true },
    { 0xc0, 0x01, EVENT_INSTRUCTIONS, 1 << 1, true },       /* PREC_DIST */
    { 0x3c, 0x00, EVENT_INSTRUCTIONS, ANY_COUNTER, false }, /* modelled time: a cycle an instruction */
    { 0x3c, 0x01, EVENT_INSTRUCTIONS, ANY_COUNTER, false },
    { 0xc4, 0x00, EVENT_BRANCHES, ANY_COUNTER, true },
    { 0xc4, 0x01, EVENT_CONDITIONAL, ANY_COUNTER, true },
    { 0xc4, 0x02, EVENT_NEAR_CALLS, ANY_COUNTER, true },
    { 0xc4, 0x04, EVENT_BRANCHES, ANY_COUNTER, true },
    { 0xc4, 0x08, EVENT_NEAR_RETURNS, ANY_COUNTER, true },
    { 0xc4, 0x10, EVENT_NOT_TAKEN, ANY_COUNTER, true },
    { 0xc4, 0x20, EVENT_NEAR_TAKEN, ANY_COUNTER, true },
    { 0xc4, 0x40, EVENT_FAR_BRANCHES, ANY_COUNTER, true },
    { 0xc5, 0x00, EVENT_MISPREDICTED, ANY_COUNTER, true },
    { 0xc5, 0x01, EVENT_MISPREDICTED_CONDITIONAL, ANY_COUNTER, true },
    { 0xc5, 0x02, EVENT_MISPREDICTED_CALLS, ANY_COUNTER, true },
    { 0xc5, 0x04, EVENT_MISPREDICTED, ANY_COUNTER, true },
    { 0xc5, 0x20, EVENT_MISPREDICTED_NEAR_TAKEN, ANY_COUNTER, true },
    { 0xd0, 0x11, EVENT_STLB_MISS_LOADS, ANY_COUNTER, true },
    { 0xd0, 0x12, EVENT_STLB_MISS_STORES, ANY_COUNTER, true },
    { 0xd0, 0x21, EVENT_LOCKED_LOADS, ANY_COUNTER, true },
    { 0xd0, 0x41, EVENT_SPLIT_LOADS, ANY_COUNTER, true },
    { 0xd0, 0x42, EVENT_SPLIT_STORES, ANY_COUNTER, true },
    { 0xd0, 0x81, EVENT_LOADS, ANY_COUNTER, true },
    { 0xd0, 0x82, EVENT_STORES, ANY_COUNTER, true },
    { 0xd1, 0x01, EVENT_L1_HITS, ANY_COUNTER, true },
    { 0xd1, 0x02, EVENT_L2_HITS, ANY_COUNTER, true },
    { 0xd1, 0x04, EVENT_L3_HITS, ANY_COUNTER, true },
    { 0xd1, 0x08, EVENT_L1_MISSES, ANY_COUNTER, true },
    { 0xd1, 0x10, EVENT_L2_MISSES, ANY_COUNTER, true },
    { 0xd1, 0x20, EVENT_L3_MISSES, ANY_COUNTER, true },
    { 0x2e, 0x4f, EVENT_L3_REFERENCES, ANY_COUNTER, false },
    { 0x2e, 0x41, EVENT_L3_MISSES, ANY_COUNTER, false },
    { 0xcd, 0x01, EVENT_LOAD_LATENCY, ANY_COUNTER, true },
};

#define COUNTER_BITS (BITS(3, 0) | BITS(34, 32))
/* Counters, trace PMI, LBR_Frz, CTR_Frz, ASCI, uncore, OvfBuf; CondChgd can only be cleared. */
#define STATUS_BITS (COUNTER_BITS | BIT(55) | BITS(62, 58))

static const struct profile_msr skylake_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x33c5 },
    { 0x1a0, 1, REG_IA32_MISC_ENABLE,
      .writable = BIT(0) | BIT(3) | BIT(16) | BIT(18) | BIT(20) | BIT(22) | BIT(23) | BIT(34) | BIT(38),
      .ignored = BIT(7) | BIT(11) | BIT(12), .reset = 0x850089 },
    { 0x600, 1, REG_IA32_DS_AREA, .address_valued = true, .writable = ALL },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = BITS(3, 0) | BITS(35, 32) },
    { 0x3f6, 1, REG_MSR_PEBS_LD_LAT, .writable = BITS(15, 0) },
    { 0x3f7, 1, REG_MSR_PEBS_FRONTEND, .writable = BITS(22, 0) },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = BITS(1, 0) | BITS(12, 6) | BITS(15, 14) },
    { 0x1c9, 1, REG_MSR_LASTBRANCH_TOS, .writable = BITS(4, 0) },
    { 0x1c8, 1, REG_MSR_LBR_SELECT, .writable = BITS(9, 0) },
    { 0x38d, 1, REG_IA32_FIXED_CTR_CTRL, .writable = BITS(11, 0) },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = COUNTER_BITS, .reset = BITS(3, 0) },
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BITS(37, 0) },
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(37, 0) },
    { 0x38e, 1, REG_IA32_PERF_GLOBAL_STATUS, .read_only = true },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = STATUS_BITS | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = STATUS_BITS },
    { 0x392, 1, REG_IA32_PERF_GLOBAL_INUSE, .read_only = true },
    { 0x0c1, 4, REG_IA32_PMC, .writable = ALL },
    { 0x4c1, 4, REG_IA32_A_PMC, .writable = BITS(47, 0) },
    { 0x186, 4, REG_IA32_PERFEVTSEL, .writable = BITS(31, 0) },
    { 0x309, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0) },
    { 0x680, 32, REG_LASTBRANCH_FROM, .address_valued = true, .writable = ALL },
    { 0x6c0, 32, REG_LASTBRANCH_TO, .address_valued = true, .writable = ALL },
    { 0xdc0, 32, REG_LASTBRANCH_INFO, .writable = BITS(63, 61) | BITS(15, 0) },
};

static const struct profile_feature skylake_features[] = {
    { 0x00000001, 3, 5, "MSRs" },         { 0x00000001, 3, 6, "physical address extension" },
    { 0x00000001, 3, 9, "a local APIC" }, { 0x80000001, 3, 20, "the no-execute bit" },
    { 0x80000001, 3, 29, "long mode" },
};

static const struct profile profiles[] = {
    {
        .name = "skylake",
        .brand = "Intel(R) Core(TM) i7-6700 (modelled)",
        .signature = 0x506e3,                         /* 06_5E, stepping 3 */
        .features_ecx = 1u << 2 | 1u << 4 | 1u << 15, /* DTES64, DS-CPL, PDCM */
        .features_edx = 1u << 21,                     /* DS */
        .perfmon = { 0x07300404, 0, 0, 0x603 },
        .general_counters = 4,
        .fixed_counters = 3,
        .counter_width = 48,
        .pdir_counter = 1,
        .pdir_select = 0xc0,
        .pdir_umask = 0x01,
        .lbr_depth = 32,
        .predictor_slots = 4096,
        .msrs = skylake_msrs,
        .msr_count = COUNT(skylake_msrs),
        .events = skylake_events,
        .event_count = COUNT(skylake_events),
        .features = skylake_features,
        .feature_count = COUNT(skylake_features),
    },
};

const struct profile *profile_find(const char *name)
{
    for (unsigned i = 0; i < COUNT(profiles); i++) {
        if (strcmp(profiles[i].name, name) == 0) {
            return &profiles[i];
        }
    }
    return NULL;
}

const char *profile_name(unsigned index)
{
    return index < COUNT(profiles) ? profiles[index].name : NULL;
}
