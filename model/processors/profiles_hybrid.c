/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processors with two kinds of cores: Alder Lake, with Golden Cove and Gracemont, and Raptor Lake and Meteor Lake,
 * which followed it; and Alder Lake-N, with Gracemont alone. Sources: SDM Vol. 3B (253669-083), "Performance
 * Monitoring" and "Last Branch Records"; tests/host/cpuid_facts.tsv; Linux 6.12, arch/x86/events/intel/core.c:
 * intel_pmu_init() for leaf 0AH on the P-core of a hybrid, intel_grt_pebs_event_constraints and grt_latency_data().
 * Events and their counters: Intel's published lists for ADL and MTL.
 */
#include <stddef.h>

#include "model/processors/rows_adaptive.h"

/* Leaf 0AH is the same on both kinds of cores: the six general and three fixed counters that every core has. */
/* clang-format off */
#define ALDERLAKE_CPUID(signature, hybrid, kind, lbr)                                                           \
    CPUID_SIGNATURE(signature),                                                                                 \
    CPUID_NO_LEAVES(0x20),                                                                                      \
    { 0x07, 0, true, .keep = { ALL32, ALL32, ALL32 & ~LA57_ECX, ~HYBRID_EDX },                                  \
      .add = { 0, 0, 0, (hybrid) | ARCH_LBR_EDX } },                                                            \
    CPUID_7_1,                                                                                                  \
    { 0x0a, .add = { 0x07300605, 0, 0x07, 0x8603 } },                                                           \
    { 0x1a, .add = { (kind) | 1, 0, 0, 0 } },                                                                   \
    lbr,                                                                                                        \
    CPUID_EXTENDED
/* clang-format on */

#define CPUID_P(signature) ALDERLAKE_CPUID(signature, HYBRID_EDX, CORE_CORE, CPUID_ARCH_LBR(0u))
#define CPUID_E(signature) ALDERLAKE_CPUID(signature, HYBRID_EDX, ATOM_CORE, CPUID_ARCH_LBR_LIP(0u))

static const struct profile_cpuid alderlake_p_cpuid[] = { CPUID_P(0x90672) };
static const struct profile_cpuid alderlake_e_cpuid[] = { CPUID_E(0x90672) };

/* --- Gracemont ---------------------------------------------------------------------------------------------------- */

#define GRACEMONT_COUNTERS COUNTER_BITS(0x3f, 0x7)

static const struct profile_msr gracemont_msrs[] = {
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BIT(63) | BITS(49, 44) | BITS(37, 0) },
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(49, 44) | BITS(37, 0) },
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x74ff },
    { 0x3f1, 1, REG_IA32_PEBS_ENABLE, .writable = GRACEMONT_COUNTERS },
    { 0x38f, 1, REG_IA32_PERF_GLOBAL_CTRL, .writable = GRACEMONT_COUNTERS, .reset = BITS(5, 0) },
    { 0x390, 1, REG_IA32_PERF_GLOBAL_STATUS_RESET, .writable = STATUS_BITS(GRACEMONT_COUNTERS) | BIT(63) },
    { 0x391, 1, REG_IA32_PERF_GLOBAL_STATUS_SET, .writable = STATUS_BITS(GRACEMONT_COUNTERS) },
    /* Only six general counters. */
    { 0x0c7, 2, .reg = REG_ABSENT },
    { 0x4c7, 2, .reg = REG_ABSENT },
    { 0x18c, 2, .reg = REG_ABSENT },
};

static const struct profile_event gracemont_events[] = {
    { 0xa4, 0x01, EVENT_SLOTS, LATER_COUNTERS, PRECISE },
    { 0xc2, 0x00, EVENT_INSTRUCTIONS, LATER_COUNTERS, PRECISE }, /* retired slots: one per instruction */
    { 0xd1, 0x01, EVENT_L1_HITS, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x02, EVENT_L2_HITS, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x04, EVENT_L3_HITS, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x08, EVENT_L1_MISSES, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x10, EVENT_L2_MISSES, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
    { 0xd1, 0x80, EVENT_L3_MISSES, LATER_COUNTERS, PRECISE_WITH_ADDRESS },
};

/* --- the two kinds ------------------------------------------------------------------------------------------------ */

static const struct profile alderlake_p, alderlake_e;
static const struct profile *const alderlake[] = { &alderlake_p, &alderlake_e, NULL };

#define ALDERLAKE                                                                                        \
    .name = "alderlake", .kinds = alderlake, .brand = "12th Gen Intel(R) Core(TM) i9-12900K (modelled)", \
    .microcode = 0x38
static const struct profile alderlake_p = {
    ALDERLAKE,
    .like = &goldencove,
    .lacks = LACKS_LA57,
    .letter = 'P',
    .core = "Golden Cove",
    CPUID_TABLE(alderlake_p_cpuid),
    /* L2 1.25 MiB */
    .memory.caches[LEVEL_L2] = { 2048, 10 },
    .memory.latency = { 5, 15, 65, 280, 100 },
    .features = wide_features,
    .feature_count = COUNT(wide_features),
};
static const struct profile alderlake_e = {
    ALDERLAKE,
    .like = &ecore,
    .core = "Gracemont",
    .max_leaf = 0x20,
    CPUID_TABLE(alderlake_e_cpuid),
    .general_counters = 6,
    .pebs_adaptive = true,
    .pdist_counters = BIT(32) | BIT(0),
    /* L1D 32 KiB, L2 2 MiB (four cores share it), L3 as a share of 12 MiB, STLB 2048 entries. */
    .memory = {
        .caches = { { 64, 8 }, { 2048, 16 }, { 8192, 24 } },
        .tlb = { 512, 4 },
        .latency = { 3, 17, 75, 300, 120 },
        .source = { 1, 3, 4, 0x0a, 6 },
        .source_tlb_miss = 0x20,
        .source_locked = 0x10,
    },
    .width = 5,
    .msrs = { ROWS(gracemont_msrs) },
    .events = { ROWS(gracemont_events), ROWS(ecore_older_slots_events), ROWS(ecore_branch_events) },
};

/* --- Raptor Lake -------------------------------------------------------------------------------------------------- */

/* Erratum RPL018: IA32_PERF_CAPABILITIES[15] is 0 on the P-cores, although they have PERF_METRICS. */
static const struct profile_msr raptorlake_p_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x74ff },
};
static const struct profile_cpuid raptorlake_cpuid[] = { CPUID_SIGNATURE(0xb0671) };

