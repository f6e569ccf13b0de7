/* SPDX-License-Identifier: MIT */
/*
 * Raises every exception that an instruction can raise at will. selftest.robust.exception.* expect the exception and
 * check what the handler gets: vector, error code, instruction pointer, flags, every register. selftest.exception.* do
 * not expect it, so it ends the run with a report, which tests/qemu/cases checks.
 */
#include "suite/workload/exceptions.h"

#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "kernel/panic.h"
#include "kernel/test.h"
#include "suite/support/sources.h"
#include "suite/workload/workload.h"

#define CR0_MP (1u << 1)
#define CR0_EM (1u << 2)
#define CR0_TS (1u << 3)
#define CR0_NE (1u << 5)
#define CR0_AM (1u << 18)

#define FLAG_TF (1u << 8)
#define FLAG_RF (1u << 16) /* set in the pushed flags, so that a breakpoint at the instruction is not raised again */
#define FLAG_AC (1u << 18)

#define DR6_SINGLE_STEP (1u << 14)
#define DR6_NOTHING     0xffff0ff0u

#define STACK_POINTER 4u /* as instructions encode it */

/* What to raise and how: bits of CR0 to set and clear for it, and code to run before and after. */
struct occasion {
    const struct raise *raise;
    uintptr_t set, clear;
    void (*before)(void);
    void (*after)(struct test_run *run);
};

static const struct raise *raised;
static struct interrupt_frame caught;
static unsigned times;
static uintptr_t caught_cr2, caught_dr6;

/*
 * Keeps the exception's frame, and resumes after the code that raised it. An exception from anywhere else is
 * unexpected.
 */
static void catch (struct interrupt_frame *frame)
{
    if (frame->ip < raised->start || frame->ip > raised->resume)
        panic_exception(frame);
    caught = *frame;
    caught_cr2 = cr2_read();
    caught_dr6 = dr6_read();
    times++;
    frame->flags &= ~(uintptr_t)(FLAG_TF | FLAG_AC);
    frame->ip = (uintptr_t)raised->resume;
}

static void set_handlers(interrupt_handler *handler)
{
    for (unsigned vector = 0; vector < VECTOR_EXCEPTIONS; vector++)
        if (vector != VECTOR_NMI && vector != VECTOR_DOUBLE_FAULT && vector != VECTOR_MACHINE_CHECK)
            interrupt_set(vector, handler);
}

static void raise_it(const struct raise *raise)
{
    raised = raise;
    times = 0;
    set_handlers(catch);
    raise->run();
    set_handlers(NULL);
}

