/* SPDX-License-Identifier: MIT */
#include "boot/elf_image.h"

#include "lib/bytes.h"

enum { CLASS_32 = 1, CLASS_64 = 2, LITTLE_ENDIAN_DATA = 1, CURRENT_VERSION = 1 };
enum { TYPE_EXEC = 2, MACHINE_386 = 3, MACHINE_X86_64 = 62, SEGMENT_LOAD = 1, SEGMENT_EXECUTABLE = 1 };

#define FOUR_GIB 0x100000000u

/* Offsets of the fields of one ELF class: the two classes differ in order as well as in width. */
struct layout {
    unsigned width;
    unsigned header_size;
    unsigned entry, phoff, phentsize, phnum;
    unsigned segment_size;
    unsigned p_flags, p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_align;
};

static const struct layout layout_32 = {
    .width = 32,
    .header_size = 52,
    .entry = 24,
    .phoff = 28,
    .phentsize = 42,
    .phnum = 44,
    .segment_size = 32,
    .p_offset = 4,
    .p_vaddr = 8,
    .p_paddr = 12,
    .p_filesz = 16,
    .p_memsz = 20,
    .p_flags = 24,
    .p_align = 28,
};

static const struct layout layout_64 = {
    .width = 64,
    .header_size = 64,
    .entry = 24,
    .phoff = 32,
    .phentsize = 54,
    .phnum = 56,
    .segment_size = 56,
    .p_flags = 4,
    .p_offset = 8,
    .p_vaddr = 16,
    .p_paddr = 24,
    .p_filesz = 32,
    .p_memsz = 40,
    .p_align = 48,
};

static uint32_t half(const uint8_t *bytes)
{
    return (uint32_t)read_little(bytes, 2);
}

static uint32_t word(const uint8_t *bytes)
{
    return (uint32_t)read_little(bytes, 4);
}

/* Reads an address, offset or size, whose width depends on the class. */
static uint64_t wide(const struct layout *layout, const uint8_t *bytes)
{
    return read_little(bytes, layout->width / 8);
}

static bool fits(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

static bool overlap(const struct elf_segment *a, const struct elf_segment *b)
{
    return a->address < (uint64_t)b->address + b->memory_size && b->address < (uint64_t)a->address + a->memory_size;
}

static enum elf_image_error read_header(const uint8_t *bytes, size_t size, const struct layout **layout)
{
    if (size < 4 || bytes[0] != 0x7f || bytes[1] != 'E' || bytes[2] != 'L' || bytes[3] != 'F')
        return ELF_IMAGE_NOT_ELF;
    if (size < layout_32.header_size)
        return ELF_IMAGE_TRUNCATED_HEADER;
    if (bytes[4] != CLASS_32 && bytes[4] != CLASS_64)
        return ELF_IMAGE_CLASS;
    *layout = bytes[4] == CLASS_64 ? &layout_64 : &layout_32;
    if (size < (*layout)->header_size)
        return ELF_IMAGE_TRUNCATED_HEADER;
    if (bytes[5] != LITTLE_ENDIAN_DATA)
        return ELF_IMAGE_ENDIANNESS;
    if (bytes[6] != CURRENT_VERSION || word(bytes + 20) != CURRENT_VERSION)
        return ELF_IMAGE_VERSION;
    if (half(bytes + 16) != TYPE_EXEC)
        return ELF_IMAGE_TYPE;
    if (half(bytes + 18) != (bytes[4] == CLASS_64 ? MACHINE_X86_64 : MACHINE_386))
        return ELF_IMAGE_MACHINE;
    if (half(bytes + (*layout)->phentsize) != (*layout)->segment_size)
        return ELF_IMAGE_PROGRAM_HEADER_SIZE;
    return ELF_IMAGE_OK;
}

static enum elf_image_error read_segment(const struct layout *layout, const uint8_t *header, size_t file_size,
                                         struct elf_segment *out)
{
    uint64_t offset = wide(layout, header + layout->p_offset);
    uint64_t address = wide(layout, header + layout->p_paddr);
    uint64_t filesz = wide(layout, header + layout->p_filesz);
    uint64_t memsz = wide(layout, header + layout->p_memsz);
    uint64_t align = wide(layout, header + layout->p_align);

    if (filesz > memsz)
        return ELF_IMAGE_SEGMENT_SHRINKS;
    if (filesz != 0 && !fits(offset, filesz, file_size))
        return ELF_IMAGE_SEGMENT_OUTSIDE;
    if (memsz > UINT64_MAX - address)
        return ELF_IMAGE_SEGMENT_WRAPS;
    if (address + memsz > FOUR_GIB)
        return ELF_IMAGE_SEGMENT_ABOVE_4G;
    if (address != wide(layout, header + layout->p_vaddr))
        return ELF_IMAGE_SEGMENT_NOT_IDENTITY;
    if (align > 1 && ((align & (align - 1)) != 0 || ((address - offset) & (align - 1)) != 0))
        return ELF_IMAGE_SEGMENT_ALIGNMENT;

    *out = (struct elf_segment){
        .address = (uint32_t)address,
        .memory_size = (uint32_t)memsz,
        .file_offset = filesz != 0 ? offset : 0,
        .file_size = (uint32_t)filesz,
        .executable = (word(header + layout->p_flags) & SEGMENT_EXECUTABLE) != 0,
    };
    return ELF_IMAGE_OK;
}

static bool entry_is_executable(const struct elf_image *image, uint64_t entry)
{
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (segment->executable && entry >= segment->address && entry - segment->address < segment->memory_size)
            return true;
    }
    return false;
}

