/* SPDX-License-Identifier: MIT */
/* The verdicts of the facilities and of the run. A facility must not pass untested. */
#include "tests/host/unit_test.h"

#include "kernel/report/verdict.h"

static char text[1024];

static void keep(void *context, const char *line)
{
    strncat(text, line, sizeof text - strlen(text) - 1);
    strncat(text, "\n", sizeof text - strlen(text) - 1);
}

static const struct line_sink sink = { keep, NULL };

/* Results of a typical run. */
#define RECORDS(name)                                                      \
    {                                                                      \
        .id = name, .records = true, .seen = true, .outcome = OUTCOME_PASS \
    }
#define NO_RECORDS(name)                    \
    {                                       \
        .id = name, .outcome = OUTCOME_PASS \
    }
#define SKIPPED(name, why)                   \
    {                                        \
        name, OUTCOME_SKIP, true, false, why \
    }
#define FAILED(name)                                                       \
    {                                                                      \
        .id = name, .records = true, .outcome = OUTCOME_FAIL, .why = "bad" \
    }
#define LEFT_OUT(name)                                          \
    {                                                           \
        .id = name, .records = true, .outcome = OUTCOME_NOT_RUN \
    }

/* A processor with all facilities. */
static const struct caps all;

/* A processor without facilities, each for a different reason. */
static const struct caps none = { .reason = { [CAPS_NEED_BTS] = CAPS_NO_DS_FLAG,
                                              [CAPS_NEED_PEBS] = CAPS_PEBS_CORE_HAS_NONE,
                                              [CAPS_NEED_LBR] = CAPS_LBR_NOT_INTEL } };

#define NO_BTS  "facility bts none: no DS: CPUID.1:EDX bit 21 clear\n"
#define NO_PEBS "facility pebs none: no PEBS: this core does not implement it\n"
#define NO_LBR  "facility lbr none: no LBR: not an Intel processor\n"

/* Compares the lines of the facilities and the verdict with the expected ones. */
static void assert_verdict(const struct caps *caps, const struct result *results, size_t count, enum verdict verdict,
                           const char *lines)
{
    struct facility facilities[FACILITIES];
    struct totals totals;

    text[0] = '\0';
    results_count(results, count, &totals);
    facilities_judge(caps, results, count, facilities);
    facilities_text(&sink, facilities);
    assert_string_equal(text, lines);
    assert_int_equal(verdict_of(facilities, &totals), verdict);
}

#define ASSERT_VERDICT(caps, verdict, lines, ...)                         \
    do {                                                                  \
        const struct result results[] = { __VA_ARGS__ };                  \
        assert_verdict(caps, results, COUNT_OF(results), verdict, lines); \
    } while (0)

UNIT_TEST(each_is_tested)
{
    ASSERT_VERDICT(&all, VERDICT_PASS,
                   "facility bts pass 2 of 2\nfacility pebs pass 1 of 1, 2 do not apply\n"
                   "facility lbr pass 2 of 2\n",
                   RECORDS("bts.calls"), RECORDS("pebs.loads"), SKIPPED("pebs.adaptive", "not adaptive"),
                   NO_RECORDS("lbr.registers"), RECORDS("lbr.tos"), NO_RECORDS("bts.enable"), LEFT_OUT("bts.more"),
                   SKIPPED("pebs.store", "no store"), SKIPPED("long.bts", "too long"));
    /* A test that differs counts as tested. */
    ASSERT_VERDICT(&all, VERDICT_PASS,
                   "facility bts pass 1 of 1\nfacility pebs pass 1 of 1\nfacility lbr pass 1 of 1\n",
                   RECORDS("bts.calls"), RECORDS("pebs.loads"),
                   { .id = "lbr.tos", .outcome = OUTCOME_DIFFERS, .records = true, .seen = true, .why = "more" });
}

