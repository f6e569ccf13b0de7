/* SPDX-License-Identifier: MIT */
/* Where the loader takes a log: a folder on the volume that it was started from, or a server. */
#ifndef BOOT_UEFI_LOG_TARGET_H
#define BOOT_UEFI_LOG_TARGET_H

#include <efi.h>
#include <stdbool.h>
#include <stddef.h>

#include "boot/options.h"

#define LOG_FOLDER L"\\dstest86\\logs"

/* Why a log cannot be taken away: a part of a sentence, and firmware's status if that says more; else 0. */
struct log_trouble {
    const char *what;
    EFI_STATUS status;
};

/* Sets *trouble, for `return`. */
static inline bool log_fails(struct log_trouble *trouble, const char *what, EFI_STATUS status)
{
    *trouble = (struct log_trouble){ what, status };
    return false;
}

struct log_target {
    EFI_HANDLE device; /* what the loader was started from; NULL: unknown */
    const struct options *options;
};

/* Where the log came to lie, for a person: "\dstest86\logs\000506e3-20260102-1.log". */
struct log_place {
    char text[80];
};

/* Whether a log can be taken there; if not, *trouble says why. Changes nothing there. */
bool log_volume_ready(const struct log_target *target, struct log_trouble *trouble);
bool log_server_ready(const struct log_target *target, struct log_trouble *trouble);

/* Whether the loader was started from a volume. */
bool log_has_volume(const struct log_target *target);

/* Takes a log there. If that fails, nothing is left there as far as firmware can do that, and *trouble says why. */
bool log_to_volume(const struct log_target *target, const void *bytes, size_t size, struct log_place *place,
                   struct log_trouble *trouble);
bool log_to_server(const struct log_target *target, const void *bytes, size_t size, struct log_place *place,
                   struct log_trouble *trouble);

/*
 * The name of a log's file: the processor's signature (CPUID.1:EAX), the date (of zeros if firmware has none) and, so
 * that it is a new one, a number, or for 0 the time of day.
 */
void log_name(unsigned number, char name[40]);

#endif
