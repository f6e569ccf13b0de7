/* SPDX-License-Identifier: MIT */
/*
 * Input: memory from address 1000h on, starting with the root pointer; tables may be anywhere. The checksums of the
 * root pointer and of tables at bytes 64 and 128 are corrected first: random mutations would not do that.
 */
#include "boot/acpi.h"
#include "boot/uart_tables.h"
#include "tests/fuzz/fuzz.h"

#define BASE 0x1000u
#define MOST 4u

static const void *at(void *context, uint64_t address, size_t size)
{
    const struct input *in = context;

    return address >= BASE && size <= in->size && address - BASE <= in->size - size ? in->data + (address - BASE)
                                                                                    : NULL;
}

static void seal(uint8_t *bytes, size_t size, size_t checksum)
{
    uint8_t sum = 0;

    bytes[checksum] = 0;
    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + bytes[i]);
    bytes[checksum] = (uint8_t)-sum;
}

static void seal_table(uint8_t *bytes, size_t size)
{
    struct input in = { bytes, size };

    take(&in, 4);
    const uint64_t length = take(&in, 4);
    if (length >= 10 && length <= size)
        seal(bytes, (size_t)length, 9);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    struct input in = { bytes, size };
    const struct acpi_memory memory = { at, &in };
    uint32_t ids[MOST + 1];
    struct acpi_processors processors = { .apic_ids = ids, .most = MOST };

    REQUIRE(bytes != NULL);
    memcpy(bytes, data, size);
    fill(ids, sizeof(ids));
    if (size >= 20)
        seal(bytes, 20, 8);
    if (size > 64)
        seal_table(bytes + 64, size - 64);
    if (size > 128)
        seal_table(bytes + 128, size - 128);
    enum acpi_error error = acpi_read_processors(&memory, BASE, &processors);
    REQUIRE(error == ACPI_OK || processors.count == 0);
    REQUIRE(acpi_error_text(error)[0] != '\0');
    REQUIRE(processors.count <= size / 8);
    const size_t taken = error != ACPI_OK || processors.count > MOST ? MOST : processors.count;
    REQUIRE(untouched(ids + taken, sizeof(ids) - taken * sizeof(ids[0])));
    struct acpi_timers timers;
    acpi_read_timers(&memory, BASE, &timers);
    REQUIRE(error != ACPI_NO_ROOT || (!timers.pm_port && !timers.hpet));
    struct uart_named named[MOST + 1];
    fill(named, sizeof(named));
    const size_t uarts = uart_tables_read(&memory, BASE, named, MOST);
    REQUIRE(uarts <= MOST && (error != ACPI_NO_ROOT || !uarts));
    REQUIRE(untouched(named + uarts, sizeof(named) - uarts * sizeof(named[0])));
    for (size_t i = 0; i < uarts; i++) {
        const struct uart *uart = &named[i].uart;
        REQUIRE(uart_error_text(named[i].error)[0] != '\0');
        if (named[i].error != UART_OK)
            continue;
        REQUIRE(uart->base && uart->stride >= uart->access && uart_size(uart) <= 32);
        REQUIRE(uart_reach(uart) != UART_OK || uart->base + uart_size(uart) <= UINT64_C(1) << 32);
        REQUIRE(!uart->baud || uart_divisor(uart) <= UINT16_MAX);
    }
    free(bytes);
    return 0;
}
