/* SPDX-License-Identifier: MIT */
#include "arch/x86/paging.h"

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "arch/x86/image.h"

#define ENTRIES    512u
#define LARGE_PAGE (UINT64_C(2) << 20)
#define GIGABYTES  4u
#define CR0_WP     (UINT64_C(1) << 16)

typedef uint64_t page_table[ENTRIES] __attribute__((aligned(4096)));

static page_table pml4, pdpt, directories[GIGABYTES];
static page_table low_pages;   /* 0 to 2 MiB: the null page is not there */
static page_table image_pages; /* 2 to 4 MiB: the kernel */

static uint64_t address_of(const void *object)
{
    return (uint64_t)(uintptr_t)object;
}

/* Sets the rights of the image's pages from start to end. */
static void protect(const uint8_t *start, const uint8_t *end, uint64_t rights)
{
    for (uint64_t page = address_of(start); page < address_of(end); page += PAGE_SIZE)
        image_pages[page / PAGE_SIZE % ENTRIES] = page | rights;
}

void paging_init(bool no_execute, uint64_t apic_base)
{
    const uint64_t nx = no_execute ? PAGE_NO_EXECUTE : 0;
    const uint64_t table = PAGE_PRESENT | PAGE_WRITE | PAGE_USER | PAGE_ACCESSED;
    const uint64_t code = PAGE_PRESENT | PAGE_ACCESSED;
    const uint64_t constant = PAGE_PRESENT | PAGE_ACCESSED | nx;
    const uint64_t data = PAGE_PRESENT | PAGE_WRITE | PAGE_ACCESSED | PAGE_DIRTY | nx;

    pml4[0] = address_of(pdpt) | table;
    for (unsigned g = 0; g < GIGABYTES; g++) {
        pdpt[g] = address_of(directories[g]) | table;
        for (unsigned i = 0; i < ENTRIES; i++) {
            uint64_t base = (UINT64_C(1) << 30) * g + LARGE_PAGE * i;
            bool device = apic_base && base == (apic_base & ~(LARGE_PAGE - 1));
            directories[g][i] = base | data | PAGE_LARGE | (device ? PAGE_CACHE_DISABLE | PAGE_WRITE_THROUGH : 0);
        }
    }
    directories[0][0] = address_of(low_pages) | table;
    directories[0][1] = address_of(image_pages) | table;
    for (unsigned i = 1; i < ENTRIES; i++)
        low_pages[i] = (uint64_t)PAGE_SIZE * i | data;
    for (unsigned i = 0; i < ENTRIES; i++)
        image_pages[i] = LARGE_PAGE + (uint64_t)PAGE_SIZE * i;
    protect(image_end, image_start + LARGE_PAGE, data);

    protect(text_start, text_end, code);
    protect(user_start, user_end, code | PAGE_USER);
    protect(rodata_start, rodata_end, constant);
    protect(data_start, data_end, data); /* the DS area is in here: present, accessed, dirty, no code */
    protect(user_data_start, user_data_end, data | PAGE_USER);
    protect(stack_guard, stack_guard + PAGE_SIZE, 0);
    protect(symbols_start, symbols_end, constant);

    if (no_execute)
        msr_write(MSR_IA32_EFER, msr_get(MSR_IA32_EFER) | EFER_NXE);
    cr3_write((uintptr_t)address_of(pml4));
    cr0_write(cr0_read() | CR0_WP);
}

bool paging_lookup(uint64_t linear, uint64_t *entry)
{
    const uint64_t *walk = (const uint64_t *)(cr3_read() & PAGE_ADDRESS);
    uint64_t allow = PAGE_WRITE | PAGE_USER, deny = 0;

    if (linear >> 48 != 0)
        return false;
    for (unsigned shift = 39;; shift -= 9) {
        uint64_t e = walk[linear >> shift & (ENTRIES - 1)];
        if (!(e & PAGE_PRESENT))
            return false;
        allow &= e;
        deny |= e & PAGE_NO_EXECUTE;
        if (shift == 12 || (shift < 39 && e & PAGE_LARGE)) {
            uint64_t offset = linear & ((UINT64_C(1) << shift) - 1) & PAGE_ADDRESS;
            *entry = (e & ~(PAGE_WRITE | PAGE_USER)) | allow | deny;
            *entry = shift == 12 ? *entry : (*entry & ~PAGE_LARGE) + offset;
            return true;
        }
        walk = (const uint64_t *)(uintptr_t)(e & PAGE_ADDRESS);
    }
}
