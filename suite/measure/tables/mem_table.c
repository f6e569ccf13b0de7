/* SPDX-License-Identifier: MIT */
#include "suite/measure/tables/mem_table.h"

#include <inttypes.h>
#include <stdbool.h>

#include "lib/text.h"

void mem_table_add(struct mem_table *table, const char *words, uint64_t latency)
{
    unsigned i = 0;

    table->samples++;
    table->weight += latency;
    while (i < table->count && text_compare(table->rows[i].words, words) != 0)
        i++;
    if (i == MEM_TABLE_ROWS)
        return;
    if (i == table->count)
        table->rows[table->count++] = (struct mem_row){ .words = words };
    table->rows[i].samples++;
    table->rows[i].weight += latency;
}

/* Divides digit by digit, because 64-bit division needs libgcc on i686. */
unsigned mem_table_share(uint64_t part, uint64_t whole)
{
    unsigned value = 0;

    if (whole == 0)
        return 0;
    for (unsigned digit = 0; digit < 4; digit++) {
        part *= 10;
        value *= 10;
        for (; part >= whole; part -= whole)
            value++;
    }
    return value + (2 * part >= whole);
}

void mem_table_text(const struct line_sink *out, const struct mem_table *table, const char *event)
{
    bool printed[MEM_TABLE_ROWS] = { false };

    say(out, "Samples: %u  of event '%s'", table->samples, event);
    say(out, "Total weight : %" PRIu64, table->weight);
    say(out, "Overhead       Samples  Memory access");
    say(out, "........  ............  ........................");
    for (unsigned n = 0; n < table->count; n++) {
        unsigned heaviest = MEM_TABLE_ROWS;

        for (unsigned i = 0; i < table->count; i++)
            if (!printed[i] && (heaviest == MEM_TABLE_ROWS || table->rows[i].weight > table->rows[heaviest].weight))
                heaviest = i;
        const struct mem_row *row = &table->rows[heaviest];
        const unsigned overhead = mem_table_share(row->weight, table->weight);
        printed[heaviest] = true;
        say(out, "%4u.%02u%%  %12u  %s", overhead / 100, overhead % 100, row->samples, row->words);
    }
}
