/* SPDX-License-Identifier: MIT */
/*
 * The 32-bit kernel's descriptor tables (arch/x86/descriptors32.c), as the processor reads them: SDM Vol. 3A
 * (253668-081), "Segment Descriptors", "IDT Descriptors" and "Task-State Segment (TSS)". All addresses of this program
 * are below 4 GiB, in 64 bits, too.
 */
#include "tests/host/unit_test.h"

/* The assembly's entries, which the kernel only reads: vector n's is at 9ABC1000H + 10H * n. */
static uintptr_t entries[256] __asm__("interrupt_entries");

#include "arch/x86/descriptors.h"

static void *gdt;

static void *processor_gdt(void)
{
    return gdt;
}

/* LIDT is for CPL 0. */
#define __asm__ \
    if (0)      \
    __asm
#pragma GCC diagnostic ignored "-Wconversion"
#include "arch/x86/descriptors32.c"
#undef __asm__

#include "tests/host/descriptor_tables.h"

void gdt_load(const struct table_pointer *pointer, uint32_t code, uint32_t stack, uint32_t data, uint32_t tss)
{
    got.limit = pointer->limit;
    got.base = pointer->base;
    got.code = code;
    got.stack = stack;
    got.data = data;
    got.tss = tss;
}

void double_fault_entry(void)
{
}

uintptr_t paging_root(void)
{
    return 0x7654000;
}

static struct interrupt_frame reported;
static jmp_buf end;

void interrupt_dispatch(struct interrupt_frame *frame)
{
    static unsigned times; /* it is never left */

    reported = *frame;
    if (times++)
        longjmp(end, 1);
}

static void start(void)
{
    start_at(0x9abc1000);
}

#define TSS              ((uintptr_t)&boot + 64)
#define DOUBLE_FAULT_TSS (TSS + 104)

/* The descriptor of a TSS at this address, of so many bytes. */
static void expect_tss(const uint8_t *at, uintptr_t base, unsigned size)
{
    assert_int_equal(number(at, 2), size - 1);
    assert_int_equal(number(at + 2, 3) | number(at + 7, 1) << 24, base);
    assert_int_equal(at[5], 0x89); /* present, available */
    assert_int_equal(at[6], 0);
}

UNIT_TEST(tables)
{
    static const uint64_t segments[] = { 0, 0x00cf9a000000ffff, 0x00cf92000000ffff, 0x00cff2000000ffff,
                                         0x00cffa000000ffff };
    const uint8_t *const at = (const uint8_t *)&boot;

    start();
    assert_ptr_equal(descriptors_of_boot(), &boot);
    assert_int_equal(got.base, (uintptr_t)&boot);
    assert_int_equal(got.limit, 63);
    assert_int_equal(got.code, 0x08);
    assert_int_equal(got.stack, 0x10);
    assert_int_equal(got.data, 0x1b);
    assert_int_equal(got.tss, 0x28);
    assert_memory_equal(at, segments, sizeof segments);
    expect_tss(at + 40, TSS, 104);
    expect_tss(at + 48, DOUBLE_FAULT_TSS, 104);
    assert_int_equal(number(at + 56, 8), 0x00cf12000000ffff);
    assert_int_equal(number(at + 64 + 8, 2), 0x10);  /* SS0 */
    assert_int_equal(number(at + 64 + 102, 2), 104); /* no I/O bitmap */
    assert_int_equal(number(at + 64 + 28, 4), 0);    /* CR3 is not switched */
}

/* The double fault's task begins with a stack of its own. */
UNIT_TEST(double_faults)
{
    const uint8_t *const task = (const uint8_t *)DOUBLE_FAULT_TSS;

    start();
    assert_int_equal(number(task + 28, 4), 0x7654000);                     /* CR3 */
    assert_int_equal(number(task + 32, 4), (uintptr_t)double_fault_entry); /* EIP */
    assert_int_equal(number(task + 36, 4), 2);                             /* EFLAGS */
    assert_int_equal(number(task + 56, 4), (uintptr_t)&boot + offsetof(struct own, emergency_stack) + 4096);
    assert_int_equal(number(task + 72, 4), 0x1b); /* ES, CS, SS, DS */
    assert_int_equal(number(task + 76, 4), 0x08);
    assert_int_equal(number(task + 80, 4), 0x10);
    assert_int_equal(number(task + 84, 4), 0x1b);
    assert_int_equal(number(task + 88, 4) | number(task + 92, 4), 0); /* FS, GS */
}

