/* SPDX-License-Identifier: MIT */
/*
 * Figures as tables: histograms, perf mem's table, memory levels, and shared lines. The golden case of perf mem is
 * published output of perf ("Performance Analysis and Tuning on Modern CPUs", PEBS chapter): its samples and weights
 * must give its lines.
 */
#include "tests/host/unit_test.h"

#include "suite/measure/tables/c2c_table.h"
#include "suite/measure/tables/histogram.h"
#include "suite/measure/tables/level_table.h"
#include "suite/measure/tables/mem_table.h"
#include "tests/host/lines.h"

/* ---- histograms ---- */

static void add(struct histogram *histogram, int distance, unsigned count)
{
    while (count--)
        histogram_add(histogram, distance);
}

UNIT_TEST(histograms_side_by_side)
{
    struct histogram interrupt = { 0 }, eventing_ip = { 0 }, many = { 0 };
    const struct histogram_column columns[] = { { "interrupt", &interrupt },
                                                { "EventingIP", &eventing_ip },
                                                { "a", &many } };
    histogram_text(&into_lines, columns + 2, 1);
    printed("distance  a\n");
    add(&interrupt, 9, 30);
    add(&interrupt, 120, 1);
    add(&interrupt, -2, 1);
    add(&eventing_ip, 0, 40);
    assert_int_equal(interrupt.samples, 32);
    assert_int_equal(histogram_at(&interrupt, 9), 30);
    assert_int_equal(histogram_at(&interrupt, 8), 0);
    histogram_text(&into_lines, columns, 2);
    printed("distance  interrupt                     EventingIP\n"
            "      -2       1 #\n"
            "       0                                    40 ####################\n"
            "       9      30 ###################\n"
            "     120       1 #\n");
    add(&many, 0, 1000);
    add(&many, 1, 1);
    histogram_text(&into_lines, columns + 2, 1);
    printed("distance  a\n"
            "       0    1000 ####################\n"
            "       1       1 #\n");
}

UNIT_TEST(a_full_histogram)
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

/* ---- perf mem ---- */

#define HEAD "Overhead       Samples  Memory access\n........  ............  ........................\n"

/* Rows in the order of their weight; rows of equal weight keep theirs. Its last sample has the rest of a row's weight.
 */
UNIT_TEST(perf_mem)
{
    static const struct {
        struct {
            const char *words;
            unsigned samples;
            uint64_t weight;
        } rows[5];
        const char *lines;
    } tables[] = {
        { { { "L1 or L1 hit", 123, 11384 },
            { "L2 or L2 hit", 77, 18274 },
            { "L3 or L3 hit", 111, 25772 },
            { "LFB or LFB hit", 267, 60402 },
            { "Local RAM or RAM hit", 78, 20746 } },
          "Samples: 656  of event 'e'\nTotal weight : 136578\n" HEAD "  44.23%           267  LFB or LFB hit\n"
          "  18.87%           111  L3 or L3 hit\n"
          "  15.19%            78  Local RAM or RAM hit\n"
          "  13.38%            77  L2 or L2 hit\n"
          "   8.34%           123  L1 or L1 hit\n" },
        { { { NULL, 0, 0 } }, "Samples: 0  of event 'e'\nTotal weight : 0\n" HEAD },
        { { { "L1 or L1 hit", 1, UINT32_MAX }, { "L1 or L1 hit", 1, UINT32_MAX } },
          "Samples: 2  of event 'e'\nTotal weight : 8589934590\n" HEAD " 100.00%             2  L1 or L1 hit\n" },
        { { { "N/A", 1, 0 } }, "Samples: 1  of event 'e'\nTotal weight : 0\n" HEAD "   0.00%             1  N/A\n" },
        { { { "a", 1, 1 }, { "b", 1, 2 }, { "c", 1, 3 } },
          "Samples: 3  of event 'e'\nTotal weight : 6\n" HEAD "  50.00%             1  c\n"
          "  33.33%             1  b\n"
          "  16.67%             1  a\n" },
        { { { "L2 or L2 hit", 1, 5 }, { "L1 or L1 hit", 1, 5 } },
          "Samples: 2  of event 'e'\nTotal weight : 10\n" HEAD "  50.00%             1  L2 or L2 hit\n"
          "  50.00%             1  L1 or L1 hit\n" },
    };

    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        struct mem_table table = { 0 };
        for (unsigned k = 0; k < 5 && tables[i].rows[k].words; k++) {
            static char words[5][40]; /* rows are compared as text */
            strcpy(words[k], tables[i].rows[k].words);
            for (unsigned n = 1; n < tables[i].rows[k].samples; n++)
                mem_table_add(&table, n % 2 ? words[k] : tables[i].rows[k].words, 1);
            mem_table_add(&table, tables[i].rows[k].words, tables[i].rows[k].weight - (tables[i].rows[k].samples - 1));
        }
        mem_table_text(&into_lines, &table, "e");
        printed(tables[i].lines);
    }
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

