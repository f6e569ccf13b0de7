/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common parts of processors from Ice Lake on, whose PEBS records are adaptive or architectural: register fields, rows
 * of CPUID. Their tables are in profiles_adaptive.c and rows_ecore.c. The profiles_*.c files have the processors'
 * individual parts.
 */
#ifndef MODEL_PROCESSORS_ROWS_ADAPTIVE_H
#define MODEL_PROCESSORS_ROWS_ADAPTIVE_H

#include "model/processors/profiles.h"

#define LATER_COUNTERS 0x3ff /* all general counters that the processor has */

/* The bits of a set of counters in IA32_PERF_GLOBAL_CTRL and similar registers. */
#define COUNTER_BITS(general, fixed) ((uint64_t)(general) | (uint64_t)(fixed) << 32)
/* Counters, trace PMI, LBR_Frz, CTR_Frz, ASCI, uncore, OvfBuf. CondChgd can only be cleared. */
#define STATUS_BITS(counters) ((counters) | BIT(55) | BITS(62, 58))

/* AnyThread no longer exists (CPUID.0Ah:EDX[15]); the manual does not say that writing it raises #GP. */
#define SELECT_ANY_THREAD BIT(21)
#define SELECT_BITS       ((BITS(31, 20) & ~SELECT_ANY_THREAD) | BITS(18, 0)) /* no PC since Sandy Bridge */
#define SELECT_ADAPTIVE   BIT(34)
#define SELECT_BR_CNTR    BIT(35)
#define SELECT_EQ         BIT(36)
#define SELECT_UMASK2     BITS(47, 40)

#define LBR_LOGGED 0x0fu /* the counters whose events LBR entries count, on processors with that feature */
/* clang-format off */
#define LBR_INFO_WITH_EVENTS \
    { 0x1200, 32, REG_IA32_LBR_INFO, .writable = BITS(63, 56) | BITS(39, 32) | BITS(15, 0), \
      .ignored = BITS(55, 40) | BITS(31, 16) }
/* clang-format on */

/* Requests outside the core, since Crestmont: Linux, intel_cmt_extra_regs */
/* clang-format off */
#define OFFCORE_AND_SNOOP_RSP \
    { 0x1a6, 1, REG_MSR_OFFCORE_RSP_0, .writable = BIT(63) | BITS(51, 44) | BITS(41, 0) }, \
    { 0x1a7, 1, REG_MSR_OFFCORE_RSP_1, .writable = BITS(51, 44) | BITS(41, 0) }, \
    { 0x1328, 1, REG_MSR_SNOOP_RSP_0, .writable = ALL }, \
    { 0x1329, 1, REG_MSR_SNOOP_RSP_1, .writable = ALL }
/* clang-format on */

/* Processors with only architectural PEBS set bit 12: no PEBS in the debug store (CPUID dumps of 06_D5H). */
/* clang-format off */
#define MISC_ENABLE_NO_PEBS \
    { 0x1a0, 1, REG_IA32_MISC_ENABLE, \
      .writable = BIT(0) | BIT(3) | BIT(16) | BIT(18) | BIT(20) | BIT(22) | BIT(23) | BIT(34) | BIT(38), \
      .ignored = BIT(7) | BIT(11) | BIT(12), .reset = 0x851089 }
/* clang-format on */

/* A fixed counter's bits of IA32_FIXED_CTR_CTRL. */
#define FIXED_FIELD(n)      (UINT64_C(0xb) << 4 * (n))
#define FIXED_ANY_THREAD(n) (BIT(2) << 4 * (n))
#define FIXED_ADAPTIVE(n)   BIT(32 + 4 * (n))

/*
 * The fixed counters of cores without a slots counter. After the gap, fixed counters 4 to 6 count slots lost to bad
 * speculation, slots lost in the front end, and retired slots. FIXED_GAP: all bits of IA32_FIXED_CTR_CTRL, including
 * one bit above 31 for each counter.
 */
