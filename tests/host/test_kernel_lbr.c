/* SPDX-License-Identifier: MIT */
/*
 * The kernel's LBR stack on a machine of variables: which registers it clears, opens and reads on each layout.
 * Registers by their numbers from SDM Vol. 4 (335592-081): 1C8H MSR_LBR_SELECT, 1C9H MSR_LASTBRANCH_TOS, 1D9H
 * IA32_DEBUGCTL, 680H, 6C0H and DC0H the FROM, TO and INFO registers from Skylake on; 1200H, 1500H and 1600H
 * IA32_LBR_x_INFO, _FROM_IP and _TO_IP, 14CEH IA32_LBR_CTL, 14CFH IA32_LBR_DEPTH.
 */
#include "tests/host/host_test.h"

#include "lbr/lbr.h"
#include "tests/host/machine/machine.h"

static const struct debugctl_bits core = { .lbr = 1, .freeze_lbrs = 0x800 };
static const struct caps skylake = {
    .debugctl = &core,
    .lbr_layout = LBR_LAYOUT_PAIRS,
    .lbr_format = LBR_FORMAT_INFO,
    .lbr_depth = 2,
    .lbr_from = 0x680,
    .lbr_to = 0x6c0,
    .lbr_info = 0xdc0,
    .lbr_tos = 0x1c9,
    .lbr_select = 0x1c8,
};
/* Pentium M: MSR_LASTBRANCH_0 is 40H, its top of stack 1C9H. */
static const struct caps pentium_m = {
    .debugctl = &core, .lbr_layout = LBR_LAYOUT_PACKED, .lbr_depth = 8, .lbr_from = 0x40, .lbr_tos = 0x1c9
};
static const struct caps goldencove = {
    .debugctl = &core, .lbr_layout = LBR_LAYOUT_ARCH, .lbr_format = LBR_FORMAT_ARCH, .lbr_depth = 32
};

static void reset(void **state)
{
    struct caps caps = skylake;
    (void)state;
    machine_start();
    lbr_reset(&skylake, 0x1c4);
    machine_did("wrmsr 1c8 1c4\nwrmsr 680 0\nwrmsr 6c0 0\nwrmsr dc0 0\nwrmsr 681 0\nwrmsr 6c1 0\nwrmsr dc1 0\n");
    caps.lbr_info = 0;
    caps.lbr_select = 0;
    lbr_reset(&caps, 0);
    machine_did("wrmsr 680 0\nwrmsr 6c0 0\nwrmsr 681 0\nwrmsr 6c1 0\n");
    lbr_reset(&pentium_m, 0);
    machine_did("wrmsr 40 0\nwrmsr 41 0\nwrmsr 42 0\nwrmsr 43 0\nwrmsr 44 0\nwrmsr 45 0\nwrmsr 46 0\nwrmsr 47 0\n");
    lbr_reset(&goldencove, 0); /* the write of the depth clears all entries */
    machine_did("wrmsr 14ce 7f0006\nwrmsr 14cf 20\n");
}

/*
 * What MSR_LBR_SELECT leaves out, bit by bit, and what IA32_LBR_CTL then lets in: the rest, and call-stack mode itself.
 */
static void control(void **state)
{
    static const uint64_t lets_in[10] = {
        0x7f0004, /* CPL_EQ_0: not OS */
        0x7f0002, /* CPL_NEQ_0: not USR */
        0x7e0006, /* JCC */
        0x770006, /* NEAR_REL_CALL */
        0x6f0006, /* NEAR_IND_CALL */
        0x5f0006, /* NEAR_RET */
        0x7b0006, /* NEAR_IND_JMP */
        0x7d0006, /* NEAR_REL_JMP */
        0x3f0006, /* FAR_BRANCH: OTHER_BRANCH */
        0x7f000e, /* EN_CALLSTACK: CALL_STACK */
    };
    (void)state;
    assert_int_equal(lbr_arch_control(0), 0x7f0006);
    assert_int_equal(lbr_arch_control(0x3ff), 0x8);
    for (unsigned bit = 0; bit < COUNT_OF(lets_in); bit++)
        assert_int_equal(lbr_arch_control(UINT64_C(1) << bit), lets_in[bit]);
}

static void assert_window(struct window window, uint64_t msr, uint64_t on, uint64_t off)
{
    assert_int_equal(window.msr, msr);
    assert_int_equal(window.on, on);
    assert_int_equal(window.off, off);
}

static void windows(void **state)
{
    (void)state;
    machine_start();
    machine_set(0x1d9, 0x40c0);
    assert_window(lbr_window(&skylake, 0x800), 0x1d9, 0x48c1, 0x40c0);
    machine_did("");
    machine_set(0x14ce, 0x7f0006); /* the freeze is a bit of IA32_DEBUGCTL here, too */
    assert_window(lbr_window(&goldencove, 0x800), 0x14ce, 0x7f0007, 0x7f0006);
    machine_did("wrmsr 1d9 48c0\n");
}

