/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The number of events of a class in a block of code, and in the part of the block that has run. */
#ifndef MODEL_ENGINE_EVENT_CLASS_H
#define MODEL_ENGINE_EVENT_CLASS_H

#include "model/vcpu/vcpu.h"

/* Whether an event class counts at this privilege level. */
static inline bool event_class_covers(unsigned id, unsigned cpl)
{
    enum event_qualifier qualifier = (enum event_qualifier)(id % EVENT_QUALIFIERS);

    return qualifier == ANY_RING || (qualifier == RING_0) == (cpl == 0);
}

/* Events of an inline kind other than EVENT_INSTRUCTIONS among instructions [from, ...) of a block, in any ring. */
unsigned event_class_uncommon(enum event_kind kind, const struct block *block, unsigned from);

/* Events of an inline class among instructions [from, ...) of a block. Inline, because each overflow calls it often. */
static inline unsigned event_class_events(unsigned id, const struct block *block, unsigned from)
{
    enum event_kind kind = (enum event_kind)(id / EVENT_QUALIFIERS);
    const bool usual = id == event_class(EVENT_INSTRUCTIONS, ANY_RING); /* needs no division */

    if (from >= block->count || (!usual && !event_class_covers(id, block->cpl)))
        return 0;
    return kind == EVENT_INSTRUCTIONS ? block->count - from : event_class_uncommon(kind, block, from);
}

/* Whether the instruction before place is an event of the class. place.index is at least 1. */
static inline bool event_class_ends(unsigned id, struct place place)
{
    return event_class_events(id, place.block, place.index - 1) > event_class_events(id, place.block, place.index);
}

/*
 * The index of the n-th instruction from place on that is an event of an inline class. The block must have that many.
 */
int event_class_nth(unsigned id, struct place place, uint64_t n);

/* The number of events of a class that hot->counts includes but that have not happened yet. */
static inline uint64_t event_class_to_come(unsigned id, struct place place)
{
    return place.block == NULL || id >= INLINE_CLASSES ? 0 : event_class_events(id, place.block, place.index);
}

/* The value of hot->counts of a class up to the instruction before place. */
static inline uint64_t event_class_now(const struct vcpu *v, unsigned id, struct place place)
{
    return class_unforced(v->hot->counts[id]) - event_class_to_come(id, place);
}

#endif
