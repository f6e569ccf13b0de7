/* SPDX-License-Identifier: MIT */
/* The loader's menu and search for screens: the options that each key selects, and the screen for the kernel. */
#define SETUP no_displays
#include "tests/host/uefi_firmware.h"

#include "boot/uefi/menu.c"
#include "boot/uefi/screen.c"

#define TIMER ((EFI_EVENT)0x71c)

struct key {
    unsigned tick; /* the timer tick at which it is pressed */
    CHAR16 character;
    UINT16 scan;
};

/* More fakes of firmware: results and arguments. */
static struct {
    EFI_STATUS create_event, set_timer, wait_for_event;
    struct key keys[1 + LOAD_OPTIONS_MAX + 2];
    unsigned key_count;
    bool stuck; /* the last key stays pressed */
    unsigned ticks, keys_read;
    int events_out;
} menu_fw;

static char options[LOAD_OPTIONS_MAX + 1];

/* UEFI 2.10, 7.1: a timer's type is 80000000h; periodic is 1; the period is in units of 100 ns. */
FAKE(static EFI_STATUS EFIAPI, create_event,
     (UINT32 type, EFI_TPL level, EFI_EVENT_NOTIFY notify, void *context, EFI_EVENT *event),
     assert_int_equal(type, 0x80000000), assert_int_equal(level, 0), assert_null((void *)(uintptr_t)notify),
     assert_null(context),
     menu_fw.create_event ? menu_fw.create_event : (menu_fw.events_out++, *event = TIMER, (EFI_STATUS)EFI_SUCCESS))
FAKE(static EFI_STATUS EFIAPI, set_timer, (EFI_EVENT event, EFI_TIMER_DELAY type, UINT64 period),
     assert_ptr_equal(event, TIMER), assert_int_equal(type, 1), assert_int_equal(period, 1000000), menu_fw.set_timer)
FAKE(static EFI_STATUS EFIAPI, wait_for_event, (UINTN count, EFI_EVENT *events, UINTN *index),
     assert_int_equal(count, 1), assert_ptr_equal(*events, TIMER),
     menu_fw.wait_for_event ? menu_fw.wait_for_event : (menu_fw.ticks++, *index = 0, (EFI_STATUS)EFI_SUCCESS))
FAKE(static EFI_STATUS EFIAPI, close_event, (EFI_EVENT event), assert_ptr_equal(event, TIMER), menu_fw.events_out--,
     EFI_SUCCESS)

static EFI_STATUS EFIAPI read_key_stroke(struct _SIMPLE_INPUT_INTERFACE *this, EFI_INPUT_KEY *key)
{
    const bool last = menu_fw.stuck && menu_fw.keys_read >= menu_fw.key_count;
    const unsigned next = last ? menu_fw.key_count - 1 : menu_fw.keys_read;
    if (next >= menu_fw.key_count || menu_fw.keys[next].tick > menu_fw.ticks)
        return EFI_NOT_READY;
    *key = (EFI_INPUT_KEY){ .ScanCode = menu_fw.keys[next].scan, .UnicodeChar = menu_fw.keys[next].character };
    menu_fw.keys_read++;
    return EFI_SUCCESS;
}

static SIMPLE_INPUT_INTERFACE keyboard = { .ReadKeyStroke = read_key_stroke };

FAKE(static EFI_STATUS EFIAPI, clear_screen, (struct _SIMPLE_TEXT_OUTPUT_INTERFACE * this),
     strcat(console_said, "[clear]"), EFI_SUCCESS)

static SIMPLE_TEXT_OUTPUT_INTERFACE console = { .ClearScreen = clear_screen };

static int new_machine(void **state)
{
    new_firmware();
    system_table.ConOut = &console;
    services.CreateEvent = create_event;
    services.SetTimer = set_timer;
    services.WaitForEvent = wait_for_event;
    services.CloseEvent = close_event;
    system_table.ConIn = &keyboard;
    memset(&menu_fw, 0, sizeof menu_fw);
    return 0;
}

#define MENU(options, width)                                                                         \
    "\ndstest86: press a key to choose, or wait\n  1  all tests, or those that the options select\n" \
    "  2  quick: a few tests of each area\n  3  measure: measurements, which have no verdict\n"      \
    "  4  log: all tests, and save the log on the stick\n  5  options: " options "\n  6  width: " width " bits\n"
#define EDIT "\nEnter starts, Escape goes back. Options: "

