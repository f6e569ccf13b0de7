/* SPDX-License-Identifier: MIT */
#include "suite/support/code.h"

#include "arch/x86/image.h"
#include "arch/x86/interrupts.h"
#include "lib/bytes.h"
#include "suite/support/transfers.h"

#define MAX_INSTRUCTION 15u

bool code_has(uint64_t address)
{
    return address >= (uintptr_t)text_start && address < (uintptr_t)user_end;
}

static bool is_prefix(uint8_t byte, bool wide)
{
    return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || (byte & 0xe7) == 0x26 ||
           (byte & 0xfe) == 0x64 || (wide && (byte & 0xf0) == 0x40);
}

/* Far calls and jumps, near and far returns, INT n, INT3, INTO, INT1, IRET. */
static bool is_indirect(uint8_t opcode, uint8_t modrm)
{
    static const uint8_t opcodes[] = { 0x9a, 0xc2, 0xc3, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xea, 0xf1 };
    const unsigned reg = modrm >> 3 & 7;

    for (size_t i = 0; i < sizeof opcodes; i++)
        if (opcode == opcodes[i])
            return true;
    return opcode == 0xff && reg >= 2 && reg <= 5;
}

/* SYSCALL, SYSRET, SYSENTER, SYSEXIT. */
static bool is_fast_call(uint8_t opcode)
{
    return opcode == 0x05 || opcode == 0x07 || opcode == 0x34 || opcode == 0x35;
}

static bool goes_to(uint64_t next, int64_t displacement, bool wide, uint64_t to)
{
    const uint64_t target = next + (uint64_t)displacement;

    return to == (wide ? target : (uint32_t)target);
}

bool code_branches(const uint8_t *bytes, size_t size, bool wide, uint64_t from, uint64_t to)
{
    size_t at = 0;

    while (at < size && is_prefix(bytes[at], wide))
        at++;
    if (size - at < 2)
        return at < size && is_indirect(bytes[at], 0);
    const uint8_t opcode = bytes[at], second = bytes[at + 1];

    if ((opcode & 0xf0) == 0x70 || opcode == 0xeb || (opcode & 0xfc) == 0xe0)
        return goes_to(from + at + 2, (int8_t)second, wide, to);
    if ((opcode & 0xfe) == 0xe8 && size - at >= 5)
        return goes_to(from + at + 5, (int32_t)read_u32(bytes, at + 1), wide, to);
    if (opcode == 0x0f && (second & 0xf0) == 0x80 && size - at >= 6)
        return goes_to(from + at + 6, (int32_t)read_u32(bytes, at + 2), wide, to);
    return is_indirect(opcode, second) || (opcode == 0x0f && is_fast_call(second));
}

static bool is_entry(uint64_t address)
{
    for (unsigned vector = 0; vector < 256; vector++)
        if (interrupt_gate_address(vector) == address)
            return true;
    return transfers_enter(address);
}

bool code_has_branch(uint64_t from, uint64_t to)
{
    if (!code_has(from) || !code_has(to))
        return false;
    const uint8_t *const bytes = (const uint8_t *)(uintptr_t)from;
    const size_t left = (size_t)(user_end - bytes);

    return code_branches(bytes, left < MAX_INSTRUCTION ? left : MAX_INSTRUCTION, sizeof(void *) == 8, from, to) ||
           is_entry(to);
}

bool code_follows(uint64_t from, uint64_t to)
{
    return to - from <= MAX_INSTRUCTION || code_has_branch(from, to);
}
