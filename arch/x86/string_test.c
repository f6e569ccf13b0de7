/* SPDX-License-Identifier: MIT */
/* Compares the four functions that compilers call with loops over bytes: every relevant length, alignment, overlap. */
#include "arch/x86/string.h"

#include "arch/x86/cpu.h"
#include "kernel/test.h"
#include "suite/support/sources.h"

#define BYTES     64u
#define LENGTHS   19u /* 0 to 18: whole words, and each remainder */
#define OFFSETS   9u
#define DIRECTION (1u << 10)

static uint8_t got[BYTES], want[BYTES];

static void fill(void)
{
    for (unsigned i = 0; i < BYTES; i++)
        got[i] = want[i] = (uint8_t)(i * 7 + 1);
}

static void expect_alike(struct test_run *run, const char *function, const void *result, unsigned to, unsigned from,
                         unsigned length)
{
    bool alike = result == got + to && !(flags_read() & DIRECTION);

    direction_clear();

    for (unsigned i = 0; i < BYTES; i++)
        alike = alike && got[i] == want[i];
    if (!alike)
        test_fail(run, "%s of %u bytes from offset %u to %u: wrong bytes, a wrong result, or a set direction flag",
                  function, length, from, to);
}

static void copy(struct test_run *run, unsigned to, unsigned from, unsigned length)
{
    const void *result;
    uint8_t before[LENGTHS];

    fill();
    result = memmove(got + to, got + from, length);
    for (unsigned i = 0; i < LENGTHS; i++)
        before[i] = want[from + i];
    for (unsigned i = 0; i < length; i++)
        want[to + i] = before[i];
    expect_alike(run, "memmove", result, to, from, length);
    if (to + length > from && from + length > to)
        return;
    fill();
    result = memcpy(got + to, got + from, length);
    for (unsigned i = 0; i < length; i++)
        want[to + i] = before[i];
    expect_alike(run, "memcpy", result, to, from, length);
}

static void set(struct test_run *run, unsigned to, unsigned length)
{
    const void *result;

    fill();
    result = memset(got + to, 0x15a, length);
    for (unsigned i = 0; i < length; i++)
        want[to + i] = 0x5a;
    expect_alike(run, "memset", result, to, 0, length);
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

/* A difference at each position, and just past the end. */
static void compare(struct test_run *run, unsigned length)
{
    for (unsigned place = 0; place <= length; place++) {
        fill();
        got[place] = 0x7f;
        want[place] = 0x80; /* greater, as bytes are unsigned */
        got[place + 1] = 0xff;
        if (sign(memcmp(got, want, length)) != (place < length ? -1 : 0) ||
            sign(memcmp(want, got, length)) != (place < length ? 1 : 0))
            test_fail(run, "memcmp of %u bytes that differ at %u", length, place);
    }
}

static void strings(struct test_run *run)
{
    for (unsigned length = 0; length < LENGTHS; length++) {
        for (unsigned to = 0; to < OFFSETS; to++) {
            set(run, to, length);
            for (unsigned from = 0; from < OFFSETS; from++)
                copy(run, to, from, length);
            copy(run, to, OFFSETS + LENGTHS, length);
            copy(run, OFFSETS + LENGTHS, to, length);
        }
        compare(run, length);
    }
}

TEST(selftest_string) = {
    .id = "selftest.string",
    .title = "memcpy, memmove, memset and memcmp do what C says, for every length, alignment and overlap",
    .source = "ISO/IEC 9899:2011, 7.24",
    .on_request = true,
    .run = strings,
};
