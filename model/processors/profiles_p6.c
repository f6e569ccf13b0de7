/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pentium M, Core Duo and Core 2. Sources: SDM Vol. 3B (253669-083), chapters "Performance Monitoring" and "Debug,
 * Branch Profile, TSC ..."; SDM Vol. 4 (335592-083), "Model-Specific Registers (MSRs)"; and, for content that these
 * editions have dropped, SDM Vol. 3B (253669-032), appendix "Performance-Monitoring Events". Bits that WRMSR refuses or
 * drops: measured, tests/host/msr_facts.h.
 */
#include <stddef.h>

#include "model/processors/profiles.h"

#define BOTH_COUNTERS  0x03
#define ONLY_THE_FIRST 0x01

/* MSR_DEBUGCTLB has no privilege filter for BTS. */
static const struct profile_debugctl debugctlb = {
    .lbr = BIT(0),
    .tr = BIT(6),
    .bts = BIT(7),
    .btint = BIT(8),
};

/* Counters, and the debug store and the LBR stack with 32-bit addresses. */
static const struct profile_msr narrow_msrs[] = {
    { 0x600, 1, REG_IA32_DS_AREA, .writable = BITS(31, 0), .ignored = BITS(63, 32) },
    { 0x0c1, 2, REG_IA32_PMC, .writable = ALL },
    { 0x186, 2, REG_IA32_PERFEVTSEL, .writable = BITS(31, 0), .ignored = BITS(63, 32) },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = BITS(8, 6) | BITS(1, 0) },
    { 0x1c9, 1, REG_MSR_LASTBRANCH_TOS, .writable = BITS(2, 0) },
    { 0x040, 8, REG_LASTBRANCH_BOTH, .writable = ALL },
};

static const struct profile_feature basic_features[] = {
    { 0x00000001, 3, 5, "MSRs", false },
    { 0x00000001, 3, 9, "a local APIC", true },
};

static const struct profile_event pentium_m_events[] = {
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, BOTH_COUNTERS, NOT_PRECISE },
    { 0x79, 0x00, EVENT_CYCLES, BOTH_COUNTERS, NOT_PRECISE }, /* cycles: one per instruction */
    { 0x43, 0x00, EVENT_ACCESSES, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc4, 0x00, EVENT_BRANCHES, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc9, 0x00, EVENT_TAKEN, BOTH_COUNTERS, NOT_PRECISE },
};

static const struct profile_msr pentium_m_msrs[] = {
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = BITS(13, 10) | BITS(8, 0), .ignored = BITS(63, 14) | BIT(9) },
    { 0x1c9, 1, REG_MSR_LASTBRANCH_TOS, .read_only = true },
    { 0x040, 8, REG_LASTBRANCH_BOTH, .read_only = true },
    { 0x1a0, 1, REG_IA32_MISC_ENABLE, .writable = BIT(3) | BIT(10) | BIT(16) | BIT(23),
      .ignored = BIT(7) | BIT(11) | BIT(12), .reset = BIT(7) | BIT(12) },
};

/* 06_0D, stepping 8. PAE exists but CPUID does not report it, as on parts with a 400 MHz bus. */
static const struct profile_cpuid pentium_m_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x00000180 | MACHINE_ECX, 0xafe9fbbf | MACHINE_EDX },
      .add = { 0x6d8, 0, 0, DS_EDX } },
    { .leaf = 0x02, .add = { 0x02b3b001, 0xf0, 0, 0x2c04307d } }, /* the caches and TLBs below, as descriptors */
    { .leaf = 0x80000001 },
};

static const struct profile pentium_m = {
    .name = "pentium-m",
    .brand = "Intel(R) Pentium(R) M processor (modelled)",
    .microcode = 0x20,
    .max_leaf = 0x02,
    .max_extended = 0x80000004,
    .cpuid = pentium_m_cpuid,
    .cpuid_count = COUNT(pentium_m_cpuid),
    .general_counters = 2,
    .counter_width = 40,
    .one_enable = true,
    .debugctl = &debugctlb,
    .lbr_depth = 8,
    .lbr_format = LBR_FORMAT_32,
    .predictor_slots = 4096,
    /* L1D 32 KiB, L2 2 MiB, DTLB 128 entries */
    .memory = {
        .caches = { { 64, 8 }, { 4096, 8 } },
        .tlb = { 32, 4 },
        .latency = { 3, 10, 0, 150, 150 },
    },
    .msrs = { ROWS(pentium_m_msrs), ROWS(narrow_msrs), ROWS(absent_msrs) },
    .events = { ROWS(pentium_m_events) },
    .features = basic_features,
    .feature_count = COUNT(basic_features),
};

