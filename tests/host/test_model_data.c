/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of accesses to the modelled memory hierarchy, and what the engine decides at once. */
#include "tests/host/model_machine.h"

#include "model/engine/rules.h"

#define DATA UINT64_C(0x7000000)

static uint64_t count(struct machine *m, uint64_t event, uint64_t address, unsigned size, unsigned flags)
{
    struct block *b = block_new(0, 1, END_PLAIN);
    uint64_t before;

    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0, EVTSEL_ON | event }, { GLOBAL_CTRL, 1 });
    before = rdmsr(m, PMC0);
    access_memory(m, b, address, size, flags);
    before = rdmsr(m, PMC0) - before;
    wrmsr(m, GLOBAL_CTRL, 0);
    return before;
}

UNIT_TEST(events)
{
    struct machine *m = machine_new();

    assert_int_equal(count(m, 0x20d1, DATA, 8, LOADS), 1); /* L3 miss: the first touch */
    assert_int_equal(count(m, 0x01d1, DATA, 8, LOADS), 1); /* L1 hit */
    assert_int_equal(count(m, 0x08d1, DATA, 8, LOADS), 0); /* L1 miss */
    assert_int_equal(count(m, 0x08d1, DATA + 64, 8, LOADS), 1);
    assert_int_equal(count(m, 0x01d1, DATA, 8, STORES), 0);
    assert_int_equal(count(m, ALL_LOADS, DATA, 8, LOADS), 1);
    assert_int_equal(count(m, ALL_LOADS, DATA, 8, STORES), 0);
    assert_int_equal(count(m, ALL_STORES, DATA, 8, STORES), 1);
    assert_int_equal(count(m, ALL_LOADS, DATA, 8, LOADS | STORES), 1);
    assert_int_equal(count(m, ALL_STORES, DATA, 8, LOADS | STORES), 1);
    assert_int_equal(count(m, 0x21d0, DATA, 8, LOADS | STORES), 0); /* locked loads */
    assert_int_equal(count(m, 0x21d0, DATA, 8, LOADS | STORES | INSN_LOCKED), 1);
    assert_int_equal(count(m, 0x41d0, DATA + 56, 8, LOADS), 0); /* split loads */
    assert_int_equal(count(m, 0x41d0, DATA + 57, 8, LOADS), 1);
    assert_int_equal(count(m, 0x42d0, DATA + 57, 8, LOADS), 0); /* split stores */
    assert_int_equal(count(m, 0x42d0, DATA + 63, 2, STORES), 1);
    assert_int_equal(count(m, 0x11d0, DATA + 0x100000, 8, LOADS), 1); /* STLB miss loads */
    assert_int_equal(count(m, 0x11d0, DATA + 0x100008, 8, LOADS), 0);
    for (unsigned way = 0; way < 8; way++) /* evict the first line from L1 */
        count(m, ALL_LOADS, DATA + 0x10000 + way * 4096, 8, LOADS);
    assert_int_equal(count(m, 0x10d1, DATA, 8, LOADS), 0); /* L2 miss: it is there */
    for (unsigned way = 0; way < 8; way++)
        count(m, ALL_LOADS, DATA + 0x10000 + way * 4096, 8, LOADS);
    assert_int_equal(count(m, 0x02d1, DATA, 8, LOADS), 1); /* L2 hit */
    wrmsr(m, LD_LAT, 4);
    assert_int_equal(count(m, LOAD_LATENCY, DATA, 8, LOADS), 0); /* 4 cycles do not exceed 4 */
    wrmsr(m, LD_LAT, 3);
    assert_int_equal(count(m, LOAD_LATENCY, DATA, 8, LOADS), 1);
    wrmsr(m, LD_LAT, 12);
    assert_int_equal(count(m, LOAD_LATENCY, DATA + 0x200000, 8, LOADS), 1); /* 200 cycles */
    assert_int_equal(count(m, LOAD_LATENCY, DATA + 0x200000, 8, LOADS), 0); /* 4 */
}

