/* SPDX-License-Identifier: MIT */
/*
 * The table of perf mem report. The golden case is published output of perf ("Performance Analysis and Tuning on Modern
 * CPUs", PEBS chapter): its samples and weights must give its lines.
 */
#include "tests/host/expect_lines.h"

#include "suite/measure/tables/mem_table.h"

static void expect(const struct mem_table *table, const char *event, const char *const *lines, size_t count)
{
    struct expected expected = { lines, count, 0 };
    const struct line_sink out = { compare, &expected };
    mem_table_text(&out, table, event);
    assert_int_equal(expected.seen, count);
}

/* Adds samples of one row; weight is the sum of their latencies. */
static void add(struct mem_table *table, const char *words, unsigned samples, uint64_t weight)
{
    for (unsigned i = 1; i < samples; i++)
        mem_table_add(table, words, 1);
    mem_table_add(table, words, weight - (samples - 1));
}

UNIT_TEST(as_perf_prints_it)
{
    static const char *const lines[] = {
        "Samples: 656  of event 'cpu/mem-loads,ldlat=30/P'",
        "Total weight : 136578",
        "Overhead       Samples  Memory access",
        "........  ............  ........................",
        "  44.23%           267  LFB or LFB hit",
        "  18.87%           111  L3 or L3 hit",
        "  15.19%            78  Local RAM or RAM hit",
        "  13.38%            77  L2 or L2 hit",
        "   8.34%           123  L1 or L1 hit",
    };
    struct mem_table table = { 0 };
    add(&table, "L1 or L1 hit", 123, 11384);
    add(&table, "L2 or L2 hit", 77, 18274);
    add(&table, "L3 or L3 hit", 111, 25772);
    add(&table, "LFB or LFB hit", 267, 60402);
    add(&table, "Local RAM or RAM hit", 78, 20746);
    expect(&table, "cpu/mem-loads,ldlat=30/P", lines, COUNT_OF(lines));
}

UNIT_TEST(edges)
{
    static const char *const empty[] = {
        "Samples: 0  of event 'e'",
        "Total weight : 0",
        "Overhead       Samples  Memory access",
        "........  ............  ........................",
    };
    static const char *const whole[] = {
        "Samples: 2  of event 'e'",
        "Total weight : 8589934590",
        "Overhead       Samples  Memory access",
        "........  ............  ........................",
        " 100.00%             2  L1 or L1 hit",
    };
    static const char *const weightless[] = {
        "Samples: 1  of event 'e'",
        "Total weight : 0",
        "Overhead       Samples  Memory access",
        "........  ............  ........................",
        "   0.00%             1  N/A",
    };
    static const char *const thirds[] = {
        "Samples: 3  of event 'e'",
        "Total weight : 6",
        "Overhead       Samples  Memory access",
        "........  ............  ........................",
        "  50.00%             1  c",
        "  33.33%             1  b",
        "  16.67%             1  a",
    };
    struct mem_table table = { 0 };
    char same[] = "L1 or L1 hit"; /* the same text at another address */
    expect(&table, "e", empty, COUNT_OF(empty));
    mem_table_add(&table, "L1 or L1 hit", UINT32_MAX);
    mem_table_add(&table, same, UINT32_MAX);
    expect(&table, "e", whole, COUNT_OF(whole));
    table = (struct mem_table){ 0 };
    mem_table_add(&table, "N/A", 0);
    expect(&table, "e", weightless, COUNT_OF(weightless));
    table = (struct mem_table){ 0 };
    mem_table_add(&table, "a", 1);
    mem_table_add(&table, "b", 2);
    mem_table_add(&table, "c", 3);
    expect(&table, "e", thirds, COUNT_OF(thirds));
}

/* If there are more texts than rows, the sums still count all samples. */
UNIT_TEST(no_row_left)
{
    static char words[MEM_TABLE_ROWS + 1][2];
    struct mem_table table = { 0 };
    for (unsigned i = 0; i <= MEM_TABLE_ROWS; i++) {
        words[i][0] = (char)('a' + i);
        mem_table_add(&table, words[i], 10);
    }
    assert_int_equal(table.count, MEM_TABLE_ROWS);
    assert_int_equal(table.samples, MEM_TABLE_ROWS + 1);
    assert_int_equal(table.weight, 10 * (MEM_TABLE_ROWS + 1));
    mem_table_add(&table, "a", 5);
    assert_int_equal(table.rows[0].samples, 2);
    assert_int_equal(table.rows[0].weight, 15);
}

/* Rows of equal weight keep their order. */
UNIT_TEST(one_weight)
{
    static const char *const lines[] = {
        "Samples: 2  of event 'e'",
        "Total weight : 10",
        "Overhead       Samples  Memory access",
        "........  ............  ........................",
        "  50.00%             1  L2 or L2 hit",
        "  50.00%             1  L1 or L1 hit",
    };
    struct mem_table table = { 0 };
    add(&table, "L2 or L2 hit", 1, 5);
    add(&table, "L1 or L1 hit", 1, 5);
    expect(&table, "e", lines, COUNT_OF(lines));
}
