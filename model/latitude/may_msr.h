/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latitude of registers: a may_ function replaces the rule of its name (model/engine/rules.h), if there is one. */
#ifndef MODEL_LATITUDE_MAY_MSR_H
#define MODEL_LATITUDE_MAY_MSR_H

#include "model/vcpu/vcpu.h"

bool may_msr_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value);
void may_msr_set(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value);

/* Call at a reset: makes the choices that stay until the next reset. */
void may_choose_msr(struct vcpu *v);

/* Call after a reset: sets registers to values that firmware may leave. */
void may_leave_running(struct vcpu *v);

#endif
