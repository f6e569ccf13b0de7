/* SPDX-License-Identifier: MIT */
/* A line sink that holds each line against the one that is expected in its place. */
#ifndef TESTS_HOST_EXPECT_LINES_H
#define TESTS_HOST_EXPECT_LINES_H

#include "base/line.h"
#include "tests/host/host_test.h"

/* The test compares seen with count at the end: lines that never came are not missed here. */
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
