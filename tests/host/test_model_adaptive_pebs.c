/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ice Lake and later: performance metrics, the memory group of records, and architectural LBRs: a small depth in
 * records, and events of branches that have no entry. Boots compare the other groups with the truth.
 */
#include "tests/host/model_machine.h"

#define PEBS_DATA_CFG 0x3f2
#define PERF_METRICS  0x329
#define PMC_ADAPTIVE  (UINT64_C(1) << 34)

#define MEMINFO 1u

#define STORE_SAMPLE  0x02cdu
#define STORE_FORWARD 0x8203u

#define ICELAKE      "icelake"
#define GOLDENCOVE   "goldencove"
#define SIERRAFOREST "sierraforest"

/* Sets up a buffer of this many bytes, with a threshold at this offset. */
static void set_up_buffer(struct machine *m, uint64_t bytes, uint64_t threshold)
{
    PUT(m, { DS + 0x20, PEBS }, { DS + 0x28, PEBS }, { DS + 0x30, PEBS + bytes }, { DS + 0x38, PEBS + threshold });
    wrmsr(m, DS_AREA, DS);
}

/* The number of bytes filled with records. */
static uint64_t filled(struct machine *m)
{
    finish(m);
    return get(m, DS + 0x28) - PEBS;
}

#define RDPMC_METRICS    0x20000000u
#define METRICS_ENABLED  (UINT64_C(1) << 48)
#define SLOTS_ENABLED    (UINT64_C(1) << 35)
#define SLOTS_BOTH_RINGS UINT64_C(0x3000)

/* The metrics, by RDPMC and RDMSR, which must agree. */
static uint64_t metrics(struct machine *m)
{
    uint64_t value = 0;

    assert_int_equal(engine_rdpmc(&m->v, RDPMC_METRICS, &value, BETWEEN_BLOCKS), MSR_DONE);
    assert_int_equal(rdmsr(m, PERF_METRICS), value);
    return value;
}

/*
 * Without slots, the register reads as written. Then each instruction uses one slot of its cycle and the front end
 * loses the others (test_model_slots.c), added to the restored slots. Ice Lake has 5 slots a cycle, Golden Cove 6.
 */
UNIT_TEST(performance_metrics)
{
    static const struct {
        const char *profile;
        unsigned width;
        uint64_t fresh, added, wrapped; /* after 100 cycles: from 0; from 300 restored slots; from -16 */
    } rows[] = { { ICELAKE, 5, 0xcc0033, 0x20bf0020, 0xcc0033 },
                 { GOLDENCOVE, 6, 0xd4002b, UINT64_C(0x2b000000000000) | 0x1cc7001c, 0xd5002a } };
    struct block *b = block_new(0, 99, END_PLAIN);
    uint64_t value;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);

        assert_int_equal(metrics(m), 0);
        WRMSR(m, { FIXED_CTRL, SLOTS_BOTH_RINGS }, { GLOBAL_CTRL, METRICS_ENABLED | SLOTS_ENABLED });
        run(m, b);
        wrmsr(m, GLOBAL_CTRL, 0);
        assert_int_equal(metrics(m), rows[i].fresh);
        wrmsr(m, FIXED_CTR0 + 3, 0); /* slots and metrics again, as after a task switch */
        assert_int_equal(metrics(m), rows[i].fresh);
        WRMSR(m, { FIXED_CTR0 + 3, 300 }, { PERF_METRICS, UINT64_C(0x80000000000000) | 0x55aa0000 });
        assert_int_equal(metrics(m), UINT64_C(0x80000000000000) | 0x55aa0000);
        run(m, b); /* stopped */
        assert_int_equal(metrics(m), UINT64_C(0x80000000000000) | 0x55aa0000);
        wrmsr(m, GLOBAL_CTRL, METRICS_ENABLED | SLOTS_ENABLED);
        run(m, b);
        wrmsr(m, GLOBAL_CTRL, 0);
        assert_int_equal(rdmsr(m, FIXED_CTR0 + 3), 300 + 100 * rows[i].width);
        assert_int_equal(metrics(m), rows[i].added);
        wrmsr(m, FIXED_CTR0 + 3, 0xfffffffffff0); /* all slots since its overflow are new */
        WRMSR(m, { PERF_METRICS, 0 }, { GLOBAL_CTRL, METRICS_ENABLED | SLOTS_ENABLED });
        run(m, b);
        wrmsr(m, GLOBAL_CTRL, 0);
        assert_int_equal(rdmsr(m, FIXED_CTR0 + 3), 100 * rows[i].width - 16);
        assert_int_equal(metrics(m), rows[i].wrapped);

        m = machine_of(rows[i].profile); /* without the bit that enables the metrics */
        WRMSR(m, { FIXED_CTRL, SLOTS_BOTH_RINGS }, { GLOBAL_CTRL, SLOTS_ENABLED });
        run(m, b);
        assert_int_equal(metrics(m), 0);
        assert_int_equal(engine_rdpmc(&m->v, RDPMC_METRICS | 1, &value, BETWEEN_BLOCKS), MSR_GP);
    }
    struct machine *older = machine_of("skylake");

    assert_int_equal(engine_rdpmc(&older->v, RDPMC_METRICS, &value, BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(try_write(older, PERF_METRICS, 0), MSR_GP);
}

/*
 * The memory group: address, data source, latencies. The second of two accesses is recorded: a load from L1, or a store
 * to memory with a TLB miss. Golden Cove has a load's source and level only with the auxiliary event, and its latency
 * is one cycle longer than the cache's.
 */
UNIT_TEST(memory_groups)
{
    static const struct {
        const char *profile;
        uint64_t event, auxiliary;
        unsigned counter, flags;
        uint64_t address, source, latencies, retired;
        const char *violation;
    } rows[] = {
        { ICELAKE, LOAD_LATENCY, 0, 5, LOADS, 0x7000010, 1, 5, 0, NULL },
        { GOLDENCOVE, LOAD_LATENCY, EVTSEL_ON | STORE_FORWARD, 1, LOADS, 0x7000010, 1, UINT64_C(5) << 32 | 6, 0, NULL },
        { GOLDENCOVE, LOAD_LATENCY, 0, 1, LOADS, 0x7000010, 0, UINT64_C(5) << 32 | 6, 0, "pebs-latency-aux" },
        { GOLDENCOVE, STORE_SAMPLE, 0, 0, STORES, 0x7100000, 0x1a, UINT64_C(300) << 32 | 301, 0, NULL },
        { GOLDENCOVE, ALL_LOADS, 0, 2, LOADS, 0x7000010, 0, 0, 0, NULL },
        { GOLDENCOVE, INST_RETIRED, 0, 2, LOADS, 0, 0, 0, 0, NULL },
        { SIERRAFOREST, INST_RETIRED, 0, 2, LOADS, 0, 0, 0, 1, NULL },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);
        struct block *b = block_new(0, 1, END_PLAIN);
        const unsigned n = rows[i].counter;

        set_up_buffer(m, 64, 64);
        put(m, DS + 0x40 + 8 * n, -UINT64_C(1));
        WRMSR(m, { GLOBAL_CTRL, 0 },
              { LD_LAT, rows[i].auxiliary ? 5 : 3 }, /* 5: only the additional cycle exceeds it */
              { PEBS_DATA_CFG, MEMINFO }, { EVTSEL0 + 3, rows[i].auxiliary },
              { EVTSEL0 + n, EVTSEL_ON | rows[i].event | PMC_ADAPTIVE }, { PMC0 + n, 0xffffffff },
              { PEBS_ENABLE, UINT64_C(1) << n }, { GLOBAL_CTRL, 8 | 1u << n });
        access_memory(m, b, 0x7000000, 8, rows[i].flags);
        access_memory(m, b, rows[i].flags == STORES ? 0x7100000 : 0x7000010, 8, rows[i].flags);
        assert_int_equal(filled(m), 64);
        EXPECT_MEMORY(m, { PEBS, UINT64_C(64) << 48 | rows[i].retired << 32 | MEMINFO }, { PEBS + 32, rows[i].address },
                      { PEBS + 40, rows[i].source }, { PEBS + 48, rows[i].latencies }, { PEBS + 56, 0 });
        expect_violation(m, rows[i].violation);
    }
}

