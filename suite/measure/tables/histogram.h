/* SPDX-License-Identifier: MIT */
/* How often each distance occurred, as numbers and as bars. Pure. */
#ifndef SUITE_MEASURE_TABLES_HISTOGRAM_H
#define SUITE_MEASURE_TABLES_HISTOGRAM_H

#include "lib/line.h"

#define HISTOGRAM_BARS 64u /* different distances */

struct histogram_bar {
    int distance;
    unsigned count;
};

/* An all-zero histogram is empty. */
struct histogram {
    struct histogram_bar bars[HISTOGRAM_BARS]; /* by distance, the smallest first */
    unsigned bar_count;
    unsigned samples; /* all samples, including those without a bar */
};

void histogram_add(struct histogram *histogram, int distance);

/* The number of samples at this distance. */
unsigned histogram_at(const struct histogram *histogram, int distance);

struct histogram_column {
    const char *title;
    const struct histogram *histogram;
};
#define HISTOGRAM_COLUMNS 4u

/*
 * Prints histograms side by side: a row for each distance in any of them, and in each column the count and a bar whose
 * length is the share of the column's samples. At most HISTOGRAM_COLUMNS columns.
 */
void histogram_text(const struct line_sink *out, const struct histogram_column *columns, unsigned count);

#endif
