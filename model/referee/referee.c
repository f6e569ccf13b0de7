/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When to look, what is said, and the rules on interrupts and control registers. */
#include <inttypes.h>

#include "model/referee/referee_parts.h"

#define LVT_MASKED        (1u << 16)
#define LVT_LEVEL         (1u << 15)
#define LVT_DELIVERY(lvt) ((lvt) >> 8 & 7)
#define LVT_VECTOR(lvt)   ((lvt)&0xff)
#define DELIVERY_FIXED    0
#define DELIVERY_NMI      4
#define FIRST_FREE_VECTOR 32

#define SDM            "SDM Vol. 3B (253669-083), "
#define SETTING_UP     SDM "\"Setting Up the DS Save Area\""
#define SETTING_UP_BTS SDM "\"Setting Up the BTS Buffer\""
#define PER_PROCESSOR  SDM "\"DS Save Area\""
#define DS_FIELDS      SDM "\"Debug Store (DS) Mechanism\""
#define SERVICE        SDM "\"Writing the DS Interrupt Service Routine\""
#define FREEZE         SDM "\"Freezing LBR and Performance Counters on PMI\""
#define LBR            SDM "\"LBR Stack\""
#define PEBS           SDM "\"Processor Event Based Sampling (PEBS)\""
#define RECONFIGURING  SDM "\"Re-configuring PEBS Facilities\""
#define ADAPTIVE       SDM "\"Adaptive PEBS\""
#define LATENCY        SDM "\"Load Latency Performance Monitoring Facility\""
#define STORE          SDM "\"Precise Store Facility\""
#define COUNTERS       SDM "\"Architectural Performance Monitoring Version 1\""
#define LVT            "SDM Vol. 3A (253668-083), \"Local Vector Table\""
#define VECTORS        "SDM Vol. 3A (253668-083), \"Valid Interrupt Vectors\""
#define NETBURST       "SDM Vol. 3B (253669-059), \"Performance Monitoring (... Intel NetBurst Microarchitecture)\""
#define AUX            "Linux 5.12, \"perf/x86/intel: Add perf core PMU support for Sapphire Rapids\""

enum severity { DEMAND, ADVICE };

static const struct {
    const char *name, *sentence, *citation;
    enum severity severity;
} rules[VIOLATIONS] = {
#define VIOLATION(id, name, severity, sentence, citation) [id] = { name, sentence, citation, severity },
#include "model/referee/referee.inc"
#undef VIOLATION
};

void referee_report(struct vcpu *v, enum violation violation, uint64_t ip)
{
    if (!referee_wanted(v) || v->reported[violation] == ip + 1) {
        return; /* the same once more */
    }
    v->reported[violation] = ip + 1;
    fprintf(v->violations, "%s vcpu=%u rip=0x%" PRIx64 " %s: %s [%s]\n",
            rules[violation].severity == ADVICE ? "advice" : "violation", v->number, ip, rules[violation].name,
            rules[violation].sentence, rules[violation].citation);
}

const char *referee_name(unsigned index)
{
    return index < VIOLATIONS ? rules[index].name : NULL;
}

uint64_t referee_active_counters(const struct vcpu *v)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < v->profile->general_counters + v->profile->fixed_counters; i++) {
        mask |= v->counters[i].active ? UINT64_C(1) << i : 0;
    }
    return mask;
}

uint64_t referee_pebs_counters(const struct vcpu *v)
{
    unsigned fixed = v->profile->pebs_adaptive ? v->profile->fixed_counters : 0;
    uint64_t enabled = is_netburst(v) ? netburst_pebs_counters(v) : v->regs[REG_IA32_PEBS_ENABLE];
    uint64_t mask = 0;

    for (unsigned i = 0; i < v->profile->general_counters + fixed; i++) {
        mask |= enabled & counter_bit(v, i) ? UINT64_C(1) << i : 0;
    }
    return mask & referee_active_counters(v);
}

/* A handler may enable everything again before it takes back the mask bit that delivery has set. */
void referee_check_lvtpc(struct vcpu *v, uint64_t ip)
{
    uint32_t lvtpc = v->host->lvtpc(v->cpu);
    bool masked = lvtpc & LVT_MASKED;
    bool fixed = LVT_DELIVERY(lvtpc) == DELIVERY_FIXED;

    v->masked_by_pmi = v->masked_by_pmi && masked;
    if (!v->host->apic_enabled(v->cpu)) {
        referee_report(v, APIC_DISABLED, ip);
    }
    if (masked && !v->masked_by_pmi) {
        referee_report(v, LVTPC_MASKED, ip);
    } else if (!fixed && LVT_DELIVERY(lvtpc) != DELIVERY_NMI) {
        referee_report(v, LVTPC_DELIVERY_MODE, ip);
    } else if (fixed) {
        if (lvtpc & LVT_LEVEL) {
            referee_report(v, LVTPC_TRIGGER_MODE, ip);
        }
        if (LVT_VECTOR(lvtpc) < FIRST_FREE_VECTOR) {
            referee_report(v, LVTPC_VECTOR, ip);
        }
    }
}

