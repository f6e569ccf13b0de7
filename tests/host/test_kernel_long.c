/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests with a million records (kernel/long_test.c), on a machine of variables with fewer: what each stage
 * sets up, what is counted and printed of it, and what a lost record, a strange one and a full buffer come to.
 */
#include "tests/host/host_test.h"

#include "arch/x86/msr.h"
#include "kernel/long_test.c"
#include "tests/host/machine/machine.h"

static const struct debugctl_bits core = { .lbr = 1, .tr = 0x40, .bts = 0x80, .btint = 0x100 };
static const struct pebs_event events[] = {
    { "TAKEN", PEBS_ROLE_TAKEN, PEBS_FAMILY_NONE, 0x20c4, 0xe, false },
    { "INSTRUCTIONS", PEBS_ROLE_INSTRUCTIONS, PEBS_FAMILY_NONE, 0x00c0, 0xe, false },
};
static const struct pebs_event_list list = { events, COUNT_OF(events) };
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
};

static struct test_run run;
static struct {
    unsigned runs, holds, resumes, waits;
    unsigned strange; /* in this run, from 1 on, a record is of other code */
    unsigned lost;    /* at this interrupt, from 1 on, the drained records are gone before the test has them */
    bool overrun;     /* the first interrupt comes when the buffer is full */
    bool off;         /* interrupts are off */
    unsigned interrupts, dumps;
    char dumped[8][24];
    char stages[400]; /* what the area was set up with, whenever that changed */
} cpu;

void dump_hold(void)
{
    cpu.holds++;
}

void dump_resume(void)
{
    assert_int_equal(++cpu.resumes, cpu.holds);
}

void dump_waiting(void)
{
    assert_true(cpu.off);
    cpu.waits++;
}

static void did(const char *line)
{
    if (strncmp(line, "dump", 4) == 0 && cpu.dumps < COUNT_OF(cpu.dumped))
        snprintf(cpu.dumped[cpu.dumps++], sizeof cpu.dumped[0], "%s", line);
    if (strcmp(line, "cli") == 0 || strcmp(line, "sti") == 0)
        cpu.off = line[0] == 'c';
}

static void interrupt(void)
{
    if (++cpu.interrupts == cpu.lost)
        ds_on_interrupt(NULL);
    machine.handler(NULL);
    if (cpu.interrupts == cpu.lost) {
        ds_logs_empty();
        ds_on_interrupt(take);
    }
}

/* Stores a run's records, with an interrupt at the threshold. field: of the buffer's base in the area. */
static void store(const struct window *window, unsigned field, unsigned size, unsigned records, const void *record,
                  const void *strange)
{
    uint64_t area[12];
    char stage[120];
    memcpy(area, ds_memory().area, sizeof area);
    snprintf(stage, sizeof stage, "%u %u %llx: %llx %llx %llx\n", (unsigned)((area[field + 2] - area[field]) / size),
             (unsigned)((area[field + 3] - area[field]) / size), (unsigned long long)(area[9] & 0xffff),
             (unsigned long long)window->msr, (unsigned long long)window->on, (unsigned long long)window->off);
    const size_t used = strlen(cpu.stages);
    if (used < strlen(stage) || strcmp(cpu.stages + used - strlen(stage), stage) != 0)
        strcpy(cpu.stages + used, stage);
    cpu.runs++;
    cpu.off = false;
    machine_set((uint32_t)window->msr, window->on);
    for (unsigned i = 0; i < records; i++) {
        uint64_t index;
        memcpy(&index, ds_memory().area + 8 * (field + 1), 8);
        uint8_t *const at = (uint8_t *)(uintptr_t)index;
        for (unsigned n = 0; n < size && !cpu.lost; n++)
            assert_int_equal(at[n], 0); /* what was drained before is wiped */
        memcpy(at, cpu.runs == cpu.strange && i == 0 ? strange : record, size);
        index += size;
        memcpy(ds_memory().area + 8 * (field + 1), &index, 8);
        if (index == area[field + (cpu.overrun && cpu.interrupts == 0 ? 2 : 3)])
            interrupt();
    }
    machine_set((uint32_t)window->msr, window->off);
}

static const struct branch branch = { .from = 0x1010, .to = 0x1000, .kind = 1 << 2, .repeat = 40 };

static void trace(const struct window *window)
{
    static const uint64_t right[3] = { 0x1010, 0x1000, 0 }, strange[3] = { 0x1012, 0x1000, 0 };
    store(window, 0, 24, 40, right, strange);
}

/* Three samples a run; of its words, flags, IP and EventingIP matter. */
static void sample_user(const struct window *window)
{
    static const uint64_t right[25] = { [1] = 0x1000, [22] = 0x1010 }, strange[25] = { [1] = 0x1004, [22] = 0x1010 };
    store(window, 4, 200, 3, right, strange);
}

