/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NetBurst: a Pentium 4 of 0F_02 (Northwood) and one of 0F_04 with EM64T (Prescott 2M). Sources: SDM Vol. 3B
 * (253669-059), "Performance Monitoring (Processors Based on Intel NetBurst Microarchitecture)", "Last Branch,
 * Interrupt, and Exception Recording (Processors based on Intel NetBurst Microarchitecture)", and Vol. 3C, "MSRs in the
 * Pentium 4 and Intel Xeon Processors". CPUID of 0F_04 and the effect of writing reserved bits are those of a real
 * stepping 3: VirtualBox's CPU database, "Intel Pentium 4 3.00GHz". 0F_02 is assumed to treat reserved bits in the same
 * way.
 */
#include <stddef.h>

#include "model/processors/profiles.h"

/* Bits that writes do not change. */
#define HIGH_HALF BITS(63, 32)
#define ESCR_BITS (~BIT(31)) /* bit 31 raises #GP */

#define DEBUGCTLA_BITS .lbr = BIT(0), .tr = BIT(2), .bts = BIT(3), .btint = BIT(4)

static const struct profile_debugctl debugctla = { DEBUGCTLA_BITS };
static const struct profile_debugctl debugctla_ds_cpl = { DEBUGCTLA_BITS, .bts_off_os = BIT(5), .bts_off_usr = BIT(6) };

static const struct profile_msr netburst_msrs[] = {
    /*
     * Registers of P6 and Core that NetBurst lacks: counters, LBR stacks, IA32_PERF_CAPABILITIES and _GLOBAL_CTRL, ...
     */
    { 0x040, 8, .reg = REG_ABSENT },
    { 0x060, 8, .reg = REG_ABSENT },
    { 0x1c8, 2, .reg = REG_ABSENT },
    { 0x0c1, 8, .reg = REG_ABSENT },
    { 0x345, 1, .reg = REG_ABSENT },
    { 0x38d, 6, .reg = REG_ABSENT },
    { 0x4c1, 8, .reg = REG_ABSENT },
    { 0x180, 11, REG_ZERO, .read_only = true }, /* MSR_MCG_EAX to MSR_MCG_MISC: machine check state */

    { 0x1d7, 1, REG_MSR_LER_FROM_LIP, .read_only = true },
    { 0x1d8, 1, REG_MSR_LER_TO_LIP, .read_only = true },
    { 0x300, 18, REG_NETBURST_COUNTER, .writable = ALL, .ignored = ~BITS(39, 0) },
    { 0x360, 12, REG_NETBURST_CCCR, .writable = ALL, .ignored = HIGH_HALF | BITS(11, 0) },
    { 0x36c, 1, REG_NETBURST_CCCR, .writable = ALL, .ignored = HIGH_HALF | BITS(10, 0) },
    { 0x36d, 2, REG_NETBURST_CCCR, .writable = ALL, .ignored = HIGH_HALF | BITS(11, 0) },
    { 0x36f, 1, REG_NETBURST_CCCR, .writable = ALL, .ignored = HIGH_HALF | BITS(10, 0) },
    { 0x370, 2, REG_NETBURST_CCCR, .writable = ALL, .ignored = HIGH_HALF | BITS(7, 0) },
    { 0x3a0, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF },              /* BSU */
    { 0x3a2, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x40000000 }, /* FSB */
    { 0x3a4, 4, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF },              /* FIRM, FLAME */
    { 0x3a8, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x61fe01f0 }, /* DAC */
    { 0x3aa, 6, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF },              /* MOB, PMH, SAAT */
    { 0x3b0, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x71c001f0 }, /* U2L */
    { 0x3b2, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x61fc0000 }, /* BPU */
    { 0x3b4, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x71fe01f0 }, /* IS */
    { 0x3b6, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x0ffff1e0 }, /* ITLB */
    { 0x3b8, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x71fe01f0 }, /* CRU_ESCR0, 1 */
    { 0x3bc, 3, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF },              /* RAT, SSU_ESCR0 */
    { 0x3c0, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x61ff81e0 }, /* MS */
    { 0x3c2, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x71fe01f0 }, /* TBPU */
    { 0x3c4, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x61f801f0 }, /* TC */
    { 0x3c8, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x71fe01f0 }, /* IX */
    { 0x3ca, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x700001f0 }, /* ALF */
    { 0x3cc, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x61f001f0 }, /* CRU_ESCR2, 3 */
    { 0x3e0, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF | 0x71ff01f0 }, /* CRU_ESCR4, 5 */
    { 0x3f0, 1, REG_MSR_TC_PRECISE_EVENT, .writable = ALL, .ignored = ~BITS(17, 5), .reset = 0xfc00 },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = ALL, .ignored = ~BITS(26, 0) },
    { 0x3f2, 1, REG_MSR_PEBS_MATRIX_VERT, .writable = ALL, .ignored = ~BITS(12, 0) },
};

/* --- 0F_02 ------------------------------------------------------------------------------------------------------- */

static const struct profile_msr northwood_msrs[] = {
    { 0x1a0, 1, REG_IA32_MISC_ENABLE, .writable = BIT(0) | BITS(4, 2) | BIT(6) | BITS(10, 7), .ignored = BIT(7),
      .reset = 0x89 },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = BITS(4, 0) },
    { 0x1da, 1, REG_MSR_LASTBRANCH_TOS, .writable = ALL, .ignored = ~BITS(1, 0) },
    { 0x1db, 4, REG_LASTBRANCH_BOTH, .writable = ALL },
    { 0x3ba, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = HIGH_HALF }, /* IQ; 0F_03 and later lack it */
    { 0x600, 1, REG_IA32_DS_AREA, .writable = BITS(31, 0) },
    { 0x680, 16, .reg = REG_ABSENT },
    { 0x6c0, 16, .reg = REG_ABSENT },
};

