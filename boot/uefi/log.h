/* SPDX-License-Identifier: MIT */
/*
 * Saves the log in two starts. The first reserves memory that survives a warm reset, and the kernel writes the log
 * there. The second copies the log to the loader's boot volume, and prints the file's name, or why the log is lost.
 */
#ifndef BOOT_UEFI_LOG_H
#define BOOT_UEFI_LOG_H

#include <efi.h>
#include <stdbool.h>

#include "boot/boot_info.h"
#include "boot/options.h"

/*
 * Saves the log of the previous run. True if there was a log (or an expected log is missing) and no key was pressed to
 * run the tests again. The loader must then return to the firmware: otherwise it would run the tests and restart
 * forever.
 */
bool log_save(EFI_HANDLE device, const struct options *options);

/* Reserves memory for the log of this run, if the options ask for it and the log can be saved later. */
void log_reserve(EFI_HANDLE device, const struct options *options, struct boot_keep *keep);

/* Frees the memory, because the kernel was not started. */
void log_release(const struct boot_keep *keep);

#endif
