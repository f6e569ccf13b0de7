/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Register bits that several files use. SDM Vol. 3B (253669-083), "Performance Monitoring" and "Debug, Branch Profile,
 * TSC ..."; Vol. 4 (335592-083).
 */
#ifndef MODEL_VCPU_REGISTERS_H
#define MODEL_VCPU_REGISTERS_H

/* IA32_PERF_GLOBAL_STATUS */
#define STATUS_LBR_FRZ   (UINT64_C(1) << 58)
#define STATUS_CTR_FRZ   (UINT64_C(1) << 59)
#define STATUS_ASCI      (UINT64_C(1) << 60) /* an enclave may have contributed to the counts */
#define STATUS_ARCH_PEBS (UINT64_C(1) << 54) /* WR of IA32_PEBS_INDEX has reached THRESH */
#define STATUS_OVF_BUF   (UINT64_C(1) << 62)
#define STATUS_COND_CHGD (UINT64_C(1) << 63)

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
/* Both unit masks, the second above the first. Linux 6.13, asm/perf_event.h: ARCH_PERFMON_EVENTSEL_UMASK2 and _EQ */
#define EVTSEL_UMASKS(v) (((unsigned)((v) >> 8) & 0xff) | ((unsigned)((v) >> 40) & 0xff) << 8)
#define EVTSEL_EQ        (UINT64_C(1) << 36) /* counts cycles with exactly CMASK events, not CMASK or more */
/* Linux 7.0, commit 59af95e028d4: RDPMC at CPL 1 to 3 reads 0. Fixed counters have this bit in IA32_FIXED_CTR_CTRL. */
#define EVTSEL_RDPMC_USER     (UINT64_C(1) << 37)
#define FIXED_CTRL_RDPMC_USER 33
#define EVTSEL_BR_CNTR        (UINT64_C(1) << 35) /* LBR entries count this counter's events */

/* IA32_FIXED_CTR_CTRL: the bit of fixed counter 0; the bit of fixed counter n is 4 * n higher */
#define FIXED_CTRL_ADAPTIVE 32

/* IA32_PERF_GLOBAL_STATUS, _CTRL and IA32_PEBS_ENABLE: the first fixed counter's bit */
#define FIXED_STATUS_SHIFT 32

/* NetBurst's CCCRs */
#define CCCR_ENABLE (UINT64_C(1) << 12)
#define CCCR_OVF    (UINT64_C(1) << 31)

#define DEBUGCTL_LBR UINT64_C(1) /* IA32_DEBUGCTL */

/* IA32_LBR_CTL */
#define LBR_CTL_LBREN (UINT64_C(1) << 0)

/* MSR_LBR_SELECT: bits that suppress. From bit 2 on, branch types in the order of enum block_end. */
#define LBR_SELECT_CPL_EQ_0     (UINT64_C(1) << 0)
#define LBR_SELECT_CPL_NEQ_0    (UINT64_C(1) << 1)
#define LBR_SELECT_RINGS        (LBR_SELECT_CPL_EQ_0 | LBR_SELECT_CPL_NEQ_0)
#define LBR_SELECT_FIRST_KIND   2
#define LBR_SELECT_KINDS        (UINT64_C(0x7f) << LBR_SELECT_FIRST_KIND)
#define LBR_SELECT_ONLY_CALLS   UINT64_C(0x1c4) /* JCC, NEAR_IND_JMP, NEAR_REL_JMP, FAR_BRANCH */
#define LBR_SELECT_EN_CALLSTACK (UINT64_C(1) << 9)

/* IA32_PEBS_ENABLE: the number of the bits for load latency on general counter 0, and for precise store */
#define PEBS_ENABLE_LL_EN    32
#define PEBS_ENABLE_COUNTERS UINT64_C(0xffffffffffff) /* general counters, and their LL_EN or fixed counters */
#define PEBS_ENABLE_OUTPUT   (UINT64_C(3) << 60) /* PMI after each record, records to Intel PT: Linux, intel/ds.c */
#define PEBS_ENABLE_PS_EN    63

/* IA32_PEBS_BASE; IA32_PEBS_INDEX: WR is the offset of the next record in bytes; THRESH is such an offset too */
#define PEBS_BASE_SIZE          UINT64_C(0xf) /* the buffer has 2^SIZE pages */
#define PEBS_BASE_ADDRESS       (((UINT64_C(1) << 52) - 1) & ~UINT64_C(0xfff))
#define PEBS_INDEX_WR           UINT64_C(0x7fffff0)
#define PEBS_INDEX_FULL         (UINT64_C(1) << 31)
#define PEBS_INDEX_EN           (UINT64_C(1) << 32)
#define PEBS_INDEX_THRESH_SHIFT 32 /* from THRESH to the position of WR */

/* LVTPC. SDM Vol. 3A (253668-083), "Local Vector Table" */
#define LVT_VECTOR   0xffu
#define LVT_DELIVERY 0x700u
#define LVT_MASKED   0x10000u

#define LVT_FIRST_VECTOR 16 /* lower ones are illegal */

#endif
