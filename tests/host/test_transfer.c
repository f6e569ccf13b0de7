/* SPDX-License-Identifier: MIT */
/* The effect of instructions on the call stack, from the SDM's opcode map. */
#include "tests/host/unit_test.h"

#include "tools/lib/transfer.h"

/* Opcodes; bytes after 0FH; ModRM bytes after FFH, without their mod. All others transfer nothing. */
static const struct {
    uint8_t before, mask, first, last;
    enum transfer transfer;
} maps[] = {
    { 0, 0xff, 0x70, 0x7f, TRANSFER_JUMP },    { 0, 0xff, 0x9a, 0x9a, TRANSFER_CALL },
    { 0, 0xff, 0xc2, 0xc3, TRANSFER_RETURN },  { 0, 0xff, 0xca, 0xcb, TRANSFER_RETURN },
    { 0, 0xff, 0xcc, 0xce, TRANSFER_CALL },    { 0, 0xff, 0xcf, 0xcf, TRANSFER_RETURN },
    { 0, 0xff, 0xe0, 0xe3, TRANSFER_JUMP },    { 0, 0xff, 0xe8, 0xe8, TRANSFER_CALL },
    { 0, 0xff, 0xe9, 0xeb, TRANSFER_JUMP },    { 0, 0xff, 0xf1, 0xf1, TRANSFER_CALL },
    { 0x0f, 0xff, 0x05, 0x05, TRANSFER_CALL }, { 0x0f, 0xff, 0x07, 0x07, TRANSFER_RETURN },
    { 0x0f, 0xff, 0x34, 0x34, TRANSFER_CALL }, { 0x0f, 0xff, 0x35, 0x35, TRANSFER_RETURN },
    { 0x0f, 0xff, 0x80, 0x8f, TRANSFER_JUMP }, { 0x0f, 0xff, 0xaa, 0xaa, TRANSFER_RETURN },
    { 0xff, 0x3f, 0x10, 0x1f, TRANSFER_CALL }, { 0xff, 0x3f, 0x20, 0x2f, TRANSFER_JUMP },
};

UNIT_TEST(opcodes)
{
    static const uint8_t before[] = { 0, 0x0f, 0xff };

    for (unsigned byte = 0; byte < 3 * 0x100; byte++) {
        const uint8_t at = before[byte / 0x100];
        const uint8_t code[] = { at ? at : (uint8_t)byte, at ? (uint8_t)byte : 0 };
        enum transfer wanted = TRANSFER_NONE;

        for (size_t i = 0; i < COUNT_OF(maps); i++)
            if (maps[i].before == at && (byte & maps[i].mask) >= maps[i].first && (byte & maps[i].mask) <= maps[i].last)
                wanted = maps[i].transfer;
        if (transfer_of(code, 2, 32) != wanted)
            fail_msg("%02x %02x: %u", code[0], code[1], (unsigned)transfer_of(code, 2, 32));
    }
}

/* The code ends before CALL, and behind the first byte of an indirect CALL and of SYSCALL. */
UNIT_TEST(incomplete)
{
    static const uint8_t codes[] = { 0xe8, 0xff, 0x0f };

    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        uint8_t *code = exact_copy(&codes[i], i > 0);
        assert_int_equal(transfer_of(code, i > 0, 64), TRANSFER_NONE);
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
