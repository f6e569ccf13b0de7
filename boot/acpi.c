/* SPDX-License-Identifier: MIT */
#include "boot/acpi.h"

#include <stdbool.h>

#include "lib/bytes.h"

#define SCAN_START UINT64_C(0xe0000)
#define SCAN_END   UINT64_C(0x100000)
#define SCAN_STEP  16u

/* The root pointer: "RSD PTR ", checksum, OEM, revision, RSDT; from revision 2 on length, XSDT, extended checksum. */
#define ROOT_SIZE_1   20u
#define ROOT_SIZE     36u
#define ROOT_REVISION 15u
#define ROOT_RSDT     16u
#define ROOT_XSDT     24u

/* Header of every table: signature, length, revision, checksum, ... MADT entries follow its APIC address and flags. */
#define TABLE_LENGTH   4u
#define TABLE_SIZE     36u
#define TABLE_MOST     0x100000u /* bytes; a longer table counts as damaged */
#define MADT_ENTRIES   44u
#define ENTRY_APIC     0u /* type, length, processor's UID, APIC ID, flags */
#define ENTRY_IO_APIC  1u /* type, length, ID, reserved, address, first interrupt */
#define IO_APIC_SIZE   12u
#define ENTRY_X2APIC   9u /* type, length, reserved, x2APIC ID, flags, UID */
#define ENTRY_ENABLED  1u
#define XAPIC_ID_EMPTY 0xffu

/* A generic address: space, bit width, bit offset, access size, address. */
#define ADDRESS_SIZE      12u
#define ADDRESS_IS_MEMORY 0u
#define ADDRESS_IS_PORT   1u
#define PORT_LAST         0xffffu

#define FADT_PM_TIMER        76u /* I/O port */
#define FADT_PM_TIMER_LENGTH 91u /* bytes */
#define PM_TIMER_BYTES       4u
#define FADT_X_PM_TIMER      208u /* generic address, from revision 2 on */
#define HPET_ADDRESS         40u

static bool is(const uint8_t *bytes, const char *signature)
{
    while (*signature != '\0' && (char)*bytes == *signature)
        bytes++, signature++;
    return *signature == '\0';
}

static bool sums_to_zero(const uint8_t *bytes, size_t size)
{
    uint8_t sum = 0;

    while (size--)
        sum = (uint8_t)(sum + *bytes++);
    return sum == 0;
}

static const uint8_t *root_at(const struct acpi_memory *memory, uint64_t address)
{
    const uint8_t *root = memory->at(memory->context, address, ROOT_SIZE_1);

    return root && is(root, "RSD PTR ") && sums_to_zero(root, ROOT_SIZE_1) ? root : NULL;
}

uint64_t acpi_scan(const struct acpi_memory *memory)
{
    for (uint64_t address = SCAN_START; address < SCAN_END; address += SCAN_STEP)
        if (root_at(memory, address))
            return address;
    return 0;
}

/* The whole table at an address; NULL if it is damaged or cannot be reached. */
static const uint8_t *table_at(const struct acpi_memory *memory, uint64_t address, size_t *size)
{
    const uint8_t *table = memory->at(memory->context, address, TABLE_SIZE);
    uint64_t length = table ? read_little(table + TABLE_LENGTH, 4) : 0;

    if (length < TABLE_SIZE || length > TABLE_MOST)
        return NULL;
    table = memory->at(memory->context, address, (size_t)length);
    *size = (size_t)length;
    return table && sums_to_zero(table, (size_t)length) ? table : NULL;
}

/* The first valid table with this signature in an RSDT or XSDT. entry: bytes of an entry, 4 or 8. */
static const uint8_t *find_in(const struct acpi_memory *memory, const uint8_t *list, size_t list_size, unsigned entry,
                              const char *signature, size_t *size)
{
    for (size_t at = TABLE_SIZE; at + entry <= list_size; at += entry) {
        const uint8_t *table = table_at(memory, read_little(list + at, entry), size);
        if (table && is(table, signature))
            return table;
    }
    return NULL;
}

/* Sets *table, to NULL if there is no such table. After an error no table can be found, and *table is unchanged. */
static enum acpi_error find(const struct acpi_memory *memory, uint64_t address, const char *signature,
                            const uint8_t **table, size_t *size)
{
    const uint8_t *root = root_at(memory, address), *list = NULL;

    if (!root)
        return ACPI_NO_ROOT;
    if (root[ROOT_REVISION] >= 2 && (root = memory->at(memory->context, address, ROOT_SIZE)) != NULL)
        list = table_at(memory, read_little(root + ROOT_XSDT, 8), size);
    if (list && is(list, "XSDT")) {
        *table = find_in(memory, list, *size, 8, signature, size);
        return ACPI_OK;
    }
    root = root_at(memory, address);
    list = table_at(memory, read_little(root + ROOT_RSDT, 4), size);
    if (!list || !is(list, "RSDT"))
        return ACPI_ROOT_TABLE;
    *table = find_in(memory, list, *size, 4, signature, size);
    return ACPI_OK;
}

