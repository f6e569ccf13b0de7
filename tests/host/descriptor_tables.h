/* SPDX-License-Identifier: MIT */
/*
 * What the tests of both kernels' descriptor tables share: included behind arch/x86/descriptors32.c or 64.c. The
 * assembly's entries are numbers here, which the kernel only reads.
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

/* On the page of CPL 3, with the processor's stack pointer for CPL 0 at hand. */
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
