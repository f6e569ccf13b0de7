/* SPDX-License-Identifier: MIT */
#include "kernel/screen/result_text.h"

#include <inttypes.h>

#include "lib/format.h"
#include "lib/text.h"

enum {
    LINE_PROGRAM,
    LINE_PROCESSOR,
    LINE_KINDS,
    LINE_FACILITY, /* of the first facility */
    LINE_TROUBLE = LINE_FACILITY + FACILITIES,
    LINE_RESULTS
};

/* The text's lines: all tests appear twice, first for a failure, then for a difference. */
static size_t lines(const struct page *page)
{
    return LINE_RESULTS + 2 * page->result_count;
}

static const struct result *result_of(const struct page *page, size_t line)
{
    return &page->results[(line - LINE_RESULTS) % page->result_count];
}

/* Whether there is such a line. */
static bool has_line(const struct page *page, size_t line)
{
    switch (line) {
    case LINE_PROGRAM:
        return true;
    case LINE_PROCESSOR:
        return page->caps;
    case LINE_KINDS:
        return page->kinds && page->kinds[0] != '\0';
    case LINE_TROUBLE:
        return page->trouble;
    }
    if (line < LINE_TROUBLE)
        return page->verdicts;
    const enum outcome outcome = result_of(page, line)->outcome;
    return line < LINE_RESULTS + page->result_count ? outcome == OUTCOME_FAIL || outcome == OUTCOME_ERROR
                                                    : outcome == OUTCOME_DIFFERS;
}

static void write_line(char text[LINE_SIZE], const struct page *page, size_t line)
{
    const struct caps *const caps = page->caps;

    switch (line) {
    case LINE_PROGRAM:
        format(text, LINE_SIZE, "dstest86 %s %s, %u bits: %s", page->version, page->revision, page->bits,
               verdict_text(page->verdict));
        return;
    case LINE_PROCESSOR:
        format(text, LINE_SIZE, "%s 0x%08" PRIx32 ", microcode 0x%" PRIx32 "%s", caps->core ? caps->core : caps->vendor,
               caps->signature, caps->microcode, caps->hypervisor ? ", hypervisor" : "");
        return;
    case LINE_KINDS:
        format(text, LINE_SIZE, "kinds %s", page->kinds);
        return;
    case LINE_TROUBLE:
        format(text, LINE_SIZE, "%s%s%s", page->trouble, page->test ? ", in test " : "", page->test ? page->test : "");
        return;
    }
    if (line < LINE_TROUBLE) {
        const struct facility *const facility = &page->verdicts[line - LINE_FACILITY];
        const int used = format(text, LINE_SIZE, "%s ", facility->name);
        facility_text(text + used, LINE_SIZE - (size_t)used, facility, false);
        return;
    }
    const struct result *const result = result_of(page, line);
    format(text, LINE_SIZE, "%s %s: %s", outcome_text(result->outcome), result->id, result_why(result));
}

static unsigned lines_from(const struct page *page, size_t line)
{
    unsigned count = 0;

    for (; line < lines(page); line++)
        count += has_line(page, line);
    return count;
}

size_t result_text(char *text, size_t size, const struct page *page, size_t *next, bool last)
{
    char line[LINE_SIZE];
    size_t used = 0;

    text[0] = '\0';
    for (; *next < lines(page); ++*next) {
        if (!has_line(page, *next))
            continue;
        write_line(line, page, *next);
        const size_t most = size - (last && lines_from(page, *next) > 1 ? sizeof "\nand 9999 more" : 1);
        const size_t length = text_length(line);
        if (used && used + 1 + length > most)
            break;
        used += (size_t)format(text + used, size - used, "%s%.*s%s", used ? "\n" : "",
                               (int)(length > most ? most - 2 : length), line, length > most ? ".." : "");
    }
    if (last && *next < lines(page))
        used += (size_t)format(text + used, size - used, "\nand %u more", lines_from(page, *next));
    for (size_t i = 0; i < used; i++)
        if (text[i] != '\n' && (text[i] < ' ' || text[i] > '~'))
            text[i] = '?';
    return used;
}
