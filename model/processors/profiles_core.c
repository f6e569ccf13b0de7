/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Core processors since Nehalem with fixed record formats. Sources: SDM Vol. 3B (253669-083), chapters "Performance
 * Monitoring" and "Debug, Branch Profile, TSC ..."; SDM Vol. 4 (335592-083), "Model-Specific Registers (MSRs)". Events:
 * the SDM's tables of precise events and the architectural events. Bits that WRMSR refuses or drops, since Sandy
 * Bridge: measured, tests/host/msr_facts.h.
 */
#include <stddef.h>

#include "model/processors/profiles.h"

#define ANY_COUNTER 0xff
#define WIDE_DS_ECX (DTES64_ECX | DS_CPL_ECX | PDCM_ECX)

const struct profile_debugctl debugctl_core = {
    .lbr = BIT(0),
    .tr = BIT(6),
    .bts = BIT(7),
    .btint = BIT(8),
    .bts_off_os = BIT(9),
    .bts_off_usr = BIT(10),
    .freeze_lbrs = BIT(11),
    .freeze_perfmon = BIT(12),
    .freeze_while_smm = BIT(14),
};

const struct profile_feature wide_features[5] = { WIDE_FEATURES };

const struct profile_msr absent_msrs[22] = {
    { 0x0040, 8, .reg = REG_ABSENT },  { 0x0060, 8, .reg = REG_ABSENT },  { 0x00c1, 8, .reg = REG_ABSENT },
    { 0x0186, 8, .reg = REG_ABSENT },  { 0x01a6, 2, .reg = REG_ABSENT },  { 0x01c8, 1, .reg = REG_ABSENT },
    { 0x0309, 4, .reg = REG_ABSENT },  { 0x0345, 1, .reg = REG_ABSENT },  { 0x038d, 6, .reg = REG_ABSENT },
    { 0x03f1, 2, .reg = REG_ABSENT },  { 0x03f6, 2, .reg = REG_ABSENT },  { 0x04c1, 8, .reg = REG_ABSENT },
    { 0x0680, 32, .reg = REG_ABSENT }, { 0x06c0, 32, .reg = REG_ABSENT }, { 0x0dc0, 32, .reg = REG_ABSENT },
    { 0x14ce, 2, .reg = REG_ABSENT },  { 0x1200, 32, .reg = REG_ABSENT }, { 0x1500, 32, .reg = REG_ABSENT },
    { 0x1600, 32, .reg = REG_ABSENT }, { 0x0329, 1, .reg = REG_ABSENT },  { 0x0300, 9, .reg = REG_ABSENT },
    { 0x030d, 5, .reg = REG_ABSENT },
};

const struct profile_msr misc_enable_msrs[1] = {
    { 0x1a0, 1, REG_IA32_MISC_ENABLE,
      .writable = BIT(0) | BIT(3) | BIT(16) | BIT(18) | BIT(20) | BIT(22) | BIT(23) | BIT(34) | BIT(38),
      .ignored = BIT(7) | BIT(11) | BIT(12), .reset = 0x850089 },
};

const struct profile_msr lbr_info_msrs[5] = {
    { 0x1c8, 1, REG_MSR_LBR_SELECT, .writable = BITS(9, 0) },
    { 0x1c9, 1, REG_MSR_LASTBRANCH_TOS, .writable = BITS(4, 0) },
    { 0x680, 32, REG_LASTBRANCH_FROM, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x6c0, 32, REG_LASTBRANCH_TO, .check = CHECK_CANONICAL, .writable = ALL },
    { 0xdc0, 32, REG_LASTBRANCH_INFO, .writable = BITS(63, 61) | BITS(15, 0) },
};

#define COUNTER_BITS (BITS(3, 0) | BITS(34, 32))
/* Counters, uncore, OvfBuf, CondChgd */
#define STATUS_RESET_BITS_3 (COUNTER_BITS | BITS(63, 61))

