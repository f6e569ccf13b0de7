/* SPDX-License-Identifier: MIT */
#include "boot/options.h"

#include "lib/format.h"
#include "lib/text.h"

#define TIMEOUT_MAX          3600u
#define BAUD_MIN             1200u
#define BAUD_MOST            4000000u
#define CLOCK_MIN            19200u /* Hz, for the slowest line */
#define AUTO_RECORDS         1u     /* the log of all tests then takes about 15 seconds at 115200 baud */
#define AUTO_RECORDS_FAILING 8u
#define AUTO_LBR_ENTRIES     8u
#define MENU_MAX             60u
#define OFFENDER_MAX         40u /* characters of a bad word that a message repeats */

/* The globs of all run= options, and of all skip= options. */
static char run_text[OPTIONS_LENGTH_MAX], skip_text[OPTIONS_LENGTH_MAX];

static bool slice_is(struct slice slice, const char *text)
{
    size_t i = 0;
    while (i < slice.length && text[i] != '\0' && slice.start[i] == text[i])
        i++;
    return i == slice.length && text[i] == '\0';
}

static struct slice slice_of(const char *text)
{
    return (struct slice){ text, text_length(text) };
}

/* Splits at the first separator: returns the text before it, and leaves the text after it. *found: there was one. */
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

/* Adds globs to the list, whose text is in `text` once an option has set it. */
static enum options_error take_globs(struct slice value, struct slice *list, char text[OPTIONS_LENGTH_MAX])
{
    struct slice rest = value;
    bool more = true;
    while (more)
        if (split(&rest, ',', &more).length == 0)
            return OPTIONS_NO_VALUE;
    size_t length = list->start == text ? list->length : 0;
    if (length != 0)
        text[length++] = ',';
    for (size_t i = 0; i < value.length; i++)
        text[length++] = value.start[i];
    *list = (struct slice){ text, length };
    return OPTIONS_OK;
}

static enum options_error take_run(struct slice value, struct options *options)
{
    return take_globs(value, &options->run, run_text);
}

static enum options_error take_skip(struct slice value, struct options *options)
{
    return take_globs(value, &options->skip, skip_text);
}

static enum options_error take_records(struct slice value, struct options *options)
{
    enum options_error error = OPTIONS_OK;

    if (slice_is(value, "auto")) {
        options->records = AUTO_RECORDS;
        options->records_failing = AUTO_RECORDS_FAILING;
        options->lbr_entries = AUTO_LBR_ENTRIES;
        return OPTIONS_OK;
    }
    if (slice_is(value, "all"))
        options->records = OPTIONS_RECORDS_ALL;
    else if (slice_is(value, "none"))
        options->records = 0;
    else
        error = parse_number(value, 0, OPTIONS_RECORDS_ALL - 1, &options->records);
    options->records_failing = options->records;
    options->lbr_entries = OPTIONS_RECORDS_ALL;
    return error;
}

static enum options_error take_timeout(struct slice value, struct options *options)
{
    uint32_t seconds;
    enum options_error error = parse_number(value, 1, TIMEOUT_MAX, &seconds);
    if (error == OPTIONS_OK)
        options->timeout = seconds;
    return error;
}

/* 0x and up to 16 digits. */
static enum options_error parse_address(struct slice value, uint64_t *out)
{
    *out = 0;
    if (value.length < 3 || value.start[0] != '0' || value.start[1] != 'x')
        return OPTIONS_NOT_A_CHOICE;
    if (value.length > 2 + 16)
        return OPTIONS_OUT_OF_RANGE;
    for (size_t i = 2; i < value.length; i++) {
        const char c = value.start[i], lower = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            *out = *out << 4 | (uint64_t)(c - '0');
        else if (lower >= 'a' && lower <= 'f')
            *out = *out << 4 | (uint64_t)(lower - 'a' + 10);
        else
            return OPTIONS_NOT_A_CHOICE;
    }
    return OPTIONS_OK;
}

/* Parses BAUD if there is more text; 0 keeps the speed that firmware has set. */
static enum options_error take_baud(struct slice *rest, bool *more, uint32_t most, uint32_t *baud)
{
    if (!*more)
        return OPTIONS_OK;
    const struct slice value = split(rest, ',', more);
    if (value.length == 0)
        return OPTIONS_NO_VALUE;
    if (slice_is(value, "0")) {
        *baud = 0;
        return OPTIONS_OK;
    }
    return parse_number(value, BAUD_MIN, most, baud);
}

