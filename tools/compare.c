/* SPDX-License-Identifier: MIT */
#include "tools/compare.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/complain.h"
#include "tools/log_facts.h"
#include "tools/writer.h"

enum { STATUS_SAME, STATUS_DIFFERENT, STATUS_NOTHING };

#define LOGS 2

/* An accepted difference: patterns of a test and of a field. */
struct accepted {
    char *test, *field;
    unsigned line;
    size_t used;
};

/* A fact of one log or of both. */
struct pair {
    const struct log_fact *of[LOGS]; /* NULL: this log has none */
    size_t test_order;               /* of its test's first fact */
    bool accepted;
};

/* A field of a test: how many of its facts differ, and the first that does. */
struct row {
    size_t differ, only[LOGS], accepted;
    const struct pair *first, *first_only[LOGS];
};

static struct comparison {
    const char *paths[LOGS], *accept_path, *page_path;
    struct log_facts *facts[LOGS];
    struct accepted *accept;
    size_t accept_count;
    struct pair *pairs; /* those that differ */
    size_t count, same, accepted;
    bool broken_off; /* one of the logs */
} run;

/* ---- input ------------------------------------------------------------------------------------------------------- */

static bool parse(char *const *words, int count)
{
    unsigned logs = 0;

    for (int i = 0; i < count; i++) {
        const char **const file = strcmp(words[i], "--accept") == 0 ? &run.accept_path
                                  : strcmp(words[i], "--html") == 0 ? &run.page_path
                                                                    : NULL;
        if (file && i + 1 == count) {
            complain(words[i], "missing file name");
            return false;
        }
        if (file && *file) {
            complain(words[i], "only one can be given");
            return false;
        }
        if (file) {
            *file = words[++i];
        } else if (strcmp(words[i], "-") == 0) {
            complain("--compare", "needs two files, not standard input");
            return false;
        } else if (words[i][0] == '-') {
            complain(words[i], "unknown option of --compare; it has --accept FILE and --html FILE");
            return false;
        } else if (logs == LOGS) {
            complain(words[i], "only two logs can be compared");
            return false;
        } else {
            run.paths[logs++] = words[i];
        }
    }
    if (logs == LOGS)
        return true;
    complain("--compare", "expected two logs");
    return false;
}

/* Whether the page's file is none of the input files. */
static bool page_is_another(void)
{
    const char *const inputs[] = { run.paths[0], run.paths[1], run.accept_path };

    for (size_t i = 0; run.page_path && i < sizeof(inputs) / sizeof(inputs[0]); i++)
        if (inputs[i] && writer_is_input(run.page_path, inputs[i]))
            return false;
    return true;
}

/* Calls line() for each line of a file. False: it cannot be read, which was reported, or line() returned false. */
static bool read_lines(const char *path, bool (*line)(void *context, char *text, size_t length), void *context)
{
    FILE *const file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    bool done = true;

    if (!file) {
        complain(path, "%s", strerror(errno));
        return false;
    }
    errno = 0;
    while (done && (length = getline(&text, &room, file)) >= 0)
        done = line(context, text, (size_t)length);
    if (done && (ferror(file) || errno)) {
        complain(path, "%s", strerror(errno));
        done = false;
    }
    free(text);
    fclose(file);
    return done;
}

static bool fact_line(void *context, char *text, size_t length)
{
    log_facts_line(context, text, length);
    return true;
}

static bool read_log(unsigned log)
{
    struct log_facts *const facts = run.facts[log] = log_facts_new();

    if (!read_lines(run.paths[log], fact_line, facts))
        return false;
    if (log_facts_runs(facts) != 1) {
        complain(run.paths[log],
                 log_facts_runs(facts) ? "the log has %u runs (lines \"# begin dstest86\"); expected one"
                                       : "not a log of dstest86: there is no line \"# begin dstest86\"",
                 log_facts_runs(facts));
        return false;
    }
    if (!log_facts_ended(facts)) {
        complain(run.paths[log], "the log breaks off: there is no line \"# end dstest86\"; only what came before it is "
                                 "compared");
        run.broken_off = true;
    }
    return true;
}

