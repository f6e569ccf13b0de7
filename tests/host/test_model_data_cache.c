/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled memory hierarchy. The expected results follow from the geometry of a Skylake client, typed here: L1D 32
 * KiB in 8 ways, L2 256 KiB in 4 ways, L3 8 MiB in 16 ways, all with 64-byte lines; second-level TLB 1536 pages of 4
 * KiB in 12 ways.
 */
static int new_cache(void **state), free_cache(void **state);
#define SETUP    new_cache
#define TEARDOWN free_cache
#include "tests/host/unit_test.h"

#include "model/engine/data_cache.h"

/* Addresses this far apart share a set. */
#define L1_STRIDE UINT64_C(0x1000)  /* 32 KiB / 8 */
#define L2_STRIDE UINT64_C(0x10000) /* 256 KiB / 4 */
#define L3_STRIDE UINT64_C(0x80000) /* 8 MiB / 16 */

/* An address whose set number is neither the first nor the last at any level. */
#define BASE UINT64_C(0xffff800012345640)

static int new_cache(void **state)
{
    *state = data_cache_new(&profile_find("skylake")->memory);
    return *state == NULL;
}

static int free_cache(void **state)
{
    data_cache_free(*state);
    return 0;
}

static void access_n(struct data_cache *cache, uint64_t base, uint64_t stride, unsigned n, enum data_level expected)
{
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(data_cache_load(cache, base + stride * i), expected);
}

/* True LRU by its other definition: a hit is a key that fewer than `ways` other keys of its set followed. */
static bool lru_hit(const uint64_t *keys, unsigned now, unsigned sets, unsigned ways)
{
    uint64_t others[16];
    unsigned n = 0;

    for (unsigned i = now; i-- > 0;) {
        if (keys[i] == keys[now])
            return true;
        if (keys[i] % sets != keys[now] % sets)
            continue;
        unsigned k = 0;
        while (k < n && others[k] != keys[i])
            k++;
        if (k == n)
            others[n++] = keys[i];
        if (n == ways)
            return false;
    }
    return false;
}

UNIT_TEST(any_order_is_lru)
{
    static uint64_t lines[6000], pages[COUNT_OF(lines)];
    uint64_t random = 0x9e3779b97f4a7c15;
    unsigned seen[DATA_LEVELS] = { 0 }, misses = 0;

    for (unsigned i = 0; i < COUNT_OF(lines); i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        /* Few sets, many lines of each: 22 keys of one L3 set, or of one set of L1 or L2. */
        const uint64_t stride = (random >> 8 & 3) == 0 ? L1_STRIDE : (random >> 8 & 3) == 1 ? L2_STRIDE : L3_STRIDE;
        const uint64_t address = (random >> 16) % 22 * stride + (random >> 32 & 0x7f);
        lines[i] = address >> 6;
        pages[i] = address >> 12;
        const enum data_level expected = lru_hit(lines, i, 64, 8)      ? LEVEL_L1
                                         : lru_hit(lines, i, 1024, 4)  ? LEVEL_L2
                                         : lru_hit(lines, i, 8192, 16) ? LEVEL_L3
                                                                       : LEVEL_MEMORY;
        const bool missed = !lru_hit(pages, i, 128, 12);
        assert_int_equal(data_cache_load(*state, address), expected);
        assert_int_equal(data_cache_tlb_miss(*state, address), missed);
        seen[expected]++;
        misses += missed;
    }
    for (unsigned level = 0; level <= LEVEL_MEMORY; level++)
        assert_true(seen[level] > 100);
    assert_in_range(misses, 100, COUNT_OF(lines) - 100);
}

#define PEERS 3

static void new_peers(struct data_cache *peers[PEERS])
{
    for (unsigned i = 0; i < PEERS; i++) {
        peers[i] = data_cache_new(&profile_find("skylake")->memory);
        assert_non_null(peers[i]);
        if (i > 0)
            assert_true(data_cache_join(peers[i], peers[0]));
    }
}

static void free_peers(struct data_cache *peers[PEERS])
{
    for (unsigned i = 0; i < PEERS; i++)
        data_cache_free(peers[i]);
}

