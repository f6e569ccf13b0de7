/* SPDX-License-Identifier: MIT */
/* The exact summary of a run's tests: counts, the table by area, reasons and the recap. */
#include "tests/host/unit_test.h"

#include "kernel/report/results.h"
#include "tests/host/lines.h"

/* Areas alternate, one name is the beginning of another, and one area has no test that ran. */
static const struct result run[] = {
    { .id = "perfmon.left_out", .outcome = OUTCOME_NOT_RUN },
    { .id = "lbr.left_out", .outcome = OUTCOME_NOT_RUN, .why = "never printed" },
    { .id = "bts.calls", .outcome = OUTCOME_PASS, .seen = true },
    { .id = "lbr.tos", .outcome = OUTCOME_FAIL, .why = "got 11 records, expected 12" },
    { .id = "bts.cpl", .outcome = OUTCOME_SKIP, .why = "no filter" },
    { .id = "lbr.info", .outcome = OUTCOME_DIFFERS, .why = "the cycles of entry 3 are 0" },
    { .id = "lbr.arch.depth", .outcome = OUTCOME_PASS },
    { .id = "lb.calls", .outcome = OUTCOME_ERROR },
    { .id = "lbr", .outcome = OUTCOME_PASS },
    { .id = "forbidden.order", .outcome = OUTCOME_PASS },
    { .id = "lbr.wrap", .outcome = OUTCOME_DIFFERS, .why = "another" },
    { .id = "lbr.user", .outcome = OUTCOME_SKIP, .why = "no user" },
    { .id = "lbr.kinds", .outcome = OUTCOME_SKIP, .why = "no kinds" },
    { .id = "lbr.exceptions", .outcome = OUTCOME_SKIP, .why = "no exceptions" },
    { .id = "bts.left_out", .outcome = OUTCOME_NOT_RUN },
};

UNIT_TEST(counts)
{
    struct totals totals = { 9, 9, 9, 9, 9 };

    results_count(run, COUNT_OF(run), &totals);
    assert_int_equal(totals.pass, 4);
    assert_int_equal(totals.differs, 2);
    assert_int_equal(totals.fail, 1);
    assert_int_equal(totals.skip, 4);
    assert_int_equal(totals.error, 1);
    results_count(run, 4, &totals); /* only the first four */
    assert_int_equal(totals.pass, 1);
    assert_int_equal(totals.fail, 1);
    assert_int_equal(totals.differs + totals.skip + totals.error, 0);
}

UNIT_TEST(a_row_for_each_area)
{
    results_table(&into_lines, run, COUNT_OF(run));
    printed("area               pass differs    fail    skip   error\n"
            "area bts              1       0       0       1       0\n"
            "area lbr              2       2       1       3       0\n"
            "area lb               0       0       0       0       1\n"
            "area forbidden        1       0       0       0       0\n");
}

UNIT_TEST(a_reason_for_each_problem)
{
    results_reasons(&into_lines, run, COUNT_OF(run));
    printed("fail lbr.tos: got 11 records, expected 12\n"
            "differs lbr.info: the cycles of entry 3 are 0\n"
            "error lb.calls: no reason given\n"
            "differs lbr.wrap: another\n");
}

UNIT_TEST(a_line_for_each_test_that_ran)
{
    results_recap(&into_lines, run, 8);
    printed("result bts.calls pass\n"
            "result lbr.tos fail\n"
            "result bts.cpl skip\n"
            "result lbr.info differs\n"
            "result lbr.arch.depth pass\n"
            "result lb.calls error\n");
}

UNIT_TEST(areas)
{
    static const struct result none_ran[2] = { { .id = "lbr.tos" }, { .id = "lbr.info" } };
    static const struct result one = { .id = "lbr.tos" }, whole = { .id = "lbr" };
    static const char *const others[] = { "lb", "lbrs", "lbt", "tos", "" };

    assert_true(result_is_of(&one, "lbr") && result_is_of(&one, "lbr.other"));
    assert_true(result_is_of(&whole, "lbr") && result_is_of(&whole, "lbr.tos"));
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_false(result_is_of(&one, others[i]) || result_is_of(&whole, others[i]));
    assert_false(results_are_of(none_ran, 2, "lbr"));
}

UNIT_TEST(words)
{
    static const char *const words[] = { "not run", "pass", "differs", "fail", "skip", "error", "unknown outcome" };
    static const enum outcome outcomes[] = { OUTCOME_NOT_RUN, OUTCOME_PASS,  OUTCOME_DIFFERS, OUTCOME_FAIL,
                                             OUTCOME_SKIP,    OUTCOME_ERROR, (enum outcome)6 };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        assert_string_equal(outcome_text(outcomes[i]), words[i]);
}
