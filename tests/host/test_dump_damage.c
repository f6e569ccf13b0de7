/* SPDX-License-Identifier: MIT */
/* Any damage to a log with a dump is reported with its line, counted, and affects no other frame. */
#include "tests/host/dump_log.h"

static void begin(void)
{
    forget();
    dump_writer_init(&writer, &into_log);
    dump_write_head(&writer, &machine_64);
    dump_write_test(&writer, "bts.one");
}

static void put_branch(uint8_t *bytes, unsigned width, uint64_t from, uint64_t to, uint64_t flags)
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t value = i == 0 ? from : i == 1 ? to : flags;
        if (width == 4)
            write_u32(bytes, 4 * i, (uint32_t)value);
        else
            write_u64(bytes, 8 * i, value);
    }
}

static const char *text_of(const struct dump_problem *problem)
{
    static char text[DUMP_PROBLEM_TEXT];

    return dump_problem_text(text, problem);
}

static void assert_read(unsigned problems, unsigned branches, unsigned lost)
{
    if (result.problems != problems)
        for (unsigned i = 0; i < result.problems; i++)
            print_message("line %llu: %s\n", (unsigned long long)result.problem[i].line, text_of(&result.problem[i]));
    assert_int_equal(result.problems, problems);
    assert_int_equal(result.branches, branches);
    assert_int_equal(result.totals.bts, branches);
    assert_int_equal(result.totals.bts_lost, lost);
    assert_int_equal(result.lost[0], lost);
    assert_int_equal(result.whole, problems == 0);
}

/* A log of 12 branches in frames 1 to 12, after the head, with the end as frame 13. */
static void write_twelve(void)
{
    uint8_t bytes[24];

    begin();
    for (unsigned i = 0; i < 12; i++) {
        put_branch(bytes, 8, 0x1000 + i, 0x2000, 0);
        dump_write_bts(&writer, 0, 8, false, bytes, 1);
        dump_write_flush(&writer);
    }
    dump_write_end(&writer);
    assert_int_equal(written.count, 14);
}

static void insert(unsigned at, const char *text)
{
    assert_true(written.count < LINES_MAX);
    memmove(&written.line[at + 1], &written.line[at], (written.count - at) * sizeof(written.line[0]));
    written.line[at] = strcpy(malloc(strlen(text) + 1), text);
    written.count++;
}

static void assert_problem(unsigned n, uint64_t line, enum dump_error error)
{
    const struct dump_problem *got = &result.problem[n];

    assert_true(n < result.problems);
    if (got->line != line || got->error != error)
        fail_msg("problem %u: line %llu: %s; not line %llu: %s", n, (unsigned long long)got->line, text_of(got),
                 (unsigned long long)line, dump_error_text(error));
}

static void assert_frames(unsigned n, uint64_t line, enum dump_error error, uint64_t first, uint64_t last)
{
    assert_problem(n, line, error);
    assert_int_equal(result.problem[n].first, first);
    assert_int_equal(result.problem[n].last, last);
}

UNIT_TEST(other_lines_between)
{
    write_twelve();
    insert(3, "ok 1 bts.one");
    insert(3, "# dsdump");
    insert(3, "#");
    insert(3, "#x");
    insert(3, "");
    insert(0, "\033[2J# begin dstest86 0.1.0 abc 64\r");
    insert(0, "# begin dstest86 0.1.0 abc 64\r"); /* before the dump starts */
    read_log();
    assert_read(0, 12, 0);
    assert_int_equal(result.lines, 7);
    assert_string_equal(result.line, "ok 1 bts.one");

    /* Text that loggers and terminals add before and after a line. */
    static const char *const added[][2] = { { "[   12.345] # ", " \r\r" },
                                            { "\033[?25l\033[37m", "\033[K" },
                                            { "", "\r\033[0;1m\033[K \r" },
                                            { "- {\"lvl\": \"target\", \"msg\": \"", "\"}" },
                                            { "", "\t| # tail" } };
    for (size_t with = 0; with < COUNT_OF(added); with++) {
        write_twelve();
        insert(0, "# begin dstest86 0.1.0 abc 64");
        for (unsigned i = 0; i < written.count; i++) {
            char *line = malloc(strlen(written.line[i]) + 64);
            sprintf(line, "%s%s%s", added[with][0], written.line[i], added[with][1]);
            free(written.line[i]);
            written.line[i] = line;
        }
        read_log();
        assert_read(0, 12, 0);
        if (with == 1 || with == 2)
            assert_string_equal(result.line, "begin dstest86 0.1.0 abc 64");
    }
    forget();
}

