/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters' values, and how far each is from what is to be done about it. */
#ifndef MODEL_ENGINE_COUNTING_H
#define MODEL_ENGINE_COUNTING_H

#include "model/vcpu/vcpu.h"

/* place: how far the block that runs has come. */

/* Brings the counters' values up to the instruction before place. */
void counting_update(struct vcpu *v, struct place place);

/* Says anew how far each class is from overflow. */
void counting_arm(struct vcpu *v, struct place place);

/* Loads v->counters[i] with a value of counter_width bits. */
void counting_load(struct vcpu *v, unsigned i, uint64_t value);

/* Whether, between two blocks, the instruction that retired last has taken a class to its end. */
bool counting_due(const struct vcpu *v);

/* The first instruction from place on that takes a class to its end: an index, or -1. until: what was counted so far.
 */
int counting_first_due(const struct vcpu *v, struct place place, struct place until);

/* Branches that may go by before one could be an outcome event that takes its class to its end; whether one has. */
uint64_t counting_outcomes_left(const struct vcpu *v);
bool counting_outcome_due(const struct vcpu *v);

/* The running block is left before place.index: what was counted for the rest is taken back. */
void counting_cut(struct vcpu *v, struct place place);

/* Rules. */
uint64_t counting_events(const struct vcpu *v, uint64_t events);
bool counting_exact(const struct vcpu *v, const struct counter *c);

#endif
