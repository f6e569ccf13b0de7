/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of exceptions (kernel/exceptions_test.c), on a machine of variables: what they set up for each,
 * and of what the handler is given the word that is wrong.
 */
#include "tests/host/host_test.h"

#include "kernel/exceptions_test.c"
#include "tests/host/machine/machine.h"

static struct test_run run;

/* What the machine does wrong with the exception: bits of what is pushed that differ, and how often it comes. */
static struct {
    uintptr_t vector, error_code, ip, cs, cr2, dr6;
    unsigned registers; /* the number of the wrong one, plus 1 */
    unsigned times;
} wrong;

static uintptr_t cr0, cr2, dr6;
static unsigned spoiled, dr6_cleared, panics;
static uintptr_t cr0_then, spoiled_then; /* when it was raised */
uintptr_t raise_stack_pointer;
bool interrupts_allowed = true;

uintptr_t cr0_read(void)
{
    return cr0;
}

void cr0_write(uintptr_t value)
{
    cr0 = value;
}

uintptr_t cr2_read(void)
{
    return cr2;
}

uintptr_t dr6_read(void)
{
    return dr6;
}

void dr6_write(uintptr_t value)
{
    assert_int_equal(value, 0xffff0ff0); /* none of its causes */
    dr6 = value;
    dr6_cleared++;
}

void interrupt_spoil_tss(bool yes)
{
    assert_int_equal(yes, spoiled % 2 == 0);
    spoiled++;
}

void panic_exception(struct interrupt_frame *frame)
{
    (void)frame;
    panics++;
}

static void raise_of(const struct raise *r)
{
    interrupt_handler *const handler = machine.handlers[r->vector];

    cr0_then = cr0;
    spoiled_then = spoiled;
    raise_stack_pointer = 0x5000;
    cr2 = (uintptr_t)r->address ^ wrong.cr2;
    dr6 ^= (1u << 14) ^ wrong.dr6;
    for (unsigned i = 0; i < wrong.times; i++) {
        struct interrupt_frame frame = { .vector = (uintptr_t)r->vector ^ wrong.vector,
                                         .error_code = (uintptr_t)r->error_code ^ wrong.error_code,
                                         .ip = (uintptr_t)r->ip + wrong.ip,
                                         .flags = (uintptr_t)r->flags | 0x10000, /* RF */
                                         .cs = (r->cpl ? 0x23 : 0x08) ^ wrong.cs };
        for (unsigned n = 0; n < REGISTERS; n++)
            frame.registers[REGISTERS - 1 - n] =
                (n == 4 ? (r->cpl ? 0x9000 : 0x5000) : WORKLOAD_REGISTER(n)) ^ (n + 1 == wrong.registers ? 0x400u : 0);
        assert_non_null(handler);
        handler(&frame);
        assert_int_equal(frame.ip, r->resume);
        assert_int_equal(frame.flags, ((uintptr_t)r->flags | 0x10000) & ~(uintptr_t)0x40100); /* without TF and AC */
    }
}

