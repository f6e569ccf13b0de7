/* SPDX-License-Identifier: MIT */
/* ACPI's tables in this machine's memory, found from the root pointer that the loader passed, or by a scan. */
#ifndef KERNEL_ACPI_ROOT_H
#define KERNEL_ACPI_ROOT_H

#include "boot/acpi.h"
#include "boot/boot_info.h"
#include "boot/smbios.h"
#include "boot/uart_tables.h"

void acpi_root_init(const struct boot_info *boot);

/* acpi_read_processors(), acpi_read_timers(), acpi_read_io_apics() and uart_tables_read() on this machine's tables. */
enum acpi_error acpi_root_processors(struct acpi_processors *processors);
void acpi_root_timers(struct acpi_timers *timers);
size_t acpi_root_io_apics(struct acpi_io_apic *io_apics, size_t most);
size_t acpi_root_uarts(struct uart_named *named, size_t most);

/* smbios_text() of this machine. */
bool acpi_root_smbios(char text[SMBIOS_TEXT]);

#endif
