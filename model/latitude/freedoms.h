/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Freedoms: behaviour that the manual and public facts leave open. Without latitude, the model always makes the same
 * choice. With the plugin's option latitude=SEED the processor chooses at random, with a generator for each freedom;
 * latitude=SEED:NAME[,NAME..] selects freedoms by name. A freedom replaces rules of the engine (model/engine/rules.h),
 * like a fault (model/faults). A processor with latitude is still correct: a test that fails on it demands too much.
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
 * The freedoms of a list, one bit each: NAME[,NAME..] selects these, -NAME[,-NAME..] all except these. Returns NULL, or
 * the place in the list where an unknown name of *length bytes begins.
 */
const char *freedoms_parse(uint32_t *freedoms, const char *list, size_t *length);

/*
 * The name of the index-th freedom, or NULL past the last; a sentence that says what the processor may do; and its
 * source.
 */
const char *freedom_name(unsigned index);
const char *freedom_sentence(unsigned index);
const char *freedom_source(unsigned index);

#endif
