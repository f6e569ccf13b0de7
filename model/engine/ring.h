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
    return v->hot->tracing ? (unsigned)(v->trail->noted - ring_blocks(v)) : 0;
}

static inline void ring_append(struct vcpu *v, const struct block *block)
{
    *v->trail->noted++ = block;
    v->trail->odd = block->mask == 0 ? block : v->trail->odd;
}

/* n: at least one */
static inline void ring_set_used(struct vcpu *v, unsigned n)
{
    v->trail->noted = ring_blocks(v) + n;
}

/* Removes all blocks from the ring. The running block stays known; NULL: none. */
static inline void ring_empty(struct vcpu *v, const struct block *running)
{
    v->trail->noted = ring_blocks(v);
    v->trail->noted[-1] = running;
    v->trail->block = NULL;
    v->trail->odd = NULL;
}

/* The running block; between two blocks, the last block that ran; NULL after an interruption. */
static inline const struct block *ring_running_block(const struct vcpu *v)
{
    return v->trail->block != NULL ? v->trail->block : v->trail->noted[-1];
}

#endif
