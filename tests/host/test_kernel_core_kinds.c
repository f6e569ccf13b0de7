/* SPDX-License-Identifier: MIT */
/*
 * The kinds of cores that the kernel finds (kernel/core_kinds.c), on a simulated machine: which processors are queried
 * and for how long, the names, the selection and the printed lines. CPUID.1AH:EAX has the type in bits 31:24, 20H Atom
 * and 40H Core, and the native model ID in bits 23:0: SDM Vol. 2A (253666-081), "CPUID".
 */
#define FIRST set_up
#include "tests/host/unit_test.h"

#include "kernel/core_kinds.c"
#include "tests/host/fakes.h"
#include "tests/host/machine/machine.h"
#include "tests/host/processors.h"

#define OTHERS 7u
#define CORE   0x40000001u
#define ATOM   0x20000001u
#define ATOM_2 0x20000002u

static struct {
    uint32_t leaves[OTHERS + 1]; /* CPUID.1AH:EAX by number */
    unsigned others;
    unsigned refuses;       /* number of the processor that does not start; 0: none */
    unsigned late, late_by; /* number of a slow processor, and its PAUSEs */
    unsigned here, running; /* the processor that executes CPUID; the one that was started */
    unsigned starts, stops; /* calls */
    uint32_t last_leaf;     /* the highest CPUID leaf */
    unsigned started_at;    /* PAUSEs */
    void (*main)(unsigned number);
} cpu;

static struct options options;

static struct cpuid leaves_of(uint32_t leaf, uint32_t subleaf)
{
    assert_int_equal(subleaf, 0);
    if (leaf == 0)
        return (struct cpuid){ .eax = cpu.last_leaf };
    assert_int_equal(leaf, 0x1a);
    return (struct cpuid){ .eax = cpu.leaves[cpu.here] };
}

FAKE(uint32_t, apic_id, (void), assert_true(machine.apic), 0x30)
FAKE(unsigned, secondary_cpus_count, (void), cpu.others)
FAKE(uint32_t, secondary_cpus_id, (unsigned number), assert_in_range(number, 1, cpu.others), 0x30 + 2 * number)
FAKE_VOID(processors_stop, (void), cpu.running = 0, cpu.stops++)

bool secondary_cpus_start(unsigned number, void (*main)(unsigned number))
{
    assert_in_range(number, 1, cpu.others);
    assert_int_equal(cpu.running, 0);
    cpu.starts++;
    if (number == cpu.refuses)
        return false;
    cpu.running = number;
    cpu.main = main;
    cpu.started_at = machine.pauses;
    return true;
}

/* The other processor runs whenever it is queried, so it is faster than real processors. */
bool processor_done(unsigned number)
{
    assert_int_equal(number, cpu.running);
    if (number == cpu.late && machine.pauses - cpu.started_at < cpu.late_by)
        return false;
    cpu.here = number;
    cpu.main(number);
    cpu.here = 0;
    return true;
}

/* Sets the processors' leaves: the boot processor's, a Core, then the others'. */
static void start_machine(unsigned others, const uint32_t *of)
{
    machine_start();
    machine.leaves = leaves_of;
    memset(&cpu, 0, sizeof cpu);
    cpu.leaves[0] = CORE;
    cpu.others = others;
    cpu.last_leaf = 0x20;
    for (unsigned i = 0; i < others; i++)
        cpu.leaves[i + 1] = of[i];
    memset(kinds, 0, sizeof kinds);
    memset(leaves, 0, sizeof leaves);
    memset(selected, 0, sizeof selected);
    count = beyond = silent = 0;
    hybrid = false;
    seen = 0;
    options = (struct options){ .kinds = OPTIONS_KINDS_ALL };
}

static struct caps alder_lake; /* its boot processor is a Golden Cove */

static void assert_kind(unsigned index, const char *name, const char *suffix, unsigned number, unsigned processors)
{
    const struct kind *kind = core_kind_number(index);

    assert_string_equal(kind->name, name);
    if (suffix)
        assert_string_equal(kind->suffix, suffix);
    else
        assert_null(kind->suffix);
    assert_int_equal(kind->number, number);
    assert_int_equal(kind->apic_id, 0x30 + 2 * number);
    assert_int_equal(kind->processors, processors);
}

UNIT_TEST(two_kinds)
{
    start_machine(5, (const uint32_t[]){ CORE, ATOM, ATOM, CORE, ATOM });
    core_kinds_init(&alder_lake);
    assert_int_equal(core_kinds_count(), 2);
    assert_kind(0, "core", NULL, 0, 3);
    assert_kind(1, "atom", "atom", 2, 3);
    assert_memory_equal(&core_kind_number(0)->caps, &alder_lake, sizeof alder_lake);
    assert_int_equal(cpu.starts, 5);
    assert_int_equal(cpu.stops, 5);
    core_kinds_say();
    machine_printed("cpu 0 apic 0x30 Core Golden Cove, kind core: 3 of 6 processors\n"
                    "cpu 2 apic 0x34 Atom Gracemont, kind atom: 3 of 6 processors\n");
    core_kind_say(core_kind_number(1));
    machine_printed("tests on cpu 2 apic 0x34 Atom Gracemont\n");
    assert_string_equal(core_kinds_selected(&options, KINDS_MOST), "core,atom");
}

