/* SPDX-License-Identifier: MIT */
/*
 * Entry to and return from interrupts: the state that a handler finds, and the state of the interrupted code
 * afterwards. The handler changes every register in the frame, so that the test notices a register that is not loaded
 * from the frame.
 */
#include "arch/x86/interrupts.h"

#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/descriptors.h"
#include "arch/x86/image.h"
#include "arch/x86/devices/watchdog.h"
#include "kernel/test.h"
#include "suite/support/sources.h"
#include "suite/workload/interrupted.h"
#include "suite/workload/workload.h"

/* EFLAGS that any program can change, and that interrupt and return preserve. */
#define FLAG_ONE (1u << 1)
#define FLAG_IF  (1u << 9)
#define FLAG_DF  (1u << 10)
#define FLAG_RF  (1u << 16) /* set in the flags that a fault pushes */
#define FLAGS    0x2408d5u  /* CF, PF, AF, ZF, SF, OF, AC, ID */

#define FLAGS_RESULT 0x8d5u /* of the last result: CF, PF, AF, ZF, SF, OF */

#define FLAGS_KEPT 0x240200u /* that a C function preserves: AC, ID, IF */

#define SELECTOR_STACK     0x10u
#define SELECTOR_USER_DATA 0x1bu

#define CHANGED_REGISTER(n) ((uintptr_t)(UINT64_C(0x6368616e67656400) + (n)))

#define GENERAL_PROTECTION_OF(vector) ((uintptr_t)(vector)*8 + 2) /* error code: the vector, and the IDT flag */

/* What the last call of the handler saw. */
static struct {
    unsigned times;
    struct interrupt_frame frame;
    uintptr_t frame_at, flags, alignment;
} seen;

static uintptr_t resume_at; /* where the handler resumes; 0: at the frame's ip */
static bool change_registers;

static void see(struct interrupt_frame *frame)
{
    seen.flags = flags_read();
    direction_clear(); /* for the copy of the frame: only compare_handler() reports a set direction flag */
    seen.times++;
    seen.frame = *frame;
    seen.frame_at = (uintptr_t)frame;
    seen.alignment = (uintptr_t)__builtin_frame_address(0) % 16;
    if (resume_at)
        frame->ip = resume_at;
    for (unsigned n = 0; change_registers && n < REGISTERS; n++)
        if (n != INTERRUPTED_STACK)
            frame->registers[REGISTERS - 1 - n] = CHANGED_REGISTER(n);
}

static void set_handlers(interrupt_handler *handler)
{
    for (unsigned vector = 0; vector < 256; vector++)
        if (vector != VECTOR_TIMER && vector != VECTOR_SPURIOUS)
            interrupt_set(vector, handler);
}

static void prepare(bool change, uintptr_t resume)
{
    seen.times = 0;
    resume_at = resume;
    change_registers = change;
}

static bool on_kernel_stack(uintptr_t address)
{
    return address >= (uintptr_t)stack_bottom && address < (uintptr_t)stack_top;
}

/* ---- registers, flags and stacks -------------------------------------------------------------------------------- */

static const struct occasion {
    const char *name;
    const struct interrupted *code;
    unsigned vector;
    uintptr_t error_code;
} occasions[] = {
    { "INT n", &interrupted_int, INTERRUPTED_VECTOR, 0 },
    { "#UD", &interrupted_ud, 6, 0 },
    { "#GP", &interrupted_gp, 13, 0x1f8 },
    { "an interrupt of the APIC", &interrupted_pending, VECTOR_WORKLOAD_SELF, 0 },
    { "INT n at CPL 3", &interrupted_user_int, INTERRUPTED_VECTOR, 0 },
    { "#UD at CPL 3", &interrupted_user_ud, 6, 0 },
    { "#GP at CPL 3", &interrupted_user_gp, 13, 0x1f8 },
};

