/* SPDX-License-Identifier: MIT */
/*
 * selftest.interrupt.state (arch/x86/interrupts_test.c) on a machine of variables: it passes where entry and return are
 * right, and it reports each register, flag, segment and stack that is wrong. Only this test looks at what the entries
 * in assembly save and restore. Vectors, gates and descriptors also have test_kernel_descriptors32.c and 64.c.
 */
#include "tests/host/unit_test.h"

#include "arch/x86/interrupts_test.c"
#include "tests/host/machine/machine.h"

/* The kernel's stack, and what lies above it. */
__asm__(".bss\n.balign 4096\n.globl stack_bottom, stack_top\nstack_bottom: .zero 8192\nstack_top: .zero 64\n.text");

/* Functions of the other tests in that file, which do not run here. */
#define ABSENT(name) ".globl " #name "\n" #name ":\n"
__asm__(".text\n" ABSENT(interrupted_each) ABSENT(interrupted_each_user) ABSENT(interrupted_enter)
            ABSENT(interrupted_kept_user) ABSENT(interrupted_kept_context) ABSENT(user_call) ABSENT(selectors_read)
                ABSENT(segment_rights) ABSENT(segment_limit) ABSENT(watchdog_stop) ABSENT(interrupted_without_stack_nmi)
                    ABSENT(interrupted_without_stack_machine_check) ABSENT(interrupted_without_stack_page_fault)
                        ABSENT(interrupted_fixup_breakpoint) ABSENT(interrupted_fixup_machine_check)
                            ABSENT(interrupted_fixup_software) "ud2\n");

static struct test_run run;

/* The machine's mistakes; 0 means none. */
static struct {
    unsigned vector;       /* where it is done */
    int calls;             /* handlers called, less one */
    unsigned other_vector; /* added to the frame's vector */
    uintptr_t other_code;  /* .. error code */
    uintptr_t ip;          /* added to the frame's instruction pointer */
    bool in_flags;         /* IF is set in handlers */
    uintptr_t after;       /* bits of DS that differ afterwards */
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

/* Flags 202H: IF, and bit 1, which is always set; 240ED7H: also DF, AC, ID and all that arithmetic sets. */
UNIT_TEST(state_right)
{
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

/* The handler's calls, and the interrupted address that it gets. */
UNIT_TEST(occasions_wrong)
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
UNIT_TEST(words_wrong)
{
    const uintptr_t flags = FLAG_ONE | FLAG_IF;
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
UNIT_TEST(frames_wrong)
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
