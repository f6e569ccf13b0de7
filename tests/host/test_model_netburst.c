/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NetBurst's counters, records and registers. Addresses and bits are typed from SDM Vol. 3B (253669-059), the sections
 * on NetBurst and its tables of events and MSRs, not from the model's tables.
 */
#include "tests/host/model_machine.h"

#include "model/engine/netburst.h"

#define LOW_MEMORY  UINT64_C(0x100000) /* 32-bit records hold 32-bit addresses */
#define AREA        LOW_MEMORY
#define PEBS_BUFFER (LOW_MEMORY + 0x4000)
#define DATA        UINT64_C(0x700000)

#define COUNTER(i) (0x300u + (i))
#define CCCR(i)    (0x360u + (i))
#define FSB_ESCR0  0x3a2
#define FIRM_ESCR0 0x3a4
#define CRU_ESCR0  0x3b8
#define RAT_ESCR0  0x3bc
#define TBPU_ESCR0 0x3c2
#define CRU_ESCR2  0x3cc

#define ENABLE(select) (UINT64_C(1) << 12 | (uint64_t)(select) << 13 | UINT64_C(3) << 16)
#define OVF_PMI        (UINT64_C(1) << 26)
#define OVF            (UINT64_C(1) << 31)

#define RINGS             UINT64_C(0xc) /* T0_OS, T0_USR */
#define EVENT(code, mask) ((uint64_t)(code) << 25 | (uint64_t)(mask) << 9)
#define FRONT_END         EVENT(0x08, 1)
#define INSTR_RETIRED     EVENT(0x02, 1)
#define TAG_STORES        EVENT(0x02, 4)

#define UOP_TAG (UINT64_C(1) << 24)
#define MY_THR  (UINT64_C(1) << 25)

static struct machine *machine(const char *profile)
{
    struct machine *m = machine_of(profile);

    m->memory_at = LOW_MEMORY;
    return m;
}

static void put32(struct machine *m, uint64_t address, uint32_t value)
{
    assert_true(machine_write(m, address, &value, 4));
}

static uint32_t get32(struct machine *m, uint64_t address)
{
    uint32_t value = 0;

    assert_true(machine_read(m, address, &value, 4));
    return value;
}

/* Runs a block like `b`; its instructions access memory as their flags say, all at the same address. */
static void run_accessing(struct machine *m, const struct block *b, uint64_t address, unsigned size)
{
    run(m, b);
    for (unsigned i = 0; i < b->count; i++) {
        struct place place = { b, i };
        bool last = i + 1u == b->count;

        if (b->insns[i].flags & LOADS)
            data_accessed(&m->v, place, address, size, false);
        if (b->insns[i].flags & STORES)
            data_accessed(&m->v, place, address, size, true);
        if (m->hot.data_pending) {
            engine_data_retired(&m->v, last ? BETWEEN_BLOCKS : (struct place){ b, i + 1u }, block_address(b, i + 1u),
                                0);
        }
    }
}

/* The overflow bit is in the counter's CCCR. */
UNIT_TEST(overflow_bits)
{
    struct machine *m = machine("netburst64");

    for (unsigned i = 0; i < 18; i++) {
        m->v.event_select[i] = OVF;
        assert_int_equal(netburst_overflows(&m->v), UINT64_C(1) << i);
        m->v.event_select[i] = ~OVF;
        assert_int_equal(netburst_overflows(&m->v), 0);
    }
}

UNIT_TEST(rdpmc)
{
    static const struct {
        uint32_t index;
        enum msr_answer answer;
        uint64_t value;
    } rows[] = {
        { 17, MSR_DONE, 0x8123456789 },
        { 0x80000011, MSR_DONE, 0x23456789 },
        { 18, MSR_GP, 0 },
        { 0x40000000, MSR_GP, 0 },
    };
    struct machine *m = machine("netburst");

    wrmsr(m, COUNTER(17), 0x8123456789);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t value = 0;

        assert_int_equal(engine_rdpmc(&m->v, rows[i].index, &value, BETWEEN_BLOCKS), rows[i].answer);
        assert_int_equal(value, rows[i].value);
    }
    EXPECT_MSRS(m, { EVTSEL0, 0 }); /* MSR_MCG_EBP */
}