/* ---- memory levels ---- */

UNIT_TEST(the_percentile_is_the_nearest_rank)
{
    static const uint32_t five[] = { 15, 20, 35, 40, 50 };

    assert_int_equal(percentile(five, 5, 30), 20); /* rank 1.5 is the second */
    assert_int_equal(percentile(five, 5, 40), 20); /* rank 2 is the second, too */
    assert_int_equal(percentile(five, 5, 50), 35);
    assert_int_equal(percentile(five, 5, 100), 50);
    assert_int_equal(percentile(five, 5, 1), 15);
    assert_int_equal(percentile(five, 1, 50), 15);
    assert_int_equal(percentile(five, 1, 99), 15);
}

UNIT_TEST(each_level_has_its_own_percentiles)
{
    static struct level_table table, other;

    for (uint32_t i = 10; i > 0; i--)
        level_table_add(&table, "L1 or L1 hit", i);
    level_table_add(&table, "L3 or L3 hit", 45);
    level_table_text(&into_lines, &table, "LOADS", 4096, 512);
    printed("Samples: 11  of event 'LOADS'\nTotal weight : 100\n" HEAD "  55.00%            10  L1 or L1 hit\n"
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
    for (uint32_t i = 0; i < 100; i++)
        level_table_add(&other, "L2 or L2 hit", 1 + i * 37 % 100);
    level_table_text(&into_lines, &other, "LOADS", 4096, 512);
    has_printed("\n      50       90       99      100  L2 or L2 hit\n");
    has_printed("weight 5050 p50 50 p90 90 p99 99 max 100\n");
    forget_lines();
}

UNIT_TEST(samples_without_room_count_in_the_sums)
{
    static struct level_table table;

    for (unsigned i = 0; i < LEVEL_TABLE_SAMPLES; i++)
        level_table_add(&table, "L2 or L2 hit", 10);
    level_table_add(&table, "L2 or L2 hit", 1000);
    level_table_add(&table, "I/O hit", 50);
    assert_int_equal(table.kept, LEVEL_TABLE_SAMPLES);
    level_table_text(&into_lines, &table, "LOADS", 64, 64);
    has_printed("samples 514 weight 6170\n");
    has_printed("\"L2 or L2 hit\" overhead 9919 samples 513 weight 6120 p50 10 p90 10 p99 10 max 10\n");
    has_not_printed("measure level size 64 level \"I/O hit\""); /* no known latency */
    forget_lines();
}

/* ---- shared lines ---- */

static void load(struct c2c_table *table, uint64_t address, unsigned cpu, const char *symbol, bool hitm,
                 uint64_t cycles)
{
    c2c_table_add(table, &(struct c2c_access){ address, cpu, symbol, false, hitm, cycles });
}

static void store(struct c2c_table *table, uint64_t address, unsigned cpu, const char *symbol)
{
    c2c_table_add(table, &(struct c2c_access){ .address = address, .cpu = cpu, .symbol = symbol, .store = true });
}

UNIT_TEST(by_line_offset_processor_and_symbol)
{
    static struct c2c_table table;
    char same_text[] = "reader"; /* symbols are compared as text */

    c2c_table_text(&into_lines, &table, "x");
    has_not_printed("measure");
    forget_lines();
    store(&table, 0x1048, 1, "writer");
    load(&table, 0x1048, 1, "reader", true, 60);
    load(&table, 0x1048, 0, "reader", false, 4);
    load(&table, 0x103f, 3, "other", true, 70);
    load(&table, UINT64_MAX, UINT32_MAX, "end", true, UINT32_MAX);
    load(&table, 0x1048, 1, same_text, true, 62);
    load(&table, 0x1040, 1, "reader", false, 5);
    c2c_table_text(&into_lines, &table, "false");
    printed("Cache line / offset     CPU   Loads    HitM  Stores  Cycles  Symbol\n"
            "..................... ..... ....... ....... ....... .......  ........................\n"
            "0x0000000000001000                1       1       0      70\n"
            "                 0x3f     3       1       1       0      70  other\n"
            "0x0000000000001040                4       2       1     131\n"
            "                 0x00     1       1       0       0       5  reader\n"
            "                 0x08     0       1       0       0       4  reader\n"
            "                 0x08     1       2       2       0     122  reader\n"
            "                 0x08     1       0       0       1       0  writer\n"
            "0xffffffffffffffc0                1       1       0 4294967295\n"
            "                 0x3f 4294967295       1       1       0 4294967295  end\n"
            "measure sharing layout false line 0x1000 loads 1 hitm 1 stores 0 cycles 70\n"
            "measure sharing_access layout false line 0x1000 offset 63 cpu 3 symbol other loads 1 hitm 1 stores 0 "
            "cycles 70\n"
            "measure sharing layout false line 0x1040 loads 4 hitm 2 stores 1 cycles 131\n"
            "measure sharing_access layout false line 0x1040 offset 0 cpu 1 symbol reader loads 1 hitm 0 stores 0 "
            "cycles 5\n"
            "measure sharing_access layout false line 0x1040 offset 8 cpu 0 symbol reader loads 1 hitm 0 stores 0 "
            "cycles 4\n"
            "measure sharing_access layout false line 0x1040 offset 8 cpu 1 symbol reader loads 2 hitm 2 stores 0 "
            "cycles 122\n"
            "measure sharing_access layout false line 0x1040 offset 8 cpu 1 symbol writer loads 0 hitm 0 stores 1 "
            "cycles 0\n"
            "measure sharing layout false line 0xffffffffffffffc0 loads 1 hitm 1 stores 0 cycles 4294967295\n"
            "measure sharing_access layout false line 0xffffffffffffffc0 offset 63 cpu 4294967295 symbol end loads 1 "
            "hitm 1 stores 0 cycles 4294967295\n");
}

UNIT_TEST(lines_that_do_not_fit_are_counted)
{
    static struct c2c_table table;

    for (uint64_t i = 0; i <= C2C_ROWS; i++)
        load(&table, 0x10000 - i * 8, 0, "a", false, 1);
    load(&table, 0x10000, 0, "a", false, 1);
    assert_int_equal(table.count, C2C_ROWS);
    assert_int_equal(table.left_out, 1);
    for (unsigned i = 1; i < C2C_ROWS; i++)
        assert_true(table.rows[i - 1].access.address < table.rows[i].access.address);
    assert_int_equal(table.rows[C2C_ROWS - 1].loads, 2);
    c2c_table_text(&into_lines, &table, "x");
    has_printed("\n1 more samples not shown: the table is full\n");
    forget_lines();
    table.left_out = 0;
    c2c_table_text(&into_lines, &table, "x");
    has_not_printed("not shown");
    forget_lines();
}

UNIT_TEST(shares)
{
    static const struct {
        bool shared;
        unsigned hitm; /* of 80 loads */
        enum c2c_share share;
    } rows[] = {
        { true, 80, C2C_AS_EXPECTED },  { true, 70, C2C_AS_EXPECTED }, { true, 69, C2C_UNTYPICAL },
        { true, 40, C2C_UNTYPICAL },    { true, 39, C2C_WRONG },       { false, 0, C2C_AS_EXPECTED },
        { false, 10, C2C_AS_EXPECTED }, { false, 11, C2C_UNTYPICAL },  { false, 40, C2C_UNTYPICAL },
        { false, 41, C2C_WRONG },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(c2c_share(rows[i].shared, 80, rows[i].hitm), rows[i].share);
}
