/* SPDX-License-Identifier: MIT */
/* Root pointer, RSDT, XSDT, MADT, FADT and HPET, valid and broken, with the layouts of the ACPI Specification 6.5. */
#include "tests/host/acpi_tables.h"

#define RSDT  0x100u
#define XSDT  0x180u
#define OTHER 0x200u
#define MADT  0x300u

/* The entries of a MADT, from its 45th byte on. */
static void madt(const uint8_t *entries, unsigned size)
{
    put(MADT + 36, 0xfee00000, 4);
    put(MADT + 40, 1, 4);
    memcpy(machine.bytes + MADT + 44, entries, size);
    table(MADT, "APIC", 44 + size);
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

static void sound_in(size_t size)
{
    clear(0x7fe0000, size);
    root(2, RSDT, XSDT);
    put(RSDT + 36, machine.base + OTHER, 4);
    put(RSDT + 40, machine.base + MADT, 4);
    table(RSDT, "RSDT", 44);
    put(XSDT + 36, machine.base + OTHER, 8);
    put(XSDT + 44, machine.base + MADT, 8);
    table(XSDT, "XSDT", 52);
    table(OTHER, "FACP", 36);
    madt(entries, sizeof entries);
}

static void sound(void)
{
    sound_in(SIZE);
}

/* The IDs of the processors, separated by blanks. */
static void expect_from(uint64_t root, enum acpi_error error, const char *want)
{
    uint32_t ids[4] = { 99, 99, 99, 99 };
    struct acpi_processors processors = { .apic_ids = ids, .most = COUNT_OF(ids), .count = 99 };
    char got[60] = "";

    assert_int_equal(acpi_read_processors(&memory, root, &processors), error);
    assert_true(processors.count < COUNT_OF(ids) && (error || ids[processors.count] == 99));
    for (size_t i = 0; i < processors.count; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%u ", ids[i]);
    assert_string_equal(got, want);
}

static void expect_three(void)
{
    expect_from(machine.base + ROOT, ACPI_OK, "0 2 300 ");
}

static void expect_none(enum acpi_error error)
{
    expect_from(machine.base + ROOT, error, "");
}

UNIT_TEST(the_old_root_has_no_xsdt)
{
    for (uint8_t revision = 0; revision < 2; revision++) {
        sound();
        root(revision, RSDT, XSDT);
        put(XSDT + 44, machine.base + OTHER, 8); /* version 0 has no XSDT address: ignored */
        table(XSDT, "XSDT", 52);
        expect_three();
    }
}

/* A version 2 root pointer in the last bytes of memory, and one that extends past them. */
UNIT_TEST(the_last_byte_of_the_root)
{
    const size_t end = SIZE - 36;

    sound();
    memmove(machine.bytes + end, machine.bytes + ROOT, 36);
    machine.bytes[RSDT + 9]++;
    expect_from(machine.base + end, ACPI_OK, "0 2 300 ");
    memmove(machine.bytes + end + 1, machine.bytes + end, 35);
    expect_from(machine.base + end + 1, ACPI_ROOT_TABLE, "");
    machine.bytes[RSDT + 9]--;
    expect_from(machine.base + end + 1, ACPI_OK, "0 2 300 "); /* found by the RSDT */
}

UNIT_TEST(too_many_processors)
{
    uint32_t ids[2] = { 99, 99 };
    struct acpi_processors processors = { .apic_ids = ids, .most = 1 };

    sound();
    assert_int_equal(acpi_read_processors(&memory, machine.base + ROOT, &processors), ACPI_OK);
    assert_int_equal(processors.count, 3);
    assert_true(ids[0] == 0 && ids[1] == 99);
}

/* A valid machine, with one change at a time. */
UNIT_TEST(lists)
{
    sound();
    expect_three();
    machine.bytes[RSDT + 9]++; /* the XSDT has priority */
    expect_three();
    machine.bytes[RSDT + 9]--;
    machine.bytes[XSDT + 9]++; /* the XSDT is broken: the RSDT is used */
    expect_three();
    machine.bytes[RSDT + 9]++;
    expect_none(ACPI_ROOT_TABLE);
    table(RSDT, "XSDT", 44); /* an XSDT where an RSDT must be */
    expect_none(ACPI_ROOT_TABLE);

    sound();
    put(ROOT + 24, UINT64_C(0x100000000), 8); /* an unreachable XSDT */
    seal(ROOT, 36, ROOT + 32);
    expect_three();
    machine.bytes[ROOT + 8]++;
    expect_none(ACPI_NO_ROOT);
    sound();
    machine.bytes[ROOT] = 'r';
    seal(ROOT, 20, ROOT + 8);
    expect_none(ACPI_NO_ROOT);

    sound();
    machine.bytes[MADT + 9]++;
    expect_none(ACPI_NO_MADT);
    sound();
    put(MADT + 4, SIZE, 4); /* extends past memory */
    expect_none(ACPI_NO_MADT);
    table(MADT, "APIC", 35); /* with a valid checksum, but shorter than a table's header */
    expect_none(ACPI_NO_MADT);
    table(MADT, "APIC", 36); /* a header without entries */
    expect_none(ACPI_OK);
    put(MADT + 4, 0xffffffff, 4);
    expect_none(ACPI_NO_MADT);
}

/* Each kind of entry has its own flags, whatever precedes it; the last entry may have two bytes. */
UNIT_TEST(lists_of_entries)
{
    static const struct {
        uint8_t bytes[64];
        unsigned size;
        enum acpi_error error;
        const char *ids;
    } rows[] = {
        { { 0, 8, 0, 0, 1, 0, 0, 0, 0, 0 }, 10, ACPI_MADT_ENTRY, "" },       /* length 0 */
        { { 0, 8, 0, 0, 1, 0, 0, 0, 5, 1, 2 }, 11, ACPI_MADT_ENTRY, "" },    /* length 1 */
        { { 0, 8, 0, 0, 1, 0, 0, 0, 0, 9, 1, 2 }, 12, ACPI_MADT_ENTRY, "" }, /* longer than the rest */
        { { 0, 8, 0, 0, 1, 0, 0, 0, 0 }, 9, ACPI_MADT_ENTRY, "" },           /* the length is missing */
        { { 0, 4, 0, 0, 9, 8, 0, 0, 7, 0, 0, 0 }, 12, ACPI_OK, "" },         /* too short for their types */
        { { 0, 8,  0, 0, 0,    0, 0, 0,                                      /* disabled */
            9, 16, 0, 0, 0x2c, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,              /* x2APIC, ID 300 */
            0, 8,  0, 7, 1,    0, 0, 0 },                                    /* ID 7 */
          32,
          ACPI_OK,
          "300 7 " },
        { { 1, 8,  1, 1, 1, 1, 1, 1,                         /* an unknown length for its type */
            9, 16, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, /* x2APIC: bit 0 of its flags is clear */
            0, 8,  1, 1, 2, 1, 1, 1,                         /* local APIC: likewise */
            9, 15, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,    /* too short */
            0, 7,  1, 1, 1, 1, 1,                            /* too short */
            7, 2 },
          56,
          ACPI_OK,
          "" },
    };

    sound();
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        madt(rows[i].bytes, rows[i].size);
        expect_from(machine.base + ROOT, rows[i].error, rows[i].ids);
    }
}

UNIT_TEST(the_root_is_found_in_bios_memory)
{
    sound();
    assert_int_equal(acpi_scan(&memory), 0);
    machine.base = 0xffc00;
    assert_int_equal(acpi_scan(&memory), 0xffc00 + ROOT);
    machine.base = 0xe0000 - ROOT;
    assert_int_equal(acpi_scan(&memory), 0xe0000);
    machine.base = 0xe0000 - ROOT - 16;
    assert_int_equal(acpi_scan(&memory), 0);
    machine.base = 0xffff0 - ROOT; /* the last valid place, and the next one */
    assert_int_equal(acpi_scan(&memory), 0xffff0);
    machine.base = 0x100000 - ROOT;
    assert_int_equal(acpi_scan(&memory), 0);
    machine.base = 0xe0008 - ROOT; /* not aligned to 16 bytes */
    assert_int_equal(acpi_scan(&memory), 0);
}

#define FADT 0x300u
#define HPET 0x200u

static void expect_io_apics(size_t most, size_t count, const struct acpi_io_apic *expected)
{
    struct acpi_io_apic io_apics[4] = { { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 } };

    assert_int_equal(acpi_read_io_apics(&memory, machine.base + ROOT, io_apics, most), count);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(io_apics[i].address, i < count ? expected[i].address : 1);
        assert_int_equal(io_apics[i].first_interrupt, i < count ? expected[i].first_interrupt : 1);
    }
}

