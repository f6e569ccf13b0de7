/* SPDX-License-Identifier: MIT */
/* Histograms side by side, as text. */
#include "tests/host/expect_lines.h"

#include "suite/measure/tables/histogram.h"

static void expect(const struct histogram_column *columns, unsigned column_count, const char *const *lines,
                   size_t count)
{
    struct expected expected = { lines, count, 0 };
    const struct line_sink out = { compare, &expected };
    histogram_text(&out, columns, column_count);
    assert_int_equal(expected.seen, count);
}

static void add(struct histogram *histogram, int distance, unsigned count)
{
    while (count--)
        histogram_add(histogram, distance);
}

UNIT_TEST(sorted)
{
    struct histogram h = { 0 };
    add(&h, 7, 2);
    add(&h, -1, 1);
    add(&h, 3, 4);
    assert_int_equal(h.samples, 7);
    assert_int_equal(h.bar_count, 3);
    assert_int_equal(h.bars[0].distance, -1);
    assert_int_equal(h.bars[1].distance, 3);
    assert_int_equal(h.bars[2].distance, 7);
    assert_int_equal(histogram_at(&h, 3), 4);
    assert_int_equal(histogram_at(&h, 4), 0);
}

UNIT_TEST(full)
{
    struct histogram h = { 0 };
    for (int i = 0; i < (int)HISTOGRAM_BARS + 5; i++)
        histogram_add(&h, i);
    histogram_add(&h, 0);
    assert_int_equal(h.bar_count, HISTOGRAM_BARS);
    assert_int_equal(h.samples, HISTOGRAM_BARS + 6);
    assert_int_equal(histogram_at(&h, 0), 2);
    assert_int_equal(histogram_at(&h, (int)HISTOGRAM_BARS), 0);
}

UNIT_TEST(side_by_side)
{
    static const char *const lines[] = {
        "distance  interrupt                     EventingIP",
        "      -2       1 #",
        "       0                                    40 ####################",
        "       9      30 ###################",
        "     120       1 #",
    };
    struct histogram interrupt = { 0 }, eventing_ip = { 0 };
    const struct histogram_column columns[] = { { "interrupt", &interrupt }, { "EventingIP", &eventing_ip } };
    add(&interrupt, 9, 30);
    add(&interrupt, 120, 1);
    add(&interrupt, -2, 1);
    add(&eventing_ip, 0, 40);
    expect(columns, 2, lines, COUNT_OF(lines));
}

UNIT_TEST(smallest_bar)
{
    static const char *const lines[] = {
        "distance  a",
        "       0    1000 ####################",
        "       1       1 #",
    };
    struct histogram h = { 0 };
    const struct histogram_column column = { "a", &h };
    add(&h, 0, 1000);
    add(&h, 1, 1);
    expect(&column, 1, lines, COUNT_OF(lines));
}

UNIT_TEST(empty)
{
    static const char *const lines[] = { "distance  a" };
    const struct histogram h = { 0 };
    const struct histogram_column column = { "a", &h };
    expect(&column, 1, lines, COUNT_OF(lines));
}
