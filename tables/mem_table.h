/* SPDX-License-Identifier: MIT */
/* Samples of loads by where their data came from, as `perf mem report --sort=mem` groups them. Pure. */
#ifndef TABLES_MEM_TABLE_H
#define TABLES_MEM_TABLE_H

#include <stdint.h>

#include "base/line.h"

#define MEM_TABLE_ROWS 16u /* more than any encoding has words */

struct mem_row {
    const char *words; /* data_source_words(), level */
    uint64_t weight;   /* the sum of the latencies in core cycles */
    unsigned samples;
};

/* Empty when all of it is zero. */
struct mem_table {
    struct mem_row rows[MEM_TABLE_ROWS];
    unsigned count;
    unsigned samples;
    uint64_t weight;
};

/*
 * Adds one sample; words must outlive the table. Equal texts share a row; a text for which no row is left counts in the
 * sums alone.
 */
void mem_table_add(struct mem_table *table, const char *words, uint64_t latency);

/* part / whole, rounded to hundredths of a percent; part is at most whole, 0 where whole is 0. */
unsigned mem_table_share(uint64_t part, uint64_t whole);

/*
 * Prints the table as perf does, the heaviest row first: Overhead is the row's share of the weight, rounded to
 * hundredths of a percent. event: the name of what was sampled.
 */
void mem_table_text(const struct line_sink *out, const struct mem_table *table, const char *event);

#endif