UNIT_TEST(a_load_finds_a_line_modified_by_another)
{
    struct data_cache *peers[PEERS];

    new_peers(peers);
    assert_int_equal(data_cache_store(peers[1], BASE), LEVEL_MEMORY);
    assert_int_equal(data_cache_load(peers[1], BASE), LEVEL_L1);
    assert_int_equal(data_cache_load(peers[2], BASE + 63), LEVEL_MODIFIED); /* any byte of the line */
    assert_int_equal(data_cache_load(peers[0], BASE), LEVEL_MEMORY);        /* written back by now */
    for (unsigned i = 0; i < PEERS; i++)
        assert_int_equal(data_cache_load(peers[i], BASE), LEVEL_L1); /* all have it */
    free_peers(peers);
}

/* A line is reported as modified at every level; a line evicted from all levels was written back. */
UNIT_TEST(modified_at_every_level)
{
    struct data_cache *peers[PEERS];

    new_peers(peers);
    data_cache_store(peers[0], BASE);
    access_n(peers[0], BASE + L1_STRIDE, L1_STRIDE, 8, LEVEL_MEMORY); /* out of L1 */
    assert_int_equal(data_cache_load(peers[1], BASE), LEVEL_MODIFIED);
    data_cache_store(peers[0], BASE + 64);
    access_n(peers[0], BASE + 64 + L3_STRIDE, L3_STRIDE, 16, LEVEL_MEMORY);
    assert_int_equal(data_cache_load(peers[1], BASE + 64), LEVEL_MEMORY);
    free_peers(peers);
}

/* An invalidated line leaves a free way. The next line takes it without an eviction. */
UNIT_TEST(an_invalidated_way_is_empty)
{
    struct data_cache *peers[PEERS];

    new_peers(peers);
    access_n(peers[0], BASE, L1_STRIDE, 8, LEVEL_MEMORY);
    data_cache_store(peers[1], BASE + 4 * L1_STRIDE);
    assert_int_equal(data_cache_load(peers[0], BASE + 8 * L1_STRIDE), LEVEL_MEMORY);
    for (unsigned way = 0; way <= 8; way++)
        if (way != 4)
            assert_int_equal(data_cache_load(peers[0], BASE + way * L1_STRIDE), LEVEL_L1);
    assert_int_equal(data_cache_load(peers[0], BASE + 4 * L1_STRIDE), LEVEL_MODIFIED);
    free_peers(peers);
}

UNIT_TEST(the_last_peer_is_alone)
{
    struct data_cache *peers[PEERS];

    new_peers(peers);
    data_cache_store(peers[1], BASE);
    data_cache_free(peers[1]);
    assert_int_equal(data_cache_load(peers[0], BASE), LEVEL_MEMORY);
    data_cache_store(peers[2], BASE);
    assert_int_equal(data_cache_load(peers[0], BASE), LEVEL_MODIFIED);
    data_cache_free(peers[2]);
    assert_int_equal(data_cache_load(peers[0], BASE + 64), LEVEL_MEMORY);
    data_cache_free(peers[0]);
}

static unsigned newest_of_l1(void *of, unsigned ways)
{
    (void)of;
    return ways == 8 ? 0 : ways - 1;
}

/*
 * A line evicted only from L1 is newer in L2 than the newest line of L1 if the line between was invalidated: L1 has 6 5
 * 4.., and L2 7 6 5. Lines 0 to 11 share a set of both.
 */
UNIT_TEST(the_newest_of_l1_need_not_be_the_newest_of_l2)
{
    struct data_cache *peers[PEERS];

    new_peers(peers);
    data_cache_replace(peers[0], newest_of_l1, NULL);
    access_n(peers[0], BASE, L2_STRIDE, 9, LEVEL_MEMORY); /* 8 takes the place of 7 */
    data_cache_store(peers[1], BASE + 8 * L2_STRIDE);
    assert_int_equal(data_cache_load(peers[0], BASE + 6 * L2_STRIDE), LEVEL_L1); /* L2: 6 7 5 */
    access_n(peers[0], BASE + 9 * L2_STRIDE, L2_STRIDE, 3, LEVEL_MEMORY);        /* L2: 11 10 9 6 */
    assert_int_equal(data_cache_load(peers[0], BASE + 7 * L2_STRIDE), LEVEL_L3);
    free_peers(peers);
}

