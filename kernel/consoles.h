/* SPDX-License-Identifier: MIT */
/* Selects the serial ports for the log: those of the options, or those that this machine seems to have. */
#ifndef KERNEL_CONSOLES_H
#define KERNEL_CONSOLES_H

#include <stddef.h>

#include "lib/line.h"
#include "boot/options.h"

/* Opens the ports. ACPI's root and the memory map must be known, and the kernel's own page tables not active yet. */
void consoles_open(const struct options *options);

/* Prints a line for each port that was tried: its location, and its speed or why it is not used. */
void consoles_text(const struct line_sink *out);

/* The pages of memory-mapped ports, which must not be cached. Fills in up to `most` addresses, and returns how many. */
unsigned consoles_pages(uint64_t *pages, unsigned most);

#endif
