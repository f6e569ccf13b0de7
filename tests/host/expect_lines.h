/* SPDX-License-Identifier: MIT */
/* A line sink that compares each line with the expected one. */
#ifndef TESTS_HOST_EXPECT_LINES_H
#define TESTS_HOST_EXPECT_LINES_H

#include "lib/line.h"
#include "tests/host/unit_test.h"

/* At the end the test must compare seen with count, to detect missing lines. */
struct expected {
    const char *const *lines;
    size_t count, seen;
};

static inline void compare(void *context, const char *text)
{
    struct expected *expected = context;
    assert_true(expected->seen < expected->count);
    assert_string_equal(text, expected->lines[expected->seen++]);
}

#endif
