/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting and overflow.
 *
 * Translated code adds a whole block's events to hot->counts when the block begins, and calls engine_due first when one
 * of them would take a class to CLASS_DUE. Only then is the instruction looked for: when it is the block's last, the
 * next block's beginning is the place to act (CLASS_FORCE makes sure that it does); otherwise the block is run in a
 * translation that calls engine_stop behind it. So an overflow costs something, and a count hardly anything.
 *
 * WRMSR to a register of the model is not counted, whatever it changes: N instructions between a WRMSR that enables a
 * counter and one that disables it are counted as N.
 */
#include "model/engine/engine_parts.h"

static bool end_counts(enum event_kind kind, enum block_end end)
{
    switch (kind) {
    case EVENT_BRANCHES:
        return end >= END_JCC;
    case EVENT_CONDITIONAL:
        return end == END_JCC;
    case EVENT_NEAR_CALLS:
        return end == END_REL_CALL || end == END_IND_CALL;
    case EVENT_NEAR_RETURNS:
        return end == END_RET;
    case EVENT_FAR_BRANCHES:
        return end == END_FAR || end == END_INT;
    case EVENT_INDIRECT_BRANCHES:
        return end == END_IND_CALL || end == END_IND_JMP || end == END_RET;
    case EVENT_INDIRECT:
        return end == END_IND_CALL || end == END_IND_JMP;
    case EVENT_TYPED_BRANCHES:
        return end >= END_JCC && end < END_REL_JMP;
    default:
        return false;
    }
}

/* Of the kinds that an instruction can be wherever it stands in its block. */
static bool insn_counts(enum event_kind kind, const struct block_insn *insn)
{
    if (kind == EVENT_SIMD) {
        return insn->unit != UNIT_INTEGER && insn->unit != UNIT_X87 && insn->unit != UNIT_MMX_64;
    }
    return kind == EVENT_INSTRUCTIONS || insn->unit == kind - EVENT_UNITS + 1;
}

bool engine_class_covers(unsigned id, unsigned cpl)
{
    enum event_qualifier qualifier = (enum event_qualifier)(id % EVENT_QUALIFIERS);

    return qualifier == ANY_RING || (qualifier == RING_0) == (cpl == 0);
}

static unsigned uncommon_events(enum event_kind kind, const struct block *block, unsigned from)
{
    unsigned events = 0;

    if (kind < EVENT_UNITS) {
        return end_counts(kind, (enum block_end)block->end);
    }
    for (unsigned i = from; i < block->count; i++) {
        events += insn_counts(kind, &block->insns[i]);
    }
    return events;
}

/* Inline because it runs several times for each overflow. */
static inline unsigned class_events(unsigned id, const struct block *block, unsigned from)
{
    enum event_kind kind = (enum event_kind)(id / EVENT_QUALIFIERS);

    if (from >= block->count || !engine_class_covers(id, block->cpl)) {
        return 0;
    }
    return kind == EVENT_INSTRUCTIONS ? block->count - from : uncommon_events(kind, block, from);
}

unsigned engine_class_events(unsigned id, const struct block *block, unsigned from)
{
    return class_events(id, block, from);
}

/* Events of a class that are in hot->counts and have not happened. */
static inline uint64_t still_to_come(unsigned id, struct place place)
{
    return place.block == NULL || id >= INLINE_CLASSES ? 0 : class_events(id, place.block, place.index);
}

static unsigned counter_count(const struct vcpu *v)
{
    return v->profile->general_counters + v->profile->fixed_counters;
}

/* Whether nothing can be seen of an overflow but that the next event is recorded. */
static bool arms_unseen(const struct vcpu *v, const struct counter *c)
{
    return c->pebs && !c->armed && !c->forced && (!c->pdir || c->near) && !fault(v, FAULT_PEBS_ARMING_SKIPPED);
}

static uint64_t class_now(const struct vcpu *v, unsigned id, struct place place)
{
    return (v->hot->counts[id] & (CLASS_FORCE - 1)) - still_to_come(id, place);
}

