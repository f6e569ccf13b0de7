/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's decoding of instructions. The charts are the opcode maps, typed from SDM Vol. 2D (334569-081), appendix
 * A, tables A-2, A-3 and A-6: a row is an opcode's high nibble. The lists are whole instructions as an assembler makes
 * them.
 */
#include "tests/host/host_test.h"

#include "model/insn/insn.h"

/*
 * Reads, writes, both: an encoding only tells the model whether there is an access, and the access itself tells which.
 */
#define R   ((unsigned)INSN_ACCESS)
#define W   R
#define RW  R
#define S   ((unsigned)INSN_SERIALISES)
#define LRW ((unsigned)INSN_ACCESS | INSN_LOCKED)

#define B(bytes) bytes, sizeof(bytes) - 1

struct known {
    const char *text, *bytes;
    size_t size;
    unsigned flags;
    enum block_end end;
    enum insn_hook hook;
};

static struct insn classify(const void *bytes, size_t size, bool ia32e)
{
    void *copy = exact_copy(bytes, size);
    struct insn insn = insn_classify(copy, size, ia32e);
    free(copy);
    return insn;
}

static void assert_known(const struct known *known, size_t count, bool ia32e)
{
    for (size_t i = 0; i < count; i++) {
        const struct known *k = &known[i];
        struct insn insn = classify(k->bytes, k->size, ia32e);
        if (insn.end != k->end || insn.hook != k->hook || insn.flags != k->flags) {
            fail_msg("%s: end %d hook %d flags %u, not %d %d %u", k->text, (int)insn.end, (int)insn.hook, insn.flags,
                     (int)k->end, (int)k->hook, k->flags);
        }
    }
}

/*
 * Charts of memory accesses. Of the operand that ModRM names: r load, w store, u both. Whatever ModRM says, or without
 * it: R load, W store, U both. c store, and a load if ModRM names memory; o the other way round. '.' none; g by ModRM's
 * reg; p prefix or escape; x undefined or without a memory form.
 */
static const char *const one_byte_memory[16] = {
    "uurr..WRuurr..Wp", "uurr..WRuurr..WR", "uurr..p.uurr..p.", "uurr..p.rrrr..p.",
    "pppppppppppppppp", "WWWWWWWWRRRRRRRR", "WRprppppWrWrWWRR", "................",
    "ggggrruuwwrrw.rg", "..........W.WR..", "RRWWUURR..WWRRRR", "................",
    "uuRRppwwWRRR...R", "uuuu...Rgggggggg", "........W.......", "p.pp..gg......gg",
};

static const char *const two_byte_memory[16] = {
    "ggrrx.....x.x.xx", "rwrwrrrw..rw....", "....xxxxrwrwrrrr", "......x.pxpxxxxx",
    "rrrrrrrrrrrrrrrr", "xrrrrrrrrrrrrrrr", "rrrrrrrrrrrrrrrr", "rxxxrrrxxxxxrrww",
    "................", "wwwwwwwwwwwwwwww", "WR.ruuxxWRxuuugr", "uururrrrrxgurrrr",
    "uurwrxrg........", "rrrrrrwxrrrrrrrr", "rrrrrrrwrrrrrrrr", "rrrrrrrWrrrrrrrx",
};

static const struct {
    const char *bytes;
    size_t size;
    const char *by_reg;
} groups[] = {
    { B("\x80"), "uuuuuuur" },     { B("\x81"), "uuuuuuur" },     { B("\x82"), "uuuuuuur" },
    { B("\x83"), "uuuuuuur" },     { B("\x8f"), "oxxxxxxx" },     { B("\xd8"), "rrrrrrrr" },
    { B("\xd9"), "rxwwrrww" },     { B("\xda"), "rrrrrrrr" },     { B("\xdb"), "rwwwxrxw" },
    { B("\xdc"), "rrrrrrrr" },     { B("\xdd"), "rwwwrxww" },     { B("\xde"), "rrrrrrrr" },
    { B("\xdf"), "rwwwrrww" },     { B("\xf6"), "rruurrrr" },     { B("\xf7"), "rruurrrr" },
    { B("\xfe"), "uuxxxxxx" },     { B("\xff"), "uuccrRcx" },     { B("\x0f\x00"), "wwrrrrxx" },
    { B("\x0f\x01"), "wwrrwxr." }, { B("\x0f\x0d"), "........" }, { B("\x0f\x18"), "........" },
    { B("\x0f\x1e"), "........" }, { B("\x0f\x1f"), "........" }, { B("\x0f\xae"), "wrrwwrw." },
    { B("\x0f\xba"), "xxxxruuu" }, { B("\x0f\xc7"), "xuxrwwxx" },
};

static unsigned chart_flags(char c, bool memory_operand)
{
    switch (c) {
    case 'r':
        return memory_operand ? R : 0;
    case 'w':
        return memory_operand ? W : 0;
    case 'u':
        return memory_operand ? RW : 0;
    case 'R':
        return R;
    case 'W':
        return W;
    case 'U':
        return RW;
    case 'c':
        return memory_operand ? RW : W;
    case 'o':
        return memory_operand ? RW : R;
    default:
        assert_int_equal(c, '.');
        return 0;
    }
}

/* ModRM forms: [reg], [SIB + disp32], [reg + disp8], register. The zeros behind are what the opcode takes of them. */
static void assert_memory(const char *opcode, size_t size, char c, unsigned reg)
{
    static const uint8_t forms[] = { 0x00, 0x84, 0x47, 0xc1 };
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        bool memory_operand = forms[i] < 0xc0;
        uint8_t bytes[12] = { 0 };
        memcpy(bytes, opcode, size);
        bytes[size] = (uint8_t)(forms[i] | reg << 3);
        struct insn insn = classify(bytes, sizeof(bytes), false);
        unsigned expected = chart_flags(c, memory_operand);
        if (size == 1 && (bytes[0] == 0x86 || bytes[0] == 0x87) && memory_operand) {
            expected |= INSN_LOCKED;
        }
        if ((insn.flags & ~S) != expected) {
            fail_msg("%02x %02x %02x: flags %u, not %u", bytes[0], bytes[1], bytes[2], insn.flags, expected);
        }
    }
}

