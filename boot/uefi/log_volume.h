/* SPDX-License-Identifier: MIT */
/* Writes a log to a folder on the boot volume, from which the loader was started. */
#ifndef BOOT_UEFI_LOG_VOLUME_H
#define BOOT_UEFI_LOG_VOLUME_H

#include <efi.h>
#include <stdbool.h>
#include <stddef.h>

/* Why a log cannot be saved: part of a sentence, and firmware's error status or 0. */
struct log_trouble {
    const char *what;
    EFI_STATUS status;
};

/* The path of the log's file: "\dstest86\logs\000506e3-20260102-1.log". */
struct log_place {
    char text[80];
};

/*
 * Whether a log can be written to the device's volume; if not, *trouble says why. If a long log will not fit, remarks
 * on it. Does not change the volume. device: the loader's boot device; NULL: unknown.
 */
bool log_volume_ready(EFI_HANDLE device, struct log_trouble *trouble);

/*
 * Writes a log to the volume, without its middle if there is too little free space (kept_log_shorten(); *size is then
 * the new size). If that fails, deletes the file if firmware can, and *trouble says why. The file's name has the
 * processor's signature (CPUID.1:EAX), the date (zeros if firmware has none) and the first free number.
 */
bool log_to_volume(EFI_HANDLE device, char *bytes, size_t *size, struct log_place *place, struct log_trouble *trouble);

#endif
