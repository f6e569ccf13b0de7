/* SPDX-License-Identifier: MIT */
/* Finds ACPI tables, and reads the processors (MADT) and timers (FADT, HPET) in them. Pure. */
#ifndef BOOT_ACPI_H
#define BOOT_ACPI_H

#include <stddef.h>
#include <stdint.h>

/* Access to physical memory: at() returns a pointer to size bytes at an address, or NULL if they are not accessible. */
struct acpi_memory {
    const void *(*at)(void *context, uint64_t address, size_t size);
    void *context;
};

/* Finds the root pointer in the BIOS's read-only memory, E0000h to FFFFFh; 0 if there is none. */
uint64_t acpi_scan(const struct acpi_memory *memory);

/* The first valid table with this signature, and its size in bytes; NULL if there is no such table. */
const uint8_t *acpi_table(const struct acpi_memory *memory, uint64_t root, const char *signature, size_t *size);

struct acpi_processors {
    uint32_t *apic_ids; /* memory for `most` IDs */
    size_t most;
    size_t count; /* enabled processors; apic_ids has the first `most` of them, in the table's order */
};

enum acpi_error {
    ACPI_OK,
    ACPI_NO_ROOT,    /* no root pointer at this address, or its checksum is wrong */
    ACPI_ROOT_TABLE, /* neither XSDT nor RSDT is valid */
    ACPI_NO_MADT,    /* no MADT with a valid checksum and length */
    ACPI_MADT_ENTRY  /* a MADT entry extends past the table's end */
};

/*
 * Fills *processors from the tables of the root pointer at address root. After an error, count is 0. ACPI Specification
 * 6.5, 5.2.5 "Root System Description Pointer", 5.2.7, 5.2.8, and 5.2.12 "Multiple APIC Description Table".
 */
enum acpi_error acpi_read_processors(const struct acpi_memory *memory, uint64_t root,
                                     struct acpi_processors *processors);

struct acpi_timers {
    uint16_t pm_port; /* the I/O port of the power management timer: 24 bits or 32, 3.579545 MHz; 0: none */
    uint64_t hpet;    /* the physical address of the HPET's registers; 0: none */
};

/*
 * Fills *timers from the tables of the root pointer at address root. Timers of missing or damaged tables are 0. ACPI
 * Specification 6.5, 5.2.9 "Fixed ACPI Description Table (FADT)"; IA-PC HPET Specification 1.0a, 3.2.4 "The ACPI 2.0
 * HPET Description Table (HPET)".
 */
void acpi_read_timers(const struct acpi_memory *memory, uint64_t root, struct acpi_timers *timers);

struct acpi_io_apic {
    uint32_t address;         /* of its registers, physical */
    uint32_t first_interrupt; /* the global system interrupt of its input 0 */
};

/* Reads up to `most` I/O APICs from the MADT, in its order, and returns how many. ACPI Specification 6.5, 5.2.12.3. */
size_t acpi_read_io_apics(const struct acpi_memory *memory, uint64_t root, struct acpi_io_apic *io_apics, size_t most);

/* The error as text: "no ACPI: ...". */
const char *acpi_error_text(enum acpi_error error);

#endif
