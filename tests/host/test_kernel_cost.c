/* SPDX-License-Identifier: MIT */
/*
 * The kernel's measurements of what sampling and tracing cost (suite/measure/cost_test.c), on a machine of variables
 * whose clock and records are known: the figures that are printed, what is programmed for them, and what fails.
 * Registers by their numbers from SDM Vol. 4 (335592-081): 187H IA32_PERFEVTSEL1, 1D9H IA32_DEBUGCTL, 309H
 * IA32_FIXED_CTR0, 38FH IA32_PERF_GLOBAL_CTRL.
 */
#include "tests/host/host_test.h"

#include "suite/measure/cost_test.c"
#include "tests/host/machine/machine.h"

static const struct debugctl_bits core = { .lbr = 1, .tr = 0x40, .bts = 0x80, .btint = 0x100 };
static const struct pebs_event events[] = {
    { "LOADS", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0x81d0, 0xff, true },
    { "INSTRUCTIONS", PEBS_ROLE_INSTRUCTIONS, PEBS_FAMILY_NONE, 0x00c0, 0xe, false },
    { "BRANCHES", PEBS_ROLE_BRANCHES, PEBS_FAMILY_NONE, 0x00c4, 0xe, false },
    { "CONDITIONAL", PEBS_ROLE_CONDITIONAL, PEBS_FAMILY_NONE, 0x01c4, 0xe, false },
    { "TAKEN", PEBS_ROLE_TAKEN, PEBS_FAMILY_NONE, 0x20c4, 0xe, false },
};
static struct pebs_event_list list;
static const struct caps skylake = {
    .debugctl = &core,
    .linear_bits = 48,
    .global_ctrl = true,
    .general_count = 4,
    .general_width = 48,
    .fixed_count = 3,
    .fixed_width = 48,
    .full_width_write = true,
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
    .lbr_format = LBR_FORMAT_LIP,
    .lbr_depth = 4,
    .lbr_from = 0x680,
    .lbr_to = 0x6c0,
    .lbr_tos = 0x1c9,
    .lbr_select = 0x1c8,
};

static struct test_run run;
static struct caps caps;

/* A round takes 10 of the clock, and 35 where something is switched on by its window; so many records come then. */
static struct {
    unsigned plain, switched; /* rounds so far */
    unsigned records;         /* of a round; 0: none */
    bool in_handler;
    uint64_t stopped;      /* what counts meanwhile: IA32_PERF_GLOBAL_CTRL in the handler */
    bool broken;           /* the buffer's base is another one when it is drained */
    bool overrun;          /* the buffer is full when it is drained */
    uint64_t on, off, msr; /* of the last window that switched something */
    uint64_t reset, threshold, maximum;
} cpu;

static const struct branch loop_branch = { .from = 0x2000, .to = 0x1f00, .kind = 1 << 2, .repeat = 3000 };

static void advance(unsigned field, unsigned size)
{
    uint64_t area[12], index;
    memcpy(area, ds_memory().area, sizeof area);
    cpu.threshold = (area[field + 3] - area[field]) / size;
    cpu.maximum = (area[field + 2] - area[field]) / size;
    cpu.reset = area[9]; /* of counter 1 */
    index = cpu.overrun ? area[field + 2] : area[field] + (uint64_t)size * cpu.records;
    memcpy(ds_memory().area + 8 * (field + 1), &index, 8);
    if (cpu.broken) {
        area[field] -= size;
        memcpy(ds_memory().area + 8 * field, &area[field], 8);
    }
}