const struct profile_msr core_msrs[16] = {
    { 0x034, 1, REG_MSR_SMI_COUNT, .read_only = true },
    { 0x600, 1, REG_IA32_DS_AREA, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = BITS(3, 0) | BITS(35, 32) },
    { 0x3f6, 1, REG_MSR_PEBS_LD_LAT, .writable = BITS(15, 0), .ignored = BITS(63, 16), .reset = 0xffff },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = BITS(1, 0) | BITS(14, 6) },
    { 0x38d, 1, REG_IA32_FIXED_CTR_CTRL, .writable = BITS(11, 0) },
    { 0x38e, 1, REG_IA32_PERF_GLOBAL_STATUS, .read_only = true },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = COUNTER_BITS, .reset = BITS(3, 0) },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = STATUS_RESET_BITS_3 },
    { 0x0c1, 4, REG_IA32_PMC, .writable = ALL },
    { 0x186, 4, REG_IA32_PERFEVTSEL, .writable = BITS(31, 20) | BITS(18, 0) }, /* no PC, which Nehalem still has */
    { 0x309, 3, REG_IA32_FIXED_CTR, .writable = BITS(47, 0) },
    { 0x1c8, 1, REG_MSR_LBR_SELECT, .writable = BITS(8, 0) },
    { 0x1c9, 1, REG_MSR_LASTBRANCH_TOS, .writable = BITS(3, 0) },
    { 0x680, 16, REG_LASTBRANCH_FROM, .check = CHECK_FLAG_AND_ADDRESS, .writable = ALL }, /* bit 63: mispredicted */
    { 0x6c0, 16, REG_LASTBRANCH_TO, .check = CHECK_CANONICAL, .writable = ALL },
};

const struct profile_msr full_width_msrs[3] = {
    { 0x4c1, 4, REG_IA32_A_PMC, .writable = BITS(47, 0) },
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BITS(37, 15) | BITS(11, 0) },
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(37, 15) | BITS(11, 0) },
};

/*
 * Events since Sandy Bridge. The architectural events of all branches and all mispredicted branches are not precise;
 * separate events are (Intel's lists of events, github.com/intel/perfmon).
 */
static const struct profile_event core_events[] = {
    { 0xc0, 0x01, EVENT_INSTRUCTIONS, 1 << 1, PRECISE }, /* PREC_DIST */
    { 0x3c, 0x00, EVENT_CYCLES, ANY_COUNTER, NOT_PRECISE },
    { 0x3c, 0x01, EVENT_CYCLES, ANY_COUNTER, NOT_PRECISE },
    { 0x3c, 0x02, EVENT_CYCLES, ANY_COUNTER, NOT_PRECISE }, /* while the core's other thread is halted: always */
    { 0xc4, 0x00, EVENT_BRANCHES, ANY_COUNTER, NOT_PRECISE },
    { 0xc4, 0x01, EVENT_CONDITIONAL, ANY_COUNTER, PRECISE },
    { 0xc4, 0x02, EVENT_NEAR_CALLS, ANY_COUNTER, PRECISE },
    { 0xc4, 0x04, EVENT_BRANCHES, ANY_COUNTER, PRECISE },
    { 0xc4, 0x08, EVENT_NEAR_RETURNS, ANY_COUNTER, PRECISE },
    { 0xc4, 0x10, EVENT_NOT_TAKEN, ANY_COUNTER, NOT_PRECISE },
    { 0xc4, 0x20, EVENT_NEAR_TAKEN, ANY_COUNTER, PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, ANY_COUNTER, NOT_PRECISE },
    { 0xc5, 0x01, EVENT_MISPREDICTED_CONDITIONAL, ANY_COUNTER, PRECISE },
    { 0xc5, 0x04, EVENT_MISPREDICTED, ANY_COUNTER, PRECISE },
    { 0xc5, 0x20, EVENT_MISPREDICTED_NEAR_TAKEN, ANY_COUNTER, PRECISE },
    { 0x2e, 0x4f, EVENT_L3_REFERENCES, ANY_COUNTER, NOT_PRECISE },
    { 0x2e, 0x41, EVENT_L3_MISSES, ANY_COUNTER, NOT_PRECISE },
    { 0x49, 0x01, EVENT_STLB_MISS_STORES, ANY_COUNTER, NOT_PRECISE },
    { 0x85, 0x01, EVENT_CODE_TLB_MISSES, ANY_COUNTER, NOT_PRECISE },
    { 0x51, 0x01, EVENT_L1_FILLS, ANY_COUNTER, NOT_PRECISE },
    { 0xb7, 0x01, EVENT_OFFCORE_0, ANY_COUNTER, NOT_PRECISE },
    { 0xbb, 0x01, EVENT_OFFCORE_1, ANY_COUNTER, NOT_PRECISE },
    /* A mispredicted branch has issued slots instead of recovery cycles. */
    { 0x0d, 0x03, EVENT_NONE, ANY_COUNTER, NOT_PRECISE },
    { 0x0e, 0x01, EVENT_ISSUED_SLOTS, ANY_COUNTER, NOT_PRECISE },
    { 0x9c, 0x01, EVENT_FRONTEND_SLOTS, ANY_COUNTER, NOT_PRECISE },
    { 0xb1, 0x01, EVENT_INSTRUCTIONS, ANY_COUNTER, NOT_PRECISE }, /* uops executed, retired: one per instruction */
    { 0xc2, 0x02, EVENT_INSTRUCTIONS, ANY_COUNTER, NOT_PRECISE },
};

