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

enum multiboot2_error {
    MULTIBOOT2_OK,
    MULTIBOOT2_TAG,          /* a tag reaches beyond the information, or is shorter than its head */
    MULTIBOOT2_COMMAND_LINE, /* no NUL ends it */
    MULTIBOOT2_LOADER_NAME,  /* likewise */
    MULTIBOOT2_MODULE,       /* its tag is too short, or it ends before it starts */
    MULTIBOOT2_MEMORY_MAP    /* its tag is too short, or its entries have not 24 bytes */
};

/*
 * Reads the information, 8-byte aligned, that ebx points to where eax is BOOT_MAGIC_MULTIBOOT2. *out is written
 * in any case, and is empty after an error.
 * Source: Multiboot2 Specification 2.0, 3.6, "Boot information format".
 */
enum multiboot2_error multiboot2_read(void *information, struct multiboot2 *out);

/* "the command line is not terminated" */
const char *multiboot2_error_text(enum multiboot2_error error);

#endif
