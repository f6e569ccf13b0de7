/* SPDX-License-Identifier: MIT */
/*
 * Paints characters into a frame buffer of any form: 16, 24 or 32 bits a pixel, colours by masks, any pitch. Characters
 * are enlarged by an integer factor, to be readable at high resolutions. Never reads the frame buffer. Pure.
 */
#ifndef KERNEL_SCREEN_PIXELS_H
#define KERNEL_SCREEN_PIXELS_H

#include <stdint.h>

#include "kernel/screen/cells.h"

#define GLYPH_WIDTH  8u
#define GLYPH_HEIGHT 16u

/* The form of a frame buffer. */
struct pixels_form {
    uint32_t columns, rows;    /* pixels */
    uint32_t pitch;            /* bytes from one row to the next */
    uint32_t pixel_bits;       /* 16, 24 or 32 */
    uint32_t red, green, blue; /* masks, each of contiguous bits */
};

/* The place of the page of characters in the frame buffer. */
struct pixels {
    struct pixels_form form;
    uint32_t cell_columns, cell_rows;
    uint32_t scale;       /* edge of a font's pixel on the screen */
    uint32_t left, top;   /* of the page, in pixels; the page is centred */
    uint32_t colours[16]; /* pixels, by enum cell_colour */
};

enum pixels_error {
    PIXELS_OK,
    PIXELS_SMALL, /* fewer pixels than CELLS_COLUMNS x CELLS_ROWS characters need */
    PIXELS_LARGE, /* more than PIXELS_EDGE_MAX columns or rows */
    PIXELS_DEPTH, /* not 16, 24 or 32 bits a pixel */
    PIXELS_MASKS, /* a mask is empty, has a hole, or exceeds the pixel */
    PIXELS_PITCH  /* the rows overlap, or are too far apart */
};

#define PIXELS_EDGE_MAX  16384u
#define PIXELS_PITCH_MAX (8u * PIXELS_EDGE_MAX)

/*
 * Lays the page out: the largest scale at which CELLS_COLUMNS x CELLS_ROWS fit, then as many characters as fit, up to
 * the maximum of a page. On an error *out is all 0.
 */
enum pixels_error pixels_fit(const struct pixels_form *form, struct pixels *out);

/* The error as text: "too small for 80x25 characters". */
const char *pixels_error_text(enum pixels_error error);

/* Makes the whole frame buffer black. */
void pixels_clear(const struct pixels *pixels, uint8_t *frame);

/*
 * Paints one character; column and row are within cell_columns and cell_rows. The font has a byte for each row of a
 * character, the leftmost pixel in bit 7.
 */
void pixels_paint(const struct pixels *pixels, const uint8_t font[256][GLYPH_HEIGHT], uint8_t *frame, uint32_t column,
                  uint32_t row, struct cell cell);

#endif
