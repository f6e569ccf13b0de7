/* SPDX-License-Identifier: MIT */
#include "boot/acpi.h"

#include <stdbool.h>

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
#define ENTRY_X2APIC   9u /* type, length, reserved, x2APIC ID, flags, UID */
#define ENTRY_ENABLED  1u
#define XAPIC_ID_EMPTY 0xffu

static uint64_t number(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;

    while (size--)
        value = value << 8 | bytes[size];
    return value;
}

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
    uint64_t length = table ? number(table + TABLE_LENGTH, 4) : 0;

    if (length < TABLE_SIZE || length > TABLE_MOST)
        return NULL;
    table = memory->at(memory->context, address, (size_t)length);
    *size = (size_t)length;
    return table && sums_to_zero(table, (size_t)length) ? table : NULL;
}

/* The MADT among the tables of an RSDT or XSDT, whose entries have 4 or 8 bytes. */
static const uint8_t *find_madt(const struct acpi_memory *memory, const uint8_t *list, size_t list_size, unsigned entry,
                                size_t *size)
{
    for (size_t at = TABLE_SIZE; at + entry <= list_size; at += entry) {
        const uint8_t *table = table_at(memory, number(list + at, entry), size);
        if (table && is(table, "APIC"))
            return table;
    }
    return NULL;
}

/* Reads the APIC ID from an entry; false if the entry is not an enabled processor. */
static bool entry_processor(const uint8_t *entry, size_t size, uint32_t *id)
{
    if (entry[0] == ENTRY_APIC && size >= 8) {
        *id = entry[3];
        return number(entry + 4, 4) & ENTRY_ENABLED && *id != XAPIC_ID_EMPTY;
    }
    if (entry[0] == ENTRY_X2APIC && size >= 16) {
        *id = (uint32_t)number(entry + 4, 4);
        return number(entry + 8, 4) & ENTRY_ENABLED;
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
    const uint8_t *root = root_at(memory, address), *list = NULL, *madt;
    size_t size;

    processors->count = 0;
    if (!root)
        return ACPI_NO_ROOT;
    if (root[ROOT_REVISION] >= 2 && (root = memory->at(memory->context, address, ROOT_SIZE)) != NULL)
        list = table_at(memory, number(root + ROOT_XSDT, 8), &size);
    if (list && is(list, "XSDT")) {
        madt = find_madt(memory, list, size, 8, &size);
    } else {
        root = root_at(memory, address);
        list = table_at(memory, number(root + ROOT_RSDT, 4), &size);
        if (!list || !is(list, "RSDT"))
            return ACPI_ROOT_TABLE;
        madt = find_madt(memory, list, size, 4, &size);
    }
    return madt ? read_madt(madt, size, processors) : ACPI_NO_MADT;
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
