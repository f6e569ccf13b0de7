/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processor of a machine is of which kind of core: the option cores=. */
#ifndef MODEL_PROCESSORS_CORES_H
#define MODEL_PROCESSORS_CORES_H

#include "model/processors/profile.h"

#define CORES_MOST 256 /* processors */

struct cores {
    unsigned named;           /* processors that the option names; 0: it was not given */
    uint8_t kind[CORES_MOST]; /* of each of them: the index for profile_kind() */
};

/*
 * Reads a list such as PPEE or P2E6: letters of kinds, with a number behind those of several processors. Returns NULL,
 * or the place in the list where it is none of these, or names more than CORES_MOST.
 */
const char *cores_parse(struct cores *cores, const struct profile *profile, const char *list);

/*
 * The kind of a processor, by its number, as an index for profile_kind(). Those behind the last one named are of its
 * kind; without names, as many of the `processors` are of each kind as possible, the first ones having the more.
 */
unsigned cores_kind(const struct cores *cores, const struct profile *profile, unsigned number, unsigned processors);

#endif
