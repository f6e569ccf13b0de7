/* SPDX-License-Identifier: MIT */
/* The precise events of each core: codes as the manual's and Intel's lists print them, each once, none without counter.
 */
#include "tests/host/host_test.h"

#include "cpu/events.h"

static const struct pebs_event_list *const lists[] = { &pebs_events_core2,        &pebs_events_bonnell,
                                                       &pebs_events_nehalem,      &pebs_events_westmere,
                                                       &pebs_events_sandy_bridge, &pebs_events_haswell,
                                                       &pebs_events_skylake,      &pebs_events_ice_lake };

static void codes(void **state)
{
    static const struct {
        const struct pebs_event_list *list;
        enum pebs_role role;
        const char *name;
        unsigned select;
        uint64_t counters; /* of the first eight */
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

static void lists_without_twins(void **state)
{
    (void)state;
    for (size_t l = 0; l < COUNT_OF(lists); l++)
        for (size_t i = 0; i < lists[l]->count; i++) {
            const struct pebs_event *event = &lists[l]->events[i];
            assert_non_null(event->name);
            assert_int_not_equal(event->counters, 0);
            assert_true(event->role < PEBS_ROLE_COUNT);
            for (size_t j = 0; j < i; j++) {
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
        cmocka_unit_test(lists_without_twins),
        cmocka_unit_test(an_event_by_its_role),
        cmocka_unit_test(a_reason_for_each_role_that_no_workload_brings_about),
    };
    return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
