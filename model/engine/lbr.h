/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The LBR stack: which branches it records, and the contents of an entry. */
#ifndef MODEL_ENGINE_LBR_H
#define MODEL_ENGINE_LBR_H

#include "model/engine/branch.h"
#include "model/vcpu/vcpu.h"

/* Records those of the n branches that pass the filters. */
void lbr_store(struct vcpu *v, const struct branch *branches, unsigned n);

/* An interruption is about to branch: copies the previous branch to MSR_LER_FROM_LIP and _TO_LIP. */
void lbr_keep_last(struct vcpu *v);

#endif
