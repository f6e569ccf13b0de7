/* SPDX-License-Identifier: MIT */
/*
 * The reports of wrong records (suite/support/records.c, suite/support/lbr_record.c), on a simulated machine: lost
 * records, damaged buffers, too few interrupts, and branches that do not belong to the workload. Boots with faults,
 * and "boots power", test that each bit of each record is compared.
 */
#define TEARDOWN closed
#define FIRST    set_up
#include "tests/host/unit_test.h"

#include "arch/x86/msr.h"
#include "kernel/console.h"
#include "kernel/held_lines.h"
#include "lib/bytes.h"
#include "suite/support/errata.h"
#include "suite/support/lbr_record.h"
#include "suite/support/records.h"
#include "tests/host/machine/machine.h"
#include "tests/host/processors.h"

static struct caps skylake; /* with an LBR stack of four entries, without INFO */

static const struct ds_config both = {
    .bts = true, .bts_records = 10, .bts_threshold = 8, .pebs = true, .pebs_records = 8, .pebs_threshold = 6
};

static struct test_run run;

static void started(void)
{
    machine_start();
    ds_on_interrupt(NULL);
    run = (struct test_run){ .caps = &skylake, .print_most = 100, .lbr_most = 4, .data_source = DATA_SOURCE_SKYLAKE };
}

static void opened(const struct ds_config *config)
{
    started();
    assert_true(records_open(&run, config));
    interrupt_handler *const handler = machine.handler;
    machine_start();
    machine.handler = handler;
}

static int closed(void **state)
{
    ds_close();
    return 0;
}

/* Sets the index: this many records are in the buffer. */
static void index_at(unsigned offset, unsigned record, unsigned records)
{
    write_u64(ds_memory().area, offset, read_u64(ds_memory().area, offset - 8) + (uint64_t)record * records);
}
#define BTS_RECORDS(n)  index_at(0x08, 24, n)
#define PEBS_RECORDS(n) index_at(0x28, 200, n)

/* Checks closing's report: these records are in the buffers, after these interrupts, some of them spurious. */
static void closing_says(unsigned bts, unsigned pebs, unsigned interrupts, unsigned least, unsigned spurious,
                         const char *wrong)
{
    char lines[1024];
    opened(&both);
    run.print_most = 0;
    for (unsigned i = 0; i < interrupts; i++) {
        BTS_RECORDS(bts);
        PEBS_RECORDS(pebs);
        machine.handler(NULL);
    }
    machine_start();
    if (spurious)
        records_close_spurious(&run, least, spurious);
    else
        records_close(&run, least);
    machine_found(wrong);
    snprintf(lines, sizeof(lines), "bts of 0: %u\npebs of 0: %u, sources %d\nflush\n", bts * interrupts,
             pebs * interrupts, DATA_SOURCE_SKYLAKE);
    machine_dumped(lines);
    snprintf(lines, sizeof(lines), "drained %u BTS and %u PEBS records in %u interrupts\n", bts * interrupts,
             pebs * interrupts, interrupts);
    if (bts)
        snprintf(lines + strlen(lines), 200, "%u more BTS records (records=all)\n", bts * interrupts);
    if (pebs)
        snprintf(lines + strlen(lines), 200, "%u more PEBS records (records=all)\n", pebs * interrupts);
    machine_printed(lines);
    assert_int_equal(run.problems, *wrong == 'w');
    assert_int_equal(run.differences, *wrong == 'd');
}

UNIT_TEST(closing)
{
    closing_says(0, 0, 0, 0, 0, "");
    closing_says(9, 7, 1, 1, 0, "");
    closing_says(9, 7, 3, 2, 0, "");
    closing_says(10, 7, 2, 0, 0, "wrong: the BTS buffer was full 2 times: records may have been lost\n");
    closing_says(9, 8, 1, 0, 0, "wrong: the PEBS buffer was full 1 times: records may have been lost\n");
    closing_says(9, 7, 1, 2, 0, "wrong: 1 interrupts arrived, expected at least 2\n");
    closing_says(0, 0, 2, 2, 2, "");
    closing_says(0, 0, 2, 0, 0, "differs: 2 interrupts were spurious, expected 0\n");
    closing_says(0, 0, 1, 0, 2, "wrong: 1 interrupts were spurious, expected at least 2\n");
    closing_says(0, 0, 1, 1, 2, "wrong: 1 interrupts were spurious, expected at least 2\n");
}

