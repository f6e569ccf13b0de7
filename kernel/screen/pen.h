/* SPDX-License-Identifier: MIT */
/* Text on a page: it stays within its columns, and what has no room is cut, with two dots to say so. Pure. */
#ifndef KERNEL_SCREEN_PEN_H
#define KERNEL_SCREEN_PEN_H

#include "kernel/screen/cells.h"

struct pen {
    struct cells *cells;
    unsigned left, width; /* the columns that it writes into; width is 2 or more */
    uint8_t attributes;
};

/* Makes the page blank, in these attributes. */
void pen_clear(struct cells *cells, uint8_t attributes);

/* Writes one line. Characters that are not printable ASCII become '?'. */
void pen_line(const struct pen *pen, unsigned row, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Writes words into as many lines as they need, `most` (1 or more) at most. Returns how many. */
unsigned pen_words(const struct pen *pen, unsigned row, unsigned most, const char *text);

/* How many lines pen_words() needs. */
unsigned pen_count(const struct pen *pen, unsigned most, const char *text);

#endif