const struct workload workload_chase;
const struct workload workload_long_loop = { trace, 0x1000, 0x1012, &branch, 1, NULL, 0, 0 },
                      workload_user_loop = { sample_user, 0x1000, 0x1012, &branch, 1, NULL, 0, 0 };

static void start(void)
{
    machine_start();
    memset(&cpu, 0, sizeof cpu);
    machine.did = did;
    machine.lvt = 0;
    ds_on_interrupt(NULL);
    memset(ds_memory().bts, 0, ds_memory().bts_size);
    memset(ds_memory().pebs, 0, ds_memory().pebs_size);
    run = (struct test_run){ .caps = &skylake };
}

/* 335 runs of 40 branches: 4800 by 480s, 4800 by 256s, 3800 by 32s. */
static void bts_right(void **state)
{
    (void)state;
    start();
    long_bts.run(&run);
    machine_found("");
    machine_printed("buffer of 512, interrupt at 480: 4800 decoded, 4800 by the index, 10 interrupts\n"
                    "buffer of 512, interrupt at 256: 4800 decoded, 4800 by the index, 18 interrupts\n"
                    "buffer of 64, interrupt at 32: 3800 decoded, 3800 by the index, 118 interrupts\n"
                    "count bts kernel 13400 index 13400 of the workload 13400 interrupts 146\n");
    assert_string_equal(cpu.stages, "512 480 0: 1d9 1c0 0\n512 256 0: 1d9 1c0 0\n64 32 0: 1d9 1c0 0\n");
    assert_int_equal(run.expected, 13400);
    assert_int_equal(run.most, 13400);
    assert_int_equal(run.seen, 13400);
    assert_int_equal(cpu.runs, 335);
    assert_int_equal(cpu.waits, 335);
    assert_int_equal(cpu.holds, 146 + 3);
    assert_int_equal(cpu.resumes, 146 + 3);
    assert_int_equal(msr_get(0x600), 0);
    assert_int_equal(ds_bts_log()->records, 0);
}

/* Whoever is called by the routine after a stage is not this test. */
static void observer_gone(void **state)
{
    const struct ds_config config = { .bts = true, .bts_records = 64, .bts_threshold = 16 };
    (void)state;
    start();
    long_bts.run(&run);
    assert_true(records_open(&run, &config));
    const unsigned holds = cpu.holds;
    machine.handler(NULL);
    assert_int_equal(cpu.holds, holds);
    ds_close();
}

/* Each drain's records are written out while nothing else is, and at the end all that waits. */
static void dumped(void **state)
{
    static const struct ds_config config = { .bts = true, .bts_records = 64, .bts_threshold = 32 };
    static const char *const lines[] = { "dump bts of 0: 32", "dump pebs of 0: 0", "dump bts of 0: 8",
                                         "dump pebs of 0: 0", "dump flush" };
    const struct stage stage = { 64, 32, 1, 0 };
    const struct window window = bts_window(&skylake, false, 0);
    (void)state;
    start();
    run_stage(&run, &config, &stage, &workload_long_loop, &window, NULL);
    machine_found("");
    assert_int_equal(cpu.dumps, COUNT_OF(lines));
    for (unsigned i = 0; i < COUNT_OF(lines); i++)
        assert_memory_equal(cpu.dumped[i], lines[i], strlen(lines[i]));
    machine_printed("buffer of 64, interrupt at 32: 40 decoded, 40 by the index, 1 interrupts\n");
    assert_int_equal(run.seen, 40);
}

/* 500, 600 and 100 runs of 3 samples. */
#define PEBS_STAGES "25 23 fff1: 38f 2 0\n24 12 ffff: 38f 2 0\n8 1 fff1: 38f 2 0\n"
#define PEBS_LINES                                                                     \
    "buffer of 25, interrupt at 23: 1500 decoded, 1500 by the index, 65 interrupts\n"  \
    "buffer of 24, interrupt at 12: 1800 decoded, 1800 by the index, 150 interrupts\n" \
    "buffer of 8, interrupt at 1: 300 decoded, 300 by the index, 300 interrupts\n"

