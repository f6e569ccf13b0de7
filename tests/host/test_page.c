/* SPDX-License-Identifier: MIT */
/*
 * The page on the screen: a whole page of each kind and verdict, compared with pages.txt. On all sizes: text stays in
 * its place, cut text is marked, and the counts are those of the results.
 */
#define FIRST set_up
#include "tests/host/unit_test.h"

#include "kernel/screen/letters.h"
#include "kernel/screen/page.h"
#include "kernel/screen/pen.h"
#include "tests/host/processors.h"

#define UNTOUCHED 0xee
#define PAGES     "tests/host/pages.txt"

static struct cells cells;

/* ---- reading it back --------------------------------------------------------------------------------------------- */

static char letter_of(uint8_t character)
{
    switch (character) {
    case CELL_FULL:
        return '#';
    case CELL_LOWER_HALF:
        return ',';
    case CELL_UPPER_HALF:
        return '\'';
    default:
        return (char)character;
    }
}

/* A row without trailing blanks. */
static const char *line_of(unsigned row)
{
    static char line[CELLS_COLUMNS_MAX + 1];
    unsigned length = 0;

    for (unsigned column = 0; column < cells.columns; column++) {
        line[column] = letter_of(cells.at[row][column].character);
        if (line[column] != ' ')
            length = column + 1;
    }
    line[length] = '\0';
    return line;
}

static void draw(const struct page *page, unsigned columns, unsigned rows)
{
    memset(&cells, UNTOUCHED, sizeof cells);
    cells.columns = columns;
    cells.rows = rows;
    page_draw(page, &cells);
}

/* A row as in pages.txt: the colour of its column 1, and its text; empty if it is blank. */
static const char *row_of(unsigned row)
{
    static char text[CELLS_COLUMNS_MAX + 8];
    const char *const line = line_of(row);

    if (!*line)
        return "";
    snprintf(text, sizeof text, " %02x%s", cells.at[row][1].attributes, line);
    return text;
}

/* The rows of the page with this title in pages.txt. */
static void read_page(const char *title, char rows[][CELLS_COLUMNS_MAX + 8])
{
    FILE *const file = fopen(PAGES, "r");
    char line[CELLS_COLUMNS_MAX + 8];

    if (!file)
        fail_msg("cannot read " PAGES ": run the test in the repository's root");
    do {
        if (!fgets(line, sizeof line, file))
            fail_msg(PAGES " lacks the page \"%s\"", title);
        line[strcspn(line, "\n")] = '\0';
    } while (strncmp(line, "== ", 3) != 0 || strcmp(line + 3, title) != 0);
    while (fgets(line, sizeof line, file) && line[0] != '\n') {
        line[strcspn(line, "\n")] = '\0';
        snprintf(rows[strtoul(line, NULL, 10)], sizeof rows[0], "%s", line + 2);
    }
    fclose(file);
}

/* Draws the page and compares it with the page of this name in pages.txt, which omits blank rows. */
static void expect(const char *name, const struct page *page, unsigned columns, unsigned rows)
{
    static char expected[CELLS_ROWS_MAX][CELLS_COLUMNS_MAX + 8];
    char title[80];
    unsigned differences = 0;

    snprintf(title, sizeof title, "%s, %ux%u", name, columns, rows);
    memset(expected, 0, sizeof expected);
    read_page(title, expected);
    draw(page, columns, rows);
    for (unsigned row = 0; row < CELLS_ROWS_MAX; row++) {
        const char *const drawn = row < rows ? row_of(row) : "";
        if (strcmp(drawn, expected[row]) != 0) {
            print_message("-%2u%s\n+%2u%s\n", row, expected[row], row, drawn);
            differences++;
        }
    }
    if (differences)
        fail_msg("%s: %u rows differ from " PAGES, title, differences);
}

static bool row_begins(unsigned row, const char *begin)
{
    unsigned column = 0;

    while (begin[column] && column < cells.columns && letter_of(cells.at[row][column].character) == begin[column])
        column++;
    return !begin[column];
}

static const char *find_line(const char *begin)
{
    for (unsigned row = 0; row < cells.rows; row++)
        if (row_begins(row, begin))
            return line_of(row);
    return NULL;
}

/* Draws the page in text mode, which then has a line with this beginning. */
static void shows(const struct page *page, const char *begin)
{
    draw(page, CELLS_COLUMNS, CELLS_ROWS);
    if (!find_line(begin))
        fail_msg("the page lacks the line: %s", begin);
}

