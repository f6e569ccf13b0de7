/* SPDX-License-Identifier: MIT */
/* What each route left at the entry, brought into one form. */
#ifndef BOOT_HANDOVER_H
#define BOOT_HANDOVER_H

#include "boot/boot_info.h"

/*
 * Reads what eax (magic) and ebx (information) named at the entry into *info. Returns NULL, or a sentence when the
 * magic or the structure is unknown, or an options file cannot be understood; then *info has no options.
 */
const char *boot_handover(uint32_t magic, uint32_t information, struct boot_info *info);

#endif