static void round_of(const struct window *window)
{
    struct interrupt_frame frame = { .ip = 0x1234 };
    if (window->on == window->off) {
        cpu.plain++;
        machine.clock += 10;
        machine_set(0x309, msr_get(0x309) + 100);
        return;
    }
    cpu.switched++;
    cpu.msr = window->msr;
    cpu.on = window->on;
    cpu.off = window->off;
    machine.clock += 35;
    machine_set(0x309, msr_get(0x309) + 100 + UINT64_C(50) * cpu.records);
    if (window->on == 1)
        machine_set(0x680, loop_branch.from); /* in the stack of last branches */
    if (!cpu.records || !machine.handler)
        return;
    if (window->msr == 0x1d9)
        advance(0, 24);
    else if (msr_get(0x3f1))
        advance(4, caps.pebs_record_size);
    machine_set((uint32_t)window->msr, window->on);
    cpu.in_handler = true;
    machine.handler(&frame);
    cpu.in_handler = false;
    machine_set((uint32_t)window->msr, window->off);
}

const struct workload workload_user_loop = { .run = round_of, .branches = &loop_branch, .branch_count = 1 },
                      workload_user_loads = { .run = round_of, .access_count = 40 };
const struct workload workload_chase, workload_long_loop;

static void wrote(uint32_t msr, uint64_t value)
{
    if (msr == 0x38f && cpu.in_handler) {
        cpu.stopped = value;
        cpu.in_handler = false; /* the first write alone */
    }
}

/* A look at the stack of last branches begins with its first entry, and takes 2. */
static void looked(uint32_t msr)
{
    machine.clock += msr == 0x1c9 ? 2 : 0;
}

static void start(void)
{
    machine_start();
    machine.write = wrote;
    memset(&cpu, 0, sizeof cpu);
    cpu.records = 3;
    machine.lvt = 0;
    list = (struct pebs_event_list){ events, COUNT_OF(events) };
    caps = skylake;
    run = (struct test_run){ .caps = &caps };
    ds_on_interrupt(NULL);
}

/* Nothing is left in the logs, which were emptied at each interrupt, and the area is closed. */
static void expect_empty_and_closed(void)
{
    assert_int_equal(ds_bts_log()->records + ds_pebs_log()->records, 0);
    assert_int_equal(msr_get(0x600), 0);
}

/* The log is emptied at each interrupt of this test, and nobody is called for it afterwards. */
static void expect_no_observer(void)
{
    const struct ds_config config = { .bts = true, .bts_records = 64, .bts_threshold = 16 };
    assert_true(records_open(&run, &config));
    advance(0, 24);
    machine.handler(NULL);
    assert_int_equal(ds_bts_log()->records, cpu.records);
    ds_close();
}

/* ---- what is measured -------------------------------------------------------------------------------------------- */

static void loads_of(void **state)
{
    static const struct {
        enum pebs_role first;
        const char *event;
    } rows[] = { { PEBS_ROLE_TAKEN, "TAKEN" },
                 { PEBS_ROLE_CONDITIONAL, "CONDITIONAL" },
                 { PEBS_ROLE_BRANCHES, "BRANCHES" },
                 { PEBS_ROLE_INSTRUCTIONS, "INSTRUCTIONS" } };
    struct load load;
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        start();
        list.count = COUNT_OF(events) - i; /* without those before it */
        assert_string_equal(sampled_event(&caps, &load)->name, rows[i].event);
        assert_ptr_equal(load.workload, &workload_user_loop);
        assert_int_equal(load.events, 3000);
        assert_int_equal(load.rounds, 40); /* 120000 events */
        assert_int_equal(most_events(&load), 40 * 6008);
    }
    list.count = 1;
    assert_string_equal(sampled_event(&caps, &load)->name, "LOADS");
    assert_ptr_equal(load.workload, &workload_user_loads);
    assert_int_equal(load.rounds, 3000);
    list.count = 0;
    assert_null(sampled_event(&caps, &load));
}

static void metering(void **state)
{
    const struct meter tsc = { .name = "tsc" };
    const struct load load = load_of(&workload_user_loop, 60000);
    const struct window window = { 0x38f, 7, 4 };
    (void)state;
    start();
    assert_int_equal(plain(&load, &tsc, &window), 20);
    assert_int_equal(cpu.switched, 0);
    assert_int_equal(metered(&load, &tsc, &window), 70);
    assert_int_equal(cpu.switched, 2);
    assert_int_equal(cpu.on, 7);
    assert_int_equal(cpu.msr, 0x38f);
}

