/* SPDX-License-Identifier: MIT */
#include "suite/measure/tables/level_table.h"

#include <inttypes.h>

#include "lib/text.h"

void level_table_add(struct level_table *table, const char *words, uint64_t latency)
{
    mem_table_add(&table->sums, words, latency);
    if (table->kept < LEVEL_TABLE_SAMPLES)
        table->samples[table->kept++] = (struct level_sample){ words, (uint32_t)latency };
}

uint32_t percentile(const uint32_t *values, unsigned count, unsigned percent)
{
    return values[(count * percent + 99) / 100 - 1];
}

/* The latencies of one level, in ascending order. */
static unsigned gather(const struct level_table *table, const char *words, uint32_t values[LEVEL_TABLE_SAMPLES])
{
    unsigned count = 0;

    for (unsigned i = 0; i < table->kept; i++) {
        unsigned hole = count;
        if (text_compare(table->samples[i].words, words) != 0)
            continue;
        for (; hole > 0 && values[hole - 1] > table->samples[i].latency; hole--)
            values[hole] = values[hole - 1];
        values[hole] = table->samples[i].latency;
        count++;
    }
    return count;
}

void level_table_text(const struct line_sink *out, const struct level_table *table, const char *event, uint64_t size,
                      unsigned steps)
{
    uint32_t values[LEVEL_TABLE_SAMPLES];

    mem_table_text(out, &table->sums, event);
    say(out, "     p50      p90      p99      max  Memory access");
    say(out, "  ......   ......   ......   ......  ........................");
    for (unsigned i = 0; i < table->sums.count; i++) {
        const struct mem_row *row = &table->sums.rows[i];
        const unsigned count = gather(table, row->words, values);
        if (count)
            say(out, "%8u %8u %8u %8u  %s", percentile(values, count, 50), percentile(values, count, 90),
                percentile(values, count, 99), values[count - 1], row->words);
    }
    say(out, "measure memory size %" PRIu64 " steps %u samples %u weight %" PRIu64, size, steps, table->sums.samples,
        table->sums.weight);
    for (unsigned i = 0; i < table->sums.count; i++) {
        const struct mem_row *row = &table->sums.rows[i];
        const unsigned count = gather(table, row->words, values);
        if (count)
            say(out,
                "measure level size %" PRIu64 " level \"%s\" overhead %u samples %u weight %" PRIu64
                " p50 %u p90 %u p99 %u max %u",
                size, row->words, mem_table_share(row->weight, table->sums.weight), row->samples, row->weight,
                percentile(values, count, 50), percentile(values, count, 90), percentile(values, count, 99),
                values[count - 1]);
    }
}
