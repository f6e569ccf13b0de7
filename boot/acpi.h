/* SPDX-License-Identifier: MIT */
/* Which processors firmware says there are: the ACPI table MADT, and the way there. Pure. */
#ifndef BOOT_ACPI_H
#define BOOT_ACPI_H

#include <stddef.h>
#include <stdint.h>

/* Physical memory, to be read with care: at() returns size bytes at an address, NULL where they cannot be reached. */
struct acpi_memory {
    const void *(*at)(void *context, uint64_t address, size_t size);
    void *context;
};

/* Where the root pointer lies in the BIOS's read-only memory, E0000h to FFFFFh; 0: nowhere. */
uint64_t acpi_scan(const struct acpi_memory *memory);

struct acpi_processors {
    uint32_t *apic_ids; /* room for most */
    size_t most;
    size_t count; /* enabled processors; apic_ids has the first of them, in the order of the table */
};

enum acpi_error {
    ACPI_OK,
    ACPI_NO_ROOT,    /* no root pointer at this address, or its checksum is wrong */
    ACPI_ROOT_TABLE, /* neither XSDT nor RSDT is sound */
    ACPI_NO_MADT,    /* none whose checksum and length are right */
    ACPI_MADT_ENTRY  /* an entry reaches beyond the table */
};

/*
 * Fills *processors from the tables that the root pointer at address root leads to. After an error count is
 * 0. ACPI Specification 6.5, 5.2.5 "Root System Description Pointer",
 * 5.2.7, 5.2.8, and 5.2.12 "Multiple APIC Description Table".
 */
enum acpi_error acpi_read_processors(const struct acpi_memory *memory, uint64_t root,
                                     struct acpi_processors *processors);

/* "no ACPI: ..." */
const char *acpi_error_text(enum acpi_error error);

#endif