static void differ(struct test_run *run, const struct occasion *occasion, const char *what, unsigned n, uintptr_t got,
                   uintptr_t want)
{
    if (got != want)
        test_fail(run, "%s: %s %u is 0x%llx, must be 0x%llx", occasion->name, what, n, (unsigned long long)got,
                  (unsigned long long)want);
}

static void compare_frame(struct test_run *run, const struct occasion *occasion, uintptr_t flags)
{
    const struct interrupt_frame *frame = &seen.frame;

    differ(run, occasion, "the frame's vector", 0, frame->vector, occasion->vector);
    differ(run, occasion, "the frame's error code", 0, frame->error_code, occasion->error_code);
    differ(run, occasion, "the frame's privilege level", 0, frame->cs & 3, occasion->code->cpl);
    differ(run, occasion, "the frame's flags", 0, frame->flags & ~(uintptr_t)FLAG_RF, flags);
    for (unsigned n = 0; n < REGISTERS; n++)
        differ(run, occasion, "the frame's register", n, frame->registers[REGISTERS - 1 - n],
               n == INTERRUPTED_STACK ? interrupted_before.registers[n] : WORKLOAD_REGISTER(n));
}

/* Handlers are C code, which needs a clear direction flag and the ABI's stack alignment. Interrupts must be off. */
static void compare_handler(struct test_run *run, const struct occasion *occasion, uintptr_t flags)
{
    differ(run, occasion, "in the handler: the flags", 0, seen.flags & ~(uintptr_t)FLAGS_RESULT,
           flags & ~(uintptr_t)(FLAGS_RESULT | FLAG_IF | FLAG_DF));
    differ(run, occasion, "in the handler: alignment of its stack frame", 0, seen.alignment, REGISTERS == 16 ? 0 : 8);
}

static void compare_afterwards(struct test_run *run, const struct occasion *occasion, uintptr_t flags)
{
    for (unsigned n = 0; n < REGISTERS; n++)
        differ(run, occasion, "afterwards: register", n, interrupted_after.registers[n],
               n == INTERRUPTED_STACK ? interrupted_before.registers[n] : CHANGED_REGISTER(n));
    differ(run, occasion, "afterwards: the flags", 0, interrupted_after.flags, flags);
    for (unsigned n = 0; n < INTERRUPTED_SEGMENTS; n++)
        differ(run, occasion, "afterwards: segment register", n, interrupted_after.segments[n],
               interrupted_before.segments[n]);
    differ(run, occasion, "FS, which the test loads,", 0, interrupted_before.segments[2], SELECTOR_USER_DATA);
    differ(run, occasion, "GS, which the test loads,", 0, interrupted_before.segments[3], SELECTOR_USER_DATA);
    differ(run, occasion, "SS at level", (unsigned)occasion->code->cpl, interrupted_before.segments[4],
           occasion->code->cpl ? SELECTOR_USER_DATA : SELECTOR_STACK);
}

/* flags: EFLAGS of the interrupted code. */
static void interrupt_once(struct test_run *run, const struct occasion *occasion, uintptr_t flags)
{
    const bool pending = occasion->code == &interrupted_pending;

    prepare(true, pending ? 0 : occasion->code->behind);
    interrupted_flags = pending ? flags & ~(uintptr_t)FLAG_IF : flags;
    interrupted_after = (struct interrupted_state){ 0 };
    if (pending) {
        interrupts_off();
        apic_send_self(VECTOR_WORKLOAD_SELF);
    }
    occasion->code->run();
    if (pending)
        apic_eoi();
    differ(run, occasion, "calls of the handler", 0, seen.times, 1);
    compare_frame(run, occasion, flags);
    compare_handler(run, occasion, flags);
    compare_afterwards(run, occasion, flags);
}

