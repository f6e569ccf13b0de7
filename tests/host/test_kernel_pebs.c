/* SPDX-License-Identifier: MIT */
/*
 * The choice of a counter and of a sample, and the check of a sample's known records, on a simulated machine. Boots
 * test which registers sampling and counting write, and "boots power" that each bit of a record is compared.
 */
#define FIRST set_up
#include "tests/host/unit_test.h"

#include "arch/x86/perfmon.h"
#include "pebs/pebs.h"
#include "lib/bytes.h"
#include "suite/support/count.h"
#include "suite/support/pebs_compare.h"
#include "suite/support/pebs_places.h"
#include "suite/workload/steps.h"
#include "tests/host/machine/machine.h"
#include "tests/host/processors.h"

static const struct pebs_event events[] = {
    { "LOADS", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0x81d0, 0xff, true },
    { "LATENCY", PEBS_ROLE_LOAD_LATENCY, PEBS_FAMILY_NONE, 0x01cd, 0xfe, true },
    { "STORE", PEBS_ROLE_PRECISE_STORE, PEBS_FAMILY_NONE, 0x02cd, 0x8, true },
    { "PREC_DIST", PEBS_ROLE_PREC_DIST, PEBS_FAMILY_NONE, 0x01c0, 0x2, false },
    { "INSTRUCTIONS", PEBS_ROLE_INSTRUCTIONS, PEBS_FAMILY_NONE, 0x00c0, 0xf, false },
};
static const struct pebs_event *const loads = &events[0], *const latency = &events[1], *const store = &events[2],
                                      *const distributed = &events[3], *const instructions = &events[4];
static const struct pebs_event_list list = { events, COUNT_OF(events) };
static const struct pebs_event_list without_loads = { events + 4, 1 };

static struct caps skylake; /* not trap-like: unlike on the real Skylake, IP is the event's instruction */

static struct caps adaptive(void)
{
    struct caps_input input = golden_cove_input();
    input.misc_enable.value &= ~(1u << 11);
    struct caps caps = caps_of(input);
    caps.pebs_fixed_counters = 1;
    caps.pebs_trap_like = false;
    caps.pebs_pdist_counters = 0;
    caps.load_latency_auxiliary = 0;
    caps.hypervisor = false;
    caps.events = &list;
    return caps;
}

/* Preferably a counter without precise distribution. A counter that cannot sample the event is not programmed. */
UNIT_TEST(choice_of_a_counter)
{
    struct caps caps = adaptive();
    struct pebs_sampling s = { .event = store, .counter = 2, .period = 10 };
    machine_start();
    assert_false(pebs_program(&caps, &s));
    s.fixed = true;
    s.counter = 0;
    assert_false(pebs_program(&skylake, &s));
    assert_int_equal(machine.writes, 0);
    assert_int_equal(pebs_counter(&skylake, loads), 0);
    assert_int_equal(pebs_counter(&skylake, latency), 1);
    assert_int_equal(pebs_counter(&skylake, store), 3);
    caps.pebs_counters = 0xf0;
    assert_int_equal(pebs_counter(&caps, loads), 4);
    caps.pebs_pdist_counters = 0x10;
    assert_int_equal(pebs_counter(&caps, loads), 5);
    caps.pebs_pdist_counters = 0xf0;
    assert_int_equal(pebs_counter(&caps, loads), 4);
    assert_ptr_equal(pebs_find_event(&skylake, PEBS_ROLE_PRECISE_STORE), store);
    assert_null(pebs_find_event(&caps, PEBS_ROLE_PRECISE_STORE));
}

/* Nehalem's counters run once before they are cleared (erratum AAK100). 38FH is IA32_PERF_GLOBAL_CTRL. */
UNIT_TEST(primed_counters)
{
    machine_start();
    machine_set(0x38f, 0xf);
    counters_clear(&(const struct caps){ .general_count = 4, .global_ctrl = true, .prime_counters = true });
    machine_holds("38f 0, 186 0, 189 0, c1 0, c4 0");
}

static void nothing(const struct window *window)
{
}

