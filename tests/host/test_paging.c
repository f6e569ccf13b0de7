/* SPDX-License-Identifier: MIT */
/*
 * Builds page tables (4 levels, PAE, 32 bits) and walks their bits: a device's memory is write-combining, and adjacent
 * pages are unchanged. The registers are variables.
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Replaces arch/x86/cpu.h, msr.h and image.h. */
#define ARCH_X86_CPU_H
#define ARCH_X86_MSR_H
#define ARCH_X86_IMAGE_H
#include "cpu/msr_index.h"

static uintptr_t cr0, cr3, cr4;
static uint64_t pat, efer;
static unsigned cr3_writes;

FAKE(static uintptr_t, cr0_read, (void), cr0)
FAKE_STATIC_VOID(cr0_write, (uintptr_t value), cr0 = value)
FAKE(static uintptr_t, cr3_read, (void), cr3)
FAKE_STATIC_VOID(cr3_write, (uintptr_t value), cr3 = value, cr3_writes++)
FAKE(static uintptr_t, cr4_read, (void), cr4)
FAKE_STATIC_VOID(cr4_write, (uintptr_t value), cr4 = value)
FAKE(static uint64_t, msr_get, (uint32_t msr), assert_int_equal(msr, MSR_IA32_EFER), efer)

static bool msr_write(uint32_t msr, uint64_t value)
{
    if (msr == MSR_IA32_EFER) {
        efer = value;
        return true;
    }
    assert_int_equal(msr, 0x277);
    pat = value;
    return true;
}

/* The image's parts, at least a page each. */
#define PART(name, value) static const uint8_t *const name = (const uint8_t *)(uintptr_t)(value)
PART(image_start, 0x200000);
PART(text_start, 0x200000);
PART(text_end, 0x210000);
PART(user_start, 0x210000);
PART(user_end, 0x211000);
PART(rodata_start, 0x211000);
PART(rodata_end, 0x220000);
PART(data_start, 0x220000);
PART(user_data_start, 0x230000);
PART(user_data_end, 0x231000);
PART(stack_guard, 0x231000);
PART(data_end, 0x300000);
PART(symbols_start, 0x300000);
PART(symbols_end, 0x310000);
PART(image_end, 0x310000);
#include "arch/x86/paging.c"

#define APIC UINT64_C(0xfee00000)
#define WIDE (sizeof(uintptr_t) == sizeof(uint64_t))

#define PRESENT 0x001u
#define DATA    0x063u /* present, writable, accessed, dirty */
#define PWT     0x008u
#define PCD     0x010u
#define NX      (UINT64_C(1) << 63)

static void build_tables(const struct paging_choice *choice)
{
    memset(root, 0, sizeof root);
    memset(tables, 0, sizeof tables);
    tables_used = 0;
    paging = NULL;
    cr0 = cr3 = cr4 = 0;
    pat = efer = 0;
    cr3_writes = 0;
    assert_int_equal(paging_init(choice), PAGING_OK);
}

static void build_with(bool pat_flag, enum paging_wish wish)
{
    build_tables(&(struct paging_choice){
        .pae = true, .pse = true, .nx = true, .pat = pat_flag, .wish = wish, .apic_base = APIC });
}

/* The entry of the 4 KiB page, in the form of paging_lookup(); 0: not present. */
static uint64_t entry_of(uint64_t linear)
{
    uint64_t entry = 0;
    return paging_lookup(linear, &entry) ? entry : 0;
}

static uint64_t nx(void)
{
    return paging->pae ? NX : 0;
}

/* Every page of the first 4 GiB except the device's is unchanged. */
static void assert_rest(uint64_t start, uint64_t end)
{
    for (uint64_t page = 0x400000; page < 0x100000000; page += 0x1000) {
        const bool device = page >= start && page < end;
        const uint64_t large = paging->pae ? 0x200000 : 0x400000;
        const uint64_t uncached = page / large == APIC / large ? PWT | PCD : 0;
        const uint64_t want = page | DATA | nx() | (device ? PWT : uncached);
        if (entry_of(page) != want)
            fail_msg("0x%llx: 0x%llx, want 0x%llx", (unsigned long long)page, (unsigned long long)entry_of(page),
                     (unsigned long long)want);
    }
}

UNIT_TEST(devices)
{
    static const struct {
        uint64_t start, size, pages_start, pages_end;
    } cases[] = {
        { 0x80000000, 0x800000, 0x80000000, 0x80800000 }, /* whole large pages */
        { 0x80000000, 0x401000, 0x80000000, 0x80401000 }, /* and one more page */
        { 0x803ff000, 0x402000, 0x803ff000, 0x80801000 }, /* plus a page on either side */
        { 0x80000fff, 2, 0x80000000, 0x80002000 },        /* two bytes on two pages */
        { 0x80001000, 1, 0x80001000, 0x80002000 },
        { 0xbffff000, 0x2000, 0xbffff000, 0xc0001000 }, /* across tables */
        { 0xff800000, 0x800000, 0xff800000, 0x100000000 },
        { 0x40000000, 0x40000000, 0x40000000, 0x80000000 }, /* the largest size */
    };
    static const enum paging_wish wishes[] = { PAGING_PAE, PAGING_LEGACY };
    for (size_t w = 0; w < (WIDE ? 1 : COUNT_OF(wishes)); w++)
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            build_with(true, WIDE ? PAGING_AUTO : wishes[w]);
            const unsigned flushes = cr3_writes;
            assert_true(paging_map_device(cases[i].start, cases[i].start, cases[i].size));
            assert_int_equal(cr3_writes, flushes + 1);
            assert_int_equal(cr3, (uintptr_t)root);
            assert_rest(cases[i].pages_start, cases[i].pages_end);
        }
}

