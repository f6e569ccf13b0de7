/* SPDX-License-Identifier: MIT */
/* How often each distance came, as numbers and as bars that a person can read. Pure. */
#ifndef TABLES_HISTOGRAM_H
#define TABLES_HISTOGRAM_H

#include "base/line.h"

#define HISTOGRAM_BARS 64u /* different distances */

struct histogram_bar {
    int distance;
    unsigned count;
};

/* Empty when all of it is zero. */
struct histogram {
    struct histogram_bar bars[HISTOGRAM_BARS]; /* by distance, the smallest first */
    unsigned bar_count;
    unsigned samples; /* all that were added, also those for which no bar was left */
};

void histogram_add(struct histogram *histogram, int distance);

/* How many samples were at this distance. */
unsigned histogram_at(const struct histogram *histogram, int distance);

struct histogram_column {
    const char *title;
    const struct histogram *histogram;
};
#define HISTOGRAM_COLUMNS 4u

/*
 * Prints histograms side by side: a row for each distance that one of them has, and in each column the count and a bar,
 * as long as the share of the column's samples. At most HISTOGRAM_COLUMNS columns.
 */
void histogram_text(const struct line_sink *out, const struct histogram_column *columns, unsigned count);

#endif
