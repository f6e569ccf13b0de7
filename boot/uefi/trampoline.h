/* SPDX-License-Identifier: MIT */
/* The last step of a loader: code that is copied to low memory, turns paging off, places the kernel and enters it. */
#ifndef BOOT_UEFI_TRAMPOLINE_H
#define BOOT_UEFI_TRAMPOLINE_H

#include <stddef.h>
#include <stdint.h>

#include "boot/elf_image.h"

/* Physical addresses and bytes. file_size bytes are copied from source to target, zeroes fill up to memory_size. */
struct trampoline_segment {
    uint32_t target;
    uint32_t source;
    uint32_t file_size;
    uint32_t memory_size;
};

struct trampoline_arguments {
    uint32_t entry; /* jumped to with eax = magic and ebx = info */
    uint32_t magic;
    uint32_t info;
    uint32_t segment_count; /* at least 1 */
    struct trampoline_segment segments[ELF_IMAGE_SEGMENTS_MAX];
};

/* trampoline.asm knows these offsets. */
_Static_assert(offsetof(struct trampoline_arguments, segments) == 16, "trampoline.asm");
_Static_assert(sizeof(struct trampoline_segment) == 16, "trampoline.asm");

/*
 * Called at a copy that lies below 4 GiB and is mapped one to one, as its arguments are; both must be outside of every
 * target. Any width; the C convention of the loader's own.
 */
typedef void trampoline_function(const struct trampoline_arguments *arguments);

extern const uint8_t trampoline_start[] __attribute__((visibility("hidden")));
extern const uint8_t trampoline_end[] __attribute__((visibility("hidden")));

#endif
