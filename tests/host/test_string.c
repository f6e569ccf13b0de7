/* SPDX-License-Identifier: MIT */
/*
 * The functions that compilers call (arch/x86/string.c), compared with the host's: every length, alignment and overlap.
 */
#include "tests/host/unit_test.h"

/* Renames the kernel's functions. */
#define memcpy  kernel_memcpy
#define memmove kernel_memmove
#define memset  kernel_memset
#define memcmp  kernel_memcmp
#include "arch/x86/string.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp

#define SIZE          48u
#define MOST          19u /* bytes: two words, and a rest */
#define PATTERN_FIRST 4u

static uint8_t got[SIZE], want[SIZE];

static void fill(void)
{
    for (unsigned i = 0; i < SIZE; i++)
        got[i] = want[i] = (uint8_t)(0x80 + i);
}

UNIT_TEST(copies)
{
    static uint8_t from[SIZE];

    for (unsigned i = 0; i < SIZE; i++)
        from[i] = (uint8_t)i;
    for (unsigned size = 0; size <= MOST; size++)
        for (unsigned at = 0; at < 4; at++) {
            fill();
            memcpy(want + PATTERN_FIRST + at, from + 7, size);
            assert_ptr_equal(kernel_memcpy(got + PATTERN_FIRST + at, from + 7, size), got + PATTERN_FIRST + at);
            assert_memory_equal(got, want, SIZE);
        }
}

UNIT_TEST(fills)
{
    for (unsigned size = 0; size <= MOST; size++) {
        fill();
        memset(want + PATTERN_FIRST, 0x5a, size);
        assert_ptr_equal(kernel_memset(got + PATTERN_FIRST, 0x15a, size), got + PATTERN_FIRST);
        assert_memory_equal(got, want, SIZE);
    }
}

UNIT_TEST(moves)
{
    for (unsigned size = 0; size <= MOST; size++)
        for (unsigned from = 0; from < SIZE - MOST; from++)
            for (unsigned to = 0; to < SIZE - MOST; to++) {
                fill();
                memmove(want + to, want + from, size);
                assert_ptr_equal(kernel_memmove(got + to, got + from, size), got + to);
                assert_memory_equal(got, want, SIZE);
            }
}

UNIT_TEST(compares)
{
    for (unsigned size = 0; size <= MOST; size++)
        for (unsigned at = 0; at < MOST; at++) {
            fill();
            assert_int_equal(kernel_memcmp(got, want, size), 0);
            got[at] = 0x7f; /* smaller, as an unsigned byte */
            assert_true(at < size ? kernel_memcmp(got, want, size) < 0 : kernel_memcmp(got, want, size) == 0);
            assert_true(at < size ? kernel_memcmp(want, got, size) > 0 : kernel_memcmp(want, got, size) == 0);
            got[at + 1] = 0xff; /* the first different byte decides */
            assert_true(at < size ? kernel_memcmp(got, want, size) < 0 : true);
        }
}
