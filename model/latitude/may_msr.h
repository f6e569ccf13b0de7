/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What registers may do: each may_ function replaces the rule of its name (model/engine/rules.h), where it is one. */
#ifndef MODEL_LATITUDE_MAY_MSR_H
#define MODEL_LATITUDE_MAY_MSR_H

#include "model/vcpu/vcpu.h"

bool may_msr_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value);
void may_msr_set(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value);

/* Chooses, at a reset, what stays the same from then on. */
void may_choose_msr(struct vcpu *v);

/* Gives registers, behind a reset, the values that firmware has left in them. */
void may_leave_running(struct vcpu *v);

#endif
