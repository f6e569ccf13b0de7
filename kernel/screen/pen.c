/* SPDX-License-Identifier: MIT */
#include "kernel/screen/pen.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/format.h"
#include "lib/text.h"

void pen_clear(struct cells *cells, uint8_t attributes)
{
    for (unsigned row = 0; row < cells->rows; row++)
        for (unsigned column = 0; column < cells->columns; column++)
            cells->at[row][column] = (struct cell){ ' ', attributes };
}

/* Writes the first characters of a text. If `cut`, the last two are dots. */
static void put(const struct pen *pen, unsigned row, const char *text, size_t length, bool cut)
{
    for (size_t i = 0; i < length; i++) {
        const char c = cut && i + 2 >= length ? '.' : text[i];
        pen->cells->at[row][pen->left + i] =
            (struct cell){ (uint8_t)(c >= ' ' && c <= '~' ? c : '?'), pen->attributes };
    }
}

void pen_line(const struct pen *pen, unsigned row, const char *fmt, ...)
{
    char text[CELLS_COLUMNS_MAX + 1];
    va_list args;

    va_start(args, fmt);
    const size_t length = (size_t)vformat(text, sizeof text, fmt, args);
    va_end(args);
    put(pen, row, text, length > pen->width ? pen->width : length, length > pen->width);
}

/* The number of characters on the first line of a text longer than `width`: up to a blank, if there is one. */
static size_t line_length(const char *text, unsigned width)
{
    size_t length = width;

    while (length > 0 && text[length] != ' ')
        length--;
    return length > 0 ? length : width;
}

unsigned pen_words(const struct pen *pen, unsigned row, unsigned most, const char *text)
{
    unsigned lines = 0;

    for (size_t left = text_length(text); left > 0; lines++) {
        const bool all = left <= pen->width, last = lines + 1 == most;
        size_t length = all ? left : last ? pen->width : line_length(text, pen->width);
        if (pen->cells)
            put(pen, row + lines, text, length, last && !all);
        if (last)
            return most;
        length += text[length] == ' ';
        text += length;
        left -= length;
    }
    return lines;
}

unsigned pen_count(const struct pen *pen, unsigned most, const char *text)
{
    return pen_words(&(struct pen){ .width = pen->width }, 0, most, text);
}
