/* SPDX-License-Identifier: MIT */
/* The register writes that set up a NetBurst event, typed from the manual's tables. */
#include "tests/host/unit_test.h"

#include "cpu/events.h"
#include "cpu/netburst_events.h"

#define T0_USR 0x4u
#define T0_OS  0x8u

static struct netburst_write writes[NETBURST_WRITES];
static size_t count;

static void set_up(const char *name, bool sample)
{
    const struct netburst_event *event = netburst_event_find(name);
    assert_non_null(event);
    count = netburst_writes(&(struct netburst_setup){ event, true, true, sample, 100 }, writes);
    assert_true(count <= NETBURST_WRITES);
}

/* The last value written to a register; fails if there is none. */
static uint64_t written(uint32_t msr)
{
    for (size_t i = count; i-- > 0;)
        if (writes[i].msr == msr)
            return writes[i].value;
    fail_msg("register %x is not written", msr);
    return 0;
}

UNIT_TEST(first_level_miss)
{
    /* The values with which Perfmon2's example sampled this event on real Pentium 4 processors, except the rings. */
    set_up("1stL_cache_load_miss_retired", true);
    assert_int_equal(written(0x3cc), 9u << 25 | 1u << 9 | T0_OS | T0_USR);
    assert_int_equal(written(0x3f1), 1u << 25 | 1u << 24 | 1);
    assert_int_equal(written(0x3f2), 1);
    assert_int_equal(netburst_cccr(true), 5u << 13 | 1u << 12 | 3u << 16);
    assert_int_equal(netburst_cccr(false), 5u << 13 | 3u << 16);
}

/*
 * All writes of each event in order, by tables 18-11 and 19-29 to 19-33; a period of 100 in 40 bits. A second source
 * has the same figures: of replay tags Linux (p4_pebs_bind_map), of the other tags libpfm4 (91970fe,
 * intel_netburst_events.h).
 */
UNIT_TEST(each_event)
{
    static const struct {
        const char *name;
        uint32_t escr; /* upstream; 0: none */
        uint64_t escr_event, escr_mask, tag, kind, enable, matrix;
    } want[] = {
        /* RAT_ESCR0, uop_type: TAGLOADS, TAGSTORES. No replay tagging: bit 24 of MSR_PEBS_ENABLE stays clear. */
        { "memory_loads", 0x3bc, 0x02, 0x2, 0, 0x08, 0x2000000, 0 },
        { "memory_stores", 0x3bc, 0x02, 0x4, 0, 0x08, 0x2000000, 0 },
        /* FIRM_ESCR0 with tag enable (bit 4) and tag 0001b (bits 8:5), which belongs to NBOGUS0 */
        { "packed_SP_retired", 0x3a4, 0x08, 0x8000, 0x30, 0x0c, 0x2000000, 0 },
        { "packed_DP_retired", 0x3a4, 0x0c, 0x8000, 0x30, 0x0c, 0x2000000, 0 },
        { "scalar_SP_retired", 0x3a4, 0x0a, 0x8000, 0x30, 0x0c, 0x2000000, 0 },
        { "scalar_DP_retired", 0x3a4, 0x0e, 0x8000, 0x30, 0x0c, 0x2000000, 0 },
        { "128_bit_MMX_retired", 0x3a4, 0x1a, 0x8000, 0x30, 0x0c, 0x2000000, 0 },
        { "64_bit_MMX_retired", 0x3a4, 0x02, 0x8000, 0x30, 0x0c, 0x2000000, 0 },
        { "X87_FP_retired", 0x3a4, 0x04, 0x8000, 0x30, 0x0c, 0x2000000, 0 },
        { "X87_SIMD_memory_moves_retired", 0x3a4, 0x2e, 0x18, 0x30, 0x0c, 0x2000000, 0 },
        { "1stL_cache_load_miss_retired", 0, 0, 0, 0, 0x09, 0x3000001, 1 },
        { "2ndL_cache_load_miss_retired", 0, 0, 0, 0, 0x09, 0x3000002, 1 },
        { "DTLB_load_miss_retired", 0, 0, 0, 0, 0x09, 0x3000004, 1 },
        { "DTLB_store_miss_retired", 0, 0, 0, 0, 0x09, 0x3000004, 2 },
        { "DTLB_all_miss_retired", 0, 0, 0, 0, 0x09, 0x3000004, 3 },
        { "Tagged_mispred_branch", 0, 0, 0, 0, 0x09, 0x3018000, 0x10 },
        /* MOB_ESCR0: PARTIAL_DATA, UNALGN_ADDR; SAAT_ESCR1: SPLIT_LD; SAAT_ESCR0: SPLIT_ST */
        { "MOB_load_replay_retired", 0x3aa, 0x03, 0x30, 0, 0x09, 0x3000200, 1 },
        { "split_load_retired", 0x3af, 0x04, 0x2, 0, 0x09, 0x3000400, 1 },
        { "split_store_retired", 0x3ae, 0x05, 0x2, 0, 0x09, 0x3000400, 2 },
    };
    assert_int_equal(netburst_event_count, COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        const uint64_t cru = want[i].kind << 25 | 1u << 9 | T0_OS | T0_USR;
        const uint64_t escr = want[i].escr_event << 25 | want[i].escr_mask << 9 | want[i].tag | T0_OS | T0_USR;
        const struct netburst_write in_order[] = {
            { 0x370, 3u << 16 | 5u << 13 },
            { 0x3f1, 0 },
            { 0x3f2, want[i].matrix },
            { want[i].escr, escr },
            { 0x3cc, cru }, /* stopped first */
            { 0x310, 0xffffffff9c },
            { 0x310, 0xffffffff9c },   /* erratum N15 */
            { 0x3f1, want[i].enable }, /* after all that sampling needs */
        };
        size_t n = 0;

        set_up(want[i].name, true);
        for (size_t w = 0; w < COUNT_OF(in_order); w++) {
            if (in_order[w].msr == 0)
                continue;
            assert_true(n < count);
            assert_int_equal(writes[n].msr, in_order[w].msr);
            assert_int_equal(writes[n].value, in_order[w].value);
            n++;
        }
        assert_int_equal(n, count);
    }
}