static void state(struct test_run *run)
{
    set_handlers(see);
    interrupt_set_raw(INTERRUPTED_VECTOR, interrupt_entries[INTERRUPTED_VECTOR], true);
    for (unsigned i = 0; i < sizeof occasions / sizeof occasions[0]; i++) {
        interrupt_once(run, &occasions[i], FLAG_ONE | FLAG_IF);
        interrupt_once(run, &occasions[i], FLAG_ONE | FLAG_IF | FLAG_DF | FLAGS);
    }
    interrupt_set_raw(INTERRUPTED_VECTOR, interrupt_entries[INTERRUPTED_VECTOR], false);
    set_handlers(NULL);
}

TEST(selftest_interrupt_state) = {
    .id = "selftest.interrupt.state",
    .title = "At CPL 0 and CPL 3, a handler gets all registers, flags, segments and the stack, and its changes apply "
             "afterwards",
    .source = OWN_INTERRUPTS,
    .needs = NEED_APIC,
    .on_request = true,
    .run = state,
};

/* ---- vectors and gates ------------------------------------------------------------------------------------------- */

/*
 * SDM Vol. 3A (253668-081), "Sources of Interrupts", table of protected-mode exceptions and interrupts. AMD's
 * processors have two more: AMD64 Architecture Programmer's Manual, Volume 2 (24593), "#VC" and "#SX".
 */
static bool has_error_code(unsigned vector)
{
    static const uint8_t with[] = { 8, 10, 11, 12, 13, 14, 17, 21, 29, 30 };

    for (unsigned i = 0; i < sizeof with; i++)
        if (with[i] == vector)
            return true;
    return false;
}

/* Vectors with a special gate (return from CPL 3, the double fault's task) or with a handler that is in use. */
static bool is_left_out(unsigned vector)
{
    return vector == VECTOR_USER_EXIT || vector == VECTOR_TIMER || vector == VECTOR_SPURIOUS ||
           (REGISTERS == 8 && vector == VECTOR_DOUBLE_FAULT);
}

/* The handler was called once, with this vector and error code, for vector n. */
static void compare_call(struct test_run *run, const char *what, unsigned n, unsigned vector, uintptr_t code)
{
    if (seen.times != 1 || seen.frame.vector != vector || seen.frame.error_code != code)
        test_fail(run, "%s %u: %u calls, vector %u, error code 0x%x, must be 1, %u and 0x%x", what, n, seen.times,
                  (unsigned)seen.frame.vector, (unsigned)seen.frame.error_code, vector, (unsigned)code);
}

static void vectors(struct test_run *run)
{
    set_handlers(see);
    for (unsigned vector = 0; vector < 256; vector++) {
        const uintptr_t code = has_error_code(vector) ? 0x5a00 + vector : 0;

        if (is_left_out(vector))
            continue;
        prepare(false, 0);
        interrupted_enter((uintptr_t)interrupt_gate_address(vector), code, code != 0);
        compare_call(run, "the entry of vector", vector, vector, code);
    }
    set_handlers(NULL);
}

/* In the 64-bit kernel, exceptions that may occur anywhere have their own stack. INT n never pushes an error code. */
static bool has_own_stack(unsigned vector)
{
    return REGISTERS == 16 && (vector == VECTOR_NMI || vector == VECTOR_MACHINE_CHECK || vector == VECTOR_LOST_STACK);
}

static void stacks(struct test_run *run)
{
    set_handlers(see);
    for (unsigned vector = 0; vector < 256; vector++) {
        if (is_left_out(vector) || has_error_code(vector))
            continue;
        prepare(false, 0);
        ((void (*)(void))(uintptr_t)interrupted_each[vector])();
        compare_call(run, "INT", vector, vector, 0);
        if (on_kernel_stack(seen.frame_at) == has_own_stack(vector))
            test_fail(run, "INT %u: frame at 0x%llx", vector, (unsigned long long)seen.frame_at);
    }
    set_handlers(NULL);
}

