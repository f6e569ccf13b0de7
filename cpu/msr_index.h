/* SPDX-License-Identifier: MIT */
/*
 * Model-specific registers by the manual's names, each followed by its bits. Numbers only; any file may include this.
 * Source: SDM Vol. 4 (335592-081), "Model-Specific Registers (MSRs)", tables 2-2, 2-20, 2-39; SDM Vol. 3B (253669-081),
 * "Debug, Branch Profile, TSC ..." (chapter 18) and "Performance Monitoring" (chapter 20).
 */
#ifndef CPU_MSR_INDEX_H
#define CPU_MSR_INDEX_H

#include <stdint.h>

#define MSR_BIT(n) (UINT64_C(1) << (n))

#define MSR_IA32_APIC_BASE 0x0000001bu
#define APIC_BASE_BSP      MSR_BIT(8)
#define APIC_BASE_X2APIC   MSR_BIT(10)
#define APIC_BASE_ENABLE   MSR_BIT(11)
#define APIC_BASE_ADDRESS  UINT64_C(0x000ffffffffff000)

#define MSR_SMI_COUNT 0x00000034u /* SMIs since reset; Nehalem, Silvermont and later */

#define MSR_IA32_TSC_ADJUST 0x0000003bu /* CPUID.7:EBX[1] */

#define MSR_IA32_BIOS_SIGN_ID 0x0000008bu /* [63:32]: microcode revision */

/* If CPUID.7:EDX[29] and IA32_ARCH_CAPABILITIES bit 21 are set: whether x2APIC mode is locked. */
#define MSR_IA32_XAPIC_DISABLE_STATUS 0x000000bdu
#define LEGACY_XAPIC_DISABLED         MSR_BIT(0)
#define MSR_IA32_ARCH_CAPABILITIES    0x0000010au
#define ARCH_CAP_XAPIC_DISABLE_STATUS MSR_BIT(21)

#define MSR_X2APIC 0x00000800u /* the local APIC's registers in x2APIC mode: offset n is MSR_X2APIC + n / 16 */

#define MSR_IA32_PMC(n)   (0x000000c1u + (n))
#define MSR_IA32_A_PMC(n) (0x000004c1u + (n)) /* full-width alias, if PERF_CAP_FW_WRITE is set */

#define MSR_IA32_PERFEVTSEL(n) (0x00000186u + (n))
#define PERFEVTSEL_USR         MSR_BIT(16)
#define PERFEVTSEL_OS          MSR_BIT(17)
#define PERFEVTSEL_INT         MSR_BIT(20)
#define PERFEVTSEL_EN          MSR_BIT(22)
#define PERFEVTSEL_INV         MSR_BIT(23)
#define PERFEVTSEL_ADAPTIVE    MSR_BIT(34) /* this counter's records have the groups of MSR_PEBS_DATA_CFG */
/* If CPUID.23H.0:EBX[0], [1] and [2] are set: Linux 6.13 (UMASK2, EQ) and 7.0 (RDPMC_USER), asm/perf_event.h */
#define PERFEVTSEL_UMASK2(n)  ((uint64_t)(n) << 40)
#define PERFEVTSEL_EQ         MSR_BIT(36) /* counts cycles with exactly as many events as the counter mask */
#define PERFEVTSEL_RDPMC_USER MSR_BIT(37) /* RDPMC at CPL 1 to 3 reads 0 */
#define PERFEVTSEL_BR_CNTR    MSR_BIT(35) /* LBR entries count this counter's events: Linux 6.8, perf_event.h */

/* SYSENTER: code selector and entry point. */
#define MSR_IA32_SYSENTER_CS  0x00000174u
#define MSR_IA32_SYSENTER_EIP 0x00000176u

#define MSR_IA32_MISC_ENABLE    0x000001a0u
#define MISC_ENABLE_LIMIT_CPUID MSR_BIT(22)

#define MSR_LBR_SELECT           0x000001c8u /* a set bit suppresses */
#define LBR_SELECT_CPL_EQ_0      MSR_BIT(0)
#define LBR_SELECT_CPL_NEQ_0     MSR_BIT(1)
#define LBR_SELECT_JCC           MSR_BIT(2)
#define LBR_SELECT_NEAR_REL_CALL MSR_BIT(3)
#define LBR_SELECT_NEAR_IND_CALL MSR_BIT(4)
#define LBR_SELECT_NEAR_RET      MSR_BIT(5)
#define LBR_SELECT_NEAR_IND_JMP  MSR_BIT(6)
#define LBR_SELECT_NEAR_REL_JMP  MSR_BIT(7)
#define LBR_SELECT_FAR_BRANCH    MSR_BIT(8)
#define LBR_SELECT_CALL_STACK    MSR_BIT(9) /* enables call-stack mode: suppresses nothing, returns remove entries */

