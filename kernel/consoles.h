/* SPDX-License-Identifier: MIT */
/* Which serial ports the log goes to: those of the options, or those that this machine seems to have. */
#ifndef KERNEL_CONSOLES_H
#define KERNEL_CONSOLES_H

#include <stddef.h>

#include "lib/line.h"
#include "boot/options.h"

/* Opens them. ACPI's root and the memory map must be known, and our own page tables not be in force yet. */
void consoles_open(const struct options *options);

/* Prints a line for each that was tried: where it is, and its speed or why nothing is written to it. */
void consoles_text(const struct line_sink *out);

/* The pages of those that are in memory, which must not be cached: fills in `most` addresses, and returns how many. */
unsigned consoles_pages(uint64_t *pages, unsigned most);

#endif
