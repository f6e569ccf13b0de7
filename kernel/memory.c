/* SPDX-License-Identifier: MIT */
#include "kernel/memory.h"

#include "arch/x86/image.h"
#include "arch/x86/paging.h"

#define BASE_MEMORY_END UINT64_C(0xa0000)
#define FOUR_GIB        (UINT64_C(1) << 32)

static uint64_t base, length; /* the largest range of usable memory below 4 GiB */
static uintptr_t low_page;

/* Bytes of a range that lie below 4 GiB. */
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

    if (range->base < BASE_MEMORY_END && end >= 2 * PAGE_SIZE && page >= range->base && page > low_page)
        low_page = (uintptr_t)page;
}

void memory_init(const struct boot_info *boot)
{
    const struct boot_memory *map = (const struct boot_memory *)(uintptr_t)boot->memory;

    for (uint32_t i = 0; i < boot->memory_count; i++) {
        if (map[i].type == BOOT_MEMORY_USABLE)
            take_low_page(&map[i]);
        if (map[i].type == BOOT_MEMORY_USABLE && low_size(&map[i]) > length) {
            length = low_size(&map[i]);
            base = map[i].base;
        }
    }
}

/* Taken from the middle of the range: loaders, and the image, use its ends. */
void *memory_block(size_t size)
{
    const uint64_t start = (base + (length - size) / 2) & ~(uint64_t)(PAGE_SIZE - 1);

    if (length < size + 2 * PAGE_SIZE || (start < (uintptr_t)image_end && start + size > (uintptr_t)image_start))
        return NULL;
    return (void *)(uintptr_t)start;
}

uintptr_t memory_low_page(void)
{
    return low_page;
}
