/* SPDX-License-Identifier: MIT */
/*
 * What the measurements of events have set up, and how they read records (suite/measure/sampler.c), on a machine of
 * variables. Registers by their numbers from SDM Vol. 4 (335592-081): C1H IA32_PMC0, 186H IA32_PERFEVTSEL0, 3F1H
 * IA32_PEBS_ENABLE, 3F2H MSR_PEBS_DATA_CFG, 3F6H MSR_PEBS_LD_LAT_THRESHOLD.
 */
#include "tests/host/host_test.h"

#include "arch/x86/msr.h"
#include "suite/measure/sampler.c"
#include "tests/host/machine/machine.h"

static const struct debugctl_bits core = { .lbr = 1, .tr = 0x40, .bts = 0x80, .btint = 0x100 };
static const struct pebs_event loads = { "LOADS", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0x81d0, 0xc, true },
                               slow = { "SLOW", PEBS_ROLE_LOAD_LATENCY, PEBS_FAMILY_NONE, 0x01cd, 0xf, true },
                               other = { "OTHER", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0x82d0, 0x10, true };
static struct caps caps;
static struct test_run run;

static unsigned x87, displaced;
static uint8_t block[8 * 64];
static bool no_memory;

void workload_x87_prepare(void)
{
    x87++;
}

void *memory_block(size_t size)
{
    displaced = (unsigned)size;
    return no_memory ? NULL : block;
}

uint8_t workload_steps_loads_cold[WORKLOAD_STEPS_LINES * WORKLOAD_STEPS_STRIDE];
uint8_t workload_steps_loads_warm[WORKLOAD_STEPS_LINE];

const struct workload workload_chase, workload_long_loop; /* of what samples elsewhere */

static void start(enum pebs_method method)
{
    machine_start();
    caps = (struct caps){
        .debugctl = &core,
        .linear_bits = 48,
        .global_ctrl = true,
        .general_count = 4,
        .general_width = 48,
        .full_width_write = true,
        .ds_width = 8,
        .ds_area_format = method == PEBS_METHOD_ADAPTIVE ? 4 : 3,
        .ds_area_size = method == PEBS_METHOD_ADAPTIVE ? 0x80 : 0x60,
        .bts_record_size = 24,
        .pebs_method = method,
        .pebs_format = method == PEBS_METHOD_ADAPTIVE ? 4 : 3,
        .pebs_form = { .width = 8, .format = method == PEBS_METHOD_ADAPTIVE ? 4 : 3 },
        .pebs_record_size = method == PEBS_METHOD_ADAPTIVE ? 32 : 200,
        .pebs_counters = 0xf,
    };
    run = (struct test_run){ .caps = &caps };
}

/* The PEBS buffer's fields from the base on, in records of this size, and the reset value of a counter. */
static void expect_area(unsigned size, unsigned counter, uint64_t reset)
{
    uint64_t area[16];

    memcpy(area, ds_memory().area, sizeof area);
    assert_int_equal(area[5], area[4]);
    assert_int_equal(area[6] - area[4], (sampler_room(&caps) + 3) * size);
    assert_int_equal(area[7] - area[4], (sampler_room(&caps) + 1) * size);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(area[8 + n], n == counter ? reset : 0);
}

static void opens(void **state)
{
    struct window window;

    (void)state;
    start(PEBS_METHOD_GENERAL);
    assert_true(sampler_open(&run, &loads, 100, &window));
    assert_int_equal(window.msr, 0x38f);
    assert_int_equal(window.on, 4);
    assert_int_equal(window.off, 0);
    assert_int_equal(msr_get(0x186 + 2), 0x4381d0); /* EN, OS, USR */
    assert_int_equal(msr_get(0x4c1 + 2), 0xffffffffff9c);
    assert_int_equal(msr_get(0x3f1), 4);
    assert_int_equal(msr_get(0x3f6), 0);
    expect_area(200, 2, 0xffffffffff9c);
    sampler_close(&run);
    machine_found("");

    start(PEBS_METHOD_GENERAL);
    assert_true(sampler_open(&run, &slow, 7, &window));
    assert_int_equal(window.on, 1);
    assert_int_equal(msr_get(0x3f6), 3);
    expect_area(200, 0, 0xfffffffffff9);
    sampler_close(&run);

    start(PEBS_METHOD_ADAPTIVE);
    assert_true(sampler_open(&run, &loads, 100, &window));
    assert_int_equal(msr_get(0x3f2), 2); /* general-purpose registers */
    expect_area(32 + 18 * 8, 2, 0xffffffffff9c);
    sampler_close(&run);
    machine_found("");
}