/* The architectural events. The L2 is the last-level cache. */
static const struct profile_event core_duo_events[] = {
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, BOTH_COUNTERS, NOT_PRECISE },
    { 0x3c, 0x00, EVENT_CYCLES, BOTH_COUNTERS, NOT_PRECISE },
    { 0x3c, 0x01, EVENT_CYCLES, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc4, 0x00, EVENT_BRANCHES, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc9, 0x00, EVENT_TAKEN, BOTH_COUNTERS, NOT_PRECISE },
    { 0x2e, 0x4f, EVENT_L1_MISSES, BOTH_COUNTERS, NOT_PRECISE },
    { 0x2e, 0x41, EVENT_L2_MISSES, BOTH_COUNTERS, NOT_PRECISE },
};

static const struct profile_msr core_duo_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0 },
    { 0x1a0, 1, REG_IA32_MISC_ENABLE,
      .writable = BIT(3) | BIT(10) | BIT(13) | BIT(16) | BIT(18) | BIT(20) | BIT(22) | BIT(23) | BIT(34),
      .ignored = BIT(7) | BIT(11) | BIT(12), .reset = BIT(7) | BIT(12) | BIT(18) },
};

/* 06_0E, stepping 0Ch */
static const struct profile_cpuid core_duo_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x0000c1a9 | MACHINE_ECX, 0xbfe9fbff | MACHINE_EDX },
      .add = { 0x6ec, 0, PDCM_ECX, DS_EDX } },
    { .leaf = 0x07 },
    { .leaf = 0x0a, .add = { 0x07280201, 0, 0, 0 } },
    { .leaf = 0x80000001, .keep = { 0, 0, 0, 0x00100000 } },
};

static const struct profile core_duo = {
    .name = "core-duo",
    .brand = "Intel(R) Core(TM) Duo CPU T2400 (modelled)",
    .microcode = 0x59,
    .max_leaf = 0x0a,
    .max_extended = 0x80000008,
    .cpuid = core_duo_cpuid,
    .cpuid_count = COUNT(core_duo_cpuid),
    .physical_bits = 32,
    .perfmon_version = 1,
    .general_counters = 2,
    .counter_width = 40,
    .debugctl = &debugctlb,
    .lbr_depth = 8,
    .lbr_format = LBR_FORMAT_32,
    .predictor_slots = 4096,
    /* L1D 32 KiB, L2 2 MiB, DTLB 128 entries */
    .memory = {
        .caches = { { 64, 8 }, { 4096, 8 } },
        .code = { 64, 8 },
        .flags = { 1, 1 },
        .tlb = { 32, 4 },
        .latency = { 3, 14, 0, 150, 150 },
    },
    .msrs = { ROWS(core_duo_msrs), ROWS(narrow_msrs), ROWS(absent_msrs) },
    .events = { ROWS(core_duo_events) },
    .features = basic_features,
    .feature_count = COUNT(basic_features),
};

static const struct profile_event core2_events[] = {
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, BOTH_COUNTERS, PRECISE },
    { 0x3c, 0x00, EVENT_CYCLES, BOTH_COUNTERS, NOT_PRECISE },
    { 0x3c, 0x01, EVENT_CYCLES, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc0, 0x01, EVENT_LOADS, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc0, 0x02, EVENT_STORES, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc1, 0xfe, EVENT_X87, BOTH_COUNTERS, PRECISE },
    { 0xc4, 0x00, EVENT_BRANCHES, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc4, 0x0c, EVENT_TAKEN, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, BOTH_COUNTERS, PRECISE },
    { 0xc7, 0x01, EVENT_PACKED_SP, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc7, 0x02, EVENT_SCALAR_SP, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc7, 0x04, EVENT_PACKED_DP, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc7, 0x08, EVENT_SCALAR_DP, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc7, 0x10, EVENT_MMX_128, BOTH_COUNTERS, NOT_PRECISE },
    { 0xc7, 0x1f, EVENT_SIMD, BOTH_COUNTERS, PRECISE },
    { 0xcb, 0x01, EVENT_L1_MISSES, ONLY_THE_FIRST, PRECISE },
    { 0xcb, 0x02, EVENT_L1_MISSES, ONLY_THE_FIRST,
      PRECISE }, /* by line: here the same as by load, because no miss is ever pending */
    { 0xcb, 0x04, EVENT_L2_MISSES, ONLY_THE_FIRST, PRECISE },
    { 0xcb, 0x08, EVENT_L2_MISSES, ONLY_THE_FIRST, PRECISE },
    { 0xcb, 0x10, EVENT_STLB_MISS_LOADS, ONLY_THE_FIRST, PRECISE },
    { 0x2e, 0x4f, EVENT_L1_MISSES, BOTH_COUNTERS, NOT_PRECISE },
    { 0x2e, 0x41, EVENT_L2_MISSES, BOTH_COUNTERS, NOT_PRECISE },
};