void counting_update(struct vcpu *v, struct place place)
{
    uint64_t now[MAX_COUNTERS];

    for (uint32_t left = v->active; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        struct counter *c = &v->counters[i];

        now[i] = class_now(v, c->event_class, place);
        uint64_t events = now[i] - v->base[c->event_class];

        if (v->faults.any) {
            events = faults_events(v, events);
        }
        c->value += events;
        c->moved = c->moved || events > 0;
        if (c->value > width_mask(v) && arms_unseen(v, c)) {
            c->value &= width_mask(v);
            c->armed = true;
            c->moved = c->value > 0; /* since the overflow */
        }
    }
    for (uint32_t left = v->active; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);

        v->base[v->counters[i].event_class] = now[i];
    }
}

/* Events until something is to be done about a counter. */
static uint64_t events_left(const struct vcpu *v, const struct counter *c)
{
    if (c->armed || c->forced) {
        return 1;
    }
    return width_mask(v) - (c->value & width_mask(v)) + 1 + arms_unseen(v, c);
}

void counting_arm(struct vcpu *v, struct place place)
{
    for (uint32_t left = v->active; left != 0; left &= left - 1) {
        v->base[v->counters[__builtin_ctz(left)].event_class] = 0;
    }
    for (uint32_t left = v->active; left != 0; left &= left - 1) {
        const struct counter *c = &v->counters[__builtin_ctz(left)];
        uint64_t *base = &v->base[c->event_class];
        const uint64_t mine = CLASS_DUE - events_left(v, c);

        *base = mine > *base ? mine : *base; /* of a class's counters, that with the fewest events left */
        v->hot->counts[c->event_class] = *base + still_to_come(c->event_class, place);
    }
}

/*
 * CMASK turns a counter into one of cycles, in which at least (INV: fewer than) that many events happened. With one
 * instruction a cycle an event happens at most once in a cycle, so what is left is the event itself, every cycle, or
 * nothing. EDGE is not modelled: with it a counter stands still, and so it does with INV and CMASK 1.
 */
static enum event_kind masked_kind(const struct vcpu *v, enum event_kind kind, uint64_t select)
{
    unsigned cmask = fault(v, FAULT_PERFMON_CMASK_IGNORED) ? 0 : EVTSEL_CMASK(select);
    bool inverted = (select & EVTSEL_INV) && !fault(v, FAULT_PERFMON_INV_IGNORED);

    if (select & EVTSEL_EDGE) {
        return EVENT_NONE;
    }
    if (cmask == 0 || (cmask == 1 && !inverted)) {
        return kind;
    }
    return cmask > 1 && inverted ? EVENT_INSTRUCTIONS : EVENT_NONE;
}

static const struct profile_event *find_event(const struct profile *p, uint64_t select, unsigned counter)
{
    for (unsigned i = 0; i < p->event_count; i++) {
        const struct profile_event *e = &p->events[i];

        if (e->select == (select & 0xff) && e->umask == (select >> 8 & 0xff) && (e->counters >> counter & 1)) {
            return e;
        }
    }
    return NULL;
}

