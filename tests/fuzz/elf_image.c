/* SPDX-License-Identifier: MIT */
/* Input: an ELF file. */
#include "boot/elf_image.h"
#include "tests/fuzz/fuzz.h"

#define FOUR_G (UINT64_C(1) << 32)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct elf_image image;
    bool entered = false;

    fill(&image, sizeof(image));
    enum elf_image_error error = elf_image_read(data, size, &image);
    REQUIRE(elf_image_error_text(error) && elf_image_error_text((enum elf_image_error)size));
    if (error != ELF_IMAGE_OK) {
        REQUIRE(untouched(&image, sizeof(image)));
        return 0;
    }
    REQUIRE(image.width == 32 || image.width == 64);
    REQUIRE(image.segment_count > 0 && image.segment_count <= ELF_IMAGE_SEGMENTS_MAX);
    for (unsigned i = 0; i < image.segment_count; i++) {
        const struct elf_segment *s = &image.segments[i];
        REQUIRE(s->memory_size > 0 && s->file_size <= s->memory_size);
        REQUIRE((uint64_t)s->address + s->memory_size <= FOUR_G);
        REQUIRE(s->file_size == 0 || (s->file_offset <= size && s->file_size <= size - s->file_offset));
        entered |= s->executable && image.entry >= s->address && image.entry - s->address < s->memory_size;
        for (unsigned j = 0; j < i; j++)
            REQUIRE((uint64_t)s->address + s->memory_size <= image.segments[j].address ||
                    (uint64_t)image.segments[j].address + image.segments[j].memory_size <= s->address);
    }
    REQUIRE(entered);
    return 0;
}