/* A ring of 1024 loads (the table has one), a loop of 100 branches, and instructions of four bytes. */
static const struct access ring[] = { { .ip = 0x1000, .next_ip = 0x1004 } };
static const struct branch loop[] = { { .from = 0x2007, .to = 0x2005, .kind = 4, .repeat = 99 } };
const struct workload workload_loads = { .access_count = 64 };
const struct workload workload_chase = { .run = nothing, .accesses = ring, .access_count = 1 };
const struct workload workload_long_loop = {
    .run = nothing, .start = 0x2000, .limit = 0x2009, .branches = loop, .branch_count = 1, .instructions = 201
};
const struct workload workload_user_loop = { .run = nothing, .branches = loop, .branch_count = 1 };
const struct workload workload_straight, workload_stores, workload_flushed, workload_vectors, workload_locked,
    workload_loop, workload_calls, workload_kinds, workload_interrupt, workload_pieces, workload_untranslated,
    workload_untranslated_stores, workload_all_untranslated, workload_surprises, workload_walk, workload_x87,
    workload_mmx, workload_split_loads, workload_split_stores, workload_sharing_0, workload_sharing_1,
    workload_sharing_2, workload_sharing_3, workload_steps_loads_workload, workload_steps_straight_workload,
    workload_steps_branchy_workload, workload_steps_far_workload;
const uint64_t workload_ring[WORKLOAD_CHASE_LINES][8];
static const struct workload straight = { .run = nothing, .start = 0x3000, .limit = 0x3190, .instructions = 100 };

static struct test_run run;

static void started(const struct caps *caps)
{
    machine_start();
    ds_on_interrupt(NULL);
    run = (struct test_run){ .caps = caps };
}

UNIT_TEST(spacing_and_room)
{
    struct caps caps = skylake;
    machine_start();
    assert_int_equal(pebs_sample_spacing(&caps, &(struct pebs_sample){ .event = loads, .period = 10 }), 11);
    assert_int_equal(pebs_sample_spacing(&caps, &(struct pebs_sample){ .event = distributed, .period = 10 }), 10);
    caps.pebs_pdist_counters = 2;
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(
            pebs_sample_spacing(&caps, &(struct pebs_sample){ .event = loads, .counter = n, .period = 10 }),
            n == 1 ? 10 : 11);
    caps.pebs_pdist_counters = 0;
    assert_int_equal(pebs_room(&caps, 0), 317); /* 320 of 327 records, less three */
    caps.pebs_record_size = 144;
    caps.pebs_format = 0;
    assert_int_equal(pebs_room(&caps, 0), 25); /* 28 fit into a page */
    caps = adaptive();
    assert_int_equal(pebs_room(&caps, 0xf | UINT64_C(31) << 24), 50); /* 65536 / 1232 is 53 */
    assert_int_equal(pebs_room(&caps, 0x1), 317);

    /* Nine spacings of 115 exceed 1024 loads and the window's 8 instructions; eight leave 104 loads. */
    struct pebs_sample any = pebs_sample_any(&skylake, 8);
    assert_ptr_equal(any.event, loads);
    assert_ptr_equal(any.workload, &workload_chase);
    assert_int_equal(any.counter, 0);
    assert_int_equal(any.period, 114);
    assert_int_equal(pebs_events_of_round(&any), 1024);
    caps = skylake;
    caps.events = &without_loads;
    caps.pebs_counters = 0xc;
    any = pebs_sample_any(&caps, 10);
    assert_ptr_equal(any.event, instructions);
    assert_ptr_equal(any.workload, &workload_long_loop);
    assert_int_equal(any.counter, 2);
    assert_int_equal(any.period, 19); /* of 201 and 8 instructions */
    assert_int_equal(pebs_events_of_round(&any), 201);
    caps.events = &pebs_events_silvermont;
    caps.pebs_counters = 0x1;
    any = pebs_sample_any(&caps, 8);
    assert_string_equal(any.event->name, "BR_INST_RETIRED.ALL_BRANCHES");
    assert_ptr_equal(any.workload, &workload_chase);
    any.workload = &workload_loads;
    any.event = loads;
    assert_int_equal(pebs_events_of_round(&any), 64);

    /* Records that describe the overflowing event: PREC_DIST, a fixed counter, any event with PDist from 128 on. */
    struct pebs_sample s = { .event = loads, .counter = 0, .period = 128 };
    caps.pebs_pdist_counters = 0x1;
    assert_true(pebs_is_precise(&caps, &s));
    assert_int_equal(pebs_sample_spacing(&caps, &s), 128);
    s.period = 127;
    assert_false(pebs_is_precise(&caps, &s));
    assert_int_equal(pebs_sample_spacing(&caps, &s), 127); /* it may be the event itself, or a later one */
    s.period = 200;
    s.counter = 1;
    assert_false(pebs_is_precise(&caps, &s));
    assert_int_equal(pebs_sample_spacing(&caps, &s), 201);
    assert_false(pebs_of_instructions(&s));
    s.event = distributed;
    assert_true(pebs_is_precise(&caps, &s));
    assert_true(pebs_of_instructions(&s));
    s = (struct pebs_sample){ .fixed = true, .period = 5 };
    assert_true(pebs_is_precise(&caps, &s));
    assert_true(pebs_of_instructions(&s));
    assert_int_equal(pebs_sample_spacing(&caps, &s), 5);
    caps.pebs_method = PEBS_METHOD_ARCH;
    assert_false(pebs_is_precise(&caps, &s));
    caps.pebs_pdist_counters = 0;
    caps.pebs_pdist_fixed_counters = 1;
    assert_true(pebs_is_precise(&caps, &s));
}

