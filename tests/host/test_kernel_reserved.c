/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of reserved bits, and of registers that are read-only (perfmon/reserved_test.c), on registers of
 * variables: which bits they try, and what they say where one is taken, and where another one changes. Registers by
 * their numbers from SDM Vol. 4 (335592-081).
 */
#include "tests/host/host_test.h"

#include "perfmon/reserved_test.c"
#include "tests/host/machine/machine.h"

#define RIGHT UINT64_C(0x5) /* what each register has before */

/* What the machine does wrong, with a write of this bit to the register at hand. */
static struct {
    uint64_t bit;
    bool takes;   /* it is taken */
    bool changes; /* bit 1 changes */
} wrong;

static uint32_t at;    /* the register at hand, or the first of several */
static unsigned count; /* of them */
static uint64_t tried[4];
static struct caps caps;
static struct test_run run;

/* One bit is changed at a time, and each once. */
static bool refuses(uint32_t msr, uint64_t value)
{
    const uint64_t bit = value ^ RIGHT;

    assert_in_range(msr, at, at + count - 1);
    if (!bit)
        return false;
    assert_int_equal(msr_get(msr), RIGHT);
    assert_int_equal(bit & (bit - 1), 0);
    assert_int_equal(tried[msr - at] & bit, 0);
    tried[msr - at] |= bit;
    if (bit == wrong.bit && wrong.changes && !wrong.takes)
        machine_set(msr, RIGHT ^ 2);
    return bit != wrong.bit || !wrong.takes;
}

static void wrote(uint32_t msr, uint64_t value)
{
    if (value != RIGHT && wrong.changes)
        machine_set(msr, value ^ 2);
}

static void start(uint32_t msr, unsigned registers)
{
    machine_start();
    memset(&wrong, 0, sizeof wrong);
    memset(tried, 0, sizeof tried);
    at = msr;
    count = registers;
    machine.refuses = refuses;
    machine.write = wrote;
    for (unsigned i = 0; i < registers; i++)
        machine_set(msr + i, RIGHT);
    caps = (struct caps){ .global_ctrl = true,
                          .general_count = 4,
                          .general_counters = 0xf,
                          .general_possible = 0x30,
                          .fixed_count = 3,
                          .fixed_counters = 0x7,
                          .fixed_possible = 0x10,
                          .pdcm = true,
                          .lbr_select = 0x1c8 };
    run = (struct test_run){ .caps = &caps };
}

static const struct {
    const struct test *test;
    const char *name;
    uint32_t msr;
    unsigned registers;
    uint64_t bits;  /* that are reserved */
    uint64_t needs; /* as bits of enum caps_need */
} all[] = {
    { &perfmon_reserved_global_ctrl, "IA32_PERF_GLOBAL_CTRL", 0x38f, 1, 0xfffe0000ffffffc0, NEED_GLOBAL_CTRL },
    { &perfmon_reserved_ovf_ctrl, "IA32_PERF_GLOBAL_OVF_CTRL", 0x390, 1, 0x003e0000ffffffc0, NEED_GLOBAL_CTRL },
    { &perfmon_reserved_perfevtsel, "IA32_PERFEVTSELx", 0x186, 4, 0xffff000000000000, NEED_GLOBAL_CTRL },
    { &perfmon_reserved_fixed_ctr_ctrl, "IA32_FIXED_CTR_CTRL", 0x38d, 1, 0xe0000000fff0f000, NEED_GLOBAL_CTRL },
    { &bts_reserved_debugctl, "IA32_DEBUGCTL", 0x1d9, 1, 0xffffffff00000000, NEED_GLOBAL_CTRL | NEED_BTS },
    { &lbr_reserved_select, "MSR_LBR_SELECT", 0x1c8, 1, 0xffffffffffff0000, NEED_LBR | NEED_LBR_SELECT },
    { &lbr_arch_reserved, "IA32_LBR_CTL", 0x14ce, 1, 0xffffffffff80fff0, NEED_LBR | NEED_ARCH_LBR },
    { &pebs_reserved_enable, "IA32_PEBS_ENABLE", 0x3f1, 1, 0x0fff000000000000, NEED_PEBS_AREA },
    { &pebs_reserved_load_latency, "MSR_PEBS_LD_LAT_THRESHOLD", 0x3f6, 1, 0xffffffffffff0000,
      NEED_PEBS | NEED_LOAD_LATENCY },
    { &pebs_reserved_data_cfg, "MSR_PEBS_DATA_CFG", 0x3f2, 1, 0xff00000000000000, NEED_PEBS | NEED_PEBS_ADAPTIVE },
};

static void runs(unsigned i)
{
    run.test = all[i].test;
    all[i].test->run(&run);
    for (unsigned n = 0; n < all[i].registers; n++) {
        assert_int_equal(tried[n], all[i].bits);
        assert_int_equal(msr_get(all[i].msr + n), RIGHT);
    }
}

static void all_is_right(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(all[i].msr, all[i].registers);
        runs(i);
        machine_found("");
        assert_int_equal(run.problems + run.differences, 0);
        assert_int_equal(all[i].test->needs, all[i].needs);
        assert_true(!all[i].test->lacks || !all[i].test->lacks(&caps));
    }
}

