/* SPDX-License-Identifier: MIT */
#include "kernel/progress.h"

#include <stdarg.h>

#include "arch/x86/devices/clock.h"
#include "lib/format.h"
#include "lib/text.h"
#include "lib/qr/qr.h"
#include "kernel/display.h"
#include "kernel/log_lines.h"
#include "kernel/screen/result_text.h"

#define TURN_MICROSECONDS 8000000u /* long enough to point a phone at it */

#define LOOK_MICROSECONDS 50000u /* between two looks for a key */
#define AFTER_KEY         8u     /* turns that a page stays which a key has chosen */

#define CODES_MAX 4u

#define SEPARATOR "; "

struct page progress_page;
static char log_places[200], troubles[400];
static struct page_code codes[CODES_MAX];
static bool drawing;

static void show(void)
{
    /* drawing: it raised the exception that is being reported */
    if (drawing || !progress_is_seen())
        return;
    drawing = true;
    page_draw(&progress_page, display_cells());
    display_show();
    drawing = false;
}

/* Appends to a text, and truncates it to its size. */
static const char *append(char *text, size_t size, const char *fmt, va_list args)
{
    size_t used = text_length(text);

    if (used)
        used += (size_t)format(text + used, size - used, "%s", SEPARATOR);
    if (used < size)
        vformat(text + used, size - used, fmt, args);
    return text;
}

void progress_step(unsigned step, unsigned steps, const char *name)
{
    progress_page.step = step;
    progress_page.steps = steps;
    progress_page.step_name = name;
    show();
}

void progress_log(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    progress_page.log = append(log_places, sizeof log_places, fmt, args);
    va_end(args);
}

void progress_plan(const struct result *results, size_t count, unsigned planned)
{
    progress_page.results = results;
    progress_page.result_count = count;
    progress_page.planned = planned;
}

void progress_test(unsigned number, const char *id)
{
    progress_page.state = PAGE_TESTS;
    progress_page.number = number;
    progress_page.test = id;
    show();
}

void progress_verdict(enum verdict verdict, const struct facility facilities[FACILITIES])
{
    progress_page.state = PAGE_VERDICT;
    progress_page.test = NULL;
    progress_page.verdict = verdict;
    progress_page.verdicts = facilities;
    show();
}

bool progress_is_seen(void)
{
    const char *const text = display_text();

    return text[0] != '\0' && !text_begins(text, "none");
}

/* Makes the codes of the largest version that fits on the screen, each with the highest error correction that fits. */
static void make_codes(void)
{
    static struct qr_code drawn[CODES_MAX];
    static char text[QR_CODEWORDS_MAX];
    static bool busy; /* set: an exception that this function raised is being reported */
    const unsigned side = page_code_most(display_cells());
    unsigned most = QR_VERSIONS;
    size_t next = 0, length;

    if (busy || progress_page.result_count == 0)
        return;
    busy = true;
    while (QR_SIDE(most) > side)
        most--;
    progress_page.codes = codes;
    for (progress_page.code_count = 0; progress_page.code_count < CODES_MAX; progress_page.code_count++) {
        struct qr_code *const code = &drawn[progress_page.code_count];
        unsigned version = 1;
        length = result_text(text, qr_bytes(most, QR_LEVEL_L) + 1, &progress_page, &next,
                             progress_page.code_count + 1 == CODES_MAX);
        if (length == 0)
            break;
        while (qr_bytes(version, QR_LEVEL_L) < length)
            version++;
        if (!qr_encode(code, text, length, QR_LEVEL_M, version, QR_MASK_BEST))
            qr_encode(code, text, length, QR_LEVEL_L, version, QR_MASK_BEST);
        codes[progress_page.code_count] = (struct page_code){ code->side, code->modules };
    }
    busy = false;
}

void progress_lines(enum page_lines take)
{
    progress_page.lines = log_lines(&progress_page.lines_size);
    progress_page.take = take;
}

void progress_trouble(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    progress_page.trouble = append(troubles, sizeof troubles, fmt, args);
    va_end(args);
}

void progress_end(enum verdict verdict, enum page_then then, bool sent)
{
    progress_page.state = sent ? PAGE_END : PAGE_VERDICT;
    progress_page.verdict = verdict;
    progress_page.then = then;
    progress_page.turn = 0;
    if (!sent && progress_is_seen())
        make_codes();
    show();
}

static void turn(unsigned by, unsigned of)
{
    progress_page.turn = (progress_page.turn + by) % of;
    show();
}

enum key progress_take_turns(void)
{
    const unsigned turns = page_turns(&progress_page, display_cells(), false),
                   all = page_turns(&progress_page, display_cells(), true);
    const unsigned step = progress_page.keys ? LOOK_MICROSECONDS : TURN_MICROSECONDS;
    unsigned left = TURN_MICROSECONDS / step;

    while (progress_page.keys || turns > 1) {
        const enum key key = progress_page.keys ? keyboard_read() : KEY_NONE;
        if (key == KEY_RESTART || key == KEY_POWER_OFF)
            return key;
        if (key != KEY_NONE) {
            turn(key == KEY_NEXT ? 1 : all - 1, all);
            left = AFTER_KEY * TURN_MICROSECONDS / step;
        }
        const bool timed = clock_wait(step); /* not before the clock was chosen: an option is wrong */
        if (!timed && !progress_page.keys)
            break;
        if (timed && --left == 0) {
            if (turns > 1 || progress_page.turn != 0)
                turn(progress_page.turn < turns ? 1 : all - progress_page.turn,
                     progress_page.turn < turns ? turns : all);
            left = TURN_MICROSECONDS / step;
        }
    }
    return KEY_NONE;
}
