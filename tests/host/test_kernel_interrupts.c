/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of its own interrupts (arch/x86/interrupts_test.c), on a machine of variables: they pass where
 * entry and return are right, and of each register, flag, segment, stack, vector and gate that is wrong they report
 * that one and no other.
 */
#include "tests/host/host_test.h"

#include "arch/x86/interrupts_test.c"
#include "tests/host/machine/machine.h"

/* The kernel's stack, and what lies above it. */
__asm__(".bss\n.balign 4096\n.globl stack_bottom, stack_top\nstack_bottom: .zero 8192\nstack_top: .zero 64\n.text");

static struct test_run run;

/* What the machine does wrong; 0 is nothing, everywhere. */
static struct {
    unsigned vector;       /* where it is done */
    int calls;             /* handlers called, less one */
    unsigned other_vector; /* added to the frame's vector */
    uintptr_t other_code;  /* .. error code */
    bool other_stack;
    uintptr_t ip;    /* added to the frame's instruction pointer */
    bool in_flags;   /* IF is set in handlers */
    uintptr_t after; /* bits of DS that differ afterwards */
} wrong;

uintptr_t flags_read(void)
{
    return wrong.in_flags ? FLAG_IF : 0;
}

static void call_handler(struct interrupt_frame *frame, unsigned vector)
{
    interrupt_handler *const handler = vector == VECTOR_PERFORMANCE ? machine.handler : machine.handlers[vector];
    const bool here = wrong.vector == vector;

    assert_non_null(handler);
    frame->vector = vector + (here ? wrong.other_vector : 0);
    frame->error_code += here ? wrong.other_code : 0;
    for (int i = 0; i <= (here ? wrong.calls : 0); i++)
        handler(frame);
}

/* No vector's handler is left, and those of timer and spurious interrupts were never touched. */
static void expect_no_handlers(void)
{
    for (unsigned vector = 0; vector < 256; vector++) {
        interrupt_handler *const stays = vector == VECTOR_TIMER || vector == VECTOR_SPURIOUS ? see : NULL;
        assert_ptr_equal(vector == VECTOR_PERFORMANCE ? machine.handler : machine.handlers[vector], stays);
    }
}

static void start(void)
{
    machine_start();
    machine.handlers[VECTOR_TIMER] = machine.handlers[VECTOR_SPURIOUS] = see;
    memset(&seen, 0xa5, sizeof seen);
    memset(&wrong, 0, sizeof wrong);
    run = (struct test_run){ 0 };
}

/* ---- registers, flags and stacks --------------------------------------------------------------------------------- */

uintptr_t interrupted_flags;
struct interrupted_state interrupted_before, interrupted_after;
static char runs[512]; /* flags of each run, and where */

static void interrupted_run(const struct interrupted *code, const char *name, unsigned vector, uintptr_t error_code)
{
    struct interrupt_frame *frame = (void *)(stack_top - sizeof *frame);
    const uintptr_t flags = interrupted_flags | (code == &interrupted_pending ? FLAG_IF : 0);
    const size_t used = strlen(runs);

    snprintf(runs + used, sizeof runs - used, "%s %lx\n", name, (unsigned long)interrupted_flags);
    assert_int_equal(interrupted_after.flags | interrupted_after.registers[0], 0);
    ((uintptr_t *)frame)[-1] = 0x5a5a;
    interrupted_before.registers[INTERRUPTED_STACK] = (uintptr_t)(code->cpl ? stack_bottom - 64 : stack_top);
    for (unsigned n = 0; n < INTERRUPTED_SEGMENTS; n++)
        interrupted_before.segments[n] = n < 4 || code->cpl ? 0x1b : 0x10;
    *frame = (struct interrupt_frame){
        .error_code = error_code,
        .ip = code->at + wrong.ip,
        .cs = code->cpl ? 0x23 : 0x08,
        .flags = flags | 0x10000 /* RF */
    };
    for (unsigned n = 0; n < REGISTERS; n++)
        frame->registers[REGISTERS - 1 - n] =
            n == INTERRUPTED_STACK ? interrupted_before.registers[n] : WORKLOAD_REGISTER(n);
    call_handler(frame, vector);
    assert_int_equal(((uintptr_t *)frame)[-1], 0x5a5a);
    assert_int_equal(frame->ip, code == &interrupted_pending ? code->at + wrong.ip : code->behind);
    for (unsigned n = 0; n < REGISTERS; n++)
        interrupted_after.registers[n] = frame->registers[REGISTERS - 1 - n];
    interrupted_after.flags = flags;
    memcpy(interrupted_after.segments, interrupted_before.segments, sizeof interrupted_after.segments);
    interrupted_after.segments[0] ^= wrong.after;
}

