/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives a processor faults and lies, and takes them away. */
#ifndef MODEL_FAULTS_BREAK_H
#define MODEL_FAULTS_BREAK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/faults/faults.h"

struct vcpu;
struct profile;

/*
 * Gives a processor rules with these faults and lies (lies.h), instead of those that it may have had from here.
 * Returns false without memory, with nothing changed: the processor is unbroken then, and must not be run.
 */
bool break_rules(struct vcpu *v, const struct fault_set *faults, uint32_t lies);

/* Gives it those of the manual again. */
void break_mend(struct vcpu *v);

/* The processor with those faults that are in its tables, to be freed with free(). NULL without memory. */
const struct profile *break_profile(const struct profile *profile, const struct fault_set *set);

#endif