/* Keys as TICK:CHARACTER, in order. Escape and a terminal's Backspace (\1) have scan codes, and no character. */
static void press(const char *keys)
{
    int length = 0;
    char character;
    for (unsigned tick; sscanf(keys, "%u:%c%n", &tick, &character, &length) == 2; keys += length) {
        const UINT16 scan = character == '\33' ? 0x17 : character == '\1' ? 8 : 0;
        menu_fw.keys[menu_fw.key_count++] = (struct key){ tick, scan ? 0 : (uint8_t)character, scan };
    }
}

/* Shows the menu for these options, this width, and this many seconds, with these keys. */
static void choose_by(const char *keys, const char *before, unsigned width, unsigned seconds)
{
    press(keys);
    strcpy(options, before);
    menu_choose(options, seconds, width, true);
    assert_int_equal(menu_fw.events_out, 0);
}

UNIT_TEST(no_menu)
{
    for (unsigned i = 0; i < 5; i++) {
        new_machine(NULL);
        if (i == 0)
            system_table.ConIn = NULL;
        menu_fw.create_event = i == 1 ? EFI_OUT_OF_RESOURCES : 0;
        menu_fw.set_timer = i == 2 ? EFI_INVALID_PARAMETER : 0;
        menu_fw.wait_for_event = i == 3 ? EFI_UNSUPPORTED : 0;
        choose_by("", "", 0, i == 4 ? 0 : 3);
        assert_int_equal(menu_fw.ticks, 0);
        assert_int_equal(strstr(console_said, "choose") != NULL, i == 3);
        assert_string_equal(options, "");
    }
}

UNIT_TEST(keys)
{
    static const struct {
        const char *keys, *options;
        unsigned ticks;
    } cases[] = {
        { "0:1", "", 0 },
        { "30:2", "run=quick records=1", 30 }, /* at the last moment */
        { "31:2", "", 30 },
        { "7:3", "run=measure.* records=0 timeout=120", 7 },
        { "7:4", "dump=raw log=stick", 7 },
        { "7:\r", "", 7 },
        { "1:0", "", 601 }, /* not a choice, but stops the countdown */
        { "1:\33", "", 601 },
        { "1:0 601:2", "run=quick records=1", 601 },
        { "1:6 2:2", "run=quick records=1 width=32", 2 },
        { "1:6 2:6 3:\r", "", 3 },
        { "1:6", "width=32", 601 },
        { "1:5 2:l 2:x 2:x 2:\b 3:\1 4:i 9:\r", "li", 9 }, /* \1: a terminal's code for Backspace */
        { "1:5 1:\b 2:  2:~ 2:\x7f 2:\x1f 2:\xe4 9:\r", " ~", 9 },
        { "1:5 2:x 3:\33 4:\r", "", 4 },
        { "1:5 2:x 602:\r", "x", 602 },
        { "1:5 2:x", "", 1202 }, /* a minute without a key, then the menu's time */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        choose_by(cases[i].keys, "", 0, 3);
        assert_string_equal(options, cases[i].options);
        assert_int_equal(menu_fw.ticks, cases[i].ticks);
    }
    new_machine(NULL);
    choose_by("0:x 0:6 0:5 0:a 0:b 0:\b 0:\33 0:5 0:l 0:i 0:\r", "", 0, 3);
    assert_string_equal(console_said, "[clear]" MENU("none", "64") MENU("none", "32") EDIT
                        "ab\b \b\n" MENU("none", "32") EDIT "li\n");
}

/* Existing options can be edited. Added options have precedence because they are last. */
UNIT_TEST(existing_options)
{
    char text[LOAD_OPTIONS_MAX + 2] = "menu=9 skip=";
    choose_by("0:2", "records=all menu=9", 0, 9);
    assert_string_equal(options, "records=all menu=9 run=quick records=1");
    new_machine(NULL); /* the choice replaces the file's selection */
    choose_by("0:2", "run=bts.* skip=*.x run=lbr.*", 0, 9);
    assert_string_equal(options, "skip=*.x run=quick records=1");
    new_machine(NULL);
    choose_by("0:5 0:\b 0:\r", "menu=9 records=11", 0, 9);
    assert_string_equal(options, "menu=9 records=1");
    new_machine(NULL);
    choose_by("0:6 0:\r", "menu=9 width=32", 32, 9);
    assert_string_equal(options, "menu=9 width=32 width=64");

    /* As much as fits, and one character more. */
    for (size_t more = 0; more < 2; more++) {
        const size_t length = LOAD_OPTIONS_MAX - strlen(" run=quick records=1") + more;
        memset(text + 12, 'x', length - 12);
        text[length] = '\0';
        new_machine(NULL);
        choose_by("0:2", text, 0, 9);
        assert_int_equal(strlen(options), more ? length : LOAD_OPTIONS_MAX);
        assert_int_equal(strstr(console_said,
                                "\ndstest86: cannot add run=quick records=1: more than 1023 characters of "
                                "options\n\ndstest86: press") != NULL,
                         more);
        assert_int_equal(menu_fw.ticks, more ? 600 : 0);
    }
}

