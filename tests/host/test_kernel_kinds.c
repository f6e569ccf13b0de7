/* SPDX-License-Identifier: MIT */
/* Positions in code with known instructions, and which instructions cause an event (suite/measure/kinds.c). */
#include "tests/host/unit_test.h"

#include "suite/measure/kinds.h"

/* Four instructions and a tail of three. The third instruction executes before the second. */
static const struct step four[] = {
    { 0x1000, STEP_LOAD | STEP_INSTRUCTION },
    { 0x1008, STEP_STORE | STEP_INSTRUCTION },
    { 0x1004, STEP_LOAD | STEP_WARM | STEP_INSTRUCTION },
    { 0x100c, STEP_INSTRUCTION },
};
static const struct workload seven = { .start = 0x1000, .limit = 0x1020 };
static const struct steps steps = { .workload = &seven, .all = four, .count = 4, .tail = 0x1014 };

UNIT_TEST(positions)
{
    static const struct {
        uint64_t ip;
        int position;
    } at[] = {
        { 0x1000, 0 }, { 0x1008, 1 },  { 0x1004, 2 },  { 0x100c, 3 },  { 0x1014, 4 }, { 0x1018, 5 },  { 0x101c, 6 },
        { 0x1020, 7 }, { 0x1024, -1 }, { 0x1010, -1 }, { 0x1016, -1 }, { 0xffc, -1 }, { 0x1021, -1 }, { 0x1015, -1 },
    };
    assert_int_equal(steps_count(&steps), 7);
    for (unsigned i = 0; i < COUNT_OF(at); i++)
        assert_int_equal(steps_position(&steps, at[i].ip), at[i].position);
    assert_true(steps_is(&steps, 0, STEP_LOAD));
    assert_false(steps_is(&steps, 1, STEP_LOAD));
    assert_true(steps_is(&steps, 2, STEP_WARM | STEP_STORE));
    assert_true(steps_is(&steps, 6, STEP_INSTRUCTION)); /* the tail has only this kind */
    assert_false(steps_is(&steps, 6, ~STEP_INSTRUCTION));
    assert_false(steps_is(&steps, 7, STEP_INSTRUCTION));
    assert_int_equal(steps_before(&steps, STEP_LOAD, 0), 0);
    assert_int_equal(steps_before(&steps, STEP_LOAD, 1), 1);
    assert_int_equal(steps_before(&steps, STEP_LOAD, 2), 1);
    assert_int_equal(steps_before(&steps, STEP_LOAD, 7), 2);
    assert_int_equal(steps_before(&steps, STEP_INSTRUCTION, 7), 7);
    assert_int_equal(steps_nth(&steps, STEP_LOAD, 1), 0);
    assert_int_equal(steps_nth(&steps, STEP_LOAD, 2), 2);
    assert_int_equal(steps_nth(&steps, STEP_LOAD, 3), 7);
    assert_int_equal(steps_nth(&steps, STEP_INSTRUCTION, 6), 5);
}

/* NetBurst tags no locked access, return or far transfer: SDM Vol. 3B (253669-081), "At-Retirement Counting". */
UNIT_TEST(causes)
{
    static const struct {
        enum pebs_role role;
        uint32_t kinds;
        bool counted, caches;
    } want[] = {
        { PEBS_ROLE_INSTRUCTIONS, STEP_INSTRUCTION, true, false },
        { PEBS_ROLE_LOADS, STEP_LOAD | STEP_LOCKED | STEP_RETURN, true, false },
        { PEBS_ROLE_STORES, STEP_STORE | STEP_LOCKED | STEP_CALL, true, false },
        { PEBS_ROLE_BRANCHES, STEP_BRANCH | STEP_FAR, true, false },
        { PEBS_ROLE_FAR, STEP_FAR, true, false },
        { PEBS_ROLE_L1_HITS, STEP_WARM, true, true },
        { PEBS_ROLE_L2_HITS, STEP_COLD, true, true },
        { PEBS_ROLE_L3_MISSES, STEP_COLD, false, true },
        { PEBS_ROLE_LOAD_LATENCY, STEP_LOAD | STEP_LOCKED | STEP_RETURN, false, false },
    };
    struct cause first, second;
    for (unsigned i = 0; i < COUNT_OF(want); i++) {
        struct pebs_event event = { .role = want[i].role, .select = 0x1 };
        struct cause cause = cause_of(&event);
        assert_int_equal(cause.kinds, want[i].kinds);
        assert_int_equal(cause.counted, want[i].counted);
        assert_int_equal(cause.displace != 0, want[i].caches);
        assert_null(cause.why_not);
        event.select = 0;
        cause = cause_of(&event);
        assert_int_equal(cause.kinds, want[i].kinds & ~(STEP_LOCKED | STEP_RETURN | STEP_FAR));
    }
    for (enum pebs_role role = 0; role < PEBS_ROLE_COUNT; role++) { /* each has a cause, or a reason why not */
        const struct pebs_event event = { .role = role, .select = 0x1 };
        const struct cause cause = cause_of(&event);
        assert_int_equal(cause.why_not != NULL, cause.kinds == 0);
    }
    /* To displace a line from a level, more bytes are loaded than the level holds. */
    first = cause_of(&(const struct pebs_event){ .role = PEBS_ROLE_L2_HITS, .select = 1 });
    second = cause_of(&(const struct pebs_event){ .role = PEBS_ROLE_L3_HITS, .select = 1 });
    assert_in_range(first.displace, 2 * 48 * 1024, 256 * 1024);
    assert_in_range(second.displace, 2 * 2048 * 1024, 8192 * 1024);
    assert_in_range(cause_of(&(const struct pebs_event){ .role = PEBS_ROLE_L3_MISSES, .select = 1 }).displace,
                    8192 * 1024 + 1, 16 * 1024 * 1024);
}
