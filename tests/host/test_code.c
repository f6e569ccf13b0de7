/* SPDX-License-Identifier: MIT */
/* Which branches an instruction can make (suite/support/code.c). */
#include "tests/host/unit_test.h"

#include "suite/support/code.c"

#define AT UINT64_C(0x100000)

__asm__(".bss\n.globl text_start, user_end\ntext_start: .zero 64\nuser_end: .zero 1\n.text");

uint64_t interrupt_gate_address(unsigned vector)
{
    return vector == 255 ? (uintptr_t)text_start + 8 : 0;
}

bool transfers_enter(uint64_t address)
{
    return address == (uintptr_t)text_start + 9;
}

#define BYTES(...) { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })
#define ANYWHERE   1

static const struct {
    uint8_t bytes[8];
    size_t size;
    uint64_t target; /* the only one; 0: it does not branch */
    bool narrow;     /* 32-bit code */
} rows[] = {
    { BYTES(0x74, 0x10), AT + 0x12, false },                         /* JE */
    { BYTES(0x7f, 0x80), AT + 2 - 0x80, false },                     /* JG */
    { BYTES(0x80, 0x10), 0, false },                                 /* ADD */
    { BYTES(0xeb, 0xfe), AT, false },                                /* JMP */
    { BYTES(0xe2, 0xfe), AT, false },                                /* LOOP */
    { BYTES(0x67, 0xe3, 0x7f), AT + 3 + 0x7f, false },               /* JECXZ */
    { BYTES(0xe8, 0x00, 0x01, 0, 0), AT + 5 + 0x100, false },        /* CALL */
    { BYTES(0xe9, 0xfb, 0xff, 0xff, 0xff), AT, false },              /* JMP */
    { BYTES(0xe9, 0xfb, 0xff, 0xff), 0, false },                     /* cut */
    { BYTES(0x0f, 0x84, 0, 0x10, 0, 0), AT + 6 + 0x1000, false },    /* JE */
    { BYTES(0xf2, 0x0f, 0x85, 0, 0, 1, 0), AT + 7 + 0x10000, true }, /* BND JNE */
    { BYTES(0x0f, 0x94, 0xc0), 0, false },                           /* SETE */
    { BYTES(0x0f, 0x94, 0xfa, 0xff, 0xff, 0xff), 0, false },         /* SETE, and other bytes */
    { BYTES(0xc3), ANYWHERE, false },                                /* RET */
    { BYTES(0xf3, 0xc3), ANYWHERE, false },                          /* REP RET */
    { BYTES(0x48, 0xcf), ANYWHERE, false },                          /* IRETQ */
    { BYTES(0x48, 0xcf), 0, true },                                  /* DEC EAX */
    { BYTES(0x41, 0xff, 0xe3), ANYWHERE, false },                    /* JMP R11 */
    { BYTES(0xff, 0xd0), ANYWHERE, false },                          /* CALL RAX */
    { BYTES(0xff, 0xc0), 0, false },                                 /* INC EAX */
    { BYTES(0xff, 0x30), 0, false },                                 /* PUSH [RAX] */
    { BYTES(0x3e, 0xff, 0x20), ANYWHERE, false },                    /* NOTRACK JMP [RAX] */
    { BYTES(0xcd, 0x80), ANYWHERE, false },                          /* INT */
    { BYTES(0x0f, 0x05), ANYWHERE, false },                          /* SYSCALL */
    { BYTES(0x0f, 0x35), ANYWHERE, false },                          /* SYSEXIT */
    { BYTES(0x0f, 0x06), 0, false },                                 /* CLTS */
    { BYTES(0x90, 0xc3), 0, false },                                 /* NOP */
    { BYTES(0x66, 0x66), 0, false },
};

UNIT_TEST(of_bytes)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (unsigned bit = 0; bit <= 32; bit++) {
            const uint64_t to = (rows[i].target > ANYWHERE ? rows[i].target : AT) ^ (bit < 32 ? UINT64_C(1) << bit : 0);
            const bool may = rows[i].target == ANYWHERE || (bit == 32 && rows[i].target != 0);

            if (code_branches(rows[i].bytes, rows[i].size, !rows[i].narrow, AT, to) != may)
                fail_msg("row %zu, to 0x%llx", i, (unsigned long long)to);
        }
}

/* Any instruction can be interrupted. The last byte of the code can be a RET. */
UNIT_TEST(of_the_kernel)
{
    const uintptr_t code = (uintptr_t)text_start;

    assert_false(code_has_branch(code, code));
    assert_true(code_has_branch(code, code + 8));
    assert_true(code_has_branch(code, code + 9));
    text_start[63] = 0xc3;
    assert_true(code_has_branch(code + 63, code));
    assert_false(code_has_branch(code + 63, code + 64));
    assert_false(code_has_branch(code + 64, code));
    assert_false(code_has_branch(code - 1, code + 8));
    assert_true(code_follows(code, code + 15));
    assert_false(code_follows(code + 1, code + 17));
    assert_true(code_follows(code + 63, code));
}
