/* SPDX-License-Identifier: MIT */
/* The precise events of each core: codes as the manual's and Intel's lists print them, each once, none without counter.
 */
#include "tests/host/host_test.h"

#include "cpu/cores.h"
#include "cpu/events.h"

/* Each list that a core has, once: the cores are asked, so that none is left out. */
#define LISTS_MOST 32u
static const struct pebs_event_list *lists[LISTS_MOST];
static size_t list_count;

static int find_lists(void **state)
{
    (void)state;
    for (unsigned family = 0; family <= 0xf; family++)
        for (unsigned model = 0; model <= 0xff; model++) {
            const struct pebs_event_list *list = core_find(family, model)->events;
            size_t i = 0;
            while (i < list_count && lists[i] != list)
                i++;
            if (list && i == list_count) {
                assert_true(list_count < LISTS_MOST);
                lists[list_count++] = list;
            }
        }
    return list_count == 0;
}

static void codes(void **state)
{
    static const struct {
        const struct pebs_event_list *list;
        enum pebs_role role;
        const char *name;
        unsigned select;
        uint64_t counters; /* mask of the first eight */
        bool data_address;
    } known[] = {
        { &pebs_events_core2, PEBS_ROLE_INSTRUCTIONS, "INST_RETIRED.ANY_P", 0x00c0, 0x01, false },
        { &pebs_events_nehalem, PEBS_ROLE_LOAD_LATENCY, "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD", 0x100b, 0xff,
          true },
        { &pebs_events_nehalem, PEBS_ROLE_BRANCHES, "BR_INST_RETIRED.ALL_BRANCHES", 0x04c4, 0xff, false },
        { &pebs_events_sandy_bridge, PEBS_ROLE_PREC_DIST, "INST_RETIRED.PREC_DIST", 0x01c0, 0x02, false },
        { &pebs_events_sandy_bridge, PEBS_ROLE_LOAD_LATENCY, "MEM_TRANS_RETIRED.LOAD_LATENCY", 0x01cd, 0x08, true },
        { &pebs_events_sandy_bridge, PEBS_ROLE_PRECISE_STORE, "MEM_TRANS_RETIRED.PRECISE_STORE", 0x02cd, 0x08, true },
        { &pebs_events_sandy_bridge, PEBS_ROLE_LOADS, "MEM_UOPS_RETIRED.ALL_LOADS", 0x81d0, 0xff, false },
        { &pebs_events_haswell, PEBS_ROLE_LOADS, "MEM_UOPS_RETIRED.ALL_LOADS", 0x81d0, 0xff, true },
        { &pebs_events_haswell, PEBS_ROLE_STORES, "MEM_UOPS_RETIRED.ALL_STORES", 0x82d0, 0xff, true },
        { &pebs_events_broadwell, PEBS_ROLE_MISPREDICTED_RETURNS, "BR_MISP_RETIRED.RET", 0x08c5, 0xff, false },
        { &pebs_events_skylake, PEBS_ROLE_TAKEN, "BR_INST_RETIRED.NEAR_TAKEN", 0x20c4, 0xff, false },
        { &pebs_events_skylake, PEBS_ROLE_STORES, "MEM_INST_RETIRED.ALL_STORES", 0x82d0, 0xff, true },
        { &pebs_events_skylake, PEBS_ROLE_L1_HITS, "MEM_LOAD_RETIRED.L1_HIT", 0x01d1, 0xff, true },
        { &pebs_events_ice_lake, PEBS_ROLE_BRANCHES, "BR_INST_RETIRED.ALL_BRANCHES", 0x00c4, 0xff, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        const struct pebs_event *event = pebs_event_of(known[i].list, known[i].role, known[i].counters);
        assert_non_null(event);
        assert_string_equal(event->name, known[i].name);
        assert_int_equal(event->select, known[i].select);
        assert_int_equal(event->counters, known[i].counters);
        assert_int_equal(event->data_address, known[i].data_address);
    }
}

/*
 * What each event counts, by what Intel's event files (github.com/intel/perfmon, "BriefDescription") say of it, for
 * NetBurst the tables 19-31 to 19-33 of SDM Vol. 3B (253669-059).
 */
#define NAMES_MOST 16u
static const char *const counts[PEBS_ROLE_COUNT][NAMES_MOST] = {
    [PEBS_ROLE_INSTRUCTIONS] = { "INST_RETIRED.ANY_P" },
    [PEBS_ROLE_PREC_DIST] = { "INST_RETIRED.PREC_DIST" },
    [PEBS_ROLE_LOADS] = { "memory_loads", "MEM_INST_RETIRED.LOADS", "MEM_UOPS_RETIRED.ALL_LOADS",
                          "MEM_INST_RETIRED.ALL_LOADS" },
    [PEBS_ROLE_STORES] = { "memory_stores", "MEM_INST_RETIRED.STORES", "MEM_UOPS_RETIRED.ALL_STORES",
                           "MEM_INST_RETIRED.ALL_STORES" },
    [PEBS_ROLE_LOCKED_LOADS] = { "MEM_UOPS_RETIRED.LOCK_LOADS", "MEM_INST_RETIRED.LOCK_LOADS" },
    [PEBS_ROLE_SPLIT_LOADS] = { "split_load_retired", "MEM_UOPS_RETIRED.SPLIT_LOADS", "MEM_INST_RETIRED.SPLIT_LOADS" },
    [PEBS_ROLE_SPLIT_STORES] = { "split_store_retired", "MEM_UOPS_RETIRED.SPLIT_STORES",
                                 "MEM_INST_RETIRED.SPLIT_STORES" },
    [PEBS_ROLE_L1_HITS] = { "MEM_LOAD_RETIRED.L1D_HIT", "MEM_LOAD_UOPS_RETIRED.L1_HIT", "MEM_LOAD_RETIRED.L1_HIT" },
    [PEBS_ROLE_X87] = { "X87_FP_retired", "X87_OPS_RETIRED.ANY", "INST_RETIRED.X87" },
    [PEBS_ROLE_MMX] = { "64_bit_MMX_retired", "INST_RETIRED.MMX" },
    [PEBS_ROLE_BRANCHES] = { "BR_INST_RETIRED.ALL_BRANCHES", "BR_INST_RETIRED.ALL_BRANCHES_PEBS" },
    [PEBS_ROLE_CONDITIONAL] = { "BR_INST_RETIRED.CONDITIONAL", "BR_INST_RETIRED.COND" },
    [PEBS_ROLE_TAKEN] = { "BR_INST_RETIRED.NEAR_TAKEN" },
    [PEBS_ROLE_NEAR_CALLS] = { "BR_INST_RETIRED.NEAR_CALL" },
    [PEBS_ROLE_NEAR_RETURNS] = { "BR_INST_RETIRED.NEAR_RETURN" },
    [PEBS_ROLE_FAR] = { "BR_INST_RETIRED.FAR_BRANCH" },
    [PEBS_ROLE_LOAD_LATENCY] = { "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD", "MEM_TRANS_RETIRED.LOAD_LATENCY" },
    [PEBS_ROLE_PRECISE_STORE] = { "MEM_TRANS_RETIRED.PRECISE_STORE" },
    [PEBS_ROLE_MISPREDICTED] = { "Tagged_mispred_branch", "BR_INST_RETIRED.MISPRED", "BR_MISP_RETIRED.ALL_BRANCHES",
                                 "BR_MISP_RETIRED.ALL_BRANCHES_PEBS", "BR_MISP_RETIRED.TAKEN",
                                 "BR_MISP_RETIRED.NEAR_TAKEN" },
    [PEBS_ROLE_MISPREDICTED_CONDITIONAL] = { "BR_MISP_RETIRED.CONDITIONAL", "BR_MISP_RETIRED.NOT_TAKEN" },
    [PEBS_ROLE_MISPREDICTED_CALLS] = { "BR_MISP_RETIRED.NEAR_CALL" },
    [PEBS_ROLE_MISPREDICTED_RETURNS] = { "BR_MISP_RETIRED.RET" },
    [PEBS_ROLE_L1_MISSES] = { "1stL_cache_load_miss_retired", "MEM_LOAD_RETIRED.L1D_MISS",
                              "MEM_LOAD_RETIRED.L1D_LINE_MISS", "MEM_LOAD_UOPS_RETIRED.L1_MISS",
                              "MEM_LOAD_RETIRED.L1_MISS" },
    [PEBS_ROLE_L2_HITS] = { "MEM_LOAD_RETIRED.L2_HIT", "MEM_LOAD_UOPS_RETIRED.L2_HIT" },
    [PEBS_ROLE_L2_MISSES] = { "2ndL_cache_load_miss_retired", "MEM_LOAD_RETIRED.L2_MISS",
                              "MEM_LOAD_RETIRED.L2_LINE_MISS", "MEM_LOAD_UOPS_RETIRED.L2_MISS" },
    [PEBS_ROLE_L3_HITS] = { "MEM_LOAD_RETIRED.LLC_UNSHARED_HIT", "MEM_LOAD_UOPS_RETIRED.LLC_HIT",
                            "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_NONE", "MEM_LOAD_UOPS_RETIRED.L3_HIT",
                            "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_NONE", "MEM_LOAD_RETIRED.L3_HIT",
                            "MEM_LOAD_L3_HIT_RETIRED.XSNP_NONE" },
    [PEBS_ROLE_L3_MISSES] = { "MEM_UNCORE_RETIRED.LOCAL_DRAM", "MEM_LOAD_RETIRED.LLC_MISS",
                              "MEM_LOAD_UOPS_LLC_MISS_RETIRED.LOCAL_DRAM", "MEM_LOAD_UOPS_RETIRED.L3_MISS",
                              "MEM_LOAD_UOPS_L3_MISS_RETIRED.LOCAL_DRAM", "MEM_LOAD_RETIRED.L3_MISS",
                              "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM" },
    [PEBS_ROLE_OTHER_CORE] = { "MEM_UNCORE_RETIRED.OTHER_CORE_L2_HITM", "MEM_LOAD_RETIRED.OTHER_CORE_L2_HIT_HITM",
                               "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_MISS", "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_HIT",
                               "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_HITM", "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_MISS",
                               "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HIT", "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HITM",
                               "MEM_LOAD_L3_HIT_RETIRED.XSNP_MISS", "MEM_LOAD_L3_HIT_RETIRED.XSNP_HIT",
                               "MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM" },
    [PEBS_ROLE_REMOTE] = { "MEM_UNCORE_RETIRED.REMOTE_CACHE_LOCAL_HOME_HIT", "MEM_UNCORE_RETIRED.REMOTE_DRAM" },
    [PEBS_ROLE_FILL_BUFFER] = { "MEM_LOAD_RETIRED.HIT_LFB", "MEM_LOAD_UOPS_RETIRED.HIT_LFB",
                                "MEM_LOAD_RETIRED.FB_HIT" },
    [PEBS_ROLE_STORE_UNDER_WAY] = { "MOB_load_replay_retired" },
    [PEBS_ROLE_TLB_MISS_LOADS] = { "DTLB_load_miss_retired", "MEM_LOAD_RETIRED.DTLB_MISS",
                                   "MEM_UOPS_RETIRED.STLB_MISS_LOADS", "MEM_INST_RETIRED.STLB_MISS_LOADS" },
    [PEBS_ROLE_TLB_MISS_STORES] = { "DTLB_store_miss_retired", "MEM_STORE_RETIRED.DTLB_MISS",
                                    "MEM_UOPS_RETIRED.STLB_MISS_STORES", "MEM_INST_RETIRED.STLB_MISS_STORES" },
    [PEBS_ROLE_TLB_MISS_ACCESSES] = { "DTLB_all_miss_retired" },
    [PEBS_ROLE_TLB_MISS_CODE] = { "ITLB_MISS_RETIRED" },
    [PEBS_ROLE_UOPS] = { "UOPS_RETIRED.ANY", "UOPS_RETIRED.RETIRE_SLOTS", "UOPS_RETIRED.MACRO_FUSED",
                         "UOPS_RETIRED.ALL" },
    [PEBS_ROLE_PACKED_SINGLE] = { "packed_SP_retired", "SSEX_UOPS_RETIRED.PACKED_SINGLE" },
    [PEBS_ROLE_PACKED_DOUBLE] = { "packed_DP_retired", "SSEX_UOPS_RETIRED.PACKED_DOUBLE" },
    [PEBS_ROLE_SCALAR_SINGLE] = { "scalar_SP_retired", "SSEX_UOPS_RETIRED.SCALAR_SINGLE" },
    [PEBS_ROLE_SCALAR_DOUBLE] = { "scalar_DP_retired", "SSEX_UOPS_RETIRED.SCALAR_DOUBLE" },
    [PEBS_ROLE_INTEGER_VECTOR] = { "128_bit_MMX_retired", "SSEX_UOPS_RETIRED.VECTOR_INTEGER" },
    [PEBS_ROLE_SSE] = { "SIMD_INST_RETIRED.ANY" },
    [PEBS_ROLE_SSE_MOVES] = { "X87_SIMD_memory_moves_retired" },
    [PEBS_ROLE_ASSIST] = { "FP_ASSIST.ALL", "FP_ASSIST.OUTPUT", "FP_ASSIST.INPUT", "OTHER_ASSISTS.ANY" },
    [PEBS_ROLE_FRONTEND] = { "FRONTEND_RETIRED" },
    [PEBS_ROLE_TSX] = { "HLE_RETIRED.ABORTED", "RTM_RETIRED.ABORTED" },
};

/* The names up to the dot; NetBurst's have none, and stand with what a later core counts by that name. */
static const char *const families[][NAMES_MOST] = {
    [PEBS_FAMILY_NONE] = { "UOPS_RETIRED", "MEM_STORE_RETIRED", "ITLB_MISS_RETIRED", "MOB_load_replay_retired" },
    [PEBS_FAMILY_INST_RETIRED] = { "INST_RETIRED" },
    [PEBS_FAMILY_ASSISTS] = { "OTHER_ASSISTS", "FP_ASSIST" },
    [PEBS_FAMILY_BR_INST_RETIRED] = { "BR_INST_RETIRED" },
    [PEBS_FAMILY_BR_MISP_RETIRED] = { "BR_MISP_RETIRED", "Tagged_mispred_branch" },
    [PEBS_FAMILY_FRONTEND_RETIRED] = { "FRONTEND_RETIRED" },
    [PEBS_FAMILY_TSX_RETIRED] = { "HLE_RETIRED", "RTM_RETIRED" },
    [PEBS_FAMILY_MEM_INST_RETIRED] = { "MEM_INST_RETIRED", "MEM_UOPS_RETIRED", "MEM_TRANS_RETIRED", "memory_loads",
                                       "memory_stores" },
    [PEBS_FAMILY_MEM_LOAD_RETIRED] = { "MEM_LOAD_RETIRED", "MEM_LOAD_UOPS_RETIRED", "1stL_cache_load_miss_retired",
                                       "2ndL_cache_load_miss_retired" },
    [PEBS_FAMILY_MEM_LOAD_L3_RETIRED] = { "MEM_LOAD_L3_HIT_RETIRED", "MEM_LOAD_L3_MISS_RETIRED",
                                          "MEM_LOAD_UOPS_L3_HIT_RETIRED", "MEM_LOAD_UOPS_L3_MISS_RETIRED",
                                          "MEM_LOAD_UOPS_LLC_HIT_RETIRED", "MEM_LOAD_UOPS_LLC_MISS_RETIRED",
                                          "MEM_UNCORE_RETIRED" },
    [PEBS_FAMILY_OLDER] = { "X87_OPS_RETIRED", "SIMD_INST_RETIRED", "SSEX_UOPS_RETIRED", "X87_FP_retired",
                            "X87_SIMD_memory_moves_retired", "64_bit_MMX_retired", "128_bit_MMX_retired",
                            "packed_SP_retired", "packed_DP_retired", "scalar_SP_retired", "scalar_DP_retired",
                            "split_load_retired", "split_store_retired", "DTLB_load_miss_retired",
                            "DTLB_store_miss_retired", "DTLB_all_miss_retired" },
};

/* Fails if the row does not name the event; the first length bytes of name count. */
static void assert_named(const char *const names[NAMES_MOST], const char *name, size_t length)
{
    for (size_t i = 0; i < NAMES_MOST && names[i]; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return;
    fail_msg("%s is in a group to which it does not belong", name);
}

static void what_each_event_counts(void **state)
{
    (void)state;
    for (size_t l = 0; l < list_count; l++)
        for (size_t i = 0; i < lists[l]->count; i++) {
            const struct pebs_event *event = &lists[l]->events[i];
            assert_true(event->role < PEBS_ROLE_COUNT);
            assert_true(event->family < COUNT_OF(families));
            assert_named(counts[event->role], event->name, strlen(event->name));
            assert_named(families[event->family], event->name, strcspn(event->name, "."));
        }
}

static bool is_listed(const char *name)
{
    for (size_t l = 0; l < list_count; l++)
        for (size_t i = 0; i < lists[l]->count; i++)
            if (strcmp(lists[l]->events[i].name, name) == 0)
                return true;
    return false;
}

static void no_event_left_out(void **state)
{
    (void)state;
    for (size_t role = 0; role < PEBS_ROLE_COUNT; role++) {
        assert_non_null(counts[role][0]); /* else a role that no event has */
        for (size_t i = 0; i < NAMES_MOST && counts[role][i]; i++)
            if (!is_listed(counts[role][i]))
                fail_msg("no core has %s", counts[role][i]);
    }
}

static void lists_without_twins(void **state)
{
    (void)state;
    for (size_t l = 0; l < list_count; l++)
        for (size_t i = 0; i < lists[l]->count; i++) {
            const struct pebs_event *event = &lists[l]->events[i];
            assert_non_null(event->name);
            assert_int_not_equal(event->counters, 0);
            for (size_t j = 0; j < i; j++) {
                if (lists[l] != &pebs_events_netburst) /* which has no code in one register */
                    assert_int_not_equal(event->select, lists[l]->events[j].select);
                assert_string_not_equal(event->name, lists[l]->events[j].name);
            }
        }
    assert_int_equal(pebs_events_westmere.count, pebs_events_nehalem.count + 2);
}

static void an_event_by_its_role(void **state)
{
    (void)state;
    assert_null(pebs_event_of(&pebs_events_none, PEBS_ROLE_LOADS, UINT64_MAX));
    assert_null(pebs_event_of(&pebs_events_core2, PEBS_ROLE_LOADS, UINT64_MAX));
    assert_null(pebs_event_of(&pebs_events_haswell, PEBS_ROLE_PRECISE_STORE, UINT64_MAX));
    assert_null(pebs_event_of(&pebs_events_haswell, PEBS_ROLE_MISPREDICTED_RETURNS, UINT64_MAX)); /* Broadwell's */
    assert_null(pebs_event_of(&pebs_events_sandy_bridge, PEBS_ROLE_PREC_DIST, 0x1)); /* it is on counter 1 */
    assert_non_null(pebs_event_of(&pebs_events_sandy_bridge, PEBS_ROLE_PREC_DIST, 0x3));
}

static void a_reason_for_each_role_that_no_workload_brings_about(void **state)
{
    (void)state;
    for (unsigned role = 0; role < PEBS_ROLE_COUNT; role++)
        assert_int_equal(pebs_role_untriggered((enum pebs_role)role) != NULL, role >= PEBS_ROLE_TRIGGERED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes),
        cmocka_unit_test(what_each_event_counts),
        cmocka_unit_test(no_event_left_out),
        cmocka_unit_test(lists_without_twins),
        cmocka_unit_test(an_event_by_its_role),
        cmocka_unit_test(a_reason_for_each_role_that_no_workload_brings_about),
    };
    return cmocka_run_group_tests_name("events", tests, find_lists, NULL);
}
