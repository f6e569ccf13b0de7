/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/counters.h"

#include "model/bytes/arch_pebs.h"
#include "model/engine/counting.h"
#include "model/engine/data.h"
#include "model/engine/event_class.h"
#include "model/engine/metrics.h"
#include "model/engine/netburst.h"
#include "model/engine/reload.h"
#include "model/engine/rules.h"
#include "model/engine/slots.h"

/*
 * With CMASK a counter counts cycles with at least (INV: fewer than) that many events. A cycle has v->ipc instructions;
 * any other event is taken to happen at most once per cycle, so the result is the event itself, every cycle, or
 * nothing. EDGE is not modelled: a counter with EDGE does not count, and neither does one with INV and CMASK 1.
 */
static enum event_kind masked_kind(const struct vcpu *v, enum event_kind kind, const struct counters_request *r)
{
    if (r->edge || (r->equal && r->mask == 0)) /* cycles without the event do not exist, or are not modelled */
        return EVENT_NONE;
    if (kind == EVENT_INSTRUCTIONS && r->mask != 0 && v->ipc > 1)
        return (r->equal ? v->ipc == r->mask : (v->ipc >= r->mask) != r->inverted) ? EVENT_CYCLES : EVENT_NONE;
    if (r->mask == 0 || (r->mask == 1 && !r->inverted))
        return kind;
    return r->mask > 1 && r->inverted ? EVENT_CYCLES : EVENT_NONE;
}

static unsigned fixed_control(const struct vcpu *v, unsigned i)
{
    return (unsigned)(v->regs[REG_IA32_FIXED_CTR_CTRL] >> 4 * (i - v->profile->general_counters)) & 0xf;
}

struct counters_request counters_request(const struct vcpu *v, unsigned i)
{
    const uint64_t select = v->event_select[i];
    const uint64_t enabling = v->event_select[v->profile->one_enable ? 0 : i];
    struct counters_request r = { .global = v->regs[REG_IA32_PERF_GLOBAL_CTRL] & vcpu_counter_bit(v, i),
                                  .pebs = v->pebs.enabled >> i & 1 };

    if (i < v->profile->general_counters) {
        r.user = select & EVTSEL_USR;
        r.system = select & EVTSEL_OS;
        r.enabled = enabling & EVTSEL_EN;
        r.edge = select & EVTSEL_EDGE;
        r.inverted = select & EVTSEL_INV;
        r.equal = select & EVTSEL_EQ;
        r.mask = EVTSEL_CMASK(select);
    } else {
        r.user = fixed_control(v, i) & 2;
        r.system = fixed_control(v, i) & 1;
        r.enabled = true;
    }
    return r;
}

static enum event_qualifier rings(const struct counters_request *r)
{
    return r->user && r->system ? ANY_RING : r->system ? RING_0 : OTHER_RINGS;
}

/* Whether records of this counter have LBR entries. The counter's other members must be set up. */
static bool wants_lbrs(const struct vcpu *v, unsigned i)
{
    return vcpu_is_arch_pebs(v) ? (v->config[i].c & ARCH_LBR) != 0
                                : v->counters[i].adaptive && (v->regs[REG_MSR_PEBS_DATA_CFG] & DATA_CFG_LBRS);
}

/* The same for counter values. */
static bool wants_counts(const struct vcpu *v, unsigned i)
{
    return vcpu_is_arch_pebs(v) ? (v->config[i].c & ARCH_CNTR) != 0
                                : v->counters[i].adaptive && (v->regs[REG_MSR_PEBS_DATA_CFG] & DATA_CFG_COUNTERS);
}

/* The event of both unit masks; without such an event, the event of the first unit mask. */
static const struct profile_event *selected_event(const struct vcpu *v, unsigned i)
{
    const unsigned select = v->event_select[i] & 0xff, masks = EVTSEL_UMASKS(v->event_select[i]);
    const struct profile_event *e = profile_find_event(v->profile, select, masks, i);

    return e != NULL ? e : profile_find_event(v->profile, select, masks & 0xff, i);
}

