/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The points at which the referee checks, and its rules on interrupts and control registers. */
#include "model/referee/referee.h"

#include "model/referee/referee_arch.h"
#include "model/referee/referee_area.h"
#include "model/referee/referee_counters.h"
#include "model/referee/referee_report.h"

#define DELIVERY(lvt)  ((lvt) >> 8 & 7)
#define DELIVERY_FIXED 0
#define DELIVERY_NMI   4

#define STACK 4096 /* bytes within which a stack pointer that grows is taken for the same stack */

bool referee_watches_area(const struct vcpu *v)
{
    return referee_report_wanted(v) && (v->bts.on || vcpu_ds_pebs_counters(v) != 0);
}

struct referee_before referee_before(const struct vcpu *v)
{
    return (struct referee_before){ .bts = v->bts.on,
                                    .lbr = v->lbr.on,
                                    .pebs = vcpu_pebs_counters(v),
                                    .active = v->counting.active,
                                    .armed = referee_counters_armed(v),
                                    .qualified = referee_counters_qualified(v),
                                    .debugctl = v->regs[REG_IA32_DEBUGCTL],
                                    .lbr_ctl = v->regs[REG_IA32_LBR_CTL],
                                    .global_ctrl = v->regs[REG_IA32_PERF_GLOBAL_CTRL] };
}

/* LBR stack registers are accessed at CPL 0. A stack that filters out CPL 0 does not change meanwhile. */
static bool lbr_moves(const struct vcpu *v)
{
    return v->lbr.on && !(v->regs[REG_MSR_LBR_SELECT] & LBR_SELECT_CPL_EQ_0);
}

void referee_read(struct vcpu *v, enum model_register reg, uint64_t ip)
{
    if (v->referee.lbr_register != NULL && profile_is_lbr_stack(reg)) {
        referee_report(v, LBR_NONE, v->referee.lbr_ip, v->referee.lbr_value, "%s", v->referee.lbr_register);
        v->referee.lbr_register = NULL;
    }
    if (lbr_moves(v) && profile_is_lbr_stack(reg))
        referee_report_lbr_control(v, LBR_ACCESSED, ip);
}

/* A register of v->counters[i], named by its prefix and the number `of` that register, is written. */
static void check_counter_write(struct vcpu *v, unsigned i, const char *prefix, unsigned of, uint64_t value,
                                uint64_t ip)
{
    if (vcpu_pebs_counters(v) >> i & 1)
        referee_report(v, PEBS_RECONFIGURED, ip, value, "%s%u", prefix, of);
}

/* A fixed counter that samples gets another control, and stays on. */
static void check_fixed_control(struct vcpu *v, uint64_t value, uint64_t ip)
{
    const uint64_t changed = v->regs[REG_IA32_FIXED_CTR_CTRL] ^ value;

    for (uint64_t left = vcpu_pebs_counters(v) >> v->profile->general_counters; left != 0; left &= left - 1) {
        const unsigned shift = 4 * (unsigned)__builtin_ctzll(left);

        if ((changed >> shift & (UINT64_C(1) << FIXED_CTRL_ADAPTIVE | 0xf)) && (value >> shift & 3))
            referee_report(v, PEBS_RECONFIGURED, ip, value, "IA32_FIXED_CTR_CTRL");
    }
}

/* Whether a counter with an event of this kind is sampling. */
static bool samples(const struct vcpu *v, enum event_kind kind)
{
    for (uint64_t left = vcpu_pebs_counters(v); left != 0; left &= left - 1)
        if (vcpu_counted(&v->counters[__builtin_ctzll(left)]) == kind)
            return true;
    return false;
}

static bool samples_adaptively(const struct vcpu *v)
{
    for (uint64_t left = vcpu_pebs_counters(v); left != 0; left &= left - 1)
        if (v->counters[__builtin_ctzll(left)].adaptive)
            return true;
    return false;
}