/* The records that a workload "leaves". */
static const struct left {
    uint64_t ip, eventing_ip, rcx;
} * left;
static unsigned left_count, left_twice; /* the record with the time of the one before; 0: none */
static void leave(const struct window *window)
{
    for (unsigned n = 0; n < left_count; n++) {
        uint8_t *record = ds_memory().pebs + 200 * n;
        write_u64(record, 0x08, left[n].ip);
        write_u64(record, 0x20, left[n].rcx);
        write_u64(record, 0xb0, left[n].eventing_ip);
        write_u64(record, 0xc0, n + !(n && n == left_twice));
    }
    write_u64(ds_memory().area, 0x28, read_u64(ds_memory().area, 0x20) + 200 * left_count);
}

/* Checks the lines printed for these records of a sample of the known workload. */
static void said(const struct caps *caps, struct pebs_sample s, const struct left *records, unsigned count,
                 unsigned first, const char *lines)
{
    const struct workload leaving = { .run = leave, .access_count = 64 }, *const known = s.workload;
    started(caps);
    s.workload = &leaving;
    left = records;
    left_count = count;
    const unsigned rounds = s.rounds;
    s.rounds = 0;
    assert_true(pebs_sample(&run, &s));
    machine_start();
    s.workload = known;
    s.rounds = rounds;
    pebs_check_numbers(&run, &s, first);
    machine_found(lines);
}
#define SAID(caps, s, first, lines, ...) \
    said(caps, s, (const struct left[]){ __VA_ARGS__ }, COUNT_OF(((const struct left[]){ __VA_ARGS__ })), first, lines)

/* Loads of the ring: RCX counts down from 1024. At a spacing of 33 a record may be 32 events late, but not early. */
UNIT_TEST(numbers_of_loads)
{
    const struct pebs_sample s = { .event = loads, .workload = &workload_chase, .period = 32 };
    SAID(&skylake, s, 32, "", { 0x1004, 0x1000, 1024 - 32 }, { 0x1004, 0x1000, 1024 - 65 });
    SAID(&skylake, s, 32, "wrong: PEBS record 0 describes event 31, must be 32 or later\n",
         { 0x1004, 0x1000, 1024 - 31 }, { 0x1004, 0x1000, 1024 - 64 });
    SAID(&skylake, s, 32, "differs: PEBS record 0 describes event 33, typically 32\n", { 0x1004, 0x1000, 1024 - 33 },
         { 0x1004, 0x1000, 1024 - 67 });
    SAID(&skylake, s, 32, "differs: PEBS record 1 describes event 97, typically 65\n", { 0x1004, 0x1000, 1024 - 32 },
         { 0x1004, 0x1000, 1024 - 97 });
    SAID(&skylake, s, 32, "wrong: PEBS record 1 describes event 98: the record of about event 65 is missing\n",
         { 0x1004, 0x1000, 1024 - 32 }, { 0x1004, 0x1000, 1024 - 98 });
    SAID(&skylake, s, 32, "wrong: PEBS record 0, IP 0x1004, describes no event of the workload\n",
         { 0x1004, 0x1004, 1000 });
    SAID(&skylake, s, 32, "wrong: PEBS record 0, IP 0x1004, describes no event of the workload\n",
         { 0x1004, 0x1000, 1025 });

    struct caps caps = skylake; /* with precise distribution no record may be late */
    struct pebs_sample precise = s;
    caps.pebs_pdist_counters = 1;
    precise.period = 128;
    SAID(&caps, precise, 127, "wrong: PEBS record 1 describes event 256, must be 255\n", { 0x1004, 0x1000, 1024 - 127 },
         { 0x1004, 0x1000, 1024 - 256 });
}

