/* SPDX-License-Identifier: MIT */
/* The verdicts of the facilities and of the run. A facility must not pass untested. */
#include "tests/host/unit_test.h"

#include "kernel/report/verdict.h"
#include "tests/host/lines.h"

/* A processor with all facilities. */
static const struct caps all;

/* A processor without facilities, each for a different reason. */
static const struct caps none = { .reason = { [CAPS_NEED_BTS] = CAPS_NO_DS_FLAG,
                                              [CAPS_NEED_PEBS] = CAPS_PEBS_CORE_HAS_NONE,
                                              [CAPS_NEED_LBR] = CAPS_LBR_NOT_INTEL } };

#define NO_BTS  "none: no DS (CPUID.1:EDX bit 21 clear)"
#define NO_PEBS "none: no PEBS (this core does not implement it)"
#define NO_LBR  "none: no LBR (not an Intel processor)"

/*
 * Results as text: + passed with records, = passed without, p passed and demanded none, ! failed, e without a verdict,
 * d differs, . not run, then the id; - skipped, s skipped though it demands no record, then ID:REASON; separated by ";
 * ".
 */
static size_t results_of(const char *run, struct result results[16])
{
    static char words[1024];
    size_t count = 0;

    snprintf(words, sizeof words, "%s", run);
    for (char *word = words, *next; word; word = next, count++) {
        next = strstr(word, "; ");
        if (next) {
            *next = '\0';
            next += 2;
        }
        char *const reason = strchr(word, ':');
        if (reason)
            *reason = '\0';
        assert_true(count < 16);
        results[count] = (struct result){ .id = word + 1, .why = reason ? reason + 1 : NULL };
        results[count].outcome = *word == '-' || *word == 's' ? OUTCOME_SKIP
                                 : *word == '!'               ? OUTCOME_FAIL
                                 : *word == 'e'               ? OUTCOME_ERROR
                                 : *word == 'd'               ? OUTCOME_DIFFERS
                                 : *word == '.'               ? OUTCOME_NOT_RUN
                                                              : OUTCOME_PASS;
        results[count].records = strchr("+p-!d.", *word) != NULL;
        results[count].seen = *word == '+' || *word == 'd';
    }
    return count;
}

/* On a processor model without a row, most tests are skipped. */
static const struct caps no_row = { .family = 6, .model = 0xff };
/* Only LBR; only LBR and BTS, and a PEBS register that raises #GP. */
static const struct caps
    lbr_alone = { .reason = { [CAPS_NEED_BTS] = CAPS_NO_DS_FLAG, [CAPS_NEED_PEBS] = CAPS_PEBS_CORE_HAS_NONE } },
    raises = { .reason = { [CAPS_NEED_PEBS] = CAPS_PEBS_ENABLE_RAISES_GP } };

#define NO_EVENT "no precise event is known for this processor model"
#define NO_DEPTH "no LBR (its depth is unknown for this processor model)"
#define OTHER    "no adaptive PEBS (IA32_PERF_CAPABILITIES bit 14 clear)"
#define NO_ROW   "; cpu/cores.c has no row for 06_ff"

