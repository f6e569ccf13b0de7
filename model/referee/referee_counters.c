/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/referee/referee_counters.h"

#include "model/referee/referee_lvtpc.h"
#include "model/referee/referee_report.h"

#define MINIMUM_LATENCY 3
#define FIXED_SLOTS     3u /* the fixed counter that counts slots */

/*
 * Cycle events that are precise although they use INV and CMask: instructions or micro-operations retired per cycle,
 * compared with a mask. Intel's lists of events (github.com/intel/perfmon) name them INST_RETIRED.TOTAL_CYCLES and
 * UOPS_RETIRED.ACTIVE_CYCLES, .STALL_CYCLES and .TOTAL_CYCLES. Linux samples cycles with the first, with unit mask 0 or
 * 1, or with the last.
 */
static bool is_cycles(uint64_t select)
{
    const bool instructions = (select & 0xfeff) == 0x00c0 && (select & EVTSEL_INV);
    const bool micro_operations = (select & 0xffff) == 0x01c2;

    return (instructions || micro_operations) && EVTSEL_CMASK(select) != 0 && !(select & (EVTSEL_ANY | EVTSEL_EDGE));
}

/* Whether bits from LL_EN on of IA32_PEBS_ENABLE belong to load latency, not to fixed counters. */
static bool has_latency_enables(const struct vcpu *v)
{
    return !v->profile->pebs_adaptive && !v->profile->pebs_extended && !vcpu_is_arch_pebs(v);
}

/* Checks events that need their own bits in IA32_PEBS_ENABLE. Returns whether such a bit is missing. */
static bool check_facilities(struct vcpu *v, unsigned i, enum event_kind kind, uint64_t ip)
{
    const uint64_t enable = v->regs[REG_IA32_PEBS_ENABLE];
    const bool latency = enable >> (PEBS_ENABLE_LL_EN + i) & 1;

    if (!has_latency_enables(v))
        return false;
    if (latency && kind != EVENT_LOAD_LATENCY)
        referee_report(v, PEBS_LATENCY_EVENT, ip, enable, "IA32_PEBS_ENABLE");
    if (!latency && kind == EVENT_LOAD_LATENCY) {
        referee_report(v, PEBS_LATENCY_ENABLE, ip, enable, "IA32_PEBS_ENABLE");
        return true;
    }
    if (kind == EVENT_PRECISE_STORES && !(enable >> PEBS_ENABLE_PS_EN)) {
        referee_report(v, PEBS_STORE_ENABLE, ip, enable, "IA32_PEBS_ENABLE");
        return true;
    }
    return false;
}

static void check_general(struct vcpu *v, unsigned i, uint64_t ip)
{
    const uint64_t select = v->event_select[i];
    const enum event_kind kind = vcpu_counted(&v->counters[i]);

    if (!check_facilities(v, i, kind, ip) && !v->counters[i].pebs)
        referee_report_select(v, PEBS_EVENT, ip, i);
    if (select & EVTSEL_INT)
        referee_report_select(v, PEBS_INT, ip, i);
    if (kind == EVENT_LOAD_LATENCY) {
        if (v->regs[REG_MSR_PEBS_LD_LAT] < MINIMUM_LATENCY)
            referee_report(v, PEBS_LATENCY_THRESHOLD, ip, v->regs[REG_MSR_PEBS_LD_LAT], "MSR_PEBS_LD_LAT_THRESHOLD");
        if (!v->data.source_known)
            referee_report_select(v, PEBS_LATENCY_AUX, ip, i);
    }
}

uint64_t referee_counters_qualified(const struct vcpu *v)
{
    const uint64_t general = (UINT64_C(1) << v->profile->general_counters) - 1;
    uint64_t mask = 0;

    for (uint64_t left = vcpu_is_netburst(v) ? 0 : v->pebs.enabled & general; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        const uint64_t select = v->event_select[i];
        const bool qualified = (select & (EVTSEL_ANY | EVTSEL_EDGE | EVTSEL_INV)) || EVTSEL_CMASK(select) != 0;

        if (qualified && !is_cycles(select) && (select & EVTSEL_EN) && (select & (EVTSEL_OS | EVTSEL_USR)) &&
            (v->regs[REG_IA32_PERF_GLOBAL_CTRL] & vcpu_counter_bit(v, i)))
            mask |= UINT64_C(1) << i;
    }
    return mask;
}

static void report_global(struct vcpu *v, uint64_t ip, uint64_t global, unsigned i)
{
    referee_report_value(v, COUNTER_OFF, ip, global, "IA32_PERF_GLOBAL_CTRL for", i);
}

static void report_off(struct vcpu *v)
{
    for (uint64_t left = v->referee.off & ~v->counting.active; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);

        if (v->referee.global & vcpu_counter_bit(v, i))
            referee_report_select(v, COUNTER_OFF, v->referee.off_ip, i);
        else
            report_global(v, v->referee.off_ip, v->referee.global, i);
    }
    v->referee.off = 0;
}

