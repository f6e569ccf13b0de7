/* SPDX-License-Identifier: MIT */
/* Counts and verifies the payload of a frame without expanding its records. Pure. */
#ifndef LIB_DUMP_READER_DUMP_COUNT_H
#define LIB_DUMP_READER_DUMP_COUNT_H

#include <stdint.h>

#include "lib/dump/reader/dump_error.h"

/* The two parts of a payload. */
struct parts {
    const uint8_t *codes, *codes_end, *values, *values_end;
};

/*
 * Checks that the tokens describe `count` records and that the number of values matches. Does not find a token that
 * names an unknown branch.
 */
enum dump_error dump_count_branches(const struct parts *p, uint64_t count);

/* Checks that the masks have as many set bits as there are values. */
enum dump_error dump_count_differences(const struct parts *p);

#endif
