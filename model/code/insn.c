/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/code/insn.h"

/* What an opcode does with its ModRM memory operand; without ModRM, with memory that it names by itself. */
enum access {
    NO_MEMORY, /* none, or an address that is only computed (LEA, prefetch) */
    LOAD,
    STORE,
    UPDATE,    /* load and store */
    PUSH,      /* store without a memory operand */
    POP,       /* load without one */
    PUSH_LOAD, /* loads its operand if that is memory, and pushes */
    POP_STORE,
    GROUP, /* depends on ModRM's reg field */
    MOVES, /* loads and stores without ModRM */
};

static enum access one_byte(unsigned op)
{
    if (op < 0x40) {
        switch (op & 7) {
        case 0:
        case 1:
            return (op & 0x38) == 0x38 ? LOAD : UPDATE; /* CMP only reads */
        case 2:
        case 3:
            return LOAD;
        case 6:
            return op < 0x20 ? PUSH : NO_MEMORY;
        case 7:
            return op < 0x20 ? POP : NO_MEMORY;
        default:
            return NO_MEMORY;
        }
    }
    switch (op) {
    case 0x62: /* BOUND; EVEX is not known */
    case 0x63:
    case 0x69:
    case 0x6b:
    case 0x84:
    case 0x85:
    case 0x8a:
    case 0x8b:
    case 0x8e:
        return LOAD;
    case 0x88:
    case 0x89:
    case 0x8c:
    case 0xc6:
    case 0xc7:
        return STORE;
    case 0x86:
    case 0x87:
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        return UPDATE;
    case 0x80:
    case 0x81:
    case 0x82:
    case 0x83:
    case 0xf6:
    case 0xf7:
    case 0xfe:
    case 0xff:
    case 0xd8:
    case 0xd9:
    case 0xda:
    case 0xdb:
    case 0xdc:
    case 0xdd:
    case 0xde:
    case 0xdf:
        return GROUP;
    case 0x60:
    case 0x68:
    case 0x6a:
    case 0x9a:
    case 0x9c:
    case 0xe8:
    case 0xc8:
        return PUSH;
    case 0x61:
    case 0x9d:
    case 0xc2:
    case 0xc3:
    case 0xc9:
    case 0xca:
    case 0xcb:
    case 0xcf:
        return POP;
    case 0x8f:
        return POP_STORE;
    case 0x6c:
    case 0x6d:
    case 0xaa:
    case 0xab:
    case 0xa2:
    case 0xa3:
        return PUSH; /* INS, STOS, MOV to moffs: a store by itself */
    case 0x6e:
    case 0x6f:
    case 0xa0:
    case 0xa1:
    case 0xa6:
    case 0xa7:
    case 0xac:
    case 0xad:
    case 0xae:
    case 0xaf:
    case 0xd7:
        return POP; /* OUTS, MOV from moffs, CMPS, LODS, SCAS, XLAT: a load by itself */
    case 0xa4:
    case 0xa5:
        return MOVES;
    default:
        if (op >= 0x50 && op <= 0x57) {
            return PUSH;
        }
        if (op >= 0x58 && op <= 0x5f) {
            return POP;
        }
        return NO_MEMORY;
    }
}

static enum access one_byte_group(unsigned op, unsigned reg)
{
    switch (op) {
    case 0x80:
    case 0x81:
    case 0x82:
    case 0x83:
        return reg == 7 ? LOAD : UPDATE;
    case 0xf6:
    case 0xf7:
        return reg == 2 || reg == 3 ? UPDATE : LOAD;
    case 0xfe:
        return UPDATE;
    case 0xff:
        return reg < 2 ? UPDATE : reg == 4 || reg == 5 ? LOAD : PUSH_LOAD;
    case 0xd9:
        return reg == 0 || reg == 4 || reg == 5 ? LOAD : STORE;
    case 0xdb:
    case 0xdd:
    case 0xdf:
        return reg == 0 || reg == 5 || (reg == 4 && op != 0xdb) ? LOAD : STORE;
    default:
        return LOAD;
    }
}

