/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's decoder against Zydis (package libzydis-dev, 4.0 or later), which was written from other tables: every
 * opcode of every map, with prefixes, ModRM forms and all modes, as far as Zydis decodes it. Both must agree, or the
 * difference must be listed here with a reason and still exist.
 */
#include "tests/host/unit_test.h"

#include <Zydis/Zydis.h>

#include "model/insn/insn.h"

#define MAX_INSN 15

/* --- what Zydis says ------------------------------------------------------------------------------------------- */

enum aspect { END, HOOK, ACCESS, LOCKED, UNIT, OPERAND, ASPECTS };

static const char *const aspects[ASPECTS] = { "end", "hook", "access", "locked", "unit", "operand" };

struct decoded {
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const char *name; /* the mnemonic, in lower case */
};

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
    return strlen(text) >= strlen(with) && strcmp(text + strlen(text) - strlen(with), with) == 0;
}

static int end_of(const struct decoded *d)
{
    const bool relative = d->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

    if (d->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return END_FAR;
    switch (d->insn.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        return END_JCC;
    case ZYDIS_CATEGORY_CALL:
        return relative ? END_REL_CALL : END_IND_CALL;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return relative ? END_REL_JMP : END_IND_JMP;
    case ZYDIS_CATEGORY_RET:
        return begins(d->name, "iret") ? END_FAR : END_RET;
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
        return END_FAR;
    case ZYDIS_CATEGORY_INTERRUPT:
        return END_INT;
    case ZYDIS_CATEGORY_STRINGOP:
    case ZYDIS_CATEGORY_IOSTRINGOP:
        return d->insn.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE) ? END_REPEAT
                                                                                                            : END_PLAIN;
    default:
        return END_PLAIN;
    }
}

/* The last prefix F2H or F3H; 0: none. */
static uint8_t last_repeat(const struct decoded *d)
{
    uint8_t last = 0;

    for (unsigned i = 0; i < d->insn.raw.prefix_count; i++) {
        const uint8_t prefix = d->insn.raw.prefixes[i].value;

        last = prefix == 0xf2 || prefix == 0xf3 ? prefix : last;
    }
    return last;
}

static int hook_of(const struct decoded *d)
{
    switch (d->insn.mnemonic) {
    case ZYDIS_MNEMONIC_CPUID:
        return HOOK_CPUID;
    case ZYDIS_MNEMONIC_RDMSR:
        return HOOK_RDMSR;
    case ZYDIS_MNEMONIC_WRMSR:
        return HOOK_WRMSR;
    case ZYDIS_MNEMONIC_RDPMC:
        return HOOK_RDPMC;
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_MWAIT:
        return HOOK_HALT;
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
        return HOOK_FLUSH;
    case ZYDIS_MNEMONIC_CLWB:
        return HOOK_CLWB;
    case ZYDIS_MNEMONIC_INVD:
        return HOOK_WBINVD;
    case ZYDIS_MNEMONIC_WBINVD: /* Zydis 4.0 does not know WBNOINVD */
        return last_repeat(d) == 0xf3 ? HOOK_WBNOINVD : HOOK_WBINVD;
    case ZYDIS_MNEMONIC_INVLPG:
        return HOOK_INVLPG;
    case ZYDIS_MNEMONIC_MOV:
        return d->operands[0].reg.value == ZYDIS_REGISTER_CR0   ? HOOK_CR0
               : d->operands[0].reg.value == ZYDIS_REGISTER_CR3 ? HOOK_CR3
               : d->operands[0].reg.value == ZYDIS_REGISTER_CR4 ? HOOK_CR4
                                                                : HOOK_NONE;
    default:
        return strcmp(d->name, "wbnoinvd") == 0 ? HOOK_WBNOINVD : HOOK_NONE;
    }
}

static bool accesses_memory(const struct decoded *d)
{
    for (unsigned i = 0; i < d->insn.operand_count; i++) {
        const ZydisDecodedOperand *o = &d->operands[i];

        if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN && o->actions != 0)
            return true;
    }
    return false;
}

static bool has_xmm_operand(const struct decoded *d)
{
    for (unsigned i = 0; i < d->insn.operand_count; i++)
        if (d->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            ZydisRegisterGetClass(d->operands[i].reg.value) == ZYDIS_REGCLASS_XMM)
            return true;
    return false;
}