static void gates(struct test_run *run)
{
    set_handlers(see);
    for (unsigned vector = 0; vector < 256; vector++) {
        const uintptr_t code = (uintptr_t)interrupted_each_user[vector];

        if (vector == VECTOR_USER_EXIT)
            continue;
        prepare(false, code + 2); /* INT VECTOR_USER_EXIT */
        user_call((void (*)(void))code);
        compare_call(run, "at CPL 3, INT", vector, VECTOR_GENERAL_PROTECTION, GENERAL_PROTECTION_OF(vector));
    }
    set_handlers(NULL);
}

TESTS(vectors_and_gates) = {
    { "selftest.interrupt.vectors",
      "The entry of each vector passes the vector, and the error code of exceptions that have one", OWN_INTERRUPTS,
      .on_request = true, .run = vectors },
    { "selftest.interrupt.stacks",
      "In the 64-bit kernel, NMI and #MC have their own stack; all other vectors stay on the stack of CPL 0",
      OWN_INTERRUPTS, .on_request = true, .run = stacks },
    { "selftest.interrupt.gates",
      "INT n at CPL 3 raises #GP with the vector for every n, except the one that returns to CPL 0", OWN_INTERRUPTS,
      .on_request = true, .run = gates },
};

/* ---- what functions preserve ------------------------------------------------------------------------------------- */

/* Numbers of the callee-saved registers and of the stack pointer, by the ABI of either width. */
static const uint8_t kept_64[] = { 3, 4, 5, 12, 13, 14, 15 }, kept_32[] = { 3, 4, 5, 6, 7 };

static void compare_kept(struct test_run *run, const char *who)
{
    const bool wide = REGISTERS == 16;

    for (unsigned i = 0; i < (wide ? sizeof kept_64 : sizeof kept_32); i++) {
        const unsigned n = wide ? kept_64[i] : kept_32[i];
        const uintptr_t want =
            n == INTERRUPTED_STACK ? interrupted_before.registers[n] : (uintptr_t)WORKLOAD_REGISTER(n);

        if (interrupted_after.registers[n] != want)
            test_fail(run, "%s: register %u is 0x%llx", who, n, (unsigned long long)interrupted_after.registers[n]);
    }
    test_equal(run, "a callee-saved register meanwhile", interrupted_after.registers[INTERRUPTED_SPOILED], 0);
    interrupted_after.registers[INTERRUPTED_SPOILED] = 1;
}

static void kept(struct test_run *run)
{
    interrupted_after.registers[INTERRUPTED_SPOILED] = 1;
    for (unsigned i = 0; i < 2; i++) {
        interrupted_flags = FLAG_ONE | (i == 0 ? FLAG_IF | FLAGS : 0);
        interrupted_kept_user();
        compare_kept(run, "after CPL 3");
        test_equal(run, "AC, ID and IF after CPL 3", interrupted_after.flags & FLAGS_KEPT, i == 0 ? FLAGS_KEPT : 0);
    }
    test_equal(run, "SS after CPL 3", selectors_read().ss, 0x10);
    interrupted_flags = FLAG_ONE | FLAG_IF;
    interrupted_kept_context();
    compare_kept(run, "after context_restore()");
    test_equal(run, "what context_save() returned", interrupted_after.registers[0], 1);
}

/* 64-bit mode ignores DS and ES. */
static void selectors(struct test_run *run)
{
    const struct selectors s = selectors_read();
    const struct {
        const char *name;
        unsigned got, want;
    } rows[] = { { "CS", s.cs, 0x08 }, { "SS", s.ss, 0x10 }, { "FS", s.fs, 0 },
                 { "GS", s.gs, 0 },    { "DS", s.ds, 0x1b }, { "ES", s.es, 0x1b } };

    for (unsigned i = 0; i < (REGISTERS == 8 ? 6 : 4); i++)
        test_equal(run, rows[i].name, rows[i].got, rows[i].want);
}

/*
 * Type, privilege level, presence and size of each descriptor, without the accessed flag (SDM Vol. 3A (253668-081),
 * "Segment Descriptors"; SDM Vol. 2A (253666-081), "LAR"). 64-bit mode ignores all limits except those of a TSS.
 */
