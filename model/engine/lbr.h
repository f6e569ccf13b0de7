/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The LBR stack: which branches it records, and the contents of an entry. */
#ifndef MODEL_ENGINE_LBR_H
#define MODEL_ENGINE_LBR_H

#include "model/engine/branch.h"
#include "model/vcpu/vcpu.h"

/*
 * Whether the filter `select` admits the taken branch at the end of a block, to code of privilege level to_cpl.
 * Does not know call-stack mode (LBR_SELECT_EN_CALLSTACK), in which returns remove entries.
 */
static inline bool lbr_selects(uint64_t select, const struct block *block, unsigned to_cpl)
{
    return !(select & (to_cpl == 0 ? LBR_SELECT_CPL_EQ_0 : LBR_SELECT_CPL_NEQ_0)) &&
           !(select >> ((unsigned)block->end - END_JCC + LBR_SELECT_FIRST_KIND) & 1);
}

/* Records those of the n branches that pass the filters. */
void lbr_store(struct vcpu *v, const struct branch *branches, unsigned n);

/* An interruption is about to branch: copies the previous branch to MSR_LER_FROM_LIP and _TO_LIP. */
void lbr_keep_last(struct vcpu *v);

#endif
