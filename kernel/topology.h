/* SPDX-License-Identifier: MIT */
/* The machine's other processors. */
#ifndef KERNEL_TOPOLOGY_H
#define KERNEL_TOPOLOGY_H

#include <stdint.h>

#include "boot/acpi.h"
#include "boot/boot_info.h"

void topology_init(const struct boot_info *boot);

struct topology {
    unsigned total;    /* processors that firmware has enabled, including this one */
    unsigned siblings; /* of these, the others on this one's core, with which it shares its caches */
    unsigned count;    /* entries of ids */
    uint32_t ids[8];   /* xAPIC IDs of processors on other cores, in the order of firmware's table; at most 8 */
};

/* Fills *topology; empty after an error, when firmware does not list the processors. */
enum acpi_error topology_read(struct topology *topology);

#endif
