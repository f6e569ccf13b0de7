/* SPDX-License-Identifier: MIT */
/*
 * The kernel's test of its four string functions (arch/x86/string_test.c), with functions of the host's that err in one
 * point: each is reported, by its lengths and offsets.
 */
#include "tests/host/host_test.h"

#define memcpy  tried_memcpy
#define memmove tried_memmove
#define memset  tried_memset
#define memcmp  tried_memcmp
void *tried_memcpy(void *restrict to, const void *restrict from, size_t size);
void *tried_memmove(void *to, const void *from, size_t size);
void *tried_memset(void *to, int value, size_t size);
int tried_memcmp(const void *a, const void *b, size_t size);
#include "arch/x86/string_test.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#include "tests/host/machine/machine.h"

static uint8_t got_before[BYTES];

/* The call that errs, by what it is asked, and what it does: the result or a byte off by one, the direction flag. */
static struct {
    enum { NO_CALL, COPY, MOVE, SET, COMPARE } call;
    unsigned to, from, length;
    int result, byte; /* byte: of the array, plus 1 */
    bool direction;
} wrong;
static unsigned calls[5][BYTES][BYTES][LENGTHS]; /* function, to, from, length */
static uintptr_t flags;

static void *errs(unsigned call, void *to, const void *from, size_t length)
{
    const size_t at = (size_t)((uint8_t *)to - got), of = from ? (size_t)((const uint8_t *)from - got) : 0;
    assert_in_range(at, 0, BYTES - 1);
    assert_in_range(of, 0, BYTES - 1);
    calls[call][at][of][length]++;
    if (wrong.call != call || wrong.to != at || wrong.from != of || wrong.length != length)
        return to;
    if (wrong.byte)
        got[wrong.byte - 1] ^= 1;
    flags |= wrong.direction ? 1u << 10 : 0;
    return (uint8_t *)to + wrong.result;
}

void *tried_memcpy(void *restrict to, const void *restrict from, size_t size)
{
    assert_true((const uint8_t *)to + size <= (const uint8_t *)from || (const uint8_t *)from + size <= (uint8_t *)to);
    memcpy(to, from, size);
    return errs(COPY, to, from, size);
}

void *tried_memmove(void *to, const void *from, size_t size)
{
    memmove(to, from, size);
    return errs(MOVE, to, from, size);
}

void *tried_memset(void *to, int value, size_t size)
{
    assert_int_equal(value, 0x15a); /* which only a char's worth of is taken */
    memcpy(got_before, got, sizeof got);
    memset(to, value, size);
    for (unsigned i = 0; i < BYTES; i++) /* another value first: what is not written stays visible */
        assert_true(got_before[i] == (uint8_t)(i * 7 + 1));
    return errs(SET, to, NULL, size);
}

static unsigned compares[2][LENGTHS][LENGTHS + 1]; /* whose byte is the smaller; length; place */
static struct {
    bool here, swapped;
    unsigned length, place;
    int result;
} compare_wrong;

int tried_memcmp(const void *a, const void *b, size_t size)
{
    const uint8_t *one = a, *two = b;
    unsigned place = 0;
    while (one[place] == two[place])
        place++;
    const bool swapped = one[place] == 0x80;
    assert_int_equal(one[place] ^ two[place], 0xff);
    assert_in_range(place, 0, size);
    assert_int_equal((swapped ? two : one)[place + 1],
                     0xff); /* behind the first difference there is the contrary one */
    compares[swapped][size][place]++;
    if (compare_wrong.here && compare_wrong.swapped == swapped && compare_wrong.length == size &&
        compare_wrong.place == place)
        return compare_wrong.result;
    return memcmp(a, b, size) * 5;
}

uintptr_t flags_read(void)
{
    return flags;
}

static struct test_run run;

static void start(void)
{
    machine_start();
    memset(&wrong, 0, sizeof wrong);
    memset(&compare_wrong, 0, sizeof compare_wrong);
    memset(calls, 0, sizeof calls);
    memset(compares, 0, sizeof compares);
    flags = 0;
    run = (struct test_run){ 0 };
}