static void shown(void **state)
{
    const struct meter tsc = { .name = "tsc" }, counter = { .name = "CLK", .msr = 0x309 };
    struct point p = { .method = "pebs", .records = 8, .samples = 40, .cycles = 1500, .plain = 500 };
    (void)state;
    start();
    heading(&tsc);
    machine_printed(
        "clock tsc\nmethod     records an interrupt  samples     cycles      plain  cycles a sample  slowdown\n");
    heading(&counter);
    machine_printed("clock CLK: counted under a hypervisor, it need not be time\n"
                    "method     records an interrupt  samples     cycles      plain  cycles a sample  slowdown\n");
    show(&run, &tsc, &p);
    machine_printed("pebs                          8       40       1500        500            25.00      3.00\n"
                    "measure cost method pebs records_per_interrupt 8 samples 40 cycles 1500 plain 500 clock tsc\n");
    assert_int_equal(run.seen, 40);
    p.cycles = 400; /* less than without: nothing more, not a huge number */
    show(&run, &tsc, &p);
    machine_printed("pebs                          8       40        400        500             0.00      0.80\n"
                    "measure cost method pebs records_per_interrupt 8 samples 40 cycles 400 plain 500 clock tsc\n");
    p.plain = 0;
    show(&run, &tsc, &p);
    machine_printed("pebs                          8       40        400          0            10.00         -\n"
                    "measure cost method pebs records_per_interrupt 8 samples 40 cycles 400 plain 0 clock tsc\n");
    machine_did("");
    p.samples = 0;
    show(&run, &tsc, &p);
    machine_did("wrong: pebs: no sample came\n");
    assert_int_equal(run.seen, 120);
}

/* ---- sampling ---------------------------------------------------------------------------------------------------- */

/* Of 40 rounds each with 25 of the clock more: 3 samples a round by PEBS, one by interrupt. */
static void sampling_right(void **state)
{
    char lines[4000], *end = lines;
    (void)state;
    start();
    measure_cost_sampling.run(&run);
    machine_found("");
    assert_int_equal(pebs_room(&caps, 0), 317);
    end += sprintf(
        end, "event TAKEN, every 31 events, over 40 rounds\nclock tsc\n"
             "method     records an interrupt  samples     cycles      plain  cycles a sample  slowdown\n"
             "interrupt                     1       40       1400        400            25.00      3.50\n"
             "measure cost method interrupt records_per_interrupt 1 samples 40 cycles 1400 plain 400 clock tsc\n");
    for (unsigned i = 0; i < 10; i++) {
        const unsigned n = i < 9 ? 1u << i : 317;
        end += sprintf(end, "pebs               %12u      120       1400        400             8.33      3.50\n", n);
        end += sprintf(
            end, "measure cost method pebs records_per_interrupt %u samples 120 cycles 1400 plain 400 clock tsc\n", n);
    }
    machine_printed(lines);
    assert_int_equal(run.seen, 40 + 10 * 120);
    assert_int_equal(run.expected, 11);
    assert_int_equal(run.most, 11 * (40 * 6008 / 31 + 1));
    assert_int_equal(cpu.plain, 11 * 40);
    assert_int_equal(cpu.switched, 11 * 40);
    assert_int_equal(cpu.msr, 0x38f);
    assert_int_equal(cpu.on, 2); /* TAKEN is on counter 1 */
    assert_int_equal(cpu.off, 0);
    assert_int_equal(cpu.threshold, 317);
    assert_int_equal(cpu.maximum, 319);
    assert_int_equal(cpu.reset & 0xffffffffffff, 0xffffffffffe1);
    assert_int_equal(msr_get(0x187) & 0x30000, 0x10000); /* at CPL 3 alone */
    expect_empty_and_closed();
    expect_no_observer();
}