void referee_write(struct vcpu *v, enum model_register reg, unsigned i, uint64_t value, uint64_t ip)
{
    if (!referee_report_wanted(v))
        return;
    if (lbr_moves(v) && profile_is_lbr_stack(reg))
        referee_report_lbr_control(v, LBR_ACCESSED, ip);
    switch (reg) {
    case REG_IA32_DS_AREA:
        if (v->bts.on || vcpu_ds_pebs_counters(v) != 0)
            referee_report(v, DS_AREA_CHANGED, ip, value, "IA32_DS_AREA for %s", referee_area_user(v));
        break;
    case REG_IA32_FIXED_CTR:
        check_counter_write(v, v->profile->general_counters + i, "IA32_FIXED_CTR", i, value, ip);
        referee_counters_loaded(v, v->profile->general_counters + i, value);
        break;
    case REG_IA32_FIXED_CTR_CTRL:
        check_fixed_control(v, value, ip);
        break;
    case REG_IA32_PERFEVTSEL:
        if (value & EVTSEL_EN) {
            check_counter_write(v, i, "IA32_PERFEVTSEL", i, value, ip);
            if (!(value & (EVTSEL_OS | EVTSEL_USR)) && !v->profile->one_enable)
                referee_report(v, COUNTER_NO_RING, ip, value, "IA32_PERFEVTSEL%u", i);
        }
        break;
    case REG_IA32_PMC:
    case REG_IA32_A_PMC:
    case REG_NETBURST_COUNTER:
        check_counter_write(v, i, "PMC", i, value, ip);
        referee_counters_loaded(v, i, reg == REG_IA32_PMC ? (uint64_t)(int64_t)(int32_t)value : value);
        break;
    case REG_IA32_FIXED_CFG_C:
        check_counter_write(v, v->profile->general_counters + i, "CFG_C of FIXED_CTR", i, value, ip);
        break;
    case REG_IA32_PMC_CFG_C:
        check_counter_write(v, i, "CFG_C of PMC", i, value, ip);
        break;
    case REG_IA32_PEBS_BASE:
    case REG_IA32_PEBS_INDEX:
        referee_arch_write(v, reg, value, ip);
        break;
    case REG_IA32_LBR_DEPTH:
        if (v->lbr.on)
            referee_report_lbr_control(v, LBR_DEPTH_WRITTEN, ip);
        break;
    case REG_MSR_PEBS_LD_LAT:
        if (samples(v, EVENT_LOAD_LATENCY))
            referee_report(v, PEBS_RECONFIGURED, ip, value, "MSR_PEBS_LD_LAT_THRESHOLD");
        break;
    case REG_MSR_PEBS_DATA_CFG:
        if (samples_adaptively(v))
            referee_report(v, PEBS_DATA_CFG_CHANGED, ip, value, "MSR_PEBS_DATA_CFG");
        break;
    case REG_NETBURST_CCCR:
        if (value & CCCR_ENABLE) {
            check_counter_write(v, i, "CCCR of counter ", i, value, ip);
            if (value & CCCR_OVF)
                referee_report(v, STATUS_NOT_ACKNOWLEDGED, ip, value, "CCCR of counter %u", i);
        }
        break;
    case REG_IA32_PERF_GLOBAL_STATUS_RESET:
        v->referee.unacknowledged &= ~value;
        break;
    default:
        break;
    }
}

static void check_debugctl(struct vcpu *v, uint64_t before, uint64_t ip)
{
    const struct profile_debugctl *bits = v->profile->debugctl;
    const uint64_t set = v->regs[REG_IA32_DEBUGCTL] & ~before;

    if ((set & bits->bts) && !vcpu_debugctl(v, bits->tr))
        referee_report(v, BTS_WITHOUT_TR, ip, v->regs[REG_IA32_DEBUGCTL], "IA32_DEBUGCTL");
    if (((set & bits->tr) || (before & bits->bts)) && vcpu_debugctl(v, bits->tr) && !vcpu_debugctl(v, bits->bts))
        referee_report(v, TR_WITHOUT_BTS, ip, v->regs[REG_IA32_DEBUGCTL], "IA32_DEBUGCTL");
    if ((set & bits->btint) && !vcpu_debugctl(v, bits->bts | bits->tr))
        referee_report(v, BTINT_WITHOUT_BTS, ip, v->regs[REG_IA32_DEBUGCTL], "IA32_DEBUGCTL");
    if ((set & bits->lbr) && (v->status & STATUS_LBR_FRZ))
        referee_report(v, STILL_FROZEN, ip, v->status, "IA32_PERF_GLOBAL_STATUS");
}

