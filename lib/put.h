/* SPDX-License-Identifier: MIT */
/*
 * Fast functions that write parts of a line, for records that are printed by the million. Each writes its text at `at`,
 * without a NUL, and returns its end; the caller provides enough space. All other code uses format().
 */
#ifndef LIB_PUT_H
#define LIB_PUT_H

#include <stdint.h>

#include "lib/format.h"

#define PUT_DECIMAL_MAX 20u

static inline char *put_string(char *at, const char *text)
{
    while (*text != '\0')
        *at++ = *text++;
    return at;
}

/* The number of hexadecimal digits of a value, at least 1. */
static inline unsigned hex_digits(uint64_t value)
{
    return value ? (67u - (unsigned)__builtin_clzll(value)) / 4 : 1;
}

/* Writes exactly this many hexadecimal digits. */
static inline char *put_digits(char *at, uint64_t value, unsigned digits)
{
    for (unsigned i = digits; i > 0; i--, value >>= 4)
        at[i - 1] = "0123456789abcdef"[value & 15];
    return at + digits;
}

/* Writes 0x and at least this many hexadecimal digits. */
static inline char *put_address(char *at, uint64_t value, unsigned digits)
{
    unsigned needed = hex_digits(value);

    *at++ = '0';
    *at++ = 'x';
    return put_digits(at, value, needed > digits ? needed : digits);
}

static inline char *put_decimal_number(char *at, uint64_t value)
{
    char reversed[PUT_DECIMAL_MAX];
    uint32_t low;
    unsigned count = 0;

    while (value >> 32 != 0)
        reversed[count++] = (char)('0' + format_divide_by_10(&value));
    for (low = (uint32_t)value; low != 0 || count == 0; low /= 10)
        reversed[count++] = (char)('0' + low % 10);
    while (count > 0)
        *at++ = reversed[--count];
    return at;
}

#endif
