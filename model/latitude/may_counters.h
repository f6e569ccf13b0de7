/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latitude of counters: a may_ function replaces the rule of its name (model/engine/rules.h), if there is one. */
#ifndef MODEL_LATITUDE_MAY_COUNTERS_H
#define MODEL_LATITUDE_MAY_COUNTERS_H

#include "model/vcpu/vcpu.h"

unsigned may_counting_interruption(struct vcpu *v, enum event_kind kind, bool software);
bool may_data_followed(const struct vcpu *v);

/* Call at a reset: makes the choices that stay until the next reset. */
void may_choose_counters(struct vcpu *v);

#endif
