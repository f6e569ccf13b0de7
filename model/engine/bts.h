/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BTS buffer: a record of each branch, and the interrupt at the threshold. */
#ifndef MODEL_ENGINE_BTS_H
#define MODEL_ENGINE_BTS_H

#include "model/engine/branch.h"
#include "model/vcpu/vcpu.h"

/* Reads the DS area if the branch at ip needs it. Returns whether it could be read. */
bool bts_read_area(struct vcpu *v, uint64_t ip);

/* Stages the records of n branches, at most BRANCH_BATCH. area_readable: the result of bts_read_area(). */
void bts_store(struct vcpu *v, const struct branch *branches, unsigned n, bool area_readable);

/* Writes the staged records. Call bts_finish() once all branches of a drain are staged: it checks the threshold. */
void bts_flush(struct vcpu *v);
void bts_finish(struct vcpu *v);

/*
 * The number of branches, at least 1, before the threshold may be reached; UINT64_MAX if the threshold has no effect.
 */
uint64_t bts_branches_left(const struct vcpu *v);

#endif
