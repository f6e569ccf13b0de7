/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of an instruction that the model needs: how it ends a block, whether it accesses memory, whether the model
 * takes part in its execution. SDM Vol. 2D (334569-083), appendix A, "Opcode Map".
 *
 * Zydis (libzydis-dev) could provide these, and tests/host/test_model_insn_zydis.c compares with it. The model has its
 * own decoder, because it is no longer than code that interprets Zydis's results, takes 25 ns per instruction instead
 * of 150, and does not need the code and stack sizes, which QEMU does not pass to plugins. Debian has Zydis only as a
 * shared library whose name changes with each release; a QEMU with its own loader does not find it. Finally, a decoder
 * needs an independent one to be compared with.
 */
#include "model/insn/insn.h"

enum access {
    NEVER,   /* no access, or an address that is only computed, or a hint */
    OPERAND, /* accesses the operand of ModRM, if it is memory */
    ALWAYS,  /* accesses memory whatever ModRM is: stack, string, address in the instruction */
};

struct kind {
    enum access access;
    enum block_end end;
    enum insn_hook hook;
};

static const struct kind kinds[] = {
    ['.'] = { NEVER, END_PLAIN, HOOK_NONE },     ['p'] = { NEVER, END_PLAIN, HOOK_NONE }, /* a prefix */
    ['m'] = { OPERAND, END_PLAIN, HOOK_NONE },   ['a'] = { ALWAYS, END_PLAIN, HOOK_NONE },
    ['s'] = { ALWAYS, END_REPEAT, HOOK_NONE }, /* with a repeat prefix; else END_PLAIN */
    ['j'] = { NEVER, END_JCC, HOOK_NONE },       ['c'] = { ALWAYS, END_REL_CALL, HOOK_NONE },
    ['C'] = { ALWAYS, END_IND_CALL, HOOK_NONE }, ['r'] = { ALWAYS, END_RET, HOOK_NONE },
    ['g'] = { NEVER, END_REL_JMP, HOOK_NONE },   ['G'] = { OPERAND, END_IND_JMP, HOOK_NONE },
    ['f'] = { NEVER, END_FAR, HOOK_NONE },       ['F'] = { ALWAYS, END_FAR, HOOK_NONE },
    ['i'] = { NEVER, END_INT, HOOK_NONE }, /* delivery of the interrupt pushes the frame */
    ['I'] = { NEVER, END_PLAIN, HOOK_CPUID },    ['R'] = { NEVER, END_PLAIN, HOOK_RDMSR },
    ['W'] = { NEVER, END_PLAIN, HOOK_WRMSR },    ['P'] = { NEVER, END_PLAIN, HOOK_RDPMC },
    ['H'] = { NEVER, END_PLAIN, HOOK_HALT },
};

/* One row for each high nibble of the opcode. A digit is an opcode group, selected by ModRM's reg field. */
static const char one_byte[16][17] = {
    "mmmm..aammmm..a.", /* ADD, OR; PUSH and POP of segments */
    "mmmm..aammmm..aa", /* ADC, SBB */
    "mmmm..p.mmmm..p.", /* AND, SUB */
    "mmmm..p.mmmm..p.", /* XOR, CMP */
    "pppppppppppppppp", /* REX; INC and DEC, treated as prefixes */
    "aaaaaaaaaaaaaaaa", /* PUSH, POP */
    "aammppppamamssss", /* PUSHA, POPA, BOUND, ARPL or MOVSXD; PUSH, IMUL; INS, OUTS */
    "jjjjjjjjjjjjjjjj", /* Jcc */
    "mmmmmmmmmmmmm.ma", /* group 1, TEST, XCHG, MOV; LEA; POP */
    "..........F.aa..", /* CALL far; PUSHF, POPF */
    "aaaassss..ssssss", /* MOV moffs; MOVS, CMPS; STOS, LODS, SCAS */
    "................", /* MOV */
    "mmrrmmmmaaFFiiiF", /* shifts; RET, LES, LDS, MOV; ENTER, LEAVE, RET far; INT3, INT, INTO, IRET */
    "mmmm...ammmmmmmm", /* shifts; XLAT; x87 */
    "jjjj....cgfg....", /* LOOP, JCXZ; CALL, JMP, JMP far, JMP */
    "pippH.mm......m0", /* INT1; HLT; group 3; groups 4 and 5 */
};

