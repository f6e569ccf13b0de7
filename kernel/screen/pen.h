/* SPDX-License-Identifier: MIT */
/* Text on a page. It stays within its columns; text that does not fit is cut and ends with two dots. Pure. */
#ifndef KERNEL_SCREEN_PEN_H
#define KERNEL_SCREEN_PEN_H

#include "kernel/screen/cells.h"

struct pen {
    struct cells *cells;
    unsigned left, width; /* the columns for the text; width is 2 or more */
    uint8_t attributes;
};

/* Makes the page blank, with these attributes. */
void pen_clear(struct cells *cells, uint8_t attributes);

/* Writes one line. Characters that are not printable ASCII become '?'. */
void pen_line(const struct pen *pen, unsigned row, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Writes words into as many lines as they need, at most `most` (1 or more). Returns the number of lines. */
unsigned pen_words(const struct pen *pen, unsigned row, unsigned most, const char *text);

/* The number of lines that pen_words() needs. */
unsigned pen_count(const struct pen *pen, unsigned most, const char *text);

#endif
