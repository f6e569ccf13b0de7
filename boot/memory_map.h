/* SPDX-License-Identifier: MIT */
/* Normalizes the memory map for the kernel, and tells where a kernel may be loaded. Pure. */
#ifndef BOOT_MEMORY_MAP_H
#define BOOT_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/boot_info.h"

/*
 * Memory that this loader or an earlier one occupies. A kernel may be loaded over it as over usable memory, but must
 * not allocate from it, because boot_info is in it: hence a type of its own, from ACPI's range for the platform.
 */
#define BOOT_MEMORY_LOADER 0xf0000000u

/* Sorts count ranges by base, drops empty ones, joins neighbours of one type; returns how many are left. */
size_t memory_map_normalize(struct boot_memory *map, size_t count);

/*
 * Whether size bytes from base lie entirely in usable or loader memory of a sorted map, and in no range of another
 * type; base + size must not wrap. If not, *obstacle is the first range in the way, with type 0 for a hole in the map.
 */
bool memory_map_is_free(const struct boot_memory *map, size_t count, uint64_t base, uint64_t size,
                        struct boot_memory *obstacle);

#endif