#define FIXED_GAP_BITMAP      0x77
#define FIXED_GAP(bits)       (bits(0) | bits(1) | bits(2) | bits(4) | bits(5) | bits(6))
#define FIXED_GAP_BITS(above) (FIXED_GAP(FIXED_FIELD) | FIXED_GAP(above))
#define FIXED_GAP_ANY_THREAD  FIXED_GAP(FIXED_ANY_THREAD)

#define DEBUGCTL_BITS (BIT(1) | BITS(12, 6) | BITS(15, 14))

/* CPUID.7:EDX */
#define HYBRID_EDX   (1u << 15)
#define LA57_ECX     (1u << 16) /* CPUID.7:ECX */
#define ARCH_LBR_EDX (1u << 19)

/* CPUID.1AH:EAX[31:24], the core type; the lower bits are the native model */
#define ATOM_CORE UINT32_C(0x20000000)
#define CORE_CORE UINT32_C(0x40000000)

/*
 * Rows of CPUID. Features of QEMU's -cpu stay visible, except SVM. In leaves above QEMU's last leaf, the features are
 * absent. Leaf 1FH is QEMU's leaf 0BH.
 */
/* clang-format off */
#define CPUID_SIGNATURE(signature)                \
    { 0x01, .keep = { 0, ALL32, ALL32, ALL32 },   \
      .add = { signature, 0, DTES64_ECX | DS_CPL_ECX | PDCM_ECX, DS_EDX } }
#define CPUID_NO_LEAVES(last_leaf) { 0x0e, .last = 0x1e }, { 0x20, .last = (last_leaf) }
/* Leaf 7 of a part that is not a hybrid and has no architectural LBR; its sub-leaf 1 without leaf 23H. */
#define CPUID_7 { 0x07, 0, true, .keep = { ALL32, ALL32, ALL32, ~(HYBRID_EDX | ARCH_LBR_EDX) } }
#define CPUID_7_1 { 0x07, 1, true, .keep = { ~(1u << 8), ALL32, ALL32, ALL32 } }
#define CPUID_EXTENDED { 0x80000001, .keep = { 0, 0, 0x121, 0x2c100800 } }
/*
 * Depths 8, 16 and 32, lost in deep C-states; filters by CPL and branch type, call stack; MISPRED, cycles, BR_TYPE; and
 * the counters whose events LBR entries count.
 */
#define CPUID_ARCH_LBR(logged) { 0x1c, .add = { BIT(30) | 0x0b, 7, (logged) << 16 | 7, 0 } }
/* CPUID_ARCH_LBR for E-cores, whose entries have linear addresses. */
#define CPUID_ARCH_LBR_LIP(logged) { 0x1c, .add = { BIT(31) | BIT(30) | 0x0b, 7, (logged) << 16 | 7, 0 } }
/* clang-format on */

/* Meteor Lake and Arrow Lake-H: version 5 of performance monitoring, with leaf 23H, whose rows follow. */
/* clang-format off */
#define METEORLAKE_CPUID(signature, kind, lbr)                                                                        \
    CPUID_SIGNATURE(signature), CPUID_NO_LEAVES(0x23),                                                                \
    { 0x07, 0, true, .keep = { 0, ALL32, ~LA57_ECX, ALL32 }, .add = { 2, 0, 0, HYBRID_EDX | ARCH_LBR_EDX } },         \
    { 0x07, 1, true, .keep = { ALL32, ALL32, ALL32, ALL32 }, .add = { BIT(8), 0, 0, 0 } },                            \
    { 0x0a, .add = { 0x07300805, 0, 0x07, 0x8603 } },                                                                 \
    { 0x1a, .add = { kind, 0, 0, 0 } }, lbr, CPUID_EXTENDED
/* clang-format on */

/* What the kinds of cores of a hybrid share. */
#define METEORLAKE  .name = meteorlake_name, .kinds = meteorlake_kinds, .brand = meteorlake_brand, .microcode = 0x20
#define ARROWLAKE_H .name = arrowlake_h_name, .kinds = arrowlake_h_kinds, .brand = arrowlake_h_brand, .microcode = 0x118

#endif
