/* SPDX-License-Identifier: MIT */
/* Where the loader finds the kernel's options. */
#ifndef BOOT_UEFI_OPTION_TEXT_H
#define BOOT_UEFI_OPTION_TEXT_H

#include <efi.h>
#include <efilib.h>

#include "boot/load_options.h"

/*
 * Options come from LoadOptions (what a shell, iPXE or a boot entry passes); only if those are empty are they read
 * from \dstest86\options.txt on the device, or dstest86/options.txt of the PXE server, that the loader came from.
 * Without any, out stays as it is. After an error, which has its sentence on the console, out is of no use.
 */
EFI_STATUS option_text_read(const EFI_LOADED_IMAGE *loader, char out[LOAD_OPTIONS_MAX + 1]);

#endif