/* A test that breaks one rule expects exactly that breach. */
UNIT_TEST(one_breach)
{
    const uint64_t expected = UINT64_C(1) << DS_BREACH_ORDER, other = UINT64_C(1) << DS_BREACH_CANONICAL;
    const uint64_t sets[] = { expected, 0, other, expected | other };

    for (unsigned i = 0; i < COUNT_OF(sets); i++) {
        started();
        records_expect_breach(&run, &(const struct ds_breaches){ .set = sets[i] }, DS_BREACH_ORDER);
        assert_int_equal(run.problems, i > 0);
    }
}

/* Branches of other code, and memory around the buffer that was written. */
UNIT_TEST(closing_finds_strays)
{
    const struct ds_config bts = { .bts = true, .bts_records = 10, .bts_threshold = 8, .bts_before = 1 };
    const size_t places[] = { 24, 24 * 11 - 1, 0, 23, 24 * 11, ds_memory().bts_size - 1 }; /* two are inside */

    opened(&bts);
    machine.no_code = true;
    BTS_RECORDS(1);
    records_close(&run, 0);
    assert_int_equal(run.problems, 1);
    for (unsigned i = 0; i < COUNT_OF(places); i++) {
        opened(&bts);
        ds_memory().bts[places[i]]++;
        if (i < 2)
            records_close(&run, 0);
        else
            records_close_full(&run);
        assert_int_equal(run.problems, i >= 2);
    }
}

/* Two records do not fit into the log, and the area's fields were found damaged twice. */
UNIT_TEST(closing_a_damaged_log)
{
    const struct ds_config config = { .bts = true, .bts_records = 2050, .bts_threshold = 2000 };
    for (unsigned full = 0; full < 2; full++) {
        opened(&config);
        run.print_most = 0;
        for (unsigned i = 0; i < 4; i++) {
            BTS_RECORDS(2048);
            machine.handler(NULL);
        }
        BTS_RECORDS(2);
        machine.handler(NULL);
        for (unsigned i = 0; i < 2; i++) {
            ds_memory().area[0x18]++;
            machine.handler(NULL);
        }
        machine_start();
        if (full)
            records_close_full(&run);
        else
            records_close(&run, 0);
        machine_found(full ? ""
                           : "wrong: the log had no space for 2 BTS records\n"
                             "wrong: the BTS fields of the DS area were found overwritten 2 times\n");
        machine_printed(full ? "drained 8192 BTS and 0 PEBS records in 7 interrupts\n"
                             : "drained 8192 BTS and 0 PEBS records in 7 interrupts\n"
                               "8192 more BTS records (records=all)\n");
    }
}

static void count_pebs(void *context, const char *text)
{
    *(unsigned *)context += strncmp(text, "pebs 1 ip ", 10) == 0;
    assert_int_not_equal(strncmp(text, "pebs 0", 6), 0);
}

/* Records past print_most are held back, up to hold_most, and printed if the test does not pass. */
UNIT_TEST(holding)
{
    static char memory[0x1000];
    unsigned held = 0;
    const struct line_sink counter = { count_pebs, &held };

    held_lines_init(memory, sizeof memory);
    held_lines_start();
    opened(&both);
    run.print_most = 1;
    run.hold_most = 3;
    for (unsigned n = 0; n < 4; n++)
        write_u64(ds_memory().bts, 24 * n, 0x1000 + n);
    BTS_RECORDS(4);
    records_close(&run, 0);
    machine_printed("bts 0 0x0000000000001000 => 0x0000000000000000 mispredicted\n"
                    "drained 4 BTS and 0 PEBS records in 0 interrupts\n"
                    "3 more BTS records (records=all)\n");
    assert_int_equal(run.bts_printed, 3);
    held_lines_print(&console_sink);
    machine_printed("more records, because the test did not pass:\n"
                    "bts 1 0x0000000000001001 => 0x0000000000000000 mispredicted\n"
                    "bts 2 0x0000000000001002 => 0x0000000000000000 mispredicted\n");
    opened(&both);
    run.print_most = 1;
    run.hold_most = 2;
    PEBS_RECORDS(4);
    records_close(&run, 0);
    assert_int_equal(run.pebs_printed, 2);
    held_lines_print(&counter);
    assert_int_equal(held, 1);
}