/* --- instructions that empty caches and TLBs --------------------------------------------------------------------- */

UNIT_TEST(a_flushed_line_is_in_no_cache)
{
    struct data_cache *peers[PEERS];

    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(data_cache_load(*state, BASE), LEVEL_MEMORY);
        assert_int_equal(data_cache_load(*state, BASE + 64), i == 0 ? LEVEL_MEMORY : LEVEL_L1); /* only that line */
        data_cache_flush_line(*state, BASE + 63, false);
    }
    assert_int_equal(data_cache_code_misses(*state, BASE, BASE, EVENT_CODE_MISSES), 1);
    data_cache_flush_line(*state, BASE, false);
    assert_int_equal(data_cache_code_misses(*state, BASE, BASE, EVENT_CODE_MISSES), 1);
    new_peers(peers);
    data_cache_store(peers[1], BASE);
    data_cache_load(peers[2], BASE);
    data_cache_flush_line(peers[0], BASE, false);
    for (unsigned i = 0; i < PEERS; i++)
        assert_int_equal(data_cache_load(peers[i], BASE), LEVEL_MEMORY);
    data_cache_store(peers[1], BASE);
    data_cache_flush_line(peers[0], BASE, true);
    assert_int_equal(data_cache_load(peers[1], BASE), LEVEL_L1);
    assert_int_equal(data_cache_load(peers[2], BASE), LEVEL_MEMORY); /* it was written back */
    free_peers(peers);
}

UNIT_TEST(flushing_empties_the_processors_own_caches)
{
    struct data_cache *peers[PEERS];

    new_peers(peers);
    data_cache_store(peers[0], BASE);
    data_cache_load(peers[1], BASE + 64);
    assert_true(data_cache_tlb_miss(peers[0], BASE));
    data_cache_code_misses(peers[0], BASE, BASE, EVENT_CODE_MISSES);
    data_cache_flush(peers[0], true);
    assert_int_equal(data_cache_load(peers[0], BASE), LEVEL_L1);
    assert_int_equal(data_cache_load(peers[1], BASE), LEVEL_MEMORY);
    data_cache_flush(peers[0], false);
    assert_int_equal(data_cache_load(peers[0], BASE), LEVEL_MEMORY);
    assert_int_equal(data_cache_code_misses(peers[0], BASE, BASE, EVENT_CODE_MISSES), 1);
    assert_false(data_cache_tlb_miss(peers[0], BASE)); /* translations stay */
    assert_int_equal(data_cache_load(peers[1], BASE + 64), LEVEL_L1);
    free_peers(peers);
}

static unsigned asked;

/* Every third page is global. */
static bool every_third(void *of, uint64_t address)
{
    (void)of;
    asked++;
    return (address >> 12) % 3 == 0;
}

UNIT_TEST(global_translations_stay)
{
    enum { PAGES = 1000 };

    asked = 0;
    for (unsigned turn = 0; turn < 3; turn++) {
        for (unsigned page = 0; page < PAGES; page++) {
            const unsigned missing = turn == 0 || page % 3 != 0;

            assert_int_equal(data_cache_tlb_miss(*state, page * UINT64_C(4096) + 5), missing);
            if (page < 100) { /* the first-level TLB of code has 128 pages */
                assert_int_equal(
                    data_cache_code_misses(*state, page * UINT64_C(4096), page * UINT64_C(4096), EVENT_CODE_TLB_HITS),
                    missing);
            }
        }
        data_cache_flush_tlbs(*state, every_third, NULL);
    }
    assert_int_equal(asked, 334 + 666 * 3 + 34 + 66 * 3); /* not again about pages that stayed */
    data_cache_flush_pages(*state, 3 * 4096, 6 * 4096 + 4095);
    assert_true(data_cache_tlb_miss(*state, 3 * 4096));
    assert_false(data_cache_tlb_miss(*state, 9 * 4096));
    assert_int_equal(data_cache_code_misses(*state, 6 * 4096, 6 * 4096, EVENT_CODE_TLB_HITS), 1);
    data_cache_flush_tlbs(*state, NULL, NULL);
    assert_true(data_cache_tlb_miss(*state, 9 * 4096));
}