/*
 * With trap-like PEBS, a record's IP is that of the next of the loop's 201 instructions. The window's first instruction
 * counts, too.
 */
UNIT_TEST(numbers_of_instructions)
{
    struct caps trap = skylake;
    const struct pebs_sample s = { .event = instructions, .workload = &workload_long_loop, .period = 49 };
    unsigned number;
    trap.pebs_trap_like = true;
    static const struct {
        uint64_t ip, rcx;
        int trap, fault; /* the instruction's number; -1: none */
    } places[] = {
        { 0x2005, 100, 0, 1 },  { 0x2007, 99, 1, 2 },
        { 0x2005, 99, 2, 3 },   { 0x2007, 0, 199, 200 },
        { 0x2009, 0, 200, -1 }, { 0x2000, 5, -1, -1 },
        { 0x2006, 50, -1, -1 }, { 0x2005, 101, -1, -1 },
        { 0x200c, 0, -1, -1 },  { 0x2005, (UINT64_C(1) << 31) + 50, -1, -1 },
    };
    for (unsigned i = 0; i < COUNT_OF(places); i++) {
        const struct pebs_record record = { .ip = places[i].ip, .gpr[PEBS_RCX] = places[i].rcx, .has = PEBS_HAS_GPRS };
        started(&trap);
        assert_int_equal(pebs_event_number(&run, &s, &record, &number), places[i].trap >= 0);
        if (places[i].trap >= 0)
            assert_int_equal(number, places[i].trap);
        started(&skylake);
        assert_int_equal(pebs_event_number(&run, &s, &record, &number), places[i].fault >= 0);
        if (places[i].fault >= 0)
            assert_int_equal(number, places[i].fault);
    }
    SAID(&trap, s, 49, "", { 0x2005, 0, 100 - 24 }, { 0x2005, 0, 100 - 49 }); /* 48 and 98 */
    SAID(&trap, s, 49, "wrong: PEBS record 0 describes event 47, must be 49 or later\n", { 0x2007, 0, 100 - 24 });
    SAID(&trap, s, 49, "wrong: PEBS record 1 describes event 97, must be 98 or later\n", { 0x2005, 0, 100 - 24 },
         { 0x2007, 0, 100 - 49 });
    const struct pebs_sample line = { .event = instructions, .workload = &straight, .period = 49 };
    SAID(&trap, line, 49, "differs: PEBS record 1 describes event 99, typically 98\n", { 0x3000 + 4 * 49, 0, 0 },
         { 0x3000 + 4 * 100, 0, 0 });
    SAID(&trap, line, 49, "wrong: PEBS record 0, IP 0x30c6, describes no event of the workload\n", { 0x30c6, 0, 0 });
    SAID(&trap, line, 49, "wrong: PEBS record 0, IP 0x31b1, describes no event of the workload\n", { 0x31b1, 0, 0 });
    SAID(&trap, line, 49, "", { 0x3000 + 4 * 50, 0, 0 }, { 0x3191, 0, 0 },
         { 0x31b0, 0, 0 }); /* instructions that close the window */
}

/* A record is the same as the one before. Its registers are unknown: otherwise only the address of each is wrong. */
UNIT_TEST(a_repeated_record)
{
    const struct workload leaving = { .run = leave, .start = 0x3000, .limit = 0x3190, .access_count = 64 };
    const struct pebs_sample s = { .event = instructions, .workload = &leaving, .period = 49 };
    const struct left far = { 0x3190 + 20, 0x3190 + 20, 0 }, three[] = { far, far, far };

    for (left_twice = 0; left_twice < 3; left_twice++) {
        started(&skylake);
        left = three;
        left_count = 3;
        assert_true(pebs_sample(&run, &s));
        assert_int_equal(run.problems, left_twice ? 4 : 3);
    }
    left_twice = 0;
}