static const char two_byte[16][17] = {
    "m1mm.f.f.......m", /* groups 6 and 7, LAR, LSL; SYSCALL, SYSRET; 3DNow! */
    "mmmmmmmm..mm....", /* MOVUPS to MOVHPS; prefetches and hints, including BNDLDX, BNDSTX, BNDMOV */
    "........mmmmmmmm", /* MOV of control registers; MOVAPS to COMISS */
    "W.RPff..........", /* RDTSC needs no hook; SYSENTER, SYSEXIT */
    "mmmmmmmmmmmmmmmm", /* CMOVcc */
    "mmmmmmmmmmmmmmmm", /* SSE */
    "mmmmmmmmmmmmmmmm", /* MMX */
    "mmmmmmm.mmmmmmmm", /* MMX; EMMS */
    "jjjjjjjjjjjjjjjj", /* Jcc */
    "mmmmmmmmmmmmmmmm", /* SETcc */
    "aaImmm..aafmmm2m", /* PUSH, POP, CPUID, BT, SHLD; RSM, BTS, SHRD, group 15, IMUL */
    "mmmmmmmmmmmmmmmm", /* CMPXCHG to MOVSX */
    "mmmmmmmm........", /* XADD to group 9; BSWAP */
    "mmmmmmmmmmmmmmmm", /* MMX */
    "mmmmmmmmmmmmmmmm", /* MMX */
    "mmmmmmmammmmmmmm", /* MMX; MASKMOVQ */
};

static const char groups[][9] = {
    "mmCFGFa.", /* group 5: INC, DEC, CALL, CALL far, JMP, JMP far, PUSH */
    "mmmmmmm.", /* group 7: INVLPG does not access memory */
    "mmmmmmm.", /* group 15: CLFLUSH does not access memory */
};

/* An opcode and the byte after it. Maps are numbered as in the manual: 0F is 1, 0F 38 is 2, 0F 3A is 3. */
struct opcode {
    unsigned map;
    unsigned op;
    bool has_modrm; /* there is a byte after the opcode, which is ModRM if the opcode has one */
    unsigned modrm;
};

static struct opcode read_opcode(unsigned map, const uint8_t *bytes, const uint8_t *end)
{
    const bool more = bytes + 1 < end;

    if (map == 0 && *bytes == 0x0f && more)
        return read_opcode(1, bytes + 1, end);
    if (map == 1 && (*bytes == 0x38 || *bytes == 0x3a) && more)
        return read_opcode(*bytes == 0x38 ? 2 : 3, bytes + 1, end);
    return (struct opcode){ map, *bytes, more, more ? bytes[1] : 0 };
}

static struct kind kind_of(struct opcode o)
{
    char c = o.map == 0 ? one_byte[o.op >> 4][o.op & 15] : o.map == 1 ? two_byte[o.op >> 4][o.op & 15] : 'm';

    return kinds[(unsigned char)(c >= '0' && c <= '9' ? groups[c - '0'][o.modrm >> 3 & 7] : c)];
}

static bool accesses_memory(struct opcode o)
{
    enum access access = kind_of(o).access;

    return access == ALWAYS || (access == OPERAND && o.has_modrm && o.modrm < 0xc0);
}

/* Number of bytes between the first byte of an EVEX or VEX prefix and the opcode; 0: b starts neither. */
static unsigned vector_payload(uint8_t b)
{
    return b == 0x62 ? 3 : b == 0xc4 ? 2 : b == 0xc5 ? 1 : 0;
}

/*
 * Decodes an EVEX or VEX instruction from its second byte, b. Such an instruction is never a branch and uses no
 * NetBurst unit.
 */
static bool vector_accesses_memory(uint8_t b, const uint8_t *bytes, const uint8_t *end)
{
    const size_t payload = vector_payload(b);

    return (size_t)(end - bytes) > payload &&
           accesses_memory(read_opcode(b == 0xc5 ? 1 : bytes[0] & 7, bytes + payload, end));
}

static bool is_prefix(uint8_t b)
{
    return one_byte[b >> 4][b & 15] == 'p';
}

#define REX_R 4u
#define REX_X 2u
#define REX_B 1u

static bool is_rex(uint8_t b)
{
    return (b & 0xf0) == 0x40;
}

/*
 * SDM Vol. 3A (253668-083), "Serializing Instructions": CPUID, WRMSR, SERIALIZE and others, which no test executes
 * after an overflow; Vol. 2A (253666-083), "LFENCE".
 */
static bool serialises(struct opcode o, bool prefixed)
{
    const bool lfence = o.op == 0xae && o.modrm >= 0xe8 && o.modrm <= 0xef;
    const bool serialize = o.op == 0x01 && o.modrm == 0xe8;

    return o.map == 1 && (o.op == 0xa2 || o.op == 0x30 || (o.has_modrm && !prefixed && (lfence || serialize)));
}

/* SDM Vol. 2 (325383-083): each of these instructions; with other prefixes group 15 has other instructions. */
static enum insn_hook flushes(struct opcode o, bool narrow, unsigned repeat, bool rex_r)
{
    const bool memory = o.has_modrm && o.modrm < 0xc0;
    const unsigned reg = o.modrm >> 3 & 7;

