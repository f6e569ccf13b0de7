/* SPDX-License-Identifier: MIT */
/* Counts and verifies the payload of a frame without expanding a record of it. Pure. */
#ifndef TOOLS_LIB_DUMP_COUNT_H
#define TOOLS_LIB_DUMP_COUNT_H

#include <stdint.h>

/* The two parts of a payload. */
struct parts {
    const uint8_t *codes, *codes_end, *values, *values_end;
};

/*
 * Whether the tokens make so many records, and need as many values as there are. Returns NULL, or what is wrong. That a
 * token names a branch which is not there only expansion shows.
 */
const char *dump_count_branches(const struct parts *p, uint64_t count);

/* Whether the masks name as many differences as the values have; likewise. */
const char *dump_count_differences(const struct parts *p);

#endif