static void memory_by_opcode(void **state)
{
    (void)state;
    for (unsigned op = 0; op < 0x100; op++) {
        const char one = one_byte_memory[op >> 4][op & 15], two = two_byte_memory[op >> 4][op & 15];
        const char bytes[2] = { 0x0f, (char)op };
        if (strchr("gpx", one) == NULL) {
            assert_memory(bytes + 1, 1, one, 0);
        }
        if (strchr("gpx", two) == NULL) {
            assert_memory(bytes, 2, two, 0);
        }
    }
}

static void memory_by_group(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        for (unsigned reg = 0; reg < 8; reg++) {
            if (groups[i].by_reg[reg] != 'x') {
                assert_memory(groups[i].bytes, groups[i].size, groups[i].by_reg[reg], reg);
            }
        }
    }
}

/* Charts of ends: j Jcc, LOOP and JCXZ; c near relative call; m relative jump; t near return; f far; i interrupt;
 * s string instruction; g group 5; '.' none; p prefix or escape. */
static const char *const one_byte_ends[16] = {
    "...............p", "................", "......p.......p.", "......p.......p.",
    "pppppppppppppppp", "................", "....pppp....ssss", "jjjjjjjjjjjjjjjj",
    "................", "..........f.....", "....ssss..ssssss", "................",
    "..ttpp....ffiiif", "................", "jjjj....cmfm....", "pipp...........g",
};

static const char *const two_byte_ends[16] = {
    ".....f.f........", "................", "................", "....ff..p.p.....",
    "................", "................", "................", "................",
    "jjjjjjjjjjjjjjjj", "................", "..........f.....", "................",
    "................", "................", "................", "................",
};

static enum block_end chart_end(char c, bool repeated)
{
    switch (c) {
    case 'j':
        return END_JCC;
    case 'c':
        return END_REL_CALL;
    case 'm':
        return END_REL_JMP;
    case 't':
        return END_RET;
    case 'f':
        return END_FAR;
    case 'i':
        return END_INT;
    case 's':
        return repeated ? END_REPEAT : END_PLAIN;
    default:
        assert_int_equal(c, '.');
        return END_PLAIN;
    }
}

/* Every ModRM, or every first byte of what follows, after every prefix. */
static void ends_by_opcode(void **state)
{
    static const uint8_t prefixes[] = { 0x66, 0x67, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0xf0, 0x48, 0xf2, 0xf3 };
    (void)state;
    for (unsigned n = 0; n < 0x20000; n++) {
        const unsigned op = n >> 8 & 0xff, map = n >> 16;
        const char c = (map ? two_byte_ends : one_byte_ends)[op >> 4][op & 15];
        if (c == 'p' || c == 'g') {
            continue;
        }
        uint8_t bytes[8] = { 0 };
        size_t length = 1;
        if (map) {
            bytes[length++] = 0x0f;
        }
        bytes[length++] = (uint8_t)op;
        bytes[length++] = (uint8_t)n;
        for (size_t i = 0; i <= COUNT_OF(prefixes); i++) {
            const bool bare = i == COUNT_OF(prefixes);
            bytes[0] = bare ? 0 : prefixes[i];
            const enum block_end expected = chart_end(c, !bare && (bytes[0] == 0xf2 || bytes[0] == 0xf3));
            const struct insn insn = insn_classify(bytes + bare, length - bare, true);
            if (insn.end != expected) {
                fail_msg("%02x %02x %02x %02x: end %d, not %d", bytes[0], bytes[1], bytes[2], bytes[3], (int)insn.end,
                         (int)expected);
            }
        }
    }
}

/* Callbacks are for exactly 0F 30, 32, 33, A2 and F4 among opcodes of one or two bytes, and for 0F 01 C9. */
static void hooks_by_opcode(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 0x10000; n++) {
        const uint8_t bytes[2] = { (uint8_t)(n >> 8), (uint8_t)n };
        const bool prefixed = bytes[0] >> 4 == 4 || strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", bytes[0]);
        const bool halt = bytes[0] == 0xf4 || (bytes[0] != 0 && prefixed && bytes[1] == 0xf4);
        const enum insn_hook expected = n == 0x0f30   ? HOOK_WRMSR
                                        : n == 0x0f32 ? HOOK_RDMSR
                                        : n == 0x0f33 ? HOOK_RDPMC
                                        : n == 0x0fa2 ? HOOK_CPUID
                                        : halt        ? HOOK_HALT
                                                      : HOOK_NONE;
        const enum insn_hook alone = bytes[1] == 0xf4 ? HOOK_HALT : HOOK_NONE;
        if (insn_classify(bytes, 2, true).hook != expected || insn_classify(bytes + 1, 1, true).hook != alone) {
            fail_msg("%02x %02x", bytes[0], bytes[1]);
        }
    }
    for (unsigned modrm = 0; modrm < 0x100; modrm++) {
        const uint8_t group_7[3] = { 0x0f, 0x01, (uint8_t)modrm }, group_6[3] = { 0x0f, 0x00, (uint8_t)modrm };
        const enum insn_hook expected = modrm == 0xc9 ? HOOK_HALT : HOOK_NONE; /* MWAIT */
        assert_int_equal(insn_classify(group_7, 3, true).hook, expected);
        assert_int_equal(insn_classify(group_6, 3, true).hook, HOOK_NONE);
    }
}

