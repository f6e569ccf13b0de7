/* SPDX-License-Identifier: MIT */
/* Reads files of the PXE server from which the loader was started: UEFI 2.10, 24.3 "EFI_PXE_BASE_CODE_PROTOCOL". */
#ifndef BOOT_UEFI_PXE_H
#define BOOT_UEFI_PXE_H

#include <efi.h>

/*
 * Reads a file of at most *size bytes, and sets *size. EFI_NOT_FOUND: the file cannot be read, or the loader was not
 * started by PXE with IPv4. EFI_BUFFER_TOO_SMALL: the file is larger.
 */
EFI_STATUS pxe_read(EFI_HANDLE device, const char *name, void *bytes, UINTN *size);

#endif