/* The unit, by the mnemonic: loads, stores, moves, conversions and control instructions are not arithmetic. */
static int x87_unit(const char *name)
{
    static const char *const none[] = { "fld",   "fst",  "fist", "fild",    "fbld",    "fbstp",  "fisttp", "fcmov",
                                        "ffree", "fxch", "fn",   "fdecstp", "fincstp", "frstor", "fwait" };

    for (size_t i = 0; i < COUNT_OF(none); i++)
        if (begins(name, none[i]))
            return UNIT_INTEGER;
    return ends(name, "_nop") ? UNIT_INTEGER : UNIT_X87; /* instructions of the 8087 and 80287 */
}

static int unit_of(const struct decoded *d)
{
    const char *name = d->name;

    switch (d->insn.meta.isa_ext) {
    case ZYDIS_ISA_EXT_X87:
        return x87_unit(name);
    case ZYDIS_ISA_EXT_MMX:
    case ZYDIS_ISA_EXT_SSE:
    case ZYDIS_ISA_EXT_SSE2:
        break;
    default:
        return UNIT_INTEGER;
    }
    if (begins(name, "p") && !begins(name, "prefetch"))
        return has_xmm_operand(d) ? UNIT_MMX_128 : UNIT_MMX_64;
    if (begins(name, "mov") || begins(name, "cvt"))
        return UNIT_INTEGER;
    return ends(name, "ps")   ? UNIT_PACKED_SP
           : ends(name, "pd") ? UNIT_PACKED_DP
           : ends(name, "ss") ? UNIT_SCALAR_SP
           : ends(name, "sd") ? UNIT_SCALAR_DP
                              : UNIT_INTEGER;
}

static uint8_t number_of(ZydisRegister reg)
{
    return reg == ZYDIS_REGISTER_NONE ? INSN_NO_REGISTER : (uint8_t)ZydisRegisterGetId(reg);
}

/* Whether insn_operand() says the same, for the instructions for which it is called, in 32-bit and 64-bit code. */
static bool same_operand(const struct decoded *d, const uint8_t *bytes, int hook)
{
    const bool wide = d->insn.machine_mode == ZYDIS_MACHINE_MODE_LONG_64;
    const ZydisDecodedOperand *const o = &d->operands[hook >= HOOK_CR0 ? 1 : 0];
    struct insn_operand ours;
    uint8_t *const copy = exact_copy(bytes, d->insn.length);
    const bool known = insn_operand(copy, d->insn.length, wide, &ours);

    for (size_t size = 0; size < d->insn.length; size++) {
        struct insn_operand ignored;

        insn_operand(copy + d->insn.length - size, size, wide, &ignored); /* reads no further */
    }
    free(copy);
    if (hook >= HOOK_CR0)
        return known && ours.base == number_of(o->reg.value);
    if (d->insn.address_width == 16)
        return !known;
    const ZydisRegister base = o->mem.base, segment = o->mem.segment;
    const bool relative = base == ZYDIS_REGISTER_RIP || base == ZYDIS_REGISTER_EIP;

    /* Zydis 4.0 takes mod 0 with R13 for a base, but reads the displacement that replaces it. */
    if (d->insn.raw.modrm.mod == 0 && (base == ZYDIS_REGISTER_R13 || base == ZYDIS_REGISTER_R13D))
        return known && ours.base == INSN_NO_REGISTER;
    return known && ours.relative == relative && ours.base == (relative ? INSN_NO_REGISTER : number_of(base)) &&
           ours.index == number_of(o->mem.index) &&
           (ours.index == INSN_NO_REGISTER || 1u << ours.shift == o->mem.scale) &&
           ours.displacement == (int32_t)o->mem.disp.value && ours.narrow == (d->insn.address_width == 32) &&
           (ours.segment == 'f') == (segment == ZYDIS_REGISTER_FS) &&
           (ours.segment == 'g') == (segment == ZYDIS_REGISTER_GS);
}

static void facts_of(const struct decoded *d, int facts[ASPECTS])
{
    facts[END] = end_of(d);
    facts[HOOK] = hook_of(d);
    facts[ACCESS] = accesses_memory(d);
    facts[LOCKED] = facts[ACCESS] && ((d->insn.attributes & ZYDIS_ATTRIB_HAS_LOCK) || strcmp(d->name, "xchg") == 0);
    facts[UNIT] = unit_of(d);
    facts[OPERAND] = true;
}

/* --- where the two differ, and why ----------------------------------------------------------------------------- */

