/* SPDX-License-Identifier: MIT */
/* The judge of logs accepts logs that a kernel prints, and finds each mistake that is planted in one. */
#include "tests/host/unit_test.h"

#include "tools/lib/log_judge.h"

#define EDITS 8u

/* A change of a log: `from` occurs once. */
struct edit {
    const char *from, *to;
};

struct row {
    const char *complaint;
    enum log_status status;
    struct edit edits[EDITS];
};

static const char plain[] = "BdsDxe: starting Boot0002\n"
                            "# begin dstest86 0.1.0 abc 64\n"
                            "KTAP version 1\n"
                            "1..5\n"
                            "# test ds.one\n"
                            "ok 1 ds.one\n"
                            "# differs: before it failed\n"
                            "not ok 2 bts.one\n"
                            "ok 3 pebs.one # SKIP no PEBS\n"
                            "# differs: a cycle\n"
                            "ok 4 lbr.one\n"
                            "ok 5 bts.two\n"
                            "# area               pass differs    fail    skip   error\n"
                            "# area ds               1       0       0       0       0\n"
                            "# area bts              1       0       1       0       0\n"
                            "# area pebs             0       0       0       1       0\n"
                            "# area lbr              0       1       0       0       0\n"
                            "# fail bts.one: a branch\n"
                            "# differs lbr.one: a cycle\n"
                            "# result ds.one pass\n"
                            "# result bts.one fail\n"
                            "# result bts.two pass\n"
                            "# result pebs.one skip\n"
                            "# result lbr.one differs\n"
                            "# facility bts fail 1 of 2\n"
                            "# facility pebs none: no PEBS\n"
                            "# facility lbr pass 1 of 1\n"
                            "# end dstest86 verdict=fail pass=2 fail=1 skip=1 error=0 differs=1\n";

/* A hybrid runs all tests on each kind of core. */
static const char hybrid[] = "# begin dstest86 0.1.0 abc 64\n"
                             "# cpu 0 apic 0x0 Core Golden Cove, kind core: 2 of 4 processors\n"
                             "# cpu 2 apic 0x2 Atom Gracemont, kind atom: 2 of 4 processors\n"
                             "1..4\n"
                             "ok 1 bts.one\n"
                             "ok 2 lbr.one\n"
                             "# tests on cpu 2 apic 0x2 Atom Gracemont\n"
                             "ok 3 bts.one.atom\n"
                             "ok 4 lbr.one.atom # SKIP no depth\n"
                             "# area pass differs fail skip error\n"
                             "# area bts 2 0 0 0 0\n"
                             "# area lbr 1 0 0 1 0\n"
                             "# facility bts pass 1 of 1\n"
                             "# facility bts.atom pass 1 of 1\n"
                             "# facility pebs not selected\n"
                             "# facility pebs.atom not selected\n"
                             "# facility lbr pass 1 of 1\n"
                             "# facility lbr.atom none: no LBR\n"
                             "# end dstest86 verdict=pass pass=3 fail=0 skip=1 error=0 differs=0 kinds=core,atom\n";

/* ---- judging ---- */

static char problems[0x10000];
static char reason[LOG_PROBLEM_SIZE];

static void on_problem(void *context, uint64_t line, const char *text)
{
    const size_t used = strlen(problems);

    assert_ptr_equal(context, problems);
    snprintf(problems + used, sizeof problems - used, "%s%.0u%s%s\n", line ? "line " : "", (unsigned)line,
             line ? ": " : "", text);
}

/* Judges a text; its problems are in problems[]. tests/fuzz/log_judge.c reads logs in pieces. */
static enum log_status judge_bytes(const char *text, size_t length)
{
    static struct log_judge *judge;
    char *const bytes = exact_copy(text, length);
    enum log_status status;

    if (!judge)
        judge = memset(malloc(log_judge_size()), 0xa5, log_judge_size());
    problems[0] = '\0';
    log_judge_init(judge, on_problem, problems);
    log_judge_read(judge, bytes, length);
    free(bytes);
    status = log_judge_end(judge);
    snprintf(reason, sizeof reason, "%s", log_judge_reason(judge));
    assert_int_equal(status == LOG_UNUSABLE, problems[0] != '\0');
    return status;
}

