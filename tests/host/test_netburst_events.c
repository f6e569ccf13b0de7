/* SPDX-License-Identifier: MIT */
/* The register writes that set up a NetBurst event, typed from the manual's tables. */
#include "tests/host/host_test.h"

#include <string.h>

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

static void first_level_miss(void **state)
{
    (void)state;
    /* The values with which Perfmon2's example sampled this metric on real Pentium 4 processors, but for the rings. */
    set_up("1stL_cache_load_miss_retired", true);
    assert_int_equal(written(0x3cc), 9u << 25 | 1u << 9 | T0_OS | T0_USR);
    assert_int_equal(written(0x3f1), 1u << 25 | 1u << 24 | 1);
    assert_int_equal(written(0x3f2), 1);
    assert_int_equal(netburst_cccr(true), 5u << 13 | 1u << 12 | 3u << 16);
    assert_int_equal(netburst_cccr(false), 5u << 13 | 3u << 16);
}

static void metrics(void **state)
{
    (void)state;
    /* MSR_PEBS_ENABLE and MSR_PEBS_MATRIX_VERT of each replay metric, table 19-33. */
    static const struct {
        const char *name;
        uint64_t enable, matrix;
    } want[] = {
        { "2ndL_cache_load_miss_retired", 0x3000002, 1 }, { "DTLB_load_miss_retired", 0x3000004, 1 },
        { "DTLB_store_miss_retired", 0x3000004, 2 },      { "DTLB_all_miss_retired", 0x3000004, 3 },
        { "Tagged_mispred_branch", 0x3018000, 0x10 },     { "MOB_load_replay_retired", 0x3000200, 1 },
        { "split_load_retired", 0x3000400, 1 },           { "split_store_retired", 0x3000400, 2 },
    };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        set_up(want[i].name, true);
        assert_int_equal(written(0x3f1), want[i].enable);
        assert_int_equal(written(0x3f2), want[i].matrix);
        assert_int_equal(written(0x3cc) >> 25, 0x09);
    }
    assert_int_equal(netburst_event_count, 19); /* 2 of the front end, 8 of execution, 9 of replay */
}

static void replay_selects(void **state)
{
    (void)state;
    set_up("split_load_retired", true);
    assert_int_equal(written(0x3af), 0x04u << 25 | 2u << 9 | T0_OS | T0_USR); /* SAAT_ESCR1, SPLIT_LD */
    set_up("split_store_retired", true);
    assert_int_equal(written(0x3ae), 0x05u << 25 | 2u << 9 | T0_OS | T0_USR); /* SAAT_ESCR0, SPLIT_ST */
    set_up("MOB_load_replay_retired", true);
    assert_int_equal(written(0x3aa), 0x03u << 25 | 0x30u << 9 | T0_OS | T0_USR); /* PARTIAL_DATA, UNALGN_ADDR */
}

static void front_end(void **state)
{
    (void)state;
    set_up("memory_loads", true);
    assert_int_equal(written(0x3bc), 0x02u << 25 | 2u << 9 | T0_OS | T0_USR);
    assert_int_equal(written(0x3cc), 0x08u << 25 | 1u << 9 | T0_OS | T0_USR);
    assert_int_equal(written(0x3f1), 1u << 25); /* no replay tagging: bit 24 stays clear */
    assert_int_equal(written(0x3f2), 0);
    set_up("memory_stores", true);
    assert_int_equal(written(0x3bc), 0x02u << 25 | 4u << 9 | T0_OS | T0_USR);
}