enum mode { MODE_16, MODE_32, MODE_COMPATIBILITY, MODE_64, MODES };

static const struct {
    const char *name;
    ZydisMachineMode machine;
    ZydisStackWidth stack;
} modes[MODES] = {
    { "16-bit", ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16 },
    { "32-bit", ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32 },
    { "compatibility mode", ZYDIS_MACHINE_MODE_LONG_COMPAT_32, ZYDIS_STACK_WIDTH_32 },
    { "64-bit", ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64 },
};

#define ANY_MODE ((1u << MODES) - 1)

static const char hint[] = "a hint, to which Zydis gives an operand that is read; it accesses no memory";
static const char line[] = "names a line or a page and moves no data, but Zydis gives it an operand that is read";
static const char bounds[] = "MPX: computes with the address, and shares its opcode with BNDMOV, which accesses it";
static const char table[] = "MPX: Zydis does not tell the access to the bounds' table, which is not at the address";
static const char padlock[] = "VIA's PadLock, which QEMU does not emulate";
static const char knights[] = "Knights Corner's, which QEMU does not emulate";
static const char tsx[] = "TSX, which the model does not have";
static const char fault[] = "#BR is a fault: what follows is no branch of this instruction";
static const char vex[] = "QEMU tells plugins of IA-32e mode and not of CS.L, so it is taken for VEX or EVEX";

static struct difference {
    const char *name; /* Zydis's mnemonic; a final * matches anything */
    enum aspect aspect;
    int ours;
    unsigned modes; /* bit by enum mode */
    const char *why;
    unsigned long seen;
} differences[] = {
    { "prefetch*", ACCESS, 0, ANY_MODE, hint, 0 },
    { "nop", ACCESS, 0, ANY_MODE, hint, 0 },
    { "cldemote", ACCESS, 0, ANY_MODE, hint, 0 },
    { "clflush", ACCESS, 0, ANY_MODE, line, 0 },
    { "clflushopt", ACCESS, 0, ANY_MODE, line, 0 },
    { "clwb", ACCESS, 0, ANY_MODE, line, 0 },
    { "invlpg", ACCESS, 0, ANY_MODE, line, 0 },
    { "bndmk", ACCESS, 1, ANY_MODE, bounds, 0 },
    { "bndcl", ACCESS, 1, ANY_MODE, bounds, 0 },
    { "bndcu", ACCESS, 1, ANY_MODE, bounds, 0 },
    { "bndcn", ACCESS, 1, ANY_MODE, bounds, 0 },
    { "bndldx", ACCESS, 1, ANY_MODE, table, 0 },
    { "bndstx", ACCESS, 1, ANY_MODE, table, 0 },
    { "montmul", ACCESS, 0, ANY_MODE, padlock, 0 },
    { "xcrypt*", ACCESS, 0, ANY_MODE, padlock, 0 },
    { "xsha*", ACCESS, 0, ANY_MODE, padlock, 0 },
    { "xstore", ACCESS, 0, ANY_MODE, padlock, 0 },
    { "jkzd", END, END_PLAIN, ANY_MODE, knights, 0 },
    { "jknzd", END, END_PLAIN, ANY_MODE, knights, 0 },
    { "clevict*", ACCESS, 0, ANY_MODE, knights, 0 },
    { "vprefetch*", ACCESS, 0, ANY_MODE, knights, 0 },
    { "xbegin", END, END_PLAIN, ANY_MODE, tsx, 0 },
    { "xend", END, END_PLAIN, ANY_MODE, tsx, 0 },
    { "xabort", END, END_PLAIN, ANY_MODE, tsx, 0 },
    { "bound", END, END_PLAIN, ANY_MODE, fault, 0 },
    { "bound", ACCESS, 0, 1u << MODE_COMPATIBILITY, vex, 0 },
    { "les", ACCESS, 0, 1u << MODE_COMPATIBILITY, vex, 0 },
    { "lds", ACCESS, 0, 1u << MODE_COMPATIBILITY, vex, 0 },
};

static bool is_listed(const struct decoded *d, enum mode mode, enum aspect aspect, int ours)
{
    for (size_t i = 0; i < COUNT_OF(differences); i++) {
        struct difference *known = &differences[i];
        const size_t length = strcspn(known->name, "*");
        const bool same = strncmp(d->name, known->name, length) == 0 && (known->name[length] || !d->name[length]);

        if (same && known->aspect == aspect && known->ours == ours && (known->modes >> mode & 1)) {
            known->seen++;
            return true;
        }
    }
    return false;
}