#define CODE(name, vector, error_code, ...)                              \
    static void run_##name(void)                                         \
    {                                                                    \
        interrupted_run(&interrupted_##name, #name, vector, error_code); \
    }                                                                    \
    const struct interrupted interrupted_##name = { run_##name, __VA_ARGS__ }
CODE(int, 0xc1, 0, 0x1000, 0x1002, 0);
CODE(ud, 6, 0, 0x1010, 0x1012, 0);
CODE(gp, 13, 0x1f8, 0x1020, 0x1022, 0);
CODE(pending, 0xe2, 0, 0x1030, 0x1032, 0);
CODE(user_int, 0xc1, 0, 0x1040, 0x1042, 3);
CODE(user_ud, 6, 0, 0x1050, 0x1052, 3);
CODE(user_gp, 13, 0x1f8, 0x1060, 0x1062, 3);

/* The entries have the addresses that the machine gives to gates. */
#define ENTRY(n)   (void (*)(void))(uintptr_t)(1000 * (n)),
#define ENTRIES(n) ENTRY(n) ENTRY((n) + 1) ENTRY((n) + 2) ENTRY((n) + 3)
#define MORE(n)    ENTRIES(n) ENTRIES((n) + 4) ENTRIES((n) + 8) ENTRIES((n) + 12)
void (*const interrupt_entries[256])(void) = { MORE(0) MORE(16) MORE(32) MORE(48) MORE(64) MORE(80) MORE(96) MORE(112)
                                                   MORE(128) MORE(144) MORE(160) MORE(176) MORE(192) MORE(208) MORE(224)
                                                       MORE(240) };

/* Flags 202H: IF, and bit 1, which is always set; 240ED7H: besides, DF, AC, ID and all that arithmetic sets. */
static void state_right(void **state_of)
{
    (void)state_of;
    start();
    runs[0] = 0;
    selftest_interrupt_state.run(&run);
    machine_did("gate 193 for CPL 3\ncli\nself e2\neoi\ncli\nself e2\neoi\ngate 193\n");
    assert_string_equal(runs,
                        "int 202\nint 240ed7\nud 202\nud 240ed7\ngp 202\ngp 240ed7\npending 2\npending 240cd7\n"
                        "user_int 202\nuser_int 240ed7\nuser_ud 202\nuser_ud 240ed7\nuser_gp 202\nuser_gp 240ed7\n");
    expect_no_handlers();
}

static void interrupt_nothing(void)
{
}

/* The handler's calls, and where it is told that the code was interrupted. */
static void occasions_wrong(void **state_of)
{
    static const struct {
        int calls;
        uintptr_t ip;
        const char *found;
        unsigned other_vector;
        bool in_flags;
        uintptr_t after;
    } rows[] = {
        { 0, 0, "wrong: INT n: the frame's vector 0 is 0xc2, must be 0xc1\n", 1, false, 0 },
        { 0, 0, "wrong: INT n: in the handler: IF and DF 0 is 0x200, must be 0x0\n", 0, true, 0 },
        { 0, 0, "wrong: INT n: afterwards: segment register 0 is 0x1a, must be 0x1b\n", 0, false, 1 },
        { 1, 0, "wrong: INT n: the handler was called 2 times, must be once\n", 0, false, 0 },
        { 0, 2, "", 0, false, 0 },
        { 0, 3, "wrong: INT n: the frame's instruction pointer is 0x1003, outside the code\n", 0, false, 0 },
        { 0, (uintptr_t)-1, "wrong: INT n: the frame's instruction pointer is 0xfff, outside the code\n", 0, false, 0 },
    };
    (void)state_of;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        start();
        set_handlers(see);
        wrong.vector = 0xc1;
        wrong.calls = rows[i].calls;
        wrong.ip = rows[i].ip;
        wrong.other_vector = rows[i].other_vector;
        wrong.in_flags = rows[i].in_flags;
        wrong.after = rows[i].after;
        interrupt_once(&run, &occasions[0], FLAG_ONE);
        machine_found(rows[i].found);
    }
    start();
    set_handlers(see);
    const struct occasion lost = { "INT n", &(const struct interrupted){ .run = interrupt_nothing }, 0xc1, 0 };
    interrupt_once(&run, &lost, FLAG_ONE);
    machine_found("wrong: INT n: the handler was called 0 times, must be once\n");
}

