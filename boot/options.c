/* SPDX-License-Identifier: MIT */
#include "boot/options.h"

#include "base/format.h"

#define TIMEOUT_MAX  3600u
#define BAUD_BASE    115200u
#define BAUD_MIN     1200u
#define OFFENDER_MAX 40u /* characters of a bad word that a message repeats */

static bool slice_is(struct slice slice, const char *text)
{
    size_t i = 0;
    while (i < slice.length && text[i] != '\0' && slice.start[i] == text[i])
        i++;
    return i == slice.length && text[i] == '\0';
}

static struct slice slice_of(const char *text)
{
    struct slice slice = { text, 0 };
    while (text[slice.length] != '\0')
        slice.length++;
    return slice;
}

/* Splits at the first separator: returns the text before it, leaves the text after it; *found: there was one. */
static struct slice split(struct slice *rest, char separator, bool *found)
{
    struct slice first = { rest->start, 0 };
    while (first.length < rest->length && first.start[first.length] != separator)
        first.length++;
    *found = first.length < rest->length;
    size_t taken = first.length + (*found ? 1 : 0);
    rest->start += taken;
    rest->length -= taken;
    return first;
}

static enum options_error parse_number(struct slice value, uint32_t least, uint32_t most, uint32_t *out)
{
    uint64_t number = 0;
    for (size_t i = 0; i < value.length; i++) {
        if (value.start[i] < '0' || value.start[i] > '9')
            return OPTIONS_NOT_A_NUMBER;
        if (number <= UINT32_MAX)
            number = number * 10 + (uint64_t)(value.start[i] - '0');
    }
    if (number < least || number > most)
        return OPTIONS_OUT_OF_RANGE;
    *out = (uint32_t)number;
    return OPTIONS_OK;
}

/* The position of value among the choices; count if it is not one of them. */
static unsigned find_choice(struct slice value, const char *const choices[], unsigned count)
{
    unsigned i = 0;
    while (i < count && !slice_is(value, choices[i]))
        i++;
    return i;
}

static enum options_error take_globs(struct slice value, struct slice *list)
{
    struct slice rest = value;
    bool more = true;
    while (more) {
        if (split(&rest, ',', &more).length == 0)
            return OPTIONS_NO_VALUE;
    }
    *list = value;
    return OPTIONS_OK;
}

static enum options_error take_run(struct slice value, struct options *options)
{
    return take_globs(value, &options->run);
}

static enum options_error take_skip(struct slice value, struct options *options)
{
    return take_globs(value, &options->skip);
}

static enum options_error take_list(struct slice value, struct options *options)
{
    (void)value;
    options->list = true;
    return OPTIONS_OK;
}

static enum options_error take_gdbwait(struct slice value, struct options *options)
{
    (void)value;
    options->gdbwait = true;
    return OPTIONS_OK;
}

static enum options_error take_records(struct slice value, struct options *options)
{
    if (slice_is(value, "all")) {
        options->records = OPTIONS_RECORDS_ALL;
        return OPTIONS_OK;
    }
    if (slice_is(value, "none")) {
        options->records = 0;
        return OPTIONS_OK;
    }
    return parse_number(value, 0, OPTIONS_RECORDS_ALL - 1, &options->records);
}

static enum options_error take_timeout(struct slice value, struct options *options)
{
    uint32_t seconds;
    enum options_error error = parse_number(value, 1, TIMEOUT_MAX, &seconds);
    if (error == OPTIONS_OK)
        options->timeout = seconds;
    return error;
}

static enum options_error take_end(struct slice value, struct options *options)
{
    static const char *const choices[] = { "halt", "reboot", "poweroff" };
    unsigned choice = find_choice(value, choices, 3);
    if (choice == 3)
        return OPTIONS_NOT_A_CHOICE;
    options->end = (enum options_end)choice;
    return OPTIONS_OK;
}

static enum options_error take_exit(struct slice value, struct options *options)
{
    static const char *const choices[] = { "auto", "debug", "none" };
    unsigned choice = find_choice(value, choices, 3);
    if (choice == 3)
        return OPTIONS_NOT_A_CHOICE;
    options->exit = (enum options_exit)choice;
    return OPTIONS_OK;
}

