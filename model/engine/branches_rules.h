/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of branches (rules.h): the manual's functions, then the table of a processor's functions. */
#ifndef MODEL_ENGINE_BRANCHES_RULES_H
#define MODEL_ENGINE_BRANCHES_RULES_H

#include "model/vcpu/vcpu.h"

struct branch;

/* Whether the branch at the end of this block, which went to `to`, was predicted to go elsewhere. */
bool branches_mispredicted(struct vcpu *v, const struct block *block, uint64_t to);
/* Records n branches. area_readable: v->ds.area was just read. */
void branches_record(struct vcpu *v, const struct branch *branches, unsigned n, bool area_readable);

struct branches_rules {
    bool every; /* every branch that can end a block is gathered, even if it is not taken or has no effect */
    __typeof__(branches_mispredicted) *mispredicted;
    __typeof__(branches_record) *record;
};

#endif