/* ttyS0..3[,BAUD] or 0xPORT[,BAUD]. With a PC's clock, BAUD must divide the fastest speed. */
static enum options_error take_port(struct slice first, struct slice rest, bool more, struct uart *uart)
{
    enum options_error error = uart->base ? OPTIONS_OK : parse_address(first, &uart->base);

    uart->baud = OPTIONS_BAUD;
    uart->clock = UART_CLOCK;
    if (error == OPTIONS_OK)
        error = take_baud(&rest, &more, OPTIONS_BAUD, &uart->baud);
    if (error == OPTIONS_OK && (more || (uart->baud && OPTIONS_BAUD % uart->baud != 0)))
        return OPTIONS_NOT_A_CHOICE;
    return error == OPTIONS_OK && uart_reach(uart) != UART_OK ? OPTIONS_OUT_OF_RANGE : error;
}

/* mmio|mmio8|mmio16|mmio32,ADDR[,BAUD[,CLOCK]] */
static enum options_error take_mmio(struct slice rest, bool more, struct uart *uart)
{
    enum options_error error = more ? parse_address(split(&rest, ',', &more), &uart->base) : OPTIONS_NO_VALUE;

    uart->memory = true;
    if (error == OPTIONS_OK)
        error = take_baud(&rest, &more, BAUD_MOST, &uart->baud);
    if (error == OPTIONS_OK && more)
        error = rest.length == 0 ? OPTIONS_NO_VALUE : parse_number(rest, CLOCK_MIN, UINT32_MAX - 1, &uart->clock);
    if (error == OPTIONS_OK && !uart->base)
        return OPTIONS_OUT_OF_RANGE;
    if (error == OPTIONS_OK && uart->baud && !uart_divisor(uart))
        return OPTIONS_NOT_A_CHOICE;
    return error;
}

static enum options_error take_console(struct slice value, struct options *options)
{
    static const char *const all[] = { "none", "auto" }, *const ports[] = { "ttyS0", "ttyS1", "ttyS2", "ttyS3" };
    static const char *const names[] = { "COM1", "COM2", "COM3", "COM4" };
    static const char *const mmio[] = { "mmio", "mmio8", "mmio16", "mmio32" };
    static const uint16_t bases[] = { OPTIONS_COM1, 0x2f8, 0x3e8, 0x2e8 };
    static const uint8_t strides[] = { 1, 1, 2, 4 };
    bool more;
    const unsigned whole = find_choice(value, all, 2);
    const bool pci = slice_is(value, "pci");
    const struct slice first = split(&value, ',', &more);
    const unsigned port = find_choice(first, ports, 4), width = find_choice(first, mmio, 4);
    struct uart uart = { .stride = 1, .access = 1 };
    enum options_error error;

    if (whole < 2) {
        options->consoles = 0;
        options->console_pci = false;
        options->console_usual = whole;
        return OPTIONS_OK;
    }
    options->console_usual = false;
    if (pci) {
        options->console_pci = true;
        return OPTIONS_OK;
    }
    if (width < 4) {
        uart.stride = uart.access = strides[width];
        error = take_mmio(value, more, &uart);
    } else {
        uart.base = port < 4 ? bases[port] : 0;
        error = take_port(first, value, more, &uart);
    }
    if (error == OPTIONS_OK && options->consoles == OPTIONS_CONSOLES)
        return OPTIONS_TOO_MANY;
    if (error != OPTIONS_OK)
        return error;
    options->console[options->consoles].name = port < 4 ? names[port] : "option";
    options->console[options->consoles++].uart = uart;
    return OPTIONS_OK;
}

static enum options_error take_menu(struct slice value, struct options *options)
{
    if (slice_is(value, "auto")) {
        options->menu = OPTIONS_MENU_AUTO;
        return OPTIONS_OK;
    }
    return parse_number(value, 0, MENU_MAX, &options->menu);
}

