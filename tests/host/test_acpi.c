/* SPDX-License-Identifier: MIT */
/* Root pointer, RSDT, XSDT and MADT, valid and broken, with the layouts of the ACPI Specification 6.5. */
#include "tests/host/host_test.h"

#include "boot/acpi.h"

#define ROOT  0x40u
#define RSDT  0x100u
#define XSDT  0x180u
#define OTHER 0x200u
#define MADT  0x300u
#define SIZE  0x400u

/* The machine's memory: the bytes from base on. */
struct machine {
    uint64_t base;
    uint8_t bytes[SIZE];
};

static const void *at(void *context, uint64_t address, size_t size)
{
    const struct machine *m = context;

    return address >= m->base && size <= SIZE && address - m->base <= SIZE - size ? m->bytes + (address - m->base)
                                                                                  : NULL;
}

static void put(struct machine *m, size_t where, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        m->bytes[where + i] = (uint8_t)(value >> 8 * i);
}

/* Sets the checksum so that the bytes from start on sum up to zero. */
static void seal(struct machine *m, size_t start, size_t size, size_t checksum)
{
    uint8_t sum = 0;

    m->bytes[checksum] = 0;
    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + m->bytes[start + i]);
    m->bytes[checksum] = (uint8_t)-sum;
}

static void table(struct machine *m, size_t where, const char *signature, unsigned size)
{
    memcpy(m->bytes + where, signature, 4);
    put(m, where + 4, size, 4);
    m->bytes[where + 8] = 1;
    seal(m, where, size, where + 9);
}

static void root(struct machine *m, uint8_t revision)
{
    memcpy(m->bytes + ROOT, "RSD PTR ", 8);
    memcpy(m->bytes + ROOT + 9, "TESTED", 6);
    m->bytes[ROOT + 15] = revision;
    put(m, ROOT + 16, m->base + RSDT, 4);
    put(m, ROOT + 20, 36, 4);
    put(m, ROOT + 24, m->base + XSDT, 8);
    seal(m, ROOT, 20, ROOT + 8);
    seal(m, ROOT, 36, ROOT + 32);
}

/* The entries of a MADT, from its 45th byte on. */
static void madt(struct machine *m, const uint8_t *entries, unsigned size)
{
    put(m, MADT + 36, 0xfee00000, 4);
    put(m, MADT + 40, 1, 4);
    memcpy(m->bytes + MADT + 44, entries, size);
    table(m, MADT, "APIC", 44 + size);
}

/* Two processors, 0 and 2; one that is disabled, an I/O APIC, an override, a local APIC NMI; an x2APIC of ID 300. */
static const uint8_t entries[] = {
    0, 8,  0,    0,    1,    0, 0,    0,                   /* processor 0, ID 0, enabled */
    0, 8,  1,    2,    1,    0, 0,    0,                   /* processor 1, ID 2, enabled */
    0, 8,  2,    4,    0,    0, 0,    0,                   /* processor 2, ID 4, disabled */
    0, 8,  3,    6,    2,    0, 0,    0,                   /* processor 3, ID 6, can be brought online, is not */
    0, 8,  4,    0xff, 1,    0, 0,    0,                   /* an empty place */
    1, 12, 0,    0,    0,    0, 0xc0, 0xfe, 0,    0, 0, 0, /* I/O APIC */
    2, 10, 0,    9,    9,    0, 0,    0,    0x0d, 0,       /* interrupt source override */
    4, 6,  0xff, 0,    0,    1,                            /* local APIC NMI */
    9, 16, 0,    0,    0x2c, 1, 0,    0,    1,    0, 0, 0, 0, 0, 0, 0, /* x2APIC, ID 300, enabled */
};

static void sound(struct machine *m)
{
    memset(m, 0, sizeof *m);
    m->base = 0x7fe0000;
    root(m, 2);
    put(m, RSDT + 36, m->base + OTHER, 4);
    put(m, RSDT + 40, m->base + MADT, 4);
    table(m, RSDT, "RSDT", 44);
    put(m, XSDT + 36, m->base + OTHER, 8);
    put(m, XSDT + 44, m->base + MADT, 8);
    table(m, XSDT, "XSDT", 52);
    table(m, OTHER, "FACP", 36);
    madt(m, entries, sizeof entries);
}

static enum acpi_error read_ids(struct machine *m, uint32_t *ids, size_t most, size_t *count)
{
    const struct acpi_memory memory = { at, m };
    struct acpi_processors processors = { .apic_ids = ids, .most = most, .count = 99 };
    enum acpi_error error = acpi_read_processors(&memory, m->base + ROOT, &processors);

    *count = processors.count;
    return error;
}

static void expect_three(struct machine *m)
{
    uint32_t ids[4] = { 99, 99, 99, 99 };
    size_t count;

    assert_int_equal(read_ids(m, ids, 4, &count), ACPI_OK);
    assert_int_equal(count, 3);
    assert_int_equal(ids[0], 0);
    assert_int_equal(ids[1], 2);
    assert_int_equal(ids[2], 300);
    assert_int_equal(ids[3], 99);
}

static void expect_none(struct machine *m, enum acpi_error error)
{
    uint32_t ids[4] = { 99, 99, 99, 99 };
    size_t count;

    assert_int_equal(read_ids(m, ids, 4, &count), error);
    assert_int_equal(count, 0);
}

static void enabled_processors(void **state)
{
    struct machine m;

    (void)state;
    sound(&m);
    expect_three(&m);
}

static void the_old_root_has_no_xsdt(void **state)
{
    struct machine m;

    (void)state;
    sound(&m);
    root(&m, 0);
    memset(m.bytes + XSDT, 0, 52);
    expect_three(&m);
}

