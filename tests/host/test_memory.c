/* SPDX-License-Identifier: MIT */
/* Which memory is allocated to the tests, from maps of every shape. */
#include "tests/host/unit_test.h"

#include "arch/x86/image.h"

/* The image is where linker.ld puts it. */
#define IMAGE       0x200000u
#define IMAGE_SIZE  0x10000u
#define image_start ((const uint8_t *)(uintptr_t)IMAGE)
#define image_end   ((const uint8_t *)(uintptr_t)(IMAGE + IMAGE_SIZE))
#include "kernel/memory.c"

#define KIB UINT64_C(0x400)
#define MIB UINT64_C(0x100000)
#define GIB UINT64_C(0x40000000)

static void start(const struct boot_memory *map, uint32_t count)
{
    base = length = 0;
    low_page = 0;
    memory_init(&(struct boot_info){ .memory = (uintptr_t)map, .memory_count = count });
}

#define START(...)                                             \
    do {                                                       \
        const struct boot_memory map_[] = { __VA_ARGS__ };     \
        start(map_, (uint32_t)(sizeof map_ / sizeof map_[0])); \
    } while (0)

#define LOW_PAGE(page, ...)                          \
    do {                                             \
        START(__VA_ARGS__);                          \
        assert_int_equal(memory_low_page(), (page)); \
    } while (0)

static void expect_block(size_t size, uint64_t address)
{
    assert_int_equal((uintptr_t)memory_block(size), address);
}

/* Not the first page, and not reserved. */
UNIT_TEST(the_low_page_is_the_highest_below_640_kib)
{
    LOW_PAGE(0x9e000, { 0, 0x9fc00, 1, 0 });
    LOW_PAGE(0x9e000, { 0, 0x9f001, 1, 0 });
    LOW_PAGE(0x9e000, { 0, 0x9f000, 1, 0 });
    LOW_PAGE(0x9f000, { 0, 0xa0000, 1, 0 });
    LOW_PAGE(0x9f000, { 0, 0xa1000, 1, 0 });
    LOW_PAGE(0x9f000, { 0, 2 * GIB, 1, 0 });
    LOW_PAGE(0x9f000, { 0x9e800, 0x1800, 1, 0 }); /* one whole page */
    LOW_PAGE(0, { 0x9f800, 0x800, 1, 0 });        /* none */
    LOW_PAGE(0x9f000, { 0x9f000, 0x1000, 1, 0 });

    LOW_PAGE(0, { 0, 0x800, 1, 0 });
    LOW_PAGE(0, { 0, 0x1000, 1, 0 });
    LOW_PAGE(0, { 0, 0x1fff, 1, 0 });
    LOW_PAGE(0x1000, { 0, 0x2000, 1, 0 });
    LOW_PAGE(0, { 0, 0x9fc00, 2, 0 }, { 0xf0000, 0x10000, 1, 0 }, { MIB, MIB, 1, 0 });
    LOW_PAGE(0, { 0xa0000, 0x10000, 1, 0 });
    LOW_PAGE(0x57000, { 0x8000, 0x8000, 1, 0 }, { 0x50000, 0x8000, 1, 0 }, { 0x20000, 0x1000, 1, 0 },
             { 0x60000, 0x1000, 3, 0 });
}

/* Memory: the map except reserved ranges, and all addresses below 4 MiB. Anything else may be a device. */
UNIT_TEST(memory_that_holds_data)
{
    static const struct boot_memory map[] = { { 0x800000, MIB, 1, 0 },
                                              { 0x900000, MIB, 2, 0 },
                                              { 0xa00000, MIB, 3, 0 },
                                              { 0xb00000, MIB, 4, 0 },
                                              { 0xc00000, MIB, 0x100, 0 } };
    static const struct {
        uint64_t address, size;
        bool holds;
    } rows[] = { { 0, 1, true },         { 0x3fffff, 1, true },  { 0x400000, 8, false },
                 { 0x7ffffc, 4, false }, { 0x7ffffc, 5, true },  { 0x800000, 1, true },
                 { 0x8fffff, 8, true },  { 0x900000, 8, false }, /* reserved, as a device may be */
                 { 0xa00000, 8, true },                          /* ACPI's tables */
                 { 0xb00000, 8, true },                          /* ACPI NVS */
                 { 0xc00000, 8, true },                          /* the loader's */
                 { 0xcfffff, 1, true },  { 0xd00000, 8, false }, { 0xfffffff8, 8, false } };

    start(map, COUNT_OF(map));
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(memory_is_ram(rows[i].address, rows[i].size), rows[i].holds);
}