/* Each register has a value of its own; age 0 is the entry at the top of the stack. */
static void read_pairs(void **state)
{
    struct lbr_stack stack;
    struct caps caps = skylake;
    (void)state;
    caps.lbr_depth = 4;
    machine_start();
    for (unsigned n = 0; n < 5; n++) {
        machine_set(0x680 + n, 0x1000 + n);
        machine_set(0x6c0 + n, 0x2000 + n);
        machine_set(0xdc0 + n, UINT64_C(0x8000000000000000) + n);
    }
    for (unsigned top = 0; top < 4; top++) {
        memset(&stack, 0xa5, sizeof(stack));
        machine_set(0x1c9, top);
        lbr_read(&caps, &stack);
        assert_int_equal(stack.error, LBR_DECODE_OK);
        assert_int_equal(stack.depth, 4);
        assert_int_equal(stack.tos, top);
        assert_false(stack.shifts);
        for (unsigned age = 0; age < 4; age++) {
            const unsigned n = (top + 4 - age) % 4;
            assert_int_equal(stack.registers[age][0], 0x1000 + n);
            assert_int_equal(stack.registers[age][1], 0x2000 + n);
            assert_int_equal(stack.registers[age][2], UINT64_C(0x8000000000000000) + n);
            assert_int_equal(stack.entries[age].from, 0x1000 + n);
            assert_int_equal(stack.entries[age].to, 0x2000 + n);
            assert_int_equal(stack.entries[age].cycles, n);
            assert_true(stack.entries[age].mispredicted);
        }
    }
    caps.lbr_info = 0;
    caps.lbr_format = LBR_FORMAT_LIP;
    lbr_read(&caps, &stack);
    assert_int_equal(stack.registers[3][0], 0x1000);
    assert_int_equal(stack.registers[3][2], 0);
    assert_int_equal(stack.entries[3].has, 0);
    machine_did("");
}

static void read_packed(void **state)
{
    struct lbr_stack stack;
    (void)state;
    machine_start();
    for (unsigned n = 0; n < 8; n++)
        machine_set(0x40 + n, UINT64_C(0x200000001000) + n * UINT64_C(0x100000001));
    machine_set(0x1c9, 2);
    lbr_read(&pentium_m, &stack);
    assert_int_equal(stack.error, LBR_DECODE_OK);
    for (unsigned age = 0; age < 8; age++) {
        const unsigned n = (2 + 8 - age) % 8;
        assert_int_equal(stack.entries[age].from, 0x1000 + n);
        assert_int_equal(stack.entries[age].to, 0x2000 + n);
        assert_int_equal(stack.registers[age][0], UINT64_C(0x200000001000) + n * UINT64_C(0x100000001));
        assert_int_equal(stack.registers[age][1] | stack.registers[age][2], 0);
    }
}

static void read_arch(void **state)
{
    struct lbr_stack stack;
    (void)state;
    machine_start();
    machine_set(0x1c9, 5); /* no register of these processors */
    for (unsigned n = 0; n < 32; n++) {
        machine_set(0x1500 + n, 0x1000 + n);
        machine_set(0x1600 + n, 0x2000 + n);
        machine_set(0x1200 + n, UINT64_C(0x1000000000000000) + n);
    }
    memset(&stack, 0xa5, sizeof(stack));
    lbr_read(&goldencove, &stack);
    assert_int_equal(stack.error, LBR_DECODE_OK);
    assert_int_equal(stack.depth, 32);
    assert_int_equal(stack.tos, 0);
    assert_true(stack.shifts);
    for (unsigned age = 0; age < 32; age++) {
        assert_int_equal(stack.registers[age][0], 0x1000 + age);
        assert_int_equal(stack.registers[age][1], 0x2000 + age);
        assert_int_equal(stack.registers[age][2], UINT64_C(0x1000000000000000) + age);
        assert_int_equal(stack.entries[age].from, 0x1000 + age);
        assert_int_equal(stack.entries[age].to, 0x2000 + age);
        assert_int_equal(stack.entries[age].cycles, age);
    }
    machine_did("");
}

/* Nothing is written past the 32 entries that a stack can have here, and a top past the last entry is said. */
static void refused(void **state)
{
    static const struct {
        unsigned depth, top;
        enum lbr_error error;
    } stacks[] = {
        { 32, 31, LBR_DECODE_OK },   { 32, 32, LBR_DECODE_TOS_RANGE }, { 64, 0, LBR_DECODE_DEPTH },
        { 33, 0, LBR_DECODE_DEPTH }, { 24, 0, LBR_DECODE_DEPTH },
    };
    struct lbr_stack stack;
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(stacks); i++) {
        struct caps caps = skylake, arch = goldencove;
        machine_start();
        machine_set(0x1c9, stacks[i].top);
        caps.lbr_depth = arch.lbr_depth = stacks[i].depth;
        lbr_read(&caps, &stack);
        assert_int_equal(stack.error, stacks[i].error);
        lbr_read(&arch, &stack);
        assert_int_equal(stack.error, stacks[i].depth > 32 ? LBR_DECODE_DEPTH : LBR_DECODE_OK);
    }
    struct caps unknown = skylake;
    unknown.lbr_format = 9;
    machine_start();
    lbr_read(&unknown, &stack);
    assert_int_equal(stack.error, LBR_DECODE_FORMAT_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reset),      cmocka_unit_test(control),     cmocka_unit_test(windows),
        cmocka_unit_test(read_pairs), cmocka_unit_test(read_packed), cmocka_unit_test(read_arch),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("kernel_lbr", tests, NULL, NULL);
}
