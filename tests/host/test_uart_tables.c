/* SPDX-License-Identifier: MIT */
/*
 * SPCR and DBG2, valid and broken. Offsets are those of Microsoft's documents "Serial Port Console Redirection Table
 * (SPCR)", revisions 1 to 4, and "Microsoft Debug Port Table 2 (DBG2)".
 */
#include "tests/host/acpi_tables.h"

#include "boot/uart_tables.h"

#define BASE 0x7fe0000u
#define RSDT 0x80u
#define SPCR 0x100u
#define DBG2 0x200u

/* A root pointer of ACPI 1.0, whose RSDT has the two tables. */
static void start(void)
{
    clear(BASE, SIZE);
    root(0, RSDT, 0);
    put(RSDT + 36, BASE + SPCR, 4);
    put(RSDT + 40, BASE + DBG2, 4);
    table(RSDT, "RSDT", 44);
}

static size_t read_tables(struct uart_named *named, size_t most)
{
    return uart_tables_read(&memory, BASE + ROOT, named, most);
}

static void address(size_t where, uint8_t space, uint8_t width, uint8_t access, uint64_t base)
{
    machine.bytes[where] = space;
    machine.bytes[where + 1] = width;
    machine.bytes[where + 3] = access;
    put(where + 4, base, 8);
}

/* The first UART found, which must be from SPCR. */
static struct uart_named spcr(uint8_t revision, unsigned size)
{
    struct uart_named named[2];

    machine.bytes[SPCR + 8] = revision;
    table(SPCR, "SPCR", size);
    assert_int_equal(read_tables(named, 2), 1);
    assert_string_equal(named[0].by, "SPCR");
    return named[0];
}

static void expect(struct uart_named got, uint64_t base, bool memory, unsigned stride, unsigned access, uint32_t baud,
                   uint32_t clock)
{
    assert_int_equal(got.error, UART_OK);
    assert_int_equal(got.uart.base, base);
    assert_int_equal(got.uart.memory, memory);
    assert_int_equal(got.uart.stride, stride);
    assert_int_equal(got.uart.access, access);
    assert_int_equal(got.uart.baud, baud);
    assert_int_equal(got.uart.clock, clock);
}

UNIT_TEST(strides)
{
    static const struct {
        uint8_t space, width, access, stride, bytes;
        enum uart_error error;
    } rows[] = {
        { 0, 8, 1, 1, 1, UART_OK },     { 0, 8, 0, 1, 1, UART_OK },       { 0, 0, 1, 1, 1, UART_OK },
        { 0, 0, 0, 1, 1, UART_OK },     { 0, 16, 2, 2, 2, UART_OK },      { 0, 16, 0, 2, 2, UART_OK },
        { 0, 16, 1, 2, 1, UART_OK },    { 0, 32, 3, 4, 4, UART_OK },      { 0, 32, 0, 4, 4, UART_OK },
        { 0, 32, 1, 4, 1, UART_OK },    { 0, 32, 2, 4, 2, UART_OK },      { 0, 8, 3, 4, 4, UART_OK },
        { 0, 0, 3, 4, 4, UART_OK },     { 1, 8, 1, 1, 1, UART_OK },       { 1, 32, 3, 1, 1, UART_OK },
        { 1, 64, 9, 1, 1, UART_OK },    { 0, 64, 4, 0, 0, UART_WIDTH },   { 0, 8, 4, 0, 0, UART_WIDTH },
        { 0, 64, 0, 0, 0, UART_WIDTH }, { 0, 24, 1, 0, 0, UART_WIDTH },   { 0, 12, 1, 0, 0, UART_WIDTH },
        { 0, 4, 1, 0, 0, UART_WIDTH },  { 0, 8, 0x20, 0, 0, UART_WIDTH }, { 0, 8, 0xff, 0, 0, UART_WIDTH },
        { 2, 8, 1, 0, 0, UART_SPACE },  { 0x7f, 8, 1, 0, 0, UART_SPACE },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        start();
        address(SPCR + 40, rows[i].space, rows[i].width, rows[i].access, 0x1000);
        const struct uart_named got = spcr(2, 80);
        assert_int_equal(got.error, rows[i].error);
        if (got.error == UART_OK)
            expect(got, 0x1000, rows[i].space == 0, rows[i].stride, rows[i].bytes, 0, 0);
    }
}

UNIT_TEST(refused_by_spcr)
{
    struct uart_named named[1];

    start();
    address(SPCR + 40, 1, 8, 1, 0);
    assert_int_equal(spcr(2, 80).error, UART_DISABLED); /* console redirection is disabled */
    for (unsigned kind = 0; kind < 256; kind++) {
        start();
        address(SPCR + 40, 1, 8, 1, 0x3f8);
        machine.bytes[SPCR + 36] = (uint8_t)kind;
        assert_int_equal(spcr(2, 80).error,
                         kind == 0 || kind == 1 || kind == 0x12 || kind == 0x14 ? UART_OK : UART_KIND);
    }
    start();
    address(SPCR + 40, 1, 8, 1, 0x3f8);
    assert_int_equal(spcr(1, 58).error, UART_CUT_SHORT);
    assert_int_equal(spcr(1, 59).error, UART_OK);
    assert_int_equal(spcr(1, 36).error, UART_CUT_SHORT);
    address(SPCR + 40, 0, 8, 1, UINT64_C(0x123456789abcdef0));
    expect(spcr(1, 80), UINT64_C(0x123456789abcdef0), true, 1, 1, 0, 0);
    table(SPCR, "SPCR", 80);
    assert_int_equal(read_tables(named, 0), 0);
    assert_int_equal(read_tables(named, 1), 1);
    machine.bytes[SPCR + 9]++;
    assert_int_equal(read_tables(named, 1), 0);
    assert_int_equal(uart_tables_read(&memory, 0, named, 1), 0);
}