static const struct known known_64[] = {
    /* near branches */
    { "jo short", B("\x70\x05"), 0, END_JCC, HOOK_NONE },
    { "jg short", B("\x7f\xfb"), 0, END_JCC, HOOK_NONE },
    { "branch hint jne short", B("\x3e\x75\x05"), 0, END_JCC, HOOK_NONE },
    { "jo near", B("\x0f\x80\x00\x01\x00\x00"), 0, END_JCC, HOOK_NONE },
    { "jg near", B("\x0f\x8f\x00\x01\x00\x00"), 0, END_JCC, HOOK_NONE },
    { "bnd jne near", B("\xf2\x0f\x85\x00\x01\x00\x00"), 0, END_JCC, HOOK_NONE },
    { "loopne", B("\xe0\xfe"), 0, END_JCC, HOOK_NONE },
    { "loope", B("\xe1\xfe"), 0, END_JCC, HOOK_NONE },
    { "loop", B("\xe2\xfe"), 0, END_JCC, HOOK_NONE },
    { "jrcxz", B("\xe3\xfe"), 0, END_JCC, HOOK_NONE },
    { "jecxz", B("\x67\xe3\xfd"), 0, END_JCC, HOOK_NONE },
    { "jmp short", B("\xeb\xfe"), 0, END_REL_JMP, HOOK_NONE },
    { "jmp near", B("\xe9\xfb\xff\xff\xff"), 0, END_REL_JMP, HOOK_NONE },
    { "bnd jmp near", B("\xf2\xe9\xfa\xff\xff\xff"), 0, END_REL_JMP, HOOK_NONE },
    { "call near", B("\xe8\xfb\xff\xff\xff"), W, END_REL_CALL, HOOK_NONE },
    { "call near to a REX byte", B("\xe8\x00\x00\x00\x48"), W, END_REL_CALL, HOOK_NONE },
    { "call rax", B("\xff\xd0"), W, END_IND_CALL, HOOK_NONE },
    { "call r11", B("\x41\xff\xd3"), W, END_IND_CALL, HOOK_NONE },
    { "notrack call r11", B("\x3e\x41\xff\xd3"), W, END_IND_CALL, HOOK_NONE },
    { "call [rip + 0x100]", B("\xff\x15\x00\x01\x00\x00"), RW, END_IND_CALL, HOOK_NONE },
    { "call [r12]", B("\x41\xff\x14\x24"), RW, END_IND_CALL, HOOK_NONE },
    { "jmp rax", B("\xff\xe0"), 0, END_IND_JMP, HOOK_NONE },
    { "jmp r15", B("\x41\xff\xe7"), 0, END_IND_JMP, HOOK_NONE },
    { "jmp [rax*8 + table]", B("\xff\x24\xc5\x00\x10\x20\x00"), R, END_IND_JMP, HOOK_NONE },
    { "ret", B("\xc3"), R, END_RET, HOOK_NONE },
    { "rep ret", B("\xf3\xc3"), R, END_RET, HOOK_NONE },
    { "ret 8", B("\xc2\x08\x00"), R, END_RET, HOOK_NONE },

    /* far branches */
    { "call far [rax]", B("\xff\x18"), RW, END_FAR, HOOK_NONE },
    { "call far qword [rax]", B("\x48\xff\x18"), RW, END_FAR, HOOK_NONE },
    { "jmp far [rax]", B("\xff\x28"), R, END_FAR, HOOK_NONE },
    { "jmp far qword [r8 + 0x10]", B("\x49\xff\x68\x10"), R, END_FAR, HOOK_NONE },
    { "retf", B("\xcb"), R, END_FAR, HOOK_NONE },
    { "retfq", B("\x48\xcb"), R, END_FAR, HOOK_NONE },
    { "retf 8", B("\xca\x08\x00"), R, END_FAR, HOOK_NONE },
    { "iret", B("\xcf"), R, END_FAR, HOOK_NONE },
    { "iretq", B("\x48\xcf"), R, END_FAR, HOOK_NONE },
    { "syscall", B("\x0f\x05"), 0, END_FAR, HOOK_NONE },
    { "sysret", B("\x0f\x07"), 0, END_FAR, HOOK_NONE },
    { "sysretq", B("\x48\x0f\x07"), 0, END_FAR, HOOK_NONE },
    { "sysenter", B("\x0f\x34"), 0, END_FAR, HOOK_NONE },
    { "sysexit", B("\x0f\x35"), 0, END_FAR, HOOK_NONE },
    { "sysexitq", B("\x48\x0f\x35"), 0, END_FAR, HOOK_NONE },
    { "rsm", B("\x0f\xaa"), 0, END_FAR, HOOK_NONE },
    { "int3", B("\xcc"), 0, END_INT, HOOK_NONE },
    { "int 0x80", B("\xcd\x80"), 0, END_INT, HOOK_NONE },
    { "int1", B("\xf1"), 0, END_INT, HOOK_NONE },

    /* no branches, though some look like one or fault */
    { "ud2", B("\x0f\x0b"), 0, END_PLAIN, HOOK_NONE },
    { "hlt", B("\xf4"), 0, END_PLAIN, HOOK_HALT },
    { "inc dword [rax]", B("\xff\x00"), RW, END_PLAIN, HOOK_NONE },
    { "dec rax", B("\x48\xff\xc8"), 0, END_PLAIN, HOOK_NONE },
    { "push [rax]", B("\xff\x30"), RW, END_PLAIN, HOOK_NONE },
    { "mov al, 0xe8", B("\xb0\xe8"), 0, END_PLAIN, HOOK_NONE },
    { "mov rax, imm64 of branches", B("\x48\xb8\xe8\xe9\xeb\xc3\xcb\x0f\x05\xff"), 0, END_PLAIN, HOOK_NONE },
    { "add rax, r8 through REX", B("\x4c\x01\xc0"), 0, END_PLAIN, HOOK_NONE },
    { "vpabsb xmm0, xmm8: 0F 38 1C", B("\xc4\xc2\x79\x1c\xc0"), 0, END_PLAIN, HOOK_NONE },

    /* what the model takes part in, and its neighbours */
    { "cpuid", B("\x0f\xa2"), S, END_PLAIN, HOOK_CPUID },
    { "rdmsr", B("\x0f\x32"), 0, END_PLAIN, HOOK_RDMSR },
    { "wrmsr", B("\x0f\x30"), S, END_PLAIN, HOOK_WRMSR },
    { "rdpmc", B("\x0f\x33"), 0, END_PLAIN, HOOK_RDPMC },
    { "rex.w rdmsr", B("\x48\x0f\x32"), 0, END_PLAIN, HOOK_RDMSR },
    { "data16 cpuid", B("\x66\x0f\xa2"), S, END_PLAIN, HOOK_CPUID },
    { "rdtsc", B("\x0f\x31"), 0, END_PLAIN, HOOK_NONE },
    { "rdtscp", B("\x0f\x01\xf9"), 0, END_PLAIN, HOOK_NONE },
    { "lfence", B("\x0f\xae\xe8"), S, END_PLAIN, HOOK_NONE },
    { "lfence in its last form", B("\x0f\xae\xef"), S, END_PLAIN, HOOK_NONE },
    { "sfence", B("\x0f\xae\xf8"), 0, END_PLAIN, HOOK_NONE },
    { "rdgsbase eax", B("\xf3\x0f\xae\xc8"), 0, END_PLAIN, HOOK_NONE },
    { "incsspd eax", B("\xf3\x0f\xae\xe8"), 0, END_PLAIN, HOOK_NONE },
    { "xrstor [rax]", B("\x0f\xae\x28"), R, END_PLAIN, HOOK_NONE },
    { "serialize", B("\x0f\x01\xe8"), S, END_PLAIN, HOOK_NONE },
    { "setssbsy", B("\xf3\x0f\x01\xe8"), 0, END_PLAIN, HOOK_NONE },
    { "rdpkru", B("\x0f\x01\xee"), 0, END_PLAIN, HOOK_NONE },
    { "mov eax, 0x320f", B("\xb8\x0f\x32\x00\x00"), 0, END_PLAIN, HOOK_NONE },
    { "mov byte [rdx], 0xa2", B("\xc6\x02\xa2"), W, END_PLAIN, HOOK_NONE },

    /* loads, stores, both */
    { "mov eax, [rbx]", B("\x8b\x03"), R, END_PLAIN, HOOK_NONE },
    { "mov r9, [gs:rax + 8]", B("\x65\x4c\x8b\x48\x08"), R, END_PLAIN, HOOK_NONE },
    { "mov eax, ebx", B("\x89\xd8"), 0, END_PLAIN, HOOK_NONE },
    { "mov [rbx], eax", B("\x89\x03"), W, END_PLAIN, HOOK_NONE },
    { "mov dword [rip + 4], 1", B("\xc7\x05\x04\x00\x00\x00\x01\x00\x00\x00"), W, END_PLAIN, HOOK_NONE },
    { "mov rax, [abs moffs]", B("\x48\xa1\x00\x00\x20\x00\x00\x00\x00\x00"), R, END_PLAIN, HOOK_NONE },
    { "mov [abs moffs], al", B("\xa2\x00\x00\x20\x00\x00\x00\x00\x00"), W, END_PLAIN, HOOK_NONE },
    { "movsxd rax, [rbx]", B("\x48\x63\x03"), R, END_PLAIN, HOOK_NONE },
    { "movzx eax, byte [rdi]", B("\x0f\xb6\x07"), R, END_PLAIN, HOOK_NONE },
    { "cmp [rax], ecx", B("\x39\x08"), R, END_PLAIN, HOOK_NONE },
    { "cmp dword [rax], 5", B("\x83\x38\x05"), R, END_PLAIN, HOOK_NONE },
    { "add dword [rax], 5", B("\x83\x00\x05"), RW, END_PLAIN, HOOK_NONE },
    { "add eax, 5", B("\x83\xc0\x05"), 0, END_PLAIN, HOOK_NONE },
    { "test dword [rax], 1", B("\xf7\x00\x01\x00\x00\x00"), R, END_PLAIN, HOOK_NONE },
    { "neg qword [rax]", B("\x48\xf7\x18"), RW, END_PLAIN, HOOK_NONE },
    { "sete [rax]", B("\x0f\x94\x00"), W, END_PLAIN, HOOK_NONE },
    { "cmove eax, [rbx]", B("\x0f\x44\x03"), R, END_PLAIN, HOOK_NONE },
    { "xlat", B("\xd7"), R, END_PLAIN, HOOK_NONE },
    { "movnti [rax], ecx", B("\x0f\xc3\x08"), W, END_PLAIN, HOOK_NONE },
    { "fldcw [rax]", B("\xd9\x28"), R, END_PLAIN, HOOK_NONE },
    { "fnstcw [rax]", B("\xd9\x38"), W, END_PLAIN, HOOK_NONE },
    { "fld st1", B("\xd9\xc1"), 0, END_PLAIN, HOOK_NONE },
    { "emms", B("\x0f\x77"), 0, END_PLAIN, HOOK_NONE },
    { "lgdt [rax]", B("\x0f\x01\x10"), R, END_PLAIN, HOOK_NONE },
    { "swapgs", B("\x0f\x01\xf8"), 0, END_PLAIN, HOOK_NONE },
    { "xgetbv", B("\x0f\x01\xd0"), 0, END_PLAIN, HOOK_NONE },
    { "mov rax, cr3", B("\x0f\x20\xd8"), 0, END_PLAIN, HOOK_NONE },
    { "rdrand eax", B("\x0f\xc7\xf0"), 0, END_PLAIN, HOOK_NONE },
    { "rdfsbase rax", B("\xf3\x48\x0f\xae\xc0"), 0, END_PLAIN, HOOK_NONE },

    /* the stack */
    { "push rax", B("\x50"), W, END_PLAIN, HOOK_NONE },
    { "push r15", B("\x41\x57"), W, END_PLAIN, HOOK_NONE },
    { "push 8", B("\x6a\x08"), W, END_PLAIN, HOOK_NONE },
    { "pop rbx", B("\x5b"), R, END_PLAIN, HOOK_NONE },
    { "pop r9 through 8F", B("\x41\x8f\xc1"), R, END_PLAIN, HOOK_NONE },
    { "pop [rax]", B("\x8f\x00"), RW, END_PLAIN, HOOK_NONE },
    { "push fs", B("\x0f\xa0"), W, END_PLAIN, HOOK_NONE },
    { "pop gs", B("\x0f\xa9"), R, END_PLAIN, HOOK_NONE },
    { "pushf", B("\x9c"), W, END_PLAIN, HOOK_NONE },
    { "popf", B("\x9d"), R, END_PLAIN, HOOK_NONE },
    { "leave", B("\xc9"), R, END_PLAIN, HOOK_NONE },
    { "enter 16, 0", B("\xc8\x10\x00\x00"), W, END_PLAIN, HOOK_NONE },

    /* strings */
    { "movsb", B("\xa4"), RW, END_PLAIN, HOOK_NONE },
    { "rep movsq", B("\xf3\x48\xa5"), RW, END_REPEAT, HOOK_NONE },
    { "repne movsb", B("\xf2\xa4"), RW, END_REPEAT, HOOK_NONE },
    { "stosd", B("\xab"), W, END_PLAIN, HOOK_NONE },
    { "rep stosb", B("\xf3\xaa"), W, END_REPEAT, HOOK_NONE },
    { "rep es stosw", B("\x26\xf3\x66\xab"), W, END_REPEAT, HOOK_NONE },
    { "lodsq", B("\x48\xad"), R, END_PLAIN, HOOK_NONE },
    { "repe cmpsb", B("\xf3\xa6"), R, END_REPEAT, HOOK_NONE },
    { "repne scasb", B("\xf2\xae"), R, END_REPEAT, HOOK_NONE },
    { "rep insb", B("\xf3\x6c"), W, END_REPEAT, HOOK_NONE },
    { "rep outsb", B("\xf3\x6e"), R, END_REPEAT, HOOK_NONE },

    /* locked */
    { "lock inc dword [rax]", B("\xf0\xff\x00"), LRW, END_PLAIN, HOOK_NONE },
    { "lock xadd [rax], ecx", B("\xf0\x0f\xc1\x08"), LRW, END_PLAIN, HOOK_NONE },
    { "xadd [rax], ecx", B("\x0f\xc1\x08"), RW, END_PLAIN, HOOK_NONE },
    { "lock cmpxchg [rax], rcx", B("\xf0\x48\x0f\xb1\x08"), LRW, END_PLAIN, HOOK_NONE },
    { "lock cmpxchg16b [rax]", B("\xf0\x48\x0f\xc7\x08"), LRW, END_PLAIN, HOOK_NONE },
    { "lock bts dword [rax], 3", B("\xf0\x0f\xba\x28\x03"), LRW, END_PLAIN, HOOK_NONE },
    { "bts dword [rax], 3", B("\x0f\xba\x28\x03"), RW, END_PLAIN, HOOK_NONE },
    { "bt dword [rax], 3", B("\x0f\xba\x20\x03"), R, END_PLAIN, HOOK_NONE },
    { "xacquire lock or [rax], ecx", B("\xf2\xf0\x09\x08"), LRW, END_PLAIN, HOOK_NONE },
    { "xchg [rax], ecx", B("\x87\x08"), LRW, END_PLAIN, HOOK_NONE },
    { "xchg [rax], cl", B("\x86\x08"), LRW, END_PLAIN, HOOK_NONE },
    { "xchg eax, ecx through ModRM", B("\x87\xc8"), 0, END_PLAIN, HOOK_NONE },
    { "xchg rax, r8", B("\x49\x90"), 0, END_PLAIN, HOOK_NONE },

    /* an address, and no access */
    { "lea rax, [rbx + 8]", B("\x48\x8d\x43\x08"), 0, END_PLAIN, HOOK_NONE },
    { "nop", B("\x90"), 0, END_PLAIN, HOOK_NONE },
    { "pause", B("\xf3\x90"), 0, END_PLAIN, HOOK_NONE },
    { "nop dword [rax + rax]", B("\x0f\x1f\x44\x00\x00"), 0, END_PLAIN, HOOK_NONE },
    { "cs nop word [rax + rax]", B("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00"), 0, END_PLAIN, HOOK_NONE },
    { "endbr64", B("\xf3\x0f\x1e\xfa"), 0, END_PLAIN, HOOK_NONE },
    { "prefetcht0 [rax]", B("\x0f\x18\x08"), 0, END_PLAIN, HOOK_NONE },
    { "prefetchw [rax]", B("\x0f\x0d\x08"), 0, END_PLAIN, HOOK_NONE },
    { "clflush [rax]", B("\x0f\xae\x38"), 0, END_PLAIN, HOOK_NONE },
    { "clflushopt [rax]", B("\x66\x0f\xae\x38"), 0, END_PLAIN, HOOK_NONE },
    { "clwb [rax]", B("\x66\x0f\xae\x30"), 0, END_PLAIN, HOOK_NONE },
    { "xsaveopt [rax]", B("\x0f\xae\x30"), W, END_PLAIN, HOOK_NONE },
    { "invlpg [rax]", B("\x0f\x01\x38"), 0, END_PLAIN, HOOK_NONE },
    { "mfence", B("\x0f\xae\xf0"), 0, END_PLAIN, HOOK_NONE },

    /* SSE and the three-byte opcodes */
    { "movups xmm0, [rax]", B("\x0f\x10\x00"), R, END_PLAIN, HOOK_NONE },
    { "movups [rax], xmm0", B("\x0f\x11\x00"), W, END_PLAIN, HOOK_NONE },
    { "movd [rax], xmm0", B("\x66\x0f\x7e\x00"), W, END_PLAIN, HOOK_NONE },
    { "movq xmm0, [rax]", B("\xf3\x0f\x7e\x00"), R, END_PLAIN, HOOK_NONE },
    { "movq [rax], xmm0", B("\x66\x0f\xd6\x00"), W, END_PLAIN, HOOK_NONE },
    { "popcnt eax, [rbx]", B("\xf3\x0f\xb8\x03"), R, END_PLAIN, HOOK_NONE },
    { "maskmovdqu xmm0, xmm1", B("\x66\x0f\xf7\xc1"), W, END_PLAIN, HOOK_NONE },
    { "pshufb xmm0, [rax]", B("\x66\x0f\x38\x00\x00"), R, END_PLAIN, HOOK_NONE },
    { "movbe eax, [rbx]", B("\x0f\x38\xf0\x03"), R, END_PLAIN, HOOK_NONE },
    { "movbe [rbx], eax", B("\x0f\x38\xf1\x03"), W, END_PLAIN, HOOK_NONE },
    { "movbe [rbx], ax", B("\x66\x0f\x38\xf1\x03"), W, END_PLAIN, HOOK_NONE },
    { "crc32 eax, dword [rbx]", B("\xf2\x0f\x38\xf1\x03"), R, END_PLAIN, HOOK_NONE },
    { "crc32 eax, ebx", B("\xf2\x0f\x38\xf1\xc3"), 0, END_PLAIN, HOOK_NONE },
    { "palignr xmm0, [rax], 8", B("\x66\x0f\x3a\x0f\x00\x08"), R, END_PLAIN, HOOK_NONE },
    { "pinsrd xmm0, [rax], 1", B("\x66\x0f\x3a\x22\x00\x01"), R, END_PLAIN, HOOK_NONE },
    { "pextrb [rax], xmm0, 1", B("\x66\x0f\x3a\x14\x00\x01"), W, END_PLAIN, HOOK_NONE },
    { "pextrw [rax], xmm0, 1", B("\x66\x0f\x3a\x15\x00\x01"), W, END_PLAIN, HOOK_NONE },
    { "pextrq [rax], xmm0, 1", B("\x66\x48\x0f\x3a\x16\x00\x01"), W, END_PLAIN, HOOK_NONE },
    { "extractps [rax], xmm0, 1", B("\x66\x0f\x3a\x17\x00\x01"), W, END_PLAIN, HOOK_NONE },
    { "pextrd eax, xmm0, 1", B("\x66\x0f\x3a\x16\xc0\x01"), 0, END_PLAIN, HOOK_NONE },

    /* VEX */
    { "vmovups ymm0, [rax]", B("\xc5\xfc\x10\x00"), R, END_PLAIN, HOOK_NONE },
    { "vmovups [rax], ymm0", B("\xc5\xfc\x11\x00"), W, END_PLAIN, HOOK_NONE },
    { "vmovups [r8], ymm0", B("\xc4\xc1\x7c\x11\x00"), W, END_PLAIN, HOOK_NONE },
    { "vaddps xmm0, xmm1, xmm2", B("\xc5\xf0\x58\xc2"), 0, END_PLAIN, HOOK_NONE },
    { "vmovd [rax], xmm0", B("\xc5\xf9\x7e\x00"), W, END_PLAIN, HOOK_NONE },
    { "vmovq xmm0, [rax]", B("\xc5\xfa\x7e\x00"), R, END_PLAIN, HOOK_NONE },
    { "vmovq xmm0, [r8]", B("\xc4\xc1\x7a\x7e\x00"), R, END_PLAIN, HOOK_NONE },
    { "vzeroupper", B("\xc5\xf8\x77"), 0, END_PLAIN, HOOK_NONE },
    { "vbroadcastss ymm0, [rax]", B("\xc4\xe2\x7d\x18\x00"), R, END_PLAIN, HOOK_NONE },
    { "vmaskmovps ymm0, ymm1, [rax]", B("\xc4\xe2\x75\x2c\x00"), R, END_PLAIN, HOOK_NONE },
    { "vmaskmovps [rax], ymm1, ymm0", B("\xc4\xe2\x75\x2e\x00"), W, END_PLAIN, HOOK_NONE },
    { "vmaskmovpd [rax], ymm1, ymm0", B("\xc4\xe2\x75\x2f\x00"), W, END_PLAIN, HOOK_NONE },
    { "vpmaskmovd ymm0, ymm1, [rax]", B("\xc4\xe2\x75\x8c\x00"), R, END_PLAIN, HOOK_NONE },
    { "vpmaskmovd [rax], ymm1, ymm0", B("\xc4\xe2\x75\x8e\x00"), W, END_PLAIN, HOOK_NONE },
    { "vextractf128 [rax], ymm0, 1", B("\xc4\xe3\x7d\x19\x00\x01"), W, END_PLAIN, HOOK_NONE },
    { "vextracti128 [rax], ymm0, 1", B("\xc4\xe3\x7d\x39\x00\x01"), W, END_PLAIN, HOOK_NONE },
    { "vcvtps2ph [rax], ymm0, 0", B("\xc4\xe3\x7d\x1d\x00\x00"), W, END_PLAIN, HOOK_NONE },
    { "vpextrd [rax], xmm0, 1", B("\xc4\xe3\x79\x16\x00\x01"), W, END_PLAIN, HOOK_NONE },
    { "vinserti128 ymm0, ymm1, [rax], 1", B("\xc4\xe3\x75\x38\x00\x01"), R, END_PLAIN, HOOK_NONE },
    { "shlx eax, [rbx], ecx", B("\xc4\xe2\x71\xf7\x03"), R, END_PLAIN, HOOK_NONE },
    { "rorx eax, ebx, 3", B("\xc4\xe3\x7b\xf0\xc3\x03"), 0, END_PLAIN, HOOK_NONE },
};

