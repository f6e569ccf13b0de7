/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of the PMI and of exceptions. Each replaces the rule of its name (model/engine/rules.h). */
#ifndef MODEL_FAULTS_WRONG_PMI_H
#define MODEL_FAULTS_WRONG_PMI_H

#include "model/vcpu/vcpu.h"

void wrong_pmi_raise(struct vcpu *v, struct place place);
void wrong_pmi_freezes(const struct vcpu *v, bool *lbrs, bool *counters);
uint32_t wrong_pmi_entry(struct vcpu *v, uint32_t lvtpc);
bool wrong_pmi_masks(const struct vcpu *v);
/* Faults of the LVT entry's mask bit, after RDMSR or WRMSR of a register. */
void wrong_pmi_after_read(struct vcpu *v, enum model_register reg);
void wrong_pmi_after_write(struct vcpu *v, enum model_register reg, uint64_t value);
void wrong_exception_pushed(struct vcpu *v, uint64_t *flags, uint64_t *code);

#endif
