/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of the LBR stack. Each replaces the rule of its name (model/engine/rules.h). */
#ifndef MODEL_FAULTS_WRONG_LBR_H
#define MODEL_FAULTS_WRONG_LBR_H

#include "model/vcpu/vcpu.h"

struct branch;

uint64_t wrong_lbr_select(const struct vcpu *v);
uint32_t wrong_lbr_events_logged(const struct vcpu *v);
void wrong_lbr_push(struct vcpu *v, const struct branch *branch, const struct lbr_contents *contents);
void wrong_lbr_debug_exception(struct vcpu *v);

#endif
