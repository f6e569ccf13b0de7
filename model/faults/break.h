/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives a processor faults and quirks, and takes them away. */
#ifndef MODEL_FAULTS_BREAK_H
#define MODEL_FAULTS_BREAK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/faults/faults.h"

struct vcpu;
struct profile;

/*
 * Gives a processor rules with these faults and quirks (quirks.h), in place of any that it had from here. Returns false
 * if out of memory, with nothing changed: the processor is unbroken then, and must not be run.
 */
bool break_rules(struct vcpu *v, const struct fault_set *faults, uint32_t quirks);

/* Gives the processor the rules again that it had before break_rules(). */
void break_mend(struct vcpu *v);

/*
 * A copy of the profile with those faults that are in a profile's tables, to be freed with free(). NULL: out of memory.
 */
const struct profile *break_profile(const struct profile *profile, const struct fault_set *set);

#endif