/* Only the counters of the ESCR's half of a group see its event. */
UNIT_TEST(which_counter_reaches_which_escr)
{
    static const struct {
        uint32_t escr;
        uint64_t event;
        unsigned select;
        uint32_t counters;
    } rows[] = {
        { FSB_ESCR0, EVENT(0x13, 1), 6, 0x00003 },     { FSB_ESCR0 + 1, EVENT(0x13, 1), 6, 0x0000c },
        { TBPU_ESCR0, EVENT(0x04, 0x1e), 2, 0x00030 }, { TBPU_ESCR0 + 1, EVENT(0x04, 0x1e), 2, 0x000c0 },
        { CRU_ESCR0, INSTR_RETIRED, 4, 0x13000 },      { CRU_ESCR0 + 1, INSTR_RETIRED, 4, 0x2c000 },
        { CRU_ESCR2, EVENT(0x06, 15), 5, 0x13000 },    { CRU_ESCR2 + 1, EVENT(0x06, 15), 5, 0x2c000 },
    };
    struct block *b = block_new(0, 3, END_JCC);

    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        for (unsigned select = 0; select < 8; select++) {
            struct machine *m = machine("netburst");
            uint32_t counted = 0;

            wrmsr(m, rows[r].escr, rows[r].event | RINGS);
            for (unsigned i = 0; i < 18; i++)
                wrmsr(m, CCCR(i), ENABLE(select));
            run(m, b), run(m, b), finish(m);
            for (unsigned i = 0; i < 18; i++) {
                wrmsr(m, CCCR(i), 0);
                counted |= rdmsr(m, COUNTER(i)) != 0 ? UINT32_C(1) << i : 0;
            }
            assert_int_equal(counted, select == rows[r].select ? rows[r].counters : 0);
        }
    }
}

/* Counter 12's count with CRU_ESCR0 (select 4) or CRU_ESCR2 (select 5) for the blocks and the WRMSR that stops it. */
static uint64_t counted(uint64_t cccr, uint64_t event, const struct block *const *blocks, unsigned n)
{
    struct machine *m = machine("netburst");
    uint64_t value;

    WRMSR(m, { (cccr >> 13 & 7) == 4 ? CRU_ESCR0 : CRU_ESCR2, event }, { CCCR(12), cccr });
    for (unsigned i = 0; i < n; i++)
        run(m, blocks[i]);
    wrmsr(m, CCCR(12), 0);
    value = rdmsr(m, COUNTER(12));
    return value;
}

