/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The performance monitoring interrupt, and what it freezes. */
#ifndef MODEL_ENGINE_PMI_H
#define MODEL_ENGINE_PMI_H

#include "model/vcpu/vcpu.h"

/* Raises the PMI, if one was requested, once everything else that was due has been done. */
void pmi_deliver(struct vcpu *v, struct place place);

/* Whether a PMI was raised since the last call. */
static inline bool pmi_taken(struct vcpu *v)
{
    bool raised = v->pmi.raised;

    v->pmi.raised = false;
    return raised;
}

/* Rules. */
void pmi_raise(struct vcpu *v, struct place place);
void pmi_freezes(const struct vcpu *v, bool *lbrs, bool *counters);
uint32_t pmi_entry(struct vcpu *v, uint32_t lvtpc);
bool pmi_masks(const struct vcpu *v);

#endif
