/* SPDX-License-Identifier: MIT */
#include "kernel/screen/letters.h"

#include <stdbool.h>
#include <stddef.h>

/* Dots of a letter; one is a column wide and half a row high. */
#define DOT_COLUMNS 5u
#define DOT_ROWS    7u
#define GAP         1u

struct letter {
    char character;
    char dots[DOT_ROWS][DOT_COLUMNS + 1];
};

static const struct letter letters[] = {
    { 'a', { " ### ", "#   #", "#   #", "#####", "#   #", "#   #", "#   #" } },
    { 'c', { " ####", "#    ", "#    ", "#    ", "#    ", "#    ", " ####" } },
    { 'e', { "#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#####" } },
    { 'f', { "#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#    " } },
    { 'i', { "#####", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", "#####" } },
    { 'k', { "#   #", "#  # ", "# #  ", "##   ", "# #  ", "#  # ", "#   #" } },
    { 'l', { "#    ", "#    ", "#    ", "#    ", "#    ", "#    ", "#####" } },
    { 'm', { "#   #", "## ##", "# # #", "# # #", "#   #", "#   #", "#   #" } },
    { 'n', { "#   #", "##  #", "##  #", "# # #", "#  ##", "#  ##", "#   #" } },
    { 'o', { " ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### " } },
    { 'p', { "#### ", "#   #", "#   #", "#### ", "#    ", "#    ", "#    " } },
    { 'r', { "#### ", "#   #", "#   #", "#### ", "# #  ", "#  # ", "#   #" } },
    { 's', { " ####", "#    ", "#    ", " ### ", "    #", "    #", "#### " } },
    { 't', { "#####", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  " } },
};

static const struct letter *find(char character)
{
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (letters[i].character == character)
            return &letters[i];
    return NULL;
}

unsigned letters_rows(const char *word, unsigned scale, unsigned width)
{
    unsigned columns = 0;

    for (; *word != '\0'; word++)
        columns += scale * (DOT_COLUMNS + (columns != 0 ? GAP : 0));
    return columns > width ? 0 : (scale * DOT_ROWS + 1) / 2;
}

static bool dot(const struct letter *letter, unsigned row, unsigned column)
{
    return row < DOT_ROWS && letter->dots[row][column] != ' ';
}

static void draw_one(const struct pen *pen, unsigned row, unsigned left, const struct letter *letter, unsigned scale)
{
    static const uint8_t characters[2][2] = { { ' ', CELL_LOWER_HALF }, { CELL_UPPER_HALF, CELL_FULL } };

    for (unsigned y = 0; y < scale * DOT_ROWS; y += 2)
        for (unsigned x = 0; x < scale * DOT_COLUMNS; x++)
            pen->cells->at[row + y / 2][left + x] =
                (struct cell){ characters[dot(letter, y / scale, x / scale)][dot(letter, (y + 1) / scale, x / scale)],
                               pen->attributes };
}

void letters_draw(const struct pen *pen, unsigned row, const char *word, unsigned scale)
{
    for (unsigned left = pen->left; *word != '\0'; word++, left += scale * (DOT_COLUMNS + GAP)) {
        const struct letter *const letter = find(*word);
        if (letter)
            draw_one(pen, row, left, letter, scale);
    }
}
