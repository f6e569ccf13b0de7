/* SPDX-License-Identifier: MIT */
/*
 * The buffer of architectural PEBS, on a machine of variables: how it is opened, drained and closed, and what a drain
 * makes of an index, of sizes and of a base that no processor leaves.
 */
#include "tests/host/host_test.h"

#include "arch/x86/msr.h"
#include "arch/x86/paging.h"
#include "pebs/layout/arch_pebs.h"
#include "ds/arch_buffer.h"
#include "ds/ds.h"
#include "ds/ds_steps.h"
#include "suite/support/records.h"
#include "tests/host/machine/machine.h"

#define BASE  0x3f4u
#define INDEX 0x3f5u

#define EN     UINT64_C(0x100000000)
#define FULL   UINT64_C(0x80000000)
#define THRESH UINT64_C(0x7fffff000000000)

static const struct debugctl_bits debugctl = { .tr = 0x40, .bts = 0x80, .btint = 0x100 };
static const struct caps caps = { .debugctl = &debugctl,
                                  .global_ctrl = true,
                                  .linear_bits = 48,
                                  .physical_bits = 40,
                                  .general_width = 48,
                                  .fixed_width = 48,
                                  .general_counters = 0xff,
                                  .fixed_counters = 0x77,
                                  .ds_width = 8,
                                  .ds_area_format = 6,
                                  .ds_area_size = 0x1c0,
                                  .bts_record_size = 24,
                                  .lbr_depth = 32,
                                  .pebs_method = PEBS_METHOD_ARCH,
                                  .pebs_format = 15,
                                  .pebs_form = { .width = 8, .format = 15, .lbr_format = 0x3f },
                                  .pebs_record_size = 64,
                                  .pebs_counters = 0x5,
                                  .pebs_fixed_counters = 0x11,
                                  .pebs_cfg_c = UINT64_C(0xe002030000000000) };
static const struct ds_config basic = {
    .pebs = true, .pebs_records = 1024, .pebs_threshold = 100, .pebs_cfg_c = ARCH_PEBS_EN
};

static void opened(const struct ds_config *config)
{
    struct ds_breaches breaches;

    machine_start();
    ds_on_interrupt(NULL);
    assert_true(ds_open(&caps, config, &breaches));
    assert_int_equal(breaches.count, 0);
    interrupt_handler *const handler = machine.handler;
    const uint64_t base = msr_get(BASE), index = msr_get(INDEX);
    machine_start();
    machine.handler = handler;
    machine_set(BASE, base);
    machine_set(INDEX, index);
}

static int closed(void **state)
{
    (void)state;
    ds_close();
    return 0;
}

static void put(size_t at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        ds_memory().pebs[at + i] = (uint8_t)(value >> 8 * i);
}

/* Records of these sizes, one behind the other; returns their bytes. A size of 240 is one of registers. */
static size_t lay(size_t at, unsigned count, bool registers)
{
    const size_t size = registers ? 224 : 64;

    for (unsigned n = 0; n < count; n++, at += size) {
        memset(ds_memory().pebs + at, 0, size);
        put(at, ARCH_PEBS_BASIC | (registers ? ARCH_PEBS_GPRS : 0) | size);
        put(at + 16, 0x1000 + n);
    }
    return at;
}

static void come(uint64_t index)
{
    machine_set(INDEX, (msr_get(INDEX) & (EN | THRESH)) | index);
}

static void assert_log(unsigned records, unsigned dropped, unsigned overruns, unsigned broken)
{
    assert_int_equal(ds_pebs_log()->records, records);
    assert_int_equal(ds_pebs_log()->dropped, dropped);
    assert_int_equal(ds_pebs_log()->overruns, overruns);
    assert_int_equal(ds_pebs_log()->broken, broken);
}

