/* SPDX-License-Identifier: MIT */
/*
 * Pages without a clock, texts that are too long, an exception while the page is drawn, and the codes. The screen is
 * variables. page.t compares the pages of whole runs with their logs.
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

#include "arch/x86/devices/clock.h"
#include "kernel/display.h"
#include "kernel/log_lines.h"
#include "tests/host/processors.h"

static struct cells cells;
static unsigned shown;         /* calls of display_show() */
static const char *the_screen; /* the screen's kind */
static unsigned waits;         /* waits until the clock stops */
static unsigned waited;        /* microseconds, the last time */
static char turns_seen[100];   /* the page on the screen at each wait */
static void (*raises)(void);   /* raises an exception while drawing */

FAKE(struct cells *, display_cells, (void), &cells)

void display_show(void)
{
    void (*const now)(void) = raises;

    shown++;
    raises = NULL;
    if (now)
        now();
}

FAKE(const char *, display_text, (void), the_screen)
FAKE(static bool, is_code_page, (void), cells.at[0][0].character == ' ' && cells.at[0][79].character == CELL_FULL)

/* Whether a line of the page, after its margin, begins with this text. */
static bool says(const char *text)
{
    for (unsigned row = 0; row < cells.rows; row++) {
        unsigned length = 0;
        while (text[length] != '\0' && cells.at[row][1 + length].character == (uint8_t)text[length])
            length++;
        if (text[length] == '\0')
            return true;
    }
    return false;
}

bool clock_wait(unsigned microseconds)
{
    waited = microseconds;
    if (!waits)
        return false;
    waits--;
    strcat(turns_seen, !is_code_page() ? "text " : says("Scan code 1 of ") ? "code1 " : "code2 ");
    return true;
}

FAKE(const char *, log_lines, (size_t * size), *size = 9, "one\0ok 2")

#include "kernel/progress.c"

static enum key presses[8];
static unsigned press, idle; /* reads before the first key */

enum key keyboard_read(void)
{
    if (idle > 0) {
        idle--;
        return KEY_NONE;
    }
    return press < COUNT_OF(presses) ? presses[press++] : KEY_RESTART;
}

static void start(void)
{
    memset(log_places, 0, sizeof log_places);
    memset(troubles, 0, sizeof troubles);
    memset(&cells, 0, sizeof cells);
    drawing = false;
    cells.columns = CELLS_COLUMNS;
    cells.rows = CELLS_ROWS;
    shown = waits = waited = 0;
    turns_seen[0] = '\0';
    raises = NULL;
    the_screen = "1024x768 32 bits at 0x80000000, 128x48 characters";
    progress_page = (struct page){ .version = "0.1.0", .revision = "revision", .send_to = "to a@b", .bits = 32 };
}

static const struct result results[] = {
    { .id = "ds.a", .outcome = OUTCOME_PASS },
    { .id = "bts.b", .outcome = OUTCOME_FAIL, .why = "got 1 records, expected 2" },
    { .id = "bts.c", .outcome = OUTCOME_NOT_RUN },
};

static const struct facility judged[FACILITIES] = {
    { .name = "bts", .state = FACILITY_FAIL, .failed = 1, .selected = 1 },
    { .name = "pebs", .state = FACILITY_NOT_SELECTED },
    { .name = "lbr", .state = FACILITY_NOT_SELECTED },
};

UNIT_TEST(texts_that_are_too_long)
{
    start();
    for (unsigned i = 0; i < 100; i++) {
        progress_trouble("trouble %u", i);
        progress_log("COM%u", i);
    }
    assert_int_equal(strlen(troubles), sizeof troubles - 1);
    assert_int_equal(strlen(log_places), sizeof log_places - 1);
    assert_int_equal(strncmp(troubles, "trouble 0; trouble 1; ", 22), 0);
    assert_int_equal(strncmp(log_places, "COM0; COM1; ", 12), 0);
}

