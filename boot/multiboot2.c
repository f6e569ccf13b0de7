/* SPDX-License-Identifier: MIT */
#include "boot/multiboot2.h"

enum {
    TAG_END = 0,
    TAG_COMMAND_LINE = 1,
    TAG_LOADER_NAME = 2,
    TAG_MODULE = 3,
    TAG_MEMORY_MAP = 6,
    TAG_SCREEN = 8,
    TAG_RSDP_1 = 14,
    TAG_RSDP_2 = 15
};
enum { TAG_ALIGNMENT = 8, RSDP_1_SIZE = 20, RSDP_2_SIZE = 36 };

struct information {
    uint32_t total_size, reserved; /* bytes, including these eight */
};

struct tag {
    uint32_t type, size; /* bytes, including these eight, without the padding after the tag */
};

struct module_tag {
    struct tag tag;
    uint32_t start, end;
};

/* The memory map's tag. Its entries have the layout of struct boot_memory. */
struct memory_map_tag {
    struct tag tag;
    uint32_t entry_size, entry_version;
    struct boot_memory entries[];
};

/*
 * The frame buffer's tag. The specification's reserved field has one byte. GRUB and its multiboot2.h have two, followed
 * by the colours.
 */
struct screen_tag {
    struct tag tag;
    uint64_t base;
    uint32_t pitch, columns, rows;
    uint8_t bits, kind;
    uint16_t reserved;
};
enum { SCREEN_COLOURS = 1, SCREEN_TEXT = 2 };

/* Follows the tag if the colours are in masks. */
struct colours {
    struct {
        uint8_t lowest, bits;
    } red, green, blue;
};

/* The text in a tag; NULL if it is not terminated. */
static const char *tag_text(const struct tag *tag)
{
    const char *text = (const char *)(tag + 1);
    const size_t room = tag->size - sizeof *tag;
    return room > 0 && text[room - 1] == '\0' ? text : NULL;
}

static uint32_t mask(uint8_t lowest, uint8_t bits)
{
    return lowest + bits <= 32 ? (uint32_t)(((UINT64_C(1) << bits) - 1) << lowest) : 0;
}

static enum multiboot2_error take_screen(const struct screen_tag *tag, struct boot_screen *out)
{
    const struct colours *const colours = (const struct colours *)(tag + 1);
    if (tag->tag.size < sizeof *tag)
        return MULTIBOOT2_SCREEN;
    *out = (struct boot_screen){
        .base = tag->base,
        .kind = BOOT_SCREEN_INVALID,
        .columns = tag->columns,
        .rows = tag->rows,
        .pitch = tag->pitch,
    };
    if (tag->kind == SCREEN_TEXT)
        out->kind = BOOT_SCREEN_TEXT;
    if (tag->kind != SCREEN_COLOURS)
        return MULTIBOOT2_OK;
    if (tag->tag.size < sizeof *tag + sizeof *colours)
        return MULTIBOOT2_SCREEN;
    out->kind = BOOT_SCREEN_PIXELS;
    out->pixel_bits = (tag->bits + 7u) & ~7u; /* 15 bits take two bytes */
    out->red = mask(colours->red.lowest, colours->red.bits);
    out->green = mask(colours->green.lowest, colours->green.bits);
    out->blue = mask(colours->blue.lowest, colours->blue.bits);
    return MULTIBOOT2_OK;
}

static enum multiboot2_error take_tag(struct tag *tag, struct multiboot2 *out)
{
    switch (tag->type) {
    case TAG_COMMAND_LINE:
        out->options = tag_text(tag);
        return out->options ? MULTIBOOT2_OK : MULTIBOOT2_COMMAND_LINE;
    case TAG_LOADER_NAME:
        out->loader = tag_text(tag);
        return out->loader ? MULTIBOOT2_OK : MULTIBOOT2_LOADER_NAME;
    case TAG_MODULE: {
        const struct module_tag *module = (const struct module_tag *)tag;
        if (tag->size < sizeof *module || module->end < module->start)
            return MULTIBOOT2_MODULE;
        if (out->module_end == 0) {
            out->module_start = module->start;
            out->module_end = module->end;
        }
        return MULTIBOOT2_OK;
    }
    case TAG_MEMORY_MAP: {
        struct memory_map_tag *map = (struct memory_map_tag *)tag;
        if (tag->size < sizeof *map || map->entry_size != sizeof *map->entries)
            return MULTIBOOT2_MEMORY_MAP;
        out->memory = map->entries;
        out->memory_count = (uint32_t)((tag->size - sizeof *map) / sizeof *map->entries);
        return MULTIBOOT2_OK;
    }
    case TAG_SCREEN:
        return take_screen((const struct screen_tag *)tag, &out->screen);
    case TAG_RSDP_1:
        if (!out->rsdp && tag->size >= sizeof *tag + RSDP_1_SIZE)
            out->rsdp = tag + 1;
        return MULTIBOOT2_OK;
    case TAG_RSDP_2:
        if (tag->size >= sizeof *tag + RSDP_2_SIZE)
            out->rsdp = tag + 1;
        return MULTIBOOT2_OK;
    default:
        return MULTIBOOT2_OK;
    }
}

enum multiboot2_error multiboot2_read(void *information, struct multiboot2 *out)
{
    const uint32_t total = ((const struct information *)information)->total_size;
    uint32_t at = sizeof(struct information);
    enum multiboot2_error error = MULTIBOOT2_OK;

    *out = (struct multiboot2){ 0 };
    while (error == MULTIBOOT2_OK) {
        struct tag *tag = (struct tag *)(void *)((uint8_t *)information + at);
        if (at > total || total - at < sizeof *tag || tag->size < sizeof *tag || tag->size > total - at) {
            error = MULTIBOOT2_TAG;
            break;
        }
        if (tag->type == TAG_END)
            return MULTIBOOT2_OK;
        error = take_tag(tag, out);
        at += (tag->size + TAG_ALIGNMENT - 1) & ~(TAG_ALIGNMENT - 1u);
    }
    *out = (struct multiboot2){ 0 };
    return error;
}

const char *multiboot2_error_text(enum multiboot2_error error)
{
    switch (error) {
    case MULTIBOOT2_OK:
        return "no error";
    case MULTIBOOT2_TAG:
        return "a tag extends past the end";
    case MULTIBOOT2_COMMAND_LINE:
        return "the command line is not terminated";
    case MULTIBOOT2_LOADER_NAME:
        return "the boot loader's name is not terminated";
    case MULTIBOOT2_MODULE:
        return "a module tag is malformed";
    case MULTIBOOT2_SCREEN:
        return "the frame buffer's tag is malformed";
    case MULTIBOOT2_MEMORY_MAP:
        return "the entries of the memory map are not 24 bytes long";
    }
    return "unknown Multiboot2 error";
}