static void configure_general(struct vcpu *v, unsigned i)
{
    uint64_t select = v->event_select[i];
    struct counter *c = &v->counters[i];
    const struct profile_event *e = find_event(v->profile, select, i);
    enum event_kind kind = e == NULL ? EVENT_NONE : masked_kind(v, (enum event_kind)e->kind, select);
    uint64_t enabling = v->event_select[v->profile->one_enable ? 0 : i];
    bool user = select & EVTSEL_USR;
    bool system = select & EVTSEL_OS;
    uint64_t enable = v->regs[REG_IA32_PEBS_ENABLE];
    bool asked = enable >> i & 1;
    bool enabled = enabling & EVTSEL_EN;

    if (v->faults.any) {
        faults_counter(v, i, &user, &system, &enabled, &asked);
    }
    c->event_class = event_class(kind, user && system ? ANY_RING : system ? RING_0 : OTHER_RINGS);
    c->interrupts = select & EVTSEL_INT;
    if (kind == EVENT_LOAD_LATENCY) {
        asked = asked && (v->profile->pebs_adaptive || (enable >> (PEBS_ENABLE_LL_EN + i) & 1));
    } else if (kind == EVENT_PRECISE_STORES) {
        asked = asked && enable >> PEBS_ENABLE_PS_EN;
    }
    c->pebs = asked && e != NULL && e->precision != NOT_PRECISE;
    c->address = c->pebs && e->precision == PRECISE_WITH_ADDRESS;
    c->pdir = c->pebs && ((i == v->profile->pdir_counter && (select & 0xff) == v->profile->pdir_select &&
                           (select >> 8 & 0xff) == v->profile->pdir_umask) ||
                          (v->profile->pdist_counters & counter_bit(v, i)));
    c->adaptive = select & EVTSEL_ADAPTIVE;
    c->active = kind != EVENT_NONE && (user || system) && (enabled || fault(v, FAULT_PERFMON_ENABLE_IGNORED)) &&
                ((v->regs[REG_IA32_PERF_GLOBAL_CTRL] >> i & 1) || fault(v, FAULT_PERFMON_GLOBAL_CTRL_IGNORED) ||
                 (c->pebs && fault(v, FAULT_PEBS_ENABLE_GLOBAL_IGNORED)));
}

/*
 * All fixed counters (instructions, core and reference cycles, slots of top-down analysis) count instructions in
 * modelled time.
 */
static void configure_fixed(struct vcpu *v, unsigned i)
{
    unsigned control = (unsigned)(v->regs[REG_IA32_FIXED_CTR_CTRL] >> 4 * i) & 0xf;
    struct counter *c = &v->counters[v->profile->general_counters + i];
    const uint64_t bit = counter_bit(v, v->profile->general_counters + i);
    unsigned rings = (control & 3) == 0 && fault(v, FAULT_PERFMON_FIXED_ALWAYS) ? 3 : control & 3;

    c->event_class = event_class(EVENT_INSTRUCTIONS, rings == 3 ? ANY_RING : rings == 1 ? RING_0 : OTHER_RINGS);
    c->interrupts = control & 8;
    c->pebs = v->profile->pebs_adaptive && (v->regs[REG_IA32_PEBS_ENABLE] & bit);
    c->pdir = c->pebs && (v->profile->pdist_counters & bit);
    c->adaptive = v->regs[REG_IA32_FIXED_CTR_CTRL] >> (FIXED_CTRL_ADAPTIVE + 4 * i) & 1;
    c->active = rings != 0 && ((v->regs[REG_IA32_PERF_GLOBAL_CTRL] >> (FIXED_STATUS_SHIFT + i) & 1) ||
                               fault(v, FAULT_PERFMON_GLOBAL_CTRL_IGNORED));
}

void counting_load(struct vcpu *v, unsigned i, uint64_t value)
{
    struct counter *c = &v->counters[i];

    c->value = value & width_mask(v);
    c->near = width_mask(v) - c->value + 1 < v->profile->pdist_distance;
    c->armed = false;
}

void counting_configure(struct vcpu *v, struct place place)
{
    unsigned n = counter_count(v);

    v->active = 0;
    for (unsigned i = 0; i < n; i++) {
        struct counter *c = &v->counters[i];

        if (is_netburst(v)) {
            netburst_configure(v, i);
        } else if (i < v->profile->general_counters) {
            configure_general(v, i);
        } else {
            configure_fixed(v, i - v->profile->general_counters);
        }
        if (v->faults.any) {
            faults_counted(v, i);
        }
        c->active = c->active && !lies(v, LIE_INERT) && !(v->status & STATUS_CTR_FRZ);
        v->active |= (uint32_t)c->active << i;
        /* It stays armed while it stands still: Linux clears IA32_PEBS_ENABLE in its handler, and sets it again. */
        c->armed = c->armed && (!c->active || c->pebs || c->late);
        c->moved = false;
    }
    v->counts_outcomes = false;
    v->counts_data = false;
    v->records_lbrs = false;
    for (unsigned id = 0; id < EVENT_CLASSES; id++) {
        v->hot->counts[id] = 0; /* a class that nobody counts is far from CLASS_DUE */
    }
    for (uint32_t left = v->active; left != 0; left &= left - 1) {
        const struct counter *c = &v->counters[__builtin_ctz(left)];

        v->records_lbrs = v->records_lbrs || (c->pebs && c->adaptive);
        if (c->event_class < INLINE_CLASSES) {
            v->wants_classes |= UINT64_C(1) << c->event_class;
        } else if (c->event_class < event_class(EVENT_DATA, ANY_RING)) {
            v->counts_outcomes = true;
        } else {
            v->counts_data = true;
            v->wants_data = true;
        }
    }
    v->records_lbrs = v->records_lbrs && (v->regs[REG_MSR_PEBS_DATA_CFG] & DATA_CFG_LBRS) && lbr_on(v);
    counting_arm(v, place);
}