/* --- the comparison -------------------------------------------------------------------------------------------- */

static unsigned long compared, unlisted;

static void report(const struct decoded *d, enum mode mode, const uint8_t *bytes, enum aspect aspect, int ours,
                   int theirs)
{
    if (unlisted++ < 20) {
        print_error("%s, %s:", d->name, modes[mode].name);
        for (unsigned i = 0; i < d->insn.length; i++)
            print_error(" %02x", bytes[i]);
        print_error(": %s %d, and %d by Zydis\n", aspects[aspect], ours, theirs);
    }
}

/* Bytes that Zydis does not decode are not an instruction: the model's result does not matter. */
static void compare(const ZydisDecoder *decoder, enum mode mode, const uint8_t bytes[MAX_INSN])
{
    struct decoded d;
    int theirs[ASPECTS];

    if (ZYAN_FAILED(ZydisDecoderDecodeFull(decoder, bytes, MAX_INSN, &d.insn, d.operands)))
        return;
    d.name = ZydisMnemonicGetString(d.insn.mnemonic);
    facts_of(&d, theirs);

    const struct insn insn = insn_classify(bytes, d.insn.length, mode >= MODE_COMPATIBILITY);
    const bool has_operand = insn.hook >= HOOK_FLUSH && insn.hook != HOOK_WBINVD && insn.hook != HOOK_WBNOINVD;
    const bool operand_same =
        !has_operand || (mode != MODE_32 && mode != MODE_64) || same_operand(&d, bytes, (int)insn.hook);
    const int ours[ASPECTS] = {
        (int)insn.end,  (int)insn.hook, (insn.flags & INSN_ACCESS) != 0, (insn.flags & INSN_LOCKED) != 0,
        (int)insn.unit, operand_same,
    };

    compared++;
    for (enum aspect a = END; a < ASPECTS; a++)
        if (ours[a] != theirs[a] && !is_listed(&d, mode, a, ours[a]))
            report(&d, mode, bytes, a, ours[a], theirs[a]);
}

/* --- the opcode space ------------------------------------------------------------------------------------------ */

struct walk {
    enum mode mode;
    ZydisDecoder decoder;
    uint8_t bytes[MAX_INSN]; /* the first `count` are chosen */
    unsigned count;
};

static struct walk walk_in(enum mode mode)
{
    struct walk w = { .mode = mode };

    assert_true(ZYAN_SUCCESS(ZydisDecoderInit(&w.decoder, modes[mode].machine, modes[mode].stack)));
    return w;
}

static struct walk with(struct walk w, unsigned byte)
{
    w.bytes[w.count++] = (uint8_t)byte;
    return w;
}

/* Walks all opcodes of a map, after its escape bytes, with all ModRM bytes that have no bit outside the mask. */
static void walk_map(struct walk w, unsigned modrm_mask)
{
    static uint32_t random = 1; /* displacements and immediates: random, but the same in every run */

    for (unsigned n = 0; n < 0x10000; n++) {
        if ((n & 0xff & ~modrm_mask) == 0) {
            struct walk one = with(with(w, n >> 8), n);

            while (one.count < MAX_INSN) {
                random = random * 1664525 + 1013904223;
                one = with(one, random >> 24);
            }
            compare(&one.decoder, one.mode, one.bytes);
        }
    }
}

#define ALL_MODRM  0xffu
#define SOME_MODRM 0xfcu /* all of mod and reg; rm 0, and 4 with a SIB byte */

static void walk_maps(struct walk w, unsigned modrm_mask)
{
    walk_map(w, modrm_mask);
    walk_map(with(w, 0x0f), modrm_mask);
    walk_map(with(with(w, 0x0f), 0x38), modrm_mask);
    walk_map(with(with(w, 0x0f), 0x3a), modrm_mask);
}

static struct walk with_all(struct walk w, const char *bytes)
{
    return *bytes ? with_all(with(w, (uint8_t)*bytes), bytes + 1) : w;
}