/* What the test compares after an interrupt, at CPL 0 or 3; then again with one bit of one word wrong. */
static void words_wrong(void **state_of)
{
    const uintptr_t flags = FLAG_ONE | FLAG_IF;
    (void)state_of;
    for (unsigned level = 0; level < 2; level++) {
        const struct occasion *const o = &occasions[level ? 4 : 0];
        char line[160];
        start();
        set_handlers(see);
        interrupt_once(&run, o, flags);
        machine_found("");
#define SPOILED(compare, word, bit, ...)                                    \
    do {                                                                    \
        (word) ^= (bit);                                                    \
        compare;                                                            \
        (word) ^= (bit);                                                    \
        int length = snprintf(line, sizeof line, "wrong: %s: ", o->name);   \
        snprintf(line + length, sizeof line - (size_t)length, __VA_ARGS__); \
        machine_found(line);                                                \
    } while (0)
#define HEX(word) (unsigned long long)(word)
        SPOILED(compare_frame(&run, o, flags), seen.frame.vector, 0x100,
                "the frame's vector 0 is 0x1c1, must be 0xc1\n");
        SPOILED(compare_frame(&run, o, flags), seen.frame.error_code, 1,
                "the frame's error code 0 is 0x1, must be 0x0\n");
        SPOILED(compare_frame(&run, o, flags), seen.frame.cs, 2,
                "the frame's privilege level 0 is 0x%x, must be 0x%x\n", level ? 1u : 2u, level ? 3u : 0u);
        SPOILED(compare_frame(&run, o, flags), seen.frame.flags, 0x1, "the frame's flags 0 is 0x203, must be 0x202\n");
        SPOILED(compare_afterwards(&run, o, flags), interrupted_after.flags, 0x8000,
                "afterwards: the flags 0 is 0x8202, must be 0x202\n");
        for (unsigned n = 0; n < REGISTERS; n++) {
            const bool stack = n == INTERRUPTED_STACK;
            const uintptr_t then = stack ? interrupted_before.registers[n] : WORKLOAD_REGISTER(n);
            const uintptr_t later = stack ? then : (uintptr_t)(UINT64_C(0x6368616e67656400) + n);
            assert_int_equal(later == then, stack);
            SPOILED(compare_frame(&run, o, flags), seen.frame.registers[REGISTERS - 1 - n], 0x80000000u,
                    "the frame's register %u is 0x%llx, must be 0x%llx\n", n, HEX(then ^ 0x80000000u), HEX(then));
            SPOILED(compare_afterwards(&run, o, flags), interrupted_after.registers[n], 0x80000000u,
                    "afterwards: register %u is 0x%llx, must be 0x%llx\n", n, HEX(later ^ 0x80000000u), HEX(later));
        }
        for (unsigned n = 0; n < INTERRUPTED_SEGMENTS; n++) {
            const unsigned long long was = interrupted_before.segments[n];
            SPOILED(compare_afterwards(&run, o, flags), interrupted_after.segments[n], 4,
                    "afterwards: segment register %u is 0x%llx, must be 0x%llx\n", n, was ^ 4, was);
        }
        /* Those that the test loads are known; before and after are alike here. */
#define BOTH_SPOILED(n, ...)                                                                        \
    interrupted_after.segments[n] ^= 0x40;                                                          \
    SPOILED(compare_afterwards(&run, o, flags), interrupted_before.segments[n], 0x40, __VA_ARGS__); \
    interrupted_after.segments[n] ^= 0x40
        BOTH_SPOILED(2, "FS, which the test loads, 0 is 0x5b, must be 0x1b\n");
        BOTH_SPOILED(3, "GS, which the test loads, 0 is 0x5b, must be 0x1b\n");
        if (level) {
            BOTH_SPOILED(4, "SS at level 3 is 0x5b, must be 0x1b\n");
        } else {
            BOTH_SPOILED(4, "SS at level 0 is 0x50, must be 0x10\n");
        }

        SPOILED(compare_handler(&run, o), seen.flags, FLAG_IF, "in the handler: IF and DF 0 is 0x200, must be 0x0\n");
        SPOILED(compare_handler(&run, o), seen.flags, FLAG_DF, "in the handler: IF and DF 0 is 0x400, must be 0x0\n");
        SPOILED(compare_handler(&run, o), seen.alignment, 4,
                "in the handler: alignment of its stack frame 0 is 0x%x, must be 0x%x\n", REGISTERS == 16 ? 4u : 12u,
                REGISTERS == 16 ? 0u : 8u);
        machine_found("");
    }
}

