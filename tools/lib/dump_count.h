/* SPDX-License-Identifier: MIT */
/* Counts and verifies the payload of a frame without expanding a record of it. Pure. */
#ifndef TOOLS_LIB_DUMP_COUNT_H
#define TOOLS_LIB_DUMP_COUNT_H

#include <stdint.h>

#include "tools/lib/dump_error.h"

/* The two parts of a payload. */
struct parts {
    const uint8_t *codes, *codes_end, *values, *values_end;
};

/*
 * Whether the tokens make so many records, and need as many values as there are. That a token
 * names a branch which is not there only expansion shows.
 */
enum dump_error dump_count_branches(const struct parts *p, uint64_t count);

/* Whether the masks name as many differences as the values have; likewise. */
enum dump_error dump_count_differences(const struct parts *p);

#endif
