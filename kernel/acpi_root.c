/* SPDX-License-Identifier: MIT */
#include "kernel/acpi_root.h"

static uint64_t root, smbios;

static const void *physical(void *context, uint64_t address, size_t size)
{
    (void)context;
    if (address >> 32 || (address + size) >> 32)
        return NULL; /* not mapped; nor is the page at address 0, so NULL is not a valid table */
    return (const void *)(uintptr_t)address;
}

static const struct acpi_memory memory = { physical, NULL };

void acpi_root_init(const struct boot_info *boot)
{
    smbios = boot->smbios;
    root = boot->rsdp ? boot->rsdp : acpi_scan(&memory);
}

enum acpi_error acpi_root_processors(struct acpi_processors *processors)
{
    return acpi_read_processors(&memory, root, processors);
}

void acpi_root_timers(struct acpi_timers *timers)
{
    acpi_read_timers(&memory, root, timers);
}

size_t acpi_root_io_apics(struct acpi_io_apic *io_apics, size_t most)
{
    return acpi_read_io_apics(&memory, root, io_apics, most);
}

bool acpi_root_smbios(char text[SMBIOS_TEXT])
{
    return smbios_text(&memory, smbios, text);
}

size_t acpi_root_uarts(struct uart_named *named, size_t most)
{
    return uart_tables_read(&memory, root, named, most);
}
