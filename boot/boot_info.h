/* SPDX-License-Identifier: MIT */
/*
 * The entry contract of every kernel ELF: 32-bit protected mode, paging off, interrupts off, flat segments, the A20
 * gate open, eax = a magic number for the boot protocol (except PVH, see below), ebx = the address of the boot
 * information. All boot information is below 4 GiB and outside the kernel's segments.
 */
#ifndef BOOT_BOOT_INFO_H
#define BOOT_BOOT_INFO_H

#include <stddef.h>
#include <stdint.h>

#define BOOT_MAGIC_OWN        0x36387364u /* "ds86" in memory: ebx points to struct boot_info */
#define BOOT_MAGIC_PVH        0x336ec578u /* first word of the hvm_start_info that ebx points to; eax is undefined */
#define BOOT_MAGIC_MULTIBOOT  0x2badb002u /* ebx points to the boot information of Multiboot */
#define BOOT_MAGIC_MULTIBOOT2 0x36d76289u /* ebx points to the boot information of Multiboot2 */

#define BOOT_INFO_VERSION 4u

/* Types of memory ranges, numbered like ACPI's address range types (ACPI 6.5, table 15.4). */
enum boot_memory_type { BOOT_MEMORY_USABLE = 1, BOOT_MEMORY_RESERVED = 2, BOOT_MEMORY_ACPI = 3, BOOT_MEMORY_NVS = 4 };

struct boot_memory {
    uint64_t base; /* physical, bytes */
    uint64_t size; /* bytes */
    uint32_t type; /* enum boot_memory_type; anything else is not usable */
    uint32_t reserved;
};

enum boot_screen_kind {
    BOOT_SCREEN_UNKNOWN = 0,  /* the loader passes no screen */
    BOOT_SCREEN_PIXELS = 1,   /* a linear frame buffer */
    BOOT_SCREEN_TEXT = 2,     /* VGA's text mode: a character and an attribute byte for each position */
    BOOT_SCREEN_NONE = 3,     /* firmware has no screen */
    BOOT_SCREEN_BLT_ONLY = 4, /* no frame buffer: only firmware's functions can draw */
    BOOT_SCREEN_INVALID = 5   /* firmware's description contradicts itself */
};

/* The screen as firmware or the loader left it. */
struct boot_screen {
    uint64_t base;             /* physical */
    uint32_t kind;             /* enum boot_screen_kind; other members are valid only for PIXELS and TEXT */
    uint32_t columns, rows;    /* pixels, or characters */
    uint32_t pitch;            /* bytes from one row to the next */
    uint32_t pixel_bits;       /* a pixel's size: 16, 24 or 32 */
    uint32_t red, green, blue; /* the masks of its colours */
};

/* Memory for the log. It survives a warm reset, unless firmware overwrites it. */
struct boot_keep {
    uint64_t base; /* physical, on a page boundary; 0: none */
    uint64_t size; /* bytes */
};

/*
 * The boot information of dstest86's own loader. Its layout is the same in both widths: pointers are 64-bit physical
 * addresses.
 */
struct boot_info {
    uint32_t version; /* BOOT_INFO_VERSION */
    uint32_t size;    /* bytes of this structure as the loader knows it */
    uint64_t options; /* NUL-terminated ASCII options; 0 = none */
    uint64_t memory;  /* array of struct boot_memory, sorted by base */
    uint32_t memory_count;
    uint32_t reserved;
    uint64_t route; /* NUL-terminated ASCII: how the kernel was started, for the log ("uefi x64") */
    uint64_t rsdp;  /* ACPI's root pointer; 0 = not known */
    struct boot_screen screen;
    struct boot_keep keep;
    uint64_t remarks; /* NUL-terminated ASCII: sentences of the loader for the user; 0 = none */
    uint64_t smbios;  /* entry point of the SMBIOS tables; 0 = not known */
};

_Static_assert(sizeof(struct boot_memory) == 24, "boot_memory is an ABI");
_Static_assert(sizeof(struct boot_info) == 120, "boot_info is an ABI");
_Static_assert(offsetof(struct boot_info, screen) == 48, "boot_info is an ABI");
_Static_assert(offsetof(struct boot_info, keep) == 88, "boot_info is an ABI");
_Static_assert(offsetof(struct boot_info, route) == 32, "boot_info is an ABI");

#endif