/* TEST FIELD, both patterns of a shell; # begins a comment. */
static bool accept_line(void *context, char *text, size_t length)
{
    unsigned *const line = context;
    char *test, *field, *more, *rest = text;

    (void)length;
    ++*line;
    text[strcspn(text, "#\r\n")] = '\0';
    test = strtok_r(rest, " \t", &rest);
    field = strtok_r(NULL, " \t", &rest);
    more = strtok_r(NULL, " \t", &rest);
    if (!test)
        return true;
    if (!field || more) {
        complain(run.accept_path, "line %u: expected the patterns of a test and of a field, as in 'pebs.* pebs.tsc'",
                 *line);
        return false;
    }
    run.accept = allocated(realloc(run.accept, (run.accept_count + 1) * sizeof(run.accept[0])));
    run.accept[run.accept_count++] = (struct accepted){ allocated(strdup(test)), allocated(strdup(field)), *line, 0 };
    return true;
}

/* ---- differences ------------------------------------------------------------------------------------------------- */

static const struct log_fact *either(const struct pair *pair)
{
    return pair->of[0] ? pair->of[0] : pair->of[1];
}

static bool is_accepted(const struct log_fact *fact)
{
    bool found = false;

    for (size_t i = 0; i < run.accept_count; i++) {
        struct accepted *const row = &run.accept[i];
        if (fnmatch(row->test, fact->test, 0) == 0 && fnmatch(row->field, fact->field, 0) == 0) {
            row->used++;
            found = true;
        }
    }
    return found;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* By test, in the order of the first log, then by field, then by place in the log. */
static int in_order(const void *left, const void *right)
{
    const struct pair *const a = left, *const b = right;
    const struct log_fact *const fact_a = either(a), *const fact_b = either(b);
    int by = strcmp(fact_a->test, fact_b->test);

    if (by)
        return a->test_order != b->test_order ? (a->test_order < b->test_order ? -1 : 1) : by;
    by = strcmp(fact_a->field, fact_b->field);
    if (by)
        return strcmp(fact_b->field, "result") == 0 ? 1 : strcmp(fact_a->field, "result") == 0 ? -1 : by;
    if (fact_a->order != fact_b->order)
        return fact_a->order < fact_b->order ? -1 : 1;
    return strcmp(fact_a->name, fact_b->name);
}

static bool same_test(const struct pair *a, const struct pair *b)
{
    return strcmp(either(a)->test, either(b)->test) == 0;
}

static bool same_field(const struct pair *a, const struct pair *b)
{
    return same_test(a, b) && strcmp(either(a)->field, either(b)->field) == 0;
}

static void set_order(size_t from, size_t order)
{
    for (size_t i = from; i < run.count; i++)
        run.pairs[i].test_order = order;
}

/* Merges both lists, which are sorted by test and name, and drops the facts that are the same. */
static bool find_pairs(void)
{
    const struct log_fact *list[LOGS];
    size_t count[LOGS], at[LOGS] = { 0, 0 }, begin = 0, order = SIZE_MAX;
    const char *test = NULL;

    for (unsigned log = 0; log < LOGS; log++)
        count[log] = log_facts_sorted(run.facts[log], &list[log]);
    run.pairs = allocated(calloc(count[0] + count[1] + 1, sizeof(run.pairs[0])));
    while (at[0] < count[0] || at[1] < count[1]) {
        const struct log_fact *const a = at[0] < count[0] ? &list[0][at[0]] : NULL;
        const struct log_fact *const b = at[1] < count[1] ? &list[1][at[1]] : NULL;
        const int by = !a ? 1 : !b ? -1 : log_facts_compare(a, b);
        const struct pair pair = { .of = { by <= 0 ? a : NULL, by >= 0 ? b : NULL } };

        at[0] += by <= 0;
        at[1] += by >= 0;
        if (!test || strcmp(test, either(&pair)->test) != 0) {
            set_order(begin, order);
            test = either(&pair)->test;
            begin = run.count;
            order = SIZE_MAX;
        }
        order = pair.of[0] ? least(order, pair.of[0]->order) : order;
        if (by == 0 && strcmp(a->value, b->value) == 0)
            run.same++;
        else
            run.pairs[run.count++] = pair;
    }
    set_order(begin, order);
    qsort(run.pairs, run.count, sizeof(run.pairs[0]), in_order);
    return true;
}

static int by_place(const void *left, const void *right)
{
    const size_t a = (*(const struct log_fact *const *)left)->order;
    const size_t b = (*(const struct log_fact *const *)right)->order;

    return a < b ? -1 : a > b;
}

static int by_value(const void *left, const void *right)
{
    const int by =
        strcmp((*(const struct log_fact *const *)left)->value, (*(const struct log_fact *const *)right)->value);

    return by ? by : by_place(left, right);
}

/* Leaves in each list, in the log's order, only the facts that the other lacks. */
static void drop_common(const struct log_fact **a, size_t *count_a, const struct log_fact **b, size_t *count_b)
{
    size_t i = 0, j = 0, left_a = 0, left_b = 0;

    qsort(a, *count_a, sizeof(a[0]), by_value);
    qsort(b, *count_b, sizeof(b[0]), by_value);
    while (i < *count_a || j < *count_b) {
        const int by = i == *count_a ? 1 : j == *count_b ? -1 : strcmp(a[i]->value, b[j]->value);
        if (by < 0) {
            a[left_a++] = a[i++];
        } else if (by > 0) {
            b[left_b++] = b[j++];
        } else {
            i++;
            j++;
            run.same++;
        }
    }
    qsort(a, left_a, sizeof(a[0]), by_place);
    qsort(b, left_b, sizeof(b[0]), by_place);
    *count_a = left_a;
    *count_b = left_b;
}

/*
 * Lines that begin alike (reading, note, wrong) were paired by their number. An extra line in one log shifts the
 * numbers after it, so the lines are paired again, without those that both logs have.
 */
static bool pair_lines_again(void)
{
    const struct log_fact **const lists = allocated(calloc(LOGS * run.count + 1, sizeof(lists[0])));
    const struct log_fact **const a = lists, **const b = lists + run.count;
    size_t kept = 0;

    for (size_t first = 0, end; first < run.count; first = end) {
        const struct pair group = run.pairs[first];
        size_t count_a = 0, count_b = 0;
        for (end = first; end < run.count && same_field(&group, &run.pairs[end]); end++) {
            const struct pair *const pair = &run.pairs[end];
            if (pair->of[0])
                a[count_a++] = pair->of[0];
            if (pair->of[1])
                b[count_b++] = pair->of[1];
        }
        if (!either(&group)->line) {
            memmove(&run.pairs[kept], &run.pairs[first], (end - first) * sizeof(run.pairs[0]));
            kept += end - first;
            continue;
        }
        drop_common(a, &count_a, b, &count_b);
        for (size_t i = 0; i < count_a || i < count_b; i++)
            run.pairs[kept++] = (struct pair){ .of = { i < count_a ? a[i] : NULL, i < count_b ? b[i] : NULL },
                                               .test_order = group.test_order };
    }
    run.count = kept;
    free(lists);
    return true;
}

static bool find_differences(void)
{
    if (!find_pairs() || !pair_lines_again())
        return false;
    for (size_t i = 0; i < run.count; i++) {
        run.pairs[i].accepted = is_accepted(either(&run.pairs[i]));
        run.accepted += run.pairs[i].accepted;
    }
    return true;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* The pairs of one field of one test, from the first on. Returns how many. */
static size_t read_row(const struct pair *first, const struct pair *end, struct row *row)
{
    const struct pair *pair = first;

    *row = (struct row){ 0 };
    for (; pair < end && same_field(first, pair); pair++) {
        if (pair->accepted) {
            row->accepted++;
        } else if (pair->of[0] && pair->of[1]) {
            row->first = row->first ? row->first : pair;
            row->differ++;
        } else {
            const unsigned log = pair->of[0] ? 0 : 1;
            row->first_only[log] = row->first_only[log] ? row->first_only[log] : pair;
            row->only[log]++;
        }
    }
    return (size_t)(pair - first);
}

/* A byte of text from a machine; a terminal's control character becomes "?". */
static char harmless(char byte)
{
    return (unsigned char)byte < ' ' || byte == 0x7f ? '?' : byte;
}

/* Prints these texts, up to a NULL. */
static void print_parts(const char *const *parts)
{
    for (; *parts; parts++)
        for (const char *at = *parts; *at; at++)
            putchar(harmless(*at));
    putchar('\n');
}

#define PRINT(...) print_parts((const char *const[]){ __VA_ARGS__, NULL })

static void print_row(const struct row *row)
{
    if (row->differ)
        PRINT("  ", row->first->of[0]->name, ": ", row->first->of[0]->value, " | ", row->first->of[1]->value);
    if (row->differ > 1) {
        printf("    and %zu more differ in ", row->differ - 1);
        PRINT(row->first->of[0]->field);
    }
    for (unsigned log = 0; log < LOGS; log++) {
        if (!row->only[log])
            continue;
        const struct log_fact *const fact = row->first_only[log]->of[log];
        PRINT(log ? "  only in B: " : "  only in A: ", fact->name, ": ", fact->value);
        if (row->only[log] > 1) {
            printf("    and %zu more of ", row->only[log] - 1);
            PRINT(fact->field);
        }
    }
}

static void print_text(void)
{
    const struct pair *const end = run.pairs + run.count, *said = NULL;
    size_t tests = 0;

    printf("A %s\nB %s\n", run.paths[0], run.paths[1]);
    for (const struct pair *pair = run.pairs; pair < end;) {
        struct row row;
        const struct pair *const first = pair;

        pair += read_row(pair, end, &row);
        if (row.differ + row.only[0] + row.only[1] == 0)
            continue;
        if (!said || !same_test(said, first)) {
            PRINT(either(first)->test);
            said = first;
            tests++;
        }
        print_row(&row);
    }
    printf("the same %zu, different %zu in %zu tests, accepted %zu\n", run.same, run.count - run.accepted, tests,
           run.accepted);
    for (size_t i = 0; i < run.accept_count; i++)
        if (!run.accept[i].used)
            printf("%s: line %u: nothing differs in '%s %s'\n", run.accept_path, run.accept[i].line, run.accept[i].test,
                   run.accept[i].field);
}

static void page_text(struct writer *page, const char *text)
{
    for (; *text; text++) {
        const char *const as = *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : *text == '"' ? "&quot;" : NULL;
        if (as)
            writer_text(page, as);
        else
            writer_bytes(page, &(char){ harmless(*text) }, 1);
    }
}

static void page_cell(struct writer *page, const char *text)
{
    writer_text(page, "<td>");
    page_text(page, text);
}

/* Every difference in a table for each test; accepted ones are paler. */
static bool write_page(void)
{
    static const char style[] = "body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}"
                                "td,th{border:1px solid #8888;padding:.2em .6em;text-align:left;font-family:monospace}"
                                ".accepted{opacity:.5}";
    struct writer page;

    if (!writer_open(&page, run.page_path))
        return false;
    writer_format(&page,
                  "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"color-scheme\" "
                  "content=\"light dark\">\n<title>dstest86: two logs</title><style>%s</style>\n<h1>What two logs say "
                  "differently</h1>\n<p>A: ",
                  style);
    page_text(&page, run.paths[0]);
    writer_text(&page, "<br>B: ");
    page_text(&page, run.paths[1]);
    writer_format(&page, "\n<p>The same %zu, different %zu, accepted %zu (pale).\n", run.same, run.count - run.accepted,
                  run.accepted);
    for (size_t i = 0; i < run.count; i++) {
        const struct pair *const pair = &run.pairs[i];
        if (i == 0 || !same_test(pair - 1, pair)) {
            writer_text(&page, i ? "</table>\n<h2>" : "<h2>");
            page_text(&page, either(pair)->test);
            writer_text(&page, "</h2>\n<table><tr><th>what<th>A<th>B\n");
        }
        writer_text(&page, pair->accepted ? "<tr class=\"accepted\">" : "<tr>");
        page_cell(&page, either(pair)->name);
        for (unsigned log = 0; log < LOGS; log++)
            page_cell(&page, pair->of[log] ? pair->of[log]->value : "");
        writer_text(&page, "\n");
    }
    writer_text(&page, run.count ? "</table>\n</html>\n" : "</html>\n");
    return writer_close(&page);
}

static int compare(char *const *words, int count)
{
    unsigned line = 0;

    if (!parse(words, count) || !page_is_another() || !read_log(0) || !read_log(1) ||
        (run.accept_path && !read_lines(run.accept_path, accept_line, &line)) || !find_differences() ||
        (run.page_path && !write_page()))
        return STATUS_NOTHING;
    print_text();
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("standard output", "cannot write: %s", strerror(errno));
        return STATUS_NOTHING;
    }
    return run.count > run.accepted || run.broken_off ? STATUS_DIFFERENT : STATUS_SAME;
}

int compare_print(char *const *words, int count)
{
    const int status = compare(words, count);

    for (unsigned log = 0; log < LOGS; log++)
        log_facts_free(run.facts[log]);
    for (size_t i = 0; i < run.accept_count; i++) {
        free(run.accept[i].test);
        free(run.accept[i].field);
    }
    free(run.accept);
    free(run.pairs);
    return status;
}
