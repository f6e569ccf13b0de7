/* SPDX-License-Identifier: MIT */
/* Kernel ELFs built with the host's <elf.h>: valid ones, and each field broken in turn. */
#include "tests/host/unit_test.h"

#include <elf.h>

#include "boot/elf_image.h"

/* Text, data with bss, and a note that must not be loaded. */
struct file_64 {
    Elf64_Ehdr header;
    Elf64_Phdr text, note, data;
    uint8_t bytes[0x40];
};

struct file_32 {
    Elf32_Ehdr header;
    Elf32_Phdr text, data;
    uint8_t bytes[0x40];
};

static struct file_64 sound_64(void)
{
    return (struct file_64){
        .header = {
            .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
            .e_type = ET_EXEC,
            .e_machine = EM_X86_64,
            .e_version = EV_CURRENT,
            .e_entry = 0x200010,
            .e_phoff = offsetof(struct file_64, text),
            .e_ehsize = sizeof(Elf64_Ehdr),
            .e_phentsize = sizeof(Elf64_Phdr),
            .e_phnum = 3,
        },
        .text = {
            .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = offsetof(struct file_64, bytes), .p_align = 8,
            .p_vaddr = 0x200000, .p_paddr = 0x200000, .p_filesz = 0x30, .p_memsz = 0x30,
        },
        .note = { .p_type = PT_NOTE, .p_offset = 0xdead, .p_filesz = 4, .p_memsz = 2 },
        .data = {
            .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = offsetof(struct file_64, bytes) + 0x30, .p_align = 0x100,
            .p_vaddr = 0x201018, .p_paddr = 0x201018, .p_filesz = 0x10, .p_memsz = 0x2000,
        },
    };
}

static struct file_32 sound_32(void)
{
    return (struct file_32){
        .header = {
            .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
            .e_type = ET_EXEC,
            .e_machine = EM_386,
            .e_version = EV_CURRENT,
            .e_entry = 0x20002f,
            .e_phoff = offsetof(struct file_32, text),
            .e_ehsize = sizeof(Elf32_Ehdr),
            .e_phentsize = sizeof(Elf32_Phdr),
            .e_phnum = 2,
        },
        .text = {
            .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = offsetof(struct file_32, bytes), .p_align = 4,
            .p_vaddr = 0x200000, .p_paddr = 0x200000, .p_filesz = 0x30, .p_memsz = 0x30,
        },
        .data = {
            .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = offsetof(struct file_32, bytes) + 0x30, .p_align = 0,
            .p_vaddr = 0xfffff000, .p_paddr = 0xfffff000, .p_filesz = 0x10, .p_memsz = 0x1000,
        },
    };
}

/* Reads the first length bytes. Checks that an error leaves the result unchanged. */
static enum elf_image_error read_image(const void *file, size_t length, struct elf_image *out)
{
    struct elf_image before;
    memset(out, 0xa5, sizeof(*out));
    before = *out;
    uint8_t *bytes = exact_copy(file, length);
    enum elf_image_error error = elf_image_read(bytes, length, out);
    free(bytes);
    if (error != ELF_IMAGE_OK)
        assert_memory_equal(out, &before, sizeof(*out));
    return error;
}

static void assert_segment(const struct elf_segment *segment, uint32_t address, uint32_t memory_size, size_t offset,
                           uint32_t file_size, bool executable)
{
    assert_int_equal(segment->address, address);
    assert_int_equal(segment->memory_size, memory_size);
    assert_int_equal(segment->file_offset, offset);
    assert_int_equal(segment->file_size, file_size);
    assert_int_equal(segment->executable, executable);
}

UNIT_TEST(a_valid_64_bit_file)
{
    struct file_64 file = sound_64();
    struct elf_image image;
    assert_int_equal(read_image(&file, sizeof(file), &image), ELF_IMAGE_OK);
    assert_int_equal(image.width, 64);
    assert_int_equal(image.entry, 0x200010);
    assert_int_equal(image.segment_count, 2);
    assert_segment(&image.segments[0], 0x200000, 0x30, offsetof(struct file_64, bytes), 0x30, true);
    assert_segment(&image.segments[1], 0x201018, 0x2000, offsetof(struct file_64, bytes) + 0x30, 0x10, false);
}

UNIT_TEST(a_valid_32_bit_file_up_to_4_gib)
{
    struct file_32 file = sound_32();
    struct elf_image image;
    assert_int_equal(read_image(&file, sizeof(file), &image), ELF_IMAGE_OK);
    assert_int_equal(image.width, 32);
    assert_int_equal(image.entry, 0x20002f);
    assert_int_equal(image.segment_count, 2);
    assert_segment(&image.segments[0], 0x200000, 0x30, offsetof(struct file_32, bytes), 0x30, true);
    assert_segment(&image.segments[1], 0xfffff000, 0x1000, offsetof(struct file_32, bytes) + 0x30, 0x10, false);
}

