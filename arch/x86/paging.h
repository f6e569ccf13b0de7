/* SPDX-License-Identifier: MIT */
/* The kernel's own page tables: identity, the first 4 GiB, W^X around the image. */
#ifndef ARCH_X86_PAGING_H
#define ARCH_X86_PAGING_H

#include <stdbool.h>
#include <stdint.h>

/* SDM Vol. 3A (253668), "4-Level Paging", table "Format of a Page-Table Entry that Maps a 4-KByte Page". */
#define PAGE_SIZE          4096u
#define PAGE_PRESENT       (UINT64_C(1) << 0)
#define PAGE_WRITE         (UINT64_C(1) << 1)
#define PAGE_USER          (UINT64_C(1) << 2)
#define PAGE_WRITE_THROUGH (UINT64_C(1) << 3)
#define PAGE_CACHE_DISABLE (UINT64_C(1) << 4)
#define PAGE_ACCESSED      (UINT64_C(1) << 5)
#define PAGE_DIRTY         (UINT64_C(1) << 6)
#define PAGE_LARGE         (UINT64_C(1) << 7)
#define PAGE_NO_EXECUTE    (UINT64_C(1) << 63)
#define PAGE_ADDRESS       UINT64_C(0x000ffffffffff000)

/*
 * Builds the tables and switches to them. no_execute: the processor has the NX bit. apic_base: physical address of the
 * local APIC's registers, whose page becomes uncacheable; 0 for none.
 */
void paging_init(bool no_execute, uint64_t apic_base);

/* Walks the tables that CR3 points to. Fills *entry with what all levels together allow; false: not present. */
bool paging_lookup(uint64_t linear, uint64_t *entry);

#endif