enum elf_image_error elf_image_read(const void *file, size_t size, struct elf_image *out)
{
    const uint8_t *bytes = file;
    const struct layout *layout;
    enum elf_image_error error = read_header(bytes, size, &layout);
    if (error != ELF_IMAGE_OK)
        return error;

    uint64_t table = wide(layout, bytes + layout->phoff);
    unsigned count = half(bytes + layout->phnum);
    if (!fits(table, (uint64_t)count * layout->segment_size, size))
        return ELF_IMAGE_PROGRAM_HEADERS_OUTSIDE;

    struct elf_image image = { .width = layout->width };
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *header = bytes + table + (size_t)i * layout->segment_size;
        struct elf_segment segment;
        if (word(header) != SEGMENT_LOAD)
            continue;
        error = read_segment(layout, header, size, &segment);
        if (error != ELF_IMAGE_OK)
            return error;
        if (segment.memory_size == 0)
            continue;
        if (image.segment_count == ELF_IMAGE_SEGMENTS_MAX)
            return ELF_IMAGE_TOO_MANY_SEGMENTS;
        for (unsigned j = 0; j < image.segment_count; j++)
            if (overlap(&segment, &image.segments[j]))
                return ELF_IMAGE_SEGMENTS_OVERLAP;
        image.segments[image.segment_count++] = segment;
    }
    if (image.segment_count == 0)
        return ELF_IMAGE_NO_SEGMENT;

    uint64_t entry = wide(layout, bytes + layout->entry);
    if (!entry_is_executable(&image, entry))
        return ELF_IMAGE_ENTRY;
    image.entry = (uint32_t)entry;
    *out = image;
    return ELF_IMAGE_OK;
}

const char *elf_image_error_text(enum elf_image_error error)
{
    switch (error) {
    case ELF_IMAGE_OK:
        return "no error";
    case ELF_IMAGE_TRUNCATED_HEADER:
        return "the file ends inside the ELF header";
    case ELF_IMAGE_NOT_ELF:
        return "not an ELF file";
    case ELF_IMAGE_CLASS:
        return "the ELF class is neither 32-bit nor 64-bit";
    case ELF_IMAGE_ENDIANNESS:
        return "the ELF file is not little-endian";
    case ELF_IMAGE_VERSION:
        return "the ELF version is not 1";
    case ELF_IMAGE_TYPE:
        return "the ELF type is not EXEC (a static executable)";
    case ELF_IMAGE_MACHINE:
        return "the ELF machine is neither x86-64 (64-bit file) nor 386 (32-bit file)";
    case ELF_IMAGE_PROGRAM_HEADER_SIZE:
        return "the program headers have the wrong size for this ELF class";
    case ELF_IMAGE_PROGRAM_HEADERS_OUTSIDE:
        return "the program headers extend past the end of the file";
    case ELF_IMAGE_NO_SEGMENT:
        return "no segment to load";
    case ELF_IMAGE_TOO_MANY_SEGMENTS:
        return "more than 16 segments to load";
    case ELF_IMAGE_SEGMENT_OUTSIDE:
        return "a segment extends past the end of the file";
    case ELF_IMAGE_SEGMENT_SHRINKS:
        return "a segment is larger in the file than in memory";
    case ELF_IMAGE_SEGMENT_WRAPS:
        return "a segment wraps around the end of the address space";
    case ELF_IMAGE_SEGMENT_ABOVE_4G:
        return "a segment extends above 4 GiB";
    case ELF_IMAGE_SEGMENT_NOT_IDENTITY:
        return "a segment's virtual and physical addresses differ";
    case ELF_IMAGE_SEGMENT_ALIGNMENT:
        return "a segment's address and file offset are not congruent modulo its alignment";
    case ELF_IMAGE_SEGMENTS_OVERLAP:
        return "two segments overlap";
    case ELF_IMAGE_ENTRY:
        return "the entry point is not inside an executable segment";
    }
    return "unknown ELF error";
}
