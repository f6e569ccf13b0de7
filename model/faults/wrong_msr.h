/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of registers. Each replaces the rule of its name (model/engine/rules.h). */
#ifndef MODEL_FAULTS_WRONG_MSR_H
#define MODEL_FAULTS_WRONG_MSR_H

#include "model/vcpu/vcpu.h"

void wrong_engine_reset_registers(struct vcpu *v);
bool wrong_msr_exists(const struct vcpu *v, const struct profile_msr *m, unsigned i);
bool wrong_msr_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value);
uint64_t wrong_msr_value(struct vcpu *v, const struct profile_msr *m, unsigned i);
void wrong_msr_set(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value);
bool wrong_msr_counter_concealed(const struct vcpu *v, uint32_t index);
enum msr_answer wrong_msr_counter(struct vcpu *v, uint32_t index, uint64_t *value);

#endif
