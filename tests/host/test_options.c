/* SPDX-License-Identifier: MIT */
/* The kernel's options. An unknown option is an error that names it, never a pass without tests. */
#include "tests/host/unit_test.h"

#include "boot/options.h"
#include "tests/host/lines.h"

/* Parses a copy in a heap block of exactly its size. */
static enum options_error parse(const char *text, struct options *options, char offender[64])
{
    static char *last;
    struct slice word = { NULL, 99 };
    free(last);
    last = exact_copy(text, strlen(text) + 1);
    enum options_error error = options_parse(last, options, &word);
    snprintf(offender, 64, "%.*s", (int)word.length, word.start);
    return error;
}

static struct options good(const char *text)
{
    struct options options;
    char offender[64];
    memset(&options, 0xa5, sizeof(options));
    enum options_error error = parse(text, &options, offender);
    if (error != OPTIONS_OK)
        fail_msg("\"%s\": %s %s", text, options_error_text(error), offender);
    assert_string_equal(offender, "");
    return options;
}

static bool slice_equal(struct slice slice, const char *text)
{
    return slice.length == strlen(text) && memcmp(slice.start, text, slice.length) == 0;
}

static void assert_defaults(const struct options *options)
{
    assert_true(slice_equal(options->run, "*"));
    assert_int_equal(options->skip.length, 0);
    assert_false(options->list);
    assert_int_equal(options->records, 1);
    assert_int_equal(options->records_failing, 8);
    assert_int_equal(options->lbr_entries, 8);
    assert_int_equal(options->recap, OPTIONS_RECAP_AREAS);
    assert_int_equal(options->kinds, OPTIONS_KINDS_ALL);
    assert_false(options->dump);
    assert_int_equal(options->timeout, 10);
    assert_int_equal(options->end, OPTIONS_END_HALT);
    assert_int_equal(options->exit, OPTIONS_EXIT_AUTO);
    assert_true(options->console_usual);
    assert_false(options->console_pci);
    assert_int_equal(options->consoles, 0);
    assert_false(options->gdbwait);
    assert_int_equal(options->width, 0);
    assert_int_equal(options->paging, OPTIONS_PAGING_AUTO);
    assert_int_equal(options->menu, OPTIONS_MENU_AUTO);
    assert_int_equal(options->log, OPTIONS_LOG_NONE);
}

UNIT_TEST(defaults)
{
    static const char *const empty[] = { "", " ", " \t\r\n ", "run=*", "exit=auto end=halt" };
    for (size_t i = 0; i < COUNT_OF(empty); i++) {
        struct options options = good(empty[i]);
        assert_defaults(&options);
    }
    struct options options;
    struct slice offender;
    assert_int_equal(options_parse(NULL, &options, &offender), OPTIONS_OK);
    assert_int_equal(offender.length, 0);
    assert_defaults(&options);
}

UNIT_TEST(every_option)
{
    struct options options = good("run=bts.*,lbr.?os skip=*.slow list records=25 timeout=3600 end=poweroff exit=debug "
                                  "console=ttyS1,57600 gdbwait width=32 paging=legacy recap=all");
    assert_true(slice_equal(options.run, "bts.*,lbr.?os"));
    assert_true(slice_equal(options.skip, "*.slow"));
    assert_true(options.list);
    assert_int_equal(options.records, 25);
    assert_int_equal(options.timeout, 3600);
    assert_int_equal(options.end, OPTIONS_END_POWEROFF);
    assert_int_equal(options.exit, OPTIONS_EXIT_DEBUG);
    assert_int_equal(options.consoles, 1);
    assert_int_equal(options.console[0].uart.base, 0x2f8);
    assert_int_equal(options.console[0].uart.baud, 57600);
    assert_true(options.gdbwait);
    assert_int_equal(options.width, 32);
    assert_int_equal(options.paging, OPTIONS_PAGING_LEGACY);
    assert_int_equal(options.recap, OPTIONS_RECAP_ALL);

    static const struct {
        const char *text;
        uint32_t records, failing, entries;
    } records[] = { { "records=all", OPTIONS_RECORDS_ALL, OPTIONS_RECORDS_ALL, OPTIONS_RECORDS_ALL },
                    { "records=none", 0, 0, OPTIONS_RECORDS_ALL },
                    { "records=0", 0, 0, OPTIONS_RECORDS_ALL },
                    { "records=1", 1, 1, OPTIONS_RECORDS_ALL },
                    { "records=4294967294", 4294967294u, 4294967294u, OPTIONS_RECORDS_ALL },
                    { "records=all records=auto", 1, 8, 8 } };
    for (size_t i = 0; i < COUNT_OF(records); i++) {
        assert_int_equal(good(records[i].text).records, records[i].records);
        assert_int_equal(good(records[i].text).records_failing, records[i].failing);
        assert_int_equal(good(records[i].text).lbr_entries, records[i].entries);
    }
    assert_int_equal(good("dump=raw").dump, OPTIONS_DUMP_RAW);
    assert_int_equal(good("kinds=core").kinds, OPTIONS_KINDS_CORE);
    assert_int_equal(good("log=stick").log, OPTIONS_LOG_STICK);
    assert_int_equal(good("timeout=1").timeout, 1);
    assert_true(slice_equal(good("run=!~").run, "!~")); /* the first and the last printable character */
    assert_int_equal(good("width=64").width, 64);
    assert_int_equal(good("menu=0").menu, 0);
    assert_int_equal(good("menu=60").menu, 60);
    assert_int_equal(good("menu=5 menu=auto").menu, OPTIONS_MENU_AUTO);
}