/* A terminal of 80 columns wraps the lines: the cause is named, except if the cut frames end in different columns. */
UNIT_TEST(wrapped_lines)
{
    write_twelve();
    for (unsigned i = 1; i <= 12; i++)
        written.line[i][80] = '\0';
    written.line[5][79] = ' ';
    read_log();
    assert_read(15, 0, 12);
    assert_problem(14, 0, DUMP_READ_WRAPPED);
    assert_string_equal(
        text_of(&result.problem[14]),
        "all truncated frames end at column 80: if a terminal wrapped the lines, capture the log without one");
    written.line[7][79] = '\0';
    read_log();
    assert_read(14, 0, 12);
    write_twelve();
    written.line[3][80] = '\0';
    read_log();
    assert_read(3, 11, 1);
    forget();
}

/*
 * The lines from which the table below makes logs: the head, 12 frames with a branch each, the end (0 to 13); the line
 * with which the kernel starts (14); the head and the end of another machine's boot (15, 16); frames 1 to 4 of a boot
 * whose head is lost (17 to 20).
 */
static char *material[21];

static void make_material(void)
{
    write_twelve();
    insert(written.count, "# begin dstest86 0.1.0 abc 64");
    add("dsdump/1 0 head version=w width=32 signature=0xf4a perf_capabilities=0x0 misc_enable=0x1 pebs_data_cfg=0x0 "
        "ds=4 bts_form=4/1 pebs_form=4/0/0/0/0 source=0 build_id=");
    add(END, 1, 0);
    for (unsigned i = 1; i <= 3; i++)
        add("dsdump/1 %u bts test=two cpu=0 first=%u count=1 before=%u form=8/0 codes=1 data=A6BAgAEA", i, i - 1,
            i - 1);
    add(END, 4, 3);
    assert_int_equal(written.count, COUNT_OF(material));
    memcpy(material, written.line, sizeof(material));
    written.count = 0;
}

static void free_material(void)
{
    for (unsigned i = 0; i < COUNT_OF(material); i++)
        free(material[i]);
    forget();
}

/* Makes a log of these lines: numbers, and ranges of numbers. */
static void arrange(const char *lines)
{
    int used;

    forget();
    for (unsigned first, last; sscanf(lines, "%u%n", &first, &used) == 1; lines += used) {
        lines += used;
        last = first;
        used = 0;
        sscanf(lines, "-%u%n", &last, &used);
        for (; first <= last; first++)
            insert(written.count, material[first]);
    }
    assert_int_equal(*lines, '\0');
}