/* Events of memory accesses since Haswell. */
static const struct profile_event access_events[] = {
    { 0x08, 0x01, EVENT_STLB_MISS_LOADS, ANY_COUNTER, NOT_PRECISE }, /* walks caused, and completed */
    { 0x08, 0x0e, EVENT_STLB_MISS_LOADS, ANY_COUNTER, NOT_PRECISE },
    { 0x49, 0x0e, EVENT_STLB_MISS_STORES, ANY_COUNTER, NOT_PRECISE },
    { 0x85, 0x0e, EVENT_CODE_TLB_MISSES, ANY_COUNTER, NOT_PRECISE },
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
    { 0xd2, 0x08, EVENT_L3_HITS, ANY_COUNTER, PRECISE_WITH_ADDRESS }, /* hits that need no snoop */
    { 0xcd, 0x01, EVENT_LOAD_LATENCY, ANY_COUNTER, PRECISE_WITH_ADDRESS },
};

static const struct profile_event nehalem_events[] = {
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE },
    { 0xc0, 0x01, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE },
    { 0xc0, 0x02, EVENT_X87, ANY_COUNTER, PRECISE },
    { 0xc0, 0x04, EVENT_MMX_64, ANY_COUNTER, PRECISE },
    { 0xc2, 0x01, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE }, /* uops: one per instruction */
    { 0x3c, 0x00, EVENT_CYCLES, ANY_COUNTER, NOT_PRECISE },
    { 0x3c, 0x01, EVENT_CYCLES, ANY_COUNTER, NOT_PRECISE },
    { 0xc4, 0x00, EVENT_BRANCHES, ANY_COUNTER, NOT_PRECISE },
    { 0xc4, 0x01, EVENT_CONDITIONAL, ANY_COUNTER, PRECISE },
    { 0xc4, 0x02, EVENT_NEAR_CALLS, ANY_COUNTER, PRECISE },
    { 0xc4, 0x04, EVENT_BRANCHES, ANY_COUNTER, PRECISE },
    { 0xc5, 0x00, EVENT_MISPREDICTED, ANY_COUNTER, NOT_PRECISE },
    { 0xc5, 0x02, EVENT_MISPREDICTED_CALLS, ANY_COUNTER, PRECISE },
    { 0xc7, 0x01, EVENT_PACKED_SP, ANY_COUNTER, PRECISE },
    { 0xc7, 0x02, EVENT_SCALAR_SP, ANY_COUNTER, PRECISE },
    { 0xc7, 0x04, EVENT_PACKED_DP, ANY_COUNTER, PRECISE },
    { 0xc7, 0x08, EVENT_SCALAR_DP, ANY_COUNTER, PRECISE },
    { 0xc7, 0x10, EVENT_MMX_128, ANY_COUNTER, PRECISE },
    { 0x0b, 0x01, EVENT_LOADS, ANY_COUNTER, PRECISE },
    { 0x0b, 0x02, EVENT_STORES, ANY_COUNTER, PRECISE },
    { 0x0b, 0x10, EVENT_LOAD_LATENCY, ANY_COUNTER, PRECISE_WITH_ADDRESS },
    { 0x0c, 0x01, EVENT_STLB_MISS_STORES, ANY_COUNTER, PRECISE },
    { 0xcb, 0x01, EVENT_L1_HITS, ANY_COUNTER, PRECISE },
    { 0xcb, 0x02, EVENT_L2_HITS, ANY_COUNTER, PRECISE },
    { 0xcb, 0x04, EVENT_L3_HITS, ANY_COUNTER, PRECISE },
    { 0xcb, 0x10, EVENT_L3_MISSES, ANY_COUNTER, PRECISE },
    { 0xcb, 0x80, EVENT_STLB_MISS_LOADS, ANY_COUNTER, PRECISE },
    { 0x2e, 0x4f, EVENT_L3_REFERENCES, ANY_COUNTER, NOT_PRECISE },
    { 0x2e, 0x41, EVENT_L3_MISSES, ANY_COUNTER, NOT_PRECISE },
    { 0x08, 0x01, EVENT_STLB_MISS_LOADS, ANY_COUNTER, NOT_PRECISE },
    { 0x51, 0x01, EVENT_L1_FILLS, 0x03, NOT_PRECISE },
    { 0x80, 0x02, EVENT_CODE_MISSES, ANY_COUNTER, NOT_PRECISE },
    { 0xc8, 0x20, EVENT_CODE_TLB_MISSES, ANY_COUNTER, PRECISE },
    { 0xb7, 0x01, EVENT_OFFCORE_0, ANY_COUNTER, NOT_PRECISE },
};