/* A bit that is taken, one whose refusal changes another, and one that is taken and changes another. */
static void each_error(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++)
        for (unsigned n = 0; n < 3 * 64; n++) {
            char lines[1000] = "";
            size_t used = 0;
            start(all[i].msr, all[i].registers);
            wrong.bit = all[i].bits & UINT64_C(1) << n / 3;
            wrong.takes = n % 3 != 1;
            wrong.changes = n % 3 != 0;
            if (!wrong.bit)
                continue;
            runs(i);
            for (unsigned k = 0; k < all[i].registers; k++) {
                if (wrong.changes)
                    used += (size_t)snprintf(lines + used, sizeof lines - used, "wrong: %s is 0x7, must be 0x5\n",
                                             all[i].name);
                if (wrong.takes)
                    used += (size_t)snprintf(lines + used, sizeof lines - used,
                                             "differs: WRMSR of the reserved bits 0x%" PRIx64 " to %s raised no #GP\n",
                                             wrong.bit, all[i].name);
            }
            machine_found(lines);
        }
}

/* What is reserved is no counter that CPUID lists or leaves open. */
static void by_counters(void **state)
{
    (void)state;
    start(0x38f, 1);
    caps.general_counters = UINT32_MAX;
    caps.general_possible = 0;
    perfmon_reserved_global_ctrl.run(&run);
    assert_int_equal(tried[0], 0xfffe000000000000);
    start(0x38d, 1);
    caps.fixed_counters = 0x80;
    caps.fixed_possible = 0;
    perfmon_reserved_fixed_ctr_ctrl.run(&run);
    assert_int_equal(tried[0], 0xe00000000fffffff);
}

/* ---- registers that are read-only ---------------------------------------------------------------------------------
 */

static bool refuses_all(uint32_t msr, uint64_t value)
{
    assert_int_equal(msr, at);
    assert_int_equal(value, RIGHT ^ 1);
    if (wrong.changes && !wrong.takes)
        machine_set(msr, RIGHT ^ wrong.bit);
    return !wrong.takes;
}

static void wrote_read_only(uint32_t msr, uint64_t value)
{
    (void)value;
    machine_set(msr, wrong.changes ? RIGHT ^ wrong.bit : RIGHT);
}

static void read_only(void **state)
{
    static const struct {
        const struct test *test;
        uint32_t msr;
        uint64_t bit;
        bool takes;
        const char *lines;
    } cases[] = {
        { &perfmon_status_read_only, 0x38e, 0, false, "" },
        { &perfmon_status_read_only, 0x38e, 0, true, "differs: WRMSR to IA32_PERF_GLOBAL_STATUS raised no #GP\n" },
        { &perfmon_status_read_only, 0x38e, 1, false,
          "wrong: causes in IA32_PERF_GLOBAL_STATUS is 0x4, must be 0x5\n" },
        { &perfmon_status_read_only, 0x38e, 1, true,
          "differs: WRMSR to IA32_PERF_GLOBAL_STATUS raised no #GP\n"
          "wrong: causes in IA32_PERF_GLOBAL_STATUS is 0x4, must be 0x5\n" },
        { &perfmon_status_read_only, 0x38e, UINT64_C(1) << 59, false, "" }, /* no cause */
        { &perfmon_capabilities_read_only, 0x345, 0, false, "" },
        { &perfmon_capabilities_read_only, 0x345, 0, true, "differs: WRMSR to IA32_PERF_CAPABILITIES raised no #GP\n" },
        { &perfmon_capabilities_read_only, 0x345, 1, false, "wrong: IA32_PERF_CAPABILITIES is 0x4, must be 0x5\n" },
        { &perfmon_capabilities_read_only, 0x345, UINT64_C(1) << 59, true,
          "differs: WRMSR to IA32_PERF_CAPABILITIES raised no #GP\n"
          "wrong: IA32_PERF_CAPABILITIES is 0x800000000000005, must be 0x5\n" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start(cases[i].msr, 1);
        machine.refuses = refuses_all;
        machine.write = wrote_read_only;
        wrong.bit = cases[i].bit;
        wrong.changes = cases[i].bit;
        wrong.takes = cases[i].takes;
        cases[i].test->run(&run);
        machine_found(cases[i].lines);
        assert_int_equal(cases[i].test->needs, NEED_GLOBAL_CTRL);
    }
}

static void lacks(void **state)
{
    (void)state;
    start(0x345, 1);
    assert_null(perfmon_capabilities_read_only.lacks(&caps));
    assert_null(lbr_reserved_select.lacks(&caps));
    assert_null(pebs_reserved_enable.lacks(&caps));
    caps.pdcm = false;
    caps.lbr_select = 0;
    caps.pebs_method = PEBS_METHOD_NETBURST;
    assert_string_equal(perfmon_capabilities_read_only.lacks(&caps),
                        "no IA32_PERF_CAPABILITIES: CPUID.1:ECX bit 15 clear");
    assert_string_equal(lbr_reserved_select.lacks(&caps), "no MSR_LBR_SELECT: IA32_LBR_CTL filters");
    assert_string_equal(pebs_reserved_enable.lacks(&caps), "MSR_PEBS_ENABLE is NetBurst's, another register");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_right), cmocka_unit_test(each_error), cmocka_unit_test(by_counters),
        cmocka_unit_test(read_only),    cmocka_unit_test(lacks),
    };

    return cmocka_run_group_tests_name("kernel_reserved", tests, NULL, NULL);
}