#define A LBR_SELECT_JCC
#define B LBR_SELECT_NEAR_RET

/* Six branches of two kinds in a body from 1000H up to 2000H. */
static const struct branch branches[] = {
    { 0x1000, 0x1100, A, 1 },
    { 0x1100, 0x1200, B, 2 },
    { 0x1200, 0x1300, A, 2 },
    { 0x1fff, 0x1000, B, 1 },
};
static void run_nothing(const struct window *window)
{
}
static const struct workload six = {
    .run = run_nothing, .start = 0x1000, .limit = 0x2000, .branches = branches, .branch_count = COUNT_OF(branches)
};
static const uint64_t taken[7][2] = { { 0x1000, 0x1100 }, { 0x1100, 0x1200 }, { 0x1100, 0x1200 }, { 0x1200, 0x1300 },
                                      { 0x1200, 0x1300 }, { 0x1fff, 0x1000 }, { 0x1fff, 0x1000 } /* one too many */ };

/* Puts these records into the log, after three interrupts, two of them with BTS on. */
static void log_has(const uint64_t (*records)[2], unsigned count)
{
    opened(&(const struct ds_config){ .bts = true, .bts_records = 20, .bts_threshold = 18 });
    for (unsigned i = 0; i < 3; i++) {
        machine_set(0x1d9, i < 2 ? 0xc0 : 0);
        machine.handler(NULL);
    }
    for (unsigned n = 0; n < count; n++) {
        write_u64(ds_memory().bts, 24 * n, records[n][0]);
        write_u64(ds_memory().bts, 24 * n + 8, records[n][1]);
    }
    BTS_RECORDS(count);
    ds_close();
    machine_start();
    run.seen = run.problems = 0;
}

/*
 * A log with some of the branches, compared with all, with those from `skip` on, or with the newest that a circular
 * buffer holds. The plan reports missing records.
 */
UNIT_TEST(branches_of_the_workload)
{
    static const struct {
        unsigned from, count, skip;
        bool circular;
        unsigned seen;
        const char *found;
    } rows[] = {
        { 0, 6, 0, false, 6, "" },
        { 0, 4, 0, false, 4, "" },
        { 2, 4, 2, false, 4, "" },
        { 0, 0, 0, false, 0, "" },
        { 0, 6, 1, false, 1, "wrong: BTS record 0 is 0x1000 => 0x1100, must be 0x1100 => 0x1200\n" },
        { 0, 7, 0, false, 7, "wrong: BTS record 6 is 0x1fff => 0x1000, must be 0x0 => 0x0\n" },
        { 2, 4, 0, true, 4, "" },
        { 3, 3, 0, true, 3, "" },
        { 4, 2, 0, true, 2, "" },
        { 0, 3, 0, true, 1, "wrong: BTS record 0 is 0x1000 => 0x1100, must be 0x1200 => 0x1300\n" },
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        log_has(taken + rows[i].from, rows[i].count);
        if (rows[i].circular)
            records_compare_circular(&run, &six);
        else
            records_compare_bts(&run, &six, rows[i].skip);
        assert_int_equal(run.seen, rows[i].seen);
        machine_found(rows[i].found);
    }
    records_plan_circular(&run, 4);
    assert_int_equal(run.expected, 3);
    assert_int_equal(run.most, 4);
    assert_int_equal(run.typical, 4);
}

