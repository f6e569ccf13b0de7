/* SPDX-License-Identifier: MIT */
/* What a whole log says: whether it agrees with itself, and its verdict. */
#include "tools/lib/log_state.h"

/* The value of the word KEY=VALUE of the end line; "" if there is none. */
static void end_word(const struct log_judge *j, const char *key, char value[TEXT_SIZE])
{
    const char *at = j->end;

    for (;; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        const char *const rest = after(at, key);
        if (*at == '\0')
            break;
        if (rest && *rest == '=') {
            snprintf(value, TEXT_SIZE, "%.*s", (int)strcspn(rest + 1, " "), rest + 1);
            return;
        }
    }
    value[0] = '\0';
}

/* Appends a word to a list in a text that ends where it is full. */
static void append(char *list, size_t size, const char *separator, const char *word)
{
    const size_t used = strlen(list);

    snprintf(list + used, size - used, "%s%s", used ? separator : "", word);
}

static void count_results(struct log_judge *j, struct totals *totals)
{
    *totals = (struct totals){ 0 };
    for (size_t i = 0; i < j->test_count; i++) {
        struct test *const test = &j->tests[i];
        struct area *const area =
            test->result == OUTCOME_NOT_RUN ? NULL : log_area(j, test->id, strcspn(test->id, "."));
        if (area)
            totals_add(&area->totals, test->result);
        totals_add(totals, test->result);
    }
    totals->error += (unsigned)j->errors; /* of the run, outside tests */
}

/* The table by area omits areas whose tests were all skipped. */
static void check_table(struct log_judge *j)
{
    for (size_t i = 0; i < j->area_count; i++) {
        const struct area *const area = &j->areas[i];
        const struct totals *const t = &area->totals;
        char right[64];
        snprintf(right, sizeof right, "%u %u %u %u %u", t->pass, t->differs, t->fail, t->skip, t->error);
        if (strcmp(right, "0 0 0 0 0") == 0)
            copy(right, sizeof right, "nothing");
        if (strcmp(area->said, right) != 0 && (area->said[0] || t->pass || t->differs || t->fail || t->error))
            log_complain(j, 0, "the table has %s for %s, counted %s", area->said[0] ? area->said : "nothing",
                         area->name, right);
    }
}

/* The reasons below the table, and the recap. */
static void check_tests(struct log_judge *j)
{
    for (size_t i = 0; i < j->test_count; i++) {
        const struct test *const test = &j->tests[i];
        const enum outcome result = test->result;
        const char *const is = result == OUTCOME_NOT_RUN ? "not there" : outcome_text(result);
        const bool wanted = result == OUTCOME_DIFFERS || result == OUTCOME_FAIL || result == OUTCOME_ERROR;
        if (test->reason != (wanted ? result : OUTCOME_NOT_RUN))
            log_complain(j, 0, "the end gives %s reason for %s, which is %s",
                         test->reason == OUTCOME_NOT_RUN ? "no" : outcome_text(test->reason), test->id, is);
        if (j->recap && test->recap != result)
            log_complain(j, 0, "recap has %s for %s, which is %s",
                         test->recap == OUTCOME_NOT_RUN ? "nothing" : outcome_text(test->recap), test->id,
                         result == OUTCOME_NOT_RUN ? "unknown" : is);
    }
}

/* A facility's tests on one kind of cores. */
static unsigned count_facility(const struct log_judge *j, const char *area, unsigned kind, struct totals *totals)
{
    *totals = (struct totals){ 0 };
    for (size_t i = 0; i < j->test_count; i++) {
        const struct result result = { .id = j->tests[i].id };
        if (j->tests[i].kind == kind && result_is_of(&result, area))
            totals_add(totals, j->tests[i].result);
    }
    return totals->pass + totals->differs + totals->fail + totals->skip + totals->error;
}

/* Whether a line has these counts: "pass 2 of 3, 1 does not apply". In older logs "of" counts skipped tests, too. */
static bool is_count(const char *said, const char *state, unsigned of_these, const struct totals *t, unsigned selected)
{
    const unsigned tested = selected - t->skip;
    char right[2][64];

    snprintf(right[0], sizeof right[0], "%s %u of %u", state, of_these, selected);
    snprintf(right[1], sizeof right[1], "%s %u of %u, %u do", state, of_these, tested, t->skip);
    if (strcmp(said, right[0]) == 0)
        return true;
    const char *const rest = t->skip ? after(said, right[1]) : NULL;
    return rest && (strcmp(rest, " not apply") == 0 || strcmp(rest, "es not apply") == 0);
}

static bool facility_fits(const char *said, const struct totals *t, unsigned selected)
{
    const unsigned passed = t->pass + t->differs, failed = t->fail + t->error;
    const char *rest;
    char right[64];

    if (failed)
        return is_count(said, "fail", failed, t, selected);
    if (after(said, "pass"))
        return passed && is_count(said, "pass", passed, t, selected);
    if ((rest = after(said, "none: ")) != NULL)
        return *rest && !passed;
    if ((rest = after(said, "untested: ")) != NULL)
        return *rest && t->skip;
    snprintf(right, sizeof right, "not selected%s%.0u%s", passed ? ", " : "", passed,
             passed ? " passed without records" : "");
    return strcmp(said, right) == 0;
}

