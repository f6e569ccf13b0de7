/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives a processor latitude, and takes it away. */
#ifndef MODEL_LATITUDE_LATITUDE_H
#define MODEL_LATITUDE_LATITUDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/latitude/freedoms.h"

struct vcpu;
struct rules;

/*
 * Gives a processor without latitude, faults or quirks these freedoms, a bit for each enum freedom. Its choices follow
 * from the seed, its number, and what it executes: where that is the same so are they, after each reset. Returns false
 * if out of memory, with nothing changed.
 */
bool latitude_give(struct vcpu *v, uint64_t seed, uint32_t freedoms);

/* Gives a processor without faults and quirks the manual's rules again. */
void latitude_take(struct vcpu *v);

/* The rules of the processor as far as it is sound and honest: the manual's, with its latitude. */
const struct rules *latitude_rules(const struct vcpu *v);

#endif