uint64_t counting_outcomes_left(const struct vcpu *v)
{
    uint64_t left = UINT64_MAX;

    for (uint32_t active = v->active; active != 0; active &= active - 1) {
        const struct counter *c = &v->counters[__builtin_ctz(active)];

        if (c->event_class >= INLINE_CLASSES && c->event_class < event_class(EVENT_DATA, ANY_RING)) {
            uint64_t count = v->hot->counts[c->event_class];
            uint64_t mine = count < CLASS_DUE ? CLASS_DUE - count : 0;

            left = mine < left ? mine : left;
        }
    }
    return left;
}

bool counting_outcome_due(const struct vcpu *v)
{
    return v->counts_outcomes && counting_outcomes_left(v) == 0;
}

void counting_fall_due(struct vcpu *v, struct place place, uint64_t ip, uint64_t eventing_ip,
                       const struct data_access *data)
{
    uint64_t recorded = 0;

    counting_update(v, place);
    for (uint32_t left = v->active; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct counter *c = &v->counters[i];
        bool overflowed = c->value > width_mask(v) || (c->forced && c->moved);
        bool after = c->armed && c->moved; /* the event after an overflow */

        c->value = overflowed && fault(v, FAULT_PERFMON_OVERFLOW_STOPS) ? width_mask(v) : c->value & width_mask(v);
        if (after && !c->pebs) {
            c->armed = false;
            v->pmi_wanted = true;
        }
        if (after && c->pebs) {
            recorded |= UINT64_C(1) << i;
        } else if (overflowed && c->pebs) {
            c->armed = true;
            recorded |= (c->pdir && !c->near) || fault(v, FAULT_PEBS_ARMING_SKIPPED) ? UINT64_C(1) << i : 0;
        } else if (overflowed && is_netburst(v)) {
            netburst_overflow(v, i);
        } else if (overflowed) {
            v->status |= v->faults.any ? faults_overflow(v, counter_bit(v, i)) : counter_bit(v, i);
            v->pmi_wanted = v->pmi_wanted || c->interrupts || fault(v, FAULT_PMI_INT_IGNORED);
        }
        c->moved = false;
    }
    if (recorded != 0 && pebs_record(v, recorded, ip, eventing_ip, data)) {
        for (uint64_t left = recorded; left != 0; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctzll(left);

            counting_load(v, i, v->faults.any ? faults_pebs_reload(v, i) : pebs_reset_value(v, i));
        }
        if (v->faults.any) {
            faults_pebs_reloaded(v, recorded);
        }
    }
    counting_arm(v, place);
}

/* The index of the n-th instruction from place on that is an event of an inline class; there are so many. */
static int nth_event(unsigned id, struct place place, uint64_t n)
{
    enum event_kind kind = (enum event_kind)(id / EVENT_QUALIFIERS);
    unsigned i = place.index;

    if (kind == EVENT_INSTRUCTIONS) {
        return (int)(place.index + n) - 1;
    }
    if (kind < EVENT_UNITS) {
        return place.block->count - 1;
    }
    for (; n > 0; i++) {
        n -= insn_counts(kind, &place.block->insns[i]);
    }
    return (int)i - 1;
}

/* The first instruction from place on that takes a class to its end: an index, or -1. until: what was counted so far.
 */
