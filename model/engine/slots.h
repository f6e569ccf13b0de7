/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modelled time: how instructions share cycles, and how the slots of each cycle are used. A cycle has v->ipc
 * instructions, and as many slots as the core is wide. Each instruction retires in one slot. The cycle's other slots
 * count as bad speculation if the instruction is a mispredicted branch, as back-end bound if it is not a branch and its
 * data was not in the first-level cache, otherwise as front-end bound. So the four parts always add up to all slots.
 * SDM Vol. 3B (253669-083), "Performance Metrics", defines the parts; how they share the slots is the model's choice.
 */
#ifndef MODEL_ENGINE_SLOTS_H
#define MODEL_ENGINE_SLOTS_H

#include "model/vcpu/vcpu.h"

/* The slots of a cycle. */
static inline unsigned slots_width(const struct vcpu *v)
{
    return v->profile->width != 0 ? v->profile->width : 1;
}

/* The kind of event that the engine counts for a counter of this kind. Sets how the counter's value follows from it. */
enum event_kind slots_kind(const struct vcpu *v, struct counter *c, enum event_kind kind);

/* Whether each event of the counter's class is one event of the counter. */
static inline bool slots_are_plain(const struct counter *c)
{
    return !c->scaled;
}

/* Events in which an instruction's other slots were lost, by enum event_qualifier. */
static inline void slots_lose(uint64_t lost[EVENT_QUALIFIERS], unsigned cpl)
{
    lost[ANY_RING]++;
    lost[cpl == 0 ? RING_0 : OTHER_RINGS]++;
}

/* The counter's own events, from `events` of its class. bad, stalled: how many of these lost slots to each cause. */
uint64_t slots_events(struct counter *c, uint64_t events, uint64_t bad, uint64_t stalled);

/* The least number of events of its class after which the counter can have counted `events` of its own. */
uint64_t slots_until(const struct counter *c, uint64_t events);

#endif
