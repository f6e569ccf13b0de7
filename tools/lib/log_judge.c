/* SPDX-License-Identifier: MIT */
#include "tools/lib/log_judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/report/results.h"
#include "kernel/report/verdict.h"
#include "lib/dump/reader/dump_read.h"

#define LINE_SIZE_MAX 16384u /* characters of a line, twice those of the longest frame; longer ones are cut */
#define NAME_SIZE     96u    /* characters of an id, an area or a facility, NUL included */
#define NAME          "95[a-z0-9._]"
#define KIND_SIZE     16u
#define KIND          "15[a-z0-9]"
#define TEXT_SIZE     400u /* characters of a line that is kept: more than the kernel's lines have */
#define PREFIX_SIZE   48u

#define TESTS_MAX      4096u
#define AREAS_MAX      128u
#define KINDS_MAX      16u
#define FACILITIES_MAX (FACILITIES * KINDS_MAX)

/* A test, from its result line and the lines at the end. */
struct test {
    char id[NAME_SIZE];
    enum outcome result; /* OUTCOME_NOT_RUN: no result line */
    enum outcome reason; /* OUTCOME_NOT_RUN: the end has no reason */
    enum outcome recap;  /* OUTCOME_NOT_RUN: not in the recap */
    unsigned kind;       /* of its cores, by position in kinds[] */
    size_t base;         /* characters of the id without the kind */
};

struct area {
    char name[NAME_SIZE];
    char said[64]; /* its row of the table; empty: none */
    struct totals totals;
};

struct facility_line {
    char name[NAME_SIZE], said[TEXT_SIZE];
    bool known; /* tests of this facility ran, or none did */
};

struct log_judge {
    void (*problem)(void *context, uint64_t line, const char *text);
    void *context;
    uint64_t problems;

    uint64_t number; /* of the current line */
    uint64_t begins, ends, plans, plan, reported, errors;
    uint64_t moves; /* lines "# tests on" */
    bool listed, panicked, table, recap;
    bool differs;                /* the current test reported a difference */
    bool full;                   /* one of the tables below */
    unsigned kind;               /* of the last result */
    bool mixed;                  /* the tests of a kind do not follow each other, the first kind's first */
    unsigned ran, worked;        /* bit n: tests ran on kind n; one did not end in an error */
    bool asked, there, untested; /* a facility has tests; the processor has one of those; one is untested */
    char end[TEXT_SIZE];         /* the words of the first line "# end" */
    char trouble[TEXT_SIZE];     /* the first line "# error: " or "# panic" */
    char prefix[PREFIX_SIZE];    /* text before "# begin" or "# end" */
    uint64_t prefix_line;        /* 0: there is none */
    char reason[LOG_PROBLEM_SIZE];
    size_t length, test_count, area_count, facility_count, kind_count, head_count;

    /* As many of each as the counts say; the rest is not set. */
    char line[LINE_SIZE_MAX];
    struct test tests[TESTS_MAX];
    struct area areas[AREAS_MAX];
    struct facility_line facilities[FACILITIES_MAX];
    char kinds[KINDS_MAX][KIND_SIZE]; /* suffixes of ids; "" for the first kind */
    char head[KINDS_MAX][KIND_SIZE];  /* kinds of cores that the head lists */
    _Alignas(max_align_t) unsigned char reader[];
};

/* The worst first. */
static const struct {
    enum log_status status;
    const char *text;
} statuses[] = { { LOG_UNUSABLE, "unusable" },     { LOG_PANIC, "panic" }, { LOG_ERROR, "error" }, { LOG_FAIL, "fail" },
                 { LOG_INCOMPLETE, "incomplete" }, { LOG_SKIP, "skip" },   { LOG_PASS, "pass" } };

#define STATUSES (sizeof statuses / sizeof *statuses)

static struct dump_reader *reader_of(struct log_judge *j)
{
    return (struct dump_reader *)(void *)j->reader;
}

size_t log_judge_size(void)
{
    return sizeof(struct log_judge) + dump_reader_size();
}

