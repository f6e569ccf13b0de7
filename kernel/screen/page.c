/* SPDX-License-Identifier: MIT */
#include "kernel/screen/page.h"

#include <inttypes.h>

#include "lib/format.h"
#include "lib/text.h"
#include "kernel/screen/letters.h"
#include "kernel/screen/pen.h"

#define TEXT       ((uint8_t)CELL_GREY)
#define STRONG     ((uint8_t)(CELL_GREY | CELL_BRIGHT))
#define TITLE      ((uint8_t)(CELL_GREY | CELL_BRIGHT | CELL_BLUE << 4))
#define GOOD       ((uint8_t)(CELL_GREEN | CELL_BRIGHT))
#define BAD        ((uint8_t)(CELL_RED | CELL_BRIGHT))
#define OPEN       ((uint8_t)(CELL_BROWN | CELL_BRIGHT)) /* yellow */
#define ROOMY_ROWS 33u
#define MARGIN     1u /* columns left and right */

#define BESIDE_LEAST 60u /* columns that the text needs next to a code: the widest verdict in large letters */
#define ALONE_LEAST  29u /* the same for the short text on a page for a code alone */

#define AREAS_MAX    16u
#define TABLE_WIDTH  33u /* columns of an area's counts; two tables are side by side where they fit */
#define TABLE_GAP    2u
#define GAPS_MOST    5u
#define LOG_ROWS     2u
#define REMARKS_ROWS 2u
#define MEANING_ROWS 2u
#define TROUBLE_ROWS 3u
#define ADVICE_ROWS  4u
#define LAST_ROWS    2u
#define LIST_LEAST   2u /* rows that the table leaves to the list of failures */

/* The text's columns of the page, and the next free row. Rows from `end` on are taken. */
struct sheet {
    const struct page *page;
    struct cells *cells;
    struct pen pen;
    unsigned row, end;
    unsigned gaps; /* blank lines that may separate the blocks */
    bool alone;    /* no code is next to the text */
};

/* Counts of one area. */
struct area {
    const char *id; /* of one of its tests */
    struct totals totals;
};

static struct pen coloured(const struct sheet *sheet, uint8_t attributes)
{
    struct pen pen = sheet->pen;

    pen.attributes = attributes;
    return pen;
}

/* Leaves a blank line, if one is left. */
static void gap(struct sheet *sheet)
{
    if (!sheet->gaps)
        return;
    sheet->row++;
    sheet->gaps--;
}

/* ---- the processor ---- */

static void bts_line(char *text, size_t size, const struct caps *c)
{
    format(text, size, "%u-byte records%s", c->bts_record_size, c->ds_cpl ? ", by privilege level" : "");
}

static void pebs_line(char *text, size_t size, const struct caps *c)
{
    if (c->pebs_method == PEBS_METHOD_ADAPTIVE)
        format(text, size, "format %u adaptive, %u to %u bytes", c->pebs_format, c->pebs_record_size,
               c->pebs_record_most);
    else if (c->pebs_method == PEBS_METHOD_ARCH)
        format(text, size, "architectural, %u to %u bytes", c->pebs_record_size, c->pebs_record_most);
    else
        format(text, size, "format %u, %u-byte records", c->pebs_format, c->pebs_record_size);
}

static void lbr_line(char *text, size_t size, const struct caps *c)
{
    if (c->arch_lbr)
        format(text, size, "%u entries, architectural", c->lbr_depth);
    else
        format(text, size, "%u entries, format %u", c->lbr_depth, c->lbr_format);
}

static const struct {
    const char *name;
    uint64_t needs;
    void (*line)(char *text, size_t size, const struct caps *caps);
} facilities[FACILITIES] = {
    { "BTS", NEED_BTS, bts_line },
    { "PEBS", NEED_PEBS, pebs_line },
    { "LBR", NEED_LBR, lbr_line },
};

/* What the processor has of a facility. */
static void found(char *text, size_t size, const struct caps *caps, unsigned n)
{
    const enum caps_reason missing = caps_missing(caps, facilities[n].needs);

    if (missing == CAPS_AVAILABLE)
        facilities[n].line(text, size, caps);
    else
        format(text, size, "none: %s", caps_reason_text(missing));
}