static enum options_error take_console(struct slice value, struct options *options)
{
    static const char *const choices[] = { "ttyS0", "ttyS1", "ttyS2", "ttyS3" };
    bool speed;
    unsigned port = find_choice(split(&value, ',', &speed), choices, 4);
    uint32_t baud = BAUD_BASE;
    if (port == 4)
        return OPTIONS_NOT_A_CHOICE;
    if (speed && value.length == 0)
        return OPTIONS_NO_VALUE;
    if (speed) {
        enum options_error error = parse_number(value, BAUD_MIN, BAUD_BASE, &baud);
        if (error != OPTIONS_OK)
            return error;
        if (BAUD_BASE % baud != 0)
            return OPTIONS_NOT_A_CHOICE;
    }
    options->console = port;
    options->console_baud = baud;
    return OPTIONS_OK;
}

static enum options_error take_width(struct slice value, struct options *options)
{
    static const char *const choices[] = { "32", "64" };
    unsigned choice = find_choice(value, choices, 2);
    if (choice == 2)
        return OPTIONS_NOT_A_CHOICE;
    options->width = 32 * (choice + 1);
    return OPTIONS_OK;
}

static enum options_error take_dump(struct slice value, struct options *options)
{
    static const char *const choices[] = { "none", "raw" };
    unsigned choice = find_choice(value, choices, 2);
    if (choice == 2)
        return OPTIONS_NOT_A_CHOICE;
    options->dump = choice == 1;
    return OPTIONS_OK;
}

static enum options_error take_paging(struct slice value, struct options *options)
{
    static const char *const choices[] = { "auto", "pae", "legacy" };
    unsigned choice = find_choice(value, choices, 3);
    if (choice == 3)
        return OPTIONS_NOT_A_CHOICE;
    options->paging = (enum options_paging)choice;
    return OPTIONS_OK;
}

/* All options: their parsers, defaults and help texts. */
static const struct option {
    const char *name;
    const char *form;   /* form of the value; NULL for an option without one */
    const char *preset; /* default value, parsed before the text; NULL = none */
    enum options_error (*take)(struct slice value, struct options *options);
    const char *help;
} table[] = {
    { "run", "GLOB[,GLOB..]", "*", take_run, "run tests whose id matches" },
    { "skip", "GLOB[,GLOB..]", NULL, take_skip, "skip tests whose id matches" },
    { "list", NULL, NULL, take_list, "list the tests, run none" },
    { "records", "N|all|none", "8", take_records, "decoded records to print, per test and kind" },
    { "dump", "none|raw", "none", take_dump, "all records as the processor wrote them, for dsdump" },
    { "timeout", "SECONDS", "10", take_timeout, "time limit for each test, 1 to 3600" },
    { "end", "halt|reboot|poweroff", "halt", take_end, "what to do after the verdict" },
    { "exit", "auto|debug|none", "auto", take_exit, "QEMU's debug exit device; auto: under a hypervisor" },
    { "console", "ttyS0..3[,BAUD]", "ttyS0,115200", take_console, "serial port and its speed" },
    { "gdbwait", NULL, NULL, take_gdbwait, "wait for a debugger before the first test" },
    { "width", "32|64", NULL, take_width, "which kernel the loader starts" },
    { "paging", "auto|pae|legacy", "auto", take_paging, "page tables of the 32-bit kernel" },
};

#define OPTIONS (sizeof(table) / sizeof(table[0]))