/* Other characters than printable ASCII become question marks. */
static void make_printable(char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

/* line: 0: the log as a whole. */
__attribute__((format(printf, 3, 4))) static void complain(struct log_judge *j, uint64_t line, const char *format, ...)
{
    char text[LOG_PROBLEM_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    make_printable(text);
    j->problems++;
    j->problem(j->context, line, text);
}

static void complain_of_dump(void *context, const struct dump_problem *problem)
{
    struct log_judge *const j = context;
    char text[DUMP_PROBLEM_TEXT];

    if (problem->error != DUMP_READ_NO_DUMP)
        complain(j, j->number, "the dump: %s", dump_problem_text(text, problem));
}

void log_judge_init(struct log_judge *j, void (*problem)(void *context, uint64_t line, const char *text), void *context)
{
    static const struct record_sink verify;

    memset(j, 0, offsetof(struct log_judge, line));
    j->problem = problem;
    j->context = context;
    j->kinds[j->kind_count++][0] = '\0';
    dump_reader_init(reader_of(j), &verify, complain_of_dump, j);
}

/* ---- texts ---- */

/* The rest of a text that begins with these characters; else NULL. */
static const char *after(const char *text, const char *start)
{
    const size_t length = strlen(start);

    return strncmp(text, start, length) == 0 ? text + length : NULL;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Like after(), with a whole word at the end. */
static const char *after_word(const char *text, const char *start)
{
    const char *const rest = after(text, start);

    return rest && !is_word(*rest) ? rest : NULL;
}

static void copy(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text);
}

static enum outcome outcome_of(const char *word)
{
    for (enum outcome outcome = OUTCOME_PASS; outcome <= OUTCOME_ERROR; outcome++)
        if (strcmp(outcome_text(outcome), word) == 0)
            return outcome;
    return OUTCOME_NOT_RUN;
}

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

/* ---- tables ---- */

/* A table is full: no kernel writes that much. */
static bool overflows(struct log_judge *j, size_t count, size_t most, const char *what)
{
    if (count < most)
        return false;
    if (!j->full)
        complain(j, j->number, "more than %zu %s", most, what);
    j->full = true;
    return true;
}

/* The kind of cores that an id ends in, ".core", ".atom" or ".kind", perhaps with a number; NULL: none. */
static const char *suffix_of(const char *id)
{
    static const char *const names[] = { "core", "atom", "kind" };
    const char *const dot = strrchr(id, '.');

    for (size_t i = 0; dot && i < sizeof names / sizeof *names; i++) {
        const char *const number = after(dot + 1, names[i]);
        if (number && number[strspn(number, "0123456789")] == '\0')
            return dot;
    }
    return NULL;
}

/* The position of a kind in kinds[]. Adds it if it is new. */
static unsigned kind_of(struct log_judge *j, const char *name)
{
    for (size_t i = 0; i < j->kind_count; i++)
        if (strcmp(j->kinds[i], name) == 0)
            return (unsigned)i;
    if (overflows(j, j->kind_count, KINDS_MAX, "kinds of cores"))
        return 0;
    copy(j->kinds[j->kind_count], KIND_SIZE, name);
    return (unsigned)j->kind_count++;
}

/* The test with this id, added if it is new; NULL if there are too many. */
static struct test *test_of(struct log_judge *j, const char *id)
{
    for (size_t i = 0; i < j->test_count && !j->full; i++)
        if (strcmp(j->tests[i].id, id) == 0)
            return &j->tests[i];
    if (j->full || overflows(j, j->test_count, TESTS_MAX, "tests"))
        return NULL;
    struct test *const test = &j->tests[j->test_count++];
    const char *const dot = suffix_of(id);
    *test = (struct test){ .base = dot ? (size_t)(dot - id) : strlen(id), .kind = dot ? kind_of(j, dot + 1) : 0 };
    copy(test->id, sizeof test->id, id);
    return test;
}

static struct area *area_of(struct log_judge *j, const char *name, size_t length)
{
    for (size_t i = 0; i < j->area_count; i++)
        if (strlen(j->areas[i].name) == length && memcmp(j->areas[i].name, name, length) == 0)
            return &j->areas[i];
    if (overflows(j, j->area_count, AREAS_MAX, "areas"))
        return NULL;
    struct area *const area = &j->areas[j->area_count++];
    *area = (struct area){ 0 };
    snprintf(area->name, sizeof area->name, "%.*s", (int)length, name);
    return area;
}

static struct facility_line *facility_said(struct log_judge *j, const char *name)
{
    for (size_t i = 0; i < j->facility_count; i++)
        if (strcmp(j->facilities[i].name, name) == 0)
            return &j->facilities[i];
    return NULL;
}

/* ---- lines ---- */

static void take_begin(struct log_judge *j, const char *rest)
{
    int end = 0;

    if (j->begins++)
        complain(j, j->number, "\"# begin\" occurs twice: the kernel restarted; judge each boot's log alone");
    j->prefix_line = 0;
    sscanf(rest, " %*s %*s %*[0-9]%n", &end);
    if (end == 0 || rest[end] != '\0')
        complain(j, j->number, "not \"# begin dstest86 VERSION REVISION WIDTH\": %.80s", j->line);
}

/* A logger may have put text in front of the kernel's first or last line. */
static void note_prefix(struct log_judge *j)
{
    const char *const at = strstr(j->line, j->begins ? "# end dstest86 " : "# begin dstest86 ");

    if (!at)
        return;
    j->prefix_line = j->number;
    snprintf(j->prefix, sizeof j->prefix, "%.*s", (int)(at - j->line), j->line);
    make_printable(j->prefix);
}

static void take_plan(struct log_judge *j, const char *rest)
{
    if (j->plans++)
        complain(j, j->number, "a second plan");
    j->plan = strtoull(rest, NULL, 10);
}

/* The result of a line with this directive. */
static enum outcome result_of(bool ok, const char *directive, bool differs)
{
    if (ok)
        return after_word(directive, "SKIP") ? OUTCOME_SKIP : differs ? OUTCOME_DIFFERS : OUTCOME_PASS;
    return after_word(directive, "ERROR") || after_word(directive, "TIMEOUT") ? OUTCOME_ERROR : OUTCOME_FAIL;
}

/* N ID [# DIRECTIVE], after "ok" or "not ok" */
static void take_result(struct log_judge *j, bool ok, const char *rest)
{
    char number[24], id[NAME_SIZE];
    int end = 0;

    if (sscanf(rest, "%*1[ ]%20[0-9]%*1[ ]%" NAME "%n", number, id, &end) != 2 ||
        (rest[end] != '\0' && !after(rest + end, " # "))) {
        complain(j, j->number, "not a result line: %.80s", j->line);
        return;
    }
    const char *const directive = rest[end] ? rest + end + 3 : "";
    struct test *const test = test_of(j, id);
    if (strtoull(number, NULL, 10) != ++j->reported)
        complain(j, j->number, "%s has number %s, not %" PRIu64, id, number, j->reported);
    if (strcmp(directive, "SKIP") == 0)
        complain(j, j->number, "%s skipped without a reason", id);
    if (!ok && after_word(directive, "SKIP"))
        complain(j, j->number, "%s skipped as not ok", id);
    if (!test)
        return;
    if (test->result != OUTCOME_NOT_RUN)
        complain(j, j->number, "%s reported twice", id);
    test->result = result_of(ok, directive, j->differs);
    j->differs = false;
    j->mixed = j->mixed || (j->ran && test->kind != j->kind && (test->kind == 0 || j->ran >> test->kind & 1));
    j->ran |= 1u << test->kind;
    j->worked |= (test->result != OUTCOME_ERROR ? 1u : 0u) << test->kind;
    j->kind = test->kind;
}

static bool is_table_head(const char *line)
{
    int end = 0;

    sscanf(line, "# area pass differs fail skip error%n", &end);
    return end && line[end] == '\0';
}

/* A row of the table by area. Returns whether the line is one. */
static bool take_row(struct log_judge *j)
{
    char name[NAME_SIZE], n[5][10];
    int end = 0;

    if (!j->table ||
        sscanf(j->line, "# area %95[a-z0-9_] %9[0-9] %9[0-9] %9[0-9] %9[0-9] %9[0-9]%n", name, n[0], n[1], n[2], n[3],
               n[4], &end) != 6 ||
        j->line[end] != '\0')
        return false;
    struct area *const area = area_of(j, name, strlen(name));
    if (area && area->said[0])
        complain(j, j->number, "the table has the area %s twice", name);
    if (area)
        snprintf(area->said, sizeof area->said, "%s %s %s %s %s", n[0], n[1], n[2], n[3], n[4]);
    return true;
}

/* RESULT ID: REASON, below the table. Returns whether the line is one. */
static bool take_reason(struct log_judge *j)
{
    char word[12], id[NAME_SIZE];
    int end = 0;

    if (!j->table || sscanf(j->line, "# %11[a-z] %" NAME ": %n", word, id, &end) != 2 || !end || j->line[end] == '\0')
        return false;
    const enum outcome outcome = outcome_of(word);
    if (outcome != OUTCOME_DIFFERS && outcome != OUTCOME_FAIL && outcome != OUTCOME_ERROR)
        return false;
    struct test *const test = test_of(j, id);
    if (test && test->reason != OUTCOME_NOT_RUN)
        complain(j, j->number, "the reason for %s twice", id);
    if (test)
        test->reason = outcome;
    return true;
}

/* ID RESULT, of the option recap=all */
static void take_recap(struct log_judge *j, const char *rest)
{
    char id[NAME_SIZE], word[12];
    int end = 0;

    if (sscanf(rest, "%" NAME " %11[a-z]%n", id, word, &end) != 2 || rest[end] != '\0' ||
        outcome_of(word) == OUTCOME_NOT_RUN) {
        complain(j, j->number, "not a line of the recap: %.80s", j->line);
        return;
    }
    struct test *const test = test_of(j, id);
    j->recap = true;
    if (test && test->recap != OUTCOME_NOT_RUN)
        complain(j, j->number, "recap of %s twice", id);
    if (test)
        test->recap = outcome_of(word);
}

/* NAME STATE.. */
static void take_facility(struct log_judge *j, const char *rest)
{
    char name[NAME_SIZE];
    int end = 0;

    if (sscanf(rest, "%95s %n", name, &end) != 1 || rest[end] == '\0') {
        complain(j, j->number, "not a line of a facility: %.80s", j->line);
        return;
    }
    if (facility_said(j, name))
        complain(j, j->number, "the facility %s twice", name);
    if (overflows(j, j->facility_count, FACILITIES_MAX, "facilities"))
        return;
    struct facility_line *const line = &j->facilities[j->facility_count++];
    line->known = false;
    copy(line->name, sizeof line->name, name);
    copy(line->said, sizeof line->said, rest + end);
}

/* N apic ID NAME, kind KIND: N of N processors */
static void take_cores(struct log_judge *j, const char *rest)
{
    const char *at = NULL;
    char kind[KIND_SIZE];
    int start = 0, end = 0;

    sscanf(rest, "%*[0-9] apic 0x%*[0-9a-f] %n", &start);
    for (const char *next = start ? rest + start : NULL; next && (next = strstr(next, ", kind ")) != NULL; next++)
        at = next;
    if (!at || sscanf(at, ", kind %" KIND ": %*[0-9] of %*[0-9] processors%n", kind, &end) != 1 || !end ||
        at[end] != '\0' || overflows(j, j->head_count, KINDS_MAX, "kinds of cores in the head"))
        return;
    copy(j->head[j->head_count++], KIND_SIZE, kind);
}

static void take_line(struct log_judge *j)
{
    const char *const line = j->line;
    const char *rest;
    int end = 0;

    if ((rest = after_word(line, "# begin dstest86")) != NULL)
        take_begin(j, rest);
    else if (j->begins == 0) /* firmware's */
        note_prefix(j);
    else if (j->ends && (after(line, "1..") || after(line, "ok ") || after(line, "not ok ") || after(line, "# area ") ||
                         after(line, "# facility ")))
        complain(j, j->number, "after the line \"# end\": %.80s", line);
    else if ((rest = after(line, "1..")) != NULL && *rest && rest[strspn(rest, "0123456789")] == '\0')
        take_plan(j, rest);
    else if ((rest = after_word(line, "ok")) != NULL)
        take_result(j, true, rest);
    else if ((rest = after_word(line, "not ok")) != NULL)
        take_result(j, false, rest);
    else if (after(line, "# differs: "))
        j->differs = true;
    else if (is_table_head(line)) {
        if (j->table)
            complain(j, j->number, "a second table by area");
        j->table = true;
    } else if (take_row(j) || take_reason(j))
        ;
    else if ((rest = after(line, "# result ")) != NULL)
        take_recap(j, rest);
    else if ((rest = after(line, "# facility ")) != NULL)
        take_facility(j, rest);
    else if ((rest = after(line, "# cpu ")) != NULL)
        take_cores(j, rest);
    else if (sscanf(line, "# tests on cpu %*[0-9] apic 0x%*[0-9a-f] %n", &end) == 0 && end && line[end])
        j->moves++;
    else if ((rest = after(line, "# error: ")) != NULL && *rest) {
        if (j->errors++ == 0)
            copy(j->trouble, sizeof j->trouble, rest);
    } else if ((rest = after(line, "# panic ")) != NULL) {
        if (!j->panicked)
            copy(j->trouble, sizeof j->trouble, rest);
        j->panicked = true;
    } else if (sscanf(line, "# test %*" NAME ": %n", &end) == 0 && end && line[end])
        j->listed = true;
    else if ((rest = after_word(line, "# end dstest86")) == NULL)
        note_prefix(j);
    else if (j->ends++ == 0)
        copy(j->end, sizeof j->end, rest);
}

/* Removes escape sequences, CR, and blanks at the end. */
static size_t clean(char *line, size_t length)
{
    size_t kept = 0;

    for (size_t i = 0; i < length; i++) {
        if (line[i] == '\x1b' && i + 1 < length && line[i + 1] == '[') {
            size_t last = i + 2;
            while (last < length && strchr("0123456789;?=", line[last]) && line[last] != '\0')
                last++;
            if (last < length && is_word(line[last]) && line[last] > '9' && line[last] != '_') {
                i = last;
                continue;
            }
        }
        if (line[i] != '\r')
            line[kept++] = line[i] == '\0' ? '?' : line[i]; /* a NUL would end the string */
    }
    while (kept > 0 && (line[kept - 1] == ' ' || line[kept - 1] == '\t'))
        kept--;
    line[kept] = '\0';
    return kept;
}

static void end_line(struct log_judge *j)
{
    const bool begun = j->begins == 1;

    j->number++;
    j->length = clean(j->line, j->length);
    if (j->begins < 2)
        take_line(j);
    if (begun && j->begins == 1)
        dump_read_line(reader_of(j), j->line, j->length);
    j->length = 0;
}

void log_judge_read(struct log_judge *j, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\n')
            end_line(j);
        else if (j->length < sizeof j->line - 1)
            j->line[j->length++] = bytes[i];
    }
}

/* ---- the whole log ---- */

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
        struct area *const area = test->result == OUTCOME_NOT_RUN ? NULL : area_of(j, test->id, strcspn(test->id, "."));
        if (area)
            totals_add(&area->totals, test->result);
        totals_add(totals, test->result);
    }
    totals->error += (unsigned)j->errors; /* of the run, outside tests */
}