UNIT_TEST(a_failure_is_counted)
{
    ASSERT_VERDICT(&all, VERDICT_FAIL,
                   "facility bts fail 2 of 3\nfacility pebs pass 1 of 1\nfacility lbr untested: no APIC\n",
                   FAILED("bts.calls"), RECORDS("bts.loop"), FAILED("bts.far"), RECORDS("pebs.loads"),
                   SKIPPED("lbr.tos", "no APIC"));
    /* A test without a verdict is not a pass of its facility; a test of another area is not counted. */
    ASSERT_VERDICT(
        &all, VERDICT_ERROR, "facility bts fail 1 of 2\nfacility pebs pass 1 of 1\nfacility lbr not selected\n",
        RECORDS("bts.calls"), { .id = "bts.loop", .outcome = OUTCOME_ERROR }, FAILED("ds.area"), RECORDS("pebs.loads"));
    ASSERT_VERDICT(&all, VERDICT_FAIL,
                   "facility bts pass 1 of 1\nfacility pebs not selected\nfacility lbr not selected\n",
                   RECORDS("bts.calls"), FAILED("ds.area"));
    /* A failed test is a failure even if the processor reports that it lacks the facility. */
    ASSERT_VERDICT(&none, VERDICT_FAIL, "facility bts fail 1 of 1\n" NO_PEBS NO_LBR, FAILED("bts.calls"));
}

UNIT_TEST(an_untested_facility_is_incomplete)
{
    struct caps caps = all;

    ASSERT_VERDICT(&all, VERDICT_INCOMPLETE,
                   "facility bts untested: no APIC\nfacility pebs pass 1 of 1\nfacility lbr pass 1 of 1\n",
                   SKIPPED("bts.calls", "no APIC"), RECORDS("pebs.loads"), RECORDS("lbr.tos"));
    ASSERT_VERDICT(&all, VERDICT_INCOMPLETE,
                   "facility bts pass 1 of 1\nfacility pebs untested: no event\nfacility lbr pass 1 of 1\n",
                   RECORDS("bts.calls"), SKIPPED("pebs.loads", "no event"), RECORDS("lbr.tos"));
    ASSERT_VERDICT(&all, VERDICT_INCOMPLETE,
                   "facility bts pass 1 of 1\nfacility pebs pass 1 of 1\nfacility lbr untested: no stack\n",
                   RECORDS("bts.calls"), RECORDS("pebs.loads"), SKIPPED("lbr.tos", "no stack"));
    /* Passed tests without records do not test a facility. */
    ASSERT_VERDICT(&all, VERDICT_INCOMPLETE,
                   "facility bts untested: no APIC\nfacility pebs not selected\nfacility lbr not selected\n",
                   NO_RECORDS("bts.enable"), SKIPPED("bts.calls", "no APIC"),
                   { .id = "bts.more", .outcome = OUTCOME_SKIP, .why = "none of records" });
    /* A register that raises #GP does not mean that the processor lacks the facility. */
    caps.reason[CAPS_NEED_PEBS] = CAPS_PEBS_ENABLE_RAISES_GP;
    ASSERT_VERDICT(&caps, VERDICT_INCOMPLETE,
                   "facility bts not selected\nfacility pebs untested: refused\nfacility lbr not selected\n",
                   SKIPPED("pebs.loads", "refused"));
}

/*
 * On a processor model without a row, most tests are skipped. If more are skipped than passed, the facility is
 * untested.
 */
