/* SPDX-License-Identifier: MIT */
/* Root pointer, RSDT, XSDT, MADT, FADT and HPET, valid and broken, with the layouts of the ACPI Specification 6.5. */
#include "tests/host/unit_test.h"

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
    0, 8,  3,    6,    2,    0, 0,    0,                   /* processor 3, ID 6, offline, can be brought online */
    0, 8,  4,    0xff, 1,    0, 0,    0,                   /* unused entry */
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

UNIT_TEST(the_old_root_has_no_xsdt)
{
    struct machine m;

    for (uint8_t revision = 0; revision < 2; revision++) {
        sound(&m);
        root(&m, revision);
        put(&m, XSDT + 44, m.base + OTHER, 8); /* version 0 has no XSDT address: ignored */
        table(&m, XSDT, "XSDT", 52);
        expect_three(&m);
    }
}

/* A version 2 root pointer in the last bytes of memory, and one that extends past them. */
UNIT_TEST(the_last_byte_of_the_root)
{
    struct machine m;
    const size_t end = SIZE - 36;

    sound(&m);
    memmove(m.bytes + end, m.bytes + ROOT, 36);
    m.bytes[RSDT + 9]++;
    const struct acpi_memory memory = { at, &m };
    struct acpi_processors processors = { .count = 99 };
    assert_int_equal(acpi_read_processors(&memory, m.base + end, &processors), ACPI_OK);
    assert_int_equal(processors.count, 3);
    memmove(m.bytes + end + 1, m.bytes + end, 35);
    assert_int_equal(acpi_read_processors(&memory, m.base + end + 1, &processors), ACPI_ROOT_TABLE);
    assert_int_equal(processors.count, 0);
    m.bytes[RSDT + 9]--;
    assert_int_equal(acpi_read_processors(&memory, m.base + end + 1, &processors), ACPI_OK); /* found by the RSDT */
}

/* The length ends a list, even if bytes that look like an entry, or a part of an entry, follow. */
UNIT_TEST(the_end_of_a_list)
{
    struct machine m;

    for (unsigned rest = 0; rest < 8; rest++) {
        sound(&m);
        table(&m, XSDT, "XSDT", 44 + rest);
        expect_none(&m, ACPI_NO_MADT);
    }
    for (unsigned rest = 0; rest < 4; rest++) {
        sound(&m);
        root(&m, 0);
        table(&m, RSDT, "RSDT", 40 + rest);
        expect_none(&m, ACPI_NO_MADT);
    }
}

#define MOST 0x100000u /* bytes of the longest table */
static struct {
    struct machine low;
    uint8_t more[MOST];
} large;

static const void *at_large(void *context, uint64_t address, size_t size)
{
    return address >= large.low.base && size <= sizeof large && address - large.low.base <= sizeof large - size
               ? (const uint8_t *)&large.low.bytes + (address - large.low.base)
               : NULL;
}

UNIT_TEST(the_longest_table)
{
    const struct acpi_memory memory = { at_large, NULL };
    struct acpi_processors processors = { .count = 99 };

    for (unsigned more = 0; more < 2; more++) {
        sound(&large.low);
        memset(large.low.bytes + MADT + 44, 0, SIZE - MADT - 44);
        put(&large.low, MADT + 4, MOST + more, 4);
        large.low.bytes[MADT + 9] = 0;
        uint8_t sum = 0;
        for (size_t i = 0; i < MADT + 44; i++)
            sum = (uint8_t)(sum + (i < MADT ? 0 : large.low.bytes[i]));
        large.low.bytes[MADT + 9] = (uint8_t)-sum;
        /* The first entry has no length, but is read only if the table is not too long. */
        assert_int_equal(acpi_read_processors(&memory, large.low.base + ROOT, &processors),
                         more ? ACPI_NO_MADT : ACPI_MADT_ENTRY);
    }
}