static uint8_t attributes_of(unsigned row, unsigned column)
{
    return cells.at[row][column].attributes;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static struct caps skylake, golden_cove;

#define PROGRAM .version = "0.1.0", .revision = "2fa7c4c2ce14", .bits = 64, .steps = 12
#define LOG     .log = "COM1 at 115200 baud"

/* Three areas: ten passed, two of bts failed, one has no verdict, one differs, one was skipped, one did not run. */
static const struct result some[] = {
    { .id = "ds.a", .outcome = OUTCOME_PASS },
    { .id = "ds.b", .outcome = OUTCOME_PASS },
    { .id = "bts.calls", .outcome = OUTCOME_FAIL, .why = "got 11 records, expected 12" },
    { .id = "bts.cpl", .outcome = OUTCOME_SKIP, .why = "no filter" },
    { .id = "bts.ring", .outcome = OUTCOME_PASS },
    { .id = "bts.user", .outcome = OUTCOME_PASS },
    { .id = "bts.x", .outcome = OUTCOME_NOT_RUN, .why = "never shown" },
    { .id = "bts.wrap", .outcome = OUTCOME_ERROR },
    { .id = "lbr.a", .outcome = OUTCOME_PASS },
    { .id = "lbr.info", .outcome = OUTCOME_DIFFERS, .why = "the cycles of entry 3 are 0" },
    { .id = "lbr.b", .outcome = OUTCOME_PASS },
    { .id = "bts.late", .outcome = OUTCOME_FAIL, .why = "timed out after 10 seconds" },
    { .id = "lbr.c", .outcome = OUTCOME_PASS },
    { .id = "lbr.d", .outcome = OUTCOME_PASS },
    { .id = "lbr.e", .outcome = OUTCOME_PASS },
    { .id = "lbr.f", .outcome = OUTCOME_PASS },
};

#define TESTS(array) \
    PROGRAM, .step = 12, .step_name = "tests", .caps = &skylake, .results = array, .result_count = COUNT_OF(array)

static const struct facility judged[FACILITIES] = {
    { .name = "bts", .state = FACILITY_FAIL, .passed = 2, .failed = 3, .selected = 6 },
    { .name = "pebs", .state = FACILITY_NOT_SELECTED },
    { .name = "lbr", .state = FACILITY_PASS, .passed = 7, .selected = 7 },
};

static const struct facility passed[FACILITIES] = {
    { .name = "bts", .state = FACILITY_NONE, .reason = "no BTS (IA32_MISC_ENABLE bit 11 set)" },
    { .name = "pebs", .state = FACILITY_PASS, .passed = 43, .selected = 65 },
    { .name = "lbr", .state = FACILITY_PASS, .passed = 33, .selected = 43 },
};

static const struct facility untested[FACILITIES] = {
    { .name = "bts", .state = FACILITY_UNTESTED, .reason = "no BTS: the layout of IA32_DEBUGCTL is unknown" },
    { .name = "pebs", .state = FACILITY_NONE, .reason = "no DS (CPUID.1:EDX bit 21 clear)" },
    { .name = "lbr", .state = FACILITY_NOT_SELECTED },
};

static const struct result good[] = {
    { .id = "ds.a", .outcome = OUTCOME_PASS },
    { .id = "pebs.b", .outcome = OUTCOME_PASS },
    { .id = "pebs.c", .outcome = OUTCOME_SKIP, .why = "no event" },
    { .id = "arch.d", .outcome = OUTCOME_SKIP, .why = "an area that is left out" },
};

static const struct result figures[] = { { .id = "measure.skid.loads", .outcome = OUTCOME_PASS },
                                         { .id = "measure.skid.stores", .outcome = OUTCOME_SKIP, .why = "no stores" },
                                         { .id = "bts.calls", .outcome = OUTCOME_NOT_RUN } };

/* Many failures with long names, in many areas. */
#define MANY 90u
static struct result many[MANY];
static char many_ids[MANY][64];
static const char long_why[] =
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "x";

static void fill_many(unsigned areas, enum outcome outcome)
{
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(many_ids[i], sizeof many_ids[i], "%carea.test%u", (char)('a' + i % areas), i);
        many[i] = (struct result){ .id = many_ids[i], .outcome = outcome, .why = i % 2 ? long_why : "short" };
    }
}

