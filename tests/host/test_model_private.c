/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the model finds QEMU's private state. This program exports the symbols that the model looks up, and its processor
 * is a heap object with QEMU 11.1's first fields in 64 bits; tests/qemu/options.t has qemu-system-i386, which has 32.
 * tests/qemu/losses.t tests the reports of missing and unexpected symbols.
 */
#define _GNU_SOURCE
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

#include "model/private/qemu_loss.h"
#include "model/private/qemu_private.h"

#define EXPORT __attribute__((visibility("default")))

#define PC_RELATIVE (UINT32_C(1) << 17)
#define OF_CLUSTER  (UINT32_C(1) << 24)
#define SETS        (UINT32_C(127) << 25)
#define OTHER_FLAGS (UINT32_C(1) << 3 | UINT32_C(1) << 20)

/* --- QEMU --------------------------------------------------------------------------------------------------------- */

struct processor {
    const void *class;
    void (*free)(void *object);
    uint32_t decoy, translation_flags, another_decoy, nothing;
    uint64_t regs[16], eip, eflags;
    uint32_t status, operation, more[10]; /* from which the status flags are computed */
    uint64_t end[8];
    uint8_t vectors[16][64];
};

struct field {
    const char *name;
    size_t offset, size;
    char more[72];
};

struct description {
    const char *name;
    char more[88];
    const struct field *fields;
    const void *subsections;
};

EXPORT _Thread_local void *current_cpu;
static struct field fields[8] = { { .name = "env.regs" },
                                  { .name = "env.eip" },
                                  { .name = "env.eflags" },
                                  { .name = "env.fpregs" },
                                  { .name = "env.xmm_regs", .size = 64 },
                                  { .name = "env.tsc_offset", .size = 8 },
                                  { .name = "env.hflags2", .size = 4 } };
/* In its own section, where clang's sanitizer does not change the symbol's size, which the model checks. */
EXPORT __attribute__((section("qemu"))) struct description vmstate_x86_cpu = { .name = "cpu", .fields = fields };
EXPORT int use_icount;
EXPORT bool tcg_allowed = true;

static bool several_threads = true;

EXPORT bool qemu_tcg_mttcg_enabled(void);

FAKE(bool, qemu_tcg_mttcg_enabled, (void), several_threads)

static unsigned restored; /* calls */
static uintptr_t restored_for;
static void *restored_cpu;
static struct {
    void *env;
    int vector, error_code;
    uintptr_t host_pc;
} raised;
static const char *dumped;
static uint32_t last_leaf, last_extended_leaf;

EXPORT void g_free(void *object);
EXPORT void *object_dynamic_cast(void *object, const char *type);
EXPORT uint64_t helper_read_eflags(void *env);
EXPORT bool cpu_restore_state(void *cpu, uintptr_t host_pc);
EXPORT uint64_t cpu_get_tsc(void *env);
EXPORT void raise_exception_err_ra(void *env, int vector, int error_code, uintptr_t host_pc);
EXPORT void cpu_dump_state(void *cpu, FILE *stream, int flags);
EXPORT void cpu_x86_cpuid(void *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                          uint32_t *edx);
EXPORT bool tcg_cflags_has(void *cpu, uint32_t flags);
EXPORT void *tlb_vaddr_to_host(void *env, uint64_t address, int access, int mmu_index);
EXPORT int cpu_mmu_index_kernel(void *env);

FAKE_VOID(g_free, (void *object), free(object))
FAKE(void *, object_dynamic_cast, (void *object, const char *type), strcmp(type, "x86_64-cpu") == 0 ? object : NULL)

static void *env_of(void *cpu)
{
    return (char *)cpu + offsetof(struct processor, regs);
}

/* The words after EFLAGS: status, operation, ... */
static uint32_t *state_of(void *cpu)
{
    return &((struct processor *)cpu)->status;
}

/* IF and AC from EFLAGS; CF to OF from `status`: unchanged if `operation` is 1, inverted if it is 2. */
uint64_t helper_read_eflags(void *env)
{
    struct processor *const cpu = (void *)((char *)env - offsetof(struct processor, regs));
    const uint32_t *state = state_of(cpu);
    const uint32_t status = state[1] == 2 ? ~state[0] : state[1] == 1 ? state[0] : 0;

    return cpu->eflags | (status & 0x8d5);
}

#define ONE_WORD  0x1000 /* translated code in which RIP and `operation` (2) are stale */
#define TWO_WORDS 0x2000 /* and also `status` (4) */
#define NO_WORD   0x3000 /* only RIP */