static void set_defaults(struct options *options)
{
    *options = (struct options){ 0 };
    for (size_t i = 0; i < OPTIONS; i++) {
        if (table[i].preset)
            table[i].take(slice_of(table[i].preset), options);
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static enum options_error parse_word(struct slice word, struct options *options)
{
    struct slice value = word;
    bool has_value;
    struct slice name = split(&value, '=', &has_value);
    for (size_t i = 0; i < OPTIONS; i++) {
        if (!slice_is(name, table[i].name))
            continue;
        if (!table[i].form)
            return has_value ? OPTIONS_UNWANTED_VALUE : table[i].take(value, options);
        return value.length == 0 ? OPTIONS_NO_VALUE : table[i].take(value, options);
    }
    return OPTIONS_UNKNOWN;
}

/* Takes the next word off the text. *error is set if the text is too long or has a bad character. */
static struct slice next_word(const char **text, size_t *left, enum options_error *error)
{
    while (is_blank(**text) && *left > 0) {
        ++*text;
        --*left;
    }
    if (**text != '\0' && *left == 0)
        *error = OPTIONS_TOO_LONG;
    struct slice word = { *text, 0 };
    while (*error == OPTIONS_OK && **text != '\0' && !is_blank(**text)) {
        if (*left == 0) {
            *error = OPTIONS_TOO_LONG;
        } else if (**text < '!' || **text > '~') {
            *error = OPTIONS_CHARACTER;
        } else {
            ++*text;
            --*left;
            word.length++;
        }
    }
    return word;
}

enum options_error options_parse(const char *text, struct options *options, struct slice *offender)
{
    size_t left = OPTIONS_LENGTH_MAX;
    enum options_error error = OPTIONS_OK;
    set_defaults(options);
    *offender = (struct slice){ "", 0 };
    if (text == NULL)
        return OPTIONS_OK;

    for (;;) {
        struct slice word = next_word(&text, &left, &error);
        if (error == OPTIONS_OK && word.length == 0)
            return OPTIONS_OK;
        if (error == OPTIONS_OK)
            error = parse_word(word, options);
        if (error != OPTIONS_OK) {
            set_defaults(options);
            *offender = word;
            if (offender->length > OFFENDER_MAX)
                offender->length = OFFENDER_MAX;
            return error;
        }
    }
}

_Static_assert(OPTIONS_LENGTH_MAX == 2048, "options_error_text");

const char *options_error_text(enum options_error error)
{
    switch (error) {
    case OPTIONS_OK:
        return "no error";
    case OPTIONS_TOO_LONG:
        return "more than 2048 characters of options, at";
    case OPTIONS_CHARACTER:
        return "a character that is not printable ASCII, after";
    case OPTIONS_UNKNOWN:
        return "unknown option";
    case OPTIONS_NO_VALUE:
        return "missing value";
    case OPTIONS_UNWANTED_VALUE:
        return "option takes no value";
    case OPTIONS_NOT_A_CHOICE:
        return "invalid value";
    case OPTIONS_NOT_A_NUMBER:
        return "value is not a decimal number";
    case OPTIONS_OUT_OF_RANGE:
        return "value is out of range";
    }
    return "unknown error of the options";
}

void options_help(void (*line)(void *context, const char *text), void *context)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option *option = &table[i];
        char form[40];
        char text[160];
        format(form, sizeof(form), "%s%s%s", option->name, option->form ? "=" : "", option->form ? option->form : "");
        format(text, sizeof(text), "%-26s %s%s%s%s", form, option->help, option->preset ? " (default " : "",
               option->preset ? option->preset : "", option->preset ? ")" : "");
        line(context, text);
    }
}

bool glob_match(struct slice pattern, const char *text)
{
    size_t at = 0;
    size_t star = SIZE_MAX;       /* position of the last '*' */
    const char *star_text = text; /* the text after what that '*' matches */
    while (*text != '\0') {
        if (at < pattern.length && pattern.start[at] == '*') {
            star = at++;
            star_text = text;
        } else if (at < pattern.length && (pattern.start[at] == '?' || pattern.start[at] == *text)) {
            at++;
            text++;
        } else if (star != SIZE_MAX) { /* let the '*' match one character more */
            at = star + 1;
            text = ++star_text;
        } else {
            return false;
        }
    }
    while (at < pattern.length && pattern.start[at] == '*')
        at++;
    return at == pattern.length;
}

bool glob_next(struct slice *list, struct slice *glob)
{
    bool more;
    if (list->length == 0)
        return false;
    *glob = split(list, ',', &more);
    return true;
}

bool glob_list_match(struct slice list, const char *text)
{
    struct slice glob;
    while (glob_next(&list, &glob)) {
        if (glob_match(glob, text))
            return true;
    }
    return false;
}

bool options_select(const struct options *options, const char *id)
{
    return glob_list_match(options->run, id) && !glob_list_match(options->skip, id);
}
