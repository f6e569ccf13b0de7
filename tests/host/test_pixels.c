/* SPDX-License-Identifier: MIT */
/* Characters as pixels: the bytes for each pixel format, their addresses, and impossible screens. */
#include "tests/host/unit_test.h"

#include "kernel/screen/pixels.h"

#define UNTOUCHED 0x5a

/* A font: A is an outline with a dot inside, B a dot in each corner. */
static const uint8_t font[256][GLYPH_HEIGHT] = {
    ['A'] = { 0xff, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x91, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0xff },
    ['B'] = { [0] = 0x81, [15] = 0x81 },
};

static const struct pixels_form rgbx = { 640, 400, 2560, 32, 0xff, 0xff00, 0xff0000 };
static const struct pixels_form bgrx = { 640, 400, 2560, 32, 0xff0000, 0xff00, 0xff };
static const struct pixels_form bgr24 = { 640, 400, 1920, 24, 0xff0000, 0xff00, 0xff };
static const struct pixels_form high = { 640, 400, 1280, 16, 0xf800, 0x07e0, 0x001f };
static const struct pixels_form fifteen = { 640, 400, 1280, 16, 0x7c00, 0x03e0, 0x001f };
static const struct pixels_form deep = { 640, 400, 2560, 32, 0x3ff00000, 0x000ffc00, 0x000003ff };

static struct pixels fitted(struct pixels_form form)
{
    struct pixels pixels;
    assert_int_equal(pixels_fit(&form, &pixels), PIXELS_OK);
    return pixels;
}

/* Exactly the frame buffer's bytes (the last row has no padding), so that the sanitizer detects writes beyond. */
static uint8_t *frame_of(const struct pixels *pixels, size_t *size)
{
    const struct pixels_form *form = &pixels->form;
    *size = (size_t)(form->rows - 1) * form->pitch + (size_t)form->columns * (form->pixel_bits / 8);
    uint8_t *frame = malloc(*size);
    assert_non_null(frame);
    memset(frame, UNTOUCHED, *size);
    return frame;
}

UNIT_TEST(forms)
{
    static const struct {
        const struct pixels_form *form;
        uint8_t attributes;
        uint8_t ink[4], ground[4]; /* in memory */
    } cases[] = {
        { &rgbx, 0x01, { 0x00, 0x00, 0xaa, 0x00 }, { 0 } },                      /* blue */
        { &rgbx, 0x06, { 0xaa, 0x55, 0x00, 0x00 }, { 0 } },                      /* brown */
        { &bgrx, 0x06, { 0x00, 0x55, 0xaa, 0x00 }, { 0 } },                      /* the same */
        { &bgrx, 0x4e, { 0x55, 0xff, 0xff, 0x00 }, { 0x00, 0x00, 0xaa, 0x00 } }, /* yellow on red */
        { &bgrx, 0x27, { 0xaa, 0xaa, 0xaa, 0x00 }, { 0x00, 0xaa, 0x00, 0x00 } }, /* grey on green */
        { &bgrx, 0x83, { 0xaa, 0xaa, 0x00, 0x00 }, { 0x55, 0x55, 0x55, 0x00 } }, /* cyan on dark grey */
        { &bgr24, 0x06, { 0x00, 0x55, 0xaa }, { 0 } },                           /* brown */
        { &bgr24, 0x9f, { 0xff, 0xff, 0xff }, { 0xff, 0x55, 0x55 } },            /* white on light blue */
        { &high, 0x04, { 0x00, 0xa8 }, { 0 } },                                  /* red: 21 of 31 */
        { &high, 0x02, { 0x40, 0x05 }, { 0 } },                                  /* green: 42 of 63 */
        { &high, 0x1a, { 0xea, 0x57 }, { 0x15, 0x00 } },                         /* light green on blue */
        { &fifteen, 0x06, { 0x40, 0x55 }, { 0 } },                               /* brown */
        { &fifteen, 0x0d, { 0x5f, 0x7d }, { 0 } },                               /* light magenta */
        { &deep, 0x05, { 0xaa, 0x02, 0xa0, 0x2a }, { 0 } },                      /* magenta: 682 of 1023 */
        { &deep, 0x0c, { 0x55, 0x55, 0xf5, 0x3f }, { 0 } },                      /* light red */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct pixels pixels = fitted(*cases[i].form);
        const size_t bytes = pixels.form.pixel_bits / 8, pitch = pixels.form.pitch;
        size_t size;
        uint8_t *frame = frame_of(&pixels, &size);
        pixels_paint(&pixels, font, frame, 0, 0, (struct cell){ 'A', cases[i].attributes });
        for (size_t y = 0; y < 16; y++)
            for (size_t x = 0; x < 8; x++) {
                const bool ink = y == 0 || y == 15 || x == 0 || x == 7 || (y == 7 && x == 3);
                assert_memory_equal(frame + y * pitch + x * bytes, ink ? cases[i].ink : cases[i].ground, bytes);
            }
        for (size_t y = 0; y < 16; y++)
            assert_int_equal(frame[y * pitch + 8 * bytes], UNTOUCHED);
        assert_int_equal(frame[16 * pitch], UNTOUCHED);
        free(frame);
    }
}

