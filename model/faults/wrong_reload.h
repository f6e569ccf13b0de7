/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of auto counter reload. Each replaces the rule of its name (model/engine/rules.h). */
#ifndef MODEL_FAULTS_WRONG_RELOAD_H
#define MODEL_FAULTS_WRONG_RELOAD_H

#include "model/vcpu/vcpu.h"

uint32_t wrong_reload_targets(const struct vcpu *v, unsigned j);
uint64_t wrong_reload_value(const struct vcpu *v, unsigned i);

/* The auto counter reload part of the sub-leaves of CPUID leaf 23H. */
void wrong_reload_cpuid(const struct vcpu *v, uint32_t subleaf, uint32_t regs[4]);

#endif