/* Fault-like: IP is EventingIP. The registers of both records are unknown. */
UNIT_TEST(two_addresses)
{
    static const struct left records[] = { { 0x3014, 0x3014, 0 }, { 0x3014, 0x3010, 0 } };
    const struct workload leaving = { .run = leave, .start = 0x3000, .limit = 0x3190 };
    const struct pebs_sample s = { .event = instructions, .workload = &leaving, .period = 49 };
    unsigned problems[2];

    for (unsigned i = 0; i < 2; i++) {
        started(&skylake);
        left = &records[i];
        left_count = 1;
        assert_true(pebs_sample(&run, &s));
        problems[i] = run.problems;
    }
    assert_int_equal(problems[1], problems[0] + 1);
}

/* Three records of one load, in which one bit of the second is wrong. The 32-bit kernel has registers up to R7. */
static unsigned wrong_at, wrong_bit;
static void leave_loads(const struct window *window)
{
    static const unsigned numbers[] = {
        0, 3, 1, 2, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15
    }; /* in a record's order */
    static const uint64_t times[] = { 1, 3, 4 };
    for (unsigned n = 0; n < 3; n++) {
        uint8_t *record = ds_memory().pebs + 200 * n;
        memset(record, 0, 200);
        write_u64(record, 0x00, 0x2);
        write_u64(record, 0x08, 0x3014);
        for (unsigned i = 0; i < 2 * sizeof(void *); i++)
            write_u64(record, 0x10 + 8 * i, WORKLOAD_REGISTER(numbers[i]));
        write_u64(record, 0x10, 0x77);
        write_u64(record, 0x90, 0x1);
        write_u64(record, 0x98, 0x5000);
        write_u64(record, 0xb0, 0x3010);
        write_u64(record, 0xc0, times[n]);
    }
    ds_memory().pebs[200 + wrong_at + wrong_bit / 8] ^= (uint8_t)(1 << wrong_bit % 8);
    write_u64(ds_memory().area, 0x28, read_u64(ds_memory().area, 0x20) + 600);
}

static unsigned problems_of_loads(unsigned at, unsigned bit)
{
    static const struct access load = { .ip = 0x3010, .next_ip = 0x3014, .address = 0x5000, .value = 0x77 };
    static const struct workload workload = {
        .run = leave_loads, .start = 0x3000, .limit = 0x3190, .accesses = &load, .access_count = 1
    };
    const struct pebs_sample s = { .event = loads, .workload = &workload, .period = 1 };
    struct caps trap = skylake;
    trap.pebs_trap_like = true;
    started(&trap);
    wrong_at = at;
    wrong_bit = bit;
    assert_true(pebs_sample(&run, &s));
    return run.problems;
}

