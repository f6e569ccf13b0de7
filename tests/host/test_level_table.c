/* SPDX-License-Identifier: MIT */
#include "tests/host/unit_test.h"

#include "suite/measure/tables/level_table.h"

static char text[4096];

static void keep(void *context, const char *line)
{
    strncat(text, line, sizeof text - strlen(text) - 1);
    strncat(text, "\n", sizeof text - strlen(text) - 1);
}

static const struct line_sink sink = { keep, NULL };

UNIT_TEST(the_percentile_is_the_nearest_rank)
{
    static const uint32_t five[] = { 15, 20, 35, 40, 50 };
    static const uint32_t one[] = { 7 };
    uint32_t hundred[100];

    assert_int_equal(percentile(five, 5, 30), 20); /* rank 1.5 is the second */
    assert_int_equal(percentile(five, 5, 40), 20); /* rank 2 is the second, too */
    assert_int_equal(percentile(five, 5, 50), 35);
    assert_int_equal(percentile(five, 5, 100), 50);
    assert_int_equal(percentile(five, 5, 1), 15);
    assert_int_equal(percentile(one, 1, 50), 7);
    assert_int_equal(percentile(one, 1, 99), 7);
    for (uint32_t i = 0; i < 100; i++)
        hundred[i] = i + 1;
    assert_int_equal(percentile(hundred, 100, 99), 99);
    assert_int_equal(percentile(hundred, 100, 90), 90);
    assert_int_equal(percentile(hundred, 100, 50), 50);
}

UNIT_TEST(each_level_has_its_own_percentiles)
{
    static struct level_table table;

    text[0] = '\0';
    for (uint32_t i = 10; i > 0; i--)
        level_table_add(&table, "L1 or L1 hit", i);
    level_table_add(&table, "L3 or L3 hit", 45);
    level_table_text(&sink, &table, "LOADS", 4096, 512);
    assert_string_equal(text, "Samples: 11  of event 'LOADS'\n"
                              "Total weight : 100\n"
                              "Overhead       Samples  Memory access\n"
                              "........  ............  ........................\n"
                              "  55.00%            10  L1 or L1 hit\n"
                              "  45.00%             1  L3 or L3 hit\n"
                              "     p50      p90      p99      max  Memory access\n"
                              "  ......   ......   ......   ......  ........................\n"
                              "       5        9       10       10  L1 or L1 hit\n"
                              "      45       45       45       45  L3 or L3 hit\n"
                              "measure memory size 4096 steps 512 samples 11 weight 100\n"
                              "measure level size 4096 level \"L1 or L1 hit\" overhead 5500 samples 10 weight 55"
                              " p50 5 p90 9 p99 10 max 10\n"
                              "measure level size 4096 level \"L3 or L3 hit\" overhead 4500 samples 1 weight 45"
                              " p50 45 p90 45 p99 45 max 45\n");
}

UNIT_TEST(each_percentile_in_its_place)
{
    static struct level_table table;

    text[0] = '\0';
    for (uint32_t i = 0; i < 100; i++)
        level_table_add(&table, "L2 or L2 hit", 1 + i * 37 % 100);
    level_table_text(&sink, &table, "LOADS", 4096, 512);
    assert_non_null(strstr(text, "\n      50       90       99      100  L2 or L2 hit\n"));
    assert_non_null(strstr(text, "weight 5050 p50 50 p90 90 p99 99 max 100\n"));
}

UNIT_TEST(samples_without_room_count_in_the_sums)
{
    static struct level_table table;

    text[0] = '\0';
    for (unsigned i = 0; i < LEVEL_TABLE_SAMPLES; i++)
        level_table_add(&table, "L2 or L2 hit", 10);
    level_table_add(&table, "L2 or L2 hit", 1000);
    level_table_add(&table, "I/O hit", 50);
    assert_int_equal(table.kept, LEVEL_TABLE_SAMPLES);
    level_table_text(&sink, &table, "LOADS", 64, 64);
    assert_non_null(strstr(text, "samples 514 weight 6170\n"));
    assert_non_null(
        strstr(text, "\"L2 or L2 hit\" overhead 9919 samples 513 weight 6120 p50 10 p90 10 p99 10 max 10\n"));
    assert_null(strstr(text, "measure level size 64 level \"I/O hit\"")); /* no known latency */
}
