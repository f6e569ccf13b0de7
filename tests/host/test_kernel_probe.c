/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of its probing (arch/x86/probe_test.c), on a machine of variables: of a leaf that is read wrongly,
 * and a register that is not as it was, they report that one.
 */
#include "tests/host/host_test.h"

#include "arch/x86/probe_test.c"
#include "tests/host/machine/machine.h"

static struct test_run run;
static struct caps caps;
/* What the probe makes of this machine, and what it leaves in its registers. */
static struct caps_input probed;
static struct {
    uint32_t msr;
    uint64_t value, but; /* the value, unless the register held this one */
} left;

void ds_probe(struct caps_input *in)
{
    *in = probed;
    if (left.msr && msr_get(left.msr) != left.but)
        machine_set(left.msr, left.value);
}

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

static uint32_t most, most_extended;

static struct cpuid leaves_of_machine(uint32_t leaf, uint32_t subleaf)
{
    assert_int_equal(subleaf, 0);
    if (leaf == 0 || leaf == 0x80000000u)
        return (struct cpuid){ leaf ? most_extended : most, leaf + 1, leaf + 2, leaf + 3 };
    return (struct cpuid){ leaf + 0x100, leaf + 0x200, leaf + 0x300, leaf + 0x400 };
}

static const uint32_t asked[] = { 0, 1, 7, 0xa, 0x1c, 0x80000001, 0x80000002, 0x80000003, 0x80000004, 0x80000008 };
static struct caps_leaf *const told[] = { &probed.leaf_0,        &probed.leaf_1,        &probed.leaf_7,
                                          &probed.leaf_a,        &probed.leaf_1c,       &probed.leaf_80000001,
                                          &probed.leaf_80000002, &probed.leaf_80000003, &probed.leaf_80000004,
                                          &probed.leaf_80000008 };

static void start(void)
{
    machine_start();
    memset(&probed, 0, sizeof probed);
    memset(&left, 0, sizeof left);
    caps = (struct caps){ .ds = true, .lbr_layout = LBR_LAYOUT_PAIRS };
    run = (struct test_run){ .caps = &caps };
}

static void machine_of(uint32_t highest, uint32_t highest_extended)
{
    start();
    most = highest;
    most_extended = highest_extended;
    machine.leaves = leaves_of_machine;
    for (unsigned i = 0; i < COUNT_OF(asked); i++) {
        const bool extended = asked[i] >> 31;
        const struct cpuid c = leaves_of_machine(asked[i], 0);
        if (extended ? highest_extended >> 31 && asked[i] <= highest_extended : asked[i] <= highest)
            *told[i] = (struct caps_leaf){ .valid = true, .eax = c.eax, .ebx = c.ebx, .ecx = c.ecx, .edx = c.edx };
    }
}

static void leaves_right(void **state)
{
    static const uint32_t highest[][2] = { { 0x1c, 0x80000008 }, { 0x1b, 0x80000007 }, { 0xa, 0x80000004 },
                                           { 9, 0x80000003 },    { 7, 0x80000002 },    { 6, 0x80000001 },
                                           { 1, 0x80000000 },    { 0, 0x1234 } };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(highest); i++) {
        machine_of(highest[i][0], highest[i][1]);
        selftest_probe_leaves.run(&run);
        machine_did("");
    }
}