#define MSR_LASTBRANCH_TOS 0x000001c9u

#define MSR_IA32_DEBUGCTL         0x000001d9u /* the other bits depend on the family: caps->debugctl */
#define DEBUGCTL_LBR              MSR_BIT(0)
#define DEBUGCTL_BTF              MSR_BIT(1) /* with TF: a debug exception after each branch */
#define DEBUGCTL_FREEZE_WHILE_SMM MSR_BIT(14)

#define MSR_IA32_PAT 0x00000277u

#define MSR_IA32_MTRRCAP          0x000000feu
#define MTRRCAP_VCNT              UINT64_C(0xff) /* number of variable ranges */
#define MSR_IA32_MTRR_PHYSBASE(n) (0x00000200u + 2 * (n))
#define MSR_IA32_MTRR_PHYSMASK(n) (0x00000201u + 2 * (n))
#define MTRR_PHYSMASK_VALID       MSR_BIT(11)
#define MTRR_ADDRESS              UINT64_C(0x000ffffffffff000)
#define MSR_IA32_MTRR_DEF_TYPE    0x000002ffu
#define MTRR_DEF_TYPE_E           MSR_BIT(11)

#define MSR_TSX_FORCE_ABORT 0x0000010fu /* CPUID.7:EDX[13] */
#define TSX_FORCE_ABORT_RTM MSR_BIT(0)

#define MSR_IA32_RTIT_CTL 0x00000570u /* Intel PT, CPUID.7:EBX[25] */
#define RTIT_CTL_TRACEEN  MSR_BIT(0)

/*
 * NetBurst: the counters in use, their configuration registers, and the event selects in use. SDM Vol. 3B
 * (253669-059), "ESCR MSRs" 18.15.1, "CCCR MSRs" 18.15.3, and "MSRs in the Pentium 4 and Intel Xeon Processors" in
 * chapter 35.
 */
#define MSR_IQ_COUNTER4       0x00000310u
#define NETBURST_COUNTER_MASK UINT64_C(0xffffffffff) /* 40 bits */

#define MSR_BPU_COUNTER0 0x00000300u
#define MSR_IQ_COUNTER0  0x0000030cu

#define MSR_BPU_CCCR0   0x00000360u /* the first of 18 */
#define NETBURST_CCCRS  18u
#define MSR_BSU_ESCR0   0x000003a0u /* the first of 66 */
#define NETBURST_ESCRS  66u
#define MSR_IQ_CCCR0    0x0000036cu
#define MSR_IQ_CCCR4    0x00000370u
#define CCCR_ENABLE     MSR_BIT(12)
#define CCCR_SELECT(n)  ((uint64_t)(n) << 13)
#define CCCR_ACTIVE_ANY (UINT64_C(3) << 16)
#define CCCR_OVF_PMI    MSR_BIT(26) /* interrupt at an overflow, on logical processor 0 */
#define CCCR_OVF        MSR_BIT(31)

#define MSR_FSB_ESCR0     0x000003a2u
#define MSR_FIRM_ESCR0    0x000003a4u
#define MSR_MOB_ESCR0     0x000003aau
#define MSR_SAAT_ESCR0    0x000003aeu
#define MSR_SAAT_ESCR1    0x000003afu
#define MSR_RAT_ESCR0     0x000003bcu
#define MSR_CRU_ESCR0     0x000003b8u
#define MSR_CRU_ESCR2     0x000003ccu
#define ESCR_T0_USR       MSR_BIT(2)
#define ESCR_T0_OS        MSR_BIT(3)
#define ESCR_TAG_ENABLE   MSR_BIT(4)
#define ESCR_TAG_VALUE(n) ((uint64_t)(n) << 5)
#define ESCR_MASK(n)      ((uint64_t)(n) << 9)
#define ESCR_EVENT(n)     ((uint64_t)(n) << 25)

