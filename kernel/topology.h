/* SPDX-License-Identifier: MIT */
/* Which other processors the machine has. */
#ifndef KERNEL_TOPOLOGY_H
#define KERNEL_TOPOLOGY_H

#include <stdint.h>

#include "boot/acpi.h"
#include "boot/boot_info.h"

void topology_init(const struct boot_info *boot);

struct topology {
    unsigned total;    /* processors that firmware has enabled, this one included */
    unsigned siblings; /* of these: others on this one's core, whose caches are its own */
    unsigned count;    /* of ids */
    uint32_t ids[8]; /* xAPIC IDs of others on other cores, in the order of firmware's table, as far as there is room */
};

/* An error where nothing says which processors there are; *topology is empty then. */
enum acpi_error topology_read(struct topology *topology);

#endif
