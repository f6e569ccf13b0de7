/* SPDX-License-Identifier: MIT */
/*
 * A page of characters, independent of the display: a frame buffer, VGA's text mode or a test shows it. Pure.
 */
#ifndef KERNEL_SCREEN_CELLS_H
#define KERNEL_SCREEN_CELLS_H

#include <stdint.h>

/* Every screen has at least this size. */
#define CELLS_COLUMNS 80u
#define CELLS_ROWS    25u

#define CELLS_COLUMNS_MAX 160u
#define CELLS_ROWS_MAX    100u

/* Characters of code page 437 beyond ASCII, which VGA's font has: blocks for bars, large letters and QR codes. */
enum { CELL_FULL = 0xdb, CELL_LOWER_HALF = 0xdc, CELL_UPPER_HALF = 0xdf };

/* Colours as in the attribute byte of VGA's text mode. */
enum cell_colour {
    CELL_BLACK = 0,
    CELL_BLUE = 1,
    CELL_GREEN = 2,
    CELL_CYAN = 3,
    CELL_RED = 4,
    CELL_MAGENTA = 5,
    CELL_BROWN = 6,
    CELL_GREY = 7,
    CELL_BRIGHT = 8 /* added to one of the above, for characters only: VGA may blink a bright background */
};

struct cell {
    uint8_t character;  /* code page 437 */
    uint8_t attributes; /* colour of the character, and background colour << 4 */
};

struct cells {
    unsigned columns, rows; /* between CELLS_COLUMNS x CELLS_ROWS and CELLS_COLUMNS_MAX x CELLS_ROWS_MAX */
    struct cell at[CELLS_ROWS_MAX][CELLS_COLUMNS_MAX];
};

#endif
