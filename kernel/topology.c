/* SPDX-License-Identifier: MIT */
#include "kernel/topology.h"

#include <stdbool.h>
#include <stddef.h>

#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"

#define LEAF_TOPOLOGY   0xbu
#define LEVEL_SMT       1u
#define XAPIC_ID_MOST   254u
#define PROCESSORS_SEEN 256u

static uint64_t root;

static const void *physical(void *context, uint64_t address, size_t size)
{
    (void)context;
    if (address == 0 || address >> 32 || (address + size) >> 32)
        return NULL; /* not mapped */
    return (const void *)(uintptr_t)address;
}

static const struct acpi_memory memory = { physical, NULL };

void topology_init(const struct boot_info *boot)
{
    root = boot->rsdp;
}

/* The number of low APIC ID bits that tell a core's threads apart. SDM Vol. 2A (253666-081), "CPUID", leaf 0BH. */
static unsigned thread_bits(void)
{
    struct cpuid leaf;

    if (cpuid(0, 0).eax < LEAF_TOPOLOGY)
        return 0;
    leaf = cpuid(LEAF_TOPOLOGY, 0);
    return (leaf.ecx >> 8 & 0xff) == LEVEL_SMT ? leaf.eax & 0x1f : 0;
}

static bool listed(const struct topology *topology, uint32_t id)
{
    for (unsigned i = 0; i < topology->count; i++)
        if (topology->ids[i] == id)
            return true;
    return false;
}

enum acpi_error topology_read(struct topology *topology)
{
    static uint32_t ids[PROCESSORS_SEEN];
    struct acpi_processors all = { .apic_ids = ids, .most = PROCESSORS_SEEN };
    const unsigned own = apic_id(), bits = thread_bits();
    const enum acpi_error error = acpi_read_processors(&memory, root ? root : acpi_scan(&memory), &all);

    *topology = (struct topology){ .total = (unsigned)all.count };
    for (size_t i = 0; error == ACPI_OK && i < all.count && i < all.most; i++) {
        if (ids[i] == own || ids[i] > XAPIC_ID_MOST || listed(topology, ids[i]))
            continue;
        if (ids[i] >> bits == own >> bits)
            topology->siblings++;
        else if (topology->count < sizeof topology->ids / sizeof topology->ids[0])
            topology->ids[topology->count++] = ids[i];
    }
    return error;
}
