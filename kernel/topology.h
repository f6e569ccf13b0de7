/* SPDX-License-Identifier: MIT */
/* The machine's other processors. */
#ifndef KERNEL_TOPOLOGY_H
#define KERNEL_TOPOLOGY_H

#include <stdint.h>

#include "boot/acpi.h"

struct topology {
    unsigned total;      /* processors that firmware has enabled, including this one */
    unsigned count;      /* processors of `total` that are on other cores */
    unsigned siblings;   /* other threads of this processor's core, which share its caches */
    unsigned beyond;     /* not counted above: processors whose APIC IDs this APIC mode cannot address */
    unsigned ignored;    /* not counted above: processors past PROCESSORS_MOST entries of firmware's table */
    const uint32_t *ids; /* APIC IDs in the order of firmware's table: `count` on other cores, then `siblings`; valid
                            until the next call */
};

/* Fills *topology. After an error (firmware does not list the processors) *topology is empty. */
enum acpi_error topology_read(struct topology *topology);

#endif
