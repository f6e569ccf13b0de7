/* SPDX-License-Identifier: MIT */
/* Samples of loads grouped by data source, as `perf mem report --sort=mem` does. Pure. */
#ifndef SUITE_MEASURE_TABLES_MEM_TABLE_H
#define SUITE_MEASURE_TABLES_MEM_TABLE_H

#include <stdint.h>

#include "lib/line.h"

#define MEM_TABLE_ROWS 16u /* more than the levels of any encoding */

struct mem_row {
    const char *words; /* the level of data_source_words() */
    uint64_t weight;   /* the sum of the latencies in core cycles */
    unsigned samples;
};

/* An all-zero table is empty. */
struct mem_table {
    struct mem_row rows[MEM_TABLE_ROWS];
    unsigned count;
    unsigned samples;
    uint64_t weight;
};

/*
 * Adds one sample; words must outlive the table. Equal texts share a row. If all rows are in use, the sample counts
 * only in the sums.
 */
void mem_table_add(struct mem_table *table, const char *words, uint64_t latency);

/* part / whole in hundredths of a percent, rounded; part is at most whole. 0 if whole is 0. */
unsigned mem_table_share(uint64_t part, uint64_t whole);

/*
 * Prints the table as perf does, the heaviest row first. Overhead is the row's share of the weight, rounded to
 * hundredths of a percent. event: the name of the sampled event.
 */
void mem_table_text(const struct line_sink *out, const struct mem_table *table, const char *event);

#endif