static uint8_t state_colour(enum facility_state state)
{
    return state == FACILITY_PASS ? GOOD : state == FACILITY_FAIL ? BAD : state == FACILITY_UNTESTED ? OPEN : TEXT;
}

static void draw_facilities(struct sheet *sheet)
{
    for (unsigned n = 0; n < FACILITIES; n++) {
        const struct facility *const verdict = sheet->page->verdicts ? &sheet->page->verdicts[n] : NULL;
        const struct pen pen = coloured(sheet, verdict ? state_colour(verdict->state) : TEXT);
        const bool reason = verdict && (verdict->state == FACILITY_NONE || verdict->state == FACILITY_UNTESTED);
        char what[CELLS_COLUMNS_MAX + 1], text[CELLS_COLUMNS_MAX + 1] = "";

        found(what, sizeof what, sheet->page->caps, n);
        if (verdict)
            facility_text(text, sizeof text, verdict, true);
        pen_line(&pen, sheet->row++, "%-5s %s%s%s", facilities[n].name, text, verdict && !reason ? ": " : "",
                 reason ? "" : what);
    }
}

static void draw_machine(struct sheet *sheet)
{
    const struct caps *const c = sheet->page->caps;

    if (!c) {
        pen_line(&sheet->pen, sheet->row++, "The processor is not known yet.");
        gap(sheet);
        return;
    }
    const struct pen strong = coloured(sheet, STRONG);
    pen_line(&strong, sheet->row++, "%s", c->brand[0] ? c->brand : c->vendor);
    pen_line(&sheet->pen, sheet->row++, "%s, signature 0x%08" PRIx32 ", microcode 0x%" PRIx32 "%s",
             c->core ? c->core : "Not in the table of models", c->signature, c->microcode,
             c->hypervisor ? ", under a hypervisor" : "");
    if (sheet->page->elapsed || sheet->page->system) {
        char seconds[32] = "";
        if (sheet->page->elapsed)
            format(seconds, sizeof seconds, "%u seconds%s", sheet->page->elapsed, sheet->page->system ? ", " : "");
        pen_line(&sheet->pen, sheet->row++, "%s%s", seconds, sheet->page->system ? sheet->page->system : "");
    }
    draw_facilities(sheet);
    if (sheet->page->kinds && sheet->page->kinds[0] != '\0')
        pen_line(&sheet->pen, sheet->row++, "This is the first kind of core. Results include all tested kinds: %s",
                 sheet->page->kinds);
    gap(sheet);
}

/* ---- where the run is ---- */

static void draw_bar(struct sheet *sheet)
{
    const struct page *const page = sheet->page;
    const unsigned done = page->number - 1, width = sheet->pen.width / 2;
    const unsigned full = done * width / page->planned;
    struct pen bar = coloured(sheet, GOOD), rest = sheet->pen;

    bar.width = width;
    rest.left += width + 1;
    rest.width -= width + 1;
    for (unsigned i = 0; i < width; i++)
        sheet->cells->at[sheet->row][bar.left + i] =
            (struct cell){ i < full ? CELL_FULL : '.', i < full ? bar.attributes : TEXT };
    pen_line(&rest, sheet->row++, "%u of %u tests done", done, page->planned);
}

static void draw_progress(struct sheet *sheet)
{
    const struct page *const page = sheet->page;
    const struct pen strong = coloured(sheet, STRONG);

    if (page->step)
        pen_line(&strong, sheet->row++, "Step %u of %u: %s", page->step, page->steps, page->step_name);
    if (page->state == PAGE_TESTS) {
        draw_bar(sheet);
        pen_line(&strong, sheet->row++, "Test %u of %u: %s", page->number, page->planned, page->test);
    }
    gap(sheet);
}

/* ---- the verdict ---- */

static bool measured(const struct page *page)
{
    return results_are_of(page->results, page->result_count, "measure");
}

static uint8_t page_colour(const struct page *page)
{
    switch (page->verdict) {
    case VERDICT_PASS:
        return measured(page) ? TEXT : GOOD;
    case VERDICT_SKIP:
    case VERDICT_INCOMPLETE:
        return OPEN;
    case VERDICT_FAIL:
    case VERDICT_ERROR:
    case VERDICT_PANIC:
        break;
    }
    return BAD;
}