static uint8_t modules[CELLS_ROWS_MAX * 2 * CELLS_ROWS_MAX * 2];

/* A code without a meaning, with dark edges that show the quiet zone. */
static struct page_code code_of(unsigned side)
{
    uint32_t state = side;

    for (unsigned i = 0; i < side * side; i++) {
        state = state * 1664525u + 1013904223u;
        modules[i] = i < side || i % side == 0 || i % side == side - 1 || i / side == side - 1 || state >> 31;
    }
    return (struct page_code){ .side = side, .modules = modules };
}

/* ---- whole pages ------------------------------------------------------------------------------------------------- */

UNIT_TEST(before_the_tests)
{
    struct page page = { PROGRAM, .step = 3, .step_name = "options, serial port, screen" };

    draw(&page, 80, 25);
    assert_null(find_line(" Log:")); /* no port has been tried */
    page = (struct page){ PROGRAM, LOG, .step = 6, .step_name = "local APIC", .caps = &golden_cove };
    expect("a step, no brand, under a hypervisor", &page, 80, 25);
}

UNIT_TEST(tests_run)
{
    struct page page = { TESTS(some), LOG, .state = PAGE_TESTS, .planned = 20, .number = 16, .test = "lbr.tos" };

    expect("a test after failures", &page, 80, 25);
    assert_int_equal(attributes_of(0, 79), 0x1f); /* the title to both edges */
    assert_int_equal(attributes_of(8, 29), 0x0a); /* the bar, three quarters complete */
    assert_int_equal(attributes_of(8, 30), 0x07);
    assert_int_equal(attributes_of(12, 41), 0x07); /* lbr, to the right of ds */
    page = (struct page){ TESTS(many), LOG, .state = PAGE_TESTS, .planned = 100, .number = 91, .test = "last" };
    fill_many(5, OUTCOME_FAIL);
    shows(&page, " and 83 more, before these");
}

UNIT_TEST(tests_have_ended)
{
    struct page page = { TESTS(many), LOG, .state = PAGE_END, .verdict = VERDICT_FAIL, .verdicts = judged };

    fill_many(15, OUTCOME_FAIL);
    expect("more areas than rows, and failures", &page, 80, 25);
    page = (struct page){ TESTS(some), LOG, .state = PAGE_END, .verdict = VERDICT_FAIL, .verdicts = judged };
    page.then = PAGE_REBOOTS;
    expect("the verdict fail, then a reboot", &page, 128, 48);
    page = (struct page){ TESTS(good), LOG, .state = PAGE_END, .verdicts = passed };
    expect("the verdict pass", &page, 80, 25);
}

UNIT_TEST(trouble)
{
    struct page page = { PROGRAM,
                         LOG,
                         .step = 3,
                         .step_name = "options, serial port, screen",
                         .state = PAGE_END,
                         .verdict = VERDICT_ERROR,
                         .trouble = "unknown option: ruun=bts.*" };

    page.remarks =
        "the log will not be saved: the boot volume is read-only; load options: ignored 8 bytes that are not "
        "printable ASCII in UCS-2";
    expect("an error before the processor is known", &page, 80, 25);
}

