/* SPDX-License-Identifier: MIT */
/*
 * format() against the C library's snprintf(), for every combination of flags, widths and types that it supports; the
 * order of texts; quotients with two decimals.
 */
#include "tests/host/unit_test.h"

#include <limits.h>

#include "lib/format.h"
#include "lib/ratio.h"
#include "lib/text.h"

static void check_text(const char *fmt, const char *expected, int expected_length, const char *got, int length)
{
    if (strcmp(expected, got) != 0 || expected_length != length)
        fail_msg("\"%s\": expected \"%s\" (%d), got \"%s\" (%d)", fmt, expected, expected_length, got, length);
}

#define SAME(fmt, ...)                                                                   \
    do {                                                                                 \
        char expected_[128], got_[128];                                                  \
        int expected_length_ = snprintf(expected_, sizeof(expected_), fmt, __VA_ARGS__); \
        int length_ = format(got_, sizeof(got_), fmt, __VA_ARGS__);                      \
        check_text(fmt, expected_, expected_length_, got_, length_);                     \
    } while (0)

/* Builds "%" flags width precision length type; bit i of flags takes the i-th character of set. */
static void build(char *fmt, const char *set, unsigned flags, const char *width, const char *precision,
                  const char *length, char type)
{
    *fmt++ = '%';
    for (unsigned i = 0; set[i] != '\0'; i++)
        if (flags >> i & 1)
            *fmt++ = set[i];
    fmt += sprintf(fmt, "%s%s%s", width, precision, length);
    *fmt++ = type;
    *fmt = '\0';
}

static const char *const widths[] = { "", "1", "7", "25" };
static const char *const precisions[] = { "", ".", ".0", ".1", ".9", ".23" };

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat"

UNIT_TEST(signed_numbers)
{
    static const int64_t values[] = { 0,    1,     -1,    9,      10,          -10,       127,
                                      -128, 65535, 65536, -65537, 99999999999, INT64_MAX, INT64_MIN };
    for (unsigned flags = 0; flags < 16; flags++) {
        for (size_t w = 0; w < COUNT_OF(widths); w++) {
            for (size_t p = 0; p < COUNT_OF(precisions); p++) {
                for (size_t v = 0; v < COUNT_OF(values); v++) {
                    char fmt[32];
                    build(fmt, "-0+ ", flags, widths[w], precisions[p], "ll", 'd');
                    SAME(fmt, (long long)values[v]);
                    build(fmt, "-0+ ", flags, widths[w], precisions[p], "", 'i');
                    SAME(fmt, (int)values[v]);
                }
            }
        }
    }
}

UNIT_TEST(unsigned_numbers)
{
    static const uint64_t values[] = { 0, 1, 7, 8, 10, 255, 0x8000, 4294967295u, 0x123456789abcdef0, UINT64_MAX };
    static const char types[] = "uxXo";
    for (unsigned flags = 0; flags < 8; flags++) {
        for (size_t w = 0; w < COUNT_OF(widths); w++) {
            for (size_t p = 0; p < COUNT_OF(precisions); p++) {
                for (size_t v = 0; v < COUNT_OF(values); v++) {
                    for (const char *type = types; *type != '\0'; type++) {
                        char fmt[32];
                        if (*type == 'u' && (flags & 4)) /* '#' has no meaning there */
                            continue;
                        build(fmt, "-0#", flags, widths[w], precisions[p], "ll", *type);
                        SAME(fmt, (unsigned long long)values[v]);
                        build(fmt, "-0#", flags, widths[w], precisions[p], "", *type);
                        SAME(fmt, (unsigned)values[v]);
                    }
                }
            }
        }
    }
}

UNIT_TEST(lengths)
{
    SAME("%hhd %hhu %hhx", 0x1ff, 0x1ff, 0x1ff);
    SAME("%hd %hu %hx", 0x1ffff, 0x1ffff, 0x1ffff);
    SAME("%ld %lu %lx", LONG_MIN, ULONG_MAX, ULONG_MAX);
    SAME("%lld %llu %llx", LLONG_MIN, ULLONG_MAX, ULLONG_MAX);
    SAME("%zd %zu %zx", (ptrdiff_t)-3, SIZE_MAX, SIZE_MAX);
    SAME("%jd %ju %jx", INTMAX_MIN, UINTMAX_MAX, UINTMAX_MAX);
    SAME("%td %tu", (ptrdiff_t)-5, (ptrdiff_t)5);
    SAME("%d %d %s", 1, 2, "arguments stay in step");
}