UNIT_TEST(each_kind_of_console)
{
    static const struct {
        const char *text, *name;
        struct uart uart; /* base, memory, stride, access, baud, clock */
    } rows[] = {
        { "console=ttyS0", "COM1", { 0x3f8, false, 1, 1, 115200, 1843200 } },
        { "console=ttyS1,57600", "COM2", { 0x2f8, false, 1, 1, 57600, 1843200 } },
        { "console=ttyS2,1200", "COM3", { 0x3e8, false, 1, 1, 1200, 1843200 } },
        { "console=ttyS3,0", "COM4", { 0x2e8, false, 1, 1, 0, 1843200 } },
        { "console=0x2c8", "option", { 0x2c8, false, 1, 1, 115200, 1843200 } },
        { "console=0xFFF8,9600", "option", { 0xfff8, false, 1, 1, 9600, 1843200 } },
        { "console=0xa9f,0", "option", { 0xa9f, false, 1, 1, 0, 1843200 } },
        { "console=mmio,0xfe000000", "option", { 0xfe000000, true, 1, 1, 0, 0 } },
        { "console=mmio8,0xfe000000,115200", "option", { 0xfe000000, true, 1, 1, 115200, 0 } },
        { "console=mmio16,0xfe000000,0", "option", { 0xfe000000, true, 2, 2, 0, 0 } },
        { "console=mmio32,0xfedcba9876543210,4000000,64000000",
          "option",
          { UINT64_C(0xfedcba9876543210), true, 4, 4, 4000000, 64000000 } },
        { "console=mmio32,0x1,1200,19200", "option", { 1, true, 4, 4, 1200, 19200 } },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct uart *const want = &rows[i].uart;
        const struct options options = good(rows[i].text);
        const struct uart *const got = &options.console[0].uart;
        assert_int_equal(options.consoles, 1);
        assert_false(options.console_usual);
        assert_false(options.console_pci);
        assert_string_equal(options.console[0].name, rows[i].name);
        assert_int_equal(got->base, want->base);
        assert_int_equal(got->memory, want->memory);
        assert_int_equal(got->stride, want->stride);
        assert_int_equal(got->access, want->access);
        assert_int_equal(got->baud, want->baud);
        assert_int_equal(got->clock, want->clock);
    }
}

