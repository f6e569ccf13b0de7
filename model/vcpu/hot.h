/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State that translated code reads and writes without calling the engine: event counts and the ring of blocks.
 */
#ifndef MODEL_VCPU_HOT_H
#define MODEL_VCPU_HOT_H

#include <stdint.h>

#include "model/insn/block.h"
#include "model/processors/profile.h"

#define ENGINE_RING      2048 /* blocks */
#define EVENT_QUALIFIERS 3

/*
 * An event class is an event counted in all rings, only in ring 0, or only outside ring 0. CLASS_DUE minus its count is
 * the number of events until the engine must act for the nearest counter: at its overflow, or at the event after the
 * overflow if only that event has an effect. Translated code calls the engine when the count reaches CLASS_DUE, which
 * it recognises by the sign. A class without counters starts at CLASS_FAR, further away than any counter can be. Adding
 * CLASS_FORCE makes the count CLASS_FORCED or more, so the next block's check calls the engine.
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
    return __builtin_expect(count >= CLASS_FORCED, false) ? count - CLASS_FORCE : count;
}

static inline unsigned event_class(enum event_kind kind, enum event_qualifier qualifier)
{
    return (unsigned)kind * EVENT_QUALIFIERS + (unsigned)qualifier;
}

/* One for each processor. */
struct hot {
    uint64_t tracing;      /* branches are recorded; otherwise only the newest block in the ring is valid */
    uint64_t fix_up;       /* for model/qemu: replace registers after CPUID or RDMSR */
    uint64_t data_pending; /* the previous instruction accessed memory */
    uint64_t hit;          /* struct block_insn * whose first access was a hit that counted at once; or 0 */
    uint64_t running;      /* struct block *: see ring_running_block() */
    uint64_t spared;       /* for model/qemu: ring 0 runs translations that report nothing */
    uint64_t counts[EVENT_CLASSES];
};

#endif