bool cpu_restore_state(void *cpu, uintptr_t host_pc)
{
    restored++;
    restored_for = host_pc;
    restored_cpu = cpu;
    if (host_pc != ONE_WORD && host_pc != TWO_WORDS && host_pc != NO_WORD)
        return false;
    ((struct processor *)cpu)->eip = 0x401000;
    if (host_pc != NO_WORD)
        state_of(cpu)[1] = 2;
    if (host_pc == TWO_WORDS)
        state_of(cpu)[0] = 4;
    return true;
}

FAKE(uint64_t, cpu_get_tsc, (void *env), env == env_of(current_cpu) ? 0x1122334455 : 0)

/* Address of a writable page. */
static char page[4096];

FAKE(void *, tlb_vaddr_to_host, (void *env, uint64_t address, int access, int mmu_index),
     assert_ptr_equal(env, env_of(current_cpu)),
     access == 1 && mmu_index == 5 && address - 0xffff888000001000 < sizeof(page) ? page + (address & 0xfff) : NULL)
FAKE(int, cpu_mmu_index_kernel, (void *env), assert_ptr_equal(env, env_of(current_cpu)), 5)
FAKE_VOID(raise_exception_err_ra, (void *env, int vector, int error_code, uintptr_t host_pc), raised.env = env,
          raised.vector = vector, raised.error_code = error_code, raised.host_pc = host_pc)
FAKE_VOID(cpu_dump_state, (void *cpu, FILE *stream, int flags), assert_ptr_equal(cpu, current_cpu),
          assert_int_equal(flags, 0), fputs(dumped, stream))

void cpu_x86_cpuid(void *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                   uint32_t *edx)
{
    assert_ptr_equal(env, env_of(current_cpu));
    assert_int_equal(subleaf, 0);
    *eax = leaf == 0 ? last_leaf : leaf == 0x80000000 ? last_extended_leaf : leaf + 1;
    *ebx = leaf + 2;
    *ecx = leaf + 3;
    *edx = leaf + 4;
}

FAKE(static uint32_t *, translation_flags, (void *cpu), &((struct processor *)cpu)->translation_flags)
FAKE(bool, tcg_cflags_has, (void *cpu, uint32_t flags), *translation_flags(cpu) & flags)

static struct processor *the_cpu(void)
{
    return current_cpu;
}

/* Creates QEMU's processor, and finds it. */
static struct qemu_private *found(void)
{
    struct qemu_private *p = calloc(1, sizeof(*p));
    struct processor *cpu = calloc(1, sizeof(*cpu));

    assert_non_null(cpu);
    cpu->free = g_free;
    for (unsigned i = 0; i < 16; i++)
        cpu->regs[i] = 0xffff000000000100 + i;
    cpu->eip = 0xffffffff81000000;
    cpu->eflags = 0x202;
    cpu->translation_flags = cpu->decoy = cpu->another_decoy = PC_RELATIVE | OF_CLUSTER | SETS | OTHER_FLAGS;
    current_cpu = cpu;
    fields[0].offset = offsetof(struct processor, regs);
    fields[1].offset = offsetof(struct processor, eip);
    fields[2].offset = offsetof(struct processor, eflags);
    fields[4].offset = offsetof(struct processor, vectors);
    fields[5].offset = offsetof(struct processor, end);
    fields[6].offset = offsetof(struct processor, more);
    for (unsigned i = 0; i < 3; i++)
        fields[i].size = 8;
    assert_non_null(p);
    qemu_private_init(p);
    assert_int_equal(p->registers, QEMU_UNSEEN);
    return p;
}

static void drop(struct qemu_private *p)
{
    qemu_object_forget(&p->object);
    free(p);
    free(current_cpu);
    current_cpu = NULL;
}

/* The registers as QEMU's plugin interface would read them. */
static struct qemu_seen seen(const struct qemu_private *p)
{
    struct qemu_seen s = { .rip = qemu_private_rip(p), .eflags = qemu_private_eflags(p) };

    qemu_private_general(p, s.general);
    return s;
}

static struct qemu_private *certain(void)
{
    struct qemu_private *p = found();
    struct qemu_seen s = seen(p);

    qemu_private_look(p, &s);
    assert_int_equal(p->registers, QEMU_SEEN);
    qemu_private_look(p, &s); /* the same instruction proves nothing */
    assert_int_equal(p->registers, QEMU_SEEN);
    the_cpu()->eip += 2;
    s = seen(p);
    qemu_private_look(p, &s);
    assert_int_equal(p->registers, QEMU_CERTAIN);
    assert_true(qemu_private_is_settled(p) && qemu_private_reads(p));
    return p;
}

