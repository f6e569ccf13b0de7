/* SPDX-License-Identifier: MIT */
/* Unused memory outside the kernel, for what does not fit into the image. */
#ifndef KERNEL_MEMORY_H
#define KERNEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"

/* Must be called before paging_init(): the memory map may be in a page that is absent afterwards. */
void memory_init(const struct boot_info *boot);

/*
 * Whether any of these bytes is memory for data, and no device: of the memory map's ranges, those that are not
 * reserved, and all that lies below the end of the kernel's first 4 MiB. After memory_init(), before paging_init().
 */
bool memory_holds(uint64_t address, uint64_t size);

/*
 * size bytes of usable memory below 4 GiB, on a page boundary. There is only one block, for the test that runs. NULL if
 * the machine has none of that size.
 */
void *memory_block(size_t size);

/*
 * size bytes of usable memory below 4 GiB, on a boundary of `alignment` (a power of two, a page at least), that stay
 * the caller's for the whole run. NULL if there are none. Must be called before the first test.
 */
void *memory_keep(size_t size, size_t alignment);

/* Whether any of size bytes at a physical address is the image, or memory that the functions here give out. */
bool memory_is_used(uint64_t start, uint64_t size);

/* A usable page below 640 KiB, whose contents must be restored after use; 0: there is none. */
uintptr_t memory_low_page(void);

#endif