/* A trace without interrupts has no other branches. */
UNIT_TEST(whole_trace)
{
    static const uint64_t outside[][2] = { { 0x5000, 0x5100 } };
    const struct workload none = { .start = 0x1000, .limit = 0x2000 };

    log_has(taken, 6);
    records_compare_trace(&run, &six);
    machine_found("");
    log_has(outside, 1);
    records_compare_bts(&run, &none, 0);
    machine_found("");
    records_compare_trace(&run, &none);
    machine_found("wrong: number of records is 0x1, must be 0x0\n");
}

/* Only an erratum that the processor has explains a wrong From or count, and only with the right To. */
UNIT_TEST(errata)
{
    static const uint64_t from_wrong[][2] = { { 0x1010, 0x1100 } }, both_wrong[][2] = { { 0x1010, 0x1110 } };
    struct caps caps = skylake;

    for (unsigned has = 0; has < 2; has++) {
        caps.errata = has ? HAS_ERRATUM(AR62) : HAS_ERRATUM(SKL179);
        log_has(from_wrong, 1);
        run.caps = &caps;
        records_compare_bts_but(&run, &six, 0, HAS_ERRATUM(AR62));
        assert_int_equal(run.problems, !has);
        log_has(both_wrong, 1);
        run.caps = &caps;
        records_compare_bts_but(&run, &six, 0, HAS_ERRATUM(AR62));
        assert_int_equal(run.problems, 1);
        started();
        run.caps = &caps;
        errata_equal(&run, HAS_ERRATUM(AR62), "a count", 6, 5);
        assert_int_equal(run.problems, !has);
        assert_int_equal(run.differences, has);
    }
}

/* Hardware interrupts, NMIs and branches outside the workload are ignored. Its software interrupts count. */
UNIT_TEST(branches_outside_the_workload)
{
    static const struct branch own[] = { { 0x1000, 128 * 1000, B, 1 }, { 0x1001, 226 * 1000, B, 1 } };
    static const struct workload interrupted = { .start = 0x1000, .limit = 0x2000, .branches = own, .branch_count = 2 };
    static const uint64_t mixed[][2] = {
        { 0x1800, 225 * 1000 }, { 225 * 1000, 0x1800 }, { 0xfff, 0x1000 },      { 0x1000, 128 * 1000 },
        { 0x1800, 32 * 1000 },  { 0x1001, 226 * 1000 }, { 0x1fff, 255 * 1000 }, { 0x2000, 0x1000 },
        { 0x1235, 2 * 1000 },   { 0x1234, 225 * 1000 }, { 0x2fff, 0x1234 },
    };
    static const uint64_t elsewhere[][2] = {
        { 0x1800, 225 * 1000 }, { 0x2fff, 0x1801 }, { 0x1900, 225 * 1000 }, { 0x2fff, 0x1900 }
    };
    static const uint64_t exceptions[][2][2] = {
        { { 0x1000, 128 * 1000 }, { 0x1800, 31 * 1000 } },
        { { 0x1000, 128 * 1000 }, { 0x1800, 1 * 1000 } },
        { { 0x1000, 128 * 1000 }, { 0x1800, 3 * 1000 } },
    };
    char line[128];
    log_has(mixed, COUNT_OF(mixed));
    records_compare_bts(&run, &interrupted, 0);
    machine_found("");
    assert_int_equal(run.seen, 2);
    records_compare_interrupts(&run);
    machine_found("");
    for (unsigned i = 0; i < COUNT_OF(exceptions); i++) {
        log_has(exceptions[i], 2);
        records_compare_bts(&run, &interrupted, 0);
        snprintf(line, sizeof(line), "wrong: BTS record 1 is 0x1800 => 0x%llx, must be 0x1001 => 0x372d0\n",
                 (unsigned long long)exceptions[i][1][1]);
        machine_found(line);
    }
    log_has(elsewhere, COUNT_OF(elsewhere));
    records_compare_interrupts(&run);
    machine_found("wrong: an interrupt arrived at 0x1800, but the trace has no return there\n"
                  "wrong: number of interrupts in the trace is 0x1, must be 0x2\n");
    log_has(taken, 6);
    records_compare_interrupts(&run);
    machine_found("wrong: number of interrupts in the trace is 0x0, must be 0x2\n");
}

