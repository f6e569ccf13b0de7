/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topdown slots (test_model_adaptive_pebs.c has PERF_METRICS), and perf's cache events. The expected counts follow from
 * the program: which branches have a new target, and which lines are new.
 */
#include "tests/host/model_machine.h"

#include "model/engine/slots.h"

#define OFFCORE_RSP_0 0x1a6
#define ALONE         0x023c /* cycles while the core's other thread is halted; else perf divides by half the slots */

static void load(struct machine *m, const struct block *b, unsigned index, uint64_t address, bool store)
{
    data_accessed(&m->v, (struct place){ b, index }, address, 8, store);
    engine_data_retired(&m->v, (struct place){ b, index + 1 }, block_address(b, index + 1), b->cpl);
}

/*
 * 15 blocks of five instructions. Mispredicted: the first branch of each block, and the last branch of the first block.
 * Stalls: four new lines; the second access to a line and the new line of a branch do not stall.
 */
#define MISPREDICTED 3
#define STALLED      4

static void run_program(struct machine *m)
{
    struct block *first = block_new(0, 5, END_REL_JMP), *second = block_new(0x1000, 5, END_REL_JMP);

    for (unsigned i = 0; i < 15; i++) {
        struct block *const b = i < 10 ? first : second;

        run(m, b);
        if (i < 5)
            load(m, b, 1, MEMORY + 64 * (i % 4), i == 2);
        else if (i == 5)
            load(m, b, 4, MEMORY + 0x1000, false);
    }
}

/* The four parts of the slots are exact, and add up to width * cycles. */
UNIT_TEST(slots_add_up)
{
    static const struct {
        const char *profile;
        unsigned width, retiring, bad, front, back; /* 0: not an event */
        unsigned issued;
    } rows[] = {
        { "skylake", 4, 0x02c2, 0, 0x019c, ALONE, 0x010e },
        { "goldmont", 3, 0x00c2, 0, 0x009c, 0, 0x000e },
        { "icelake", 5, 0x02c2, 0, 0x019c, 0x02a4, 0x010e },
        { "goldencove", 6, 0x02c2, 0x08a4, 0x019c, 0x02a4, 0x01ae },
        { "lunarlake", 8, 0x02c2, 0x08a4, 0x019c, 0x02a4, 0x01ae },
        { "alderlake/E", 5, 0x00c2, 0x0073, 0x0071, 0x0074, 0 },
        { "sierraforest", 6, 0x0072, 0x0073, 0x0071, 0x0074, 0 },
        { "lunarlake/E", 8, 0x02c2, 0x0073, 0x019c, 0x02a4, 0 },
        { "clearwaterforest", 8, 0x02c2, 0x0073, 0x019c, 0x02a4, 0 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (unsigned ipc = 1; ipc <= rows[i].width; ipc++) {
            struct machine *m = machine_of(rows[i].profile);
            const uint64_t selects[4] = { rows[i].bad != 0 ? rows[i].bad : rows[i].issued, rows[i].retiring,
                                          rows[i].front, rows[i].back };
            const unsigned other = rows[i].width - ipc;
            uint64_t counts[4];

            m->v.ipc = ipc;
            assert_int_equal(slots_width(&m->v), rows[i].width);
            wrmsr(m, GLOBAL_CTRL, 0);
            for (unsigned c = 0; c < 4; c++)
                wrmsr(m, EVTSEL0 + c, selects[c] == 0 ? 0 : EVTSEL_ON | selects[c]);
            WRMSR(m, { FIXED_CTRL, 0x30 }, { GLOBAL_CTRL, 0x20000000f });
            run_program(m);
            for (unsigned c = 0; c < 4; c++)
                counts[c] = rdmsr(m, PMC0 + c);
            const uint64_t cycles = rdmsr(m, FIXED_CTR0 + 1);

            assert_int_equal(counts[1], 75);
            assert_int_equal(cycles, 75 / ipc);
            assert_int_equal(counts[0], ((rows[i].bad != 0 ? 0 : 75 * ipc) + MISPREDICTED * other) / ipc);
            assert_int_equal(counts[2], (75 - MISPREDICTED - STALLED) * other / ipc);
            assert_int_equal(counts[3], rows[i].back == ALONE ? cycles : rows[i].back != 0 ? STALLED * other / ipc : 0);
            if (ipc == 1 && rows[i].bad != 0)
                assert_int_equal(counts[0] + counts[1] + counts[2] + counts[3], rows[i].width * cycles);
        }
    }
}

/*
 * Cycles in LBR entries: five instructions per branch. A processor with the freedom has the same number after each
 * reset.
 */
UNIT_TEST(shared_cycles)
{
    struct machine *m = machine_new(), *roomy = machine_of("lunarlake");
    struct block *b = block_new(0, 5, END_REL_JMP);
    unsigned drawn = 0;

    m->v.ipc = 2;
    wrmsr(m, DEBUGCTL, 1);
    run_times(m, b, 6);
    finish(m);
    wrmsr(m, DEBUGCTL, 0);
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t older = rdmsr(m, LBR_INFO0 + 1 + i) & 0xffff, newer = rdmsr(m, LBR_INFO0 + 2 + i) & 0xffff;

        assert_int_equal(older + newer, 5);
        assert_in_range(older, 2, 3);
    }
    for (unsigned seed = 0; seed < 20; seed++) {
        latitude_take(&roomy->v);
        assert_true(latitude_give(&roomy->v, seed, UINT32_C(1) << FREEDOM_IPC));
        engine_reset(&roomy->v);
        const unsigned ipc = roomy->v.ipc;

        assert_in_range(ipc, 1, 8);
        drawn |= 1u << ipc;
        engine_reset(&roomy->v);
        assert_int_equal(roomy->v.ipc, ipc);
    }
    assert_true(__builtin_popcount(drawn) > 3);
}

