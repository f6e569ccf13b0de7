/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Installs faults and quirks in a processor, and removes them. */
#ifndef MODEL_FAULTS_BREAK_H
#define MODEL_FAULTS_BREAK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/faults/faults.h"

struct vcpu;
struct flip;
struct profile;

/*
 * Installs rules with these faults, quirks (quirks.h) and single corruptions (flip.h; NULL: none), and removes those of
 * an earlier call. Returns false if out of memory. The processor then has no faults, so the caller must not run the
 * guest on it.
 */
bool break_rules(struct vcpu *v, const struct fault_set *faults, uint32_t quirks, struct flip *flip);

/* Restores the rules that the processor had before break_rules(). */
void break_mend(struct vcpu *v);

/*
 * A copy of the profile, changed by the quirks, and by the faults of the set that have TABLES. The caller frees it with
 * free(). NULL: out of memory.
 */
const struct profile *break_profile(const struct profile *profile, const struct fault_set *set, uint32_t quirks);

#endif
