/* SPDX-License-Identifier: MIT */
#include "kernel/secondary_cpus.h"

#include <stddef.h>

#include "arch/x86/devices/apic.h"
#include "arch/x86/devices/processors.h"
#include "arch/x86/string.h"
#include "ds/ds.h"
#include "kernel/console.h"
#include "kernel/memory.h"

/*
 * Memory comes in blocks of 2 MiB. A processor's debug store is in the first half, where bit 20 of an address is clear,
 * as ds/ds_check.h demands. Its stack, its tables and its logs are in the second.
 */
#define HALF  0x100000u
#define BLOCK (2 * HALF)
#define SHARE 0x10000u /* of each half */
#define EACH  (HALF / SHARE)

_Static_assert(DS_STORE_MEMORY <= SHARE && PROCESSOR_MEMORY + DS_KEPT_MEMORY + SECONDARY_CPU_PAGE <= SHARE,
               "a processor's share of a block holds what it is given");

static struct topology found;
static enum acpi_error error;
static unsigned count;
static void *pages[PROCESSORS_MOST];

static void give(unsigned number, uint8_t *share)
{
    uint8_t *const rest = share + HALF;

    processor_give(number, rest);
    ds_assign(number, share, rest + PROCESSOR_MEMORY);
    pages[number] = rest + PROCESSOR_MEMORY + DS_KEPT_MEMORY;
}

void secondary_cpus_init(void)
{
    uint8_t *block = NULL;

    if (!apic_present())
        return;
    error = topology_read(&found);
    for (count = 0; count < found.count + found.siblings; count++) {
        if (count % EACH == 0) {
            block = memory_keep(BLOCK, BLOCK);
            if (!block)
                return;
            memset(block, 0, BLOCK);
        }
        give(count + 1, block + count % EACH * SHARE);
    }
}

enum acpi_error secondary_cpus_topology(struct topology *topology)
{
    *topology = found;
    return error;
}

unsigned secondary_cpus_count(void)
{
    return count;
}

uint32_t secondary_cpus_id(unsigned number)
{
    return found.ids[number - 1];
}

void *secondary_cpus_page(unsigned number)
{
    return pages[number];
}

bool secondary_cpus_start(unsigned number, void (*main)(unsigned number))
{
    return processor_start(number, secondary_cpus_id(number), memory_low_page(), main);
}

const char *secondary_cpus_barred(void)
{
    return processor_is_lent() ? "only tests on the first kind of core start other processors" : NULL;
}

void secondary_cpus_say(void)
{
    const unsigned others = found.count + found.siblings;

    if (!apic_present())
        return;
    if (error != ACPI_OK) {
        console_note("processors 1: others cannot be found: %s", acpi_error_text(error));
        return;
    }
    console_note("processors %u", count + 1);
    if (count && !memory_low_page())
        console_note("processors cannot be started: no usable page below 640 KiB for their first instructions");
    if (found.ignored)
        console_note("processors left out: %u, because the kernel uses the first %u of firmware's table", found.ignored,
                     PROCESSORS_MOST);
    if (found.beyond)
        console_note("processors left out: %u, because APIC IDs above %u need x2APIC mode; turn it on in the "
                     "firmware's setup",
                     found.beyond, (unsigned)apic_id_most());
    if (count < others)
        console_note("processors left out: %u, because memory is full; each 16 need 2 MiB below 4 GiB", others - count);
}
