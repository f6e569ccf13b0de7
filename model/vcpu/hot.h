/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State that translated code reads and writes by itself, without calling the engine: event counts and the ring of
 * blocks.
 */
#ifndef MODEL_VCPU_HOT_H
#define MODEL_VCPU_HOT_H

#include <stdint.h>

#include "model/code/block.h"
#include "model/processors/profile.h"

#define ENGINE_RING      2048 /* blocks */
#define EVENT_QUALIFIERS 3

/*
 * An event counted in all rings, in ring 0 only or outside ring 0 only is a class of its own. Its running count says
 * how far the nearest counter is from overflow, or from the event after the overflow if only that one is visible: the
 * event that takes the count to CLASS_DUE is the one looked for. CLASS_DUE is larger than any counter's distance.
 * Adding CLASS_FORCE makes the next block's check call the engine in any case.
 */
enum event_qualifier { ANY_RING, RING_0, OTHER_RINGS };
#define EVENT_CLASSES  (EVENT_KINDS * EVENT_QUALIFIERS)
#define INLINE_CLASSES (EVENT_OUTCOMES * EVENT_QUALIFIERS) /* at most 64 */
#define CLASS_DUE      (UINT64_C(1) << 49)
#define CLASS_FORCE    (UINT64_C(1) << 56)

static inline unsigned event_class(enum event_kind kind, enum event_qualifier qualifier)
{
    return (unsigned)kind * EVENT_QUALIFIERS + (unsigned)qualifier;
}

/* One for each processor. */
struct hot {
    uint64_t tracing;          /* branches are recorded; if not, what is noted in the ring means nothing */
    const struct block *block; /* the block that began last; NULL after an interruption */
    uint64_t stop_at;          /* address before which engine_stop() must be called, 0 for none */
    uint64_t fix_up;           /* used by the glue: registers must be replaced after CPUID or RDMSR */
    uint64_t data_pending;     /* the instruction before this one accessed memory */
    uint64_t counts[EVENT_CLASSES];
    uint64_t noted;                            /* place of the next block in the ring, in bytes */
    const struct block *ring[ENGINE_RING + 1]; /* one more for a block after a drain */
};

/* Marks in hot->noted. */
#define RING_FULL        (ENGINE_RING * sizeof(const struct block *))
#define RING_NEARLY_FULL (RING_FULL - sizeof(const struct block *))

#endif
