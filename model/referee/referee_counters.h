/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration of a counter when it starts to count. */
#ifndef MODEL_REFEREE_REFEREE_COUNTERS_H
#define MODEL_REFEREE_REFEREE_COUNTERS_H

#include "model/vcpu/vcpu.h"

/* The counters of a mask have started to sample. */
void referee_counters_check_pebs(struct vcpu *v, uint64_t counters, uint64_t ip);

/* Bit i: v->counters[i] is set up to sample edges. The model does not implement this: the counter never starts. */
uint64_t referee_counters_edges(const struct vcpu *v);

/* A record of the instruction at ip was written for the counters of a mask, and they were reloaded. */
void referee_counters_reloaded(struct vcpu *v, uint64_t counters, uint64_t ip);

/* Counters have started to count. */
void referee_counters_check(struct vcpu *v, uint64_t ip);

/* Software wrote a register that enables counters: reports events that the model does not count, each once. */
void referee_counters_check_events(struct vcpu *v, uint64_t ip);

#endif
