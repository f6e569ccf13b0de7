/* SPDX-License-Identifier: MIT */
/*
 * The log by two starts: the first reserves memory for it, which outlasts a warm reset and which the kernel fills; the
 * second takes it away, to the volume that the loader was started from. What happened to it is said.
 */
#ifndef BOOT_UEFI_LOG_H
#define BOOT_UEFI_LOG_H

#include <efi.h>
#include <stdbool.h>

#include "boot/boot_info.h"
#include "boot/options.h"

/*
 * Takes the log of the run before away. True if there was one, or had to be one, and nobody pressed a key to run the
 * tests again: the loader then returns to the firmware, so that runs do not follow each other without end.
 */
bool log_take_away(EFI_HANDLE device, const struct options *options);

/* Reserves memory for the log of this run if the options want it and it can be taken away later. */
void log_reserve(EFI_HANDLE device, const struct options *options, struct boot_keep *keep);

/* Gives the memory back: no run follows. */
void log_release(const struct boot_keep *keep);

#endif