/* At CPL 0 the frame lies on the stack that was interrupted, a little lower; at CPL 3 anywhere on the kernel's. */
static void frames_wrong(void **state_of)
{
    const uintptr_t bottom = (uintptr_t)stack_bottom, top = (uintptr_t)stack_top,
                    frame = sizeof(struct interrupt_frame);
    const struct {
        unsigned occasion;
        uintptr_t at;
        bool right;
    } rows[] = {
        { 0, top, true },
        { 0, top - 2 * frame, true },
        { 0, top - 2 * frame - 1, false },
        { 0, top + 1, false },
        { 4, bottom, true },
        { 4, bottom - 1, false },
        { 4, top - 1, true },
        { 4, top, false },
    };
    (void)state_of;
    start();
    interrupted_before.registers[INTERRUPTED_STACK] = top;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        char line[160];
        seen.flags = 0;
        seen.alignment = REGISTERS == 16 ? 0 : 8;
        seen.frame_at = rows[i].at;
        compare_handler(&run, &occasions[rows[i].occasion]);
        snprintf(line, sizeof line, "wrong: %s: the frame is at 0x%llx, not on the kernel's stack\n",
                 occasions[rows[i].occasion].name, HEX(rows[i].at));
        machine_found(rows[i].right ? "" : line);
    }
}

/* ---- vectors and gates ------------------------------------------------------------------------------------------- */

static unsigned entered[256]; /* 1: without an error code, 2: with one */
static struct interrupt_frame frame_elsewhere;

/* A handler that is to look on only. */
static void expect_unchanged(const struct interrupt_frame *frame, uintptr_t ip)
{
    assert_int_equal(frame->ip, ip);
    for (unsigned n = 0; n < REGISTERS; n++)
        assert_int_equal(frame->registers[n], 0);
}

void interrupted_enter(uintptr_t entry, uintptr_t error_code, uintptr_t has_error_code)
{
    const unsigned vector = (unsigned)(entry / 1000);
    struct interrupt_frame frame = { .error_code = error_code };

    entered[vector] = has_error_code ? 2 : 1;
    call_handler(&frame, vector);
    expect_unchanged(&frame, 0);
}

/* SDM Vol. 3A (253668-081), table of exceptions and interrupts: #DF, #TS, #NP, #SS, #GP, #PF, #AC, #CP; #VC, #SX. */
static unsigned codes_of(unsigned vector)
{
    return vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21 || vector == 29 || vector == 30
               ? 2
               : 1;
}

/* The way out of CPL 3, the timer, the spurious interrupt, and the double fault where a task takes it. */
static bool goes_elsewhere(unsigned vector)
{
    return vector == 0x81 || vector == 0xf0 || vector == 0xff || (sizeof(void *) == 4 && vector == 8);
}

static void vectors_right(void **state_of)
{
    (void)state_of;
    start();
    memset(entered, 0, sizeof entered);
    selftest_interrupt_vectors.run(&run);
    machine_did("");
    for (unsigned vector = 0; vector < 256; vector++)
        assert_int_equal(entered[vector], goes_elsewhere(vector) ? 0 : codes_of(vector));
    expect_no_handlers();
}

static void vectors_wrong(void **state_of)
{
    (void)state_of;
    start();
    wrong.vector = 9;
    wrong.calls = 1;
    selftest_interrupt_vectors.run(&run);
    machine_found("wrong: vector 9: 2 calls, vector 9, error code 0x0\n");
    start();
    wrong.vector = 13;
    wrong.other_vector = 1;
    selftest_interrupt_vectors.run(&run);
    machine_found("wrong: vector 13: 1 calls, vector 14, error code 0x5a0d\n");
    start();
    wrong.vector = 14;
    wrong.other_code = 1;
    selftest_interrupt_vectors.run(&run);
    machine_found("wrong: vector 14: 1 calls, vector 14, error code 0x5a0f\n");
    start();
    wrong.vector = 32;
    wrong.other_code = 1;
    selftest_interrupt_vectors.run(&run);
    machine_found("wrong: vector 32: 1 calls, vector 32, error code 0x1\n");
}

