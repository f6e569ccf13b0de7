/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of the PMI (rules.h): the manual's functions, then the table of a processor's functions. */
#ifndef MODEL_ENGINE_PMI_RULES_H
#define MODEL_ENGINE_PMI_RULES_H

#include "model/vcpu/vcpu.h"

struct pmi_skid;

/* How far the requested PMI skids. */
struct pmi_skid pmi_skid(struct vcpu *v);
/* Raises the requested PMI; what it freezes, and whether by a status bit. */
void pmi_raise(struct vcpu *v, struct place place);
void pmi_freezes(const struct vcpu *v, bool *lbrs, bool *counters);
bool pmi_freezes_by_status(const struct vcpu *v);
/* The value of LVTPC that delivery uses; whether delivery sets LVTPC's mask bit. */
uint32_t pmi_entry(struct vcpu *v, uint32_t lvtpc);
bool pmi_masks(const struct vcpu *v);

struct pmi_rules {
    __typeof__(pmi_skid) *skid;
    bool trails; /* the PMI may arrive after an access by software that pmi_settle() handles */
    __typeof__(pmi_raise) *raise;
    __typeof__(pmi_freezes) *freezes;
    __typeof__(pmi_freezes_by_status) *freezes_by_status;
    __typeof__(pmi_entry) *entry;
    __typeof__(pmi_masks) *masks;
};

#endif