UNIT_TEST(too_many_processors)
{
    struct machine m;
    uint32_t ids[2] = { 99, 99 };
    size_t count;

    sound(&m);
    assert_int_equal(read_ids(&m, ids, 1, &count), ACPI_OK);
    assert_int_equal(count, 3);
    assert_int_equal(ids[0], 0);
    assert_int_equal(ids[1], 99);
}

/* A valid machine, with one change at a time. */
UNIT_TEST(lists)
{
    struct machine m;

    sound(&m);
    expect_three(&m);
    m.bytes[RSDT + 9]++; /* the XSDT has priority */
    expect_three(&m);
    m.bytes[RSDT + 9]--;
    m.bytes[XSDT + 9]++; /* the XSDT is broken: the RSDT is used */
    expect_three(&m);
    m.bytes[RSDT + 9]++;
    expect_none(&m, ACPI_ROOT_TABLE);
    table(&m, RSDT, "XSDT", 44); /* an XSDT where an RSDT must be */
    expect_none(&m, ACPI_ROOT_TABLE);

    sound(&m);
    put(&m, ROOT + 24, UINT64_C(0x100000000), 8); /* an unreachable XSDT */
    seal(&m, ROOT, 36, ROOT + 32);
    expect_three(&m);
    m.bytes[ROOT + 8]++;
    expect_none(&m, ACPI_NO_ROOT);
    sound(&m);
    m.bytes[ROOT] = 'r';
    seal(&m, ROOT, 20, ROOT + 8);
    expect_none(&m, ACPI_NO_ROOT);

    sound(&m);
    m.bytes[MADT + 9]++;
    expect_none(&m, ACPI_NO_MADT);
    sound(&m);
    put(&m, MADT + 4, SIZE, 4); /* extends past memory */
    expect_none(&m, ACPI_NO_MADT);
    table(&m, MADT, "APIC", 35); /* with a valid checksum, but shorter than a table's header */
    expect_none(&m, ACPI_NO_MADT);
    table(&m, MADT, "APIC", 36); /* a header without entries */
    expect_none(&m, ACPI_OK);
    put(&m, MADT + 4, 0xffffffff, 4);
    expect_none(&m, ACPI_NO_MADT);
}

UNIT_TEST(broken_entries)
{
    static const struct {
        uint8_t bytes[12];
        unsigned size;
        enum acpi_error error;
    } rows[] = {
        { { 0, 8, 0, 0, 1, 0, 0, 0, 0, 0 }, 10, ACPI_MADT_ENTRY },       /* length 0 */
        { { 0, 8, 0, 0, 1, 0, 0, 0, 5, 1, 2 }, 11, ACPI_MADT_ENTRY },    /* length 1 */
        { { 0, 8, 0, 0, 1, 0, 0, 0, 0, 9, 1, 2 }, 12, ACPI_MADT_ENTRY }, /* longer than the rest */
        { { 0, 8, 0, 0, 1, 0, 0, 0, 0 }, 9, ACPI_MADT_ENTRY },           /* the length is missing */
        { { 0, 4, 0, 0, 9, 8, 0, 0, 7, 0, 0, 0 }, 12, ACPI_OK },         /* too short for their types */
    };
    struct machine m;

    sound(&m);
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        madt(&m, rows[i].bytes, rows[i].size);
        expect_none(&m, rows[i].error);
    }
}

