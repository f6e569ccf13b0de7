/* SPDX-License-Identifier: MIT */
/* Reads the information that a Multiboot2 loader (GRUB) passes. Pure. */
#ifndef BOOT_MULTIBOOT2_H
#define BOOT_MULTIBOOT2_H

#include "boot/boot_info.h"

/* The loader's information. Missing parts are NULL or 0. The pointers point into the information itself. */
struct multiboot2 {
    const char *options; /* the command line, without the kernel's name */
    const char *loader;  /* "GRUB 2.06-13" */
    const void *rsdp;    /* a copy of ACPI's root pointer, the newer form if both exist */
    struct boot_memory *memory;
    uint32_t memory_count;
    uint32_t module_start, module_end; /* physical addresses of the first module; the end is exclusive */
    struct boot_screen screen;         /* unknown, pixels, text, or invalid (unknown to the kernel) */
};

enum multiboot2_error {
    MULTIBOOT2_OK,
    MULTIBOOT2_TAG,          /* a tag extends past the information, or is shorter than its header */
    MULTIBOOT2_COMMAND_LINE, /* the command line has no NUL */
    MULTIBOOT2_LOADER_NAME,  /* the loader's name has no NUL */
    MULTIBOOT2_MODULE,       /* a module's tag is too short, or the module ends before it starts */
    MULTIBOOT2_SCREEN,       /* the frame buffer's tag is too short for what it describes */
    MULTIBOOT2_MEMORY_MAP    /* the memory map's tag is too short, or its entries are not 24 bytes long */
};

/*
 * Reads the information, 8-byte aligned, that ebx points to if eax is BOOT_MAGIC_MULTIBOOT2. *out is always written,
 * and is empty after an error.
 * Source: Multiboot2 Specification 2.0, 3.6, "Boot information format".
 */
enum multiboot2_error multiboot2_read(void *information, struct multiboot2 *out);

/* The error as text: "the command line is not terminated". */
const char *multiboot2_error_text(enum multiboot2_error error);

#endif
