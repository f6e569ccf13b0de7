/* SPDX-License-Identifier: MIT */
/* Starts a kernel: passes it what it needs to know, and leaves firmware. */
#ifndef BOOT_UEFI_START_H
#define BOOT_UEFI_START_H

#include <efi.h>

#include "boot/boot_info.h"
#include "boot/elf_image.h"

struct kernel {
    unsigned width;
    const uint8_t *file; /* its ELF, inside the loader */
    size_t size;
    struct elf_image image;
};

/*
 * Starts the kernel with these options and this memory for its log. Returns only if that failed, with a sentence on the
 * console, and then leaves the machine as it was.
 */
EFI_STATUS start_kernel(EFI_HANDLE self, const struct kernel *kernel, const char *options,
                        const struct boot_keep *keep);

#endif