UNIT_TEST(io_apics)
{
    static const uint8_t three[] = {
        1, 12, 3, 0, 0x78, 0x56, 0x34, 0x12, 0x18, 1,    0,    0, /* the first two and the last */
        1, 12, 4, 0, 1,    0,    0xc0, 0xfe, 16,   0,    0,    0,    0,  8, 0, 0,
        1, 0,  0, 0, 1,    12,   5,    0,    0,    0x10, 0xc0, 0xfe, 32, 0, 0, 0
    };
    static const struct acpi_io_apic usual = { 0xfec00000, 0 },
                                     expected[] = { { 0x12345678, 0x118 }, { 0xfec00001, 16 }, { 0xfec01000, 32 } };
    static const uint8_t none[] = { 0, 8, 0, 0, 1, 0, 0, 0 };
    static const uint8_t small[] = { 1, 11, 0, 0, 0, 0, 0xc0, 0xfe, 0, 0, 0 };
    static const uint8_t endless[] = { 0, 0, 0, 0, 1, 12, 0, 0, 0, 0, 0xc0, 0xfe, 0, 0, 0, 0 };
    static const uint8_t cut[] = { 0, 8, 0, 0, 1, 0, 0, 0, 1, 12, 0, 0, 0, 0, 0xc0, 0xfe, 0, 0, 0 };

    sound();
    expect_io_apics(4, 1, &usual);
    madt(three, sizeof three);
    for (size_t most = 0; most <= 4; most++)
        expect_io_apics(most, most < 3 ? most : 3, expected);
    madt(none, sizeof none);
    expect_io_apics(4, 0, NULL);
    madt(small, sizeof small);
    expect_io_apics(4, 0, NULL);
    madt(endless, sizeof endless);
    expect_io_apics(4, 0, NULL);
    madt(cut, sizeof cut);
    expect_io_apics(4, 0, NULL);
    machine.bytes[MADT + 9] ^= 1; /* the checksum is wrong */
    expect_io_apics(4, 0, NULL);
    sound();
    machine.bytes[ROOT] = 'X';
    expect_io_apics(4, 0, NULL);
}

