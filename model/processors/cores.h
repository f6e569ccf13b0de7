/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kind of core of each processor: the option cores=. */
#ifndef MODEL_PROCESSORS_CORES_H
#define MODEL_PROCESSORS_CORES_H

#include "model/processors/profile.h"

#define CORES_MOST 256 /* processors */

struct cores {
    unsigned named;           /* number of processors that the option names; 0: no option */
    uint8_t kind[CORES_MOST]; /* of each of these: the index for profile_kind() */
};

/*
 * Reads a list such as PPEE or P2E6: letters of kinds of cores, each with an optional number of processors. Returns
 * NULL, or the place in the list that is invalid or exceeds CORES_MOST processors.
 */
const char *cores_parse(struct cores *cores, const struct profile *profile, const char *list);

/*
 * The kind of core of a processor, by its number, as an index for profile_kind(). Processors after the last named one
 * have its kind. Without names, each kind gets the same number of `processors`, and the first kinds get the remainder.
 */
unsigned cores_kind(const struct cores *cores, const struct profile *profile, unsigned number, unsigned processors);

#endif
