/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of what the runner switches off between tests (kernel/quiesce_test.c), on a machine of variables:
 * what the first of them leaves on, and that the others name each register that is not off.
 */
#include "tests/host/host_test.h"

#include "kernel/quiesce_test.c"
#include "tests/host/machine/machine.h"

static const struct debugctl_bits core = { .lbr = 1, .tr = 0x40, .bts = 0x80, .btint = 0x100 };
static const struct pebs_event events[] = { { "LOADS", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0x81d0, 0xff, true } };
static const struct pebs_event_list list = { events, 1 };
static const struct pebs_event old_event = { "memory_loads", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0, 1, true };
static const struct pebs_event_list old_list = { &old_event, 1 };
static const struct caps skylake = {
    .debugctl = &core,
    .linear_bits = 48,
    .global_ctrl = true,
    .general_count = 4,
    .general_width = 48,
    .ds_width = 8,
    .ds_area_format = 3,
    .ds_area_size = 0x60,
    .bts_record_size = 24,
    .pebs_method = PEBS_METHOD_GENERAL,
    .pebs_format = 3,
    .pebs_form = { .width = 8, .format = 3 },
    .pebs_record_size = 200,
    .pebs_counters = 0xf,
    .events = &list,
    .lbr_layout = LBR_LAYOUT_PAIRS,
};

static struct test_run run;
static struct caps caps;

/* The other processor, and what is wrong with it. */
static struct {
    enum acpi_error error;
    unsigned count;
    bool refuses;
    unsigned started, waking; /* waking: PAUSEs for which it still beats */
    bool lose_interrupt;
} cpu;

const char *secondary_cpus_barred(void)
{
    return NULL;
}

enum acpi_error topology_read(struct topology *topology)
{
    static const uint32_t ids[] = { 6, 4 };

    *topology = (struct topology){ .total = cpu.count + 1, .count = cpu.count, .ids = ids };
    return cpu.error;
}

uintptr_t memory_low_page(void)
{
    return 0x9000;
}

bool processor_start(unsigned number, uint32_t apic_id, uintptr_t low_page, void (*main)(unsigned number))
{
    assert_int_equal(number, 1);
    assert_int_equal(apic_id, 6);
    assert_int_equal(low_page, 0x9000);
    assert_ptr_equal(main, beat);
    cpu.started++;
    return !cpu.refuses;
}

static void paused(void)
{
    if (cpu.waking) {
        cpu.waking--;
        beats++;
    }
}

static void did(const char *line)
{
    uint64_t area[4];
    if (strcmp(line, "self e1") != 0)
        return;
    memcpy(area, ds_memory().area, sizeof area);
    assert_int_equal((area[2] - area[0]) / 24, 64);
    assert_int_equal((area[3] - area[0]) / 24, 16);
    if (!cpu.lose_interrupt)
        machine.handler(NULL);
}

static void start(void)
{
    machine_start();
    memset(&cpu, 0, sizeof cpu);
    cpu.count = 1;
    caps = skylake;
    machine.pause = paused;
    machine.did = did;
    machine.lvt = 0x100e1;
    ds_on_interrupt(NULL);
    other_runs = false;
    run = (struct test_run){ .caps = &caps };
}

/* ---- the first leaves -------------------------------------------------------------------------------------------- */

/* IA32_DEBUGCTL: LBR; instructions on counter 1, fixed counters 0 and 1, and all four counting. */
static const struct {
    uint32_t msr;
    uint64_t value;
} leaves_general[] = { { 0x1d9, 0x1 }, { 0x14ce, 0 }, { 0xc2, 0x1234 }, { 0x187, 0x4300c0 },   { 0x38d, 0x33 },
                       { 0x3f1, 1 },   { 0x360, 0 },  { 0x371, 0 },     { 0x38f, 0x300000003 } };

static void leaving(void **state)
{
    (void)state;
    start();
    selftest_quiesce_leave.run(&run);
    machine_found("");
    for (unsigned i = 0; i < COUNT_OF(leaves_general); i++)
        assert_int_equal(msr_get(leaves_general[i].msr), leaves_general[i].value);
    assert_int_equal(msr_get(0x186), 0x4381d0); /* the event, USR, OS and EN, without INT */
    assert_int_equal(msr_get(0xc1), (uint32_t)-1000000000);
    assert_true(msr_get(0x600) != 0);
    assert_int_equal(run.expected, 0);
    assert_true(run.planned && other_runs);
    assert_int_equal(cpu.started, 1);
    machine.handler(NULL); /* its observer is called */
    assert_int_equal(observed, 1);
    uint64_t area[10];
    memcpy(area, ds_memory().area, sizeof area);
    assert_int_equal((area[2] - area[0]) / 24, 64);
    assert_int_equal((area[3] - area[0]) / 24, 16);
    assert_int_equal((area[6] - area[4]) / 200, 8);
    assert_int_equal((area[7] - area[4]) / 200, 4);
    assert_int_equal(area[8] & 0xffffffffffff, 0xffffc4653600); /* minus 10^9 */
    ds_close();
}