/* Arrow Lake, C5H: Atoms of two native models. Names of one type are numbered. */
UNIT_TEST(several_of_a_type)
{
    struct caps arrow_lake = alder_lake;

    arrow_lake.model = 0xc5;
    start_machine(3, (const uint32_t[]){ 0x20000003, 0x20000002, CORE });
    core_kinds_init(&arrow_lake);
    assert_int_equal(core_kinds_count(), 3);
    assert_kind(1, "atom", "atom", 1, 1);
    assert_kind(2, "atom2", "atom2", 2, 1);
    core_kinds_say();
    machine_printed("cpu 0 apic 0x30 Core Lion Cove, kind core: 2 of 4 processors\n"
                    "cpu 1 apic 0x32 Atom Skymont, kind atom: 1 of 4 processors\n"
                    "cpu 2 apic 0x34 Atom Crestmont, kind atom2: 1 of 4 processors\n");
    assert_string_equal(core_kinds_selected(&options, KINDS_MOST), "core,atom,atom2");
}

/* If the tables lack a name for the core, the type and CPUID's native model ID are printed. */
UNIT_TEST(unnamed_cores)
{
    struct caps caps = alder_lake;

    caps.model = 0xfe;
    start_machine(2, (const uint32_t[]){ 0x20abcdef, 0x99123456 });
    core_kinds_init(&caps);
    core_kinds_say();
    machine_printed("cpu 0 apic 0x30 Core native model 0x1, kind core: 1 of 3 processors\n"
                    "cpu 1 apic 0x32 Atom native model 0xabcdef, kind atom: 1 of 3 processors\n"
                    "cpu 2 apic 0x34 of an unknown type, native model 0x123456, kind kind: 1 of 3 processors\n");
    caps = alder_lake;
    caps.intel = false; /* other vendors have other models */
    start_machine(0, NULL);
    core_kinds_init(&caps);
    core_kinds_say();
    machine_printed("cpu 0 apic 0x30 Core native model 0x1, kind core: 1 of 1 processors\n");
}

/* Kinds beyond the table, and processors without a type, are counted. */
UNIT_TEST(left_out)
{
    start_machine(7, (const uint32_t[]){ ATOM, ATOM_2, 0x20000003, 0x20000004, 0x20000005, ATOM_2, 0x20000003 });
    cpu.refuses = 6;
    core_kinds_init(&alder_lake);
    assert_int_equal(core_kinds_count(), KINDS_MOST);
    assert_int_equal(KINDS_MOST, 4);
    assert_kind(2, "atom2", "atom2", 2, 1);
    assert_kind(3, "atom3", "atom3", 3, 2);
    assert_int_equal(cpu.starts, 7);
    assert_int_equal(cpu.stops, 6);
    core_kinds_say();
    machine_has_printed("cpu 3 apic 0x36 Atom Gracemont, kind atom3: 2 of 8 processors\n"
                        "kinds: 2 processors are not tested, because only the first 4 kinds are\n"
                        "kinds unknown: 1 processors do not start; run=all_cpus.* names them\n");
    assert_string_equal(core_kinds_selected(&options, KINDS_MOST), "core,atom,atom2,atom3");
}

/* The wait for a processor is bounded. A processor without leaf 1AH has no type. */
UNIT_TEST(waiting)
{
    struct caps caps = alder_lake;

    start_machine(2, (const uint32_t[]){ ATOM, ATOM });
    cpu.late = 1;
    cpu.late_by = 1000;
    core_kinds_init(&alder_lake);
    assert_kind(1, "atom", "atom", 1, 2);
    assert_int_equal(machine.pauses, 1000);
    start_machine(2, (const uint32_t[]){ ATOM, ATOM });
    cpu.late = 1;
    cpu.late_by = UINT32_MAX;
    core_kinds_init(&alder_lake);
    assert_kind(1, "atom", "atom", 2, 1);
    assert_in_range(machine.pauses, 100000, 10000000);
    assert_int_equal(cpu.stops, 2);
    core_kinds_say();
    machine_has_printed("kinds unknown: 1 processors do not start; run=all_cpus.* names them\n");

    caps.model = 0xfe;
    for (unsigned i = 0; i < 2; i++) {
        start_machine(1, (const uint32_t[]){ ATOM });
        cpu.last_leaf = 0x19 + i;
        core_kinds_init(&caps);
        assert_kind(1, i ? "atom" : "kind", i ? "atom" : "kind", 1, 1);
        core_kind_say(core_kind_number(1));
        machine_printed(i ? "tests on cpu 1 apic 0x32 Atom native model 0x1\n"
                          : "tests on cpu 1 apic 0x32 of an unknown type, native model 0x0\n");
    }
}

static int set_up(void **state)
{
    alder_lake = caps_of(golden_cove_input());
    return 0;
}
