/* SPDX-License-Identifier: MIT */
/* Unused memory outside the kernel, for data that does not fit into the image. */
#ifndef KERNEL_MEMORY_H
#define KERNEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"

/* Must be called before paging_init(): the memory map may be in a page that is absent afterwards. */
void memory_init(const struct boot_info *boot);

/*
 * Whether any of these bytes is RAM instead of a device: in a range of the memory map that is not reserved, or in the
 * first 4 MiB. Must be called after memory_init() and before paging_init().
 */
bool memory_is_ram(uint64_t address, uint64_t size);

/*
 * Allocates size bytes of usable memory below 4 GiB, page-aligned, for the running test. There is only one such block:
 * the next call reuses it. NULL if the machine has no block of that size.
 */
void *memory_block(size_t size);

/*
 * size bytes of usable memory below 4 GiB, aligned on `alignment` (a power of two, at least a page), allocated for the
 * whole run. NULL if the machine has none. Must be called before the first test.
 */
void *memory_keep(size_t size, size_t alignment);

/* Whether any of size bytes at a physical address is in the image or in memory allocated here. */
bool memory_is_used(uint64_t start, uint64_t size);

/* A usable page below 640 KiB, whose contents must be restored after use; 0: none. */
uintptr_t memory_low_page(void);

#endif