UNIT_TEST(damaged_logs)
{
    static const struct {
        const char *lines;
        unsigned heads, branches, lost;
        struct dump_problem problem[6];
    } cases[] = {
#define MISSING(at, from, to) .line = at, .error = DUMP_READ_MISSING, .first = from, .last = to
#define TWICE(at, number)     .line = at, .error = DUMP_READ_TWICE, .first = number, .last = number
#define ORDER(at, number)     .line = at, .error = DUMP_READ_ORDER, .first = number, .last = number
#define LOST(at, of, all)     .line = at, .error = DUMP_READ_LOST, .lost = of, .given = all, .kind = "bts"
#define NO_HEAD(at)           .line = at, .error = DUMP_READ_NO_HEAD
#define NO_END(at)            .line = at, .error = DUMP_READ_NO_END
        { "0-13", 1, 12, 0, { { 0 } } },
        /* frames are missing */
        { "0-4 6-13", 1, 11, 1, { { MISSING(6, 5, 5) }, { LOST(13, 1, 12) } } },
        { "0-4 8-13", 1, 9, 3, { { MISSING(6, 5, 7) }, { LOST(11, 3, 12) } } },
        { "0-11", 1, 11, 0, { { NO_END(12) } } }, /* no later line shows that the twelfth branch is missing */
        { "0-11 13", 1, 11, 1, { { MISSING(13, 12, 12) }, { LOST(13, 1, 12) } } },
        { "1-13", 0, 12, 0, { { NO_HEAD(1) }, { MISSING(1, 0, 0) } } },
        { "2-13", 0, 11, 1, { { NO_HEAD(1) }, { MISSING(1, 0, 1) }, { LOST(12, 1, 12) } } },
        /* out of order: 7 follows 9; 6 and 5 follow 8; the head is second; lines are pasted twice */
        { "0-6 8 9 7 10-13", 1, 11, 1, { { MISSING(8, 7, 7) }, { ORDER(10, 7) }, { LOST(14, 1, 12) } } },
        { "0-4 8 6 5 9-13", 1, 9, 3, { { MISSING(6, 5, 7) }, { ORDER(7, 6) }, { ORDER(8, 5) }, { LOST(13, 3, 12) } } },
        { "1 0 2-13",
          1,
          12,
          1,
          { { NO_HEAD(1) }, { MISSING(1, 0, 0) }, { NO_END(2) }, { MISSING(3, 1, 1) }, { LOST(14, 1, 12) } } },
        { "0-4 2-5", 1, 5, 0, { { ORDER(6, 2) }, { ORDER(7, 3) }, { TWICE(8, 4) }, { NO_END(9) } } },
        /* repeated */
        { "0-5 5-13", 1, 12, 0, { { TWICE(7, 5) } } },
        { "0 0-13", 1, 12, 0, { { TWICE(2, 0) } } },
        { "0-13 13", 1, 12, 0, { { TWICE(15, 13) } } },
        { "0 0", 1, 0, 0, { { TWICE(2, 0) }, { NO_END(2) } } },
        /* several boots: the same log twice; without an end; of another machine; without a head */
        { "0-13 0-13", 2, 24, 0, { { 0 } } },
        { "0-13 0 0-5 5-13", 2, 24, 0, { { TWICE(16, 0) }, { TWICE(22, 5) } } },
        { "0-13 15 15 16", 2, 12, 0, { { TWICE(16, 0) } } },
        { "0-12 0-12", 2, 24, 0, { { NO_END(14) }, { NO_END(26) } } },
        { "0 15 16", 2, 0, 0, { { NO_END(2) } } },
        { "0-12 14 15 16", 2, 12, 0, { { NO_END(14) } } },
        { "0-13 17-20", 1, 15, 0, { { NO_HEAD(15) }, { MISSING(15, 0, 0) } } },
        { "0-12 14 17-20", 1, 15, 0, { { NO_END(14) }, { NO_HEAD(15) }, { MISSING(15, 0, 0) } } },
        { "0-13 7", 1, 13, 6, { { NO_HEAD(15) }, { MISSING(15, 0, 6) }, { NO_END(15) }, { LOST(15, 6, 7) } } },
    };
    make_material();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        unsigned problems = 0;
        while (problems < COUNT_OF(cases[i].problem) && cases[i].problem[problems].error != DUMP_READ_OK)
            problems++;
        arrange(cases[i].lines);
        read_log();
        for (unsigned j = 0; j < problems && j < result.problems; j++) {
            const struct dump_problem *got = &result.problem[j], *want = &cases[i].problem[j];
            if (got->line != want->line || got->error != want->error || got->first != want->first ||
                got->last != want->last || got->lost != want->lost || got->given != want->given ||
                (want->kind && strcmp(got->kind, want->kind) != 0))
                fail_msg("%s: line %llu: %s", cases[i].lines, (unsigned long long)got->line, text_of(got));
        }
        assert_read(problems, cases[i].branches, cases[i].lost);
        assert_int_equal(result.totals.heads, cases[i].heads);
    }
    free_material();
}