/* Lines of the page that depend on the verdict, the results, the machine and the codes. */
UNIT_TEST(words)
{
    static const struct result skipped[] = { { .id = "pebs.a", .outcome = OUTCOME_SKIP, .why = "no PEBS" } };
    static const struct result slow[] = {
        { .id = "measure.skid.loads", .outcome = OUTCOME_FAIL, .why = "timed out after 10 seconds" }
    };
    struct caps amd = skylake;
    const struct page_code codes[] = { code_of(45), code_of(45) };
    const struct {
        struct page page;
        const char *line;
    } rows[] = {
#define GOOD TESTS(good), .state = PAGE_END, .verdicts = passed
        { { GOOD }, " Nothing is wrong. Take a photo of this page." },
        { { GOOD }, " Log: none, no serial port answers" },
        { { GOOD, .then = PAGE_SWITCHES_OFF }, " The run has ended. The machine switches itself off now." },
        { { GOOD, .kinds = "core,atom" },
          " This is the first kind of core. Results include all tested kinds: core,atom" },
        { { GOOD, LOG, .codes = codes, .code_count = 1 },
          " Nothing is wrong. Keep the log, take a photo of this page, or scan the code" },
        { { GOOD, LOG, .codes = codes, .code_count = 1, .send_to = "to a@example.org" },
          " that follows it. Send it to a@example.org." },
        { { GOOD, LOG, .codes = codes, .code_count = 2, .send_to = "to a@example.org" },
          " codes, which take turns. Send it to a@example.org." },
#define SECOND_CODE GOOD, LOG, .codes = codes, .code_count = 2, .turn = 2, .kinds = "core,atom"
        { { SECOND_CODE }, " Scan code 2 of 2 with a" },
        { { SECOND_CODE }, " all kinds: core,atom" },
        { { SECOND_CODE }, " signature 0x000506e3 " },
#define OPEN TESTS(good), LOG, .state = PAGE_END, .verdicts = untested
        { { OPEN, .verdict = VERDICT_INCOMPLETE },
          " The processor has something that could not be tested: see \"untested\" above." },
        { { OPEN, .verdict = VERDICT_INCOMPLETE }, " BTS   untested: no BTS: the layout of IA32_DEBUGCTL is unknown" },
        { { OPEN, .verdict = VERDICT_INCOMPLETE }, " A hypervisor or a firmware setting may be the reason: change it" },
        { { OPEN, .verdict = VERDICT_SKIP }, " The processor has none of the facilities that were to be tested." },
        { { OPEN, .verdict = VERDICT_SKIP }, " all          2       0    0     0  2 skipped" },
        { { OPEN, .verdict = VERDICT_SKIP }, " A hypervisor or a firmware setting may hide what the processor has." },
        { { TESTS(skipped), .state = PAGE_END, .verdict = VERDICT_SKIP }, " Every test was skipped." },
        { { PROGRAM, .caps = &skylake, .state = PAGE_END, .verdict = VERDICT_SKIP }, " No test was run." },
        { { PROGRAM, .caps = &amd, .state = PAGE_END, .verdict = VERDICT_SKIP },
          " This is not an Intel processor: there is nothing to test." },
        { { GOOD, .verdict = VERDICT_ERROR }, " A test ended without a verdict." },
        { { GOOD, .verdict = VERDICT_ERROR }, " This should never happen: please report it. Take a photo" },
        { { GOOD, .verdict = VERDICT_PANIC, .test = "lbr.tos", .number = 16, .planned = 20 },
          " It occurred in test 16 of 20: lbr.tos" },
        { { GOOD, .verdict = VERDICT_PANIC, .trouble = "vector 14" }, " vector 14" },
        { { GOOD, .verdict = VERDICT_PANIC }, " It occurred in step 12 of 12: tests" },
        { { TESTS(some), .state = PAGE_VERDICT, .verdict = VERDICT_FAIL },
          " The end of the log is being written: please wait." },
        { { TESTS(slow), .state = PAGE_END, .verdict = VERDICT_FAIL }, " A test did not end within its time limit." },
        { { TESTS(slow), .state = PAGE_END, .verdict = VERDICT_FAIL },
          " A slow machine needs more time: start again with timeout=120." },
        { { TESTS(figures), .state = PAGE_END }, " These are measurements: figures, no statement about the manual." },
        { { TESTS(figures), .state = PAGE_END }, " all          1       0    0     0  1 does not apply" },
    };

    amd.intel = false;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        shows(&rows[i].page, rows[i].line);
}

/* Lines of the log, on pages that alternate with the text page, or that a key shows. */
UNIT_TEST(pages_of_lines)
{
    static char lines[70 * 8];
    const struct page_code small = code_of(21);
    struct page page = { PROGRAM, LOG, .state = PAGE_END, .verdict = VERDICT_PANIC, .lines = lines };

    for (unsigned i = 0; i < 70; i++)
        page.lines_size += (size_t)snprintf(lines + page.lines_size, 8, "line %u", i) + 1;
    page.take = PAGE_LINES_LAST;
    page.turn = 1;
    draw(&page, 80, 25);
    assert_string_equal(line_of(1), " line 48");
    assert_string_equal(line_of(22), " line 69");
    assert_int_equal(page_turns(&page, &cells, false), 2);

    page.take = PAGE_LINES_ALL;
    page.codes = &small;
    page.code_count = 1;
    page.turn = 4;
    draw(&page, 100, 25);
    assert_int_equal(page_turns(&page, &cells, false), 1 + 4); /* of 22 lines */
    assert_string_equal(line_of(1), " line 66");
    assert_string_equal(line_of(5), "");
    assert_string_equal(line_of(24), " Page 5 of 5. They take turns.");

    page.take = PAGE_LINES_BY_KEY;
    assert_int_equal(page_turns(&page, &cells, false), 1);
    assert_int_equal(page_turns(&page, &cells, true), 5);
    page.state = PAGE_TESTS;
    assert_int_equal(page_turns(&page, &cells, true), 1);
}

