/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translated code adds all events of a block to hot->counts when the block begins. One of them may bring a class to
 * CLASS_DUE. If that event is the block's last instruction, the engine acts at the beginning of the next block:
 * engine_due() is called before the block, and sets CLASS_FORCE to be called before the next one too. Otherwise the
 * block runs in its watched translation, which checks the count after each event, and calls engine_stop() after that
 * one. An overflow is thus expensive, and counting nearly free.
 */
#include "model/engine/counting.h"

#include "model/engine/event_class.h"
#include "model/engine/metrics.h"
#include "model/engine/rules.h"
#include "model/engine/slots.h"

uint64_t counting_events(const struct vcpu *v, const struct counted_class *class, uint64_t events)
{
    (void)v;
    (void)class;
    return events;
}

unsigned counting_interruption(struct vcpu *v, enum event_kind kind, bool software)
{
    (void)v;
    (void)kind;
    (void)software;
    return 0;
}

/*
 * SDM Vol. 3B (253669-083), "Precise Distribution of Instructions Retired Event (PDIR)" and "PDist". For an event that
 * belongs to no instruction, the model's next opportunity is the instruction that retires at the time of the event.
 */
bool counting_exact(const struct vcpu *v, const struct counter *c)
{
    (void)v;
    return (c->pdir && !c->too_near) || c->imprecise;
}

void counting_configure(struct vcpu *v)
{
    const bool by_the_manual = v->rules->stepped == NULL && v->rules->counting_exact == counting_exact;

    v->counting.class_count = 0;
    for (uint32_t left = v->counting.active; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        struct counter *c = &v->counters[i];
        unsigned k = 0;

        while (k < v->counting.class_count && v->counting.classes[k].id != c->event_class)
            k++;
        if (k == v->counting.class_count) {
            const unsigned ring = c->event_class % EVENT_QUALIFIERS;

            v->counting.classes[v->counting.class_count++] = (struct counted_class){
                .id = c->event_class, .bad = v->counting.bad[ring], .stalled = v->counting.stalled[ring]
            };
        }
        v->counting.classes[k].counters |= UINT32_C(1) << i;
        c->only_arms = c->pebs && v->counting.reloads[i] == 0 && !c->forced && by_the_manual;
    }
}

