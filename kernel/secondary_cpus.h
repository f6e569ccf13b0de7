/* SPDX-License-Identifier: MIT */
/*
 * The machine's other processors, ready to be started. Each has a number, from 1, and memory for its stack, its tables
 * and its debug store. Processors on other cores come first, in the order of firmware's table, then the threads of this
 * processor's core.
 */
#ifndef KERNEL_SECONDARY_CPUS_H
#define KERNEL_SECONDARY_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/topology.h"

#define OTHERS_PAGE 0x1000u /* bytes */

/*
 * Finds the other processors, and allocates memory for them. Called once, before the first test and after the APIC has
 * been taken over.
 */
void secondary_cpus_init(void);

/* What secondary_cpus_init() found; if it found no processors, the reason. topology->ids stays valid. */
enum acpi_error secondary_cpus_topology(struct topology *topology);

/* The number of other processors, which are numbered from 1; and the APIC ID of a number. */
unsigned secondary_cpus_count(void);
uint32_t secondary_cpus_id(unsigned number);

/* A page for each of them, initially cleared, for data that a test keeps about it. */
void *secondary_cpus_page(unsigned number);

/* processor_start() of a number. */
bool secondary_cpus_start(unsigned number, void (*main)(unsigned number));

/* Why no processor can be started: another one acts as the boot processor. Otherwise NULL. */
const char *secondary_cpus_barred(void);

/* Prints how many there are, and which are left out. */
void secondary_cpus_say(void);

#endif