/* The branches that the processor "takes" while the window is open, oldest first, and the top of the stack after them.
 */
static const uint64_t (*lbr_taken)[2];
static unsigned lbr_count, lbr_top;

static void run_lbr(const struct window *window)
{
    for (unsigned n = 0; n < lbr_count; n++) {
        const unsigned at = (lbr_top + 4 - (lbr_count - 1 - n)) % 4;
        machine_set(0x680 + at, lbr_taken[n][0]);
        machine_set(0x6c0 + at, lbr_taken[n][1]);
    }
    machine_set(0x1c9, lbr_top);
}

static struct workload lbr_workload(const uint64_t (*records)[2], unsigned count, unsigned top)
{
    struct workload workload = six;
    workload.run = run_lbr;
    lbr_taken = records;
    lbr_count = count;
    lbr_top = top;
    return workload;
}

/* What each entry must have, whatever the workload. An architectural stack may lack cycles and counts of events. */
UNIT_TEST(lbr_checked)
{
    enum { SKYLAKE, ARCH, ARCH_COUNTERS };
    const struct {
        struct lbr_entry entry;
        uint64_t info;
        unsigned problems, differences, stack;
    } rows[] = {
        { { .from = 0x1000, .to = 0x1100 }, 0, 0, 0, SKYLAKE },
        { { .from = 0x1000, .to = 0x1100, .in_tsx = true }, 0, 1, 0, SKYLAKE },
        { { .from = 0x1000, .to = 0x1100, .tsx_abort = true }, 0, 1, 0, SKYLAKE },
        { { .from = 0x1000, .to = 0x1100 }, 1 << 16, 0, 1, SKYLAKE },
        { { .from = 0 }, 0, 0, 0, SKYLAKE },
        { { .from = 0 }, 1, 1, 0, SKYLAKE },
        { { .to = 0x1100 }, 1, 0, 0, SKYLAKE },
        { { .to = 0x1100 }, UINT64_C(0xff) << 32, 0, 0, ARCH_COUNTERS },
        { { .to = 0x1100 }, UINT64_C(1) << 40, 0, 1, ARCH_COUNTERS },
        { { .to = 0x1100 }, UINT64_C(1) << 39, 0, 1, ARCH },
        { { .to = 0x1100, .has = LBR_HAS_CYCLES }, UINT64_C(0xff) << 56 | 0xffff, 0, 0, ARCH },
        { { .to = 0x1100 }, 1, 0, 1, ARCH },
    };
    struct caps caps;

    for (unsigned i = 0; i < COUNT_OF(rows); i++)
        for (unsigned age = 0; age < 4; age++) {
            started();
            caps = rows[i].stack == SKYLAKE ? skylake : caps_of(golden_cove_input());
            caps.errata = 0; /* which may excuse the newest entry */
            caps.lbr_counters = rows[i].stack == ARCH_COUNTERS;
            run.caps = &caps;
            lbr_recorded = (struct lbr_stack){ .depth = 4 };
            lbr_recorded.entries[age] = rows[i].entry;
            lbr_recorded.entries[age].info = rows[i].info;
            lbr_print(&run);
            assert_int_equal(run.problems, rows[i].problems);
            assert_int_equal(run.differences, rows[i].differences);
        }
}

/* Others' entries are not its own. */
UNIT_TEST(lbr_of_the_workload)
{
    started();
    lbr_recorded = (struct lbr_stack){ .depth = 4 };
    lbr_recorded.entries[0] = (struct lbr_entry){ .from = 0x1fff, .to = 0x1000 };
    lbr_recorded.entries[1] = (struct lbr_entry){ .from = 0x5000, .to = 0x1000 };
    lbr_recorded.entries[2] = (struct lbr_entry){ .from = 0x1200, .to = 0x1300 };
    assert_int_equal(lbr_compare_own(&run, &six, 3), 2);
    assert_int_equal(run.problems, 0);
}

