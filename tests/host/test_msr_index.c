/* SPDX-License-Identifier: MIT */
/*
 * Registers' numbers and bits as the manual's tables have them: SDM Vol. 4 (335592-081), tables 2-2, 2-20 and 2-39; the
 * figures of SDM Vol. 3B (253669-081), chapters 18 and 20; NetBurst's of SDM Vol. 3B (253669-059), 18.15, and chapter
 * 35.
 */
#include "tests/host/host_test.h"

#include "cpu/msr_index.h"

struct number {
    const char *name;
    uint64_t value, manual;
};
#define IS(name, manual)              \
    {                                 \
#name, name, UINT64_C(manual) \
    }

static const struct number numbers[] = {
    IS(MSR_IA32_APIC_BASE, 0x1b),
    IS(APIC_BASE_BSP, 0x100),
    IS(APIC_BASE_X2APIC, 0x400),
    IS(APIC_BASE_ENABLE, 0x800),
    IS(APIC_BASE_ADDRESS, 0xffffffffff000), /* up to the 52 bits that an address may have */
    IS(MSR_IA32_BIOS_SIGN_ID, 0x8b),
    IS(MSR_IA32_XAPIC_DISABLE_STATUS, 0xbd),
    IS(LEGACY_XAPIC_DISABLED, 0x1),
    IS(MSR_IA32_ARCH_CAPABILITIES, 0x10a),
    IS(ARCH_CAP_XAPIC_DISABLE_STATUS, 0x200000),
    IS(MSR_X2APIC, 0x800),
    IS(MSR_IA32_PMC(0), 0xc1),
    IS(MSR_IA32_PMC(7), 0xc8),
    IS(MSR_IA32_A_PMC(0), 0x4c1),
    IS(MSR_IA32_A_PMC(7), 0x4c8),
    /* figure "Layout of IA32_PERFEVTSELx MSRs" */
    IS(MSR_IA32_PERFEVTSEL(0), 0x186),
    IS(MSR_IA32_PERFEVTSEL(7), 0x18d),
    IS(PERFEVTSEL_USR, 0x10000),
    IS(PERFEVTSEL_OS, 0x20000),
    IS(PERFEVTSEL_INT, 0x100000),
    IS(PERFEVTSEL_EN, 0x400000),
    IS(PERFEVTSEL_INV, 0x800000),
    IS(PERFEVTSEL_ADAPTIVE, 0x400000000),
    IS(MSR_IA32_SYSENTER_CS, 0x174),
    IS(MSR_IA32_SYSENTER_EIP, 0x176),
    IS(MSR_IA32_MISC_ENABLE, 0x1a0),
    IS(MISC_ENABLE_LIMIT_CPUID, 0x400000),
    /* table "MSR_LBR_SELECT" */
    IS(MSR_LBR_SELECT, 0x1c8),
    IS(LBR_SELECT_CPL_EQ_0, 0x1),
    IS(LBR_SELECT_CPL_NEQ_0, 0x2),
    IS(LBR_SELECT_JCC, 0x4),
    IS(LBR_SELECT_NEAR_REL_CALL, 0x8),
    IS(LBR_SELECT_NEAR_IND_CALL, 0x10),
    IS(LBR_SELECT_NEAR_RET, 0x20),
    IS(LBR_SELECT_NEAR_IND_JMP, 0x40),
    IS(LBR_SELECT_NEAR_REL_JMP, 0x80),
    IS(LBR_SELECT_FAR_BRANCH, 0x100),
    IS(LBR_SELECT_CALL_STACK, 0x200),
    IS(MSR_LASTBRANCH_TOS, 0x1c9),
    IS(MSR_IA32_DEBUGCTL, 0x1d9),
    IS(DEBUGCTL_LBR, 0x1),
    IS(DEBUGCTL_FREEZE_WHILE_SMM, 0x4000),
    IS(MSR_IA32_PAT, 0x277),
    /* NetBurst: tables of counters, CCCRs and ESCRs, and figures "CCCR" and "ESCR" */
    IS(MSR_BPU_COUNTER0, 0x300),
    IS(MSR_IQ_COUNTER0, 0x30c),
    IS(MSR_IQ_COUNTER4, 0x310),
    IS(NETBURST_COUNTER_MASK, 0xffffffffff),
    IS(MSR_BPU_CCCR0, 0x360),
    IS(NETBURST_CCCRS, 18),
    IS(MSR_IQ_CCCR0, 0x36c),
    IS(MSR_IQ_CCCR4, 0x370),
    IS(CCCR_ENABLE, 0x1000),
    IS(CCCR_SELECT(7), 0xe000),
    IS(CCCR_ACTIVE_ANY, 0x30000),
    IS(CCCR_OVF_PMI, 0x4000000),
    IS(CCCR_OVF, 0x80000000),
    IS(MSR_FSB_ESCR0, 0x3a2),
    IS(MSR_FIRM_ESCR0, 0x3a4),
    IS(MSR_MOB_ESCR0, 0x3aa),
    IS(MSR_SAAT_ESCR0, 0x3ae),
    IS(MSR_SAAT_ESCR1, 0x3af),
    IS(MSR_RAT_ESCR0, 0x3bc),
    IS(MSR_CRU_ESCR0, 0x3b8),
    IS(MSR_CRU_ESCR2, 0x3cc),
    IS(ESCR_T0_USR, 0x4),
    IS(ESCR_T0_OS, 0x8),
    IS(ESCR_TAG_ENABLE, 0x10),
    IS(ESCR_TAG_VALUE(0xf), 0x1e0),
    IS(ESCR_MASK(0xffff), 0x1fffe00),
    IS(ESCR_EVENT(0x3f), 0x7e000000),
    /* figure "Layout of IA32_FIXED_CTR_CTRL MSR" */
    IS(MSR_IA32_FIXED_CTR(0), 0x309),
    IS(MSR_IA32_FIXED_CTR(3), 0x30c),
    IS(MSR_IA32_PERF_CAPABILITIES, 0x345),
    IS(MSR_IA32_FIXED_CTR_CTRL, 0x38d),
    IS(FIXED_CTR_CTRL_OS(0), 0x1),
    IS(FIXED_CTR_CTRL_USR(0), 0x2),
    IS(FIXED_CTR_CTRL_PMI(0), 0x8),
    IS(FIXED_CTR_CTRL_ADAPTIVE(0), 0x100000000),
    IS(FIXED_CTR_CTRL_ALL(0), 0xf0000000f),
    IS(FIXED_CTR_CTRL_OS(2), 0x100),
    IS(FIXED_CTR_CTRL_USR(2), 0x200),
    IS(FIXED_CTR_CTRL_PMI(2), 0x800),
    IS(FIXED_CTR_CTRL_ADAPTIVE(2), 0x10000000000),
    IS(FIXED_CTR_CTRL_ALL(2), 0xf0000000f00),
    /* figure "IA32_PERF_GLOBAL_STATUS MSR" */
    IS(MSR_IA32_PERF_GLOBAL_STATUS, 0x38e),
    IS(GLOBAL_STATUS_LBR_FRZ, 0x400000000000000),
    IS(GLOBAL_STATUS_CTR_FRZ, 0x800000000000000),
    IS(GLOBAL_STATUS_DS_BUFFER, 0x4000000000000000),
    IS(GLOBAL_STATUS_COND_CHGD, 0x8000000000000000),
    IS(MSR_IA32_PERF_GLOBAL_CTRL, 0x38f),
    IS(MSR_IA32_PERF_GLOBAL_OVF_CTRL, 0x390),
    IS(MSR_IA32_PERF_GLOBAL_STATUS_SET, 0x391),
    IS(MSR_IA32_PERF_GLOBAL_INUSE, 0x392),
    /* figures "Layout of IA32_PEBS_ENABLE MSR" and "Layout of MSR_PEBS_LD_LAT MSR", table "MSR_PEBS_CFG Programming" */
    IS(MSR_PEBS_ENABLE, 0x3f1),
    IS(PEBS_ENABLE_LL(0), 0x100000000),
    IS(PEBS_ENABLE_LL(3), 0x800000000),
    IS(PEBS_ENABLE_FIXED(0), 0x100000000),
    IS(PEBS_ENABLE_FIXED(3), 0x800000000),
    IS(PEBS_ENABLE_UOP_TAG, 0x1000000),
    IS(PEBS_ENABLE_MY_THR, 0x2000000),
    IS(PEBS_ENABLE_PS, 0x8000000000000000),
    IS(MSR_PEBS_MATRIX_VERT, 0x3f2),
    IS(MSR_PEBS_LD_LAT_THRESHOLD, 0x3f6),
    IS(MSR_PEBS_FRONTEND, 0x3f7),
    IS(PEBS_FRONTEND_L1I_MISS, 0x12), /* Intel's event files: FRONTEND_RETIRED.L1I_MISS */
    IS(MSR_PEBS_DATA_CFG, 0x3f2),
    IS(PEBS_DATA_CFG_MEMORY, 0x1),
    IS(PEBS_DATA_CFG_GPRS, 0x2),
    IS(PEBS_DATA_CFG_XMMS, 0x4),
    IS(PEBS_DATA_CFG_LBRS, 0x8),
    IS(PEBS_DATA_CFG_ALL, 0xf),
    IS(PEBS_DATA_CFG_COUNTERS, 0x10),
    IS(PEBS_DATA_CFG_METRICS, 0x20),
    IS(PEBS_DATA_CFG_GENERAL(1), 0x100000000),
    IS(PEBS_DATA_CFG_FIXED(1), 0x1000000000000),
    IS(MSR_PERF_METRICS, 0x329),
    IS(PERF_GLOBAL_CTRL_METRICS, 0x1000000000000),
    IS(PERF_CAP_METRICS, 0x8000),
    IS(PEBS_DATA_CFG_LBR_COUNT(1), 0),
    IS(PEBS_DATA_CFG_LBR_COUNT(32), 0x1f000000),
    /* Intel Architecture Instruction Set Extensions Programming Reference (319433), chapter 11 "Architectural PEBS" */
    IS(MSR_IA32_PEBS_BASE, 0x3f4),
    IS(PEBS_BASE_SIZE, 0xf),
    IS(PEBS_BASE_ADDRESS, 0xffffffffff000),
    IS(MSR_IA32_PEBS_INDEX, 0x3f5),
    IS(PEBS_INDEX_WR, 0x7fffff0),
    IS(PEBS_INDEX_FULL, 0x80000000),
    IS(PEBS_INDEX_EN, 0x100000000),
    IS(PEBS_INDEX_THRESH(0x10), 0x1000000000),
    IS(PEBS_INDEX_THRESH_FIELD, 0x7fffff000000000),
    IS(GLOBAL_STATUS_PEBS, 0x40000000000000),
    IS(MSR_IA32_PMC_GP_CTR(0), 0x1900),
    IS(MSR_IA32_PMC_GP_CTR(7), 0x191c),
    IS(MSR_IA32_PMC_GP_CFG_A(1), 0x1905),
    IS(MSR_IA32_PMC_GP_CFG_B(2), 0x190a),
    IS(MSR_IA32_PMC_GP_CFG_C(7), 0x191f),
    IS(MSR_IA32_PMC_FX_CTR(6), 0x1998),
    IS(MSR_IA32_PMC_FX_CFG_B(0), 0x1982),
    IS(MSR_IA32_PMC_FX_CFG_C(6), 0x199b),
    IS(MSR_IA32_DS_AREA, 0x600),
    /* figures "IA32_LBR_CTL MSR" and of its neighbours */
    IS(MSR_IA32_LBR_INFO(0), 0x1200),
    IS(MSR_IA32_LBR_INFO(31), 0x121f),
    IS(MSR_IA32_LBR_CTL, 0x14ce),
    IS(LBR_CTL_LBREN, 0x1),
    IS(LBR_CTL_OS, 0x2),
    IS(LBR_CTL_USR, 0x4),
    IS(LBR_CTL_CALL_STACK, 0x8),
    IS(LBR_CTL_JCC, 0x10000),
    IS(LBR_CTL_NEAR_REL_JMP, 0x20000),
    IS(LBR_CTL_NEAR_IND_JMP, 0x40000),
    IS(LBR_CTL_NEAR_REL_CALL, 0x80000),
    IS(LBR_CTL_NEAR_IND_CALL, 0x100000),
    IS(LBR_CTL_NEAR_RET, 0x200000),
    IS(LBR_CTL_OTHER_BRANCH, 0x400000),
    IS(MSR_IA32_LBR_DEPTH, 0x14cf),
    IS(MSR_IA32_LBR_FROM(0), 0x1500),
    IS(MSR_IA32_LBR_FROM(31), 0x151f),
    IS(MSR_IA32_LBR_TO(0), 0x1600),
    IS(MSR_IA32_LBR_TO(31), 0x161f),
    /* table 2-2: IA32_EFER and SYSCALL */
    IS(MSR_IA32_EFER, 0xc0000080),
    IS(EFER_SCE, 0x1),
    IS(EFER_LME, 0x100),
    IS(EFER_LMA, 0x400),
    IS(EFER_NXE, 0x800),
    IS(MSR_IA32_STAR, 0xc0000081),
    IS(MSR_IA32_LSTAR, 0xc0000082),
    IS(MSR_IA32_FMASK, 0xc0000084),
};

static void as_the_manual_has_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (numbers[i].value != numbers[i].manual)
            fail_msg("%s is %llx, must be %llx", numbers[i].name, (unsigned long long)numbers[i].value,
                     (unsigned long long)numbers[i].manual);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_the_manual_has_them) };
    return cmocka_run_group_tests_name("msr_index", tests, NULL, NULL);
}