/* Frames with a valid checksum and invalid contents, which our writer never writes. */
UNIT_TEST(invalid_frames)
{
#define BTS  "dsdump/1 1 bts test=t cpu=0 "
#define PEBS "dsdump/1 1 pebs test=t cpu=0 first=0 count=1 before=0 "
#define LBR  "dsdump/1 1 lbr test=t cpu=0 first=0 count=1 before=0 "
#define WHAT " counter=0 fixed=0 select=0x81d0 period=9 threshold=0 data_cfg=0x0 name=LOADS"
#define NONE (enum dump_error)(-1)
#define ONE  "first=0 count=1 before=0 form=8/0 "
    static const struct {
        const char *text;
        enum dump_error expanded, counted; /* the first problem, and where counting differs */
    } cases[] = {
        { "dsdump/", DUMP_READ_NO_VERSION, 0 },
        { "dsdump/1a 1 bts", DUMP_READ_NO_VERSION, 0 },
        { "dsdump/99999999999999999999 1 bts", DUMP_READ_NO_VERSION, 0 },
        { "dsdump/0x11111111111111111 1 bts", DUMP_READ_NO_VERSION, 0 },
        { "dsdump/1", DUMP_READ_NO_SEQUENCE, 0 },
        { "dsdump/1 18446744073709551615 bts", DUMP_READ_NO_SEQUENCE, 0 },
        { "dsdump/1 18446744073709551616 bts", DUMP_READ_NO_SEQUENCE, 0 },
        { "dsdump/1 1", DUMP_READ_KIND, 0 },
        { BTS "first", DUMP_READ_WORD, 0 },
        { BTS "first=one", DUMP_READ_WORD, 0 },
        { BTS "first=0x", DUMP_READ_WORD, 0 },
        { BTS "first=000000000000000000001", DUMP_READ_WORD, 0 },
        { BTS "form=1/2/3/4/5/6", DUMP_READ_WORD, 0 },
        { BTS "form=8/0", DUMP_READ_WORD_MISSING, 0 },
        /* texts that a terminal, a spreadsheet or a page would act on */
        { "dsdump/1 1 bts test=T cpu=0 " ONE "codes=1 data=A6BAgAEA", DUMP_READ_WORD, 0 },
        { "dsdump/1 1 bts test=t\033[2J cpu=0 " ONE "codes=1 data=A6BAgAEA", DUMP_READ_WORD, 0 },
        { "dsdump/1 1 event test=-t cpu=0" WHAT, DUMP_READ_WORD, 0 },
        { "dsdump/1 1 event test=t cpu=0" WHAT ",\"x\"", DUMP_READ_WORD, 0 },
        { "dsdump/1 1 event test=t cpu=0" WHAT "\303\244", DUMP_READ_WORD, 0 },
        { BTS "first=0 count=0 before=0 form=8/0 codes=1 data=A6BAgAEA", DUMP_READ_COUNT, 0 },
        { BTS "first=0 count=16385 before=0 form=8/0 codes=1 data=A6BAgAEA", DUMP_READ_COUNT, 0 },
        { BTS "first=1 count=1 before=0 form=8/0 codes=1 data=A6BAgAEA", DUMP_READ_NUMBERING, 0 },
        { BTS "first=0 count=1 before=18446744073709551615 form=8/0 codes=1 data=A6BAgAEA", DUMP_READ_NUMBERING, 0 },
        { "dsdump/1 1 bts test=t cpu=4294967296 " ONE "codes=1 data=A6BAgAEA", DUMP_READ_CPU, 0 },
        { "dsdump/1 1 event test=t cpu=4294967296" WHAT, DUMP_READ_CPU, 0 },
        { "dsdump/1 1 event test=t cpu=0 cpu=4294967296" WHAT, DUMP_READ_CPU, 0 },
        { "dsdump/1 1 event test=ttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt cpu=0" WHAT,
          DUMP_READ_TEST, 0 },
        { BTS "first=0 count=1 before=0 form=5/0 codes=1 data=A6BAgAEA", DUMP_READ_FIELD_WIDTH, 0 },
        { BTS ONE "codes=1 data=A6BAgAE", DUMP_READ_BASE64, 0 },
        { BTS ONE "codes=7 data=A6BAgAEA", DUMP_READ_CODES, 0 },
        { BTS ONE "codes=0 data=A6BAgAEA", DUMP_READ_TOO_FEW, 0 },
        { BTS ONE "codes=1 data=gw==", DUMP_READ_TOO_FEW, DUMP_READ_CODES_CUT },
        { BTS ONE "codes=1 data=CA==", DUMP_READ_TOO_MANY, 0 },
        { BTS ONE "codes=1 data=BA==", DUMP_READ_PREDICTION, NONE },
        { BTS ONE "codes=1 data=AA==", DUMP_READ_REFERENCE, NONE },
        { BTS ONE "codes=1 data=AQ==", DUMP_READ_REFERENCE, NONE },
        { BTS ONE "codes=1 data=AgE=", DUMP_READ_REFERENCE, NONE },
        { BTS ONE "codes=1 data=Ag==", DUMP_READ_VALUES_CUT, DUMP_READ_VALUES_COUNT },
        { BTS ONE "codes=1 data=A6BA", DUMP_READ_VALUES_CUT, DUMP_READ_VALUES_COUNT },
        { BTS ONE "codes=1 data=AwAAgA==", DUMP_READ_VALUES_CUT, DUMP_READ_VALUES_COUNT },
        { BTS ONE "codes=1 data=A6BAgAEAAA==", DUMP_READ_LEFT_OVER, DUMP_READ_VALUES_COUNT },
        { BTS ONE "codes=2 data=AwCgQIABAA==", DUMP_READ_LEFT_OVER, 0 },
        { BTS ONE "codes=2 data=AwegQIABAA==", DUMP_READ_LEFT_OVER, DUMP_READ_TOO_MANY },
        { BTS "first=0 count=2 before=0 form=8/0 codes=2 data=AwegQIABAA==", DUMP_READ_PREDICTION,
          DUMP_READ_LEFT_OVER },
        { PEBS "form=8/3/0/0/5 source=3 size=0 codes=1 data=AAAA", DUMP_READ_RECORD_SIZE, 0 },
        { PEBS "form=8/3/0/0/5 source=3 size=12 codes=1 data=AAAA", DUMP_READ_RECORD_SIZE, 0 },
        { PEBS "form=8/3/0/0/5 source=3 size=4104 codes=65 data=AAAA", DUMP_READ_RECORD_SIZE, 0 },
        { PEBS "form=8/3/0/0/5 source=12 size=200 codes=4 data=AAAAAA==", DUMP_READ_SOURCE, 0 },
        { PEBS "form=8/3/0/0/5 source=3 size=200 codes=3 data=AAAA", DUMP_READ_CODES, 0 },
        { PEBS "form=8/3/0/0/5 source=3 size=200 codes=4 data=AQAAAA==", DUMP_READ_VALUES_CUT, DUMP_READ_VALUES_COUNT },
        { PEBS "form=8/3/0/0/5 source=3 size=200 codes=4 data=AAAAAAE=", DUMP_READ_LEFT_OVER, DUMP_READ_VALUES_COUNT },
        { LBR "form=5 tos=0 depth=0 codes=0 data=", DUMP_READ_STACK, 0 },
        { LBR "form=5 tos=0 depth=33 codes=33 data=", DUMP_READ_STACK, 0 },
        { LBR "form=66 tos=0 depth=1 codes=1 data=AA==", DUMP_READ_STACK_FORMAT, 0 },
        { "dsdump/1 1 lbr test=t cpu=0 first=0 count=2 before=0 form=5 tos=0 depth=1 codes=1 data=AA==",
          DUMP_READ_STACK, 0 },
        { LBR "form=5 tos=0 depth=1 codes=1 data=AQ==", DUMP_READ_VALUES_CUT, DUMP_READ_VALUES_COUNT },
        { LBR "form=5 tos=0 depth=1 codes=1 data=AAE=", DUMP_READ_LEFT_OVER, DUMP_READ_VALUES_COUNT },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        forget();
        add(HEAD);
        add("%s", cases[i].text);
        add("dsdump/1 2 bts test=t cpu=0 first=1 count=1 before=1 form=8/0 codes=1 data=A6BAgAEA");
        add(END, 3, 2);
        read_log();
        assert_true(result.problems >= 1);
        assert_problem(0, 2, cases[i].expanded);
        assert_int_equal(result.counted, cases[i].counted == NONE ? DUMP_READ_OK
                                         : cases[i].counted       ? cases[i].counted
                                                                  : cases[i].expanded);
        assert_true(result.branches >= 1); /* the next frame */
        assert_true(result.totals.bts + result.totals.bts_lost >= 2);
    }
    forget();
}