/* ---- any size ---- */

/* Only characters of the font are drawn, other cells are unchanged, and text ends before the margin. */
static void check_places(unsigned text_columns)
{
    static struct cell untouched[CELLS_COLUMNS_MAX];

    memset(untouched, UNTOUCHED, sizeof untouched);
    for (unsigned row = 0; row < CELLS_ROWS_MAX; row++) {
        const unsigned columns = row < cells.rows ? cells.columns : 0;

        assert_memory_equal(&cells.at[row][columns], untouched, (CELLS_COLUMNS_MAX - columns) * sizeof untouched[0]);
        for (unsigned column = 0; column < columns; column++) {
            const uint8_t character = cells.at[row][column].character;
            if (column == 0 || column == text_columns - 1)
                assert_int_equal(character, ' ');
            else if (character != CELL_FULL && character != CELL_LOWER_HALF && character != CELL_UPPER_HALF &&
                     (character < ' ' || character > '~'))
                fail_msg("character %u at row %u, column %u", character, row, column);
        }
    }
}

static unsigned count_lines(const char *begin)
{
    unsigned lines = 0;

    for (unsigned row = 0; row < cells.rows; row++)
        lines += row_begins(row, begin);
    return lines;
}

/* The quiet zone that fits: 4, 3 or 2 modules; 0: none. */
static unsigned quiet_of(unsigned side, unsigned columns, unsigned rows)
{
    for (unsigned quiet = 4; quiet >= 2; quiet--)
        if (side + 2 * quiet <= columns && (side + 2 * quiet + 1) / 2 <= rows)
            return quiet;
    return 0;
}

/* Removes the contents to the right of the text from the page. */
static void blank_from(unsigned column)
{
    for (unsigned row = 0; row < cells.rows; row++)
        for (unsigned c = column; c < cells.columns; c++)
            cells.at[row][c].character = ' ';
}

/* The number in "and N more" on the page; 0 if absent. */
static unsigned number_more(void)
{
    unsigned number = 0;

    for (unsigned row = 0; row < cells.rows && !number; row++)
        if (row_begins(row, " and ") && sscanf(line_of(row), " and %u more", &number) != 1)
            number = 0;
    return number;
}

UNIT_TEST(every_size)
{
    static const enum verdict verdicts[] = { VERDICT_PASS,  VERDICT_FAIL,  VERDICT_SKIP,
                                             VERDICT_ERROR, VERDICT_PANIC, VERDICT_INCOMPLETE };
    struct page page = { TESTS(many), .planned = MANY + 1, .number = MANY + 1, .test = long_why, .verdicts = judged };
    unsigned turn = 0;

    for (unsigned columns = CELLS_COLUMNS; columns <= CELLS_COLUMNS_MAX; columns += columns < 90 ? 1 : 7)
        for (unsigned rows = CELLS_ROWS; rows <= CELLS_ROWS_MAX; rows += rows < 50 ? 1 : 5) {
            const struct page_code code = code_of(21);
            const unsigned quiet = turn % 2 ? quiet_of(21, columns - 62, rows - 1) : 0;
            const unsigned areas = 1 + turn % 30, fails = turn % 7 < 2 ? turn % 3 : MANY;
            char all[100];

            fill_many(areas, OUTCOME_PASS);
            for (unsigned i = 0; i < fails; i++)
                many[(i * 7) % MANY].outcome = i % 3 == 1 ? OUTCOME_ERROR : i % 3 == 2 ? OUTCOME_DIFFERS : OUTCOME_FAIL;
            page.verdict = verdicts[turn % COUNT_OF(verdicts)];
            page.trouble = page.verdict >= VERDICT_ERROR ? long_why : NULL;
            page.log = turn % 4 ? long_why : NULL;
            snprintf(all, sizeof all, " all      %5u%8u%5u%6u", MANY - fails, fails / 3, (fails + 2) / 3,
                     (fails + 1) / 3);
            page.codes = &code;
            page.code_count = quiet != 0;
            for (page.state = PAGE_TESTS; page.state <= PAGE_END; page.state++) {
                const unsigned width = quiet && page.state != PAGE_TESTS ? columns - 21 - 2 * quiet : columns;

                draw(&page, columns, rows);
                check_places(width);
                blank_from(width);
                assert_non_null(find_line(all));
                const unsigned listed = count_lines(" fail ") + count_lines(" error ") + count_lines(" differs ");
                const unsigned there = page.state == PAGE_TESTS ? fails - fails / 3 : fails;
                assert_int_equal(listed + number_more(), there);
                if (!page.trouble || width == columns) /* there, the text may leave no row for it */
                    assert_true(there < 2 ? listed == there : listed >= 1);
                assert_int_equal(count_lines(" Log:"), 1);
            }
            turn++;
        }
}

