/* SPDX-License-Identifier: MIT */
/*
 * Instructions of arch/x86/cpu.h without which a boot in QEMU would pass. Each compiled function is searched for their
 * bytes. For example, without PAUSE a wait would not wait, and some machines would fail now and then. Encodings: SDM
 * Vol. 2 (325383-081), "Instruction Set Reference".
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
CODE(cache_line_flush, cache_line_flush((const void *)a))
CODE(caches_flush, caches_flush())
CODE(cpu_triple_fault, cpu_triple_fault())

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
        { LABELS(cache_line_flush), 3, 0x38, { 0x0f, 0xae, 0x38 } },
        { LABELS(caches_flush), 2, 0xff, { 0x0f, 0x09 } },
        { LABELS(cpu_triple_fault), 3, 0x38, { 0x0f, 0x01, 0x18 } }, /* LIDT */
    };

    for (unsigned i = 0; i < COUNT_OF(codes); i++) {
        bool found = false;

        for (const uint8_t *at = codes[i].begins; at + codes[i].count <= codes[i].ends; at++)
            found = found || is_at(at, codes[i].bytes, codes[i].count, codes[i].mask);
        if (!found)
            fail_msg("%s is not its instruction", codes[i].name);
    }
}
