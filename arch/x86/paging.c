/* SPDX-License-Identifier: MIT */
#include "arch/x86/paging.h"

#include <stddef.h>

#include "arch/x86/cpu.h"
#include "arch/x86/image.h"
#include "arch/x86/msr.h"

#define CR0_WP  (UINT32_C(1) << 16)
#define CR0_PG  (UINT32_C(1) << 31)
#define CR4_PSE (1u << 4)
#define CR4_PAE (1u << 5)

#define MEMORY_END    (UINT64_C(4) << 30)
#define SMALL_END     (UINT64_C(4) << 20) /* low memory and the image, below this, have 4 KiB pages */
#define TABLES_OURS   7u                  /* page tables except the root: the most that any kind needs */
#define TABLES_DEVICE 6u                  /* page tables for a device */
#define TABLES        (TABLES_OURS + TABLES_DEVICE)
#define LEVELS        4u
/*
 * The page attribute table as after a reset, except that entry 1 (PAGE_WRITE_THROUGH without PAGE_CACHE_DISABLE) is
 * write-combining: SDM Vol. 3A (253668-081), "Page Attribute Table (PAT)". No page has used that entry before, so no
 * cache line changes its type.
 */
#define PAT_VALUE      UINT64_C(0x0007040600070106)
#define WRITE_COMBINES PAGE_WRITE_THROUGH

#define ENTRY_TABLE (PAGE_PRESENT | PAGE_WRITE | PAGE_USER | PAGE_ACCESSED)

/* A kind of page tables (SDM Vol. 3A (253668-081), "Paging"): its levels, from the root down to the 4 KiB pages. */
static const struct paging {
    const char *name;
    unsigned width; /* of the kernel that can use these tables */
    enum paging_wish wish;
    bool pae; /* 8-byte entries; otherwise 4-byte */
    uint32_t cr4;
    unsigned levels;
    struct {
        unsigned shift, bits; /* position and size of this level's index in the linear address */
        uint64_t table;       /* flags of an entry that points to a table */
    } level[LEVELS];
} kinds[] = {
    { "4-level",
      64,
      PAGING_AUTO,
      true,
      CR4_PAE,
      4,
      { { 39, 9, ENTRY_TABLE }, { 30, 9, ENTRY_TABLE }, { 21, 9, ENTRY_TABLE }, { 12, 9, 0 } } },
    { "PAE",
      32,
      PAGING_PAE,
      true,
      CR4_PAE,
      3,
      { { 30, 2, PAGE_PRESENT }, { 21, 9, ENTRY_TABLE }, { 12, 9, 0 } } }, /* the top level has no access rights */
    { "32-bit", 32, PAGING_LEGACY, false, CR4_PSE, 2, { { 22, 10, ENTRY_TABLE }, { 12, 10, 0 } } },
};

static const struct paging *paging;
static bool no_execute, attribute_table;
static uint8_t root[PAGE_SIZE] __attribute__((aligned(4096)));
static uint8_t tables[TABLES][PAGE_SIZE] __attribute__((aligned(4096)));
static unsigned tables_used;

static uint64_t address_of(const void *object)
{
    return (uint64_t)(uintptr_t)object;
}

static uint64_t entry_get(const void *table, unsigned level, uint64_t linear)
{
    size_t i = (size_t)(linear >> paging->level[level].shift) & ((1u << paging->level[level].bits) - 1);

    return paging->pae ? ((const uint64_t *)table)[i] : ((const uint32_t *)table)[i];
}

static void entry_set(void *table, unsigned level, uint64_t linear, uint64_t entry)
{
    size_t i = (size_t)(linear >> paging->level[level].shift) & ((1u << paging->level[level].bits) - 1);

    if (paging->pae)
        ((uint64_t *)table)[i] = entry;
    else
        ((uint32_t *)table)[i] = (uint32_t)entry;
}

