/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/referee/referee_refused.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>

#include "model/processors/profiles.h"
#include "model/referee/referee_report.h"

#define NAME(name) [REG_##name] = #name

/* The manual's names; %u is the number of the register in its array. */
static const char *const names[] = {
    NAME(IA32_PERF_CAPABILITIES),
    NAME(IA32_MISC_ENABLE),
    NAME(IA32_DS_AREA),
    NAME(IA32_PEBS_ENABLE),
    [REG_MSR_PEBS_LD_LAT] = "MSR_PEBS_LD_LAT_THRESHOLD",
    NAME(MSR_PEBS_FRONTEND),
    NAME(MSR_PEBS_DATA_CFG),
    NAME(MSR_PERF_METRICS),
    NAME(IA32_LBR_CTL),
    NAME(IA32_LBR_DEPTH),
    NAME(IA32_DEBUGCTL),
    NAME(MSR_LASTBRANCH_TOS),
    NAME(MSR_LBR_SELECT),
    NAME(IA32_FIXED_CTR_CTRL),
    NAME(IA32_PERF_GLOBAL_CTRL),
    NAME(MSR_OFFCORE_RSP_0),
    NAME(MSR_OFFCORE_RSP_1),
    NAME(MSR_OMR_0),
    NAME(MSR_OMR_1),
    NAME(MSR_OMR_2),
    NAME(MSR_OMR_3),
    NAME(MSR_SNOOP_RSP_0),
    NAME(MSR_SNOOP_RSP_1),
    NAME(MSR_PEBS_MATRIX_VERT),
    NAME(MSR_TC_PRECISE_EVENT),
    NAME(MSR_LER_FROM_LIP),
    NAME(MSR_LER_TO_LIP),
    NAME(MSR_SMI_COUNT),
    NAME(IA32_PEBS_BASE),
    NAME(IA32_PEBS_INDEX),
    NAME(IA32_RTIT_CTL),
    NAME(IA32_TSC_ADJUST),
    NAME(IA32_PERF_GLOBAL_STATUS),
    NAME(IA32_PERF_GLOBAL_STATUS_RESET),
    NAME(IA32_PERF_GLOBAL_STATUS_SET),
    NAME(IA32_PERF_GLOBAL_INUSE),
    [REG_IA32_PMC] = "IA32_PMC%u",
    [REG_IA32_A_PMC] = "IA32_A_PMC%u",
    [REG_IA32_PERFEVTSEL] = "IA32_PERFEVTSEL%u",
    [REG_IA32_FIXED_CTR] = "IA32_FIXED_CTR%u",
    [REG_IA32_PMC_CFG_B] = "IA32_PMC_GP%u_CFG_B",
    [REG_IA32_PMC_CFG_C] = "IA32_PMC_GP%u_CFG_C",
    [REG_IA32_FIXED_CFG_B] = "IA32_PMC_FX%u_CFG_B",
    [REG_IA32_FIXED_CFG_C] = "IA32_PMC_FX%u_CFG_C",
    [REG_LASTBRANCH_FROM] = "MSR_LASTBRANCH_%u_FROM_IP",
    [REG_LASTBRANCH_TO] = "MSR_LASTBRANCH_%u_TO_IP",
    [REG_LASTBRANCH_INFO] = "MSR_LBR_INFO_%u",
    [REG_LASTBRANCH_BOTH] = "MSR_LASTBRANCH_%u",
    [REG_NETBURST_COUNTER] = "counter of NetBurst",
    [REG_NETBURST_CCCR] = "CCCR of NetBurst",
    [REG_NETBURST_ESCR] = "ESCR of NetBurst",
    [REG_IA32_LBR_FROM] = "IA32_LBR_%u_FROM_IP",
    [REG_IA32_LBR_TO] = "IA32_LBR_%u_TO_IP",
    [REG_IA32_LBR_INFO] = "IA32_LBR_%u_INFO",
};

static bool is_named(const struct profile_msr *m)
{
    return m != NULL && m->reg < sizeof(names) / sizeof(names[0]) && names[m->reg] != NULL;
}