/* The tables of a valid machine, an FADT with a timer at port 608H, and an HPET's table. */
static void with_timers(void)
{
    sound();
    memset(machine.bytes + OTHER, 0, SIZE - OTHER);
    put(FADT + 76, 0x608, 4);
    put(FADT + 91, 4, 1);
    table(FADT, "FACP", 116);
    put(HPET + 36, 0x8086a201, 4);
    put(HPET + 44, 0xfed00000, 8);
    table(HPET, "HPET", 56);
}

static void expect_timers(uint16_t port, uint64_t hpet)
{
    struct acpi_timers timers = { 99, 99 };

    acpi_read_timers(&memory, machine.base + ROOT, &timers);
    assert_int_equal(timers.pm_port, port);
    assert_int_equal(timers.hpet, hpet);
}

/* The 12-byte address of the PM timer has priority if the table has all of it and it is a port. */
UNIT_TEST(timers)
{
    static const struct {
        unsigned size;
        uint32_t block;
        uint8_t length, space;
        uint64_t extended;
        uint16_t port;
    } fadts[] = {
        { 92, 0x608, 4, 0, 0, 0x608 },        { 91, 0x608, 4, 0, 0, 0 }, /* ends before the timer's length */
        { 116, 0x608, 0, 0, 0, 0 },                                      /* no timer */
        { 116, 0x10608, 4, 0, 0, 0 },                                    /* no port */
        { 244, 0x608, 4, 1, 0x1808, 0x1808 }, { 220, 0x608, 4, 1, 0x1808, 0x1808 },
        { 219, 0x608, 4, 1, 0x1808, 0x608 },  { 244, 0x608, 4, 0, 0x1808, 0x608 },
        { 244, 0x608, 4, 1, 0, 0x608 },       { 244, 0x608, 4, 1, 0x10000, 0 },
        { 244, 0x608, 4, 1, 0xffff, 0xffff },
    };
    static const struct {
        unsigned size;
        uint8_t space;
        uint64_t address, hpet;
    } hpets[] = {
        { 52, 0, 0xfed00000, 0xfed00000 }, /* ends with the address */
        { 51, 0, 0xfed00000, 0 },
        { 56, 1, 0xfed00000, 0 }, /* not in memory */
        { 56, 0, UINT64_C(0x123456789abcdef0), UINT64_C(0x123456789abcdef0) },
    };

    with_timers();
    expect_timers(0x608, 0xfed00000);
    for (unsigned i = 0; i < COUNT_OF(fadts); i++) {
        with_timers();
        put(FADT + 76, fadts[i].block, 4);
        put(FADT + 91, fadts[i].length, 1);
        put(FADT + 208, fadts[i].space, 1);
        put(FADT + 212, fadts[i].extended, 8);
        table(FADT, "FACP", fadts[i].size);
        expect_timers(fadts[i].port, 0xfed00000);
    }
    for (unsigned i = 0; i < COUNT_OF(hpets); i++) {
        with_timers();
        put(HPET + 40, hpets[i].space, 1);
        put(HPET + 44, hpets[i].address, 8);
        table(HPET, "HPET", hpets[i].size);
        expect_timers(0x608, hpets[i].hpet);
    }
    with_timers();
    machine.bytes[HPET + 9]++;
    expect_timers(0x608, 0);
    with_timers();
    root(0, RSDT, XSDT);
    put(RSDT + 36, machine.base + HPET, 4);
    put(RSDT + 40, machine.base + FADT, 4);
    table(RSDT, "RSDT", 44);
    expect_timers(0x608, 0xfed00000);
    machine.bytes[ROOT]++;
    expect_timers(0, 0);
}
