/* SPDX-License-Identifier: MIT */
#include "kernel/screen/page_code.h"

/* ISO/IEC 18004:2015, 6.3.8, asks for 4; phones read a code with 2. */
#define QUIET_WANTED 4u
#define QUIET_LEAST  2u

#define LIGHT ((uint8_t)(CELL_GREY | CELL_BRIGHT | CELL_BLACK << 4)) /* what is not drawn in it is dark */

bool page_code_place(const struct cells *cells, unsigned side, unsigned above, unsigned beside,
                     struct page_code_place *place)
{
    for (unsigned quiet = QUIET_WANTED; side != 0 && quiet >= QUIET_LEAST; quiet--) {
        const unsigned modules = side + 2 * quiet, rows = (modules + 1) / 2;
        if (above + rows > cells->rows || beside + modules > cells->columns)
            continue;
        *place = (struct page_code_place){
            .row = above, .column = cells->columns - modules, .rows = rows, .columns = modules, .quiet = quiet
        };
        return true;
    }
    return false;
}

/* Whether the module is dark, at a position counted from the edge of the quiet zone. */
static bool dark(const struct page_code *code, unsigned quiet, unsigned row, unsigned column)
{
    if (row < quiet || column < quiet || row - quiet >= code->side || column - quiet >= code->side)
        return false;
    return code->modules[(row - quiet) * code->side + column - quiet] != 0;
}

void page_code_draw(const struct page_code *code, const struct page_code_place *place, struct cells *cells)
{
    static const uint8_t characters[2][2] = { { CELL_FULL, CELL_UPPER_HALF }, { CELL_LOWER_HALF, ' ' } };

    for (unsigned row = 0; row < place->rows; row++)
        for (unsigned column = 0; column < place->columns; column++)
            cells->at[place->row + row][place->column + column] = (struct cell){
                .character = characters[dark(code, place->quiet, 2 * row, column)]
                                       [dark(code, place->quiet, 2 * row + 1, column)],
                .attributes = LIGHT,
            };
}
