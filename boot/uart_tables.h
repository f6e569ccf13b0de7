/* SPDX-License-Identifier: MIT */
/* The serial ports that firmware lists in ACPI tables: for its console (SPCR) and for debuggers (DBG2). Pure. */
#ifndef BOOT_UART_TABLES_H
#define BOOT_UART_TABLES_H

#include <stddef.h>

#include "boot/acpi.h"
#include "boot/uart.h"

struct uart_named {
    const char *by; /* the table: "SPCR" or "DBG2" */
    struct uart uart;
    enum uart_error error; /* UART_OK: it can be used; otherwise uart may be incomplete */
};

/*
 * Fills named[], up to `most` elements, with the UARTs of SPCR, then of DBG2. Returns the number of elements. Missing
 * or damaged tables have no UARTs.
 *
 * Microsoft, "Serial Port Console Redirection Table (SPCR)", revisions 1 to 4; "Microsoft Debug Port Table 2 (DBG2)",
 * tables 1 to 3; ACPI Specification 6.5, 5.2.3.2 "Generic Address Structure (GAS)".
 */
size_t uart_tables_read(const struct acpi_memory *memory, uint64_t root, struct uart_named *named, size_t most);

#endif