#define MSR_IA32_FIXED_CTR(n)        (0x00000309u + (n))
#define MSR_IA32_PERF_CAPABILITIES   0x00000345u
#define PERF_CAP_METRICS             MSR_BIT(15) /* PERF_METRICS exists */
#define MSR_PERF_METRICS             0x00000329u /* shares of the slots in fixed counter 3, a byte each; Ice Lake on */
#define MSR_IA32_FIXED_CTR_CTRL      0x0000038du
#define FIXED_CTR_CTRL_OS(n)         MSR_BIT(4 * (n))
#define FIXED_CTR_CTRL_USR(n)        MSR_BIT(4 * (n) + 1)
#define FIXED_CTR_CTRL_PMI(n)        MSR_BIT(4 * (n) + 3)
#define FIXED_CTR_CTRL_ADAPTIVE(n)   MSR_BIT(4 * (n) + 32)
#define FIXED_CTR_CTRL_RDPMC_USER(n) MSR_BIT(4 * (n) + 33)
#define FIXED_CTR_CTRL_ALL(n)        (UINT64_C(0x0000000f0000000f) << 4 * (n))

#define MSR_IA32_PERF_GLOBAL_STATUS 0x0000038eu
#define GLOBAL_STATUS_PEBS          MSR_BIT(54) /* architectural PEBS: its buffer has reached the threshold */
#define GLOBAL_STATUS_LBR_FRZ       MSR_BIT(58)
#define GLOBAL_STATUS_CTR_FRZ       MSR_BIT(59)
#define GLOBAL_STATUS_ASCI          MSR_BIT(60) /* counts may include those of an enclave */
#define GLOBAL_STATUS_DS_BUFFER     MSR_BIT(62)
#define GLOBAL_STATUS_COND_CHGD     MSR_BIT(63)

#define MSR_IA32_PERF_GLOBAL_CTRL     0x0000038fu
#define PERF_GLOBAL_CTRL_METRICS      MSR_BIT(48) /* PERF_METRICS counts */
#define MSR_IA32_PERF_GLOBAL_OVF_CTRL 0x00000390u /* same bits as GLOBAL_STATUS; a written 1 clears */

/* Version 4 and later */
#define MSR_IA32_PERF_GLOBAL_STATUS_SET 0x00000391u /* a written 1 sets */
#define MSR_IA32_PERF_GLOBAL_INUSE      0x00000392u

#define MSR_PEBS_ENABLE           0x000003f1u
#define PEBS_ENABLE_LL(n)         MSR_BIT(32 + (n)) /* load latency on general counter n: Nehalem to Skylake */
#define PEBS_ENABLE_FIXED(n)      MSR_BIT(32 + (n)) /* fixed counter n: Ice Lake and later */
#define PEBS_ENABLE_UOP_TAG       MSR_BIT(24)       /* NetBurst */
#define PEBS_ENABLE_MY_THR        MSR_BIT(25)       /* NetBurst; bit 26 belongs to the other logical processor */
#define MSR_PEBS_MATRIX_VERT      0x000003f2u       /* NetBurst */
#define PEBS_ENABLE_OUTPUT_PT     MSR_BIT(61)       /* records go to Intel PT: Linux, intel/ds.c */
#define PEBS_ENABLE_PS            MSR_BIT(63)       /* precise store, on counter 3 of Sandy Bridge */
#define MSR_PEBS_LD_LAT_THRESHOLD 0x000003f6u       /* core cycles, 16 bits, at least 3 */

#define MSR_PEBS_FRONTEND      0x000003f7u /* Skylake and later: what FRONTEND_RETIRED counts */
#define PEBS_FRONTEND_L1I_MISS UINT64_C(0x12)

#define MSR_PEBS_DATA_CFG          0x000003f2u /* Ice Lake and later */
#define PEBS_DATA_CFG_MEMORY       MSR_BIT(0)
#define PEBS_DATA_CFG_GPRS         MSR_BIT(1)
#define PEBS_DATA_CFG_XMMS         MSR_BIT(2)
#define PEBS_DATA_CFG_LBRS         MSR_BIT(3)
#define PEBS_DATA_CFG_ALL          UINT64_C(0xf)             /* the four groups above; one LBR entry */
#define PEBS_DATA_CFG_LBR_COUNT(n) ((uint64_t)((n)-1) << 24) /* entries, 1 to 256 */
/* Lion Cove (Linux 6.15, arch/x86/include/asm/perf_event.h, PEBS_DATACFG_CNTR and the names after it). */
#define PEBS_DATA_CFG_COUNTERS      MSR_BIT(4)
#define PEBS_DATA_CFG_METRICS       MSR_BIT(5)
#define PEBS_DATA_CFG_GENERAL(bits) ((uint64_t)(bits) << 32) /* a bitmap of general counters, 16 */
#define PEBS_DATA_CFG_FIXED(bits)   ((uint64_t)(bits) << 48) /* a bitmap of fixed counters, 8 */

