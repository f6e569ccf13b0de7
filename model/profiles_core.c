/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Core 2 and the Core i processors that record by fixed formats. Sources: SDM Vol. 3B (253669), chapters "Performance
 * Monitoring" and "Debug, Branch Profile, TSC ..."; Vol. 4 (335592), "Model-Specific Registers (MSRs)"; both edition
 * 083. Events: the SDM's tables of precise events and the architectural events.
 */
#include "model/profiles.h"

#define ANY_COUNTER 0x0f

const struct profile_debugctl debugctl_core = {
    .lbr = BIT(0),
    .tr = BIT(6),
    .bts = BIT(7),
    .btint = BIT(8),
    .bts_off_os = BIT(9),
    .bts_off_usr = BIT(10),
    .freeze_lbrs = BIT(11),
    .freeze_perfmon = BIT(12),
};

/* CPUID.1: what the model adds to what QEMU has, and what of QEMU's answer is not the processor's but the machine's. */
#define DS_ECX      (BIT(2) | BIT(4) | BIT(15)) /* DTES64, DS-CPL, PDCM */
#define DS_EDX      BIT(21)                     /* DS */
#define MACHINE_ECX (BIT(27) | BIT(31))         /* OSXSAVE, hypervisor */
#define ALL32       0xffffffff

static const struct profile_event skylake_events[] = {
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE },
    { 0xc0, 0x01, EVENT_INSTRUCTIONS, 1 << 1, PRECISE },          /* PREC_DIST */
    { 0x3c, 0x00, EVENT_INSTRUCTIONS, ANY_COUNTER, NOT_PRECISE }, /* modelled time: a cycle an instruction */
    { 0x3c, 0x01, EVENT_INSTRUCTIONS, ANY_COUNTER, NOT_PRECISE },
    { 0xc4, 0x00, EVENT_BRANCHES, ANY_COUNTER, PRECISE },
    { 0xc4, 0x01, EVENT_CONDITIONAL, ANY_COUNTER, PRECISE },
    { 0xc4, 0x02, EVENT_NEAR_CALLS, ANY_COUNTER, PRECISE },
    { 0xc4, 0x04, EVENT_BRANCHES, ANY_COUNTER, PRECISE },
    { 0xc4, 0x08, EVENT_NEAR_RETURNS, ANY_COUNTER, PRECISE },
    { 0xc4, 0x10, EVENT_NOT_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc4, 0x20, EVENT_NEAR_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc4, 0x40, EVENT_FAR_BRANCHES, ANY_COUNTER, PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, ANY_COUNTER, PRECISE },
    { 0xc5, 0x01, EVENT_MISPREDICTED_CONDITIONAL, ANY_COUNTER, PRECISE },
    { 0xc5, 0x02, EVENT_MISPREDICTED_CALLS, ANY_COUNTER, PRECISE },
    { 0xc5, 0x04, EVENT_MISPREDICTED, ANY_COUNTER, PRECISE },
    { 0xc5, 0x20, EVENT_MISPREDICTED_NEAR_TAKEN, ANY_COUNTER, PRECISE },
    { 0xd0, 0x11, EVENT_STLB_MISS_LOADS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x12, EVENT_STLB_MISS_STORES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x21, EVENT_LOCKED_LOADS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x41, EVENT_SPLIT_LOADS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x42, EVENT_SPLIT_STORES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x81, EVENT_LOADS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd0, 0x82, EVENT_STORES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x01, EVENT_L1_HITS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x02, EVENT_L2_HITS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x04, EVENT_L3_HITS, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x08, EVENT_L1_MISSES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x10, EVENT_L2_MISSES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x20, EVENT_L3_MISSES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0x2e, 0x4f, EVENT_L3_REFERENCES, ANY_COUNTER, NOT_PRECISE },
    { 0x2e, 0x41, EVENT_L3_MISSES, ANY_COUNTER, NOT_PRECISE },
    { 0xcd, 0x01, EVENT_LOAD_LATENCY, ANY_COUNTER, PRECISE_WITH_ADDRESS },
};

#define COUNTER_BITS (BITS(3, 0) | BITS(34, 32))
/* Counters, trace PMI, LBR_Frz, CTR_Frz, ASCI, uncore, OvfBuf; CondChgd can only be cleared. */
#define STATUS_BITS (COUNTER_BITS | BIT(55) | BITS(62, 58))

static const struct profile_msr skylake_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x33c5 },
    { 0x1a0, 1, REG_IA32_MISC_ENABLE,
      .writable = BIT(0) | BIT(3) | BIT(16) | BIT(18) | BIT(20) | BIT(22) | BIT(23) | BIT(34) | BIT(38),
      .ignored = BIT(7) | BIT(11) | BIT(12), .reset = 0x850089 },
    { 0x600, 1, REG_IA32_DS_AREA, .check = CHECK_CANONICAL, .writable = ALL },
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
    { 0x680, 32, REG_LASTBRANCH_FROM, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x6c0, 32, REG_LASTBRANCH_TO, .check = CHECK_CANONICAL, .writable = ALL },
    { 0xdc0, 32, REG_LASTBRANCH_INFO, .writable = BITS(63, 61) | BITS(15, 0) },
};

static const struct profile_feature skylake_features[] = {
    { 0x00000001, 3, 5, "MSRs" },         { 0x00000001, 3, 6, "physical address extension" },
    { 0x00000001, 3, 9, "a local APIC" }, { 0x80000001, 3, 20, "the no-execute bit" },
    { 0x80000001, 3, 29, "long mode" },
};

static const struct profile_cpuid skylake_cpuid[] = {
    { 0x01, .keep = { 0, ALL32, 0x7ffafbff | MACHINE_ECX, 0xbfebfbff }, .add = { 0x506e3, 0, DS_ECX, DS_EDX } },
    { 0x07, 0, true, .keep = { ALL32, 0x029c6fbf, 0, 0xbc000400 } },
    { 0x0a, .add = { 0x07300404, 0, 0, 0x603 } },
    { 0x80000001, .keep = { 0, 0, 0x121, 0x2c100800 } },
};

const struct profile profile_skylake = {
    .name = "skylake",
    .brand = "Intel(R) Core(TM) i7-6700 (modelled)",
    .max_leaf = 0x0d,
    .max_extended = 0x80000008,
    .cpuid = skylake_cpuid,
    .cpuid_count = COUNT(skylake_cpuid),
    .dtes64 = true,
    .perfmon_version = 4,
    .general_counters = 4,
    .fixed_counters = 3,
    .counter_width = 48,
    .pebs_format = 3,
    .pdir_counter = 1,
    .pdir_select = 0xc0,
    .pdir_umask = 0x01,
    .debugctl = &debugctl_core,
    .lbr_depth = 32,
    .lbr_format = LBR_FORMAT_INFO,
    .predictor_slots = 4096,
    /* L1D 32 KiB, L2 256 KiB, L3 8 MiB, STLB 1536 entries. Source 0Ch is a remote cache here. */
    .memory = {
        .caches = { { 64, 8 }, { 1024, 4 }, { 8192, 16 } },
        .tlb = { 128, 12 },
        .latency = { 4, 12, 40, 200 },
        .source = { 1, 3, 4, 0x0a },
        .source_flags = 0x30,
    },
    .msrs = skylake_msrs,
    .msr_count = COUNT(skylake_msrs),
    .events = skylake_events,
    .event_count = COUNT(skylake_events),
    .features = skylake_features,
    .feature_count = COUNT(skylake_features),
};
