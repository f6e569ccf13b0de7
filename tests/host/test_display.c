/* SPDX-License-Identifier: MIT */
/*
 * On a simulated machine: the screens that the kernel uses, its reports about the others, and where and when it draws.
 * The machine has the ports of a VGA, memory for frame buffers, and page tables that only record requests.
 */
#define SETUP new_machine
#include "tests/host/map_at.h"
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Replaces arch/x86/cpu.h. */
#define ARCH_X86_CPU_H
static uint8_t port_read8(uint16_t port);
static void port_write8(uint16_t port, uint8_t value);
#include "kernel/display.c"

#define VGA    UINT64_C(0xa0000)
#define FRAME  UINT64_C(0x50000000)
#define HIGH   UINT64_C(0x200000123000) /* outside the addresses that the sanitizer uses */
#define WINDOW UINT64_C(0x60000000)
#define ROOM   (8u << 20)

const uint8_t font[256][GLYPH_HEIGHT] = { ['A'] = { 0x80 }, ['B'] = { 0x40 } };

static struct {
    uint8_t miscellaneous, graphics[16], controller[32];
    uint8_t graphics_index, controller_index;
    unsigned writes; /* to ports */
    bool used, no_memory, no_map;
    uint64_t used_start, used_size;
    size_t kept, alignment;
    uint64_t linear, physical, size; /* the last mapping */
    unsigned maps;
} machine;

static uint8_t port_read8(uint16_t port)
{
    switch (port) {
    case 0x3cc:
        return machine.miscellaneous;
    case 0x3cf:
        return machine.graphics[machine.graphics_index];
    default:
        assert_int_equal(port, 0x3d5);
        return machine.controller[machine.controller_index];
    }
}

static void port_write8(uint16_t port, uint8_t value)
{
    machine.writes++;
    if (port == 0x3ce) {
        machine.graphics_index = value & 15;
    } else if (port == 0x3d4) {
        machine.controller_index = value & 31;
    } else {
        assert_int_equal(port, 0x3d5);
        machine.controller[machine.controller_index] = value;
    }
}

FAKE(bool, memory_is_used, (uint64_t start, uint64_t size), machine.used_start = start, machine.used_size = size,
     machine.used)
FAKE(void *, memory_keep, (size_t size, size_t alignment), machine.kept = size, machine.alignment = alignment,
     machine.no_memory ? NULL : (void *)(uintptr_t)WINDOW)
FAKE(bool, paging_map_device, (uint64_t linear, uint64_t physical, uint64_t size), machine.linear = linear,
     machine.physical = physical, machine.size = size, machine.maps++, !machine.no_map)

static uint8_t *at(uint64_t address)
{
    return (uint8_t *)(uintptr_t)address;
}

/* A VGA as a BIOS leaves it. */
static int new_machine(void **state)
{
    memset(&machine, 0, sizeof machine);
    memset(&display, 0, sizeof display);
    memset(&cells, 0, sizeof cells);
    memset(&shown, 0, sizeof shown);
    memset(map_at(VGA, 0x20000), 0x5a, 0x20000);
    memset(map_at(FRAME, ROOM), 0x5a, ROOM);
    memset(map_at(WINDOW, ROOM), 0x5a, ROOM);
    if (sizeof(uintptr_t) == sizeof(uint64_t))
        map_at(HIGH, ROOM);
    machine.miscellaneous = 0x67;
    machine.graphics[6] = 0x0e;
    machine.controller[1] = 79;
    machine.controller[10] = 0x0d;
    return 0;
}

static struct boot_screen pixels_at(uint64_t base)
{
    return (struct boot_screen){ base, BOOT_SCREEN_PIXELS, 1024, 768, 4160, 32, 0xff0000, 0xff00, 0xff };
}

static void init(struct boot_screen screen)
{
    display_init(&screen);
}

