/* SPDX-License-Identifier: MIT */
#include "kernel/report/verdict.h"

#include "lib/format.h"
#include "lib/text.h"

static const struct {
    const char *name;
    enum caps_need need;
} table[FACILITIES] = { { "bts", CAPS_NEED_BTS }, { "pebs", CAPS_NEED_PEBS }, { "lbr", CAPS_NEED_LBR } };

/* Whether this is a test of the area's records that was skipped. */
static bool withheld(const struct result *result, const char *area)
{
    return result->records && result->outcome == OUTCOME_SKIP && result_is_of(result, area);
}

/*
 * The most frequent reason for skipping the area's tests of records; of equally frequent ones the first. NULL: no test
 * was skipped.
 */
static const char *usual_reason(const struct result *results, size_t count, const char *area)
{
    const char *usual = NULL;
    unsigned most = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned same = 0;
        if (!withheld(&results[i], area))
            continue;
        for (size_t k = i; k < count; k++)
            same += withheld(&results[k], area) && text_compare(results[k].why, results[i].why) == 0;
        if (same > most) {
            most = same;
            usual = results[i].why;
        }
    }
    return usual;
}

/* Whether this reason means that a row of cpu/cores.c is missing. */
static bool wants_row(const char *why)
{
    for (enum caps_reason reason = CAPS_AVAILABLE; why && reason < CAPS_REASON_COUNT; reason++)
        if (caps_reason_no_row(reason) && text_compare(why, caps_reason_text(reason)) == 0)
            return true;
    return false;
}

/*
 * The first reason that means a missing row, if more of the facility's tests were skipped for such a reason than
 * passed. Otherwise NULL.
 */
static const char *loss(const struct result *results, size_t count, const struct facility *facility)
{
    const char *first = NULL;
    unsigned lost = 0;

    for (size_t i = 0; i < count; i++) {
        if (results[i].outcome != OUTCOME_SKIP || !result_is_of(&results[i], facility->name) ||
            !wants_row(results[i].why))
            continue;
        first = first ? first : results[i].why;
        lost++;
    }
    return lost > facility->passed ? first : NULL;
}

static void judge(const struct result *results, size_t count, struct facility *facility)
{
    bool seen = false;

    for (size_t i = 0; i < count; i++) {
        const enum outcome outcome = results[i].outcome;
        const bool passed = outcome == OUTCOME_PASS || outcome == OUTCOME_DIFFERS;
        if (outcome == OUTCOME_NOT_RUN || !result_is_of(&results[i], facility->name))
            continue;
        facility->selected++;
        facility->passed += passed;
        facility->failed += outcome == OUTCOME_FAIL || outcome == OUTCOME_ERROR;
        seen = seen || (passed && results[i].seen);
    }
    const char *const wanting = loss(results, count, facility);
    facility->reason = wanting ? wanting : usual_reason(results, count, facility->name);
    if (facility->failed)
        facility->state = FACILITY_FAIL;
    else if (seen && !wanting)
        facility->state = FACILITY_PASS;
    else
        facility->state = facility->reason ? FACILITY_UNTESTED : FACILITY_NOT_SELECTED;
}

void facilities_judge(const struct caps *caps, const struct result *results, size_t count,
                      struct facility facilities[FACILITIES])
{
    for (unsigned i = 0; i < FACILITIES; i++) {
        const enum caps_reason reason = caps->reason[table[i].need];
        facilities[i] = (struct facility){ .name = table[i].name };
        judge(results, count, &facilities[i]);
        if (facilities[i].state != FACILITY_FAIL && caps_reason_absent(reason)) {
            facilities[i].state = FACILITY_NONE;
            facilities[i].reason = caps_reason_text(reason);
        }
        if (facilities[i].state == FACILITY_UNTESTED && wants_row(facilities[i].reason))
            format(facilities[i].row, FACILITY_ROW, "; cpu/cores.c has no row for %02x_%02x", caps->family,
                   caps->model);
    }
}