static enum log_status judge_text(const char *text)
{
    return judge_bytes(text, strlen(text));
}

/* One of the problems has these words; "": there is none. */
static void expect(size_t row, const char *text, enum log_status status, const char *complaint)
{
    assert_int_equal(judge_text(text), status);
    if (complaint[0] ? !strstr(problems, complaint) : problems[0] != '\0')
        fail_msg("row %zu: expected \"%s\", got:\n%s", row, complaint, problems);
}

/* Replaces `from`, which must occur exactly once. */
static void replace(char *text, const struct edit *edit)
{
    char *const at = strstr(text, edit->from);
    const size_t from = strlen(edit->from), to = strlen(edit->to);

    if (!at || strstr(at + 1, edit->from))
        fail_msg("does not occur once: %s", edit->from);
    memmove(at + to, at + from, strlen(at + from) + 1);
    memcpy(at, edit->to, to);
}

static void judge_rows(const char *log, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[4096];
        strcpy(text, log);
        for (unsigned k = 0; k < EDITS && rows[i].edits[k].from; k++)
            replace(text, &rows[i].edits[k]);
        expect(i, text, rows[i].status, rows[i].complaint);
    }
}

#define BAD(complaint, ...)      \
    {                            \
        complaint, LOG_UNUSABLE, \
        {                        \
            __VA_ARGS__          \
        }                        \
    }
#define GOOD(status, ...) \
    {                     \
        "", status,       \
        {                 \
            __VA_ARGS__   \
        }                 \
    }

UNIT_TEST(correct_logs)
{
    assert_int_equal(judge_text(plain), LOG_FAIL);
    assert_string_equal(problems, "");
    assert_string_equal(reason, "bts.one");
    assert_int_equal(judge_text(hybrid), LOG_PASS);
    assert_string_equal(problems, "");
    assert_string_equal(reason, "");
}