/*
 * A function of four bytes for each vector: PUSH vector, and a JMP to that of the 31st function after it, and so on to
 * what follows the last; that pops the vector.
 */
__asm__(".text\n.globl interrupted_each\ninterrupted_each:\nn = 0\n"
        ".rept 225\n.byte 0x6a, n & 255, 0xeb, 122\nn = n + 1\n.endr\n"
        ".rept 31\n.byte 0x6a, n & 255, 0xeb, 1020 - 4 * n\nn = n + 1\n.endr\n"
#if __SIZEOF_POINTER__ == 8
        "pop %rdi\nmovzbl %dil, %edi\njmp interrupted_by\n"
#else
        "pop %eax\nmovzbl %al, %eax\nsub $8, %esp\npush %eax\ncall interrupted_by\nadd $12, %esp\nret\n"
#endif
);
const uint8_t interrupted_each_user[256][4];

void interrupted_by(unsigned vector);
void interrupted_by(unsigned vector)
{
    /* NMI and #MC, and the vector that tests a lost stack, have stacks of their own in the 64-bit kernel. */
    const bool own = sizeof(void *) == 8 && (vector == 2 || vector == 18 || vector == 0x82);
    const bool elsewhere = own != (wrong.other_stack && wrong.vector == vector);
    struct interrupt_frame *const frame = elsewhere ? &frame_elsewhere : (void *)(stack_bottom + 256);

    entered[vector] = 1;
    *frame = (struct interrupt_frame){ 0 };
    call_handler(frame, vector);
    expect_unchanged(frame, 0);
}

static void stacks_right(void **state_of)
{
    (void)state_of;
    start();
    memset(entered, 0, sizeof entered);
    selftest_interrupt_stacks.run(&run);
    machine_did("");
    for (unsigned vector = 0; vector < 256; vector++)
        assert_int_equal(entered[vector], !goes_elsewhere(vector) && codes_of(vector) == 1);
    expect_no_handlers();
}

static void stacks_wrong(void **state_of)
{
    static const unsigned tried[] = { 0, 2, 18, 0x82, 254 };
    (void)state_of;
    for (unsigned i = 0; i < COUNT_OF(tried); i++) {
        const bool own = sizeof(void *) == 8 && i >= 1 && i <= 3;
        const uintptr_t on_kernels = (uintptr_t)stack_bottom + 256, not = (uintptr_t)&frame_elsewhere;
        char line[160];
        start();
        wrong.vector = tried[i];
        wrong.other_stack = true;
        selftest_interrupt_stacks.run(&run);
        snprintf(line, sizeof line, "wrong: INT %u: 1 calls, vector %u, frame at 0x%llx\n", tried[i], tried[i],
                 HEX(own ? on_kernels : not ));
        machine_found(line);
        start();
        wrong.vector = tried[i];
        wrong.calls = 1;
        selftest_interrupt_stacks.run(&run);
        snprintf(line, sizeof line, "wrong: INT %u: 2 calls, vector %u, frame at 0x%llx\n", tried[i], tried[i],
                 HEX(own ? not : on_kernels));
        machine_found(line);
        start();
        wrong.vector = tried[i];
        wrong.other_vector = 1;
        selftest_interrupt_stacks.run(&run);
        snprintf(line, sizeof line, "wrong: INT %u: 1 calls, vector %u, frame at 0x%llx\n", tried[i], tried[i] + 1,
                 HEX(own ? not : on_kernels));
        machine_found(line);
    }
}

/* INT n at CPL 3: #GP, whose error code is the vector's gate; the handler resumes at the INT that follows. */
void user_call(void (*function)(void))
{
    const unsigned vector = (unsigned)(((uintptr_t)function - (uintptr_t)interrupted_each_user) / 4);
    const bool here = wrong.vector == vector;
    struct interrupt_frame frame = { .vector = 13 + (here ? wrong.other_vector : 0),
                                     .error_code = vector * 8 + 2 + (here ? wrong.other_code : 0),
                                     .ip = (uintptr_t)function };

    assert_in_range(vector, 0, 255);
    entered[vector] = 1;
    for (int i = 0; i <= (here ? wrong.calls : 0); i++)
        machine.handlers[13](&frame);
    expect_unchanged(&frame, (uintptr_t)function + 2);
}

