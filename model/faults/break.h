/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Installs faults and quirks in a processor, and removes them. */
#ifndef MODEL_FAULTS_BREAK_H
#define MODEL_FAULTS_BREAK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/faults/faults.h"

struct vcpu;
struct profile;

/*
 * Installs rules with these faults and quirks (quirks.h), in place of any that an earlier call installed. Returns false
 * if out of memory: the processor's rules are then unchanged, without the faults, and the guest must not run on it.
 */
bool break_rules(struct vcpu *v, const struct fault_set *faults, uint32_t quirks);

/* Restores the rules that the processor had before break_rules(). */
void break_mend(struct vcpu *v);

/*
 * A copy of the profile with the faults of the TABLES kind applied. The caller frees it with free(). NULL: out of
 * memory.
 */
const struct profile *break_profile(const struct profile *profile, const struct fault_set *set);

#endif
