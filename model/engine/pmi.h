/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The performance monitoring interrupt, and what it freezes. */
#ifndef MODEL_ENGINE_PMI_H
#define MODEL_ENGINE_PMI_H

#include "model/vcpu/vcpu.h"

/*
 * The number of instructions that retire between a PMI's request and its delivery. Counters and BTS still record them;
 * LBRs do unless they freeze at the request. A second request in this time merges with the first.
 */
struct pmi_skid {
    unsigned instructions;
    bool freezes_lbrs; /* FREEZE_LBRS_ON_PMI takes effect at the request */
};

/* Raises a requested PMI that does not skid, after everything else that was due. */
void pmi_deliver(struct vcpu *v, struct place place);

/* Called before an access by software: raises a requested PMI first, unless v->rules->pmi_trails is set. */
void pmi_settle(struct vcpu *v, struct place place);

/* Raises a requested PMI now. */
void pmi_hurry(struct vcpu *v, struct place place);

/* Called after `instructions` have retired. Returns whether a PMI is still skidding. */
bool pmi_step(struct vcpu *v, uint64_t instructions);

/* Whether a PMI was raised since the last call. */
static inline bool pmi_taken(struct vcpu *v)
{
    bool raised = v->pmi.raised;

    v->pmi.raised = false;
    return raised;
}

#endif
