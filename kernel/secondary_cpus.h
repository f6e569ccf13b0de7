/* SPDX-License-Identifier: MIT */
/*
 * The machine's other processors, which tests can start. Each has a number, from 1, and memory for its stack, its
 * tables and its debug store. The lowest numbers are processors on other cores, in the order of firmware's table. The
 * threads of this processor's core follow.
 */
#ifndef KERNEL_SECONDARY_CPUS_H
#define KERNEL_SECONDARY_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/topology.h"

#define SECONDARY_CPU_PAGE 0x1000u /* bytes */

/*
 * Finds the other processors, and allocates memory for them. Must be called once, after the kernel has set up the APIC
 * and before the first test.
 */
void secondary_cpus_init(void);

/* The topology that secondary_cpus_init() found, or why it found no processors. topology->ids stays valid. */
enum acpi_error secondary_cpus_topology(struct topology *topology);

/* The number of other processors, which are numbered from 1; and the APIC ID of a number. */
unsigned secondary_cpus_count(void);
uint32_t secondary_cpus_id(unsigned number);

/* SECONDARY_CPU_PAGE bytes for each other processor, initially cleared, for a test's data about it. */
void *secondary_cpus_page(unsigned number);

/* processor_start() of the processor with this number. */
bool secondary_cpus_start(unsigned number, void (*main)(unsigned number));

/* Why no processor can be started now (another processor acts as the boot processor), or NULL. */
const char *secondary_cpus_barred(void);

/* Prints the number of other processors, and which are left out. */
void secondary_cpus_say(void);

#endif