/* No screen: the reason, and a page of the minimum size, which can be drawn safely. */
static void assert_none(const char *text)
{
    assert_string_equal(display_text(), text);
    assert_int_equal(display_cells()->columns, 80);
    assert_int_equal(display_cells()->rows, 25);
    display_cells()->at[3][4].character = 'A';
    display_show();
    display_map(36);
    display_show();
    assert_int_equal(machine.maps, 0);
    assert_int_equal(at(VGA)[0x18000 + 3 * 160 + 8], 0x5a);
    assert_int_equal(at(FRAME)[0], 0x5a);
}

/* Screens that cannot be used: the reason, and the machine, which is unchanged. */
UNIT_TEST(no_screen)
{
#define TEXT(base, columns, rows, pitch)                         \
    {                                                            \
        base, BOOT_SCREEN_TEXT, columns, rows, pitch, 0, 0, 0, 0 \
    }
    static const struct {
        struct boot_screen screen;
        const char *text;
    } cases[] = {
        { { .kind = BOOT_SCREEN_NONE }, "the firmware has no screen (no Graphics Output Protocol)" },
        { { .kind = BOOT_SCREEN_BLT_ONLY }, "the firmware's screen has no frame buffer (PixelBltOnly)" },
        { { .kind = BOOT_SCREEN_INVALID }, "the loader reported an impossible screen" },
        { { .kind = 6 }, "the loader passes a screen of unknown kind 6" },
        { TEXT(0xb8000, 79, 25, 160), "VGA text of 79x25 characters at 0xb8000 is not one that can be used" },
        { TEXT(0xb8000, 80, 24, 160), "VGA text of 80x24 characters at 0xb8000 is not one that can be used" },
        { TEXT(0xb8000, 80, 25, 159), "VGA text of 80x25 characters at 0xb8000 is not one that can be used" },
        { TEXT(0x9ffff, 80, 25, 160), "VGA text of 80x25 characters at 0x9ffff is not one that can be used" },
        { TEXT(0xbf061, 80, 25, 160), "VGA text of 80x25 characters at 0xbf061 is not one that can be used" },
        { TEXT(0xc0000, 80, 25, 160), "VGA text of 80x25 characters at 0xc0000 is not one that can be used" },
        { TEXT(0x1000b8000, 80, 25, 160), "VGA text of 80x25 characters at 0x1000b8000 is not one that can be used" },
        { { FRAME, BOOT_SCREEN_PIXELS, 1024, 399, 4160, 32, 0xff0000, 0xff00, 0xff },
          "1024x399 32 bits at 0x50000000: too small for 80x25 characters, which need 640x400 pixels" },
    };
    char text[120];
    assert_none(""); /* before the initialisation */
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        display_init(&cases[i].screen);
        snprintf(text, sizeof text, "none: %s", cases[i].text);
        assert_none(text);
        assert_int_equal(machine.writes, 0);
    }
    new_machine(NULL);
    machine.used = true;
    init(pixels_at(FRAME));
    assert_none("none: 1024x768 32 bits at 0x50000000: it is in memory that the firmware reports as free");
    new_machine(NULL);
    init((struct boot_screen)TEXT(0xbf060, 80, 25, 160)); /* the last place */
    assert_string_equal(display_text(), "VGA text at 0xbf060, 80x25 characters");
    new_machine(NULL);
    init((struct boot_screen)TEXT(0xa0000, 200, 120, 400)); /* more than the kernel draws */
    assert_string_equal(display_text(), "VGA text at 0xa0000, 160x100 characters");
}