/* One mistake each. */
UNIT_TEST(mistakes)
{
    static const struct row rows[] = {
        BAD("line 3: \"# begin\" occurs twice",
            { "# begin dstest86 0.1.0 abc 64\n", "# begin dstest86 0.1.0 abc 64\n# begin dstest86 0.1.0 abc 64\n" }),
        BAD("no \"# begin dstest86\" line: not a log of dstest86, or its beginning is missing",
            { "# begin dstest86 0.1.0 abc 64\n", "" }),
        BAD("not \"# begin dstest86 VERSION REVISION WIDTH\"", { "abc 64", "abc 6x" }),
        BAD("not \"# begin dstest86 VERSION REVISION WIDTH\"", { "abc 64", "abc linux6" }),
        BAD("the line \"# end\" occurs 2 times, not once",
            { "differs=1\n", "differs=1\n# end dstest86 verdict=fail\n" }),
        BAD("no \"# end dstest86\" line: the log is cut short", { "# end dstest86", "# and dstest86" }),
        BAD("no \"# end dstest86\" line: the log is cut short", { "# end dstest86", "# end dstest86_2" }),
        BAD("\"# end\" has no verdict", { "verdict=fail ", "" }),
        BAD("verdict=failed is not a verdict", { "verdict=fail", "verdict=failed" }),
        BAD("no plan", { "1..5\n", "" }),
        BAD("the plan has 5 tests, 4 were reported", { "ok 5 bts.two\n", "" }),
        BAD("the plan has 4 tests, 5 were reported", { "1..5", "1..4" }),
        BAD("pebs.one has number 4, not 3", { "ok 3", "ok 4" }),
        BAD("line 8: ds.one reported twice", { "not ok 2 bts", "not ok 2 ds" }),
        BAD("the table has 0 0 0 1 0 for pebs, counted 1 0 0 0 0", { "# SKIP no", "# SKIPPED no" }),
        BAD("skipped without a reason", { "SKIP no PEBS", "SKIP" }),
        BAD("is skipped, but \"not ok\"", { "ok 3", "not ok 3" }),
        BAD("not a result line: ok 1ds.one", { "ok 1 ds.one\n", "ok 1ds.one\n" }),
        BAD("not a result line: ok 1 ds.one#", { "ok 1 ds.one\n", "ok 1 ds.one# SKIP a\n" }),
        BAD("recap has nothing for ds.one", { "# result ds.one pass\n", "" }),
        BAD("recap has pass for bts.one, which is fail", { "bts.one fail", "bts.one pass" }),
        BAD("recap has pass for ds.two, which is unknown", { "result ds.one", "result ds.two" }),
        BAD("not a line of the recap", { "result ds.one pass", "result ds.one good" }),
        BAD("not a line of the recap", { "result ds.one pass", "result ds.one pass again" }),
        BAD("says skip=0, counted 1", { "skip=1", "skip=0" }),
        BAD("says differs=0, counted 1", { "differs=1", "differs=0" }),
        BAD("says differs=nothing, counted 1", { " differs=1", "" }),
        BAD("verdict=pass, but the results make it fail", { "verdict=fail", "verdict=pass" }),
        BAD("verdict=panic, but the log has no line \"# panic\"", { "verdict=fail", "verdict=panic" }),
        BAD("verdict=fail, but the log has a line \"# panic\"",
            { "ok 5 bts.two\n", "ok 5 bts.two\n# panic vector 3\n" }),
        BAD("the table has 2 0 1 0 0 for bts, counted 1 0 1 0 0", { "bts              1", "bts              2" }),
        BAD("the table has 0 0 0 0 0 for pmi, counted nothing", { "# fail bts", "# area pmi 0 0 0 0 0\n# fail bts" }),
        BAD("the table has nothing for ds, counted 1 0 0 0 0",
            { "ds               1       0       0       0       0",
              "ds               1       0       0       0       0 0" }),
        BAD("a second table by area", { "# fail bts", "# area pass differs fail skip error\n# fail bts" }),
        BAD("the table has nothing for bts, counted 1 0 1 0 0",
            { "# area               pass differs    fail    skip   error\n", "" }),
        BAD("the end gives no reason for bts.one, which is fail", { "# fail bts.one: a branch\n", "" }),
        BAD("the end gives no reason for bts.one", { "# fail bts.one: a branch", "# fail bts.one: " }),
        BAD("the end gives error reason for bts.one, which is fail", { "# fail bts", "# error bts" }),
        BAD("the end gives fail reason for bts.two, which is pass", { "# fail bts.one", "# fail bts.two" }),
        BAD("the end gives fail reason for bts.ten, which is not there", { "# fail bts.one", "# fail bts.ten" }),
        BAD("no line for the facility lbr", { "# facility lbr pass 1 of 1\n", "" }),
        BAD("a second line for the facility lbr", { "# facility lbr", "# facility lbr pass 1 of 1\n# facility lbr" }),
        BAD("the facility pt is unknown", { "# facility lbr", "# facility pt" }),
        BAD("line 28: text after the line \"# end\": # facility lbr pass 1 of 1",
            { "# facility lbr pass 1 of 1\n", "" }, { "differs=1\n", "differs=1\n# facility lbr pass 1 of 1\n" }),
        BAD("not a line of a facility", { "# facility lbr pass 1 of 1", "# facility lbr" }),
        BAD("\"facility bts pass 1 of 2", { "bts fail 1 of 2", "bts pass 1 of 2" }),
        BAD("\"facility bts fail 2 of 2", { "bts fail 1 of 2", "bts fail 2 of 2" }),
        BAD("\"facility bts fail 1 of 2, 1 does not apply", { "bts fail 1 of 2", "bts fail 1 of 2, 1 does not apply" }),
        BAD("\"facility bts not selected, 1 passed without records",
            { "bts fail 1 of 2", "bts not selected, 1 passed without records" }),
        BAD("\"facility lbr none: no LBR", { "lbr pass 1 of 1", "lbr none: no LBR" }),
        BAD("\"facility lbr untested: no LBR", { "lbr pass 1 of 1", "lbr untested: no LBR" }),
        BAD("\"facility lbr not selected", { "lbr pass 1 of 1", "lbr not selected" }),
        BAD("\"facility lbr not selected, 2 passed without records",
            { "lbr pass 1 of 1", "lbr not selected, 2 passed without records" }),
        BAD("\"facility pebs pass 0 of 1", { "pebs none: no PEBS", "pebs pass 0 of 1" }),
        BAD("\"facility pebs", { "pebs none: no PEBS", "pebs none: " }),
        BAD("\"facility pebs", { "pebs none: no PEBS", "pebs untested: " }),
    };
    judge_rows(plain, rows, COUNT_OF(rows));
}