UNIT_TEST(every_refusal_names_the_word)
{
    static const struct {
        const char *text;
        enum options_error error;
        const char *offender;
    } bad[] = {
        { "runs=a", OPTIONS_UNKNOWN, "runs=a" },
        { "list nosuch run=a", OPTIONS_UNKNOWN, "nosuch" },
        { "=a", OPTIONS_UNKNOWN, "=a" },
        { "RUN=a", OPTIONS_UNKNOWN, "RUN=a" },
        { "run=a,,b", OPTIONS_NO_VALUE, "run=a,,b" },
        { "run=,a", OPTIONS_NO_VALUE, "run=,a" },
        { "skip=a,", OPTIONS_NO_VALUE, "skip=a," },
        { "console=ttyS0,", OPTIONS_NO_VALUE, "console=ttyS0," },
        { "gdbwait=", OPTIONS_UNWANTED_VALUE, "gdbwait=" },
        { "console=ttyS4", OPTIONS_NOT_A_CHOICE, "console=ttyS4" },
        { "console=,115200", OPTIONS_NOT_A_CHOICE, "console=,115200" },
        { "console=ttyS0,100000", OPTIONS_NOT_A_CHOICE, "console=ttyS0,100000" },
        { "console=pci,9600", OPTIONS_NOT_A_CHOICE, "console=pci,9600" },
        { "console=0x", OPTIONS_NOT_A_CHOICE, "console=0x" },
        { "console=0x3g8", OPTIONS_NOT_A_CHOICE, "console=0x3g8" },
        { "console=1x3f8", OPTIONS_NOT_A_CHOICE, "console=1x3f8" },
        { "console=0x3f8,9600,1843200", OPTIONS_NOT_A_CHOICE, "console=0x3f8,9600,1843200" },
        { "console=0xfff9", OPTIONS_OUT_OF_RANGE, "console=0xfff9" },
        { "console=0x12345678123456789", OPTIONS_OUT_OF_RANGE, "console=0x12345678123456789" },
        { "console=mmio32", OPTIONS_NO_VALUE, "console=mmio32" },
        { "console=mmio32,", OPTIONS_NOT_A_CHOICE, "console=mmio32," },
        { "console=mmio32,0x0", OPTIONS_OUT_OF_RANGE, "console=mmio32,0x0" },
        { "console=mmio64,0x4000", OPTIONS_NOT_A_CHOICE, "console=mmio64,0x4000" },
        { "console=mmio32,0x4000,", OPTIONS_NO_VALUE, "console=mmio32,0x4000," },
        { "console=mmio32,0x4000,x", OPTIONS_NOT_A_NUMBER, "console=mmio32,0x4000,x" },
        { "console=mmio32,0x4000,1199", OPTIONS_OUT_OF_RANGE, "console=mmio32,0x4000,1199" },
        { "console=mmio32,0x4000,4000001", OPTIONS_OUT_OF_RANGE, "console=mmio32,0x4000,4000001" },
        { "console=mmio32,0x4000,100000", OPTIONS_NOT_A_CHOICE, "console=mmio32,0x4000,100000" },
        { "console=mmio32,0x4000,1200,", OPTIONS_NO_VALUE, "console=mmio32,0x4000,1200," },
        { "console=mmio32,0x4000,0,19199", OPTIONS_OUT_OF_RANGE, "console=mmio32,0x4000,0,19199" },
        { "console=mmio32,0x4000,0,4294967295", OPTIONS_OUT_OF_RANGE, "console=mmio32,0x4000,0,4294967295" },
        { "console=mmio32,0x4000,1200,1,2", OPTIONS_NOT_A_NUMBER, "console=mmio32,0x4000,1200,1,2" },
        { "console=0x1 console=0x2 console=0x3 console=0x4 console=0x5", OPTIONS_TOO_MANY, "console=0x5" },
        { "console=ttyS0,115200n8", OPTIONS_NOT_A_NUMBER, "console=ttyS0,115200n8" },
        { "console=ttyS0,1199", OPTIONS_OUT_OF_RANGE, "console=ttyS0,1199" },
        { "console=ttyS0,115201", OPTIONS_OUT_OF_RANGE, "console=ttyS0,115201" },
        { "width=16", OPTIONS_NOT_A_CHOICE, "width=16" },
        { "menu=61", OPTIONS_OUT_OF_RANGE, "menu=61" },
        { "menu=no", OPTIONS_NOT_A_NUMBER, "menu=no" },
        { "records=some", OPTIONS_NOT_A_NUMBER, "records=some" },
        { "records=-1", OPTIONS_NOT_A_NUMBER, "records=-1" },
        { "records=4294967295", OPTIONS_OUT_OF_RANGE, "records=4294967295" },
        { "records=18446744073709551617", OPTIONS_OUT_OF_RANGE, "records=18446744073709551617" },
        { "timeout=0", OPTIONS_OUT_OF_RANGE, "timeout=0" },
        { "timeout=3601", OPTIONS_OUT_OF_RANGE, "timeout=3601" },
        { "run=a\x01z", OPTIONS_CHARACTER, "run=a" },
        { "run=\xc3\xa9", OPTIONS_CHARACTER, "run=" },
        { "list \x7f", OPTIONS_CHARACTER, "" },
        { "run=0123456789012345678901234567890123456789 x=0123456789012345678901234567890123456789", OPTIONS_UNKNOWN,
          "x=01234567890123456789012345678901234567" }, /* 40 characters of it */
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct options options;
        char offender[64];
        enum options_error error = parse(bad[i].text, &options, offender);
        if (error != bad[i].error || strcmp(offender, bad[i].offender) != 0)
            fail_msg("\"%s\": error %d, \"%s\"", bad[i].text, error, offender);
        assert_defaults(&options);
    }
}