/* LBRs have begun, or their filter was written while they are on. lbr-none is reported when software reads the stack.
 */
static void check_lbr_filter(struct vcpu *v, uint64_t ip)
{
    const uint64_t suppressed = v->regs[REG_MSR_LBR_SELECT];
    const bool arch = v->profile->lbr_depths != 0;

    const bool none =
        (suppressed & LBR_SELECT_RINGS) == LBR_SELECT_RINGS || (suppressed & LBR_SELECT_KINDS) == LBR_SELECT_KINDS;
    const bool probe = arch && v->regs[REG_IA32_LBR_CTL] == LBR_CTL_LBREN; /* looks whether the register exists */

    if (!none && (suppressed & LBR_SELECT_EN_CALLSTACK) && (suppressed & LBR_SELECT_KINDS) != LBR_SELECT_ONLY_CALLS) {
        if (arch)
            referee_report(v, LBR_ARCH_CALL_STACK, ip, v->regs[REG_IA32_LBR_CTL], "IA32_LBR_CTL");
        else
            referee_report(v, LBR_CALL_STACK, ip, suppressed, "MSR_LBR_SELECT");
    }
    v->referee.lbr_register = !none || probe ? NULL : arch ? "IA32_LBR_CTL" : "MSR_LBR_SELECT";
    v->referee.lbr_value = arch ? v->regs[REG_IA32_LBR_CTL] : suppressed;
    v->referee.lbr_ip = ip;
}

/* Counting starts or resumes: IA32_PERF_GLOBAL_CTRL was zero. */
static void check_resumption(struct vcpu *v, uint64_t ip)
{
    if (v->status & STATUS_CTR_FRZ)
        referee_report(v, STILL_FROZEN, ip, v->status, "IA32_PERF_GLOBAL_STATUS");
    if (v->referee.unacknowledged != 0) {
        referee_report(v, STATUS_NOT_ACKNOWLEDGED, ip, v->referee.unacknowledged, "IA32_PERF_GLOBAL_STATUS");
        v->referee.unacknowledged = 0;
    }
}

void referee_after(struct vcpu *v, const struct referee_before *before, enum model_register reg, bool area_read,
                   uint64_t ip)
{
    const struct profile_debugctl *bits = v->profile->debugctl;
    const uint64_t pebs = vcpu_pebs_counters(v);
    const bool bts_begins = v->bts.on && !before->bts;

    if (!referee_report_wanted(v))
        return;
    if (reg == REG_IA32_DEBUGCTL)
        check_debugctl(v, before->debugctl, ip);
    if (reg == REG_IA32_LBR_CTL && (v->regs[reg] & ~before->lbr_ctl & LBR_CTL_LBREN) && (v->status & STATUS_LBR_FRZ))
        referee_report(v, STILL_FROZEN, ip, v->status, "IA32_PERF_GLOBAL_STATUS");
    if (v->lbr.on && (!before->lbr || reg == REG_MSR_LBR_SELECT || reg == REG_IA32_LBR_CTL))
        check_lbr_filter(v, ip);
    if (reg == REG_IA32_PERF_GLOBAL_CTRL && before->global_ctrl == 0 && v->regs[REG_IA32_PERF_GLOBAL_CTRL] != 0)
        check_resumption(v, ip);
    v->referee.off &= ~v->counting.active;
    if (reg == REG_IA32_PERF_GLOBAL_CTRL)
        referee_counters_check_enables(v, ip);
    else
        referee_counters_check_armed(v, before->armed, reg, ip);
    if (bts_begins || (vcpu_ds_pebs_counters(v) & ~before->pebs) != 0)
        referee_area_check(v, ip);
    if (vcpu_is_arch_pebs(v) && (pebs & ~before->pebs) != 0)
        referee_arch_check(v, ip);
    if (bts_begins && bits->bts_off_os != 0 && vcpu_debugctl(v, bits->bts_off_os) &&
        vcpu_debugctl(v, bits->bts_off_usr))
        referee_report(v, BTS_OFF_BOTH, ip, v->regs[REG_IA32_DEBUGCTL], "IA32_DEBUGCTL");
    if (reg == REG_IA32_PEBS_ENABLE && (pebs & ~before->pebs & before->active) != 0)
        referee_report(v, PEBS_ENABLED_WHILE_COUNTING, ip, v->regs[REG_IA32_PEBS_ENABLE], "IA32_PEBS_ENABLE");
    referee_counters_check_pebs(v, pebs & ~before->pebs, ip);
    for (uint64_t left = referee_counters_qualified(v) & ~before->qualified; left != 0; left &= left - 1)
        referee_report_select(v, PEBS_QUALIFIER, ip, (unsigned)__builtin_ctzll(left));
    if (v->counting.active & ~before->active)
        referee_counters_check(v, v->counting.active & ~before->active, ip);
    if (reg == REG_IA32_PERFEVTSEL || reg == REG_IA32_PERF_GLOBAL_CTRL)
        referee_counters_check_events(v, ip);
    if (vcpu_is_arch_pebs(v))
        referee_arch_after(v, before->active, v->counting.active, ip);
    v->referee.watching = area_read;
    v->referee.seen = v->ds.area;
}

