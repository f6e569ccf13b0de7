/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of what it must live through (kernel/robust_test.c), on a machine of variables: what they scribble
 * over, how many interrupts they send, and what they report where that goes unnoticed or a record is lost.
 */
#include "tests/host/host_test.h"

#include "kernel/robust_test.c"
#include "tests/host/machine/machine.h"

#define RECORD 24u /* bytes, of BTS */

static const struct debugctl_bits core = { .lbr = 1, .tr = 0x40, .bts = 0x80, .btint = 0x100 };
static const struct pebs_event loads = { "LOADS", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0x81d0, 0xff, true };
static const struct pebs_event_list list = { &loads, 1 };
static const struct caps skylake = {
    .debugctl = &core,
    .linear_bits = 48,
    .global_ctrl = true,
    .general_count = 4,
    .general_width = 48,
    .ds_width = 8,
    .ds_area_format = 3,
    .ds_area_size = 0x60,
    .bts_record_size = RECORD,
    .pebs_method = PEBS_METHOD_GENERAL,
    .pebs_format = 3,
    .pebs_form = { .width = 8, .format = 3 },
    .pebs_record_size = 200,
    .pebs_counters = 0xf,
    .events = &list,
    .data_source = DATA_SOURCE_SKYLAKE,
};

static struct test_run run;

/* What the machine does, besides what it must. */
static struct {
    unsigned pending, waited, sent;
    bool lose_sent;  /* interrupts that were sent do not come */
    bool open_again; /* the third finds an area open, and is counted there */
    bool unmask;     /* the third unmasks the LVT entry */
    bool quiet;      /* no interrupt comes at the threshold */
    bool lose_entry; /* no record tells of an interrupt */
    unsigned traces;
    bool lose_branch; /* a record of the trace is missing */
    unsigned hidden;  /* the n-th scribble, counted from 1, is undone before anybody looks */
    unsigned scribbles;
    uint8_t area[0x80]; /* what it was before */
    char changes[2048];
} cpu;

static void deliver(void)
{
    cpu.pending--;
    machine.lvt |= APIC_LVT_MASKED;
    machine.handler(NULL);
}

static void paused(void)
{
    if (cpu.pending && ++cpu.waited == DELIVERY_PAUSES)
        deliver();
}

static const char *const fields[] = { "bts base",   "bts index",    "bts maximum",    "bts threshold", "pebs base",
                                      "pebs index", "pebs maximum", "pebs threshold", "reset 0" };

/* Notes what has changed in the area, field by field. */
static void look_for_scribbles(const char *when)
{
    const uint8_t *area = ds_memory().area;
    char *end = cpu.changes + strlen(cpu.changes);
    bool any = false;
    for (unsigned i = 0; i < 12; i++) {
        uint64_t was, is;
        memcpy(&was, cpu.area + 8 * i, 8);
        memcpy(&is, area + 8 * i, 8);
        if (was == is)
            continue;
        end += sprintf(end, "%s: %s %+lld\n", when, i < COUNT_OF(fields) ? fields[i] : "?", (long long)(is - was));
        any = true;
    }
    if (any && ++cpu.scribbles == cpu.hidden)
        memcpy(ds_memory().area, cpu.area, sizeof cpu.area);
}

static void did(const char *line)
{
    if (strcmp(line, "cli") == 0)
        look_for_scribbles("closing");
    if (strcmp(line, "self e1") == 0) {
        look_for_scribbles("interrupt");
        cpu.sent++;
        cpu.waited = 0;
        cpu.pending += !cpu.lose_sent;
        if (cpu.sent == 3 && cpu.open_again) {
            struct ds_breaches breaches;
            assert_true(ds_open(&skylake, &traced, &breaches));
        }
        if (cpu.sent == 3 && cpu.unmask) {
            cpu.pending = 0;
            machine.lvt = VECTOR_PERFORMANCE;
        }
    }
    memcpy(cpu.area, ds_memory().area, sizeof cpu.area);
}

/* ---- a loop of fifty branches ------------------------------------------------------------------------------------ */

static const struct branch branches[] = { { 0x1010, 0x1000, 1 << 2, 49 }, { 0x1014, 0x1020, 1 << 7, 1 } };

static void store(uint64_t from, uint64_t to)
{
    uint64_t index, record[3] = { from, to, 0 };
    memcpy(&index, ds_memory().area + 8, 8);
    memcpy((void *)(uintptr_t)index, record, sizeof record);
    index += RECORD;
    memcpy(ds_memory().area + 8, &index, 8);
    memcpy(cpu.area, ds_memory().area, sizeof cpu.area);
}

static void interrupt(void)
{
    if (!cpu.lose_entry)
        store(0x1010, 1000 * 0xe1);
    cpu.pending++;
    deliver();
}