/* The registers in the order of their numbers in instructions. */
UNIT_TEST(registers)
{
    static const unsigned order[] = { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
    struct qemu_private *p = found();
    uint64_t general[GENERAL_REGISTERS];

    qemu_private_general(p, general);
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        assert_int_equal(general[order[i]], 0xffff000000000100 + i);
    assert_int_equal(qemu_private_rip(p), 0xffffffff81000000);
    assert_int_equal(qemu_private_eflags(p), 0x202);
    assert_true(qemu_object_is_current(&p->object));
    void *const mine = current_cpu;

    current_cpu = &p;
    assert_false(qemu_object_is_current(&p->object));
    current_cpu = mine;
    p->object.width = 4; /* of qemu-system-i386 */
    assert_int_equal(qemu_private_rip(p), 0x81000000);
    drop(p);
    drop(certain());
}

/* Finds the word that tcg_cflags_has reads among others with the same value. Its other bits remain. */
UNIT_TEST(translations)
{
    struct qemu_private *p = found();
    uint32_t *flags = translation_flags(current_cpu);

    assert_ptr_equal(p->translation_flags, flags);
    assert_false(qemu_private_translates_apart(p));
    assert_true(qemu_private_translate_apart(p, true));
    assert_int_equal(*flags, PC_RELATIVE | SETS | OTHER_FLAGS);
    assert_true(qemu_private_translates_apart(p));
    assert_true(qemu_private_translate_apart(p, false));
    assert_int_equal(*flags, PC_RELATIVE | OF_CLUSTER | SETS | OTHER_FLAGS);
    qemu_private_select_set(p, 5);
    assert_int_equal(*flags, OF_CLUSTER | (SETS & ~(UINT32_C(5) << 25)) | OTHER_FLAGS);
    assert_int_equal(qemu_private_set(p), 5);
    qemu_private_select_set(p, QEMU_SETS - 1);
    assert_int_equal(qemu_private_set(p), QEMU_SETS - 1);
    assert_false(qemu_private_translates_apart(p));
    qemu_private_select_set(p, 0);
    assert_int_equal(*flags, PC_RELATIVE | OF_CLUSTER | SETS | OTHER_FLAGS);
    assert_int_equal(qemu_private_set(p), 0);
    assert_int_equal(qemu_private_sets(p), QEMU_SETS);
    assert_int_equal(the_cpu()->decoy, PC_RELATIVE | OF_CLUSTER | SETS | OTHER_FLAGS);
    assert_int_equal(the_cpu()->another_decoy, PC_RELATIVE | OF_CLUSTER | SETS | OTHER_FLAGS);
    p->translation_flags = NULL; /* not found */
    qemu_private_select_set(p, 5);
    assert_int_equal(qemu_private_set(p), 0);
    assert_int_equal(qemu_private_sets(p), 1);
    assert_false(qemu_private_translate_apart(p, true));
    assert_false(qemu_private_translates_apart(p));
    assert_int_equal(*flags, PC_RELATIVE | OF_CLUSTER | SETS | OTHER_FLAGS);
    drop(p);
}

/*
 * Status flags in the middle of a block equal the result of QEMU's own restoring, also if the model replaces the one
 * stale word itself: then QEMU restores only a few times, for comparison.
 */
UNIT_TEST(flags_in_the_middle)
{
    static const struct {
        uintptr_t at;
        uint64_t flags; /* with `status` 0x41 and `operation` 1 in the object */
        bool quick;
    } rows[] = {
        { NO_WORD, 0x202 | 0x41, true },
        { ONE_WORD, 0x202 | (0x8d5 & ~0x41), true },
        { TWO_WORDS, 0x202 | (0x8d5 & ~4), false },
        { 0x9999, 0x202 | 0x41, false }, /* nothing to restore */
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct qemu_private *p = certain();
        struct qemu_middle middle = { rows[i].at, 0 };

        state_of(current_cpu)[0] = 0x41;
        state_of(current_cpu)[1] = 1;
        for (unsigned n = 0; n < 20; n++)
            assert_int_equal(qemu_private_flags(p, 0x202, &middle), rows[i].flags);
        restored = 0;
        assert_int_equal(qemu_private_flags(p, 0x202, &middle), rows[i].flags);
        assert_true(rows[i].quick == (restored == 0));
        assert_int_equal(state_of(current_cpu)[0], 0x41); /* QEMU's processor is unchanged */
        assert_int_equal(state_of(current_cpu)[1], 1);
        drop(p);
    }
}

/* An address is used after its memory has equalled the plugin interface's often enough, with values other than zero. */
UNIT_TEST(memory)
{
    struct qemu_private *p = found();
    struct qemu_seen s = seen(p);
    char bytes[100] = { 0 };

    memset(page, 0, sizeof(page));
    assert_null(qemu_private_memory(p, 0xffff888000001010)); /* not before the registers were compared */
    qemu_private_look(p, &s);
    assert_ptr_equal(qemu_private_memory(p, 0xffff888000001010), page + 0x10);
    assert_null(qemu_private_memory(p, 0xffff888000002000));
    for (unsigned i = 0; i < 20; i++) /* zeros prove nothing */
        qemu_private_look_at_memory(p, page, bytes, sizeof(bytes));
    page[sizeof(bytes) - 1] = bytes[sizeof(bytes) - 1] = 1;
    for (unsigned i = 0; i < 8; i++) {
        assert_true(qemu_private_doubts_memory(p));
        qemu_private_look_at_memory(p, page, bytes, sizeof(bytes));
    }
    assert_false(qemu_private_doubts_memory(p));
    drop(p);

    p = found();
    qemu_private_look(p, &s);
    assert_non_null(qemu_private_memory(p, 0xffff888000001000));
    page[sizeof(bytes) - 1] = 2;
    qemu_private_look_at_memory(p, page, bytes, sizeof(bytes));
    assert_null(qemu_private_memory(p, 0xffff888000001000));
    drop(p);
}

/* Offsets of registers that are impossible or outside the object. */
UNIT_TEST(impossible_places)
{
#define PLACE(of) offsetof(struct processor, of)
    static const struct {
        unsigned field;
        size_t offset, size;
        bool possible;
    } rows[] = {
        { 0, PLACE(regs), 8, true },
        { 0, PLACE(regs), 4, false },
        { 0, PLACE(regs) + 8, 8, false }, /* RIP among the registers */
        { 0, PLACE(regs) - 4, 8, false },
        { 0, PLACE(regs) - 8, 8, true },
        { 0, (size_t)1 << 40, 8, false },
        { 1, PLACE(eip), 4, false },
        { 1, PLACE(eip) - 8, 8, false },
        { 1, sizeof(struct processor) - 8, 8, false },
        { 1, 0, 8, false },
        { 2, PLACE(eflags), 4, false },
        { 2, PLACE(eflags) - 8, 8, false }, /* over RIP */
        { 2, PLACE(eip) + 56, 8, true },
        { 2, PLACE(eip) + 64, 8, false },
    };
    static const char *const names[] = { "env.rip", "env.eipp", "env.ei" };
    struct qemu_private *p;
    struct qemu_object o;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        p = found();
        fields[rows[i].field].offset = rows[i].offset;
        fields[rows[i].field].size = rows[i].size;
        assert_int_equal(qemu_object_find(&o), rows[i].possible);
        assert_true(rows[i].possible == (o.cpu != NULL));
        if (rows[i].possible)
            qemu_object_forget(&o);
        drop(p);
    }
    p = found();
    qemu_object_forget(&p->object);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        fields[1].name = names[i];
        assert_false(qemu_object_find(&o));
    }
    memset(p, 0xa5, sizeof(*p)); /* without an object, none of its parts is found */
    qemu_private_init(p);
    assert_int_equal(p->registers, QEMU_LOST);
    assert_null(p->object.cpu);
    fields[1].name = "env.eip";
    the_cpu()->free = NULL;
    assert_false(qemu_object_find(&o));
    the_cpu()->free = free; /* not QEMU's */
    assert_false(qemu_object_find(&o));
    the_cpu()->free = g_free;
    drop(p);
}

