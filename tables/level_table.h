/* SPDX-License-Identifier: MIT */
/* Latencies by the level of the memory hierarchy that the data came from, as percentiles. Pure. */
#ifndef TABLES_LEVEL_TABLE_H
#define TABLES_LEVEL_TABLE_H

#include <stdint.h>

#include "base/line.h"
#include "tables/mem_table.h"

#define LEVEL_TABLE_SAMPLES 512u

/* Empty when all of it is zero. */
struct level_table {
    struct mem_table sums;
    struct level_sample {
        const char *words; /* data_source_words(), level: equal words are one pointer or equal texts */
        uint32_t latency;  /* core cycles */
    } samples[LEVEL_TABLE_SAMPLES];
    unsigned kept; /* samples beyond the array count in the sums alone */
};

/* Adds one sample; words must outlive the table. */
void level_table_add(struct level_table *table, const char *words, uint64_t latency);

/*
 * Prints perf's table (mem_table_text()), then for each of its rows, in the order in which they first came, the
 * percentiles of its latencies, and the same as lines that begin with "measure" (docs/output.md). size: of the data
 * that was walked, bytes; steps: loads in the walk.
 */
void level_table_text(const struct line_sink *out, const struct level_table *table, const char *event, uint64_t size,
                      unsigned steps);

/*
 * The nearest-rank percentile of count values in ascending order, 1 to 100: the least value that so many percent of
 * them do not exceed. count is at least 1.
 */
uint32_t percentile(const uint32_t *values, unsigned count, unsigned percent);

#endif
