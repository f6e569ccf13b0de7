/* SPDX-License-Identifier: MIT */
#include "kernel/topology.h"

#include <stdbool.h>
#include <stddef.h>

#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/processor_number.h"
#include "arch/x86/string.h"
#include "kernel/acpi_root.h"

#define LEAF_TOPOLOGY 0xbu
#define LEVEL_SMT     1u

/* The number of low APIC ID bits that distinguish a core's threads. SDM Vol. 2A (253666-081), "CPUID", leaf 0BH. */
static unsigned thread_bits(void)
{
    struct cpuid leaf;

    if (cpuid(0, 0).eax < LEAF_TOPOLOGY)
        return 0;
    leaf = cpuid(LEAF_TOPOLOGY, 0);
    return (leaf.ecx >> 8 & 0xff) == LEVEL_SMT ? leaf.eax & 0x1f : 0;
}

static bool listed(const uint32_t *ids, unsigned count, uint32_t id)
{
    for (unsigned i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

enum acpi_error topology_read(struct topology *topology)
{
    static uint32_t table[PROCESSORS_MOST], ids[PROCESSORS_MOST], siblings[PROCESSORS_MOST];
    struct acpi_processors all = { .apic_ids = table, .most = PROCESSORS_MOST };
    const uint32_t own = apic_id(), bits = thread_bits();
    const enum acpi_error error = acpi_root_processors(&all);
    unsigned count = 0, sibling_count = 0;

    *topology = (struct topology){ .total = (unsigned)all.count, .ids = ids };
    for (size_t i = 0; i < all.count && i < all.most; i++) {
        const uint32_t id = table[i];
        if (id == own || listed(ids, count, id) || listed(siblings, sibling_count, id))
            continue;
        if (id > apic_id_most())
            topology->beyond++;
        else if (id >> bits == own >> bits)
            siblings[sibling_count++] = id;
        else
            ids[count++] = id;
    }
    memcpy(ids + count, siblings, sibling_count * sizeof *ids);
    topology->count = count;
    topology->siblings = sibling_count;
    topology->ignored = all.count > all.most ? (unsigned)(all.count - all.most) : 0;
    return error;
}
