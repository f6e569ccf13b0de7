/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters' values, and their distance from the next event that needs the engine. */
#ifndef MODEL_ENGINE_COUNTING_H
#define MODEL_ENGINE_COUNTING_H

#include "model/vcpu/vcpu.h"

/*
 * Groups counters by event class. Call after a change of v->counting.active or .reloads, or of an active counter's
 * event.
 */
void counting_configure(struct vcpu *v);

/* In this file, `place` is the point that execution of the running block has reached. */

/* Updates the counters' values up to the instruction before place. */
void counting_update(struct vcpu *v, struct place place);

/*
 * Recomputes each class's distance from overflow. Calls counting_force() if a class reaches it in the rest of the
 * block.
 */
void counting_arm(struct vcpu *v, struct place place);

/* Forces the next block's check to call engine_due() (CLASS_FORCE). */
void counting_force(struct vcpu *v);

/* Loads v->counters[i] with a value of counter_width bits. */
void counting_load(struct vcpu *v, unsigned i, uint64_t value);

/* Like counting_load(), but PEBS stays armed, because software did not write the value. */
void counting_reload(struct vcpu *v, unsigned i, uint64_t value);

/*
 * Sets whether overflow_take() calls v->rules->stepped(): after each instruction, or for several at once between two
 * blocks. Call it between counting_update() and counting_arm(). It stays on while fault-like PEBS samples.
 */
void counting_step(struct vcpu *v, bool on);

static inline bool counting_steps(const struct vcpu *v)
{
    return v->counting.active >> STEPPER & 1;
}

/* Whether the last retired instruction brought a class to its limit; valid between two blocks. */
bool counting_due(const struct vcpu *v);

/*
 * Index of the first instruction from place on that brings a class's count to its limit; or -1. until: the point that
 * execution has reached; BETWEEN_BLOCKS if place.block has not begun.
 */
int counting_first_due(const struct vcpu *v, struct place place, struct place until);

/* The number of branches that cannot bring an outcome class to its limit; whether a branch has brought one there. */
uint64_t counting_outcomes_left(const struct vcpu *v);
bool counting_outcome_due(const struct vcpu *v);

/* Called when the running block is left before place.index: subtracts the events of the rest of the block. */
void counting_cut(struct vcpu *v, struct place place);

#endif
