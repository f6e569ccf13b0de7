/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translated code adds a whole block's events to hot->counts when the block begins. One of them may take a class to
 * CLASS_DUE. If that is the block's last instruction, the next block's beginning is the place to act: engine_due() has
 * to be called before the block, and sets CLASS_FORCE, so that it is called before the next one, too. Otherwise the
 * block runs in a translation that compares the count behind each event, and calls engine_stop() behind that one. So an
 * overflow is expensive, and a count nearly free.
 */
#include "model/engine/counting.h"

#include "model/engine/event_class.h"
#include "model/engine/rules.h"

uint64_t counting_events(const struct vcpu *v, uint64_t events)
{
    (void)v;
    return events;
}

unsigned counting_interruption(struct vcpu *v)
{
    (void)v;
    return 0;
}

/*
 * SDM Vol. 3B (253669-083), "Precise Distribution of Instructions Retired Event (PDIR)" and "PDist". Here the next
 * opportunity to record an event that belongs to no instruction is the instruction that retires as it happens.
 */
bool counting_exact(const struct vcpu *v, const struct counter *c)
{
    (void)v;
    return (c->pdir && !c->near) || c->imprecise;
}

/* Whether an overflow is invisible except that the next event is recorded. */
static bool arms_unseen(const struct vcpu *v, const struct counter *c)
{
    return c->pebs && v->counting.reloads[c - v->counters] == 0 && !c->armed && !c->forced &&
           v->rules->stepped == NULL && !v->rules->counting_exact(v, c);
}

void counting_update(struct vcpu *v, struct place place)
{
    uint64_t now[MAX_COUNTERS + 1];

    for (uint32_t left = v->counting.active; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        struct counter *c = &v->counters[i];

        now[i] = event_class_now(v, c->event_class, place);
        const uint64_t events = v->rules->counting_events(v, now[i] - v->counting.base[c->event_class]);

        c->value += events;
        c->moved = c->moved || events > 0;
        if (c->value > vcpu_width_mask(v) && arms_unseen(v, c)) {
            c->value &= vcpu_width_mask(v);
            c->armed = true;
            c->moved = c->value > 0; /* since the overflow */
        }
    }
    for (uint32_t left = v->counting.active; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);

        v->counting.base[v->counters[i].event_class] = now[i];
    }
}

/* Events before a counter needs attention. */
static uint64_t events_left(const struct vcpu *v, const struct counter *c)
{
    if (c->armed && c->arming) {
        return vcpu_width_mask(v); /* no event matters before the time is over */
    }
    if (c->armed || c->forced) {
        return 1;
    }
    return vcpu_width_mask(v) - (c->value & vcpu_width_mask(v)) + 1 + arms_unseen(v, c);
}

void counting_force(struct vcpu *v)
{
    for (uint64_t left = v->wants.classes; left != 0; left &= left - 1) {
        uint64_t *count = &v->hot->counts[__builtin_ctzll(left)];

        *count = class_unforced(*count) + CLASS_FORCE;
    }
}

void counting_arm(struct vcpu *v, struct place place)
{
    bool due = false; /* an event of the block's rest */

    for (uint32_t left = v->counting.active; left != 0; left &= left - 1) {
        v->counting.base[v->counters[__builtin_ctz(left)].event_class] = 0;
    }
    for (uint32_t left = v->counting.active; left != 0; left &= left - 1) {
        const struct counter *c = &v->counters[__builtin_ctz(left)];
        uint64_t *base = &v->counting.base[c->event_class];
        const uint64_t mine = CLASS_DUE - events_left(v, c);

        *base = mine > *base ? mine : *base; /* of the class's counters the one with the fewest events left */
        v->hot->counts[c->event_class] = *base + event_class_to_come(c->event_class, place);
        due = due || v->hot->counts[c->event_class] >= CLASS_DUE;
    }
    if (due) {
        counting_force(v);
    }
}

void counting_reload(struct vcpu *v, unsigned i, uint64_t value)
{
    struct counter *c = &v->counters[i];

    c->value = value & vcpu_width_mask(v);
    c->near = vcpu_width_mask(v) - c->value + 1 < v->profile->pdist_distance;
}

void counting_load(struct vcpu *v, unsigned i, uint64_t value)
{
    counting_reload(v, i, value);
    v->counters[i].armed = false;
}

void counting_step(struct vcpu *v, bool on)
{
    if (on != counting_steps(v)) {
        v->hot->counts[event_class(EVENT_INSTRUCTIONS, ANY_RING)] = CLASS_FAR; /* if no other counts them */
        v->counters[STEPPER] =
            (struct counter){ .event_class = event_class(EVENT_INSTRUCTIONS, ANY_RING), .forced = on };
        v->counting.active ^= UINT32_C(1) << STEPPER;
    }
}

bool counting_due(const struct vcpu *v)
{
    for (uint32_t left = v->counting.active; left != 0; left &= left - 1) {
        const struct counter *c = &v->counters[__builtin_ctz(left)];

        if (c->event_class < INLINE_CLASSES && event_class_now(v, c->event_class, BETWEEN_BLOCKS) >= CLASS_DUE) {
            return true;
        }
    }
    return false;
}

int counting_first_due(const struct vcpu *v, struct place place, struct place until)
{
    int first = -1;

    for (uint32_t active = v->counting.active; active != 0; active &= active - 1) {
        const struct counter *c = &v->counters[__builtin_ctz(active)];

        if (c->event_class >= INLINE_CLASSES) {
            continue;
        }
        uint64_t events = event_class_events(c->event_class, place.block, place.index);
        uint64_t left = CLASS_DUE - event_class_now(v, c->event_class, until);

        if (events == 0 || left > events) {
            continue;
        }
        int index = event_class_nth(c->event_class, place, left);

        first = first < 0 || index < first ? index : first;
    }
    return first;
}

uint64_t counting_outcomes_left(const struct vcpu *v)
{
    uint64_t left = UINT64_MAX;

    for (uint32_t active = v->counting.active; active != 0; active &= active - 1) {
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
    return v->counting.outcomes && counting_outcomes_left(v) == 0;
}

void counting_cut(struct vcpu *v, struct place place)
{
    for (uint64_t left = v->wants.classes; left != 0; left &= left - 1) {
        unsigned id = (unsigned)__builtin_ctzll(left);

        v->hot->counts[id] -= event_class_events(id, place.block, place.index);
    }
}