static void trace(const struct window *window)
{
    uint64_t index, threshold;
    assert_int_equal(window->msr, 0x1d9);
    assert_int_equal(window->on, 0x1c0);
    assert_int_equal(window->off, 0);
    cpu.traces++;
    machine_set(0x1d9, window->on);
    for (unsigned i = cpu.lose_branch ? 1 : 0; i < 50; i++) {
        const struct branch *b = &branches[i == 49];
        store(b->from, b->to);
        memcpy(&index, ds_memory().area + 8, 8);
        memcpy(&threshold, ds_memory().area + 24, 8);
        if (index == threshold && !cpu.quiet) {
            interrupt();
            if (cpu.pending) { /* that its observer sent */
                cpu.pending--;
                interrupt();
            }
        }
    }
    machine_set(0x1d9, 0);
}

/* Eight samples, of which nobody asks more here. */
static void sample_loads(const struct window *window)
{
    uint64_t index;
    (void)window;
    memcpy(&index, ds_memory().area + 0x28, 8);
    for (uint64_t n = 1; n <= 8; n++) {
        memcpy((void *)(uintptr_t)(index + 192), &n, 8); /* the time stamp */
        index += 200;
    }
    memcpy(ds_memory().area + 0x28, &index, 8);
    memcpy(cpu.area, ds_memory().area, sizeof cpu.area);
}

const struct workload workload_loop = {
    .run = trace, .start = 0x1000, .limit = 0x1030, .branches = branches, .branch_count = COUNT_OF(branches)
};
const struct workload workload_chase = { .run = sample_loads, .access_count = 1024 };
const struct workload workload_long_loop;