static const char *ran;
#define RAISE(name, vector_, code, address_, cpl_)                                    \
    static void run_##name(void);                                                     \
    const struct raise raise_##name = { .run = run_##name,                            \
                                        .start = 0x1000,                              \
                                        .ip = 0x1004,                                 \
                                        .resume = 0x1010,                             \
                                        .vector = vector_,                            \
                                        .error_code = code,                           \
                                        .flags = 0x40347, /* AC, IF, TF and others */ \
                                        .address = address_,                          \
                                        .cpl = cpl_ };                                \
    static void run_##name(void)                                                      \
    {                                                                                 \
        ran = #name;                                                                  \
        if (raised)                                                                   \
            raise_of(&raise_##name);                                                  \
    }
RAISE(divide, 0, 0, 0, 0)
RAISE(step, 1, 0, 0, 0)
RAISE(breakpoint, 3, 0, 0, 0)
RAISE(overflow, 4, 0, 0, 0)
RAISE(bound, 5, 0, 0, 0)
RAISE(invalid, 6, 0, 0, 0)
RAISE(no_device, 7, 0, 0, 0)
RAISE(tss, 10, 0x30, 0, 0)
RAISE(absent, 11, 0x38, 0, 0)
RAISE(stack, 12, 0x38, 0, 0)
RAISE(protection, 13, 0x1f8, 0, 0)
RAISE(page_absent, 14, 0, 0x7000, 0)
RAISE(page_read_only, 14, 3, 0x8000, 0)
RAISE(math, 16, 0, 0, 0)
RAISE(user_page, 14, 5, 0x8000, 3)
RAISE(user_privileged, 13, 0, 0, 3)
RAISE(user_gate, 13, 0x1a, 0, 3)
RAISE(user_alignment, 17, 0, 0, 3)
RAISE(machine_check, 18, 0, 0, 0)
RAISE(reserved, 22, 0, 0, 0)
RAISE(unhandled, 40, 0, 0, 0)

#define CR0 ((uintptr_t)0x80000034u) /* PG, NE, EM, and ET */

static void start(void)
{
    machine_start();
    memset(&wrong, 0, sizeof wrong);
    wrong.times = 1;
    cr0 = CR0;
    dr6 = 0xffff0ff0;
    spoiled = dr6_cleared = panics = 0;
    raised = NULL;
    caught_dr6 = 0;
    run = (struct test_run){ 0 };
}

static void runs(const struct test *test)
{
    run.test = test;
    test->run(&run);
}

/* Tests, and the bits of CR0 while the exception is raised: MP 1, EM 2, TS 3, NE 5, AM 18. */
static const struct {
    const struct test *expected, *unexpected;
    const char *code;
    uintptr_t set, clear;
    bool tss, step;
} all[] = {
    { &robust_exception_divide, &selftest_exception_divide, "divide", 0, 0, false, false },
    { &robust_exception_debug, &selftest_exception_debug, "step", 0, 0, false, true },
    { &robust_exception_breakpoint, &selftest_exception_breakpoint, "breakpoint", 0, 0, false, false },
    { &robust_exception_overflow, &selftest_exception_overflow, "overflow", 0, 0, false, false },
    { &robust_exception_bound, &selftest_exception_bound, "bound", 0, 0, false, false },
    { &robust_exception_invalid_opcode, &selftest_exception_invalid_opcode, "invalid", 0, 0, false, false },
    { &robust_exception_no_device, &selftest_exception_no_device, "no_device", 0x8, 0x4, false, false },
    { &robust_exception_invalid_tss, &selftest_exception_invalid_tss, "tss", 0, 0, true, false },
    { &robust_exception_not_present, &selftest_exception_not_present, "absent", 0, 0, false, false },
    { &robust_exception_stack_segment, &selftest_exception_stack_segment, "stack", 0, 0, false, false },
    { &robust_exception_protection, &selftest_exception_protection, "protection", 0, 0, false, false },
    { &robust_exception_page_absent, &selftest_exception_page_absent, "page_absent", 0, 0, false, false },
    { &robust_exception_page_read_only, &selftest_exception_page_read_only, "page_read_only", 0, 0, false, false },
    { &robust_exception_x87, &selftest_exception_x87, "math", 0x22, 0xc, false, false },
    { &robust_exception_user_page, &selftest_exception_user_page, "user_page", 0, 0, false, false },
    { &robust_exception_user_privileged, &selftest_exception_user_privileged, "user_privileged", 0, 0, false, false },
    { &robust_exception_user_gate, &selftest_exception_user_gate, "user_gate", 0, 0, false, false },
    { &silicon_exception_alignment, NULL, "user_alignment", 0x40000, 0, false, false },
    { NULL, &selftest_exception_machine_check, "machine_check", 0, 0, false, false },
    { NULL, &selftest_exception_reserved, "reserved", 0, 0, false, false },
    { NULL, &selftest_exception_unhandled, "unhandled", 0, 0, false, false },
};

static void expected(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        if (!all[i].expected)
            continue;
        for (unsigned bits = 0; bits < 2; bits++) { /* whatever CR0 was */
            start();
            cr0 = bits ? CR0 | 0x4002c : CR0 & ~(uintptr_t)0x26;
            const uintptr_t before = cr0;
            runs(all[i].expected);
            machine_did("");
            assert_string_equal(ran, all[i].code);
            assert_int_equal(cr0_then, (before | all[i].set) & ~all[i].clear);
            assert_int_equal(cr0, before);
            assert_int_equal(spoiled_then, all[i].tss ? 1 : 0);
            assert_int_equal(spoiled, all[i].tss ? 2 : 0);
            assert_int_equal(dr6_cleared, all[i].step ? 2 : 0);
            assert_int_equal(panics, 0);
            for (unsigned vector = 0; vector < 256; vector++)
                assert_null(machine.handlers[vector]);
        }
    }
}

static void unexpected(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        if (!all[i].unexpected)
            continue;
        start();
        runs(all[i].unexpected);
        machine_did("");
        assert_string_equal(ran, all[i].code);
        assert_int_equal(cr0, (CR0 | all[i].set) & ~all[i].clear);
        assert_int_equal(spoiled, all[i].tss ? 1 : 0);
        assert_int_equal(dr6_cleared, all[i].step ? 1 : 0);
        assert_true(all[i].unexpected->on_request);
        assert_null(machine.handlers[0]);
    }
}

