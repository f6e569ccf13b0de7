/* SPDX-License-Identifier: MIT */
/*
 * The kernel's measurement of memory's levels (suite/measure/memory_test.c), on a machine of variables that walks its
 * rings: each ring has all its lines, samples are held against the walk, and levels that cannot be are reported. Words
 * of Skylake's data source by SDM Vol. 3B (253669-081), "Data Source Encoding for Load Latency Record": 1 is L1.
 */
#include "tests/host/host_test.h"

#include "arch/x86/msr.h"
#include "suite/measure/memory_test.c"
#include "tests/host/machine/machine.h"

static const struct debugctl_bits core = { .lbr = 1 };
static const struct pebs_event events[] = { { "LATENCY", PEBS_ROLE_LOAD_LATENCY, PEBS_FAMILY_NONE, 0x01cd, 0xfe,
                                              true } };
static const struct pebs_event_list list = { events, 1 };
static const struct caps skylake = {
    .debugctl = &core,
    .linear_bits = 48,
    .global_ctrl = true,
    .general_count = 4,
    .general_width = 48,
    .ds_width = 8,
    .ds_area_format = 3,
    .ds_area_size = 0x60,
    .pebs_method = PEBS_METHOD_GENERAL,
    .pebs_format = 3,
    .pebs_form = { .width = 8, .format = 3 },
    .pebs_record_size = 200,
    .pebs_counters = 0xf,
    .events = &list,
    .data_source = DATA_SOURCE_SKYLAKE,
    .pebs_trap_like = true,
};

#define IP 0x4000u /* of the load; the next instruction is 3 bytes on */

static struct test_run run;
static struct caps caps;
static uint8_t ring[1024 * 1024] __attribute__((aligned(4096)));
static struct {
    size_t asked;
    bool no_memory;
    unsigned walks, lines; /* lines: that the second walk went over */
    uint64_t elsewhere;    /* so many records of other code come first */
    bool none;             /* no load of the walk is sampled */
    unsigned samples;      /* at most; 0: as many as there are */
    unsigned not_l1;       /* so many samples, the first ones, come from the second level */
    uintptr_t address;     /* of the second sample: added to its data address */
    uint64_t rcx;          /* .. its RCX; 0: as it is */
    uint64_t eventing;     /* .. added to EventingIP */
} cpu;

void *memory_block(size_t size)
{
    cpu.asked = size;
    return cpu.no_memory ? NULL : ring;
}

static const struct access load = { .ip = IP, .next_ip = IP + 3 };
uintptr_t workload_walk_first;
uint32_t workload_walk_steps;

static void store(uint64_t ip, uint64_t rcx, uint64_t address, unsigned n)
{
    uint64_t record[25] = { [1] = IP + 3,
                            [4] = rcx,
                            [18] = 2,
                            [19] = address,
                            [20] = n <= cpu.not_l1 ? 2 : 1,
                            [21] = 10,
                            [22] = ip,
                            [24] = machine.clock++ };
    uint64_t index;
    memcpy(&index, ds_memory().area + 0x28, 8);
    memcpy((void *)(uintptr_t)index, record, sizeof record);
    index += sizeof record;
    memcpy(ds_memory().area + 0x28, &index, 8);
}

static void walk_on(const struct window *window)
{
    static uint8_t seen_line[sizeof ring / 64];
    uintptr_t at = workload_walk_first;
    unsigned n = 0;
    assert_int_equal(window->msr, 0x38f);
    assert_int_equal(window->on, 2);
    assert_int_equal(window->off, 0);
    if (cpu.walks++ == 0) { /* over one line */
        assert_int_equal(workload_walk_steps, 1);
        assert_ptr_equal(at, ring);
        memcpy(&at, (void *)at, sizeof at);
        assert_ptr_equal(at, ring);
        return;
    }
    memset(seen_line, 0, sizeof seen_line);
    for (unsigned i = 0; i < cpu.elsewhere; i++)
        store(IP - 0x100, 0, 0, 0);
    assert_int_equal(workload_walk_steps, 32768);
    for (uint32_t step = 0; step < workload_walk_steps; step++) {
        assert_int_equal((at - (uintptr_t)ring) % 64, 0);
        const size_t line = (at - (uintptr_t)ring) / 64;
        cpu.lines += !seen_line[line];
        seen_line[line] = 1;
        if (step % 129 == 128 && !cpu.none && (!cpu.samples || n < cpu.samples)) {
            const bool wrong = ++n == 2;
            store(IP + (wrong ? cpu.eventing : 0), wrong && cpu.rcx ? cpu.rcx : workload_walk_steps - step,
                  at + (wrong ? cpu.address : 0), n);
        }
        memcpy(&at, (void *)at, sizeof at);
    }
}

