/* SPDX-License-Identifier: MIT */
#include "kernel/report/results.h"

const char *outcome_text(enum outcome outcome)
{
    switch (outcome) {
    case OUTCOME_NOT_RUN:
        return "not run";
    case OUTCOME_PASS:
        return "pass";
    case OUTCOME_DIFFERS:
        return "differs";
    case OUTCOME_FAIL:
        return "fail";
    case OUTCOME_SKIP:
        return "skip";
    case OUTCOME_ERROR:
        return "error";
    }
    return "unknown outcome";
}

static bool ends_word(char c)
{
    return c == '.' || c == '\0';
}

int result_area_length(const char *id)
{
    int length = 0;

    while (!ends_word(id[length]))
        length++;
    return length;
}

bool result_is_of(const struct result *result, const char *area)
{
    const char *id = result->id;

    while (!ends_word(*area) && *id == *area) {
        id++;
        area++;
    }
    return ends_word(*id) && ends_word(*area);
}

bool results_are_of(const struct result *results, size_t count, const char *area)
{
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        if (results[i].outcome != OUTCOME_NOT_RUN && !result_is_of(&results[i], area))
            return false;
        any = any || results[i].outcome != OUTCOME_NOT_RUN;
    }
    return any;
}

const char *result_why(const struct result *result)
{
    return result->why ? result->why : "no reason given";
}

void totals_add(struct totals *totals, enum outcome outcome)
{
    totals->pass += outcome == OUTCOME_PASS;
    totals->differs += outcome == OUTCOME_DIFFERS;
    totals->fail += outcome == OUTCOME_FAIL;
    totals->skip += outcome == OUTCOME_SKIP;
    totals->error += outcome == OUTCOME_ERROR;
}

void results_count(const struct result *results, size_t count, struct totals *totals)
{
    *totals = (struct totals){ 0 };
    for (size_t i = 0; i < count; i++)
        totals_add(totals, results[i].outcome);
}

/* Whether the options select the test, and it applies to this processor. */
static bool applies(const struct result *result)
{
    return result->outcome != OUTCOME_NOT_RUN && result->outcome != OUTCOME_SKIP;
}

/* The position of the first test of this one's area that applies. */
static size_t first_of_area(const struct result *results, size_t position)
{
    size_t first = 0;

    while (!applies(&results[first]) || !result_is_of(&results[first], results[position].id))
        first++;
    return first;
}

static void table_row(const struct line_sink *out, const struct result *results, size_t count, const char *id)
{
    struct totals row = { 0 };

    for (size_t i = 0; i < count; i++)
        if (result_is_of(&results[i], id))
            totals_add(&row, results[i].outcome);
    say(out, "area %-10.*s %7u %7u %7u %7u %7u", result_area_length(id), id, row.pass, row.differs, row.fail, row.skip,
        row.error);
}

void results_table(const struct line_sink *out, const struct result *results, size_t count)
{
    say(out, "area               pass differs    fail    skip   error");
    for (size_t i = 0; i < count; i++)
        if (applies(&results[i]) && first_of_area(results, i) == i)
            table_row(out, results, count, results[i].id);
}

void results_reasons(const struct line_sink *out, const struct result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const enum outcome outcome = results[i].outcome;
        if (outcome == OUTCOME_DIFFERS || outcome == OUTCOME_FAIL || outcome == OUTCOME_ERROR)
            say(out, "%s %s: %s", outcome_text(outcome), results[i].id, result_why(&results[i]));
    }
}

void results_recap(const struct line_sink *out, const struct result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (results[i].outcome != OUTCOME_NOT_RUN)
            say(out, "result %s %s", results[i].id, outcome_text(results[i].outcome));
}