static bool is_on(const struct vcpu *v, unsigned i)
{
    const unsigned general = v->profile->general_counters;

    return i < general ? v->event_select[i] & EVTSEL_EN : v->regs[REG_IA32_FIXED_CTR_CTRL] >> 4 * (i - general) & 3;
}

uint64_t referee_counters_armed(const struct vcpu *v)
{
    uint64_t mask = 0;

    for (unsigned i = 0; v->profile->perfmon_version >= 2 && i < vcpu_counters(v); i++)
        if (is_on(v, i) && ((v->pebs.enabled >> i & 1) || v->counters[i].interrupts))
            mask |= UINT64_C(1) << i;
    return mask;
}

static void report_unstarted(struct vcpu *v, uint64_t counters)
{
    for (uint64_t left = counters; left != 0; left &= left - 1)
        report_global(v, v->referee.unstarted_ip, v->regs[REG_IA32_PERF_GLOBAL_CTRL], (unsigned)__builtin_ctzll(left));
    v->referee.unstarted &= ~counters;
}

void referee_counters_check_armed(struct vcpu *v, uint64_t before, enum model_register reg, uint64_t ip)
{
    const uint64_t now = referee_counters_armed(v);
    const bool again = reg == REG_IA32_PEBS_ENABLE && now == before; /* what an earlier run left is set again */

    report_unstarted(v, v->referee.unstarted & ~now & ~v->pebs.enabled);
    for (uint64_t left = again ? now & v->pebs.enabled : now & ~before; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);

        if (!(v->regs[REG_IA32_PERF_GLOBAL_CTRL] & vcpu_counter_bit(v, i))) {
            v->referee.unstarted |= UINT64_C(1) << i;
            v->referee.unstarted_ip = ip;
        }
    }
}

/* LL_EN of a counter that IA32_PEBS_ENABLE does not enable. */
static void check_lone_latency(struct vcpu *v, uint64_t ip)
{
    const uint64_t enable = v->regs[REG_IA32_PEBS_ENABLE], general = (UINT64_C(1) << v->profile->general_counters) - 1;

    if (has_latency_enables(v) && (enable >> PEBS_ENABLE_LL_EN & ~enable & general))
        referee_report(v, PEBS_LATENCY_EVENT, ip, enable, "IA32_PEBS_ENABLE");
}

void referee_counters_check_enables(struct vcpu *v, uint64_t ip)
{
    const uint64_t global = v->regs[REG_IA32_PERF_GLOBAL_CTRL];
    const uint64_t sampled = vcpu_is_arch_pebs(v) ? 0 : v->pebs.enabled; /* there, EN of CFG_C alone means nothing */
    uint64_t all = 0;

    if (global != 0) {
        v->referee.unstarted = 0;
        check_lone_latency(v, ip);
    }
    report_off(v);
    v->referee.off_ip = ip;
    v->referee.global = global;
    for (unsigned i = 0; i < vcpu_counters(v); i++)
        all |= vcpu_has_counter(v, i) ? vcpu_counter_bit(v, i) : 0;
    for (unsigned i = 0; global != 0 && i < vcpu_counters(v); i++) {
        const unsigned general = v->profile->general_counters;
        const bool on = is_on(v, i);
        const bool unused = i < general && v->event_select[i] == 0; /* no event: IA32_PERF_GLOBAL_CTRL need not know */
        const bool named = global & vcpu_counter_bit(v, i), samples = sampled >> i & 1;

        if (named ? !on && (samples || ((global & all) != all && !unused)) : samples)
            v->referee.off |= UINT64_C(1) << i;
    }
}

void referee_counters_end(struct vcpu *v)
{
    report_unstarted(v, v->referee.unstarted);
    report_off(v);
}

static bool is_far(const struct vcpu *v, uint64_t value)
{
    return (value & vcpu_width_mask(v)) <= vcpu_width_mask(v) / 2 + 1;
}

void referee_counters_loaded(struct vcpu *v, unsigned i, uint64_t value)
{
    const uint64_t bit = UINT64_C(1) << i;

    v->referee.unloaded &= ~bit;
    v->referee.far =
        is_far(v, value) && (value & vcpu_width_mask(v)) != 0 ? v->referee.far | bit : v->referee.far & ~bit;
    v->referee.near = is_far(v, value) ? v->referee.near & ~bit : v->referee.near | bit;
}

static void report_reset(struct vcpu *v, enum violation violation, unsigned i, uint64_t ip)
{
    referee_report_value(v, violation, ip, vcpu_reset_value(v, i), "reset value of", i);
}

void referee_counters_reloaded(struct vcpu *v, uint64_t counters, uint64_t ip)
{
    if (!referee_report_wanted(v))
        return;
    for (uint64_t left = counters; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);

        const uint64_t reset = vcpu_reset_value(v, i);

        if ((reset & vcpu_width_mask(v)) != 0) {
            if (is_far(v, reset))
                report_reset(v, PEBS_RESET_RANGE, i, ip);
        } else if (v->pmi.wanted) {
            v->referee.unloaded |= UINT64_C(1) << i; /* the handler may still write the counter */
        } else {
            report_reset(v, PEBS_NO_RESET, i, ip);
        }
    }
}

