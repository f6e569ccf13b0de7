/* SPDX-License-Identifier: MIT */
/*
 * Kinds of cores (kernel/core_kinds.c) that no modelled machine has: several of a type, more than the kernel tests,
 * cores without a name, and processors that do not answer. Boots of hybrids test the rest. CPUID.1AH:EAX has the type
 * in bits 31:24, 20H Atom and 40H Core, and the native model ID in bits 23:0: SDM Vol. 2A (253666-081), "CPUID".
 */
#include "tests/host/unit_test.h"

#include "kernel/core_kinds.c"
#include "tests/host/fakes.h"
#include "tests/host/machine/machine.h"
#include "tests/host/processors.h"

#define CORE   0x40000001u
#define SILENT 0u /* instead of the leaf: the processor does not start */
#define LATE   1u /* it starts, and never reports its kind */

static const uint32_t *of; /* CPUID.1AH:EAX of each processor */
static unsigned others, here, stops;
static void (*runs)(unsigned number);

static struct cpuid leaves_of(uint32_t leaf, uint32_t subleaf)
{
    return (struct cpuid){ .eax = leaf == 0 ? 0x20 : of[here] };
}

FAKE(uint32_t, apic_id, (void), 0x30)
FAKE(unsigned, secondary_cpus_count, (void), others)
FAKE(uint32_t, secondary_cpus_id, (unsigned number), 0x30 + 2 * number)
FAKE_VOID(processors_stop, (void), stops++)
FAKE(bool, secondary_cpus_start, (unsigned number, void (*main)(unsigned number)), runs = main, of[number] != SILENT)

bool processor_done(unsigned number)
{
    if (of[number] == LATE)
        return false;
    here = number;
    runs(number);
    here = 0;
    return true;
}

static void start(uint8_t model, unsigned processors, const uint32_t *their)
{
    struct caps caps = caps_of(golden_cove_input());

    caps.model = model;
    caps.native_model = NATIVE(their[0]);
    machine_start();
    machine.leaves = leaves_of;
    of = their;
    others = processors - 1;
    stops = count = beyond = silent = 0;
    core_kinds_init(&caps);
    core_kinds_say();
}

/* Arrow Lake, C5H: Atoms of two native models. Names of one type are numbered. */
UNIT_TEST(several_of_a_type)
{
    static const struct options all = { .kinds = OPTIONS_KINDS_ALL };

    start(0xc5, 4, (const uint32_t[]){ CORE, 0x20000003, 0x20000002, CORE });
    machine_printed("cpu 0 apic 0x30 Core Lion Cove, kind core: 2 of 4 processors\n"
                    "cpu 1 apic 0x32 Atom Skymont, kind atom: 1 of 4 processors\n"
                    "cpu 2 apic 0x34 Atom Crestmont, kind atom2: 1 of 4 processors\n");
    assert_string_equal(core_kind_number(2)->suffix, "atom2");
    assert_string_equal(core_kinds_selected(&all, KINDS_MOST), "core,atom,atom2");
    assert_int_equal(stops, 3);
}

/* If the tables lack a name for the core, the type and CPUID's native model ID are printed. */
UNIT_TEST(unnamed_cores)
{
    start(0xfe, 3, (const uint32_t[]){ CORE, 0x20abcdef, 0x99123456 });
    machine_printed("cpu 0 apic 0x30 Core native model 0x1, kind core: 1 of 3 processors\n"
                    "cpu 1 apic 0x32 Atom native model 0xabcdef, kind atom: 1 of 3 processors\n"
                    "cpu 2 apic 0x34 of an unknown type, native model 0x123456, kind kind: 1 of 3 processors\n");
}

/* Kinds beyond the table, and processors without a type, are counted. The wait for a processor is bounded. */
UNIT_TEST(left_out)
{
    start(0x97, 8, (const uint32_t[]){ CORE, 0x20000001, 0x20000002, 0x20000003, 0x20000004, SILENT, LATE, CORE });
    assert_int_equal(core_kinds_count(), KINDS_MOST);
    machine_has_printed("kinds: 1 processors are not tested, because only the first 4 kinds are\n"
                        "kinds unknown: 2 processors do not start; run=all_cpus.* names them\n");
    assert_in_range(machine.pauses, 100000, 10000000);
    assert_int_equal(stops, 6);
}
