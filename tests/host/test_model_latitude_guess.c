/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random replacement and prefetching in caches, random predictions and cycles. */
#include "tests/host/free_machine.h"

#include "model/engine/branch.h"
#include "model/engine/lbr.h"
#include "model/engine/pebs.h"
#include "model/engine/rules.h"
#include "model/latitude/choices.h"

#define LINE 64u

/* A ring slightly larger than its level always misses with LRU, and sometimes with random replacement. */
UNIT_TEST(replaces_at_random)
{
    struct machine *m = with("skylake", 1, BIT_OF(CACHES));
    const unsigned lines = 64 * 8 + 64; /* nine lines in each set of eight ways */
    unsigned hits = 0, tlb = 0;

    for (unsigned round = 0; round < 20; round++) {
        for (unsigned i = 0; i < lines; i++) {
            hits += data_cache_load(m->v.cache, LINE * i) == LEVEL_L1;
            tlb += !m->v.rules->data_misses_tlb(&m->v, UINT64_C(4096) * (i % 14 * 128));
        }
    }
    assert_in_range(hits, 20 * lines / 4, 20 * lines * 19 / 20);
    assert_true(tlb > 0);
    latitude_take(&m->v);
    assert_ptr_equal(m->v.rules, &rules_sdm);
    data_cache_clear(m->v.cache);
    hits = 0;
    for (unsigned round = 0; round < 20; round++)
        for (unsigned i = 0; i < lines; i++)
            hits += data_cache_load(m->v.cache, LINE * i) == LEVEL_L1;
    assert_int_equal(hits, 0);
}

/* Ascending lines of a page are prefetched; for other accesses, sometimes the other line of a pair. */
UNIT_TEST(prefetches)
{
    struct machine *m = with("skylake", 1, BIT_OF(CACHES));
    unsigned pairs = 0;

    for (unsigned page = 0; page < 100; page++) {
        const uint64_t address = MEMORY + page * 4096;

        assert_int_equal(m->v.rules->data_reach(&m->v, address, false), LEVEL_MEMORY); /* not prefetched across pages */
        m->v.rules->data_reach(&m->v, address + LINE, false);
        for (unsigned i = 2; i < 64; i++)
            assert_int_equal(m->v.rules->data_reach(&m->v, address + i * LINE, i % 2), LEVEL_L1);
    }
    for (unsigned i = 0; i < 1000; i++) {
        const uint64_t address = MEMORY + UINT64_C(0x10000000) + UINT64_C(3 * 4096) * i;

        assert_int_equal(m->v.rules->data_reach(&m->v, address, false), LEVEL_MEMORY);
        pairs += data_cache_load(m->v.cache, address + LINE) == LEVEL_L1;
        assert_int_equal(data_cache_load(m->v.cache, address + 2 * LINE), LEVEL_MEMORY);
    }
    assert_in_range(pairs, 150, 350);
}

UNIT_TEST(latencies_and_sources)
{
    static const struct {
        enum data_level level;
        uint64_t sources[2];
    } rows[] = {
        { LEVEL_L1, { 1, 2 } },       { LEVEL_L2, { 3, 2 } },       { LEVEL_L3, { 4, 5 } },
        { LEVEL_MEMORY, { 0xa, 0 } }, { LEVEL_MODIFIED, { 7, 6 } },
    };
    struct machine *m = with("skylake", 9, BIT_OF(CACHES));

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const unsigned least = m->v.profile->memory.latency[rows[i].level];
        unsigned usual = 0, slow = 0, seen[2] = { 0, 0 };

        for (unsigned n = 0; n < 3200; n++) {
            const unsigned latency = m->v.rules->data_latency(&m->v, rows[i].level);
            const uint64_t source = m->v.rules->data_source(&m->v, rows[i].level);

            assert_in_range(latency, least, least + 800);
            usual += latency <= least + least / 2;
            slow += latency > least + 400;
            assert_true(source == rows[i].sources[0] || source == rows[i].sources[1]);
            seen[source == rows[i].sources[1]]++;
        }
        assert_in_range(usual, 3200 * 29 / 32, 3200);
        assert_in_range(slow, 20, 100);
        assert_in_range(seen[1], 600, 1000);
    }
    m = with("core2", 9, BIT_OF(CACHES)); /* its records have no data source */
    for (unsigned n = 0; n < 20; n++)
        assert_int_equal(m->v.rules->data_source(&m->v, LEVEL_L2), m->v.profile->memory.source[LEVEL_L2]);
}

static unsigned one_latency(struct vcpu *v, enum data_level level)
{
    (void)v;
    return level == LEVEL_MEMORY ? 777 : 7;
}

static uint64_t one_source(struct vcpu *v, enum data_level level)
{
    (void)v;
    return level == LEVEL_MEMORY ? 0xb : 0;
}

static bool always_missed(struct vcpu *v, uint64_t address)
{
    (void)v;
    return address / LINE == (MEMORY + 0x8000) / LINE;
}

static enum data_level never_cached(struct vcpu *v, uint64_t address, bool store)
{
    (void)v;
    return address / LINE == (MEMORY + 0x8000) / LINE && !store ? LEVEL_MEMORY : LEVEL_L1;
}

