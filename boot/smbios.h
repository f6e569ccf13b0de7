/* SPDX-License-Identifier: MIT */
/* Reads the names of machine and firmware and the number of cores from SMBIOS's tables; no serial numbers. Pure. */
#ifndef BOOT_SMBIOS_H
#define BOOT_SMBIOS_H

#include <stdbool.h>

#include "boot/acpi.h"

#define SMBIOS_TEXT 160u /* characters, NUL included */

/*
 * Sets text to "MAKER PRODUCT, 4 cores, BIOS VENDOR VERSION DATE", as far as firmware tells. entry: the entry point's
 * address; 0: it is looked for at F0000h to FFFFFh. False, and an empty text, if there is no valid table. DMTF DSP0134
 * 3.7, 5.2 (entry points), 7.1, 7.2 and 7.5 (types 0, 1 and 4).
 */
bool smbios_text(const struct acpi_memory *memory, uint64_t entry, char text[SMBIOS_TEXT]);

#endif