/* The kinds of cores of a hybrid. */
UNIT_TEST(kinds)
{
    static const struct row rows[] = {
        BAD("names the kinds none, the tests ran on atom", { " kinds=core,atom", "" }),
        BAD("bts.one ran on 2 kinds of cores, not 1", { "kinds=core,", "kinds=" }),
        BAD("names the kinds core, the tests ran on atom", { ",atom\n", "\n" }),
        BAD("names the kinds core,atom,atom2, the tests ran on atom", { ",atom\n", ",atom,atom2\n" }),
        BAD("lbr.one ran on 1 kinds of cores, not 2", { "1..4", "1..3" },
            { "ok 4 lbr.one.atom # SKIP no depth\n", "" }),
        BAD("names the kinds core,atom, the tests ran on the first only", { "ok 3 bts.one.atom\n", "" },
            { "ok 4 lbr.one.atom # SKIP no depth\n", "" }),
        BAD("names the kinds core,atom, the tests ran on atom", { "ok 1 bts.one\n", "" }, { "ok 2 lbr.one\n", "" }),
        BAD("the facility bts.atom2 is unknown",
            { "# facility bts.atom", "# facility bts.atom2 pass 1 of 1\n# facility bts.atom" }),
        BAD("\"facility bts.atom pass 1 of 2\", but of 1 tests", { "bts.atom pass 1 of 1", "bts.atom pass 1 of 2" }),
        BAD("verdict=pass, but the results make it incomplete", { "lbr.atom none", "lbr.atom untested" }),
        BAD("the tests of the kinds are mixed", { "ok 1 bts.one\n", "ok 1 bts.one.atom\n" },
            { "ok 3 bts.one.atom\n", "ok 3 bts.one\n" }),
        BAD("the tests of the kinds are mixed", { "ok 1 bts.one\n", "ok 1 bts.one.atom\n" },
            { "ok 2 lbr.one\n", "ok 2 lbr.one.atom # SKIP no depth\n" }, { "ok 3 bts.one.atom\n", "ok 3 bts.one\n" },
            { "ok 4 lbr.one.atom # SKIP no depth\n", "ok 4 lbr.one\n" }),
        BAD("\"# tests on\" occurs 0 times, but tests ran on 1 further kinds of cores",
            { "# tests on cpu 2 apic 0x2 Atom Gracemont\n", "" }),
        BAD("\"# tests on\" occurs 0 times",
            { "# tests on cpu 2 apic 0x2 Atom Gracemont", "# tests on cpu 2 apic 0x2" }),
        BAD("\"# tests on\" occurs 2 times, but tests ran on 1 further kinds of cores",
            { "# tests on", "# tests on cpu 2 apic 0x2 Atom Gracemont\n# tests on" }),
        BAD("\"# end\" names the kind atom, which no processor in the head has",
            { "# cpu 2 apic 0x2 Atom Gracemont, kind atom: 2 of 4 processors\n", "" }),
        BAD("verdict=pass, but the results make it error",
            { "no depth\n", "no depth\n# error: cpu 2 does not respond\n" }, { "error=0", "error=1" }),
    };
    judge_rows(hybrid, rows, COUNT_OF(rows));
}

/* If the processor of a kind does not start, its tests are errors, and no line says that they run there. */
UNIT_TEST(a_kind_that_does_not_start)
{
#define ERRORS                                                                                         \
    { "ok 3 bts.one.atom\n", "not ok 3 bts.one.atom # ERROR x\n" },                                    \
        { "ok 4 lbr.one.atom # SKIP no depth\n", "not ok 4 lbr.one.atom # ERROR x\n" },                \
        { "bts 2 0 0 0 0\n# area lbr 1 0 0 1 0\n",                                                     \
          "bts 1 0 0 0 1\n# area lbr 1 0 0 0 1\n# error bts.one.atom: x\n# error lbr.one.atom: x\n" }, \
        { "bts.atom pass", "bts.atom fail" }, { "lbr.atom none: no LBR", "lbr.atom fail 1 of 1" },     \
    {                                                                                                  \
        "=pass pass=3 fail=0 skip=1 error=0", "=error pass=2 fail=0 skip=0 error=2"                    \
    }
    static const struct row rows[] = {
        GOOD(LOG_ERROR, ERRORS),
        GOOD(LOG_ERROR, ERRORS, { "# tests on cpu 2 apic 0x2 Atom Gracemont\n", "" }),
        BAD("\"# tests on\" occurs 2 times, but tests ran on 0 further kinds of cores", ERRORS,
            { "# tests on", "# tests on cpu 2 apic 0x2 Atom Gracemont\n# tests on" }),
    };
    judge_rows(hybrid, rows, COUNT_OF(rows));
}

