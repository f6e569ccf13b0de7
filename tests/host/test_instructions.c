/* SPDX-License-Identifier: MIT */
/*
 * Instructions of arch/x86/cpu.h. A host may not execute most of them, so each compiled function is searched for their
 * bytes. For example, without PAUSE a wait would not wait, and some machines would fail now and then. Instructions of
 * one byte are left out, because that byte could belong to any operand. Encodings: SDM Vol. 2 (325383-081),
 * "Instruction Set Reference".
 */
#include "tests/host/unit_test.h"

/* Stays between the labels below, even without optimisation. */
#define inline inline __attribute__((always_inline))
#include "arch/x86/cpu.h"
#undef inline

bool interrupts_allowed;

/* Code between two labels, which is not executed. Volatile assembly keeps its order. */
#define CODE(of, does)                                                                  \
    extern const uint8_t of##_begins[], of##_ends[];                                    \
    static __attribute__((noinline, used)) uintptr_t code_of_##of(volatile uintptr_t a) \
    {                                                                                   \
        __asm__ volatile(".globl " #of "_begins\n" #of "_begins:" : "+m"(a)::"memory"); \
        does;                                                                           \
        __asm__ volatile(".globl " #of "_ends\n" #of "_ends:" : "+m"(a)::"memory");     \
        return a;                                                                       \
    }
#define LABELS(of) #of, of##_begins, of##_ends

CODE(cpu_pause, cpu_pause())
CODE(memory_fence, memory_fence())
CODE(time_stamp, a = (uintptr_t)time_stamp())
CODE(cpu_halt_for_interrupt, cpu_halt_for_interrupt())
CODE(cache_line_flush, cache_line_flush((const void *)a))
CODE(caches_flush, caches_flush())
CODE(cpu_triple_fault, cpu_triple_fault())
CODE(port_write16, port_write16((uint16_t)a, 1))
CODE(cr0_read, a = cr0_read())
CODE(cr2_read, a = cr2_read())
CODE(cr3_read, a = cr3_read())
CODE(cr4_read, a = cr4_read())
CODE(cr0_write, cr0_write(a))
CODE(cr3_write, cr3_write(a))
CODE(cr4_write, cr4_write(a))
CODE(dr3_write, dr3_write(a))
CODE(dr6_read, a = dr6_read())
CODE(dr6_write, dr6_write(a))
CODE(dr7_read, a = dr7_read())
CODE(dr7_write, dr7_write(a))

static bool is_at(const uint8_t *at, const uint8_t *bytes, unsigned count, uint8_t mask)
{
    return memcmp(at, bytes, count - 1u) == 0 && (at[count - 1u] & mask) == bytes[count - 1u];
}

UNIT_TEST(each_function_has_its_instruction)
{
    /* Only the bits in `mask` of the last byte are compared: the others are the register or the addressing mode. */
    static const struct {
        const char *name;
        const uint8_t *begins, *ends;
        uint8_t count, mask, bytes[6];
    } codes[] = {
        { LABELS(cpu_pause), 2, 0xff, { 0xf3, 0x90 } },
        { LABELS(memory_fence), 6, 0xff, { 0x0f, 0xae, 0xf0, 0x0f, 0xae, 0xe8 } },
        { LABELS(time_stamp), 5, 0xff, { 0x0f, 0xae, 0xe8, 0x0f, 0x31 } },
        { LABELS(cpu_halt_for_interrupt), 3, 0xff, { 0xfb, 0xf4, 0xfa } },
        { LABELS(cache_line_flush), 3, 0x38, { 0x0f, 0xae, 0x38 } },
        { LABELS(caches_flush), 2, 0xff, { 0x0f, 0x09 } },
        { LABELS(cpu_triple_fault), 3, 0x38, { 0x0f, 0x01, 0x18 } }, /* LIDT */
        { LABELS(port_write16), 2, 0xff, { 0x66, 0xef } },
        { LABELS(cr0_read), 3, 0xf8, { 0x0f, 0x20, 0xc0 } },
        { LABELS(cr2_read), 3, 0xf8, { 0x0f, 0x20, 0xd0 } },
        { LABELS(cr3_read), 3, 0xf8, { 0x0f, 0x20, 0xd8 } },
        { LABELS(cr4_read), 3, 0xf8, { 0x0f, 0x20, 0xe0 } },
        { LABELS(cr0_write), 3, 0xf8, { 0x0f, 0x22, 0xc0 } },
        { LABELS(cr3_write), 3, 0xf8, { 0x0f, 0x22, 0xd8 } },
        { LABELS(cr4_write), 3, 0xf8, { 0x0f, 0x22, 0xe0 } },
        { LABELS(dr3_write), 3, 0xf8, { 0x0f, 0x23, 0xd8 } },
        { LABELS(dr6_read), 3, 0xf8, { 0x0f, 0x21, 0xf0 } },
        { LABELS(dr6_write), 3, 0xf8, { 0x0f, 0x23, 0xf0 } },
        { LABELS(dr7_read), 3, 0xf8, { 0x0f, 0x21, 0xf8 } },
        { LABELS(dr7_write), 3, 0xf8, { 0x0f, 0x23, 0xf8 } },
    };

    for (unsigned i = 0; i < COUNT_OF(codes); i++) {
        bool found = false;

        for (const uint8_t *at = codes[i].begins; at + codes[i].count <= codes[i].ends; at++)
            found = found || is_at(at, codes[i].bytes, codes[i].count, codes[i].mask);
        if (!found)
            fail_msg("%s is not its instruction", codes[i].name);
    }
}

/* The functions that a host may execute. STI would end the test. */
UNIT_TEST(functions_that_a_host_can_run)
{
    const uint64_t before = time_stamp();
    uint32_t a, b, c, d;

    memory_fence();
    assert_true(time_stamp() >= before);
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
    const struct cpuid r = cpuid(0, 0);
    assert_true(r.eax == a && r.ebx == b && r.ecx == c && r.edx == d);
    assert_int_equal(flags_read() & 2, 2);
    const struct selectors s = selectors_read();
    assert_int_equal(s.cs & 3, 3);
    assert_int_equal(s.ss & 3, 3);
    assert_int_equal(segment_rights(s.cs) & 0x98ff, 0x9800); /* present, code; a limit would have low bits set */
    assert_int_equal(segment_rights(0), 0);
    assert_int_equal(segment_limit(s.ss), 0xffffffff);
    assert_int_equal(segment_limit(0), 0);
    interrupts_on(); /* does nothing: interrupts are not allowed */
}