static void refused(void **state)
{
    struct window window = { 0 };

    (void)state;
    start(PEBS_METHOD_GENERAL);
    machine_refuse(0x188);
    assert_false(sampler_open(&run, &loads, 100, &window));
    assert_int_equal(window.msr, 0);
    machine_found("wrong: LOADS: the counter could not be programmed\n");
    ds_close();
    start(PEBS_METHOD_GENERAL);
    machine.page = 0; /* no page of the buffers is there */
    assert_false(sampler_open(&run, &loads, 100, &window));
    assert_int_equal(window.msr, 0);
    assert_true(run.problems == 1 && msr_get(0x188) == 0);
    start(PEBS_METHOD_GENERAL);
    assert_null(sampler_lacks(&caps, &loads));
    assert_string_equal(sampler_lacks(&caps, &other), "no counter of this processor can sample it");
}

/* A buffer that was full when it was drained, and one whose base was changed. */
static void losses(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct window window;
        uint64_t area[8];
        start(PEBS_METHOD_GENERAL);
        run.data_source = DATA_SOURCE_STORE;
        assert_true(sampler_open(&run, &loads, 100, &window));
        machine_found("");
        memcpy(area, ds_memory().area, sizeof area);
        area[5] = i ? area[5] : area[6];
        area[4] -= i ? 200 : 0;
        memcpy(ds_memory().area, area, sizeof area);
        sampler_close(&run);
        assert_int_equal(msr_get(0x600), 0); /* the area is closed */
        machine_has_found("wrong: drains of a full or broken buffer is 0x1, must be 0x0\n");
        if (i == 0) {
            char dumped[80];
            snprintf(dumped, sizeof dumped, "dump pebs of 0: %u, sources %d\ndump flush\n", sampler_room(&caps) + 3,
                     (int)DATA_SOURCE_STORE);
            machine_has_found(dumped);
        }
    }
}

static void prepares(void **state)
{
    (void)state;
    start(PEBS_METHOD_GENERAL);
    x87 = 0;
    sampler_prepare();
    assert_int_equal(x87, 1);
    machine_did("sse\n");
    assert_true(sampler_displace(sizeof block));
    assert_int_equal(displaced, sizeof block);
    no_memory = true;
    assert_false(sampler_displace(sizeof block));
    no_memory = false;
}

/* ---- records --------------------------------------------------------------------------------------------------------
 */

static void places(void **state)
{
    static const struct workload body = { .start = 0x1000, .limit = 0x1010 };
    static const struct step all[] = { { .ip = 0x1000 }, { .ip = 0x1004 }, { .ip = 0x1008 } };
    static const struct steps steps = { &body, all, COUNT_OF(all), 0x100c };
    static const struct {
        bool eventing, trap;
        uint64_t ip;
        bool inside;
        int position;
    } rows[] = {
        /* EventingIP is that of the instruction itself. */
        { true, true, 0xfff, false, -1 },
        { true, true, 0x1000, true, 0 },
        { true, true, 0x1004, true, 1 },
        { true, true, 0x100f, true, -1 },
        { true, true, 0x1010, false, 4 },
        { true, false, 0x1000, true, 0 },
        /* IP is that of the next one, */
        { false, true, 0x1000, false, -1 },
        { false, true, 0x1004, true, 0 },
        { false, true, 0x1008, true, 1 },
        { false, true, 0x1010, true, 3 },
        { false, true, 0x1011, false, -1 },
        { false, true, 0x1001, true, -1 },
        /* unless PEBS is fault-like. */
        { false, false, 0xfff, false, -1 },
        { false, false, 0x1000, true, 0 },
        { false, false, 0x1008, true, 2 },
        { false, false, 0x1010, false, 4 },
    };

    (void)state;
    start(PEBS_METHOD_GENERAL);
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        const struct pebs_record record = { .has = rows[i].eventing ? PEBS_HAS_EVENTING_IP : 0,
                                            .ip = rows[i].eventing ? 0x1234 : rows[i].ip,
                                            .eventing_ip = rows[i].eventing ? rows[i].ip : 0x1234 };
        caps.pebs_trap_like = rows[i].trap;
        assert_int_equal(sampler_inside(&caps, &body, &record), rows[i].inside);
        assert_int_equal(sampler_position(&caps, &steps, &record), rows[i].position);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens),    cmocka_unit_test(refused), cmocka_unit_test(losses),
        cmocka_unit_test(prepares), cmocka_unit_test(places),
    };
    return cmocka_run_group_tests_name("kernel_sampler", tests, NULL, NULL);
}
