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
 * Gives a processor without latitude, faults or quirks these freedoms, a bit for each enum freedom. Its choices depend
 * only on the seed, on its number, and on what it executes after a reset. Returns false, without a change, if out of
 * memory.
 */
bool latitude_give(struct vcpu *v, uint64_t seed, uint32_t freedoms);

/* Restores the manual's rules of a processor without faults and quirks. */
void latitude_take(struct vcpu *v);

/* The rules that the processor would have without faults and quirks: the manual's, with its latitude. */
const struct rules *latitude_rules(const struct vcpu *v);

#endif
