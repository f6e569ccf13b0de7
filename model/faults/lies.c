/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/faults/lies.h"

#include <stddef.h>
#include <string.h>

#include "model/faults/broken.h"

#define CPUID_1_EDX_APIC   (UINT32_C(1) << 9)
#define CPUID_0A_EAX_COUNT UINT32_C(0x0000ff00)
#define CAPABILITIES_PEBS  (UINT64_C(0xf) << 8)
#define CAPABILITIES_PEBS_LAST \
    (UINT64_C(0xe) << 8) /* 0FH is architectural PEBS; below that, formats are defined up to 6 */
#define CAPABILITIES_LBR      UINT64_C(0x3f)
#define CAPABILITIES_LBR_LAST UINT64_C(0x3e) /* 3FH is architectural LBRs */

static const struct {
    const char *name, *sentence;
} table[LIES] = {
    [LIE_INERT] = { "inert", "every register holds what is written, and nothing is ever counted, recorded or raised" },
    [LIE_MSR_FAULTS] = { "msr_faults", "every register of the debug store and of performance monitoring raises #GP" },
    [LIE_MISC_ENABLE_FAULTS] = { "misc_enable_faults", "IA32_MISC_ENABLE raises #GP" },
    [LIE_CAPABILITIES_FAULT] = { "capabilities_fault", "IA32_PERF_CAPABILITIES raises #GP" },
    [LIE_DS_AREA_FAULTS] = { "ds_area_faults", "IA32_DS_AREA raises #GP" },
    [LIE_DS_AREA_DROPPED] = { "ds_area_dropped", "IA32_DS_AREA takes every value and stays 0" },
    [LIE_PEBS_ENABLE_FAULTS] = { "pebs_enable_faults", "IA32_PEBS_ENABLE raises #GP" },
    [LIE_GLOBAL_CTRL_FAULTS] = { "global_ctrl_faults", "IA32_PERF_GLOBAL_CTRL and related registers raise #GP" },
    [LIE_COUNTERS_FAULT] = { "counters_fault", "the general counters and their event selects raise #GP" },
    [LIE_DEBUGCTL_FAULTS] = { "debugctl_faults", "IA32_DEBUGCTL raises #GP" },
    [LIE_LBR_STACK_FAULTS] = { "lbr_stack_faults", "the LBR stack raises #GP, its top-of-stack pointer included" },
    [LIE_PEBS_FORMAT_UNKNOWN] = { "pebs_format_unknown", "IA32_PERF_CAPABILITIES names an undefined PEBS format" },
    [LIE_LBR_FORMAT_UNKNOWN] = { "lbr_format_unknown", "IA32_PERF_CAPABILITIES names an undefined LBR format" },
    [LIE_NO_COUNTERS] = { "no_counters", "CPUID.0AH says that there are no general counters" },
    [LIE_NO_APIC] = { "no_apic", "CPUID.1:EDX says that there is no local APIC" },
};

const char *lie_name(unsigned index)
{
    return index < LIES ? table[index].name : NULL;
}

const char *lie_sentence(unsigned index)
{
    return index < LIES ? table[index].sentence : NULL;
}

const char *lies_parse(uint32_t *lies, const char *list)
{
    for (;; list++) {
        size_t length = strcspn(list, ",");
        unsigned i = 0;

        while (i < LIES && (strlen(table[i].name) != length || memcmp(table[i].name, list, length) != 0)) {
            i++;
        }
        if (i == LIES) {
            return list;
        }
        *lies |= UINT32_C(1) << i;
        list += length;
        if (*list == '\0') {
            return NULL;
        }
    }
}

static bool told(const struct vcpu *v, enum lie lie)
{
    return broken(v)->lies >> lie & 1;
}

/* The lie that withholds a register; LIES if none does. */
static enum lie keeper(unsigned reg)
{
    switch (reg) {
    case REG_IA32_MISC_ENABLE:
        return LIE_MISC_ENABLE_FAULTS;
    case REG_IA32_PERF_CAPABILITIES:
        return LIE_CAPABILITIES_FAULT;
    case REG_IA32_DS_AREA:
        return LIE_DS_AREA_FAULTS;
    case REG_IA32_PEBS_ENABLE:
        return LIE_PEBS_ENABLE_FAULTS;
    case REG_IA32_PERF_GLOBAL_CTRL:
    case REG_IA32_PERF_GLOBAL_STATUS:
    case REG_IA32_PERF_GLOBAL_STATUS_RESET:
    case REG_IA32_PERF_GLOBAL_STATUS_SET:
        return LIE_GLOBAL_CTRL_FAULTS;
    case REG_IA32_PMC:
    case REG_IA32_A_PMC:
    case REG_IA32_PERFEVTSEL:
    case REG_NETBURST_COUNTER:
    case REG_NETBURST_CCCR:
        return LIE_COUNTERS_FAULT;
    case REG_IA32_DEBUGCTL:
        return LIE_DEBUGCTL_FAULTS;
    case REG_MSR_LASTBRANCH_TOS:
    case REG_LASTBRANCH_FROM:
    case REG_LASTBRANCH_TO:
    case REG_LASTBRANCH_INFO:
    case REG_LASTBRANCH_BOTH:
    case REG_IA32_LBR_FROM:
    case REG_IA32_LBR_TO:
    case REG_IA32_LBR_INFO:
        return LIE_LBR_STACK_FAULTS;
    default:
        return LIES;
    }
}

static bool msr_exists(const struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    const enum lie lie = keeper(m->reg);

    return rules_manual.msr_exists(v, m, i) && !told(v, LIE_MSR_FAULTS) && (lie == LIES || !told(v, lie));
}

static uint64_t msr_value(struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    uint64_t value = rules_manual.msr_value(v, m, i);

    if (m->reg == REG_IA32_DS_AREA && told(v, LIE_DS_AREA_DROPPED)) {
        return 0;
    }
    if (m->reg == REG_IA32_PERF_CAPABILITIES && told(v, LIE_PEBS_FORMAT_UNKNOWN)) {
        value = (value & ~CAPABILITIES_PEBS) | CAPABILITIES_PEBS_LAST;
    }
    if (m->reg == REG_IA32_PERF_CAPABILITIES && told(v, LIE_LBR_FORMAT_UNKNOWN)) {
        value = (value & ~CAPABILITIES_LBR) | CAPABILITIES_LBR_LAST;
    }
    return value;
}

static void cpuid_answer(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    rules_manual.cpuid_answer(v, leaf, subleaf, regs);
    if (leaf == 1 && told(v, LIE_NO_APIC)) {
        regs[3] &= ~CPUID_1_EDX_APIC;
    }
    if (leaf == 0xa && told(v, LIE_NO_COUNTERS)) {
        regs[0] &= ~CPUID_0A_EAX_COUNT;
    }
}

static bool never(const struct vcpu *v)
{
    (void)v;
    return false;
}

static void stand_still(struct vcpu *v, unsigned i)
{
    rules_manual.counters_set_up(v, i);
    v->counters[i].active = false;
}

void lies_tell(struct rules *rules, uint32_t lies)
{
    if (lies == 0) {
        return;
    }
    rules->msr_exists = msr_exists;
    rules->msr_value = msr_value;
    rules->cpuid_answer = cpuid_answer;
    if (lies >> LIE_INERT & 1) {
        rules->bts_on = never;
        rules->lbr_on = never;
        rules->counters_set_up = stand_still;
    }
}
