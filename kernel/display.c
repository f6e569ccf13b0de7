/* SPDX-License-Identifier: MIT */
#include "kernel/display.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "arch/x86/cpu.h"
#include "arch/x86/paging.h"
#include "arch/x86/string.h"
#include "lib/format.h"
#include "kernel/memory.h"
#include "kernel/screen/pixels.h"

#define FOUR_GIB          (UINT64_C(1) << 32)
#define PHYSICAL_BITS_MAX 52u
#define WINDOW_ALIGN      (UINT64_C(4) << 20) /* the largest page of any kind of page tables */

/* VGA's registers and memory, as in IBM's "PS/2 Hardware Interface Technical Reference", "Video Subsystem". */
#define VGA_MISCELLANEOUS      0x3ccu
#define VGA_COLOUR             (1u << 0) /* the controller is at 3D4H, and text at B8000H */
#define VGA_MEMORY             (1u << 1) /* memory is enabled */
#define VGA_GRAPHICS_INDEX     0x3ceu
#define VGA_GRAPHICS           0x3cfu
#define VGA_GRAPHICS_MODE      6u
#define VGA_GRAPHICS_MODE_MASK 0x0du /* graphics instead of text, and where memory is */
#define VGA_GRAPHICS_MODE_TEXT 0x0cu /* text, 32 KiB at B8000H */
#define VGA_CONTROLLER_INDEX   0x3d4u
#define VGA_CONTROLLER         0x3d5u
#define VGA_COLUMNS            1u /* their number - 1 */
#define VGA_CURSOR             10u
#define VGA_CURSOR_OFF         (1u << 5)
#define VGA_TEXT               0xb8000u
#define VGA_START              0xa0000u
#define VGA_END                0xc0000u
#define VGA_NOTHING            0xffu /* value of a port without a device */

/* kernel/font.asm */
extern const uint8_t font[256][GLYPH_HEIGHT];

static struct {
    enum boot_screen_kind kind;
    uint64_t base;
    uint8_t *frame; /* address of the screen's memory; NULL: none, or not mapped yet */
    uint32_t pitch; /* of the text mode */
    struct pixels pixels;
    char text[160];
} display;

static struct cells cells, shown;

