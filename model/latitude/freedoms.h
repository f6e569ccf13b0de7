/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Freedoms: what the manual and public facts leave to a processor, and the plain model always does in one way. The
 * plugin's option latitude=SEED has the processor choose, by a generator of its own for each freedom, and with
 * latitude=SEED:NAME[,NAME..] only where named. A freedom replaces rules of the engine (model/engine/rules.h) as a
 * fault does (model/faults); a processor with latitude is not a broken one, and a test that fails on it demands too
 * much.
 */
#ifndef MODEL_LATITUDE_FREEDOMS_H
#define MODEL_LATITUDE_FREEDOMS_H

#include <stddef.h>
#include <stdint.h>

enum freedom {
#define FREEDOM(id, name, sentence, source, replaces) FREEDOM_##id,
#include "model/latitude/freedoms.inc"
#undef FREEDOM
    FREEDOMS,
};

#define ALL_FREEDOMS ((UINT32_C(1) << FREEDOMS) - 1)

/*
 * The freedoms of a list, a bit each: NAME[,NAME..] is these, -NAME[,-NAME..] all but these. Returns NULL, or the place
 * in the list where an unknown name of *length bytes begins.
 */
const char *freedoms_parse(uint32_t *freedoms, const char *list, size_t *length);

/*
 * The name of the index-th freedom, NULL past the last; a sentence that says what the processor may do; and its source.
 */
const char *freedom_name(unsigned index);
const char *freedom_sentence(unsigned index);
const char *freedom_source(unsigned index);

#endif
