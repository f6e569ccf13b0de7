/* SPDX-License-Identifier: MIT */
/* The serial ports for the log: from the options, otherwise from firmware's tables and PCI. */
#ifndef KERNEL_SERIAL_PORTS_H
#define KERNEL_SERIAL_PORTS_H

#include <stddef.h>

#include "lib/line.h"
#include "boot/options.h"

/* Opens the ports. Must be called after acpi_root_init() and memory_init(), and before paging_init(). */
void serial_ports_open(const struct options *options);

/* Prints a line for each port that was tried: its location, and its speed or why it is not used. */
void serial_ports_text(const struct line_sink *out);

/* The pages of memory-mapped ports, which must not be cached. Fills in up to `most` addresses, and returns how many. */
unsigned serial_ports_pages(uint64_t *pages, unsigned most);

#endif
