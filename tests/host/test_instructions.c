/* SPDX-License-Identifier: MIT */
/*
 * The instructions of arch/x86/cpu.h, most of which a host may not run: each function, as compiled, has the bytes of
 * its own. Without a pause, for one, a wait that only counts would be no wait, and a machine that needs it would fail
 * now and then. Encodings: SDM Vol. 2 (325383-081), "Instruction Set Reference".
 */
#include "tests/host/host_test.h"

/* Within the labels below even where nothing is optimised. */
#define inline inline __attribute__((always_inline))
#include "arch/x86/cpu.h"
#undef inline

bool interrupts_allowed;

/* Code that is never run, between two labels: volatile assembly stays in its order. */
#define CODE(name, does)                                                                    \
    extern const uint8_t name##_begins[], name##_ends[];                                    \
    static __attribute__((noinline, used)) uintptr_t name(volatile uintptr_t a)             \
    {                                                                                       \
        __asm__ volatile(".globl " #name "_begins\n" #name "_begins:" : "+m"(a)::"memory"); \
        does;                                                                               \
        __asm__ volatile(".globl " #name "_ends\n" #name "_ends:" : "+m"(a)::"memory");     \
        return a;                                                                           \
    }

CODE(pauses, cpu_pause())
CODE(fences, memory_fence())
CODE(stamps, a = (uintptr_t)time_stamp())
CODE(asks, a = cpuid((uint32_t)a, (uint32_t)a).eax)
CODE(halts, cpu_halt())
CODE(halts_for_interrupt, cpu_halt_for_interrupt())
CODE(allows, interrupts_on())
CODE(forbids, interrupts_off())
CODE(flushes_line, cache_line_flush((const void *)a))
CODE(flushes_all, caches_flush())
CODE(faults, cpu_triple_fault())
CODE(reads_port_8, a = port_read8((uint16_t)a))
CODE(reads_port_32, a = port_read32((uint16_t)a))
CODE(writes_port_8, port_write8((uint16_t)a, 1))
CODE(writes_port_16, port_write16((uint16_t)a, 1))
CODE(writes_port_32, port_write32((uint16_t)a, 1))
CODE(reads_flags, a = flags_read())
CODE(reads_cr0, a = cr0_read())
CODE(reads_cr2, a = cr2_read())
CODE(reads_cr3, a = cr3_read())
CODE(reads_cr4, a = cr4_read())
CODE(writes_cr0, cr0_write(a))
CODE(writes_cr3, cr3_write(a))
CODE(writes_cr4, cr4_write(a))
CODE(writes_dr3, dr3_write(a))
CODE(reads_dr6, a = dr6_read())
CODE(writes_dr6, dr6_write(a))
CODE(reads_dr7, a = dr7_read())
CODE(writes_dr7, dr7_write(a))
CODE(reads_rights, a = segment_rights((uint32_t)a))
CODE(reads_limit, a = segment_limit((uint32_t)a))

static void each_is_its_instruction(void **state)
{
    /* Of the last byte the bits in `mask`: the others are the register or the way to address memory. */
    static const struct {
        const char *name;
        const uint8_t *begins, *ends;
        uint8_t count, mask, bytes[6];
    } codes[] = {
        { "cpu_pause", pauses_begins, pauses_ends, 2, 0xff, { 0xf3, 0x90 } },
        { "memory_fence", fences_begins, fences_ends, 6, 0xff, { 0x0f, 0xae, 0xf0, 0x0f, 0xae, 0xe8 } },
        { "time_stamp", stamps_begins, stamps_ends, 5, 0xff, { 0x0f, 0xae, 0xe8, 0x0f, 0x31 } },
        { "cpuid", asks_begins, asks_ends, 2, 0xff, { 0x0f, 0xa2 } },
        { "cpu_halt", halts_begins, halts_ends, 1, 0xff, { 0xf4 } },
        { "cpu_halt_for_interrupt",
          halts_for_interrupt_begins,
          halts_for_interrupt_ends,
          3,
          0xff,
          { 0xfb, 0xf4, 0xfa } },
        { "interrupts_on", allows_begins, allows_ends, 1, 0xff, { 0xfb } },
        { "interrupts_off", forbids_begins, forbids_ends, 1, 0xff, { 0xfa } },
        { "cache_line_flush", flushes_line_begins, flushes_line_ends, 3, 0x38, { 0x0f, 0xae, 0x38 } },
        { "caches_flush", flushes_all_begins, flushes_all_ends, 2, 0xff, { 0x0f, 0x09 } },
        { "cpu_triple_fault, lidt", faults_begins, faults_ends, 3, 0x38, { 0x0f, 0x01, 0x18 } },
        { "cpu_triple_fault, int3", faults_begins, faults_ends, 1, 0xff, { 0xcc } },
        { "port_read8", reads_port_8_begins, reads_port_8_ends, 1, 0xff, { 0xec } },
        { "port_read32", reads_port_32_begins, reads_port_32_ends, 1, 0xff, { 0xed } },
        { "port_write8", writes_port_8_begins, writes_port_8_ends, 1, 0xff, { 0xee } },
        { "port_write16", writes_port_16_begins, writes_port_16_ends, 2, 0xff, { 0x66, 0xef } },
        { "port_write32", writes_port_32_begins, writes_port_32_ends, 1, 0xff, { 0xef } },
        { "flags_read", reads_flags_begins, reads_flags_ends, 1, 0xff, { 0x9c } },
        { "cr0_read", reads_cr0_begins, reads_cr0_ends, 3, 0xf8, { 0x0f, 0x20, 0xc0 } },
        { "cr2_read", reads_cr2_begins, reads_cr2_ends, 3, 0xf8, { 0x0f, 0x20, 0xd0 } },
        { "cr3_read", reads_cr3_begins, reads_cr3_ends, 3, 0xf8, { 0x0f, 0x20, 0xd8 } },
        { "cr4_read", reads_cr4_begins, reads_cr4_ends, 3, 0xf8, { 0x0f, 0x20, 0xe0 } },
        { "cr0_write", writes_cr0_begins, writes_cr0_ends, 3, 0xf8, { 0x0f, 0x22, 0xc0 } },
        { "cr3_write", writes_cr3_begins, writes_cr3_ends, 3, 0xf8, { 0x0f, 0x22, 0xd8 } },
        { "cr4_write", writes_cr4_begins, writes_cr4_ends, 3, 0xf8, { 0x0f, 0x22, 0xe0 } },
        { "dr3_write", writes_dr3_begins, writes_dr3_ends, 3, 0xf8, { 0x0f, 0x23, 0xd8 } },
        { "dr6_read", reads_dr6_begins, reads_dr6_ends, 3, 0xf8, { 0x0f, 0x21, 0xf0 } },
        { "dr6_write", writes_dr6_begins, writes_dr6_ends, 3, 0xf8, { 0x0f, 0x23, 0xf0 } },
        { "dr7_read", reads_dr7_begins, reads_dr7_ends, 3, 0xf8, { 0x0f, 0x21, 0xf8 } },
        { "dr7_write", writes_dr7_begins, writes_dr7_ends, 3, 0xf8, { 0x0f, 0x23, 0xf8 } },
        { "segment_rights", reads_rights_begins, reads_rights_ends, 2, 0xff, { 0x0f, 0x02 } },
        { "segment_limit", reads_limit_begins, reads_limit_ends, 2, 0xff, { 0x0f, 0x03 } },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(codes); i++) {
        const unsigned last = codes[i].count - 1u;
        bool found = false;

        for (const uint8_t *at = codes[i].begins; at + codes[i].count <= codes[i].ends; at++)
            found =
                found || (memcmp(at, codes[i].bytes, last) == 0 && (at[last] & codes[i].mask) == codes[i].bytes[last]);
        if (!found)
            fail_msg("%s is not its instruction", codes[i].name);
    }
}

/* What a host may run: the answers are those of the compiler's own ways to ask. */
static void what_can_be_run(void **state)
{
    const uint64_t before = time_stamp();
    uint32_t a, b, c, d;

    (void)state;
    memory_fence();
    assert_true(time_stamp() >= before);
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
    const struct cpuid r = cpuid(0, 0);
    assert_true(r.eax == a && r.ebx == b && r.ecx == c && r.edx == d);
    assert_int_equal(flags_read() & 2, 2);
    const struct selectors s = selectors_read();
    assert_int_equal(s.cs & 3, 3);
    assert_int_equal(s.ss & 3, 3);
    assert_int_equal(segment_rights(s.cs) >> 8 & 0x98, 0x98); /* present, code */
    assert_int_equal(segment_rights(0), 0);
    assert_int_equal(segment_limit(s.ss), 0xffffffff);
    assert_int_equal(segment_limit(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_its_instruction),
        cmocka_unit_test(what_can_be_run),
    };

    return cmocka_run_group_tests_name("instructions", tests, NULL, NULL);
}