/* Adds a table below an entry of this level. If the entry mapped a large page, the table maps the same memory. */
static void *add_table(unsigned level, uint64_t entry)
{
    void *table = tables[tables_used++];
    const unsigned shift = paging->level[level + 1].shift;

    if (entry & PAGE_PRESENT)
        for (uint64_t i = 0; i < UINT64_C(1) << paging->level[level + 1].bits; i++)
            entry_set(table, level + 1, i << shift, (entry & ~PAGE_LARGE) + (i << shift));
    return table;
}

/* Sets the entry for an address at this level, and creates the tables above it. */
static void map(uint64_t linear, unsigned level, uint64_t entry)
{
    void *table = root;

    for (unsigned above = 0; above < level; above++) {
        uint64_t next = entry_get(table, above, linear);
        if (!(next & PAGE_PRESENT) || next & PAGE_LARGE) {
            next = address_of(add_table(above, next)) | paging->level[above].table;
            entry_set(table, above, linear, next);
        }
        table = (void *)(uintptr_t)(next & PAGE_ADDRESS);
    }
    entry_set(table, level, linear, entry);
}

/* Sets the access rights of the pages from start to end. */
static void protect(const uint8_t *start, const uint8_t *end, uint64_t rights)
{
    for (uint64_t page = address_of(start); page < address_of(end); page += PAGE_SIZE)
        map(page, paging->levels - 1, page | rights);
}

/* Whether a page has the registers of a device. */
static bool is_device(const struct paging_choice *choice, uint64_t page, uint64_t size)
{
    for (unsigned i = 0; i < choice->device_count; i++)
        if (choice->devices[i] >= page && choice->devices[i] < page + size)
            return true;
    return choice->apic_base >= page && choice->apic_base < page + size;
}

static void build(const struct paging_choice *choice)
{
    const uint64_t nx = no_execute ? PAGE_NO_EXECUTE : 0;
    const uint64_t code = PAGE_PRESENT | PAGE_ACCESSED;
    const uint64_t constant = PAGE_PRESENT | PAGE_ACCESSED | nx;
    const uint64_t data = PAGE_PRESENT | PAGE_WRITE | PAGE_ACCESSED | PAGE_DIRTY | nx;
    const unsigned large = paging->levels - 2;
    const uint64_t large_size = UINT64_C(1) << paging->level[large].shift;
    const uint8_t *const second_page = (const uint8_t *)(uintptr_t)PAGE_SIZE; /* the null page is not present */

    for (uint64_t page = SMALL_END; page < MEMORY_END; page += large_size) {
        const bool device = is_device(choice, page, large_size);
        map(page, large, page | data | PAGE_LARGE | (device ? PAGE_CACHE_DISABLE | PAGE_WRITE_THROUGH : 0));
    }
    protect(second_page, image_start, data);
    protect(text_start, text_end, code);
    protect(user_start, user_end, code | PAGE_USER);
    protect(rodata_start, rodata_end, constant);
    protect(data_start, data_end, data); /* includes the DS area: present, accessed, dirty, not code */
    protect(user_data_start, user_data_end, data | PAGE_USER);
    protect(stack_guard, stack_guard + PAGE_SIZE, 0);
    protect(symbols_start, symbols_end, constant);
    protect(image_end, (const uint8_t *)(uintptr_t)SMALL_END, data);
}

static bool fits(const struct paging *kind, const struct paging_choice *choice)
{
    return kind->width == 8 * sizeof(void *) && (choice->wish == PAGING_AUTO || choice->wish == kind->wish) &&
           (kind->pae ? choice->pae : choice->pse);
}

void paging_enter(void)
{
    if (attribute_table)
        msr_write(MSR_IA32_PAT, PAT_VALUE);
    if (no_execute)
        msr_write(MSR_IA32_EFER, msr_get(MSR_IA32_EFER) | EFER_NXE);
    cr4_write(cr4_read() | paging->cr4);
    cr3_write(paging_root());
    cr0_write(cr0_read() | CR0_WP | CR0_PG);
}

