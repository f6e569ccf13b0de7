/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latitude of PEBS: a may_ function replaces the rule of its name (model/engine/rules.h), if there is one. */
#ifndef MODEL_LATITUDE_MAY_PEBS_H
#define MODEL_LATITUDE_MAY_PEBS_H

#include "model/bytes/arch_pebs.h"
#include "model/latitude/choices.h"
#include "model/vcpu/vcpu.h"

bool may_counting_exact(const struct vcpu *v, const struct counter *c);
bool may_overflow_arms(struct vcpu *v, unsigned i);
uint64_t may_pebs_together(struct vcpu *v, uint64_t due);
bool may_pebs_visible(const struct vcpu *v);
void may_pebs_arch_describe(struct vcpu *v, struct arch_contents *arch);
void may_pebs_arch_split(struct vcpu *v, const struct arch_contents *arch, struct arch_split *split);
void may_pebs_reload(struct vcpu *v, uint64_t counters);

/* Call at a reset: makes the choices that stay until the next reset. */
void may_choose_pebs(struct vcpu *v);

/*
 * Call with the passed cycles. Return true until every counter is armed (arming), or all records are in memory
 * (hiding).
 */
bool may_go_on_arming(struct vcpu *v, struct passed passed);
bool may_go_on_hiding(struct vcpu *v, struct passed passed);

#endif