UNIT_TEST(strings_and_characters)
{
    SAME("%s|%5s|%-5s|%.2s|%5.2s|%-5.2s|%.0s|%.9s", "abc", "abc", "abc", "abc", "abc", "abc", "abc", "abc");
    SAME("%c|%3c|%-3c|", 'x', 'y', 'z');
    SAME("%p|%20p|%-20p|", (void *)0x1234, (void *)0x1234, (void *)0x1234);
    SAME("100%% of %s", "it");
    char unterminated[3] = { 'a', 'b', 'c' };
    SAME("%.3s", unterminated);
}

UNIT_TEST(stars)
{
    SAME("%*d|%-*d|%*d", 6, 42, 6, 42, -6, 42);
    SAME("%.*d|%.*d|%*.*x", 4, 42, -1, 42, 9, 5, 0xabc);
    SAME("%.*s|%*.*s", 2, "abcdef", 8, 3, "abcdef");
}

UNIT_TEST(undefined_by_the_library)
{
    char text[32];
    const char *volatile none = NULL; /* volatile: otherwise the compiler refuses these two */
    const char *volatile endless = "%9999999999999d";
    assert_int_equal(format(text, sizeof(text), "a%yb"), 4);
    assert_string_equal(text, "a%yb");
    assert_int_equal(format(text, sizeof(text), "%5.2lq|%d", 7), 8);
    assert_string_equal(text, "%5.2lq|7");
    assert_int_equal(format(text, sizeof(text), "end%"), 4);
    assert_string_equal(text, "end%");
    assert_int_equal(format(text, sizeof(text), "end%-08.3ll"), 11);
    assert_string_equal(text, "end%-08.3ll");
    assert_int_equal(format(text, sizeof(text), "%p", (void *)NULL), 3);
    assert_string_equal(text, "0x0");
    assert_int_equal(format(text, sizeof(text), "%s", none), 6);
    assert_string_equal(text, "(null)");
    assert_int_equal(format(NULL, 0, endless, 1), 999999);
}

UNIT_TEST(cut_short_at_every_size)
{
    char expected[64];
    int whole = snprintf(expected, sizeof(expected), "%#010x %s %5d|", 0x1f, "text", -7);
    for (size_t size = 0; size <= (size_t)whole + 2; size++) {
        char *got = malloc(size + 1);
        assert_non_null(got);
        memset(got, '#', size + 1);
        assert_int_equal(format(size == 0 ? NULL : got, size, "%#010x %s %5d|", 0x1f, "text", -7), whole);
        if (size > 0) {
            size_t kept = size - 1 < (size_t)whole ? size - 1 : (size_t)whole;
            assert_memory_equal(got, expected, kept);
            assert_int_equal(got[kept], 0);
        }
        assert_int_equal(got[size], '#');
        free(got);
    }
}

UNIT_TEST(order)
{
    static const char *const ascending[] = { "", "L1", "L1 or L1 hit", "L2", "l1", "\x7f", "\x80", "\xff", "\xff\x01" };
    const int n = COUNT_OF(ascending);

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const int sign = text_compare(ascending[i], ascending[j]);

            assert_int_equal((sign > 0) - (sign < 0), (i > j) - (i < j));
        }
    }
}

UNIT_TEST(quotients)
{
    static const struct {
        uint64_t part, whole;
        const char *text;
    } rows[] = {
        { 0, 7, "0.00" },
        { 7, 7, "1.00" },
        { 22, 7, "3.14" },
        { 1, 3, "0.33" },
        { 2, 3, "0.67" },
        { 1234567, 100, "12345.67" },
        { 1, 200, "0.01" }, /* a half is rounded up */
        { 1, 201, "0.00" },
        { 999, 1000, "1.00" }, /* with a carry */
        { 1999, 1000, "2.00" },
        { UINT64_C(1) << 56, 3, "24019198012642645.33" },
        { UINT64_C(1) << 55, UINT64_C(1) << 56, "0.50" },
        { 5, 0, "-" },
    };
    char text[RATIO_SIZE];
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(ratio_text(text, rows[i].part, rows[i].whole), rows[i].text);
}
