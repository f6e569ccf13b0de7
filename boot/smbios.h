/* SPDX-License-Identifier: MIT */
/* Reads the names of machine and firmware and the number of cores from SMBIOS's tables; no serial numbers. Pure. */
#ifndef BOOT_SMBIOS_H
#define BOOT_SMBIOS_H

#include <stdbool.h>

#include "boot/acpi.h"

#define SMBIOS_TEXT 160u /* characters, NUL included */

/*
 * Sets text to "MAKER PRODUCT, 4 cores, BIOS VENDOR VERSION DATE", without what firmware does not report. entry: the
 * entry point's address; 0: search F0000h to FFFFFh. Without a valid table, returns false and an empty text. DMTF
 * DSP0134 3.7, 5.2 (entry points), 7.1, 7.2 and 7.5 (types 0, 1 and 4).
 */
bool smbios_text(const struct acpi_memory *memory, uint64_t entry, char text[SMBIOS_TEXT]);

#endif