static void execution(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t event, mask;
    } want[] = {
        { "packed_SP_retired", 0x08, 0x8000 },   { "packed_DP_retired", 0x0c, 0x8000 },
        { "scalar_SP_retired", 0x0a, 0x8000 },   { "scalar_DP_retired", 0x0e, 0x8000 },
        { "128_bit_MMX_retired", 0x1a, 0x8000 }, { "64_bit_MMX_retired", 0x02, 0x8000 },
        { "X87_FP_retired", 0x04, 0x8000 },      { "X87_SIMD_memory_moves_retired", 0x2e, 0x18 },
    };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        set_up(want[i].name, true);
        /* FIRM_ESCR0 with tag enable (bit 4) and tag 0001b (bits 8:5), which goes with NBOGUS0. */
        assert_int_equal(written(0x3a4), want[i].event << 25 | want[i].mask << 9 | 1u << 5 | 1u << 4 | T0_OS | T0_USR);
        assert_int_equal(written(0x3cc), 0x0cu << 25 | 1u << 9 | T0_OS | T0_USR);
        assert_int_equal(written(0x3f1), 1u << 25);
    }
}

static void count_only(void **state)
{
    (void)state;
    set_up("memory_loads", false);
    assert_int_equal(written(0x3f1), 0);
    set_up("split_load_retired", false); /* the tags are needed all the same */
    assert_int_equal(written(0x3f1), 1u << 24 | 1u << 10);
}

static void rings(void **state)
{
    (void)state;
    const struct netburst_event *event = netburst_event_find("memory_loads");
    count = netburst_writes(&(struct netburst_setup){ event, true, false, true, 1 }, writes);
    assert_int_equal(written(0x3cc) & 0xf, T0_OS);
    assert_int_equal(written(0x3bc) & 0xf, T0_OS);
    count = netburst_writes(&(struct netburst_setup){ event, false, true, true, 1 }, writes);
    assert_int_equal(written(0x3cc) & 0xf, T0_USR);
    assert_int_equal(written(0x3bc) & 0xf, T0_USR);
}

static void order(void **state)
{
    (void)state;
    unsigned counters = 0;
    set_up("split_load_retired", true);
    assert_int_equal(writes[0].msr, 0x370); /* stopped before anything else is written */
    for (size_t i = 0; i < count; i++) {
        if (writes[i].msr == 0x370)
            assert_false(writes[i].value >> 12 & 1); /* and nothing counts before the window opens */
        if (writes[i].msr == 0x310) {
            counters++;
            assert_int_equal(writes[i].value, UINT64_C(0xffffffff9c)); /* -100 in 40 bits */
        }
    }
    assert_int_equal(counters, 2);                  /* erratum N15 */
    assert_int_equal(writes[count - 1].msr, 0x3f1); /* sampling is enabled when all it needs is there */
    assert_int_equal(writes[1].msr, 0x3f1);         /* and was off meanwhile */
    assert_int_equal(writes[1].value, 0);
}

static void names(void **state)
{
    (void)state;
    assert_int_equal(pebs_events_netburst.count, netburst_event_count);
    for (size_t i = 0; i < netburst_event_count; i++) /* the two lists speak of the same events */
        assert_ptr_equal(netburst_event_find(pebs_events_netburst.events[i].name), &netburst_events[i]);
    assert_string_equal(pebs_event_of(&pebs_events_netburst, PEBS_ROLE_LOADS, 1)->name, "memory_loads");
    assert_string_equal(pebs_event_of(&pebs_events_netburst, PEBS_ROLE_STORES, 1)->name, "memory_stores");
    assert_null(pebs_event_of(&pebs_events_netburst, PEBS_ROLE_BRANCHES, 1));
    assert_null(netburst_event_find("memory_load"));
    assert_null(netburst_event_find("memory_loadss"));
    assert_null(netburst_event_find(""));
    assert_string_equal(netburst_kind_text(NETBURST_FRONT_END), "front_end_event");
    assert_string_equal(netburst_kind_text(NETBURST_EXECUTION), "execution_event");
    assert_string_equal(netburst_kind_text(NETBURST_REPLAY), "replay_event");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_level_miss),
        cmocka_unit_test(metrics),
        cmocka_unit_test(replay_selects),
        cmocka_unit_test(front_end),
        cmocka_unit_test(execution),
        cmocka_unit_test(count_only),
        cmocka_unit_test(rings),
        cmocka_unit_test(order),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