/* Whether tests failed, all of them because their time ran out. */
static bool timed_out(const struct page *page)
{
    unsigned count = 0;

    for (size_t i = 0; i < page->result_count; i++) {
        if (page->results[i].outcome != OUTCOME_FAIL)
            continue;
        if (!text_begins(result_why(&page->results[i]), "timed out"))
            return false;
        count++;
    }
    return count != 0;
}

static const char *meaning(const struct page *page, const struct totals *all)
{
    if (page->verdict == VERDICT_FAIL && timed_out(page))
        return "A test did not end within its time limit.";
    if (page->verdict <= VERDICT_FAIL && measured(page))
        return "These are measurements: figures, no statement about the manual.";
    switch (page->verdict) {
    case VERDICT_PASS:
        return "What was tested works as the manual promises.";
    case VERDICT_FAIL:
        return "Something does not work as the manual promises.";
    case VERDICT_SKIP:
        return all->pass || all->differs ? "The processor has none of the facilities that were to be tested."
               : all->skip               ? "Every test was skipped."
                                         : "No test was run.";
    case VERDICT_INCOMPLETE:
        return "The processor has something that could not be tested: see \"untested\" above.";
    case VERDICT_ERROR:
        return "A test ended without a verdict.";
    case VERDICT_PANIC:
        return "An unexpected exception ended the run.";
    }
    return "";
}

static unsigned letters_scale(const struct sheet *sheet)
{
    const bool roomy = sheet->cells->rows >= ROOMY_ROWS;

    return roomy && letters_rows(verdict_text(sheet->page->verdict), 2, sheet->pen.width) ? 2 : 1;
}

static void draw_verdict(struct sheet *sheet, const struct totals *all)
{
    const struct page *const page = sheet->page;
    const struct pen pen = coloured(sheet, page_colour(page)), strong = coloured(sheet, STRONG);
    const char *const word = verdict_text(page->verdict);
    const unsigned scale = letters_scale(sheet);

    letters_draw(&pen, sheet->row, word, scale);
    sheet->row += letters_rows(word, scale, pen.width);
    gap(sheet);
    if (!page->trouble || page->verdict != VERDICT_ERROR)
        sheet->row += pen_words(&strong, sheet->row, MEANING_ROWS, meaning(page, all));
    if (page->trouble)
        sheet->row += pen_words(&strong, sheet->row, TROUBLE_ROWS, page->trouble);
    if (page->verdict == VERDICT_PANIC && page->test)
        pen_line(&strong, sheet->row++, "It occurred in test %u of %u: %s", page->number, page->planned, page->test);
    else if (page->verdict == VERDICT_PANIC && page->step)
        pen_line(&strong, sheet->row++, "It occurred in step %u of %u: %s", page->step, page->steps, page->step_name);
    gap(sheet);
}

/* ---- counts ---- */

static unsigned applicable(const struct totals *totals)
{
    return totals->pass + totals->differs + totals->fail + totals->error;
}

/* Counts the tests that ran and, by area in the order of the run, the tests that apply. Returns the number of areas. */
static unsigned count_areas(const struct page *page, struct area areas[AREAS_MAX], struct totals *all)
{
    unsigned count = 0;

    *all = (struct totals){ 0 };
    for (size_t i = 0; i < page->result_count; i++) {
        const struct result *const result = &page->results[i];
        unsigned n = 0;

        if (result->outcome == OUTCOME_NOT_RUN)
            continue;
        totals_add(all, result->outcome);
        if (result->outcome == OUTCOME_SKIP)
            continue;
        while (n < count && !result_is_of(result, areas[n].id))
            n++;
        if (n == AREAS_MAX)
            continue;
        if (n == count)
            areas[count++] = (struct area){ .id = result->id };
        totals_add(&areas[n].totals, result->outcome);
    }
    return count;
}

static void draw_counts(const struct pen *pen, unsigned row, const char *name, int length, const struct totals *totals)
{
    struct pen counts = *pen, label = *pen;

    label.width = 9;
    pen_line(&label, row, "%.*s", length, name);
    counts.left += label.width;
    pen_line(&counts, row, "%5u%8u%5u%6u", totals->pass, totals->differs, totals->fail, totals->error);
}

/* Tests of an untested facility may apply, so they only count as "skipped". */
static const char *skip_words(const struct page *page, unsigned skipped)
{
    for (unsigned n = 0; page->verdicts && n < FACILITIES; n++)
        if (page->verdicts[n].state == FACILITY_UNTESTED)
            return "skipped";
    return skipped == 1 ? "does not apply" : "do not apply";
}