/* Lengths 0 to 18, offsets 0 to 8, and both ways to and from behind them; and each place of a difference. */
static void right(void **state)
{
    (void)state;
    start();
    selftest_string.run(&run);
    machine_did("");
    for (unsigned length = 0; length < 19; length++) {
        for (unsigned to = 0; to < 9; to++) {
            assert_int_equal(calls[SET][to][0][length], 1);
            for (unsigned from = 0; from < 9; from++) {
                const bool apart = to + length <= from || from + length <= to;
                assert_int_equal(calls[MOVE][to][from][length], 1);
                assert_int_equal(calls[COPY][to][from][length], apart);
            }
            assert_int_equal(calls[MOVE][to][9][length] + calls[MOVE][9][to][length], 0);
            assert_int_equal(calls[MOVE][to][28][length], 1);
            assert_int_equal(calls[MOVE][28][to][length], 1);
            assert_int_equal(calls[COPY][to][28][length], 1);
            assert_int_equal(calls[COPY][28][to][length], 1);
        }
        for (unsigned place = 0; place <= length; place++)
            assert_int_equal(compares[0][length][place] + compares[1][length][place], 2);
    }
    assert_int_equal(compares[0][5][3], 1);
    assert_true(selftest_string.on_request);
}

static void mistakes(void **state)
{
    static const struct {
        unsigned call, to, from, length;
        int result, byte;
        bool direction;
        const char *found;
    } rows[] = {
        { MOVE, 1, 0, 18, 0, 1, false,
          "wrong: memmove of 18 bytes from offset 0 to 1: wrong bytes or a wrong result\n" },
        { MOVE, 0, 8, 3, 0, 64, false,
          "wrong: memmove of 3 bytes from offset 8 to 0: wrong bytes or a wrong result\n" },
        { MOVE, 8, 2, 7, 1, 0, false, "wrong: memmove of 7 bytes from offset 2 to 8: wrong bytes or a wrong result\n" },
        { COPY, 8, 0, 8, 0, 16, false, "wrong: memcpy of 8 bytes from offset 0 to 8: wrong bytes or a wrong result\n" },
        { COPY, 0, 8, 8, -1, 0, false, "wrong: memcpy of 8 bytes from offset 8 to 0: wrong bytes or a wrong result\n" },
        { COPY, 28, 3, 18, 0, 29, false,
          "wrong: memcpy of 18 bytes from offset 3 to 28: wrong bytes or a wrong result\n" },
        { SET, 8, 0, 0, 0, 9, false, "wrong: memset of 0 bytes from offset 0 to 8: wrong bytes or a wrong result\n" },
        { SET, 3, 0, 5, 1, 0, false, "wrong: memset of 5 bytes from offset 0 to 3: wrong bytes or a wrong result\n" },
        { COPY, 28, 8, 18, 0, 0, true, "wrong: memcpy leaves the direction flag set\n" },
    };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        start();
        wrong.call = rows[i].call;
        wrong.to = rows[i].to;
        wrong.from = rows[i].from;
        wrong.length = rows[i].length;
        wrong.result = rows[i].result;
        wrong.byte = rows[i].byte;
        wrong.direction = rows[i].direction;
        selftest_string.run(&run);
        machine_found(rows[i].found);
    }
}

static void comparisons(void **state)
{
    static const struct {
        bool swapped;
        unsigned length, place;
        int result;
        const char *found;
    } rows[] = {
        { false, 18, 17, 1, "wrong: memcmp of 18 bytes that differ at 17\n" },
        { true, 18, 17, -1, "wrong: memcmp of 18 bytes that differ at 17\n" },
        { false, 18, 18, -1, "wrong: memcmp of 18 bytes that differ at 18\n" },
        { true, 18, 18, 1, "wrong: memcmp of 18 bytes that differ at 18\n" },
        { false, 1, 0, 0, "wrong: memcmp of 1 bytes that differ at 0\n" },
        { true, 1, 0, 0, "wrong: memcmp of 1 bytes that differ at 0\n" },
        { false, 0, 0, 1, "wrong: memcmp of 0 bytes that differ at 0\n" },
    };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        start();
        compare_wrong.here = true;
        compare_wrong.swapped = rows[i].swapped;
        compare_wrong.length = rows[i].length;
        compare_wrong.place = rows[i].place;
        compare_wrong.result = rows[i].result;
        selftest_string.run(&run);
        machine_found(rows[i].found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(comparisons),
    };
    return cmocka_run_group_tests_name("kernel_string", tests, NULL, NULL);
}