/*
 * Architectural PEBS, if CPUID.23H.0:EAX[5:4] are set; performance monitoring version 6. Intel Architecture Instruction
 * Set Extensions Programming Reference (319433), chapter 11 "Architectural PEBS"; Linux, commit 52448a0a7390. WR and
 * THRESH count 16-byte units from bit 4 and 36 on, so masked they are byte offsets; CFG_C: pebs/layout/arch_pebs.h.
 */
#define MSR_IA32_PEBS_BASE       0x000003f4u
#define PEBS_BASE_SIZE           UINT64_C(0xf) /* the buffer has 4096 << n bytes */
#define PEBS_BASE_ADDRESS        UINT64_C(0x000ffffffffff000)
#define MSR_IA32_PEBS_INDEX      0x000003f5u
#define PEBS_INDEX_WR            UINT64_C(0x07fffff0) /* bytes from the base to the next record */
#define PEBS_INDEX_FULL          MSR_BIT(31)          /* a record did not fit: PEBS stops until software clears it */
#define PEBS_INDEX_EN            MSR_BIT(32)
#define PEBS_INDEX_THRESH(bytes) ((uint64_t)(bytes) << 32) /* a multiple of 16 */
#define PEBS_INDEX_THRESH_FIELD  PEBS_INDEX_THRESH(PEBS_INDEX_WR)
#define MSR_IA32_DS_AREA         0x00000600u

#define MSR_IA32_PMC_GP_CTR(n)   (0x00001900u + 4 * (n))
#define MSR_IA32_PMC_GP_CFG_A(n) (0x00001901u + 4 * (n))
#define MSR_IA32_PMC_GP_CFG_B(n) (0x00001902u + 4 * (n))
#define MSR_IA32_PMC_GP_CFG_C(n) (0x00001903u + 4 * (n))
#define MSR_IA32_PMC_FX_CTR(n)   (0x00001980u + 4 * (n))
#define MSR_IA32_PMC_FX_CFG_B(n) (0x00001982u + 4 * (n))
#define MSR_IA32_PMC_FX_CFG_C(n) (0x00001983u + 4 * (n))

/* Architectural LBRs: a set filter bit records that type of branch. */
#define MSR_IA32_LBR_INFO(n)  (0x00001200u + (n))
#define MSR_IA32_LBR_CTL      0x000014ceu
#define LBR_CTL_LBREN         MSR_BIT(0)
#define LBR_CTL_OS            MSR_BIT(1)
#define LBR_CTL_USR           MSR_BIT(2)
#define LBR_CTL_CALL_STACK    MSR_BIT(3)
#define LBR_CTL_JCC           MSR_BIT(16)
#define LBR_CTL_NEAR_REL_JMP  MSR_BIT(17)
#define LBR_CTL_NEAR_IND_JMP  MSR_BIT(18)
#define LBR_CTL_NEAR_REL_CALL MSR_BIT(19)
#define LBR_CTL_NEAR_IND_CALL MSR_BIT(20)
#define LBR_CTL_NEAR_RET      MSR_BIT(21)
#define LBR_CTL_OTHER_BRANCH  MSR_BIT(22) /* far branches, interrupts, exceptions */
#define MSR_IA32_LBR_DEPTH    0x000014cfu /* a write empties all entries */
#define MSR_IA32_LBR_FROM(n)  (0x00001500u + (n))
#define MSR_IA32_LBR_TO(n)    (0x00001600u + (n))

#define MSR_IA32_EFER 0xc0000080u
#define EFER_SCE      MSR_BIT(0)
#define EFER_LME      MSR_BIT(8)
#define EFER_LMA      MSR_BIT(10)
#define EFER_NXE      MSR_BIT(11)

/* SYSCALL: selectors, entry point, and the flags that it clears. */
#define MSR_IA32_STAR  0xc0000081u
#define MSR_IA32_LSTAR 0xc0000082u
#define MSR_IA32_FMASK 0xc0000084u

#endif