/* A VGA that no loader reports is used only in the mode that a BIOS leaves. Each case differs in one register. */
UNIT_TEST(vga_that_no_loader_reports)
{
    static const struct {
        uint8_t miscellaneous, graphics, last_column;
    } cases[] = { { 0xff, 0x0e, 79 }, { 0x66, 0x0e, 79 }, { 0x65, 0x0e, 79 }, /* nothing; monochrome; no memory */
                  { 0x67, 0x0f, 79 }, { 0x67, 0x06, 79 }, { 0x67, 0x0a, 79 },
                  { 0x67, 0x02, 79 }, /* graphics; elsewhere */
                  { 0x67, 0x0e, 39 }, { 0x67, 0x0e, 79 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        machine.miscellaneous = cases[i].miscellaneous;
        machine.graphics[6] = cases[i].graphics;
        machine.controller[1] = cases[i].last_column;
        init((struct boot_screen){ .kind = BOOT_SCREEN_UNKNOWN });
        assert_true(i > 2 || !machine.writes);
        if (i < COUNT_OF(cases) - 1)
            assert_none("none: the loader reports no screen, and there is no VGA in text mode");
    }
    assert_string_equal(display_text(), "VGA text at 0xb8000, 80x25 characters");
}

UNIT_TEST(vga)
{
    init((struct boot_screen){ 0xb8000, BOOT_SCREEN_TEXT, 90, 30, 200, 0, 0, 0, 0 });
    assert_string_equal(display_text(), "VGA text at 0xb8000, 90x30 characters");
    assert_int_equal(machine.controller[10], 0x2d); /* the cursor is off */
    for (unsigned i = 0; i < 200 * 30; i++)
        assert_int_equal(at(0xb8000)[i], 0);
    assert_int_equal(at(0xb8000)[200 * 30], 0x5a);
    assert_int_equal(display_cells()->columns, 90);
    assert_int_equal(display_cells()->rows, 30);
    display_cells()->at[0][0] = (struct cell){ 'A', 0x07 };
    display_cells()->at[29][89] = (struct cell){ 'B', 0x1e };
    display_cells()->at[29][90] = (struct cell){ 'C', 0x1e };
    display_show();
    assert_memory_equal(at(0xb8000), "A\x07\0", 3);
    assert_memory_equal(at(0xb8000) + 29 * 200 + 178, "B\x1e\0\0", 4);
    display_map(36);
    assert_int_equal(machine.maps, 0);

    memset(at(0xb8000), 0x5a, 6000); /* only changed characters and colours are drawn */
    display_cells()->at[0][0].character = 'B';
    display_cells()->at[29][89].attributes = 0x1f;
    display_show();
    assert_memory_equal(at(0xb8000), "B\x07\x5a", 3);
    assert_memory_equal(at(0xb8000) + 29 * 200 + 178, "B\x1f\x5a", 3);
    memset(at(0xb8000), 0x5a, 6000);
    display_show();
    for (unsigned i = 0; i < 6000; i++)
        assert_int_equal(at(0xb8000)[i], 0x5a);
}

/* The pixel at a place, as a number. */
static uint32_t pixel(uint64_t base, unsigned x, unsigned y)
{
    uint32_t value;
    memcpy(&value, at(base) + y * 4160 + x * 4, 4);
    return value;
}

UNIT_TEST(pixels)
{
    init(pixels_at(FRAME));
    assert_string_equal(display_text(), "1024x768 32 bits at 0x50000000, 128x48 characters");
    assert_int_equal(machine.used_start, FRAME);
    assert_int_equal(machine.used_size, 4160 * 768);
    assert_int_equal(display_cells()->columns, 128);
    assert_int_equal(display_cells()->rows, 48);
    assert_int_equal(machine.writes, 0);

    display_cells()->at[1][2] = (struct cell){ 'A', 0x0f };
    display_show(); /* before mapping, only the character is drawn */
    assert_int_equal(pixel(FRAME, 16, 16), 0xffffff);
    assert_int_equal(pixel(FRAME, 17, 16), 0);
    assert_int_equal(pixel(FRAME, 15, 16), 0x5a5a5a5a);
    assert_int_equal(pixel(FRAME, 16, 15), 0x5a5a5a5a);

    memset(at(FRAME), 0x5a, ROOM);
    display_map(32); /* clears the screen, and draws the page again */
    assert_int_equal(machine.maps, 1);
    assert_int_equal(machine.linear, FRAME);
    assert_int_equal(machine.physical, FRAME);
    assert_int_equal(machine.size, 4160 * 768);
    assert_int_equal(machine.kept, 0);
    assert_int_equal(pixel(FRAME, 16, 16), 0xffffff);
    assert_int_equal(pixel(FRAME, 15, 16), 0);
    assert_int_equal(pixel(FRAME, 1023, 767), 0);
    assert_int_equal(pixel(FRAME, 1024, 767), 0x5a5a5a5a);

    memset(at(FRAME), 0x5a, ROOM);
    display_cells()->at[47][127] = (struct cell){ 'B', 0x04 };
    display_show();
    assert_int_equal(pixel(FRAME, 1016, 752), 0);
    assert_int_equal(pixel(FRAME, 1017, 752), 0xaa0000);
    assert_int_equal(pixel(FRAME, 16, 16), 0x5a5a5a5a);
}

/* Mapped at its own address, or by the 32-bit kernel in the window below 4 GiB. */
UNIT_TEST(above_4_gib)
{
    const bool wide = sizeof(uintptr_t) == sizeof(uint64_t);
    const uint64_t linear = wide ? HIGH : WINDOW + (HIGH & 0x3fffff);
    init(pixels_at(HIGH));
    assert_string_equal(display_text(), "1024x768 32 bits at 0x200000123000, 128x48 characters");
    display_cells()->at[1][2] = (struct cell){ 'A', 0x0f };
    display_show();
    assert_int_equal(at(WINDOW)[0], 0x5a);
    display_map(46);
    assert_int_equal(machine.linear, linear);
    assert_int_equal(machine.physical, HIGH);
    assert_int_equal(machine.size, 4160 * 768);
    assert_int_equal(machine.kept, wide ? 0 : (HIGH & 0x3fffff) + 4160 * 768);
    assert_int_equal(machine.alignment, wide ? 0 : 0x400000);
    assert_int_equal(pixel(linear, 16, 16), 0xffffff);

    new_machine(NULL);
    machine.no_memory = true;
    init(pixels_at(HIGH));
    display_map(46);
    assert_int_equal(machine.maps, wide);
}

/* The last page below 4 GiB needs no window. */
UNIT_TEST(the_ends_of_memory)
{
    static const struct {
        uint64_t base;
        unsigned bits, maps;
    } cases[] = {
        { FRAME, 36, 1 },
        { 0x1000000000, 36, 0 },
        { 0x1000000000 - 4160 * 768 + 1, 36, 0 }, /* only its last byte is outside */
        { 0x1000000000 - 4160 * 768, 36, 1 },
        { 0x1000000000, 255, 1 }, /* an impossible width is ignored */
    };
    char text[120];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        machine.no_map = true;
        init(pixels_at(cases[i].base));
        display_map(cases[i].bits);
        snprintf(text, sizeof text, "none: the frame buffer at 0x%llx is out of this kernel's reach",
                 (unsigned long long)cases[i].base);
        assert_string_equal(display_text(), text);
        assert_int_equal(machine.maps, cases[i].maps);
        display_cells()->at[0][0].character = 'A';
        display_show();
        assert_int_equal(at(FRAME)[0], 0x5a);
    }
    for (unsigned beyond = 0; beyond < 2; beyond++) {
        new_machine(NULL);
        machine.no_map = true;
        init(pixels_at(0x100000000 - 4160 * 768 + beyond));
        assert_int_equal((uintptr_t)display.frame, beyond ? 0 : 0x100000000 - 4160 * 768);
    }
}

/* Each value is used for its purpose. */
UNIT_TEST(the_form_of_pixels)
{
    const struct pixels_form *const form = &display.pixels.form;
    init((struct boot_screen){ FRAME, BOOT_SCREEN_PIXELS, 640, 400, 2560, 32, 1, 2, 4 });
    assert_true(form->columns == 640 && form->rows == 400 && form->pitch == 2560);
    assert_true(form->red == 1 && form->green == 2 && form->blue == 4);
}