/* What was interrupted is in the TSS that the processor left: EIP, EFLAGS, and EAX to EDI from byte 40 on. */
UNIT_TEST(reports)
{
    static struct own other;
    uint8_t *const tss = (uint8_t *)&other + 64;

    if (REGISTERS != 8)
        return;
    start();
    gdt = &other;
    for (uint32_t n = 0; n < 26; n++)
        memcpy(tss + 4 * n, &n, 4);
    if (!setjmp(end))
        double_fault(0x11);
    assert_int_equal(reported.vector, 8);
    assert_int_equal(reported.error_code, 0x11);
    assert_int_equal(reported.ip, 8);
    assert_int_equal(reported.flags, 9);
    assert_int_equal(reported.cs, 19);
    for (unsigned n = 0; n < REGISTERS; n++)
        assert_int_equal(reported.registers[REGISTERS - 1 - n], 10 + n);
}

UNIT_TEST(another)
{
    static struct own other;

    start();
    memset(&other, 0, sizeof other);
    descriptors_load(5, &other);
    assert_int_equal(got.base, (uintptr_t)&other);
    assert_int_equal(number((const uint8_t *)&other, 8), 5);
    expect_tss((const uint8_t *)&other + 40, (uintptr_t)&other + 64, 104);
    expect_tss((const uint8_t *)&other + 48, (uintptr_t)&other + 64 + 104, 104);
    assert_int_equal(number((const uint8_t *)&boot, 8), 0);
}

static void expect_gate(unsigned vector, uintptr_t address, unsigned selector, unsigned type)
{
    const uint8_t *const gate = (const uint8_t *)idt + 8 * vector;

    assert_int_equal(number(gate, 2) | number(gate + 6, 2) << 16, address);
    assert_int_equal(number(gate + 2, 2), selector);
    assert_int_equal(gate[4], 0);
    assert_int_equal(gate[5], type);
    assert_int_equal(interrupt_gate_address(vector) & UINT32_MAX, address);
    assert_int_equal(interrupt_gate_type(vector), type & 0xf);
}

UNIT_TEST(gates)
{
    start();
    assert_int_equal(sizeof idt, 2048);
    for (unsigned vector = 0; vector < 256; vector++)
        if (vector != VECTOR_USER_EXIT && vector != 8)
            expect_gate(vector, entries[vector], 0x08, 0x8e);
    expect_gate(8, 0, 0x30, 0x85); /* a task gate */
    expect_gate(VECTOR_USER_EXIT, (uintptr_t)user_exit, 0x08, 0xee);
    interrupt_set_raw(0x80, user_exit, false);
    expect_gate(0x80, (uintptr_t)user_exit, 0x08, 0x8e);
    interrupt_set_raw(0x80, user_exit, true);
    expect_gate(0x80, (uintptr_t)user_exit, 0x08, 0xee);
    interrupt_gate_set_type(0x80, GATE_TRAP);
    expect_gate(0x80, (uintptr_t)user_exit, 0x08, 0xef);
    interrupt_gate_set_type(0x83, GATE_TRAP);
    expect_gate(0x83, entries[0x83], 0x08, 0x8f);
    interrupt_gate_set_type(0x83, 0);
    expect_gate(0x83, entries[0x83], 0x08, 0);
}

/* The double fault's TSS with a byte less than a task needs. */
UNIT_TEST(spoiled)
{
    start();
    interrupt_spoil_tss(true);
    expect_tss((const uint8_t *)&boot + 48, DOUBLE_FAULT_TSS, 103);
    interrupt_spoil_tss(false);
    expect_tss((const uint8_t *)&boot + 48, DOUBLE_FAULT_TSS, 104);
}

UNIT_TEST(calls)
{
    start();
    expect_call();
}
