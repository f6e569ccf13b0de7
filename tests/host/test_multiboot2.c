/* SPDX-License-Identifier: MIT */
/* Multiboot2 information: tags typed from the specification, valid and broken. */
#include "tests/host/unit_test.h"

#include "boot/multiboot2.h"

#define WORD(value)     (value) & 0xff, (value) >> 8 & 0xff, (value) >> 16 & 0xff, (value) >> 24 & 0xff
#define TAG(type, size) WORD(type), WORD(size)
#define END             TAG(0, 8)
#define RSD_PTR         'R', 'S', 'D', ' ', 'P', 'T', 'R', ' '
#define BYTES(...)  \
    {               \
        __VA_ARGS__ \
    }

/* Reads an exact copy, so that the sanitizer catches reads past its end. */
#define READ(bytes, out)                              \
    uint8_t *copy = exact_copy(bytes, sizeof(bytes)); \
    enum multiboot2_error error = multiboot2_read(copy, memset(out, 0xa5, sizeof *(out)))

UNIT_TEST(all_tags)
{
    static const uint8_t bytes[] =
        BYTES(WORD(8 + 16 + 16 + 16 + 24 + 24 + 64 + 8), WORD(0), TAG(1, 13), 'l', 'i', 's', 't', 0, 0, 0, 0,
              TAG(2, 13), 'G', 'R', 'U', 'B', 0, 0, 0, 0, TAG(5, 16), WORD(0x80), WORD(0), TAG(3, 17), WORD(0x123000),
              WORD(0x123456), 0, 0, 0, 0, 0, 0, 0, 0, TAG(3, 17), WORD(0x200000), WORD(0x200001), 0, 0, 0, 0, 0, 0, 0,
              0, TAG(6, 64), WORD(24), WORD(0), WORD(0), WORD(0), WORD(0x9fc00), WORD(0), WORD(1), WORD(0), WORD(0),
              WORD(1), WORD(0x40000000), WORD(2), WORD(4), WORD(0), END);
    struct multiboot2 got;
    READ(bytes, &got);
    assert_int_equal(error, MULTIBOOT2_OK);
    assert_string_equal(got.options, "list");
    assert_string_equal(got.loader, "GRUB");
    assert_int_equal(got.module_start, 0x123000);
    assert_int_equal(got.module_end, 0x123456);
    assert_int_equal(got.memory_count, 2);
    assert_int_equal(got.memory[0].base, 0);
    assert_int_equal(got.memory[0].size, 0x9fc00);
    assert_int_equal(got.memory[0].type, BOOT_MEMORY_USABLE);
    assert_int_equal(got.memory[1].base, 0x100000000);
    assert_int_equal(got.memory[1].size, 0x240000000);
    assert_int_equal(got.memory[1].type, BOOT_MEMORY_NVS);
    free(copy);
}

UNIT_TEST(no_tags)
{
    static const uint8_t bytes[] = BYTES(WORD(16), WORD(0), END);
    struct multiboot2 got;
    READ(bytes, &got);
    assert_int_equal(error, MULTIBOOT2_OK);
    assert_null(got.options);
    assert_null(got.loader);
    assert_null(got.memory);
    assert_int_equal(got.memory_count, 0);
    assert_int_equal(got.module_end, 0);
    free(copy);
}

/* The root pointer's offset; 0: there is none. */
static void assert_rsdp(const uint8_t *bytes, size_t size, size_t offset)
{
    struct multiboot2 got;
    uint8_t *copy = exact_copy(bytes, size);

    assert_int_equal(multiboot2_read(copy, &got), MULTIBOOT2_OK);
    assert_ptr_equal(got.rsdp, offset ? copy + offset : NULL);
    free(copy);
}

UNIT_TEST(acpi_root)
{
    static const uint8_t bytes[] =
        BYTES(WORD(8 + 32 + 48 + 32 + 16 + 8), WORD(0), TAG(14, 28), RSD_PTR, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0,
              0, 0, TAG(15, 44), RSD_PTR, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 3, 4, 36, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0,
              0, 0, 0, 0, 0, 0, TAG(14, 28), 'o', 'l', 'd', 'e', 'r', ' ', ' ', ' ', 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4,
              0, 0, 0, 0, TAG(15, 12), 0, 0, 0, 0, 0, 0, 0, 0, END);
    static const uint8_t old[] =
        BYTES(WORD(8 + 32 + 8), WORD(0), TAG(14, 28), RSD_PTR, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, END);
    static const uint8_t brief[] = BYTES(WORD(8 + 16 + 8), WORD(0), TAG(14, 12), 1, 2, 3, 4, 0, 0, 0, 0, END);
    assert_rsdp(bytes, sizeof bytes, 8 + 32 + 8);
    assert_rsdp(old, sizeof old, 8 + 8);
    assert_rsdp(brief, sizeof brief, 0);
}

#define assert_refused(expected, ...)                   \
    do {                                                \
        static const uint8_t bytes[] = { __VA_ARGS__ }; \
        struct multiboot2 got;                          \
        READ(bytes, &got);                              \
        assert_int_equal(error, expected);              \
        assert_null(got.options);                       \
        assert_null(got.memory);                        \
        assert_int_equal(got.module_end, 0);            \
        free(copy);                                     \
    } while (0)