UNIT_TEST(invalid_heads)
{
    static const char *const ids[] = { "0", "0g", "g0", "000000000000000000000000000000000000000000" };
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        forget();
        add("dsdump/1 0 head version=v width=64 signature=0x506e3 perf_capabilities=0x33c5 misc_enable=0x1 "
            "pebs_data_cfg=0x0 ds=8 bts_form=8/0 pebs_form=8/3/0/0/5 source=3 build_id=%s",
            ids[i]);
        add(END, 1, 0);
        read_log();
        assert_int_equal(result.problems, 1);
        assert_frames(0, 1, DUMP_READ_BUILD_ID, 0, 0);
    }
    forget();
    add("dsdump/1 0 head version=1\033[2J\r width=64 signature=0x506e3 perf_capabilities=0x33c5 misc_enable=0x1 "
        "pebs_data_cfg=0x0 ds=8 bts_form=8/0 pebs_form=8/3/0/0/5 source=3 build_id=00");
    add(END, 1, 0);
    read_log();
    assert_int_equal(result.problems, 1);
    assert_frames(0, 1, DUMP_READ_WORD, 0, 0);
    assert_string_equal(text_of(&result.problem[0]), "frame 0: malformed word: version=1?[2J?");
    forget();
}

/* PEBS bytes that the decoder refuses, and an unknown LBR format. */
UNIT_TEST(undecodable)
{
    const struct pebs_form adaptive = { 8, 4, true, false, false, 5, PEBS_RESERVED_NONE };
    const uint8_t zeros[32] = { 0 };
    const uint64_t registers[1][3] = { { 1, 2, 3 } };
    const struct dump_lbr stack = { .depth = 1, .registers = registers };
    begin();
    dump_write_pebs(&writer, 0, &adaptive, DATA_SOURCE_GENERIC, 32, zeros, 1);
    dump_write_lbr(&writer, 0, 40, &stack);
    dump_write_end(&writer);
    read_log();
    assert_problem(0, 2, DUMP_READ_PEBS);
    assert_int_equal(result.problem[0].record, 0);
    assert_int_equal(result.problem[0].why, PEBS_DECODE_SIZE_ZERO);
    assert_frames(1, 3, DUMP_READ_STACK_FORMAT, 2, 2);
    assert_int_equal(result.totals.pebs_lost, 1);
    assert_int_equal(result.totals.lbr_lost, 1);
    forget();
}