/*
 * A device above 4 GiB is mapped at its own address with 4 levels, in a window below 4 GiB with PAE, and never with 32
 * bits.
 */
UNIT_TEST(beyond)
{
    const uint64_t physical = 0x7fbffff000, size = 0x40000000; /* a page before tables of every level end */
    if (WIDE) {
        build_with(true, PAGING_AUTO);
        assert_true(paging_map_device(physical, physical, size));
        assert_int_equal(entry_of(physical - 0x1000), 0);
        assert_int_equal(entry_of(physical), physical | DATA | PWT | NX);
        assert_int_equal(entry_of(0x7fffffe000), 0x7fffffe000 | DATA | PWT | NX);
        assert_int_equal(entry_of(0x7fffffffff & ~UINT64_C(0xfff)), 0);
        build_with(true, PAGING_AUTO);
        assert_true(paging_map_device(0x7ffffff000, 0x7ffffff000, 0x2000)); /* across 512 GiB */
        assert_int_equal(entry_of(0x7ffffff000), 0x7ffffff000 | DATA | PWT | NX);
        assert_int_equal(entry_of(0x8000000000), 0x8000000000 | DATA | PWT | NX);
        assert_int_equal(entry_of(0x8000001000), 0);
        build_with(true, PAGING_AUTO);
        assert_false(paging_map_device(0x7ffffffff000, 0x7ffffffff000, 0x1001)); /* no such linear address */
        assert_true(paging_map_device(0x7ffffffff000, 0x7ffffffff000, 0x1000));
        assert_false(paging_map_device(0x8000000000, 0x8000000000, 0x1000)); /* the tables have space for only one */
        return;
    }
    build_with(true, PAGING_PAE);
    assert_true(paging_map_device(0x10123000, 0x110123000, 0x400000));
    assert_int_equal(entry_of(0x10122000), 0x10122000 | DATA | NX);
    assert_int_equal(entry_of(0x10123000), 0x110123000 | DATA | PWT | NX);
    assert_int_equal(entry_of(0x10300000), 0x110300000 | DATA | PWT | NX);
    assert_int_equal(entry_of(0x10522000), 0x110522000 | DATA | PWT | NX);
    assert_int_equal(entry_of(0x10523000), 0x10523000 | DATA | NX);
    build_with(true, PAGING_PAE);
    assert_false(paging_map_device(0xfffff000, 0x1fffff000, 0x1001)); /* no such linear address */
    assert_false(paging_map_device(0x100000000, 0x100000000, 0x1000));
    build_with(true, PAGING_LEGACY);
    assert_false(paging_map_device(0x10000000, 0x110000000, 0x1000));
    assert_false(paging_map_device(0x10000000, 0xfffff000, 0x1001));
}

UNIT_TEST(refusals)
{
    build_with(true, PAGING_AUTO);
    assert_false(paging_map_device(0x80000000, 0x80000000, 0));
    assert_false(paging_map_device(0x40000000, 0x40000000, 0x40000001));
    assert_false(paging_map_device(0x40000000, 0x40001000, 0x1000)); /* different offsets in a large page */
    assert_false(paging_map_device(0x40000000, 0x10000000000000, 0x1000));
    assert_false(paging_map_device(0x40000000, UINT64_MAX & ~UINT64_C(0x3fffff), 0x1000000));
    assert_rest(0, 0);
}

static void uncached_with(enum paging_wish wish, const uint64_t *device, unsigned count)
{
    build_tables(&(struct paging_choice){
        .pae = true, .pse = true, .wish = wish, .apic_base = APIC, .devices = device, .device_count = count });
}

static bool cached(uint64_t address)
{
    const uint64_t entry = entry_of(address) & (PWT | PCD);

    assert_true(entry == 0 || entry == (PWT | PCD));
    return entry == 0;
}

static void expect_uncached(uint64_t page, uint64_t size)
{
    assert_true(cached(page - 1));
    assert_false(cached(page));
    assert_false(cached(page + size - 1));
    assert_true(cached(page + size));
}

UNIT_TEST(devices_that_are_not_cached)
{
    static const enum paging_wish wishes[] = { PAGING_AUTO, PAGING_LEGACY };

    for (unsigned i = 0; i < (WIDE ? 1u : 2u); i++) {
        const uint64_t size = wishes[i] == PAGING_LEGACY ? 0x400000 : 0x200000;
        const uint64_t at[] = { 0x80000000, 0x90000000 + size - 1, APIC };
        uncached_with(wishes[i], NULL, 0);
        expect_uncached(APIC & ~(size - 1), size);
        assert_true(cached(0x80000000));
        uncached_with(wishes[i], at, 2);
        expect_uncached(APIC & ~(size - 1), size);
        expect_uncached(0x80000000, size);
        expect_uncached(0x90000000, size);
        uncached_with(wishes[i], at, 1);
        expect_uncached(0x80000000, size);
        assert_true(cached(0x90000000));
        uncached_with(wishes[i], at, 3); /* two in one page */
        expect_uncached(APIC & ~(size - 1), size);
    }
}