static void a_broken_xsdt_leaves_the_rsdt(void **state)
{
    struct machine m;

    (void)state;
    sound(&m);
    m.bytes[XSDT + 9]++;
    expect_three(&m);
    put(&m, ROOT + 24, UINT64_C(0x100000000), 8); /* beyond what can be reached */
    expect_three(&m);
}

static void the_xsdt_goes_first(void **state)
{
    struct machine m;

    (void)state;
    sound(&m);
    m.bytes[RSDT + 9]++;
    expect_three(&m);
}

static void more_than_there_is_room_for(void **state)
{
    struct machine m;
    uint32_t ids[2] = { 99, 99 };
    size_t count;

    (void)state;
    sound(&m);
    assert_int_equal(read_ids(&m, ids, 1, &count), ACPI_OK);
    assert_int_equal(count, 3);
    assert_int_equal(ids[0], 0);
    assert_int_equal(ids[1], 99);
}

static void no_root(void **state)
{
    struct machine m;

    (void)state;
    sound(&m);
    m.bytes[ROOT + 8]++;
    expect_none(&m, ACPI_NO_ROOT);
    sound(&m);
    m.bytes[ROOT] = 'r';
    seal(&m, ROOT, 20, ROOT + 8);
    expect_none(&m, ACPI_NO_ROOT);
}

static void broken_lists(void **state)
{
    struct machine m;

    (void)state;
    sound(&m);
    m.bytes[XSDT + 9]++;
    m.bytes[RSDT + 9]++;
    expect_none(&m, ACPI_ROOT_TABLE);
    sound(&m);
    m.bytes[XSDT + 9]++;
    table(&m, RSDT, "XSDT", 44); /* its entries have another size */
    expect_none(&m, ACPI_ROOT_TABLE);
}

static void no_madt(void **state)
{
    struct machine m;

    (void)state;
    sound(&m);
    m.bytes[MADT + 9]++;
    expect_none(&m, ACPI_NO_MADT);
    sound(&m);
    put(&m, MADT + 4, SIZE, 4); /* extends past memory */
    expect_none(&m, ACPI_NO_MADT);
    put(&m, MADT + 4, 35, 4); /* shorter than a table's header */
    expect_none(&m, ACPI_NO_MADT);
    put(&m, MADT + 4, 0xffffffff, 4);
    expect_none(&m, ACPI_NO_MADT);
}

static void broken_entries(void **state)
{
    static const uint8_t none[] = { 0, 8, 0, 0, 1, 0, 0, 0, 0, 0 }, long_one[] = { 0, 8, 0, 0, 1, 0, 0, 0, 0, 9, 1, 2 },
                         cut[] = { 0, 8, 0, 0, 1, 0, 0, 0, 0 }, one[] = { 0, 8, 0, 0, 1, 0, 0, 0, 0, 1 };
    struct machine m;

    (void)state;
    sound(&m);
    madt(&m, none, sizeof none);
    expect_none(&m, ACPI_MADT_ENTRY);
    madt(&m, long_one, sizeof long_one);
    expect_none(&m, ACPI_MADT_ENTRY);
    madt(&m, cut, sizeof cut);
    expect_none(&m, ACPI_MADT_ENTRY);
    madt(&m, one, sizeof one);
    expect_none(&m, ACPI_MADT_ENTRY);
}

/* An entry that is too short for its type is not a processor, and nothing after it is read. */
static void short_entries(void **state)
{
    static const uint8_t few[] = { 0, 4, 0, 0, 9, 8, 0, 0, 7, 0, 0, 0 };
    struct machine m;
    uint32_t ids[1];
    size_t count;

    (void)state;
    sound(&m);
    madt(&m, few, sizeof few);
    assert_int_equal(read_ids(&m, ids, 1, &count), ACPI_OK);
    assert_int_equal(count, 0);
}

static void the_root_is_found_in_bios_memory(void **state)
{
    struct machine m;
    const struct acpi_memory memory = { at, &m };

    (void)state;
    sound(&m);
    assert_int_equal(acpi_scan(&memory), 0);
    m.base = 0xffc00;
    assert_int_equal(acpi_scan(&memory), 0xffc00 + ROOT);
    m.base = 0xe0000 - ROOT;
    assert_int_equal(acpi_scan(&memory), 0xe0000);
    m.base = 0xe0000 - ROOT - 16;
    assert_int_equal(acpi_scan(&memory), 0);
    m.base = 0xe0008 - ROOT; /* on no boundary of 16 bytes */
    assert_int_equal(acpi_scan(&memory), 0);
}

static void texts(void **state)
{
    static const char *const known[] = {
        [ACPI_OK] = "no error",
        [ACPI_NO_ROOT] = "no ACPI: no valid root pointer (RSDP)",
        [ACPI_ROOT_TABLE] = "no ACPI: neither XSDT nor RSDT is valid",
        [ACPI_NO_MADT] = "no valid MADT among the ACPI tables",
        [ACPI_MADT_ENTRY] = "an entry of the ACPI table MADT extends past its end",
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(known); i++)
        assert_string_equal(acpi_error_text((enum acpi_error)i), known[i]);
    assert_string_equal(acpi_error_text((enum acpi_error)99), "unknown ACPI error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enabled_processors),
        cmocka_unit_test(the_old_root_has_no_xsdt),
        cmocka_unit_test(a_broken_xsdt_leaves_the_rsdt),
        cmocka_unit_test(the_xsdt_goes_first),
        cmocka_unit_test(more_than_there_is_room_for),
        cmocka_unit_test(no_root),
        cmocka_unit_test(broken_lists),
        cmocka_unit_test(no_madt),
        cmocka_unit_test(broken_entries),
        cmocka_unit_test(short_entries),
        cmocka_unit_test(the_root_is_found_in_bios_memory),
        cmocka_unit_test(texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
