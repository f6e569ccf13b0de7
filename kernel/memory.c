/* SPDX-License-Identifier: MIT */
#include "kernel/memory.h"

#include "arch/x86/image.h"
#include "arch/x86/paging.h"

#define BASE_MEMORY_END UINT64_C(0xa0000)
#define LOW_END         UINT64_C(0x400000) /* below this address the only devices are those of a PC's first MiB */
#define FOUR_GIB        (UINT64_C(1) << 32)

static uint64_t base, length; /* the largest range of usable memory below 4 GiB */
static uintptr_t low_page;
static const struct boot_memory *ranges;
static uint32_t range_count;

/* Number of bytes of a range below 4 GiB. */
static uint64_t low_size(const struct boot_memory *range)
{
    if (range->base >= FOUR_GIB)
        return 0;
    return range->size < FOUR_GIB - range->base ? range->size : FOUR_GIB - range->base;
}

/* Takes the highest usable page below 640 KiB, except the first, which has the BIOS's data. */
static void take_low_page(const struct boot_memory *range)
{
    const uint64_t end = range->base + range->size < BASE_MEMORY_END ? range->base + range->size : BASE_MEMORY_END;
    const uint64_t page = (end & ~(uint64_t)(PAGE_SIZE - 1)) - PAGE_SIZE;

    if (end >= 2 * PAGE_SIZE && page >= range->base && page > low_page)
        low_page = (uintptr_t)page;
}

void memory_init(const struct boot_info *boot)
{
    const struct boot_memory *map = (const struct boot_memory *)(uintptr_t)boot->memory;

    ranges = map;
    range_count = boot->memory_count;
    for (uint32_t i = 0; i < boot->memory_count; i++) {
        if (map[i].type == BOOT_MEMORY_USABLE)
            take_low_page(&map[i]);
        if (map[i].type == BOOT_MEMORY_USABLE && low_size(&map[i]) > length) {
            length = low_size(&map[i]);
            base = map[i].base;
        }
    }
}

bool memory_is_ram(uint64_t address, uint64_t size)
{
    bool any = address < LOW_END;

    for (uint32_t i = 0; i < range_count && !any; i++)
        any = ranges[i].type != BOOT_MEMORY_RESERVED && address < ranges[i].base + ranges[i].size &&
              ranges[i].base < address + size;
    return any;
}

/* From the middle of the range: loaders and the image use its ends. */
void *memory_block(size_t size)
{
    const uint64_t start = (base + (length - size) / 2) & ~(uint64_t)(PAGE_SIZE - 1);

    if (length < size + 2 * PAGE_SIZE || (start < (uintptr_t)image_end && start + size > (uintptr_t)image_start))
        return NULL;
    return (void *)(uintptr_t)start;
}

/* From the range's end downwards, a page short of it. */
void *memory_keep(size_t size, size_t alignment)
{
    const uint64_t end = base + length;
    const uint64_t start = length < size + PAGE_SIZE ? 0 : (end - PAGE_SIZE - size) & ~(uint64_t)(alignment - 1);

    if (start <= base || (start < (uintptr_t)image_end && end > (uintptr_t)image_start))
        return NULL;
    length = start - base;
    return (void *)(uintptr_t)start;
}

static bool overlap(uint64_t start, uint64_t size, uint64_t other, uint64_t other_size)
{
    return start < other + other_size && other < start + size;
}

bool memory_is_used(uint64_t start, uint64_t size)
{
    return overlap(start, size, (uintptr_t)image_start, (uint64_t)(image_end - image_start)) ||
           overlap(start, size, base, length) || (low_page && overlap(start, size, low_page, PAGE_SIZE));
}

uintptr_t memory_low_page(void)
{
    return low_page;
}
