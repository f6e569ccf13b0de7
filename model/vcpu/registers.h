/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bits of the registers that more than one file reads. SDM Vol. 3B (253669-083), "Performance Monitoring" and "Debug,
 * Branch Profile, TSC ..."; Vol. 4 (335592-083).
 */
#ifndef MODEL_VCPU_REGISTERS_H
#define MODEL_VCPU_REGISTERS_H

/* IA32_PERF_GLOBAL_STATUS */
#define STATUS_LBR_FRZ (UINT64_C(1) << 58)
#define STATUS_CTR_FRZ (UINT64_C(1) << 59)
#define STATUS_OVF_BUF (UINT64_C(1) << 62)

/* IA32_PERFEVTSELx */
#define EVTSEL_USR      (UINT64_C(1) << 16)
#define EVTSEL_OS       (UINT64_C(1) << 17)
#define EVTSEL_EDGE     (UINT64_C(1) << 18)
#define EVTSEL_INT      (UINT64_C(1) << 20)
#define EVTSEL_ANY      (UINT64_C(1) << 21)
#define EVTSEL_EN       (UINT64_C(1) << 22)
#define EVTSEL_INV      (UINT64_C(1) << 23)
#define EVTSEL_CMASK(v) ((unsigned)((v) >> 24) & 0xff)
#define EVTSEL_ADAPTIVE (UINT64_C(1) << 34)

/* IA32_FIXED_CTR_CTRL: the first of a bit every four for the fixed counters */
#define FIXED_CTRL_ADAPTIVE 32

/* IA32_PERF_GLOBAL_STATUS, _CTRL and IA32_PEBS_ENABLE: the first fixed counter's bit */
#define FIXED_STATUS_SHIFT 32

/* NetBurst's CCCRs */
#define CCCR_ENABLE (UINT64_C(1) << 12)
#define CCCR_OVF    (UINT64_C(1) << 31)

/* IA32_LBR_CTL */
#define LBR_CTL_LBREN (UINT64_C(1) << 0)

/* MSR_LBR_SELECT: bits that suppress. From the third bit on, kinds of branch in the order of enum block_end. */
#define LBR_SELECT_CPL_EQ_0     (UINT64_C(1) << 0)
#define LBR_SELECT_CPL_NEQ_0    (UINT64_C(1) << 1)
#define LBR_SELECT_FIRST_KIND   2
#define LBR_SELECT_EN_CALLSTACK (UINT64_C(1) << 9)

/* IA32_PEBS_ENABLE: the first of a bit for each general counter, and the precise store facility's */
#define PEBS_ENABLE_LL_EN 32
#define PEBS_ENABLE_PS_EN 63

/* LVTPC. SDM Vol. 3A (253668-083), "Local Vector Table" */
#define LVT_VECTOR   0xffu
#define LVT_DELIVERY 0x700u
#define LVT_MASKED   0x10000u

#endif