UNIT_TEST(palette)
{
    static const uint32_t colours[16] = { 0x000000, 0x0000aa, 0x00aa00, 0x00aaaa, 0xaa0000, 0xaa00aa,
                                          0xaa5500, 0xaaaaaa, 0x555555, 0x5555ff, 0x55ff55, 0x55ffff,
                                          0xff5555, 0xff55ff, 0xffff55, 0xffffff };
    const struct pixels pixels = fitted(bgrx);
    assert_memory_equal(pixels.colours, colours, sizeof colours);
}

/* The last character's last pixel has the right address, and memory after it is unchanged. */
static void assert_last(const struct pixels_form *form)
{
    const struct pixels pixels = fitted(*form);
    const size_t bytes = form->pixel_bits / 8, scale = pixels.scale;
    const size_t x = pixels.left + (pixels.cell_columns - 1) * 8 * scale;
    const size_t y = pixels.top + (pixels.cell_rows - 1) * 16 * scale;
    size_t size;
    uint8_t *frame = frame_of(&pixels, &size);
    pixels_paint(&pixels, font, frame, pixels.cell_columns - 1, pixels.cell_rows - 1, (struct cell){ 'B', 0x0f });
    for (size_t i = 0; i < size; i++) {
        const size_t row = i / form->pitch, column = i % form->pitch / bytes;
        const bool inside = row >= y && row < y + 16 * scale && column >= x && column < x + 8 * scale;
        const size_t dot_x = (column - x) / scale, dot_y = (row - y) / scale;
        const bool corner = (dot_x == 0 || dot_x == 7) && (dot_y == 0 || dot_y == 15);
        assert_int_equal(frame[i], !inside ? UNTOUCHED : corner && i % bytes < 3 ? 0xff : 0);
    }
    free(frame);
}

