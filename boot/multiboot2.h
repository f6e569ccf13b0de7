/* SPDX-License-Identifier: MIT */
/* What a Multiboot2 loader (GRUB) left in memory. Pure. */
#ifndef BOOT_MULTIBOOT2_H
#define BOOT_MULTIBOOT2_H

#include "boot/boot_info.h"

/* NULL or 0 where the loader passed no such thing; the pointers are into the information itself. */
struct multiboot2 {
    const char *options; /* the command line, without the kernel's name */
    const char *loader;  /* "GRUB 2.06-13" */
    const void *rsdp;    /* a copy of ACPI's root pointer, the newer form where there are both */
    struct boot_memory *memory;
    uint32_t memory_count;
    uint32_t module_start, module_end; /* physical addresses of the first module's bytes; the end is exclusive */
};

/*
 * Reads the information, 8-byte aligned, that ebx points to where eax is BOOT_MAGIC_MULTIBOOT2. Returns NULL, or a
 * sentence about what is wrong with it; *out is written in any case, and is empty then.
 * Source: Multiboot2 Specification 2.0, 3.6, "Boot information format".
 */
const char *multiboot2_read(void *information, struct multiboot2 *out);

#endif
