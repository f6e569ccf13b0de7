/* SPDX-License-Identifier: MIT */
/* ACPI tables in a memory of bytes, with the layouts of the ACPI Specification 6.5. */
#ifndef TESTS_HOST_ACPI_TABLES_H
#define TESTS_HOST_ACPI_TABLES_H

#include "tests/host/unit_test.h"

#include "boot/acpi.h"

#define ROOT 0x40u
#define SIZE 0x400u

/* The machine's memory: the bytes from base on, in a heap block, so that the address sanitizer catches reads past it.
 */
static struct {
    uint64_t base;
    size_t size;
    uint8_t *bytes;
} machine;

static const void *at(void *context, uint64_t address, size_t size)
{
    return address >= machine.base && size <= machine.size && address - machine.base <= machine.size - size
               ? machine.bytes + (address - machine.base)
               : NULL;
}

static const struct acpi_memory memory = { at, NULL };

static void clear(uint64_t base, size_t size)
{
    free(machine.bytes);
    machine.bytes = calloc(1, size);
    assert_non_null(machine.bytes);
    machine.base = base;
    machine.size = size;
}

static void put(size_t where, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        machine.bytes[where + i] = (uint8_t)(value >> 8 * i);
}

/* Sets the checksum so that the bytes from start on sum up to zero. */
static void seal(size_t start, size_t size, size_t checksum)
{
    uint8_t sum = 0;

    machine.bytes[checksum] = 0;
    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + machine.bytes[start + i]);
    machine.bytes[checksum] = (uint8_t)-sum;
}

static void table(size_t where, const char *signature, unsigned size)
{
    memcpy(machine.bytes + where, signature, 4);
    put(where + 4, size, 4);
    seal(where, size, where + 9);
}

/* The root pointer. An XSDT at 0: there is none. */
static void root(uint8_t revision, size_t rsdt, size_t xsdt)
{
    memcpy(machine.bytes + ROOT, "RSD PTR ", 8);
    machine.bytes[ROOT + 15] = revision;
    put(ROOT + 16, machine.base + rsdt, 4);
    put(ROOT + 20, 36, 4);
    put(ROOT + 24, xsdt ? machine.base + xsdt : 0, 8);
    seal(ROOT, 20, ROOT + 8);
    seal(ROOT, 36, ROOT + 32);
}

#endif