/* The newest four branches, with one wrong entry or none. */
UNIT_TEST(lbr_of_the_newest_branches)
{
    for (unsigned wrong = 0; wrong <= 4; wrong++) {
        started();
        lbr_recorded = (struct lbr_stack){ .depth = 4 };
        for (unsigned age = 0; age < 4; age++)
            lbr_recorded.entries[age] =
                (struct lbr_entry){ .from = taken[5 - age][0], .to = taken[5 - age][1] + (age == wrong) };
        lbr_compare(&run, &six, A | B, 4);
        assert_int_equal(run.problems, wrong < 4);
    }
}

static uint32_t changed; /* the register that changes during the workload */

static void run_changing(const struct window *window)
{
    machine_set(changed, msr_get(changed) ^ 1);
}

/* After the workload, the registers that control the stack are as the kernel wrote them. */
UNIT_TEST(lbr_control)
{
    static const uint32_t registers[] = { 0x1d9, 0x1c8, 0x14ce, 0x14cf };
    const struct workload workload = { .run = run_changing };
    const struct caps arch = caps_of(golden_cove_input());

    for (unsigned i = 0; i < COUNT_OF(registers); i++) {
        started();
        run.caps = i < 2 ? &skylake : &arch;
        changed = registers[i];
        lbr_run(&run, &workload, LBR_SELECT_JCC);
        assert_int_equal(run.problems, 1);
    }
}

static void run_below_top(const struct window *window)
{
    machine_set(0x683, 0x1000);
    machine_set(0x6c3, 0x1100);
    machine_set(0x1c9, 0);
}

/* Of an emptied stack, the entry behind the recorded ones is still empty. */
UNIT_TEST(lbr_below_top)
{
    const struct workload workload = { .run = run_below_top };

    started();
    assert_int_equal(lbr_take(&run, &workload, 0, &lbr_recorded), 1);
    machine_found("wrong: register 0 of LBR entry 1 is 0x1000, must be 0: no branch was recorded there\n"
                  "wrong: register 1 of LBR entry 1 is 0x1100, must be 0: no branch was recorded there\n");
}

static void keep_entry(uint32_t msr, uint64_t value)
{
    if (msr >= 0x680 && msr < 0x6c4)
        machine_set(msr, 0x5000);
}

/* If the stack's registers cannot be written, the change of TOS shows how many entries are new. */
UNIT_TEST(lbr_read_only)
{
    static const struct {
        unsigned branches, top, seen;
    } runs[] = { { 3, 1, 3 }, { 3, 0, 4 }, { 6, 0, 4 }, { 6, 3, 4 }, { 1, 2, 4 } };
    for (unsigned i = 0; i < COUNT_OF(runs); i++) {
        struct workload workload = lbr_workload(taken, runs[i].branches, runs[i].top);
        workload.branch_count = runs[i].branches == 3 ? 2 : runs[i].branches == 1 ? 1 : 4;
        started();
        machine_set(0x1c9, 2);
        machine.write = keep_entry;
        assert_int_equal(lbr_run(&run, &workload, 0), runs[i].seen);
    }
}

static uint32_t spoiled; /* the register of the stack in which a bit is wrong after the workload */
static void run_spoiling(const struct window *window)
{
    run_lbr(window);
    machine_set(spoiled, msr_get(spoiled) ^ 0x10);
}

/* Two branches in a stack of four entries. Each register is compared: also those of entries that no branch used. */
UNIT_TEST(lbr_each_register)
{
    static const struct branch two[] = { { 0x1000, 0x1100, A, 1 }, { 0x1100, 0x1200, B, 1 } };
    struct workload workload = lbr_workload(taken, 2, 1);
    workload.branches = two;
    workload.branch_count = 2;
    started();
    lbr_record(&run, &workload, LBR_NO_FILTER);
    assert_int_equal(run.seen, 2);
    assert_int_equal(run.problems, 0);
    workload.run = run_spoiling;
    for (unsigned i = 0; i < 8; i++) {
        started();
        spoiled = (i < 4 ? 0x680 : 0x6c0) + i % 4;
        lbr_record(&run, &workload, LBR_NO_FILTER);
        assert_int_equal(run.seen, i % 4 < 2 ? 2 : 3); /* the plan of two reports a third */
        assert_int_equal(run.problems, i % 4 < 3);     /* the third entry is taken for a recorded one */
    }
}

