/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latitude of the PMI and its status: a may_ function replaces the rule of its name (model/engine/rules.h), if there is
 * one.
 */
#ifndef MODEL_LATITUDE_MAY_PMI_H
#define MODEL_LATITUDE_MAY_PMI_H

#include "model/vcpu/vcpu.h"

struct pmi_skid may_pmi_skid(struct vcpu *v);
void may_pmi_raise(struct vcpu *v, struct place place);
uint64_t may_msr_value(struct vcpu *v, const struct profile_msr *m, unsigned i);
void may_cpuid_answer(const struct vcpu *v, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
unsigned may_smi_microseconds(struct vcpu *v);

/* Call when a record of these counters was stored: may leave their overflow bits set. */
void may_leave_own_bits(struct vcpu *v, uint64_t counters);

/* Call at a reset: chooses when FREEZE_LBRS_ON_PMI takes effect. */
void may_choose_freeze(struct vcpu *v);

#endif