/*
 * Linux's cache events, for loads of four lines and one of them again, a store, and code on three lines of two pages.
 */
UNIT_TEST(cache_events)
{
    static const struct {
        const char *profile;
        uint64_t offcore;
        unsigned select, count;
    } rows[] = {
        { "skylake", 0, 0x0151, 5 },                      /* L1-dcache-load-misses */
        { "skylake", 0, 0x0283, 3 },                      /* L1-icache-load-misses */
        { "skylake", 0, 0x0e08, 1 },                      /* dTLB-load-misses */
        { "skylake", 0, 0x0e49, 1 },                      /* dTLB-store-misses */
        { "skylake", 0, 0x0e85, 2 },                      /* iTLB-load-misses */
        { "skylake", UINT64_C(0x3fc0010001), 0x01b7, 4 }, /* LLC-loads */
        { "skylake", UINT64_C(0x3ffc020001), 0x01b7, 4 }, /* LLC-load-misses */
        { "skylake", UINT64_C(0x3fc0010002), 0x01b7, 1 }, /* LLC-stores */
        { "skylake", UINT64_C(0x3f803c0001), 0x01b7, 0 }, /* hits of the L3 */
        { "skylake", 0, 0x01b7, 0 },
        { "nehalem", 0xf701, 0x01b7, 4 },
        { "icelake", UINT64_C(0x3fbfc00001), 0x01b7, 4 },
        { "goldencove", UINT64_C(0x3f3ffc0002), 0x012a, 1 },
        { "goldencove", 0, 0xe124, 4 },
        { "goldencove", 0, 0xe424, 3 },
        { "goldencove", 0, 0x0e12, 1 },
        { "goldencove", 0, 0x0e11, 2 },
        { "lunarlake", UINT64_C(0x9e7fa000001), 0x012a, 4 },
        { "lunarlake/E", UINT64_C(0x13fbfc00001), 0x01b7, 4 },
        { "lunarlake/E", 0x10002, 0x01b7, 1 },
        { "lunarlake/E", 0, 0x0280, 3 },
        { "lunarlake/E", 0, 0x0e08, 1 },
        { "goldmont", UINT64_C(0x3600000001), 0x01b7, 4 },
        { "novalake", UINT64_C(0x4000000000000001), 0x012a, 4 },
        { "novalake", UINT64_C(0x00fffff000000002), 0x022a, 1 }, /* LLC-store-misses */
        { "novalake", UINT64_C(0x0000000f00000001), 0x082a, 0 },
        { "novalake/E", UINT64_C(0x00fffff000000001), 0x01b7, 4 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);
        struct block *code[] = { block_new(0x000, 2, END_REL_JMP), block_new(0x040, 2, END_REL_JMP),
                                 block_new(0x1000, 2, END_REL_JMP) };

        /* each event has its own MSR_OMR_x */
        const uint32_t omr = 0x3e0 + (uint32_t)__builtin_ctz(rows[i].select >> 8);
        const uint32_t offcore = profile_find_msr(m->v.profile, omr) != NULL ? omr : OFFCORE_RSP_0;

        WRMSR(m, { GLOBAL_CTRL, 0 }, { offcore, rows[i].offcore }, { EVTSEL0, EVTSEL_ON | rows[i].select },
              { GLOBAL_CTRL, 1 });
        for (unsigned n = 0; n < 7; n++) {
            run(m, code[n % 3]);
            if (n < 6)
                load(m, code[n % 3], 0, MEMORY + (n == 5 ? 0x1000 : 64 * (n % 4)), n == 5);
        }
        assert_int_equal(rdmsr(m, PMC0), rows[i].count);
    }

    /* iTLB-loads of Skylake: nine pages in one set of the first-level TLB, which has eight ways, three times. */
    struct machine *m = machine_new();

    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0, EVTSEL_ON | 0x2085 }, { EVTSEL0 + 1, EVTSEL_ON | 0x0e85 },
          { GLOBAL_CTRL, 3 });
    for (unsigned n = 0; n < 27; n++)
        run(m, block_new(n % 9 << 16, 2, END_REL_JMP));
    run(m, block_new(0, 2, END_REL_JMP));
    assert_int_equal(rdmsr(m, PMC0), 18);
    assert_int_equal(rdmsr(m, PMC0 + 1), 9);
    m = machine_of("lunarlake"); /* any counter there */
    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0 + 7, EVTSEL_ON | 0x0e11 }, { GLOBAL_CTRL, 0x80 });
    run(m, block_new(0, 2, END_REL_JMP));
    run(m, block_new(0, 2, END_REL_JMP));
    assert_int_equal(rdmsr(m, PMC0 + 7), 1);
}