#define LBR_CTL        0x14ce
#define LBR_DEPTH      0x14cf
#define LBR_EVERYTHING 0x7f0007u /* on, all rings and kinds */

UNIT_TEST(a_stack_of_small_depth)
{
    struct machine *m = machine_of("goldencove");
    struct block *b = block_new(0, 4, END_REL_JMP);
    const uint64_t size = 32 + 10 * 24;

    set_up_buffer(m, size, size);
    WRMSR(m, { GLOBAL_CTRL, 0 }, { LBR_DEPTH, 8 }, { LBR_CTL, LBR_EVERYTHING });
    run_times(m, b, 20);
    WRMSR(m, { PEBS_DATA_CFG, 0x09000008 }, { EVTSEL0 + 1, EVTSEL_ON | PMC_ADAPTIVE | INST_RETIRED },
          { PMC0 + 1, (uint32_t)-1 }, { PEBS_ENABLE, 2 }, { GLOBAL_CTRL, 2 });
    run(m, b), finish(m);
    EXPECT_MEMORY(m, { DS + 0x28, PEBS + size }, { PEBS + 32 + 7 * 24, b->last });
    for (unsigned at = 32 + 8 * 24; at < size; at += 8)
        assert_int_equal(get(m, PEBS + at), 0);
}

/* A branch that is left out passes its events on to the next entry, and so does a block that is left in the middle. */
UNIT_TEST(events_passed_on)
{
    static const unsigned counts[] = { 0x12, 0x22, 0x11 }; /* of counter 0 in the lowest two bits */
    struct block *jump = block_new(0x1000, 1, END_REL_JMP), *taken = block_new(0x2000, 1, END_JCC);
    struct block *cut = block_new(0x3000, 4, END_REL_JMP);
    struct machine *m = machine_of("clearwaterforest");
    const uint64_t logged = EVTSEL_ON | UINT64_C(1) << 35;

    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0, logged | INST_RETIRED }, { EVTSEL0 + 2, logged | ANY_BRANCH },
          { GLOBAL_CTRL, 5 }, { LBR_CTL, LBR_EVERYTHING & ~0x10000u });
    run(m, jump), run(m, taken), run(m, jump), run(m, cut);
    engine_leave(&m->v, (struct place){ cut, 1 });
    run(m, jump), finish(m);
    for (unsigned i = 0; i < COUNT_OF(counts); i++)
        assert_int_equal(rdmsr(m, 0x1200 + i) >> 32 & 0xff, counts[i]);
}
