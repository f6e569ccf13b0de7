/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The effects of a branch: a BTS record, an LBR entry, a count of its outcome. */
#ifndef MODEL_ENGINE_BRANCHES_H
#define MODEL_ENGINE_BRANCHES_H

#include "model/engine/branch.h"
#include "model/vcpu/vcpu.h"

/*
 * Processes the ring. keep_last: the newest block still runs, and stays in the ring; otherwise it has ended, and
 * control continued at next, at privilege level cpl.
 */
void branches_drain(struct vcpu *v, bool keep_last, uint64_t next, unsigned cpl);

/* The newest block was left before its index-th instruction, without its branch. */
void branches_drop_last(struct vcpu *v, unsigned index);

/* Control was transferred to a handler. */
void branches_interruption(struct vcpu *v, uint64_t from, uint64_t to, unsigned from_cpl, unsigned to_cpl);

/* Frees places in the ring by dropping blocks without effect. False: too few blocks are without effect. */
bool branches_forget(struct vcpu *v);

/*
 * Whether branches that end in ring 0 leave no trace, so that only the last block there matters: only the LBR stack
 * records branches, and its filter drops these. The cycles of entries then lack those of ring 0.
 */
bool branches_spare_ring_0(const struct vcpu *v);

/* Determines how many blocks may enter the ring before it must be processed. */
void branches_set_limit(struct vcpu *v);

#endif
