/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The truth log: what the model did, from the contents of records before they are encoded. */
#ifndef MODEL_ENGINE_TRUTH_H
#define MODEL_ENGINE_TRUTH_H

#include "model/bytes/arch_pebs.h"
#include "model/engine/branch.h"
#include "model/vcpu/vcpu.h"

/* Each writes one line to v->truth. truth_pebs_dropped() and truth_pmi() do nothing without a log. */
void truth_bts(struct vcpu *v, uint64_t at, const struct bts_contents *contents);
void truth_pebs(struct vcpu *v, uint64_t at, size_t size, const struct pebs_contents *contents);
void truth_adaptive(struct vcpu *v, uint64_t at, const struct pebs_contents *contents,
                    const struct adaptive_contents *extra);
void truth_arch(struct vcpu *v, uint64_t at, const struct pebs_contents *contents,
                const struct adaptive_contents *extra, const struct arch_contents *arch,
                const struct arch_split *split);
void truth_lbr(struct vcpu *v, unsigned tos, const struct lbr_contents *contents);
void truth_pebs_dropped(struct vcpu *v, uint64_t at);
void truth_pmi(struct vcpu *v, uint32_t lvtpc);

#endif
