/* SPDX-License-Identifier: MIT */
/*
 * A fuzz target is a function that checks, for any input bytes, the promises of the code under test. libFuzzer calls it
 * in `make fuzz`, main.c in `make host-test`.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Callbacks ignore what their target does not check. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                 \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                       \
        }                                                                                  \
    } while (0)

struct input {
    const uint8_t *data;
    size_t size;
};

/* Takes the next bytes as a little-endian number; past the end they are zero. */
static inline uint64_t take(struct input *in, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes && in->size > 0; i++, in->data++, in->size--)
        value |= (uint64_t)*in->data << (8 * i);
    return value;
}

static inline void fill(void *object, size_t size)
{
    memset(object, 0xa5, size);
}

/* Whether an object still has the bytes that fill() wrote. */
static inline int untouched(const void *object, size_t size)
{
    const uint8_t *bytes = object;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0xa5)
            return 0;
    return 1;
}

/* Checks that a line is printable and short enough for the kernel's console. */
static inline void take_line(void *context, const char *text)
{
    unsigned *lines = context;
    REQUIRE(strlen(text) < 320);
    for (const char *c = text; *c; c++)
        REQUIRE(*c >= ' ' && *c <= '~');
    ++*lines;
}

#endif
