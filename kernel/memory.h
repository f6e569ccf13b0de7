/* SPDX-License-Identifier: MIT */
/* Unused memory outside the kernel, for tests that need more than fits into the image. */
#ifndef KERNEL_MEMORY_H
#define KERNEL_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"

/* Must be called before paging_init(): the memory map may be in a page that is absent afterwards. */
void memory_init(const struct boot_info *boot);

/*
 * size bytes of usable memory below 4 GiB, on a page boundary. There is only one block, for the test that runs. NULL if
 * the machine has none of that size.
 */
void *memory_block(size_t size);

/* A usable page below 640 KiB, whose contents must be restored after use; 0: there is none. */
uintptr_t memory_low_page(void);

#endif