/* SDM Vol. 2A (253666-083), "CLFLUSH"; Vol. 3A (253668-083), "Operations that Invalidate TLBs". */
UNIT_TEST(flushed_lines_and_pages_miss)
{
    struct machine *m = machine_new();

    count(m, ALL_LOADS, DATA, 8, LOADS);
    for (unsigned i = 0; i < 100; i++) {
        data_flush_line(&m->v, DATA + 8, false);
        assert_int_equal(count(m, i % 2 ? 0x20d1 : 0x08d1, DATA, 8, LOADS), 1); /* L3 miss, L1 miss */
    }
    data_flush_line(&m->v, DATA, true);
    assert_int_equal(count(m, 0x01d1, DATA, 8, LOADS), 1); /* L1 hit */
    data_flush_caches(&m->v, true);
    assert_int_equal(count(m, 0x01d1, DATA, 8, LOADS), 1);
    data_flush_caches(&m->v, false);
    assert_int_equal(count(m, 0x20d1, DATA, 8, LOADS), 1);
    assert_int_equal(count(m, 0x11d0, DATA, 8, LOADS), 0); /* STLB miss: the translation stayed */
    data_flush_page(&m->v, DATA + 0x1000);
    assert_int_equal(count(m, 0x11d0, DATA, 8, LOADS), 0);
    data_flush_page(&m->v, DATA + 0xfff);
    assert_int_equal(count(m, 0x11d0, DATA, 8, LOADS), 1);
    data_flush_tlbs(&m->v, false);
    assert_int_equal(count(m, 0x11d0, DATA, 8, LOADS), 1);
    m->other_flags = 0x101; /* present and global */
    data_flush_tlbs(&m->v, false);
    assert_int_equal(count(m, 0x11d0, DATA, 8, LOADS), 0);
    data_flush_tlbs(&m->v, true);
    assert_int_equal(count(m, 0x11d0, DATA, 8, LOADS), 1);
    data_flush_page(&m->v, DATA);
    data_flush_line(&m->v, DATA, false); /* like a load, it needs the translation */
    assert_int_equal(count(m, 0x11d0, DATA, 8, LOADS), 0);
}

static enum data_level reach_slowly(struct vcpu *v, uint64_t address, bool store)
{
    return data_reach(v, address, store);
}

/* Hits of the newest line and page are decided at once, with the same result as by the caches' own functions. */
UNIT_TEST(hits_decided_at_once)
{
    static const char *const profiles[] = { "core2", "skylake", "clearwaterforest" };

    for (size_t k = 0; k < COUNT_OF(profiles); k++) {
        struct machine *m = machine_of(profiles[k]), *slow = machine_of(profiles[k]);
        struct block *b = block_new(0, 1, END_PLAIN);
        struct rules rules = rules_sdm;
        uint32_t random = 1;
        unsigned at_once = 0;

        rules.data_reach = reach_slowly;
        slow->v.rules = &rules;
        m->v.counting.data_of[0] = slow->v.counting.data_of[0] = true;
        for (unsigned i = 0; i < 20000; i++) {
            const uint64_t before = random, line = before % 8 == 0 ? before >> 8 & 0x3ff : before >> 8 & 3;
            const uint64_t address = DATA + (line << 6 | line << 18) + (before >> 20 & 0x3f);
            const unsigned size = 1u << (before >> 28 & 3);
            const bool store = before >> 27 & 1;

            random = random * 1664525 + 1013904223;
            at_once += data_cache_is_newest(m->v.cache, address);
            m->hot.data_pending = slow->hot.data_pending = 0;
            data_accessed(&m->v, (struct place){ b, 0 }, address, size, store);
            data_accessed(&slow->v, (struct place){ b, 0 }, address, size, store);
            assert_memory_equal(&m->v.data, &slow->v.data, sizeof(m->v.data));
        }
        assert_in_range(at_once, 2000, 19000);
        slow->v.rules = &rules_sdm;
    }
}

