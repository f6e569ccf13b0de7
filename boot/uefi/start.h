/* SPDX-License-Identifier: MIT */
/* Starts a kernel: passes information to it, and exits the firmware's boot services. */
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
 * Starts the kernel with these options and this memory for its log. Returns only after a failure, with a message on the
 * console and the machine as before.
 */
EFI_STATUS start_kernel(EFI_HANDLE self, const struct kernel *kernel, const char *options,
                        const struct boot_keep *keep);

#endif