/* The sum, and the tests that the table leaves out. */
static void draw_sum(struct sheet *sheet, const struct totals *all, unsigned hidden)
{
    const struct pen strong = coloured(sheet, STRONG);
    struct pen rest = strong;
    char skipped[32] = "";

    draw_counts(&strong, sheet->row, "all", 3, all);
    rest.left += TABLE_WIDTH + TABLE_GAP;
    rest.width -= TABLE_WIDTH + TABLE_GAP;
    if (all->skip)
        format(skipped, sizeof skipped, "%u %s", all->skip, skip_words(sheet->page, all->skip));
    if (hidden)
        pen_line(&rest, sheet->row, "%u in areas not shown%s%s", hidden, all->skip ? ", " : "", skipped);
    else
        pen_line(&rest, sheet->row, "%s", skipped);
    sheet->row++;
}

/* Number of tables side by side, and rows of areas in each. */
static unsigned table_count(const struct sheet *sheet)
{
    return sheet->pen.width >= 2 * TABLE_WIDTH + TABLE_GAP ? 2 : 1;
}

static unsigned table_rows(const struct sheet *sheet, unsigned areas)
{
    return (areas + table_count(sheet) - 1) / table_count(sheet);
}

/* The table by area. Leaves `leave` rows free, if possible. */
static void draw_table(struct sheet *sheet, const struct area *areas, unsigned count, const struct totals *all,
                       unsigned leave)
{
    const unsigned tables = table_count(sheet), room = sheet->end - sheet->row - 2; /* without header and sum */
    unsigned rows = table_rows(sheet, count), hidden = applicable(all);

    if (rows + leave > room)
        rows = leave < room ? room - leave : 0;
    for (unsigned t = 0; t < tables; t++) {
        struct pen pen = coloured(sheet, TEXT);
        pen.left += t * (TABLE_WIDTH + TABLE_GAP);
        pen.width = TABLE_WIDTH;
        if (t * rows < count)
            pen_line(&pen, sheet->row, "area      pass differs fail error");
        for (unsigned n = t * rows; n < count && n < (t + 1) * rows; n++) {
            pen.attributes = areas[n].totals.fail || areas[n].totals.error ? BAD : TEXT;
            draw_counts(&pen, sheet->row + 1 + n - t * rows, areas[n].id, result_area_length(areas[n].id),
                        &areas[n].totals);
            hidden -= applicable(&areas[n].totals);
        }
    }
    sheet->row += 1 + rows;
    draw_sum(sheet, all, hidden);
    gap(sheet);
}

/* ---- what is not as it should be ---- */

static bool failed(const struct result *result)
{
    return result->outcome == OUTCOME_FAIL || result->outcome == OUTCOME_ERROR;
}

static bool differed(const struct result *result)
{
    return result->outcome == OUTCOME_DIFFERS;
}

/* Draws up to `rows` results that `wanted` chooses, except the first `skipped` of them. */
static void draw_results(struct sheet *sheet, bool (*wanted)(const struct result *), uint8_t colour, unsigned skipped,
                         unsigned rows)
{
    const struct pen pen = coloured(sheet, colour);

    for (size_t i = 0; i < sheet->page->result_count && rows; i++) {
        const struct result *const result = &sheet->page->results[i];
        if (!wanted(result))
            continue;
        if (skipped) {
            skipped--;
            continue;
        }
        pen_line(&pen, sheet->row++, "%s %s: %s", outcome_text(result->outcome), result->id, result_why(result));
        rows--;
    }
}

/* While tests run: the last failures. */
static void draw_last_failures(struct sheet *sheet, unsigned failures)
{
    const unsigned rows = sheet->end - sheet->row;

    if (failures <= rows || rows == 0) {
        draw_results(sheet, failed, BAD, 0, rows);
        return;
    }
    draw_results(sheet, failed, BAD, failures - (rows - 1), rows - 1);
    pen_line(&sheet->pen, sheet->row++, "and %u more, before these", failures - (rows - 1));
}