static enum access two_byte(unsigned op)
{
    switch (op) {
    case 0x11:
    case 0x13:
    case 0x17:
    case 0x29:
    case 0x2b:
    case 0x7e:
    case 0x7f:
    case 0xc3:
    case 0xd6:
    case 0xe7:
        return STORE;
    case 0xa0:
    case 0xa8:
    case 0xf7: /* MASKMOVQ, MASKMOVDQU store by RDI */
        return PUSH;
    case 0xa1:
    case 0xa9:
        return POP;
    case 0xa4:
    case 0xa5:
    case 0xab:
    case 0xac:
    case 0xad:
    case 0xb0:
    case 0xb1:
    case 0xb3:
    case 0xbb:
    case 0xc0:
    case 0xc1:
        return UPDATE;
    case 0x00:
    case 0x01:
    case 0xae:
    case 0xba:
    case 0xc7:
        return GROUP;
    case 0x0d:
    case 0x18:
    case 0x19:
    case 0x1a:
    case 0x1b:
    case 0x1c:
    case 0x1d:
    case 0x1e:
    case 0x1f:
        return NO_MEMORY;
    default:
        if ((op >= 0x10 && op <= 0x17) || (op >= 0x28 && op <= 0x2f) || (op >= 0x40 && op <= 0x7f) ||
            (op >= 0xa3 && op <= 0xbf) || (op >= 0xc2 && op <= 0xc6) || op >= 0xd0 || op == 0x02 || op == 0x03) {
            return LOAD;
        }
        if (op >= 0x90 && op <= 0x9f) {
            return STORE;
        }
        return NO_MEMORY;
    }
}

static enum access two_byte_group(unsigned op, unsigned reg)
{
    switch (op) {
    case 0x00: /* SLDT STR store */
        return reg < 2 ? STORE : LOAD;
    case 0x01: /* SGDT SIDT SMSW store; INVLPG touches nothing */
        return reg == 7 ? NO_MEMORY : reg < 2 || reg == 4 ? STORE : LOAD;
    case 0xae: /* FXSAVE STMXCSR XSAVE XSAVEOPT; CLFLUSH touches nothing */
        return reg == 7 ? NO_MEMORY : reg == 0 || reg == 3 || reg == 4 || reg == 6 ? STORE : LOAD;
    case 0xba: /* BT only reads */
        return reg == 4 ? LOAD : UPDATE;
    default: /* C7: CMPXCHG8B/16B, XSAVEC, XSAVES */
        return reg == 1 ? UPDATE : reg == 4 || reg == 5 ? STORE : LOAD;
    }
}

/* 0F 38 is map 2, 0F 3A is map 3; VEX encodes more of both. */
static enum access three_byte(unsigned map, unsigned op, bool repeated)
{
    switch (map << 8 | op) {
    case 0x22e: /* VMASKMOVPS, VMASKMOVPD */
    case 0x22f:
    case 0x28e: /* VPMASKMOV */
    case 0x314: /* PEXTRB, PEXTRW, PEXTRD, EXTRACTPS */
    case 0x315:
    case 0x316:
    case 0x317:
    case 0x319: /* VEXTRACTF128 */
    case 0x31d: /* VCVTPS2PH */
    case 0x339: /* VEXTRACTI128 */
        return STORE;
    case 0x2f1: /* MOVBE, or CRC32 */
        return repeated ? LOAD : STORE;
    default:
        return LOAD;
    }
}

static unsigned access_flags(enum access access, bool memory_operand)
{
    switch (access) {
    case LOAD:
        return memory_operand ? INSN_LOAD : 0;
    case STORE:
        return memory_operand ? INSN_STORE : 0;
    case UPDATE:
        return memory_operand ? INSN_LOAD | INSN_STORE : 0;
    case PUSH:
        return INSN_STORE;
    case POP:
        return INSN_LOAD;
    case PUSH_LOAD:
        return INSN_STORE | (memory_operand ? INSN_LOAD : 0u);
    case POP_STORE:
        return INSN_LOAD | (memory_operand ? INSN_STORE : 0u);
    case MOVES:
        return INSN_LOAD | INSN_STORE;
    default:
        return 0;
    }
}

static enum block_end one_byte_end(unsigned op, unsigned reg, bool repeated)
{
    if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3)) {
        return END_JCC;
    }
    switch (op) {
    case 0xe8:
        return END_REL_CALL;
    case 0xe9:
    case 0xeb:
        return END_REL_JMP;
    case 0xc2:
    case 0xc3:
        return END_RET;
    case 0x9a:
    case 0xea:
    case 0xca:
    case 0xcb:
    case 0xcf:
        return END_FAR;
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xf1:
        return END_INT;
    case 0xff:
        return reg == 2 ? END_IND_CALL : reg == 4 ? END_IND_JMP : reg == 3 || reg == 5 ? END_FAR : END_PLAIN;
    case 0x6c:
    case 0x6d:
    case 0x6e:
    case 0x6f:
    case 0xa4:
    case 0xa5:
    case 0xa6:
    case 0xa7:
    case 0xaa:
    case 0xab:
    case 0xac:
    case 0xad:
    case 0xae:
    case 0xaf:
        return repeated ? END_REPEAT : END_PLAIN;
    default:
        return END_PLAIN;
    }
}

