/* SPDX-License-Identifier: MIT */
#include "boot/handover.h"

/* Xen public ABI, "arch-x86/hvm/start_info.h"; its memory map entries are laid out as struct boot_memory is. */
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

/* size counts the bytes behind itself; the next entry follows them. */
struct __attribute__((packed)) multiboot_memory {
    uint32_t size;
    uint64_t base, length;
    uint32_t type;
};

#define MEMORY_MAX 128u /* ranges; what is more is left out */

static struct boot_memory memory[MEMORY_MAX];

static const char unknown_route[] = "unknown";

/* QEMU puts the image's name before the options; it may hold blanks. The options begin behind its ".elf". */
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

static void from_multiboot(const struct multiboot_info *given, struct boot_info *info)
{
    static const char route[] = "multiboot";

    info->route = (uintptr_t)route;
    if (given->flags & MULTIBOOT_COMMAND_LINE)
        info->options = (uintptr_t)without_image_name((const char *)(uintptr_t)given->command_line);
    if (!(given->flags & MULTIBOOT_MEMORY))
        return;
    info->memory = (uintptr_t)memory;
    for (uint32_t at = 0; at < given->memory_bytes && info->memory_count < MEMORY_MAX;) {
        const struct multiboot_memory *from = (const struct multiboot_memory *)(uintptr_t)(given->memory + at);
        memory[info->memory_count++] =
            (struct boot_memory){ .base = from->base, .size = from->length, .type = from->type };
        at += from->size + (uint32_t)sizeof from->size;
    }
}

const char *boot_handover(uint32_t magic, uint32_t information, struct boot_info *info)
{
    *info = (struct boot_info){ .version = BOOT_INFO_VERSION,
                                .size = sizeof *info,
                                .route = (uint64_t)(uintptr_t)unknown_route };
    if (magic == BOOT_MAGIC_OWN) {
        const struct boot_info *given = (const struct boot_info *)(uintptr_t)information;
        if (given->version != BOOT_INFO_VERSION || given->size < sizeof *given)
            return "the loader's boot information has another version";
        *info = *given;
        return NULL;
    }
    /* PVH leaves eax undefined: the structure itself is what carries the magic. */
    if (information && *(const uint32_t *)(uintptr_t)information == BOOT_MAGIC_PVH) {
        static const char route[] = "pvh";
        const struct hvm_start_info *given = (const struct hvm_start_info *)(uintptr_t)information;
        info->options = given->options;
        info->route = (uint64_t)(uintptr_t)route;
        if (given->version >= 1) {
            info->memory = given->memory;
            info->memory_count = given->memory_count;
        }
        return NULL;
    }
    if (magic == BOOT_MAGIC_MULTIBOOT) {
        from_multiboot((const struct multiboot_info *)(uintptr_t)information, info);
        return NULL;
    }
    return "no magic that is known is at the entry: not the loader's, not Multiboot's, no PVH start information";
}