/* No SSE3, no NX, no long mode. */
static const struct profile_cpuid northwood_cpuid[] = {
    { 0x01, .keep = { 0, ALL32, 0x4400 | MACHINE_ECX, 0xbfebfbff }, .add = { 0xf27, 0, 0, DS_EDX } },
    { 0x02, .add = { 0x665b5001, 0, 0, 0x007b7040 } },
    { .leaf = 0x80000001 },
};

static const struct profile_feature northwood_features[] = {
    { 0x00000001, 3, 5, "MSRs", false },
    { 0x00000001, 3, 6, "physical address extension", false },
    { 0x00000001, 3, 9, "a local APIC", true },
};

static const struct profile northwood = {
    .name = "netburst",
    .netburst = NETBURST_SINGLE_THREADED,
    .brand = "Intel(R) Pentium(R) 4 CPU 2.80GHz (modelled)",
    .microcode = 0x38,
    .max_leaf = 2,
    .max_extended = 0x80000004,
    .cpuid = northwood_cpuid,
    .cpuid_count = COUNT(northwood_cpuid),
    .general_counters = 18,
    .counter_width = 40,
    .debugctl = &debugctla,
    .bts_predicted = true,
    .lbr_depth = 4,
    .lbr_format = LBR_FORMAT_32,
    .predictor_slots = 4096,
    /* L1D 8 KiB, L2 512 KiB, 64 entries of a fully associative data TLB. */
    .memory = { .caches = { { 32, 4 }, { 1024, 8 } }, .tlb = { 1, 64 }, .latency = { 2, 18, 0, 300, 300 } },
    .msrs = { ROWS(northwood_msrs), ROWS(netburst_msrs) },
    .features = northwood_features,
    .feature_count = COUNT(northwood_features),
};

/* --- 0F_04 with EM64T -------------------------------------------------------------------------------------------- */

static const struct profile_msr prescott_msrs[] = {
    { 0x1a0, 1, REG_IA32_MISC_ENABLE, .writable = 0x423ef07ff, .ignored = BIT(7) | BIT(23) | BIT(29),
      .reset = 0x22850089 },
    { 0x1d9, 1, REG_IA32_DEBUGCTL, .writable = BITS(6, 0) },
    { 0x1da, 1, REG_MSR_LASTBRANCH_TOS, .writable = ALL, .ignored = ~BITS(3, 0) },
    { 0x1db, 4, .reg = REG_ABSENT },
    { 0x3ba, 2, REG_NETBURST_ESCR, .writable = ESCR_BITS, .ignored = ESCR_BITS },
    { 0x600, 1, REG_IA32_DS_AREA, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x680, 16, REG_LASTBRANCH_FROM, .check = CHECK_CANONICAL, .writable = ALL },
    { 0x6c0, 16, REG_LASTBRANCH_TO, .check = CHECK_CANONICAL, .writable = ALL },
};

static const struct profile_cpuid prescott_cpuid[] = {
    { 0x01, .keep = { 0, ALL32, 0x649d | MACHINE_ECX, 0xbfebfbff },
      .add = { 0xf43, 0, DTES64_ECX | DS_CPL_ECX, DS_EDX } },
    { 0x02, .add = { 0x605b5001, 0, 0, 0x007d7040 } },
    { .leaf = 0x03 },
    { 0x04, 1, true, .keep = { ALL32, ALL32, 0x7ff, 0 }, .add = { 0, 0x1000, 0, 0 } }, /* L2: two partitions */
    { 0x05, .add = { 0x40, 0x40, 0, 0 } },
    { 0x80000001, .keep = { 0, 0, 0, 0x20100800 } },
    { .leaf = 0x80000005 },
    { 0x80000006, .add = { 0, 0, 0x08006040, 0 } },
    { .leaf = 0x80000007 },
    { 0x80000008, .add = { 0x3024, 0, 0, 0 } },
};

static const struct profile prescott = {
    .name = "netburst64",
    .netburst = NETBURST_HYPER_THREADED,
    .brand = "Intel(R) Pentium(R) 4 CPU 3.00GHz (modelled)",
    .microcode = 0x5,
    .max_leaf = 5,
    .max_extended = 0x80000008,
    .cpuid = prescott_cpuid,
    .cpuid_count = COUNT(prescott_cpuid),
    .dtes64 = true,
    .general_counters = 18,
    .counter_width = 40,
    .debugctl = &debugctla_ds_cpl,
    .bts_predicted = true,
    .lbr_depth = 16,
    .lbr_format = LBR_FORMAT_LIP,
    .predictor_slots = 4096,
    /* L1D 16 KiB, L2 2 MiB, 64 entries of a fully associative data TLB. */
    .memory = { .caches = { { 32, 8 }, { 4096, 8 } }, .tlb = { 1, 64 }, .latency = { 4, 27, 0, 400, 400 } },
    .msrs = { ROWS(prescott_msrs), ROWS(netburst_msrs) },
    .features = wide_features,
    .feature_count = COUNT(wide_features),
};

const struct profile *const profiles_netburst[] = { &northwood, &prescott, NULL };
