/* SPDX-License-Identifier: MIT */
/*
 * Which of firmware's processors are siblings of this one, which can be started, and where tables are searched. CPUID
 * and ACPI are the test's.
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

#include "boot/acpi.h"

/* Replaces arch/x86/cpu.h and apic.h. */
#define ARCH_X86_CPU_H
#define ARCH_X86_APIC_H
struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

static struct {
    uint32_t highest_leaf;
    struct cpuid leaf_b; /* subleaf 0 */
    uint32_t own_id, id_most;
    enum acpi_error error;
    uint64_t count; /* processors in the table */
    uint32_t ids[600];
    uint64_t scanned; /* the address that a scan finds */
    uint64_t root;    /* the root pointer from which the table was read */
} machine;

FAKE(static struct cpuid, cpuid, (uint32_t leaf, uint32_t subleaf), assert_int_equal(subleaf, 0),
     leaf == 0 ? (struct cpuid){ .eax = machine.highest_leaf } : (assert_int_equal(leaf, 0xb), machine.leaf_b))
FAKE(static uint32_t, apic_id, (void), machine.own_id)
FAKE(static uint32_t, apic_id_most, (void), machine.id_most)
FAKE(static uint64_t, scan, (const struct acpi_memory *memory), assert_non_null(memory), machine.scanned)

static enum acpi_error read_processors(const struct acpi_memory *memory, uint64_t root, struct acpi_processors *all)
{
    assert_non_null(memory);
    machine.root = root;
    if (machine.error != ACPI_OK)
        return machine.error;
    for (uint64_t i = 0; i < machine.count && i < all->most; i++)
        all->apic_ids[i] = machine.ids[i];
    all->count = (size_t)machine.count;
    return ACPI_OK;
}

FAKE_STATIC_VOID(read_timers, (const struct acpi_memory *memory, uint64_t root, struct acpi_timers *timers),
                 assert_non_null(memory), machine.root = root, *timers = (struct acpi_timers){ 0x608, 0xfed00000 })

#define acpi_scan            scan
#define acpi_read_processors read_processors
#define acpi_read_timers     read_timers
#include "kernel/acpi_root.c"
#include "kernel/topology.c"

/* A machine with the APIC IDs 0 to count - 1, and two threads a core if CPUID.0BH says so. */
static void start(unsigned count, unsigned own, bool threads)
{
    memset(&machine, 0, sizeof machine);
    machine.highest_leaf = 0xb;
    machine.leaf_b = (struct cpuid){ .eax = threads, .ebx = threads + 1, .ecx = 1 << 8 };
    machine.own_id = own;
    machine.count = count;
    for (unsigned i = 0; i < count; i++)
        machine.ids[i] = i;
    machine.scanned = 0xf0000;
    machine.id_most = 254;
    acpi_root_init(&(struct boot_info){ 0 });
}

static struct topology topology;

static void read(void)
{
    memset(&topology, 0xff, sizeof topology);
    assert_int_equal(topology_read(&topology), ACPI_OK);
}

/* others, and siblings, which follow them: a NUL-terminated list of IDs plus 1. */
static void expect(unsigned total, const char *others, const char *siblings)
{
    read();
    assert_int_equal(topology.total, total);
    assert_int_equal(topology.count, strlen(others));
    assert_int_equal(topology.siblings, strlen(siblings));
    assert_int_equal(topology.ignored, 0);
    for (unsigned i = 0; i < topology.count; i++)
        assert_int_equal(topology.ids[i], (unsigned char)others[i] - 1u);
    for (unsigned i = 0; i < topology.siblings; i++)
        assert_int_equal(topology.ids[topology.count + i], (unsigned char)siblings[i] - 1u);
}

/* CPUID.0BH, subleaf 0: EAX[4:0] is the shift for the thread bits if ECX[15:8] is 1, the level SMT. */
UNIT_TEST(siblings_by_leaf_b)
{
    static const struct {
        uint32_t eax, ecx, highest;
        const char *others, *siblings;
    } rows[] = {
        { 1, 1 << 8, 0xb, "\1\2\5\6", "\3" },          { 2, 1 << 8, 0xb, "\5\6", "\1\2\3" }, /* four threads */
        { 0xffffffe1, 1 << 8, 0xb, "\1\2\5\6", "\3" },                                       /* reserved bits */
        { 1, 2 << 8, 0xb, "\1\2\3\5\6", "" },                                                /* the level of cores */
        { 1, 0x10001 << 8, 0xb, "\1\2\5\6", "\3" },                                          /* more reserved bits */
        { 1, 1 << 8, 0xa, "\1\2\3\5\6", "" },          { 1, 1 << 8, 0xc, "\1\2\5\6", "\3" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        start(6, 3, true);
        machine.leaf_b.eax = rows[i].eax;
        machine.leaf_b.ecx = rows[i].ecx;
        machine.highest_leaf = rows[i].highest;
        expect(6, rows[i].others, rows[i].siblings);
    }
}

UNIT_TEST(only_what_can_be_started_is_listed)
{
    start(4, 0, false);
    machine.ids[1] = 254;
    machine.ids[2] = 255; /* an xAPIC's broadcast */
    machine.ids[3] = 256;
    expect(4, "\xff", "");
    assert_int_equal(topology.beyond, 2);
    start(4, 0, false);
    machine.ids[3] = 256; /* an x2APIC's */
    machine.id_most = 255;
    expect(4, "\2\3", "");
    machine.id_most = 256;
    read();
    assert_true(topology.count == 3 && topology.ids[2] == 256 && topology.beyond == 0);
    start(5, 0, false);
    machine.ids[2] = 1; /* a duplicate */
    expect(5, "\2\4\5", "");
    machine.ids[2] = 2;
    machine.ids[3] = 2;
    expect(5, "\2\3\5", "");
    start(6, 0, true);
    machine.ids[3] = 1; /* a duplicate sibling */
    expect(6, "\3\5\6", "\2");
    for (unsigned count = 512; count <= 600; count += 88) { /* the limit, and more */
        start(count, 0, false);
        machine.id_most = 600;
        read();
        assert_true(topology.count == 511 && topology.ids[510] == 511 && topology.ignored == count - 512);
    }
    machine.error = ACPI_NO_ROOT;
    memset(&topology, 0xff, sizeof topology);
    assert_int_equal(topology_read(&topology), ACPI_NO_ROOT);
    assert_int_equal(topology.total + topology.siblings + topology.count, 0);
}