static const struct profile_msr nehalem_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x11c3 },
    { 0x186, 4, REG_IA32_PERFEVTSEL, .writable = BITS(31, 0) },
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BITS(15, 0) },
    { 0x3f6, 1, REG_MSR_PEBS_LD_LAT, .writable = BITS(15, 0) },
};

/*
 * 06_1A, stepping 5. CPUID.0Ah:EBX: the architectural events of reference cycles and mispredicted branches are missing.
 */
static const struct profile_cpuid nehalem_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x0098e3fd | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x106a5, 0, WIDE_DS_ECX, DS_EDX } },
    { .leaf = 0x07 },
    { .leaf = 0x0a, .add = { 0x07300403, 0x44, 0, 0x603 } },
    { .leaf = 0x80000001, .keep = { 0, 0, 0x1, 0x28100800 } },
};

/* What the processors of this file share. */
static const struct profile common = {
    .max_extended = 0x80000008,
    .dtes64 = true,
    .perfmon_version = 3,
    .general_counters = 4,
    .fixed_bitmap = 0x7,
    .counter_width = 48,
    .width = 4,
    .debugctl = &debugctl_core,
    .lbr_depth = 16,
    .predictor_slots = 4096,
    .msrs = { ROWS(core_msrs), ROWS(misc_enable_msrs), ROWS(absent_msrs) },
    .features = wide_features,
    .feature_count = COUNT(wide_features),
};

static const struct profile nehalem = {
    .name = "nehalem",
    .like = &common,
    .brand = "Intel(R) Core(TM) i7 CPU 920 (modelled)",
    .microcode = 0x1d,
    .max_leaf = 0x0b,
    CPUID_TABLE(nehalem_cpuid),
    .physical_bits = 36,
    .pebs_format = 1,
    .lbr_format = LBR_FORMAT_EIP_FLAGS,
    /* L1D 32 KiB, L2 256 KiB, L3 8 MiB, STLB 512 entries; memory: local, exclusive */
    .memory = {
        .caches = { { 64, 8 }, { 512, 8 }, { 8192, 16 } },
        .code = { 128, 4 },
        .flags = { 0, 0, 2 },
        .tlb = { 128, 4 },
        .latency = { 4, 10, 38, 200, 75 },
        .source = { 1, 3, 4, 0x0c, 6 },
    },
    .offcore = { .hit = BITS(10, 8), .miss = BITS(15, 12) },
    .msrs = { ROWS(nehalem_msrs) },
    .events = { ROWS(nehalem_events) },
};

/* 06_2C, stepping 2. CPUID.0Ah:EBX: the architectural event of reference cycles is missing. */
static const struct profile_cpuid westmere_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x029ee3ff | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x206c2, 0, WIDE_DS_ECX, DS_EDX } },
    { .leaf = 0x0a, .add = { 0x07300403, 0x4, 0, 0x603 } },
    { .leaf = 0x80000001, .keep = { 0, 0, 0x1, 0x2c100800 } },
};

/* Linux 6.12, intel_westmere_extra_regs: FFFFh. */
static const struct profile_msr westmere_msrs[] = {
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(15, 0) },
};