/* The table by area leaves out areas that have only skipped tests. */
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
            complain(j, 0, "the table has %s for %s, counted %s", area->said[0] ? area->said : "nothing", area->name,
                     right);
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
            complain(j, 0, "the end gives %s reason for %s, which is %s",
                     test->reason == OUTCOME_NOT_RUN ? "no" : outcome_text(test->reason), test->id, is);
        if (j->recap && test->recap != result)
            complain(j, 0, "recap has %s for %s, which is %s",
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
            struct facility_line *const line = facility_said(j, name);
            if (!line)
                complain(j, 0, "no line for the facility %s", name);
            else if (!facility_fits(line->said, &t, selected))
                complain(j, 0, "\"facility %s %.100s\", but of %u tests %u passed and %u failed", name, line->said,
                         selected, t.pass + t.differs, t.fail + t.error);
            if (line)
                line->known = true;
            j->asked = j->asked || selected;
            j->there = j->there || (selected && !(line && after(line->said, "none")));
        }
    for (size_t i = 0; i < j->facility_count; i++) {
        j->untested = j->untested || after(j->facilities[i].said, "untested");
        if (!j->facilities[i].known)
            complain(j, 0, "the facility %s is unknown", j->facilities[i].name);
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
            complain(j, 0, "%.*s ran on %zu kinds of cores, not %zu", (int)a->base, a->id, times, kinds);
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
            complain(j, 0, "\"# end\" names the kind %s, which no processor in the head has", name);
        while (head != 0 && kind < j->kind_count && strcmp(j->kinds[kind], name) != 0)
            kind++; /* the first kind's tests have no suffix */
        fit = fit && kind < j->kind_count && !(named >> kind & 1);
        named |= kind < j->kind_count ? 1u << kind : 0;
        count++;
    }
    if (!fit || named != j->ran)
        complain(j, 0, "\"# end\" names the kinds %s, the tests ran on %s", said[0] ? said : "none",
                 further ? ran : "the first only");
    check_times(j, count);
    if (j->mixed)
        complain(j, 0, "the tests of the kinds are mixed");
    if (j->moves < worked || j->moves > further)
        complain(j, 0, "\"# tests on\" occurs %" PRIu64 " times, further kinds: %u", j->moves, worked);
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
            complain(j, 0, "\"# end\" says %s=%.40s, counted %s", counts[i].name, said[0] ? said : "nothing", right);
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

