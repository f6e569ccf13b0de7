/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of counters and their events. */

#include "model/engine/counters.h"
#include "model/faults/fault_state.h"

struct counters_request wrong_counters_request(const struct vcpu *v, unsigned i)
{
    struct counters_request r = without_faults(v)->counters_request(v, i);

    r.global = r.global || fault(v, FAULT_PERFMON_GLOBAL_CTRL_IGNORED);
    if (i >= v->profile->general_counters) {
        if (!r.user && !r.system)
            r.user = r.system = fault(v, FAULT_PERFMON_FIXED_ALWAYS);
        return r;
    }
    r.enabled = r.enabled || fault(v, FAULT_PERFMON_ENABLE_IGNORED);
    r.enabled = r.enabled && !(r.mask != 0 && fault(v, FAULT_PERFMON_CMASK_NEVER));
    r.pebs = r.pebs || fault(v, FAULT_PEBS_ENABLE_IGNORED);
    r.mask = fault(v, FAULT_PERFMON_CMASK_IGNORED) ? 0 : r.mask;
    r.equal = r.equal && !fault(v, FAULT_PERFMON_EQUAL_IGNORED);
    r.inverted = r.inverted && !fault(v, FAULT_PERFMON_INV_IGNORED);
    return r;
}

static enum event_kind changed_kind(const struct vcpu *v, enum event_kind kind)
{
    static const struct {
        enum fault fault;
        enum event_kind kind, counted;
    } changes[] = {
        { FAULT_PERFMON_EVENT_CALLS_AND_MORE, EVENT_NEAR_CALLS, EVENT_TYPED_BRANCHES },
        { FAULT_PERFMON_EVENT_TAKEN_AND_NOT, EVENT_NEAR_TAKEN, EVENT_BRANCHES },
        { FAULT_PERFMON_EVENT_TAKEN_ONLY, EVENT_BRANCHES, EVENT_NEAR_TAKEN },
        { FAULT_PERFMON_EVENT_CALLS_ARE_RETURNS, EVENT_NEAR_CALLS, EVENT_NEAR_RETURNS },
        { FAULT_PERFMON_EVENT_LOADS_ARE_STORES, EVENT_LOADS, EVENT_STORES },
        { FAULT_PERFMON_EVENT_LOADS_ARE_STORES, EVENT_STORES, EVENT_LOADS },
        { FAULT_PERFMON_EVENT_LOADS_ARE_STORES, EVENT_SPLIT_LOADS, EVENT_SPLIT_STORES },
        { FAULT_PERFMON_EVENT_LOADS_ARE_STORES, EVENT_SPLIT_STORES, EVENT_SPLIT_LOADS },
        { FAULT_PERFMON_EVENT_SPLIT_AND_WHOLE, EVENT_SPLIT_LOADS, EVENT_LOADS },
        { FAULT_PERFMON_EVENT_SPLIT_AND_WHOLE, EVENT_SPLIT_STORES, EVENT_STORES },
        { FAULT_PERFMON_EVENT_X87_IS_MMX, EVENT_X87, EVENT_MMX_64 },
        { FAULT_PERFMON_EVENT_X87_IS_MMX, EVENT_MMX_64, EVENT_X87 },
        { FAULT_PERFMON_EVENT_MISSES_ARE_HITS, EVENT_L1_MISSES, EVENT_L1_HITS },
        { FAULT_PERFMON_EVENT_MISSES_ARE_HITS, EVENT_L2_MISSES, EVENT_L2_HITS },
        { FAULT_PERFMON_EVENT_MISSES_ARE_HITS, EVENT_L3_MISSES, EVENT_L3_HITS },
    };

    for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
        if (kind == changes[i].kind && fault(v, changes[i].fault))
            return changes[i].counted;
    if (fault(v, FAULT_PERFMON_EVENT_MISPREDICTED_AND_NOT) && kind >= EVENT_MISPREDICTED &&
        kind <= EVENT_MISPREDICTED_TAGGABLE && kind != EVENT_CONDITIONAL_TAKEN)
        return EVENT_BRANCHES;
    return kind;
}

