/* SPDX-License-Identifier: MIT */
/* The kernel's own symbols by address, from a table with several blocks of names. */
#define FIRST fill
#include "tests/host/unit_test.h"

#include "kernel/symbols.c"

#define COUNT  40u
#define STEP   32u
#define IMAGE  ((uintptr_t)image_start)
#define LOWEST (IMAGE + 16)
#define END    (LOWEST + COUNT * STEP)

/* The image itself is not read. Another byte follows it. */
__asm__(".bss\n.globl image_start, image_end\nimage_start: .zero 16 + 40 * 32\nimage_end: .zero 1\n.text");

/* The table, which the kernel only reads. */
const uint32_t symbol_count = COUNT;
uint32_t addresses[COUNT] __asm__("symbol_addresses"), blocks[(COUNT + BLOCK - 1) / BLOCK] __asm__("symbol_blocks");
char names[8 * COUNT] __asm__("symbol_names");

static void name(char *text, unsigned i)
{
    sprintf(text, "s%u%s", i, i % 3 ? "xx" : "");
}

/* A symbol every 32 bytes, from the 16th byte of the image on; their names have different lengths. */
static int fill(void **state)
{
    size_t used = 0;

    for (unsigned i = 0; i < COUNT; i++) {
        addresses[i] = (uint32_t)(LOWEST + i * STEP);
        if (i % 16 == 0)
            blocks[i / 16] = (uint32_t)used;
        name(names + used, i);
        used += strlen(names + used) + 1;
    }
    return 0;
}

/* From each symbol's first byte to its last; the last symbol extends to the end of the image. */
UNIT_TEST(each)
{
    for (unsigned i = 0; i < COUNT; i++) {
        char want[8];
        name(want, i);
        for (unsigned at = 0; at < STEP; at++) {
            const char *got = NULL;
            uint64_t offset = 99;
            assert_true(symbol_find(LOWEST + i * STEP + at, &got, &offset));
            assert_string_equal(got, want);
            assert_int_equal(offset, at);
        }
    }
}

UNIT_TEST(outside)
{
    const uint64_t places[] = { 0, IMAGE - 1, IMAGE, LOWEST - 1, END, END + 1, UINT64_C(1) << 32 | LOWEST };

    for (unsigned i = 0; i < COUNT_OF(places); i++) {
        const char *got = "none";
        uint64_t offset = 99;
        assert_false(symbol_find(places[i], &got, &offset));
        assert_string_equal(got, "none");
        assert_int_equal(offset, 99);
    }
}