/* At the end: the first failures, then the differences. */
static void draw_list(struct sheet *sheet, unsigned failures, unsigned differences)
{
    const unsigned rows = sheet->end - sheet->row, all = failures + differences;
    const unsigned room = all <= rows ? all : rows ? rows - 1 : 0;

    draw_results(sheet, failed, BAD, 0, failures < room ? failures : room);
    draw_results(sheet, differed, OPEN, 0, failures < room ? room - failures : 0);
    if (all > room && rows)
        pen_line(&sheet->pen, sheet->row++, "and %u more", all - room);
}

/* ---- what to do ---- */

static const char *advice(const struct page *page, const struct totals *all)
{
    if (page->verdict == VERDICT_FAIL && timed_out(page))
        return "A slow machine needs more time: start again with timeout=120. If a test then still does not end, "
               "please report it, with the name of the machine. ";
    switch (page->verdict) {
    case VERDICT_PASS:
        return measured(page) ? "" : "Nothing is wrong. ";
    case VERDICT_FAIL:
        return "Please report it, with the name of the machine. ";
    case VERDICT_SKIP:
        return page->caps && !page->caps->intel ? "This is not an Intel processor: there is nothing to test. "
               : all->pass || all->differs || all->skip
                   ? "A hypervisor or a firmware setting may hide what the processor has. "
                   : "";
    case VERDICT_INCOMPLETE:
        return "A hypervisor or a firmware setting may be the reason: change it and start again, or report it. ";
    case VERDICT_ERROR:
        return page->trouble
                   ? "If an option is wrong, correct it (on the stick: dstest86/options.txt) and start again; "
                     "else please report it. "
                   : "This should never happen: please report it. ";
    case VERDICT_PANIC:
        return "This should never happen: please report it, with the name of the machine. ";
    }
    return "";
}

static void keeping(char *text, size_t size, const struct page *page, bool alone)
{
    const char *const start = page->log ? "Keep the log, take a photo of this page" : "Take a photo of this page";

    int used;

    if (page->code_count == 0)
        used = format(text, size, "%s.", page->log ? "Keep the log, or take a photo of this page" : start);
    else if (page->code_count > 1)
        used = format(text, size, "%s, or scan all %u codes, which take turns.", start, page->code_count);
    else
        used = format(text, size, "%s, or scan the code%s.", start, alone ? " that follows it" : "");
    if (page->send_to)
        format(text + used, size - (size_t)used, " Send it %s.", page->send_to);
}

static const char *last_line(const struct page *page)
{
    if (page->state == PAGE_VERDICT)
        return "The end of the log is being written: please wait.";
    switch (page->then) {
    case PAGE_HALTS:
        return "The run has ended. Hold the power button to switch off, or reset the machine.";
    case PAGE_REBOOTS:
        return "The run has ended. The machine starts again by itself.";
    case PAGE_SWITCHES_OFF:
        return "The run has ended. The machine switches itself off now.";
    }
    return "";
}

/* Draws words into the last free rows. */
static void draw_upwards(struct sheet *sheet, uint8_t attributes, unsigned most, const char *text)
{
    const struct pen pen = coloured(sheet, attributes);

    sheet->end -= pen_count(&pen, most, text);
    pen_words(&pen, sheet->end, most, text);
}

/* Draws the last rows, upwards from the end. */
static void draw_bottom(struct sheet *sheet, const struct totals *all)
{
    const struct page *const page = sheet->page;
    const bool ended = page->state >= PAGE_VERDICT;
    char text[ADVICE_ROWS * CELLS_COLUMNS_MAX + 1];

    if (page->state == PAGE_END && page->then == PAGE_HALTS && page->keys)
        draw_upwards(sheet, STRONG, 1, page->keys);
    if (ended)
        draw_upwards(sheet, STRONG, LAST_ROWS, last_line(page));
    if (!ended && !page->caps && !page->log) /* no port has been tried yet */
        return;
    format(text, sizeof text, "Log: %s", page->log ? page->log : "none, no serial port answers");
    draw_upwards(sheet, TEXT, LOG_ROWS, text);
    if (page->remarks) {
        format(text, sizeof text, "The loader says: %s", page->remarks);
        draw_upwards(sheet, OPEN, REMARKS_ROWS, text);
    }
    if (!ended)
        return;
    const int used = format(text, sizeof text, "%s", advice(page, all));
    keeping(text + used, sizeof text - (size_t)used, page, sheet->alone);
    draw_upwards(sheet, STRONG, ADVICE_ROWS, text);
}

