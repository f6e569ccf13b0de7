/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of the state after reset (kernel/reset_test.c), on registers of variables. By their numbers from
 * SDM Vol. 4 (335592-081): C1H IA32_PMC0, 186H IA32_PERFEVTSEL0, 1C8H MSR_LBR_SELECT, 38FH IA32_PERF_GLOBAL_CTRL.
 */
#include "tests/host/host_test.h"

#include "kernel/firmware.h"
#include "kernel/reset_test.c"
#include "tests/host/machine/machine.h"

static struct caps caps;
static struct test_run run;

/* As after reset, but for one register. */
static void start(uint32_t msr, uint64_t value)
{
    machine_start();
    caps = (struct caps){ .hypervisor = true,
                          .global_ctrl = true,
                          .general_count = 4,
                          .general_counters = 0xf,
                          .general_possible = 0x30,
                          .lbr_select = 0x1c8 };
    machine_set(0x38f, 0xf);
    machine_set(msr, value);
    firmware_take_over();
    reset_state_take(&caps);
    run = (struct test_run){ .caps = &caps };
}

static void each_register(void **state)
{
    static const struct {
        const struct test *test;
        uint32_t msr;
        uint64_t value;
        const char *lines;
    } cases[] = {
        { &perfmon_reset_global_ctrl, 0x38f, 0xf, "" },
        { &perfmon_reset_global_ctrl, 0x38f, 0x3f, "" }, /* of counters that may exist */
        { &perfmon_reset_global_ctrl, 0x38f, 0x7, "wrong: IA32_PERF_GLOBAL_CTRL after reset is 0x7, must be 0xf\n" },
        { &perfmon_reset_global_ctrl, 0x38f, 0x4f, "wrong: IA32_PERF_GLOBAL_CTRL after reset is 0x4f, must be 0xf\n" },
        { &perfmon_reset_counters, 0x38f, 0xf, "" },
        { &perfmon_reset_counters, 0xc1, 7, "wrong: after reset counter 0 is 0x7, and its event select 0x0\n" },
        { &perfmon_reset_counters, 0xc4, 7, "wrong: after reset counter 3 is 0x7, and its event select 0x0\n" },
        { &perfmon_reset_counters, 0xc5, 7, "" }, /* no counter */
        { &perfmon_reset_counters, 0x189, 0x43003c,
          "wrong: after reset counter 3 is 0x0, and its event select 0x43003c\n" },
        { &lbr_reset_select, 0x1c8, 0, "" },
        { &lbr_reset_select, 0x1c8, 1, "wrong: MSR_LBR_SELECT after reset is 0x1, must be 0x0\n" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start(cases[i].msr, cases[i].value);
        cases[i].test->run(&run);
        machine_found(cases[i].lines);
    }
    start(0xc8, 7); /* the eighth, and no more are looked at */
    caps.general_count = 9;
    reset_state_take(&caps);
    perfmon_reset_counters.run(&run);
    machine_found("wrong: after reset counter 7 is 0x7, and its event select 0x0\n");
}

static void demands(void **state)
{
    static const char unknown[] = "no virtual machine: what firmware did to the state after reset cannot be known";
    (void)state;
    start(0x38f, 0xf);
    assert_int_equal(perfmon_reset_global_ctrl.needs, NEED_GLOBAL_CTRL);
    assert_int_equal(perfmon_reset_counters.needs, NEED_PERFMON);
    assert_int_equal(lbr_reset_select.needs, NEED_LBR | NEED_LBR_SELECT);
    assert_null(perfmon_reset_global_ctrl.lacks(&caps));
    assert_null(perfmon_reset_counters.lacks(&caps));
    assert_null(lbr_reset_select.lacks(&caps));
    caps.hypervisor = false;
    assert_string_equal(perfmon_reset_global_ctrl.lacks(&caps), unknown);
    assert_string_equal(perfmon_reset_counters.lacks(&caps), unknown);
    assert_string_equal(lbr_reset_select.lacks(&caps), unknown);
    caps.lbr_select = 0;
    assert_string_equal(lbr_reset_select.lacks(&caps), "no MSR_LBR_SELECT: IA32_LBR_CTL filters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_register),
        cmocka_unit_test(demands),
    };

    return cmocka_run_group_tests_name("kernel_reset", tests, NULL, NULL);
}