/* The row of the register at this address; if this processor lacks it, the row of the last one that has it; or NULL. */
static const struct profile_msr *row_of(const struct profile *profile, uint32_t address)
{
    const struct profile_msr *const own = profile_find_msr(profile, address), *row = NULL;

    if (is_named(own))
        return own;
    for (unsigned i = 0; profile_at(i) != NULL; i++) {
        for (unsigned k = 0; profile_kind(profile_at(i), k) != NULL; k++) {
            const struct profile_msr *const other = profile_find_msr(profile_kind(profile_at(i), k), address);

            row = is_named(other) ? other : row;
        }
    }
    return row;
}

static void report(struct vcpu *v, const char *instruction, uint32_t address, uint64_t ip, const char *why, ...)
    __attribute__((format(printf, 5, 6)));
static void report(struct vcpu *v, const char *instruction, uint32_t address, uint64_t ip, const char *why, ...)
{
    char what[24], name[40] = "the register", reason[80];
    va_list words;

    snprintf(what, sizeof(what), "%s 0x%" PRIx32, instruction, address);
    if (!referee_report_wanted(v) || referee_report_is_omitted(v, REFUSED, ip, 0, what))
        return;
    const struct profile_msr *const m = row_of(v->profile, address);

    if (m != NULL)
        snprintf(name, sizeof(name), names[m->reg], profile_msr_number(m, address));
    va_start(words, why);
    vsnprintf(reason, sizeof(reason), why, words);
    va_end(words);
    fprintf(v->violations, "%srefused vcpu=%u rip=0x%" PRIx64 " %s: %s %s\n", referee_report_break(v), v->number, ip,
            what, name, reason);
}

void referee_ignored_write(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value, uint64_t ip)
{
    if (m->reg == REG_IA32_PERFEVTSEL && (value & m->ignored))
        referee_report(v, ANY_THREAD_IGNORED, ip, value, "IA32_PERFEVTSEL%u", i);
    if (m->reg == REG_IA32_FIXED_CTR_CTRL && (value & m->ignored))
        referee_report(v, ANY_THREAD_IGNORED, ip, value, "IA32_FIXED_CTR_CTRL");
    if (m->reg == REG_IA32_PEBS_ENABLE && (value & m->ignored & PEBS_ENABLE_COUNTERS))
        referee_report(v, PEBS_ENABLE_IGNORED, ip, value, "IA32_PEBS_ENABLE");
    if (m->reg == REG_IA32_DEBUGCTL && (value & m->ignored & DEBUGCTL_LBR) && !v->lbr.on) {
        v->referee.lbr_register = "IA32_DEBUGCTL";
        v->referee.lbr_value = value;
        v->referee.lbr_ip = ip;
    }
}

void referee_refused_read(struct vcpu *v, uint32_t address, uint64_t ip)
{
    report(v, "rdmsr", address, ip, "is absent");
}

void referee_refused_write(struct vcpu *v, const struct profile_msr *m, bool exists, uint32_t address, uint64_t value,
                           uint64_t ip)
{
    static const char *const checks[] = {
        [CHECK_BITS] = "is refused",
        [CHECK_CANONICAL] = "is not canonical",
        [CHECK_FLAG_AND_ADDRESS] = "is not canonical",
        [CHECK_LBR_DEPTH] = "is not a depth of this processor",
        [CHECK_PHYSICAL] = "is above the highest physical address",
    };
    const uint64_t reserved = value & ~(m->writable | m->ignored);

    if (!exists)
        report(v, "wrmsr", address, ip, "0x%" PRIx64 " is absent", value);
    else if (m->read_only)
        report(v, "wrmsr", address, ip, "0x%" PRIx64 " is read-only", value);
    else if (m->reg == REG_IA32_PEBS_ENABLE && (reserved & PEBS_ENABLE_OUTPUT))
        report(v, "wrmsr", address, ip, "0x%" PRIx64 " has bits of PEBS output to Intel PT", value);
    else if (reserved != 0)
        report(v, "wrmsr", address, ip, "0x%" PRIx64 " has reserved bits 0x%" PRIx64, value, reserved);
    else
        report(v, "wrmsr", address, ip, "0x%" PRIx64 " %s", value, checks[m->check]);
}