enum paging_error paging_init(const struct paging_choice *choice)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !paging; i++)
        if (fits(&kinds[i], choice))
            paging = &kinds[i];
    if (!paging)
        return choice->wish == PAGING_AUTO ? PAGING_UNSUPPORTED : PAGING_NOT_WISHED;
    no_execute = choice->nx && paging->pae;
    attribute_table = choice->pat && msr_write(MSR_IA32_PAT, PAT_VALUE);
    build(choice);
    paging_enter();
    return PAGING_OK;
}

const char *paging_error_text(enum paging_error error)
{
    switch (error) {
    case PAGING_OK:
        return "no error";
    case PAGING_UNSUPPORTED:
        return "the processor has neither PAE nor 4 MiB pages (CPUID.1:EDX bits 6 and 3 are clear)";
    case PAGING_NOT_WISHED:
        return "option paging=: this kernel or this processor does not support these page tables; omit it";
    }
    return "unknown paging error";
}

const char *paging_name(void)
{
    return paging->name;
}

bool paging_no_execute(void)
{
    return no_execute;
}

uintptr_t paging_root(void)
{
    return (uintptr_t)root;
}

/* Whether every address of a range fits into this many bits: 47 for the lower half of 64-bit linear addresses. */
static bool expresses(uint64_t start, uint64_t size, unsigned bits)
{
    return start + size - 1 >= start && (start + size - 1) >> bits == 0;
}

bool paging_map_device(uint64_t linear, uint64_t physical, uint64_t size)
{
    const unsigned large = paging->levels - 2;
    const uint64_t large_size = UINT64_C(1) << paging->level[large].shift;
    const uint64_t flags = PAGE_PRESENT | PAGE_WRITE | PAGE_ACCESSED | PAGE_DIRTY |
                           (attribute_table ? WRITE_COMBINES : 0) | (no_execute ? PAGE_NO_EXECUTE : 0);
    const uint64_t distance = physical - linear;
    uint64_t page = linear & ~(uint64_t)(PAGE_SIZE - 1);

    if (tables_used + TABLES_DEVICE > TABLES || size == 0 || size > PAGING_DEVICE_MAX ||
        (distance & (large_size - 1)) != 0 || !expresses(linear, size, paging->width == 64 ? 47 : 32) ||
        !expresses(physical, size, paging->pae ? 52 : 32))
        return false;
    while (page < linear + size) {
        const bool whole = (page & (large_size - 1)) == 0 && linear + size - page >= large_size;
        map(page, whole ? large : paging->levels - 1, (page + distance) | flags | (whole ? PAGE_LARGE : 0));
        page += whole ? large_size : PAGE_SIZE;
    }
    cr3_write(cr3_read()); /* flushes the TLBs */
    return true;
}

bool paging_lookup(uint64_t linear, uint64_t *entry)
{
    const void *table = (const void *)(cr3_read() & (uintptr_t)PAGE_ADDRESS);
    uint64_t allow = PAGE_WRITE | PAGE_USER, deny = 0;

    if (linear >> (paging->level[0].shift + paging->level[0].bits) != 0)
        return false;
    for (unsigned level = 0;; level++) {
        const unsigned shift = paging->level[level].shift;
        uint64_t e = entry_get(table, level, linear);
        if (!(e & PAGE_PRESENT))
            return false;
        deny |= e & PAGE_NO_EXECUTE;
        if (level == paging->levels - 1 || e & PAGE_LARGE) {
            uint64_t offset = linear & ((UINT64_C(1) << shift) - 1) & PAGE_ADDRESS;
            *entry = (e & ~(PAGE_WRITE | PAGE_USER)) | (allow & e) | deny;
            *entry = shift == 12 ? *entry : (*entry & ~PAGE_LARGE) + offset;
            return true;
        }
        allow &= e | ~paging->level[level].table; /* a level without access rights allows everything */
        table = (const void *)(uintptr_t)(e & PAGE_ADDRESS);
    }
}

uint64_t paging_exchange(uint64_t linear, uint64_t entry)
{
    uint64_t before = 0;

    paging_lookup(linear, &before);
    map(linear, paging->levels - 1, entry);
    cr3_write(cr3_read()); /* flushes the TLBs */
    return before;
}