#define ACCESSED 0x100u
#define RIGHTS   0xf0ff00u /* in the result of LAR; the other bits are undefined or of the limit */
static const struct {
    uint32_t rights_64, limit_64, rights_32, limit_32;
} descriptors[] = {
    { 0, 0, 0, 0 },
    { 0x209a00, 0, 0xc09a00, UINT32_MAX },          /* code, CPL 0 */
    { 0x009200, 0, 0xc09200, UINT32_MAX },          /* data, CPL 0 */
    { 0x00f200, 0, 0xc0f200, UINT32_MAX },          /* data, CPL 3 */
    { 0x20fa00, 0, 0xc0fa00, UINT32_MAX },          /* code, CPL 3 */
    { 0x008a00, 103, 0x008a00, 103 },               /* the TSS, busy */
    { 0, 0, 0x008800, 103 },                        /* its high half; in the 32-bit kernel the double fault's TSS */
    { 0x001200, 0, 0xc01200, UINT32_MAX },          /* data, not present */
    { 0xc09a00, UINT32_MAX, 0xc09a00, UINT32_MAX }, /* 32-bit code with a base */
    { 0, 0, 0, 0 },                                 /* past the end */
};

static void table(struct test_run *run)
{
    const bool wide = REGISTERS == 16;

    for (uint32_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++) {
        const uint32_t rights = wide ? descriptors[i].rights_64 : descriptors[i].rights_32;
        const uint32_t limit = wide ? descriptors[i].limit_64 : descriptors[i].limit_32;
        const uint32_t got = segment_rights(i * 8) & RIGHTS & ~ACCESSED;

        if (got != rights || segment_limit(i * 8) != limit)
            test_fail(run, "descriptor %u: rights 0x%x, limit 0x%x, must be 0x%x and 0x%x", (unsigned)i, (unsigned)got,
                      (unsigned)segment_limit(i * 8), (unsigned)rights, (unsigned)limit);
    }
}

TESTS(registers_and_segments) = {
    { "selftest.interrupt.kept",
      "user_call() and context_restore() preserve the callee-saved registers and the stack pointer", OWN_INTERRUPTS,
      .on_request = true, .run = kept },
    { "selftest.interrupt.selectors", "The segment registers have the kernel's own selectors, not those of the loader",
      OWN_INTERRUPTS, .on_request = true, .run = selectors },
    { "selftest.interrupt.descriptors",
      "The GDT has exactly the kernel's descriptors, with their privilege levels and limits", OWN_INTERRUPTS,
      .on_request = true, .run = table },
};

/* ---- what must end the run --------------------------------------------------------------------------------------- */

/* A function that must not return. */
struct fatal {
    void (*run)(void);
};

/* Stops the watchdog: while its input is unmasked, an NMI might come from a device that shares the input. */
static void run_fatal(struct test_run *run)
{
    watchdog_stop();
    ((const struct fatal *)run->test->argument)->run();
}

#define FATAL(name, name_text, claim)                      \
    TEST(selftest_##name) = { .id = "selftest." name_text, \
                              .title = claim,              \
                              .source = OWN_INTERRUPTS,    \
                              .on_request = true,          \
                              .run = run_fatal,            \
                              .argument = &(const struct fatal){ interrupted_##name } }

#define NO_FIXUP "An interrupt or trap at an instruction with a fix-up is not handled as the #GP of that instruction"

FATAL(fixup_breakpoint, "fixup.breakpoint", NO_FIXUP);
FATAL(fixup_machine_check, "fixup.machine_check", NO_FIXUP);
FATAL(fixup_software, "fixup.software", NO_FIXUP);

#define NO_STACK \
    "With a broken stack, NMI and #MC are reported from a stack of their own; other exceptions become a double fault"

FATAL(without_stack_nmi, "without_stack.nmi", NO_STACK);
FATAL(without_stack_machine_check, "without_stack.machine_check", NO_STACK);
FATAL(without_stack_page_fault, "without_stack.page_fault", NO_STACK);