/*
 * A masked PMI is not lost while its own handler runs: the mask bit is there to hold off PMIs until the handler has
 * disabled everything. Neither is a PMI under way lost: it may be delivered after everything was disabled.
 */
static bool is_lost(struct vcpu *v)
{
    return !v->pmi.under_way && v->referee.masked_by_pmi && v->referee.pmi_served && !v->referee.pmi_under_way &&
           v->host->in_service(v->cpu, v->referee.pmi_vector) == NOT_IN_SERVICE;
}

/* An interrupt is in service whose handler has returned: its stack frame is gone, and interrupts are enabled. */
static bool lacks_eoi(struct vcpu *v, uint64_t ip)
{
    uint64_t general[GENERAL_REGISTERS];

    if (v->referee.handler == 0 || !v->host->interrupts_on(v->cpu) ||
        v->host->in_service(v->cpu, v->referee.pmi_vector) != IN_SERVICE)
        return false;
    v->host->registers(v->cpu, ip, general);
    return general[RSP] - v->referee.handler_sp - 1 < STACK;
}

void referee_pmi(struct vcpu *v, uint32_t lvtpc, uint64_t ip)
{
    if (!referee_report_wanted(v))
        return;
    if (v->referee.pmi_vector != HOST_NMI && lacks_eoi(v, ip))
        referee_report(v, PMI_NO_EOI, v->referee.handler, v->referee.pmi_vector, "vector in service");
    if (lvtpc & LVT_MASKED) {
        if (is_lost(v))
            referee_report(v, PMI_LOST, ip, lvtpc, "LVTPC");
        return;
    }
    if (v->referee.unacknowledged != 0)
        referee_report(v, STATUS_NOT_ACKNOWLEDGED, ip, v->referee.unacknowledged, "IA32_PERF_GLOBAL_STATUS");
    referee_area_pmi(v, ip);
    if (v->profile->perfmon_version >= 2)
        v->referee.unacknowledged = v->status & ~(STATUS_LBR_FRZ | STATUS_CTR_FRZ | STATUS_ASCI | STATUS_COND_CHGD);
    v->referee.pmi_served = DELIVERY(lvtpc) == DELIVERY_FIXED || DELIVERY(lvtpc) == DELIVERY_NMI;
    v->referee.pmi_under_way = v->referee.pmi_served;
    v->referee.pmi_vector = DELIVERY(lvtpc) == DELIVERY_NMI ? HOST_NMI : (uint8_t)(lvtpc & LVT_VECTOR);
    v->referee.masked_by_pmi = true;
}

void referee_end(struct vcpu *v)
{
    referee_counters_end(v);
    referee_arch_end(v);
    referee_report_end(v);
}

void referee_handler(struct vcpu *v, uint64_t ip)
{
    if (!v->referee.pmi_under_way || v->host->in_service(v->cpu, v->referee.pmi_vector) != IN_SERVICE)
        return;
    uint64_t general[GENERAL_REGISTERS];

    v->host->registers(v->cpu, ip, general);
    v->referee.handler = ip;
    v->referee.handler_sp = general[RSP];
    v->referee.pmi_under_way = false;
    if (v->referee.pmi_vector != HOST_NMI && v->host->interrupts_on(v->cpu))
        referee_report(v, PMI_GATE, ip, v->referee.pmi_vector, "IDT entry");
}