/* A DBG2 device: 22 bytes, one address, the address's size. Returns the start of the next device. */
static size_t device(size_t where, uint16_t type, uint16_t subtype, uint64_t base)
{
    machine.bytes[where] = 0xff; /* its revision */
    put(where + 16, 0xffff, 2);  /* reserved */
    put(where + 1, 22 + 12 + 4, 2);
    machine.bytes[where + 3] = 1;
    put(where + 12, type, 2);
    put(where + 14, subtype, 2);
    put(where + 18, 22, 2);
    put(where + 20, 22 + 12, 2);
    address(where + 22, 0, 32, 3, base);
    put(where + 34, 0x1000, 4);
    return where + 38;
}

/* The UARTs found if DBG2 has this size and count of devices, each as "TABLE ADDRESS", with its error. */
static void expect_dbg2(unsigned size, uint32_t count, size_t most, const char *want)
{
    static const char *const errors[] = {
        [UART_OK] = "", [UART_DISABLED] = " disabled", [UART_KIND] = " other kind", [UART_CUT_SHORT] = " cut short"
    };
    struct uart_named named[4] = { { .by = NULL } };
    char got[200] = "";

    put(DBG2 + 40, count, 4);
    table(DBG2, "DBG2", size);
    const size_t found = read_tables(named, most);
    for (size_t i = 0; i < found; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s %llx%s", i ? ", " : "", named[i].by,
                 (unsigned long long)named[i].uart.base, errors[named[i].error]);
    assert_string_equal(got, want);
    assert_true(found == COUNT_OF(named) || !named[found].by);
    if (found && !named[0].error && strcmp(named[0].by, "DBG2") == 0)
        expect(named[0], named[0].uart.base, true, 4, 4, 0, 0);
}

#define ONE "DBG2 fe200000"
#define TWO ONE ", DBG2 fe300000"

UNIT_TEST(debuggers_ports)
{
    size_t next;

    start();
    put(DBG2 + 36, 44, 4);
    next = device(DBG2 + 44, 0x8003, 0x8086, 0xfe100000); /* a network card */
    next = device(next, 0x8000, 0x12, 0xfe200000);        /* a 16550, described by its address */
    next = device(next, 0x8000, 0x14, 0xfe300000);        /* Intel's LPSS */
    next = device(next, 0x8000, 3, 0xfe400000);           /* ARM's */
    const unsigned size = (unsigned)(next - DBG2);
    expect_dbg2(size, 4, 4, TWO ", DBG2 fe400000 other kind");
    expect_dbg2(size, 2, 4, ONE);
    expect_dbg2(size, 0xffffffff, 4, TWO ", DBG2 fe400000 other kind"); /* only the existing ones */
    expect_dbg2(size, 4, 2, TWO);

    address(SPCR + 40, 1, 8, 1, 0x3f8);
    table(SPCR, "SPCR", 80);
    expect_dbg2(size, 4, 4, "SPCR 3f8, " TWO ", DBG2 fe400000 other kind");
    expect_dbg2(size, 4, 3, "SPCR 3f8, " TWO);
}

UNIT_TEST(damaged_devices)
{
    const size_t first = DBG2 + 44;

    start();
    put(DBG2 + 36, 44, 4);
    device(first, 0x8000, 0, 0xfe200000);
    expect_dbg2(44 + 38, 1, 4, ONE);
    expect_dbg2(44 + 37, 1, 4, ""); /* ends outside the table */
    expect_dbg2(44, 1, 4, "");
    expect_dbg2(43, 1, 4, "");
    put(first + 1, 21, 2); /* shorter than a device */
    expect_dbg2(44 + 38, 1, 4, "");
    put(first + 1, 0, 2);
    expect_dbg2(44 + 38, 2, 4, "");
    put(first + 1, 22, 2); /* only the fixed part: the address is outside */
    expect_dbg2(44 + 22, 1, 4, "DBG2 0 cut short");
    put(first + 1, 38, 2);
    put(first + 18, 26, 2); /* the last place where an address fits */
    address(first + 26, 0, 32, 3, 0xfe500000);
    expect_dbg2(44 + 38, 1, 4, "DBG2 fe500000");
    put(first + 18, 27, 2);
    expect_dbg2(44 + 38, 1, 4, "DBG2 0 cut short");
    put(first + 18, 0xffff, 2);
    expect_dbg2(44 + 38, 1, 4, "DBG2 0 cut short");
    machine.bytes[first + 3] = 0; /* has no address */
    expect_dbg2(44 + 38, 1, 4, "DBG2 0 disabled");
    put(DBG2 + 36, 44 + 38 - 21, 4); /* the first device is past the end */
    expect_dbg2(44 + 38, 1, 4, "");
    put(DBG2 + 36, 0xffffffff, 4);
    expect_dbg2(44 + 38, 1, 4, "");
}
