/* SPDX-License-Identifier: MIT */
/* The memory map that the kernel gets, put in order, and what of it a kernel may be placed over. Pure. */
#ifndef BOOT_MEMORY_MAP_H
#define BOOT_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/boot_info.h"

/*
 * Memory that this loader, or one before it, holds. A kernel is placed over it as over usable memory, but must not
 * allocate from it, for boot_info lies there: hence a type of its own, out of those that ACPI leaves to the platform.
 */
#define BOOT_MEMORY_LOADER 0xf0000000u

/* Sorts count ranges by base, drops empty ones, joins neighbours of one type; returns how many are left. */
size_t memory_map_normalize(struct boot_memory *map, size_t count);

/*
 * Whether size bytes from base lie wholly in usable or loader memory of a sorted map, and in no range of another type;
 * base + size must not wrap. If not, *obstacle is what is first in the way, of type 0 where the map has nothing.
 */
bool memory_map_is_free(const struct boot_memory *map, size_t count, uint64_t base, uint64_t size,
                        struct boot_memory *obstacle);

#endif