static const struct profile_event westmere_events[] = {
    { 0xbb, 0x01, EVENT_OFFCORE_1, ANY_COUNTER, NOT_PRECISE },
};

static const struct profile westmere = {
    .name = "westmere",
    .like = &nehalem,
    .brand = "Intel(R) Xeon(R) CPU X5650 (modelled)",
    .microcode = 0x1f,
    CPUID_TABLE(westmere_cpuid),
    .physical_bits = 40,
    .memory.caches[LEVEL_L3] = { 8192, 24 },
    /* Linux, intel_pmu_init(): only Nehalem has pebs_no_tlb. */
    .memory.source_tlb_miss = 0x10,
    .memory.source_locked = 0x20,
    .msrs = { ROWS(westmere_msrs) },
    .events = { ROWS(westmere_events) },
};

/* What the processors since Sandy Bridge share: instructions that PMC1 samples precisely; memory: local, exclusive. */
static const struct profile since_sandybridge = {
    .like = &common,
    .pdir_counter = 1,
    .pdir_select = 0xc0,
    .pdir_umask = 0x01,
    .memory.code = { 64, 8 },
    .memory.flags = { 0, 0, 6 },
    .memory.source = { 1, 3, 4, 0x0c, 7 },
    .memory.source_tlb_miss = 0x10,
    .memory.source_locked = 0x20,
    .offcore = OFFCORE_SINCE_SANDY_BRIDGE,
    .msrs = { ROWS(full_width_msrs) },
    .events = { ROWS(core_events) },
};

#define LAST_COUNTER (1 << 3)

/* Sandy Bridge and Ivy Bridge */
static const struct profile_event bridge_events[] = {
    { 0x85, 0x10, EVENT_CODE_TLB_HITS, ANY_COUNTER, NOT_PRECISE },
    { 0xd0, 0xf1, EVENT_LOADS, ANY_COUNTER, NOT_PRECISE }, /* as perf selects them */
    { 0xd0, 0xf2, EVENT_STORES, ANY_COUNTER, NOT_PRECISE },
    { 0x80, 0x02, EVENT_CODE_MISSES, ANY_COUNTER, NOT_PRECISE },
    { 0x49, 0x02, EVENT_STLB_MISS_STORES, ANY_COUNTER, NOT_PRECISE },
    { 0x85, 0x02, EVENT_CODE_TLB_MISSES, ANY_COUNTER, NOT_PRECISE },
    { 0xc4, 0x40, EVENT_FAR_BRANCHES, ANY_COUNTER, NOT_PRECISE },
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, ANY_COUNTER, NOT_PRECISE },
    { 0xc2, 0x01, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE },
    { 0xc2, 0x02, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE },
    { 0xd0, 0x11, EVENT_STLB_MISS_LOADS, ANY_COUNTER, PRECISE },
    { 0xd0, 0x12, EVENT_STLB_MISS_STORES, ANY_COUNTER, PRECISE },
    { 0xd0, 0x21, EVENT_LOCKED_LOADS, ANY_COUNTER, PRECISE },
    { 0xd0, 0x41, EVENT_SPLIT_LOADS, ANY_COUNTER, PRECISE },
    { 0xd0, 0x42, EVENT_SPLIT_STORES, ANY_COUNTER, PRECISE },
    { 0xd0, 0x81, EVENT_LOADS, ANY_COUNTER, PRECISE },
    { 0xd0, 0x82, EVENT_STORES, ANY_COUNTER, PRECISE },
    { 0xd1, 0x01, EVENT_L1_HITS, ANY_COUNTER, PRECISE },
    { 0xd1, 0x02, EVENT_L2_HITS, ANY_COUNTER, PRECISE },
    { 0xd1, 0x04, EVENT_L3_HITS, ANY_COUNTER, PRECISE },
    { 0xd2, 0x08, EVENT_L3_HITS, ANY_COUNTER, PRECISE }, /* hits that need no snoop */
    { 0xcd, 0x01, EVENT_LOAD_LATENCY, LAST_COUNTER, PRECISE_WITH_ADDRESS },
    { 0xcd, 0x02, EVENT_PRECISE_STORES, LAST_COUNTER, PRECISE_WITH_ADDRESS },
};

