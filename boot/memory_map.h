/* SPDX-License-Identifier: MIT */
/* Normalizes the memory map for the kernel, and checks whether a kernel may be loaded at an address. Pure. */
#ifndef BOOT_MEMORY_MAP_H
#define BOOT_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/boot_info.h"

/*
 * The type of memory that this loader or an earlier loader occupies; ACPI leaves this number to the platform. A kernel
 * may be loaded there, as into usable memory, but must not allocate it, because it contains boot_info.
 */
#define BOOT_MEMORY_LOADER 0xf0000000u

/* The range type of a UEFI memory type after ExitBootServices(): UEFI 2.10, table 7.6. */
uint32_t memory_map_uefi_type(uint32_t type);

/* Sorts count ranges by base, drops empty ranges, joins adjacent ranges of the same type; returns the new count. */
size_t memory_map_normalize(struct boot_memory *map, size_t count);

/*
 * Whether size bytes from base lie entirely in usable or loader memory of a sorted map, and in no range of another
 * type; base + size must not wrap. If not, *obstacle is the first range in the way, with type 0 for a hole in the map.
 */
bool memory_map_is_free(const struct boot_memory *map, size_t count, uint64_t base, uint64_t size,
                        struct boot_memory *obstacle);

#endif
