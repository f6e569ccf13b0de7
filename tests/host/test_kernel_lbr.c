/* SPDX-License-Identifier: MIT */
/*
 * The kernel's LBR stack (lbr/lbr.c, lbr/lbr_arch.c) in cases that no boot of the model reaches: IA32_LBR_CTL for each
 * filter bit alone, and stacks that no processor has. 1C9H is MSR_LASTBRANCH_TOS. The boots of lbr.* do the rest.
 */
#include "tests/host/unit_test.h"

#include "lbr/lbr.h"
#include "tests/host/machine/machine.h"
#include "tests/host/processors.h"

/*
 * What MSR_LBR_SELECT leaves out, bit by bit, and what IA32_LBR_CTL then lets in: the rest, and call-stack mode itself.
 */
UNIT_TEST(control)
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
    assert_int_equal(lbr_arch_control(0), 0x7f0006);
    assert_int_equal(lbr_arch_control(0x3ff), 0x8);
    for (unsigned bit = 0; bit < COUNT_OF(lets_in); bit++)
        assert_int_equal(lbr_arch_control(UINT64_C(1) << bit), lets_in[bit]);
}

/* Memory past the stack's 32 entries stays unchanged, and a top past the last entry is reported. */
UNIT_TEST(refused)
{
    static const struct {
        unsigned depth, top;
        enum lbr_error error;
    } stacks[] = {
        { 32, 31, LBR_DECODE_OK },   { 32, 32, LBR_DECODE_TOS_RANGE }, { 64, 0, LBR_DECODE_DEPTH },
        { 33, 0, LBR_DECODE_DEPTH }, { 24, 0, LBR_DECODE_DEPTH },
    };
    struct lbr_stack stack;
    for (unsigned i = 0; i < COUNT_OF(stacks); i++) {
        struct caps caps = caps_of(skylake_input()), arch = caps_of(golden_cove_input());
        machine_start();
        machine_set(0x1c9, stacks[i].top);
        caps.lbr_depth = arch.lbr_depth = stacks[i].depth;
        lbr_read(&caps, &stack);
        assert_int_equal(stack.error, stacks[i].error);
        lbr_read(&arch, &stack);
        assert_int_equal(stack.error, stacks[i].depth > 32 ? LBR_DECODE_DEPTH : LBR_DECODE_OK);
    }
    struct caps unknown = caps_of(skylake_input());
    unknown.lbr_format = 9;
    machine_start();
    lbr_read(&unknown, &stack);
    assert_int_equal(stack.error, LBR_DECODE_FORMAT_UNKNOWN);
}
