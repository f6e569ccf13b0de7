/* SPDX-License-Identifier: MIT */
/*
 * What the kernel takes a counter to have counted, on a machine of variables. Registers by their numbers from SDM Vol.
 * 4 (335592-081): C1H and C2H IA32_PMC0 and 1, 186H and 187H IA32_PERFEVTSEL0 and 1, 309H IA32_FIXED_CTR0, 38DH
 * IA32_FIXED_CTR_CTRL, 38FH IA32_PERF_GLOBAL_CTRL.
 */
#include "tests/host/host_test.h"

#include "suite/support/count.h"
#include "tests/host/machine/machine.h"

#include "arch/x86/msr.h"

static const struct caps two_counters = { .global_ctrl = true, .general_count = 2 };

/* How many events each run of the workload has: on top of what the counter is loaded with. */
static uint64_t events[COUNT_RUNS];
static unsigned runs;
static uint32_t counter;

static void run_workload(const struct window *window)
{
    assert_int_equal(window->msr, 0x38f);
    assert_int_equal(window->on, counter == 0x309 ? UINT64_C(1) << 32 : UINT64_C(1) << (counter - 0xc1));
    assert_int_equal(window->off, 0);
    assert_true(runs < COUNT_RUNS);
    machine_set(counter, msr_get(counter) + events[runs++]);
}

static const struct workload workload = { .run = run_workload };
static struct test_run run;

static void started(uint32_t msr)
{
    machine_start();
    run = (struct test_run){ .caps = &two_counters };
    counter = msr;
    runs = 0;
}

/* One run is without what else counts now and then, whichever it is. */
static void least(void **state)
{
    (void)state;
    for (unsigned at = 0; at < COUNT_RUNS; at++) {
        for (unsigned i = 0; i < COUNT_RUNS; i++)
            events[i] = i == at ? 100 : 101 + i;
        started(0xc2);
        assert_int_equal(count_from(&run, 1, 0x4300c0, 7, &workload), 107);
        assert_int_equal(runs, 5);
        started(0x309);
        assert_int_equal(count_fixed(&run, 3, &workload), 100);
        assert_int_equal(runs, 5);
    }
}

/* Each run begins anew, with interrupts off. */
static void each_run(void **state)
{
    char did[1024] = "";
    (void)state;
    memset(events, 0, sizeof(events));
    started(0xc1);
    assert_int_equal(count_from(&run, 0, 0x4300c0, 7, &workload), 7);
    for (unsigned i = 0; i < 5; i++)
        strcat(did, "wrmsr 38f 0\nwrmsr 186 0\nwrmsr c1 7\nwrmsr 186 4300c0\ncli\nsti\n");
    machine_did(did);
    started(0x309);
    assert_int_equal(count_fixed(&run, 3, &workload), 0);
    *did = '\0';
    for (unsigned i = 0; i < 5; i++)
        snprintf(did + strlen(did), 200, "wrmsr 38f 0\nwrmsr 38d 0\nwrmsr 309 0\nwrmsr 38d 3\ncli\nsti\n");
    machine_did(did);
    assert_int_equal(run.problems, 0);
}

/* A counter that cannot be programmed fails the test once. */
static void refused(void **state)
{
    (void)state;
    started(0xc2);
    machine_refuse(0x187);
    count_from(&run, 1, 0x4300c0, 0, &workload);
    machine_did("wrmsr 38f 0\n#GP wrmsr 187 0\nwrong: counter 1 could not be programmed\n");
    started(0x309);
    machine_refuse(0x309);
    count_fixed(&run, 3, &workload);
    machine_did("wrmsr 38f 0\nwrmsr 38d 0\n#GP wrmsr 309 0\nwrong: fixed counter 0 could not be programmed\n");
    assert_int_equal(runs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least),
        cmocka_unit_test(each_run),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("kernel_count", tests, NULL, NULL);
}