UNIT_TEST(a_stuck_key)
{
    static char full[4 * (1 + LOAD_OPTIONS_MAX + 2) + 1] = "0:5 ";
    for (unsigned i = 0; i < 2; i++) {
        new_machine(NULL);
        menu_fw.stuck = true;
        choose_by(i ? "0:5 0:x" : "0:0", "", 0, 3);
        assert_int_equal(menu_fw.keys_read, 2000);
        assert_string_equal(options, "");
    }

    new_machine(NULL);
    for (size_t i = 0; i < LOAD_OPTIONS_MAX + 1; i++)
        strcat(full, "0:x ");
    choose_by(strcat(full, "0:\r"), "", 0, 3);
    assert_int_equal(strlen(options), LOAD_OPTIONS_MAX);
}

#define RGBX PixelRedGreenBlueReserved8BitPerColor
#define BGRX PixelBlueGreenRedReserved8BitPerColor

/* The GUIDs of UEFI 2.10, 12.9, "Graphics Output Protocol", and of EDK2 for ConOut's devices, as in memory. */
static const uint8_t graphics_guid[16] = { 0xde, 0xa9, 0x42, 0x90, 0xdc, 0x23, 0x38, 0x4a,
                                           0x96, 0xfb, 0x7a, 0xde, 0xd0, 0x80, 0x51, 0x6a };
static const uint8_t console_guid[16] = { 0x2c, 0x6f, 0xb3, 0xd3, 0x51, 0xd5, 0xd4, 0x11,
                                          0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d };

static struct display {
    EFI_GRAPHICS_OUTPUT_PROTOCOL protocol;
    EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE mode;
    EFI_GRAPHICS_OUTPUT_MODE_INFORMATION info;
    struct protocol *entry;
} displays[4];
static unsigned display_count;
static struct boot_screen found;

/* Adds a screen of 1024x768 in rows of 1040 pixels. */
static struct display *add_display(UINT64 base, uint32_t format, bool console)
{
    struct display *display = &displays[display_count++];
    const EFI_HANDLE handle = (EFI_HANDLE)(0x5c12e100 + (uintptr_t)display_count);
    assert_true(display_count <= COUNT_OF(displays));
    display->info = (EFI_GRAPHICS_OUTPUT_MODE_INFORMATION){
        .HorizontalResolution = 1024, .VerticalResolution = 768, .PixelFormat = format, .PixelsPerScanLine = 1040
    };
    display->mode = (EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE){ .Info = &display->info,
                                                         .FrameBufferBase = base,
                                                         .FrameBufferSize = 1040 * 768 * 4 };
    display->protocol.Mode = &display->mode;
    display->entry = add_protocol(handle, graphics_guid, &display->protocol);
    if (console)
        add_protocol(handle, console_guid, NULL);
    return display;
}

static int no_displays(void **state)
{
    display_count = 0;
    return new_machine(state);
}

static void assert_screen_of(UINT64 base, uint32_t bits, uint32_t red, uint32_t green, uint32_t blue, const char *said)
{
    const struct boot_screen want = { .base = base,
                                      .kind = BOOT_SCREEN_PIXELS,
                                      .columns = 1024,
                                      .rows = 768,
                                      .pitch = 1040 * bits / 8,
                                      .pixel_bits = bits,
                                      .red = red,
                                      .green = green,
                                      .blue = blue };
    screen_find(&found);
    assert_memory_equal(&found, &want, sizeof want);
    assert_string_equal(console_said, said);
    assert_given_back(0);
}

static void assert_screen(UINT64 base, uint32_t bits, uint32_t red, uint32_t green, uint32_t blue)
{
    assert_screen_of(base, bits, red, green, blue, "");
}