UNIT_TEST(largest_code)
{
    static const unsigned sizes[][2] = { { 80, 25 }, { 100, 30 }, { 128, 48 }, { CELLS_COLUMNS_MAX, CELLS_ROWS_MAX } };

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        cells.columns = sizes[i][0];
        cells.rows = sizes[i][1];
        const unsigned most = page_code_most(&cells);
        assert_true(quiet_of(most, cells.columns - 31, cells.rows) &&
                    !quiet_of(most + 1, cells.columns - 31, cells.rows));
    }
}

UNIT_TEST(turns)
{
    const struct page_code small = code_of(21), codes[] = { small, small, { .side = 45, .modules = modules } };
    struct page page = { TESTS(good), LOG, .state = PAGE_END, .verdicts = passed, .codes = codes, .code_count = 2 };

    cells.columns = 100;
    cells.rows = 30;
    assert_int_equal(page_turns(&page, &cells, false), 2); /* both to the right of the text */
    page.code_count = 3;                                   /* the third does not fit there */
    assert_int_equal(page_turns(&page, &cells, false), 4);
    page.state = PAGE_TESTS;
    assert_int_equal(page_turns(&page, &cells, false), 1);
    page.state = PAGE_VERDICT;
    assert_int_equal(page_turns(&page, &cells, false), 4);
    page.code_count = 0;
    assert_int_equal(page_turns(&page, &cells, false), 1);
}

/* ---- pieces ---- */

/* Lines, and words in the second of four rows, between columns 2 and 7 of 10. */
UNIT_TEST(text)
{
    static const struct {
        const char *text, *line, *first, *second;
        unsigned most, count; /* of the words' lines */
    } rows[] = {
        { "", "", "", "", 2, 0 },
        { "123456", "  123456", "  123456", "", 2, 1 },
        { "1234567", "  1234..", "  123456", "  7", 2, 2 },
        { "a\x1f\x7f~ \xdb", "  a??~ ?", "  a??~ ?", "", 2, 1 },
        { "one two", "  one ..", "  one", "  two", 2, 2 },
        { "sixsix two", "  sixs..", "  sixsix", "  two", 2, 2 },
        { "a bcd e", "  a bc..", "  a bcd", "  e", 2, 2 },
        { "one two three", "  one ..", "  one", "  two ..", 2, 2 },
        { "one two", "  one ..", "  one ..", "", 1, 1 },
    };
    const struct pen pen = { &cells, 2, 6, 0x1e };

    cells.columns = 10;
    cells.rows = 4;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pen_clear(&cells, 0x07);
        pen_line(&pen, 0, "%s", rows[i].text);
        assert_string_equal(line_of(0), rows[i].line);
        assert_int_equal(pen_words(&pen, 1, rows[i].most, rows[i].text), rows[i].count);
        assert_int_equal(pen_count(&pen, rows[i].most, rows[i].text), rows[i].count);
        assert_string_equal(line_of(1), rows[i].first);
        assert_string_equal(line_of(2), rows[i].second);
        assert_string_equal(line_of(3), "");
    }
    assert_int_equal(attributes_of(0, 1), 0x07);
    assert_int_equal(attributes_of(0, 2), 0x1e);
    assert_int_equal(attributes_of(0, 7), 0x1e);
    assert_int_equal(attributes_of(0, 8), 0x07);
    assert_int_equal(attributes_of(3, 9), 0x07);
}

static int set_up(void **state)
{
    skylake = caps_of(skylake_input());
    golden_cove = caps_of(golden_cove_input());
    return 0;
}
