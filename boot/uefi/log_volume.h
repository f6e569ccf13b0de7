/* SPDX-License-Identifier: MIT */
/* Where the loader takes a log: a folder on the volume that it was started from. */
#ifndef BOOT_UEFI_LOG_VOLUME_H
#define BOOT_UEFI_LOG_VOLUME_H

#include <efi.h>
#include <stdbool.h>
#include <stddef.h>

/* Why a log cannot be taken away: a part of a sentence, and firmware's status if that says more; else 0. */
struct log_trouble {
    const char *what;
    EFI_STATUS status;
};

/* The path of the log's file, for a person: "\dstest86\logs\000506e3-20260102-1.log". */
struct log_place {
    char text[80];
};

/*
 * Whether a log can be written to the device's volume; if not, *trouble says why. Changes nothing there. device: what
 * the loader was started from; NULL: unknown.
 */
bool log_volume_ready(EFI_HANDLE device, struct log_trouble *trouble);

/*
 * Writes a log there. If that fails, nothing is left there as far as firmware can do that, and *trouble says why. The
 * file's name is the processor's signature (CPUID.1:EAX), the date (zeros if firmware has none) and the first number
 * that is free.
 */
bool log_to_volume(EFI_HANDLE device, const void *bytes, size_t size, struct log_place *place,
                   struct log_trouble *trouble);

#endif