static void compare(struct test_run *run)
{
    const struct {
        const char *name;
        uint64_t got, want;
    } rows[] = {
        { "number of exceptions", times, 1 },
        { "vector", caught.vector, raised->vector },
        { "error code", caught.error_code, raised->error_code },
        { "pushed instruction pointer", caught.ip, raised->ip },
        { "pushed flags", caught.flags & ~(uintptr_t)FLAG_RF, raised->flags },
        { "pushed privilege level", caught.cs & 3, raised->cpl },
        { "CR2", raised->address ? caught_cr2 : 0, raised->address },
        { "stack pointer", raised->cpl ? 0 : caught.registers[REGISTERS - 1 - STACK_POINTER],
          raised->cpl ? 0 : raise_stack_pointer },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        test_equal(run, rows[i].name, rows[i].got, rows[i].want);
    for (unsigned n = 0; n < REGISTERS; n++)
        if (n != STACK_POINTER)
            test_equal(run, "a general register", caught.registers[REGISTERS - 1 - n], WORKLOAD_REGISTER(n));
}

static void expect(struct test_run *run)
{
    const struct occasion *occasion = run->test->argument;
    const uintptr_t cr0 = cr0_read();

    if (occasion->before)
        occasion->before();
    cr0_write((cr0 | occasion->set) & ~occasion->clear);
    raise_it(occasion->raise);
    cr0_write(cr0);
    if (occasion->after)
        occasion->after(run);
    compare(run);
}

static void suffer(struct test_run *run)
{
    const struct occasion *occasion = run->test->argument;

    if (occasion->before)
        occasion->before();
    cr0_write((cr0_read() | occasion->set) & ~occasion->clear);
    occasion->raise->run();
}

static const char *no_interrupts(const struct caps *caps)
{
    (void)caps;
    return interrupts_allowed ? NULL : "interrupts stay off, because the local APIC cannot be used";
}

/* Two tests of each occasion: selftest.robust.exception.NAME expects the exception, selftest.exception.NAME does not.
 */
#define EXCEPTION(name, claim, section, ...)                                    \
    static const struct occasion name = { __VA_ARGS__ };                        \
    TEST(robust_exception_##name) = { .id = "selftest.robust.exception." #name, \
                                      .title = claim,                           \
                                      .source = SDM_2023A "\"" section "\"",    \
                                      .lacks = no_interrupts,                   \
                                      .run = expect,                            \
                                      .argument = &(name) };                    \
    UNEXPECTED(name, &(name))

#define UNEXPECTED(name, occasion)                                                                          \
    TEST(selftest_exception_##name) = {                                                                     \
        .id = "selftest.exception." #name,                                                                  \
        .title = "An unexpected exception is reported by name, with its error code, address and registers", \
        .source = OWN_RUNNER,                                                                               \
        .on_request = true,                                                                                 \
        .run = suffer,                                                                                      \
        .argument = occasion                                                                                \
    }

EXCEPTION(divide, "A division by zero raises #DE, with the address of the DIV",
          "Interrupt 0--Divide Error Exception (#DE)", .raise = &raise_divide);

static void clear_dr6(void)
{
    dr6_write(DR6_NOTHING);
}

static void compare_step(struct test_run *run)
{
    test_equal(run, "DR6.BS", caught_dr6 & DR6_SINGLE_STEP, DR6_SINGLE_STEP);
    clear_dr6();
}

EXCEPTION(debug,
          "The trap flag raises #DB after the instruction that follows POPF, and DR6.BS says that it was a single step",
          "Single-Step Exception Condition", .raise = &raise_step, .before = clear_dr6, .after = compare_step);
EXCEPTION(breakpoint, "INT3 raises #BP, with the address after it", "Interrupt 3--Breakpoint Exception (#BP)",
          .raise = &raise_breakpoint);
EXCEPTION(overflow, "INTO with OF set raises #OF, with the address after it; 64-bit mode has no INTO, and raises #UD",
          "Interrupt 4--Overflow Exception (#OF)", .raise = &raise_overflow);
EXCEPTION(bound, "BOUND outside its bounds raises #BR, with its own address; 64-bit mode has no BOUND, and raises #UD",
          "Interrupt 5--BOUND Range Exceeded Exception (#BR)", .raise = &raise_bound);
EXCEPTION(invalid_opcode, "UD2 raises #UD, with its own address", "Interrupt 6--Invalid Opcode Exception (#UD)",
          .raise = &raise_invalid);
EXCEPTION(no_device, "An x87 instruction with CR0.TS set raises #NM",
          "Interrupt 7--Device Not Available Exception (#NM)", .raise = &raise_no_device, .set = CR0_TS,
          .clear = CR0_EM);

static void spoil_tss(void)
{
    interrupt_spoil_tss(true);
}

static void mend_tss(struct test_run *run)
{
    (void)run;
    interrupt_spoil_tss(false);
}

EXCEPTION(invalid_tss, "A TSS that is too short raises #TS, with its selector",
          "Interrupt 10--Invalid TSS Exception (#TS)", .raise = &raise_tss, .before = spoil_tss, .after = mend_tss);
EXCEPTION(not_present, "A segment that is not present, loaded into FS, raises #NP with its selector",
          "Interrupt 11--Segment Not Present (#NP)", .raise = &raise_absent);
EXCEPTION(stack_segment, "A segment that is not present, loaded into SS, raises #SS with its selector",
          "Interrupt 12--Stack Fault Exception (#SS)", .raise = &raise_stack);
EXCEPTION(protection, "A selector past the end of the GDT raises #GP with that selector",
          "Interrupt 13--General Protection Exception (#GP)", .raise = &raise_protection);
EXCEPTION(page_absent, "A read of the absent page below the stack raises #PF: error code 0, the address in CR2",
          "Interrupt 14--Page-Fault Exception (#PF)", .raise = &raise_page_absent);
EXCEPTION(page_read_only, "A write into the kernel's code raises #PF even at CPL 0: error code 3, the address in CR2",
          "Interrupt 14--Page-Fault Exception (#PF)", .raise = &raise_page_read_only);
EXCEPTION(x87, "An unmasked x87 exception raises #MF at the next instruction that waits",
          "Interrupt 16--x87 FPU Floating-Point Error (#MF)", .raise = &raise_math, .set = CR0_NE | CR0_MP,
          .clear = CR0_TS | CR0_EM);
EXCEPTION(user_page, "A read of the kernel's data at CPL 3 raises #PF: error code 5, the address in CR2",
          "Interrupt 14--Page-Fault Exception (#PF)", .raise = &raise_user_page);
EXCEPTION(user_privileged, "CLI at CPL 3 raises #GP, error code 0", "Interrupt 13--General Protection Exception (#GP)",
          .raise = &raise_user_privileged);
EXCEPTION(user_gate,
          "INT n at CPL 3 through a gate of CPL 0 raises #GP, with the vector and the IDT flag in its error code",
          "Error Code", .raise = &raise_user_gate);

/* QEMU's TCG has no alignment check, so only silicon can run this test. */
TEST(silicon_exception_alignment) = {
    .id = "silicon.exception.alignment",
    .title = "A misaligned read at CPL 3 with CR0.AM and EFLAGS.AC set raises #AC, error code 0",
    .source = SDM_2023A "\"Interrupt 17--Alignment Check Exception (#AC)\"",
    .on_request = true,
    .run = expect,
    .argument = &(const struct occasion){ .raise = &raise_user_alignment, .set = CR0_AM },
};

/* INT n raises exceptions that no instruction raises at will. They must be reported like all others. */
UNEXPECTED(machine_check, &(const struct occasion){ .raise = &raise_machine_check });
UNEXPECTED(reserved, &(const struct occasion){ .raise = &raise_reserved });
UNEXPECTED(unhandled, &(const struct occasion){ .raise = &raise_unhandled });