static void gates_right(void **state_of)
{
    (void)state_of;
    start();
    memset(entered, 0, sizeof entered);
    selftest_interrupt_gates.run(&run);
    machine_did("");
    for (unsigned vector = 0; vector < 256; vector++)
        assert_int_equal(entered[vector], vector != 0x81);
    expect_no_handlers();
}

static void gates_wrong(void **state_of)
{
    (void)state_of;
    start();
    wrong.vector = 255;
    wrong.calls = 1;
    selftest_interrupt_gates.run(&run);
    machine_found("wrong: INT 255 at CPL 3: 2 calls, vector 13, error code 0x7fa\n");
    start();
    wrong.vector = 0;
    wrong.other_vector = 1;
    selftest_interrupt_gates.run(&run);
    machine_found("wrong: INT 0 at CPL 3: 1 calls, vector 14, error code 0x2\n");
    start();
    wrong.vector = 8;
    wrong.other_code = 1;
    selftest_interrupt_gates.run(&run);
    machine_found("wrong: INT 8 at CPL 3: 1 calls, vector 13, error code 0x43\n");
}

/* ---- what functions keep ----------------------------------------------------------------------------------------- */

static struct interrupted_state kept_user, kept_context;
static uintptr_t kept_flags[3];
static unsigned kept_runs;
static uintptr_t flags_spoiled[2];

static void keep(const struct interrupted_state *what)
{
    assert_true(kept_runs < 3);
    if (kept_runs < 2) /* nothing is compared between the second and the third */
        assert_int_equal(interrupted_after.registers[INTERRUPTED_SPOILED], 1);
    kept_flags[kept_runs++] = interrupted_flags;
    interrupted_after = *what;
}

void interrupted_kept_user(void)
{
    keep(&kept_user);
    interrupted_after.flags = interrupted_flags ^ flags_spoiled[kept_runs - 1];
}

void interrupted_kept_context(void)
{
    keep(&kept_context);
}

static struct selectors selected;
struct selectors selectors_read(void)
{
    return selected;
}

static void start_kept(void)
{
    start();
    kept_runs = 0;
    memset(flags_spoiled, 0, sizeof flags_spoiled);
    for (unsigned n = 0; n < REGISTERS; n++) /* the others may change */
        kept_user.registers[n] =
            n == 3 || (n >= 5 && n <= 7 && !(REGISTERS == 16 && n > 5)) || n >= 12 ? WORKLOAD_REGISTER(n) : 0xdead;
    kept_user.registers[INTERRUPTED_STACK] = interrupted_before.registers[INTERRUPTED_STACK] = 0x5000;
    kept_user.registers[INTERRUPTED_SPOILED] = 0;
    kept_context = kept_user;
    kept_context.registers[0] = 1;
    selected = (struct selectors){ 0x08, 0x10, 0x1b, 0x1b, 0, 0 };
}

static void kept_finds(const char *lines)
{
    selftest_interrupt_kept.run(&run);
    machine_found(lines);
    assert_int_equal(kept_runs, 3);
    assert_int_equal(kept_flags[0], 0x240ad7); /* with AC, ID and IF */
    assert_int_equal(kept_flags[1], 0x2);
    assert_int_equal(kept_flags[2], 0x202);
    start_kept();
}

