/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ring of blocks that began and were not processed yet, oldest first. */
#ifndef MODEL_ENGINE_RING_H
#define MODEL_ENGINE_RING_H

#include "model/vcpu/vcpu.h"

static inline const struct block **ring_blocks(const struct vcpu *v)
{
    return &v->hot->ring[v->ring.start];
}

static inline unsigned ring_used(const struct vcpu *v)
{
    return v->hot->tracing ? (unsigned)(v->hot->noted / sizeof(v->hot->ring[0])) - v->ring.start : 0;
}

static inline void ring_set_used(struct vcpu *v, unsigned n)
{
    v->hot->noted = (v->ring.start + n) * sizeof(v->hot->ring[0]);
}

/* The running block, or between two blocks the one that ran last; NULL after an interruption. */
static inline const struct block *ring_running_block(const struct vcpu *v)
{
    return v->hot->block != NULL ? v->hot->block : ring_used(v) > 0 ? ring_blocks(v)[ring_used(v) - 1] : NULL;
}

#endif