UNIT_TEST(forms_of_pixels)
{
    static const EFI_PIXEL_BITMASK masks[] = {
        { 0xf800, 0x07e0, 0x001f, 0 },
        { 0x7c00, 0x03e0, 0x001f, 0x8000 },
        { 0x7c00, 0x03e0, 0x001f, 0 },
        { 0x0000ff, 0x00ff00, 0xff0000, 0 },
        { 0x0000ff, 0x00ff00, 0xff0000, 0x80000000 },
        { 0x1, 0x2, 0x4, 0x10000 },
        { 0x3ff, 0xffc00, 0x3ff00000, 0 },
    };
    static const uint32_t bits[] = { 16, 16, 16, 24, 32, 24, 32 };
    add_display(0xc0000000, BGRX, true);
    assert_screen(0xc0000000, 32, 0xff0000, 0xff00, 0xff);
    no_displays(NULL);
    add_display(0x4012345000, RGBX, false); /* above 4 GiB */
    assert_screen(0x4012345000, 32, 0xff, 0xff00, 0xff0000);
    for (size_t i = 0; i < COUNT_OF(masks); i++) {
        no_displays(NULL);
        add_display(0xc0000000, PixelBitMask, true)->info.PixelInformation = masks[i];
        assert_screen(0xc0000000, bits[i], masks[i].RedMask, masks[i].GreenMask, masks[i].BlueMask);
    }
}

/* Console devices first, then any with a frame buffer; of equal ones the first. The text reaches all screens. */
UNIT_TEST(several_screens)
{
    static const char elsewhere[] = "dstest86: if this text stays, another screen, of 1024x768 pixels, shows the run\n";

    add_display(0xc0000000, PixelBltOnly, true);
    add_display(0xc1000000, RGBX, false);
    add_display(0xc2000000, RGBX, true);
    add_display(0xc3000000, RGBX, true);
    assert_screen_of(0xc2000000, 32, 0xff, 0xff00, 0xff0000, elsewhere);

    no_displays(NULL);
    add_display(0xc0000000, PixelBltOnly, true);
    add_display(0xc1000000, RGBX, false);
    add_display(0xc2000000, RGBX, false);
    add_display(0, RGBX, true);
    assert_screen_of(0xc1000000, 32, 0xff, 0xff00, 0xff0000, elsewhere);

    no_displays(NULL); /* one screen, and EDK2's protocol for all screens together */
    add_display(0xc1000000, RGBX, false);
    add_display(0xc1000000, RGBX, true);
    assert_screen(0xc1000000, 32, 0xff, 0xff00, 0xff0000);

    no_displays(NULL); /* a display disappears during the search */
    add_display(0xc0000000, RGBX, true)->entry->gone = true;
    add_display(0xc1000000, RGBX, true);
    assert_screen(0xc1000000, 32, 0xff, 0xff00, 0xff0000);
}

static void assert_no_screen(enum boot_screen_kind kind, const char *why)
{
    const struct boot_screen want = { .kind = kind };
    char words[300];
    screen_find(&found);
    assert_memory_equal(&found, &want, sizeof want);
    snprintf(words, sizeof words, "dstest86: %s: the kernel cannot show its page\n", why);
    assert_string_equal(console_said, words);
    assert_given_back(0);
}

/* Impossible modes: each differs in one value from a possible one. */
UNIT_TEST(impossible_screens)
{
    static const struct {
        uint32_t format, columns, per_line;
        UINT64 base;
    } cases[] = {
        { BGRX, 1041, 1040, 0xc0000000 },
        { BGRX, 1024, 1040, 0 },
        { BGRX, 0, 0, 0xc0000000 },
        { BGRX, 1024, 65537, 0xc0000000 },
        { PixelBitMask, 1024, 1040, 0xc0000000 }, /* its masks are 0 */
        { PixelFormatMax, 1024, 1040, 0xc0000000 },
        { BGRX, 1024, 1040, 0xc0000000 }, /* without a mode */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        no_displays(NULL);
        struct display *display = add_display(cases[i].base, cases[i].format, true);
        display->info.HorizontalResolution = cases[i].columns;
        display->info.PixelsPerScanLine = cases[i].per_line;
        if (i == COUNT_OF(cases) - 1)
            display->protocol.Mode = NULL;
        assert_no_screen(BOOT_SCREEN_INVALID, "the screen's Graphics Output Protocol contradicts itself");
    }
    no_displays(NULL);
    struct display *possible = add_display(0xc0000000, BGRX, true);
    possible->mode.FrameBufferSize = 1040 * 767 * 4 + 4159; /* too small for the last row */
    screen_find(&found);
    assert_true(found.kind == BOOT_SCREEN_PIXELS && found.rows == 767);
    possible->mode.FrameBufferSize = 0x10000000;
    possible->info.HorizontalResolution = possible->info.PixelsPerScanLine = 65536;
    screen_find(&found);
    assert_true(found.rows == 768 && found.pitch == 262144);
}