const struct workload workload_walk = { .run = walk_on, .accesses = &load, .access_count = 1 };
const struct workload workload_chase, workload_long_loop;

static void start(void)
{
    machine_start();
    memset(&cpu, 0, sizeof cpu);
    memset(ring, 0xff, sizeof ring);
    machine.clock = 1;
    caps = skylake;
    run = (struct test_run){ .caps = &caps };
}

static void finds(const struct test *test, const char *lines)
{
    run.test = test;
    test->run(&run);
    machine_found(lines);
}

/* A ring's lines are all there is of it, each once a round. */
static void rings(void **state)
{
    static const struct {
        const struct test *test;
        uint32_t kib;
    } all[] = { { &measure_memory_4k, 4 },
                { &measure_memory_16k, 16 },
                { &measure_memory_64k, 64 },
                { &measure_memory_256k, 256 },
                { &measure_memory_1m, 1024 } };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start();
        finds(all[i].test, "");
        assert_int_equal(cpu.asked, all[i].kib * 1024);
        assert_int_equal(cpu.lines, all[i].kib * 16);
        assert_int_equal(cpu.walks, 2);
        assert_int_equal(run.expected, 1);
        assert_int_equal(run.most, 32773 / 129);
        assert_int_equal(run.seen, 254);
    }
    assert_int_equal(*(const uint32_t *)measure_memory_4m.argument, 4u << 20);
    assert_int_equal(*(const uint32_t *)measure_memory_16m.argument, 16u << 20);
    assert_int_equal(*(const uint32_t *)measure_memory_64m.argument, 64u << 20);
    assert_int_equal(*(const uint32_t *)measure_memory_256m.argument, 256u << 20);
    assert_int_equal(msr_get(0x187), 0x4301cd);
    assert_int_equal(msr_get(0x3f6), 3);
}

/* No prefetcher follows the order: few steps go to a line beside the last one. */
static void order(void **state)
{
    /* Twice a product and an exclusive or with its upper half: by another program. */
    static const uint32_t of_10_bits[8] = { 0, 408, 415, 75, 456, 344, 746, 795 },
                          of_7_bits[8] = { 0, 114, 117, 24, 76, 100, 48, 84 };
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(line_at(i, 10), of_10_bits[i]);
        assert_int_equal(line_at(i, 7), of_7_bits[i]);
    }
    for (unsigned bits = 6; bits <= 14; bits += 4) {
        unsigned beside = 0;
        uint32_t first[] = { line_at(0, bits), line_at(1, bits), line_at(2, bits) };
        for (uint32_t i = 0; i + 1 < 1u << bits; i++) {
            const uint32_t a = line_at(i, bits), b = line_at(i + 1, bits);
            beside += a + 1 == b || b + 1 == a;
        }
        assert_in_range(beside, 0, (1u << bits) / 8);
        assert_true(first[0] != first[1] && first[1] != first[2]);
    }
}

static void printed(void **state)
{
    (void)state;
    start();
    caps.hypervisor = true;
    cpu.samples = 1;
    finds(&measure_memory_4k, "");
    machine_printed(
        "under a hypervisor: latencies are its figures, not time\n"
        "a ring of 4 KiB, 32768 steps\n"
        "event LATENCY, counter 1, reset -128\n"
        "drained 0 BTS and 1 PEBS records in 0 interrupts\n"
        "1 more PEBS records (records=all prints them)\n"
        "Samples: 1  of event 'LATENCY'\nTotal weight : 10\n"
        "Overhead       Samples  Memory access\n........  ............  ........................\n"
        " 100.00%             1  L1 or L1 hit\n"
        "     p50      p90      p99      max  Memory access\n"
        "  ......   ......   ......   ......  ........................\n"
        "      10       10       10       10  L1 or L1 hit\n"
        "measure memory size 4096 steps 32768 samples 1 weight 10\n"
        "measure level size 4096 level \"L1 or L1 hit\" overhead 10000 samples 1 weight 10 p50 10 p90 10 p99 10 "
        "max 10\n");
}