static void panic(void)
{
    progress_trouble("vector 14");
    progress_end(VERDICT_PANIC, PAGE_HALTS, true);
}

UNIT_TEST(an_exception_in_drawing_is_not_drawn)
{
    start();
    raises = panic;
    progress_step(1, 12, "one");
    assert_int_equal(shown, 1);
    progress_step(2, 12, "two");
    assert_int_equal(shown, 2);
}

/* The text in a code of a version up to 9. */
static const char *text_in(const struct page_code *code)
{
    const struct qr_code *const qr = (const void *)(code->modules - offsetof(struct qr_code, modules));
    static char text[QR_CODEWORDS_MAX];
    const unsigned length = (qr->codewords[0] & 15u) << 4 | qr->codewords[1] >> 4;

    assert_int_equal(qr->codewords[0] >> 4, 4);
    for (unsigned i = 0; i < length; i++)
        text[i] = (char)(qr->codewords[1 + i] << 4 | qr->codewords[2 + i] >> 4);
    text[length] = '\0';
    return text;
}

UNIT_TEST(codes_take_turns)
{
    static struct result failed[40];

    start();
    for (unsigned i = 0; i < COUNT_OF(failed); i++)
        failed[i] = (struct result){ .id = "bts.b", .outcome = OUTCOME_FAIL, .why = "got 1 records, expected 2" };
    progress_plan(failed, COUNT_OF(failed), 40);
    progress_verdict(VERDICT_FAIL, judged);
    progress_page.turn = 1;
    progress_end(VERDICT_FAIL, PAGE_HALTS, false);
    progress_end(VERDICT_FAIL, PAGE_HALTS, true); /* the text page is first */
    assert_int_equal(shown, 3);
    assert_false(is_code_page());
    assert_int_equal(progress_page.code_count, 4);
    assert_int_equal(codes[0].side, 41); /* 129 bytes, of the 134 of version 6 */
    assert_int_equal(codes[1].side, 45); /* version 7, the largest on this screen */
    assert_string_equal(text_in(&codes[0]), "dstest86 0.1.0 revision, 32 bits: fail\n"
                                            "bts fail 1 of 1\npebs not selected\nlbr not selected\n"
                                            "fail bts.b: got 1 records, expected 2");
    assert_string_equal(text_in(&codes[3]), "fail bts.b: got 1 records, expected 2\n"
                                            "fail bts.b: got 1 records, expected 2\n"
                                            "fail bts.b: got 1 records, expected 2\nand 28 more");
    waits = 6;
    progress_take_turns();
    assert_string_equal(turns_seen, "text code1 code2 code2 code2 text ");
    assert_int_equal(waited, 8000000);

    /* A panic after the verdict: its own codes. As small as possible, then with more error correction. */
    assert_true(codes[1].modules[8 * 45 + 1]); /* a bit of the format: level L */
    progress_plan(results, 1, 1);
    progress_page.verdicts = NULL;
    progress_end(VERDICT_PANIC, PAGE_HALTS, false);
    assert_int_equal(progress_page.code_count, 1);
    assert_int_equal(codes[0].side, 29);
    assert_string_equal(text_in(&codes[0]), "dstest86 0.1.0 revision, 32 bits: panic");
    assert_false(codes[0].modules[8 * 29 + 1]); /* level M */
}

/* After a wrong option no clock was chosen yet: pages would turn as fast as they are drawn. */
UNIT_TEST(no_page_turns_without_a_clock)
{
    start();
    progress_lines(PAGE_LINES_ALL);
    progress_page.keys = "Keys: R";
    progress_end(VERDICT_ERROR, PAGE_HALTS, true);
    idle = 200; /* a page is shown for 160 reads of the keyboard */
    assert_int_equal(progress_take_turns(), KEY_RESTART);
    assert_int_equal(progress_page.turn, 0);
    press = 0;
}
