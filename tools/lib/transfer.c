/* SPDX-License-Identifier: MIT */
#include "tools/lib/transfer.h"

#include <stdbool.h>

static bool is_prefix(uint8_t byte, unsigned mode)
{
    switch (byte) {
    case 0x26: /* segment overrides */
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66: /* operand and address size */
    case 0x67:
    case 0xf0: /* LOCK, REPNE, REP */
    case 0xf2:
    case 0xf3:
        return true;
    default:
        return mode == 64 && (byte & 0xf0) == 0x40; /* REX */
    }
}

static enum transfer of_two_bytes(uint8_t second)
{
    if ((second & 0xf0) == 0x80) /* Jcc */
        return TRANSFER_JUMP;
    if (second == 0x05 || second == 0x34) /* SYSCALL, SYSENTER */
        return TRANSFER_CALL;
    if (second == 0x07 || second == 0x35 || second == 0xaa) /* SYSRET, SYSEXIT, RSM */
        return TRANSFER_RETURN;
    return TRANSFER_NONE;
}

static enum transfer of_group_5(uint8_t modrm)
{
    switch (modrm >> 3 & 7) {
    case 2: /* CALL near, far */
    case 3:
        return TRANSFER_CALL;
    case 4: /* JMP near, far */
    case 5:
        return TRANSFER_JUMP;
    default:
        return TRANSFER_NONE;
    }
}

enum transfer transfer_of(const uint8_t *code, size_t length, unsigned mode)
{
    while (length > 0 && is_prefix(*code, mode)) {
        code++;
        length--;
    }
    if (length == 0)
        return TRANSFER_NONE;
    switch (code[0]) {
    case 0x0f:
        return length > 1 ? of_two_bytes(code[1]) : TRANSFER_NONE;
    case 0xff:
        return length > 1 ? of_group_5(code[1]) : TRANSFER_NONE;
    case 0x9a: /* CALL far */
    case 0xe8: /* CALL near */
    case 0xcc: /* INT3, INT n, INTO, INT1 */
    case 0xcd:
    case 0xce:
    case 0xf1:
        return TRANSFER_CALL;
    case 0xc2: /* RET near, far, IRET */
    case 0xc3:
    case 0xca:
    case 0xcb:
    case 0xcf:
        return TRANSFER_RETURN;
    case 0xe0: /* LOOPNE, LOOPE, LOOP, JCXZ */
    case 0xe1:
    case 0xe2:
    case 0xe3:
    case 0xe9: /* JMP */
    case 0xea:
    case 0xeb:
        return TRANSFER_JUMP;
    default:
        return (code[0] & 0xf0) == 0x70 ? TRANSFER_JUMP : TRANSFER_NONE; /* Jcc */
    }
}
