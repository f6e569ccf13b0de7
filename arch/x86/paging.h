/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own page tables: the first 4 GiB, identity-mapped, with W^X for the image, and memory of devices above
 * 4 GiB.
 */
#ifndef ARCH_X86_PAGING_H
#define ARCH_X86_PAGING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * SDM Vol. 3A (253668-081), "4-Level Paging", table "Format of a Page-Table Entry that Maps a 4-KByte Page". Narrower
 * entries of other kinds of page tables have the lower of these bits.
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

/* The kind of page tables that option paging= asks for; the 64-bit kernel has only one. */
enum paging_wish { PAGING_AUTO, PAGING_PAE, PAGING_LEGACY };

/* The properties that determine the page tables. pae, pse, nx and pat are CPUID flags. */
struct paging_choice {
    bool pae, pse, nx, pat;
    enum paging_wish wish;
    uint64_t apic_base;      /* physical address of the local APIC's registers, mapped uncacheable; 0: none */
    const uint64_t *devices; /* pages of other devices, also mapped uncacheable */
    unsigned device_count;
};

enum paging_error {
    PAGING_OK,
    PAGING_UNSUPPORTED, /* the processor supports none of this kernel's kinds of page tables */
    PAGING_NOT_WISHED   /* the requested kind is not supported */
};

/* Builds the tables and switches to them; after an error, paging is as before. */
enum paging_error paging_init(const struct paging_choice *choice);

const char *paging_error_text(enum paging_error error);

/* Switches the calling processor to the tables that paging_init() built. */
void paging_enter(void);

/* After paging_init(): "4-level", "PAE" or "32-bit"; and whether entries have PAGE_NO_EXECUTE. */
const char *paging_name(void);
bool paging_no_execute(void);

/* The value that paging_init() loads into CR3; already valid before that call. */
uintptr_t paging_root(void);

/*
 * Maps a device's memory, such as a frame buffer, at a linear address, write-combining if the processor has the page
 * attribute table. physical and linear must have the same offset from a 2 MiB boundary (4 MiB with 32-bit paging).
 * size: 1 byte to 1 GiB. Returns false, and maps no memory, if an argument is invalid, if the tables cannot express an
 * address, or if another device already uses the tables reserved for this.
 */
#define PAGING_DEVICE_MAX (UINT64_C(1) << 30)
bool paging_map_device(uint64_t linear, uint64_t physical, uint64_t size);

/* Walks the tables of CR3. *entry gets the rights that all levels together allow; false if not present. */
bool paging_lookup(uint64_t linear, uint64_t *entry);

/* Replaces the entry of a 4 KiB page and returns the old one. For tests of invalid pages. */
uint64_t paging_exchange(uint64_t linear, uint64_t entry);

#endif