static const struct profile_msr bridge_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x31c3 },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = BITS(3, 0) | BITS(35, 32) | BIT(63) },
};

/* What both share. */
static const struct profile bridge = {
    .like = &since_sandybridge,
    .max_leaf = 0x0d,
    .physical_bits = 36,
    .pebs_format = 1,
    .lbr_format = LBR_FORMAT_EIP_FLAGS,
    /* L1D 32 KiB, L2 256 KiB, L3 8 MiB, STLB 512 entries */
    .memory.caches = { { 64, 8 }, { 512, 8 }, { 8192, 16 } },
    .memory.tlb = { 128, 4 },
    .memory.latency = { 4, 12, 30, 200, 60 },
    .msrs = { ROWS(bridge_msrs) },
    .events = { ROWS(bridge_events) },
};

/* Only Sandy Bridge, 06_2A: Intel's list of events (github.com/intel/perfmon, SNB). */
static const struct profile_event sandybridge_events[] = {
    { 0x08, 0x01, EVENT_STLB_MISS_LOADS, ANY_COUNTER, NOT_PRECISE },
    { 0x08, 0x02, EVENT_STLB_MISS_LOADS, ANY_COUNTER, NOT_PRECISE },
    { 0xc5, 0x02, EVENT_MISPREDICTED_CALLS, ANY_COUNTER, PRECISE },
    { 0xd4, 0x02, EVENT_L3_MISSES, ANY_COUNTER, PRECISE },
};

/* 06_2A, stepping 7 */
static const struct profile_cpuid sandybridge_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x1fbae3ff | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x206a7, 0, WIDE_DS_ECX, DS_EDX } },
    { .leaf = 0x07 },
    { .leaf = 0x0a, .add = { 0x07300403, 0, 0, 0x603 } },
    { .leaf = 0x80000001, .keep = { 0, 0, 0x1, 0x28100800 } },
};

static const struct profile sandybridge = {
    .name = "sandybridge",
    .like = &bridge,
    .brand = "Intel(R) Core(TM) i7-2600 CPU (modelled)",
    .microcode = 0x2f,
    CPUID_TABLE(sandybridge_cpuid),
    .events = { ROWS(sandybridge_events) },
};

/* Only Ivy Bridge: github.com/intel/perfmon, IVB. */
static const struct profile_event ivybridge_events[] = {
    { 0x08, 0x81, EVENT_STLB_MISS_LOADS, ANY_COUNTER, NOT_PRECISE },
    { 0x08, 0x82, EVENT_STLB_MISS_LOADS, ANY_COUNTER, NOT_PRECISE },
    { 0xd1, 0x08, EVENT_L1_MISSES, ANY_COUNTER, PRECISE },
    { 0xd1, 0x10, EVENT_L2_MISSES, ANY_COUNTER, PRECISE },
    { 0xd1, 0x20, EVENT_L3_MISSES, ANY_COUNTER, PRECISE },
};

/* 06_3A, stepping 9: an i7-3770 in public CPUID dumps */
static const struct profile_cpuid ivybridge_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x7fbae3ff | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x306a9, 0, WIDE_DS_ECX, DS_EDX } },
    { .leaf = 0x07, .indexed = true, .keep = { 0, 0x281, 0, 0x9c000400 } },
    { .leaf = 0x07, .subleaf = 1, .indexed = true },
    { .leaf = 0x0a, .add = { 0x07300403, 0, 0, 0x603 } },
    { .leaf = 0x80000001, .keep = { 0, 0, 0x1, 0x28100800 } },
};

static const struct profile ivybridge = {
    .name = "ivybridge",
    .like = &bridge,
    .brand = "Intel(R) Core(TM) i7-3770 CPU (modelled)",
    .microcode = 0x21,
    CPUID_TABLE(ivybridge_cpuid),
    .events = { ROWS(ivybridge_events) },
};

static const struct profile_event haswell_events[] = {
    { 0x85, 0x60, EVENT_CODE_TLB_HITS, ANY_COUNTER, NOT_PRECISE },
    { 0x80, 0x02, EVENT_CODE_MISSES, ANY_COUNTER, NOT_PRECISE },
    { 0xc4, 0x40, EVENT_FAR_BRANCHES, ANY_COUNTER, NOT_PRECISE },
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, ANY_COUNTER, NOT_PRECISE },
    { 0xc2, 0x01, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE },
    { 0xc2, 0x02, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE },
    { 0xd3, 0x01, EVENT_L3_MISSES, ANY_COUNTER, PRECISE_WITH_ADDRESS },
};

