/* SPDX-License-Identifier: MIT */
/*
 * The buffer of architectural PEBS (ds/arch_buffer.c) in cases that no boot of the model reaches: memory of any
 * alignment, a full log, and an impossible index, size or base. Boots of arch.* test the rest.
 */
#define TEARDOWN closed
#define FIRST    set_up
#include "tests/host/unit_test.h"

#include "arch/x86/msr.h"
#include "arch/x86/paging.h"
#include "pebs/layout/arch_pebs.h"
#include "ds/arch_buffer.h"
#include "ds/ds.h"
#include "ds/ds_steps.h"
#include "lib/bytes.h"
#include "suite/support/records.h"
#include "tests/host/machine/machine.h"
#include "tests/host/processors.h"

#define BASE  0x3f4u
#define INDEX 0x3f5u

#define EN     UINT64_C(0x100000000)
#define THRESH UINT64_C(0x7fffff000000000)

static struct caps caps; /* the numbers of the PEBS counters have gaps */

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
    ds_close();
    return 0;
}

/* Writes adjacent records of the basic group alone. Returns their size in bytes. */
static size_t lay(unsigned count)
{
    size_t at = 0;

    for (unsigned n = 0; n < count; n++, at += 64) {
        memset(ds_memory().pebs + at, 0, 64);
        write_u64(ds_memory().pebs, at, ARCH_PEBS_BASIC | 64);
        write_u64(ds_memory().pebs, at + 16, 0x1000 + n);
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

UNIT_TEST(parts_of_memory)
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

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct arch_buffer got = arch_buffer_in(memory + rows[i].from, rows[i].size, rows[i].wanted);
        assert_int_equal(got.order, rows[i].order);
        assert_ptr_equal(got.memory, memory + rows[i].from + rows[i].at);
        assert_int_equal(arch_buffer_size(&got), (size_t)4096 << rows[i].order);
    }
}

UNIT_TEST(impossible_values)
{
    size_t end;

    opened(&basic);
    end = lay(3);
    write_u64(ds_memory().pebs, 64, ARCH_PEBS_BASIC); /* the second record's size is 0 */
    come(end);
    assert_int_equal(ds_pebs_waiting(), 1);
    machine.handler(NULL);
    assert_log(1, 0, 0, 1);
    come(0x10010); /* past the end */
    machine.handler(NULL);
    assert_log(1, 0, 0, 2);
    lay(1);
    come(64);
    machine_set(BASE, msr_get(BASE) + 0x10000);
    machine.handler(NULL);
    assert_log(1, 0, 0, 3);
    machine_set(BASE, msr_get(BASE) - 0x10000);
    lay(1);
    come(64);
    machine.handler(NULL);
    assert_log(2, 0, 0, 3);

    static const struct test test = { .id = "t" };
    struct test_run run = { .test = &test, .caps = &caps };
    records_close(&run, 0); /* with the text for a buffer that has registers instead of a DS area */
    machine_found("wrong: invalid data in the PEBS buffer, or its registers were overwritten, 3 times\n");
}

/* The log holds 3072 of the smallest records. */
UNIT_TEST(log_is_full)
{
    opened(&basic);
    for (unsigned i = 0; i < 4; i++) {
        come(lay(1024));
        machine.handler(NULL);
    }
    assert_log(3072, 1024, 0, 0);
    assert_int_equal(ds_counts()->pebs_indexed, 4096);
}

static int set_up(void **state)
{
    caps = caps_of(clearwater_forest_input());
    caps.pebs_counters = 0x5;
    caps.pebs_fixed_counters = 0x11;
    caps.pebs_cfg_c = UINT64_C(0xe002030000000000);
    return 0;
}
