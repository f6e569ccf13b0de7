/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BTS buffer: a record of each branch, and the interrupt at the threshold. */
#ifndef MODEL_ENGINE_BTS_H
#define MODEL_ENGINE_BTS_H

#include "model/engine/branch.h"
#include "model/vcpu/vcpu.h"

/* Reads the area, if there is a use for it, before the branch at ip is stored. Returns whether it can be used. */
bool bts_read_area(struct vcpu *v, uint64_t ip);

/* Stages the records of n branches, at most BRANCH_BATCH. area_readable: what bts_read_area returned. */
void bts_store(struct vcpu *v, const struct branch *branches, unsigned n, bool area_readable);

/*
 * Whether only BTS is interested, in every branch, and nobody logs; then it stages the taken branches of blocks [0, n)
 * straight out of the ring. predict: predictions are wanted.
 */
bool bts_stores_all(const struct vcpu *v, bool predict);
void bts_store_all(struct vcpu *v, unsigned n);

/* Writes what is staged; and with that, once all that a drain stored is staged, sees to the threshold. */
void bts_flush(struct vcpu *v);
void bts_finish(struct vcpu *v);

/* Branches until the threshold may be reached, at least 1; UINT64_MAX where nothing happens there. */
uint64_t bts_branches_left(const struct vcpu *v);

/* Rules. */
bool bts_on(const struct vcpu *v);
void bts_filters(const struct vcpu *v, bool *skip_system, bool *skip_user);
struct bts_event bts_event(const struct vcpu *v, const struct branch *branch);
uint64_t bts_wrap(const struct vcpu *v);
uint64_t bts_index(const struct vcpu *v);
bool bts_write(struct vcpu *v, uint64_t index);

#endif