/* 16-bit and 32-bit code: instructions that 64-bit code lacks or encodes differently. */
static const struct known known_32[] = {
    { "inc eax", B("\x40"), 0, END_PLAIN, HOOK_NONE },
    { "dec edi", B("\x4f"), 0, END_PLAIN, HOOK_NONE },
    { "dec di", B("\x66\x4f"), 0, END_PLAIN, HOOK_NONE },
    { "jmp far 8:0x1000", B("\xea\x00\x10\x00\x00\x08\x00"), 0, END_FAR, HOOK_NONE },
    { "call far 8:0x1000", B("\x9a\x00\x10\x00\x00\x08\x00"), W, END_FAR, HOOK_NONE },
    { "jmp far 0:0x7c05 of 16 bits", B("\xea\x05\x7c\x00\x00"), 0, END_FAR, HOOK_NONE },
    { "jne near of 16 bits", B("\x0f\x85\x00\x01"), 0, END_JCC, HOOK_NONE },
    { "call near of 16 bits", B("\xe8\x00\x01"), W, END_REL_CALL, HOOK_NONE },
    { "jcxz", B("\x67\xe3\xfd"), 0, END_JCC, HOOK_NONE },
    { "into", B("\xce"), 0, END_INT, HOOK_NONE },
    { "iret", B("\xcf"), R, END_FAR, HOOK_NONE },
    { "push ds", B("\x1e"), W, END_PLAIN, HOOK_NONE },
    { "pop es", B("\x07"), R, END_PLAIN, HOOK_NONE },
    { "pusha", B("\x60"), W, END_PLAIN, HOOK_NONE },
    { "popa", B("\x61"), R, END_PLAIN, HOOK_NONE },
    { "bound eax, [ebx]", B("\x62\x03"), R, END_PLAIN, HOOK_NONE },
    { "mov eax, [0x200000]", B("\xa1\x00\x00\x20\x00"), R, END_PLAIN, HOOK_NONE },
    { "mov ax, [bx] of 16 bits", B("\x8b\x07"), R, END_PLAIN, HOOK_NONE },
    { "lss esp, [0x200000]", B("\x0f\xb2\x25\x00\x00\x20\x00"), R, END_PLAIN, HOOK_NONE },
    { "aam", B("\xd4\x0a"), 0, END_PLAIN, HOOK_NONE },
};