/* Where the largest buffer's records are a power of two there is a point less between. */
static void sampling_even(void **state)
{
    (void)state;
    start();
    do
        caps.pebs_record_size += 8;
    while (pebs_room(&caps, 0) != 64);
    measure_cost_sampling.run(&run);
    machine_found("");
    assert_int_equal(run.expected, 2 + 6);
    assert_int_equal(run.seen, 40 + 7 * 120);
}

/* A single round, under a hypervisor, where cycles are counted by fixed counter 1, which goes on meanwhile. */
static void interrupt_steps(void **state)
{
    const struct load once = load_of(&workload_user_loop, 120000);
    (void)state;
    start();
    caps.hypervisor = true;
    point_interrupt(&run, &events[4], &once);
    machine_did("wrmsr 38f 0\nwrmsr 38d 0\nwrmsr 30a 0\nwrmsr 38d 30\nwrmsr 38f 200000000\n" /* the meter */
                "wrmsr 38f 0\nwrmsr 187 0\nwrmsr 4c2 ffffffffffe1\nwrmsr 187 5120c4\nwrmsr 390 0\nlvt e1\n"
                "wrmsr 38f 0\nwrmsr 38d 0\nwrmsr 30a 0\nwrmsr 38d 30\nwrmsr 38f 200000000\n" /* again */
                "wrmsr 38f 200000000\nwrmsr 390 0\nwrmsr c2 ffffffe1\nlvt e1\neoi\nwrmsr 38f 200000002\n"
                "lvt 100e1\n");
    assert_int_equal(cpu.on, UINT64_C(0x200000002));
    assert_int_equal(cpu.off, UINT64_C(0x200000000));
    assert_int_equal(cpu.plain, 1);
    assert_int_equal(cpu.switched, 1);
}

static void sampling_wrong(void **state)
{
    char lines[2000] = "", *end = lines;
    (void)state;
    start();
    list.count = 0;
    measure_cost_sampling.run(&run);
    machine_did("");
    assert_string_equal(run.skipped, "no precise event of this processor comes in a known number");
    start();
    machine_refuse(0x187);
    measure_cost_sampling.run(&run);
    end += sprintf(end, "wrong: the counter could not be programmed\n");
    for (unsigned i = 0; i < 10; i++)
        end += sprintf(end, "wrong: a counter could not be programmed\n");
    machine_found(lines);
    start();
    cpu.records = 0;
    measure_cost_sampling.run(&run);
    end = lines + sprintf(lines, "wrong: interrupt: no sample came\n");
    for (unsigned i = 0; i < 10; i++)
        end += sprintf(end, "wrong: pebs: no sample came\n");
    machine_found(lines);
}

static void point_overruns(void **state)
{
    struct load load;
    (void)state;
    start();
    cpu.overrun = true;
    const struct pebs_event *event = sampled_event(&caps, &load);
    point_pebs(&run, event, &load, 4);
    machine_found("wrong: drains of a full or broken buffer is 0x28, must be 0x0\n");
    start();
    cpu.overrun = true;
    point_bts(&run, &load, 64);
    machine_found("wrong: drains of a full or broken buffer is 0x28, must be 0x0\n");
    start();
    cpu.broken = true;
    point_pebs(&run, event, &load, 4);
    machine_found("wrong: drains of a full or broken buffer is 0x28, must be 0x0\nwrong: pebs: no sample came\n");
    start();
    cpu.broken = true;
    point_bts(&run, &load, 64);
    machine_found("wrong: drains of a full or broken buffer is 0x28, must be 0x0\nwrong: bts: no sample came\n");
}

/* ---- tracing ----------------------------------------------------------------------------------------------------- */

