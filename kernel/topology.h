/* SPDX-License-Identifier: MIT */
/* The machine's other processors. */
#ifndef KERNEL_TOPOLOGY_H
#define KERNEL_TOPOLOGY_H

#include <stdint.h>

#include "boot/acpi.h"

struct topology {
    unsigned total;      /* processors that firmware has enabled, including this one */
    unsigned count;      /* of these, those on other cores */
    unsigned siblings;   /* and the others on this one's core, with which it shares its caches */
    unsigned beyond;     /* not among them: those whose APIC ID this mode of the APIC cannot send commands to */
    unsigned ignored;    /* and those past PROCESSORS_MOST entries of firmware's table */
    const uint32_t *ids; /* APIC IDs in the order of firmware's table: `count` on other cores, then `siblings`; valid
                            until the next call */
};

/* Fills *topology; empty after an error, when firmware does not list the processors. */
enum acpi_error topology_read(struct topology *topology);

#endif