/* Instructions whose bytes could be VEX in 64-bit code, where they would be neither a branch nor a hook. */
static const struct known extinct[] = {
    { "les eax, [eax + 0xe8]", B("\xc4\x80\xe8\x00\x00\x00"), R, END_PLAIN, HOOK_NONE },
    { "les eax, [eax + 0xe8e8]", B("\xc4\x80\xe8\xe8\x00\x00"), R, END_PLAIN, HOOK_NONE },
    { "lds eax, [ebp + 0x80]", B("\xc5\x85\x80\x00\x00\x00"), R, END_PLAIN, HOOK_NONE },
    { "lds eax, [ebp - 0x5e]", B("\xc5\x45\xa2"), R, END_PLAIN, HOOK_NONE },
    { "lds eax, [ebp + 0x32]", B("\xc5\x45\x32"), R, END_PLAIN, HOOK_NONE },
    { "les esp, [0x05050505]", B("\xc4\x25\x05\x05\x05\x05"), R, END_PLAIN, HOOK_NONE },
};

static void instructions_of_64_bits(void **state)
{
    (void)state;
    assert_known(known_64, COUNT_OF(known_64), true);
}

static void instructions_of_32_bits(void **state)
{
    (void)state;
    assert_known(known_32, COUNT_OF(known_32), false);
}

