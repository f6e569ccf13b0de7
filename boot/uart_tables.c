/* SPDX-License-Identifier: MIT */
#include "boot/uart_tables.h"

#include "lib/bytes.h"

/* A table's header has 36 bytes, its revision at 8. */
#define TABLE_REVISION 8u

/* A generic address. */
#define ADDRESS_SPACE     0u
#define ADDRESS_BIT_WIDTH 1u
#define ADDRESS_ACCESS    3u /* 0: undefined; 1, 2, 3, 4: accesses of 1, 2, 4, 8 bytes */
#define ADDRESS_ADDRESS   4u
#define ADDRESS_SIZE      12u
#define SPACE_MEMORY      0u
#define SPACE_PORT        1u
#define ACCESS_MOST       3u /* the largest for a UART: 4 bytes */

#define SPCR_KIND          36u
#define SPCR_ADDRESS       40u
#define SPCR_BAUD          58u
#define SPCR_CLOCK         76u /* from revision 3 on; 0: not known */
#define SPCR_CLOCK_SINCE   3u
#define SPCR_PRECISE       80u /* baud, from revision 4 on; 0: SPCR_BAUD counts */
#define SPCR_PRECISE_SINCE 4u

#define DBG2_OFFSET 36u
#define DBG2_COUNT  40u
#define DBG2_SIZE   44u

/* A device of DBG2; offsets of its parts count from its own first byte. */
#define DEVICE_LENGTH    1u
#define DEVICE_REGISTERS 3u
#define DEVICE_TYPE      12u
#define DEVICE_SUBTYPE   14u
#define DEVICE_ADDRESS   18u
#define DEVICE_SIZE      22u
#define TYPE_SERIAL      0x8000u

/*
 * Kinds of UARTs, in SPCR from revision 2 on and in DBG2. An LPSS UART has more registers, for its clock and reset,
 * which stay as firmware left them. Its divisor does, too, because no table reports its clock.
 */
#define KIND_16550        0x00u
#define KIND_16550_SUBSET 0x01u
#define KIND_16550_GAS    0x12u /* "with parameters defined in Generic Address Structure" */
#define KIND_INTEL_LPSS   0x14u

static bool is_16550(unsigned kind)
{
    return kind == KIND_16550 || kind == KIND_16550_SUBSET || kind == KIND_16550_GAS || kind == KIND_INTEL_LPSS;
}

/*
 * In memory a register takes its bit width, but at least the width of an access. Firmware sets one of the two or both;
 * 0 means 8 bits. Ports are always one byte each, whatever size the table has.
 */
static enum uart_error read_address(const uint8_t *address, struct uart *uart)
{
    const unsigned width = address[ADDRESS_BIT_WIDTH] ? address[ADDRESS_BIT_WIDTH] / 8u : 1u;
    const unsigned code = address[ADDRESS_ACCESS];

    uart->base = read_little(address + ADDRESS_ADDRESS, 8);
    uart->memory = address[ADDRESS_SPACE] == SPACE_MEMORY;
    uart->stride = uart->access = 1;
    if (!uart->base)
        return UART_DISABLED;
    if (address[ADDRESS_SPACE] == SPACE_PORT)
        return UART_OK;
    if (!uart->memory)
        return UART_SPACE;
    if (address[ADDRESS_BIT_WIDTH] % 8 || (width != 1 && width != 2 && width != 4) || code > ACCESS_MOST)
        return UART_WIDTH;
    uart->access = (uint8_t)(code ? 1u << (code - 1) : width);
    uart->stride = (uint8_t)(width > uart->access ? width : uart->access);
    return UART_OK;
}

/* The speeds that SPCR has codes for. With another code, or 0, the UART keeps the speed that firmware has set. */
static uint32_t baud_of(unsigned code)
{
    switch (code) {
    case 3:
        return 9600;
    case 4:
        return 19200;
    case 6:
        return 57600;
    case 7:
        return 115200;
    default:
        return 0;
    }
}

static enum uart_error read_spcr(const uint8_t *spcr, size_t size, struct uart *uart)
{
    const unsigned revision = spcr[TABLE_REVISION];

    if (size <= SPCR_BAUD)
        return UART_CUT_SHORT;
    const unsigned kind = spcr[SPCR_KIND];
    const enum uart_error error = read_address(spcr + SPCR_ADDRESS, uart);
    if (error != UART_OK)
        return error;
    if (!is_16550(kind))
        return UART_KIND;
    uart->baud = baud_of(spcr[SPCR_BAUD]);
    if (revision >= SPCR_CLOCK_SINCE && size >= SPCR_CLOCK + 4)
        uart->clock = (uint32_t)read_little(spcr + SPCR_CLOCK, 4);
    if (revision >= SPCR_PRECISE_SINCE && size >= SPCR_PRECISE + 4 && read_little(spcr + SPCR_PRECISE, 4))
        uart->baud = (uint32_t)read_little(spcr + SPCR_PRECISE, 4);
    if (uart->memory && !uart->clock)
        uart->baud = 0; /* the divisor depends on the clock; firmware has set the right one for its console */
    return UART_OK;
}

static enum uart_error read_device(const uint8_t *device, size_t size, struct uart *uart)
{
    const size_t address = (size_t)read_little(device + DEVICE_ADDRESS, 2);

    if (!device[DEVICE_REGISTERS])
        return UART_DISABLED;
    if (address > size - ADDRESS_SIZE) /* size is at least DEVICE_SIZE */
        return UART_CUT_SHORT;
    const enum uart_error error = read_address(device + address, uart);
    if (error == UART_OK && !is_16550((unsigned)read_little(device + DEVICE_SUBTYPE, 2)))
        return UART_KIND;
    return error;
}

/* Reads the devices up to the first of invalid length. Returns the number of serial ones. */
static size_t read_dbg2(const uint8_t *dbg2, size_t size, struct uart_named *named, size_t most)
{
    size_t count = 0;

    if (size < DBG2_SIZE)
        return 0;
    uint64_t left = read_little(dbg2 + DBG2_COUNT, 4);
    size_t at = (size_t)read_little(dbg2 + DBG2_OFFSET, 4);
    for (; left && at <= size && size - at >= DEVICE_SIZE && count < most; left--) {
        const size_t length = (size_t)read_little(dbg2 + at + DEVICE_LENGTH, 2);
        if (length < DEVICE_SIZE || length > size - at)
            break;
        if (read_little(dbg2 + at + DEVICE_TYPE, 2) == TYPE_SERIAL) {
            named[count] = (struct uart_named){ .by = "DBG2" };
            named[count].error = read_device(dbg2 + at, length, &named[count].uart);
            count++;
        }
        at += length;
    }
    return count;
}

size_t uart_tables_read(const struct acpi_memory *memory, uint64_t root, struct uart_named *named, size_t most)
{
    size_t size, count = 0;
    const uint8_t *table = acpi_table(memory, root, "SPCR", &size);

    if (table && most) {
        named[0] = (struct uart_named){ .by = "SPCR" };
        named[0].error = read_spcr(table, size, &named[0].uart);
        count++;
    }
    table = acpi_table(memory, root, "DBG2", &size);
    return table ? count + read_dbg2(table, size, named + count, most - count) : count;
}