static enum options_error take_width(struct slice value, struct options *options)
{
    options->width = slice_is(value, "64") ? 64 : 32;
    return slice_is(value, "64") || slice_is(value, "32") ? OPTIONS_OK : OPTIONS_NOT_A_CHOICE;
}

/* Each row of the table has one of these: a value that a function parses, one of several words (enum), or no value. */
#define VALUE(text, function) .form = text, .take = function
#define CHOICE(member, ...)   .field = offsetof(struct options, member), .choices = { __VA_ARGS__ }
#define FLAG(member)          .field = offsetof(struct options, member)

/* All options. */
static const struct option {
    const char *name;
    const char *preset; /* default value, parsed before the text; NULL: none */
    const char *help;
    const char *form; /* of the value, for the help */
    enum options_error (*take)(struct slice value, struct options *options);
    const char *choices[5]; /* by enumerator, up to a NULL */
    size_t field;
} table[] = {
    { "run", "*", "run tests whose id matches; quick: a few of each area", VALUE("GLOB[,GLOB..]", take_run) },
    { "skip", NULL, "skip tests whose id matches", VALUE("GLOB[,GLOB..]", take_skip) },
    { "list", NULL, "list the tests, run none", FLAG(list) },
    { "records", "auto", "records per test and kind; auto: 1, or 8 if a test fails",
      VALUE("auto|N|all|none", take_records) },
    { "recap", "areas", "summary at the end, by area; all: one line per test",
      CHOICE(recap, [OPTIONS_RECAP_AREAS] = "areas", [OPTIONS_RECAP_ALL] = "all") },
    { "dump", "none", "all records as the processor wrote them, for dsdump",
      CHOICE(dump, [OPTIONS_DUMP_NONE] = "none", [OPTIONS_DUMP_RAW] = "raw") },
    { "timeout", "10", "time limit for each test, 1 to 3600", VALUE("SECONDS", take_timeout) },
    { "end", "halt", "what to do after the verdict",
      CHOICE(end, [OPTIONS_END_HALT] = "halt", [OPTIONS_END_REBOOT] = "reboot", [OPTIONS_END_POWEROFF] = "poweroff") },
    { "exit", "auto", "QEMU's debug exit device; auto: under a hypervisor",
      CHOICE(exit, [OPTIONS_EXIT_AUTO] = "auto", [OPTIONS_EXIT_DEBUG] = "debug", [OPTIONS_EXIT_NONE] = "none") },
    { "console", "auto", "auto|none|pci|ttyS0..3|0xPORT|mmio32,0xADDR; repeatable",
      VALUE("WHERE[,BAUD]", take_console) },
    { "log", "none", "save the log, after a restart",
      CHOICE(log, [OPTIONS_LOG_NONE] = "none", [OPTIONS_LOG_STICK] = "stick") },
    { "gdbwait", NULL, "wait for a debugger before the first test", FLAG(gdbwait) },
    { "width", NULL, "which kernel the loader starts", VALUE("32|64", take_width) },
    { "paging", "auto", "page tables of the 32-bit kernel",
      CHOICE(
          paging, [OPTIONS_PAGING_AUTO] = "auto", [OPTIONS_PAGING_PAE] = "pae", [OPTIONS_PAGING_LEGACY] = "legacy") },
    { "menu", "auto", "the UEFI loader's menu, 0 to 60; auto: 3 without options", VALUE("auto|SECONDS", take_menu) },
    { "kinds", "all", "kinds of cores to test on a hybrid",
      CHOICE(kinds, [OPTIONS_KINDS_ALL] = "all", [OPTIONS_KINDS_FIRST] = "first", [OPTIONS_KINDS_CORE] = "core",
             [OPTIONS_KINDS_ATOM] = "atom") },
};

#define OPTIONS (sizeof(table) / sizeof(table[0]))

_Static_assert(sizeof(enum options_end) == sizeof(unsigned), "take");

static enum options_error take(const struct option *option, struct slice value, struct options *options)
{
    char *const field = (char *)options + option->field;
    unsigned choice = 0;

    if (option->take)
        return option->take(value, options);
    if (!option->choices[0]) {
        *(bool *)field = true;
        return OPTIONS_OK;
    }
    while (option->choices[choice] && !slice_is(value, option->choices[choice]))
        choice++;
    if (!option->choices[choice])
        return OPTIONS_NOT_A_CHOICE;
    __builtin_memcpy(field, &choice, sizeof choice);
    return OPTIONS_OK;
}

