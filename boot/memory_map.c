/* SPDX-License-Identifier: MIT */
#include "boot/memory_map.h"

uint32_t memory_map_uefi_type(uint32_t type)
{
    switch (type) {
    case 1: /* EfiLoaderCode, EfiLoaderData */
    case 2:
        return BOOT_MEMORY_LOADER;
    case 3: /* EfiBootServicesCode, EfiBootServicesData, EfiConventionalMemory */
    case 4:
    case 7:
        return BOOT_MEMORY_USABLE;
    case 9: /* EfiACPIReclaimMemory */
        return BOOT_MEMORY_ACPI;
    case 10: /* EfiACPIMemoryNVS */
        return BOOT_MEMORY_NVS;
    default:
        return BOOT_MEMORY_RESERVED;
    }
}

size_t memory_map_normalize(struct boot_memory *map, size_t count)
{
    /* Insertion sort, because maps from firmware are nearly sorted. */
    for (size_t i = 1; i < count; i++) {
        struct boot_memory range = map[i];
        size_t hole = i;
        for (; hole > 0 && map[hole - 1].base > range.base; hole--)
            map[hole] = map[hole - 1];
        map[hole] = range;
    }

    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (map[i].size == 0)
            continue;
        if (kept > 0 && map[kept - 1].type == map[i].type && map[kept - 1].base + map[kept - 1].size == map[i].base)
            map[kept - 1].size += map[i].size;
        else
            map[kept++] = map[i];
    }
    return kept;
}

bool memory_map_is_free(const struct boot_memory *map, size_t count, uint64_t base, uint64_t size,
                        struct boot_memory *obstacle)
{
    const uint64_t end = base + size;
    uint64_t free_to = base;

    for (size_t i = 0; i < count && map[i].base < end; i++) {
        const uint64_t reach = map[i].size > end - map[i].base ? end : map[i].base + map[i].size;
        if (reach <= base)
            continue;
        if (map[i].base > free_to)
            break;
        if (map[i].type != BOOT_MEMORY_USABLE && map[i].type != BOOT_MEMORY_LOADER) {
            *obstacle = map[i];
            return false;
        }
        if (reach > free_to)
            free_to = reach;
    }
    if (free_to == end)
        return true;
    *obstacle = (struct boot_memory){ .base = free_to };
    return false;
}
