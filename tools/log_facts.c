/* SPDX-License-Identifier: MIT */
#include "tools/log_facts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/complain.h"

#define NAME_MOST  512u
#define WORDS_MOST 128u

struct log_facts {
    struct log_fact *list;
    size_t count, room;
    unsigned runs;
    bool ended, in_tests;
    char *test;             /* NULL: between tests */
    char *cores;            /* name of the cores that lines about the machine describe; NULL: the first kind */
    unsigned stacks, stack; /* LBR stacks of the test so far; the one whose entries follow */
    bool numbers;           /* names that occur more than once have been numbered */
};

struct log_facts *log_facts_new(void)
{
    return allocated(calloc(1, sizeof(struct log_facts)));
}

void log_facts_free(struct log_facts *facts)
{
    if (!facts)
        return;
    for (size_t i = 0; i < facts->count; i++) {
        free((void *)facts->list[i].test);
        free((void *)facts->list[i].name);
        free((void *)facts->list[i].field);
        free((void *)facts->list[i].value);
    }
    free(facts->list);
    free(facts->test);
    free(facts->cores);
    free(facts);
}

static void add(struct log_facts *facts, const char *test, const char *name, const char *field, const char *value)
{
    if (facts->count == facts->room) {
        facts->room = facts->room ? 2 * facts->room : 1024;
        facts->list = allocated(realloc(facts->list, facts->room * sizeof(facts->list[0])));
    }
    facts->list[facts->count] = (struct log_fact){ allocated(strdup(test)),
                                                   allocated(strdup(name)),
                                                   allocated(strdup(field)),
                                                   allocated(strdup(value)),
                                                   facts->count,
                                                   strcmp(name, field) == 0 };
    facts->count++;
}

/* Splits a line in place into words that end with NUL. Text in quotation marks or between bars is one word. */
static unsigned split(char *line, char **words)
{
    unsigned count = 0;

    while (count < WORDS_MOST) {
        while (*line == ' ')
            line++;
        if (*line == '\0')
            break;
        words[count++] = line;
        if (*line == '"' || *line == '|') {
            const char close = *line == '"' ? '"' : ' ';
            const char *const end = *line == '"' ? NULL : strrchr(line, '|');
            line++;
            while (*line != '\0' && (end ? line <= end : *line != close))
                line++;
            if (!end && *line != '\0')
                line++;
        } else {
            while (*line != '\0' && *line != ' ')
                line++;
        }
        if (*line != '\0')
            *line++ = '\0';
    }
    return count;
}

static bool is_number(const char *text)
{
    return isdigit((unsigned char)text[0]) && text[strspn(text, "0123456789")] == '\0';
}

static bool is_symbol(const char *text)
{
    return strstr(text, "+0x") != NULL && !isdigit((unsigned char)text[0]);
}

/* A field of record N, or of entry `entry` of its LBR stack. */
__attribute__((format(printf, 5, 6))) static void record(struct log_facts *facts, const char *kind, const char *key,
                                                         const char *value, const char *number, ...)
{
    char name[NAME_MOST], field[NAME_MOST], numbered[64];
    va_list args;

    va_start(args, number);
    vsnprintf(numbered, sizeof(numbered), number, args);
    va_end(args);
    snprintf(name, sizeof(name), "%s %s %s", kind, numbered, key);
    snprintf(field, sizeof(field), "%s.%s", kind, key);
    add(facts, facts->test, name, field, value);
}

/* bts N FROM [SYMBOL] => TO [SYMBOL] [PREDICTION] */
static void read_bts(struct log_facts *facts, char **words, unsigned count)
{
    const char *from, *to;
    unsigned i = 2;

    if (count < 5)
        return;
    from = words[i++];
    if (is_symbol(words[i]))
        from = words[i++];
    if (i + 1 >= count || strcmp(words[i++], "=>") != 0)
        return;
    to = words[i++];
    if (i < count && is_symbol(words[i]))
        to = words[i++];
    record(facts, "bts", "from", from, "%s", words[1]);
    record(facts, "bts", "to", to, "%s", words[1]);
    if (i < count)
        record(facts, "bts", "prediction", words[i], "%s", words[1]);
}

/* The parts of an LBR entry, FROM/TO/PREDICTION/TSX/ABORT/CYCLES[/KIND..], and of its symbols, FROM/TO. */
static void read_entry(struct log_facts *facts, const char *kind, const char *number, char *entry, char *symbols)
{
    static const char *const keys[] = { "from", "to", "prediction", "tsx", "abort", "cycles", "kind", "counts" };
    char *slash = symbols ? strchr(symbols, '/') : NULL;
    char *value, *rest = entry;

    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && (value = strsep(&rest, "/")) != NULL; i++) {
        const char *const symbol = !slash || i > 1 ? "-" : i == 0 ? symbols : slash + 1;
        record(facts, kind, keys[i], strcmp(symbol, "-") != 0 ? symbol : value, "%s", number);
    }
}

