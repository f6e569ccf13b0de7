/* SPDX-License-Identifier: MIT */
#include "boot/options.h"

#include "lib/format.h"
#include "lib/text.h"

#define TIMEOUT_MAX          3600u
#define BAUD_MIN             1200u
#define BAUD_MOST            4000000u
#define CLOCK_MIN            19200u /* Hz, for the slowest line */
#define AUTO_RECORDS         1u     /* a 115200 baud line then has the log of all tests within 20 seconds */
#define AUTO_RECORDS_FAILING 8u
#define AUTO_LBR_ENTRIES     8u
#define MENU_MAX             60u
#define OFFENDER_MAX         40u /* characters of a bad word that a message repeats */

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

static enum options_error take_recap(struct slice value, struct options *options)
{
    static const char *const choices[] = { "areas", "all" };
    unsigned choice = find_choice(value, choices, 2);
    if (choice == 2)
        return OPTIONS_NOT_A_CHOICE;
    options->recap = (enum options_recap)choice;
    return OPTIONS_OK;
}

static enum options_error take_kinds(struct slice value, struct options *options)
{
    static const char *const choices[] = { "all", "first", "core", "atom" };
    unsigned choice = find_choice(value, choices, 4);
    if (choice == 4)
        return OPTIONS_NOT_A_CHOICE;
    options->kinds = (enum options_kinds)choice;
    return OPTIONS_OK;
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

/* Takes ",BAUD", if there is more; 0 keeps the speed that firmware has set. */
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

/* ttyS0..3[,BAUD] or 0xPORT[,BAUD]: a PC's clock, of whose fastest speed every other one is a part. */
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

static enum options_error take_menu(struct slice value, struct options *options)
{
    if (slice_is(value, "auto")) {
        options->menu = OPTIONS_MENU_AUTO;
        return OPTIONS_OK;
    }
    return parse_number(value, 0, MENU_MAX, &options->menu);
}

static enum options_error take_log(struct slice value, struct options *options)
{
    static const char *const choices[] = { "none", "stick" };
    unsigned choice = find_choice(value, choices, 2);
    if (choice == 2)
        return OPTIONS_NOT_A_CHOICE;
    options->log = (enum options_log)choice;
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
    { "run", "GLOB[,GLOB..]", "*", take_run, "run tests whose id matches; quick: a few of each area" },
    { "skip", "GLOB[,GLOB..]", NULL, take_skip, "skip tests whose id matches" },
    { "list", NULL, NULL, take_list, "list the tests, run none" },
    { "records", "auto|N|all|none", "auto", take_records, "records per test and kind; auto: 1, of a failing test 8" },
    { "recap", "areas|all", "areas", take_recap, "results at the end, by area; all: each test's too" },
    { "dump", "none|raw", "none", take_dump, "all records as the processor wrote them, for dsdump" },
    { "timeout", "SECONDS", "10", take_timeout, "time limit for each test, 1 to 3600" },
    { "end", "halt|reboot|poweroff", "halt", take_end, "what to do after the verdict" },
    { "exit", "auto|debug|none", "auto", take_exit, "QEMU's debug exit device; auto: under a hypervisor" },
    { "console", "WHERE[,BAUD]", "auto", take_console, "auto|none|pci|ttyS0..3|0xPORT|mmio32,0xADDR; they add up" },
    { "log", "none|stick", "none", take_log, "where the log goes by a restart" },
    { "gdbwait", NULL, NULL, take_gdbwait, "wait for a debugger before the first test" },
    { "width", "32|64", NULL, take_width, "which kernel the loader starts" },
    { "paging", "auto|pae|legacy", "auto", take_paging, "page tables of the 32-bit kernel" },
    { "menu", "auto|SECONDS", "auto", take_menu, "the UEFI loader's menu, 0 to 60; auto: 3 without options" },
    { "kinds", "all|first|core|atom", "all", take_kinds, "of a hybrid, the cores to test on" },
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

/* Lists of globs that have a name. No id of a test is such a name. */
static const struct {
    const char *name;
    const char *globs;
} sets[] = {
    /*
     * Every facility of every generation has tests here that need it, so that each gets its verdict; little is printed.
     */
    { "quick",
      "detect.*,pmi.lvt.mask_set,pmi.held,ds.area.readback,ds.restrictions,bts.calls,bts.interrupt.threshold,"
      "lbr.calls,lbr.kinds,pebs.loads,pebs.instructions,pebs.tagging.execution,pebs.tagging.replay,"
      "pebs.interrupt.threshold,pebs.adaptive.groups,perfmon.count,perfmon.overflow.interrupt,robust.pmi.spurious" },
};

static bool match(struct slice pattern, const char *text)
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

bool glob_match(struct slice pattern, const char *text)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        if (slice_is(pattern, sets[i].name))
            return glob_list_match(slice_of(sets[i].globs), text);
    return match(pattern, text);
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
