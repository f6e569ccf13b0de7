/* SPDX-License-Identifier: MIT */
/* Where the loader finds the kernel's options. */
#ifndef BOOT_UEFI_OPTION_TEXT_H
#define BOOT_UEFI_OPTION_TEXT_H

#include <efi.h>
#include <efilib.h>

#include "boot/load_options.h"

/*
 * Reads the options from LoadOptions (passed by a shell, iPXE or a boot entry). If these are empty, reads the file
 * \dstest86\options.txt on the boot device, or dstest86/options.txt of the PXE server. Without options, out is empty.
 * After an error, prints it on the console; out is then invalid.
 */
EFI_STATUS option_text_read(const EFI_LOADED_IMAGE *loader, char out[LOAD_OPTIONS_MAX + 1]);

#endif
