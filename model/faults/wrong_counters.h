/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of counters and their events. Each replaces the rule of its name (model/engine/rules.h). */
#ifndef MODEL_FAULTS_WRONG_COUNTERS_H
#define MODEL_FAULTS_WRONG_COUNTERS_H

#include "model/vcpu/vcpu.h"

struct counters_request;

struct counters_request wrong_counters_request(const struct vcpu *v, unsigned i);
void wrong_counters_set_up(struct vcpu *v, unsigned i);
unsigned wrong_counting_interruption(struct vcpu *v, enum event_kind kind, bool software);
uint64_t wrong_counting_events(const struct vcpu *v, uint64_t events);
bool wrong_counting_exact(const struct vcpu *v, const struct counter *c);
void wrong_overflow_of(struct vcpu *v, unsigned i);
bool wrong_data_latency_counts(const struct vcpu *v, uint64_t latency, uint64_t threshold);

#endif
