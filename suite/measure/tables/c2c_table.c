/* SPDX-License-Identifier: MIT */
#include "suite/measure/tables/c2c_table.h"

#include <inttypes.h>

#include "lib/text.h"

static uint64_t line_of(const struct c2c_row *row)
{
    return row->access.address & ~(uint64_t)(C2C_LINE - 1);
}

/* Negative, zero or positive if the access sorts before, belongs to or sorts after the row. */
static int compare(const struct c2c_access *access, const struct c2c_row *row)
{
    if (access->address != row->access.address)
        return access->address < row->access.address ? -1 : 1;
    if (access->cpu != row->access.cpu)
        return access->cpu < row->access.cpu ? -1 : 1;
    return text_compare(access->symbol, row->access.symbol);
}

static void count(struct c2c_row *row, const struct c2c_access *access)
{
    row->stores += access->store;
    row->loads += !access->store;
    row->hitm += access->hitm;
    row->cycles += access->cycles;
}

void c2c_table_add(struct c2c_table *table, const struct c2c_access *access)
{
    unsigned at = 0;

    while (at < table->count && compare(access, &table->rows[at]) > 0)
        at++;
    if (at == table->count || compare(access, &table->rows[at]) != 0) {
        if (table->count == C2C_ROWS) {
            table->left_out++;
            return;
        }
        for (unsigned i = table->count++; i > at; i--)
            table->rows[i] = table->rows[i - 1];
        table->rows[at] = (struct c2c_row){ .access = *access };
    }
    count(&table->rows[at], access);
}

/* Adds up the rows of the line that starts at row `first`; returns the row after them. */
static unsigned sum_line(const struct c2c_table *table, unsigned first, struct c2c_row *sum)
{
    unsigned at = first;

    *sum = (struct c2c_row){ .access.address = line_of(&table->rows[first]) };
    for (; at < table->count && line_of(&table->rows[at]) == sum->access.address; at++) {
        sum->loads += table->rows[at].loads;
        sum->hitm += table->rows[at].hitm;
        sum->stores += table->rows[at].stores;
        sum->cycles += table->rows[at].cycles;
    }
    return at;
}

static void people(const struct line_sink *out, const struct c2c_table *table)
{
    struct c2c_row sum;

    say(out, "Cache line / offset     CPU   Loads    HitM  Stores  Cycles  Symbol");
    say(out, "..................... ..... ....... ....... ....... .......  ........................");
    for (unsigned at = 0, end; at < table->count; at = end) {
        end = sum_line(table, at, &sum);
        say(out, "0x%016" PRIx64 "          %7u %7u %7u %7" PRIu64, sum.access.address, sum.loads, sum.hitm, sum.stores,
            sum.cycles);
        for (unsigned i = at; i < end; i++) {
            const struct c2c_row *row = &table->rows[i];
            say(out, "                 0x%02x %5u %7u %7u %7u %7" PRIu64 "  %s",
                (unsigned)(row->access.address - sum.access.address), row->access.cpu, row->loads, row->hitm,
                row->stores, row->cycles, row->access.symbol);
        }
    }
    if (table->left_out)
        say(out, "%u more samples not shown: the table is full", table->left_out);
}

static void tools(const struct line_sink *out, const struct c2c_table *table, const char *layout)
{
    struct c2c_row sum;

    for (unsigned at = 0, end; at < table->count; at = end) {
        end = sum_line(table, at, &sum);
        say(out, "measure sharing layout %s line 0x%" PRIx64 " loads %u hitm %u stores %u cycles %" PRIu64, layout,
            sum.access.address, sum.loads, sum.hitm, sum.stores, sum.cycles);
        for (unsigned i = at; i < end; i++) {
            const struct c2c_row *row = &table->rows[i];
            say(out,
                "measure sharing_access layout %s line 0x%" PRIx64
                " offset %u cpu %u symbol %s loads %u hitm %u stores %u cycles %" PRIu64,
                layout, sum.access.address, (unsigned)(row->access.address - sum.access.address), row->access.cpu,
                row->access.symbol, row->loads, row->hitm, row->stores, row->cycles);
        }
    }
}

void c2c_table_text(const struct line_sink *out, const struct c2c_table *table, const char *layout)
{
    people(out, table);
    tools(out, table, layout);
}

enum c2c_share c2c_share(bool shared, unsigned loads, unsigned hitm)
{
    if (shared ? hitm < loads / 2 : hitm > loads / 2)
        return C2C_WRONG;
    return (shared ? hitm < loads - loads / 8 : hitm > loads / 8) ? C2C_UNTYPICAL : C2C_AS_EXPECTED;
}