UNIT_TEST(rings_threads_and_filters)
{
    struct block *system = block_new(0, 5, END_PLAIN), *user = block_new(0x100, 7, END_PLAIN);
    const struct block *blocks[] = { system, user };
    const uint64_t on = ENABLE(4);
    const uint64_t compare = UINT64_C(1) << 18;
    const uint64_t complement = UINT64_C(1) << 19;

    user->cpl = 3;
    assert_int_equal(counted(on, INSTR_RETIRED | 0xc, blocks, 2), 13);
    assert_int_equal(counted(on, INSTR_RETIRED | 0x8, blocks, 2), 6);
    assert_int_equal(counted(on, INSTR_RETIRED | 0x4, blocks, 2), 7);
    assert_int_equal(counted(on, INSTR_RETIRED | 0x3, blocks, 2), 0); /* logical processor 1 */
    assert_int_equal(counted(on, INSTR_RETIRED, blocks, 2), 0);
    assert_int_equal(counted(on & ~(UINT64_C(1) << 12), INSTR_RETIRED | 0xc, blocks, 2), 0);
    assert_int_equal(counted(on & ~(UINT64_C(2) << 16), INSTR_RETIRED | 0xc, blocks, 2), 13);
    assert_int_equal(counted(on & ~(UINT64_C(1) << 16), INSTR_RETIRED | 0xc, blocks, 2), 0); /* both active */
    assert_int_equal(counted(on & ~(UINT64_C(3) << 16), INSTR_RETIRED | 0xc, blocks, 2), 0); /* none */
    assert_int_equal(counted(on | compare, INSTR_RETIRED | 0xc, blocks, 2), 13);
    assert_int_equal(counted(on | compare | 1u << 20, INSTR_RETIRED | 0xc, blocks, 2), 0);
    assert_int_equal(counted(on | compare | 1u << 24, INSTR_RETIRED | 0xc, blocks, 2), 0);
    /* Cycles with at most 15 events, for each ESCR select, also without an ESCR. */
    for (unsigned select = 0; select < 8; select++) {
        const uint64_t cycles = ENABLE(select) | compare | complement | 15u << 20;

        assert_int_equal(counted(cycles, EVENT(0x0c, 0xff) | 0xc, blocks, 2), 13);
        assert_int_equal(counted(cycles, EVENT(0x0c, 0xff) | 0x4, blocks, 2), 13);
        assert_int_equal(counted(cycles, 0, blocks, 2), 13);
        assert_int_equal(counted(cycles & ~(UINT64_C(1) << 12), 0, blocks, 2), 0); /* not enabled */
        assert_int_equal(counted(cycles & ~(UINT64_C(3) << 16), 0, blocks, 2), 0); /* for no thread */
        assert_int_equal(counted(cycles | 1u << 24, 0, blocks, 2), 0);             /* edges */
        assert_int_equal(counted(cycles & ~(UINT64_C(15) << 20), INSTR_RETIRED | 0xc, blocks, 2),
                         0); /* without events */
        assert_int_equal(counted(cycles & ~complement, INSTR_RETIRED | 0xc, blocks, 2), 0);
        assert_int_equal(counted(cycles & ~compare, 0, blocks, 2), 0);
    }
    assert_int_equal(counted(on, EVENT(0x01, 3) | 0xc, blocks, 2), 13); /* uops_retired, also bogus ones */
    assert_int_equal(counted(on, EVENT(0x02, 4) | 0xc, blocks, 2), 0);  /* only bogus ones */
    assert_int_equal(counted(on, EVENT(0x07, 1) | 0xc, blocks, 2), 0);  /* instr_completed exists only on 0F_03 */
}

/* After an overflow, stop and start: the next event is still due, except if the counter's event was changed. */
UNIT_TEST(overflowed_counters_go_on)
{
    for (unsigned other = 0; other < 2; other++) {
        struct machine *m = machine("netburst");
        struct block *b = block_new(0, 4, END_REL_JMP);

        b->cpl = 3;
        wrmsr(m, CRU_ESCR0, INSTR_RETIRED | 1u << 2); /* USR: WRMSR itself does not count */
        WRMSR(m, { COUNTER(12), (uint64_t)-4 }, { CCCR(12), ENABLE(4) | OVF_PMI });
        run(m, b);
        wrmsr(m, CCCR(12), (ENABLE(4) & ~CCCR_ENABLE) | OVF_PMI);
        assert_int_equal(m->pmis, 0);
        WRMSR(m, { CCCR(12), ENABLE(4) | OVF_PMI | (other ? UINT64_C(1) << 18 | UINT64_C(15) << 20 : 0) },
              { CCCR(12), ENABLE(4) | OVF_PMI });
        run(m, b), run(m, b);
        assert_int_equal(m->pmis, !other);
    }
}

