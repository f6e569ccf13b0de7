/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which execution unit an instruction computes on, as NetBurst's execution tags tell them apart: SDM Vol. 3B (253669),
 * "Performance Monitoring Events Supported by Intel NetBurst Microarchitecture for Non-Retirement Counting":
 * packed_SP_uop, packed_DP_uop, scalar_SP_uop, scalar_DP_uop, 64bit_MMX_uop, 128bit_MMX_uop, x87_FP_uop. Loads, stores
 * and moves between registers are none of them, nor are conversions; so it is with every instruction newer than SSE2.
 */
#include "model/code/insn.h"

static enum insn_unit x87(unsigned op, unsigned modrm)
{
    if (op == 0xd8 || op == 0xdc || op == 0xde) { /* arithmetic and comparisons, all of them */
        return UNIT_X87;
    }
    if (modrm < 0xc0) {
        return op == 0xda ? UNIT_X87 : UNIT_INTEGER; /* FIADD and its like; all else loads, stores and controls */
    }
    switch (op) {
    case 0xd9: /* FCHS FABS FTST FXAM, F2XM1 to FCOS; FDECSTP and FINCSTP compute nothing */
        return (modrm >= 0xe0 && modrm <= 0xe5) || (modrm >= 0xf0 && modrm != 0xf6 && modrm != 0xf7) ? UNIT_X87
                                                                                                     : UNIT_INTEGER;
    case 0xda: /* FUCOMPP; the rest is FCMOV */
        return modrm == 0xe9 ? UNIT_X87 : UNIT_INTEGER;
    case 0xdb: /* FUCOMI, FCOMI */
        return modrm >= 0xe8 && modrm <= 0xf7 ? UNIT_X87 : UNIT_INTEGER;
    case 0xdd: /* FUCOM, FUCOMP */
        return modrm >= 0xe0 && modrm <= 0xef ? UNIT_X87 : UNIT_INTEGER;
    default: /* DF: FUCOMIP, FCOMIP */
        return modrm >= 0xe8 && modrm <= 0xf7 ? UNIT_X87 : UNIT_INTEGER;
    }
}

/* Arithmetic whose prefix says what it works on: none packed single, 66h packed double, F3h, F2h scalars. */
static bool is_sse_arithmetic(unsigned op)
{
    return (op >= 0x51 && op <= 0x59) || (op >= 0x5c && op <= 0x5f) || op == 0x14 || op == 0x15 || op == 0xc2 ||
           op == 0xc6;
}

/* Integer arithmetic on MMX registers, and with 66h on XMM registers. */
static bool is_mmx_arithmetic(unsigned op)
{
    return (op >= 0x60 && op <= 0x6d) || (op >= 0x70 && op <= 0x76) || op == 0xc4 || op == 0xc5 ||
           (op >= 0xd1 && op <= 0xd5) || (op >= 0xd7 && op <= 0xe5) || (op >= 0xe8 && op <= 0xef) ||
           (op >= 0xf1 && op <= 0xf6) || (op >= 0xf8 && op <= 0xfe);
}

enum insn_unit insn_unit(unsigned map, unsigned op, unsigned prefix, unsigned modrm)
{
    if (map == 0) {
        return op >= 0xd8 && op <= 0xdf ? x87(op, modrm) : UNIT_INTEGER;
    }
    if (map != 1) {
        return UNIT_INTEGER;
    }
    if (is_sse_arithmetic(op)) {
        return prefix == 0      ? UNIT_PACKED_SP
               : prefix == 0x66 ? UNIT_PACKED_DP
               : prefix == 0xf3 ? UNIT_SCALAR_SP
                                : UNIT_SCALAR_DP;
    }
    if (op == 0x2e || op == 0x2f) { /* UCOMISS, COMISS; with 66h UCOMISD, COMISD */
        return prefix == 0x66 ? UNIT_SCALAR_DP : UNIT_SCALAR_SP;
    }
    if (is_mmx_arithmetic(op)) { /* PSHUFW is the one that F2h and F3h change, and then too it works on 128 bits */
        return prefix == 0 ? UNIT_MMX_64 : UNIT_MMX_128;
    }
    return UNIT_INTEGER;
}
