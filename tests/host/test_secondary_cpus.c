/* SPDX-License-Identifier: MIT */
/*
 * The memory of secondary processors: its distribution, addresses with bit 20 clear, and which processors get none.
 * Memory, APIC and firmware's table are the test's.
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

#include "arch/x86/devices/apic.h"
#include "arch/x86/devices/processors.h"
#include "ds/ds.h"
#include "kernel/console.h"
#include "kernel/memory.h"
#include "kernel/secondary_cpus.h"

#define BLOCKS 4u
#define MIB    0x100000u

static uint8_t memory[BLOCKS][2 * MIB] __attribute__((aligned(0x200000)));
static uint32_t ids[600];
static struct {
    bool no_apic;
    enum acpi_error error;
    struct topology topology;
    unsigned blocks, kept; /* available blocks, and allocated ones */
    uint8_t *given[100], *stores[100], *logs[100];
    unsigned started;
    uint32_t started_id;
    bool lent;
} machine;
static char said[1000];

FAKE(bool, apic_present, (void), !machine.no_apic)
FAKE(uint32_t, apic_id_most, (void), 254)
FAKE(enum acpi_error, topology_read, (struct topology * topology), *topology = machine.topology, topology->ids = ids,
     machine.error)
FAKE(void *, memory_keep, (size_t size, size_t alignment), assert_int_equal(size, 2 * MIB),
     assert_int_equal(alignment, 2 * MIB), machine.kept < machine.blocks ? memory[machine.kept++] : NULL)

FAKE(uintptr_t, memory_low_page, (void), 0x9e000)
FAKE_VOID(processor_give, (unsigned number, void *of), machine.given[number] = of)
FAKE_VOID(ds_assign, (unsigned processor, uint8_t *store, uint8_t *kept), machine.stores[processor] = store,
          machine.logs[processor] = kept)
FAKE(bool, processor_is_lent, (void), machine.lent)
FAKE(bool, processor_start, (unsigned number, uint32_t id, uintptr_t low_page, void (*main)(unsigned number)),
     assert_int_equal(low_page, 0x9e000), assert_null(main), machine.started = number, machine.started_id = id,
     id != 13)

FAKE_PRINTF(console_note, said, "", "\n")

#include "kernel/secondary_cpus.c"

static void look(void)
{
    secondary_cpus_init();
    said[0] = 0;
    secondary_cpus_say();
}

static void start(unsigned others, unsigned siblings, unsigned blocks)
{
    memset(&machine, 0, sizeof machine);
    memset(memory, 0xff, sizeof memory);
    machine.topology = (struct topology){ .total = others + siblings + 1, .count = others, .siblings = siblings };
    machine.blocks = blocks;
    for (unsigned i = 0; i < 600; i++)
        ids[i] = i + 10;
    look();
}

/* Each has 64 KiB in either half of a block, cleared, without overlap. */
UNIT_TEST(each_has_its_share)
{
    start(18, 2, 4);
    assert_int_equal(secondary_cpus_count(), 20);
    assert_int_equal(machine.kept, 2);
    assert_string_equal(said, "processors 21\n");
    for (unsigned n = 1; n <= 20; n++) {
        uint8_t *const share = memory[(n - 1) / 16] + (n - 1) % 16 * 0x10000;
        assert_ptr_equal(machine.stores[n], share);
        assert_int_equal((uintptr_t)machine.stores[n] & MIB, 0);
        assert_int_equal((uintptr_t)(machine.stores[n] + DS_STORE_MEMORY - 1) & MIB, 0);
        assert_ptr_equal(machine.given[n], share + MIB);
        assert_ptr_equal(machine.logs[n], share + MIB + PROCESSOR_MEMORY);
        assert_ptr_equal(secondary_cpus_page(n), share + MIB + PROCESSOR_MEMORY + DS_KEPT_MEMORY);
        assert_true((uint8_t *)secondary_cpus_page(n) + SECONDARY_CPU_PAGE <= share + MIB + 0x10000);
        for (unsigned i = 0; i < 0x10000; i++)
            assert_false(share[i] || share[MIB + i]);
        assert_int_equal(secondary_cpus_id(n), n + 9);
    }
    assert_true(secondary_cpus_start(20, NULL));
    assert_int_equal(machine.started, 20);
    assert_int_equal(machine.started_id, 29);
    assert_false(secondary_cpus_start(4, NULL));
}

UNIT_TEST(processors_without_memory_are_left_out)
{
    start(40, 0, 2);
    assert_int_equal(secondary_cpus_count(), 32);
    assert_string_equal(said, "processors 33\nprocessors left out: 8, because memory is full; each 16 need "
                              "2 MiB below 4 GiB\n");
    start(1, 0, 0);
    assert_int_equal(secondary_cpus_count(), 0);
    assert_string_equal(said, "processors 1\nprocessors left out: 1, because memory is full; each 16 need "
                              "2 MiB below 4 GiB\n");
    start(16, 0, 4);
    assert_int_equal(secondary_cpus_count(), 16);
    assert_int_equal(machine.kept, 1);
}

UNIT_TEST(left_out_processors_are_reported)
{
    struct topology topology;

    start(0, 0, 4);
    assert_string_equal(said, "processors 1\n");
    assert_int_equal(machine.kept, 0);
    machine.topology.beyond = 3;
    machine.topology.ignored = 88;
    look();
    assert_string_equal(said, "processors 1\n"
                              "processors left out: 88, because the kernel uses the first 512 of firmware's table\n"
                              "processors left out: 3, because APIC IDs above 254 need x2APIC mode; turn it on in the "
                              "firmware's setup\n");
    machine.topology = (struct topology){ 0 };
    machine.error = ACPI_NO_MADT;
    look();
    assert_string_equal(said, "processors 1: others cannot be found: no valid MADT among the ACPI tables\n");
    assert_int_equal(secondary_cpus_topology(&topology), ACPI_NO_MADT);
    assert_int_equal(secondary_cpus_count(), 0);
    start(0, 0, 4);
    machine.topology.count = 3;
    machine.no_apic = true; /* the line about the APIC has the reason */
    look();
    assert_string_equal(said, "");
    assert_int_equal(secondary_cpus_count(), 0);
    assert_null(secondary_cpus_barred());
    machine.lent = true;
    assert_string_equal(secondary_cpus_barred(), "only tests on the first kind of core start other processors");
}