UNIT_TEST(texts)
{
    static const struct {
        struct dump_problem problem;
        const char *text;
    } whole[] = {
        { { .error = DUMP_READ_CHECKSUM }, "damaged frame: its checksum does not match" },
        { { .error = DUMP_READ_VERSION, .version = 2 },
          "frame of version 2: only version 1 of the format is supported" },
        { { .error = DUMP_READ_KIND, .first = 7 }, "frame 7: unknown kind of frame" },
        { { .error = DUMP_READ_WORD, .first = 7, .word = "cpu=one" }, "frame 7: malformed word: cpu=one" },
        { { .error = DUMP_READ_WORD_MISSING, .first = 7, .word = "cpu" }, "frame 7: missing word: cpu" },
        { { .error = DUMP_READ_PEBS, .first = 7, .record = 5, .why = PEBS_DECODE_SIZE_ZERO },
          "frame 7: PEBS record 5: size field of the PEBS record is 0" },
        { { .error = DUMP_READ_MISSING, .first = 7, .last = 7 }, "frame 7: missing before this line" },
        { { .error = DUMP_READ_MISSING, .first = 7, .last = 9 }, "frames 7 to 9: missing before this line" },
        { { .error = DUMP_READ_TWICE, .first = 0 }, "frame 0: duplicate, ignored" },
        { { .error = DUMP_READ_ORDER, .first = 7 }, "frame 7: out of order, ignored" },
        { { .error = DUMP_READ_LOST, .kind = "bts", .lost = 1, .given = 12 }, "1 of 12 bts records are lost" },
    };

    for (unsigned i = 0; i <= DUMP_READ_NO_DUMP;
         i++) /* each error has a text of its own; the last is that of no error */
        for (unsigned other = i + 1; other <= DUMP_READ_NO_DUMP + 1; other++)
            assert_string_not_equal(dump_error_text((enum dump_error)i), dump_error_text((enum dump_error)other));
    for (size_t i = 0; i < COUNT_OF(whole); i++)
        assert_string_equal(text_of(&whole[i].problem), whole[i].text);
}