/*
 * The LBR stack of Haswell and Broadwell. Without TSX, as here, WRMSR requires bits 62 and 61 of FROM to be a sign
 * extension, but a captured entry has 0 there, as flags of LBR format 4: writing back an entry of kernel code raises
 * #GP.
 */
static const struct profile_msr haswell_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x32c4 },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = BITS(1, 0) | BITS(15, 6) },
    { 0x1c8, 1, REG_MSR_LBR_SELECT, .writable = BITS(9, 0) },
};

/* 06_3C, stepping 3, TSX disabled by microcode */
static const struct profile_cpuid haswell_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x7fdafbff | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x306c3, 0, WIDE_DS_ECX, DS_EDX } },
    { .leaf = 0x07, .indexed = true, .keep = { 0, 0x000027ab, 0, 0x9c000400 } },
    { .leaf = 0x07, .subleaf = 1, .indexed = true },
    { .leaf = 0x0a, .add = { 0x07300403, 0, 0, 0x603 } },
    { .leaf = 0x80000001, .keep = { 0, 0, 0x21, 0x2c100800 } },
};

static const struct profile haswell = {
    .name = "haswell",
    .like = &since_sandybridge,
    .brand = "Intel(R) Core(TM) i7-4770 CPU (modelled)",
    .microcode = 0x28,
    .max_leaf = 0x0d,
    CPUID_TABLE(haswell_cpuid),
    .physical_bits = 39,
    .pebs_format = 2,
    .lbr_format = LBR_FORMAT_EIP_FLAGS2,
    /* L1D 32 KiB, L2 256 KiB, L3 8 MiB, STLB 1024 entries */
    .memory.caches = { { 64, 8 }, { 512, 8 }, { 8192, 16 } },
    .memory.tlb = { 128, 8 },
    .memory.latency = { 4, 12, 36, 200, 60 },
    .msrs = { ROWS(haswell_msrs) },
    .events = { ROWS(haswell_events), ROWS(access_events) },
};

/* Precise events of Broadwell that Haswell lacks: Intel's list of events (github.com/intel/perfmon, BDW). */
static const struct profile_event broadwell_events[] = {
    { 0xc5, 0x08, EVENT_MISPREDICTED_NEAR_RETURNS, ANY_COUNTER, PRECISE },
};

/* 06_3D, stepping 4, TSX disabled by microcode */
static const struct profile_cpuid broadwell_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x7ffafbff | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x306d4, 0, WIDE_DS_ECX, DS_EDX } },
    { .leaf = 0x07, .indexed = true, .keep = { 0, 0x021c27ab, 0, 0x9c000400 } },
    { .leaf = 0x80000001, .keep = { 0, 0, 0x121, 0x2c100800 } },
};

/* Registers of Intel PT and TSX, which exist only with a quirk. */
static const struct profile_msr broadwell_msrs[] = {
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = STATUS_RESET_BITS_3 | BIT(55) },
    { 0x570, 1, REG_ABSENT, .writable = ALL },
};

static const struct profile broadwell = {
    .name = "broadwell",
    .like = &haswell,
    .brand = "Intel(R) Core(TM) i7-5600U CPU (modelled)",
    .microcode = 0x2f,
    CPUID_TABLE(broadwell_cpuid),
    /* L3 4 MiB, STLB 1536 entries */
    .memory.caches[LEVEL_L3] = { 4096, 16 },
    .memory.tlb = { 256, 6 },
    .msrs = { ROWS(broadwell_msrs) },
    .events = { ROWS(broadwell_events) },
};

static const struct profile_event skylake_events[] = {
    { 0x0d, 0x01, EVENT_NONE, ANY_COUNTER, NOT_PRECISE },
    { 0xc2, 0x04, EVENT_NONE, ANY_COUNTER, NOT_PRECISE }, /* fused instructions: each has its own uop here */
    { 0x83, 0x02, EVENT_CODE_MISSES, ANY_COUNTER, NOT_PRECISE },
    { 0x85, 0x20, EVENT_CODE_TLB_HITS, ANY_COUNTER, NOT_PRECISE },
    { 0xc4, 0x40, EVENT_FAR_BRANCHES, ANY_COUNTER, PRECISE },
    { 0xc0, 0x00, EVENT_INSTRUCTIONS, ANY_COUNTER, PRECISE },
    { 0xc5, 0x02, EVENT_MISPREDICTED_CALLS, ANY_COUNTER, PRECISE },
};

