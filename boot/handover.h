/* SPDX-License-Identifier: MIT */
/* What each route left at the entry, brought into one form. */
#ifndef BOOT_HANDOVER_H
#define BOOT_HANDOVER_H

#include <stddef.h>

#include "boot/boot_info.h"
#include "boot/load_options.h"
#include "boot/multiboot2.h"

enum handover_error {
    HANDOVER_OK,
    HANDOVER_MAGIC,       /* no route left such a magic */
    HANDOVER_VERSION,     /* struct boot_info is of another loader */
    HANDOVER_MULTIBOOT2,  /* offender: multiboot2 */
    HANDOVER_OPTIONS_FILE /* offender: load_options and line */
};

/* What is wrong inside of what a loader passed. */
struct handover_offender {
    enum multiboot2_error multiboot2;
    enum load_options_error load_options;
    size_t line; /* of the options file, from 1 */
};

/*
 * Reads what eax (magic) and ebx (information) named at the entry into *info. Both results are written in any case;
 * after an error *info has no options.
 */
enum handover_error boot_handover(uint32_t magic, uint32_t information, struct boot_info *info,
                                  struct handover_offender *offender);

/* "the boot information of Multiboot2 is invalid": the offender's own text follows where there is one. */
const char *handover_error_text(enum handover_error error);

#endif