/* lbr N ENTRY [SYMBOLS], lbr stack KEY VALUE.., or lbr stack NUMBER goes on */
static void read_lbr(struct log_facts *facts, char **words, unsigned count)
{
    char number[64];

    if (strcmp(words[1], "stack") == 0 && is_number(words[2])) {
        facts->stack = (unsigned)strtoul(words[2], NULL, 10);
    } else if (strcmp(words[1], "stack") == 0) {
        facts->stack = ++facts->stacks;
        for (unsigned i = 2; i + 1 < count; i += 2)
            record(facts, "lbr", words[i], words[i + 1], "stack %u", facts->stack);
    } else if (is_number(words[1]) && count > 2) {
        snprintf(number, sizeof(number), "stack %u entry %s", facts->stack, words[1]);
        read_entry(facts, "lbr", number, words[2], count > 3 ? words[3] : NULL);
    }
}

/* pebs N KEY VALUE [SYMBOL or |WORDS|].., or pebs N lbr ENTRY.. */
static void read_pebs(struct log_facts *facts, char **words, unsigned count)
{
    if (!is_number(words[1]))
        return;
    if (count > 4 && strcmp(words[2], "lbr") == 0) {
        char number[64];

        snprintf(number, sizeof(number), "%s entry %s", words[1], words[3]);
        read_entry(facts, "pebs.lbr", number, words[4], count > 5 ? words[5] : NULL);
        return;
    }
    for (unsigned i = 2; i + 1 < count; i += 2) {
        const char *const key = words[i];
        const char *value = words[i + 1];

        if (i + 2 < count && (is_symbol(words[i + 2]) || words[i + 2][0] == '|')) {
            i++;
            if (is_symbol(words[i + 1]))
                value = words[i + 1];
        }
        record(facts, "pebs", key, value, "%s", words[1]);
    }
}

/* Whether a key identifies a line of a measurement; the other keys are its figures. */
static bool identifies(const char *of, const char *key)
{
    static const struct {
        const char *of, *keys;
    } rows[] = {
        { "memory", " size " },
        { "level", " size level " },
        { "sharing", " layout line " },
        { "sharing_access", " layout line offset cpu symbol " },
        { "skid", " event workload place distance " },
        { "cost", " method records_per_interrupt " },
        { "service", " kind records " },
        { "events", " event " },
    };
    char wanted[NAME_MOST];

    snprintf(wanted, sizeof(wanted), " %s ", key);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].of, of) == 0)
            return strstr(rows[i].keys, wanted) != NULL;
    return false;
}

/* measure OF KEY VALUE.. */
static void read_measure(struct log_facts *facts, char **words, unsigned count)
{
    char which[NAME_MOST / 2] = "";

    for (unsigned i = 2; i + 1 < count; i += 2)
        if (identifies(words[1], words[i])) {
            const size_t used = strlen(which);
            snprintf(which + used, sizeof(which) - used, " %s %s", words[i], words[i + 1]);
        }
    for (unsigned i = 2; i + 1 < count; i += 2)
        if (!identifies(words[1], words[i])) {
            char name[NAME_MOST], field[NAME_MOST];
            snprintf(name, sizeof(name), "measure %s%s %s", words[1], which, words[i]);
            snprintf(field, sizeof(field), "measure.%s.%s", words[1], words[i]);
            add(facts, facts->test, name, field, words[i + 1]);
        }
}

static const char *after(const char *line, const char *start)
{
    const size_t length = strlen(start);

    return strncmp(line, start, length) == 0 ? line + length : NULL;
}

static void leave_test(struct log_facts *facts)
{
    free(facts->test);
    facts->test = NULL;
}

/* [not ]ok N ID [# SKIP REASON or # ERROR or # TIMEOUT] */
static void read_result(struct log_facts *facts, const char *line, const char *result)
{
    char id[NAME_MOST], value[NAME_MOST];
    const char *skip, *directive;

    if (sscanf(line, "%*u %511s", id) != 1)
        return;
    directive = strstr(line, " # ");
    if (directive && (after(directive, " # ERROR") || after(directive, " # TIMEOUT")))
        result = "error";
    skip = strstr(line, "# SKIP ");
    snprintf(value, sizeof(value), "%s%s", skip ? "skip: " : result, skip ? skip + strlen("# SKIP ") : "");
    add(facts, id, "result", "result", value);
    leave_test(facts);
}

/* A line of a test, without "# ". */
static void read_in_test(struct log_facts *facts, char *line)
{
    static const struct {
        const char *first;
        void (*read)(struct log_facts *facts, char **words, unsigned count);
    } kinds[] = { { "bts", read_bts }, { "lbr", read_lbr }, { "pebs", read_pebs }, { "measure", read_measure } };
    char *words[WORDS_MOST], kind[32];
    const char *text;
    unsigned count, more;

    if ((text = after(line, "wrong: ")) != NULL)
        add(facts, facts->test, "wrong", "wrong", text);
    else if ((text = after(line, "differs: ")) != NULL)
        add(facts, facts->test, "differs", "differs", text);
    else if (sscanf(line, "%u more LBR %31s", &more, kind) == 2 && strcmp(kind, "entries") == 0)
        record(facts, "lbr", "not_printed", strtok(line, " "), "stack %u", facts->stack);
    else if (sscanf(line, "%u more %31s records", &more, kind) == 2)
        record(facts, kind, "not_printed", strtok(line, " "), "records");
    else if ((count = split(line, words)) > 2)
        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
            if (strcmp(words[0], kinds[i].first) == 0)
                kinds[i].read(facts, words, count);
}

