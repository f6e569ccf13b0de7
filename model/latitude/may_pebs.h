/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What PEBS may do: each may_ function replaces the rule of its name (model/engine/rules.h), where it is one. */
#ifndef MODEL_LATITUDE_MAY_PEBS_H
#define MODEL_LATITUDE_MAY_PEBS_H

#include "model/bytes/arch_pebs.h"
#include "model/latitude/choices.h"
#include "model/vcpu/vcpu.h"

bool may_counting_exact(const struct vcpu *v, const struct counter *c);
bool may_overflow_arms(struct vcpu *v, unsigned i);
uint64_t may_pebs_together(struct vcpu *v, uint64_t due);
bool may_pebs_visible(const struct vcpu *v);
void may_pebs_arch_split(struct vcpu *v, const struct arch_contents *arch, struct arch_split *split);
void may_pebs_reload(struct vcpu *v, uint64_t counters);

/* Chooses, at a reset, what stays the same from then on. */
void may_choose_pebs(struct vcpu *v);

/*
 * So many cycles have passed. Return whether more have to: until every counter is armed, and all records are in memory.
 */
bool may_go_on_arming(struct vcpu *v, struct passed passed);
bool may_go_on_hiding(struct vcpu *v, struct passed passed);

#endif
