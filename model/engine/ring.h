/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ring of blocks that have begun and are not processed yet, oldest first. */
#ifndef MODEL_ENGINE_RING_H
#define MODEL_ENGINE_RING_H

#include "model/vcpu/vcpu.h"

static inline const struct block **ring_blocks(const struct vcpu *v)
{
    return v->places + v->ring.start;
}

static inline unsigned ring_used(const struct vcpu *v)
{
    return v->hot->tracing ? (unsigned)(v->noted - ring_blocks(v)) : 0;
}

static inline void ring_append(struct vcpu *v, const struct block *block)
{
    *v->noted++ = block;
    v->hot->running = (uintptr_t)block;
}

/* n: at least one */
static inline void ring_set_used(struct vcpu *v, unsigned n)
{
    v->noted = ring_blocks(v) + n;
}

/* Removes all blocks from the ring. The running block stays known; NULL: none. */
static inline void ring_empty(struct vcpu *v, const struct block *running)
{
    v->noted = ring_blocks(v);
    v->noted[-1] = running;
    v->hot->running = (uintptr_t)running;
}

/* The running block; between two blocks, the last block that ran; NULL after an interruption. */
static inline const struct block *ring_running_block(const struct vcpu *v)
{
    return (const struct block *)(uintptr_t)v->hot->running;
}

#endif
