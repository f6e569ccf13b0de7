/* SPDX-License-Identifier: MIT */
/* Converts the information of each boot protocol into struct boot_info. */
#ifndef BOOT_HANDOVER_H
#define BOOT_HANDOVER_H

#include <stddef.h>

#include "boot/boot_info.h"
#include "boot/load_options.h"
#include "boot/multiboot2.h"

enum handover_error {
    HANDOVER_OK,
    HANDOVER_MAGIC,       /* the magic number belongs to no known protocol */
    HANDOVER_VERSION,     /* struct boot_info has another version */
    HANDOVER_MULTIBOOT2,  /* offender: multiboot2 */
    HANDOVER_OPTIONS_FILE /* offender: load_options and line */
};

/* Details of an error in what a loader passed. */
struct handover_offender {
    enum multiboot2_error multiboot2;
    enum load_options_error load_options;
    size_t line; /* line of the options file, from 1 */
};

/*
 * Converts the boot information into *info. magic: eax at the entry; information: ebx. Both results are always written;
 * after an error *info has no options.
 */
enum handover_error boot_handover(uint32_t magic, uint32_t information, struct boot_info *info,
                                  struct handover_offender *offender);

/* The error as text; the offender's own error text follows it if there is one. */
const char *handover_error_text(enum handover_error error);

#endif