static void walk_legacy(enum mode mode)
{
    static const char *const common[] = { "", "\x66", "\xf2", "\xf3" };
    static const char *const rare[] = { "\x66\xf2", "\xf3\x66", "\xf2\xf3", "\xf3\xf2", "\xf0", "\x66\xf0",
                                        "\xf2\xf0", "\xf0\xf3", "\x67",     "\x64\x67", "\x2e", "\x3e\x66" };
    static const char *const rex[] = { "", "\x48", "\x4f", "\x40" };

    for (size_t r = 0; r < (mode == MODE_64 ? COUNT_OF(rex) : 1); r++) {
        for (size_t i = 0; i < COUNT_OF(common); i++)
            walk_maps(with_all(with_all(walk_in(mode), common[i]), rex[r]), ALL_MODRM);
        for (size_t i = 0; i < COUNT_OF(rare); i++)
            walk_maps(with_all(with_all(walk_in(mode), rare[i]), rex[r]), SOME_MODRM);
    }
}

/* The prefixes' bits, one by one. pp selects the opcode's meaning. */
static void walk_vex(enum mode mode)
{
    static const uint8_t two[] = { 0xf8, 0xfc, 0xb8, 0x78 }; /* plain; L; vvvv; R */
    static const uint8_t three[][2] = { { 0xe0, 0x78 }, { 0xe0, 0xf8 }, { 0xe0, 0x7c }, { 0xe0, 0x38 }, { 0, 0x78 } };

    for (unsigned pp = 0; pp < 4; pp++) {
        for (size_t i = 0; i < COUNT_OF(two); i++)
            walk_map(with(with(walk_in(mode), 0xc5), two[i] | pp), SOME_MODRM);
        for (unsigned n = 0; n < 3 * COUNT_OF(three); n++) {
            const uint8_t *bits = three[n / 3];

            walk_map(with(with(with(walk_in(mode), 0xc4), bits[0] | (n % 3 + 1)), bits[1] | pp), SOME_MODRM);
        }
    }
}

static void walk_evex(enum mode mode)
{
    static const uint8_t maps[] = { 1, 2, 3, 5, 6 };
    /* plain; W; 512 bits; broadcast; a mask; and zeroing; R, X and B */
    static const uint8_t forms[][3] = { { 0xf0, 0x7c, 0x08 }, { 0xf0, 0xfc, 0x08 }, { 0xf0, 0x7c, 0x48 },
                                        { 0xf0, 0x7c, 0x18 }, { 0xf0, 0x7c, 0x09 }, { 0xf0, 0x7c, 0x89 },
                                        { 0x00, 0x7c, 0x08 } };

    for (unsigned n = 0; n < 4 * COUNT_OF(maps) * COUNT_OF(forms); n++) {
        const uint8_t *form = forms[n / 4 / COUNT_OF(maps)];
        const unsigned map = maps[n / 4 % COUNT_OF(maps)];

        walk_map(with(with(with(with(walk_in(mode), 0x62), form[0] | map), form[1] | n % 4), form[2]), SOME_MODRM);
    }
}

static void assert_walked(void (*walk)(enum mode mode), enum mode mode)
{
    compared = unlisted = 0;
    walk(mode);
    print_message("%lu encodings of %s\n", compared, modes[mode].name);
    assert_true(compared > 0);
    if (unlisted > 0)
        fail_msg("%lu differences that are not listed", unlisted);
}

UNIT_TEST(opcodes_of_16_bits)
{
    assert_walked(walk_legacy, MODE_16);
}

UNIT_TEST(opcodes_of_32_bits)
{
    assert_walked(walk_legacy, MODE_32);
}

UNIT_TEST(opcodes_of_compatibility_mode)
{
    assert_walked(walk_legacy, MODE_COMPATIBILITY);
}

UNIT_TEST(opcodes_of_64_bits)
{
    assert_walked(walk_legacy, MODE_64);
}

UNIT_TEST(vex_of_32_bits)
{
    assert_walked(walk_vex, MODE_32);
}

UNIT_TEST(vex_of_64_bits)
{
    assert_walked(walk_vex, MODE_64);
}

UNIT_TEST(evex_of_32_bits)
{
    assert_walked(walk_evex, MODE_32);
}

UNIT_TEST(evex_of_64_bits)
{
    assert_walked(walk_evex, MODE_64);
}

/* Must be the last test: the walks before it record which differences occurred. */
UNIT_TEST(listed_differences_are_still_there)
{
    for (size_t i = 0; i < COUNT_OF(differences); i++) {
        if (differences[i].seen == 0) {
            fail_msg("%s: no %s of %d any more, though listed (%s)", differences[i].name,
                     aspects[differences[i].aspect], differences[i].ours, differences[i].why);
        }
    }
}
