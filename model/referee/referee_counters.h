/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration of a counter when it begins to count, for PEBS or at all. */
#ifndef MODEL_REFEREE_REFEREE_COUNTERS_H
#define MODEL_REFEREE_REFEREE_COUNTERS_H

#include "model/vcpu/vcpu.h"

/* The counters of a mask have begun to count for PEBS. */
void referee_counters_check_pebs(struct vcpu *v, uint64_t counters, uint64_t ip);

/* Bit i: v->counters[i] is to count the edges of an event for PEBS. The model does not, so it never begins to. */
uint64_t referee_counters_edges(const struct vcpu *v);

/* A record of the instruction at ip has been written for the counters of a mask, and they have their reset values. */
void referee_counters_reloaded(struct vcpu *v, uint64_t counters, uint64_t ip);

/* Counters have begun to count. */
void referee_counters_check(struct vcpu *v, uint64_t ip);

#endif
