/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ice Lake and Golden Cove: their registers, adaptive records of general and fixed counters, and latencies. */
#include "tests/host/model_machine.h"

#define PEBS_DATA_CFG 0x3f2
#define PERF_METRICS  0x329
#define PMC_ADAPTIVE  (UINT64_C(1) << 34)

#define MEMINFO 1u
#define GPRS    2u
#define LBRS    8u

#define CONDITIONAL_TAKEN  0x01c4u
#define NEAR_CALL          0x02c4u
#define CONDITIONAL        0x11c4u
#define CONDITIONAL_NTAKEN 0x10c4u
#define INDIRECT           0x80c4u
#define STORE_SAMPLE       0x02cdu
#define STORE_FORWARD      0x8203u

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

static void sample(struct machine *m, unsigned i, uint64_t select, uint64_t period, uint64_t data_cfg)
{
    wrmsr(m, GLOBAL_CTRL, 0);
    put(m, DS + 0x40 + 8 * i, -period);
    WRMSR(m, { PEBS_DATA_CFG, data_cfg }, { EVTSEL0 + i, EVTSEL_ON | select }, { PMC0 + i, (uint32_t)-period },
          { PEBS_ENABLE, UINT64_C(1) << i }, { GLOBAL_CTRL, UINT64_C(1) << i });
}