static const char *const facility_names[FACILITIES] = { "bts", "pebs", "lbr" };

/* Checks each facility's line on each kind of cores. */
static void check_facilities(struct log_judge *j)
{
    const unsigned kinds = j->ran ? j->ran : 1;

    for (unsigned kind = 0; kind < j->kind_count; kind++)
        for (unsigned i = 0; i < FACILITIES && (kinds >> kind & 1); i++) {
            char name[NAME_SIZE];
            struct totals t;
            const unsigned selected = count_facility(j, facility_names[i], kind, &t);
            snprintf(name, sizeof name, "%s%s%s", facility_names[i], kind ? "." : "", j->kinds[kind]);
            struct facility_line *const line = log_facility(j, name);
            if (!line)
                log_complain(j, 0, "no line for the facility %s", name);
            else if (!facility_fits(line->said, &t, selected))
                log_complain(j, 0, "\"facility %s %.100s\", but of %u tests %u passed and %u failed", name, line->said,
                             selected, t.pass + t.differs, t.fail + t.error);
            if (line)
                line->known = true;
            j->asked = j->asked || selected;
            j->there = j->there || (selected && !(line && after(line->said, "none")));
        }
    for (size_t i = 0; i < j->facility_count; i++) {
        j->untested = j->untested || after(j->facilities[i].said, "untested");
        if (!j->facilities[i].known)
            log_complain(j, 0, "the facility %s is unknown", j->facilities[i].name);
    }
}

/* Each test must have run once on each of the kinds of cores. */
static void check_times(struct log_judge *j, size_t kinds)
{
    for (size_t i = 0; i < j->test_count; i++) {
        const struct test *const a = &j->tests[i];
        size_t times = 0;
        bool first = a->result != OUTCOME_NOT_RUN;
        for (size_t k = 0; k < j->test_count && first; k++) {
            const struct test *const b = &j->tests[k];
            if (b->result == OUTCOME_NOT_RUN || a->base != b->base || memcmp(a->id, b->id, a->base) != 0)
                continue;
            first = k >= i;
            times++;
        }
        if (first && times != kinds)
            log_complain(j, 0, "%.*s ran on %zu kinds of cores, not %zu", (int)a->base, a->id, times, kinds);
    }
}

/*
 * Checks the kinds of cores in the line "# end". The head must list them. The same tests must have run on each, one
 * kind after the other. For each further kind the log must say where its tests run, unless its processor never starts,
 * which makes its tests errors.
 */
static void check_kinds(struct log_judge *j)
{
    char said[TEXT_SIZE], ran[TEXT_SIZE] = "";
    unsigned named = 0, further = 0, worked = 0;
    size_t count = 0;
    bool fit = true;

    for (unsigned kind = 1; kind < j->kind_count; kind++)
        if (j->ran >> kind & 1) {
            append(ran, sizeof ran, ",", j->kinds[kind]);
            further++;
            worked += j->worked >> kind & 1;
        }
    end_word(j, "kinds", said);
    if (!said[0] && !further)
        return;
    for (const char *at = said; *at; at += *at == ',') {
        char name[KIND_SIZE];
        unsigned head = 0, kind = 0;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        at += strcspn(at, ",");
        while (head < j->head_count && strcmp(j->head[head], name) != 0)
            head++;
        if (head == j->head_count)
            log_complain(j, 0, "\"# end\" names the kind %s, which no processor in the head has", name);
        while (head != 0 && kind < j->kind_count && strcmp(j->kinds[kind], name) != 0)
            kind++; /* the first kind's tests have no suffix */
        fit = fit && kind < j->kind_count && !(named >> kind & 1);
        named |= kind < j->kind_count ? 1u << kind : 0;
        count++;
    }
    if (!fit || named != j->ran)
        log_complain(j, 0, "\"# end\" names the kinds %s, the tests ran on %s", said[0] ? said : "none",
                     further ? ran : "the first only");
    check_times(j, count);
    if (j->mixed)
        log_complain(j, 0, "the tests of the kinds are mixed");
    if (j->moves < worked || j->moves > further)
        log_complain(j, 0, "\"# tests on\" occurs %" PRIu64 " times, but tests ran on %u further kinds of cores",
                     j->moves, worked);
}

/* The counts of the line "# end". */
static void check_counts(struct log_judge *j, const struct totals *totals)
{
    const struct {
        const char *name;
        unsigned count;
    } counts[] = { { "differs", totals->differs },
                   { "error", totals->error },
                   { "fail", totals->fail },
                   { "pass", totals->pass },
                   { "skip", totals->skip } };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char said[TEXT_SIZE], right[16];
        end_word(j, counts[i].name, said);
        snprintf(right, sizeof right, "%u", counts[i].count);
        if (strcmp(said, right) != 0)
            log_complain(j, 0, "\"# end\" says %s=%.40s, counted %s", counts[i].name, said[0] ? said : "nothing",
                         right);
    }
}