#define MENDED                                                                                                      \
    { "not ok 2", "ok 2" }, { "result bts.one fail", "result bts.one differs" }, { "# fail bts", "# differs bts" }, \
        { "1       0       1       0       0\n", "1       1       0       0       0\n" },                           \
    {                                                                                                               \
        "# facility bts fail 1 of 2", "# facility bts pass 2 of 2"                                                  \
    }
#define END            "# end dstest86 verdict=fail pass=2 fail=1 skip=1 error=0 differs=1"
#define ENDED(verdict) "# end dstest86 verdict=" verdict " pass=2 fail=0 skip=1 error=0 differs=2"

/* A log permits one verdict. */
UNIT_TEST(verdicts)
{
    static const struct row rows[] = {
        GOOD(LOG_PASS, MENDED, { END, ENDED("pass") }),
        BAD("verdict=incomplete, but the results make it pass", MENDED, { END, ENDED("incomplete") }),
        GOOD(LOG_ERROR, { "not ok 2 bts.one", "not ok 2 bts.one # ERROR" },
             { "result bts.one fail", "result bts.one error" }, { "# fail bts", "# error bts" },
             { "1       0       1       0       0\n", "1       0       0       0       1\n" },
             { END, "# end dstest86 verdict=error pass=2 fail=0 skip=1 error=1 differs=1" }),
        GOOD(LOG_FAIL, { "pebs none: no PEBS", "pebs untested: no APIC" }),
        GOOD(LOG_FAIL, { "pebs none: no PEBS", "pebs not selected" }),
        GOOD(LOG_FAIL, { "lbr pass 1 of 1", "lbr not selected, 1 passed without records" }),
        GOOD(LOG_FAIL, { "# area pebs             0       0       0       1       0\n", "" }),
        GOOD(LOG_FAIL, { "# result ds.one pass\n", "" }, { "# result bts.one fail\n", "" },
             { "# result bts.two pass\n", "" }, { "# result pebs.one skip\n", "" },
             { "# result lbr.one differs\n", "" }),
        GOOD(LOG_FAIL, { "abc 64", "abc linux" }),
        GOOD(LOG_FAIL, { "ok 3 pebs.one", "# differs: before it was skipped\nok 3 pebs.one" }),
        GOOD(LOG_FAIL, { "differs=1\n", "differs=1" }),
        BAD("the table has nothing for bts, counted 0 0 0 0 1", { "not ok 2 bts.one", "not ok 2 bts.one # ERROR" },
            { "ok 5 bts.two", "ok 5 ds.two" }, { "# area bts              1       0       1       0       0\n", "" }),
        GOOD(LOG_FAIL, { "BdsDxe: starting Boot0002", "ok 1\n1..7\n# end dstest86 verdict=pass" }),
        GOOD(LOG_FAIL, { "KTAP version 1\n", "KTAP version 1\n# is # begin dstest86\n# an # end dstest86 verdict=pass\n"
                                             "# not ok 2\nokay\n# 1..9\n# a # result x pass\n# fail lbr.one: no\n" }),
    };
    judge_rows(plain, rows, COUNT_OF(rows));
}

UNIT_TEST(untested_is_incomplete)
{
    static const struct row row = GOOD(LOG_INCOMPLETE, { "lbr.atom none: no LBR", "lbr.atom untested: no APIC" },
                                       { "verdict=pass", "verdict=incomplete" });
    judge_rows(hybrid, &row, 1);
    assert_string_equal(reason, "lbr.atom untested: no APIC");
}