/* From the middle of the largest range, on a page boundary, with a page or more left on either side. */
UNIT_TEST(a_block_is_in_the_middle_of_the_largest_range)
{
    START({ 0, 640 * KIB, 1, 0 }, { 16 * GIB, 64 * GIB, 1, 0 }, { 0x80000000, 64 * MIB, 1, 0 },
          { 0xa0000000, 256 * MIB, 4, 0 }, { 0x90000000, 32 * MIB, 1, 0 });
    expect_block(16 * MIB, 0x80000000 + 24 * MIB);
    expect_block(1, 0x80000000 + 32 * MIB - PAGE_SIZE);
    expect_block(PAGE_SIZE, 0x80000000 + 32 * MIB - PAGE_SIZE);
    expect_block(64 * MIB - 2 * PAGE_SIZE, 0x80000000 + PAGE_SIZE);
    expect_block(64 * MIB - 2 * PAGE_SIZE + 1, 0);
    expect_block(64 * MIB, 0);
    expect_block(65 * MIB, 0);
    START({ 0x80000800, 0x5000, 1, 0 });
    expect_block(PAGE_SIZE, 0x80002000);
}

UNIT_TEST(only_memory_below_4_gib_counts)
{
    START({ 4 * GIB, GIB, 1, 0 });
    expect_block(PAGE_SIZE, 0);
    START({ 3 * GIB, 8 * GIB, 1, 0 }); /* 1 GiB of it below 4 GiB */
    expect_block(512 * MIB, 3 * GIB + 256 * MIB);
    START({ 3 * GIB, 2 * GIB, 1, 0 });
    expect_block(512 * MIB, 3 * GIB + 256 * MIB);
    START({ 3 * GIB, GIB, 1, 0 }, { GIB, GIB + 1, 1, 0 });
    expect_block(512 * MIB, GIB + 256 * MIB);
    START({ 0xffffc000, 0x100000000 - 0xffffc000 + 1, 1, 0 }, { 0x80000000, 0x4000, 1, 0 });
    expect_block(PAGE_SIZE, 0xffffd000);
    START({ 0, 0, 1, 0 });
    expect_block(PAGE_SIZE, 0);
}

UNIT_TEST(a_block_does_not_touch_the_image)
{
    const uint64_t image = IMAGE, size = IMAGE_SIZE;

    START({ image - 64 * PAGE_SIZE, 128 * PAGE_SIZE + size, 1, 0 }); /* the image is in the middle */
    expect_block(PAGE_SIZE, 0);
    expect_block(64 * PAGE_SIZE, 0);
    START({ image - 10 * PAGE_SIZE, 16 * PAGE_SIZE, 1, 0 }); /* the middle ends where the image begins */
    expect_block(4 * PAGE_SIZE, image - 4 * PAGE_SIZE);
    expect_block(5 * PAGE_SIZE, image - 5 * PAGE_SIZE);
    expect_block(6 * PAGE_SIZE, 0);
    START({ image + size - 6 * PAGE_SIZE, 16 * PAGE_SIZE, 1, 0 }); /* the middle begins where the image ends */
    expect_block(4 * PAGE_SIZE, image + size);
    expect_block(6 * PAGE_SIZE, 0);
}

