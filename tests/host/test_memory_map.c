/* SPDX-License-Identifier: MIT */
/* The memory map for the kernel, and where a kernel may be loaded. */
#include "tests/host/unit_test.h"

#include "boot/memory_map.h"

#define USABLE   BOOT_MEMORY_USABLE
#define RESERVED BOOT_MEMORY_RESERVED
#define NVS      BOOT_MEMORY_NVS
#define LOADER   BOOT_MEMORY_LOADER

static void assert_map(const struct boot_memory *got, size_t count, const struct boot_memory *expected,
                       size_t expected_count)
{
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(got[i].base, expected[i].base);
        assert_int_equal(got[i].size, expected[i].size);
        assert_int_equal(got[i].type, expected[i].type);
    }
}

UNIT_TEST(sorts_joins_and_drops)
{
    struct boot_memory map[] = {
        { .base = 0x200000, .size = 0x1000, .type = USABLE },
        { .base = 0x100000000, .size = 0x1000, .type = USABLE },
        { .base = 0x1000, .size = 0, .type = NVS },
        { .base = 0x201000, .size = 0x3000, .type = USABLE }, /* joins */
        { .base = 0, .size = 0xa0000, .type = USABLE },
        { .base = 0x204000, .size = 0x1000, .type = NVS }, /* another type */
        { .base = 0x206000, .size = 0x1000, .type = NVS }, /* a gap */
        { .base = 0x207000, .size = 0x1000, .type = RESERVED },
    };
    static const struct boot_memory expected[] = {
        { .base = 0, .size = 0xa0000, .type = USABLE },         { .base = 0x200000, .size = 0x4000, .type = USABLE },
        { .base = 0x204000, .size = 0x1000, .type = NVS },      { .base = 0x206000, .size = 0x1000, .type = NVS },
        { .base = 0x207000, .size = 0x1000, .type = RESERVED }, { .base = 0x100000000, .size = 0x1000, .type = USABLE },
    };
    for (size_t first = 0; first < COUNT_OF(map); first++) { /* in several orders */
        struct boot_memory turned[COUNT_OF(map)];
        for (size_t i = 0; i < COUNT_OF(map); i++)
            turned[i] = map[(first + i) % COUNT_OF(map)];
        assert_map(turned, memory_map_normalize(turned, COUNT_OF(map)), expected, COUNT_OF(expected));
    }
    assert_int_equal(memory_map_normalize(map + 2, 1), 0);
    assert_int_equal(memory_map_normalize(map, 0), 0);
}

static const struct boot_memory machine[] = {
    { .base = 0, .size = 0xa0000, .type = USABLE },
    { .base = 0x100000, .size = 0x700000, .type = USABLE },
    { .base = 0x800000, .size = 0x8000, .type = NVS },
    { .base = 0x808000, .size = 0x8000, .type = LOADER },
    { .base = 0x810000, .size = 0xf0000, .type = USABLE },
    { .base = 0xfffff000, .size = 0x1000, .type = RESERVED },
    { .base = 0xfffffffffffff000, .size = 0x1000, .type = RESERVED }, /* its end overflows to 0 */
};

/* Free, or the first obstacle and its type; type 0 means no memory. */
UNIT_TEST(places)
{
    static const struct {
        uint64_t base, size, obstacle; /* 0: free */
        uint32_t type;
    } places[] = {
        { 0x200000, 0x200000, 0, 0 },
        { 0x100000, 0x700000, 0, 0 },
        { 0x9ffff, 1, 0, 0 },
        { 0x7fffff, 1, 0, 0 },
        { 0x808000, 0xf8000, 0, 0 },
        { 0x80ffff, 2, 0, 0 },
        { 0x808000, 1, 0, 0 },
        { 0x8fffff, 1, 0, 0 },
        { 0x200000, 0x600001, 0x800000, NVS },
        { 0x7fffff, 2, 0x800000, NVS },
        { 0x807fff, 1, 0x800000, NVS },
        { 0x800000, 1, 0x800000, NVS },
        { 0x9f000, 0x1001, 0xa0000, 0 },
        { 0xa0000, 0x1000, 0xa0000, 0 },
        { 0xfffff, 0x1000, 0xfffff, 0 },
        { 0x8fffff, 2, 0x900000, 0 },
        { 0xfffff000, 0x1000, 0xfffff000, RESERVED },
        { 0xffffefff, 2, 0xffffefff, 0 },
        { 0x9f000, 0x2000000, 0xa0000, 0 },
        { 0x100000000, 1, 0x100000000, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        struct boot_memory obstacle;
        assert_int_equal(memory_map_is_free(machine, COUNT_OF(machine), places[i].base, places[i].size, &obstacle),
                         !places[i].obstacle);
        assert_true(!places[i].obstacle || obstacle.base == places[i].obstacle);
        assert_true(!places[i].obstacle || obstacle.type == places[i].type);
    }
    struct boot_memory obstacle;
    assert_false(memory_map_is_free(NULL, 0, 0x200000, 1, &obstacle));
    assert_int_equal(obstacle.type, 0);
}

/* Firmware's maps may overlap: memory that any range reserves is not free. */
UNIT_TEST(overlapping_ranges)
{
    static const struct boot_memory map[] = {
        { .base = 0, .size = 0x10000, .type = USABLE },
        { .base = 0x4000, .size = 0x1000, .type = RESERVED },
        { .base = 0x8000, .size = 0x10000, .type = USABLE },
    };
    struct boot_memory obstacle;
    assert_true(memory_map_is_free(map, COUNT_OF(map), 0, 0x4000, &obstacle));
    assert_true(memory_map_is_free(map, COUNT_OF(map), 0x5000, 0x13000, &obstacle));
    assert_false(memory_map_is_free(map, COUNT_OF(map), 0, 0x18000, &obstacle));
    assert_int_equal(obstacle.base, 0x4000);
    assert_int_equal(obstacle.type, RESERVED);
}

/* UEFI 2.10, table 7.6: the meaning of each type after ExitBootServices(), in order; the last is not defined. */
UNIT_TEST(types_of_uefi)
{
    static const uint32_t types[] = { RESERVED, LOADER,   LOADER,   USABLE,           USABLE, RESERVED,
                                      RESERVED, USABLE,   RESERVED, BOOT_MEMORY_ACPI, NVS,    RESERVED,
                                      RESERVED, RESERVED, RESERVED, RESERVED };

    for (uint32_t type = 0; type < COUNT_OF(types); type++)
        assert_int_equal(memory_map_uefi_type(type), types[type]);
}