/* The upper halves are 0 if the lower halves differ from the plugin interface's or QEMU's table lacks them. */
UNIT_TEST(upper_halves)
{
    struct qemu_private *p = certain();
    uint8_t(*const vectors)[64] = (void *)((char *)current_cpu + fields[4].offset);
    uint64_t xmm[XMM_REGISTERS][2], ymmh[XMM_REGISTERS][2];

    for (unsigned i = 0; i < XMM_REGISTERS; i++) {
        memset(vectors[i], 0x10 + (int)i, 16);
        memset(vectors[i] + 16, 0x80 + (int)i, 16);
        memcpy(xmm[i], vectors[i], sizeof(xmm[i]));
    }
    qemu_private_ymmh(p, xmm, ymmh);
    for (unsigned i = 0; i < XMM_REGISTERS; i++) {
        const uint64_t want = (0x80 + i) * UINT64_C(0x0101010101010101);

        assert_true(ymmh[i][0] == want && ymmh[i][1] == want);
    }
    xmm[7][1]++;
    qemu_private_ymmh(p, xmm, ymmh);
    assert_true(ymmh[0][0] == 0 && ymmh[6][1] == 0);
    p->object.vectors = 0;
    xmm[7][1]--;
    qemu_private_ymmh(p, xmm, ymmh);
    assert_true(ymmh[0][0] == 0 && ymmh[6][1] == 0);
    drop(p);
}