void referee_counters_check_pebs(struct vcpu *v, uint64_t counters, uint64_t ip)
{
    for (uint64_t left = counters & v->referee.unloaded; left != 0; left &= left - 1)
        report_reset(v, PEBS_NO_RESET, (unsigned)__builtin_ctzll(left), ip);
    for (uint64_t left = counters & ~v->referee.near & ~v->referee.unloaded; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);

        referee_report_value(v, PEBS_FIRST_VALUE, ip, v->counters[i].value & vcpu_width_mask(v), "first value of", i);
    }
    bool adaptive = !v->profile->pebs_adaptive || v->regs[REG_MSR_PEBS_DATA_CFG] == 0 || counters == 0;

    for (uint64_t left = vcpu_pebs_counters(v); left != 0; left &= left - 1)
        adaptive = adaptive || v->counters[__builtin_ctzll(left)].adaptive;
    if (!adaptive)
        referee_report(v, PEBS_DATA_CFG_UNUSED, ip, v->regs[REG_MSR_PEBS_DATA_CFG], "MSR_PEBS_DATA_CFG");
    for (uint64_t left = counters; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);

        if (vcpu_is_netburst(v))
            continue; /* checked by netburst_referee() */
        if (i < v->profile->general_counters)
            check_general(v, i, ip);
        else if (v->counters[i].interrupts)
            referee_report_select(v, PEBS_INT, ip, i);
        if (v->counters[i].lbrs && !v->lbr.on)
            referee_report_lbr_control(v, PEBS_LBR_OFF, ip);
    }
}

/* A counter without PEBS requests interrupts. Linux always sets INT of the counter of slots, and loads it as it was. */
static bool interrupts_alone(const struct vcpu *v, unsigned i)
{
    return !vcpu_is_netburst(v) && v->counters[i].interrupts && !(v->pebs.enabled >> i & 1) &&
           i != v->profile->general_counters + FIXED_SLOTS;
}

/* The interrupt is requested on overflow; on NetBurst, on the event after the overflow. */
static bool asks_for_pmi(const struct vcpu *v)
{
    for (uint64_t left = v->counting.active; left != 0; left &= left - 1) {
        const struct counter *c = &v->counters[__builtin_ctzll(left)];

        if (!c->pebs && (vcpu_is_netburst(v) ? c->pmi_after : c->interrupts))
            return true;
    }
    return false;
}

void referee_counters_check(struct vcpu *v, uint64_t started, uint64_t ip)
{
    const struct profile_debugctl *bits = v->profile->debugctl;
    const bool pmi = asks_for_pmi(v);

    for (uint32_t left = v->counting.active; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);

        if ((v->counting.reloads[i] >> i & 1) && v->counters[i].interrupts)
            referee_report_select(v, COUNTER_RELOAD_INT, ip, i);
        if ((started >> i & 1) && interrupts_alone(v, i) && (v->referee.far >> i & 1))
            referee_report_value(v, COUNTER_FIRST_VALUE, ip, v->counters[i].value & vcpu_width_mask(v),
                                 "first value of", i);
    }
    const bool records = vcpu_pebs_counters(v) != 0 || (v->bts.on && vcpu_debugctl(v, bits->btint));

    if (pmi)
        referee_lvtpc_check(v, "counters", ip);
    if (vcpu_debugctl(v, bits->freeze_lbrs | bits->freeze_perfmon) && !pmi && !records)
        referee_report(v, FREEZE_WITHOUT_PMI, ip, v->regs[REG_IA32_DEBUGCTL], "IA32_DEBUGCTL");
}

/* Whether another counter counts this counter's event. */
static bool counts_elsewhere(const struct vcpu *v, unsigned i)
{
    const uint64_t select = v->event_select[i];
    bool found = false;

    for (unsigned other = 0; other < v->profile->general_counters; other++)
        found = found || profile_find_event(v->profile, select & 0xff, EVTSEL_UMASKS(select) & 0xff, other) != NULL;
    return found;
}

void referee_counters_check_events(struct vcpu *v, uint64_t ip)
{
    for (unsigned i = 0; !vcpu_is_netburst(v) && i < v->profile->general_counters; i++) {
        const uint64_t select = v->event_select[i];

        if ((select & EVTSEL_EN) && (select & (EVTSEL_OS | EVTSEL_USR)) &&
            (v->regs[REG_IA32_PERF_GLOBAL_CTRL] & vcpu_counter_bit(v, i)) && !v->counters[i].known)
            referee_report_select(
                v, (v->pebs.enabled >> i & 1) && counts_elsewhere(v, i) ? PEBS_EVENT : EVENT_NOT_COUNTED, ip, i);
    }
}