/* A line about the machine begins with the word that names it. */
static void read_machine(struct log_facts *facts, const char *line)
{
    char word[64], name[NAME_MOST];

    if (sscanf(line, "%63s", word) != 1 || line[strlen(word)] != ' ')
        return;
    snprintf(name, sizeof(name), "%s%s%s", word, facts->cores ? " of " : "", facts->cores ? facts->cores : "");
    add(facts, LOG_FACTS_MACHINE, name, name, line + strlen(word) + 1);
}

/* cpu N apic ID NAME: lines about the cores of this name follow. */
static void read_cores(struct log_facts *facts, const char *line)
{
    int at = 0;

    sscanf(line, "cpu %*u apic %*s %n", &at);
    free(facts->cores);
    facts->cores = allocated(strdup(line + at));
}

/* A line outside of tests, without "# ". */
static void read_outside(struct log_facts *facts, const char *line)
{
    char word[64], name[96];
    const char *text;

    if ((text = after(line, "end dstest86 ")) != NULL) {
        facts->ended = true;
        add(facts, LOG_FACTS_RUN, "end", "end", text);
    } else if ((text = after(line, "error: ")) != NULL) {
        add(facts, LOG_FACTS_RUN, "error", "error", text);
    } else if ((text = after(line, "facility ")) != NULL && sscanf(text, "%63s", word) == 1) {
        const char *const said = strchr(text, ' ');
        snprintf(name, sizeof(name), "facility %s", word);
        add(facts, LOG_FACTS_RUN, name, "facility", said ? said + 1 : "");
    } else if ((text = after(line, "tests on ")) != NULL) {
        read_cores(facts, text);
    } else if (!facts->in_tests || facts->cores) {
        read_machine(facts, line);
    }
}

void log_facts_line(struct log_facts *facts, const char *bytes, size_t length)
{
    char *line, *text;

    while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r'))
        length--;
    line = allocated(strndup(bytes, length));
    text = strncmp(line, "# ", 2) == 0 ? line + 2 : NULL;
    if (text && after(text, "begin dstest86 "))
        facts->runs++;
    if (after(line, "KTAP version")) {
        facts->in_tests = true;
    } else if (after(line, "ok ")) {
        read_result(facts, line + strlen("ok "), "pass");
    } else if (after(line, "not ok ")) {
        read_result(facts, line + strlen("not ok "), "fail");
    } else if (text && after(text, "dsdump/")) {
        ; /* a frame of the raw dump: the same records again */
    } else if (text && facts->in_tests && after(text, "test ")) {
        free(facts->test);
        free(facts->cores);
        facts->test = allocated(strdup(text + strlen("test ")));
        facts->cores = NULL;
        facts->stacks = 0;
    } else if (text && after(text, "panic ")) {
        leave_test(facts); /* the test ended without a result */
        add(facts, LOG_FACTS_RUN, "panic", "panic", text + strlen("panic "));
    } else if (text && facts->test) {
        read_in_test(facts, text);
    } else if (text) {
        read_outside(facts, text);
    }
    free(line);
}

unsigned log_facts_runs(const struct log_facts *facts)
{
    return facts->runs;
}

bool log_facts_ended(const struct log_facts *facts)
{
    return facts->ended;
}

int log_facts_compare(const struct log_fact *a, const struct log_fact *b)
{
    const int by_test = strcmp(a->test, b->test);

    return by_test ? by_test : strcmp(a->name, b->name);
}

static int in_order(const void *left, const void *right)
{
    const struct log_fact *const a = left, *const b = right;
    const int by_name = log_facts_compare(a, b);

    return by_name ? by_name : a->order < b->order ? -1 : 1;
}

/* Lines of the same name get a number, from the second on. */
static void number(struct log_facts *facts)
{
    unsigned same = 1;

    for (size_t i = 1; i < facts->count; i++) {
        struct log_fact *const fact = &facts->list[i];
        const struct log_fact *const first = fact - same;
        char name[NAME_MOST + 16];

        if (log_facts_compare(first, fact) != 0) {
            same = 1;
            continue;
        }
        snprintf(name, sizeof(name), "%s (%u)", fact->name, ++same);
        free((void *)fact->name);
        fact->name = allocated(strdup(name));
    }
}

size_t log_facts_sorted(struct log_facts *facts, const struct log_fact **sorted)
{
    if (facts->count && !facts->numbers) {
        qsort(facts->list, facts->count, sizeof(facts->list[0]), in_order);
        number(facts);
        qsort(facts->list, facts->count, sizeof(facts->list[0]), in_order);
        facts->numbers = true;
    }
    *sorted = facts->list;
    return facts->count;
}