static void say(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vformat(display.text, sizeof display.text, fmt, args);
    va_end(args);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint64_t frame_size(void)
{
    return (uint64_t)display.pixels.form.rows * display.pixels.form.pitch;
}

static uint64_t frame_last(void)
{
    return display.base + frame_size() - 1;
}

static void take_text(uint64_t base, uint32_t columns, uint32_t rows, uint32_t pitch)
{
    if (columns < CELLS_COLUMNS || rows < CELLS_ROWS || pitch < columns * sizeof(struct cell) || base < VGA_START ||
        base >= VGA_END || (uint64_t)rows * pitch > VGA_END - base) {
        say("none: VGA text of %ux%u characters at 0x%" PRIx64 " is not one that can be used", columns, rows, base);
        return;
    }
    display.kind = BOOT_SCREEN_TEXT;
    display.frame = (uint8_t *)(uintptr_t)base;
    display.pitch = pitch;
    cells.columns = least(columns, CELLS_COLUMNS_MAX);
    cells.rows = least(rows, CELLS_ROWS_MAX);
    memset(display.frame, 0, (size_t)rows * pitch);
    port_write8(VGA_CONTROLLER_INDEX, VGA_CURSOR);
    port_write8(VGA_CONTROLLER, port_read8(VGA_CONTROLLER) | VGA_CURSOR_OFF);
    say("VGA text at 0x%" PRIx64 ", %ux%u characters", base, cells.columns, cells.rows);
}

/* Whether there is a VGA in its text mode of 80 columns, as a BIOS leaves it. */
static bool vga_shows_text(void)
{
    const uint8_t miscellaneous = port_read8(VGA_MISCELLANEOUS);

    if (miscellaneous == VGA_NOTHING || !(miscellaneous & VGA_COLOUR) || !(miscellaneous & VGA_MEMORY))
        return false;
    port_write8(VGA_GRAPHICS_INDEX, VGA_GRAPHICS_MODE);
    port_write8(VGA_CONTROLLER_INDEX, VGA_COLUMNS);
    return (port_read8(VGA_GRAPHICS) & VGA_GRAPHICS_MODE_MASK) == VGA_GRAPHICS_MODE_TEXT &&
           port_read8(VGA_CONTROLLER) == CELLS_COLUMNS - 1;
}

static void take_pixels(const struct boot_screen *screen)
{
    const struct pixels_form form = { .columns = screen->columns,
                                      .rows = screen->rows,
                                      .pitch = screen->pitch,
                                      .pixel_bits = screen->pixel_bits,
                                      .red = screen->red,
                                      .green = screen->green,
                                      .blue = screen->blue };
    const enum pixels_error error = pixels_fit(&form, &display.pixels);

    if (error != PIXELS_OK) {
        say("none: %ux%u %u bits at 0x%" PRIx64 ": %s", form.columns, form.rows, form.pixel_bits, screen->base,
            pixels_error_text(error));
        return;
    }
    if (memory_is_used(screen->base, frame_size())) {
        say("none: %ux%u %u bits at 0x%" PRIx64 ": it is in memory that the firmware reports as free", form.columns,
            form.rows, form.pixel_bits, screen->base);
        return;
    }
    display.kind = BOOT_SCREEN_PIXELS;
    display.base = screen->base;
    if (frame_last() < FOUR_GIB)
        display.frame = (uint8_t *)(uintptr_t)screen->base;
    cells.columns = display.pixels.cell_columns;
    cells.rows = display.pixels.cell_rows;
    say("%ux%u %u bits at 0x%" PRIx64 ", %ux%u characters", form.columns, form.rows, form.pixel_bits, screen->base,
        cells.columns, cells.rows);
}

void display_init(const struct boot_screen *screen)
{
    switch ((enum boot_screen_kind)screen->kind) {
    case BOOT_SCREEN_PIXELS:
        take_pixels(screen);
        return;
    case BOOT_SCREEN_TEXT:
        take_text(screen->base, screen->columns, screen->rows, screen->pitch);
        return;
    case BOOT_SCREEN_UNKNOWN:
        if (vga_shows_text())
            take_text(VGA_TEXT, CELLS_COLUMNS, CELLS_ROWS, CELLS_COLUMNS * sizeof(struct cell));
        else
            say("none: the loader reports no screen, and there is no VGA in text mode");
        return;
    case BOOT_SCREEN_NONE:
        say("none: the firmware has no screen (no Graphics Output Protocol)");
        return;
    case BOOT_SCREEN_BLT_ONLY:
        say("none: the firmware's screen has no frame buffer (PixelBltOnly)");
        return;
    case BOOT_SCREEN_INVALID:
        say("none: the loader reported an impossible screen");
        return;
    }
    say("none: the loader passes a screen of unknown kind %u", screen->kind);
}

/*
 * Returns where the frame buffer is mapped: at its own address, if pointers are wide enough. Otherwise its mapping
 * replaces some memory. Returns 0 if there is too little.
 */
static uint64_t window(void)
{
    if (frame_last() <= UINTPTR_MAX)
        return display.base;
    const uint64_t offset = display.base & (WINDOW_ALIGN - 1);
    const uintptr_t start = (uintptr_t)memory_keep((size_t)(frame_size() + offset), WINDOW_ALIGN);
    return start ? start + offset : 0;
}

void display_map(unsigned physical_bits)
{
    uint64_t linear = 0;

    if (display.kind != BOOT_SCREEN_PIXELS)
        return;
    if (physical_bits >= PHYSICAL_BITS_MAX || frame_last() >> physical_bits == 0)
        linear = window();
    if (!linear || !paging_map_device(linear, display.base, frame_size())) {
        display.frame = NULL;
        say("none: the frame buffer at 0x%" PRIx64 " is out of this kernel's reach", display.base);
        return;
    }
    display.frame = (uint8_t *)(uintptr_t)linear;
    pixels_clear(&display.pixels, display.frame);
    memset(&shown, 0, sizeof shown);
    display_show();
}

struct cells *display_cells(void)
{
    if (cells.columns == 0) {
        cells.columns = CELLS_COLUMNS;
        cells.rows = CELLS_ROWS;
    }
    return &cells;
}

static void draw(unsigned column, unsigned row, struct cell cell)
{
    if (display.kind == BOOT_SCREEN_PIXELS)
        pixels_paint(&display.pixels, font, display.frame, column, row, cell);
    else
        __builtin_memcpy(display.frame + row * display.pitch + column * sizeof cell, &cell, sizeof cell);
}

void display_show(void)
{
    if (!display.frame)
        return;
    for (unsigned row = 0; row < cells.rows; row++)
        for (unsigned column = 0; column < cells.columns; column++) {
            const struct cell cell = cells.at[row][column], before = shown.at[row][column];
            if (cell.character == before.character && cell.attributes == before.attributes)
                continue;
            draw(column, row, cell);
            shown.at[row][column] = cell;
        }
}

const char *display_text(void)
{
    return display.text;
}