UNIT_TEST(broken)
{
    assert_refused(MULTIBOOT2_TAG, WORD(0), WORD(0));
    assert_refused(MULTIBOOT2_TAG, WORD(8), WORD(0));                                /* no end tag */
    assert_refused(MULTIBOOT2_TAG, WORD(12), WORD(0), WORD(0));                      /* half an end tag */
    assert_refused(MULTIBOOT2_TAG, WORD(16), WORD(0), TAG(9, 7));                    /* shorter than its head */
    assert_refused(MULTIBOOT2_TAG, WORD(16), WORD(0), TAG(9, 0xffffffff));           /* longer than the information */
    assert_refused(MULTIBOOT2_TAG, WORD(24), WORD(0), TAG(9, 17), WORD(0), WORD(0)); /* longer than the rest */
    assert_refused(MULTIBOOT2_TAG, WORD(20), WORD(0), TAG(9, 12), WORD(0));          /* its padding is missing */
    assert_refused(MULTIBOOT2_COMMAND_LINE, WORD(32), WORD(0), TAG(1, 12), 'l', 'i', 's', 't', WORD(0), END);
    assert_refused(MULTIBOOT2_COMMAND_LINE, WORD(24), WORD(0), TAG(1, 8), END);
    assert_refused(MULTIBOOT2_LOADER_NAME, WORD(24), WORD(0), TAG(2, 8), END);
    assert_refused(MULTIBOOT2_MODULE, WORD(32), WORD(0), TAG(3, 12), WORD(1), WORD(2), END);
    assert_refused(MULTIBOOT2_MODULE, WORD(32), WORD(0), TAG(3, 16), WORD(2), WORD(1), END);
    assert_refused(MULTIBOOT2_MEMORY_MAP, WORD(32), WORD(0), TAG(6, 16), WORD(20), WORD(0), END);
    assert_refused(MULTIBOOT2_MEMORY_MAP, WORD(32), WORD(0), TAG(6, 12), WORD(24), WORD(0), END);
}

#define SCREEN(size, bits, kind, ...)                                                                                \
    WORD(8 + ((size) + 7) / 8 * 8 + 8), WORD(0), TAG(8, size), WORD(0xfd000000), WORD(0x40), WORD(4096), WORD(1024), \
        WORD(768), bits, kind, 0, 0, __VA_ARGS__

static void assert_screen(const uint8_t *bytes, size_t size, const struct boot_screen *want)
{
    struct multiboot2 got;
    uint8_t *copy = exact_copy(bytes, size);
    assert_int_equal(multiboot2_read(copy, &got), MULTIBOOT2_OK);
    assert_memory_equal(&got.screen, want, sizeof *want);
    free(copy);
}

/* GRUB's frame buffer: colours in masks, VGA's text, and a palette, which the kernel cannot use. */
UNIT_TEST(screens)
{
    static const uint8_t rgb[] = BYTES(SCREEN(38, 32, 1, 16, 8, 8, 8, 0, 8, 0, 0), END);
    static const uint8_t fifteen[] = BYTES(SCREEN(38, 15, 1, 10, 5, 5, 5, 0, 5, 0, 0), END);
    static const uint8_t whole[] = BYTES(SCREEN(38, 32, 1, 0, 32, 31, 1, 31, 2, 0, 0), END);
    static const uint8_t text[] = BYTES(SCREEN(32, 16, 2, TAG(0, 8)));
    static const uint8_t palette[] = BYTES(SCREEN(34, 8, 0, 0, 1, 0, 0, 0, 0, 0, 0), END);
    static const uint8_t none[] = BYTES(WORD(16), WORD(0), END);
    const uint64_t base = 0x40fd000000;
    assert_screen(rgb, sizeof rgb,
                  &(struct boot_screen){ base, BOOT_SCREEN_PIXELS, 1024, 768, 4096, 32, 0xff0000, 0xff00, 0xff });
    assert_screen(fifteen, sizeof fifteen,
                  &(struct boot_screen){ base, BOOT_SCREEN_PIXELS, 1024, 768, 4096, 16, 0x7c00, 0x3e0, 0x1f });
    assert_screen(whole, sizeof whole,
                  &(struct boot_screen){ base, BOOT_SCREEN_PIXELS, 1024, 768, 4096, 32, 0xffffffff, 0x80000000, 0 });
    assert_screen(text, sizeof text, &(struct boot_screen){ base, BOOT_SCREEN_TEXT, 1024, 768, 4096, 0, 0, 0, 0 });
    assert_screen(palette, sizeof palette,
                  &(struct boot_screen){ base, BOOT_SCREEN_INVALID, 1024, 768, 4096, 0, 0, 0, 0 });
    assert_screen(none, sizeof none, &(struct boot_screen){ .kind = BOOT_SCREEN_UNKNOWN });
    assert_refused(MULTIBOOT2_SCREEN, SCREEN(37, 32, 1, 16, 8, 8, 8, 0, 8, 0, 0), END);
    assert_refused(MULTIBOOT2_SCREEN, SCREEN(31, 16, 2, TAG(0, 8)));
}

UNIT_TEST(empty)
{
    static const uint8_t bytes[] = BYTES(WORD(8 + 16 + 16 + 16 + 8), WORD(0), TAG(3, 16), WORD(0x1000), WORD(0x1000),
                                         TAG(1, 9), WORD(0), WORD(0), TAG(2, 9), WORD(0), WORD(0), END);
    struct multiboot2 got;
    READ(bytes, &got);
    assert_int_equal(error, MULTIBOOT2_OK);
    assert_int_equal(got.module_start, 0x1000);
    assert_int_equal(got.module_end, 0x1000);
    assert_string_equal(got.options, "");
    assert_string_equal(got.loader, "");
    free(copy);
}