static void leaving_elsewhere(void **state)
{
    (void)state;
    start();
    caps.lbr_layout = LBR_LAYOUT_ARCH;
    cpu.count = 0;
    selftest_quiesce_leave.run(&run);
    machine_found("");
    assert_int_equal(msr_get(0x14ce), 0x7); /* LBREn, OS and USR */
    assert_int_equal(msr_get(0x1d9), 0);
    assert_int_equal(cpu.started, 0);
    assert_false(other_runs);
    ds_close();
    start();
    caps.pebs_method = PEBS_METHOD_NETBURST;
    caps.pebs_counters = 1;
    caps.events = &old_list;
    caps.global_ctrl = false;
    cpu.error = ACPI_OK + 1;
    selftest_quiesce_leave.run(&run);
    machine_found("");
    assert_int_equal(msr_get(0x360), 0x30000);
    assert_int_equal(msr_get(0x371), 0x30000);
    assert_int_equal(msr_get(0x3f2), 1);
    assert_int_equal(msr_get(0x3f1), 0x2000000);
    assert_int_equal(msr_get(0x187) | msr_get(0x38d) | msr_get(0x38f), 0);
    assert_int_equal(cpu.started, 0);
    ds_close();
}

static void leaving_wrong(void **state)
{
    static const struct {
        uint32_t msr;
        const char *found;
    } rows[] = {
        { 0x38d, "wrong: MSR 0x38d does not take 0x33\nwrong: MSR 0x38d is 0 before\n" },
        { 0x187, "wrong: MSR 0x187 does not take 0x4300c0\nwrong: MSR 0x187 is 0 before\n" },
        { 0x186, "wrong: sampling cannot be set up\nwrong: MSR 0xc1 is 0 before\nwrong: MSR 0x186 is 0 before\n" },
    };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        start();
        machine_refuse(rows[i].msr);
        selftest_quiesce_leave.run(&run);
        machine_found(rows[i].found);
        ds_close();
    }
    start();
    machine.page = 0;
    selftest_quiesce_leave.run(&run);
    machine_found("wrong: the DS area was refused: it breaks 3 of the manual's restrictions\n"
                  "wrong: sampling cannot be set up\nwrong: MSR 0xc1 is 0 before\nwrong: MSR 0x186 is 0 before\n"
                  "wrong: MSR 0x3f1 is 0 before\n");
    start();
    cpu.refuses = true;
    selftest_quiesce_leave.run(&run);
    machine_found("wrong: the processor with APIC ID 6 does not start\n");
    ds_close();
}

/* What the other processor does for good: here until it has paused three times. */
static jmp_buf stopped;
static void stop_after_three(void)
{
    if (machine.pauses == 3)
        longjmp(stopped, 1);
}

static void beating(void **state)
{
    (void)state;
    start();
    machine.pause = stop_after_three;
    beats = 5;
    if (!setjmp(stopped))
        beat(1);
    assert_int_equal(beats, 8);
}

/* ---- the second and the third look ------------------------------------------------------------------------------- */

static void looking(void **state)
{
    (void)state;
    start();
    selftest_quiesce_look.run(&run);
    machine_found("");
    assert_int_equal(msr_get(0x3f1), 1); /* for the third */
    assert_int_equal(ds_counts()->interrupts, 1);
    assert_true(machine.pauses >= 100000);
    assert_int_equal(run.expected, 0);
    assert_true(run.planned);
    start();
    other_runs = true;
    cpu.waking = 9900000; /* it beats on for a while, but not as long as is waited */
    selftest_quiesce_look.run(&run);
    machine_found("");
    start();
    other_runs = true;
    cpu.waking = 11000000;
    selftest_quiesce_look.run(&run);
    machine_found("wrong: the other processor runs on\n");
    start();
    cpu.waking = 11000000; /* nobody was left running */
    selftest_quiesce_look.run(&run);
    machine_found("");
    start();
    caps.freeze_while_smm = true;
    machine_set(0x1d9, 0x4000);
    selftest_quiesce_look.run(&run);
    machine_found("");
    start();
    selftest_quiesce_look_again.run(&run);
    machine_did("");
    assert_true(selftest_quiesce_leave.on_request && selftest_quiesce_look.on_request &&
                selftest_quiesce_look_again.on_request);
}

