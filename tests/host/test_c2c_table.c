/* SPDX-License-Identifier: MIT */
/* The table of shared lines: which accesses share a row, the order of rows and lines, and the lines for tools. */
#include "tests/host/unit_test.h"

#include "suite/measure/tables/c2c_table.h"

static char text[8192];

static void keep(void *context, const char *line)
{
    strncat(text, line, sizeof text - strlen(text) - 1);
    strncat(text, "\n", sizeof text - strlen(text) - 1);
}

static const struct line_sink sink = { keep, NULL };

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

    text[0] = '\0';
    store(&table, 0x1048, 1, "writer");
    load(&table, 0x1048, 1, "reader", true, 60);
    load(&table, 0x1048, 0, "reader", false, 4);
    load(&table, 0x1000, 3, "other", true, 70);
    load(&table, 0x1048, 1, same_text, true, 62);
    load(&table, 0x1040, 1, "reader", false, 5);
    c2c_table_text(&sink, &table, "false");
    assert_string_equal(text, "Cache line / offset     CPU   Loads    HitM  Stores  Cycles  Symbol\n"
                              "..................... ..... ....... ....... ....... .......  ........................\n"
                              "0x0000000000001000                1       1       0      70\n"
                              "                 0x00     3       1       1       0      70  other\n"
                              "0x0000000000001040                4       2       1     131\n"
                              "                 0x00     1       1       0       0       5  reader\n"
                              "                 0x08     0       1       0       0       4  reader\n"
                              "                 0x08     1       2       2       0     122  reader\n"
                              "                 0x08     1       0       0       1       0  writer\n"
                              "measure sharing layout false line 0x1000 loads 1 hitm 1 stores 0 cycles 70\n"
                              "measure sharing_access layout false line 0x1000 offset 0 cpu 3 symbol other loads 1 "
                              "hitm 1 stores 0 cycles 70\n"
                              "measure sharing layout false line 0x1040 loads 4 hitm 2 stores 1 cycles 131\n"
                              "measure sharing_access layout false line 0x1040 offset 0 cpu 1 symbol reader loads 1 "
                              "hitm 0 stores 0 cycles 5\n"
                              "measure sharing_access layout false line 0x1040 offset 8 cpu 0 symbol reader loads 1 "
                              "hitm 0 stores 0 cycles 4\n"
                              "measure sharing_access layout false line 0x1040 offset 8 cpu 1 symbol reader loads 2 "
                              "hitm 2 stores 0 cycles 122\n"
                              "measure sharing_access layout false line 0x1040 offset 8 cpu 1 symbol writer loads 0 "
                              "hitm 0 stores 1 cycles 0\n");
}

UNIT_TEST(lines_end_at_64_bytes)
{
    static struct c2c_table table;

    text[0] = '\0';
    load(&table, 0x103f, 0, "a", false, 1);
    load(&table, 0x1040, 0, "a", false, 1);
    c2c_table_text(&sink, &table, "x");
    assert_non_null(strstr(text, "line 0x1000 offset 63 cpu 0"));
    assert_non_null(strstr(text, "line 0x1040 offset 0 cpu 0"));
}

UNIT_TEST(the_highest_address)
{
    static struct c2c_table table;

    text[0] = '\0';
    load(&table, UINT64_MAX, UINT32_MAX, "a", true, UINT32_MAX);
    load(&table, 0, 0, "a", true, 1);
    c2c_table_text(&sink, &table, "x");
    assert_non_null(
        strstr(text, "measure sharing layout x line 0xffffffffffffffc0 loads 1 hitm 1 stores 0 cycles 4294967295\n"));
    assert_true(strstr(text, "line 0x0 ") < strstr(text, "line 0xffffffffffffffc0 "));
}

static void count_full(void *context, const char *line)
{
    unsigned *found = context;

    *found += strcmp(line, "1 more samples not shown: the table is full") == 0;
}

UNIT_TEST(lines_that_do_not_fit_are_counted)
{
    static struct c2c_table table;

    text[0] = '\0';
    for (uint64_t i = 0; i <= C2C_ROWS; i++)
        load(&table, 0x10000 - i * 8, 0, "a", false, 1);
    load(&table, 0x10000, 0, "a", false, 1);
    assert_int_equal(table.count, C2C_ROWS);
    assert_int_equal(table.left_out, 1);
    for (unsigned i = 1; i < C2C_ROWS; i++)
        assert_true(table.rows[i - 1].access.address < table.rows[i].access.address);
    assert_int_equal(table.rows[C2C_ROWS - 1].loads, 2);
    unsigned found = 0;
    c2c_table_text(&(struct line_sink){ count_full, &found }, &table, "x");
    assert_int_equal(found, 1);
    table.left_out = 0;
    c2c_table_text(&(struct line_sink){ count_full, &found }, &table, "x");
    assert_int_equal(found, 1);
}

UNIT_TEST(no_access_is_an_empty_table)
{
    static const struct c2c_table table;

    text[0] = '\0';
    c2c_table_text(&sink, &table, "x");
    assert_null(strstr(text, "measure"));
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