UNIT_TEST(too_long)
{
    struct options options;
    char offender[64];
    char *text = malloc(OPTIONS_LENGTH_MAX + 3);
    assert_non_null(text);
    memset(text, ' ', OPTIONS_LENGTH_MAX + 2);
    memcpy(text, "list", 4);
    text[OPTIONS_LENGTH_MAX] = '\0';
    assert_int_equal(parse(text, &options, offender), OPTIONS_OK);
    text[OPTIONS_LENGTH_MAX] = ' ';
    text[OPTIONS_LENGTH_MAX + 1] = '\0';
    assert_int_equal(parse(text, &options, offender), OPTIONS_TOO_LONG);
    assert_defaults(&options);

    memset(text, 'a', OPTIONS_LENGTH_MAX + 2); /* one word */
    memcpy(text, "run=", 4);
    text[OPTIONS_LENGTH_MAX] = '\0';
    assert_int_equal(parse(text, &options, offender), OPTIONS_OK);
    assert_int_equal(options.run.length, OPTIONS_LENGTH_MAX - 4);
    text[OPTIONS_LENGTH_MAX] = 'a';
    text[OPTIONS_LENGTH_MAX + 1] = '\0';
    assert_int_equal(parse(text, &options, offender), OPTIONS_TOO_LONG);
    assert_string_equal(offender, "run=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");

    memset(text, ' ', OPTIONS_LENGTH_MAX + 2); /* nothing but the last character */
    text[OPTIONS_LENGTH_MAX] = 'x';
    text[OPTIONS_LENGTH_MAX + 1] = '\0';
    assert_int_equal(parse(text, &options, offender), OPTIONS_TOO_LONG);
    free(text);
}

static bool match(const char *pattern, const char *text)
{
    char *exact = exact_copy(pattern, strlen(pattern)); /* no NUL behind it */
    bool matches = glob_match((struct slice){ exact, strlen(pattern) }, text);
    free(exact);
    return matches;
}

UNIT_TEST(globs)
{
    static const char *const matching[][2] = { { "", "" },
                                               { "*", "" },
                                               { "*", "anything.at_all" },
                                               { "bts.cpl", "bts.cpl" },
                                               { "bts.*", "bts.cpl.off_os" },
                                               { "*.cpl", "bts.cpl" },
                                               { "*.*.*", "a.b.c" },
                                               { "b?s", "bts" },
                                               { "*?", "a" },
                                               { "a*b*c", "aXbXbXc" },
                                               { "*ab", "aaab" },
                                               { "*aab*", "aaaaabaa" } };
    static const char *const others[][2] = { { "", "a" },
                                             { "bts.cpl", "bts.cp" },
                                             { "bts.*", "xbts.cpl" },
                                             { "*.cpl", "bts.cpl.x" },
                                             { "b?s", "bs" },
                                             { "?", "" },
                                             { "[a]", "a" } /* only * and ? are special */ };

    for (size_t i = 0; i < COUNT_OF(matching); i++)
        assert_true(match(matching[i][0], matching[i][1]));
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_false(match(others[i][0], others[i][1]));
}