struct referee_before referee_before(const struct vcpu *v)
{
    return (struct referee_before){ .bts = bts_on(v),
                                    .lbr = lbr_on(v),
                                    .pebs = referee_pebs_counters(v),
                                    .active = referee_active_counters(v),
                                    .debugctl = v->regs[REG_IA32_DEBUGCTL],
                                    .global_ctrl = v->regs[REG_IA32_PERF_GLOBAL_CTRL] };
}

/* At CPL 0, where registers are read and written: a stack that leaves the kernel out stands still there. */
static bool lbr_moves(const struct vcpu *v)
{
    return lbr_on(v) && !(v->regs[REG_MSR_LBR_SELECT] & LBR_SELECT_CPL_EQ_0);
}

static bool of_lbr_stack(enum model_register reg)
{
    switch (reg) {
    case REG_MSR_LASTBRANCH_TOS:
    case REG_LASTBRANCH_FROM:
    case REG_LASTBRANCH_TO:
    case REG_LASTBRANCH_INFO:
    case REG_LASTBRANCH_BOTH:
    case REG_IA32_LBR_FROM:
    case REG_IA32_LBR_TO:
    case REG_IA32_LBR_INFO:
        return true;
    default:
        return false;
    }
}

void referee_read(struct vcpu *v, enum model_register reg, uint64_t ip)
{
    if (lbr_moves(v) && of_lbr_stack(reg)) {
        referee_report(v, LBR_ACCESSED, ip);
    }
}

static void check_counter_write(struct vcpu *v, unsigned i, uint64_t ip)
{
    if (referee_pebs_counters(v) >> i & 1) {
        referee_report(v, PEBS_RECONFIGURED, ip);
    }
}

/* Whether a PEBS counter of this kind of event is counting. */
static bool samples(const struct vcpu *v, enum event_kind kind)
{
    for (uint64_t left = referee_pebs_counters(v); left != 0; left &= left - 1) {
        if (v->counters[__builtin_ctzll(left)].event_class / EVENT_QUALIFIERS == kind) {
            return true;
        }
    }
    return false;
}

static bool samples_adaptively(const struct vcpu *v)
{
    for (uint64_t left = referee_pebs_counters(v); left != 0; left &= left - 1) {
        if (v->counters[__builtin_ctzll(left)].adaptive) {
            return true;
        }
    }
    return false;
}

void referee_write(struct vcpu *v, enum model_register reg, unsigned i, uint64_t value, uint64_t ip)
{
    if (!referee_wanted(v)) {
        return;
    }
    if ((bts_on(v) || referee_pebs_counters(v) != 0) && engine_read_ds(v)) {
        referee_area_read(v, ip);
    }
    if (lbr_moves(v) && of_lbr_stack(reg)) {
        referee_report(v, LBR_ACCESSED, ip);
    }
    switch (reg) {
    case REG_IA32_DS_AREA:
        if (bts_on(v) || referee_pebs_counters(v) != 0) {
            referee_report(v, DS_AREA_CHANGED, ip);
        }
        break;
    case REG_IA32_FIXED_CTR:
        check_counter_write(v, v->profile->general_counters + i, ip);
        break;
    case REG_IA32_PERFEVTSEL:
        if (value & EVTSEL_EN) {
            check_counter_write(v, i, ip);
            if (!(value & (EVTSEL_OS | EVTSEL_USR))) {
                referee_report(v, COUNTER_NO_RING, ip);
            }
        }
        break;
    case REG_IA32_PMC:
    case REG_IA32_A_PMC:
        check_counter_write(v, i, ip);
        break;
    case REG_MSR_PEBS_LD_LAT:
        if (samples(v, EVENT_LOAD_LATENCY)) {
            referee_report(v, PEBS_RECONFIGURED, ip);
        }
        break;
    case REG_MSR_PEBS_DATA_CFG:
        if (samples_adaptively(v)) {
            referee_report(v, PEBS_DATA_CFG_CHANGED, ip);
        }
        break;
    case REG_NETBURST_COUNTER:
        check_counter_write(v, i, ip);
        break;
    case REG_NETBURST_CCCR:
        if (value & CCCR_ENABLE) {
            check_counter_write(v, i, ip);
            if (value & CCCR_OVF) {
                referee_report(v, STATUS_NOT_ACKNOWLEDGED, ip);
            }
        }
        break;
    case REG_IA32_PERF_GLOBAL_STATUS_RESET:
        v->unacknowledged &= ~value;
        break;
    default:
        break;
    }
}