/* control: this counter's four bits, and its adaptive bit as bit 32. */
static void sample_fixed(struct machine *m, unsigned i, uint64_t control, uint64_t period, uint64_t data_cfg)
{
    wrmsr(m, GLOBAL_CTRL, 0);
    put(m, DS + 0x80 + 8 * i, -period);
    WRMSR(m, { PEBS_DATA_CFG, data_cfg }, { FIXED_CTRL, control << 4 * i },
          { FIXED_CTR0 + i, -period & 0xffffffffffff }, { PEBS_ENABLE, UINT64_C(1) << (32 + i) },
          { GLOBAL_CTRL, UINT64_C(1) << (32 + i) });
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

UNIT_TEST(fixed_counter_with_groups)
{
    struct machine *m = machine_of(ICELAKE);
    struct block *b = block_new(0, 4, END_REL_JMP);

    set_up_buffer(m, 20 * 176, 20 * 176);
    sample_fixed(m, 2, UINT64_C(1) << 32 | 3, 5, GPRS);
    run_times(m, b, 10);
    assert_int_equal(filled(m), 6 * 176);
    EXPECT_MEMORY(m, { PEBS + 176, UINT64_C(176) << 48 | GPRS }, { PEBS + 176 + 16, UINT64_C(1) << 34 });
    /* Writing the counter's control disarms it, like writing its value. */
    sample_fixed(m, 2, UINT64_C(1) << 32 | 3, 5, GPRS);
    put(m, DS + 0x28, PEBS);
    run_times(m, b, 1);
    wrmsr(m, FIXED_CTRL, 0); /* this WRMSR is the fifth event, which arms */
    wrmsr(m, FIXED_CTRL, (UINT64_C(1) << 32 | 3) << 8);
    run_times(m, b, 1);
    assert_int_equal(filled(m), 0);
}

/* Two counters due on one instruction share a record, with the groups that either of them selects. */
UNIT_TEST(shared_record)
{
    struct machine *m = machine_of(ICELAKE);
    struct block *b = block_new(0, 4, END_REL_JMP);

    set_up_buffer(m, 1632, 1632); /* not a multiple of 64 */
    sample(m, 3, INST_RETIRED, 5, MEMINFO);
    wrmsr(m, GLOBAL_CTRL, 0);
    put(m, DS + 0x80 + 8, -(uint64_t)5);
    WRMSR(m, { PMC0 + 3, (uint32_t)-5 }, { FIXED_CTRL, (UINT64_C(1) << 32 | 3) << 4 },
          { FIXED_CTR0 + 1, -UINT64_C(11) & 0xffffffffffff }, { PEBS_ENABLE, UINT64_C(1) << 33 | 8 },
          { GLOBAL_CTRL, UINT64_C(1) << 33 | 8 });
    run_times(m, b, 3); /* events 6 of the first, 12 of both */
    assert_int_equal(filled(m), 32 + 64);
    EXPECT_MEMORY(m, { PEBS + 0, UINT64_C(32) << 48 }, { PEBS + 16, 8 }, { PEBS + 32, UINT64_C(64) << 48 | MEMINFO },
                  { PEBS + 32 + 16, UINT64_C(1) << 33 | 8 });
    assert_false(violated(m, "violation"));
}

/* A record in the middle of a block: the newest branch is the branch into that block, also in the log. */
UNIT_TEST(lbr_group_within_a_block)
{
    struct machine *m = NULL;
    struct block *a = block_new(0, 4, END_REL_JMP), *b = block_new(0x100, 4, END_REL_JMP);
    char *text;
    size_t size;

    for (unsigned logged = 0; logged < 2; logged++) {
        m = machine_of(ICELAKE);
        m->v.truth = logged ? open_memstream(&text, &size) : NULL;
        set_up_buffer(m, 80, 80);
        wrmsr(m, DEBUGCTL, 1);
        sample(m, 0, INST_RETIRED | PMC_ADAPTIVE, 13, LBRS | 1u << 24);
        run(m, a), run(m, b), run(m, a), run(m, b);
        assert_int_equal(filled(m), 80);
        EXPECT_MEMORY(m, { PEBS + 8, b->pc + 4 }, { PEBS + 32, a->last }, { PEBS + 40, b->pc }, { PEBS + 56, b->last },
                      { PEBS + 64, a->pc });
    }
    fclose(m->v.truth);
    m->v.truth = NULL;
    assert_non_null(strstr(text, " size=80 format_group=0x1000008 eventing_ip=0x400104 counters=0x1 tsc=0x"));
    assert_non_null(strstr(text, " lbr0=0x40000c,0x400100,0,0,0,4 lbr1=0x40010c,0x400000,1,0,0,4\n"));
    free(text);
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

/* On Skylake, bit 32 of IA32_PEBS_ENABLE belongs to a general counter, and fixed counters do not sample. */
UNIT_TEST(fixed_counters_before)
{
    struct machine *m = machine_of("skylake");

    set_up_buffer(m, 2000, 2000);
    WRMSR(m, { GLOBAL_CTRL, 0 }, { FIXED_CTRL, 3 }, { FIXED_CTR0, 0xfffffffffffb }, { PEBS_ENABLE, UINT64_C(1) << 32 },
          { GLOBAL_CTRL, UINT64_C(1) << 32 });
    run_times(m, block_new(0, 4, END_REL_JMP), 4);
    assert_int_equal(filled(m), 0);
    assert_int_equal(rdmsr(m, GLOBAL_STATUS), UINT64_C(1) << 32);
}

/* Memory events run on the first four counters, load latency on these except the first, or on none. */
UNIT_TEST(counters_of_events)
{
    static const struct {
        const char *profile;
        uint64_t event;
        uint64_t counters;
    } rows[] = {
        { ICELAKE, ALL_LOADS, 0x0f },       { GOLDENCOVE, ALL_LOADS, 0x0f },    { ICELAKE, LOAD_LATENCY, 0xff },
        { GOLDENCOVE, LOAD_LATENCY, 0xfe }, { ICELAKE, STORE_SAMPLE, 0 },       { GOLDENCOVE, STORE_SAMPLE, 0x01 },
        { ICELAKE, INST_RETIRED, 0xff },    { GOLDENCOVE, INST_RETIRED, 0xff }, { ICELAKE, PREC_DIST, 0 },
        { GOLDENCOVE, PREC_DIST, 0 },
    };

    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        for (unsigned i = 0; i < 8; i++) {
            struct machine *m = machine_of(rows[row].profile);
            struct block *b = block_new(0, 1, END_PLAIN);
            bool store = rows[row].event == STORE_SAMPLE;

            WRMSR(m, { LD_LAT, 3 }, { EVTSEL0 + i, EVTSEL_ON | rows[row].event });
            access_memory(m, b, 0x7000000, 8, store ? STORES : LOADS);
            assert_int_equal(rdmsr(m, PMC0 + i) != 0, rows[row].counters >> i & 1);
        }
    }
}

UNIT_TEST(branch_events)
{
    static const struct {
        uint64_t event;
        unsigned count;
    } rows[] = {
        { ANY_BRANCH, 14 },
        { CONDITIONAL_TAKEN, 1 },
        { NEAR_CALL, 3 },
        { CONDITIONAL, 5 },
        { CONDITIONAL_NTAKEN, 4 },
        { INDIRECT, 4 },
        { NEAR_TAKEN, 9 },
        { 0x08c4, 2 },
        { 0x40c4, 1 },
        { 0x00c5, 12 },
        { 0x01c5, 1 },
        { 0x02c5, 1 },
        { 0x10c5, 2 },
        { 0x11c5, 3 },
        { 0x20c5, 9 },
        { 0x80c5, 4 },
        { 0x04c4, 0 } /* Skylake's */
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(ICELAKE);
        static const enum block_end ends[] = { END_JCC,     END_REL_CALL, END_REL_CALL, END_IND_CALL, END_IND_JMP,
                                               END_IND_JMP, END_IND_JMP,  END_RET,      END_RET,      END_FAR };
        struct block *blocks[COUNT_OF(ends)];
        struct block *quiet[] = { block_new(0x8000, 1, END_JCC), block_new(0x8004, 1, END_JCC) };

        for (unsigned n = 0; n < COUNT_OF(ends); n++)
            blocks[n] = block_new(0x100 * n, 1, ends[n]);
        wrmsr(m, EVTSEL0 + 6, EVTSEL_ON | rows[i].event);
        for (unsigned n = 0; n < COUNT_OF(ends); n++)
            run(m, blocks[n]);
        struct block *behind = block_new(0x8008, 1, END_PLAIN);

        for (unsigned n = 0; n < 2; n++) /* not taken, mispredicted the first time */
            run(m, quiet[0]), run(m, quiet[1]), run(m, behind);
        finish(m);
        assert_int_equal(rdmsr(m, PMC0 + 6), rows[i].count);
    }
}