static void leaves_wrong(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(asked); i++) {
        for (unsigned word = 0; word < 5; word++) {
            struct cpuid c;
            char line[240];
            machine_of(0x1c, 0x80000008);
            c = leaves_of_machine(asked[i], 0);
            const uint32_t is[4] = { c.eax, c.ebx, c.ecx, c.edx };
            uint32_t reads[4] = { c.eax, c.ebx, c.ecx, c.edx };
            if (word < 4)
                reads[word] ^= 0x80000000u;
            *told[i] = (struct caps_leaf){
                .valid = word < 4, .eax = reads[0], .ebx = reads[1], .ecx = reads[2], .edx = reads[3]
            };
            snprintf(line, sizeof line,
                     "wrong: leaf 0x%x is read as %s 0x%x 0x%x 0x%x 0x%x, must be valid 0x%x 0x%x 0x%x 0x%x\n",
                     (unsigned)asked[i], word < 4 ? "valid" : "missing", (unsigned)reads[0], (unsigned)reads[1],
                     (unsigned)reads[2], (unsigned)reads[3], (unsigned)is[0], (unsigned)is[1], (unsigned)is[2],
                     (unsigned)is[3]);
            selftest_probe_leaves.run(&run);
            machine_found(line);
        }
    }
    machine_of(9, 0x80000008);
    probed.leaf_a.valid = true;
    selftest_probe_leaves.run(&run);
    machine_found("wrong: leaf 0xa is read as valid 0x0 0x0 0x0 0x0, must be missing 0x0 0x0 0x0 0x0\n");
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

static void registers_right(void **state)
{
    (void)state;
    start();
    machine_set(0x1d9, 0x42);
    machine_set(0x600, 0x7000);
    selftest_probe_registers.run(&run);
    machine_did("wrmsr 1d9 0\nwrmsr 1d9 42\nwrmsr 1d9 1\nwrmsr 1d9 42\n"
                "wrmsr 600 0\nwrmsr 600 7000\nwrmsr 600 12345000\nwrmsr 600 7000\n");
    start();
    caps.ds = false;
    selftest_probe_registers.run(&run);
    machine_did("wrmsr 1d9 0\nwrmsr 1d9 0\nwrmsr 1d9 1\nwrmsr 1d9 0\n");
    start();
    caps.lbr_layout = LBR_LAYOUT_ARCH;
    caps.ds = false;
    selftest_probe_registers.run(&run);
    machine_did("wrmsr 14ce 0\nwrmsr 14ce 0\nwrmsr 14ce 7\nwrmsr 14ce 0\n");
}

static void registers_wrong(void **state)
{
    (void)state;
    start();
    left.msr = 0x1d9;
    left.value = 1;
    left.but = 1;
    selftest_probe_registers.run(&run);
    machine_found("wrong: MSR 0x1d9 is 0x1 after the probe, was 0x0\n");
    start();
    left.msr = 0x600;
    selftest_probe_registers.run(&run);
    machine_found("wrong: MSR 0x600 is 0x0 after the probe, was 0x12345000\n");
    start();
    machine_refuse(0x600);
    selftest_probe_registers.run(&run);
    machine_found("wrong: MSR 0x600 does not take 0x0\n"
                  "wrong: MSR 0x600 does not take 0x12345000\n"
                  "wrong: MSR 0x600 is 0x0 after the probe, was 0x12345000\n");
}

static void refused_wrong(void **state)
{
    (void)state;
    start();
    selftest_probe_refused.run(&run);
    machine_did("");
    assert_string_equal(run.skipped, "IA32_MISC_ENABLE can be read here");
    start();
    machine_refuse(0x1a0);
    selftest_probe_refused.run(&run);
    machine_did("#GP wrmsr 1a0 0\n");
    assert_null(run.skipped);
    start();
    machine_refuse(0x1a0);
    machine.garbage = 0x77;
    selftest_probe_refused.run(&run);
    machine_found("wrong: what msr_read() stores where it fails is 0x77, must be 0x0\n"
                  "wrong: what msr_get() returns there is 0x77, must be 0x0\n");
    assert_true(selftest_probe_leaves.on_request && selftest_probe_registers.on_request &&
                selftest_probe_refused.on_request);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_right),    cmocka_unit_test(leaves_wrong),  cmocka_unit_test(registers_right),
        cmocka_unit_test(registers_wrong), cmocka_unit_test(refused_wrong),
    };
    return cmocka_run_group_tests_name("kernel_probe", tests, NULL, NULL);
}