const uint8_t *acpi_table(const struct acpi_memory *memory, uint64_t root, const char *signature, size_t *size)
{
    const uint8_t *table;

    return find(memory, root, signature, &table, size) == ACPI_OK ? table : NULL;
}

/* Reads the APIC ID from an entry; false if the entry is not an enabled processor. */
static bool entry_processor(const uint8_t *entry, size_t size, uint32_t *id)
{
    if (entry[0] == ENTRY_APIC && size >= 8) {
        *id = entry[3];
        return read_little(entry + 4, 4) & ENTRY_ENABLED && *id != XAPIC_ID_EMPTY;
    }
    if (entry[0] == ENTRY_X2APIC && size >= 16) {
        *id = (uint32_t)read_little(entry + 4, 4);
        return read_little(entry + 8, 4) & ENTRY_ENABLED;
    }
    return false;
}

static enum acpi_error read_madt(const uint8_t *madt, size_t size, struct acpi_processors *processors)
{
    size_t count = 0;

    for (size_t at = MADT_ENTRIES; at < size;) {
        const size_t length = at + 2 <= size ? madt[at + 1] : 0;
        uint32_t id;
        if (length < 2 || length > size - at)
            return ACPI_MADT_ENTRY;
        if (entry_processor(madt + at, length, &id)) {
            if (count < processors->most)
                processors->apic_ids[count] = id;
            count++;
        }
        at += length;
    }
    processors->count = count;
    return ACPI_OK;
}

enum acpi_error acpi_read_processors(const struct acpi_memory *memory, uint64_t address,
                                     struct acpi_processors *processors)
{
    const uint8_t *madt;
    size_t size;
    const enum acpi_error error = find(memory, address, "APIC", &madt, &size);

    processors->count = 0;
    if (error != ACPI_OK)
        return error;
    return madt ? read_madt(madt, size, processors) : ACPI_NO_MADT;
}

size_t acpi_read_io_apics(const struct acpi_memory *memory, uint64_t address, struct acpi_io_apic *io_apics,
                          size_t most)
{
    size_t size, count = 0;
    const uint8_t *const madt = acpi_table(memory, address, "APIC", &size);

    if (!madt)
        return 0;
    for (size_t at = MADT_ENTRIES; count < most && at + IO_APIC_SIZE <= size && madt[at + 1] >= 2; at += madt[at + 1])
        if (madt[at] == ENTRY_IO_APIC && madt[at + 1] >= IO_APIC_SIZE)
            io_apics[count++] = (struct acpi_io_apic){ (uint32_t)read_little(madt + at + 4, 4),
                                                       (uint32_t)read_little(madt + at + 8, 4) };
    return count;
}

/* A port in the extended address takes precedence over the old field. */
static uint16_t pm_port(const uint8_t *fadt, size_t size)
{
    const uint8_t *const extended = fadt + FADT_X_PM_TIMER;
    uint64_t port = size >= FADT_PM_TIMER_LENGTH + 1 && fadt[FADT_PM_TIMER_LENGTH] == PM_TIMER_BYTES
                        ? read_little(fadt + FADT_PM_TIMER, 4)
                        : 0;

    if (size >= FADT_X_PM_TIMER + ADDRESS_SIZE && extended[0] == ADDRESS_IS_PORT && read_little(extended + 4, 8))
        port = read_little(extended + 4, 8);
    return port <= PORT_LAST ? (uint16_t)port : 0;
}

void acpi_read_timers(const struct acpi_memory *memory, uint64_t root, struct acpi_timers *timers)
{
    const uint8_t *table;
    size_t size;

    *timers = (struct acpi_timers){ 0 };
    if (find(memory, root, "FACP", &table, &size) == ACPI_OK && table)
        timers->pm_port = pm_port(table, size);
    if (find(memory, root, "HPET", &table, &size) == ACPI_OK && table && size >= HPET_ADDRESS + ADDRESS_SIZE &&
        table[HPET_ADDRESS] == ADDRESS_IS_MEMORY)
        timers->hpet = read_little(table + HPET_ADDRESS + 4, 8);
}

const char *acpi_error_text(enum acpi_error error)
{
    switch (error) {
    case ACPI_OK:
        return "no error";
    case ACPI_NO_ROOT:
        return "no ACPI: no valid root pointer (RSDP)";
    case ACPI_ROOT_TABLE:
        return "no ACPI: neither XSDT nor RSDT is valid";
    case ACPI_NO_MADT:
        return "no valid MADT among the ACPI tables";
    case ACPI_MADT_ENTRY:
        return "an entry of the ACPI table MADT extends past its end";
    }
    return "unknown ACPI error";
}
