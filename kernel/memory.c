/* SPDX-License-Identifier: MIT */
#include "kernel/memory.h"

#include "arch/x86/image.h"
#include "arch/x86/paging.h"

#define FOUR_GIB (UINT64_C(1) << 32)

static uint64_t base, length; /* the largest range of usable memory below 4 GiB */

/* What of a range lies below 4 GiB. */
static uint64_t low_size(const struct boot_memory *range)
{
    if (range->base >= FOUR_GIB)
        return 0;
    return range->size < FOUR_GIB - range->base ? range->size : FOUR_GIB - range->base;
}

void memory_init(const struct boot_info *boot)
{
    const struct boot_memory *map = (const struct boot_memory *)(uintptr_t)boot->memory;

    for (uint32_t i = 0; i < boot->memory_count; i++) {
        if (map[i].type == BOOT_MEMORY_USABLE && low_size(&map[i]) > length) {
            length = low_size(&map[i]);
            base = map[i].base;
        }
    }
}

/* In the middle: loaders keep their own at either end, and so does the image. */
void *memory_block(size_t size)
{
    const uint64_t start = (base + (length - size) / 2) & ~(uint64_t)(PAGE_SIZE - 1);

    if (length < size + 2 * PAGE_SIZE || (start < (uintptr_t)image_end && start + size > (uintptr_t)image_start))
        return NULL;
    return (void *)(uintptr_t)start;
}