static void pebs_right(void **state)
{
    (void)state;
    start();
    long_pebs_taken.run(&run);
    machine_found("");
    machine_printed(PEBS_LINES "count pebs kernel 3600 index 3600 of the workload 3600 interrupts 515\n");
    assert_string_equal(cpu.stages, PEBS_STAGES);
    assert_int_equal(run.expected, 1250 + 12000 + 250);
    assert_int_equal(run.most, 13500);
    assert_int_equal(run.seen, 3600);
    assert_int_equal(cpu.runs, 1200);
    assert_int_equal(cpu.waits, 1200);
    assert_int_equal(msr_get(0x187), 0x4120c4); /* at CPL 3 alone */
    start();
    long_pebs_instructions.run(&run);
    machine_found("");
    machine_printed(PEBS_LINES "count pebs kernel 3600 index 3600 of the workload 3600 interrupts 515\n");
    assert_int_equal(run.expected, 2500 + 24000 + 500);
    assert_int_equal(run.most, 2625 + 25200 + 525);
    assert_int_equal(msr_get(0x187), 0x4100c0);
}

static void mistakes(void **state)
{
    (void)state;
    start();
    cpu.strange = 121;
    long_bts.run(&run);
    machine_found("");
    assert_int_equal(run.seen, 13399);
    machine_printed("buffer of 512, interrupt at 480: 4800 decoded, 4800 by the index, 10 interrupts\n"
                    "buffer of 512, interrupt at 256: 4800 decoded, 4800 by the index, 18 interrupts\n"
                    "buffer of 64, interrupt at 32: 3800 decoded, 3800 by the index, 118 interrupts\n"
                    "count bts kernel 13400 index 13400 of the workload 13399 interrupts 146\n");
    start();
    cpu.strange = 3;
    long_pebs_taken.run(&run);
    machine_found("");
    assert_int_equal(run.seen, 3599);
    start();
    cpu.strange = 3;
    long_pebs_instructions.run(&run);
    machine_found("");
    assert_int_equal(run.seen, 3600); /* an instruction of the workload, if not its branch */
    start();
    cpu.lost = 2;
    long_pebs_taken.run(&run);
    machine_found("wrong: records decoded is 0x5c5, must be 0x5dc\n"); /* 23 fewer */
    assert_int_equal(run.seen, 3577);
    start();
    cpu.overrun = true;
    long_bts.run(&run);
    machine_found("wrong: drains of a full buffer is 0x1, must be 0x0\n");
    start();
    machine_refuse(0x187);
    long_pebs_taken.run(&run);
    machine_found("wrong: the counter could not be programmed\nwrong: the counter could not be programmed\n"
                  "wrong: the counter could not be programmed\n");
    assert_int_equal(cpu.runs, 0);
    start();
    machine.page = 0;
    long_bts.run(&run);
    assert_int_equal(run.problems, 3);
    assert_int_equal(cpu.runs, 0);
}

static void logs(void **state)
{
    (void)state;
    start();
    check_log(&run, &(const struct ds_log){ .records = 5 });
    machine_did("");
    check_log(&run, &(const struct ds_log){ .dropped = 1, .overruns = 2, .broken = 3 });
    machine_did("wrong: records that did not fit the log is 0x1, must be 0x0\n"
                "wrong: drains of a full buffer is 0x2, must be 0x0\n"
                "wrong: drains of a broken area is 0x3, must be 0x0\n");
}

/* Whose a record is: all that it has must be right. */
static void ours(void **state)
{
    struct bts_record bts = { .from = 0x1010, .to = 0x1000 };
    struct pebs_record pebs = { .has = PEBS_HAS_EVENTING_IP | PEBS_HAS_GPRS, .eventing_ip = 0x1010, .ip = 0x1000 };
    (void)state;
    tally.workload = &workload_long_loop;
    tally.branch_alone = true;
    assert_true(is_ours_bts(&bts));
    bts.to++;
    assert_false(is_ours_bts(&bts));
    bts.to--;
    bts.from++;
    assert_false(is_ours_bts(&bts));
    assert_true(is_ours_pebs(&pebs));
    pebs.ip++;
    assert_false(is_ours_pebs(&pebs));
    pebs.has = PEBS_HAS_EVENTING_IP;
    assert_true(is_ours_pebs(&pebs));
    pebs.eventing_ip++;
    assert_false(is_ours_pebs(&pebs));
    pebs.has = PEBS_HAS_GPRS;
    pebs.ip = 0x1000;
    assert_true(is_ours_pebs(&pebs));
    tally.branch_alone = false;
    pebs.ip = 0x1011;
    assert_true(is_ours_pebs(&pebs));
    pebs.ip = 0x1012;
    assert_false(is_ours_pebs(&pebs));
    pebs.ip = 0xfff;
    assert_false(is_ours_pebs(&pebs));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bts_right),  cmocka_unit_test(observer_gone), cmocka_unit_test(dumped),
        cmocka_unit_test(pebs_right), cmocka_unit_test(mistakes),      cmocka_unit_test(logs),
        cmocka_unit_test(ours),
    };
    return cmocka_run_group_tests_name("kernel_long", tests, NULL, NULL);
}
