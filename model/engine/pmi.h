/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The performance monitoring interrupt, and what it freezes. */
#ifndef MODEL_ENGINE_PMI_H
#define MODEL_ENGINE_PMI_H

#include "model/vcpu/vcpu.h"

/*
 * The instructions that retire between a PMI's request and the PMI, which counters and BTS take part in, and LBRs
 * unless they are frozen with the request. A further request meanwhile is part of the first.
 */
struct pmi_skid {
    unsigned instructions;
    bool freezes_lbrs; /* FREEZE_LBRS_ON_PMI takes effect with the request */
};

/* Raises the PMI, if one was requested and does not skid, once everything else that was due has been done. */
void pmi_deliver(struct vcpu *v, struct place place);

/* Software looks: a PMI that was requested is raised first, unless it trails. */
void pmi_settle(struct vcpu *v, struct place place);

/* A PMI that was requested is raised now. */
void pmi_hurry(struct vcpu *v, struct place place);

/* So many instructions have retired. Returns whether a PMI is under way, and not due yet. */
bool pmi_step(struct vcpu *v, uint64_t instructions);

/* Whether a PMI was raised since the last call. */
static inline bool pmi_taken(struct vcpu *v)
{
    bool raised = v->pmi.raised;

    v->pmi.raised = false;
    return raised;
}

/* Rules. */
struct pmi_skid pmi_skid(struct vcpu *v);
void pmi_raise(struct vcpu *v, struct place place);
void pmi_freezes(const struct vcpu *v, bool *lbrs, bool *counters);
bool pmi_freezes_by_status(const struct vcpu *v);
uint32_t pmi_entry(struct vcpu *v, uint32_t lvtpc);
bool pmi_masks(const struct vcpu *v);

#endif