static void parts_of_memory(void **state)
{
    static uint8_t memory[0x20000] __attribute__((aligned(0x10000)));
    static const struct {
        size_t from, size, wanted, at;
        unsigned order;
    } rows[] = {
        { 0, 0x10000, 0, 0, 0 },
        { 0, 0x10000, 0x1000, 0, 0 },
        { 0, 0x10000, 0x1001, 0, 1 },
        { 0, 0x10000, 0x2000, 0, 1 },
        { 0, 0x10000, 0x8001, 0, 4 },
        { 0, 0x10000, SIZE_MAX, 0, 4 },
        { 0, 0xf000, SIZE_MAX, 0, 3 },
        { 0x1000, 0x7000, 0x4000, 0x3000, 2 },
        { 0x1000, 0x7000, SIZE_MAX, 0x3000, 2 },
        { 0x3000, 0x6000, 0x2000, 0x1000, 1 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct arch_buffer got = arch_buffer_in(memory + rows[i].from, rows[i].size, rows[i].wanted);
        assert_int_equal(got.order, rows[i].order);
        assert_ptr_equal(got.memory, memory + rows[i].from + rows[i].at);
        assert_int_equal(arch_buffer_size(&got), (size_t)4096 << rows[i].order);
    }
}

static void opening(void **state)
{
    struct ds_breaches breaches;
    char did[128];

    (void)state;
    machine_start();
    assert_true(ds_open(&caps, &basic, &breaches));
    snprintf(did, sizeof(did), "lvt e1\nwrmsr 3f5 0\nwrmsr 3f4 %llx\nwrmsr 3f5 190100000000\n",
             (unsigned long long)(uintptr_t)ds_memory().pebs | 4);
    machine_did(did);
    assert_int_equal(ds_memory().pebs_size, 0x10000);
    assert_int_equal((uintptr_t)ds_memory().pebs & 0xffff, 0);
    assert_int_equal(ds_pebs_log()->record_size, 64);
    assert_int_equal(ds_pebs_capacity(&caps, 0), 1024);
    assert_int_equal(ds_pebs_capacity(&caps, 3), 0x10000 / 288); /* memory and registers */
    assert_int_equal(ds_arch_capacity(&caps, ARCH_PEBS_EN | ARCH_PEBS_GPRS), 0x10000 / 224);

    machine_start();
    ds_close();
    machine_did("cli\nwrmsr 38f 0\nwrmsr 3f5 0\nwrmsr 3f5 0\nwrmsr 390 0\nlvt 10000\nwrmsr 1903 0\nwrmsr 1983 0\n"
                "wrmsr 190b 0\nwrmsr 1993 0\nwrmsr 3f5 0\nwrmsr 3f4 0\nsti\n");
}

static void refusal(void **state)
{
    struct ds_config config = basic;
    struct ds_breaches breaches;

    (void)state;
    machine_start();
    config.pebs_records = 1025; /* more than there is room for */
    assert_false(ds_open(&caps, &config, &breaches));
    assert_int_equal(breaches.count, 0);
    config = basic;
    config.pebs_threshold = 1024;
    assert_false(ds_open(&caps, &config, &breaches));
    assert_true(breaches.set >> DS_BREACH_ARCH_THRESHOLD_RANGE & 1);
    config = basic;
    config.pebs_cfg_c |= UINT64_C(1) << 60;
    assert_false(ds_open(&caps, &config, &breaches));
    assert_true(breaches.set >> DS_BREACH_ARCH_CFG_C & 1);
    machine_start();
    machine_refuse(BASE);
    assert_false(ds_open(&caps, &basic, &breaches));
    assert_int_equal(breaches.count, 0);
}

/* The index goes back to the processor with WR and FULL 0, EN set and THRESH as it was. */
static void drains(void **state)
{
    size_t left;

    (void)state;
    opened(&basic);
    come(lay(lay(0, 2, false), 1, true));
    assert_int_equal(ds_pebs_waiting(), 3);
    machine.handler(NULL);
    assert_log(3, 0, 0, 0);
    assert_int_equal(msr_get(INDEX), EN | UINT64_C(0x190000000000));
    assert_int_equal(ds_pebs_waiting(), 0);
    assert_int_equal(ds_counts()->pebs_indexed, 3);
    assert_int_equal(ds_counts()->spurious, 0);

    come(lay(0, 1, true)); /* the next ones are appended */
    machine.handler(NULL);
    assert_log(4, 0, 0, 0);
    machine.handler(NULL);
    assert_log(4, 0, 0, 0);
    assert_int_equal(ds_counts()->spurious, 1);
    static const size_t offsets[] = { 0, 64, 128, 352 };
    for (unsigned n = 0; n < 4; n++) {
        assert_ptr_equal(ds_log_record(ds_pebs_log(), n, &left), ds_pebs_log()->bytes + offsets[n]);
        assert_int_equal(left, 576 - offsets[n]);
    }
    assert_int_equal(ds_log_record(ds_pebs_log(), 1, &left)[16], 1);
    ds_logs_empty();
    come(lay(0, 1, true));
    machine.handler(NULL);
    assert_log(1, 0, 0, 0);
    assert_ptr_equal(ds_log_record(ds_pebs_log(), 0, &left), ds_pebs_log()->bytes);
    assert_int_equal(left, 224);

    come(lay(0, 2, false));
    ds_close();
    assert_log(3, 0, 0, 0);
    assert_int_equal(msr_get(INDEX) | msr_get(BASE), 0);
}

static void full(void **state)
{
    (void)state;
    opened(&basic);
    come(lay(0, 4, false) | FULL);
    machine.handler(NULL);
    assert_log(4, 0, 1, 0);
    assert_int_equal(msr_get(INDEX), EN | UINT64_C(0x190000000000));
    come(FULL);
    machine.handler(NULL);
    assert_log(4, 0, 2, 0);
    assert_int_equal(ds_counts()->spurious, 0);
}

static void what_no_processor_leaves(void **state)
{
    size_t end;

    (void)state;
    opened(&basic);
    end = lay(0, 3, false);
    put(64, ARCH_PEBS_BASIC); /* the second one's size is 0 */
    come(end);
    assert_int_equal(ds_pebs_waiting(), 1);
    machine.handler(NULL);
    assert_log(1, 0, 0, 1);
    come(0x10010); /* past the end */
    machine.handler(NULL);
    assert_log(1, 0, 0, 2);
    lay(0, 1, false);
    come(64);
    machine_set(BASE, msr_get(BASE) + 0x10000);
    machine.handler(NULL);
    assert_log(1, 0, 0, 3);
    machine_set(BASE, msr_get(BASE) - 0x10000);
    lay(0, 1, false);
    come(64);
    machine.handler(NULL);
    assert_log(2, 0, 0, 3);

    static const struct test test = { .id = "t" };
    struct test_run run = { .test = &test, .caps = &caps };
    records_close(&run, 0); /* which says it of a buffer that is no part of the DS area */
    machine_found("wrong: the PEBS buffer had what is no record, or its registers had been changed, 3 times\n");
}

/* The log has room for 3072 of the smallest. */
static void log_is_full(void **state)
{
    (void)state;
    opened(&basic);
    for (unsigned i = 0; i < 4; i++) {
        come(lay(0, 1024, false));
        machine.handler(NULL);
    }
    assert_log(3072, 1024, 0, 0);
    assert_int_equal(ds_counts()->pebs_indexed, 4096);
}

static void stopping(void **state)
{
    (void)state;
    opened(&basic);
    come(64);
    assert_int_equal(ds_pebs_stop(), 1);
    assert_int_equal(msr_get(INDEX), UINT64_C(0x190000000040));
    assert_int_equal(ds_pebs_stop(), 0);
    ds_pebs_go_on(0);
    assert_int_equal(msr_get(INDEX), UINT64_C(0x190000000040));
    ds_pebs_go_on(1);
    assert_int_equal(msr_get(INDEX), EN | UINT64_C(0x190000000040));
    lay(0, 1, false);
}

/* BTS has its area beside it, in which PEBS has no part. */
static void beside_bts(void **state)
{
    struct ds_config config = basic;
    struct ds_breaches breaches;

    (void)state;
    config.bts = true;
    config.bts_records = 10;
    config.bts_threshold = 6;
    machine_start();
    assert_true(ds_open(&caps, &config, &breaches));
    assert_int_equal(msr_get(0x600), (uintptr_t)ds_memory().area);
    assert_int_equal(ds_memory().area[0x20] | ds_memory().area[0x38], 0);
    come(lay(0, 2, false));
    ds_memory().area[0x08] = (uint8_t)(ds_memory().area[0x08] + 24);
    machine.handler(NULL);
    assert_log(2, 0, 0, 0);
    assert_int_equal(ds_bts_log()->records, 1);
    assert_int_equal(ds_bts_log()->broken, 0);
    ds_close();
    assert_int_equal(msr_get(0x600), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_memory),
        cmocka_unit_test_teardown(opening, closed),
        cmocka_unit_test_teardown(refusal, closed),
        cmocka_unit_test_teardown(drains, closed),
        cmocka_unit_test_teardown(full, closed),
        cmocka_unit_test_teardown(what_no_processor_leaves, closed),
        cmocka_unit_test_teardown(log_is_full, closed),
        cmocka_unit_test_teardown(stopping, closed),
        cmocka_unit_test_teardown(beside_bts, closed),
    };
    return cmocka_run_group_tests_name("kernel_arch_buffer", tests, NULL, NULL);
}
