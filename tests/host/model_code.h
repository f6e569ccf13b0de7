/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translated code: what it does at the beginning of a block and before an instruction (model/qemu/translate.c). */
#ifndef TESTS_HOST_MODEL_CODE_H
#define TESTS_HOST_MODEL_CODE_H

#include "model/engine/engine.h"
#include "model/engine/event_class.h"

/* Notes a block in the ring. True: the block does not begin. */
static inline bool code_note(struct vcpu *v, const struct block *b)
{
    v->hot->hit = 0;
    return v->wants.blocks && engine_block(v, b) && engine_ring_full(v);
}

/* Adds a block's events. */
static inline void code_add_events(struct vcpu *v, const struct block *b)
{
    for (unsigned id = 0; id < INLINE_CLASSES; id++)
        v->hot->counts[id] += v->wants.classes >> id & 1 ? event_class_events(id, b, 0) : 0;
}

/* The check that a watched block makes before its i-th instruction. */
static inline bool code_watch(struct vcpu *v, const struct block *b, unsigned i)
{
    const struct place place = { b, i };
    bool left = false;

    for (unsigned id = 0; id < INLINE_CLASSES; id++)
        if ((v->wants.classes >> id & 1) && event_class_ends(id, place) &&
            v->hot->counts[id] >= CLASS_DUE + event_class_to_come(id, place))
            left = engine_stop(v, place);
    return left;
}

/*
 * Begins a block. False: it did not begin, because a PMI was raised at its first instruction. Sets *watching if it runs
 * in its watched translation.
 */
static inline bool code_begin(struct vcpu *v, const struct block *b, bool *watching)
{
    bool checked = false;
    unsigned lowest = 0;

    *watching = false;
    while (v->wants.classes != 0 && !(v->wants.classes >> lowest & 1))
        lowest++;
    for (unsigned id = 0; id <= INLINE_CLASSES; id++) {
        bool last = id == INLINE_CLASSES; /* no events of this class */
        bool wanted = last ? v->wants.classes != 0 && !checked : v->wants.classes >> id & 1;
        unsigned events = last ? 0 : event_class_events(id, b, 0);
        uint64_t limit = last ? CLASS_FORCED : CLASS_DUE - events;

        if (!wanted || (!last && events == 0))
            continue;
        checked = true;
        if (v->hot->counts[last ? lowest : id] >= limit) {
            enum due_answer answer = engine_due(v, b, *watching);

            if (answer == DUE_AGAIN)
                return false;
            *watching = *watching || answer == DUE_WATCH;
        }
    }
    if (code_note(v, b))
        return false;
    code_add_events(v, b);
    return true;
}

#endif