UNIT_TEST(execution_tags)
{
    static const struct {
        unsigned event;
        enum insn_unit unit;
    } rows[] = {
        { 0x04, UNIT_X87 },       { 0x08, UNIT_PACKED_SP }, { 0x0c, UNIT_PACKED_DP }, { 0x0a, UNIT_SCALAR_SP },
        { 0x0e, UNIT_SCALAR_DP }, { 0x02, UNIT_MMX_64 },    { 0x1a, UNIT_MMX_128 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (unsigned slot = 0; slot < 4; slot++) {
            for (unsigned escr = 0; escr < 2; escr++) {
                struct machine *m = machine("netburst64");
                struct block *b = block_new(0, 20, END_PLAIN);
                const uint64_t tag = EVENT(rows[i].event, 0x8000) | 1u << 4 | UINT64_C(1) << (5 + slot) | RINGS;

                for (unsigned k = 0; k < 20; k++)
                    b->insns[k].unit = k < 8 ? (uint8_t)k : (uint8_t)(k % 3 == 0 ? rows[i].unit : UNIT_INTEGER);
                WRMSR(m, { FIRM_ESCR0 + escr, tag }, { CRU_ESCR2, EVENT(0x0c, 1u << slot) | RINGS },
                      { CCCR(12), ENABLE(5) });
                run(m, b);
                wrmsr(m, CRU_ESCR2, EVENT(0x0c, 0x1f & ~(1u << slot)) | RINGS); /* other tags, and bogus uops */
                run(m, b);
                wrmsr(m, CRU_ESCR2, EVENT(0x0c, 1u << slot) | RINGS);
                wrmsr(m, FIRM_ESCR0 + escr, tag & ~UINT64_C(0x10)); /* tagging off */
                run(m, b);
                wrmsr(m, FIRM_ESCR0 + escr, tag ^ EVENT(0, 0xffff)); /* all bits except ALL */
                run(m, b);
                wrmsr(m, FIRM_ESCR0 + escr, tag & ~UINT64_C(8)); /* in rings 1 to 3 */
                run(m, b);
                wrmsr(m, CCCR(12), 0);
                assert_int_equal(rdmsr(m, COUNTER(12)), 1 + 4);
            }
        }
    }
}

/* An area with a buffer of n records and the reset value -period in 64 bits, as software writes it. */
static void set_up_area(struct machine *m, unsigned n, unsigned threshold, uint64_t period)
{
    put32(m, AREA + 0x10, PEBS_BUFFER);
    put32(m, AREA + 0x14, PEBS_BUFFER);
    put32(m, AREA + 0x18, (uint32_t)PEBS_BUFFER + 40 * n);
    put32(m, AREA + 0x1c, (uint32_t)PEBS_BUFFER + 40 * threshold);
    put(m, AREA + 0x20, -period);
    wrmsr(m, DS_AREA, AREA);
}

/* PEBS works only on IQ_COUNTER4, with bit 25, for the three events. */
UNIT_TEST(settings_that_do_not_sample)
{
    static const struct {
        unsigned counter;
        uint64_t enable, event;
        unsigned select;
        uint64_t overflows;
    } rows[] = {
        { 16, UOP_TAG, FRONT_END, 5, OVF },           /* bit 24, which the manual also calls enable, tags replays */
        { 16, UINT64_C(1) << 26, FRONT_END, 5, OVF }, /* the other logical processor */
        { 12, MY_THR, FRONT_END, 5, OVF },
        { 13, MY_THR, FRONT_END, 5, OVF },
        { 16, MY_THR, EVENT(0x06, 15), 5, OVF }, /* branch_retired */
        { 16, MY_THR | UOP_TAG, INSTR_RETIRED, 4, OVF },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine("netburst");
        struct block *b = block_new(0, 4, END_REL_JMP);

        set_up_area(m, 3, 2, 1);
        WRMSR(m, { RAT_ESCR0, TAG_STORES | RINGS },
              { rows[i].select == 5 ? CRU_ESCR2 : CRU_ESCR0, rows[i].event | RINGS },
              { COUNTER(rows[i].counter), (uint64_t)-2 }, { PEBS_ENABLE, rows[i].enable },
              { CCCR(rows[i].counter), ENABLE(rows[i].select) });
        b->insns[1].flags = STORES;
        for (unsigned turn = 0; turn < 5; turn++)
            run_accessing(m, b, DATA, 4);
        finish(m);
        assert_int_equal(get32(m, AREA + 0x14), PEBS_BUFFER);
        assert_int_equal(rdmsr(m, CCCR(rows[i].counter)) & OVF, rows[i].overflows);
    }
}