/* Patterns for which naive matchers take exponential time. */
UNIT_TEST(globs_take_bounded_time)
{
    char text[4096];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_false(match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
    assert_true(match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a", text));
}

UNIT_TEST(selection)
{
    struct options options = good("run=bts.*,lbr.tos skip=*.slow,bts.x");
    assert_true(options_select(&options, "bts.fast"));
    assert_true(options_select(&options, "lbr.tos"));
    assert_false(options_select(&options, "lbr.order"));
    assert_false(options_select(&options, "bts.very.slow"));
    assert_false(options_select(&options, "bts.x"));
    assert_true(options_select(&options, "bts.xy"));

    options = good("");
    assert_true(options_select(&options, "whatever"));
    options = good("skip=*");
    assert_false(options_select(&options, "whatever"));

    struct slice list = { "a,b?,c*", 7 };
    struct slice glob;
    assert_true(glob_next(&list, &glob));
    assert_true(slice_equal(glob, "a"));
    assert_true(glob_next(&list, &glob));
    assert_true(slice_equal(glob, "b?"));
    assert_true(glob_next(&list, &glob));
    assert_true(slice_equal(glob, "c*"));
    assert_false(glob_next(&list, &glob));
}

UNIT_TEST(old_ids)
{
    static const struct {
        const char *pattern, *id;
        bool matches;
    } rows[] = {
        { "ds.refuse.order", "selftest.ds.refuse.order", true },
        { "ds.refuse.order", "selftest.ds.refuse.code", false },
        { "arch.*", "selftest.arch.advice.aligned", true },
        { "ds.*", "selftest.ds.advice.memory_type", true },
        { "robust.exception.*", "selftest.robust.exception.divide", true },
        { "selftest.arch.refuse.*", "selftest.arch.refuse.page", true },
        { "exception.*", "selftest.exception.divide", false },
        { "verdict.skip", "selftest.verdict.skip", false },
        { "efuse.order", "selftest.ds.refuse.order", false },
        { "refuse.order", "ds.refuse.order", false },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(match(rows[i].pattern, rows[i].id), rows[i].matches);
    struct options options = good("skip=robust.*");
    assert_false(options_select(&options, "selftest.robust.exception.divide"));
    assert_true(options_select(&options, "selftest.exception.divide"));
}

/* Parses NAME=VALUE, or NAME without a value; returns the error. */
static enum options_error parse_one(const char *name, const char *value, struct options *options)
{
    char text[100], offender[64];
    snprintf(text, sizeof text, "%s%s%s", name, value ? "=" : "", value ? value : "");
    memset(options, 0xa5, sizeof *options);
    return parse(text, options, offender);
}

/* An option with a list of words accepts exactly these. Each gives a different value, and one is the default. */
static void assert_words(const char *name, char *words)
{
    struct options values[8];
    char wrong[64];
    unsigned count = 0;
    assert_int_equal(parse_one(name, words, &values[0]), strchr(words, '|') ? OPTIONS_NOT_A_CHOICE : OPTIONS_OK);
    for (char *word = strtok(words, "|"); word; word = strtok(NULL, "|")) {
        assert_true(count < COUNT_OF(values));
        assert_int_equal(parse_one(name, word, &values[count]), OPTIONS_OK);
        for (unsigned i = 0; i < count; i++)
            assert_memory_not_equal(&values[i], &values[count], sizeof values[i]);
        snprintf(wrong, sizeof wrong, "%sx", word);
        assert_int_equal(parse_one(name, wrong, &values[count + 1]), OPTIONS_NOT_A_CHOICE);
        snprintf(wrong, sizeof wrong, "%.*s", (int)strlen(word) - 1, word);
        assert_int_equal(parse_one(name, wrong, &values[count + 1]), OPTIONS_NOT_A_CHOICE);
        count++;
    }
}

/* The parser accepts the option of each help line, with the line's form and default. */
UNIT_TEST(help_has_every_option)
{
    char *next;
    options_help(keep_line, NULL);
    has_printed("run=GLOB[,GLOB..]          run tests whose id matches; quick: a few of each area (default *)\n");
    has_printed("\nlist                       list the tests, run none\n");
    for (char *line = lines; *line; line = next) {
        struct options options;
        char name[20], form[40] = "", preset[20];
        next = strchr(line, '\n') + 1;
        next[-1] = '\0';
        assert_true(strlen(line) < 100);
        assert_true(sscanf(line, "%19[a-z]=%39s", name, form) >= 1);
        const char *const given = strstr(line, " (default ");
        if (form[0] == '\0') {
            assert_int_equal(parse_one(name, NULL, &options), OPTIONS_OK);
            assert_int_equal(parse_one(name, "1", &options), OPTIONS_UNWANTED_VALUE);
            assert_null(given);
            continue;
        }
        assert_int_equal(parse_one(name, NULL, &options), OPTIONS_NO_VALUE);
        assert_int_equal(parse_one(name, "", &options), OPTIONS_NO_VALUE);
        if (given) {
            assert_int_equal(sscanf(given, " (default %19[^)])", preset), 1);
            assert_int_equal(parse_one(name, preset, &options), OPTIONS_OK);
            assert_defaults(&options);
        }
        if (form[strspn(form, "abcdefghijklmnopqrstuvwxyz0123456789|")] == '\0')
            assert_words(name, form);
    }
}