/* Whether the next overflow has no visible effect except that the event after it is recorded. */
static bool arms_unseen(const struct vcpu *v, const struct counter *c)
{
    return c->only_arms && c->state == COUNTER_COUNTS && !counting_exact(v, c);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/*
 * How many of `events` new instructions lost slots, by cause. Outcomes of branches may be known before or after their
 * instructions are counted. More losses than instructions remain for the next update.
 */
static void take_lost(struct vcpu *v, struct counted_class *class, uint64_t events, uint64_t *bad, uint64_t *stalled)
{
    const unsigned ring = class->id % EVENT_QUALIFIERS;

    *bad = smaller(v->counting.bad[ring] - class->bad, events);
    *stalled = smaller(v->counting.stalled[ring] - class->stalled, events - *bad);
    class->bad += *bad;
    class->stalled += *stalled;
    if (class->counters >> metrics_counter(v) & 1) {
        v->metrics.bad += *bad;
        v->metrics.stalled += *stalled;
    }
}

void counting_update(struct vcpu *v, struct place place)
{
    const uint64_t mask = vcpu_width_mask(v);

    for (unsigned k = 0; k < v->counting.class_count; k++) {
        struct counted_class *class = &v->counting.classes[k];
        const uint64_t now = event_class_now(v, class->id, place);
        const uint64_t events = v->rules->counting_events(v, class, now - class->base);

        uint64_t bad = 0, stalled = 0;

        class->base = now;
        if (v->counting.slots && class->id / EVENT_QUALIFIERS == EVENT_INSTRUCTIONS)
            take_lost(v, class, events, &bad, &stalled);
        for (uint32_t left = class->counters; left != 0; left &= left - 1) {
            struct counter *c = &v->counters[__builtin_ctz(left)];

            const uint64_t mine = slots_are_plain(c) ? events : slots_events(c, events, bad, stalled);

            c->value += mine;
            c->happened = c->happened || mine > 0;
            if (c->value > mask && arms_unseen(v, c)) {
                c->value &= mask;
                c->state = COUNTER_ARMED;
                c->happened = c->value * c->parts >= c->each; /* the event happened after the overflow */
            }
        }
    }
}

/* The number of events before a counter needs attention. mask: the mask of its width. */
static uint64_t events_left(const struct vcpu *v, const struct counter *c, uint64_t mask)
{
    if (c->state == COUNTER_ARMING)
        return mask; /* no event matters before the delay ends */
    if (c->state == COUNTER_ARMED || c->forced)
        return 1;
    const uint64_t left = mask - (c->value & mask) + 1;

    return (slots_are_plain(c) ? left : slots_until(c, left)) + arms_unseen(v, c);
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
    const uint64_t mask = vcpu_width_mask(v);
    bool due = false; /* an event in the rest of the block */

    for (unsigned k = 0; k < v->counting.class_count; k++) {
        struct counted_class *class = &v->counting.classes[k];
        uint64_t fewest = UINT64_MAX;

        for (uint32_t left = class->counters; left != 0; left &= left - 1) {
            const uint64_t mine = events_left(v, &v->counters[__builtin_ctz(left)], mask);

            fewest = mine < fewest ? mine : fewest;
        }
        class->base = CLASS_DUE - fewest;
        v->hot->counts[class->id] = class->base + event_class_to_come(class->id, place);
        due = due || v->hot->counts[class->id] >= CLASS_DUE;
    }
    if (due)
        counting_force(v);
}

void counting_reload(struct vcpu *v, unsigned i, uint64_t value)
{
    struct counter *c = &v->counters[i];

    c->value = value & vcpu_width_mask(v);
    c->too_near = vcpu_width_mask(v) - c->value + 1 < v->profile->pdist_distance;
}

void counting_load(struct vcpu *v, unsigned i, uint64_t value)
{
    counting_reload(v, i, value);
    v->counters[i].state = COUNTER_COUNTS;
}

void counting_step(struct vcpu *v, bool on)
{
    on = on || v->pebs.before.wanted;
    if (on != counting_steps(v)) {
        v->hot->counts[event_class(EVENT_INSTRUCTIONS, ANY_RING)] = CLASS_FAR; /* unless other counters count them */
        v->counters[STEPPER] =
            (struct counter){ .event_class = event_class(EVENT_INSTRUCTIONS, ANY_RING), .forced = on };
        v->counting.active ^= UINT32_C(1) << STEPPER;
        counting_configure(v);
    }
}

bool counting_due(const struct vcpu *v)
{
    for (unsigned k = 0; k < v->counting.class_count; k++) {
        const unsigned id = v->counting.classes[k].id;

        if (id < INLINE_CLASSES && event_class_now(v, id, BETWEEN_BLOCKS) >= CLASS_DUE)
            return true;
    }
    return false;
}

int counting_first_due(const struct vcpu *v, struct place place, struct place until)
{
    int first = -1;

    for (unsigned k = 0; k < v->counting.class_count; k++) {
        const unsigned id = v->counting.classes[k].id;

        if (id >= INLINE_CLASSES)
            continue;
        uint64_t events = event_class_events(id, place.block, place.index);
        uint64_t left = CLASS_DUE - event_class_now(v, id, until);

        if (events == 0 || left > events)
            continue;
        int index = event_class_nth(id, place, left);

        first = first < 0 || index < first ? index : first;
    }
    return first;
}

uint64_t counting_outcomes_left(const struct vcpu *v)
{
    uint64_t left = UINT64_MAX;

    for (unsigned k = 0; k < v->counting.class_count; k++) {
        const unsigned id = v->counting.classes[k].id;

        if (id >= INLINE_CLASSES && id < event_class(EVENT_DATA, ANY_RING)) {
            uint64_t count = v->hot->counts[id];
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