/* Each kind of entry has its own flags, whatever precedes it; the last entry may have two bytes. */
UNIT_TEST(flags_and_ends)
{
    static const uint8_t enabled[] = {
        0, 8,  0, 0, 0,    0, 0, 0,                         /* disabled */
        9, 16, 0, 0, 0x2c, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, /* x2APIC, ID 300 */
        0, 8,  0, 7, 1,    0, 0, 0,                         /* ID 7 */
    };
    static const uint8_t disabled[] = {
        1, 8,  1, 1, 1, 1, 1, 1,                         /* an unknown length for its type */
        9, 16, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, /* x2APIC: bit 0 of its flags is clear */
        0, 8,  1, 1, 2, 1, 1, 1,                         /* local APIC: likewise */
        9, 15, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,    /* too short */
        0, 7,  1, 1, 1, 1, 1,                            /* too short */
        7, 2,
    };
    struct machine m;
    uint32_t ids[3] = { 99, 99, 99 };
    size_t count;

    sound(&m);
    madt(&m, enabled, sizeof enabled);
    assert_int_equal(read_ids(&m, ids, 3, &count), ACPI_OK);
    assert_int_equal(count, 2);
    assert_int_equal(ids[0], 300);
    assert_int_equal(ids[1], 7);
    madt(&m, disabled, sizeof disabled);
    expect_none(&m, ACPI_OK);
}

UNIT_TEST(the_root_is_found_in_bios_memory)
{
    struct machine m;
    const struct acpi_memory memory = { at, &m };

    sound(&m);
    assert_int_equal(acpi_scan(&memory), 0);
    m.base = 0xffc00;
    assert_int_equal(acpi_scan(&memory), 0xffc00 + ROOT);
    m.base = 0xe0000 - ROOT;
    assert_int_equal(acpi_scan(&memory), 0xe0000);
    m.base = 0xe0000 - ROOT - 16;
    assert_int_equal(acpi_scan(&memory), 0);
    m.base = 0xffff0 - ROOT; /* the last valid place, and the next one */
    assert_int_equal(acpi_scan(&memory), 0xffff0);
    m.base = 0x100000 - ROOT;
    assert_int_equal(acpi_scan(&memory), 0);
    m.base = 0xe0008 - ROOT; /* not aligned to 16 bytes */
    assert_int_equal(acpi_scan(&memory), 0);
}

#define FADT 0x300u
#define HPET 0x200u

/* The tables of a valid machine, an HPET's table, and an FADT of this many bytes with a timer at port 608H. */
static void expect_io_apic(struct machine *m, uint64_t address, uint32_t first)
{
    struct acpi_io_apic io_apic = { 1, 1 };

    acpi_read_io_apic(&(struct acpi_memory){ at, m }, m->base + ROOT, &io_apic);
    assert_int_equal(io_apic.address, address);
    assert_int_equal(io_apic.first_interrupt, first);
}

UNIT_TEST(the_first_io_apic)
{
    static const uint8_t two[] = { 1, 12, 3, 0, 0x78, 0x56, 0x34, 0x12, 0x18, 1, 0, 0,
                                   1, 12, 4, 0, 1,    0,    0xc0, 0xfe, 0,    0, 0, 0 };
    static const uint8_t none[] = { 0, 8, 0, 0, 1, 0, 0, 0 };
    static const uint8_t small[] = { 1, 11, 0, 0, 0, 0, 0xc0, 0xfe, 0, 0, 0 };
    static const uint8_t endless[] = { 0, 0, 0, 0, 1, 12, 0, 0, 0, 0, 0xc0, 0xfe, 0, 0, 0, 0 };
    static const uint8_t cut[] = { 0, 8, 0, 0, 1, 0, 0, 0, 1, 12, 0, 0, 0, 0, 0xc0, 0xfe, 0, 0, 0 };
    struct machine m;

    sound(&m);
    expect_io_apic(&m, 0xfec00000, 0);
    madt(&m, two, sizeof two);
    expect_io_apic(&m, 0x12345678, 0x118);
    madt(&m, none, sizeof none);
    expect_io_apic(&m, 0, 0);
    madt(&m, small, sizeof small);
    expect_io_apic(&m, 0, 0);
    madt(&m, endless, sizeof endless);
    expect_io_apic(&m, 0, 0);
    madt(&m, cut, sizeof cut);
    expect_io_apic(&m, 0, 0);
    m.bytes[MADT + 9] ^= 1; /* the checksum is wrong */
    expect_io_apic(&m, 0, 0);
    sound(&m);
    m.bytes[ROOT] = 'X';
    expect_io_apic(&m, 0, 0);
}