static void kept_wrong(void **state_of)
{
    static const uint8_t kept_wide[] = { 3, 5, 12, 13, 14, 15 }, kept_narrow[] = { 3, 5, 6, 7 };
    const bool wide = REGISTERS == 16;
    (void)state_of;
    start_kept();
    kept_finds("");
    for (unsigned i = 0; i < (wide ? sizeof kept_wide : sizeof kept_narrow); i++) {
        const unsigned n = wide ? kept_wide[i] : kept_narrow[i];
        char line[200];
        kept_context.registers[n] ^= 4;
        snprintf(line, sizeof line, "wrong: the stack pointer after context_restore(): register %u is 0x%llx\n", n,
                 HEX(WORKLOAD_REGISTER(n) ^ 4));
        kept_finds(line);
    }
    kept_user.registers[3] = 0;
    kept_finds("wrong: the stack pointer after CPL 3: register 3 is 0x0\n");
    kept_user.registers[INTERRUPTED_STACK] = 0x5008;
    kept_finds("wrong: the stack pointer after CPL 3 is 0x5008, must be 0x5000\n");
    kept_user.registers[INTERRUPTED_SPOILED] = 7;
    kept_finds("wrong: a callee-saved register meanwhile is 0x7, must be 0x0\n");
    kept_context.registers[INTERRUPTED_STACK] = 0x4ff8;
    kept_finds("wrong: the stack pointer after context_restore() is 0x4ff8, must be 0x5000\n");
    kept_context.registers[INTERRUPTED_SPOILED] = 7;
    kept_finds("wrong: a callee-saved register meanwhile is 0x7, must be 0x0\n");
    kept_context.registers[0] = 0;
    kept_finds("wrong: what context_save() returned is 0x0, must be 0x1\n");
    flags_spoiled[0] = 0x200;
    kept_finds("wrong: AC, ID and IF after CPL 3, which were set is 0x240000, must be 0x240200\n");
    flags_spoiled[0] = 0x40000;
    kept_finds("wrong: AC, ID and IF after CPL 3, which were set is 0x200200, must be 0x240200\n");
    flags_spoiled[1] = 0x200000;
    kept_finds("wrong: AC, ID and IF after CPL 3, which were clear is 0x200000, must be 0x0\n");
    selected.ss = 0x1b;
    kept_finds("wrong: SS after CPL 3 is 0x1b, must be 0x10\n");
}

static void selectors_wrong(void **state_of)
{
    static const struct {
        struct selectors s;
        const char *found;
        bool narrow_alone;
    } rows[] = {
        { { 0x08, 0x10, 0x1b, 0x1b, 0, 0 }, "", false },
        { { 0x38, 0x10, 0x1b, 0x1b, 0, 0 }, "wrong: CS is 0x38, must be 0x8\n", false },
        { { 0x08, 0x18, 0x1b, 0x1b, 0, 0 }, "wrong: SS is 0x18, must be 0x10\n", false },
        { { 0x08, 0x10, 0x1b, 0x1b, 0x1b, 0 }, "wrong: FS is 0x1b, must be 0x0\n", false },
        { { 0x08, 0x10, 0x1b, 0x1b, 0, 0x1b }, "wrong: GS is 0x1b, must be 0x0\n", false },
        { { 0x08, 0x10, 0x10, 0x1b, 0, 0 }, "wrong: DS is 0x10, must be 0x1b\n", true },
        { { 0x08, 0x10, 0x1b, 0x10, 0, 0 }, "wrong: ES is 0x10, must be 0x1b\n", true },
    };
    (void)state_of;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        start();
        selected = rows[i].s;
        selftest_interrupt_selectors.run(&run);
        machine_found(rows[i].narrow_alone && REGISTERS == 16 ? "" : rows[i].found);
    }
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

/* What LAR and LSL say of each: type, S, DPL, P, L, D and G, with bits that nobody is to look at; the limit. */
static const uint32_t rights_of[2][9] = {
    { 0, 0xcf9bff, 0xcf92ff, 0xcff3ff, 0xcffbff, 0x8bff, 0x89ff, 0xcf13ff, 0 },
    { 0, 0x2f9bff, 0x0f92ff, 0x00f3ff, 0x20fbff, 0x8bff, 0, 0x0013ff, 0 },
};
static const uint32_t limit_of[2][9] = { { 0, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 103, 103, UINT32_MAX, 0 },
                                         { 0, 0, 0, 0, 0, 103, 0, 0, 0 } };
static uint32_t spoiled_selector, rights_spoiled, limit_spoiled;
static unsigned selectors_asked;

uint32_t segment_rights(uint32_t selector)
{
    assert_in_range(selector, 0, 64);
    assert_int_equal(selector % 8, 0);
    selectors_asked |= 1u << selector / 8;
    return rights_of[REGISTERS == 16][selector / 8] ^ (selector == spoiled_selector ? rights_spoiled : 0);
}

uint32_t segment_limit(uint32_t selector)
{
    return limit_of[REGISTERS == 16][selector / 8] ^ (selector == spoiled_selector ? limit_spoiled : 0);
}

