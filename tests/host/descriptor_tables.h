/* SPDX-License-Identifier: MIT */
/*
 * Code for the tests of both kernels' descriptor tables. Include it after arch/x86/descriptors32.c or descriptors64.c.
 * The assembly's entries are numbers here, because the kernel only reads their addresses.
 */
#ifndef TESTS_HOST_DESCRIPTOR_TABLES_H
#define TESTS_HOST_DESCRIPTOR_TABLES_H

static struct {
    uint64_t limit, base, code, stack, data, tss;
    void (*function)(void);
    uint8_t *kernel_stack;
    uintptr_t user_stack;
} got;

void user_enter(void (*function)(void), void *kernel_stack, uintptr_t stack)
{
    got.function = function;
    got.kernel_stack = kernel_stack;
    got.user_stack = stack;
}

void user_exit(void)
{
}

/* Vector n's entry is at the first address + 10H * n. */
static void start_at(uintptr_t first)
{
    for (unsigned n = 0; n < 256; n++)
        entries[n] = first + 0x10 * n;
    memset(&boot, 0, sizeof boot);
    memset(idt, 0, sizeof idt);
    memset(&got, 0, sizeof got);
    descriptors_init();
}

static uint64_t number(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;

    memcpy(&value, bytes, size);
    return value;
}

/* user_call() must use the top of the CPL 3 stack page, and this processor's field for the CPL 0 stack pointer. */
static void expect_call(void)
{
    static struct own other;

    gdt = &other;
    user_call(user_exit);
    assert_ptr_equal(got.function, user_exit);
    assert_ptr_equal(got.kernel_stack, (uint8_t *)&other + 64 + 4);
    assert_int_equal(got.user_stack, (uintptr_t)user_stack + 4096);
    assert_int_equal(got.user_stack % 4096, 0);
}

#endif