/* The verdict that follows from the results and the facilities; see verdict_of() of kernel/report. */
static enum log_status right_status(const struct log_judge *j, const struct totals *totals)
{
    if (totals->error || !j->reported)
        return LOG_ERROR;
    if (totals->fail)
        return LOG_FAIL;
    if (j->untested)
        return LOG_INCOMPLETE;
    if (j->asked && !j->there)
        return LOG_SKIP;
    return totals->pass || totals->differs ? LOG_PASS : LOG_SKIP;
}

/* Why the first or the last line is missing. */
static void complain_of_frame(struct log_judge *j, const char *missing)
{
    if (j->prefix_line && j->prefix[0])
        log_complain(j, 0,
                     "%s: line %" PRIu64 " has it after the text \"%s\"; remove what a logger put before each line",
                     missing, j->prefix_line, j->prefix);
    else
        log_complain(j, 0, "%s: %s", missing,
                     j->begins ? "the log is cut short" : "not a log of dstest86, or its beginning is missing");
}

/* Checks the whole log. Returns the status of its verdict. */
static enum log_status check(struct log_judge *j)
{
    char verdict[TEXT_SIZE];
    struct totals totals;

    count_results(j, &totals);
    end_word(j, "verdict", verdict);
    const enum log_status status = log_status_of(verdict);
    if (!j->ends)
        complain_of_frame(j, "no \"# end dstest86\" line");
    else if (j->ends != 1)
        log_complain(j, 0, "the line \"# end\" occurs %" PRIu64 " times, not once", j->ends);
    else if (status == LOG_UNUSABLE)
        log_complain(j, 0, verdict[0] ? "verdict=%.40s is not a verdict" : "\"# end\" has no verdict", verdict);
    if (j->plans && (status == LOG_PANIC ? j->reported > j->plan : j->reported != j->plan))
        log_complain(j, 0, "the plan has %" PRIu64 " tests, %" PRIu64 " were reported", j->plan, j->reported);
    if (!j->ends)
        return LOG_UNUSABLE;
    if (j->panicked != (status == LOG_PANIC))
        log_complain(j, 0, "verdict=%.40s, but the log has %s line \"# panic\"", verdict, j->panicked ? "a" : "no");
    if (status == LOG_PANIC) {
        check_counts(j, &totals);
        return status;
    }
    /* An error in the options ends the run before the plan, and the list of tests runs none. */
    if (!j->plans && !j->reported && (j->listed ? status == LOG_SKIP : status == LOG_ERROR && j->errors))
        return status;
    if (!j->plans)
        log_complain(j, 0, "no plan");
    check_kinds(j);
    if (j->plans || j->reported) {
        check_table(j);
        check_tests(j);
        check_facilities(j);
    }
    check_counts(j, &totals);
    const enum log_status right = right_status(j, &totals);
    if (status != right && status != LOG_UNUSABLE)
        log_complain(j, 0, "verdict=%s, but the results make it %s", verdict, log_status_text(right));
    return status;
}

/* The tests without a good result, as far as there is space. */
static void list_failed(struct log_judge *j)
{
    size_t more = 0;

    for (size_t i = 0; i < j->test_count; i++) {
        const struct test *const test = &j->tests[i];
        if (test->result != OUTCOME_FAIL && test->result != OUTCOME_ERROR)
            continue;
        if (more || strlen(j->reason) + strlen(test->id) + sizeof " and 4096 more" >= sizeof j->reason)
            more++;
        else
            append(j->reason, sizeof j->reason, " ", test->id);
    }
    if (more)
        snprintf(j->reason + strlen(j->reason), sizeof j->reason - strlen(j->reason), " and %zu more", more);
}

static void give_reason(struct log_judge *j, enum log_status status)
{
    if (status == LOG_FAIL || status == LOG_ERROR)
        list_failed(j);
    for (size_t i = 0; i < j->facility_count && status == LOG_INCOMPLETE && !j->reason[0]; i++)
        if (after(j->facilities[i].said, "untested"))
            snprintf(j->reason, sizeof j->reason, "%.80s %.200s", j->facilities[i].name, j->facilities[i].said);
    if (j->reason[0] == '\0' && j->trouble[0])
        snprintf(j->reason, sizeof j->reason, "%.300s", j->trouble);
    log_make_printable(j->reason);
}

enum log_status log_verdict(struct log_judge *j)
{
    enum log_status status = LOG_UNUSABLE;

    if (j->begins == 1)
        status = check(j);
    else if (j->begins == 0)
        complain_of_frame(j, "no \"# begin dstest86\" line");
    status = j->problems ? LOG_UNUSABLE : status;
    give_reason(j, status);
    return status;
}