static void les_and_lds(void **state)
{
    (void)state;
    assert_known(extinct, COUNT_OF(extinct), false);
    for (size_t i = 0; i < COUNT_OF(extinct); i++) {
        struct insn insn = classify(extinct[i].bytes, extinct[i].size, true);
        if (insn.end != END_PLAIN || insn.hook != HOOK_NONE) {
            fail_msg("%s: end %d hook %d", extinct[i].text, (int)insn.end, (int)insn.hook);
        }
    }
}

/* Segment and address-size prefixes change no result. */
static void assert_prefixed(const struct known *known, size_t count, bool ia32e)
{
    static const uint8_t prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x67 };
    for (size_t i = 0; i < count * COUNT_OF(prefixes); i++) {
        const struct known *k = &known[i / COUNT_OF(prefixes)];
        char bytes[16] = { (char)prefixes[i % COUNT_OF(prefixes)] };
        memcpy(bytes + 1, k->bytes, k->size);
        struct known prefixed = *k;
        prefixed.bytes = bytes;
        prefixed.size++;
        assert_known(&prefixed, 1, ia32e);
    }
}

static void prefixes(void **state)
{
    (void)state;
    assert_prefixed(known_64, COUNT_OF(known_64), true);
    assert_prefixed(known_32, COUNT_OF(known_32), false);
}