/* A run's state is that of its worst kind of cores. */
static unsigned weight(enum facility_state state)
{
    switch (state) {
    case FACILITY_NONE:
        return 0;
    case FACILITY_NOT_SELECTED:
        return 1;
    case FACILITY_PASS:
        return 2;
    case FACILITY_UNTESTED:
        return 3;
    case FACILITY_FAIL:
        return 4;
    }
    return 0;
}

void facilities_merge(struct facility into[FACILITIES], const struct facility others[FACILITIES])
{
    for (unsigned i = 0; i < FACILITIES; i++) {
        into[i].passed += others[i].passed;
        into[i].failed += others[i].failed;
        into[i].selected += others[i].selected;
        if (weight(others[i].state) > weight(into[i].state)) {
            into[i].state = others[i].state;
            into[i].reason = others[i].reason;
            format(into[i].row, FACILITY_ROW, "%s", others[i].row);
        }
    }
}

static const char *facility_state_text(enum facility_state state)
{
    switch (state) {
    case FACILITY_NONE:
        return "none";
    case FACILITY_NOT_SELECTED:
        return "not selected";
    case FACILITY_UNTESTED:
        return "untested";
    case FACILITY_PASS:
        return "pass";
    case FACILITY_FAIL:
        return "fail";
    }
    return "unknown state";
}

void facility_text(char *text, size_t size, const struct facility *f, bool all)
{
    const char *const state = facility_state_text(f->state);
    const unsigned tested = f->passed + f->failed, rest = f->selected - tested;
    int used;

    switch (f->state) {
    case FACILITY_NONE:
    case FACILITY_UNTESTED:
        format(text, size, "%s: %s%s", state, f->reason, f->row);
        break;
    case FACILITY_NOT_SELECTED:
        used = format(text, size, "%s", state);
        if (all && f->passed)
            format(text + used, size - (size_t)used, ", %u passed without records", f->passed);
        break;
    case FACILITY_PASS:
    case FACILITY_FAIL:
        used = format(text, size, "%s %u of %u", state, f->state == FACILITY_FAIL ? f->failed : f->passed, tested);
        if (all && rest)
            format(text + used, size - (size_t)used, ", %u %s not apply", rest, rest == 1 ? "does" : "do");
        break;
    }
}

void facilities_text(const struct line_sink *out, const struct facility facilities[FACILITIES])
{
    for (unsigned i = 0; i < FACILITIES; i++) {
        const char *const kind = facilities[i].kind;
        char text[LINE_SIZE];

        facility_text(text, sizeof text, &facilities[i], true);
        say(out, "facility %s%s%s %s", facilities[i].name, kind ? "." : "", kind ? kind : "", text);
    }
}

enum verdict verdict_of(const struct facility facilities[FACILITIES], const struct totals *totals)
{
    bool asked = false, there = false, untested = false;

    for (unsigned i = 0; i < FACILITIES; i++) {
        asked = asked || facilities[i].selected != 0;
        there = there || (facilities[i].selected != 0 && facilities[i].state != FACILITY_NONE);
        untested = untested || facilities[i].state == FACILITY_UNTESTED;
    }
    if (totals->error)
        return VERDICT_ERROR;
    if (totals->fail)
        return VERDICT_FAIL;
    if (untested)
        return VERDICT_INCOMPLETE;
    if (asked && !there)
        return VERDICT_SKIP;
    return totals->pass || totals->differs ? VERDICT_PASS : VERDICT_SKIP;
}

const char *verdict_text(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_PASS:
        return "pass";
    case VERDICT_FAIL:
        return "fail";
    case VERDICT_SKIP:
        return "skip";
    case VERDICT_ERROR:
        return "error";
    case VERDICT_PANIC:
        return "panic";
    case VERDICT_INCOMPLETE:
        return "incomplete";
    }
    return "unknown verdict";
}
