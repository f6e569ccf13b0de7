/* SPDX-License-Identifier: MIT */
/* Memory that nobody uses, beyond the kernel's own: what a test needs too much of to have it in the image. */
#ifndef KERNEL_MEMORY_H
#define KERNEL_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"

/* Before paging_init: the memory map may lie in a page that is absent afterwards. */
void memory_init(const struct boot_info *boot);

/*
 * size bytes of usable memory below 4 GiB, on a page boundary, the same each time: there is one block, and the test
 * that runs has it. NULL where the machine has no such piece.
 */
void *memory_block(size_t size);

/* A usable page below 640 KiB, whose bytes somebody may still need; 0: the memory map has none. */
uintptr_t memory_low_page(void);

#endif