static void expect_kept(size_t size, size_t alignment, uint64_t address)
{
    assert_int_equal((uintptr_t)memory_keep(size, alignment), address);
}

/* Kept memory: from the end of the largest range downwards, with a page between. memory_block() uses the rest. */
UNIT_TEST(kept_memory_is_the_end_of_the_largest_range)
{
    const uint64_t image = (uintptr_t)image_start;

    START({ 0x80000000, 64 * MIB, 1, 0 });
    expect_kept(PAGE_SIZE, PAGE_SIZE, 0x84000000 - 2 * PAGE_SIZE);
    expect_kept(1, PAGE_SIZE, 0x84000000 - 4 * PAGE_SIZE);
    expect_kept(MIB, 2 * MIB, 0x83e00000);
    expect_kept(PAGE_SIZE, PAGE_SIZE, 0x83e00000 - 2 * PAGE_SIZE);
    expect_block(PAGE_SIZE, 0x81efe000);
    expect_kept(64 * MIB, PAGE_SIZE, 0);
    expect_kept(PAGE_SIZE, 64 * MIB, 0);
    START({ 0x80000000, 4 * PAGE_SIZE, 1, 0 });
    expect_kept(4 * PAGE_SIZE, PAGE_SIZE, 0);
    expect_kept(3 * PAGE_SIZE, PAGE_SIZE, 0);
    expect_kept(2 * PAGE_SIZE, PAGE_SIZE, 0x80001000);
    expect_kept(PAGE_SIZE, PAGE_SIZE, 0);
    START({ image - 10 * PAGE_SIZE, 10 * PAGE_SIZE + IMAGE_SIZE + 4 * PAGE_SIZE, 1, 0 });
    expect_kept(4 * PAGE_SIZE, PAGE_SIZE, 0);
    expect_kept(2 * PAGE_SIZE, PAGE_SIZE, image + IMAGE_SIZE + PAGE_SIZE);
    START({ image - 10 * PAGE_SIZE, 10 * PAGE_SIZE + IMAGE_SIZE + 4 * PAGE_SIZE, 1, 0 });
    expect_kept(3 * PAGE_SIZE, PAGE_SIZE, image + IMAGE_SIZE); /* directly after the image */
    START({ image - 10 * PAGE_SIZE, 10 * PAGE_SIZE, 1, 0 });   /* it ends where the image begins */
    expect_kept(4 * PAGE_SIZE, PAGE_SIZE, image - 5 * PAGE_SIZE);
    START({ image - 10 * PAGE_SIZE, 10 * PAGE_SIZE + 1, 1, 0 });
    expect_kept(4 * PAGE_SIZE, PAGE_SIZE, 0);
}

/* The image, the range from which memory is allocated, and the low page. */
UNIT_TEST(used_memory)
{
    static const struct {
        uint64_t start, size;
        bool used;
    } cases[] = {
        { 0x1fffff, 1, false },     { 0x1fffff, 2, true },      { 0x20ffff, 1, true },   { 0x210000, 1, false },
        { 0, 0x200000, true },      { 0x9dfff, 1, false },      { 0x9e000, 1, true },    { 0x9efff, 1, true },
        { 0x9f000, 0x1000, false }, { 16 * MIB - 1, 1, false }, { 16 * MIB, 1, true },   { 32 * MIB - 1, 1, true },
        { 32 * MIB, 1, false },     { 3 * GIB, GIB, false },    { 4 * GIB, GIB, false }, { 0, 4 * GIB, true },
    };
    START({ 0, 0x9fc00, 1, 0 }, { 16 * MIB, 16 * MIB, 1, 0 });
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(memory_is_used(cases[i].start, cases[i].size), cases[i].used);
    START({ 16 * MIB, 16 * MIB, 2, 0 }); /* only the image */
    assert_false(memory_is_used(0, 0x200000));
    assert_true(memory_is_used(0, 0x200001));
    assert_false(memory_is_used(16 * MIB, 16 * MIB));
}