static void start(void)
{
    machine_start();
    memset(&cpu, 0, sizeof cpu);
    machine.lvt = 0x10000;
    machine.did = did;
    machine.pause = paused;
    ds_on_interrupt(NULL);
    run = (struct test_run){ .caps = &skylake };
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

static void spurious_right(void **state)
{
    (void)state;
    start();
    robust_pmi_spurious.run(&run);
    machine_found("");
    assert_int_equal(cpu.sent, 3);
    assert_int_equal(cpu.pending, 0);
    assert_int_equal(run.expected, 50);
    assert_int_equal(run.seen, 50);
    assert_int_equal(ds_counts()->interrupts, 5); /* two for nothing, three at the threshold of 16 */
    assert_int_equal(ds_counts()->spurious, 2);
    assert_true(machine.pauses >= 3 * DELIVERY_PAUSES);
}

static void spurious_wrong(void **state)
{
    (void)state;
    start();
    cpu.lose_sent = true;
    robust_pmi_spurious.run(&run);
    machine_found("wrong: 0 interrupts were spurious, expected at least 2\n");
    start();
    cpu.quiet = true; /* those for nothing are enough */
    robust_pmi_spurious.run(&run);
    machine_found("");
    start();
    cpu.unmask = true;
    robust_pmi_spurious.run(&run);
    machine_found("wrong: mask of the LVT entry after the area was closed is 0x0, must be 0x10000\n");
    start();
    cpu.open_again = true;
    robust_pmi_spurious.run(&run);
    machine_found("wrong: number of interrupts after the area was closed is 0x1, must be 0x5\n"
                  "wrong: mask of the LVT entry after the area was closed is 0x0, must be 0x10000\n");
    ds_close();
    start();
    cpu.lose_branch = true;
    robust_pmi_spurious.run(&run);
    machine_found("wrong: BTS record 51 is 0x1014 => 0x1020, must be 0x1010 => 0x1000\n");
}

static void twice_right(void **state)
{
    (void)state;
    start();
    robust_pmi_twice.run(&run);
    machine_found("");
    assert_int_equal(run.expected, 50);
    assert_int_equal(run.seen, 50);
    assert_int_equal(cpu.sent, 3);
    assert_int_equal(ds_counts()->interrupts, 6);
    assert_true(machine.pauses >= DELIVERY_PAUSES);
}

/* An interrupt that does not come, and one more; a record that is lost. */
static void twice_wrong(void **state)
{
    (void)state;
    start();
    cpu.lose_branch = true;
    robust_pmi_twice.run(&run);
    machine_found("wrong: BTS record 54 is 0x1014 => 0x1020, must be 0x1010 => 0x1000\n");
    assert_int_equal(run.seen, 49);
    start();
    cpu.lose_entry = true;
    robust_pmi_twice.run(&run);
    machine_found("wrong: number of interrupts in the trace is 0x0, must be 0x6\n");
    start();
    cpu.lose_sent = true;
    robust_pmi_twice.run(&run);
    machine_found("wrong: 3 interrupts came, expected at least 6\n");
}

/* ---- a scribbled area -------------------------------------------------------------------------------------------- */

static uint8_t area_at_close[0x61];
static void keep_area(const char *line)
{
    if (strcmp(line, "cli") == 0)
        memcpy(area_at_close, ds_memory().area, sizeof area_at_close);
}

static void whole_area(void **state)
{
    (void)state;
    start();
    machine.did = keep_area;
    selftest_scribble.run(&run);
    machine_found("wrong: the BTS fields of the DS area were found overwritten 1 times\n");
    for (unsigned i = 0; i < 0x60; i++)
        assert_int_equal(area_at_close[i], 0x5a);
    assert_int_equal(area_at_close[0x60], 0);
    assert_int_equal(run.expected, 0);
    assert_true(run.planned && selftest_scribble.on_request);
    assert_int_equal(cpu.traces, 1);
    start();
    cpu.quiet = true; /* and no interrupt is waited for */
    selftest_scribble.run(&run);
    machine_found("wrong: the BTS fields of the DS area were found overwritten 1 times\n");
}

/* Each field in turn; the last while it is open, for its service routine to find. */
#define BTS_CHANGES                                                                                     \
    "closing: bts index -24\nclosing: bts index +1560\nclosing: bts index +25\nclosing: bts base -24\n" \
    "closing: bts maximum +1536\nclosing: bts threshold -384\ninterrupt: bts index +25\n"
#define PEBS_CHANGES                                                                                           \
    "closing: pebs index -200\nclosing: pebs index +3400\nclosing: pebs index +201\nclosing: pebs base -200\n" \
    "closing: pebs maximum +12800\nclosing: pebs threshold -1600\nclosing: reset 0 +1\n"

static void fields_right(void **state)
{
    (void)state;
    start();
    robust_area_bts.run(&run);
    machine_found("");
    assert_string_equal(cpu.changes, BTS_CHANGES);
    assert_int_equal(run.expected, 50);
    assert_int_equal(run.seen, 50);
    start();
    robust_area_pebs.run(&run);
    machine_found("");
    assert_string_equal(cpu.changes, PEBS_CHANGES);
    assert_int_equal(run.expected, 8);
    assert_int_equal(run.seen, 8);
}

/* A scribble that nobody notices is named. */
static void fields_wrong(void **state)
{
    static const char *const names[] = { "an index below the buffer", "an index past the buffer",
                                         "an index off the grid",     "another base",
                                         "another maximum",           "another threshold",
                                         "another reset value" };
    char line[120];
    (void)state;
    for (unsigned i = 0; i < 7; i++) {
        snprintf(line, sizeof line, "wrong: %s: noticed 0 times, must be once; 0 records were taken, must be none\n",
                 names[i]);
        start();
        cpu.hidden = i + 1;
        robust_area_bts.run(&run);
        machine_found(i < 6 ? line : "wrong: drains that found the area broken is 0x0, must be 0x1\n");
        start();
        cpu.hidden = i + 1;
        robust_area_pebs.run(&run);
        machine_found(line);
    }
    start();
    cpu.lose_branch = true;
    robust_area_bts.run(&run);
    machine_found("wrong: BTS record 51 is 0x1014 => 0x1020, must be 0x1010 => 0x1000\n");
}

/* The trace after the scribbles has an interrupt of its own. */
static void no_interrupt(void **state)
{
    (void)state;
    start();
    cpu.quiet = true;
    robust_area_bts.run(&run);
    machine_found("wrong: 0 interrupts came, expected at least 1\n");
}

/* Nothing more is done where the area is refused: here its page cannot be written. */
static void refused(void **state)
{
    static const struct test *const all[] = { &selftest_scribble, &robust_pmi_spurious, &robust_pmi_twice };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start();
        machine.page &= ~(UINT64_C(1) << 1);
        all[i]->run(&run);
        machine_found("wrong: the DS area was refused: it breaks 2 of the manual's restrictions\n");
        assert_int_equal(cpu.sent, 0);
    }
    start();
    machine.page &= ~(UINT64_C(1) << 1);
    robust_area_bts.run(&run);
    assert_int_equal(run.problems, 7); /* six fields, and the one that is to be found by its interrupt */
    assert_int_equal(cpu.sent, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spurious_right), cmocka_unit_test(spurious_wrong), cmocka_unit_test(twice_right),
        cmocka_unit_test(twice_wrong),    cmocka_unit_test(whole_area),     cmocka_unit_test(fields_right),
        cmocka_unit_test(fields_wrong),   cmocka_unit_test(refused),        cmocka_unit_test(no_interrupt),
    };
    return cmocka_run_group_tests_name("kernel_robust", tests, NULL, NULL);
}