/* Each field is compared except RCX, RDX, the data source and the latency. */
UNIT_TEST(each_field_is_compared)
{
    static const struct {
        unsigned at, bit, more; /* problems */
    } wrong[] = {
        { 0x00, 3, 1 },  { 0x00, 63, 1 }, { 0x08, 0, 1 }, { 0x10, 0, 1 }, { 0x10, 63, 1 },
        { 0x18, 0, 1 },  { 0x30, 0, 1 },  { 0x38, 0, 1 }, { 0x40, 0, 1 }, { 0x48, 3, 1 },
        { 0x50, 0, 1 },  { 0x88, 63, 1 }, { 0x90, 1, 1 }, { 0x98, 0, 1 }, { 0x98, 63, 1 },
        { 0xb0, 0, 1 },  { 0xb8, 0, 1 },  { 0xc0, 1, 1 }, /* the record before, again */
        { 0xc0, 40, 2 },                                  /* after now, and after the next record */
        { 0x20, 0, 0 },  { 0x28, 0, 0 },  { 0xa0, 0, 0 }, { 0xa8, 0, 0 }, { 0xc0, 0, 0 },
    };
    const unsigned right = problems_of_loads(0xa8, 0);
    for (unsigned i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(problems_of_loads(wrong[i].at, wrong[i].bit), right + wrong[i].more);
}

/* Exits to a hypervisor may add to a count. Nothing removes from it. */
UNIT_TEST(disturbed_counts)
{
    struct caps guest = skylake;
    guest.hypervisor = true;
    started(&guest);
    count_equal(&run, 0, "a count", 6, 5);
    assert_int_equal(run.problems, 0);
    count_equal(&run, 0, "a count", 4, 5);
    assert_int_equal(run.problems, 1);
}

/* A branch is identified by both addresses if the record has them. A loop's last branch continues after the loop. */
UNIT_TEST(branches)
{
    static const struct branch table[] = { { .from = 0x10, .to = 0x20, .kind = 8, .repeat = 1 },
                                           { .from = 0x10, .to = 0x30, .kind = 8, .repeat = 1 },
                                           { .from = 0x40, .to = 0x50, .kind = 4, .repeat = 1 } };
    static const struct workload workload = { .branches = table, .branch_count = 3 };
    const uint64_t both = PEBS_HAS_EVENTING_IP | PEBS_HAS_GPRS;
    static const struct {
        const struct workload *workload;
        uint64_t has, ip, eventing_ip;
        bool trap_like;
        const struct branch *branch;
        const char *lines;
    } ways[] = {
        { &workload, both, 0x30, 0x10, true, &table[1], "" },
        { &workload, both, 0x30, 0x10, false, &table[1], "" }, /* pebs_compare() compares the two addresses */
        { &workload, both, 0x31, 0x10, true, NULL, "wrong: PEBS record 7, IP 0x31, describes no branch of its kind\n" },
        { &workload, both, 0x50, 0x40, true, NULL, "wrong: PEBS record 7, IP 0x50, describes no branch of its kind\n" },
        { &workload, PEBS_HAS_EVENTING_IP, 0, 0x10, true, &table[0], "" },
        { &workload, PEBS_HAS_GPRS, 0x30, 0, true, &table[1], "" },
        { &workload, PEBS_HAS_GPRS, 0x10, 0, false, &table[0], "" },
        { &workload_long_loop, both, 0x2009, 0x2007, true, NULL, "" },
        { &workload_user_loop, PEBS_HAS_GPRS, 0x2009, 0, true, NULL, "" },
        { &workload_long_loop, both, 0x2008, 0x2006, true, NULL,
          "wrong: PEBS record 7, IP 0x2008, describes no branch of its kind\n" },
        { &workload_user_loop, both, 0x2010, 0x2009, true, NULL, "" }, /* leaves */
        { &workload_long_loop, both, 0x2010, 0x2009, true, NULL,
          "wrong: PEBS record 7, IP 0x2010, describes no branch of its kind\n" },
        { &workload_long_loop, PEBS_HAS_GPRS, 0x2008, 0, true, NULL,
          "wrong: PEBS record 7, IP 0x2008, describes no branch of its kind\n" },
    };
    for (unsigned i = 0; i < COUNT_OF(ways); i++) {
        const struct pebs_record record = { .has = ways[i].has, .ip = ways[i].ip, .eventing_ip = ways[i].eventing_ip };
        const uint64_t kinds = ways[i].workload == &workload ? 8 : UINT64_MAX;
        struct caps caps = skylake;
        caps.pebs_trap_like = ways[i].trap_like;
        started(&caps);
        assert_ptr_equal(pebs_check_branch(&run, ways[i].workload, kinds, 7, &record), ways[i].branch);
        machine_found(ways[i].lines);
    }
}

UNIT_TEST(counts)
{
    const struct pebs_sample s = { .event = loads, .workload = &workload_chase, .period = 33 };
    assert_int_equal(pebs_typical(&skylake, &s, 1024), 30);
    started(&skylake);
    pebs_plan(&run, 31);
    assert_int_equal(run.expected, 16);
    assert_int_equal(run.most, 31);
    assert_int_equal(run.typical, 31);
    machine_start();
    pebs_check_count(&run, 31, 31);
    machine_found("");
    pebs_check_count(&run, 30, 31);
    pebs_check_count(&run, 16, 31);
    pebs_check_count(&run, 15, 31);
    pebs_check_count(&run, 32, 31);
    machine_found("differs: 30 records written, typically 31\ndiffers: 16 records written, typically 31\n"
                  "wrong: 15 records written, must be 16 to 31\nwrong: 32 records written, must be 16 to 31\n");
}

static int set_up(void **state)
{
    skylake = caps_of(skylake_input());
    skylake.pebs_trap_like = false;
    skylake.events = &list;
    return 0;
}