static enum block_end two_byte_end(unsigned op)
{
    if (op >= 0x80 && op <= 0x8f) {
        return END_JCC;
    }
    return op == 0x05 || op == 0x07 || op == 0x34 || op == 0x35 || op == 0xaa ? END_FAR : END_PLAIN;
}

static enum insn_hook two_byte_hook(unsigned op)
{
    return op == 0xa2   ? HOOK_CPUID
           : op == 0x30 ? HOOK_WRMSR
           : op == 0x32 ? HOOK_RDMSR
           : op == 0x33 ? HOOK_RDPMC
                        : HOOK_NONE;
}

struct insn insn_classify(const uint8_t *bytes, size_t size)
{
    struct insn insn = { END_PLAIN, HOOK_NONE, 0, UNIT_INTEGER };
    bool locked = false;
    bool repeated = false;
    bool narrow = false; /* 66h, which is part of some opcodes */
    unsigned repeat = 0; /* F2h or F3h, whichever came last */
    size_t i = 0;

    for (; i < size; i++) {
        uint8_t b = bytes[i];

        if (b == 0xf0) {
            locked = true;
        } else if (b == 0xf2 || b == 0xf3) {
            repeated = true;
            repeat = b;
        } else if (b == 0x66) {
            narrow = true;
        } else if (b != 0x67 && b != 0x26 && b != 0x2e && b != 0x36 && b != 0x3e && b != 0x64 && b != 0x65 &&
                   ((b & 0xf0) != 0x40 || i + 1 == size)) {
            break;
        }
    }
    if (i == size) {
        return insn;
    }

    unsigned op = bytes[i++];
    unsigned map = 0; /* how the manual numbers the opcode maps: 0F is 1, 0F 38 is 2, 0F 3A is 3 */
    /* C5 has one byte behind it, C4 two. LES and LDS are taken for VEX, too: they are extinct. */
    bool vex = (op == 0xc4 || op == 0xc5) && i < size;

    if (vex) {
        map = op == 0xc5 ? 1 : bytes[i] & 0x1f;
        i += op == 0xc5 ? 1 : 2;
        if (i >= size) {
            return insn;
        }
        repeated = bytes[i - 1] & 2; /* the prefix is in the low bits: 1 for 66h, 2 for F3h, 3 for F2h */
        op = bytes[i++];
    } else if (op == 0x0f) {
        if (i == size) {
            return insn;
        }
        map = 1;
        op = bytes[i++];
        if ((op == 0x38 || op == 0x3a) && i < size) {
            map = op == 0x38 ? 2 : 3;
            op = bytes[i++];
        }
    }

    bool has_modrm = i < size;
    unsigned reg = has_modrm ? bytes[i] >> 3 & 7 : 0;
    bool memory_operand = has_modrm && bytes[i] < 0xc0;
    enum access access = map == 1 ? two_byte(op) : map == 0 && !vex ? one_byte(op) : three_byte(map, op, repeated);

    if (access == GROUP) {
        access = map == 1 ? two_byte_group(op, reg) : one_byte_group(op, reg);
    }
    if (map == 1 && op == 0x7e && repeated) {
        access = LOAD; /* MOVQ xmm, m64 */
    }
    if (map == 1 && op == 0xae && reg == 6 && narrow) {
        access = NO_MEMORY; /* CLWB */
    }
    insn.flags = access_flags(access, memory_operand);
    if (vex) {
        return insn; /* never a branch */
    }
    insn.unit = insn_unit(map, op, repeat != 0 ? repeat : narrow ? 0x66 : 0, has_modrm ? bytes[i] : 0);
    if ((insn.flags & INSN_LOAD) && (locked || (map == 0 && (op == 0x86 || op == 0x87)))) {
        insn.flags |= INSN_LOCKED; /* XCHG with memory always is */
    }
    if (map == 1) {
        insn.end = two_byte_end(op);
        insn.hook = i == size ? two_byte_hook(op) : HOOK_NONE;
    } else if (map == 0) {
        insn.end = one_byte_end(op, reg, repeated);
    }
    return insn;
}