static bool is_dead(const struct vcpu *v, unsigned i, enum event_kind kind)
{
    const uint64_t select = i < v->profile->general_counters ? v->event_select[i] : 0, *const logging = v->event_select;

    return (fault(v, FAULT_LBR_EVENTS_UNCOUNTED) && i < LBR_COUNTERS &&
            ((logging[0] | logging[1] | logging[2] | logging[3]) & EVTSEL_BR_CNTR)) ||
           (fault(v, FAULT_PERFMON_CONCEAL_STILL) && (select & EVTSEL_RDPMC_USER)) ||
           (fault(v, FAULT_PERFMON_EVENT_LOCKED_NEVER) && kind == EVENT_LOCKED_LOADS);
}

void wrong_counters_set_up(struct vcpu *v, unsigned i)
{
    struct counter *c = &v->counters[i];

    without_faults(v)->counters_set_up(v, i);
    const enum event_kind kind = vcpu_counted(c);
    enum event_qualifier ring = (enum event_qualifier)(c->event_class % EVENT_QUALIFIERS);

    if (kind == EVENT_NONE)
        return;
    if (fault(v, FAULT_PERFMON_CPL_IGNORED))
        ring = ANY_RING;
    c->event_class = event_class(changed_kind(v, kind), ring);
    c->interrupts = c->interrupts && !fault(v, FAULT_PERFMON_OVERFLOW_NO_INTERRUPT);
    c->active = c->active && !is_dead(v, i, kind);
}

uint64_t wrong_counting_events(const struct vcpu *v, const struct counted_class *class, uint64_t events)
{
    return 2 * without_faults(v)->counting_events(v, class, events);
}

/* SRF7 is of cores up to Crestmont; Darkmont overcounts only instructions. */
unsigned wrong_counting_interruption(struct vcpu *v, enum event_kind kind, bool software)
{
    const bool more = kind == EVENT_INSTRUCTIONS || !vcpu_is_arch_pebs(v);

    return without_faults(v)->counting_interruption(v, kind, software) + more;
}

bool wrong_counting_exact(const struct vcpu *v, const struct counter *c)
{
    (void)v;
    (void)c;
    return true;
}

void wrong_overflow_of(struct vcpu *v, unsigned i)
{
    const uint64_t status = v->status;

    without_faults(v)->overflow_of(v, i);
    if (fault(v, FAULT_PERFMON_OVERFLOW_STOPS))
        v->counters[i].value = vcpu_width_mask(v);
    if (vcpu_is_netburst(v))
        return;
    if (fault(v, FAULT_PERFMON_OVERFLOW_NO_STATUS) || (fault(v, FAULT_PMI_STATUS_FIRST_ONLY) && status != 0) ||
        (fault(v, FAULT_PMI_STATUS_MASKED_LOST) && (v->host->lvtpc(v->cpu) & LVT_MASKED)))
        v->status = status;
    if (fault(v, FAULT_PERFMON_RELOAD_STATUS_SET) && (v->counting.reloads[i] >> i & 1))
        v->status |= vcpu_counter_bit(v, i);
    if (fault(v, FAULT_PERFMON_RELOAD_STATUS_NAMED))
        for (uint32_t left = v->counting.reloads[i] & ~(UINT32_C(1) << i); left != 0; left &= left - 1)
            v->status |= vcpu_counter_bit(v, (unsigned)__builtin_ctz(left));
    v->pmi.wanted = v->pmi.wanted || fault(v, FAULT_PMI_INT_IGNORED);
}

bool wrong_data_latency_counts(const struct vcpu *v, uint64_t latency, uint64_t threshold)
{
    if (fault(v, FAULT_ERRATUM_CML095) && fault_state(v)->state.thresholds % 2 != 0 &&
        ++fault_state(v)->state.loads > 8)
        return false;
    return without_faults(v)->data_latency_counts(v, latency, threshold) ||
           fault(v, FAULT_PEBS_LATENCY_THRESHOLD_IGNORED) ||
           (latency == threshold && fault(v, FAULT_PEBS_LATENCY_THRESHOLD_INCLUDED));
}

void wrong_data_flush_page(struct vcpu *v, uint64_t address)
{
    (void)v;
    (void)address;
}

void wrong_data_flush_tlbs(struct vcpu *v, bool globals_too)
{
    (void)v;
    (void)globals_too;
}