/*
 * What counts at once counts as if it were looked at when the instruction retires: also if the instruction has a second
 * access, or faults after the first.
 */
UNIT_TEST(hits_counted_at_once)
{
    static const uint64_t events[] = { ALL_LOADS, ALL_STORES, LOAD_LATENCY, 0x01d1, 0x08d1, 0x41d0, 0x21d0 };
    struct rules rules = rules_sdm;
    uint32_t random = 1;

    rules.data_reach = reach_slowly;
    for (size_t k = 0; k < COUNT_OF(events); k++) {
        struct machine *m = machine_new(), *slow = machine_new(), *const both[] = { m, slow };
        struct block *b = block_new(0, 1, END_PLAIN);
        unsigned at_once = 0;

        slow->v.rules = &rules;
        for (unsigned i = 0; i < 2; i++)
            WRMSR(both[i], { GLOBAL_CTRL, 0 }, { LD_LAT, 3 }, { EVTSEL0, EVTSEL_ON | events[k] }, { GLOBAL_CTRL, 1 });
        for (unsigned i = 0; i < 2000; i++) {
            const unsigned kinds = 1 + random % 3;
            const bool locked = (random >> 4) % 16 == 0, faults = (random >> 8) % 8 == 0;
            const uint64_t address = DATA + ((random >> 12 & 1) << 12) + (random >> 13 & 0xff);

            for (unsigned j = 0; j < 2; j++) {
                b->insns[0].flags = locked ? INSN_LOCKED : 0;
                run(both[j], b);
                for (unsigned store = 0; store < 2; store++)
                    if (kinds >> store & 1)
                        data_accessed(&both[j]->v, (struct place){ b, 0 }, address + store * (random >> 21 & 63), 8,
                                      store);
                at_once += both[j]->hot.hit != 0;
                if (faults)
                    engine_interruption(&both[j]->v, INTERRUPTION_EXCEPTION, b->pc, 0x900000, 0);
                else
                    engine_data_retired(&both[j]->v, BETWEEN_BLOCKS, b->next, 0);
            }
            random = random * 1664525 + 1013904223;
        }
        assert_in_range(at_once, 500, 1500);
        assert_in_range(rdmsr(slow, PMC0), 1, 2000);
        assert_int_equal(rdmsr(m, PMC0), rdmsr(slow, PMC0));
        slow->v.rules = &rules_sdm;
    }
}

/* Translated code without hooks for a while: the caches are empty, and what is used then works as before. */
UNIT_TEST(hooks_that_went)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 1, END_PLAIN);
    const struct hooks none = { .blocks = false };

    assert_int_equal(count(m, 0x20d1, DATA, 8, LOADS), 1); /* L3 miss */
    assert_int_equal(count(m, 0x20d1, DATA, 8, LOADS), 0);
    assert_false(m->v.uses.blocks || m->v.uses.data || m->v.uses.classes != 0);
    assert_true(m->v.wants.blocks && m->v.wants.data);
    engine_hook(&m->v, (struct hooks){ .blocks = true, .data = true }, NULL);
    assert_int_equal(count(m, 0x20d1, DATA, 8, LOADS), 0);
    m->hot.data_pending = 1;
    engine_hook(&m->v, none, NULL);
    assert_false(m->v.wants.blocks || m->v.wants.data);
    assert_int_equal(m->hot.data_pending, 0);
    assert_null(ring_running_block(&m->v));
    assert_int_equal(count(m, 0x20d1, DATA, 8, LOADS), 1);

    WRMSR(m, { EVTSEL0, EVTSEL_ON | INST_RETIRED }, { PMC0, 0 }, { GLOBAL_CTRL, 1 });
    assert_true(m->v.uses.blocks && !m->v.uses.data && m->v.uses.classes != 0);
    engine_hook(&m->v, m->v.uses, NULL);
    run_times(m, b, 100);
    assert_int_equal(rdmsr(m, PMC0), 100);
}
