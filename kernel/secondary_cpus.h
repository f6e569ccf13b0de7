/* SPDX-License-Identifier: MIT */
/*
 * The machine's other processors, ready to be started: each has a number, 1 and up, and memory for its stack, its
 * tables and its debug store. Those on other cores come first, in the order of firmware's table, then the threads of
 * this processor's core.
 */
#ifndef KERNEL_SECONDARY_CPUS_H
#define KERNEL_SECONDARY_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/topology.h"

#define OTHERS_PAGE 0x1000u /* bytes */

/*
 * Finds the others, and gives them memory. Called once, before the first test and after the APIC has been taken over.
 */
void secondary_cpus_init(void);

/* What secondary_cpus_init() found, and why not, if it found none. topology->ids stays valid. */
enum acpi_error secondary_cpus_topology(struct topology *topology);

/* How many there are: their numbers are 1 to this; and the APIC ID of a number. */
unsigned secondary_cpus_count(void);
uint32_t secondary_cpus_id(unsigned number);

/* A page of its own for each of them, cleared at first: for what a test keeps of it. */
void *secondary_cpus_page(unsigned number);

/* processor_start() of a number. */
bool secondary_cpus_start(unsigned number, void (*main)(unsigned number));

/* Why nobody can be started, where another processor is the boot processor for a while; or NULL. */
const char *secondary_cpus_barred(void);

/* Prints how many there are, and who is left out. */
void secondary_cpus_say(void);

#endif