static void mistakes(void **state)
{
    (void)state;
    start();
    cpu.no_memory = true;
    finds(&measure_memory_16k, "");
    assert_string_equal(run.skipped, "no 16 KiB of free memory in one piece below 4 GiB");
    start();
    cpu.elsewhere = 3; /* of the workload's own loads before the walk */
    finds(&measure_memory_4k, "");
    assert_int_equal(run.seen, 257);
    start();
    cpu.samples = 1;
    cpu.elsewhere = 1;
    cpu.not_l1 = 1;
    finds(&measure_memory_16k, "wrong: none of 1 loads from a ring of 16 KiB came from the first level\n");
    start();
    cpu.not_l1 = 254; /* a larger ring need not be there */
    finds(&measure_memory_64k, "");
    start();
    cpu.not_l1 = 32;
    finds(&measure_memory_4k, "differs: 32 of 254 loads from a ring of 4 KiB did not come from the first level\n");
    start();
    cpu.not_l1 = 32;
    finds(&measure_memory_16k, "differs: 32 of 254 loads from a ring of 16 KiB did not come from the first level\n");
    start();
    cpu.none = true;
    cpu.elsewhere = 1;
    finds(&measure_memory_4k, "wrong: no load of the walk was sampled\n");
    start();
    cpu.not_l1 = 31; /* an eighth */
    finds(&measure_memory_4k, "");
    start();
    cpu.not_l1 = 254;
    finds(&measure_memory_64k, "");
}

static void samples_wrong(void **state)
{
    char line[160];
    (void)state;
    start();
    cpu.samples = 2;
    cpu.rcx = 32769; /* before the first step, which does not count */
    finds(&measure_memory_4k, "wrong: RCX 0x8001 is not a number of steps\n");
    start();
    cpu.samples = 2;
    cpu.rcx = UINT64_C(0x100000000);
    finds(&measure_memory_4k, "wrong: RCX 0x100000000 is not a number of steps\n");
    start();
    cpu.samples = 2;
    cpu.address = 64;
    run.test = &measure_memory_4k;
    measure_memory_4k.run(&run);
    const unsigned long long right = (uintptr_t)ring + (uintptr_t)line_at(257 % 64, 6) * 64;
    snprintf(line, sizeof line, "wrong: data address is 0x%llx, must be 0x%llx\n", right + 64, right);
    machine_found(line);
    start();
    cpu.samples = 1;
    machine_refuse(0x187);
    finds(&measure_memory_4k, "wrong: the counter could not be programmed\n");
    assert_int_equal(cpu.walks, 0);
    start();
    cpu.samples = 2;
    cpu.eventing = 1; /* none of the walk's load */
    finds(&measure_memory_4k, "");
    start();
    cpu.samples = 1;
    caps.pebs_trap_like = false;
    finds(&measure_memory_4k, "wrong: IP is 0x4003, must be 0x4000\n");
}

/* Of a record without EventingIP, the IP is the load's, or where PEBS is trap-like that of what follows it. */
static void whose(void **state)
{
    struct pebs_record record = { .has = PEBS_HAS_EVENTING_IP, .eventing_ip = IP, .ip = 0x77 };
    (void)state;
    start();
    assert_true(is_of_walk(&run, &record));
    record.eventing_ip++;
    assert_false(is_of_walk(&run, &record));
    record.has = PEBS_HAS_GPRS;
    record.ip = IP + 3;
    assert_true(is_of_walk(&run, &record));
    caps.pebs_trap_like = false;
    assert_false(is_of_walk(&run, &record));
    record.ip = IP;
    assert_true(is_of_walk(&run, &record));
    caps.pebs_trap_like = true;
    assert_false(is_of_walk(&run, &record));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings),    cmocka_unit_test(order), cmocka_unit_test(printed),
        cmocka_unit_test(mistakes), cmocka_unit_test(whose), cmocka_unit_test(samples_wrong),
    };
    return cmocka_run_group_tests_name("kernel_memory_levels", tests, NULL, NULL);
}
