/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's decoder, where Zydis cannot be compared (test_model_insn_zydis.c has the rest): which instructions
 * serialise, and truncated bytes.
 */
#include "tests/host/unit_test.h"

#include "model/insn/insn.h"

#define B(bytes) bytes, sizeof(bytes) - 1

static struct insn classify(const void *bytes, size_t size, bool ia32e)
{
    void *copy = exact_copy(bytes, size);
    struct insn insn = insn_classify(copy, size, ia32e);

    free(copy);
    return insn;
}

UNIT_TEST(serialising)
{
    static const struct {
        const char *text, *bytes;
        size_t size;
        bool serialises;
    } rows[] = {
        { "cpuid", B("\x0f\xa2"), true },
        { "data16 cpuid", B("\x66\x0f\xa2"), true },
        { "wrmsr", B("\x0f\x30"), true },
        { "lfence", B("\x0f\xae\xe8"), true },
        { "last lfence", B("\x0f\xae\xef"), true },
        { "serialize", B("\x0f\x01\xe8"), true },
        { "rdmsr", B("\x0f\x32"), false },
        { "rdpmc", B("\x0f\x33"), false },
        { "rdtsc", B("\x0f\x31"), false },
        { "rdtscp", B("\x0f\x01\xf9"), false },
        { "sfence", B("\x0f\xae\xf8"), false },
        { "mfence", B("\x0f\xae\xf0"), false },
        { "rdpkru", B("\x0f\x01\xee"), false },
        { "rdgsbase eax", B("\xf3\x0f\xae\xc8"), false },
        { "xrstor", B("\x0f\xae\x28"), false },
        { "incsspd eax", B("\xf3\x0f\xae\xe8"), false },
        { "nop", B("\x90"), false },
        { "setssbsy", B("\xf3\x0f\x01\xe8"), false },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (((classify(rows[i].bytes, rows[i].size, true).flags & INSN_SERIALISES) != 0) != rows[i].serialises)
            fail_msg("%s", rows[i].text);
}

UNIT_TEST(nothing_but_prefixes)
{
    static const uint8_t prefixes[15] = { 0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x2e, 0x36, 0x3e,
                                          0x26, 0x64, 0x65, 0x66, 0xf3, 0xf0, 0x48 };

    for (size_t size = 0; size <= sizeof(prefixes); size++) {
        struct insn insn = classify(prefixes, size, true);

        assert_true(insn.end == END_PLAIN && insn.hook == HOOK_NONE && insn.flags == 0);
    }
}

/* A truncated instruction has at most the flags of the complete one, and never a hook. */
UNIT_TEST(truncated_at_every_length)
{
    static const struct {
        const char *bytes;
        size_t size;
    } rows[] = {
        { B("\x0f\x85\x00\x01\x00\x00") },                 /* jne */
        { B("\xf2\xe9\xfa\xff\xff\xff") },                 /* bnd jmp */
        { B("\x3e\x41\xff\xd3") },                         /* notrack call r11 */
        { B("\x41\xff\x14\x24") },                         /* call [r12] */
        { B("\x49\xff\x68\x10") },                         /* jmp far */
        { B("\x48\x0f\x07") },                             /* sysretq */
        { B("\x66\x0f\xa2") },                             /* cpuid */
        { B("\x48\x0f\x32") },                             /* rdmsr */
        { B("\x0f\x01\xe8") },                             /* serialize */
        { B("\x0f\x01\xc9") },                             /* mwait */
        { B("\xc7\x05\x04\x00\x00\x00\x01\x00\x00\x00") }, /* mov [rip + 4], 1 */
        { B("\xf0\x48\x0f\xc7\x08") },                     /* lock cmpxchg16b */
        { B("\x26\xf3\x66\xab") },                         /* rep stosw */
        { B("\x66\x48\x0f\x3a\x16\x00\x01") },             /* pextrq */
        { B("\xf2\x0f\x38\xf1\x03") },                     /* crc32 */
        { B("\xc4\xe3\x7d\x19\x00\x01") },                 /* vextractf128 */
        { B("\xc5\xfc\x11\x00") },                         /* vmovups */
        { B("\x62\xf1\x7c\x48\x11\x00") },                 /* vmovups of 512 bits */
        { B("\xd9\x28") },                                 /* fldcw */
    };

    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        const struct insn whole = classify(rows[i / 2].bytes, rows[i / 2].size, i % 2);

        for (size_t size = 0; size < rows[i / 2].size; size++) {
            const struct insn insn = classify(rows[i / 2].bytes, size, i % 2);

            if ((insn.end != END_PLAIN && insn.end != whole.end) || insn.hook != HOOK_NONE ||
                (insn.flags & ~whole.flags) != 0) {
                fail_msg("%zu bytes of row %zu: end %d hook %d flags %u", size, i / 2, (int)insn.end, (int)insn.hook,
                         insn.flags);
            }
        }
    }
}