/* What the facilities' lines say after their names, and the run's verdict. */
UNIT_TEST(facilities_and_verdict)
{
    static const struct {
        const struct caps *caps;
        const char *run;
        enum verdict verdict;
        const char *bts, *pebs, *lbr; /* NULL: not selected */
    } rows[] = {
        { &all,
          "+bts.calls; +pebs.loads; -pebs.adaptive:not adaptive; =lbr.registers; +lbr.tos; =bts.enable; .bts.more; "
          "-pebs.store:no store; -long.bts:too long",
          VERDICT_PASS, "pass 2 of 2", "pass 1 of 1, 2 do not apply", "pass 2 of 2" },
        { &all, "+bts.calls; +pebs.loads; dlbr.tos", VERDICT_PASS, "pass 1 of 1", "pass 1 of 1", "pass 1 of 1" },
        { &all, "!bts.calls; +bts.loop; !bts.far; +pebs.loads; -lbr.tos:no APIC", VERDICT_FAIL, "fail 2 of 3",
          "pass 1 of 1", "untested: no APIC" },
        /* A test without a verdict is not a pass of its facility; a test of another area is not counted. */
        { &all, "+bts.calls; ebts.loop; !ds.area; +pebs.loads", VERDICT_ERROR, "fail 1 of 2", "pass 1 of 1", NULL },
        { &all, "+bts.calls; !ds.area", VERDICT_FAIL, "pass 1 of 1", NULL, NULL },
        /* A failed test is a failure even if the processor reports that it lacks the facility. */
        { &none, "!bts.calls", VERDICT_FAIL, "fail 1 of 1", NO_PEBS, NO_LBR },
        { &all, "-bts.calls:no APIC; +pebs.loads; +lbr.tos", VERDICT_INCOMPLETE, "untested: no APIC", "pass 1 of 1",
          "pass 1 of 1" },
        /* Passed tests without records do not test a facility. */
        { &all, "=bts.enable; -bts.calls:no APIC; sbts.more:none of records", VERDICT_INCOMPLETE, "untested: no APIC",
          NULL, NULL },
        /* A register that raises #GP does not mean that the processor lacks the facility. */
        { &raises, "-pebs.loads:refused", VERDICT_INCOMPLETE, NULL, "untested: refused", NULL },
        /* More are skipped for the missing row than passed; the same number; more for another reason; a failure. */
        { &no_row,
          "+bts.calls; +pebs.a; =pebs.b; -pebs.c:" NO_EVENT "; -pebs.d:" NO_EVENT "; -pebs.e:" OTHER
          "; -pebs.f:" NO_EVENT "; -pebs.g:" OTHER "; -pebs.h:" OTHER "; -pebs.i:" OTHER
          "; +lbr.tos; -lbr.more:" NO_EVENT,
          VERDICT_INCOMPLETE, "pass 1 of 1", "untested: " NO_EVENT NO_ROW, "pass 1 of 1, 1 does not apply" },
        { &no_row,
          "+pebs.a; =pebs.b; -pebs.c:" NO_EVENT "; -pebs.d:" NO_EVENT "; -pebs.e:" OTHER "; -pebs.f:" OTHER
          "; -pebs.g:" OTHER "; -ds.h:" NO_EVENT,
          VERDICT_PASS, NULL, "pass 2 of 2, 5 do not apply", NULL },
        { &no_row, "!pebs.a; -pebs.c:" NO_EVENT "; -pebs.d:" NO_EVENT, VERDICT_FAIL, NULL,
          "fail 1 of 1, 2 do not apply", NULL },
        { &no_row, "-lbr.a:" NO_DEPTH, VERDICT_INCOMPLETE, NULL, NULL, "untested: " NO_DEPTH NO_ROW },
        /* Of several reasons the usual one, or the first one, is printed. */
        { &all,
          "-pebs.a:not adaptive; -pebs.b:no event; -pebs.c:no store; -pebs.d:no event; -lbrs.e:not adaptive; "
          "-pebs.f:not adaptive; -pebs.g:no event; spebs.h:not adaptive; spebs.i:not adaptive",
          VERDICT_INCOMPLETE, NULL, "untested: no event", NULL },
        { &all, "-pebs.a:first; -pebs.b:second", VERDICT_INCOMPLETE, NULL, "untested: first", NULL },
        /* Without a facility; the processor has one, but not the selected one. */
        { &none, "-bts.calls:no DS; -pebs.loads:no DS; -lbr.tos:not Intel; =robust.exceptions", VERDICT_SKIP, NO_BTS,
          NO_PEBS, NO_LBR },
        { &lbr_alone, "-bts.calls:no DS; -pebs.loads:no DS; +lbr.tos", VERDICT_PASS, NO_BTS, NO_PEBS, "pass 1 of 1" },
        { &lbr_alone, "-bts.calls:no DS; =robust.exceptions", VERDICT_SKIP, NO_BTS, NO_PEBS, NULL },
        { &all, "+bts.calls; .pebs.loads; .lbr.tos", VERDICT_PASS, "pass 1 of 1", NULL, NULL },
        { &none, "=robust.exceptions; .bts.calls", VERDICT_PASS, NO_BTS, NO_PEBS, NO_LBR },
        { &none, "-ds.area:no DS", VERDICT_SKIP, NO_BTS, NO_PEBS, NO_LBR },
        /* Tests that demand no record, and one that demands some and saw none. */
        { &all, "=bts.enable; =bts.readback; plbr.stopped", VERDICT_PASS, "not selected, 2 passed without records",
          NULL, "not selected, 1 passed without records" },
        { &all, "dds.area", VERDICT_PASS, NULL, NULL, NULL },
        { &all, "-ds.area:no reason", VERDICT_SKIP, NULL, NULL, NULL },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct facility facilities[FACILITIES];
        struct totals totals;
        struct result results[16];
        char said[1024];
        const size_t count = results_of(rows[i].run, results);

        results_count(results, count, &totals);
        facilities_judge(rows[i].caps, results, count, facilities);
        facilities_text(&into_lines, facilities);
        snprintf(said, sizeof said, "facility bts %s\nfacility pebs %s\nfacility lbr %s\n",
                 rows[i].bts ? rows[i].bts : "not selected", rows[i].pebs ? rows[i].pebs : "not selected",
                 rows[i].lbr ? rows[i].lbr : "not selected");
        printed(said);
        assert_int_equal(verdict_of(facilities, &totals), rows[i].verdict);
    }
}

/* scripts/machine and lab systems depend on both. */
UNIT_TEST(words_and_values)
{
    static const char *const words[] = { "pass", "fail", "skip", "error", "panic", "unknown verdict", "incomplete" };

    for (unsigned value = 0; value < COUNT_OF(words); value++)
        assert_string_equal(verdict_text((enum verdict)value), words[value]);
    assert_true(VERDICT_PASS == 0 && VERDICT_FAIL == 1 && VERDICT_SKIP == 2 && VERDICT_ERROR == 3 &&
                VERDICT_PANIC == 4);
}

static void expect_merged(enum facility_state one, enum facility_state other, enum facility_state both)
{
    struct facility into[FACILITIES] = {
        { .name = "bts", .state = one, .passed = 1, .failed = 2, .selected = 5, .reason = "one" }
    };
    const struct facility more[FACILITIES] = {
        { .name = "bts", .state = other, .passed = 10, .failed = 20, .selected = 50, .reason = "other", .kind = "atom" }
    };

    facilities_merge(into, more);
    assert_int_equal(into[0].state, both);
    assert_int_equal(into[0].passed, 11);
    assert_int_equal(into[0].failed, 22);
    assert_int_equal(into[0].selected, 55);
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

    facilities_text(&into_lines, facilities);
    printed("facility bts.atom pass 3 of 3, 1 does not apply\nfacility pebs.atom none: why\n"
            "facility lbr.atom2 fail 1 of 2, 2 do not apply\n");
}