/* Changes one field of a valid file. */
struct breakage {
    size_t offset, size;
    uint64_t value;
    enum elf_image_error expected;
};

#define FIELD(file, field) offsetof(struct file, field), sizeof(((struct file *)0)->field)
#define BREAK(field, value, answer)                      \
    {                                                    \
        FIELD(file_64, field), value, ELF_IMAGE_##answer \
    }
#define BREAK_32(field, value, answer)                   \
    {                                                    \
        FIELD(file_32, field), value, ELF_IMAGE_##answer \
    }

static const struct breakage breakages_64[] = {
    BREAK(header.e_ident[EI_MAG0], 0x7e, NOT_ELF),
    BREAK(header.e_ident[EI_MAG1], 'e', NOT_ELF),
    BREAK(header.e_ident[EI_MAG2], 'l', NOT_ELF),
    BREAK(header.e_ident[EI_MAG3], 'f', NOT_ELF),
    BREAK(header.e_ident[EI_CLASS], ELFCLASSNONE, CLASS),
    BREAK(header.e_ident[EI_CLASS], 3, CLASS),
    BREAK(header.e_ident[EI_CLASS], ELFCLASS32, MACHINE), /* x32 */
    BREAK(header.e_ident[EI_DATA], ELFDATANONE, ENDIANNESS),
    BREAK(header.e_ident[EI_DATA], ELFDATA2MSB, ENDIANNESS),
    BREAK(header.e_ident[EI_VERSION], 0, VERSION),
    BREAK(header.e_version, 2, VERSION),
    BREAK(header.e_type, ET_NONE, TYPE),
    BREAK(header.e_type, ET_REL, TYPE),
    BREAK(header.e_type, ET_DYN, TYPE),
    BREAK(header.e_type, ET_CORE, TYPE),
    BREAK(header.e_machine, EM_386, MACHINE),
    BREAK(header.e_machine, EM_AARCH64, MACHINE),
    BREAK(header.e_phentsize, sizeof(Elf32_Phdr), PROGRAM_HEADER_SIZE),
    BREAK(header.e_phentsize, sizeof(Elf64_Phdr) + 8, PROGRAM_HEADER_SIZE),
    BREAK(header.e_phentsize, 0, PROGRAM_HEADER_SIZE),
    BREAK(header.e_phoff, sizeof(struct file_64), PROGRAM_HEADERS_OUTSIDE),
    BREAK(header.e_phoff, sizeof(struct file_64) - 3 * sizeof(Elf64_Phdr) + 1, PROGRAM_HEADERS_OUTSIDE),
    BREAK(header.e_phoff, UINT64_MAX - 8, PROGRAM_HEADERS_OUTSIDE),
    BREAK(header.e_phnum, 5, PROGRAM_HEADERS_OUTSIDE),
    BREAK(header.e_phnum, 0xffff, PROGRAM_HEADERS_OUTSIDE),
    BREAK(header.e_phnum, 0, NO_SEGMENT),
    BREAK(header.e_entry, 0, ENTRY),
    BREAK(header.e_entry, 0x1fffff, ENTRY),
    BREAK(header.e_entry, 0x200030, ENTRY),
    BREAK(header.e_entry, 0x201018, ENTRY), /* data */
    BREAK(header.e_entry, 0x100200010, ENTRY),
    BREAK(text.p_type, PT_NULL, ENTRY),
    BREAK(text.p_flags, PF_R | PF_W, ENTRY),
    BREAK(text.p_memsz, 0x2f, SEGMENT_SHRINKS),
    BREAK(text.p_memsz, 0x1018, OK), /* ends at the other segment */
    BREAK(text.p_memsz, 0x1019, SEGMENTS_OVERLAP),
    BREAK(text.p_memsz, 0x100000000, SEGMENT_ABOVE_4G),
    BREAK(text.p_memsz, 0xffe00001, SEGMENT_ABOVE_4G),
    BREAK(text.p_memsz, UINT64_MAX - 0x200000 + 1, SEGMENT_WRAPS),
    BREAK(text.p_filesz, 0x31, SEGMENT_SHRINKS),
    BREAK(text.p_filesz, UINT64_MAX, SEGMENT_SHRINKS),
    BREAK(text.p_filesz, 0, OK),
    BREAK(text.p_offset, sizeof(struct file_64) - 0x28, SEGMENT_OUTSIDE),
    BREAK(text.p_offset, UINT64_MAX - 7, SEGMENT_OUTSIDE),
    BREAK(text.p_paddr, 0x200008, SEGMENT_NOT_IDENTITY),
    BREAK(text.p_paddr, UINT64_MAX - 7, SEGMENT_WRAPS),
    BREAK(text.p_vaddr, 0x200008, SEGMENT_NOT_IDENTITY),
    BREAK(text.p_vaddr, 0xffffffff80200000, SEGMENT_NOT_IDENTITY),
    BREAK(text.p_align, 0, OK),
    BREAK(text.p_align, 1, OK),
    BREAK(text.p_align, 3, SEGMENT_ALIGNMENT),
    BREAK(text.p_align, 0x1000, SEGMENT_ALIGNMENT),
    BREAK(text.p_align, UINT64_MAX, SEGMENT_ALIGNMENT),
    BREAK(note.p_type, PT_LOAD, SEGMENT_SHRINKS),
    BREAK(data.p_type, PT_INTERP, OK),
    BREAK(data.p_offset, sizeof(struct file_64) - 0xf, SEGMENT_OUTSIDE),
    BREAK(data.p_filesz, 0x11, SEGMENT_OUTSIDE),
};