#define CORE2_COUNTER_BITS (BITS(1, 0) | BITS(34, 32))

static const struct profile_msr core2_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x10c2 },
    { 0x1a0, 1, REG_IA32_MISC_ENABLE,
      .writable = BIT(0) | BIT(3) | BIT(9) | BIT(10) | BIT(13) | BIT(16) | BITS(20, 18) | BIT(22) | BIT(23) | BIT(34) |
                  BITS(39, 37),
      .ignored = BIT(7) | BIT(11) | BIT(12), .reset = BIT(0) | BIT(3) | BIT(7) | BIT(18) },
    { 0x600, 1, REG_IA32_DS_AREA, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x0c1, 2, REG_IA32_PMC, .writable = ALL },
    { 0x186, 2, REG_IA32_PERFEVTSEL, .writable = BITS(31, 22) | BITS(20, 0) },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = BIT(0), .ignored = BITS(63, 1) },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = BITS(1, 0) | BITS(12, 6) | BIT(14) },
    { 0x1c9, 1, REG_MSR_LASTBRANCH_TOS, .writable = BITS(1, 0) },
    { 0x38d, 1, REG_IA32_FIXED_CTR_CTRL, .writable = 0xbbb },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = CORE2_COUNTER_BITS, .reset = BITS(1, 0) },
    { 0x38e, 1, REG_IA32_PERF_GLOBAL_STATUS, .read_only = true },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = CORE2_COUNTER_BITS | BITS(63, 62) },
    { 0x309, 3, REG_IA32_FIXED_CTR, .writable = BITS(39, 0) },
    { 0x040, 4, REG_LASTBRANCH_FROM, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x060, 4, REG_LASTBRANCH_TO, .check = CHECK_CANONICAL, .writable = ALL },
};

/* 06_17, stepping 0Ah */
static const struct profile_cpuid core2_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x0408e3fd | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x1067a, 0, DTES64_ECX | DS_CPL_ECX | PDCM_ECX, DS_EDX } },
    { .leaf = 0x07 },
    { .leaf = 0x0a, .add = { 0x07280202, 0, 0, 0x503 } },
    { .leaf = 0x0b }, /* since Nehalem, with the x2APIC */
    { .leaf = 0x80000001, .keep = { 0, 0, 0x1, 0x20100800 } },
};

static const struct profile core2 = {
    .name = "core2",
    .brand = "Intel(R) Core(TM)2 Duo CPU E8400 (modelled)",
    .microcode = 0xa0b,
    .max_leaf = 0x0d,
    .max_extended = 0x80000008,
    .cpuid = core2_cpuid,
    .cpuid_count = COUNT(core2_cpuid),
    .physical_bits = 36,
    .dtes64 = true,
    .perfmon_version = 2,
    .general_counters = 2,
    .fixed_bitmap = 0x7,
    .counter_width = 40,
    .pebs_format = 0,
    .pebs_one_page = true,
    .debugctl = &debugctl_core,
    .lbr_depth = 4,
    .lbr_format = LBR_FORMAT_EIP,
    .predictor_slots = 4096,
    /* L1D 32 KiB, L2 6 MiB, DTLB 256 entries */
    .memory = {
        .caches = { { 64, 8 }, { 4096, 24 } },
        .code = { 64, 8 },
        .flags = { 1, 1 },
        .tlb = { 64, 4 },
        .latency = { 3, 15, 0, 200, 200 },
    },
    .msrs = { ROWS(core2_msrs), ROWS(absent_msrs) },
    .events = { ROWS(core2_events) },
    .features = wide_features,
    .feature_count = COUNT(wide_features),
};

/*
 * 06_0F, stepping 6: Merom and Conroe. Their boot logs say "PEBS fmt0-": PEBS_TRAP is clear. Without a source: the
 * microcode revision, and that events, latencies and bits that WRMSR accepts are as on Penryn, which was measured.
 */
static const struct profile_msr merom_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x1082 },
};

static const struct profile_cpuid merom_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0xe3fd | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x6f6, 0, DTES64_ECX | DS_CPL_ECX | PDCM_ECX, DS_EDX } },
    { .leaf = 0x0a, .add = { 0x07280202, 0, 0, 0 } },
};

static const struct profile merom = {
    .name = "merom",
    .like = &core2,
    .brand = "Intel(R) Core(TM)2 CPU 6600 (modelled)",
    .microcode = 0xd1,
    .max_leaf = 0x0a,
    CPUID_TABLE(merom_cpuid),
    .pebs_fault_like = true,
    .memory = { .caches[LEVEL_L2] = { 4096, 16 } },
    .msrs = { ROWS(merom_msrs) },
};

const struct profile *const profiles_p6[] = { &pentium_m, &core_duo, &merom, &core2, NULL };
