/* SPDX-License-Identifier: MIT */
#include "kernel/screen/pixels.h"

#include <stdbool.h>
#include <stddef.h>

#define COLOURS  16u
#define CHANNELS 3u /* red, green, blue */

/* The colours of VGA's text mode, whose brown is a darker yellow. */
static const uint8_t palette[COLOURS][CHANNELS] = {
    { 0x00, 0x00, 0x00 }, { 0x00, 0x00, 0xaa }, { 0x00, 0xaa, 0x00 }, { 0x00, 0xaa, 0xaa },
    { 0xaa, 0x00, 0x00 }, { 0xaa, 0x00, 0xaa }, { 0xaa, 0x55, 0x00 }, { 0xaa, 0xaa, 0xaa },
    { 0x55, 0x55, 0x55 }, { 0x55, 0x55, 0xff }, { 0x55, 0xff, 0x55 }, { 0x55, 0xff, 0xff },
    { 0xff, 0x55, 0x55 }, { 0xff, 0x55, 0xff }, { 0xff, 0xff, 0x55 }, { 0xff, 0xff, 0xff },
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static unsigned lowest_bit(uint32_t mask)
{
    unsigned bit = 0;
    while (!(mask >> bit & 1))
        bit++;
    return bit;
}

static bool mask_valid(uint32_t mask, uint32_t pixel_bits)
{
    if (mask == 0 || (uint64_t)mask >> pixel_bits != 0)
        return false;
    const uint64_t bits = (uint64_t)mask >> lowest_bit(mask);
    return (bits & (bits + 1)) == 0;
}

/* Places a colour component of 8 bits in a mask. Wider masks repeat the highest bits. */
static uint32_t place(uint8_t part, uint32_t mask)
{
    const uint32_t repeated = part * UINT32_C(0x01010101);
    const uint32_t room = mask >> lowest_bit(mask);
    unsigned bits = 0;
    while (bits < 32 && (uint64_t)room >> bits != 0)
        bits++;
    return repeated >> (32 - bits) << lowest_bit(mask);
}

static enum pixels_error check(const struct pixels_form *form)
{
    if (form->pixel_bits != 16 && form->pixel_bits != 24 && form->pixel_bits != 32)
        return PIXELS_DEPTH;
    if (!mask_valid(form->red, form->pixel_bits) || !mask_valid(form->green, form->pixel_bits) ||
        !mask_valid(form->blue, form->pixel_bits))
        return PIXELS_MASKS;
    if (form->columns > PIXELS_EDGE_MAX || form->rows > PIXELS_EDGE_MAX)
        return PIXELS_LARGE;
    if (form->pitch < form->columns * (form->pixel_bits / 8) || form->pitch > PIXELS_PITCH_MAX)
        return PIXELS_PITCH;
    if (form->columns < CELLS_COLUMNS * GLYPH_WIDTH || form->rows < CELLS_ROWS * GLYPH_HEIGHT)
        return PIXELS_SMALL;
    return PIXELS_OK;
}

enum pixels_error pixels_fit(const struct pixels_form *form, struct pixels *out)
{
    const enum pixels_error error = check(form);

    *out = (struct pixels){ .scale = 0 };
    if (error != PIXELS_OK)
        return error;
    out->form = *form;
    out->scale = least(form->columns / (CELLS_COLUMNS * GLYPH_WIDTH), form->rows / (CELLS_ROWS * GLYPH_HEIGHT));
    const uint32_t width = GLYPH_WIDTH * out->scale, height = GLYPH_HEIGHT * out->scale;
    out->cell_columns = least(form->columns / width, CELLS_COLUMNS_MAX);
    out->cell_rows = least(form->rows / height, CELLS_ROWS_MAX);
    out->left = (form->columns - out->cell_columns * width) / 2;
    out->top = (form->rows - out->cell_rows * height) / 2;
    for (unsigned i = 0; i < COLOURS; i++)
        out->colours[i] =
            place(palette[i][0], form->red) | place(palette[i][1], form->green) | place(palette[i][2], form->blue);
    return PIXELS_OK;
}

const char *pixels_error_text(enum pixels_error error)
{
    switch (error) {
    case PIXELS_OK:
        return "no error";
    case PIXELS_SMALL:
        return "too small for 80x25 characters, which need 640x400 pixels";
    case PIXELS_LARGE:
        return "more than 16384 columns or rows";
    case PIXELS_DEPTH:
        return "its pixels have neither 16, 24 nor 32 bits";
    case PIXELS_MASKS:
        return "the masks of its colours are invalid";
    case PIXELS_PITCH:
        return "its rows are too close together or too far apart";
    }
    return "unknown screen error";
}

/* Writes one pixel and returns where the next one goes. A single store where possible: stores to a device are slow. */
static uint8_t *put(uint8_t *at, uint32_t pixel, uint32_t bytes)
{
    const uint16_t low = (uint16_t)pixel;

    if (bytes == 4) {
        __builtin_memcpy(at, &pixel, 4);
        return at + 4;
    }
    __builtin_memcpy(at, &low, 2);
    if (bytes == 3)
        at[2] = (uint8_t)(pixel >> 16);
    return at + bytes;
}

void pixels_clear(const struct pixels *pixels, uint8_t *frame)
{
    const struct pixels_form *const form = &pixels->form;

    for (uint32_t row = 0; row < form->rows; row++) {
        uint8_t *at = frame + (size_t)row * form->pitch;
        for (uint32_t column = 0; column < form->columns; column++)
            at = put(at, 0, form->pixel_bits / 8);
    }
}

/* Paints one of the screen's rows of a character. */
static void paint_line(const struct pixels *pixels, uint8_t bits, struct cell cell, uint8_t *at)
{
    const uint32_t ink = pixels->colours[cell.attributes & 15], ground = pixels->colours[cell.attributes >> 4];

    for (uint8_t dot = 0x80; dot != 0; dot >>= 1)
        for (uint32_t n = 0; n < pixels->scale; n++)
            at = put(at, bits & dot ? ink : ground, pixels->form.pixel_bits / 8);
}

void pixels_paint(const struct pixels *pixels, const uint8_t font[256][GLYPH_HEIGHT], uint8_t *frame, uint32_t column,
                  uint32_t row, struct cell cell)
{
    const struct pixels_form *const form = &pixels->form;
    const uint32_t x = pixels->left + column * GLYPH_WIDTH * pixels->scale;
    uint32_t y = pixels->top + row * GLYPH_HEIGHT * pixels->scale;

    for (uint32_t line = 0; line < GLYPH_HEIGHT; line++)
        for (uint32_t n = 0; n < pixels->scale; n++, y++)
            paint_line(pixels, font[cell.character][line], cell,
                       frame + (size_t)y * form->pitch + (size_t)x * (form->pixel_bits / 8));
}
