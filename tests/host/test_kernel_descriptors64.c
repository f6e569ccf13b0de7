/* SPDX-License-Identifier: MIT */
/*
 * The 64-bit kernel's descriptor tables (arch/x86/descriptors64.c), as the processor reads them: SDM Vol. 3A
 * (253668-081), "Segment Descriptors", "64-Bit Mode IDT" and "Task Management in 64-bit Mode".
 */
#include "tests/host/unit_test.h"

/* The assembly's entries, which the kernel only reads: vector n's is at 1000H + 10H * n. */
static uintptr_t entries[256] __asm__("interrupt_entries");

#include "arch/x86/descriptors.h"

static void *gdt;

static void *processor_gdt(void)
{
    return gdt;
}

/* LIDT and LTR are for CPL 0. */
#define __asm__ \
    if (0)      \
    __asm
#include "arch/x86/descriptors64.c"
#undef __asm__

#include "tests/host/descriptor_tables.h"

void gdt_load(const struct table_pointer *pointer, uint16_t code, uint16_t stack, uint16_t tss)
{
    got.limit = pointer->limit;
    got.base = pointer->base;
    got.code = code;
    got.stack = stack;
    got.tss = tss;
}

static void start(void)
{
    start_at((uintptr_t)UINT64_C(0x9abc00001000));
}

/* The descriptor of a TSS at this address, of so many bytes. */
static void expect_tss(const uint8_t *at, uint64_t base, unsigned size)
{
    assert_int_equal(number(at, 2), size - 1);
    assert_int_equal(number(at + 2, 3) | number(at + 7, 1) << 24 | number(at + 8, 4) << 32, base);
    assert_int_equal(at[5], 0x89); /* present, available */
    assert_int_equal(at[6], 0);
    assert_int_equal(number(at + 12, 4), 0);
}

UNIT_TEST(tables)
{
    static const uint64_t segments[] = { 0, 0x00209a0000000000, 0x0000920000000000, 0x0000f20000000000,
                                         0x0020fa0000000000 };
    const uint8_t *const tss = (const uint8_t *)&boot + 64;

    start();
    assert_ptr_equal(descriptors_of_boot(), &boot);
    assert_int_equal(got.base, (uintptr_t)&boot);
    assert_int_equal(got.limit, 63);
    assert_int_equal(got.code, 0x08);
    assert_int_equal(got.stack, 0x10);
    assert_int_equal(got.tss, 0x28);
    assert_memory_equal(&boot, segments, sizeof segments);
    assert_int_equal(number((const uint8_t *)&boot + 56, 8), 0x0000120000000000);
    expect_tss((const uint8_t *)&boot + 40, (uintptr_t)tss, 104);
    for (unsigned n = 1; n <= 7; n++) /* IST1 and IST7 */
        assert_int_equal(number(tss + 36 + 8 * (n - 1), 8),
                         n == 1 || n == 7 ? (uintptr_t)&boot + offsetof(struct own, emergency_stack) + 4096 : 0);
    assert_int_equal(number(tss + 102, 2), 104); /* no I/O bitmap */
}

/* Another processor's, with its number in the entry that is never read. */
UNIT_TEST(another)
{
    static struct own other;

    start();
    memset(&other, 0, sizeof other);
    descriptors_load(5, &other);
    assert_int_equal(got.base, (uintptr_t)&other);
    assert_int_equal(number((const uint8_t *)&other, 8), 5);
    expect_tss((const uint8_t *)&other + 40, (uintptr_t)&other + 64, 104);
    assert_int_equal(number((const uint8_t *)&boot, 8), 0);
}

static void expect_gate(unsigned vector, uint64_t address, unsigned type, unsigned ist)
{
    const uint8_t *const gate = (const uint8_t *)idt + 16 * vector;

    assert_int_equal(number(gate, 2) | number(gate + 6, 2) << 16 | number(gate + 8, 4) << 32, address);
    assert_int_equal(number(gate + 2, 2), 0x08);
    assert_int_equal(gate[4], ist);
    assert_int_equal(gate[5], type);
    assert_int_equal(number(gate + 12, 4), 0);
    assert_int_equal(interrupt_gate_address(vector), address);
    assert_int_equal(interrupt_gate_type(vector), type & 0xf);
}

UNIT_TEST(gates)
{
    start();
    assert_int_equal(sizeof idt, 4096);
    for (unsigned vector = 0; vector < 256; vector++)
        if (vector != VECTOR_USER_EXIT)
            expect_gate(vector, entries[vector], 0x8e,
                        vector == 2 || vector == 8 || vector == 18 ? 1
                        : vector == VECTOR_LOST_STACK              ? 7
                                                                   : 0);
    expect_gate(VECTOR_USER_EXIT, (uintptr_t)user_exit, 0xee, 0);
    interrupt_set_raw(0x80, user_exit, false);
    expect_gate(0x80, (uintptr_t)user_exit, 0x8e, 0);
    interrupt_set_raw(0x80, user_exit, true);
    expect_gate(0x80, (uintptr_t)user_exit, 0xee, 0);
    interrupt_gate_set_type(0x80, GATE_TRAP);
    expect_gate(0x80, (uintptr_t)user_exit, 0xef, 0);
    interrupt_gate_set_type(0x83, GATE_TRAP);
    expect_gate(0x83, entries[0x83], 0x8f, 0);
    interrupt_gate_set_type(0x83, 0);
    expect_gate(0x83, entries[0x83], 0, 0);
}

/* A TSS that ends before IST7. */
UNIT_TEST(spoiled)
{
    start();
    interrupt_spoil_tss(true);
    expect_tss((const uint8_t *)&boot + 40, (uintptr_t)&boot + 64, 36 + 6 * 8);
    interrupt_spoil_tss(false);
    expect_tss((const uint8_t *)&boot + 40, (uintptr_t)&boot + 64, 104);
}

UNIT_TEST(calls)
{
    start();
    expect_call();
}
