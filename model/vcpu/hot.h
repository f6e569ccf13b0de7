/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What translated code reads and writes by itself, without calling the engine: event counts and the ring of blocks. */
#ifndef MODEL_VCPU_HOT_H
#define MODEL_VCPU_HOT_H

#include <stdint.h>

#include "model/code/block.h"
#include "model/processors/profile.h"

#define ENGINE_RING      2048 /* blocks */
#define EVENT_QUALIFIERS 3

/*
 * An event counted in all rings, in ring 0 only or outside it only is a class of its own, with a running count that
 * says how far the nearest counter is from overflow, or from the event behind it if that alone shows: the event that
 * takes it to CLASS_DUE is the one. CLASS_DUE is more than a counter can be away. CLASS_FORCE on top makes the next
 * block's check call the engine in any case.
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

/* One a processor. */
struct hot {
    uint64_t tracing;          /* what a block takes in the ring: 0 while branches are not wanted */
    const struct block *block; /* the block that began last; NULL after an interruption */
    uint64_t stop_at;          /* address before which engine_stop wants to be called, 0 for none */
    uint64_t fix_up;           /* the glue's: registers are to be replaced after CPUID or RDMSR */
    uint64_t data_pending;     /* the instruction before this one accessed memory */
    uint64_t counts[EVENT_CLASSES];
    uint64_t noted;                            /* where in the ring the next block goes, in bytes */
    const struct block *ring[ENGINE_RING + 1]; /* one more for what comes after a drain */
};

/* Of hot->noted. */
#define RING_FULL        (ENGINE_RING * sizeof(const struct block *))
#define RING_NEARLY_FULL (RING_FULL - sizeof(const struct block *))

#endif