UNIT_TEST(count_only)
{
    set_up("memory_loads", false);
    assert_int_equal(written(0x3f1), 0);
    set_up("split_load_retired", false); /* the tags are also needed */
    assert_int_equal(written(0x3f1), 1u << 24 | 1u << 10);
}

UNIT_TEST(rings)
{
    const struct netburst_event *event = netburst_event_find("memory_loads");
    count = netburst_writes(&(struct netburst_setup){ event, true, false, true, 1 }, writes);
    assert_int_equal(written(0x3cc) & 0xf, T0_OS);
    assert_int_equal(written(0x3bc) & 0xf, T0_OS);
    count = netburst_writes(&(struct netburst_setup){ event, false, true, true, 1 }, writes);
    assert_int_equal(written(0x3cc) & 0xf, T0_USR);
    assert_int_equal(written(0x3bc) & 0xf, T0_USR);
}

UNIT_TEST(names)
{
    assert_int_equal(pebs_events_netburst.count, netburst_event_count);
    for (size_t i = 0; i < netburst_event_count; i++) { /* both lists have the same events */
        const struct pebs_event *event = &pebs_events_netburst.events[i];
        assert_ptr_equal(netburst_event_find(event->name), &netburst_events[i]);
        assert_int_equal(event->select, 0);
        assert_int_equal(event->counters, 1); /* MSR_IQ_COUNTER4 */
        assert_false(event->data_address);    /* its records have no such field */
    }
    assert_string_equal(pebs_event_of(&pebs_events_netburst, PEBS_ROLE_LOADS, 1)->name, "memory_loads");
    assert_string_equal(pebs_event_of(&pebs_events_netburst, PEBS_ROLE_STORES, 1)->name, "memory_stores");
    assert_null(pebs_event_of(&pebs_events_netburst, PEBS_ROLE_BRANCHES, 1));
    assert_null(netburst_event_find("memory_load"));
    assert_null(netburst_event_find("memory_loadss"));
    assert_string_equal(netburst_kind_text(NETBURST_FRONT_END), "front_end_event");
    assert_string_equal(netburst_kind_text(NETBURST_EXECUTION), "execution_event");
    assert_string_equal(netburst_kind_text(NETBURST_REPLAY), "replay_event");
}