static void nothing_but_prefixes(void **state)
{
    static const uint8_t prefixes[15] = { 0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x2e, 0x36, 0x3e,
                                          0x26, 0x64, 0x65, 0x66, 0xf3, 0xf0, 0x48 };
    (void)state;
    for (size_t size = 0; size <= sizeof(prefixes); size++) {
        struct insn insn = classify(prefixes, size, true);
        assert_int_equal(insn.end, END_PLAIN);
        assert_int_equal(insn.hook, HOOK_NONE);
        assert_int_equal(insn.flags, 0);
    }
}

/* A truncated instruction has at most the flags of the whole one, and never a hook. */
static void assert_truncated(const struct known *known, size_t count, bool ia32e)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t size = 0; size < known[i].size; size++) {
            struct insn insn = classify(known[i].bytes, size, ia32e);
            if ((insn.end != END_PLAIN && insn.end != known[i].end) || insn.hook != HOOK_NONE ||
                (insn.flags & ~known[i].flags) != 0) {
                fail_msg("%zu bytes of %s: end %d hook %d flags %u", size, known[i].text, (int)insn.end, (int)insn.hook,
                         insn.flags);
            }
        }
    }
}

static void truncated_at_every_length(void **state)
{
    (void)state;
    assert_truncated(known_64, COUNT_OF(known_64), true);
    assert_truncated(known_32, COUNT_OF(known_32), false);
}

