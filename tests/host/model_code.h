/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translated code: what it does at the beginning of a block and before an instruction (model/qemu/translate.c). */
#ifndef TESTS_HOST_MODEL_CODE_H
#define TESTS_HOST_MODEL_CODE_H

#include "model/engine/engine.h"
#include "model/engine/event_class.h"

/* Notes a block in the ring. True: the block does not begin. itself: without calls, while the ring has room. */
static inline bool code_note(struct vcpu *v, const struct block *b, bool itself)
{
    if (!v->wants.blocks) {
        return false;
    }
    if (itself && !((uintptr_t)v->trail->noted & RING_NEARLY_FULL)) {
        ring_append(v, b);
        return false;
    }
    return engine_block(v, b) && engine_ring_full(v);
}

/* Adds a block's events. */
static inline void code_add_events(struct vcpu *v, const struct block *b)
{
    for (unsigned id = 0; id < INLINE_CLASSES; id++) {
        v->hot->counts[id] += v->wants.classes >> id & 1 ? event_class_events(id, b, 0) : 0;
    }
}

/* The check that a watched block makes before its i-th instruction. */
static inline bool code_watch(struct vcpu *v, const struct block *b, unsigned i)
{
    const struct place place = { b, i };
    bool left = false;

    for (unsigned id = 0; id < INLINE_CLASSES; id++) {
        if ((v->wants.classes >> id & 1) && event_class_ends(id, place) &&
            v->hot->counts[id] >= CLASS_DUE + event_class_to_come(id, place)) {
            left = engine_stop(v, place);
        }
    }
    return left;
}

/* Whether a count passes its limit inside the block, while no count is at its limit before or after the block. */
static inline bool code_passes(const struct vcpu *v, const struct block *b)
{
    bool some = false;

    for (uint64_t left = v->wants.classes; left != 0; left &= left - 1) {
        const unsigned id = (unsigned)__builtin_ctzll(left), events = event_class_events(id, b, 0);
        const uint64_t before = v->hot->counts[id], behind = before + events;

        if (events > 0 && (before >= CLASS_DUE || behind == CLASS_DUE)) {
            return false;
        }
        some = some || (events > 0 && behind > CLASS_DUE);
    }
    return some;
}

/*
 * Begins a block. False: it did not begin, because a PMI was raised at its first instruction. *watching: runs the
 * watched translation, which code_passes() allows; set if the engine asks for it. itself: as for code_note().
 */
static inline bool code_begin(struct vcpu *v, const struct block *b, bool itself, bool *watching)
{
    const bool passing = *watching;
    bool checked = false;
    unsigned lowest = 0;

    while (v->wants.classes != 0 && !(v->wants.classes >> lowest & 1)) {
        lowest++;
    }
    for (unsigned id = 0; id <= INLINE_CLASSES && !passing; id++) {
        bool last = id == INLINE_CLASSES; /* no events of this class */
        bool wanted = last ? v->wants.classes != 0 && !checked : v->wants.classes >> id & 1;
        unsigned events = last ? 0 : event_class_events(id, b, 0);
        uint64_t limit = last ? CLASS_FORCED : CLASS_DUE - events;

        if (!wanted || (!last && events == 0)) {
            continue;
        }
        checked = true;
        if (v->hot->counts[last ? lowest : id] >= limit) {
            enum due_answer answer = engine_due(v, b, *watching);

            if (answer == DUE_AGAIN) {
                return false;
            }
            *watching = *watching || answer == DUE_WATCH;
        }
    }
    if (code_note(v, b, itself)) {
        return false;
    }
    if (v->wants.classes && !v->wants.blocks) {
        v->trail->block = b;
    }
    code_add_events(v, b);
    return true;
}

#endif
