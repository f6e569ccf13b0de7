/* SPDX-License-Identifier: MIT */
/*
 * How the kernel reads LBR stacks that no processor has (lbr/lbr.c). 1C9H is MSR_LASTBRANCH_TOS. Boots of lbr.* test
 * the rest.
 */
#include "tests/host/unit_test.h"

#include "lbr/lbr.h"
#include "tests/host/machine/machine.h"
#include "tests/host/processors.h"

/* Memory past the stack's 32 entries stays unchanged. A top past the last entry is reported. */
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
