/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives a processor latitude, and removes it. */
#ifndef MODEL_LATITUDE_LATITUDE_H
#define MODEL_LATITUDE_LATITUDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/latitude/freedoms.h"

struct vcpu;
struct rules;

/*
 * Adds these freedoms (a bit for each enum freedom) to a processor without latitude, faults or quirks. Choices depend
 * only on the seed, the processor's number, and the code executed since the last reset. Returns false, without a
 * change, if out of memory.
 */
bool latitude_give(struct vcpu *v, uint64_t seed, uint32_t freedoms);

/* Restores the manual's rules of a processor without faults and quirks. */
void latitude_take(struct vcpu *v);

/* The processor's rules without faults and quirks: the manual's, changed by its freedoms. */
const struct rules *latitude_rules(const struct vcpu *v);

#endif