static void with_timers(struct machine *m, unsigned fadt_size)
{
    sound(m);
    memset(m->bytes + OTHER, 0, SIZE - OTHER);
    put(m, FADT + 76, 0x608, 4);
    put(m, FADT + 91, 4, 1);
    table(m, FADT, "FACP", fadt_size);
    put(m, HPET + 36, 0x8086a201, 4);
    put(m, HPET + 44, 0xfed00000, 8);
    table(m, HPET, "HPET", 56);
}

static void expect_timers(struct machine *m, uint16_t port, uint64_t hpet)
{
    const struct acpi_memory memory = { at, m };
    struct acpi_timers timers = { 99, 99 };

    acpi_read_timers(&memory, m->base + ROOT, &timers);
    assert_int_equal(timers.pm_port, port);
    assert_int_equal(timers.hpet, hpet);
}

UNIT_TEST(timers)
{
    struct machine m;

    with_timers(&m, 116);
    expect_timers(&m, 0x608, 0xfed00000);
    with_timers(&m, 92);
    expect_timers(&m, 0x608, 0xfed00000);
    with_timers(&m, 91); /* ends before the timer's length */
    expect_timers(&m, 0, 0xfed00000);
    with_timers(&m, 116);
    put(&m, FADT + 91, 0, 1); /* no timer */
    table(&m, FADT, "FACP", 116);
    expect_timers(&m, 0, 0xfed00000);
    with_timers(&m, 116);
    put(&m, FADT + 76, 0x10608, 4); /* no port */
    table(&m, FADT, "FACP", 116);
    expect_timers(&m, 0, 0xfed00000);
    m.bytes[HPET + 9]++;
    expect_timers(&m, 0, 0);
    with_timers(&m, 116);
    root(&m, 0);
    put(&m, RSDT + 36, m.base + HPET, 4);
    put(&m, RSDT + 40, m.base + FADT, 4);
    table(&m, RSDT, "RSDT", 44);
    expect_timers(&m, 0x608, 0xfed00000);
    m.bytes[ROOT]++;
    expect_timers(&m, 0, 0);
}

/* The 12-byte address has priority if the table has all of it and it is a port. */
UNIT_TEST(extended_timer)
{
    static const struct {
        unsigned size;
        uint8_t space;
        uint64_t address;
        uint16_t port;
    } rows[] = { { 244, 1, 0x1808, 0x1808 }, { 220, 1, 0x1808, 0x1808 }, { 219, 1, 0x1808, 0x608 },
                 { 244, 0, 0x1808, 0x608 },  { 244, 1, 0, 0x608 },       { 244, 1, 0x10000, 0 },
                 { 244, 1, 0xffff, 0xffff } };
    struct machine m;

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        with_timers(&m, 116);
        put(&m, FADT + 208, rows[i].space, 1);
        put(&m, FADT + 212, rows[i].address, 8);
        table(&m, FADT, "FACP", rows[i].size);
        expect_timers(&m, rows[i].port, 0xfed00000);
    }
}

UNIT_TEST(hpet_address)
{
    struct machine m;

    with_timers(&m, 116);
    table(&m, HPET, "HPET", 52); /* ends with the address */
    expect_timers(&m, 0x608, 0xfed00000);
    table(&m, HPET, "HPET", 51);
    expect_timers(&m, 0x608, 0);
    put(&m, HPET + 40, 1, 1); /* not in memory */
    table(&m, HPET, "HPET", 56);
    expect_timers(&m, 0x608, 0);
    put(&m, HPET + 40, 0, 1);
    put(&m, HPET + 44, UINT64_C(0x123456789abcdef0), 8);
    table(&m, HPET, "HPET", 56);
    expect_timers(&m, 0x608, UINT64_C(0x123456789abcdef0));
}