static void check_debugctl(struct vcpu *v, uint64_t before, uint64_t ip)
{
    const struct profile_debugctl *bits = v->profile->debugctl;
    const uint64_t set = v->regs[REG_IA32_DEBUGCTL] & ~before;

    if ((set & bits->bts) && !debugctl_has(v, bits->tr)) {
        referee_report(v, BTS_WITHOUT_TR, ip);
    }
    if ((set & bits->tr) && !debugctl_has(v, bits->bts)) {
        referee_report(v, TR_WITHOUT_BTS, ip);
    }
    if ((set & bits->lbr) && (v->status & STATUS_LBR_FRZ)) {
        referee_report(v, STILL_FROZEN, ip);
    }
}

/* Counting goes on, or begins: IA32_PERF_GLOBAL_CTRL was zero. */
static void check_resumption(struct vcpu *v, uint64_t ip)
{
    if (v->status & STATUS_CTR_FRZ) {
        referee_report(v, STILL_FROZEN, ip);
    }
    if (v->unacknowledged != 0) {
        referee_report(v, STATUS_NOT_ACKNOWLEDGED, ip);
        v->unacknowledged = 0;
    }
}

void referee_after(struct vcpu *v, const struct referee_before *before, enum model_register reg, uint64_t ip)
{
    const struct profile_debugctl *bits = v->profile->debugctl;
    const uint64_t pebs = referee_pebs_counters(v);
    const bool bts_begins = bts_on(v) && !before->bts;

    if (!referee_wanted(v)) {
        return;
    }
    if (reg == REG_IA32_DEBUGCTL) {
        check_debugctl(v, before->debugctl, ip);
    }
    if (reg == REG_IA32_PERF_GLOBAL_CTRL && before->global_ctrl == 0 && v->regs[REG_IA32_PERF_GLOBAL_CTRL] != 0) {
        check_resumption(v, ip);
    }
    if (bts_begins || (pebs & ~before->pebs) != 0) {
        referee_check_area(v, ip);
    }
    if (bts_begins && bits->bts_off_os != 0 && debugctl_has(v, bits->bts_off_os) &&
        debugctl_has(v, bits->bts_off_usr)) {
        referee_report(v, BTS_OFF_BOTH, ip);
    }
    if (reg == REG_IA32_PEBS_ENABLE && (pebs & ~before->pebs & before->active) != 0) {
        referee_report(v, PEBS_ENABLED_WHILE_COUNTING, ip);
    }
    referee_check_pebs(v, pebs & ~before->pebs, ip);
    if (referee_active_counters(v) & ~before->active) {
        referee_check_counting(v, ip);
    }
    v->watching_area = (bts_on(v) || pebs != 0) && engine_read_ds(v);
    v->seen = v->ds;
}

/* In its own handler a PMI meets the mask by right: that is what the mask is for, until everything has been stopped. */
static bool handler_is_over(struct vcpu *v)
{
    return v->masked_by_pmi && v->pmi_fixed && !v->pmi_under_way &&
           v->host->in_service(v->cpu, v->pmi_vector) == NOT_IN_SERVICE;
}

void referee_pmi(struct vcpu *v, uint32_t lvtpc, uint64_t ip)
{
    if (!referee_wanted(v)) {
        return;
    }
    if (lvtpc & LVT_MASKED) {
        if (handler_is_over(v)) {
            referee_report(v, PMI_LOST, ip);
        }
        return;
    }
    if (v->unacknowledged != 0) {
        referee_report(v, STATUS_NOT_ACKNOWLEDGED, ip);
    }
    if (v->profile->perfmon_version >= 2) {
        v->unacknowledged = v->status & ~(STATUS_LBR_FRZ | STATUS_CTR_FRZ);
    }
    v->pmi_fixed = LVT_DELIVERY(lvtpc) == DELIVERY_FIXED;
    v->pmi_under_way = v->pmi_fixed;
    v->pmi_vector = (uint8_t)LVT_VECTOR(lvtpc);
}

void referee_handler(struct vcpu *v, uint64_t ip)
{
    if (!v->pmi_under_way || v->host->in_service(v->cpu, v->pmi_vector) != IN_SERVICE) {
        return;
    }
    v->pmi_under_way = false;
    if (v->host->interrupts_on(v->cpu)) {
        referee_report(v, PMI_GATE, ip);
    }
}
