/* SPDX-License-Identifier: MIT */
/* Included by every host test: cmocka, and the headers that it requires first. */
#ifndef TESTS_HOST_HOST_TEST_H
#define TESTS_HOST_HOST_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Most tests ignore cmocka's state, and fakes ignore arguments that their test does not check. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A copy in a heap block of exactly this length, so that the address sanitizer catches any read past its end. */
static inline void *exact_copy(const void *bytes, size_t length)
{
    void *copy = malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    return copy;
}

#endif
