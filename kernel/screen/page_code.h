/* SPDX-License-Identifier: MIT */
/* A QR code on the page: each character shows two modules, one above the other, as half blocks. Pure. */
#ifndef KERNEL_SCREEN_PAGE_CODE_H
#define KERNEL_SCREEN_PAGE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/screen/cells.h"

struct page_code {
    unsigned side;          /* modules; 0: there is no code */
    const uint8_t *modules; /* side rows of side bytes: 1 is dark, 0 is light */
};

/* The place of a code on a screen, at the right, including its quiet zone. */
struct page_code_place {
    unsigned row, column, rows, columns; /* characters */
    unsigned quiet;                      /* modules on each side that are light */
};

/*
 * Finds a place below the rows `above` that leaves `left` columns free at the left. The quiet zone has 4 modules, or
 * fewer (at least 2) if 4 do not fit. Returns whether there is a place.
 */
bool page_code_place(const struct cells *cells, unsigned side, unsigned above, unsigned left,
                     struct page_code_place *place);

/* Draws the code at its place. */
void page_code_draw(const struct page_code *code, const struct page_code_place *place, struct cells *cells);

#endif
