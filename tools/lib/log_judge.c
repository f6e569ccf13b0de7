/* SPDX-License-Identifier: MIT */
/* The lines of a log. */
#include "tools/lib/log_judge.h"

#include <stdarg.h>
#include <stdlib.h>

#include "lib/dump/reader/dump_read.h"
#include "tools/lib/log_state.h"

static struct dump_reader *reader_of(struct log_judge *j)
{
    return (struct dump_reader *)(void *)j->reader;
}

size_t log_judge_size(void)
{
    return sizeof(struct log_judge) + dump_reader_size();
}

void log_make_printable(char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

void log_complain(struct log_judge *j, uint64_t line, const char *format, ...)
{
    char text[LOG_PROBLEM_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log_make_printable(text);
    j->problems++;
    j->problem(j->context, line, text);
}

static void complain_of_dump(void *context, const struct dump_problem *problem)
{
    struct log_judge *const j = context;
    char text[DUMP_PROBLEM_TEXT];

    if (problem->error != DUMP_READ_NO_DUMP)
        log_complain(j, j->number, "the dump: %s", dump_problem_text(text, problem));
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

static enum outcome outcome_of(const char *word)
{
    for (enum outcome outcome = OUTCOME_PASS; outcome <= OUTCOME_ERROR; outcome++)
        if (strcmp(outcome_text(outcome), word) == 0)
            return outcome;
    return OUTCOME_NOT_RUN;
}

/* ---- tables ---- */

/* A table is full: no kernel writes that much. */
static bool overflows(struct log_judge *j, size_t count, size_t most, const char *what)
{
    if (count < most)
        return false;
    if (!j->full)
        log_complain(j, j->number, "more than %zu %s", most, what);
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

struct area *log_area(struct log_judge *j, const char *name, size_t length)
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

struct facility_line *log_facility(struct log_judge *j, const char *name)
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
        log_complain(j, j->number, "\"# begin\" occurs twice: the kernel restarted; judge each boot's log alone");
    j->prefix_line = 0;
    sscanf(rest, " %*s %*s %*[0-9]%n", &end);
    if (end == 0)
        sscanf(rest, " %*s %*s linux%n", &end); /* ds-linux */
    if (end == 0 || rest[end] != '\0')
        log_complain(j, j->number, "not \"# begin dstest86 VERSION REVISION WIDTH\": %.80s", j->line);
}

/* A logger may have put text in front of the kernel's first or last line. */
static void note_prefix(struct log_judge *j)
{
    const char *const at = strstr(j->line, j->begins ? "# end dstest86 " : "# begin dstest86 ");

    if (!at)
        return;
    j->prefix_line = j->number;
    snprintf(j->prefix, sizeof j->prefix, "%.*s", (int)(at - j->line), j->line);
    log_make_printable(j->prefix);
}

static void take_plan(struct log_judge *j, const char *rest)
{
    if (j->plans++)
        log_complain(j, j->number, "a second plan");
    j->plan = strtoull(rest, NULL, 10);
}

/* The result of a line with this directive. */
static enum outcome result_of(bool ok, const char *directive, bool differs)
{
    if (ok)
        return after_word(directive, "SKIP") ? OUTCOME_SKIP : differs ? OUTCOME_DIFFERS : OUTCOME_PASS;
    return after_word(directive, "ERROR") ? OUTCOME_ERROR : OUTCOME_FAIL;
}

/* N ID [# DIRECTIVE], after "ok" or "not ok" */
static void take_result(struct log_judge *j, bool ok, const char *rest)
{
    char number[24], id[NAME_SIZE];
    int end = 0;

    if (sscanf(rest, "%*1[ ]%20[0-9]%*1[ ]%" NAME "%n", number, id, &end) != 2 ||
        (rest[end] != '\0' && !after(rest + end, " # "))) {
        log_complain(j, j->number, "not a result line: %.80s", j->line);
        return;
    }
    const char *const directive = rest[end] ? rest + end + 3 : "";
    struct test *const test = test_of(j, id);
    if (strtoull(number, NULL, 10) != ++j->reported)
        log_complain(j, j->number, "%s has number %s, not %" PRIu64, id, number, j->reported);
    if (strcmp(directive, "SKIP") == 0)
        log_complain(j, j->number, "%s skipped without a reason", id);
    if (!ok && after_word(directive, "SKIP"))
        log_complain(j, j->number, "%s is skipped, but \"not ok\"", id);
    if (!test)
        return;
    if (test->result != OUTCOME_NOT_RUN)
        log_complain(j, j->number, "%s reported twice", id);
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
    struct area *const area = log_area(j, name, strlen(name));
    if (area && area->said[0])
        log_complain(j, j->number, "the table has the area %s twice", name);
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
        log_complain(j, j->number, "a second reason for %s", id);
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
        log_complain(j, j->number, "not a line of the recap: %.80s", j->line);
        return;
    }
    struct test *const test = test_of(j, id);
    j->recap = true;
    if (test && test->recap != OUTCOME_NOT_RUN)
        log_complain(j, j->number, "a second recap of %s", id);
    if (test)
        test->recap = outcome_of(word);
}

/* NAME STATE.. */
static void take_facility(struct log_judge *j, const char *rest)
{
    char name[NAME_SIZE];
    int end = 0;

    if (sscanf(rest, "%95s %n", name, &end) != 1 || rest[end] == '\0') {
        log_complain(j, j->number, "not a line of a facility: %.80s", j->line);
        return;
    }
    if (log_facility(j, name))
        log_complain(j, j->number, "a second line for the facility %s", name);
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
        log_complain(j, j->number, "text after the line \"# end\": %.80s", line);
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
            log_complain(j, j->number, "a second table by area");
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
    for (size_t i = 0; i < length; i++)
        if (bytes[i] == '\n')
            end_line(j);
        else if (j->length < sizeof j->line - 1)
            j->line[j->length++] = bytes[i];
}

enum log_status log_judge_end(struct log_judge *j)
{
    struct dump_totals totals;

    if (j->length > 0)
        end_line(j);
    if (j->begins == 1 && !j->panicked) /* a panic may interrupt the dump */
        dump_read_end(reader_of(j), &totals);
    return log_verdict(j);
}

const char *log_judge_reason(const struct log_judge *j)
{
    return j->reason;
}