static const struct profile raptorlake_p, raptorlake_e;
static const struct profile *const raptorlake[] = { &raptorlake_p, &raptorlake_e, NULL };
#define RAPTORLAKE                                                                                         \
    .name = "raptorlake", .kinds = raptorlake, .brand = "13th Gen Intel(R) Core(TM) i9-13900K (modelled)", \
    .microcode = 0x12c
static const struct profile raptorlake_p = {
    RAPTORLAKE,
    .like = &alderlake_p,
    .only_data = true,
    CPUID_TABLE(raptorlake_cpuid),
    .msrs = { ROWS(raptorlake_p_msrs) },
    .memory.caches[LEVEL_L2] = { 2048, 16 },
};
static const struct profile raptorlake_e = {
    RAPTORLAKE,
    .like = &alderlake_e,
    CPUID_TABLE(raptorlake_cpuid),
    .memory.caches[LEVEL_L2] = { 4096, 16 },
};

/* --- Alder Lake-N ------------------------------------------------------------------------------------------------- */

static const struct profile_cpuid alderlake_n_cpuid[] = {
    CPUID_SIGNATURE(0xb06e0),
    { 0x07, 0, true, .keep = { ALL32, ALL32, ~LA57_ECX, ~HYBRID_EDX }, .add = { 0, 0, 0, ARCH_LBR_EDX } },
};
/* Bit 16 is from a boot log. */
static const struct profile_msr alderlake_n_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x174ff },
};
static const struct profile alderlake_n = {
    .name = "alderlake-n",
    .like = &alderlake_e,
    .lacks = LACKS_KINDS,
    .only_data = true,
    .brand = "Intel(R) N100 (modelled)",
    .microcode = 0x1c,
    CPUID_TABLE(alderlake_n_cpuid),
    .msrs = { ROWS(alderlake_n_msrs) },
};

/* --- Meteor Lake -------------------------------------------------------------------------------------------------- */

/* Its E-cores are in profiles_atom.c. Leaf 23H lists the counters of each kind; the P-cores have RPL018 too. */
static const struct profile_cpuid meteorlake_p_cpuid[] = {
    METEORLAKE_CPUID(0xa06a4, CORE_CORE | 2, CPUID_ARCH_LBR(0u)),
    { 0x23, 0, true, .add = { 0x0b, 0, 0, 0 } },
    { 0x23, 1, true, .add = { 0xff, 0x0f, 0, 0 } },
    { 0x23, 3, true, .add = { 0xdff, 0, 0, 0 } },
};
static const struct profile_msr meteorlake_p_msrs[] = {
    { 0x345, 1, REG_IA32_PERF_CAPABILITIES, .read_only = true, .reset = 0x274ff },
};
static const struct profile meteorlake_p = {
    METEORLAKE,
    .like = &alderlake_p,
    .lacks = LACKS_LATENCY_AUX,
    .only_data = true,
    CPUID_TABLE(meteorlake_p_cpuid),
    .core = "Redwood Cove",
    .max_leaf = 0x23,
    .pebs_timing = true,
    .msrs = { ROWS(meteorlake_p_msrs) },
    .memory.caches[LEVEL_L2] = { 2048, 16 },
    .memory.code = { 64, 16 },
};
const char meteorlake_name[] = "meteorlake", meteorlake_brand[] = "Intel(R) Core(TM) Ultra 7 155H (modelled)";
const struct profile *const meteorlake_kinds[] = { &meteorlake_p, &meteorlake_e, NULL };

/* --- Arrow Lake-H ------------------------------------------------------------------------------------------------- */

/* P-cores, E-cores, and the low-power E-cores of another part of the chip, each in the file of its core. */
const char arrowlake_h_name[] = "arrowlake-h", arrowlake_h_brand[] = "Intel(R) Core(TM) Ultra 9 285H (modelled)";
const struct profile *const arrowlake_h_kinds[] = { &arrowlake_h_p, &arrowlake_h_e, &arrowlake_h_lp, NULL };

const struct profile *const profiles_hybrid[] = { &alderlake_p, &raptorlake_p,  &alderlake_n, &meteorlake_p,
                                                  &lunarlake_p, &arrowlake_h_p, NULL };