UNIT_TEST(layouts)
{
    static const struct {
        uint32_t columns, rows, pitch, scale, cell_columns, cell_rows, left, top;
    } cases[] = {
        { 640, 400, 2560, 1, 80, 25, 0, 0 }, /* the smallest */
        { 640, 480, 2560, 1, 80, 30, 0, 0 },
        { 800, 480, 3200, 1, 100, 30, 0, 0 },
        { 800, 600, 3328, 1, 100, 37, 0, 4 }, /* rows with padding */
        { 1024, 768, 4096, 1, 128, 48, 0, 0 },
        { 1366, 768, 5504, 1, 160, 48, 43, 0 }, /* the largest number of columns */
        { 1279, 799, 5116, 1, 159, 49, 3, 7 },
        { 1280, 799, 5120, 1, 160, 49, 0, 7 },
        { 1280, 800, 5120, 2, 80, 25, 0, 0 },
        { 1920, 1080, 7680, 2, 120, 33, 0, 12 },
        { 768, 1024, 3072, 1, 96, 64, 0, 0 },      /* portrait */
        { 1200, 1920, 4800, 1, 150, 100, 0, 160 }, /* the largest number of rows */
        { 2560, 1440, 10240, 3, 106, 30, 8, 0 },
        { 3840, 2160, 15360, 5, 96, 27, 0, 0 },
        { 5120, 1440, 20480, 3, 160, 30, 640, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct pixels_form form = bgrx;
        form.columns = cases[i].columns;
        form.rows = cases[i].rows;
        form.pitch = cases[i].pitch;
        const struct pixels pixels = fitted(form);
        assert_int_equal(pixels.scale, cases[i].scale);
        assert_int_equal(pixels.cell_columns, cases[i].cell_columns);
        assert_int_equal(pixels.cell_rows, cases[i].cell_rows);
        assert_int_equal(pixels.left, cases[i].left);
        assert_int_equal(pixels.top, cases[i].top);
        if (form.columns < 1400)
            assert_last(&form);
    }
}

UNIT_TEST(clearing)
{
    struct pixels_form forms_[] = { bgrx, bgr24, high };
    for (size_t i = 0; i < COUNT_OF(forms_); i++) {
        forms_[i].pitch += 64;
        const struct pixels pixels = fitted(forms_[i]);
        size_t size;
        uint8_t *frame = frame_of(&pixels, &size);
        pixels_clear(&pixels, frame);
        for (size_t n = 0; n < size; n++)
            assert_int_equal(frame[n], n % forms_[i].pitch < 640 * (forms_[i].pixel_bits / 8)
                                           ? 0
                                           : UNTOUCHED); /* padding is unchanged */
        free(frame);
    }
}

static void assert_no_screen(enum pixels_error want, struct pixels_form form)
{
    static const struct pixels nothing;
    struct pixels pixels;
    memset(&pixels, 0xa5, sizeof pixels);
    assert_int_equal(pixels_fit(&form, &pixels), want);
    assert_memory_equal(&pixels, &nothing, sizeof pixels);
}

/* Each differs in one value from a valid screen. */
UNIT_TEST(impossible_screens)
{
    static const uint32_t depths[] = { 0, 1, 8, 15, 17, 31, 33, 64 };
    static const uint32_t masks[] = { 0, 0x5, 0xff00ff, 0x1000000, 0x3000000 };
    assert_no_screen(PIXELS_SMALL, (struct pixels_form){ 639, 400, 2560, 32, 0xff, 0xff00, 0xff0000 });
    assert_no_screen(PIXELS_SMALL, (struct pixels_form){ 640, 399, 2560, 32, 0xff, 0xff00, 0xff0000 });
    assert_no_screen(PIXELS_SMALL, (struct pixels_form){ 0, 0, 0, 32, 0xff, 0xff00, 0xff0000 });
    assert_no_screen(PIXELS_PITCH, (struct pixels_form){ 640, 400, 2559, 32, 0xff, 0xff00, 0xff0000 });
    assert_no_screen(PIXELS_PITCH, (struct pixels_form){ 640, 400, 1919, 24, 0xff, 0xff00, 0xff0000 });
    assert_no_screen(PIXELS_PITCH, (struct pixels_form){ 640, 400, 131073, 32, 0xff, 0xff00, 0xff0000 });
    assert_no_screen(PIXELS_LARGE, (struct pixels_form){ 16385, 400, 65540, 32, 0xff, 0xff00, 0xff0000 });
    assert_no_screen(PIXELS_LARGE, (struct pixels_form){ 640, 16385, 2560, 32, 0xff, 0xff00, 0xff0000 });
    assert_no_screen(PIXELS_LARGE, (struct pixels_form){ 0x40000280, 400, 2560, 32, 0xff, 0xff00, 0xff0000 });
    for (size_t i = 0; i < COUNT_OF(depths); i++)
        assert_no_screen(PIXELS_DEPTH, (struct pixels_form){ 640, 400, 5120, depths[i], 1, 2, 4 });
    for (size_t i = 0; i < COUNT_OF(masks); i++) {
        assert_no_screen(PIXELS_MASKS, (struct pixels_form){ 640, 400, 1920, 24, masks[i], 0xff00, 0xff0000 });
        assert_no_screen(PIXELS_MASKS, (struct pixels_form){ 640, 400, 1920, 24, 0xff, masks[i], 0xff0000 });
        assert_no_screen(PIXELS_MASKS, (struct pixels_form){ 640, 400, 1920, 24, 0xff, 0xff00, masks[i] });
    }
    fitted((struct pixels_form){ 640, 400, 131072, 32, 0xff, 0xff00, 0xff000000 });
    fitted((struct pixels_form){ 16384, 16384, 65536, 32, 0xff, 0xff00, 0xff0000 });
    fitted((struct pixels_form){ 640, 400, 1920, 24, 1, 2, 0x800000 });
}