/* ---- the whole ---- */

static void draw_title(const struct sheet *sheet)
{
    const struct page *const page = sheet->page;
    const struct pen pen = coloured(sheet, TITLE);

    for (unsigned column = 0; column < sheet->cells->columns; column++)
        sheet->cells->at[0][column] = (struct cell){ ' ', TITLE };
    pen_line(&pen, 0, "dstest86 %s, %u bits, %s", page->version, page->bits, page->revision);
}

/* ---- lines of the log ---- */

static unsigned count_lines(const struct page *page)
{
    unsigned count = 0;

    for (size_t i = 0; page->lines && page->state >= PAGE_VERDICT && i < page->lines_size; i++)
        count += page->lines[i] == '\0';
    return count;
}

/* Draws lines from number `first` on. */
static void draw_lines(const struct page *page, const struct pen *pen, unsigned row, unsigned end, unsigned first)
{
    const unsigned count = count_lines(page);
    const char *line = page->lines;

    for (unsigned n = 0; n < count && row < end; n++, line += text_length(line) + 1)
        if (n >= first)
            pen_line(pen, row++, "%s", line);
}

/* Draws what fits into the free rows of the page of text. */
static void draw_some_lines(const struct sheet *sheet)
{
    const unsigned count = count_lines(sheet->page), rows = sheet->end - sheet->row;

    if (sheet->page->take != PAGE_LINES_BY_KEY && rows > 0 && sheet->row < sheet->end)
        draw_lines(sheet->page, &sheet->pen, sheet->row, sheet->end,
                   sheet->page->take == PAGE_LINES_LAST && count > rows ? count - rows : 0);
}

/* The rows left on the last page if everything is drawn. */
static unsigned spare_rows(const struct sheet *sheet, unsigned areas, unsigned listed)
{
    const struct page *const page = sheet->page;
    unsigned rows = sheet->row + (page->caps ? 2 + FACILITIES : 1) + (page->kinds && page->kinds[0]) +
                    (page->system || page->elapsed);

    rows += letters_rows(verdict_text(page->verdict), letters_scale(sheet), sheet->pen.width);
    rows += 2 + (page->trouble ? pen_count(&sheet->pen, TROUBLE_ROWS, page->trouble) : 0);
    rows += areas ? 2 + table_rows(sheet, areas) + listed : 0;
    rows += page->take != PAGE_LINES_BY_KEY ? count_lines(page) : 0;
    return rows < sheet->end ? sheet->end - rows : 0;
}

static void draw_text(const struct page *page, struct cells *cells, unsigned columns)
{
    struct area areas[AREAS_MAX];
    struct totals all;
    struct sheet sheet = { .page = page,
                           .cells = cells,
                           .pen = { cells, MARGIN, columns - 2 * MARGIN, TEXT },
                           .row = cells->rows < ROOMY_ROWS ? 1 : 2,
                           .end = cells->rows,
                           .gaps = cells->rows < ROOMY_ROWS ? 2 : GAPS_MOST,
                           .alone = columns == cells->columns };
    const bool ended = page->state >= PAGE_VERDICT;
    const unsigned count = count_areas(page, areas, &all);
    const unsigned failures = all.fail + all.error, listed = failures + (ended ? all.differs : 0);

    draw_title(&sheet);
    draw_bottom(&sheet, &all);
    if (ended)
        sheet.gaps = spare_rows(&sheet, count, listed);
    draw_machine(&sheet);
    if (ended)
        draw_verdict(&sheet, &all);
    else
        draw_progress(&sheet);
    if (count == 0) {
        draw_some_lines(&sheet);
        return;
    }
    draw_table(&sheet, areas, count, &all, listed < LIST_LEAST ? listed : LIST_LEAST);
    if (ended)
        draw_list(&sheet, failures, all.differs);
    else
        draw_last_failures(&sheet, failures);
    draw_some_lines(&sheet);
}

