/* SPDX-License-Identifier: MIT */
#include "boot/handover.h"

#include "lib/format.h"
#include "boot/load_options.h"
#include "boot/memory_map.h"
#include "boot/multiboot2.h"

/* Xen public ABI, "arch-x86/hvm/start_info.h". Its memory map entries have the layout of struct boot_memory. */
struct hvm_start_info {
    uint32_t magic, version, flags, module_count;
    uint64_t modules, options, rsdp;
    uint64_t memory; /* from version 1 on */
    uint32_t memory_count, reserved;
};

/* Multiboot Specification 0.6.96, 3.3 "Boot information format". */
struct multiboot_info {
    uint32_t flags, memory_lower, memory_upper, boot_device, command_line, module_count, modules, symbols[4];
    uint32_t memory_bytes, memory;
};

#define MULTIBOOT_COMMAND_LINE (1u << 2)
#define MULTIBOOT_MEMORY       (1u << 6)

/* One memory range. size does not include itself: the next entry starts size bytes after it. */
struct __attribute__((packed)) multiboot_memory {
    uint32_t size;
    uint64_t base, length;
    uint32_t type;
};

#define MEMORY_MAX 128u /* memory ranges; more are ignored */

static struct boot_memory memory[MEMORY_MAX];

static uint64_t address_of(const void *pointer)
{
    return (uintptr_t)pointer;
}

static void take_memory(struct boot_memory *map, uint32_t count, struct boot_info *info)
{
    info->memory = address_of(map);
    info->memory_count = map ? (uint32_t)memory_map_normalize(map, count) : 0;
}

static enum handover_error from_own(const struct boot_info *given, struct boot_info *info)
{
    if (given->version != BOOT_INFO_VERSION || given->size < sizeof *given)
        return HANDOVER_VERSION;
    *info = *given;
    return HANDOVER_OK;
}

static enum handover_error from_pvh(const struct hvm_start_info *given, struct boot_info *info)
{
    info->options = given->options;
    info->rsdp = given->rsdp;
    info->route = address_of("pvh");
    if (given->version >= 1)
        take_memory((struct boot_memory *)(uintptr_t)given->memory, given->memory_count, info);
    return HANDOVER_OK;
}

/* Skips the image's name, which QEMU puts before the options and which may contain blanks: it ends with ".elf". */
static const char *without_image_name(const char *line)
{
    static const char suffix[] = ".elf";

    for (const char *p = line; *p; p++) {
        unsigned i = 0;
        while (suffix[i] && p[i] == suffix[i])
            i++;
        if (!suffix[i] && (p[i] == ' ' || !p[i]))
            return p + i;
    }
    return line;
}

static enum handover_error from_multiboot(const struct multiboot_info *given, struct boot_info *info)
{
    uint32_t count = 0;

    info->route = address_of("multiboot");
    if (given->flags & MULTIBOOT_COMMAND_LINE)
        info->options = address_of(without_image_name((const char *)(uintptr_t)given->command_line));
    if (!(given->flags & MULTIBOOT_MEMORY))
        return HANDOVER_OK;
    for (uint32_t at = 0; at < given->memory_bytes && count < MEMORY_MAX;) {
        const struct multiboot_memory *from = (const struct multiboot_memory *)(uintptr_t)(given->memory + at);
        memory[count++] = (struct boot_memory){ .base = from->base, .size = from->length, .type = from->type };
        at += from->size + (uint32_t)sizeof from->size;
    }
    take_memory(memory, count, info);
    return HANDOVER_OK;
}

/* Reads the options from an options file, which GRUB passes as a module. */
static enum handover_error take_options_file(const void *bytes, size_t size, struct boot_info *info,
                                             struct handover_offender *offender)
{
    static char text[LOAD_OPTIONS_MAX + 1];

    offender->load_options = load_options_from_file(bytes, size, text, &offender->line);
    info->options = address_of(text);
    return offender->load_options == LOAD_OPTIONS_OK ? HANDOVER_OK : HANDOVER_OPTIONS_FILE;
}

/* Reads Multiboot2 information. Like the UEFI loader, reads the options file only if no options were passed. */
static enum handover_error from_multiboot2(void *information, struct boot_info *info,
                                           struct handover_offender *offender)
{
    static char route[60];
    struct multiboot2 given;

    offender->multiboot2 = multiboot2_read(information, &given);
    if (offender->multiboot2 != MULTIBOOT2_OK)
        return HANDOVER_MULTIBOOT2;
    format(route, sizeof route, "multiboot2 %s", given.loader ? given.loader : "");
    info->route = address_of(route);
    info->options = address_of(given.options);
    info->rsdp = address_of(given.rsdp);
    info->screen = given.screen;
    take_memory(given.memory, given.memory_count, info);
    if ((given.options && given.options[0] != '\0') || given.module_end == 0)
        return HANDOVER_OK;
    return take_options_file((const void *)(uintptr_t)given.module_start, given.module_end - given.module_start, info,
                             offender);
}

enum handover_error boot_handover(uint32_t magic, uint32_t information, struct boot_info *info,
                                  struct handover_offender *offender)
{
    void *given = (void *)(uintptr_t)information;

    *info = (struct boot_info){ .version = BOOT_INFO_VERSION, .size = sizeof *info, .route = address_of("unknown") };
    *offender = (struct handover_offender){ .line = 0 };
    if (magic == BOOT_MAGIC_OWN)
        return from_own(given, info);
    if (magic == BOOT_MAGIC_MULTIBOOT2)
        return from_multiboot2(given, info, offender);
    if (magic == BOOT_MAGIC_MULTIBOOT)
        return from_multiboot(given, info);
    /* PVH leaves eax undefined; the magic is in the structure itself. */
    if (given && *(const uint32_t *)given == BOOT_MAGIC_PVH)
        return from_pvh(given, info);
    return HANDOVER_MAGIC;
}

const char *handover_error_text(enum handover_error error)
{
    switch (error) {
    case HANDOVER_OK:
        return "no error";
    case HANDOVER_MAGIC:
        return "unknown boot protocol: not dstest86's loader, Multiboot, Multiboot2 or PVH";
    case HANDOVER_VERSION:
        return "loader and kernel belong to different versions of dstest86; install both from the same image";
    case HANDOVER_MULTIBOOT2:
        return "the Multiboot2 information is invalid";
    case HANDOVER_OPTIONS_FILE:
        return "options.txt";
    }
    return "unknown handover error";
}
