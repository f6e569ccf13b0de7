/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counters may do: each may_ function replaces the rule of its name (model/engine/rules.h), where it is one. */
#ifndef MODEL_LATITUDE_MAY_COUNTERS_H
#define MODEL_LATITUDE_MAY_COUNTERS_H

#include "model/vcpu/vcpu.h"

unsigned may_counting_interruption(struct vcpu *v);
bool may_data_followed(const struct vcpu *v);

/* Chooses, at a reset, what stays the same from then on. */
void may_choose_counters(struct vcpu *v);

#endif