/* A page for a code alone, with enough text for a reader who has only a photo of this page. */
static void draw_code_page(const struct page *page, struct cells *cells, const struct page_code_place *place)
{
    const struct pen strong = { cells, MARGIN, place->column - 2 * MARGIN, STRONG };
    struct pen pen = strong;
    char text[CELLS_COLUMNS_MAX + 1];
    unsigned row = 1;

    pen_line(&strong, row++, "dstest86 %s", page->version);
    if (page->caps) {
        pen_line(&pen, row++, "%s", page->caps->core ? page->caps->core : page->caps->vendor);
        pen_line(&pen, row++, "signature 0x%08" PRIx32, page->caps->signature);
        pen_line(&pen, row++, "microcode 0x%" PRIx32, page->caps->microcode);
        if (page->kinds && page->kinds[0] != '\0')
            pen_line(&pen, row++, "all kinds: %s", page->kinds);
    }
    pen.attributes = page_colour(page);
    pen_line(&pen, row + 1, "verdict %s", verdict_text(page->verdict));
    row += 3;
    format(text, sizeof text, "Scan code %u of %u with a phone: the results as plain text.", page->turn,
           page->code_count);
    row += 1 + pen_words(&strong, row, 6, text);
    pen_words(&strong, row, 3, "The other page comes back in a moment.");
}

/* The place of a code next to the text. */
static bool place_beside(const struct page_code *code, const struct cells *cells, struct page_code_place *place)
{
    return page_code_place(cells, code->side, 1, BESIDE_LEAST + 2 * MARGIN, place);
}

static bool all_beside(const struct page *page, const struct cells *cells)
{
    struct page_code_place place;

    for (unsigned n = 0; n < page->code_count; n++)
        if (!place_beside(&page->codes[n], cells, &place))
            return false;
    return true;
}

/* The pages of text and codes. */
static unsigned first_turns(const struct page *page, const struct cells *cells)
{
    if (page->code_count == 0 || page->state < PAGE_VERDICT)
        return 1;
    return all_beside(page, cells) ? page->code_count : 1 + page->code_count;
}

/* Rows of a page for lines: without its title, a blank line, and its last line. */
static unsigned line_rows(const struct cells *cells)
{
    return cells->rows - 3;
}

unsigned page_turns(const struct page *page, const struct cells *cells, bool keys)
{
    const unsigned pages = (count_lines(page) + line_rows(cells) - 1) / line_rows(cells);

    if (page->take == PAGE_LINES_BY_KEY && !keys)
        return first_turns(page, cells);
    return first_turns(page, cells) + (page->take == PAGE_LINES_LAST && pages > 1 ? 1 : pages);
}

/* Page number `turn` of lines, from 0. */
static void draw_lines_page(const struct page *page, struct cells *cells, unsigned turn)
{
    const struct pen pen = { cells, MARGIN, cells->columns - 2 * MARGIN, TEXT };
    const struct sheet sheet = { .page = page, .cells = cells, .pen = pen };
    const struct pen strong = coloured(&sheet, STRONG);
    const unsigned rows = line_rows(cells), count = count_lines(page);

    draw_title(&sheet);
    draw_lines(page, &pen, 1, 1 + rows, page->take == PAGE_LINES_LAST && count > rows ? count - rows : turn * rows);
    pen_line(&strong, cells->rows - 1, "Page %u of %u.%s", page->turn + 1, page_turns(page, cells, true),
             page->take == PAGE_LINES_BY_KEY ? "" : " They take turns.");
}

unsigned page_code_most(const struct cells *cells)
{
    struct page_code_place place;
    unsigned side = 2 * CELLS_ROWS_MAX;

    while (side != 0 && !page_code_place(cells, side, 0, ALONE_LEAST + 2 * MARGIN, &place))
        side--;
    return side;
}

void page_draw(const struct page *page, struct cells *cells)
{
    const bool beside = all_beside(page, cells);
    struct page_code_place place;

    pen_clear(cells, TEXT);
    if (page->turn >= first_turns(page, cells)) {
        draw_lines_page(page, cells, page->turn - first_turns(page, cells));
        return;
    }
    if (page->state < PAGE_VERDICT || page->code_count == 0 || (!beside && page->turn == 0)) {
        draw_text(page, cells, cells->columns);
        return;
    }
    const struct page_code *const code = &page->codes[beside ? page->turn : page->turn - 1];
    if (beside) {
        place_beside(code, cells, &place);
        draw_text(page, cells, place.column);
    } else if (page_code_place(cells, code->side, 0, ALONE_LEAST + 2 * MARGIN, &place))
        draw_code_page(page, cells, &place);
    else
        return;
    page_code_draw(code, &place, cells);
}