/* Encodings by nasm; the units by the manual's sentences on each event. */
static void execution_units(void **state)
{
    static const struct {
        const char *text, *bytes;
        size_t size;
        enum insn_unit unit;
    } rows[] = {
        { "add eax, ebx", B("\x01\xd8"), UNIT_INTEGER },
        { "fadd st1", B("\xd8\xc1"), UNIT_X87 },
        { "fadd dword [ebx]", B("\xd8\x03"), UNIT_X87 },
        { "fld1", B("\xd9\xe8"), UNIT_INTEGER },
        { "fld dword [ebx]", B("\xd9\x03"), UNIT_INTEGER },
        { "fchs", B("\xd9\xe0"), UNIT_X87 },
        { "fincstp", B("\xd9\xf7"), UNIT_INTEGER },
        { "fsqrt", B("\xd9\xfa"), UNIT_X87 },
        { "fiadd dword [ebx]", B("\xda\x03"), UNIT_X87 },
        { "fcmovb st1", B("\xda\xc1"), UNIT_INTEGER },
        { "fucompp", B("\xda\xe9"), UNIT_X87 },
        { "fild dword [ebx]", B("\xdb\x03"), UNIT_INTEGER },
        { "fninit", B("\xdb\xe3"), UNIT_INTEGER },
        { "fcomi st1", B("\xdb\xf1"), UNIT_X87 },
        { "fmul st1, st0", B("\xdc\xc9"), UNIT_X87 },
        { "fst st1", B("\xdd\xd1"), UNIT_INTEGER },
        { "fucom st1", B("\xdd\xe1"), UNIT_X87 },
        { "faddp st1", B("\xde\xc1"), UNIT_X87 },
        { "fistp word [ebx]", B("\xdf\x1b"), UNIT_INTEGER },
        { "fnstsw ax", B("\xdf\xe0"), UNIT_INTEGER },
        { "fcomip st1", B("\xdf\xf1"), UNIT_X87 },
        { "movaps xmm0, xmm1", B("\x0f\x28\xc1"), UNIT_INTEGER },
        { "addps xmm0, xmm1", B("\x0f\x58\xc1"), UNIT_PACKED_SP },
        { "addpd xmm0, xmm1", B("\x66\x0f\x58\xc1"), UNIT_PACKED_DP },
        { "addss xmm0, xmm1", B("\xf3\x0f\x58\xc1"), UNIT_SCALAR_SP },
        { "addsd xmm0, xmm1", B("\xf2\x0f\x58\xc1"), UNIT_SCALAR_DP },
        { "mulps xmm8, xmm9", B("\x45\x0f\x59\xc1"), UNIT_PACKED_SP },
        { "xorps xmm0, xmm0", B("\x0f\x57\xc0"), UNIT_PACKED_SP },
        { "cmpsd xmm0, xmm1, 1", B("\xf2\x0f\xc2\xc1\x01"), UNIT_SCALAR_DP },
        { "shufps xmm0, xmm1, 0", B("\x0f\xc6\xc1\x00"), UNIT_PACKED_SP },
        { "comiss xmm0, xmm1", B("\x0f\x2f\xc1"), UNIT_SCALAR_SP },
        { "ucomisd xmm0, xmm1", B("\x66\x0f\x2e\xc1"), UNIT_SCALAR_DP },
        { "cvtsi2sd xmm0, eax", B("\xf2\x0f\x2a\xc0"), UNIT_INTEGER },
        { "paddd mm0, mm1", B("\x0f\xfe\xc1"), UNIT_MMX_64 },
        { "paddd xmm0, xmm1", B("\x66\x0f\xfe\xc1"), UNIT_MMX_128 },
        { "pslld mm0, 1", B("\x0f\x72\xf0\x01"), UNIT_MMX_64 },
        { "pshufd xmm0, xmm1, 0", B("\x66\x0f\x70\xc1\x00"), UNIT_MMX_128 },
        { "pshuflw xmm0, xmm1, 0", B("\xf2\x0f\x70\xc1\x00"), UNIT_MMX_128 },
        { "movq mm0, mm1", B("\x0f\x6f\xc1"), UNIT_INTEGER },
        { "movdqa xmm0, xmm1", B("\x66\x0f\x6f\xc1"), UNIT_INTEGER },
        { "emms", B("\x0f\x77"), UNIT_INTEGER },
        { "rdmsr", B("\x0f\x32"), UNIT_INTEGER },
        { "cvttpd2dq xmm0, xmm1", B("\x66\x0f\xe6\xc1"), UNIT_INTEGER },
        { "vaddps ymm0, ymm1, ymm2", B("\xc5\xf4\x58\xc2"), UNIT_INTEGER },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct insn insn = classify(rows[i].bytes, rows[i].size, true);

        if (insn.unit != rows[i].unit) {
            fail_msg("%s: unit %d, not %d", rows[i].text, (int)insn.unit, (int)rows[i].unit);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_by_opcode),
        cmocka_unit_test(hooks_by_opcode),
        cmocka_unit_test(memory_by_opcode),
        cmocka_unit_test(memory_by_group),
        cmocka_unit_test(instructions_of_64_bits),
        cmocka_unit_test(instructions_of_32_bits),
        cmocka_unit_test(les_and_lds),
        cmocka_unit_test(prefixes),
        cmocka_unit_test(nothing_but_prefixes),
        cmocka_unit_test(truncated_at_every_length),
        cmocka_unit_test(execution_units),
    };
    return cmocka_run_group_tests_name("the model's instruction classifier", tests, NULL, NULL);
}