/* "of" counts the tests that apply or, in older logs, all of them. */
UNIT_TEST(skipped_tests_of_a_facility)
{
#define SKIPPED                                                                           \
    { "ok 5 bts.two", "ok 5 bts.two # SKIP why" },                                        \
        { "1       0       1       0       0\n", "0       0       1       1       0\n" }, \
        { "# result bts.two pass", "# result bts.two skip" }, { "pass=2", "pass=1" },     \
    {                                                                                     \
        "skip=1", "skip=2"                                                                \
    }
    static const struct row rows[] = {
        GOOD(LOG_FAIL, SKIPPED, { "fail 1 of 2", "fail 1 of 1, 1 does not apply" }),
        GOOD(LOG_FAIL, SKIPPED),
        BAD("\"facility bts fail 1 of 1\"", SKIPPED, { "fail 1 of 2", "fail 1 of 1" }),
        BAD("\"facility bts fail 1 of 1, 1 does not apply here\"", SKIPPED,
            { "fail 1 of 2", "fail 1 of 1, 1 does not apply here" }),
        BAD("\"facility bts fail 1 of 1, 2 do not apply\"", SKIPPED, { "fail 1 of 2", "fail 1 of 1, 2 do not apply" }),
    };
    judge_rows(plain, rows, COUNT_OF(rows));
}

/* Logs that end early, or lack a facility that the machine has. */
UNIT_TEST(short_logs)
{
#define NO_DS                                                                              \
    "# area pass differs fail skip error\n# area robust 1 0 0 0 0\n# area bts 0 0 0 1 0\n" \
    "# facility bts none: no DS\n# facility pebs none: no DS\n# facility lbr none: no DS\n"
#define NONE "1..2\nok 1 robust.one\nok 2 bts.one # SKIP no DS\n" NO_DS
    static const struct {
        const char *lines, *verdict;
        unsigned pass, skip, error;
        enum log_status status;
        const char *complaint;
    } rows[] = {
        { "# error: unknown option: ruun\n", "error", 0, 0, 1, LOG_ERROR, "" },
        { "", "error", 0, 0, 1, LOG_UNUSABLE, "no plan" },
        { "# test ds.one: a title\n", "skip", 0, 0, 0, LOG_SKIP, "" },
        { "1..2\nok 1 ds.one\n# panic vector 3\n", "panic", 1, 0, 0, LOG_PANIC, "" },
        { "1..2\nok 1 ds.one\n", "panic", 1, 0, 0, LOG_UNUSABLE, "has no line \"# panic\"" },
        { "1..2\nok 1 ds.one\n# panic vector 3\n", "panic", 2, 0, 0, LOG_UNUSABLE, "says pass=2, counted 1" },
        { "1..1\nok 1 ds.one\nok 2 ds.two\n# panic vector 3\n", "panic", 2, 0, 0, LOG_UNUSABLE,
          "the plan has 1 tests, 2 were reported" },
        { "", "pass", 0, 0, 0, LOG_UNUSABLE, "no plan\nverdict=pass, but the results make it error" },
        { NONE, "skip", 1, 1, 0, LOG_SKIP, "" },
        { NONE, "pass", 1, 1, 0, LOG_UNUSABLE, "verdict=pass, but the results make it skip" },
        { "1..2\nok 1 robust.one\nok 2 ds.one # SKIP no DS\n# area pass differs fail skip error\n# area robust 1 0 0 0 "
          "0\n"
          "# facility bts none: no DS\n# facility pebs none: no DS\n# facility lbr none: no DS\n",
          "pass", 1, 1, 0, LOG_PASS, "" },
        { "1..2\nok 1 robust.one\nok 2 bts.one # SKIP no DS\n# area pass differs fail skip error\n# area robust 1 0 0 "
          "0 0\n"
          "# facility bts none: no DS\n# facility pebs none: no DS\n# facility lbr not selected\n",
          "skip", 1, 1, 0, LOG_SKIP, "" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "# begin dstest86 0.1.0 abc 64\n%s# end dstest86 verdict=%s pass=%u fail=0 skip=%u error=%u differs=0\n",
            rows[i].lines, rows[i].verdict, rows[i].pass, rows[i].skip, rows[i].error);
        expect(i, text, rows[i].status, rows[i].complaint);
    }
}

