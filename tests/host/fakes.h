/* SPDX-License-Identifier: MIT */
/* Fakes of the functions that the code under test calls, each in a line or two. */
#ifndef TESTS_HOST_FAKES_H
#define TESTS_HOST_FAKES_H

#include "tests/host/host_test.h"

/* A function that evaluates the expressions and returns the last one; one that returns nothing. */
#define FAKE(type, name, parameters, ...) \
    type name parameters                  \
    {                                     \
        return __VA_ARGS__;               \
    }
#define FAKE_VOID(name, parameters, ...) \
    void name parameters                 \
    {                                    \
        __VA_ARGS__;                     \
    }

#define FAKE_STATIC_VOID(name, parameters, ...) static FAKE_VOID(name, parameters, __VA_ARGS__)

static inline void append_text(char *to, size_t size, const char *fmt, va_list args)
{
    const size_t used = strlen(to);
    const int length = vsnprintf(to + used, size - used, fmt, args);
    assert_true(length >= 0 && (size_t)length < size - used);
}

/* A function like printf() that appends a prefix, its text, and an end to the string in this array. */
#define FAKE_PRINTF(name, to, prefix, end)                            \
    void name(const char *fmt, ...)                                   \
    {                                                                 \
        va_list args;                                                 \
        assert_true(strlen(to) + strlen(prefix end) + 1 < sizeof to); \
        strcat(to, prefix);                                           \
        va_start(args, fmt);                                          \
        append_text(to, sizeof to - strlen(end), fmt, args);          \
        va_end(args);                                                 \
        strcat(to, end);                                              \
    }

#endif
