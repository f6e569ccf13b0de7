/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processors that can be modelled, and helpers for writing their tables. */
#ifndef MODEL_PROCESSORS_PROFILES_H
#define MODEL_PROCESSORS_PROFILES_H

#include "model/processors/profile.h"

#define COUNT(array)    (unsigned)(sizeof(array) / sizeof((array)[0]))
#define BITS(high, low) ((~UINT64_C(0) >> (63 - (high))) & (~UINT64_C(0) << (low)))
#define BIT(n)          (UINT64_C(1) << (n))
#define ALL             (~UINT64_C(0))
#define ALL32           0xffffffff

/*
 * CPUID.1: features that the model may add to QEMU's, and bits of QEMU's answer that belong to the machine, not the
 * processor.
 */
#define DTES64_ECX  (1u << 2)
#define DS_CPL_ECX  (1u << 4)
#define PDCM_ECX    (1u << 15)
#define DS_EDX      (1u << 21)
#define MACHINE_ECX (1u << 27 | 1u << 31) /* OSXSAVE, hypervisor */
#define MACHINE_EDX (1u << 28)            /* HTT */

/* Each family's processors in the order of release; NULL ends the list. */
extern const struct profile *const profiles_netburst[], *const profiles_p6[];
extern const struct profile *const profiles_core[], *const profiles_adaptive[], *const profiles_arch[];
extern const struct profile *const profiles_hybrid[], *const profiles_atom[];

/*
 * What several processors share, not processors themselves: all with architectural LBR; Lion Cove and later P-cores;
 * E-cores since Gracemont.
 */
extern const struct profile arch_lbr, lioncove, ecore;

/* The core of Alder Lake's P-cores. */
extern const struct profile goldencove;

/* Hybrids whose kinds of cores are in several files: the kinds, each of them, and the strings that they share. */
extern const struct profile *const lunarlake_kinds[], *const meteorlake_kinds[], *const arrowlake_h_kinds[];
extern const struct profile lunarlake_p, meteorlake_e, arrowlake_h_p, arrowlake_h_e, arrowlake_h_lp;
extern const char lunarlake_name[], lunarlake_brand[], meteorlake_name[], meteorlake_brand[], arrowlake_h_name[],
    arrowlake_h_brand[];

/* Responses that MSR_OFFCORE_RSP_x selects, since Sandy Bridge. */
#define OFFCORE_SINCE_SANDY_BRIDGE          \
    {                                       \
        BIT(16), BITS(21, 18), BITS(30, 22) \
    }

/* The members for a table of CPUID. */
#define CPUID_TABLE(table) .cpuid = (table), .cpuid_count = COUNT(table)

/* A profile's table of rows: ROWS(table). */
#define ROWS(table)         \
    {                       \
        table, COUNT(table) \
    }

/* IA32_DEBUGCTL of Core 2 and later. */
extern const struct profile_debugctl debugctl_core;

/* IA32_MISC_ENABLE since Nehalem. Bits 11 and 12 are 0: BTS and PEBS are available. */
extern const struct profile_msr misc_enable_msrs[1];

/* An LBR stack of 32 entries with LBR_INFO, its top-of-stack pointer, and LBR_SELECT. */
extern const struct profile_msr lbr_info_msrs[5];

/* Debugging and performance monitoring registers that a processor before Ice Lake may lack; absent ones raise #GP. */
extern const struct profile_msr absent_msrs[22];

/* Architectural performance monitoring version 3, with four general and three fixed counters; LBR stack of 16. */
extern const struct profile_msr core_msrs[16];

/* Registers new in Sandy Bridge. */
extern const struct profile_msr full_width_msrs[3];

/*
 * Registers and events of Ice Lake and later with adaptive PEBS records, eight general and four fixed counters; events
 * of Golden Cove and Lion Cove.
 */
extern const struct profile_msr adaptive_msrs[23];
extern const struct profile_event adaptive_events[24], goldencove_cache_events[11], lioncove_events[10];

/*
 * E-cores: events of all except Darkmont; hits and misses of Crestmont and Skymont; lost slots since Skymont, and
 * before; registers of cores without a slots counter; and registers of eight general counters and the fixed counters
 * of FIXED_GAP_BITMAP.
 */
extern const struct profile_event ecore_branch_events[14], ecore_hit_events[6], ecore_slots_events[3],
    ecore_older_slots_events[3];
extern const struct profile_msr ecore_msrs[4], fixed_gap_msrs[6];

/* Features of QEMU's -cpu that 64-bit software needs. */
/* clang-format off */
#define WIDE_FEATURES                                                                                          \
    { 0x00000001, 3, 5, "MSRs", false },        { 0x00000001, 3, 6, "physical address extension", false },     \
    { 0x00000001, 3, 9, "a local APIC", true }, { 0x80000001, 3, 20, "the no-execute bit", true },             \
    { 0x80000001, 3, 29, "long mode", false }
/* clang-format on */
extern const struct profile_feature wide_features[5];

/* WIDE_FEATURES and 5-level paging. */
extern const struct profile_feature widest_features[6];

#endif