UNIT_TEST(its_own_functions)
{
    struct qemu_private *p = found();
    uint64_t base = 0;
    uint32_t regs[4];
    bool nmi;

    dumped = "GDT=     fffffe0000001000 0000007f\nIDT=     fffffe0000000abc 00000fff\nCR0=80050033\n";
    assert_true(qemu_private_idt(p, &base));
    assert_int_equal(base, 0xfffffe0000000abc);
    assert_int_equal(qemu_private_tsc(p), 0x1122334455);
    assert_null(qemu_private_tsc_offset(p)); /* not before the registers were compared */
    assert_false(qemu_private_nmi(p, &nmi));
    assert_false(qemu_private_settle(p, 0x9999));
    restored_cpu = NULL;
    assert_true(qemu_private_settle(p, NO_WORD));
    assert_ptr_equal(restored_cpu, current_cpu); /* the processor itself, not a copy */
    assert_int_equal(restored_for, NO_WORD);

    assert_false(qemu_private_cpuid(p, 1, regs)); /* not before the registers were compared */
    qemu_private_general_protection(p, 0x77);
    assert_null(raised.env);
    struct qemu_seen s = seen(p);

    qemu_private_look(p, &s);
    the_cpu()->end[0] = 0x1000000000000;
    assert_ptr_equal(qemu_private_tsc_offset(p), the_cpu()->end);
    assert_int_equal(qemu_private_tsc(p), 0x1001122334455);
    for (unsigned flag = 0; flag < 8; flag++) {
        the_cpu()->more[0] = 1u << flag;
        assert_true(qemu_private_nmi(p, &nmi) && nmi == (flag == 2));
    }
    p->object.hflags2 = 0;
    assert_false(qemu_private_nmi(p, &nmi));
    p->object.tsc_offset = 0;
    assert_null(qemu_private_tsc_offset(p));
    last_leaf = 0x0d;
    last_extended_leaf = 0x80000008;
    static const struct {
        uint32_t leaf;
        bool there;
    } rows[] = { { 1, true },          { 0x0d, true },       { 0x0e, false },
                 { 0x80000001, true }, { 0x80000008, true }, { 0x80000009, false } };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        memset(regs, 0xff, sizeof(regs));
        assert_true(qemu_private_cpuid(p, rows[i].leaf, regs));
        for (unsigned r = 0; r < 4; r++)
            assert_int_equal(regs[r], rows[i].there ? rows[i].leaf + 1 + r : 0);
    }
    last_extended_leaf = 0; /* QEMU's 486 has no extended leaves */
    assert_true(qemu_private_cpuid(p, 0x80000001, regs));
    assert_int_equal(regs[3], 0);
    qemu_private_general_protection(p, 0x77);
    assert_ptr_equal(raised.env, env_of(current_cpu));
    assert_int_equal(raised.vector, 13);
    assert_int_equal(raised.error_code, 0);
    assert_int_equal(raised.host_pc, 0x77);
    drop(p);
}

/* Of the bytes before the register file, only the flag that permits clocks is always 1 between blocks, and 0 or 1 else.
 */
UNIT_TEST(clocks_inside_a_block)
{
    enum { FLAG = 31, CALLBACK = 24, COUNT = 27 }; /* offsets in the object; the register file is at 32 */
    struct qemu_private *p = found();
    uint8_t *const bytes = current_cpu;

    memset(bytes + 16, 0, 16);
    for (unsigned i = 0; i < 2000; i++) {
        bytes[FLAG] = bytes[CALLBACK] = 1;
        bytes[COUNT] = i % 3 != 0;
        qemu_private_look_for_io(p);
    }
    bytes[FLAG] = 0;
    bytes[CALLBACK] = 3;
    assert_int_equal(qemu_private_permit_io(p, 1), 0);
    assert_int_equal(bytes[FLAG], 1);
    assert_int_equal(qemu_private_permit_io(p, 0), 1);
    assert_int_equal(bytes[FLAG], 0);
    assert_int_equal(bytes[CALLBACK], 3);
    drop(p);

    p = found(); /* before the flag is known, all bytes stay as they are */
    memset(current_cpu, 0, 8);
    assert_int_equal(qemu_private_permit_io(p, 1), 1);
    assert_int_equal(((uint8_t *)current_cpu)[FLAG], 0);
    drop(p);
}
