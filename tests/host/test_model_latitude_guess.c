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
