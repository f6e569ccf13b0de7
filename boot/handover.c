/* SPDX-License-Identifier: MIT */
#include "boot/handover.h"

/* Xen public ABI, "arch-x86/hvm/start_info.h"; its memory map entries are laid out as struct boot_memory is. */
struct hvm_start_info {
    uint32_t magic, version, flags, module_count;
    uint64_t modules, options, rsdp;
    uint64_t memory; /* from version 1 on */
    uint32_t memory_count, reserved;
};

static const char unknown_route[] = "unknown";

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
    return "neither the loader's magic nor a PVH start information is at the entry";
}
