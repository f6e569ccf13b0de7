/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State that translated code reads and writes by itself, without calling the engine: event counts and the ring of
 * blocks.
 */
#ifndef MODEL_VCPU_HOT_H
#define MODEL_VCPU_HOT_H

#include <stdint.h>

#include "model/insn/block.h"
#include "model/processors/profile.h"

#define ENGINE_RING      2048 /* blocks */
#define EVENT_QUALIFIERS 3

/*
 * An event counted in all rings, in ring 0 only or outside ring 0 only is a class of its own. Its running count says
 * how far the nearest counter is from overflow, or from the event after the overflow if only that one is visible: the
 * event that takes the count to CLASS_DUE is the one looked for, which translated code sees by the sign. A class that
 * no counter counts is further away than any counter can be. Adding CLASS_FORCE, which makes a count of CLASS_FORCED or
 * more, has the next block's check call the engine in any case.
 */
enum event_qualifier { ANY_RING, RING_0, OTHER_RINGS };
#define EVENT_CLASSES  (EVENT_KINDS * EVENT_QUALIFIERS)
#define INLINE_CLASSES (EVENT_OUTCOMES * EVENT_QUALIFIERS) /* at most 64 */
#define CLASS_DUE      (UINT64_C(1) << 63)
#define CLASS_FAR      (CLASS_DUE - (UINT64_C(1) << 49))
#define CLASS_FORCE    (UINT64_C(1) << 62)
#define CLASS_FORCED   (CLASS_DUE + CLASS_FORCE / 2)

static inline uint64_t class_unforced(uint64_t count)
{
    return count >= CLASS_FORCED ? count - CLASS_FORCE : count;
}

static inline unsigned event_class(enum event_kind kind, enum event_qualifier qualifier)
{
    return (unsigned)kind * EVENT_QUALIFIERS + (unsigned)qualifier;
}

/* One for each processor. */
struct hot {
    uint64_t tracing;          /* branches are recorded; if not, only the newest of the ring's blocks means anything */
    const struct block *block; /* the block that began last, where blocks are not noted in the ring; else NULL */
    uint64_t fix_up;           /* used by the glue: registers must be replaced after CPUID or RDMSR */
    uint64_t elsewhere;    /* used by the glue: host code in which the block that begins is to go on, 0 for its own */
    uint64_t data_pending; /* the instruction before this one accessed memory */
    uint64_t counts[EVENT_CLASSES];
    const struct block **noted; /* place of the next block in the ring */
};

/*
 * The ring lies in memory such that the address of its last place has this bit, as has that of the one behind it, which
 * is for a block after a drain, and no other: translated code can tell that it is nearly full.
 */
#define RING_NEARLY_FULL (ENGINE_RING * sizeof(const struct block *))

#endif