UNIT_TEST(a_missing_row_is_no_pass)
{
    static const char no_event[] = "no precise event is known for this processor model",
                      no_depth[] = "no LBR: its depth is unknown for this processor model",
                      other[] = "no adaptive PEBS: IA32_PERF_CAPABILITIES bit 14 clear";
    const struct caps caps = { .family = 6, .model = 0xff };

    ASSERT_VERDICT(&caps, VERDICT_INCOMPLETE,
                   "facility bts pass 1 of 1\n"
                   "facility pebs untested: no precise event is known for this processor model; cpu/cores.c has no row "
                   "for 06_ff\nfacility lbr pass 1 of 1, 1 does not apply\n",
                   RECORDS("bts.calls"), RECORDS("pebs.a"), NO_RECORDS("pebs.b"), SKIPPED("pebs.c", no_event),
                   SKIPPED("pebs.d", no_event), SKIPPED("pebs.e", other), SKIPPED("pebs.f", no_event),
                   SKIPPED("pebs.g", other), SKIPPED("pebs.h", other), SKIPPED("pebs.i", other), RECORDS("lbr.tos"),
                   SKIPPED("lbr.more", no_event));
    /* The same number; more skips for another reason; a failure. */
    ASSERT_VERDICT(&caps, VERDICT_PASS,
                   "facility bts not selected\nfacility pebs pass 2 of 2, 5 do not apply\nfacility lbr not selected\n",
                   RECORDS("pebs.a"), NO_RECORDS("pebs.b"), SKIPPED("pebs.c", no_event), SKIPPED("pebs.d", no_event),
                   SKIPPED("pebs.e", other), SKIPPED("pebs.f", other), SKIPPED("pebs.g", other),
                   SKIPPED("ds.h", no_event));
    ASSERT_VERDICT(&caps, VERDICT_FAIL,
                   "facility bts not selected\nfacility pebs fail 1 of 1, 2 do not apply\nfacility lbr not selected\n",
                   FAILED("pebs.a"), SKIPPED("pebs.c", no_event), SKIPPED("pebs.d", no_event));
    ASSERT_VERDICT(&caps, VERDICT_INCOMPLETE,
                   "facility bts not selected\nfacility pebs not selected\nfacility lbr untested: no LBR: its depth is "
                   "unknown for this processor model; cpu/cores.c has no row for 06_ff\n",
                   SKIPPED("lbr.a", no_depth));
}

UNIT_TEST(of_several_reasons_the_usual_one_is_printed)
{
    ASSERT_VERDICT(&all, VERDICT_INCOMPLETE,
                   "facility bts not selected\nfacility pebs untested: no event\nfacility lbr not selected\n",
                   SKIPPED("pebs.a", "not adaptive"), SKIPPED("pebs.b", "no event"), SKIPPED("pebs.c", "no store"),
                   SKIPPED("pebs.d", "no event"), SKIPPED("lbrs.e", "not adaptive"), SKIPPED("pebs.f", "not adaptive"),
                   SKIPPED("pebs.g", "no event"), { .id = "pebs.h", .outcome = OUTCOME_SKIP, .why = "not adaptive" },
                   { .id = "pebs.i", .outcome = OUTCOME_SKIP, .why = "not adaptive" });
    ASSERT_VERDICT(&all, VERDICT_INCOMPLETE,
                   "facility bts not selected\nfacility pebs untested: first\nfacility lbr not selected\n",
                   SKIPPED("pebs.a", "first"), SKIPPED("pebs.b", "second"));
}

UNIT_TEST(no_facility_is_a_skip)
{
    struct caps lbr_alone = none;

    ASSERT_VERDICT(&none, VERDICT_SKIP, NO_BTS NO_PEBS NO_LBR, SKIPPED("bts.calls", "no DS"),
                   SKIPPED("pebs.loads", "no DS"), SKIPPED("lbr.tos", "not Intel"), NO_RECORDS("robust.exceptions"));
    lbr_alone.reason[CAPS_NEED_LBR] = CAPS_AVAILABLE;
    ASSERT_VERDICT(&lbr_alone, VERDICT_PASS, NO_BTS NO_PEBS "facility lbr pass 1 of 1\n", SKIPPED("bts.calls", "no DS"),
                   SKIPPED("pebs.loads", "no DS"), RECORDS("lbr.tos"));
    /* The processor has a facility, but not the selected one. */
    ASSERT_VERDICT(&lbr_alone, VERDICT_SKIP, NO_BTS NO_PEBS "facility lbr not selected\n",
                   SKIPPED("bts.calls", "no DS"), NO_RECORDS("robust.exceptions"));
}