static int first_due(const struct vcpu *v, struct place place, struct place until)
{
    int first = -1;

    for (uint32_t active = v->active; active != 0; active &= active - 1) {
        const struct counter *c = &v->counters[__builtin_ctz(active)];

        if (c->event_class >= INLINE_CLASSES) {
            continue;
        }
        uint64_t events = class_events(c->event_class, place.block, place.index);
        uint64_t left = CLASS_DUE - class_now(v, c->event_class, until);

        if (events == 0 || left > events) {
            continue;
        }
        int index = nth_event(c->event_class, place, left);

        first = first < 0 || index < first ? index : first;
    }
    return first;
}

/* Arranges for a call behind the instruction that is due. True: it is not the block's last one. */
static bool watch_for(struct vcpu *v, const struct block *block, int due)
{
    if (due < 0) {
        return false;
    }
    if (due == block->count - 1) {
        for (uint64_t left = v->wants_classes; left != 0; left &= left - 1) {
            v->hot->counts[__builtin_ctzll(left)] |= CLASS_FORCE;
        }
        return false;
    }
    v->hot->stop_at = block_address(block, (unsigned)due + 1);
    return true;
}

bool counting_due(const struct vcpu *v)
{
    for (uint32_t left = v->active; left != 0; left &= left - 1) {
        const struct counter *c = &v->counters[__builtin_ctz(left)];

        if (c->event_class < INLINE_CLASSES && class_now(v, c->event_class, BETWEEN_BLOCKS) >= CLASS_DUE) {
            return true;
        }
    }
    return false;
}

enum due_answer engine_due(struct vcpu *v, const struct block *block, bool watching)
{
    if (watching && v->hot->stop_at != 0) {
        return DUE_GO_ON; /* found when the block was to be run unwatched */
    }
    for (uint64_t left = v->wants_classes; left != 0; left &= left - 1) {
        v->hot->counts[__builtin_ctzll(left)] &= CLASS_FORCE - 1;
    }
    if (counting_due(v)) {
        uint64_t eventing_ip = running_block(v) != NULL ? running_block(v)->last : v->left_behind;

        if (v->records_lbrs) {
            branches_drain(v, false, block->pc, block->cpl); /* its branch is in its own record */
        }
        counting_fall_due(v, BETWEEN_BLOCKS, block->pc, eventing_ip, NULL);
        if (v->pmi_wanted) {
            branches_drain(v, false, block->pc, block->cpl);
            engine_deliver(v, BETWEEN_BLOCKS);
            if (engine_took_pmi(v)) {
                return DUE_AGAIN;
            }
        }
    }
    v->hot->stop_at = 0;
    if (watch_for(v, block, first_due(v, (struct place){ block, 0 }, BETWEEN_BLOCKS))) {
        return watching ? DUE_GO_ON : DUE_WATCH;
    }
    return DUE_GO_ON;
}

bool engine_stop(struct vcpu *v, struct place place)
{
    uint64_t ip = block_address(place.block, place.index);

    v->hot->stop_at = 0;
    counting_fall_due(v, place, ip, block_address(place.block, place.index - 1), NULL);
    if (v->pmi_wanted) {
        branches_drain(v, true, 0, 0);
        engine_deliver(v, place);
    }
    watch_for(v, place.block, first_due(v, place, place));
    return engine_took_pmi(v);
}

void counting_cut(struct vcpu *v, struct place place)
{
    for (uint64_t left = v->wants_classes; left != 0; left &= left - 1) {
        unsigned id = (unsigned)__builtin_ctzll(left);

        v->hot->counts[id] -= engine_class_events(id, place.block, place.index);
    }
    v->hot->stop_at = 0;
}

void engine_repeat(struct vcpu *v, const struct block *block)
{
    const struct block *before = running_block(v);

    if (before == NULL || before->end != END_REPEAT || before->last != block->pc) {
        return;
    }
    for (uint64_t left = v->wants_classes; left != 0; left &= left - 1) {
        unsigned id = (unsigned)__builtin_ctzll(left);
        bool counts = id / EVENT_QUALIFIERS == EVENT_INSTRUCTIONS && engine_class_covers(id, block->cpl);

        v->hot->counts[id] -= counts;
    }
}
