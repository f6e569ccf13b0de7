/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The execution unit of an instruction, as NetBurst's execution tags distinguish units: SDM Vol. 3B (253669-083),
 * "Performance Monitoring Events Supported by Intel NetBurst Microarchitecture for Non-Retirement Counting":
 * packed_SP_uop, packed_DP_uop, scalar_SP_uop, scalar_DP_uop, 64bit_MMX_uop, 128bit_MMX_uop, x87_FP_uop. Loads, stores,
 * moves between registers, conversions, and all instructions newer than SSE2 count for none of these.
 */
#include "model/insn/insn.h"

/* A mask of the ModRM bytes first to last, C0h or above; bit 0 is C0h. */
#define FORMS(first, last) (UINT64_MAX >> (63 - ((last) - (first))) << ((first)-0xc0))

/* D8h to DFh: whether the forms with a memory operand compute, and the ModRM bytes of other forms that do. */
static const struct {
    bool memory;
    uint64_t registers;
} x87[8] = {
    { true, FORMS(0xc0, 0xff) },                                          /* arithmetic and comparisons */
    { false, FORMS(0xe0, 0xe5) | FORMS(0xf0, 0xf5) | FORMS(0xf8, 0xff) }, /* FCHS to FXAM; F2XM1 to FCOS */
    { true, FORMS(0xe9, 0xe9) },                                          /* FIADD etc.; FUCOMPP */
    { false, FORMS(0xe8, 0xf7) },                                         /* FUCOMI, FCOMI */
    { true, FORMS(0xc0, 0xff) },                                          /* as D8h */
    { false, FORMS(0xe0, 0xef) },                                         /* FUCOM, FUCOMP */
    { true, FORMS(0xc0, 0xff) },                                          /* as D8h */
    { false, FORMS(0xe8, 0xf7) },                                         /* FUCOMIP, FCOMIP */
};

/* Opcodes after 0F: f floating point; c UCOMISS and COMISS; i integers in MMX or XMM registers. */
static const char two_byte[16][17] = {
    "................", "....ff..........", "..............cc", "................",
    "................", ".fffffffff..ffff", "iiiiiiiiiiiiii..", "iiiiiii.........",
    "................", "................", "................", "................",
    "..f.iif.........", ".iiiii.iiiiiiiii", "iiiiii..iiiiiiii", ".iiiiii.iiiiiii.",
};

enum insn_unit insn_unit(unsigned map, unsigned op, unsigned prefix, unsigned modrm)
{
    static const enum insn_unit floating[] = { UNIT_PACKED_SP, UNIT_PACKED_DP, UNIT_SCALAR_SP, UNIT_SCALAR_DP };

    if (map == 0 && op >= 0xd8 && op <= 0xdf) {
        bool computes = modrm < 0xc0 ? x87[op - 0xd8].memory : x87[op - 0xd8].registers >> (modrm - 0xc0) & 1;

        return computes ? UNIT_X87 : UNIT_INTEGER;
    }
    switch (map == 1 ? two_byte[op >> 4][op & 15] : '.') {
    case 'f':
        return floating[prefix];
    case 'c':
        return prefix == 1 ? UNIT_SCALAR_DP : UNIT_SCALAR_SP;
    case 'i': /* with F2h or F3h only PSHUFW exists here, and then works on 128 bits */
        return prefix == 0 ? UNIT_MMX_64 : UNIT_MMX_128;
    default:
        return UNIT_INTEGER;
    }
}
