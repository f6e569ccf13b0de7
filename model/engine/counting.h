/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters' values, and their distance from what must be done next. */
#ifndef MODEL_ENGINE_COUNTING_H
#define MODEL_ENGINE_COUNTING_H

#include "model/vcpu/vcpu.h"

/* After v->counting.active, .reloads or what active counters count has changed: groups them by class. */
void counting_configure(struct vcpu *v);

/* In this file `place` is how far the running block has come. */

/* Updates the counters' values up to the instruction before place. */
void counting_update(struct vcpu *v, struct place place);

/* Recomputes each class's distance from overflow. If the rest of the block takes one to its limit, counting_force(). */
void counting_arm(struct vcpu *v, struct place place);

/* Has the next block's check call engine_due() in any case (CLASS_FORCE). */
void counting_force(struct vcpu *v);

/* Loads v->counters[i] with a value of counter_width bits. */
void counting_load(struct vcpu *v, unsigned i, uint64_t value);

/* The same, and PEBS stays armed where it is: no software has written the value. */
void counting_reload(struct vcpu *v, unsigned i, uint64_t value);

/*
 * Whether overflow_take() is to be called behind every instruction, between two blocks at the latest, so that it asks
 * v->rules->stepped(). To be changed between counting_update() and counting_arm(), by a processor that has that rule.
 */
void counting_step(struct vcpu *v, bool on);

static inline bool counting_steps(const struct vcpu *v)
{
    return v->counting.active >> STEPPER & 1;
}

/* Whether, between two blocks, the instruction that retired last took a class to its limit. */
bool counting_due(const struct vcpu *v);

/*
 * The index of the first instruction from place on that takes a class to its limit, or -1. until: the count before it.
 */
int counting_first_due(const struct vcpu *v, struct place place, struct place until);

/* Branches that can pass before one can be an event that takes its class to its limit; whether one has. */
uint64_t counting_outcomes_left(const struct vcpu *v);
bool counting_outcome_due(const struct vcpu *v);

/* The running block is left before place.index: takes back the counts of the rest. */
void counting_cut(struct vcpu *v, struct place place);

/* Rules. */
uint64_t counting_events(const struct vcpu *v, uint64_t events);
unsigned counting_interruption(struct vcpu *v);
bool counting_exact(const struct vcpu *v, const struct counter *c);

#endif
