/* SPDX-License-Identifier: MIT */
/* The loader's last step: code copied to low memory, which turns paging off, loads the kernel and enters it. */
#ifndef BOOT_UEFI_TRAMPOLINE_H
#define BOOT_UEFI_TRAMPOLINE_H

#include <stddef.h>
#include <stdint.h>

#include "boot/elf_image.h"

/* A segment to load: file_size bytes from source go to target, zero-filled up to memory_size. Physical addresses. */
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

/* The offsets that trampoline.asm uses. */
_Static_assert(offsetof(struct trampoline_arguments, segments) == 16, "trampoline.asm");
_Static_assert(sizeof(struct trampoline_segment) == 16, "trampoline.asm");

/*
 * The trampoline. Call a copy of it below 4 GiB. The copy and the arguments must be identity-mapped and outside every
 * target. The calling convention is the loader's.
 */
typedef void trampoline_function(const struct trampoline_arguments *arguments);

extern const uint8_t trampoline_start[] __attribute__((visibility("hidden")));
extern const uint8_t trampoline_end[] __attribute__((visibility("hidden")));

#endif
