/* SPDX-License-Identifier: MIT */
/* Reads a kernel ELF: bytes in, segments to load and entry point out, or the reason why it cannot be loaded. Pure. */
#ifndef BOOT_ELF_IMAGE_H
#define BOOT_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_IMAGE_SEGMENTS_MAX 16u

enum elf_image_error {
    ELF_IMAGE_OK,
    ELF_IMAGE_TRUNCATED_HEADER,
    ELF_IMAGE_NOT_ELF,
    ELF_IMAGE_CLASS,
    ELF_IMAGE_ENDIANNESS,
    ELF_IMAGE_VERSION,
    ELF_IMAGE_TYPE,
    ELF_IMAGE_MACHINE,
    ELF_IMAGE_PROGRAM_HEADER_SIZE,
    ELF_IMAGE_PROGRAM_HEADERS_OUTSIDE,
    ELF_IMAGE_NO_SEGMENT,
    ELF_IMAGE_TOO_MANY_SEGMENTS,
    ELF_IMAGE_SEGMENT_OUTSIDE,
    ELF_IMAGE_SEGMENT_SHRINKS,
    ELF_IMAGE_SEGMENT_WRAPS,
    ELF_IMAGE_SEGMENT_ABOVE_4G,
    ELF_IMAGE_SEGMENT_NOT_IDENTITY,
    ELF_IMAGE_SEGMENT_ALIGNMENT,
    ELF_IMAGE_SEGMENTS_OVERLAP,
    ELF_IMAGE_ENTRY,
};

/* One PT_LOAD segment: file_size bytes from file_offset are loaded at address and zero-filled up to memory_size. */
struct elf_segment {
    uint32_t address;     /* physical, and virtual too; address + memory_size is at most 4 GiB */
    uint32_t memory_size; /* bytes, at least 1 */
    uint32_t file_size;   /* bytes, at most memory_size */
    uint64_t file_offset; /* bytes; 0 where file_size is 0 */
    bool executable;
};

struct elf_image {
    unsigned width; /* 64 or 32 */
    uint32_t entry; /* physical address, inside an executable segment */
    unsigned segment_count;
    struct elf_segment segments[ELF_IMAGE_SEGMENTS_MAX]; /* in the file's order */
};

/*
 * Checks an ELF file of size bytes, which need not be aligned: static (ET_EXEC), little-endian, EM_X86_64 in ELFCLASS64
 * or EM_386 in ELFCLASS32, loadable below 4 GiB with paging off. Segments that occupy no memory are left out.
 * *out is written only on ELF_IMAGE_OK. Source: System V ABI, gABI 4.1, chapters 4 "Object Files" and 5 "Program
 * Loading".
 */
enum elf_image_error elf_image_read(const void *bytes, size_t size, struct elf_image *out);

/* What is wrong with the file, as text to follow "64-bit kernel inside the loader: "; never NULL. */
const char *elf_image_error_text(enum elf_image_error error);

#endif