static const struct breakage breakages_32[] = {
    BREAK_32(header.e_ident[EI_CLASS], ELFCLASS64, MACHINE),
    BREAK_32(header.e_machine, EM_X86_64, MACHINE),
    BREAK_32(header.e_phentsize, sizeof(Elf64_Phdr), PROGRAM_HEADER_SIZE),
    BREAK_32(header.e_phoff, UINT32_MAX, PROGRAM_HEADERS_OUTSIDE),
    BREAK_32(header.e_phnum, 5, PROGRAM_HEADERS_OUTSIDE),
    BREAK_32(header.e_entry, 0x200030, ENTRY),
    BREAK_32(text.p_flags, PF_R, ENTRY),
    BREAK_32(text.p_offset, UINT32_MAX, SEGMENT_OUTSIDE),
    BREAK_32(text.p_vaddr, 0, SEGMENT_NOT_IDENTITY),
    BREAK_32(text.p_paddr, 0, SEGMENT_NOT_IDENTITY),
    BREAK_32(text.p_filesz, 0x31, SEGMENT_SHRINKS),
    BREAK_32(text.p_memsz, 0xffe00000, SEGMENTS_OVERLAP),
    BREAK_32(text.p_align, 6, SEGMENT_ALIGNMENT),
    BREAK_32(data.p_memsz, 0x1001, SEGMENT_ABOVE_4G),
};

static void check_breakages(const void *sound, size_t size, const struct breakage *breakages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct elf_image image;
        uint8_t *bytes = exact_copy(sound, size);
        memcpy(bytes + breakages[i].offset, &breakages[i].value, breakages[i].size);
        enum elf_image_error error = read_image(bytes, size, &image);
        free(bytes);
        if (error != breakages[i].expected)
            fail_msg("entry %zu: %s, expected: %s", i, elf_image_error_text(error),
                     elf_image_error_text(breakages[i].expected));
    }
}

UNIT_TEST(each_field_broken)
{
    struct file_64 file_64 = sound_64();
    struct file_32 file_32 = sound_32();
    check_breakages(&file_64, sizeof(file_64), breakages_64, COUNT_OF(breakages_64));
    check_breakages(&file_32, sizeof(file_32), breakages_32, COUNT_OF(breakages_32));
}

/* tests/fuzz/elf_image.c has files that end elsewhere. */
UNIT_TEST(truncated_header)
{
    struct file_64 file = sound_64();
    struct elf_image image;
    for (size_t length = 0; length < sizeof(Elf64_Ehdr); length++)
        assert_int_equal(read_image(&file, length, &image),
                         length < 4 ? ELF_IMAGE_NOT_ELF : ELF_IMAGE_TRUNCATED_HEADER);
}

UNIT_TEST(empty_segments_are_left_out)
{
    struct file_64 file = sound_64();
    struct elf_image image;
    file.data.p_filesz = file.data.p_memsz = 0;
    file.data.p_offset = 0xdeadbe18;
    assert_int_equal(read_image(&file, sizeof(file), &image), ELF_IMAGE_OK);
    assert_int_equal(image.segment_count, 1);

    file.text.p_filesz = file.text.p_memsz = 0;
    assert_int_equal(read_image(&file, sizeof(file), &image), ELF_IMAGE_NO_SEGMENT);
}

/* Segments of a page and of half a page at all distances, in both orders. */
UNIT_TEST(overlaps_to_the_byte)
{
    for (int distance = -0x1002; distance <= 0x1002; distance++) {
        struct file_64 file = sound_64();
        struct elf_image image;
        file.text.p_memsz = 0x1000;
        file.data.p_memsz = 0x800;
        file.text.p_align = file.data.p_align = 1;
        file.data.p_vaddr = file.data.p_paddr = 0x200000 + (uint64_t)distance;
        assert_int_equal(read_image(&file, sizeof(file), &image),
                         distance > -0x800 && distance < 0x1000 ? ELF_IMAGE_SEGMENTS_OVERLAP : ELF_IMAGE_OK);
    }
}