static void tracing_right(void **state)
{
    char lines[2000], *end = lines;
    const unsigned full = bts_capacity(&skylake) - 128;
    (void)state;
    start();
    measure_cost_bts.run(&run);
    machine_found("");
    assert_int_equal(bts_capacity(&skylake), ds_memory().bts_size / 24);
    end += sprintf(
        end, "clock tsc\nmethod     records an interrupt  samples     cycles      plain  cycles a sample  slowdown\n");
    for (unsigned i = 0; i < 3; i++) {
        const unsigned n = i == 0 ? 64 : i == 1 ? 512 : full;
        end += sprintf(end, "bts                %12u      120       1400        400             8.33      3.50\n", n);
        end += sprintf(
            end, "measure cost method bts records_per_interrupt %u samples 120 cycles 1400 plain 400 clock tsc\n", n);
    }
    machine_printed(lines);
    assert_int_equal(run.seen, 360);
    assert_int_equal(run.expected, 180000);
    assert_int_equal(run.most, 720000);
    assert_int_equal(cpu.msr, 0x1d9);
    assert_int_equal(cpu.on, 0x1c0); /* TR, BTS and BTINT */
    assert_int_equal(cpu.off, 0);
    assert_int_equal(cpu.threshold, full);
    assert_int_equal(cpu.maximum, full + 128);
    expect_empty_and_closed();
    expect_no_observer();
}

static void branches_right(void **state)
{
    (void)state;
    start();
    machine_set(0x1c8, 0x55);
    machine.read = looked;
    measure_cost_lbr.run(&run);
    machine_found("");
    machine_printed("a stack of 4 entries\nclock tsc\n"
                    "method     records an interrupt  samples     cycles      plain  cycles a sample  slowdown\n"
                    "lbr                           0   120000       1400        400             0.01      3.50\n"
                    "measure cost method lbr records_per_interrupt 0 samples 120000 cycles 1400 plain 400 clock tsc\n"
                    "lbr_read                      0      100        200          0             2.00         -\n"
                    "measure cost method lbr_read records_per_interrupt 0 samples 100 cycles 200 plain 0 clock tsc\n");
    assert_int_equal(run.expected, 120100);
    assert_int_equal(run.most, 120100);
    assert_int_equal(cpu.msr, 0x1d9);
    assert_int_equal(cpu.on, 1);
    assert_int_equal(msr_get(0x1c8), 0);
    start();
    machine_refuse(0x680);
    measure_cost_lbr.run(&run);
    machine_found("wrong: the stack that was read is empty, expected branches\n");
    start();
    caps.lbr_depth = 64;
    measure_cost_lbr.run(&run);
    machine_found("wrong: the stack that was read is empty, expected branches\n");
}

/* ---- the service routine ----------------------------------------------------------------------------------------- */

static void judged(void **state)
{
    static const struct {
        struct drained d;
        uint64_t without;
        const char *found, *printed;
    } rows[] = {
        { { 1600, 10, 2 },
          1000,
          "",
          "bts: 60.00 instructions a record, 300.00 a drain; at most 60 a record\n"
          "measure service kind bts records 10 instructions 600 interrupts 2\n" },
        { { 1601, 10, 2 },
          1000,
          "wrong: the service routine takes 60.10 instructions for a record, at most 60 are allowed\n",
          "bts: 60.10 instructions a record, 300.50 a drain; at most 60 a record\n"
          "measure service kind bts records 10 instructions 601 interrupts 2\n" },
        { { 1000, 10, 2 },
          1000,
          "wrong: the service routine drained 10 records in 2 interrupts and 0 instructions\n",
          "bts: 0.00 instructions a record, 0.00 a drain; at most 60 a record\n"
          "measure service kind bts records 10 instructions 0 interrupts 2\n" },
        { { 999, 10, 2 },
          1000,
          "wrong: the service routine drained 10 records in 2 interrupts and 0 instructions\n",
          "bts: 0.00 instructions a record, 0.00 a drain; at most 60 a record\n"
          "measure service kind bts records 10 instructions 0 interrupts 2\n" },
        { { 1001, 10, 0 },
          1000,
          "wrong: the service routine drained 10 records in 0 interrupts and 1 instructions\n",
          "bts: 0.10 instructions a record, - a drain; at most 60 a record\n"
          "measure service kind bts records 10 instructions 1 interrupts 0\n" },
    };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        start();
        judge(&run, "bts", 60, &rows[i].d, rows[i].without);
        machine_did(rows[i].found);
        machine_printed(rows[i].printed);
        assert_int_equal(run.seen, rows[i].d.interrupts);
    }
    start();
    judge(&run, "bts", 60, &(const struct drained){ 1001, 0, 1 }, 1000);
    machine_found("wrong: the service routine drained 0 records in 1 interrupts and 1 instructions\n"
                  "wrong: the service routine takes - instructions for a record, at most 60 are allowed\n");
}