    if (o.map != 1)
        return HOOK_NONE;
    switch (o.op) {
    case 0x01:
        return memory && reg == 7 ? HOOK_INVLPG : HOOK_NONE;
    case 0x08: /* INVD */
        return HOOK_WBINVD;
    case 0x09:
        return repeat == 0xf3 ? HOOK_WBNOINVD : HOOK_WBINVD;
    case 0x22:
        return !o.has_modrm || rex_r ? HOOK_NONE
               : reg == 0            ? HOOK_CR0
               : reg == 3            ? HOOK_CR3
               : reg == 4            ? HOOK_CR4
                                     : HOOK_NONE;
    case 0xae:
        return !memory || repeat != 0 ? HOOK_NONE : reg == 7 ? HOOK_FLUSH : reg == 6 && narrow ? HOOK_CLWB : HOOK_NONE;
    default:
        return HOOK_NONE;
    }
}

struct insn insn_classify(const uint8_t *bytes, size_t size, bool ia32e)
{
    const uint8_t *end = bytes + size;
    struct insn insn = { END_PLAIN, HOOK_NONE, 0, UNIT_INTEGER };
    bool locked = false;
    bool narrow = false; /* 66h, which is part of some opcodes */
    bool rex_r = false;  /* a REX prefix just before the opcode has bit R */
    unsigned repeat = 0; /* the last F2h or F3h */

    for (; bytes < end && is_prefix(*bytes); bytes++) {
        locked = locked || *bytes == 0xf0;
        narrow = narrow || *bytes == 0x66;
        repeat = *bytes == 0xf2 || *bytes == 0xf3 ? *bytes : repeat;
        rex_r = is_rex(*bytes) && (*bytes & REX_R);
    }
    if (bytes == end)
        return insn;
    if (vector_payload(*bytes) > 0 && bytes + 1 < end && (ia32e || bytes[1] >= 0xc0)) {
        insn.flags = vector_accesses_memory(*bytes, bytes + 1, end) ? INSN_ACCESS : 0;
        return insn;
    }

    const struct opcode o = read_opcode(0, bytes, end);
    const struct kind kind = kind_of(o);
    const enum insn_hook flush = flushes(o, narrow, repeat, rex_r);
    const bool xchg = o.map == 0 && (o.op & 0xfe) == 0x86;
    const bool mwait = o.map == 1 && o.op == 0x01 && o.has_modrm && o.modrm == 0xc9;

    insn.end = kind.end == END_REPEAT && repeat == 0 ? END_PLAIN : kind.end;
    insn.hook = mwait ? HOOK_HALT : flush != HOOK_NONE ? flush : kind.hook;
    if (accesses_memory(o) && flush != HOOK_CLWB) /* CLWB is like CLFLUSH. XCHG always locks. */
        insn.flags = INSN_ACCESS | (locked || xchg ? INSN_LOCKED : 0u);
    insn.flags |= serialises(o, narrow || repeat != 0) ? (unsigned)INSN_SERIALISES : 0;
    insn.unit = insn_unit(o.map, o.op, repeat == 0xf2 ? 3 : repeat == 0xf3 ? 2 : narrow, o.modrm);
    return insn;
}

bool insn_operand(const uint8_t *bytes, size_t size, bool ia32e, struct insn_operand *operand)
{
    const uint8_t *const end = bytes + size;
    unsigned rex = 0, displacement_bytes;
    bool other_size = false; /* 67h */

    *operand = (struct insn_operand){ .index = INSN_NO_REGISTER };
    for (; bytes < end && is_prefix(*bytes); bytes++) {
        other_size = other_size || *bytes == 0x67;
        operand->segment = *bytes == 0x64 ? 'f' : *bytes == 0x65 ? 'g' : operand->segment;
        rex = ia32e && is_rex(*bytes) ? *bytes : 0;
    }
    if (end - bytes < 3) /* 0Fh, the opcode, ModRM */
        return false;
    const bool moves = bytes[1] == 0x22;
    const unsigned modrm = bytes[2], mod = modrm >> 6;
    unsigned base = modrm & 7;

    bytes += 3;
    operand->narrow = !ia32e || other_size;
    if (mod == 3 || moves) {
        operand->base = (uint8_t)(base + (rex & REX_B) * 8);
        return true;
    }
    if (!ia32e && other_size)
        return false;
    if (base == 4) { /* SIB */
        if (bytes == end)
            return false;
        const unsigned index = (*bytes >> 3 & 7) + (rex & REX_X) * 4;

        base = *bytes & 7;
        operand->index = index == 4 ? INSN_NO_REGISTER : (uint8_t)index;
        operand->shift = *bytes++ >> 6;
    }
    operand->base = (uint8_t)(base + (rex & REX_B) * 8);
    displacement_bytes = mod == 2 ? 4 : mod;
    if (mod == 0 && base == 5) { /* no base: a displacement, without SIB relative to the next instruction */
        operand->base = INSN_NO_REGISTER;
        operand->relative = ia32e && (modrm & 7) == 5;
        displacement_bytes = 4;
    }
    if ((size_t)(end - bytes) < displacement_bytes)
        return false;
    uint32_t displacement = 0;

    for (unsigned i = 0; i < displacement_bytes; i++)
        displacement |= (uint32_t)bytes[i] << 8 * i;
    operand->displacement = displacement_bytes == 1 ? (int8_t)displacement : (int32_t)displacement;
    return true;
}