static void looking_wrong(void **state)
{
    static const struct {
        uint32_t msr;
        uint64_t value;
        enum { CORE, ARCH, OLD, FREEZES } of;
        const char *found;
    } rows[] = {
        { 0x1d9, 1, CORE, "wrong: MSR 0x1d9 is 0x1, must be 0x0\n" },
        { 0x1d9, 0x4000, CORE, "wrong: MSR 0x1d9 is 0x4000, must be 0x0\n" },
        { 0x1d9, 0, FREEZES, "wrong: MSR 0x1d9 is 0x0, must be 0x4000\n" },
        { 0x1d9, 1, ARCH, "" },
        { 0x14ce, 1, ARCH, "wrong: MSR 0x14ce is 0x1, must be 0x0\n" },
        { 0x14ce, 1, CORE, "" },
        { 0xc1, 1, CORE, "wrong: MSR 0xc1 is 0x1, must be 0x0\n" },
        { 0x186, 1, CORE, "wrong: MSR 0x186 is 0x1, must be 0x0\n" },
        { 0x3f1, 1, CORE, "wrong: MSR 0x3f1 is 0x1, must be 0x0\n" },
        { 0xc2, 1, CORE, "wrong: MSR 0xc2 is 0x1, must be 0x0\n" },
        { 0x187, 1, CORE, "wrong: MSR 0x187 is 0x1, must be 0x0\n" },
        { 0x38d, 1, CORE, "wrong: MSR 0x38d is 0x1, must be 0x0\n" },
        { 0x38f, 1, CORE, "wrong: MSR 0x38f is 0x1, must be 0x0\n" },
        { 0x38f, 1, FREEZES, "wrong: MSR 0x38f is 0x1, must be 0x0\n" },
        { 0x38f, 1, OLD, "" },
        { 0x360, 1, OLD, "wrong: MSR 0x360 is 0x1, must be 0x0\n" },
        { 0x371, 1, OLD, "wrong: MSR 0x371 is 0x1, must be 0x0\n" },
        { 0x3f1, 1, OLD, "wrong: MSR 0x3f1 is 0x1, must be 0x0\n" },
        { 0x3f2, 1, OLD, "wrong: MSR 0x3f2 is 0x1, must be 0x0\n" },
        { 0x3f2, 1, CORE, "" },
        { 0x600, 0x1000, CORE, "wrong: IA32_DS_AREA is 0x1000, must be 0x0\n" },
    };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        start();
        caps.freeze_while_smm = rows[i].of == FREEZES;
        if (rows[i].of == FREEZES)
            machine_set(0x1d9, 0x4000);
        if (rows[i].of == ARCH)
            caps.lbr_layout = LBR_LAYOUT_ARCH;
        if (rows[i].of == OLD) {
            caps.pebs_method = PEBS_METHOD_NETBURST;
            caps.global_ctrl = false;
        }
        machine_set(rows[i].msr, rows[i].value);
        selftest_quiesce_look.run(&run);
        machine_found(rows[i].found);
    }
    start();
    machine.lvt = 0xe1;
    selftest_quiesce_look.run(&run);
    machine_found("wrong: the mask of the LVT entry is 0x0, must be 0x10000\n");
    start();
    ds_on_interrupt(observe); /* of the test before */
    selftest_quiesce_look.run(&run);
    machine_found("wrong: calls of the observer of the test before is 0x1, must be 0x0\n");
    start();
    cpu.lose_interrupt = true;
    selftest_quiesce_look.run(&run);
    machine_found(
        "wrong: 0 interrupts came, expected at least 1\nwrong: 0 interrupts were spurious, expected at least 1\n");
    start();
    machine.page = 0;
    selftest_quiesce_look.run(&run);
    machine_found("wrong: the DS area was refused: it breaks 2 of the manual's restrictions\n");
    start();
    machine_set(0x3f1, 1);
    selftest_quiesce_look_again.run(&run);
    machine_did("wrong: MSR_PEBS_ENABLE is 0x1, must be 0x0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaving), cmocka_unit_test(leaving_elsewhere), cmocka_unit_test(leaving_wrong),
        cmocka_unit_test(looking), cmocka_unit_test(beating),           cmocka_unit_test(looking_wrong),
    };
    return cmocka_run_group_tests_name("kernel_quiesce", tests, NULL, NULL);
}