static void set_defaults(struct options *options)
{
    *options = (struct options){ 0 };
    for (size_t i = 0; i < OPTIONS; i++)
        if (table[i].preset)
            take(&table[i], slice_of(table[i].preset), options);
    options->run = slice_of("*"); /* the first run= replaces it */
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
        const bool wants_value = table[i].form || table[i].choices[0];
        if (!wants_value && has_value)
            return OPTIONS_UNWANTED_VALUE;
        return wants_value && value.length == 0 ? OPTIONS_NO_VALUE : take(&table[i], value, options);
    }
    return OPTIONS_UNKNOWN;
}

/* Removes the next word from the text. Sets *error if the text is too long or has an invalid character. */
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

_Static_assert(OPTIONS_LENGTH_MAX == 2048 && OPTIONS_CONSOLES == 4, "options_error_text");

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
    case OPTIONS_TOO_MANY:
        return "more than 4 consoles";
    }
    return "unknown error of the options";
}

/* "end=halt|reboot|poweroff" */
static void put_form(const struct option *option, char *text, size_t size)
{
    size_t length =
        (size_t)format(text, size, "%s%s%s", option->name, option->form ? "=" : "", option->form ? option->form : "");
    for (unsigned i = 0; option->choices[i] && length < size; i++)
        length += (size_t)format(text + length, size - length, "%c%s", i == 0 ? '=' : '|', option->choices[i]);
}

void options_help(void (*line)(void *context, const char *text), void *context)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option *option = &table[i];
        char form[40];
        char text[160];
        put_form(option, form, sizeof form);
        format(text, sizeof(text), "%-26s %s%s%s%s", form, option->help, option->preset ? " (default " : "",
               option->preset ? option->preset : "", option->preset ? ")" : "");
        line(context, text);
    }
}

/* Named lists of globs. No test has such an id. */
static const struct {
    const char *name;
    const char *globs;
} sets[] = {
    /* For each facility of each generation, some tests that need it, so that it gets a verdict, with a short log. */
    { "quick",
      "detect.*,pmi.lvt.mask_set,pmi.held,ds.area.readback,ds.restrictions,bts.calls,bts.interrupt.threshold,"
      "lbr.calls,lbr.kinds,pebs.loads,pebs.instructions,pebs.tagging.execution,pebs.tagging.replay,"
      "pebs.interrupt.threshold,pebs.adaptive.groups,perfmon.count,perfmon.overflow.interrupt,robust.pmi.spurious" },
};

/* Tests that moved to the area selftest. Their old ids also select them in version 0.1; delete this table in 0.2. */
static const char *const moved[] = { "ds.refuse.", "ds.advice.", "arch.refuse.", "arch.advice.", "robust.exception." };

/* The old id of a test that moved, or NULL. */
static const char *old_id(const char *id)
{
    const char *const old = text_begins(id, "selftest.") ? id + sizeof "selftest." - 1 : "";

    for (size_t i = 0; i < sizeof moved / sizeof moved[0]; i++)
        if (text_begins(old, moved[i]))
            return old;
    return NULL;
}

static bool match(struct slice pattern, const char *text)
{
    size_t at = 0;
    size_t star = SIZE_MAX;       /* position of the last '*' */
    const char *star_text = text; /* the text after the match of that '*' */
    while (*text != '\0') {
        if (at < pattern.length && pattern.start[at] == '*') {
            star = at++;
            star_text = text;
        } else if (at < pattern.length && (pattern.start[at] == '?' || pattern.start[at] == *text)) {
            at++;
            text++;
        } else if (star != SIZE_MAX) { /* let the '*' match one more character */
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

bool glob_match(struct slice pattern, const char *text)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        if (slice_is(pattern, sets[i].name))
            return glob_list_match(slice_of(sets[i].globs), text);
    const char *const old = old_id(text);
    return match(pattern, text) || (old && match(pattern, old));
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
    while (glob_next(&list, &glob))
        if (glob_match(glob, text))
            return true;
    return false;
}

bool options_select(const struct options *options, const char *id)
{
    return glob_list_match(options->run, id) && !glob_list_match(options->skip, id);
}