/* Not one line of a log may be missing, or occur twice, and no log may end before its last character. */
UNIT_TEST(every_line_counts)
{
    static const char *const free_to_go[] = { "BdsDxe", "KTAP", "# test ds", "# area pebs" },
                             *const free_to_repeat[] = { "BdsDxe", "KTAP", "# test ds", "# differs: a" };
    static const char *const logs[] = { plain, hybrid };

    for (size_t n = 0; n < COUNT_OF(logs); n++)
        for (const char *line = logs[n], *next; *line; line = next) {
            bool may_go = false, may_repeat = false;
            char text[4096];
            next = strchr(line, '\n') + 1;
            for (size_t i = 0; i < COUNT_OF(free_to_go); i++) {
                may_go = may_go || strncmp(line, free_to_go[i], strlen(free_to_go[i])) == 0;
                may_repeat = may_repeat || strncmp(line, free_to_repeat[i], strlen(free_to_repeat[i])) == 0;
            }
            snprintf(text, sizeof text, "%.*s%s", (int)(line - logs[n]), logs[n], next);
            if (!may_go && strncmp(line, "# differs: before", 17) != 0 && judge_text(text) != LOG_UNUSABLE)
                fail_msg("not missed: %.*s", (int)(next - line), line);
            snprintf(text, sizeof text, "%.*s%s", (int)(next - logs[n]), logs[n], line);
            if (!may_repeat && strncmp(line, "# differs: before", 17) != 0 && strncmp(line, "# cpu", 5) != 0 &&
                judge_text(text) != LOG_UNUSABLE)
                fail_msg("not seen twice: %.*s", (int)(next - line), line);
            for (size_t length = (size_t)(line - logs[n]); length < (size_t)(next - logs[n]) - 1; length++)
                assert_int_equal(judge_bytes(logs[n], length), LOG_UNUSABLE);
        }
}

/* ---- the raw dump ---- */

/* Three frames are the dump of a log. test_dump_damage.c has every kind of damage. */
#define HEAD_FRAME                                                                                                 \
    "# dsdump/1 0 head version=0.1.0+abc width=64 signature=0x506e3 perf_capabilities=0x33c5 misc_enable=0x850089" \
    " pebs_data_cfg=0x0 ds=8 bts_form=8/0 pebs_form=8/3/0/0/5 source=3 build_id=00ff crc=79101874\n"
#define BTS_FRAME                                                                                              \
    "# dsdump/1 1 bts test=bts.one cpu=0 first=0 count=8 before=0 form=8/0 codes=6 data=AwMCAAAMgEB/AEBAAAE= " \
    "crc=e48ea7ca\n"
#define END_FRAME "# dsdump/1 2 end bts=8 pebs=0 lbr=0 crc=2078d49e\n"

UNIT_TEST(frames)
{
#define AREA "# area               pass"
#define PANICKED                        \
    {                                   \
        "verdict=fail", "verdict=panic" \
    }
    static const struct row rows[] = {
        GOOD(LOG_FAIL, { AREA, HEAD_FRAME BTS_FRAME END_FRAME AREA }),
        BAD("line 14: the dump: frame 1: missing", { AREA, HEAD_FRAME END_FRAME AREA }),
        BAD("the dump", { AREA, HEAD_FRAME BTS_FRAME AREA }),
        BAD("the dump", { AREA, HEAD_FRAME BTS_FRAME BTS_FRAME AREA }),
        GOOD(LOG_PANIC, { AREA, HEAD_FRAME BTS_FRAME "# panic vector 3\n" AREA }, PANICKED), /* interrupts the dump */
    };
    judge_rows(plain, rows, COUNT_OF(rows));
}

/* ---- what terminals and loggers make of a log ---- */

/* Copies a log with text before and after each line, and other line ends. */
static void distort(char *out, size_t size, const char *before, const char *end)
{
    out[0] = '\0';
    for (const char *line = plain, *next; *line; line = next) {
        const size_t used = strlen(out);
        next = strchr(line, '\n') + 1;
        snprintf(out + used, size - used, "%s%.*s%s", before, (int)(next - 1 - line), line, end);
    }
}

