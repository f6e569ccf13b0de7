/* SPDX-License-Identifier: MIT */
/* The kernel's own page tables: identity, the first 4 GiB, W^X around the image. */
#ifndef ARCH_X86_PAGING_H
#define ARCH_X86_PAGING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * SDM Vol. 3A (253668-081), "4-Level Paging", table "Format of a Page-Table Entry that Maps a 4-KByte Page". The other
 * kinds of page tables have the same bits in the same places, as far as their entries go.
 */
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

/* Which kind of page tables somebody wants; those of the 64-bit kernel leave no choice. */
enum paging_wish { PAGING_AUTO, PAGING_PAE, PAGING_LEGACY };

/* What decides on the tables; the first three are CPUID's flags. */
struct paging_choice {
    bool pae, pse, nx;
    enum paging_wish wish;
    uint64_t apic_base; /* physical address of the local APIC's registers, whose page becomes uncacheable; 0: none */
};

enum paging_error {
    PAGING_OK,
    PAGING_UNSUPPORTED, /* the processor has none of the kinds that this kernel knows */
    PAGING_NOT_WISHED   /* none of those that it has is the one that was wanted */
};

/* Builds the tables and switches to them; after an error nothing has changed. */
enum paging_error paging_init(const struct paging_choice *choice);

const char *paging_error_text(enum paging_error error);

/* Switches another processor to the tables that were built. */
void paging_enter(void);

/* "4-level", "PAE" or "32-bit"; and whether entries of this kind have PAGE_NO_EXECUTE here. After paging_init. */
const char *paging_name(void);
bool paging_no_execute(void);

/* What paging_init puts into CR3, known before it does. */
uintptr_t paging_root(void);

/* Walks the tables that CR3 points to. Fills *entry with what all levels together allow; false: not present. */
bool paging_lookup(uint64_t linear, uint64_t *entry);

/* Exchanges the entry of a page of 4 KiB, and returns the old one. For tests of what a page must not be. */
uint64_t paging_exchange(uint64_t linear, uint64_t entry);

#endif