UNIT_TEST(an_unselected_facility_is_neither_claimed_nor_missed)
{
    ASSERT_VERDICT(&all, VERDICT_PASS,
                   "facility bts pass 1 of 1\nfacility pebs not selected\nfacility lbr not selected\n",
                   RECORDS("bts.calls"), LEFT_OUT("pebs.loads"), LEFT_OUT("lbr.tos"));
    ASSERT_VERDICT(&none, VERDICT_PASS, NO_BTS NO_PEBS NO_LBR, NO_RECORDS("robust.exceptions"), LEFT_OUT("bts.calls"));
    ASSERT_VERDICT(&none, VERDICT_SKIP, NO_BTS NO_PEBS NO_LBR, SKIPPED("ds.area", "no DS"));
    /* Tests that demand no record, and saw none. */
    ASSERT_VERDICT(&all, VERDICT_PASS,
                   "facility bts not selected, 2 passed without records\nfacility pebs not selected\n"
                   "facility lbr not selected, 1 passed without records\n",
                   NO_RECORDS("bts.enable"), NO_RECORDS("bts.readback"),
                   { .id = "lbr.stopped", .records = true, .outcome = OUTCOME_PASS });
    ASSERT_VERDICT(&all, VERDICT_PASS,
                   "facility bts not selected\nfacility pebs not selected\nfacility lbr not selected\n",
                   { .id = "ds.area", .outcome = OUTCOME_DIFFERS, .records = true, .seen = true, .why = "more" });
    ASSERT_VERDICT(&all, VERDICT_SKIP,
                   "facility bts not selected\nfacility pebs not selected\nfacility lbr not selected\n",
                   SKIPPED("ds.area", "no reason"));
}

/* scripts/machine and lab systems depend on both. */
UNIT_TEST(words_and_values)
{
    assert_string_equal(verdict_text(VERDICT_PASS), "pass");
    assert_string_equal(verdict_text(VERDICT_FAIL), "fail");
    assert_string_equal(verdict_text(VERDICT_SKIP), "skip");
    assert_string_equal(verdict_text(VERDICT_ERROR), "error");
    assert_string_equal(verdict_text(VERDICT_PANIC), "panic");
    assert_string_equal(verdict_text(VERDICT_INCOMPLETE), "incomplete");
    assert_string_equal(verdict_text((enum verdict)5), "unknown verdict");
    assert_int_equal(VERDICT_PASS, 0);
    assert_int_equal(VERDICT_FAIL, 1);
    assert_int_equal(VERDICT_SKIP, 2);
    assert_int_equal(VERDICT_ERROR, 3);
    assert_int_equal(VERDICT_PANIC, 4);
    assert_int_equal(VERDICT_INCOMPLETE, 6);
}

static void expect_merged(enum facility_state one, enum facility_state other, enum facility_state both)
{
    struct facility into[FACILITIES] = { { .name = "bts", .state = one, .passed = 1, .selected = 3, .reason = "one" } };
    const struct facility more[FACILITIES] = {
        { .name = "bts", .state = other, .passed = 10, .failed = 20, .selected = 50, .reason = "other", .kind = "atom" }
    };

    facilities_merge(into, more);
    assert_int_equal(into[0].state, both);
    assert_int_equal(into[0].passed, 11);
    assert_int_equal(into[0].failed, 20);
    assert_int_equal(into[0].selected, 53);
    assert_string_equal(into[0].reason, both == one ? "one" : "other");
    assert_null(into[0].kind);
}

/* The worst state of all kinds counts. A facility exists if one kind has it. */
UNIT_TEST(kinds_are_merged)
{
    static const enum facility_state order[] = { FACILITY_NONE, FACILITY_NOT_SELECTED, FACILITY_PASS, FACILITY_UNTESTED,
                                                 FACILITY_FAIL };

    for (size_t i = 0; i < COUNT_OF(order); i++)
        for (size_t k = 0; k < COUNT_OF(order); k++)
            expect_merged(order[i], order[k], order[i > k ? i : k]);
}

UNIT_TEST(a_kind_has_its_lines)
{
    const struct facility facilities[FACILITIES] = {
        { .name = "bts", .state = FACILITY_PASS, .passed = 3, .selected = 4, .kind = "atom" },
        { .name = "pebs", .state = FACILITY_NONE, .reason = "why", .kind = "atom" },
        { .name = "lbr", .state = FACILITY_FAIL, .passed = 1, .failed = 1, .selected = 4, .kind = "atom2" },
    };

    text[0] = '\0';
    facilities_text(&sink, facilities);
    assert_string_equal(text, "facility bts.atom pass 3 of 3, 1 does not apply\nfacility pebs.atom none: why\n"
                              "facility lbr.atom2 fail 1 of 2, 2 do not apply\n");
}