UNIT_TEST(distorted_logs)
{
    static const struct {
        const char *before, *end, *complaint;
    } rows[] = {
        { "", "\r\n", "" },
        { "", "\n\r", "" },
        { "", "   \n", "" },
        { "\x1b[0m\x1b[37m", "\x1b[K\n", "" },
        { "\x1b[2J\x1b[01;01H\x1b[=3h\x1b[?25l", "\r\n", "" },
        { "[-- MARK -- Sat Nov 28 09:00:00 2026]\n", "\n", "" },
        { "Nov 28 09:00:00 ", "\n", "line 2 has it after the text \"Nov 28 09:00:00 \"" },
        { "\x1b[1;1x\x1b[?", "\n", "line 2 has it after the text \"?[?\"" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[8192];
        distort(text, sizeof text, rows[i].before, rows[i].end);
        expect(i, text, rows[i].complaint[0] ? LOG_UNUSABLE : LOG_FAIL, rows[i].complaint);
    }
}

UNIT_TEST(other_files)
{
    static const char nul[] = "a\n\0# begin dstest86 1 2 64\n";
    static const struct {
        const char *text;
        size_t length;
        const char *problem;
    } rows[] = {
        { "", 0, "no \"# begin dstest86\" line: not a log of dstest86, or its beginning is missing\n" },
        { "# end dstest86 verdict=pass\n", 28,
          "no \"# begin dstest86\" line: not a log of dstest86, or its beginning is missing\n" },
        { nul, sizeof nul - 1,
          "no \"# begin dstest86\" line: line 2 has it after the text \"?\"; remove what a logger "
          "put before each line\n" },
    };
    judge_text("# begin dstest86 0.1.0 abc 64\n[ 1.0] # end dstest86 verdict=pass\n");
    assert_string_equal(problems, "no \"# end dstest86\" line: line 2 has it after the text \"[ 1.0] \"; remove what a "
                                  "logger put before each line\n");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(judge_bytes(rows[i].text, rows[i].length), LOG_UNUSABLE);
        assert_string_equal(problems, rows[i].problem);
    }
}

/* Pieces of any size give the same judgement. */
/* As many failed tests as there is space for; the rest is counted. */
UNIT_TEST(many_failures)
{
    static char text[0x4000];
    size_t used = (size_t)sprintf(text, "# begin dstest86 0.1.0 abc 64\n1..100\n");

    for (unsigned i = 1; i <= 100; i++)
        used += (size_t)sprintf(text + used, "not ok %u ds.test_%u\n", i, i);
    used += (size_t)sprintf(text + used, "# area pass differs fail skip error\n# area ds 0 0 100 0 0\n");
    for (unsigned i = 1; i <= 100; i++)
        used += (size_t)sprintf(text + used, "# fail ds.test_%u: x\n", i);
    sprintf(text + used, "# facility bts not selected\n# facility pebs not selected\n# facility lbr not selected\n"
                         "# end dstest86 verdict=fail pass=0 fail=100 skip=0 error=0 differs=0\n");
    assert_int_equal(judge_text(text), LOG_FAIL);
    assert_int_equal(strncmp(reason, "ds.test_1 ds.test_2 ", 20), 0);
    assert_string_equal(strstr(reason, "ds.test_28"), "ds.test_28 and 72 more");
}

/* More lines than there is memory for are a problem, and nothing else. */
UNIT_TEST(too_much)
{
    static char text[0x80000];
    size_t used = (size_t)sprintf(text, "# begin dstest86 0.1.0 abc 64\n1..9999\n");

    for (unsigned i = 1; i <= 9999; i++)
        used += (size_t)sprintf(text + used, "ok %u ds.%u\n", i, i);
    for (unsigned i = 1; i <= 99; i++)
        used += (size_t)sprintf(text + used, "# facility f%u pass 1 of 1\n", i);
    assert_int_equal(judge_text(text), LOG_UNUSABLE);
    assert_non_null(strstr(problems, "line 4099: more than 4096 tests\n"));
}

UNIT_TEST(the_worst_status)
{
    static const enum log_status worst_first[] = { LOG_UNUSABLE,   LOG_PANIC, LOG_ERROR, LOG_FAIL,
                                                   LOG_INCOMPLETE, LOG_SKIP,  LOG_PASS };

    for (size_t a = 0; a < COUNT_OF(worst_first); a++)
        for (size_t b = 0; b < COUNT_OF(worst_first); b++)
            assert_int_equal(log_status_worse(worst_first[a], worst_first[b]), a < b);
    assert_string_equal(log_status_text(LOG_UNUSABLE), "unusable");
}