UNIT_TEST(records_follow_the_rules)
{
    struct machine *m = machine_new();
    struct rules rules = rules_sdm;
    struct block *b = block_new(0, 2, END_REL_JMP);

    rules.data_latency = one_latency;
    rules.data_source = one_source;
    rules.data_misses_tlb = always_missed;
    rules.data_reach = never_cached;
    m->v.rules = &rules;
    WRMSR(m, { LD_LAT, 8 }, { EVTSEL0, EVTSEL_ON | LOAD_LATENCY }, { PEBS_ENABLE, 1 | UINT64_C(1) << 32 });
    data_accessed(&m->v, (struct place){ b, 0 }, MEMORY + 0x8000, 8, false);
    assert_int_equal(m->v.data.load.latency, 777);
    assert_int_equal(m->v.data.load.source, 0x1b); /* and a TLB miss */
    assert_int_equal(m->v.data.level, LEVEL_MEMORY);
    assert_true(m->v.data.stlb_load);
    m->hot.data_pending = 0;
    data_accessed(&m->v, (struct place){ b, 0 }, MEMORY + 0x8000 - 4, 8, false); /* split */
    assert_int_equal(m->v.data.load.latency, 777);
    assert_true(m->v.data.stlb_load);
    m->hot.data_pending = 0;
    data_accessed(&m->v, (struct place){ b, 0 }, MEMORY + 0x8000, 8, true);
    assert_int_equal(m->v.data.store.latency, 7);
}

/* From a processor that always predicts correctly to one that is always wrong. */
UNIT_TEST(predictions)
{
    unsigned least = UINT32_MAX, most = 0;

    for (uint64_t seed = 0; seed < 60; seed++) {
        struct machine *m = with("skylake", seed, BIT_OF(PREDICTION));
        struct block *b = block_new(0, 1, END_REL_JMP);
        unsigned wrong = 0, entries = 0;

        wrmsr(m, DEBUGCTL, 1);
        wrmsr(m, EVTSEL0, EVTSEL_ON | 0xc5); /* all mispredicted branches */
        run_times(m, b, 320);
        finish(m);
        wrong = (unsigned)rdmsr(m, PMC0);
        for (unsigned i = 0; i < 32; i++)
            entries += (unsigned)(rdmsr(m, LBR_INFO0 + i) >> 63);
        assert_in_range(entries * 10 + 150, wrong, wrong + 300); /* about a tenth of them */
        least = wrong < least ? wrong : least;
        most = wrong > most ? wrong : most;
    }
    assert_int_equal(least, 0);
    assert_in_range(most, 320, 322);
}

UNIT_TEST(cycles)
{
    static const char *const profiles[] = { "skylake", "goldencove" };

    for (size_t p = 0; p < COUNT_OF(profiles); p++) {
        const bool architectural = p == 1;
        struct machine *m = with(profiles[p], 4, BIT_OF(LBR_CYCLES));
        struct block *b = block_new(0, 1, END_REL_JMP);
        unsigned zero = 0, few = 0, saturated = 0, invalid = 0;

        wrmsr(m, architectural ? 0x14ce : DEBUGCTL, architectural ? 0x7f0003 : 1);
        for (unsigned round = 0; round < 100; round++) {
            run_times(m, b, 40);
            finish(m);
            if (architectural) { /* the first entry since LBREn was set has no cycles */
                WRMSR(m, { 0x14ce, 0 }, { 0x14ce, 0x7f0003 });
                run(m, b), run(m, b), finish(m);
                wrmsr(m, 0x14ce, 0x7f0002);
                assert_int_equal(rdmsr(m, 0x1200 + 1) >> 60 & 1, 0);
                wrmsr(m, 0x14ce, 0x7f0003);
            }
            for (unsigned i = 0; i < 32; i++) {
                const uint64_t info = rdmsr(m, (architectural ? 0x1200 : LBR_INFO0) + i);

                if (architectural && !(info >> 60 & 1)) {
                    assert_int_equal(info & 0xffff, 0);
                    invalid++;
                    continue;
                }
                zero += (info & 0xffff) == 0;
                few += (info & 0xffff) - 1 < 100;
                saturated += (info & 0xffff) == 0xffff;
            }
        }
        assert_true(zero > 100 && few > 100 && saturated > 50);
        assert_in_range(invalid, architectural ? 200 : 0, architectural ? 700 : 0);
    }
}

UNIT_TEST(retire_latencies)
{
    for (unsigned i = 0; i < 2; i++) {
        struct machine *m = with(i == 0 ? "icelake" : "sierraforest", 4, BIT_OF(LBR_CYCLES));
        struct pebs_contents contents = { .ip = CODE };
        struct lbr_entry stack[MAX_LBR];
        unsigned varied = 0;

        for (unsigned n = 0; n < 50; n++) {
            struct adaptive_contents extra = { .format = 0 };

            m->v.rules->pebs_describe_groups(&m->v, &(struct pebs_sample){ .counters = 1 }, &contents, &extra, stack);
            varied += extra.retire_latency > 1;
        }
        assert_in_range(varied, i == 0 ? 0 : 20, i == 0 ? 0 : 50);
    }
}