/* The status of a verdict's word; LOG_UNUSABLE if it is not a verdict. */
static enum log_status status_of(const char *verdict)
{
    for (size_t i = 0; i < STATUSES; i++)
        if (strcmp(statuses[i].text, verdict) == 0)
            return statuses[i].status;
    return LOG_UNUSABLE;
}

/* Why the first or the last line is missing. */
static void complain_of_frame(struct log_judge *j, const char *missing)
{
    if (j->prefix_line && j->prefix[0])
        complain(j, 0, "%s: line %" PRIu64 " has it after the text \"%s\"; remove what a logger put before each line",
                 missing, j->prefix_line, j->prefix);
    else
        complain(j, 0, "%s: %s", missing,
                 j->begins ? "the log is cut short" : "not a log of dstest86, or its beginning is missing");
}

/* Checks the whole log. Returns the status of its verdict. */
static enum log_status check(struct log_judge *j)
{
    char verdict[TEXT_SIZE];
    struct totals totals;

    count_results(j, &totals);
    end_word(j, "verdict", verdict);
    const enum log_status status = status_of(verdict);
    if (!j->ends)
        complain_of_frame(j, "no \"# end dstest86\" line");
    else if (j->ends != 1)
        complain(j, 0, "the line \"# end\" occurs %" PRIu64 " times, not once", j->ends);
    else if (status == LOG_UNUSABLE)
        complain(j, 0, verdict[0] ? "verdict=%.40s is not a verdict" : "\"# end\" has no verdict", verdict);
    if (j->plans && (status == LOG_PANIC ? j->reported > j->plan : j->reported != j->plan))
        complain(j, 0, "plan of %" PRIu64 ", %" PRIu64 " reported", j->plan, j->reported);
    if (!j->ends)
        return LOG_UNUSABLE;
    if (j->panicked != (status == LOG_PANIC))
        complain(j, 0, "verdict=%.40s, but the log has %s line \"# panic\"", verdict, j->panicked ? "a" : "no");
    if (status == LOG_PANIC) {
        check_counts(j, &totals);
        return status;
    }
    /* An error in the options ends the run before the plan, and the list of tests runs none. */
    if (!j->plans && !j->reported && (j->listed ? status == LOG_SKIP : status == LOG_ERROR && j->errors))
        return status;
    if (!j->plans)
        complain(j, 0, "no plan");
    check_kinds(j);
    if (j->plans || j->reported) {
        check_table(j);
        check_tests(j);
        check_facilities(j);
    }
    check_counts(j, &totals);
    const enum log_status right = right_status(j, &totals);
    if (status != right && status != LOG_UNUSABLE)
        complain(j, 0, "verdict=%s, but the results make it %s", verdict, log_status_text(right));
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
    make_printable(j->reason);
}

enum log_status log_judge_end(struct log_judge *j)
{
    enum log_status status = LOG_UNUSABLE;
    struct dump_totals totals;

    if (j->length > 0)
        end_line(j);
    if (j->begins == 1) {
        if (!j->panicked) /* a panic may interrupt the dump */
            dump_read_end(reader_of(j), &totals);
        status = check(j);
    } else if (j->begins == 0) {
        complain_of_frame(j, "no \"# begin dstest86\" line");
    }
    status = j->problems ? LOG_UNUSABLE : status;
    give_reason(j, status);
    return status;
}

const char *log_judge_reason(const struct log_judge *j)
{
    return j->reason;
}

const char *log_status_text(enum log_status status)
{
    size_t i = 0;

    while (statuses[i].status != status)
        i++;
    return statuses[i].text;
}

bool log_status_worse(enum log_status a, enum log_status b)
{
    size_t i = 0;

    while (statuses[i].status != a && statuses[i].status != b)
        i++;
    return a != b && statuses[i].status == a;
}