/* Fixed counter 0 counts 150 instructions a round for 3 records: 50 each. */
static void service(void **state)
{
    (void)state;
    start();
    measure_cost_service_pebs.run(&run);
    machine_found("");
    machine_printed("pebs: 50.00 instructions a record, 150.00 a drain; at most 60 a record\n"
                    "measure service kind pebs records 120 instructions 6000 interrupts 40\n");
    assert_int_equal(run.expected, 1);
    assert_int_equal(run.most, 40 * 6008 / 31 / 317 + 1);
    assert_int_equal(run.seen, 40);
    assert_int_equal(cpu.threshold, 317);
    assert_int_equal(cpu.on, UINT64_C(0x100000002)); /* and fixed counter 0, which is never off */
    assert_int_equal(cpu.off, UINT64_C(0x100000000));
    assert_int_equal(cpu.stopped, UINT64_C(0x100000000));
    expect_empty_and_closed();
    expect_no_observer();
    start();
    measure_cost_service_bts.run(&run);
    machine_found("wrong: the service routine takes 50.00 instructions for a record, at most 20 are allowed\n");
    machine_printed("bts: 50.00 instructions a record, 150.00 a drain; at most 20 a record\n"
                    "measure service kind bts records 120 instructions 6000 interrupts 40\n");
    const unsigned full = bts_capacity(&skylake) - 128;
    assert_int_equal(run.expected, 60000 / full);
    assert_int_equal(run.most, 240000 / full);
    assert_int_equal(cpu.threshold, full);
    assert_int_equal(cpu.stopped, UINT64_C(0x100000000));
    expect_empty_and_closed();
    expect_no_observer();
}

static void service_without(void **state)
{
    (void)state;
    start();
    list.count = 0;
    measure_cost_service_pebs.run(&run);
    machine_did("");
    assert_string_equal(run.skipped, "no precise event of this processor comes in a known number");
    start();
    caps.fixed_count = 1; /* whose other is not there */
    measure_cost_service_pebs.run(&run);
    machine_found("");
    assert_string_equal(run.skipped, "no counter of instructions besides the one that samples");
    start();
    caps.fixed_count = 1;
    measure_cost_service_bts.run(&run);
    machine_found("");
    assert_string_equal(run.skipped, "no counter of instructions");
    start();
    machine.page = 0;
    measure_cost_service_bts.run(&run);
    assert_int_equal(run.problems, 1); /* the area is refused */
    assert_int_equal(cpu.plain + cpu.switched, 0);
    start();
    machine.page = 0;
    measure_cost_service_pebs.run(&run);
    assert_int_equal(run.problems, 1);
    assert_int_equal(cpu.plain + cpu.switched, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_of),        cmocka_unit_test(sampling_even),  cmocka_unit_test(interrupt_steps),
        cmocka_unit_test(metering),        cmocka_unit_test(shown),          cmocka_unit_test(sampling_right),
        cmocka_unit_test(sampling_wrong),  cmocka_unit_test(point_overruns), cmocka_unit_test(tracing_right),
        cmocka_unit_test(branches_right),  cmocka_unit_test(judged),         cmocka_unit_test(service),
        cmocka_unit_test(service_without),
    };
    return cmocka_run_group_tests_name("kernel_cost", tests, NULL, NULL);
}
