/* SPDX-License-Identifier: MIT */
/* Latencies by the level of the memory hierarchy that the data came from, as percentiles. Pure. */
#ifndef SUITE_MEASURE_TABLES_LEVEL_TABLE_H
#define SUITE_MEASURE_TABLES_LEVEL_TABLE_H

#include <stdint.h>

#include "lib/line.h"
#include "suite/measure/tables/mem_table.h"

#define LEVEL_TABLE_SAMPLES 512u

/* An all-zero table is empty. */
struct level_table {
    struct mem_table sums;
    struct level_sample {
        const char *words; /* the level of data_source_words(); compared as text */
        uint32_t latency;  /* core cycles */
    } samples[LEVEL_TABLE_SAMPLES];
    unsigned kept; /* samples in the array; further ones count in the sums only */
};

/* Adds one sample; words must outlive the table. */
void level_table_add(struct level_table *table, const char *words, uint64_t latency);

/*
 * Prints perf's table (mem_table_text()). For each of its rows, in order of first occurrence, it then prints the
 * percentiles of the latencies, as text and as lines that begin with "measure" (docs/output.md). size: bytes of the
 * data that was walked; steps: loads in the walk.
 */
void level_table_text(const struct line_sink *out, const struct level_table *table, const char *event, uint64_t size,
                      unsigned steps);

/*
 * The nearest-rank percentile (1 to 100) of values in ascending order: the smallest value such that at least this
 * percentage of the values is not above it. count is at least 1.
 */
uint32_t percentile(const uint32_t *values, unsigned count, unsigned percent);

#endif