/* Counters, trace PMI, LBR_Frz, CTR_Frz, ASCI, uncore, OvfBuf. CondChgd can only be cleared. */
#define STATUS_BITS (COUNTER_BITS | BIT(55) | BITS(62, 58))

static const struct profile_msr skylake_msrs[] = {
    { 0x570, 1, REG_ABSENT, .writable = ALL },
    { 0x10f, 1, REG_ABSENT, .writable = BIT(0) },
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x33c5 },
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BITS(37, 15) | BITS(12, 0) },
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(37, 15) | BITS(12, 0) },
    { 0x3f7, 1, REG_MSR_PEBS_FRONTEND, .writable = BITS(22, 8) | BIT(4) | BITS(2, 0), .reset = 0x800 },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = BITS(1, 0) | BITS(15, 6) },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = STATUS_BITS | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = STATUS_BITS | BIT(63) },
    { 0x392, 1, REG_IA32_PERF_GLOBAL_INUSE, .read_only = true },
};

static const struct profile_cpuid skylake_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x7ffafbff | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x506e3, 0, WIDE_DS_ECX, DS_EDX } },
    { .leaf = 0x07, .indexed = true, .keep = { 0, 0x029c6fbf, 0, 0xbc000400 } },
    { .leaf = 0x07, .subleaf = 1, .indexed = true },
    { .leaf = 0x0a, .add = { 0x07300404, 0, 0, 0x603 } },
    { .leaf = 0x0e, .last = 0x16 },
    { .leaf = 0x80000001, .keep = { 0, 0, 0x121, 0x2c100800 } },
};

static const struct profile skylake = {
    .name = "skylake",
    .like = &since_sandybridge,
    .brand = "Intel(R) Core(TM) i7-6700 (modelled)",
    .microcode = 0xf0,
    .max_leaf = 0x16,
    CPUID_TABLE(skylake_cpuid),
    .physical_bits = 39,
    .perfmon_version = 4,
    .pebs_format = 3,
    .lbr_depth = 32,
    .lbr_format = LBR_FORMAT_INFO,
    .bts_predicted = true, /* Skylake to Comet Lake have the bit, by errata SKL088 and CML054, which may be wrong */
    /* L1D 32 KiB, L2 256 KiB, L3 8 MiB, STLB 1536 entries. Source 0Ch is a remote cache here. */
    .memory.caches = { { 64, 8 }, { 1024, 4 }, { 8192, 16 } },
    .memory.tlb = { 128, 12 },
    .memory.latency = { 4, 12, 40, 200, 60 },
    .memory.source = { 1, 3, 4, 0x0a, 7 },
    .msrs = { ROWS(skylake_msrs), ROWS(lbr_info_msrs) },
    .events = { ROWS(skylake_events), ROWS(access_events) },
};

/* Cascade Lake, 06_55, stepping 7: a server, with an L2 of 1 MiB. */
static const struct profile_cpuid cascadelake_cpuid[] = {
    { .leaf = 0x01,
      .keep = { 0, ALL32, 0x7ffefbff | MACHINE_ECX, 0xbfebfbff },
      .add = { 0x50657, 0, WIDE_DS_ECX, DS_EDX } },
    { .leaf = 0x07, .indexed = true, .keep = { 0, 0xd39ff7eb, 0x00000808, 0xbc000400 } },
};

static const struct profile cascadelake = {
    .name = "cascadelake",
    .like = &skylake,
    .brand = "Intel(R) Xeon(R) Gold 6248 CPU (modelled)",
    .microcode = 0x5003604,
    CPUID_TABLE(cascadelake_cpuid),
    .physical_bits = 46,
    .memory.caches[LEVEL_L2] = { 1024, 16 },
    .memory.flags = { 0, 0, 5 },
};

const struct profile *const profiles_core[] = { &nehalem,   &westmere, &sandybridge, &ivybridge, &haswell,
                                                &broadwell, &skylake,  &cascadelake, NULL };
