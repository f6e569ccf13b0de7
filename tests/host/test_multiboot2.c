/* SPDX-License-Identifier: MIT */
/* Multiboot2 information: tags typed from the specification, valid and broken. */
#include "tests/host/host_test.h"

#include "boot/multiboot2.h"

#define WORD(value)     (value) & 0xff, (value) >> 8 & 0xff, (value) >> 16 & 0xff, (value) >> 24 & 0xff
#define TAG(type, size) WORD(type), WORD(size)
#define END             TAG(0, 8)

/* Reads an exact copy, so that the sanitizer catches reads past its end. */
#define READ(bytes, out)                              \
    uint8_t *copy = exact_copy(bytes, sizeof(bytes)); \
    enum multiboot2_error error = multiboot2_read(copy, memset(out, 0xa5, sizeof *(out)))

static void all_tags(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {
        WORD(8 + 16 + 16 + 16 + 24 + 24 + 64 + 8),
        WORD(0),
        TAG(1, 13),
        'l',
        'i',
        's',
        't',
        0,
        0,
        0,
        0,
        TAG(2, 13),
        'G',
        'R',
        'U',
        'B',
        0,
        0,
        0,
        0,
        TAG(5, 16),
        WORD(0x80),
        WORD(0),
        TAG(3, 17),
        WORD(0x123000),
        WORD(0x123456),
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        TAG(3, 17),
        WORD(0x200000),
        WORD(0x200001),
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        TAG(6, 64),
        WORD(24),
        WORD(0),
        WORD(0),
        WORD(0),
        WORD(0x9fc00),
        WORD(0),
        WORD(1),
        WORD(0),
        WORD(0),
        WORD(1),
        WORD(0x40000000),
        WORD(2),
        WORD(4),
        WORD(0),
        END,
    };
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

static void no_tags(void **state)
{
    (void)state;
    static const uint8_t bytes[] = { WORD(16), WORD(0), END };
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

/* ACPI's root pointer: that of the first revision, that of the later ones, and tags too short for either. */
static void acpi_root(void **state)
{
    (void)state;
    static const uint8_t bytes[] = { WORD(8 + 32 + 48 + 32 + 16 + 8),
                                     WORD(0),
                                     TAG(14, 28),
                                     'R',
                                     'S',
                                     'D',
                                     ' ',
                                     'P',
                                     'T',
                                     'R',
                                     ' ',
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     1,
                                     2,
                                     3,
                                     4,
                                     0,
                                     0,
                                     0,
                                     0,
                                     TAG(15, 44),
                                     'R',
                                     'S',
                                     'D',
                                     ' ',
                                     'P',
                                     'T',
                                     'R',
                                     ' ',
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     2,
                                     1,
                                     2,
                                     3,
                                     4,
                                     36,
                                     0,
                                     0,
                                     0,
                                     1,
                                     2,
                                     3,
                                     4,
                                     5,
                                     6,
                                     7,
                                     8,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     TAG(14, 28),
                                     'o',
                                     'l',
                                     'd',
                                     'e',
                                     'r',
                                     ' ',
                                     ' ',
                                     ' ',
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     1,
                                     2,
                                     3,
                                     4,
                                     0,
                                     0,
                                     0,
                                     0,
                                     TAG(15, 12),
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     END };
    static const uint8_t old[] = { WORD(8 + 32 + 8),
                                   WORD(0),
                                   TAG(14, 28),
                                   'R',
                                   'S',
                                   'D',
                                   ' ',
                                   'P',
                                   'T',
                                   'R',
                                   ' ',
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   1,
                                   2,
                                   3,
                                   4,
                                   0,
                                   0,
                                   0,
                                   0,
                                   END };
    static const uint8_t brief[] = { WORD(8 + 16 + 8), WORD(0), TAG(14, 12), 1, 2, 3, 4, 0, 0, 0, 0, END };
    struct multiboot2 got;
    {
        READ(bytes, &got);
        assert_int_equal(error, MULTIBOOT2_OK);
        assert_ptr_equal(got.rsdp, copy + 8 + 32 + 8);
        free(copy);
    }
    {
        READ(old, &got);
        assert_int_equal(error, MULTIBOOT2_OK);
        assert_ptr_equal(got.rsdp, copy + 8 + 8);
        free(copy);
    }
    {
        READ(brief, &got);
        assert_int_equal(error, MULTIBOOT2_OK);
        assert_null(got.rsdp);
        free(copy);
    }
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

static void broken(void **state)
{
    (void)state;
    assert_refused(MULTIBOOT2_TAG, WORD(0), WORD(0));
    assert_refused(MULTIBOOT2_TAG, WORD(8), WORD(0));                       /* no end tag */
    assert_refused(MULTIBOOT2_TAG, WORD(12), WORD(0), WORD(0));             /* half of one */
    assert_refused(MULTIBOOT2_TAG, WORD(16), WORD(0), TAG(9, 7));           /* shorter than its head */
    assert_refused(MULTIBOOT2_TAG, WORD(16), WORD(0), TAG(9, 0xffffffff));  /* longer than all */
    assert_refused(MULTIBOOT2_TAG, WORD(20), WORD(0), TAG(9, 12), WORD(0)); /* its padding is missing */
    assert_refused(MULTIBOOT2_COMMAND_LINE, WORD(32), WORD(0), TAG(1, 12), 'l', 'i', 's', 't', WORD(0), END);
    assert_refused(MULTIBOOT2_COMMAND_LINE, WORD(24), WORD(0), TAG(1, 8), END);
    assert_refused(MULTIBOOT2_LOADER_NAME, WORD(24), WORD(0), TAG(2, 8), END);
    assert_refused(MULTIBOOT2_MODULE, WORD(32), WORD(0), TAG(3, 12), WORD(1), WORD(2), END);
    assert_refused(MULTIBOOT2_MODULE, WORD(32), WORD(0), TAG(3, 16), WORD(2), WORD(1), END);
    assert_refused(MULTIBOOT2_MEMORY_MAP, WORD(32), WORD(0), TAG(6, 16), WORD(20), WORD(0), END);
    assert_refused(MULTIBOOT2_MEMORY_MAP, WORD(32), WORD(0), TAG(6, 12), WORD(24), WORD(0), END);
}

static void texts(void **state)
{
    static const char *const known[] = {
        [MULTIBOOT2_OK] = "no error",
        [MULTIBOOT2_TAG] = "a tag extends past the end",
        [MULTIBOOT2_COMMAND_LINE] = "the command line is not terminated",
        [MULTIBOOT2_LOADER_NAME] = "the boot loader's name is not terminated",
        [MULTIBOOT2_MODULE] = "a module tag is malformed",
        [MULTIBOOT2_MEMORY_MAP] = "the entries of the memory map are not 24 bytes long",
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(known); i++)
        assert_string_equal(multiboot2_error_text((enum multiboot2_error)i), known[i]);
    assert_string_equal(multiboot2_error_text((enum multiboot2_error)99), "unknown Multiboot2 error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_tags), cmocka_unit_test(no_tags), cmocka_unit_test(acpi_root),
        cmocka_unit_test(broken),   cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