/*
 * Precise distribution needs events as they happen: SDM Vol. 3B (253669-059), "Reduced Skid PEBS", 18.7.1.2: not with
 * INV, E or CMASK.
 */
static void set_up_general(struct vcpu *v, unsigned i)
{
    const struct counters_request r = v->rules->counters_request(v, i);
    const uint64_t select = v->event_select[i];
    const uint64_t enable = v->regs[REG_IA32_PEBS_ENABLE];
    const struct profile_event *e = selected_event(v, i);
    struct counter *c = &v->counters[i];
    const enum event_kind kind =
        slots_kind(v, c, e == NULL ? EVENT_NONE : masked_kind(v, (enum event_kind)e->kind, &r));
    const bool modified = r.edge || r.inverted || r.mask != 0;
    bool asked = r.pebs;

    c->known = e != NULL;

    c->event_class = event_class(kind, rings(&r));
    c->interrupts = select & EVTSEL_INT;
    if (kind == EVENT_LOAD_LATENCY)
        asked = asked && (v->profile->pebs_adaptive || vcpu_is_arch_pebs(v) || (enable >> (PEBS_ENABLE_LL_EN + i) & 1));
    else if (kind == EVENT_PRECISE_STORES)
        asked = asked && enable >> PEBS_ENABLE_PS_EN;
    c->imprecise = asked && e != NULL && e->precision == NOT_PRECISE && v->profile->pebs_any_event;
    c->pebs = (asked && e != NULL && e->precision != NOT_PRECISE) || c->imprecise;
    c->address = c->pebs && e->precision == PRECISE_WITH_ADDRESS;
    c->pdir = c->pebs && !modified &&
              ((i == v->profile->pdir_counter && (select & 0xff) == v->profile->pdir_select &&
                (select >> 8 & 0xff) == v->profile->pdir_umask) ||
               (v->profile->pdist_counters & vcpu_counter_bit(v, i)));
    c->adaptive = select & EVTSEL_ADAPTIVE;
    c->lbrs = wants_lbrs(v, i);
    c->counts = wants_counts(v, i);
    c->active = kind != EVENT_NONE && (r.user || r.system) && r.enabled && r.global;
}

/*
 * Instructions; core cycles, reference cycles and slots; slots lost to bad speculation and in the front end; retired
 * slots, one per instruction.
 */
static const enum event_kind fixed_kinds[] = { EVENT_INSTRUCTIONS, EVENT_CYCLES,         EVENT_CYCLES,      EVENT_SLOTS,
                                               EVENT_BAD_SLOTS,    EVENT_FRONTEND_SLOTS, EVENT_INSTRUCTIONS };

static void set_up_fixed(struct vcpu *v, unsigned i)
{
    const struct counters_request r = v->rules->counters_request(v, i);
    const unsigned fixed = i - v->profile->general_counters;
    struct counter *c = &v->counters[i];

    const enum event_kind kind = slots_kind(v, c, fixed_kinds[fixed]);

    c->event_class = event_class(kind, rings(&r));
    c->interrupts = fixed_control(v, i) & 8;
    c->pebs = r.pebs;
    c->imprecise = c->pebs && v->profile->pebs_any_event && kind != EVENT_INSTRUCTIONS;
    c->pdir = c->pebs && (v->profile->pdist_counters & vcpu_counter_bit(v, i));
    c->adaptive = v->regs[REG_IA32_FIXED_CTR_CTRL] >> (FIXED_CTRL_ADAPTIVE + 4 * fixed) & 1;
    c->lbrs = wants_lbrs(v, i);
    c->counts = wants_counts(v, i);
    c->active = kind != EVENT_NONE && vcpu_has_counter(v, i) && (r.user || r.system) && r.enabled && r.global;
}