static uint32_t emptied; /* the only register of the stack that takes a write */

static void keep_others(uint32_t msr, uint64_t value)
{
    if (msr != emptied)
        keep_entry(msr, value);
}

/* A stack that may be read-only keeps all its registers, or none. */
UNIT_TEST(lbr_partly_emptied)
{
    static const struct {
        unsigned family, model;
        bool read_only;
    } rows[] = { { 6, 0x09, true },  { 6, 0x0d, true },  { 6, 0x0e, false },
                 { 6, 0x0b, false }, { 6, 0x5e, false }, { 0xf, 0x06, true } };
    struct caps caps = skylake;
    struct lbr_stack one = { .depth = 4 }, other = one;

    assert_true(lbr_same(&one, &other));
    other.registers[3][2] = 1;
    assert_false(lbr_same(&one, &other));
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        caps.family = rows[i].family;
        caps.model = rows[i].model;
        assert_int_equal(lbr_is_read_only(&caps) != NULL, rows[i].read_only);
    }
    caps.family = 0xf;
    for (unsigned n = 0; n < 10; n++) {
        started();
        run.caps = &caps;
        for (unsigned i = 0; i < 4; i++) {
            machine_set(0x680 + i, 0x5000);
            machine_set(0x6c0 + i, 0x5000);
        }
        emptied = n < 8 ? (n < 4 ? 0x680 : 0x6c0) + n % 4 : 0;
        machine.write = n < 9 ? keep_others : NULL;
        lbr_clear(&run, LBR_NO_FILTER);
        assert_int_equal(run.problems, n < 8);
    }
}

/* Used entries past lbr_most are held back, and counted for each stack that has some. */
UNIT_TEST(lbr_holding)
{
    static char memory[0x1000];
    const struct workload all = lbr_workload(taken, 6, 2);
    held_lines_init(memory, sizeof memory);
    held_lines_start();
    started();
    run.lbr_most = 2;
    lbr_run(&run, &all, LBR_NO_FILTER);
    const struct workload two = lbr_workload(taken, 2, 1);
    lbr_run(&run, &two, LBR_NO_FILTER);
    const struct workload three = lbr_workload(taken, 3, 2);
    lbr_run(&run, &three, LBR_NO_FILTER);
    machine_printed("lbr stack tos 2 depth 4\n"
                    "lbr 0 0x1fff/0x1000/-/-/-/0\n"
                    "lbr 1 0x1200/0x1300/-/-/-/0\n"
                    "2 more LBR entries (records=all)\n"
                    "lbr stack tos 1 depth 4\n"
                    "lbr 0 0x1100/0x1200/-/-/-/0\n"
                    "lbr 1 0x1000/0x1100/-/-/-/0\n"
                    "lbr stack tos 2 depth 4\n"
                    "lbr 0 0x1100/0x1200/-/-/-/0\n"
                    "lbr 1 0x1100/0x1200/-/-/-/0\n"
                    "1 more LBR entries (records=all)\n");
    machine_start();
    held_lines_print(&console_sink);
    machine_printed("more records, because the test did not pass:\n"
                    "lbr stack 1 goes on\n"
                    "lbr 2 0x1200/0x1300/-/-/-/0\n"
                    "lbr 3 0x1100/0x1200/-/-/-/0\n"
                    "lbr stack 3 goes on\n"
                    "lbr 2 0x1000/0x1100/-/-/-/0\n");
}

/*
 * lbr/lbr.c on stacks that no processor has: memory past 32 entries stays unchanged, and a top past the last entry is
 * reported. 1C9H is MSR_LASTBRANCH_TOS.
 */
UNIT_TEST(lbr_refused)
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

static int set_up(void **state)
{
    skylake = caps_of(skylake_input());
    skylake.lbr_depth = 4;
    skylake.lbr_format = LBR_FORMAT_LIP;
    skylake.lbr_info = 0;
    return 0;
}
