/* SPDX-License-Identifier: MIT */
/* The effect of instructions on the call stack, from the SDM's opcode map. */
#include "tests/host/unit_test.h"

#include "tools/lib/transfer.h"

static const struct {
    enum transfer transfer;
    unsigned mode;
    size_t length;
    uint8_t code[8];
} rows[] = {
    { TRANSFER_CALL, 64, 5, { 0xe8, 1, 2, 3, 4 } },
    { TRANSFER_CALL, 64, 2, { 0xff, 0xd0 } },             /* call rax */
    { TRANSFER_CALL, 64, 3, { 0x41, 0xff, 0xd3 } },       /* call r11 */
    { TRANSFER_CALL, 64, 6, { 0xff, 0x15, 0, 0, 0, 0 } }, /* call [rip] */
    { TRANSFER_CALL, 64, 2, { 0xff, 0x18 } },             /* call far [rax] */
    { TRANSFER_CALL, 32, 7, { 0x9a, 1, 2, 3, 4, 8, 0 } },
    { TRANSFER_CALL, 64, 2, { 0xcd, 0x80 } },
    { TRANSFER_CALL, 64, 1, { 0xcc } },
    { TRANSFER_CALL, 64, 1, { 0xf1 } },
    { TRANSFER_CALL, 32, 1, { 0xce } },
    { TRANSFER_CALL, 64, 2, { 0x0f, 0x05 } }, /* syscall, sysenter */
    { TRANSFER_CALL, 64, 2, { 0x0f, 0x34 } },
    { TRANSFER_RETURN, 64, 1, { 0xc3 } },
    { TRANSFER_RETURN, 64, 2, { 0xf3, 0xc3 } }, /* rep ret */
    { TRANSFER_RETURN, 64, 3, { 0xc2, 8, 0 } },
    { TRANSFER_RETURN, 64, 2, { 0x48, 0xcb } }, /* ret far */
    { TRANSFER_RETURN, 64, 2, { 0x48, 0xcf } }, /* iret */
    { TRANSFER_RETURN, 64, 3, { 0x48, 0x0f, 0x07 } },
    { TRANSFER_RETURN, 64, 2, { 0x0f, 0x35 } },
    { TRANSFER_JUMP, 64, 2, { 0x74, 5 } },
    { TRANSFER_JUMP, 64, 2, { 0x7f, 5 } },
    { TRANSFER_JUMP, 64, 6, { 0x0f, 0x8f, 1, 2, 3, 4 } },
    { TRANSFER_JUMP, 64, 2, { 0xe2, 0xfe } }, /* loop */
    { TRANSFER_JUMP, 64, 2, { 0xe3, 5 } },
    { TRANSFER_JUMP, 64, 2, { 0xeb, 5 } },
    { TRANSFER_JUMP, 64, 5, { 0xe9, 1, 2, 3, 4 } },
    { TRANSFER_JUMP, 64, 2, { 0xff, 0xe0 } }, /* jmp rax */
    { TRANSFER_JUMP, 64, 3, { 0x3e, 0xff, 0xe0 } },
    { TRANSFER_NONE, 64, 1, { 0x90 } },
    { TRANSFER_NONE, 64, 2, { 0xff, 0xc0 } },       /* inc eax */
    { TRANSFER_NONE, 64, 2, { 0xff, 0x30 } },       /* push */
    { TRANSFER_NONE, 32, 2, { 0x48, 0xc3 } },       /* dec eax: not a prefix in 32-bit mode */
    { TRANSFER_NONE, 64, 4, { 0x0f, 0x1f, 0, 0 } }, /* nop */
    { TRANSFER_NONE, 64, 2, { 0x0f, 0x32 } },       /* rdmsr */
    /* incomplete instructions are not classified */
    { TRANSFER_NONE, 64, 0, { 0xe8 } },
    { TRANSFER_NONE, 64, 1, { 0xff, 0xd0 } },
    { TRANSFER_NONE, 64, 1, { 0x0f, 0x05 } },
    { TRANSFER_NONE, 64, 2, { 0x66, 0xf3, 0xc3 } },
};

UNIT_TEST(instructions)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint8_t *code = exact_copy(rows[i].code, rows[i].length);
        if (transfer_of(code, rows[i].length, rows[i].mode) != rows[i].transfer)
            fail_msg("row %zu: %u", i, (unsigned)transfer_of(code, rows[i].length, rows[i].mode));
        free(code);
    }
}

/* Prefixes do not change the result; alone they are not an instruction. REX is a prefix only in 64-bit mode. */
UNIT_TEST(prefixes)
{
    static const uint8_t all[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3 };

    for (unsigned byte = 0; byte <= 0xff; byte++) {
        const bool rex = byte >= 0x40 && byte <= 0x4f;
        const bool prefix = memchr(all, (int)byte, sizeof(all)) != NULL;
        uint8_t *code = exact_copy((const uint8_t[]){ (uint8_t)byte, 0xcb }, 2);
        uint8_t *alone = exact_copy(code, 1);

        if (prefix || rex) {
            assert_int_equal(transfer_of(code, 2, 64), TRANSFER_RETURN);
            assert_int_equal(transfer_of(code, 2, 32), rex ? TRANSFER_NONE : TRANSFER_RETURN);
            assert_int_equal(transfer_of(alone, 1, 64), TRANSFER_NONE);
        }
        free(code);
        free(alone);
    }
}
