/* SPDX-License-Identifier: MIT */
/* For targets that print the records which they decode. */
#ifndef TESTS_FUZZ_RECORDS_H
#define TESTS_FUZZ_RECORDS_H

#include "kernel/report/record_text.h"
#include "tests/fuzz/fuzz.h"

/* A symbolizer in which odd addresses have a symbol. */
static inline bool find_odd(void *context, uint64_t address, const char **name, uint64_t *offset)
{
    (void)context;
    *name = "a_name_that_has_more_characters_than_the_sixty_four_that_a_line_has_room_for";
    *offset = address;
    return address & 1;
}

static const struct symbolizer odd_symbols = { find_odd, NULL };

#endif