void counters_set_up(struct vcpu *v, unsigned i)
{
    if (vcpu_is_netburst(v))
        netburst_configure(v, i);
    else if (i < v->profile->general_counters)
        set_up_general(v, i);
    else
        set_up_fixed(v, i);
}

/* Whether load latency records have a data source. On some processors this needs another event to be counted. */
static bool source_known(const struct vcpu *v)
{
    for (uint32_t left = v->counting.active; left != 0; left &= left - 1)
        if (vcpu_counted(&v->counters[__builtin_ctz(left)]) == EVENT_BLOCKED_LOADS)
            return true;
    return !v->profile->pebs_latency_aux;
}

void counters_configure(struct vcpu *v, struct place place)
{
    v->counting.active &= UINT32_C(1) << STEPPER;
    for (unsigned i = 0; i < vcpu_counters(v); i++) {
        struct counter *c = &v->counters[i];

        v->rules->counters_set_up(v, i);
        c->active = c->active && !(v->status & STATUS_CTR_FRZ);
        v->counting.active |= (uint32_t)c->active << i;
        /*
         * PEBS stays armed while a counter is stopped, because Linux clears IA32_PEBS_ENABLE in its handler and sets it
         * again.
         */
        if (c->active && !c->pebs && !c->pmi_after)
            c->state = COUNTER_COUNTS;
        c->happened = false;
    }
    v->uses = (struct hooks){ .blocks = false };
    v->pebs.before.wanted = v->profile->pebs_fault_like && vcpu_pebs_counters(v) != 0;
    if (v->pebs.before.wanted || (v->rules->stepped != NULL && (v->counting.active != 0 || v->bts.on)))
        v->uses.classes |= UINT64_C(1) << event_class(EVENT_INSTRUCTIONS, ANY_RING);
    v->counting.outcomes = false;
    v->counting.data = v->counting.data_of[0] = v->counting.data_of[1] = false;
    v->counting.code = false;
    v->counting.slots = false;
    v->pebs.lbrs = false;
    v->pebs.counts = false;
    for (unsigned id = 0; id < EVENT_CLASSES; id++)
        v->hot->counts[id] = CLASS_FAR;
    for (uint32_t left = v->counting.active; left != 0; left &= left - 1) {
        const struct counter *c = &v->counters[__builtin_ctz(left)];

        v->pebs.lbrs = v->pebs.lbrs || (c->pebs && c->lbrs && v->lbr.on);
        v->pebs.counts = v->pebs.counts || (c->pebs && c->counts);
        v->counting.slots = v->counting.slots || c->account != ACCOUNT_ALL;
        v->counting.code =
            v->counting.code || (vcpu_counted(c) >= EVENT_CODE_MISSES && vcpu_counted(c) <= EVENT_CODE_TLB_HITS);
        if (c->event_class < INLINE_CLASSES) {
            v->uses.classes |= UINT64_C(1) << c->event_class;
        } else if (c->event_class < event_class(EVENT_DATA, ANY_RING)) {
            v->counting.outcomes = true;
        } else {
            v->counting.data = true;
            v->counting.data_of[0] = v->counting.data_of[0] || event_class_covers(c->event_class, 0);
            v->counting.data_of[1] = v->counting.data_of[1] || event_class_covers(c->event_class, 3);
        }
    }
    if (metrics_count(v) && (v->counting.active >> metrics_counter(v) & 1))
        v->counting.slots = true;
    if (v->counting.slots) {
        v->counting.outcomes = true;
        v->counting.data = v->counting.data_of[0] = v->counting.data_of[1] = true;
    }
    v->uses.data = v->counting.data;
    v->wants = hooks_of_both(v->wants, v->uses);
    v->pebs.counts = v->pebs.counts && v->counting.outcomes;
    reload_configure(v);
    v->lbr.logged = v->rules->lbr_events_logged(v);
    v->data.source_known = source_known(v);
    counting_step(v, v->rules->stepped != NULL && counting_steps(v));
    counting_configure(v);
    data_configure(v);
    counting_arm(v, place);
}