static void finds(const struct test *test, const char *lines)
{
    runs(test);
    machine_found(lines);
    start();
}

static void mistakes(void **state)
{
    const struct test *const page = &robust_exception_page_read_only;
    (void)state;
    start();
    wrong.times = 0;
    finds(page, "wrong: number of exceptions is 0x0, must be 0x1\n");
    wrong.times = 2;
    finds(page, "wrong: number of exceptions is 0x2, must be 0x1\n");
    wrong.vector = 1;
    finds(page, "wrong: vector is 0xf, must be 0xe\n");
    wrong.error_code = 4;
    finds(page, "wrong: error code is 0x7, must be 0x3\n");
    wrong.ip = 1;
    finds(page, "wrong: pushed instruction pointer is 0x1005, must be 0x1004\n");
    wrong.cs = 3;
    finds(page, "wrong: pushed privilege level is 0x3, must be 0x0\n");
    wrong.cr2 = 1;
    finds(page, "wrong: CR2 is 0x8001, must be 0x8000\n");
    wrong.cr2 = 1; /* of no page fault it means nothing */
    finds(&robust_exception_divide, "");
    wrong.dr6 = 1u << 14;
    finds(&robust_exception_debug, "wrong: DR6.BS is 0x0, must be 0x4000\n");
    wrong.dr6 = 1u << 13; /* another cause besides */
    finds(&robust_exception_debug, "");
    for (unsigned level = 0; level < 2; level++) {
        for (unsigned n = 0; n < REGISTERS; n++) {
            char line[120];
            wrong.registers = n + 1;
            if (n == 4)
                snprintf(line, sizeof line, "wrong: stack pointer is 0x5400, must be 0x5000\n");
            else
                snprintf(line, sizeof line, "wrong: a general register is 0x%llx, must be 0x%llx\n",
                         (unsigned long long)(WORKLOAD_REGISTER(n) ^ 0x400u), (unsigned long long)WORKLOAD_REGISTER(n));
            finds(level ? &robust_exception_user_page : page, level && n == 4 ? "" : line);
        }
    }
}

/* The flags are compared, but for RF; those that resume have neither TF nor AC. */
static void flags_wrong(void **state)
{
    struct interrupt_frame frame = { .ip = 0x1010, .flags = 0x50347 };
    (void)state;
    start();
    raised = &raise_divide;
    catch (&frame);
    assert_int_equal(frame.flags, 0x10247);
    assert_int_equal(panics, 0);
    runs(&robust_exception_divide);
    machine_found("");
    caught.flags ^= 0x10000;
    compare(&run);
    machine_found("");
    caught.flags ^= 1;
    compare(&run);
    machine_found("wrong: pushed flags is 0x40346, must be 0x40347\n");
}

/* Exceptions of other code are not the test's. */
static void elsewhere(void **state)
{
    static const struct {
        uintptr_t ip;
        unsigned panics;
    } rows[] = { { 0xfff, 1 }, { 0x1000, 0 }, { 0x1010, 0 }, { 0x1011, 1 } };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        struct interrupt_frame frame = { .ip = rows[i].ip };
        start();
        raised = &raise_divide;
        catch (&frame);
        assert_int_equal(panics, rows[i].panics);
    }
}

/* All exceptions have the test's handler while it raises one, but NMI, #DF and #MC, and no other vector. */
static void handlers(void **state)
{
    (void)state;
    start();
    set_handlers(catch);
    for (unsigned vector = 0; vector < 256; vector++)
        assert_ptr_equal(machine.handlers[vector],
                         vector < 32 && vector != 2 && vector != 8 && vector != 18 ? catch : NULL);
}

static void without_interrupts(void **state)
{
    (void)state;
    assert_null(robust_exception_divide.lacks(NULL));
    interrupts_allowed = false;
    assert_string_equal(robust_exception_divide.lacks(NULL),
                        "interrupts stay off, because the local APIC cannot be used");
    interrupts_allowed = true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expected),           cmocka_unit_test(unexpected), cmocka_unit_test(mistakes),
        cmocka_unit_test(flags_wrong),        cmocka_unit_test(elsewhere),  cmocka_unit_test(handlers),
        cmocka_unit_test(without_interrupts),
    };
    return cmocka_run_group_tests_name("kernel_exceptions", tests, NULL, NULL);
}