static void descriptors_wrong(void **state_of)
{
    (void)state_of;
    start();
    selectors_asked = 0;
    selftest_interrupt_descriptors.run(&run);
    machine_found("");
    assert_int_equal(selectors_asked, 0x1ff);
    for (uint32_t i = 0; i < 9; i++) {
        const unsigned rights = rights_of[REGISTERS == 16][i] & 0xf0fe00, limit = limit_of[REGISTERS == 16][i];
        for (unsigned bit = 8; bit < 24; bit++) {
            char line[160];
            start();
            spoiled_selector = i * 8;
            rights_spoiled = 1u << bit;
            limit_spoiled = 0;
            selftest_interrupt_descriptors.run(&run);
            snprintf(line, sizeof line, "wrong: descriptor %u: rights 0x%x, limit 0x%x, must be 0x%x and 0x%x\n", i,
                     rights ^ 1u << bit, limit, rights, limit);
            machine_found(bit == 8 || (bit >= 16 && bit < 20) ? "" : line); /* accessed, and the limit's bits */
            rights_spoiled = 0;
            limit_spoiled = 1u << bit;
            selftest_interrupt_descriptors.run(&run);
            snprintf(line, sizeof line, "wrong: descriptor %u: rights 0x%x, limit 0x%x, must be 0x%x and 0x%x\n", i,
                     rights, limit ^ 1u << bit, rights, limit);
            machine_found(line);
        }
    }
}

/* ---- what must end the run --------------------------------------------------------------------------------------- */

static const char *suffered;
static bool nobody_listens; /* for NMIs */

void watchdog_stop(void)
{
    nobody_listens = true;
}

#define SUFFER(name)                 \
    void interrupted_##name(void)    \
    {                                \
        assert_true(nobody_listens); \
        suffered = #name;            \
    }
SUFFER(fixup_breakpoint)
SUFFER(fixup_machine_check)
SUFFER(fixup_software)
SUFFER(without_stack_nmi)
SUFFER(without_stack_machine_check)
SUFFER(without_stack_page_fault)

static void fatal(void **state_of)
{
    static const struct {
        const struct test *test;
        const char *id, *code;
    } all[] = {
        { &selftest_fixup_breakpoint, "selftest.fixup.breakpoint", "fixup_breakpoint" },
        { &selftest_fixup_machine_check, "selftest.fixup.machine_check", "fixup_machine_check" },
        { &selftest_fixup_software, "selftest.fixup.software", "fixup_software" },
        { &selftest_without_stack_nmi, "selftest.without_stack.nmi", "without_stack_nmi" },
        { &selftest_without_stack_machine_check, "selftest.without_stack.machine_check",
          "without_stack_machine_check" },
        { &selftest_without_stack_page_fault, "selftest.without_stack.page_fault", "without_stack_page_fault" },
    };
    (void)state_of;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start();
        run.test = all[i].test;
        suffered = NULL;
        nobody_listens = false;
        run.test->run(&run);
        assert_string_equal(run.test->id, all[i].id);
        assert_string_equal(suffered, all[i].code);
    }
}

/* None of these runs unless it is asked for: they take interrupts away, or end the run. */
static void on_request(void **state_of)
{
    static const struct test *const all[] = { &selftest_interrupt_state,       &selftest_interrupt_vectors,
                                              &selftest_interrupt_stacks,      &selftest_interrupt_gates,
                                              &selftest_interrupt_kept,        &selftest_interrupt_selectors,
                                              &selftest_interrupt_descriptors, &selftest_fixup_breakpoint };
    (void)state_of;
    for (unsigned i = 0; i < COUNT_OF(all); i++)
        assert_true(all[i]->on_request);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_right),       cmocka_unit_test(occasions_wrong), cmocka_unit_test(words_wrong),
        cmocka_unit_test(frames_wrong),      cmocka_unit_test(vectors_right),   cmocka_unit_test(vectors_wrong),
        cmocka_unit_test(stacks_right),      cmocka_unit_test(stacks_wrong),    cmocka_unit_test(gates_right),
        cmocka_unit_test(gates_wrong),       cmocka_unit_test(kept_wrong),      cmocka_unit_test(selectors_wrong),
        cmocka_unit_test(descriptors_wrong), cmocka_unit_test(fatal),           cmocka_unit_test(on_request),
    };
    return cmocka_run_group_tests_name("kernel_interrupts", tests, NULL, NULL);
}
